"""The engines that are measured: ours, and every peer that is installed. Each takes HTML and a URL, gives text."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

Engine = Callable[[str, str], str]


@dataclass(frozen=True)
class Entry:
    name: str
    format: str  # "md" or "text": how the scorer reads it
    module: str  # what must be installed
    make: Callable[[], Engine]


def extract(html: str, url: str) -> str:
    """Ours, as `score.py --call bench.extraction.engines:extract` takes it."""
    return _ours()(html, url)


def trafilatura(html: str, url: str) -> str:
    """The peer that CPU time is compared with."""
    return _trafilatura()(html, url)


@cache
def _ours() -> Engine:
    from mcp_web.extract.html.engine import read_html
    from mcp_web.extract.options import ExtractOptions
    from mcp_web.model.page import ExtractRequest, Fetched

    request, options = ExtractRequest(), ExtractOptions()

    def run(html: str, url: str) -> str:
        page = Fetched(url, url, 200, (), html.encode("utf-8", "replace"), "text/html", "utf-8", 0.0)
        return read_html(page, request, options).markdown

    return run


@cache
def _trafilatura(precision: bool = False, metadata: bool = False) -> Engine:
    import trafilatura as library

    def run(html: str, url: str) -> str:
        options: dict[str, Any] = {"output_format": "markdown", "include_links": True, "include_tables": True}
        return library.extract(html, url=url, favor_precision=precision, with_metadata=metadata, **options) or ""

    return run


def _readability() -> Engine:
    import lxml.html
    from readability import Document

    return lambda html, url: lxml.html.fromstring(Document(html).summary()).text_content()


def _resiliparse() -> Engine:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: extract_plain_text(html, main_content=True)


def _markitdown() -> Engine:
    import io

    from markitdown import MarkItDown, StreamInfo

    converter = MarkItDown()
    info = StreamInfo(mimetype="text/html", extension=".html", charset="utf-8")
    return lambda html, url: converter.convert_stream(io.BytesIO(html.encode()), stream_info=info).markdown


def _html_to_markdown() -> Engine:
    import html_to_markdown as library

    def run(html: str, url: str) -> str:
        result = library.convert(html)
        return str(getattr(result, "content", None) or result)

    return run


ENTRIES = (
    Entry("mcp-web", "md", "mcp_web", _ours),
    Entry("trafilatura", "md", "trafilatura", _trafilatura),
    # Ours always reads title, author, dates and structured data: this is the peer's call that does as much.
    Entry("trafilatura with metadata", "md", "trafilatura", lambda: _trafilatura(metadata=True)),
    Entry("trafilatura precision", "md", "trafilatura", lambda: _trafilatura(precision=True)),
    Entry("readability-lxml", "text", "readability", _readability),
    Entry("resiliparse", "text", "resiliparse", _resiliparse),
    Entry("html-to-markdown (whole page)", "md", "html_to_markdown", _html_to_markdown),
    Entry("markitdown (whole page)", "md", "markitdown", _markitdown),
)


def installed() -> list[Entry]:
    return [entry for entry in ENTRIES if importlib.util.find_spec(entry.module) is not None]
