"""What the page of a paper says for bibliographies in its `citation_…` tags, in the terms of CSL-JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_web.extract.hidden import clean_text
from mcp_web.extract.works import iso_date, spoken_name

if TYPE_CHECKING:
    from turbohtml import Document as Tree

_MOST = 300
_CHARS = 500
_CONTAINERS = {
    "citation_journal_title": "article-journal",
    "citation_conference_title": "paper-conference",
    "citation_inbook_title": "chapter",
    "citation_dissertation_institution": "thesis",
    "citation_technical_report_institution": "report",
}


def citation_entries(tree: Tree) -> tuple[dict[str, Any], ...]:
    """One entry of structured data for a page that names a title, and a DOI or what the work appeared in; else none."""
    tags = _tags(tree)
    container = next((name for name in _CONTAINERS if name in tags), None)
    if "citation_title" not in tags or not (container or "citation_doi" in tags):
        return ()
    pages = "-".join(dict.fromkeys(_first(tags, name) for name in ("citation_firstpage", "citation_lastpage")))
    date = _first(tags, "citation_publication_date") or _first(tags, "citation_date")
    item = {
        "type": _CONTAINERS[container] if container else "article",
        "title": _first(tags, "citation_title"),
        "author": [_name(name) for name in tags.get("citation_author", [])],
        "container-title": _first(tags, container) if container else "",
        "volume": _first(tags, "citation_volume"),
        "issue": _first(tags, "citation_issue"),
        "page": pages.strip("-"),
        "publisher": _first(tags, "citation_publisher"),
        "issued": iso_date(date.replace("/", "-")),
        "DOI": _first(tags, "citation_doi").removeprefix("doi:").removeprefix("https://doi.org/"),
    }
    return ({"format": "csl", "data": {name: value for name, value in item.items() if value}},)


def _tags(tree: Tree) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for meta in tree.select("meta[name^='citation_' i][content]")[:_MOST]:
        value = " ".join(clean_text((meta.attr("content") or "")[:_CHARS])[0].split())
        if value:
            found.setdefault((meta.attr("name") or "").lower(), []).append(value)
    return found


def _first(tags: dict[str, list[str]], name: str) -> str:
    return tags.get(name, [""])[0]


def _name(name: str) -> dict[str, str]:
    """ "Hare, Ada" or "Ada Hare"."""
    family, comma, given = name.partition(", ")
    return {"family": family, "given": given} if comma else spoken_name(name)
