"""The archive as a service sees it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_web.archive.add import add_note, add_page
from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.archive.fuse import Scales
from mcp_web.archive.highlight import Snippet
from mcp_web.embed.embedder import Calibration, QuestionVectors
from mcp_web.errors import EmbeddingError, InvalidInput
from mcp_web.model.page import Document, Metadata
from mcp_web.model.passage import PackedVectors
from mcp_web.store.protocol import PurgeRule, Store
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

pytestmark = pytest.mark.anyio
NOW = 1_750_000_000.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await SqliteStore.open(tmp_path / "s.sqlite")
    yield opened
    await opened.close()


async def _keep(store: Store, url: str, text: str, title: str = "", **changes: Any) -> str:
    made = snapshot(url, text=text, title=title, at=NOW, **changes)
    await store.keep(made, derive(made))
    return made.key


async def _ask(store: Store, text: str, **changes: Any) -> ArchiveAnswer:
    changes.setdefault("mode", "text")
    return await Archive(store, clock=lambda: NOW).search(ArchiveQuery(text, **changes))


def _ids(answer: ArchiveAnswer) -> list[str]:
    return [result.document.id for result in answer.results]


async def test_the_example_of_the_seed_gives_its_facts(store: Store) -> None:
    algorithms = await _keep(
        store, "https://example.com/ml-algorithms", "Gradient descent and others.", "Machine Learning Algorithms"
    )
    text = (
        "Machine learning is a subset of artificial intelligence. For more information on ML algorithms, "
        "see [this resource](https://example.com/ml-algorithms)."
    )
    path = "research-archive/2025-05-20/machine_learning_intro.md"
    intro = await _keep(
        store, f"file:///{path}", text, "Introduction to Machine Learning", source="research", path=path
    )
    answer = await _ask(store, "machine learning", include_citations=True, limit=5)
    result = next(item for item in answer.results if item.document.id == intro[:12])
    document = result.document
    assert (document.path, document.source, document.date) == (path, "research", "2025-05-20")
    assert 0 < document.score <= 1
    assert [item.field for item in result.highlights] == ["title", "content"]
    assert result.highlights[0].snippets == (Snippet("Introduction to Machine Learning", ((16, 32),)),)
    assert result.citations is not None
    citation = result.citations.citing[0]
    assert (citation.source_id, citation.target_id, citation.confidence) == (intro[:12], algorithms[:12], 1.0)
    assert citation.target_url == "https://example.com/ml-algorithms"
    assert citation.context == (
        "For more information on ML algorithms, see [this resource](https://example.com/ml-algorithms)."
    )
    assert result.citations.cited == ()
    assert answer.citation_graph is not None
    assert {node.label for node in answer.citation_graph.nodes} == {
        "Introduction to Machine Learning",
        "Machine Learning Algorithms",
    }
    cited = next(item for item in answer.results if item.document.id == algorithms[:12]).citations
    assert cited is not None
    assert cited.cited == (citation,)


async def test_a_misspelt_word_is_corrected_and_said(store: Store) -> None:
    key = await _keep(store, "https://a.example/", "About machine translation.")
    answer = await _ask(store, "Machne translation")
    assert answer.corrected_query == "machine translation"
    assert _ids(answer) == [key[:12]]
    exact = await _ask(store, "Machne", fuzzy=False)
    assert (exact.corrected_query, exact.results) == (None, ())


async def test_a_phrase_must_stand_as_it_is(store: Store) -> None:
    together = await _keep(store, "https://a.example/", "the quick brown fox")
    await _keep(store, "https://b.example/", "the brown and quick fox")
    assert _ids(await _ask(store, '"quick brown"')) == [together[:12]]
    assert len(_ids(await _ask(store, "quick brown"))) == 2


@pytest.mark.parametrize("mode", ["text", "hybrid", "semantic"])
async def test_excluded_words_and_phrases_are_in_no_result(store: Store, mode: Any) -> None:
    for name, text in (("a", "The automobile: quick brown, and loud."), ("b", "The automobile: brown and quick.")):
        await _with_vectors(store, f"https://{name}.example/", text)
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW)

    async def found(text: str) -> set[str]:
        answer = await archive.search(ArchiveQuery(text, mode=mode))
        return {result.document.url for result in answer.results}

    both = {"https://a.example/", "https://b.example/"}
    assert await found("automobile") == both
    assert await found("automobile -loud") == await found('automobile -"quick brown"') == {"https://b.example/"}
    assert await found('automobile -"loud quick"') == both


@pytest.mark.parametrize("mode", ["text", "hybrid", "semantic"])
async def test_a_required_word_is_in_every_result(store: Store, mode: Any) -> None:
    await _with_vectors(store, "https://a.example/", "The automobile is fast.")
    await _with_vectors(store, "https://b.example/", "The car is fast.")
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW)
    answer = await archive.search(ArchiveQuery("+car fast", mode=mode))
    assert [result.document.url for result in answer.results] == ["https://b.example/"]


async def test_a_phrase_is_found_by_a_model_too_where_many_documents_have_its_words(store: Store) -> None:
    for number in range(60):
        await _with_vectors(store, f"https://x.example/{number}", "car brown quick car brown quick")
    holding = await _with_vectors(store, "https://a.example/", "A quick brown car. " + "Other words. " * 50)
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW)
    assert _ids(await archive.search(ArchiveQuery('"quick brown car"'))) == [holding[:12]]


async def test_variants_of_one_page_are_one_result(store: Store) -> None:
    await _keep(store, "https://a.example/", "word here")
    await _keep(store, "https://a.example/", "word here", variant="rendered")
    assert len((await _ask(store, "word")).results) == 1


async def test_between_equals_the_newer_document_comes_first(store: Store) -> None:
    for year in ("2001", "2024", "2010"):
        document = Document("T", "same words", "x", metadata=Metadata(published=f"{year}-01-01"))
        made = snapshot(f"https://{year}.example/", document=document)
        await store.keep(made, derive(made))
    dates = [result.document.date[:4] for result in (await _ask(store, "same")).results]
    assert dates == ["2024", "2010", "2001"]


async def test_filters_and_limits(store: Store) -> None:
    for number in range(30):
        await _keep(store, f"https://a.example/{number}", f"word {number}")
    mine = await _keep(store, "note:1", "word of mine", source="research", path="2020-02-02/n.md")
    assert len((await _ask(store, "word", limit=25)).results) == 25
    assert _ids(await _ask(store, "word", source="research")) == [mine[:12]]
    assert _ids(await _ask(store, "word", until="2021-01-01")) == [mine[:12]]
    assert mine[:12] not in _ids(await _ask(store, "word", since="2021-01-01", limit=50))


async def test_few_results_are_the_first_of_many(store: Store) -> None:
    for number in range(8):
        await _keep(
            store, f"https://a.example/{number}", "An anchor, an anchor and its chain. " * (9 - number), "Notes"
        )
    await _keep(
        store, "https://a.example/about", "What holds a ship. An anchor is heavy. " + "Other text. " * 60, "Anchor"
    )
    many = _ids(await _ask(store, "anchor", limit=10))
    assert len(many) == 9
    assert _ids(await _ask(store, "anchor", limit=1)) == many[:1]
    assert _ids(await _ask(store, "anchor", limit=3)) == many[:3]


@pytest.mark.parametrize(("text", "changes"), [("", {}), ("***", {}), ("word", {"since": "yesterday"})])
async def test_a_question_that_cannot_be_asked_is_invalid_input(
    store: Store, text: str, changes: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput):
        await _ask(store, text, **changes)


async def test_an_empty_archive_answers_nothing(store: Store) -> None:
    assert (await _ask(store, "anything", include_citations=True)).results == ()


class SynonymEmbedder:
    """A model that knows two meanings: cars, and all the rest."""

    name = "synonyms@1"
    dim = 8

    def __init__(self, *, works: bool = True) -> None:
        self.works = works
        self.asked = 0

    async def embed(self, texts: Sequence[str], kind: Any = "passage") -> Any:
        self.asked += 1
        if not self.works:
            raise EmbeddingError("The model is away.")
        return np.array([self.vector(text) for text in texts], np.float32)

    def vector(self, text: str) -> list[float]:
        lower = text.lower()
        if "car" in lower or "automobile" in lower:
            return [1.0, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1]
        noise = hashlib.sha256(text.encode()).digest()
        return [-0.2, *(byte / 255 - 0.5 for byte in noise[:7])]

    async def close(self) -> None: ...


async def _with_vectors(store: Store, url: str, text: str) -> str:
    key = await _keep(store, url, text)
    row = np.array(SynonymEmbedder().vector(text), "<f4")
    await store.keep_vectors({key: PackedVectors("synonyms@1", 8, ("d",), row.tobytes())})
    return key


async def test_meaning_finds_what_words_do_not(store: Store) -> None:
    meant = await _with_vectors(store, "https://a.example/", "The automobile was invented.")
    for number in range(5):
        await _with_vectors(store, f"https://b.example/{number}", f"Other thing {number}.")
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW)
    answer_notes = {"hybrid": ["No document contains these words; these are the nearest in meaning."], "semantic": []}
    for mode in answer_notes:
        answer = await archive.search(ArchiveQuery("car", mode=mode))  # type: ignore[arg-type]
        assert (answer.results[0].document.id, answer.mode) == (meant[:12], mode)
        assert [note for note in answer.notes if "nearest in meaning" in note] == answer_notes[mode]
    assert (await _ask(store, "car", fuzzy=False)).results == ()


async def test_an_identifier_that_is_defined_is_found_by_words_and_the_model_is_not_asked(store: Store) -> None:
    filler = "Other functions are described at length before it and behind it. " * 100
    defining = await _with_vectors(store, "https://a.example/", f"{filler}\n\n`open_car(door)`\n\nOpens.\n\n{filler}")
    await _with_vectors(store, "https://b.example/", "Call open_car, then open_car again: open_car.")
    model = SynonymEmbedder()
    archive = Archive(store, QuestionVectors(model), clock=lambda: NOW)
    answer = await archive.search(ArchiveQuery("open_car"))
    assert (_ids(answer)[0], model.asked) == (defining[:12], 0)
    assert answer.results[0].passage is not None
    assert answer.results[0].passage.text.startswith("`open_car(door)`")
    await archive.search(ArchiveQuery("open_car with a key"))
    assert model.asked == 1


async def test_a_document_is_first_for_its_whole_title_though_others_say_its_words_more_often(
    store: Store,
) -> None:
    for number in range(110):
        await _keep(store, f"https://b.example/{number}", f"Git has a manual for each user: git, manual, {number}.")
    titled = await _keep(store, "https://a.example/", "It describes commands. " * 900, "Git User Manual — Git 2.39")
    for asked in ("git user manual", '"Git user manual"', "Git User Manual — Git 2.39"):
        assert _ids(await _ask(store, asked))[:1] == [titled[:12]], asked
    assert titled[:12] not in _ids(await _ask(store, "the manual of a user of git"))


async def test_nothing_is_shown_that_neither_holds_the_words_nor_is_near(store: Store) -> None:
    meant = await _with_vectors(store, "https://a.example/", "The automobile was invented.")
    for number in range(5):
        await _with_vectors(store, f"https://b.example/{number}", f"Other thing {number}.")
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW)
    scales = Scales(model=Calibration(unrelated=0.0, related=1.0))

    async def found(text: str, **changes: Any) -> ArchiveAnswer:
        return await archive.search(ArchiveQuery(text, **changes), scales)

    for mode in ("hybrid", "semantic"):
        assert _ids(await found("car", mode=mode)) == [meant[:12]]
        nothing = await found("zzzznothing", mode=mode)
        assert nothing.results == ()
        assert nothing.notes[-1].endswith("is near in meaning.")
        assert ("contains these words" in nothing.notes[-1]) == (mode == "hybrid")
    # Words as typed: meaning adds nothing, and still orders what holds a word.
    assert (await found("car", fuzzy=False)).results == ()
    assert (await found("inventd", fuzzy=False)).results == ()
    assert _ids(await found("invented", fuzzy=False)) == [meant[:12]]
    assert _ids(await found("inventd")) == [meant[:12]]


async def test_the_same_question_asks_the_model_once(store: Store) -> None:
    await _with_vectors(store, "https://a.example/", "The automobile.")
    model = SynonymEmbedder()
    archive = Archive(store, QuestionVectors(model))
    for limit in (1, 2, 3):
        await archive.search(ArchiveQuery("car", limit=limit))
    assert model.asked == 1


async def test_a_document_without_vectors_is_still_found_by_its_words(store: Store) -> None:
    await _with_vectors(store, "https://a.example/", "The automobile was invented.")
    plain = await _keep(store, "https://b.example/", "A car, a car, my kingdom for a car.")
    answer = await Archive(store, QuestionVectors(SynonymEmbedder())).search(ArchiveQuery("car kingdom"))
    assert plain[:12] in _ids(answer)


async def test_the_model_reads_the_best_passages_of_documents_that_it_has_not_embedded(store: Store) -> None:
    apart = "Other things are told here at length. " * 20
    texts = {
        "words": f"Invented early, kept in the garage.\n\n{apart}",
        "meant": f"{apart}\n\n## Garage\n\nInvented: the automobile.",
    }
    for name, text in texts.items():
        await _keep(store, f"https://a.example/{name}", text, name)
    model = SynonymEmbedder()
    for reads, first in ((False, "words"), (True, "meant")):
        archive = Archive(store, QuestionVectors(model), clock=lambda: NOW, reads_passages=reads)
        answer = await archive.search(ArchiveQuery("car invented early garage"), Scales(model=Calibration(0.0, 0.5)))
        scores = [one.document.score for one in answer.results]
        assert (answer.results[0].document.title, sorted(scores, reverse=True)) == (first, scores)
    assert model.asked == 3  # the question of each archive and the passages, all in one call
    model.works = False
    archive = Archive(store, QuestionVectors(model), clock=lambda: NOW, reads_passages=True)
    answer = await archive.search(ArchiveQuery("car invented early garage"))
    assert answer.results[0].document.title == "words"


async def test_documents_with_vectors_and_questions_by_words_cost_no_vectors_of_passages(store: Store) -> None:
    await _with_vectors(store, "https://a.example/", "The automobile was invented.")
    await _keep(store, "https://b.example/", "Das Auto steht vor dem Haus. " * 5 + "Die Garage ist nicht weit davon.")
    model = SynonymEmbedder()
    languages = frozenset({"en"})
    archive = Archive(store, QuestionVectors(model), clock=lambda: NOW, languages=languages, reads_passages=True)
    assert len(_ids(await archive.search(ArchiveQuery("the car and the garage")))) == 2
    await archive.search(ArchiveQuery("garage", mode="text"))
    assert model.asked == 1  # the question


async def test_in_a_language_that_the_model_does_not_know_hybrid_orders_as_words_do(store: Store) -> None:
    for number in range(6):
        text = "Das Auto steht vor dem Haus. " * number + "Ein Wagen fährt durch die Stadt, und das Auto folgt."
        await _with_vectors(store, f"https://a{number}.example/", text)
    archive = Archive(store, QuestionVectors(SynonymEmbedder()), clock=lambda: NOW, languages=frozenset({"en"}))
    answer = await archive.search(ArchiveQuery("Wo steht das Auto vor dem Haus?"))
    assert answer.mode == "text"
    assert _ids(answer) == _ids(await _ask(store, "Wo steht das Auto vor dem Haus?"))


async def test_a_model_that_fails_leaves_words_and_a_note(store: Store) -> None:
    key = await _with_vectors(store, "https://a.example/", "The car.")
    answer = await Archive(store, QuestionVectors(SynonymEmbedder(works=False))).search(ArchiveQuery("car"))
    assert (_ids(answer), answer.mode) == ([key[:12]], "text")
    assert "words alone" in answer.notes[0]


async def test_without_a_model_hybrid_says_that_words_answered(store: Store) -> None:
    await _keep(store, "https://a.example/", "The car.")
    answer = await _ask(store, "car", mode="hybrid")
    assert answer.mode == "text"
    assert answer.notes


async def test_a_citing_sentence_has_its_links_as_the_author_wrote_them(store: Store) -> None:
    path = "notes/My Docs/a.md"
    text = "See [b](file:///notes/My%20Docs/b.md#x) and [c](file:///notes/c.md)."
    await _keep(store, f"file:///{path}", text, source="research", path=path)
    answer = await _ask(store, "see", include_citations=True)
    assert answer.results[0].citations is not None
    assert answer.results[0].citations.citing[0].context == "See [b](b.md#x) and [c](../c.md)."


async def test_notes_whose_titles_differ_only_in_signs_are_two_documents(store: Store) -> None:
    for title, text in (("C++", "plus"), ("C#", "sharp"), ("c#", "sharp again"), ("C++", "plus again"), ("→", "arrow")):
        await add_note(store, Document(title, text, "x"), NOW)
    texts = [kept.document.markdown for key in await store.keys() if (kept := await store.latest(key))]
    assert sorted(texts) == ["arrow", "plus again", "sharp again"]


async def test_a_note_is_found_by_its_text_and_its_tags(store: Store) -> None:
    document = Document("My Übersicht", "About zebras.", "x")
    note = await add_note(store, document, NOW, day="2024-02-03", tags=("animals", ""))
    for words in ("zebra", "ubersicht", "animals"):
        found = (await _ask(store, words)).results[0].document
        assert (found.id, found.source, found.date) == (note.key[:12], "research", "2024-02-03")
    assert (found.path, found.tags) == ("saved/2024-02-03/my-ubersicht.md", ("animals",))


async def test_a_note_of_the_same_title_is_the_next_version(store: Store) -> None:
    first = await add_note(store, Document("Title", "One.", "x"), NOW)
    second = await add_note(store, Document("Title", "Two.", "x"), NOW)
    assert first.key == second.key
    assert len(await store.versions(first.key)) == 2


@pytest.mark.parametrize(("title", "text", "day"), [("", "x", None), ("x", " ", None), ("x", "x", "tomorrow")])
async def test_a_note_without_title_text_or_a_real_date_is_refused(
    store: Store, title: str, text: str, day: str | None
) -> None:
    with pytest.raises(InvalidInput):
        await add_note(store, Document(title, text, "x"), NOW, day=day)


async def test_a_saved_page_is_research_and_survives_a_purge(store: Store) -> None:
    key = await _keep(store, "https://a.example/", "word")
    kept = await store.latest(key)
    assert kept is not None
    await add_page(store, kept, tags=("keep",))
    await store.purge(PurgeRule(keep_newest=0), dry_run=False)
    assert [result.document.tags for result in (await _ask(store, "word", source="research")).results] == [("keep",)]


async def test_a_hostile_document_is_kept_and_found_like_any_other(store: Store) -> None:
    links = " ".join(f"[{number}](https://farm.example/{number})" for number in range(50_000))
    text = f"<script>alert('zebra')</script> {'x' * 500_000} {links} zebra"
    key = await _keep(store, "https://farm.example/", text, "</mark><script>zebra")
    answer = await _ask(store, "zebra", include_citations=True)
    result = answer.results[0]
    assert result.document.id == key[:12]
    assert result.highlights[0].snippets == (Snippet("</mark><script>zebra", ((15, 20),)),)
    assert "<script" not in "".join(snippet.as_html() for item in result.highlights for snippet in item.snippets)
    assert result.citations is not None
    assert len(result.citations.citing) == 50
