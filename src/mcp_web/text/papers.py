"""Identifiers of scholarly works (DOI, arXiv, PubMed, PubMed Central) in text and in URLs. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

from mcp_web.text.json_fields import mapping
from mcp_web.text.urls import domain_of

DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`\[\]]{1,200}")
ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?")
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|e-print)/({ARXIV.pattern})(?:\.pdf)?$")
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.({ARXIV.pattern})", re.IGNORECASE)
_ARXIV_HOSTS = ("arxiv.org", "export.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org")
_PMC_PATH = re.compile(r"/(?:pmc/)?articles?/(?:PMC/)?(PMC\d{3,10})/?$")
_PMC_HOSTS = ("pmc.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov", "europepmc.org")
_PUBMED_PATHS = {
    "pubmed.ncbi.nlm.nih.gov": re.compile(r"/(\d{1,9})/?$"),
    "ncbi.nlm.nih.gov": re.compile(r"/pubmed/(\d{1,9})/?$"),
    "europepmc.org": re.compile(r"/(?:article|abstract)/MED/(\d{1,9})/?$", re.IGNORECASE),
}
# Identifiers in place of a URL. A bare DOI needs a registrant of four or more digits, so that no private IP address is
# taken for one.
_WRITTEN_DOI = re.compile(rf"(?:doi:\s?)?({DOI.pattern})", re.IGNORECASE)
_WRITTEN_ARXIV = re.compile(rf"arxiv:\s?({ARXIV.pattern})", re.IGNORECASE)
_WRITTEN_PUBMED = re.compile(r"(?:pmid|pubmed):\s?(\d{1,9})", re.IGNORECASE)
_WRITTEN_PMC = re.compile(r"(?:pmcid:\s?)?(PMC\d{3,10})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PaperId:
    """A scholarly work by its identifier, without prefix: 10.1000/182, 1706.03762v5, 38000001, PMC900001."""

    scheme: Literal["doi", "arxiv", "pubmed", "pmc"]
    value: str


def paper_address(text: str) -> str | None:
    """The URL of a work given by its identifier alone (a DOI, an arXiv, PubMed or PMC number); None for other text."""
    written = text.strip()
    if found := _WRITTEN_DOI.fullmatch(written):
        return "https://doi.org/" + quote(unquote(found[1]), safe="/:;()._-")
    if found := _WRITTEN_ARXIV.fullmatch(written):
        return "https://arxiv.org/abs/" + found[1]
    if found := _WRITTEN_PUBMED.fullmatch(written):
        return f"https://pubmed.ncbi.nlm.nih.gov/{found[1]}/"
    if found := _WRITTEN_PMC.fullmatch(written):
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{found[1].upper()}/"
    return None


def paper_in(url: str) -> PaperId | None:
    """The work that a URL identifies; None for other pages."""
    host = domain_of(url)
    if not host:
        return None
    path = urlsplit(url).path
    if host in ("doi.org", "dx.doi.org"):
        found = DOI.match(unquote(path.lstrip("/")))
        return _of_doi(found[0]) if found else None
    if host in _ARXIV_HOSTS:
        found = _ARXIV_PATH.search(path)
        return PaperId("arxiv", found[1]) if found else None
    if host in _PMC_HOSTS and (found := _PMC_PATH.search(path)):
        return PaperId("pmc", found[1])
    found = _PUBMED_PATHS[host].match(path) if host in _PUBMED_PATHS else None
    return PaperId("pubmed", found[1]) if found else None


def _of_doi(doi: str) -> PaperId:
    """The identifier for a DOI; arXiv registers DOIs that contain its own numbers."""
    own = _ARXIV_DOI.fullmatch(doi)
    return PaperId("arxiv", own[1]) if own else PaperId("doi", doi)


def doi_name(text: str) -> str:
    """The name by which citations identify a DOI in a text, "doi:10.1000/182", without the punctuation after it."""
    # A sentence's full stop or a closing bracket is not part of the identifier.
    doi = unquote(text).rstrip(".,;:'\"")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:")
    return "doi:" + doi.lower()


def arxiv_name(text: str) -> str:
    """The name by which citations identify a preprint, whatever its version, from its number: "arxiv:1706.03762"."""
    return "arxiv:" + re.sub(r"v\d{1,2}$", "", text)


def identifier_in(url: str) -> str | None:
    """The name ("doi:…" or "arxiv:…") of the DOI or arXiv number that a URL identifies; None for other URLs."""
    found = paper_in(url)
    if found is None or found.scheme not in ("doi", "arxiv"):
        return None
    return doi_name(found.value) if found.scheme == "doi" else arxiv_name(found.value)


def csl_date(text: str) -> dict[str, Any] | None:
    """A date such as 2024-03-05, 2024-03 or 2024 in CSL form; None if the text has no number."""
    numbers = [int(part) for part in text[:10].split("-") if part.isdecimal()]
    return {"date-parts": [numbers]} if numbers else None


def written_date(date: Any) -> str:
    """A CSL date as YYYY, YYYY-MM or YYYY-MM-DD, or its raw text; "" if it has neither."""
    try:
        numbers = [int(part) for part in date["date-parts"][0]]
    except (TypeError, KeyError, IndexError, ValueError, OverflowError):
        return str(mapping(date).get("raw", ""))
    return "-".join([f"{numbers[0]:04d}", *(f"{part:02d}" for part in numbers[1:3])]) if numbers else ""


def inverted_abstract(positions: Any, words: int) -> str:
    """An abstract from the inverted index of OpenAlex (words with positions); at most `words` words."""
    placed = [
        (at, word)
        for word, places in mapping(positions).items()
        for at in (places if isinstance(places, list) else [])
        if isinstance(at, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:words])
