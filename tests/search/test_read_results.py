"""`web_search(read=true)`: one call finds, opens and reads. A real SearXNG, with documentation served as a web."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path

import pytest
from bench.archive import documentation

from mcp_web.tools import budget
from miniweb import MiniWeb, Reply, Request
from search.searxng_process import engine, serving, settings
from surface.tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio
OFFLINE = {"MCP_WEB_SEARCH_CACHE_TTL": "0", "MCP_WEB_EMBEDDINGS": "none", "MCP_WEB_RESPECT_ROBOTS": "false"}
PROSE = "The lighthouse keeper writes the height of every tide into a book that nobody reads. "


class Search:
    """A SearXNG server, started once, whose only engine answers what a test sets."""

    def __init__(self) -> None:
        self.url = ""
        self.answer: Callable[[Request], Reply] = lambda request: Reply("{}")

    def finds(self, rows: list[dict[str, str]]) -> None:
        """Answer every query with these rows."""
        reply = Reply(json.dumps({"items": rows}), headers={"Content-Type": "application/json"})
        self.answer = lambda request: reply


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    made, web = Search(), MiniWeb()
    site = web.site("engine.example")
    site.route("/json", lambda request: made.answer(request))
    docs = settings([engine("docs", site.loopback_url("/json"), "general")])
    with serving(tmp_path_factory.mktemp("searxng"), docs) as (server,):
        made.url = server.url
        yield made
    web.close()


def article(title: str, text: str) -> str:
    return f"<title>{title}</title><main><h1>{title}</h1><p>{PROSE * 4}</p><h2>Part</h2><p>{text}</p></main>"


def row(title: str, link: str) -> dict[str, str]:
    return {"title": title, "link": link, "snippet": "A result."}


async def asked(made: ToolCaller, query: str) -> str:
    result = await made.call("web_search", query=query, read=True)
    assert not result.is_error, result.text
    return result.text


async def test_pages_are_ordered_by_what_they_say_and_failures_do_not_hold_the_rest(
    miniweb: MiniWeb, search: Search, tmp_path: Path
) -> None:
    docs = miniweb.site("docs.example")
    answer = "The default timeout of the tide gauge is 42 seconds, and can be changed in its settings file."
    rows = [
        row("Lighthouses", docs.page("/other", article("Lighthouses", PROSE * 3))),
        row("Gone", docs.page("/gone", "gone", status=404)),
        row("Tide gauge timeout", docs.page("/timeout", article("Tide gauge timeout", answer))),
        row("Copy", docs.page("/copy", article("Copy", answer))),
    ]
    search.finds(rows)
    async with tool_caller(miniweb, tmp_path / "data", MCP_WEB_SEARXNG_URLS=search.url, **OFFLINE) as made:
        text = await asked(made, "default timeout of the tide gauge")
    assert text.index("1. Tide gauge timeout") < text.index(answer)
    assert text.count(answer) == 1
    assert re.search(r"- Gone https://docs.example/gone \(\w+\)", text)


async def test_two_versions_of_a_page_that_differ_in_their_numbers_are_both_found(
    miniweb: MiniWeb, search: Search, tmp_path: Path
) -> None:
    docs = miniweb.site("docs.example")
    text = "Pickled arguments can be loaded for {days} days after the upgrade from Tidewater {old} to Tidewater {new}."
    rows = [
        row(f"Moving from {old} to {old + 1}", docs.page(f"/{old}", article(
            f"Moving from Tidewater {old} to {old + 1}", text.format(days=old * 30, old=old, new=old + 1)
        )))
        for old in (2, 3)
    ]  # fmt: skip
    search.finds(rows)
    async with tool_caller(miniweb, tmp_path / "data", MCP_WEB_SEARXNG_URLS=search.url, **OFFLINE) as made:
        shown = await asked(made, "How many days can pickled arguments be loaded after the upgrade to Tidewater 4?")
    assert "1. Moving from Tidewater 3 to 4" in shown
    assert "for 90 days" in shown
    assert "https://docs.example/2" in shown


async def test_pages_that_do_not_answer_are_only_named_beside_one_that_does(
    miniweb: MiniWeb, search: Search, tmp_path: Path
) -> None:
    docs = miniweb.site("docs.example")
    answer = "Pour two litres of clean water into the Kestrel 300 pump before it is started for the first time."
    other = "Pour paint into the tray and let the brush soak before the first coat is applied to the fence."
    rows = [
        row("Fences", docs.page("/fence", article("Painting a fence", other))),
        row("Kestrel 300", docs.page("/pump", article("Kestrel 300 manual", answer))),
    ]
    search.finds(rows)
    async with tool_caller(miniweb, tmp_path / "data", MCP_WEB_SEARXNG_URLS=search.url, **OFFLINE) as made:
        shown = await asked(made, "How much water is poured into a Kestrel 300 pump before it is first started?")
    assert answer in shown
    assert "- Fences https://docs.example/fence" in shown
    assert other not in shown


@pytest.mark.skipif(not documentation.DATA.is_dir(), reason="../shared/retrieval/docs_eval is not here")
async def test_most_questions_are_answered_by_one_call_of_few_tokens(
    miniweb: MiniWeb, search: Search, tmp_path: Path
) -> None:
    documentation.unpack(tmp_path / "sites")
    pages = serve(miniweb, tmp_path / "sites")
    search.answer = lambda request: ranked(request, pages)
    questions = documentation.questions(tmp_path / "sites")
    found, costs = 0, []
    async with tool_caller(miniweb, tmp_path / "data", MCP_WEB_SEARXNG_URLS=search.url, **OFFLINE) as made:
        for one in questions:
            text = await asked(made, f"{one.library} {one.query}")
            costs.append(budget.estimate(text))
            shown = re.findall(r"^\d+\. .*\n +(https://\S+)", text, re.MULTILINE)
            found += any(url.endswith("/" + path.removesuffix(".md")) for url in shown for path in one.grades)
    print(f"quoted for {found} of {len(questions)}, tokens at most {max(costs)}, mean {sum(costs) // len(costs)}")
    assert max(costs) < 3_000
    assert found >= 0.8 * len(questions)


def serve(web: MiniWeb, folder: Path) -> dict[str, tuple[str, Counter[str]]]:
    """Every page of both sites on one host; its title and words by address."""
    site = web.site("docs.example")
    pages = {}
    for file in sorted(folder.rglob("*.md")):
        path = "/" + str(file.relative_to(folder)).removesuffix(".md")
        text = file.read_text()
        url = site.page(path, text, headers={"Content-Type": "text/markdown"})
        title = re.search(r"^(?:title:|#) *['\"]?(.+?)['\"]?$", text, re.MULTILINE)
        pages[url] = (title[1] if title else path, Counter(re.findall(r"\w+", text.lower() + " " + path.lower())))
    return pages


def ranked(request: Request, pages: dict[str, tuple[str, Counter[str]]]) -> Reply:
    """What a plain engine finds: the share of each word of the query in a page, rare words first."""
    words = set(re.findall(r"\w+", request.query.get("q", [""])[0].lower()))
    rarity = {word: log(len(pages) / (1 + sum(word in held for _, held in pages.values()))) for word in words}

    def score(held: Counter[str]) -> float:
        length = sum(held.values()) / 1_000
        return sum(rarity[word] * held[word] / (held[word] + 0.5 + length) for word in words)

    best = sorted(pages, key=lambda url: -score(pages[url][1]))[:10]
    rows = [row(pages[url][0], url) for url in best]
    return Reply(json.dumps({"items": rows}), headers={"Content-Type": "application/json"})
