"""Reads the corpora of attacks that live beside this file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HOSTILE = HERE / "hostile.py"


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one corpus, for instance `ssrf_cases`."""
    text = (HERE / "corpora" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]
