"""Fetched bytes → Document: which extractor reads which media type.

`extract_document` runs inside a sandboxed worker process, so it is a plain function of picklable values.
Extractors are imported when their type is met: an HTML reader never loads the PDF library.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from mcp_web.errors import ExtractFailed, SelectorNotFound, UnsupportedContent
from mcp_web.extract.extractor import Extractor
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.text.untrusted import quoted

_HTML = "mcp_web.extract.html.engine:HtmlExtractor"
_PLAIN = "mcp_web.extract.plain:PlainExtractor"
_MARKDOWN = "mcp_web.extract.plain:MarkdownExtractor"
_JSON = "mcp_web.extract.data:JsonExtractor"
_CSV = "mcp_web.extract.data:CsvExtractor"
_XML = "mcp_web.extract.data:XmlExtractor"
_FEED = "mcp_web.extract.feed:FeedExtractor"
_DOCX = "mcp_web.extract.office.docx:DocxExtractor"
_XLSX = "mcp_web.extract.office.xlsx:XlsxExtractor"
_PPTX = "mcp_web.extract.office.pptx:PptxExtractor"
_ODF = "mcp_web.extract.office.odf:OdfExtractor"
_RTF = "mcp_web.extract.office.rtf:RtfExtractor"
_MAIL = "mcp_web.extract.mail:MailExtractor"
_SUBTITLES = "mcp_web.extract.subtitles:SubtitleExtractor"
_PDF = "mcp_web.extract.pdf.engine:PdfExtractor"
_PICTURE = "mcp_web.extract.picture:PictureExtractor"
_GZIP = "mcp_web.extract.gzip_file:GzipExtractor"
_ZIP = "mcp_web.extract.office.zip:ZipExtractor"

# Media type → "module:class".
EXTRACTORS: dict[str, str] = {
    "text/html": _HTML,
    "application/xhtml+xml": _HTML,
    "text/markdown": _MARKDOWN,
    "text/x-markdown": _MARKDOWN,
    "application/json": _JSON,
    "text/json": _JSON,
    "application/x-ndjson": _JSON,
    "application/jsonlines": _JSON,
    "text/csv": _CSV,
    "text/tab-separated-values": _CSV,
    "application/xml": _XML,
    "text/xml": _XML,
    "application/rss+xml": _FEED,
    "application/atom+xml": _FEED,
    "application/rdf+xml": _XML,
    "application/pdf": _PDF,
    "image/png": _PICTURE,
    "image/jpeg": _PICTURE,
    "image/bmp": _PICTURE,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _DOCX,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template": _DOCX,
    "application/vnd.ms-word.document.macroenabled.12": _DOCX,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": _XLSX,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template": _XLSX,
    "application/vnd.ms-excel.sheet.macroenabled.12": _XLSX,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": _PPTX,
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": _PPTX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": _PPTX,
    "application/vnd.oasis.opendocument.text": _ODF,
    "application/vnd.oasis.opendocument.text-template": _ODF,
    "application/vnd.oasis.opendocument.spreadsheet": _ODF,
    "application/vnd.oasis.opendocument.presentation": _ODF,
    "application/epub+zip": "mcp_web.extract.office.epub:EpubExtractor",
    "application/vnd.mcp-web.thread+json": "mcp_web.extract.thread:ThreadExtractor",
    "application/vnd.mcp-web.paper+json": "mcp_web.extract.paper:PaperExtractor",
    "application/jats+xml": "mcp_web.extract.jats:JatsExtractor",
    "text/vtt": _SUBTITLES,
    "application/x-subrip": _SUBTITLES,
    "text/srt": _SUBTITLES,
    "message/rfc822": _MAIL,
    "application/rtf": _RTF,
    "text/rtf": _RTF,
    "application/zip": _ZIP,
    "application/gzip": _GZIP,
    "application/x-gzip": _GZIP,
    "application/x-zip-compressed": _ZIP,
}

# What plain text is by the ending of its URL: code hosts send every file as text/plain.
_TEXT_ENDINGS = {
    "json": _JSON, "ipynb": _JSON, "jsonl": _JSON, "geojson": _JSON, "webmanifest": _JSON, "csv": _CSV, "tsv": _CSV,
    "xml": _XML, "rss": _FEED, "atom": _FEED, "md": _MARKDOWN, "markdown": _MARKDOWN,
    "eml": _MAIL, "vtt": _SUBTITLES, "srt": _SUBTITLES,
}  # fmt: skip
# What bytes without a type are.
_BYTES_ENDINGS = _TEXT_ENDINGS | {
    "pdf": _PDF, "docx": _DOCX, "xlsx": _XLSX, "pptx": _PPTX, "odt": _ODF, "ods": _ODF,
    "odp": _ODF, "epub": EXTRACTORS["application/epub+zip"], "rtf": _RTF, "txt": _PLAIN,
}  # fmt: skip

# fmt: off
_TEXT_APPLICATIONS = frozenset(f"application/{name}" for name in (
    "json", "xml", "javascript", "x-javascript", "ecmascript", "typescript", "yaml", "x-yaml", "toml", "sql", "graphql",
    "x-sh", "x-httpd-php", "x-ndjson", "jsonlines", "json5", "x-tex", "x-latex", "x-subrip", "x-perl", "x-python",
))
# fmt: on


def extractor_for(media_type: str, url: str = "") -> str | None:
    """The "module:class" of a media type's extractor; families (`text/*`, `*+json`, `*+xml`) have one of their own."""
    ending = url.partition("?")[0].partition("#")[0].lower().rpartition(".")[2]
    if media_type == "text/plain":
        return _TEXT_ENDINGS.get(ending, _PLAIN)
    if media_type in ("application/octet-stream", "binary/octet-stream", "application/x-download", ""):
        return _BYTES_ENDINGS.get(ending)
    if media_type in EXTRACTORS:
        return EXTRACTORS[media_type]
    if media_type.endswith("+json"):
        return _JSON
    if media_type.endswith("+xml"):
        return _XML
    return _PLAIN if is_text(media_type) else None


