"""Fetched bytes → Document: chooses the reader by media type.

`extract_document` runs in a sandboxed worker process, so it is a plain function of picklable values. Readers are
imported when they are first used: an HTML page never loads the PDF library.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from mcp_web.errors import ExtractFailed, SelectorNotFound, UnsupportedContent
from mcp_web.extract.css.effort import TooComplex
from mcp_web.extract.formats.languages import language_of_type
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.text.amounts import amount
from mcp_web.text.media_types import refined
from mcp_web.text.untrusted import quoted

_HTML = "html.engine:read_html"
_PLAIN = "formats.plain:read_plain"
_JSON = "formats.data:read_json"
_XML = "formats.data:read_xml"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
# The module and function of each reader, and the media types that it reads.
_MEDIA_TYPES = {
    _HTML: ("text/html", "application/xhtml+xml"),
    "formats.plain:read_markdown": ("text/markdown", "text/x-markdown"),
    _JSON: ("application/json", "text/json", "application/x-ndjson", "application/jsonlines"),
    "formats.data:read_csv": ("text/csv", "text/tab-separated-values"),
    _XML: ("application/xml", "text/xml", "application/rdf+xml"),
    "formats.feed:read_feed": ("application/rss+xml", "application/atom+xml"),
    "pdf.engine:read_pdf": ("application/pdf",),
    "formats.picture:read_picture": ("image/png", "image/jpeg", "image/bmp"),
    "office.docx:read_docx": (
        f"{_OFFICE}.wordprocessingml.document",
        f"{_OFFICE}.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
    ),
    "office.xlsx:read_xlsx": (
        f"{_OFFICE}.spreadsheetml.sheet",
        f"{_OFFICE}.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
    ),
    "office.pptx:read_pptx": (
        f"{_OFFICE}.presentationml.presentation",
        f"{_OFFICE}.presentationml.slideshow",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ),
    "office.odf:read_odf": tuple(
        f"{_OPEN_DOCUMENT}.{kind}" for kind in ("text", "text-template", "spreadsheet", "presentation")
    ),
    "office.epub:read_epub": ("application/epub+zip",),
    "office.rtf:read_rtf": ("application/rtf", "text/rtf"),
    "formats.mail:read_mail": ("message/rfc822",),
    "formats.subtitles:read_subtitles": ("text/vtt", "application/x-subrip", "text/srt"),
    "formats.gzip_file:read_gzip": ("application/gzip", "application/x-gzip"),
    "office.package:read_zip": ("application/zip", "application/x-zip-compressed"),
    "formats.thread:read_thread": ("application/vnd.mcp-web.thread+json",),
    "formats.paper:read_paper": ("application/vnd.mcp-web.paper+json",),
    "formats.jats:read_jats": ("application/jats+xml",),
}
# Readers that take the request and the options; the others take only the page.
_TAKE_REQUEST = frozenset(
    {_HTML, _PLAIN, "formats.plain:read_markdown", "pdf.engine:read_pdf", "formats.picture:read_picture",
     "formats.gzip_file:read_gzip"}
)  # fmt: skip
EXTRACTORS = {media_type: reader for reader, types in _MEDIA_TYPES.items() for media_type in types}

_TEXT_TYPES = frozenset(f"application/{name}" for name in ("json", "xml", "x-ndjson", "jsonlines", "x-subrip"))


def extractor_for(media_type: str, url: str = "") -> str | None:
    """The reader of a media type, or of its family (`*+json`, `*+xml`, text), as "module:function"; None if there is
    none. The file extension of `url` makes a general type such as text/plain more specific."""
    media_type = refined(media_type, url)
    if media_type in EXTRACTORS:
        return EXTRACTORS[media_type]
    if media_type.endswith("+json"):
        return _JSON
    if media_type.endswith("+xml"):
        return _XML
    return _PLAIN if is_text(media_type) else None


def is_text(media_type: str) -> bool:
    """Whether content of this media type is text, which `mode=raw` shows as it is."""
    return (
        media_type.startswith("text/")
        or media_type.endswith(("+json", "+xml", "+yaml", "+toml"))
        or media_type in _TEXT_TYPES
        or language_of_type(media_type) is not None
    )


def extract_document(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Read a page with the reader of its media type.

    Raises UnsupportedContent if the type cannot be read, ExtractFailed if this page cannot, SelectorNotFound if a
    selector or site config finds nothing, InvalidInput if one is not valid, and ConfigError if `options` are not.
    """
    reader = extractor_for(page.media_type, page.final_url)
    media_type = quoted(page.media_type) if page.media_type else "of unknown type"
    if reader is None:
        raise UnsupportedContent(
            f"{page.final_url or 'The input'} is {media_type} ({len(page.body):,} bytes) and cannot be read as text.",
            url=page.final_url,
            content_type=page.media_type,
            size=len(page.body),
        )
    if request.mode == "raw" and is_text(page.media_type):
        reader = "formats.plain:read_raw"
    if request.selector and reader != _HTML:
        raise SelectorNotFound(
            f"The selector {request.selector!r} cannot be used: {media_type} is not an HTML page.",
            suggestion="Open the document without a selector; `section` takes a heading of its outline.",
            url=page.final_url,
        )
    module, _, name = reader.partition(":")
    read = getattr(import_module(f"mcp_web.extract.{module}"), name)
    try:
        document = read(page, request, options) if reader in _TAKE_REQUEST else read(page)
    except RecursionError as error:
        raise ExtractFailed(f"{page.final_url} is nested too deeply to be read.", url=page.final_url) from error
    except TooComplex as error:
        raise ExtractFailed(f"The style sheets in {page.final_url} are too complex.", url=page.final_url) from error
    return _with_notes(document, page, request)


def _with_notes(document: Document, page: Fetched, request: ExtractRequest) -> Document:
    """The document with a note if hidden text was removed, and with facts in `explain` if they are requested."""
    if document.hidden:
        pieces = amount(document.hidden, "piece")
        note = f"Left out: {pieces} of text that a reader would not see."
        if note not in document.notes:  # the content of a gzip file has it already
            document = replace(document, notes=(*document.notes, note))
    if request.explain and document.explain is None:
        facts = {"extractor": document.extractor, "media_type": page.media_type, "bytes": len(page.body)}
        document = replace(document, explain=facts)
    return document
