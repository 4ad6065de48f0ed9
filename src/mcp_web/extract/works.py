"""Records of scholarly works from public catalogues → one CSL-JSON item. Pure.

Each function reads one catalogue. `item_of_answers` takes each field from the most reliable catalogue that has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from mcp_web.extract.characters import clean_line
from mcp_web.extract.xml_elements import Element, attribute
from mcp_web.text.json_fields import items, mapping, text, texts
from mcp_web.text.papers import csl_date, written_date

CslItem = dict[str, Any]
_AUTHORS = 300
_CHARS = 500  # of one meta tag
_TAG = re.compile(r"<[^<>]{1,200}>")
_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "book-part": "chapter",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "posted-content": "article",
    "dissertation": "thesis",
    "report": "report",
    "report-component": "report",
    "dataset": "dataset",
    "reference-entry": "entry-encyclopedia",
    "standard": "standard",
    "peer-review": "review",
}
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


def item_of_answers(answers: Mapping[str, Any]) -> CslItem:
    """The CSL-JSON item of a work from the answers of the catalogues, by their names ("crossref"); {} if none knows it.
    Each field is taken from the most reliable catalogue that has it."""
    found: CslItem = {}
    for read in (openalex, europepmc, datacite, crossref):  # the last is the most reliable
        if answer := mapping(answers.get(read.__name__)):
            found |= {key: value for key, value in read(answer).items() if value}
    return found


def crossref(work: dict[str, Any]) -> CslItem:
    """The CSL-JSON item of a Crossref work, whose fields are similar; missing ones are empty."""
    return {
        "type": _KINDS.get(text(work.get("type")), "document"),
        "title": plain(": ".join((texts(work.get("title")) + texts(work.get("subtitle")))[:2])),
        "author": _people(work.get("author"), "family", "given", "name"),
        "editor": _people(work.get("editor"), "family", "given", "name"),
        "container-title": plain(next(iter(texts(work.get("container-title"))), "")),
        "volume": text(work.get("volume")),
        "issue": text(work.get("issue")),
        "page": text(work.get("page")) or text(work.get("article-number")),
        "publisher": text(work.get("publisher")),
        "issued": next(
            (date for name in ("published", "issued") if (date := csl_date(written_date(work.get(name))))), None
        ),
        "ISSN": next(iter(texts(work.get("ISSN"))), ""),
        "ISBN": next(iter(texts(work.get("ISBN"))), ""),
        "DOI": text(work.get("DOI")),
        "language": text(work.get("language")),
    }


def datacite(work: dict[str, Any]) -> CslItem:
    """The CSL-JSON item of a DataCite record; missing fields are empty."""
    container = mapping(work.get("container"))
    issued = next((text(one.get("date")) for one in items(work.get("dates")) if one.get("dateType") == "Issued"), "")
    pages = "-".join(filter(None, (text(container.get("firstPage")), text(container.get("lastPage")))))
    return {
        "type": text(mapping(work.get("types")).get("citeproc")) or "document",
        "title": plain(next((text(one.get("title")) for one in items(work.get("titles"))), "")),
        "author": _people(work.get("creators"), "familyName", "givenName", "name"),
        "container-title": plain(text(container.get("title"))),
        "volume": text(container.get("volume")),
        "issue": text(container.get("issue")),
        "page": pages,
        "publisher": text(work.get("publisher")) or text(mapping(work.get("publisher")).get("name")),
        "issued": csl_date(issued or str(work.get("publicationYear") or "")),
        "version": text(work.get("version")),
        "DOI": text(work.get("doi")),
    }


def europepmc(row: dict[str, Any]) -> CslItem:
    """The CSL-JSON item of a Europe PMC result with `resultType=core`; missing fields are empty."""
    issue = mapping(row.get("journalInfo"))
    journal = mapping(issue.get("journal"))
    return {
        "type": "article-journal" if journal else "article",
        "title": plain(text(row.get("title"))).rstrip("."),
        "author": _people(
            mapping(row.get("authorList")).get("author"), "lastName", "firstName|initials", "collectiveName|fullName"
        ),
        "container-title": plain(text(journal.get("title"))),
        "volume": text(issue.get("volume")),
        "issue": text(issue.get("issue")),
        "page": text(row.get("pageInfo")),
        "ISSN": text(journal.get("issn")) or text(journal.get("essn")),
        "issued": csl_date(text(row.get("firstPublicationDate"))),
        "DOI": text(row.get("doi")),
        "PMID": text(row.get("pmid")),
        "PMCID": text(row.get("pmcid")),
    }


def openalex(work: dict[str, Any]) -> CslItem:
    """The CSL-JSON item of an OpenAlex work; fields that the work lacks are "", [] or {}."""
    place = mapping(mapping(work.get("primary_location")).get("source"))
    biblio = mapping(work.get("biblio"))
    names = [text(mapping(one.get("author")).get("display_name")) for one in items(work.get("authorships"))]
    return {
        "type": {"article": "article-journal", "preprint": "article", "book-chapter": "chapter"}.get(
            text(work.get("type")), _KINDS.get(text(work.get("type")), "document")
        ),
        "title": plain(text(work.get("display_name"))),
        "author": [name_parts(name) for name in names[:_AUTHORS] if name],
        "container-title": plain(text(place.get("display_name"))),
        "volume": text(biblio.get("volume")),
        "issue": text(biblio.get("issue")),
        "page": "-".join(dict.fromkeys(filter(None, (text(biblio.get("first_page")), text(biblio.get("last_page")))))),
        "issued": csl_date(text(work.get("publication_date"))),
        "DOI": text(work.get("doi")).removeprefix("https://doi.org/"),
        "PMID": text(mapping(work.get("ids")).get("pmid")).rpartition("/")[2],
    }


def arxiv(entry: Element, number: str) -> CslItem:
    """The CSL-JSON item of an entry in arXiv's Atom feed; `number` is its arXiv id. Missing fields are empty."""
    category = entry.find(f"{_ARXIV}primary_category")
    return {
        "type": "article",
        "title": line(entry.findtext(f"{_ATOM}title")),
        "author": [
            name_parts(line(one.findtext(f"{_ATOM}name"))) for one in entry.findall(f"{_ATOM}author")[:_AUTHORS]
        ],
        "publisher": "arXiv",
        "number": f"arXiv:{number}",
        "issued": csl_date((entry.findtext(f"{_ATOM}published") or "")[:10]),
        "genre": attribute(category, "term") if category is not None else "",
        "DOI": line(entry.findtext(f"{_ARXIV}doi")),
        "note": line(entry.findtext(f"{_ARXIV}journal_ref")),
    }


