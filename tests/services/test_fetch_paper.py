"""Papers come with their record, their notices and their open text, and are cited rightly; else the page is read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from application import application
from mcp_web.app import App
from mcp_web.archive.exchange import bibtex, csl
from mcp_web.archive.exchange.references import reference_of
from mcp_web.errors import DomainDenied
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.settings import load
from mcp_web.text.papers import PaperId, paper_address, paper_in
from miniweb import MiniWeb, Site
from search.lookalike import recorded, reply

pytestmark = pytest.mark.anyio

DOI = "10.5555/tortoise.1"
CATALOGUES = ("crossref", "openalex", "arxiv", "europepmc", "datacite")
SENTENCE = "The tortoise was measured on grass and on sand, in the morning and at noon. "

# The fields of a work as the public documentation of Crossref's REST API describes them.
WORK: dict[str, Any] = {
    "DOI": DOI,
    "type": "journal-article",
    "title": ["How fast is a <i>tortoise</i> &amp; why"],
    "author": [
        {"given": "Ada", "family": "Hare", "sequence": "first", "affiliation": []},
        {"name": "The Shell Group", "sequence": "additional", "affiliation": []},
    ],
    "container-title": ["Journal of Speed"],
    "volume": "12",
    "issue": "3",
    "page": "45-67",
    "publisher": "Shell & Sons",
    "published": {"date-parts": [[2024, 3, 5]]},
    "issued": {"date-parts": [[2024, 3]]},
    "abstract": "<jats:title>Abstract</jats:title><jats:p>Tortoises <jats:italic>walk</jats:italic>.</jats:p>",
    "is-referenced-by-count": 6,
}
OPEN_WORK: dict[str, Any] = {
    "id": "https://openalex.org/W1",
    "doi": f"https://doi.org/{DOI}",
    "display_name": "How fast is a tortoise",
    "type": "article",
    "publication_date": "2024-03-05",
    "ids": {},
    "cited_by_count": 7,
    "is_retracted": False,
    "best_oa_location": {
        "pdf_url": "https://repo.example/t.html",
        "landing_page_url": "https://repo.example/landing",
        "license": "cc-by",
    },
}


@asynccontextmanager
async def opening(miniweb: MiniWeb, folder: Path, **env: str) -> AsyncIterator[App]:
    urls = ",".join(f"{name}={miniweb.site(f'{name}.example').loopback_url('')}" for name in CATALOGUES)
    environ = {"DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder), "MCP_WEB_EMBEDDINGS": "none"}
    async with application(load(environ=environ | {"MCP_WEB_SEARCH_URLS": urls} | env), miniweb) as app:
        yield app


async def opened(app: App, url: str) -> Opened:
    return await open_page(app, OpenRequest(url), deadline=anyio.current_time() + 50)


def catalogue(miniweb: MiniWeb, name: str, path: str, body: Any) -> Site:
    site = miniweb.site(f"{name}.example")
    site.route(path, lambda _: reply(body))
    return site


def known(miniweb: MiniWeb, work: dict[str, Any] | None = None, open_work: dict[str, Any] | None = None) -> None:
    """Let Crossref and OpenAlex know the DOI."""
    catalogue(miniweb, "crossref", "/works/*", {"status": "ok", "message": WORK | (work or {})})
    catalogue(miniweb, "openalex", f"/works/doi:{DOI}", OPEN_WORK | (open_work or {}))


def open_copy(miniweb: MiniWeb) -> None:
    text = f"<h2>Methods</h2><p>{SENTENCE * 60}</p><h2>Results</h2><p>{SENTENCE * 30}</p>"
    miniweb.site("repo.example").page("/t.html", f"<title>T</title><article><h1>How fast</h1>{text}</article>")


@pytest.mark.parametrize("address", [DOI, f"doi:{DOI}", f"https://doi.org/{DOI}", f"https://dx.doi.org/{DOI}"])
async def test_a_doi_gives_the_record_and_the_open_text(miniweb: MiniWeb, tmp_path: Path, address: str) -> None:
    known(miniweb)
    open_copy(miniweb)
    async with opening(miniweb, tmp_path) as app:
        document = (await opened(app, address)).snapshot.document
    assert document.title == "How fast is a tortoise & why"
    assert "journal article · Journal of Speed 12(3), 45-67 · 2024-03-05" in document.markdown
    assert "cited 7 times" in document.markdown
    assert "Authors: Ada Hare, The Shell Group" in document.markdown
    assert "## Abstract\n\nTortoises *walk*." in document.markdown
    assert "Full text, from <https://repo.example/t.html>" in document.markdown
    assert document.markdown.count(SENTENCE.strip()) > 80
    for heading in document.headings:
        assert document.markdown[heading.start :].lstrip("# ").startswith(heading.text)
    assert {"Abstract", "Methods", "Results"} <= {heading.text for heading in document.headings}


async def test_a_paper_is_cited_with_all_that_a_bibliography_needs(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb)
    async with opening(miniweb, tmp_path) as app:
        kept = (await opened(app, DOI)).snapshot
    reference = reference_of(kept)
    entry = bibtex.entry(reference, bibtex.citation_key(reference, set()))
    assert entry.startswith("@article{hare2024how,\n")
    for line in (
        "title = {How fast is a tortoise \\& why}",
        "author = {Hare, Ada and {The Shell Group}}",
        "year = {2024}",
        "journal = {Journal of Speed}",
        "volume = {12}",
        "number = {3}",
        "pages = {45--67}",
        "publisher = {Shell \\& Sons}",
        f"doi = {{{DOI}}}",
    ):
        assert f"  {line},\n" in entry
    item = csl.item_of(reference)
    assert item["type"] == "article-journal"
    assert item["author"] == [{"family": "Hare", "given": "Ada"}, {"literal": "The Shell Group"}]
    assert (item["container-title"], item["volume"], item["issue"], item["page"], item["DOI"]) == (
        "Journal of Speed",
        "12",
        "3",
        "45-67",
        DOI,
    )
    assert item["issued"] == {"date-parts": [[2024, 3, 5]]}


async def test_a_retraction_is_said_first_and_in_the_citation(miniweb: MiniWeb, tmp_path: Path) -> None:
    notice = {
        "type": "retraction",
        "DOI": "10.5555/r",
        "updated": {"date-parts": [[2025, 1, 2]]},
        "source": "publisher",
    }
    correction = {"type": "correction", "DOI": "10.5555/c", "updated": {"date-parts": [[2024, 6, 1]]}}
    known(miniweb, {"updated-by": [correction, notice]})
    async with opening(miniweb, tmp_path) as app:
        page = await opened(app, DOI)
    sentence = "This paper was retracted on 2025-01-02, see https://doi.org/10.5555/r."
    document = page.snapshot.document
    assert sentence in document.notes
    assert document.markdown.index(sentence) < document.markdown.index("Authors:")
    assert "This paper was corrected on 2024-06-01" in document.markdown
    assert csl.item_of(reference_of(page.snapshot))["note"] == "retracted"


async def test_without_an_open_copy_the_record_says_so(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb, None, {"best_oa_location": None})
    async with opening(miniweb, tmp_path) as app:
        page = await opened(app, DOI)
    assert any(note.startswith("No open full text was found") for note in page.notes)
    assert "Tortoises *walk*" in page.snapshot.document.markdown


async def test_a_copy_that_cannot_be_read_is_named_and_the_next_is_tried(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb)
    site = miniweb.site("repo.example")
    site.page("/t.html", "no", status=403)
    site.page("/landing", f"<title>T</title><article><h1>How fast</h1><p>{SENTENCE * 80}</p></article>")
    async with opening(miniweb, tmp_path) as app:
        page = await opened(app, DOI)
    assert "Full text, from <https://repo.example/landing>" in page.snapshot.document.markdown
    assert any("https://repo.example/t.html could not be read" in note for note in page.notes)


async def test_an_open_copy_on_a_private_address_is_not_opened(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb, None, {"best_oa_location": {"pdf_url": "http://10.0.0.7/paper.pdf"}})
    async with opening(miniweb, tmp_path) as app:
        page = await opened(app, DOI)
    assert miniweb.private.reached == []
    assert any("10.0.0.7" in note and "could not be read" in note for note in page.notes)


ARTICLE = """<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><article-meta><title-group><article-title>Tortoise hearts</article-title></title-group></article-meta></front>
<body><sec><title>Introduction</title><p>Hearts beat <bold>slowly</bold> <xref rid="b1">[1]</xref>. %s</p>
<sec><title>Rates</title><list list-type="order"><list-item><p>Rest</p></list-item></list>
<table-wrap><label>Table 1</label><caption><p>Beats</p></caption>
<table><thead><tr><th>State</th><th>Beats</th></tr></thead>
<tbody><tr><td>Rest</td><td>6</td></tr></tbody></table></table-wrap>
<disp-formula><mml:math><mml:mi>r</mml:mi><mml:mo>=</mml:mo><mml:mn>6</mml:mn></mml:math></disp-formula>
</sec></sec></body>
<back><ref-list><title>References</title><ref id="b1"><label>1</label><mixed-citation>Hare A. Beats. 2020.
<ext-link xlink:href="https://heart.example/1">link</ext-link></mixed-citation></ref></ref-list></back></article>"""


@pytest.mark.parametrize(
    "address",
    ["pmid:38000001", "https://pubmed.ncbi.nlm.nih.gov/38000001/", "https://pmc.ncbi.nlm.nih.gov/articles/PMC900001/"],
)
async def test_a_pubmed_address_gives_the_article_of_the_open_collection(
    miniweb: MiniWeb, tmp_path: Path, address: str
) -> None:
    answer = json.loads(recorded("europepmc.json"))
    row = answer["resultList"]["result"][0]
    row |= {
        "authorList": {"author": [{"firstName": "Ada", "lastName": "Hare"}]},
        "pageInfo": "1-9",
        "isOpenAccess": "Y",
    }
    row["journalInfo"] |= {"volume": "4", "issue": "2"}
    site = catalogue(miniweb, "europepmc", "/search", answer)
    site.route("/PMC900001/fullTextXML", lambda _: reply(ARTICLE % (SENTENCE * 60)))
    async with opening(miniweb, tmp_path) as app:
        document = (await opened(app, address)).snapshot.document
    assert "Heart of Reptiles 4(2), 1-9" in document.markdown
    assert "Full text, from <https://europepmc.org/article/PMC/PMC900001>" in document.markdown
    assert [one.text for one in document.headings][-3:] == ["Introduction", "Rates", "References"]
    assert "Hearts beat **slowly** [1]." in document.markdown.replace("\\", "")
    assert "| Rest | 6 |" in document.markdown
    assert "1. Rest" in document.markdown
    assert "[link](https://heart.example/1)" in document.markdown
    assert document.metadata.author == "Ada Hare"


async def test_an_arxiv_number_gives_its_text_and_is_cited_as_a_preprint(miniweb: MiniWeb, tmp_path: Path) -> None:
    catalogue(miniweb, "arxiv", "/api/query", recorded("arxiv.xml"))
    site = miniweb.site("arxiv.org")
    site.page("/html/2401.01234v2", "no", status=404)
    site.page("/pdf/2401.01234v2", f"<title>x</title><article><h1>On</h1><p>{SENTENCE * 80}</p></article>")
    async with opening(miniweb, tmp_path) as app:
        kept = (await opened(app, "arXiv:2401.01234v2")).snapshot
    assert kept.url == "https://arxiv.org/abs/2401.01234v2"
    assert kept.document.title == "On the speed of tortoises"
    assert "Full text, from <https://arxiv.org/pdf/2401.01234v2>" in kept.document.markdown
    entry = bibtex.entry(reference_of(kept))
    assert entry.startswith("@misc{")
    assert "eprint = {2401.01234}" in entry
    assert "eprinttype = {arxiv}" in entry


async def test_a_dataset_is_found_where_it_is_registered(miniweb: MiniWeb, tmp_path: Path) -> None:
    record = json.loads(recorded("datacite.json"))["data"][0]
    catalogue(miniweb, "datacite", "/dois/*", {"data": record})
    async with opening(miniweb, tmp_path) as app:
        kept = (await opened(app, "10.5281/zenodo.1234")).snapshot
    assert kept.document.title == "Speeds of 4,000 tortoises"
    item = csl.item_of(reference_of(kept))
    assert (item["type"], item["publisher"], item["issued"]) == ("dataset", "Zenodo", {"date-parts": [[2025, 4, 6]]})
    assert item["author"][0] == {"family": "Hare", "given": "Ada"}


async def test_the_page_is_read_when_no_catalogue_answers(miniweb: MiniWeb, tmp_path: Path) -> None:
    for name in CATALOGUES:
        miniweb.site(f"{name}.example").route("/*", lambda _: reply({}, 503))
    page = f"<title>How fast</title><article><h1>How fast</h1><p>{SENTENCE * 5}</p></article>"
    miniweb.site("doi.org").redirect(f"/{DOI}", miniweb.site("press.example").page("/a", page))
    async with opening(miniweb, tmp_path) as app:
        assert "on grass" in (await opened(app, DOI)).snapshot.document.markdown


async def test_catalogues_are_not_asked_when_the_operator_says_so(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb)
    miniweb.site("doi.org").page(f"/{DOI}", f"<title>How</title><article><p>{SENTENCE * 5}</p></article>")
    async with opening(miniweb, tmp_path, MCP_WEB_PUBLIC_APIS="false") as app:
        await opened(app, DOI)
    assert not miniweb.site("crossref.example").log


async def test_a_denied_domain_stays_denied_though_its_paper_is_catalogued(miniweb: MiniWeb, tmp_path: Path) -> None:
    known(miniweb)
    async with opening(miniweb, tmp_path, MCP_WEB_DENYLIST_DOMAINS="doi.org") as app:
        with pytest.raises(DomainDenied):
            await opened(app, DOI)
    assert not miniweb.site("crossref.example").log


@pytest.mark.parametrize(
    ("url", "paper"),
    [
        ("https://doi.org/10.1000/a%2Fb", PaperId("doi", "10.1000/a/b")),
        ("https://doi.org/10.48550/arXiv.2401.01234", PaperId("arxiv", "2401.01234")),
        ("https://arxiv.org/pdf/2401.01234v2.pdf", PaperId("arxiv", "2401.01234v2")),
        ("https://arxiv.org/abs/hep-th/9901001", PaperId("arxiv", "hep-th/9901001")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3257301/", PaperId("pmc", "PMC3257301")),
        ("https://www.ncbi.nlm.nih.gov/pubmed/123", PaperId("pubmed", "123")),
        ("https://europepmc.org/article/MED/123", PaperId("pubmed", "123")),
        ("https://arxiv.org/list/cs.CL/recent", None),
        ("https://doi.org.evil.example/10.1000/a", None),
        ("https://pubmed.ncbi.nlm.nih.gov/?term=tortoise", None),
    ],
)
def test_addresses_of_papers(url: str, paper: PaperId | None) -> None:
    assert paper_in(url) == paper


@pytest.mark.parametrize("text", ["10.0.0.7/paper", "example.org/10.1000/x", "https://a.example/doi:10.1000/x", "PMC"])
def test_what_is_no_identifier_stays_an_address(text: str) -> None:
    assert paper_address(text) is None
