"""Keyless search: the real ddgs library against a look-alike of DuckDuckGo's pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from mcp_web.errors import SearchUnavailable
from mcp_web.model.search import SearchQuery
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

    kept = {name: engine.search_url for name, engine in ENGINES["text"].items()}
    yield ENGINES["text"]
    for name, url in kept.items():
        ENGINES["text"][name].search_url = url


async def test_results_with_links_that_still_open(miniweb: MiniWeb, engines: dict[str, type]) -> None:
    site = miniweb.site("ddg.example")
    site.page("/html/", PAGE)
    engines["duckduckgo"].search_url = site.loopback_url("/html/")  # type: ignore[attr-defined]
    made = searcher(ddgs_enabled=True, ddgs_backends=("duckduckgo",))
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
        await searcher(ddgs_enabled=True, ddgs_backends=("duckduckgo",)).search(
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
    made = searcher(ddgs_enabled=True, ddgs_backends=("duckduckgo",))
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
    made = searcher(ddgs_enabled=True, ddgs_backends=("duckduckgo", "mojeek"))
    found = await made.search(SearchQuery("tortoise"), deadline=soon())
    assert [hit.url for hit in found.hits] == ["https://m.example/x"]
    assert [(one.name, one.outcome) for one in found.attempted] == [
        ("ddgs:duckduckgo", "blocked"),
        ("ddgs:mojeek", "ok"),
    ]
    await made.search(SearchQuery("hare"), deadline=soon())
    assert len(blocked.log) == 1  # it rests


def test_the_library_is_not_imported_before_it_is_used() -> None:
    code = (
        "import sys, mcp_web.search.searcher\n"
        "heavy = ('ddgs', 'primp', 'lxml', 'dateparser', 'redis')\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
