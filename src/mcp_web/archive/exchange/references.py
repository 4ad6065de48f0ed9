"""Bibliographic references of documents, as in BibTeX and CSL-JSON, and documents made from references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp_web.archive.citations import names_of
from mcp_web.archive.derive import document_date
from mcp_web.model.page import Document, Metadata
from mcp_web.model.snapshot import Snapshot, document_id
from mcp_web.text.dates import day_of, iso
from mcp_web.text.internet_archive import copy_day
from mcp_web.text.papers import written_date
from mcp_web.text.summary import summary_of

CSL_FIELDS = {"kind": "type", "volume": "volume", "issue": "issue", "pages": "page", "publisher": "publisher"}


@dataclass(frozen=True, slots=True)
class Reference:
    """The bibliographic data of a document, of which BibTeX, CSL-JSON and citations are made."""

    id: str
    title: str
    authors: tuple[str, ...] = ()  # "Family, Given"; an organisation in braces: "{The Shell Group}"
    date: str = ""  # YYYY, YYYY-MM or YYYY-MM-DD
    url: str = ""
    doi: str = ""
    arxiv: str = ""
    site: str = ""  # the journal, the book or the web site that contains it
    abstract: str = ""
    tags: tuple[str, ...] = ()
    accessed: str = ""
    kind: str = ""  # a type of CSL: article-journal, paper-conference, chapter, book, thesis, report, dataset …
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    note: str = ""  # "retracted", where the original is archived


def reference_of(snapshot: Snapshot) -> Reference:
    """The reference to a document: as it was imported, else from data of catalogues, else from the page's metadata."""
    document, metadata = snapshot.document, snapshot.document.metadata
    names = names_of(snapshot)
    stored = metadata.structured_data[0] if snapshot.variant == "reference" and metadata.structured_data else {}
    items = (entry.get("data") for entry in metadata.structured_data if entry.get("format") == "csl")
    item: Mapping[str, Any] = next((data for data in items if isinstance(data, Mapping)), {})
    named = (part.strip() for part in (metadata.author or "").replace(";", " and ").split(" and "))
    date = str(stored.get("date") or "") or written_date(item.get("issued"))
    copy = metadata.archived_url or ""  # in the Internet Archive, if the page was read there
    archived = f"Archived on {copy_day(copy)}: {copy}" if copy else ""
    return Reference(
        id=str(stored.get("id") or document_id(snapshot.key)),
        title=document.title or snapshot.url,
        authors=tuple(stored.get("authors") or csl_names(item.get("author")) or filter(None, named)),
        date=date or document_date(document, snapshot.path) or "",
        url=snapshot.final_url if snapshot.final_url.startswith("http") else "",
        doi=next((name.removeprefix("doi:") for name in names if name.startswith("doi:")), ""),
        arxiv=next((name.removeprefix("arxiv:") for name in names if name.startswith("arxiv:")), ""),
        site=str(item.get("container-title") or ("" if item else metadata.site_name or "")),
        abstract=metadata.description or ("" if stored else summary_of(document)),
        tags=snapshot.tags,
        accessed=iso(snapshot.checked_at)[:10],
        note=str(stored.get("note") or item.get("status") or archived),
        **{field: str(stored.get(field) or item.get(name) or "") for field, name in CSL_FIELDS.items()},
    )


def snapshot_of_reference(reference: Reference, now: float) -> Snapshot:
    """A snapshot of a document that stands for a reference, so that it can be found, cited and exported again: its
    title, authors, date and abstract as text, the rest as metadata. `now` is a Unix time."""
    url = reference.url or (
        f"https://doi.org/{reference.doi}" if reference.doi else f"file:///references/{reference.id}"
    )
    lines = [f"# {reference.title}", ", ".join(reference.authors), reference.date, reference.abstract]
    if reference.doi:
        lines.append(f"DOI: [{reference.doi}](https://doi.org/{reference.doi})")
    text = "\n\n".join(line for line in lines if line) + "\n"
    stored = {"id": reference.id, "doi": reference.doi, "authors": list(reference.authors), "date": reference.date}
    stored |= {field: getattr(reference, field) for field in (*CSL_FIELDS, "note")}
    metadata = Metadata(
        description=reference.abstract or None,
        author=" and ".join(reference.authors) or None,
        published=reference.date or None,
        site_name=reference.site or None,
        structured_data=({name: value for name, value in stored.items() if value},),
    )
    document = Document(reference.title, text, "reference@1", metadata=metadata)
    day = day_of(reference.accessed)
    return Snapshot.of(
        url,
        "reference",
        document,
        now,
        checked_at=datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() if day else now,
        media_type="application/x-bibtex",
        source="research",
        tags=reference.tags,
    )


def csl_names(names: Any) -> tuple[str, ...]:
    """Names in CSL form as "Family, Given", those of organisations in braces; empty for any other value."""
    rows = names if isinstance(names, list | tuple) else ()
    return tuple(name for one in rows if isinstance(one, Mapping) and (name := _csl_name(one)))


def _csl_name(one: Mapping[str, Any]) -> str:
    """A name in CSL form as "Family, Given", that of an organisation in braces; "" if it has no part."""
    if one.get("literal"):
        return f"{{{one['literal']}}}"
    family = " ".join(str(one[part]) for part in ("non-dropping-particle", "family") if one.get(part))
    return ", ".join(filter(None, (family, str(one.get("given") or ""))))
