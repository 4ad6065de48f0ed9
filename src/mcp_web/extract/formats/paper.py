"""Papers → Markdown: the record of a work from public catalogues, its abstract, its notices, and its open full text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.formats.jats import abstract_markdown
from mcp_web.extract.works import CslItem, arxiv, item_of_answers, line, shown_name
from mcp_web.extract.xml_elements import Element, parse_xml
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import count, items, mapping, read_json, text
from mcp_web.text.papers import inverted_abstract, written_date

_ATOM = "{http://www.w3.org/2005/Atom}"
_KINDS = {
    "article-journal": "journal article",
    "paper-conference": "conference paper",
    "article": "preprint",
    "entry-encyclopedia": "encyclopedia entry",
}
_NOTICES = {
    "retraction": "was retracted",
    "withdrawal": "was withdrawn",
    "removal": "was removed",
    "partial_retraction": "was partly retracted",
    "expression_of_concern": "has an expression of concern",
    "correction": "was corrected",
    "erratum": "was corrected",
    "corrigendum": "was corrected",
}
_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
_SHOWN_AUTHORS = 50
_ABSTRACT_WORDS = 5000


def read_paper(page: Fetched) -> Document:
    """Reads the JSON with the collected answers of catalogues about one work; raises ExtractFailed if none knows it."""
    try:
        answers = mapping(read_json(page.body))
    except ValueError as error:
        raise ExtractFailed(f"{page.final_url} is not a record of a paper.", url=page.final_url) from error
    number = text(answers.get("number"))
    entry = _entry(text(answers.get("arxiv")))
    item = arxiv(entry, number) if entry is not None else item_of_answers(answers)
    item = {name: value for name, value in item.items() if value}
    if not item.get("title"):
        raise ExtractFailed(f"No catalogue knows the work at {page.final_url}.", url=page.final_url)
    notices = list(_notices(answers, entry))
    abstract = _abstract(answers, entry, page.final_url)
    written = "\n\n".join(_written(item, notices, abstract, answers))
    if any("retracted" in one or "withdrawn" in one or "removed" in one for one in notices):
        item["status"] = "retracted"
    metadata = Metadata(
        description=line(abstract)[:1000] or None,
        author=", ".join(shown_name(one) for one in item.get("author", ())[:_SHOWN_AUTHORS]) or None,
        published=written_date(item.get("issued")) or None,
        site_name=item.get("container-title") or item.get("publisher"),
        language=item.get("language"),
        content_type="text/html",
        structured_data=({"format": "csl", "data": item},),
    )
    return assemble(page, "paper", written, title=item["title"], kind="article", metadata=metadata, notes=notices)


def _written(item: CslItem, notices: list[str], abstract: str, answers: dict[str, Any]) -> Iterator[str]:
    """The Markdown of a record in parts: the line of its facts, notices, authors, abstract. `answers`: by catalogue."""
    yield f"*{' · '.join(filter(None, _facts(item, answers)))}*"
    for notice in notices:
        yield f"> **{notice}**"
    names = [shown_name(one) for one in item.get("author", ())]
    more = f" and {len(names) - _SHOWN_AUTHORS} more" if len(names) > _SHOWN_AUTHORS else ""
    if names:
        yield "Authors: " + ", ".join(names[:_SHOWN_AUTHORS]) + more
    if abstract:
        yield "## Abstract"
        yield abstract


def _facts(item: CslItem, answers: dict[str, Any]) -> Iterator[str]:
    """The facts in the first line of a record: type, journal, date, identifiers, citations; each "" if not known."""
    yield _KINDS.get(item.get("type", ""), str(item.get("type", "")).replace("-", " "))
    issue = f"({item['issue']})" if item.get("issue") else ""
    place = line(f"{item.get('container-title', '')} {item.get('volume', '')}{issue}")
    yield place + (f", {item['page']}" if place and item.get("page") else "")
    yield str(item.get("publisher", "")) if not item.get("container-title") else ""
    yield str(item.get("note", ""))
    yield written_date(item.get("issued"))
    yield f"[doi:{item['DOI']}](https://doi.org/{item['DOI']})" if item.get("DOI") else str(item.get("number", ""))
    yield f"PMID {item['PMID']}" if item.get("PMID") else ""
    cited = count(mapping(answers.get("openalex")).get("cited_by_count")) or count(
        mapping(answers.get("crossref")).get("is-referenced-by-count")
    )
    yield f"cited {amount(cited, 'time')}" if cited else ""


def _notices(answers: dict[str, Any], entry: Element | None) -> Iterator[str]:
    """The retractions, corrections and other notices as sentences; `entry` is the paper's entry in arXiv's feed."""
    found: dict[str, str] = {}
    for one in items(mapping(answers.get("crossref")).get("updated-by")):
        what = _NOTICES.get(text(one.get("type")).lower().replace("-", "_").replace(" ", "_"))
        day, doi = written_date(one.get("updated")), text(one.get("DOI"))
        if what:
            source = f", see https://doi.org/{doi}" if doi else ""
            found.setdefault(what, f"This paper {what}{f' on {day}' if day else ''}{source}.")
    row = mapping(answers.get("europepmc"))
    for one in items(mapping(row.get("commentCorrectionList")).get("commentCorrection")):
        if text(one.get("type")).lower() == "retraction in":
            found.setdefault("was retracted", f"This paper was retracted, see {line(text(one.get('reference')))}.")
    if mapping(answers.get("openalex")).get("is_retracted") is True:
        found.setdefault("was retracted", "This paper was retracted, as OpenAlex says.")
    if entry is not None and _WITHDRAWN.search(entry.findtext("{http://arxiv.org/schemas/atom}comment") or ""):
        found["was withdrawn"] = "This preprint was withdrawn by its authors."
    yield from found.values()
    for one in items(mapping(answers.get("crossref")).get("update-to")):
        yield f"This is a notice ({text(one.get('type'))}) about https://doi.org/{text(one.get('DOI'))}."


def _abstract(answers: dict[str, Any], entry: Element | None, base: str) -> str:
    """The abstract as Markdown, from arXiv's entry or the first catalogue that has one; "" if none has. `base` is the
    URL with which relative links are resolved."""
    if entry is not None:
        return line(entry.findtext(f"{_ATOM}summary"))
    described = items(mapping(answers.get("datacite")).get("descriptions"))
    found = (
        text(mapping(answers.get("crossref")).get("abstract")),
        text(mapping(answers.get("europepmc")).get("abstractText")),
        next((text(one.get("description")) for one in described if one.get("descriptionType") == "Abstract"), ""),
    )
    written = next((one for one in found if one), "")
    if written:
        return abstract_markdown(written, base)
    return inverted_abstract(mapping(answers.get("openalex")).get("abstract_inverted_index"), _ABSTRACT_WORDS)


def _entry(feed: str) -> Element | None:
    """The entry in arXiv's feed, an XML text; None if it is empty. Raises ExtractFailed if it has no paper."""
    if not feed:
        return None
    try:
        entry = parse_xml(feed.encode()).find(f"{_ATOM}entry")
    except ValueError as error:
        raise ExtractFailed(f"The answer of arXiv {error}.") from error
    if entry is None or "/api/errors" in (entry.findtext(f"{_ATOM}id") or ""):
        raise ExtractFailed("arXiv has no such paper.")
    return entry
