"""Reading a page: what is embedded, what is kept, and what happens when the model fails."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import numpy as np
import pytest

from embed.embedding_server import DIM, EmbeddingServer
from mcp_web.embed.embedder import QuestionVectors
from mcp_web.embed.judge import Judge
from mcp_web.embed.open import NoEmbedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.remote import RemoteEmbedder
from mcp_web.errors import CacheError
from mcp_web.index.calibrate import PROBES
from mcp_web.index.reader import LIKELY, PageAnswer, PageReader
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.net.client import ApiClient
from mcp_web.net.dial import OperatorDialer
from mcp_web.read.passages import Size, passages
from mcp_web.store.sqlite.store import SqliteStore
from miniweb import MiniWeb

pytestmark = pytest.mark.anyio

URL = "https://docs.example/page"
KEY = page_key(URL, "readable")
# Two passages match it equally well, so that the model is asked; one about a single subject is decided by words.
OPEN = "glaciers10 violins5"
SUBJECTS = [
    "glaciers",
    "engines",
    "sonnets",
    "taxes",
    "volcanoes",
    "violins",
    "bacteria",
    "bridges",
    "comets",
    "cheeses",
]


def page(count: int = 60, seed: int = 1) -> str:
    dice = random.Random(seed)
    parts = []
    for number in range(count):
        subject = SUBJECTS[number % len(SUBJECTS)]
        filler = " ".join(dice.choice(["river", "stone", "paper", "garden", "letter", "copper"]) for _ in range(95))
        parts.append(f"Paragraph {number} about {subject}{number} says: {filler}.")
    return "\n\n".join(parts)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(tmp_path / "store.sqlite")
    document = Document("A page", "text", "test@1")
    await opened.keep(Snapshot(KEY, snapshot_hash(KEY, "text"), URL, URL, "readable", document, 0, 0, 0))
    yield opened
    await opened.close()


@pytest.fixture
def server(miniweb: MiniWeb) -> EmbeddingServer:
    return EmbeddingServer(miniweb)


def reader(store: SqliteStore, server: EmbeddingServer, model: str = "m", **options: object) -> PageReader:
    given = EmbedOptions(server_url=server.url, model_name=model, **options)  # type: ignore[arg-type]
    return PageReader(store, RemoteEmbedder(given, ApiClient(OperatorDialer()), retry_delay=0), passages)


def embedding_all(store: SqliteStore, server: EmbeddingServer, model: str = "m", **options: Any) -> PageReader:
    """A reader that has the model embed every passage of a short page."""
    return PageReader(
        store, reader(store, server, model)._embedder, options.pop("cut", passages), always_ask=True, **options
    )


async def ask(reading: PageReader, text: str, *queries: str) -> PageAnswer:
    return await reading.rank(KEY, text, (), queries or (OPEN,))


async def test_first_read_of_a_short_page_is_one_request(store: SqliteStore, server: EmbeddingServer) -> None:
    answer = await ask(reader(store, server), page(10))
    assert len(server.requests) == 1
    assert 0 < answer.embedded <= answer.passages
    assert server.texts[0] == OPEN


async def test_a_store_that_fails_leaves_words_and_a_note(store: SqliteStore, server: EmbeddingServer) -> None:
    await store.close()
    answer = await ask(reader(store, server), page(10))
    assert answer.results[0].passages
    assert "Ranked without the model" in answer.notes[0]


async def test_first_read_of_a_long_page_embeds_only_the_likely_passages(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    answer = await ask(reader(store, server), page(200))
    assert 0 < answer.embedded <= LIKELY
    assert len(server.texts) == 1 + answer.embedded + 2 * len(PROBES)
    assert any(word in answer.results[0].passages[0].passage.text for word in OPEN.split())


async def test_question_that_words_decide_does_not_ask_the_model(store: SqliteStore, server: EmbeddingServer) -> None:
    answer = await ask(reader(store, server), page(200), "about glaciers10")
    assert server.requests == []
    assert "glaciers10" in answer.results[0].passages[0].passage.text


async def test_a_question_that_was_embedded_elsewhere_is_not_embedded_again(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    model = reader(store, server)._embedder
    questions = QuestionVectors(model)
    vector = await questions.vector(OPEN)
    await ask(PageReader(store, model, passages, questions=questions), page(10))
    assert server.texts.count(OPEN) == 1
    assert await questions.vector(OPEN) == vector


async def test_second_read_asks_the_model_only_for_the_new_question(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    assert (await ask(embedding_all(store, server), page(12))).embedded == 12
    again = reader(store, server)
    server.requests.clear()
    await ask(again, page(12), "violins5 taxes3")
    assert server.texts == ["violins5 taxes3"]
    server.requests.clear()
    await ask(again, page(12), "violins5 taxes3")
    assert server.texts == []


async def test_changed_paragraph_embeds_only_the_passages_near_it(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = embedding_all(store, server)
    text = page(14)
    await ask(reading, text)
    changed = text.replace("about taxes13 says", "on taxes13 now says otherwise")
    server.requests.clear()
    assert 1 <= (await ask(reading, changed)).embedded <= 3
    assert len(server.texts) <= 3


async def test_unchanged_page_embeds_nothing_again(store: SqliteStore, server: EmbeddingServer) -> None:
    await ask(reader(store, server), page(20))
    server.requests.clear()
    answer = await ask(reader(store, server), page(20))
    assert answer.embedded == 0
    assert server.texts == [OPEN]


async def test_two_calls_at_once_pay_the_model_once(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = reader(store, server)
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(ask, reading, page(12))
    sent = [text for text in server.texts if "Paragraph" in text]
    assert len(sent) == len(set(sent)) > 0


async def test_many_questions_are_answered_in_order(store: SqliteStore, server: EmbeddingServer) -> None:
    queries = ("comets8", "bridges17", "comets8")
    answer = await ask(reader(store, server), page(30), *queries)
    assert [one.query for one in answer.results] == list(queries)
    assert "bridges17" in answer.results[1].passages[0].passage.text
    assert answer.results[0] == answer.results[2]


async def test_two_sizes_of_passages_keep_their_vectors_apart(store: SqliteStore, server: EmbeddingServer) -> None:
    usual, size = embedding_all(store, server), Size.of_tokens(512)
    large = embedding_all(store, server, cut=partial(passages, size=size), cut_name=size.name)
    for reading in (usual, large):
        assert (await ask(reading, page(14))).embedded > 0
    assert (await ask(embedding_all(store, server), page(14))).embedded == 0
    assert (usual.model, large.model) == ("m@remote", f"m@remote;{size.name}")


@pytest.mark.parametrize("status", [500, 429, 401])
async def test_model_that_is_down_leaves_words_and_a_note(
    store: SqliteStore, server: EmbeddingServer, status: int
) -> None:
    server.statuses = [status] * 9
    answer = await ask(reader(store, server), page(12))
    assert any(word in answer.results[0].passages[0].passage.text for word in OPEN.split())
    assert f"without the model: The embedding server answered status {status}" in answer.notes[0]
    assert await store.vectors(KEY, "m@remote") is None


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda a: a | {"data": a["data"][:-1]},
        lambda a: a | {"data": [d | {"embedding": [float("nan")] * DIM} for d in a["data"]]},
        lambda a: a | {"data": [d | {"embedding": [1.0] * (DIM + d["index"] % 2)} for d in a["data"]]},
    ],
)
async def test_wrong_vectors_are_noted_and_nothing_is_kept(
    store: SqliteStore, server: EmbeddingServer, spoiled: object
) -> None:
    server.spoil = spoiled  # type: ignore[assignment]
    answer = await ask(reader(store, server), page(12))
    assert "without the model" in answer.notes[0]
    assert await store.vectors(KEY, "m@remote") is None
    assert await store.records("calibration") == []


async def test_model_that_never_answers_is_not_waited_for(store: SqliteStore) -> None:
    class Silent:
        name, dim, languages = "silent@1", None, None

        async def embed(self, texts: Sequence[str], kind: object = "passage") -> None:
            await anyio.sleep_forever()

    answer = await PageReader(store, Silent(), passages, model_seconds=0.05).rank(
        "k", page(3), (), ["glaciers0 engines1"]
    )  # type: ignore[arg-type]
    assert "did not answer within 0.05 s" in answer.notes[0]
    assert answer.results[0].passages


async def test_the_judge_reads_the_likely_passages_once_for_each_question(store: SqliteStore) -> None:
    reading = PageReader(store, EnglishOnly(), passages, judge=Judge(threads=1))
    first = await ask(reading, page(40), "What does paragraph 7 say about rivers?")
    assert first.embedded in (2, 4, 8)
    assert (await ask(reading, page(40), "What does paragraph 7 say about rivers?")).embedded == 0
    assert (await ask(reading, page(40), "Which letter is made of copper?")).embedded >= 4
    assert await store.vectors(KEY, reading.model) is None


async def test_the_judge_reads_two_passages_if_the_first_clearly_answers(store: SqliteStore) -> None:
    reading = PageReader(store, EnglishOnly(), passages, judge=Judge(threads=1))
    question = "How long is the warranty of the kettle?"
    fact = "The warranty of the kettle lasts two years from the day of purchase and covers its heating element."
    first = await ask(reading, f"{page(20)}\n\n## Warranty\n\n{fact}\n\n## More\n\n{page(20, seed=2)}", question)
    assert first.embedded == 2
    assert fact in first.results[0].passages[0].passage.text


@contextlib.asynccontextmanager
async def busy(judge: Judge) -> AsyncIterator[None]:
    """Keep the judge busy with pairs for a minute of processor time, or until the end of the block."""
    async with anyio.create_task_group() as group:
        group.start_soon(judge.scores, [("Which letter is made of copper?", page(2))] * 1000)
        await anyio.lowlevel.checkpoint()
        yield
        group.cancel_scope.cancel()


async def test_what_needs_nothing_of_the_judge_does_not_wait_for_calls_that_do(store: SqliteStore) -> None:
    judge = Judge(threads=1)
    reading = PageReader(store, EnglishOnly(), passages, judge=judge)
    question = "What does paragraph 7 say about rivers?"
    before = await ask(reading, page(40), question)
    waiting: list[PageAnswer] = []

    async def wait() -> None:
        waiting.append(await ask(reading, page(40), "Which letter is made of copper?"))

    async with busy(judge), anyio.create_task_group() as group:
        group.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        again = await ask(reading, page(40), question)
        quick = await reading.rank(KEY, page(40), (), ["Which paper?"], quick=True)
        assert not waiting
        group.cancel_scope.cancel()
    assert again.results == before.results
    assert quick.notes == again.notes == ()


async def test_a_judge_that_has_no_time_leaves_words_and_a_note(store: SqliteStore) -> None:
    judge = Judge(threads=1)
    reading = PageReader(store, EnglishOnly(), passages, judge=judge)
    async with busy(judge):
        until = anyio.current_time() + 0.2
        answer = await reading.rank(KEY, page(30), (), ["What is said of glaciers0?"], model_until=until)
    assert "without the model" in answer.notes[0]
    assert "glaciers0" in answer.results[0].passages[0].passage.text


async def test_a_judge_that_fails_leaves_words_and_a_note(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_web.embed.judge.SHA256", "0" * 64)
    answer = await ask(
        PageReader(store, EnglishOnly(), passages, judge=Judge()), page(30), "What is said of glaciers0?"
    )
    assert "without the model" in answer.notes[0]
    assert "glaciers0" in answer.results[0].passages[0].passage.text


async def test_no_model_ranks_by_words_without_complaint(store: SqliteStore) -> None:
    answer = await PageReader(store, NoEmbedder(), passages).rank("k", page(30), (), ["cheeses29"])
    assert answer.notes == ()
    assert "cheeses29" in answer.results[0].passages[0].passage.text


async def test_another_model_reads_with_vectors_of_its_own(store: SqliteStore, server: EmbeddingServer) -> None:
    for model, new in (("m", 5), ("other", 5), ("m", 0)):
        assert (await ask(embedding_all(store, server, model), page(5))).embedded == new


async def test_same_model_with_other_dimensions_reads_the_page_again(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    await ask(embedding_all(store, server), page(5))
    server.spoil = lambda a: a | {"data": [d | {"embedding": d["embedding"][:8]} for d in a["data"]]}
    reading = embedding_all(store, server)
    assert (await ask(reading, page(6), "violins5")).embedded > 0
    kept = await store.vectors(KEY, reading.model)
    assert kept is not None
    assert kept.dim == 8


class EnglishOnly:
    """A model that says which texts it was given."""

    name, dim, languages = "english@1", 4, frozenset({"en"})

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], kind: object = "passage") -> np.ndarray:
        self.texts += texts
        return np.full((len(texts), 4), 0.5, np.float32)


GERMAN = (
    "Der Turm ist 324 Meter hoch und wurde im Jahr 1889 gebaut. Er steht in der Nähe des Flusses und ist aus Eisen."
)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (GERMAN, "Wie hoch ist der Turm?"),
        (GERMAN, "How high is the tower and when was it built?"),
        ("The tower is 324 metres high and was built in the year 1889.", "Wie hoch ist der Turm und wann war das?"),
        ("Башня имеет высоту 324 метра и была построена в 1889 году.", "Какова высота башни?"),
    ],
)
async def test_model_ranks_no_language_that_it_does_not_know(store: SqliteStore, text: str, question: str) -> None:
    model = EnglishOnly()
    answer = await PageReader(store, model, passages).rank(KEY, text, (), [question])  # type: ignore[arg-type]
    assert model.texts == []
    assert answer.results[0].passages


@pytest.mark.parametrize(
    ("text", "question", "foreign"),
    [
        (GERMAN, "Wann wurde der Turm gebaut?", "Welche Zwiebeln gehören in die Suppe?"),
        (
            "Башня имеет высоту 324 метра и была построена в 1889 году из железа.",
            "В каком году построена башня?",
            "Какой лук кладут в суп?",
        ),
        ("这座塔高三百二十四米，建于一八八九年，由铁制成。", "这座塔是哪一年建的？", "汤里放什么洋葱？"),
        (
            "El barco salió del puerto en 1492 con noventa marineros y tres cocineros a bordo.",
            "¿Cuántos marineros llevaba el barco?",
            "¿Qué impuestos paga una empresa pequeña?",
        ),
    ],
)
async def test_verdict_holds_in_other_languages(store: SqliteStore, text: str, question: str, foreign: str) -> None:
    answer = await PageReader(store, NoEmbedder(), passages).rank(KEY, text, (), [question, foreign])
    assert [one.answered for one in answer.results] == [True, False]


async def test_question_about_something_else_is_not_answered_here(store: SqliteStore) -> None:
    answer = await PageReader(store, NoEmbedder(), passages).rank("k", page(30), (), ["quantum chromodynamics lattice"])
    assert not answer.results[0].answered
    assert answer.results[0].passages == ()


async def test_page_without_text_answers_nothing(store: SqliteStore, server: EmbeddingServer) -> None:
    answer = await ask(reader(store, server), "")
    assert answer.passages == 0
    assert not answer.results[0].answered
    assert server.requests == []


async def test_repeated_text_is_one_passage(store: SqliteStore) -> None:
    text = "\n\n".join(["## A heading here", page(1)] * 5)
    answer = await PageReader(store, NoEmbedder(), passages).rank("k", text, (), ["glaciers0"])
    assert len(answer.results[0].passages) == 1


async def test_huge_page_leaves_the_event_loop_free(store: SqliteStore, server: EmbeddingServer) -> None:
    text = page(2000)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.sleep(0.001)

    async with anyio.create_task_group() as group:
        group.start_soon(count)
        answer = await ask(reader(store, server), text, "volcanoes1504 comets8")
        group.cancel_scope.cancel()
    assert len(text.split()) > 190_000
    assert any(word in answer.results[0].passages[0].passage.text for word in ("volcanoes1504", "comets8"))
    assert answer.embedded <= LIKELY
    assert turns > 20


async def test_full_disk_costs_the_vectors_and_not_the_answer(store: SqliteStore, server: EmbeddingServer) -> None:
    class Full:
        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        async def keep_vectors(self, packed: object) -> None:
            raise CacheError("The disk is full.")

    answer = await ask(reader(Full(), server), page(12))  # type: ignore[arg-type]
    assert "could not be kept: The disk is full." in answer.notes[0]
    assert answer.embedded > 0
    assert answer.results[0].passages
