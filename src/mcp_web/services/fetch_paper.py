"""Fetch a paper: its record from public catalogues, then its text from an open copy if there is one."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable
from typing import Any
from urllib.parse import quote

import anyio

from mcp_web.app import App
from mcp_web.errors import FetchFailed, WebError
from mcp_web.extract.append import append
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.services.official_api import REFUSALS, OfficialApi, deadline_within, gathered
from mcp_web.text.json_fields import at, items, mapping, text
from mcp_web.text.papers import PaperId, paper_in
from mcp_web.text.urls import parse_url

MEDIA_TYPE = "application/vnd.mcp-web.paper+json"  # the gathered answers; read by extract/formats/paper.py
_SECONDS = 15.0  # for the catalogues; the open copy has the time of the call
_COPIES = 3  # that are tried
_LEAST_TEXT = 3_000  # characters: a page with less holds an abstract, not a paper
_NO_COPY = "No open full text was found: this is what the public catalogues say of the paper."


async def fetch_paper(app: App, url: str, *, deadline: float | None) -> Fetched | None:
    """The catalogue records of the paper at this URL. None if the URL is not that of a paper, no catalogue answers, or
    the operator turned `public_apis` off. Raises PolicyError for a URL that may not be opened."""
    paper = paper_in(url)
    if paper is None or not app.settings.of(FetchOptions).public_apis:
        return None
    fetcher = await app.fetcher()
    notes = fetcher.leaks.check(url)
    fetcher.check_domain(parse_url(url))
    until = deadline_within(_SECONDS, deadline)
    answers = _arxiv(app, paper, until) if paper.scheme == "arxiv" else _by_doi(app, paper, until)
    return await gathered(url, MEDIA_TYPE, answers, notes)


async def add_full_text(
    app: App, page: Fetched, record: Document, request: ExtractRequest, *, deadline: float | None
) -> tuple[Document, tuple[str, ...]]:
    """(the record with the paper's text from the first open copy that can be read, notes on copies that cannot). `page`
    has the catalogues' answers, `record` is the document made of them; it is unchanged if no copy can be read."""
    answers = mapping(json.loads(page.body))
    notes: list[str] = []
    for address in _copies(answers)[:_COPIES]:
        try:
            copy = await _copy(app, address, deadline)
            full = await app.extract(copy, request)
        except (*REFUSALS, TimeoutError) as error:
            reason = error.message if isinstance(error, WebError) else "its service is busy"
            notes.append(f"The open copy at {address} could not be read: {reason}")
            continue
        if full.wall is None and len(full.markdown) >= _LEAST_TEXT:
            return append(record, full, "", f"Full text, from <{copy.final_url}>:"), tuple(notes)
    return record, (*notes, _NO_COPY)


async def _arxiv(app: App, paper: PaperId, until: float) -> dict[str, Any]:
    """The arXiv number of a preprint, and its record as the Atom feed of arXiv."""
    feed = await OfficialApi(app, "arxiv", until).get("/api/query", id_list=paper.value)
    return {"number": paper.value, "arxiv": feed.decode("utf-8", "replace")}


async def _by_doi(app: App, paper: PaperId, until: float) -> dict[str, Any]:
    """What each catalogue says of a DOI or, after looking up its DOI, of a PubMed number, by catalogue; raises
    FetchFailed if none knows it. `until` is a deadline."""
    answers: dict[str, Any] = {}
    doi = paper.value
    if paper.scheme != "doi":
        answers["europepmc"] = await _pubmed(app, paper, until)
        doi = text(answers["europepmc"].get("doi"))
    if doi:
        name = quote(doi, safe="/:;()._-")
        async with anyio.create_task_group() as tasks:

            async def keep(key: str, asked: Awaitable[Any], *path: str) -> None:
                answers[key] = await _part(asked, *path)

            tasks.start_soon(keep, "openalex", OfficialApi(app, "openalex", until).json(f"/works/doi:{name}"))
            tasks.start_soon(
                keep, "crossref", OfficialApi(app, "crossref", until).json(f"/works/{quote(doi, safe='')}"), "message"
            )
        if not answers["crossref"]:
            asked = OfficialApi(app, "datacite", until).json(f"/dois/{quote(doi, safe='')}")
            answers["datacite"] = await _part(asked, "data", "attributes")
    if not any(answers.values()):
        raise FetchFailed(f"No catalogue knows {paper.value}.", reason="status")
    return answers


async def _pubmed(app: App, paper: PaperId, until: float) -> dict[str, Any]:
    """The record of an article with a PubMed or PMC number, from Europe PMC; raises FetchFailed if there is none."""
    wanted = f"PMCID:{paper.value}" if paper.scheme == "pmc" else f"EXT_ID:{paper.value} AND SRC:MED"
    api = OfficialApi(app, "europepmc", until)
    answer = await api.json("/search", query=wanted, format="json", resultType="core", pageSize="1")
    rows = items(at(answer, ("resultList", "result")))
    if not rows:
        raise FetchFailed(f"Europe PMC does not know {paper.value}.", reason="status")
    return rows[0]


async def _part(asked: Awaitable[Any], *path: str) -> dict[str, Any]:
    """Await an answer; returns the object at a path of names in it, {} when the catalogue refuses or has no record."""
    try:
        value = await asked
    except REFUSALS:
        return {}
    return mapping(at(value, path))


def _copies(answers: dict[str, Any]) -> list[str]:
    """Where open copies of the text are, best first: URLs, or "PMC…" for an article in Europe PMC. `answers` are those
    of the catalogues, by name."""
    if number := text(answers.get("number")):
        return [f"https://arxiv.org/html/{number}", f"https://arxiv.org/pdf/{number}"]
    row, work = mapping(answers.get("europepmc")), mapping(answers.get("openalex"))
    found: list[str] = []
    if row.get("isOpenAccess") == "Y" and text(row.get("pmcid")).startswith("PMC"):
        found.append(text(row["pmcid"]))
    elif digits := text(at(work, ("ids", "pmcid"))).rpartition("/")[2].removeprefix("PMC"):
        found.append(f"PMC{digits}")
    best = mapping(work.get("best_oa_location"))
    found += [text(best.get("pdf_url")), text(best.get("landing_page_url"))]
    listed = items(at(row, ("fullTextUrlList", "fullTextUrl")))
    found += [text(one.get("url")) for one in listed if one.get("availabilityCode") in ("OA", "F")]
    web = [one for one in found if one.startswith(("PMC", "http://", "https://"))]
    return [one for one in dict.fromkeys(web) if paper_in(one) is None or "arxiv.org" in one]


async def _copy(app: App, address: str, deadline: float | None) -> Fetched:
    """Fetch an open copy: a URL, or the number of an article in Europe PMC ("PMC…")."""
    if not address.startswith("PMC"):
        return await (await app.fetcher()).get(address, deadline=deadline)
    api = OfficialApi(app, "europepmc", deadline_within(_SECONDS, deadline))
    body = await api.get(f"/{address}/fullTextXML")
    url = f"https://europepmc.org/article/PMC/{address}"
    return Fetched(url, url, 200, (), body, "application/jats+xml", None, time.time())
