"""From what an extractor read to a `Document`: cleaned, bounded, with outline, links and summary."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mcp_web.extract.hidden import clean_text
from mcp_web.extract.markdown import read_headings, read_links
from mcp_web.extract.natural_language import detect_language
from mcp_web.extract.summary import summarise
from mcp_web.model.page import Document, Heading, Link, Metadata, PageKind

# Twenty times the largest window that an agent can ask for; longer documents are data rather than texts to read.
LONGEST = 2_000_000

_BLANKS = re.compile(r"\n{4,}")


@dataclass(frozen=True, slots=True)
class Draft:
    """What an extractor found, before the steps that are the same for every format."""

    title: str
    markdown: str
    kind: PageKind = "unknown"
    metadata: Metadata = field(default_factory=Metadata)
    notes: tuple[str, ...] = ()
    hidden: int = 0
    images: tuple[Link, ...] = ()
    outline: Callable[[str], tuple[Heading, ...]] = read_headings  # reads the final text, so that offsets are right


def assemble(draft: Draft, extractor: str) -> Document:
    """The document of a draft. Hidden characters are removed first, so that offsets are those of the final text."""
    text, hidden = clean_text(draft.markdown.replace("\r\n", "\n").replace("\r", "\n"))
    text, notes = cut(_BLANKS.sub("\n\n\n", text).strip("\n"), LONGEST)
    if not text.strip():
        notes = (*notes, "The document holds no text.")
    title = _clean_line(draft.title)[:500]
    facts = _clean_facts(draft.metadata)
    if facts.language is None and draft.kind != "data":
        facts = replace(facts, language=detect_language(text))
    return Document(
        title=title,
        markdown=text,
        extractor=extractor,
        kind=draft.kind,
        metadata=facts,
        headings=draft.outline(text),
        links=read_links(text),
        images=tuple(Link(clean_text(one.text)[0], one.url) for one in draft.images),
        summary=summarise(text, title, facts.description),
        hidden=hidden + draft.hidden,
        notes=draft.notes + notes,
    )


def _clean_facts(facts: Metadata) -> Metadata:
    """The metadata without invisible characters, each fact on one line."""
    named = {one.name: getattr(facts, one.name) for one in fields(facts)}
    return replace(facts, **{name: _clean_line(value) for name, value in named.items() if isinstance(value, str)})


def _clean_line(text: str) -> Any:
    return " ".join(clean_text(text)[0].split())


def cut(text: str, most: int) -> tuple[str, tuple[str, ...]]:
    """The text up to `most` characters, ended at a block, and the note that says so."""
    if len(text) <= most:
        return text, ()
    end = text.rfind("\n\n", most // 2, most)
    kept = text[: end if end > 0 else most]
    return kept, (f"The document has {len(text):,} characters; only the first {len(kept):,} were kept.",)
