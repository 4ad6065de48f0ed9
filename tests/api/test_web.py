"""The Python API over the mini web: the same engine, typed results, blocking and async."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article, searxng, searxng_answer
from mcp_web import AsyncWeb, Web, WebError
from mcp_web.settings import Settings, load
from miniweb import MiniWeb
from surface.rpc import WAIT, clean_environment
from tools.test_web_read import manual

WHEELS = """<title>The engine</title><main><h1>The engine</h1>
<p>The machine had twenty-four wheels of brass, each with ten teeth, and it was built in London.</p>
<p>It was never finished, because the money ran out before the frame was cast. See <a href="/two">part two</a>.</p>
</main>"""


@pytest.fixture
def settings(miniweb: MiniWeb, tmp_path: Path) -> Settings:
    site = miniweb.site("engine.example")
    site.page("/", WHEELS)
    site.page("/two", article("Part two", "The frame"))
    return load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")})


def test_a_script_opens_reads_verifies_and_finds_again(miniweb: MiniWeb, settings: Settings) -> None:
    with Web(settings, dialer=miniweb.dialer()) as web:
        page = web.open("http://engine.example/")
        assert page.title == "The engine"
        assert "twenty-four wheels" in page.markdown
        assert page.cache == "fetched"
        assert repr(page).startswith("Page('The engine', ")
        assert [link.url for link in page.links] == ["http://engine.example/two"]
        assert web.open("http://engine.example/").cache == "hit"

        reading = web.read("http://engine.example/", "how many wheels did the machine have")
        assert "twenty-four wheels" in reading.passages[0].text
        assert reading.passages[0].quote_url.startswith("http://engine.example/#:~:text=")

        exact, absent = web.verify(page.snapshot, ["twenty-four wheels of brass", "made of solid gold"])
        assert (bool(exact), exact.verdict) == (True, "exact")
        assert (bool(absent), absent.verdict) == (False, "absent")

        web.archive.add("The engine was never finished.", title="A note on engines", tags=["history"])
        web.archive.add("Wheels of brass.", title="A note on wheels", tags="parts")
        assert [hit.tags for hit in web.archive.search("note on wheels", collection="parts")] == [("parts",)]
        found = web.archive.search("engine finished", mode="text")
        assert {hit.title for hit in found} == {"The engine", "A note on engines"}
        assert all("<mark>" not in snippet for hit in found for snippet in hit.snippets)

        assert web.archive.add("engine.example/two").title == "Part two", "as `open`, it takes a URL without a scheme"
        assert web.archive.add("engine.example/two", title="Where").markdown == "engine.example/two"


def test_a_reading_ends_where_the_question_is_answered_unless_more_is_asked_for(
    miniweb: MiniWeb, settings: Settings
) -> None:
    url, question = "http://engine.example/manual", "Which office handles the warranty of the kettle?"
    miniweb.site("engine.example").page("/manual", manual())
    with Web(settings, dialer=miniweb.dialer()) as web:
        reading, more = web.read(url, question), web.read(url, question, max_results=6)
        assert reading.answered
        assert "office 40" in reading[0].text
        assert len(reading) < len(more) == 6
        assert [len(one) for one in web.read([url], question)] == [len(reading)]


def test_the_threshold_of_the_operator_applies_unless_the_caller_names_one(miniweb: MiniWeb, tmp_path: Path) -> None:
    miniweb.site("engine.example").page("/manual", manual())
    environ = {"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "SIMILARITY_THRESHOLD": "1"}
    with Web(load(environ=environ), dialer=miniweb.dialer()) as web:
        url, question = "http://engine.example/manual", "Which office handles the warranty of the kettle?"
        assert not web.read(url, question, max_results=6)
        assert web.read(url, question, max_results=6, min_score=0)


def test_an_async_program_reads_several_pages_and_learns_which_failed(miniweb: MiniWeb, settings: Settings) -> None:
    async def program() -> None:
        async with AsyncWeb(settings, dialer=miniweb.dialer()) as web:
            good, bad = await web.read(["http://engine.example/", "http://engine.example/gone"], "wheels of brass")
            assert good.passages
            assert not bad.passages
            assert "404" in bad.notes[0]
            assert "404" in repr(bad)

    asyncio.run(program())


def test_failures_are_web_errors_with_a_code_and_a_suggestion(miniweb: MiniWeb, settings: Settings) -> None:
    with Web(settings, dialer=miniweb.dialer()) as web, pytest.raises(WebError) as caught:
        web.open("http://engine.example/gone")
    assert caught.value.code == "HTTP_ERROR"
    assert caught.value.status_code == 404


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda web: web.search("  "), "query is empty"),
        (lambda web: web.search("x", count=0), "count is 0"),
        (lambda web: web.search("x", category="none"), "category is 'none'"),  # type: ignore[arg-type]
        (lambda web: web.open("http://engine.example/", mode="quick"), "mode is 'quick'"),  # type: ignore[arg-type]
        (lambda web: web.read("http://engine.example/", ""), "question is empty"),
        (lambda web: web.archive.search("x", mode="fast"), "mode is 'fast'"),  # type: ignore[arg-type]
        (lambda web: web.archive.add("A text without a title."), "needs a title"),
        (lambda web: web.cite("http://engine.example/", style="apa"), "style is 'apa'"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_argument_is_an_invalid_input(settings: Settings, call: Callable[[Web], object], said: str) -> None:
    with Web(settings) as web, pytest.raises(WebError, match=said) as caught:
        call(web)
    assert caught.value.code == "INVALID_INPUT"


def test_a_call_that_takes_too_long_is_a_web_error(miniweb: MiniWeb, settings: Settings) -> None:
    with Web(settings, dialer=miniweb.dialer(), timeout=0) as web:
        for call in (
            lambda: web.extract(WHEELS),
            lambda: web.archive.search("x"),
            lambda: web.open("http://engine.example/"),
        ):
            with pytest.raises(WebError) as caught:
                call()
            assert caught.value.code == "FETCH_TIMEOUT"


def test_a_source_is_cited_in_three_styles(miniweb: MiniWeb, settings: Settings) -> None:
    with Web(settings, dialer=miniweb.dialer()) as web:
        assert web.cite("http://engine.example/").startswith("The engine. http://engine.example/ (read on ")
        assert web.cite("http://engine.example/", style="bibtex").startswith("@online{")
        assert json.loads(web.cite("http://engine.example/", style="csl"))[0]["title"] == "The engine"


def test_results_are_sequences(miniweb: MiniWeb, settings: Settings) -> None:
    with Web(settings, dialer=miniweb.dialer()) as web:
        reading = web.read("http://engine.example/", "how many wheels did the machine have")
        assert reading[0] is reading.passages[0]
        assert reading[:1] == reading.passages[:1]
        assert list(reading) == list(reading.passages)
        assert repr(web.extract("<p>Words of a page.</p>")).endswith(" characters)")


def test_a_script_that_does_not_close_ends_and_prints_no_log(miniweb: MiniWeb, tmp_path: Path) -> None:
    script = """
