"""Reading a page: what is embedded, what is kept, and what happens when the model fails."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest

from embed.embedding_server import DIM, EmbeddingServer
from mcp_web.embed.none import NoEmbedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.remote import RemoteEmbedder
from mcp_web.errors import CacheError, EmbeddingError
from mcp_web.index.calibrate import PROBES, forget_mark
from mcp_web.index.reader import LIKELY, SLICE, PageAnswer, PageReader
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


async def ask(reading: PageReader, text: str, *queries: str) -> PageAnswer:
    return await reading.rank(KEY, text, (), queries or ("glaciers10",))


async def test_first_read_of_a_short_page_is_one_request(store: SqliteStore, server: EmbeddingServer) -> None:
    answer = await ask(reader(store, server), page(10))
    assert len(server.requests) == 1
    assert answer.embedded == answer.passages
    assert "glaciers0" in server.texts[1]


async def test_first_read_of_a_long_page_embeds_only_the_likely_passages(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    answer = await ask(reader(store, server), page(200), "about glaciers10 river")
    assert answer.embedded == LIKELY
    assert len(server.texts) == 1 + LIKELY + 2 * len(PROBES)
    assert "glaciers10" in answer.results[0].passages[0].passage.text


async def test_second_read_asks_the_model_only_for_the_new_question(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    await ask(reader(store, server), page(12))
    again = reader(store, server)
    server.requests.clear()
    await ask(again, page(12), "violins5")
    assert server.texts == ["violins5"]
    server.requests.clear()
    await ask(again, page(12), "violins5")
    assert server.texts == []


async def test_changed_paragraph_embeds_only_the_passages_near_it(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = reader(store, server)
    text = page(20)
    await ask(reading, text)
    server.requests.clear()
    answer = await ask(reading, text.replace("about violins15 says", "on violins15 now says otherwise"))
    assert 1 <= answer.embedded <= 3
    assert len(server.texts) == answer.embedded


async def test_unchanged_page_embeds_nothing_again(store: SqliteStore, server: EmbeddingServer) -> None:
    await ask(reader(store, server), page(20))
    server.requests.clear()
    answer = await ask(reader(store, server), page(20))
    assert answer.embedded == 0
    assert server.texts == ["glaciers10"]


async def test_two_calls_at_once_pay_the_model_once(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = reader(store, server)
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(ask, reading, page(12))
    assert sum("Paragraph" in text for text in server.texts) == 12


async def test_many_questions_are_answered_in_order(store: SqliteStore, server: EmbeddingServer) -> None:
    queries = ("comets8", "bridges17", "comets8")
    answer = await ask(reader(store, server), page(30), *queries)
    assert [one.query for one in answer.results] == list(queries)
    assert "bridges17" in answer.results[1].passages[0].passage.text
    assert answer.results[0] == answer.results[2]


async def test_all_of_a_page_can_be_read_ahead(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = reader(store, server)
    assert await reading.complete(KEY, page(60), ()) == 60
    assert await reading.complete(KEY, page(60), ()) == 0
    assert (await ask(reading, page(60))).embedded == 0


async def keep(store: SqliteStore, text: str, at: float) -> None:
    document = Document("A page", text, "test@1")
    await store.keep(Snapshot(KEY, snapshot_hash(KEY, text), URL, URL, "readable", document, at, at, at))


async def test_a_text_that_only_lost_something_is_noticed_and_its_vectors_go(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    reading = reader(store, server)
    whole = page(20)
    await keep(store, whole, 1.0)
    assert await store.lacking_vectors(reading.model, 5) == [KEY]
    await reading.complete(KEY, whole, ())
    assert await store.lacking_vectors(reading.model, 5) == []
    less = whole.partition("\n\nParagraph 12 ")[0]
    await keep(store, less, 2.0)
    assert await store.lacking_vectors(reading.model, 5) == [KEY]
    server.requests.clear()
    await reading.complete(KEY, less, ())
    kept = await store.vectors(KEY, reading.model)
    assert kept is not None
    assert kept.digests == tuple(one.digest for one in passages(less, ()))
    assert await store.lacking_vectors(reading.model, 5) == []


async def test_a_page_that_was_read_in_part_is_still_to_be_read(store: SqliteStore, server: EmbeddingServer) -> None:
    reading = reader(store, server)
    await keep(store, page(60), 1.0)
    await ask(reading, page(60))
    assert await store.lacking_vectors(reading.model, 5) == [KEY]
    assert await reading.complete(KEY, page(60), ()) == 60 - LIKELY
    assert await store.lacking_vectors(reading.model, 5) == []


async def test_reading_to_the_end_that_is_stopped_goes_on_from_there(
    store: SqliteStore, server: EmbeddingServer
) -> None:
    text = page(SLICE * 2 + 5)
    server.statuses = [200] * -(-(SLICE + 2 * len(PROBES)) // 32) + [401]
    with pytest.raises(EmbeddingError):
        await reader(store, server).complete(KEY, text, ())
    assert await reader(store, server).complete(KEY, text, ()) == SLICE + 5


async def test_two_sizes_of_passages_keep_their_vectors_apart(store: SqliteStore, server: EmbeddingServer) -> None:
    usual, size = reader(store, server), Size.of_tokens(512)
    large = PageReader(store, usual._embedder, partial(passages, size=size), cut_name=size.name)
    for reading in (usual, large):
        await reading.complete(KEY, page(20), ())
    assert await reader(store, server).complete(KEY, page(20), ()) == 0
    assert (usual.model, large.model) == ("m@remote", "m@remote;words=337")


@pytest.mark.parametrize("status", [500, 429, 401])
async def test_model_that_is_down_leaves_words_and_a_note(
    store: SqliteStore, server: EmbeddingServer, status: int
) -> None:
    server.statuses = [status] * 9
    answer = await ask(reader(store, server), page(12))
    assert "glaciers10" in answer.results[0].passages[0].passage.text
    assert answer.results[0].passages[0].meaning is None
    assert f"words only: The embedding server answered status {status}" in answer.notes[0]
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
    assert "words only" in answer.notes[0]
    assert await store.vectors(KEY, "m@remote") is None
    assert await store.record("embedding", "model") is None


async def test_model_that_never_answers_is_not_waited_for(store: SqliteStore) -> None:
    class Silent:
        name, dim, max_tokens = "silent@1", None, None

        async def embed(self, texts: Sequence[str], kind: object = "passage") -> None:
            await anyio.sleep_forever()

        async def close(self) -> None: ...

    answer = await PageReader(store, Silent(), passages, patience=0.05).rank("k", page(3), (), ["glaciers0"])  # type: ignore[arg-type]
    assert "did not answer within 0.05 s" in answer.notes[0]
    assert answer.results[0].passages


async def test_no_model_ranks_by_words_without_complaint(store: SqliteStore) -> None:
    answer = await PageReader(store, NoEmbedder(), passages).rank("k", page(30), (), ["cheeses29"])
    assert answer.notes == ()
    assert "cheeses29" in answer.results[0].passages[0].passage.text


async def test_another_model_fails_fast_until_reindexed(store: SqliteStore, server: EmbeddingServer) -> None:
    await ask(reader(store, server), page(5))
    with pytest.raises(EmbeddingError, match="configured model is other@remote") as caught:
        await ask(reader(store, server, model="other"), page(5))
    assert "mcp-web archive reindex" in caught.value.way_on
    await forget_mark(store)
    assert (await ask(reader(store, server, model="other"), page(5))).embedded == 5


async def test_same_model_with_other_dimensions_fails_fast(store: SqliteStore, server: EmbeddingServer) -> None:
    await ask(reader(store, server), page(5))
    server.spoil = lambda a: a | {"data": [d | {"embedding": d["embedding"][:8]} for d in a["data"]]}
    with pytest.raises(EmbeddingError) as caught:
        await ask(reader(store, server), page(6), "something new")
    assert "archive reindex" in caught.value.way_on


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
        answer = await ask(reader(store, server), text, "volcanoes1504")
        group.cancel_scope.cancel()
    assert len(text.split()) > 190_000
    assert "volcanoes1504" in answer.results[0].passages[0].passage.text
    assert answer.embedded == LIKELY
    assert turns > 20


async def test_full_disk_costs_the_vectors_and_not_the_answer(store: SqliteStore, server: EmbeddingServer) -> None:
    class Full:
        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        async def keep_vectors(self, key: str, vectors: object) -> None:
            raise CacheError("The disk is full.")

    answer = await ask(reader(Full(), server), page(12))  # type: ignore[arg-type]
    assert "could not be kept: The disk is full." in answer.notes[0]
    assert answer.results[0].passages[0].meaning is not None