def is_text(media_type: str) -> bool:
    """Whether the bytes are characters that `mode=raw` can show."""
    return (
        media_type.startswith("text/")
        or media_type.endswith(("+json", "+xml", "+yaml", "+toml"))
        or media_type in _TEXT_APPLICATIONS
    )


def extract_document(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Read a page; raises UnsupportedContent, SelectorNotFound or ExtractFailed."""
    place = extractor_for(page.media_type, page.final_url)
    media_type = quoted(page.media_type) if page.media_type else "of unknown type"
    if place is None:
        raise UnsupportedContent(
            f"{page.final_url} is {media_type} ({len(page.body):,} bytes), which cannot be read as text.",
            url=page.final_url,
            content_type=page.media_type,
            size=len(page.body),
        )
    if request.mode == "raw" and is_text(page.media_type):
        place = "mcp_web.extract.plain:RawExtractor"
    if request.selector and place != _HTML:
        raise SelectorNotFound(
            f"The selector {request.selector!r} cannot be used: {media_type} is not an HTML page.",
            suggestion="Open the document without a selector; `section` takes a heading of its outline.",
            url=page.final_url,
        )
    module, _, name = place.partition(":")
    kind = getattr(import_module(module), name)
    extractor: Extractor = kind(options) if place in (_HTML, _PDF, _PICTURE) else kind()
    try:
        document = extractor.extract(page, request)
    except RecursionError as error:
        raise ExtractFailed(f"{page.final_url} is nested too deeply to be read.", url=page.final_url) from error
    return _finished(document, page, request)


def _finished(document: Document, page: Fetched, request: ExtractRequest) -> Document:
    """What is said of every document: hidden text in the notes, and how it was read when that was asked for."""
    if document.hidden:
        pieces = "1 piece" if document.hidden == 1 else f"{document.hidden:,} pieces"
        note = f"Left out: {pieces} of text that a reader would not see."
        document = replace(document, notes=(*document.notes, note))
    if request.explain and document.explain is None:
        facts = {"extractor": document.extractor, "media_type": page.media_type, "bytes": len(page.body)}
        document = replace(document, explain=facts)
    return document
