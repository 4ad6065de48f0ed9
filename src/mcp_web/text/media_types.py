"""Media types by file extension."""

from __future__ import annotations

from urllib.parse import unquote

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_TEXTS = {
    "md": "text/markdown", "markdown": "text/markdown", "mdown": "text/markdown", "mkd": "text/markdown",
    "mdx": "text/markdown", "qmd": "text/markdown", "rmd": "text/markdown",
    "txt": "text/plain", "text": "text/plain", "rst": "text/plain", "org": "text/plain", "adoc": "text/plain",
    "log": "text/plain",
    "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml",
    "json": "application/json", "jsonl": "application/x-ndjson", "geojson": "application/geo+json",
    "webmanifest": "application/manifest+json", "ipynb": "application/x-ipynb+json",
    "csv": "text/csv", "tsv": "text/tab-separated-values",
    "xml": "application/xml", "rss": "application/rss+xml", "atom": "application/atom+xml",
    "eml": "message/rfc822", "vtt": "text/vtt", "srt": "application/x-subrip",
    "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
}  # fmt: skip
_BINARIES = {
    "pdf": "application/pdf", "epub": "application/epub+zip", "rtf": "application/rtf",
    "docx": f"{_OFFICE}.wordprocessingml.document", "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "odt": f"{_OPEN}.text", "ods": f"{_OPEN}.spreadsheet", "odp": f"{_OPEN}.presentation",
}  # fmt: skip
_ALL = _TEXTS | _BINARIES
# Sent as plain text, these are meant to be shown as source.
_SHOWN_AS_SOURCE = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
# Content-Type values that do not describe the body.
UNTYPED = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-download", "unknown/unknown"}
)


def file_name(place: str) -> str:
    """The last part of a URL's path, or of a file's, with percent-encoding decoded; empty where the path has none."""
    path = place.partition("?")[0].partition("#")[0]
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    return unquote(path.rstrip("/").rpartition("/")[2])


def extension(place: str) -> str:
    """The file extension, in lower case and without its dot; empty if there is none."""
    return file_name(place).lower().rpartition(".")[2] if "." in file_name(place) else ""


def type_of_name(place: str) -> str:
    """The media type for the file extension of a URL or path; empty if unknown."""
    return _ALL.get(extension(place), "")


def text_type_of_name(place: str) -> str:
    """The media type for the file extension of a URL or path, only of text formats; empty if unknown."""
    return _TEXTS.get(extension(place), "")


def refined(media_type: str, place: str) -> str:
    """The media type or, if it is text/plain or says nothing, a more specific one by file extension: code hosts send
    every file as text/plain."""
    if media_type in UNTYPED:
        return type_of_name(place) or media_type
    if media_type == "text/plain" and (found := text_type_of_name(place)) not in _SHOWN_AS_SOURCE:
        return found or media_type
    return media_type
