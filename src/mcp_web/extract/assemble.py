"""Makes the `Document` from the Markdown of an extractor: cleaned and limited, with headings, links and summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from mcp_web import __version__
from mcp_web.extract.characters import clean_line, clean_text
from mcp_web.extract.markdown import read_links
from mcp_web.extract.natural_language import detect_language
from mcp_web.model.page import Document, Fetched, Heading, Link, Metadata, PageKind
from mcp_web.text.headings import read_headings
from mcp_web.text.media_types import file_name
from mcp_web.text.summary import summarise
from mcp_web.text.urls import host_of

# Twenty times the largest window that an agent can request; longer documents are data rather than texts to read.
LONGEST = 2_000_000

_BLANKS = re.compile(r"\n{4,}")
_NO_METADATA = Metadata()


def assemble(
    page: Fetched,
    extractor: str,
    markdown: str,
    *,
    title: str = "",
    title_from_heading: bool = False,
    kind: PageKind = "unknown",
    metadata: Metadata = _NO_METADATA,
    notes: Sequence[str] = (),
    hidden: int = 0,
    images: tuple[Link, ...] = (),
    outline: Callable[[str], tuple[Heading, ...]] = read_headings,
) -> Document:
    """Make the document of a page from the Markdown that the named `extractor` wrote of it.

    If `title` is empty, it is the first heading (only with `title_from_heading`), else the name of the file, else the
    host. Invisible characters are removed; `hidden`, how many hidden texts the extractor removed, is increased by the
    suspicious runs of them. A text of over two million characters is cut, with a note. A missing language is detected
    in the text, unless `kind` is "data". `outline` reads the headings from the final text.
    """
    text, removed = clean_text(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    text, notes_on_text = _cut(_BLANKS.sub("\n\n\n", text).strip("\n"))
    if not text.strip():
        notes_on_text = (*notes_on_text, "The document contains no text.")
    headings = outline(text)
    if not title and title_from_heading and headings:
        title = headings[0].text
    title = clean_line(title or file_name(page.final_url) or host_of(page.final_url) or page.final_url)[:500]
    metadata = _clean_metadata(replace(metadata, content_type=metadata.content_type or page.media_type))
    if metadata.language is None and kind != "data":
        metadata = replace(metadata, language=detect_language(text))
    return Document(
        title=title,
        markdown=text,
        extractor=f"{extractor}@{__version__}",
        kind=kind,
        metadata=metadata,
        headings=headings,
        links=read_links(text),
        images=tuple(Link(clean_text(one.text)[0], one.url) for one in images),
        summary=summarise(text, title, metadata.description),
        hidden=hidden + removed,
        notes=(*notes, *notes_on_text),
    )


def _clean_metadata(metadata: Metadata) -> Metadata:
    """The metadata with each string on one line and without invisible characters; other values are unchanged."""
    values = {field.name: getattr(metadata, field.name) for field in fields(metadata)}
    cleaned: dict[str, Any] = {name: clean_line(value) for name, value in values.items() if isinstance(value, str)}
    return replace(metadata, **cleaned)


def _cut(text: str) -> tuple[str, tuple[str, ...]]:
    """The text, with no note; of a longer one the first LONGEST characters, if possible whole blocks, with a note."""
    if len(text) <= LONGEST:
        return text, ()
    end = text.rfind("\n\n", LONGEST // 2, LONGEST)
    kept = text[: end if end > 0 else LONGEST]
    return kept, (f"The document has more than {LONGEST:,} characters; only the first {len(kept):,} were kept.",)