from mcp_web import Web, WebError
web = Web()
try:
    web.search("x", provider="searxng")
except WebError:
    print(repr(web.extract("<h1>Title</h1><p>Words of a page.</p>")))
"""
    env = clean_environment(tmp_path, MCP_WEB_SEARXNG_URLS="http://127.0.0.1:9/", MCP_WEB_SEARX_SPACE_URL="")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=WAIT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Page('Title', 25 characters)\n", "")


def test_after_closing_a_call_says_so(settings: Settings) -> None:
    with Web(settings) as web:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        web.extract("<p>x</p>")


def test_threads_that_make_the_first_call_at_once_share_one_event_loop(settings: Settings) -> None:
    web, ready = Web(settings), threading.Barrier(8)

    def extract(number: int) -> str:
        ready.wait(WAIT)
        return web.extract(f"<main><p>Thread {number} was measured twice.</p></main>").markdown

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(extract, range(8)))
        assert [f"Thread {number} was" in text for number, text in enumerate(found)] == [True] * 8
    web.close()


def test_html_is_extracted_without_network(settings: Settings) -> None:
    with Web(settings) as web:
        page = web.extract(WHEELS, "https://engine.example/")
    assert page.markdown.startswith("# The engine")
    assert page.links[0].url == "https://engine.example/two"


def test_search_results_can_be_walked_and_shown_in_a_notebook(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = searxng(miniweb, searxng_answer("https://engine.example/?<script>"))
    environ = {"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MCP_WEB_SEARXNG_URLS": site.url()}
    settings = load(environ=OFFLINE | environ)
    with Web(settings) as web:
        results = web.search("brass wheels", count=3)
    assert [hit.title for hit in results] == ["Page 0"]
    assert "<script" not in results._repr_html_()
    assert "https://engine.example/" in results._repr_html_()


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, mcp_web; print(sorted(name for name in sys.modules if name.startswith('mcp_web')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['mcp_web']"
