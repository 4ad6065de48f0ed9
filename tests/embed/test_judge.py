"""The packaged judge: reads question and passage together."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_web.embed import granite
from mcp_web.embed import judge as judge_module
from mcp_web.embed.judge import Judge
from mcp_web.errors import EmbeddingError
from mcp_web.process import Process
from mcp_web.settings import load

pytestmark = pytest.mark.anyio

QUESTION = "How long is the warranty of the kettle?"
ANSWER = "The warranty lasts two years from the day of purchase and covers the heating element of the kettle."
NEAR_MISS = "The kettle is made of steel, holds two litres and is sold with a warranty card in its box."
UNRELATED = "The committee met in the spring to discuss the new bridge over the river."


@pytest.fixture(scope="module")
def judge() -> Judge:
    """One load of the weights for all tests of this file."""
    return Judge(threads=1)


async def test_an_answer_scores_higher_than_a_text_about_the_same_thing(judge: Judge) -> None:
    answer, near_miss, unrelated = await judge.scores([(QUESTION, text) for text in (ANSWER, NEAR_MISS, UNRELATED)])
    assert answer > near_miss > unrelated
    assert answer > 0 > unrelated


async def test_scores_are_those_that_were_measured(judge: Judge) -> None:
    assert await judge.scores([(QUESTION, ANSWER)]) == pytest.approx([6.03], abs=0.1)


async def test_a_pair_scores_the_same_alone_and_among_others(judge: Judge) -> None:
    pairs = [(QUESTION, ANSWER), (QUESTION, UNRELATED * 30), ("warranty", NEAR_MISS)]
    together = await judge.scores(pairs)
    alone = [(await judge.scores([pair]))[0] for pair in pairs]
    assert together == pytest.approx(alone, abs=1e-3)


async def test_weights_with_another_hash_are_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_module, "SHA256", "0" * 64)
    with pytest.raises(EmbeddingError, match="hash"):
        await Judge().scores([(QUESTION, ANSWER)])


async def test_an_empty_file_of_weights_is_an_embedding_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "mcp_web_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / granite.FILE).touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbeddingError, match="judge failed"):
        await Judge().scores([(QUESTION, ANSWER)])


async def test_calls_are_answered_in_the_order_they_came_in(judge: Judge) -> None:
    ended = []

    async def call(pairs: int) -> None:
        await judge.scores([(QUESTION, ANSWER)] * pairs)
        ended.append(pairs)

    async with anyio.create_task_group() as group:
        for pairs in (9, 1, 5):
            group.start_soon(call, pairs)
    assert ended == [9, 1, 5]


async def test_the_event_loop_stays_free_while_pairs_are_read(judge: Judge) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.sleep(0.001)

    async with anyio.create_task_group() as group:
        group.start_soon(count)
        await judge.scores([(QUESTION, ANSWER * 8)] * 16)
        group.cancel_scope.cancel()
    assert turns > 10


@pytest.mark.parametrize(
    ("variables", "has_judge"),
    [
        ({}, True),
        ({"MCP_WEB_EMBEDDINGS": "none"}, False),
        ({"EMBEDDING_SERVER_URL": "http://127.0.0.1:9/v1", "EMBEDDING_MODEL_NAME": "m"}, False),
    ],
)
async def test_a_model_of_the_operators_own_takes_the_place_of_the_judge(
    variables: dict[str, str], has_judge: bool, tmp_path: Path
) -> None:
    process = Process(load(environ={"MCP_WEB_DATA_DIR": str(tmp_path), **variables}))
    assert (process.judge is not None) == has_judge
    await process.close()
