"""The order of found documents by how their best passages match."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.archive.find import ParsedQuery, best_rows, by_words
from mcp_web.archive.fuse import static_matches, with_length, with_matches
from mcp_web.archive.highlight import Marker
from mcp_web.archive.passage import best_passage
from mcp_web.archive.query import parse
from mcp_web.store.protocol import DocumentFilter
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip


def test_the_passage_that_says_the_same_in_other_words_matches_better() -> None:
    passages = ["The warranty covers the engine for two years.", "Bananas ripen faster in a paper bag."]
    matches = static_matches("How long is the motor guaranteed?", passages)
    assert matches is not None
    assert matches[0] > matches[1]


def test_a_clear_lead_by_words_stays() -> None:
    first, second = with_matches([0.9, 0.4], [0.0, 1.0], [1.0, 1.0])
    assert first > second


def test_scores_stay_between_nothing_and_one() -> None:
    matches = static_matches("保修期多长?", ["保修期为两年。", "香蕉熟得快。"])
    assert matches is not None
    assert all(0 <= score <= 1 for score in with_matches([1.0, 0.0], matches, [1.0, 0.5]))


def test_a_match_without_weight_changes_nothing() -> None:
    assert with_matches([0.5, 0.4], [1.0, 0.0], [0.0, 0.0]) == [0.5, 0.4]


def test_a_question_without_words_has_no_matches() -> None:
    assert static_matches("?!", ["Anything."]) is None
    assert static_matches("word", []) is None


def match(question: str, markdown: str, **rarities: float) -> float:
    passage = best_passage(Marker(parse(question), "en", rarities or None), markdown)
    assert passage is not None
    return passage.match


def test_a_passage_with_all_words_matches_better_than_passages_with_one_each() -> None:
    apart = "Vacuum often.\n\n## Other\n\n" + "Filler words stand here. " * 40 + "\n\n## More\n\nA transaction ends."
    assert match("vacuum transaction", "Vacuum removes what a transaction left.") > match("vacuum transaction", apart)


def test_the_rarer_word_of_a_question_decides_which_passage_is_best() -> None:
    text = "## First\n\nThe table is common.\n\n## Second\n\nThe wraparound is rare."
    passage = best_passage(Marker(parse("table wraparound"), "en", {"table": 0.1, "wraparound": 5.0}), text)
    assert passage is not None
    assert passage.section_path == ("Second",)


def test_a_match_is_a_share() -> None:
    assert 0 < match("common words", "common words " * 500) < 1
    assert match("zebra", "Nothing of it.") == 0


@pytest.mark.anyio
async def test_a_long_page_whose_section_answers_comes_before_one_that_scatters_the_words(tmp_path: Path) -> None:
    told = "Other things are told here at length. " * 12
    parts = {number: f"## Part {number}\n\n{told}" for number in range(12)}
    apart = {1: "transaction", 3: "wraparound", 5: "vacuum", 7: "table", 9: "table"}
    texts = {
        "answer": [*parts.values(), "## Upkeep\n\nTransaction wraparound is prevented by a vacuum of the table."],
        "apart": [f"{text} {apart.get(number, '')}" for number, text in parts.items()],
    }
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    made = [snapshot(f"https://a.example/{name}", text="\n\n".join(text), title=name) for name, text in texts.items()]
    await store.keep_many([(one, derive(one)) for one in made])
    answer = await Archive(store).search(ArchiveQuery("transaction wraparound vacuum table", mode="text", limit=1))
    await store.close()
    assert [one.document.url for one in answer.results] == ["https://a.example/answer"]


@pytest.mark.anyio
async def test_a_document_that_is_one_passage_keeps_the_score_of_the_document(tmp_path: Path) -> None:
    short = "A transaction wraparound is prevented by a vacuum."
    texts = {"short": short, "long": f"{short}\n\n## More\n\n" + "Other things are told here at length. " * 40}
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    made = [snapshot(f"https://a.example/{name}", text=text, title=name) for name, text in texts.items()]
    await store.keep_many([(one, derive(one)) for one in made])
    query = ArchiveQuery("transaction wraparound", mode="text")
    found = {one.document.title: one for one in (await Archive(store).search(query)).results}
    words = await by_words(store, ParsedQuery(query, parse(query.text), DocumentFilter()), only_words=True)
    scores = {one.key: one.score for one in words.matches.candidates}
    rows = await best_rows(store, scores, words, (), 10, datetime.now(UTC).date())
    by_document = {row.title: score for row, score in rows}
    await store.close()
    assert found["short"].document.score == by_document["short"]
    assert found["long"].document.score > by_document["long"]


def test_a_short_document_loses_part_of_its_score_unless_it_is_one_passage() -> None:
    assert with_length(0.5, 300, outside=0.0) == 0.5
    assert with_length(0.5, 160_000, outside=1.0) == 0.5
    assert with_length(0.5, 2_000, outside=0.8) < with_length(0.5, 20_000, outside=0.8) < 0.5
