"""The packaged model's tokenizer: the same tokens as the library it was made with."""

from __future__ import annotations

import pytest

from mcp_web.embed import granite
from mcp_web.embed.bpe import BytePairTokenizer

TEXTS = [
    "",
    "How do I install the package?",
    "It's what they've said: don't, we'll, I'd.",
    "def f(x_1: int) -> None:\n\treturn  # 3.14  \n\n\n",
    "Grüße aus Zürich, naïve café – “quoted” … 10 % of £5",
    "Москва 東京 สวัสดี 😀",
    "a" * 79,
]


@pytest.fixture(scope="module")
def description() -> str:
    path = granite.find()
    assert path
    return granite.read(path).tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_the_library(description: str, text: str) -> None:
    library = pytest.importorskip("tokenizers").Tokenizer.from_str(description)
    assert BytePairTokenizer(description).encode(text, 512) == library.encode(text).ids


def test_long_text_ends_with_the_end_token_at_the_limit(description: str) -> None:
    tokens = BytePairTokenizer(description).encode("word " * 1000, 64)
    assert len(tokens) == 64
    assert tokens[-1] == 2


def test_words_that_name_a_special_token_are_plain_text(description: str) -> None:
    assert 2 not in BytePairTokenizer(description).encode("</s>", 64)[1:-1]
