"""The passage of a document that answers, and documents like another."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_web.archive.highlight import Marker
from mcp_web.archive.passage import best_passage, with_announced
from mcp_web.archive.query import parse
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

TEXT = """Introduction to heaps.

## Building {#building}

Lists become heaps in linear time.

```python
>>> h = []
>>> heappush(h, 5)
```

## Merging

Sorted inputs are merged into one sorted output.
"""


def test_the_passage_is_a_run_of_the_text_with_code_intact() -> None:
    found = best_passage(Marker(parse("how do lists become heaps"), "en"), TEXT)
    assert found is not None
    assert found.section_path == ("Building",)
    assert found.text == TEXT[found.start : found.end]
    assert ">>> h = []\n>>> heappush(h, 5)" in found.text


MANUAL = """The exceptions `IndexError` and `KeyError` are raised by lookups, see KeyError.

`exception LookupError`

The base class of IndexError and KeyError, KeyError being the one for a key.

`exception KeyError`

Raised when a mapping key is not found.

## Options

--bare
: Make a bare repository; see --depth.

-d &lt;n>
--depth &lt;n>
: Truncate the history.

## `server.port`

The number.
"""


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("KeyError", "`exception KeyError`"),
        ("--depth", "-d &lt;n>\n--depth"),
        ("server.port", "The number."),
        ("KeyError base class", "The base class of"),
    ],
)
def test_a_name_alone_is_answered_by_its_definition(question: str, beginning: str) -> None:
    found = best_passage(Marker(parse(question), "en"), MANUAL)
    assert found is not None
    assert found.text.startswith(beginning)


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("LookupError", MANUAL[MANUAL.index("`exception Look") : MANUAL.index("\n\n`exception Key")]),
        ("KeyError", "`exception KeyError`\n\nRaised when a mapping key is not found."),
        ("--bare", "--bare\n: Make a bare repository; see --depth."),
    ],
)
def test_a_definition_ends_where_the_next_one_begins(question: str, whole: str) -> None:
    found = best_passage(Marker(parse(question), "en"), MANUAL)
    assert found is not None
    assert found.text == whole


def test_signatures_of_one_entry_stay_with_its_description() -> None:
    text = "`os.open(path)`\n\n`os.open(path, mode)`\n\nOpens the file.\n\n`os.close(fd)`\n\nCloses it.\n"
    found = best_passage(Marker(parse("os.open"), "en"), text)
    assert found is not None
    assert found.text == text[: text.index("\n\n`os.close")]


def test_headings_count_where_the_passage_has_a_word_too() -> None:
    found = best_passage(Marker(parse("merging sorted"), "en"), TEXT)
    assert found is not None
    assert found.text == "Sorted inputs are merged into one sorted output."


@pytest.mark.parametrize(
    "code", ["```\n" + "word " * 1000 + "heaps", "```\n" + "word\n" * 1000 + "heaps", "```\n```" + " " * 5000]
)
def test_code_whose_fence_is_missing_or_alone_has_passages(code: str) -> None:
    text = f"The heaps.\n\n{code}"
    found = best_passage(Marker(parse("heaps"), "en"), text)
    assert found is not None
    assert "heaps" in text[found.start : found.end]


def test_a_document_without_a_word_of_the_question_shows_its_beginning() -> None:
    found = best_passage(Marker(parse("zebra"), "en"), TEXT)
    assert found is not None
    assert found.text == "Introduction to heaps."


def test_an_option_is_answered_by_the_item_that_describes_it() -> None:
    text = (
        "# Client\n\nThe keepAliveTimeout of a keepAliveTimeout is mentioned here: keepAliveTimeout.\n\n## Options\n\n"
    )
    text += "- **keepAliveTimeout** `number` - Default: `4e3`.\n- **pipelining** `number` - Default: `1`.\n"
    found = best_passage(Marker(parse("keepAliveTimeout default"), "en"), text)
    assert found is not None
    assert (found.section_path, found.text.splitlines()[0][:24]) == (("Client", "Options"), "- **keepAliveTimeout** `")


def test_a_table_of_contents_is_not_what_answers() -> None:
    text = "# FAQ\n\n- [Open a port?](#o)\n- [Close a port?](#c)\n- [Find a port?](#f)\n\n"
    text += "".join(f"## {verb} a port?\n\n{verb} it with the tool for it.\n\n" for verb in ("Open", "Close", "Find"))
    found = best_passage(Marker(parse("close a port"), "en"), text)
    assert found is not None
    assert (found.section_path, found.text) == (("FAQ", "Close a port?"), "Close it with the tool for it.")


def test_what_a_colon_announces_is_shown_with_the_passage() -> None:
    items = "\n".join(f"- Rule {number}: {'more of it ' * 8}" for number in range(9))
    text = f"## Install\n\nThe differences between the commands are:\n\n{items}\n\nA last remark.\n"
    found = best_passage(Marker(parse("differences between commands"), "en"), text)
    assert found is not None
    assert found.text == "The differences between the commands are:"
    shown = with_announced(found, text)
    assert shown is not None
    assert shown.text == text[shown.start : shown.end] == text[text.index("The diff") : text.index("\n\nA last")]


@pytest.mark.parametrize(("before", "line", "after"), [("```\n", "    {}", "\n```"), ("", "- {}", "")])
def test_of_long_code_and_lists_the_part_that_matches_is_shown(before: str, line: str, after: str) -> None:
    lines = [line.format(f"Line {number} tells of other things.") for number in range(200)]
    lines[150] = line.format("-d queue_id: delete one message from the queue")
    text = f"# Tool\n\n{before}{chr(10).join(lines)}{after}\n"
    found = best_passage(Marker(parse("delete a message from the queue"), "en"), text)
    assert found is not None
    assert "delete one message" in found.text
    assert len(found.text) < 1_000
    assert found.text == text[found.start : found.end]


def test_an_empty_document_has_no_passage() -> None:
    assert best_passage(Marker(parse("zebra"), "en"), "") is None


@pytest.mark.anyio
async def test_documents_like_a_kept_one_are_found_without_itself(miniweb: MiniWeb, tmp_path: Path) -> None:
    texts = {
        "Sails": "A sail catches the wind. The mast holds the sail, and the boom stretches the sail.",
        "Rigging": "The rigging holds mast, boom and sail; the wind pulls at the rigging of every mast.",
        "Bread": "Flour, water and yeast become dough, and the dough becomes bread in the oven.",
    }
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        ids = {name: (await caller.data("archive_add", content=text, title=name))["id"] for name, text in texts.items()}
        found = await caller.data("archive_search", similar=ids["Sails"], mode="text")
        titles = [one["document"]["title"] for one in found["results"]]
        assert titles[0] == "Rigging"
        assert "Sails" not in titles
        assert found["metadata"]["limit"] == 10
        refused = await caller.call("archive_search")
        assert refused.is_error
        assert "'query' or 'similar'" in refused.text
        both = await caller.call("archive_search", query="bread", similar=ids["Sails"])
        assert "either query or similar" in both.text


@pytest.mark.anyio
async def test_the_section_of_a_passage_does_not_repeat_the_title(miniweb: MiniWeb, tmp_path: Path) -> None:
    page = "# Kettles\n\n## Cleaning\n\nDescale the kettle with vinegar.\n"
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        await caller.data("archive_add", content=page, title="Kettles")
        found = await caller.call("archive_search", query="vinegar")
        assert "[Cleaning]\nDescale" in found.text


@pytest.mark.anyio
async def test_a_kept_document_is_asked_a_question_without_network(miniweb: MiniWeb, tmp_path: Path) -> None:
    facts = ["Vinegar removes the limescale.", "The warranty lasts two years.", "The cord is one metre long."]
    page = "\n\n".join(
        f"## Part {at}\n\n{fact} {'Some more words about kettles. ' * 60}" for at, fact in enumerate(facts)
    )
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        added = await caller.data("archive_add", content=page, title="Kettles")
        found = await caller.call("archive_search", query="kettle warranty")
        assert "query=…" in found.text
        answer = await caller.call("cache_get", snapshot=added["snapshot"], query="How long does the warranty last?")
        assert facts[1] in answer.text
        assert facts[0] not in answer.text
        assert "More sections: cache_get with section=" in answer.text
        for other in ({"section": "Part 0"}, {"start": 10}, {"screenshot": True}, {"diff": "previous"}):
            refused = await caller.call("cache_get", snapshot=added["snapshot"], query="the warranty", **other)
            assert refused.text.startswith("INVALID_INPUT: cache_get shows either ")
            assert next(iter(other)) in refused.text


@pytest.mark.anyio
async def test_a_passage_that_begins_with_its_heading_does_not_name_it_twice(miniweb: MiniWeb, tmp_path: Path) -> None:
    words = "Some more words about kettles. " * 60
    page = f"## Boil `water()`\n\nThe function heats it. {words}\n\n## Warranty\n\nIt lasts two years. {words}"
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        added = await caller.data("archive_add", content=page, title="Kettles")
        answer = await caller.call("cache_get", snapshot=added["snapshot"], query="Which function heats the water?")
        assert "\n## Boil `water()`" in answer.text
        assert "· Boil" not in answer.text


@pytest.mark.anyio
async def test_a_passage_that_a_result_repeats_is_shown_once(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        for name in ("Kettle", "Teapot"):
            steps = "- Once a month.\n- " + "With a new cloth. " * 40
            page = f"The {name.lower()} holds a litre.\n\n## Cleaning\n\nDescale it with vinegar:\n\n{steps}\n"
            await caller.data("archive_add", content=page, title=name)
        found = await caller.call("archive_search", query="descale with vinegar")
        assert found.text.count("Once a month") == 1
        assert "(the same passage as in 1)" in found.text
