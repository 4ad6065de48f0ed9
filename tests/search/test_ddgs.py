"""Keyless search: the real ddgs library against a look-alike of DuckDuckGo's pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from mcp_web.errors import SearchUnavailable
from mcp_web.model.search import Category, SearchQuery
from mcp_web.search.providers.ddgs import Ddgs
from miniweb import MiniWeb, Reply
from search.lookalike import searcher, soon

pytestmark = pytest.mark.anyio

PAGE = """<html><body>
<div class="result__body"><h2><a href="https://a.example/a%2Fb?x=1%26y">Tortoises</a></h2>
<a class="result__snippet" href="https://a.example/a%2Fb?x=1%26y">Slow <b>reptiles</b>.</a></div>
<div class="result__body"><h2><a href="https://b.example/">Hares</a></h2>
<a class="result__snippet" href="https://b.example/">Quick.</a></div>
</body></html>"""


@pytest.fixture
def engines() -> Iterator[dict[str, type]]:
    """The library's backends, put back as they were afterwards."""
    from ddgs.engines import ENGINES

    kept = [(engine, engine.search_url) for kind in ENGINES.values() for engine in kind.values()]
    yield ENGINES["text"]
    for engine, url in kept:
        engine.search_url = url


async def test_results_with_links_that_still_open(miniweb: MiniWeb, engines: dict[str, type]) -> None:
    site = miniweb.site("ddg.example")
    site.page("/html/", PAGE)
    engines["duckduckgo"].search_url = site.loopback_url("/html/")  # type: ignore[attr-defined]
    made = searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo",))
    found = await made.search(SearchQuery("!g tortoise", language="de", freshness="week"), deadline=soon())
    assert [hit.url for hit in found.hits] == ["https://a.example/a%2Fb?x=1%26y", "https://b.example/"]
    assert found.hits[0].snippet == "Slow reptiles."
    assert found.hits[0].engines == ("duckduckgo",)
    assert found.provider == "ddgs"
    (request,) = site.log
    sent = request.body.decode()
    assert "q=%22%21g%22+tortoise" in sent
    assert "l=de-de" in sent
    assert "df=w" in sent


@pytest.mark.parametrize(
    ("status", "body"),
    [(202, PAGE), (429, ""), (403, ""), (200, '<div class="anomaly-modal__title">Unfortunately, bots</div>')],
)
async def test_a_silent_rate_limit_is_called_blocked(
    miniweb: MiniWeb, engines: dict[str, type], status: int, body: str
) -> None:
    site = miniweb.site("ddg.example")
    site.page("/html/", body, status=status)
    engines["duckduckgo"].search_url = site.loopback_url("/html/")  # type: ignore[attr-defined]
    with pytest.raises(SearchUnavailable, match="blocked") as blocked:
        await searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo",)).search(
            SearchQuery("tortoise"), deadline=soon()
        )
    assert blocked.value.details["attempted"][0] | {"ms": 0, "retry_after": 0, "detail": ""} == {
        "name": "ddgs:duckduckgo",
        "outcome": "blocked",
        "ms": 0,
        "retry_after": 0,
        "detail": "",
    }


async def test_no_results_are_no_results(miniweb: MiniWeb, engines: dict[str, type]) -> None:
    site = miniweb.site("ddg.example")
    site.page("/html/", "<html><body>No results.</body></html>")
    engines["duckduckgo"].search_url = site.loopback_url("/html/")  # type: ignore[attr-defined]
    made = searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo",))
    found = await made.search(SearchQuery("tortoise"), deadline=soon())
    assert found.hits == ()
    assert found.suggestion


async def test_a_blocked_backend_gives_way_to_the_next(miniweb: MiniWeb, engines: dict[str, type]) -> None:
    blocked, mojeek = miniweb.site("ddg.example"), miniweb.site("mojeek.example")
    blocked.page("/html/", "", status=202)
    mojeek.route(
        "/search",
        lambda _: Reply(
            '<ul class="results"><li><h2><a href="https://m.example/x">M</a></h2><p class="s">S</p></li></ul>'
        ),
    )
    engines["duckduckgo"].search_url = blocked.loopback_url("/html/")  # type: ignore[attr-defined]
    engines["mojeek"].search_url = mojeek.loopback_url("/search")  # type: ignore[attr-defined]
    made = searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo", "mojeek"))
    found = await made.search(SearchQuery("tortoise"), deadline=soon())
    assert [hit.url for hit in found.hits] == ["https://m.example/x"]
    assert [(one.name, one.outcome) for one in found.attempted] == [
        ("ddgs:duckduckgo", "blocked"),
        ("ddgs:mojeek", "ok"),
    ]
    await made.search(SearchQuery("hare"), deadline=soon())
    assert len(blocked.log) == 1  # it rests


