"""Fetched bytes → Document: chooses the reader by media type.

`extract_document` runs in a sandboxed worker process, so it is a plain function of picklable values. Readers are
imported when they are first used: an HTML page never loads the PDF library.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from mcp_web.errors import ExtractFailed, SelectorNotFound, UnsupportedContent
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.text.amounts import amount
from mcp_web.text.media_types import refined
from mcp_web.text.untrusted import quoted

# Module and function of each reader. Most take the page as their only argument.
_HTML = "html.engine:read_html"
_PLAIN = "formats.plain:read_plain"
_MARKDOWN = "formats.plain:read_markdown"
_JSON = "formats.data:read_json"
_CSV = "formats.data:read_csv"
_XML = "formats.data:read_xml"
_FEED = "formats.feed:read_feed"
_DOCX = "office.docx:read_docx"
_XLSX = "office.xlsx:read_xlsx"
_PPTX = "office.pptx:read_pptx"
_ODF = "office.odf:read_odf"
_EPUB = "office.epub:read_epub"
_RTF = "office.rtf:read_rtf"
_MAIL = "formats.mail:read_mail"
_SUBTITLES = "formats.subtitles:read_subtitles"
_PDF = "pdf.engine:read_pdf"
_PICTURE = "formats.picture:read_picture"
_GZIP = "formats.gzip_file:read_gzip"
_TAKE_REQUEST = frozenset({_HTML, _PLAIN, _MARKDOWN, _PDF, _PICTURE, _GZIP})  # and the options

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_MEDIA_TYPES = {
    _HTML: ("text/html", "application/xhtml+xml"),
    _MARKDOWN: ("text/markdown", "text/x-markdown"),
    _JSON: ("application/json", "text/json", "application/x-ndjson", "application/jsonlines"),
    _CSV: ("text/csv", "text/tab-separated-values"),
    _XML: ("application/xml", "text/xml", "application/rdf+xml"),
    _FEED: ("application/rss+xml", "application/atom+xml"),
    _PDF: ("application/pdf",),
    _PICTURE: ("image/png", "image/jpeg", "image/bmp"),
    _DOCX: (
        f"{_OFFICE}.wordprocessingml.document",
        f"{_OFFICE}.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
    ),
    _XLSX: (
        f"{_OFFICE}.spreadsheetml.sheet",
        f"{_OFFICE}.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
    ),
    _PPTX: (
        f"{_OFFICE}.presentationml.presentation",
        f"{_OFFICE}.presentationml.slideshow",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ),
    _ODF: tuple(
        f"application/vnd.oasis.opendocument.{kind}"
        for kind in ("text", "text-template", "spreadsheet", "presentation")
    ),
    _EPUB: ("application/epub+zip",),
    _RTF: ("application/rtf", "text/rtf"),
    _MAIL: ("message/rfc822",),
    _SUBTITLES: ("text/vtt", "application/x-subrip", "text/srt"),
    _GZIP: ("application/gzip", "application/x-gzip"),
    "office.zip:read_zip": ("application/zip", "application/x-zip-compressed"),
    "formats.thread:read_thread": ("application/vnd.mcp-web.thread+json",),
    "formats.paper:read_paper": ("application/vnd.mcp-web.paper+json",),
    "formats.jats:read_jats": ("application/jats+xml",),
}
EXTRACTORS = {media_type: reader for reader, types in _MEDIA_TYPES.items() for media_type in types}

# fmt: off
_TEXT_APPLICATIONS = frozenset(f"application/{name}" for name in (
    "json", "xml", "javascript", "x-javascript", "ecmascript", "typescript", "yaml", "x-yaml", "toml", "sql", "graphql",
    "x-sh", "x-httpd-php", "x-ndjson", "jsonlines", "json5", "x-tex", "x-latex", "x-subrip", "x-perl", "x-python",
))
# fmt: on


def extractor_for(media_type: str, url: str = "") -> str | None:
    """The reader of a media type as "module:function"; None if there is none.

    Other types of a family (`*+json`, `*+xml`, `text/*`) get the reader of the family.
    """
    media_type = refined(media_type, url)
    if media_type in EXTRACTORS:
        return EXTRACTORS[media_type]
    if media_type.endswith("+json"):
        return _JSON
    if media_type.endswith("+xml"):
        return _XML
    return _PLAIN if is_text(media_type) else None


def is_text(media_type: str) -> bool:
    """Whether the bytes are text, which `mode=raw` can show."""
    return (
        media_type.startswith("text/")
        or media_type.endswith(("+json", "+xml", "+yaml", "+toml"))
        or media_type in _TEXT_APPLICATIONS
    )


def extract_document(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Read a page. Raises UnsupportedContent, SelectorNotFound or ExtractFailed."""
    place = extractor_for(page.media_type, page.final_url)
    media_type = quoted(page.media_type) if page.media_type else "of unknown type"
    if place is None:
        raise UnsupportedContent(
            f"{page.final_url or 'The input'} is {media_type} ({len(page.body):,} bytes) and cannot be read as text.",
            url=page.final_url,
            content_type=page.media_type,
            size=len(page.body),
        )
    if request.mode == "raw" and is_text(page.media_type):
        place = "formats.plain:read_raw"
    if request.selector and place != _HTML:
        raise SelectorNotFound(
            f"The selector {request.selector!r} cannot be used: {media_type} is not an HTML page.",
            suggestion="Open the document without a selector; `section` takes a heading of its outline.",
            url=page.final_url,
        )
    module, _, name = place.partition(":")
    reader = getattr(import_module(f"mcp_web.extract.{module}"), name)
    try:
        document = reader(page, request, options) if place in _TAKE_REQUEST else reader(page)
    except RecursionError as error:
        raise ExtractFailed(f"{page.final_url} is nested too deeply to be read.", url=page.final_url) from error
    return _finished(document, page, request)


def _finished(document: Document, page: Fetched, request: ExtractRequest) -> Document:
    """Adds a note about hidden text and, if the request asks to explain, which extractor read the document."""
    if document.hidden:
        pieces = amount(document.hidden, "piece")
        note = f"Left out: {pieces} of text that a reader would not see."
        document = replace(document, notes=(*document.notes, note))
    if request.explain and document.explain is None:
        facts = {"extractor": document.extractor, "media_type": page.media_type, "bytes": len(page.body)}
        document = replace(document, explain=facts)
    return document
