"""web_read: the answer, what it costs, and what is left out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from application import application
from mcp_web.app import App
from mcp_web.settings import load
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.calling import run_tool
from mcp_web.tools.sets import tool_named
from mcp_web.tools.tool import Answer
from mcp_web.tools.web_read import TOOL
from miniweb import MiniWeb, Reply

pytestmark = pytest.mark.anyio

MACHINE = (
    "<title>The machine</title><main><h1>The difference engine</h1><p>The machine was built in a workshop in London. It"
    " had twenty-four wheels of brass, each as large as a hand, and it weighed two tons when it was finished.</p><p>Its"
    " inventor demonstrated it to visitors on Saturday evenings until the money was spent.</p></main>"
)
SUBJECTS = (
    "warranty",
    "cleaning",
    "delivery",
    "returns",
    "payment",
    "repairs",
    "colours",
    "accounts",
    "gifts",
    "press",
)


def manual() -> str:
    """A long page: one fact about each subject among much else."""
    parts = ["<title>Manual</title><main><h1>Kettle manual</h1>"]
    for number, subject in enumerate(SUBJECTS):
        filler = f"<p>{f'Further remarks on {subject} follow in the usual order and detail here. ' * 12}</p>" * 3
        fact = f"<p>The {subject} of the kettle is handled by office {number + 40} within {number + 2} days.</p>"
        parts.append(f"<h2>{subject.title()}</h2>{fact}{filler}")
    return "".join(parts) + "</main>"


@pytest.fixture
async def app(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[App]:
    environ = {"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MCP_WEB_EMBEDDINGS": "none"}
    async with application(load(environ=environ), miniweb) as made:
        yield made


async def read(app: App, url: str, query: str, **given: Any) -> Answer:
    call = Call(app, deadline=anyio.current_time() + 50)
    return await run_tool(TOOL, call, {"url": [url], "query": [query]} | given)


async def test_reading_stops_when_the_answer_is_there(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    answer = await read(app, url, "Which office handles the warranty of the kettle?")
    found = answer.data["queries"][0]
    assert found["answered"]
    assert "office 40" in found["results"][0]["text"]
    assert budget.estimate(answer.text) < 1_500


async def test_caller_who_names_a_number_gets_that_many(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    usual = await read(app, url, "Which office handles the warranty of the kettle?")
    more = await read(app, url, "Which office handles the warranty of the kettle?", max_results=6)
    assert len(more.data["queries"][0]["results"]) == 6 > len(usual.data["queries"][0]["results"])


async def test_what_is_left_out_is_named_with_the_call_that_gets_it(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    answer = await read(app, url, "Which office handles the warranty of the kettle?")
    left_out = answer.data["queries"][0]["left_out"]
    assert left_out
    assert left_out[0]["call"].startswith("web_open(url=")
    assert left_out[0]["argument"] in answer.text


@pytest.mark.parametrize(
    "question", ["how many wheels did the machine have", "What did the machine weigh?", "where was the machine built?"]
)
async def test_small_page_is_returned_whole_and_counts_as_answering(app: App, miniweb: MiniWeb, question: str) -> None:
    url = miniweb.site("docs.example").route("/machine", lambda _: Reply(MACHINE))
    found = (await read(app, url, question)).data["queries"][0]
    assert found["answered"]
    assert len(found["results"]) == 1
    assert "twenty-four wheels" in found["results"][0]["text"]
    assert "Saturday evenings" in found["results"][0]["text"]


async def test_remedy_is_shown_with_the_symptom_where_the_rest_costs_less_than_a_call(
    app: App, miniweb: MiniWeb
) -> None:
    remarks = f"<p>{'The engineers wrote about brass and cranks and visitors in their diaries. ' * 30}</p>"
    page = (
        "<title>Help</title><main><h1>The engine stops</h1><h2>Issue</h2><p>The difference engine stops in the middle "
        "of a table although it is oiled, and the crank cannot be turned any more.</p><h2>Cause</h2><p>The carriage "
        "was dropped when the workshop moved, so that a part lies beside its place. Nobody noticed it for weeks, "
        "because the visitors were shown drawings, and the drawings were made from an earlier model.</p>{}"
        "<h2>Solution</h2><p>Lift the carriage and put the third wheel back on its axis. "
        f"{'Tighten all screws, one by one. ' * 12}</p></main>"
    )
    site = miniweb.site("docs.example")
    asked = "why does the difference engine stop in the middle of a table"
    short = await read(app, site.route("/short", lambda _: Reply(page.format(""))), asked)
    long = await read(app, site.route("/long", lambda _: Reply(page.format(remarks * 4))), asked)
    assert "put the third wheel back" in short.text
    assert "put the third wheel back" not in long.text
    assert 'web_open with section="' in long.text


async def test_sections_are_named_once_where_a_page_does_not_answer(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    answer = await read(app, url, "How long does shipping of the kettle take?", min_score=0)
    nothing = await read(app, url, "Which vitamins are in spinach soup?")
    assert "The closest passages:" in answer.text
    assert "Nearest sections" not in answer.text
    assert "Nearest sections: " in nothing.text


async def test_page_about_something_else_is_not_passed_off_as_an_answer(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/machine", lambda _: Reply(MACHINE))
    found = (await read(app, url, "Which vitamins are in spinach soup?")).data["queries"][0]
    assert not found["answered"]


@pytest.mark.parametrize(
    ("path", "title"),
    [("/engines/babbage-engine", "The machine"), ("/engines/7", "The difference engine — Museum of Babbage")],
)
async def test_a_name_in_the_address_or_the_title_of_a_page_counts_as_mentioned(
    app: App, miniweb: MiniWeb, path: str, title: str
) -> None:
    site = miniweb.site("docs.example")
    asked = "How many wheels did the machine of Babbage have?"
    named = await read(app, site.route(path, lambda _: Reply(MACHINE.replace("The machine", title))), asked)
    other = await read(app, site.route("/engines/other", lambda _: Reply(MACHINE)), asked)
    assert named.data["queries"][0]["best_score"] > other.data["queries"][0]["best_score"]
    assert "never mentions" not in named.text
    assert 'never mentions "Babbage"' in other.text


async def test_a_page_that_may_not_answer_is_shown_with_the_advice_to_check_it(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    said = set()
    for question in (
        "Which office handles repairs?",
        "Which office sends gifts abroad?",
        "How long does shipping take?",
    ):
        answer = await read(app, url, question)
        said.add(verdict := answer.data["queries"][0]["verdict"])
        assert ("\nThis may not answer; check it (best score" in answer.text) == (verdict == "unsure")
        assert ("\nNot answered here (best score" in answer.text) == (verdict == "not answered")
    assert said == {"answered", "unsure", "not answered"}


async def test_only_what_an_agent_uses_is_printed_around_a_passage(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    question = "Which office handles the warranty of the kettle?"
    alone = await read(app, url, question)
    call = Call(app, deadline=anyio.current_time() + 50)
    both = await run_tool(TOOL, call, {"url": [url], "query": [question, "Which office handles repairs?"]})
    assert question not in alone.text
    assert question in both.text
    assert alone.text.count("Warranty\n") == 1
    assert alone.text.count(alone.data["snapshot"][:16]) == 1
    assert f"[#{alone.data['queries'][0]['results'][0]['id'].partition('#')[2]}]" in alone.text


async def test_links_are_shown_as_their_text_and_kept_in_the_data(app: App, miniweb: MiniWeb) -> None:
    page = MACHINE.replace("wheels of brass", '<a href="https://docs.example/wheels">wheels</a> of brass')
    url = miniweb.site("docs.example").route("/machine", lambda _: Reply(page))
    answer = await read(app, url, "how many wheels did the machine have")
    assert "twenty-four wheels of brass" in answer.text
    assert "https://docs.example/wheels" not in answer.text


async def test_an_answer_keeps_to_its_budget(app: App, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    vague = "What happens with the kettle and its office?"
    assert budget.estimate((await read(app, url, vague, min_score=0, max_tokens=1_000)).text) < 1_300
    assert budget.estimate((await read(app, url, vague, min_score=0)).text) < 3_000


@pytest.mark.parametrize("tool", ["web_read", "cache_get"])
async def test_a_model_without_time_leaves_the_passages_by_words(miniweb: MiniWeb, tmp_path: Path, tool: str) -> None:
    url = miniweb.site("docs.example").route("/manual", lambda _: Reply(manual()))
    question = "Which office handles the warranty of the kettle?"
    environ = {"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    async with application(load(environ=environ), miniweb) as app, anyio.create_task_group() as group:
        await run_tool(tool_named("web_open"), Call(app, deadline=anyio.current_time() + 50), {"url": url})
        judge = app.process.judge
        assert judge
        group.start_soon(judge.scores, [(question, "The office handles letters. " * 40)] * 1000)
        call = Call(app, deadline=anyio.current_time() + 6)
        given = {"url": [url], "query": [question]} if tool == "web_read" else {"url": url, "query": question}
        answer = await run_tool(tool_named(tool), call, given)
        group.cancel_scope.cancel()
    assert "Ranked without the model" in answer.text
    assert "office 40" in answer.text