BING_IMAGES = """<div><div class="imgpt"><a class="iusc" m='{"t": "A knot", "murl": "https://p.example/a%2Fb.jpg",
"turl": "https://tse.example/t", "purl": "https://p.example/page?x=1%26y"}'></a></div><div class="infopt">
<div class="lnkw"><a>p.example</a></div></div></div>"""
BING_NEWS = """<div class="newsitem" data-title="Rope recalled" url="https://n.example/1" data-author="The Harbour">
<div class="snippet">A maker.</div><span aria-label="2 hours ago"></span></div>"""


async def test_images_and_news_of_the_one_backend_that_only_has_those(
    miniweb: MiniWeb, engines: dict[str, type]
) -> None:
    from ddgs.engines import ENGINES

    site = miniweb.site("bing.example")
    site.page("/images", BING_IMAGES)
    site.page("/news", BING_NEWS)
    ENGINES["images"]["bing"].search_url = site.loopback_url("/images")
    ENGINES["news"]["bing"].search_url = site.loopback_url("/news")
    made = searcher(exclude=("tavily", "sources"), ddgs_backends=("bing",))
    found = await made.search(SearchQuery("knot", category="images", freshness="week"), deadline=soon())
    (hit,) = found.hits
    assert (hit.title, hit.url) == ("A knot", "https://p.example/page?x=1%26y")
    assert (hit.thumbnail, hit.source_name) == ("https://tse.example/t", "p.example")
    assert "10080" in site.asked("/images")[0].target
    (news,) = (await made.search(SearchQuery("knot", category="news", freshness="day"), deadline=soon())).hits
    assert (news.title, news.snippet, news.source_name) == ("Rope recalled", "A maker.", "The Harbour")
    assert news.published


@pytest.mark.parametrize("category", ["images", "videos"])
def test_a_range_is_not_sent_where_the_library_has_no_word_for_it(category: Category) -> None:
    spoken = dict(Ddgs("duckduckgo").request(SearchQuery("x", category=category, freshness="week")).params)
    assert spoken["timelimit"] == "w"
    ranged = SearchQuery("x", category=category, freshness="2026-01-01..2026-02-01")
    assert "timelimit" not in dict(Ddgs("duckduckgo").request(ranged).params)


@pytest.mark.parametrize("body", [" ", "<", "<![CDATA["])
async def test_a_page_of_nothing_is_no_defect(miniweb: MiniWeb, engines: dict[str, type], body: str) -> None:
    site = miniweb.site("ddg.example")
    site.page("/html/", body)
    engines["duckduckgo"].search_url = site.loopback_url("/html/")  # type: ignore[attr-defined]
    made = searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo",))
    with suppress(SearchUnavailable):
        assert (await made.search(SearchQuery("tortoise"), deadline=soon())).hits == ()


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        ("RatelimitException", SearchUnavailable, "blocked"),
        ("TimeoutException", SearchUnavailable, "in time"),
        ("DDGSException", SearchUnavailable, "could not be reached"),
        ("RuntimeError", SearchUnavailable, "cannot be read"),
    ],
)
async def test_what_the_library_raises_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, engines: dict[str, type], raised: str, kind: type[Exception], said: str
) -> None:
    import ddgs.exceptions

    def search(*args: object, **kwargs: object) -> None:
        raise getattr(ddgs.exceptions, raised, RuntimeError)("about pyjama wombats")

    monkeypatch.setattr(engines["duckduckgo"], "search", search)
    with pytest.raises(kind, match=said) as failed:
        await searcher(exclude=("tavily", "sources"), ddgs_backends=("duckduckgo",)).search(
            SearchQuery("x"), deadline=soon()
        )
    assert "wombats" not in str(failed.value.as_dict())  # type: ignore[attr-defined]


def test_the_library_is_not_imported_before_it_is_used() -> None:
    code = (
        "import sys, mcp_web.search.searcher\n"
        "heavy = ('ddgs', 'primp', 'lxml', 'dateparser', 'redis')\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
