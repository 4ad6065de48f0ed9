"""Citations of references: lines of text, BibTeX entries or CSL-JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from mcp_web.archive.exchange import bibtex, csl
from mcp_web.archive.exchange.references import Reference

Style = Literal["text", "bibtex", "csl"]


def cite(references: Sequence[Reference], style: Style) -> str:
    """The references as lines of text, BibTeX entries or a list in CSL-JSON, without a newline at the end."""
    if style == "csl":
        return json.dumps([csl.item_of(one) for one in references], ensure_ascii=False, indent=2)
    if style == "bibtex":
        taken: set[str] = set()
        return "\n".join(bibtex.entry(one, bibtex.citation_key(one, taken)) for one in references).rstrip("\n")
    return "\n".join(map(_line, references))


def _line(reference: Reference) -> str:
    """A reference as one line of text, as in a list of sources."""
    date = f"({reference.date})" if reference.date else ""
    authors = "; ".join(author.strip("{}") for author in reference.authors)
    issue = f"({reference.issue})" if reference.issue else ""
    place = ", ".join(filter(None, (reference.site, reference.volume + issue, reference.pages, reference.publisher)))
    url = f"https://doi.org/{reference.doi}" if reference.doi else reference.url
    parts = [" ".join(filter(None, (authors, date))), reference.title, place, reference.note]
    sentences = " ".join(part if part[-1] in ".!?…" else f"{part}." for part in parts if part)
    return " ".join(f"{sentences} {url} (read on {reference.accessed})".split())
