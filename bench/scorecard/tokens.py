"""Token counts with one named tokenizer for every server."""

from __future__ import annotations

from functools import cache
from typing import Any

NAME = "o200k_base (rs-bpe)"


@cache
def _tokenizer() -> Any:
    from rs_bpe.bpe import openai

    return openai.o200k_base()


def count(text: str) -> int:
    return int(_tokenizer().count(text))