def plain(html: str) -> str:
    """A title without its HTML tags, on one line, with entities replaced by their characters."""
    return line(unescape(_TAG.sub("", html)))


def line(value: str | None) -> str:
    """The text on one line, white space collapsed; "" for None."""
    return " ".join((value or "").split())


def name_parts(name: str) -> dict[str, str]:
    """A name in CSL form. The last word of "Ada Hare" is the family name; a single word is a `literal`."""
    given, _, family = name.strip().rpartition(" ")
    return {"family": family, "given": given} if given else {"literal": name}


def shown_name(name: Mapping[str, Any]) -> str:
    """A CSL name as text, the given name first: "Ada Hare"."""
    return line(f"{text(name.get('given'))} {text(name.get('family'))}") or text(name.get("literal"))


def _people(rows: Any, family: str, given: str, whole: str) -> list[dict[str, str]]:
    """The CSL names of the people in the rows of a catalogue. `family`, `given` and `whole` name the fields of a row;
    of `a|b`, the first that is not empty is used."""
    found = []
    for row in items(rows)[:_AUTHORS]:
        last, first, name = (_field(row, names) for names in (family, given, whole))
        found.append({"family": last} | ({"given": first} if first else {}) if last else {"literal": name or first})
    return found


def _field(row: dict[str, Any], names: str) -> str:
    return next((value for name in names.split("|") if (value := line(text(row.get(name))))), "")


_CONTAINERS = {
    "citation_journal_title": "article-journal",
    "citation_conference_title": "paper-conference",
    "citation_inbook_title": "chapter",
    "citation_dissertation_institution": "thesis",
    "citation_technical_report_institution": "report",
}


def citation_entries(metas: Mapping[str, list[str]]) -> tuple[dict[str, Any], ...]:
    """The work that the `citation_…` meta tags describe, as one `{"format", "data"}` entry in CSL-JSON; empty unless
    they have a title, and a DOI or the name of a journal, conference, book or institution."""
    container = next((name for name in _CONTAINERS if name in metas), None)
    if "citation_title" not in metas or not (container or "citation_doi" in metas):
        return ()
    tags = {name: [clean_line(value[:_CHARS]) for value in values] for name, values in metas.items()}
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
        "issued": csl_date(date.replace("/", "-")),
        "DOI": _first(tags, "citation_doi").removeprefix("doi:").removeprefix("https://doi.org/"),
    }
    return ({"format": "csl", "data": {name: value for name, value in item.items() if value}},)


def _first(tags: dict[str, list[str]], name: str) -> str:
    """The first value of a meta tag; "" if there is none."""
    return tags.get(name, [""])[0]


def _name(name: str) -> dict[str, str]:
    """A name written "Hare, Ada" or "Ada Hare", in CSL form."""
    family, comma, given = name.partition(", ")
    return {"family": family, "given": given} if comma else name_parts(name)
