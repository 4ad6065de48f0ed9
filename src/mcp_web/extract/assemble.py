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
from mcp_web.extract.summary import summarise
from mcp_web.model.page import Document, Fetched, Heading, Link, Metadata, PageKind
from mcp_web.text.headings import read_headings
from mcp_web.text.media_types import file_name
from mcp_web.text.urls import host_of

# Twenty times the largest window that an agent can request; longer documents are data rather than texts to read.
LONGEST = 2_000_000

_BLANKS = re.compile(r"\n{4,}")
_NO_FACTS = Metadata()


def assemble(
    page: Fetched,
    extractor: str,
    markdown: str,
    *,
    title: str = "",
    kind: PageKind = "unknown",
    facts: Metadata = _NO_FACTS,
    notes: Sequence[str] = (),
    hidden: int = 0,
    images: tuple[Link, ...] = (),
    outline: Callable[[str], tuple[Heading, ...]] = read_headings,
) -> Document:
    """The document with this Markdown; without a `title` the name of the file is used.

    Invisible characters are removed first. `outline` reads the headings from the final text, so that their offsets fit.
    """
    text, removed = clean_text(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    text, cut_notes = cut(_BLANKS.sub("\n\n\n", text).strip("\n"), LONGEST)
    if not text.strip():
        cut_notes = (*cut_notes, "The document contains no text.")
    title = clean_line(title or file_name(page.final_url) or host_of(page.final_url) or page.final_url)[:500]
    facts = _clean_facts(replace(facts, content_type=facts.content_type or page.media_type))
    if facts.language is None and kind != "data":
        facts = replace(facts, language=detect_language(text))
    return Document(
        title=title,
        markdown=text,
        extractor=f"{extractor}@{__version__}",
        kind=kind,
        metadata=facts,
        headings=outline(text),
        links=read_links(text),
        images=tuple(Link(clean_text(one.text)[0], one.url) for one in images),
        summary=summarise(text, title, facts.description),
        hidden=hidden + removed,
        notes=(*notes, *cut_notes),
    )


def _clean_facts(facts: Metadata) -> Metadata:
    """The metadata without invisible characters, each fact on one line."""
    named = {one.name: getattr(facts, one.name) for one in fields(facts)}
    cleaned: dict[str, Any] = {name: clean_line(value) for name, value in named.items() if isinstance(value, str)}
    return replace(facts, **cleaned)


def cut(text: str, most: int) -> tuple[str, tuple[str, ...]]:
    """The text, cut between two blocks if it has more than `most` characters, and a note if it was cut."""
    if len(text) <= most:
        return text, ()
    end = text.rfind("\n\n", most // 2, most)
    kept = text[: end if end > 0 else most]
    return kept, (f"The document has {len(text):,} characters; only the first {len(kept):,} were kept.",)
