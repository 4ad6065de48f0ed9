"""The static signal: meaning without a model, in many languages."""

from __future__ import annotations

from typing import Any

import anyio
import numpy as np
import pytest

from mcp_web.embed.static import PassagePieces, StaticEmbedder, StaticVectors, static_vectors

PASSAGES = {
    "en": (
        "Where can I repair my car?",
        ["The garage fixes automobiles.", "The soup is cooked with onions."],
    ),
    "de": ("Wie hoch ist der Turm?", ["Das Bauwerk misst 324 Meter Höhe.", "Die Suppe wird mit Zwiebeln gekocht."]),
    "ru": ("Кто написал роман?", ["Автором книги является известный писатель.", "Суп варят с луком и морковью."]),
    "zh": ("这座塔有多高？", ["塔的高度是三百二十四米。", "汤里放洋葱和胡萝卜。"]),
    "ar": ("من كتب الرواية؟", ["مؤلف الكتاب هو كاتب مشهور.", "يطبخ الحساء مع البصل والجزر."]),
    "hi": ("मीनार कितनी ऊँची है?", ["इस मीनार की ऊँचाई तीन सौ मीटर है।", "सूप प्याज और गाजर के साथ पकाया जाता है।"]),
    "th": ("หอคอยสูงเท่าไร", ["หอคอยมีความสูงสามร้อยเมตร", "ซุปปรุงด้วยหัวหอมและแครอท"]),
}


@pytest.fixture(scope="module")
def vectors() -> StaticVectors:
    return static_vectors()


@pytest.mark.parametrize("language", PASSAGES)
def test_passage_that_answers_is_nearer_than_one_about_something_else(vectors: StaticVectors, language: str) -> None:
    question, passages = PASSAGES[language]
    near = PassagePieces.of(vectors, passages).similarities(vectors, question)
    assert near is not None
    assert near[0] > near[1]


def test_question_finds_its_passage_in_another_language(vectors: StaticVectors) -> None:
    near = PassagePieces.of(vectors, PASSAGES["de"][1]).similarities(vectors, "How high is the tower in metres?")
    assert near is not None
    assert near[0] > near[1]


def test_question_without_a_known_piece_is_not_compared(vectors: StaticVectors) -> None:
    assert PassagePieces.of(vectors, ["words", "…"]).similarities(vectors, "…?!") is None


def test_similarity_of_a_passage_with_itself_is_one(vectors: StaticVectors) -> None:
    near = PassagePieces.of(vectors, ["The tower is high.", "…"]).similarities(vectors, "the tower is high")
    assert near is not None
    assert near[0] == pytest.approx(1.0, abs=1e-3)
    assert near[1] < 0.6


class Watched(list[str]):
    """Texts that know how many of them were taken."""

    taken = 0

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        self.taken += len(found)
        return found


@pytest.mark.anyio
async def test_embedding_that_is_cancelled_ends_before_the_last_text() -> None:
    texts = Watched(f"The tower number {number} is high." for number in range(5000))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(StaticEmbedder().embed, texts)
            while not texts.taken:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert 0 < texts.taken < len(texts)


@pytest.mark.anyio
async def test_many_texts_have_the_vectors_that_each_has_alone() -> None:
    texts = [f"The tower number {number} is high." for number in range(70)]
    rows = await StaticEmbedder().embed(texts)
    assert np.array_equal(rows, [(await StaticEmbedder().embed([text]))[0] for text in texts])
    assert (await StaticEmbedder().embed([])).shape == (0, rows.shape[1])
