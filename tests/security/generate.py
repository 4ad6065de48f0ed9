"""Pages with a text that a person may or may not see, made by a program: mechanisms × values × ways to deliver them.

A seed names one set of pages; another seed, another set. What a person sees is found by drawing each page (`draw.py`).
"""

from __future__ import annotations

import random
from typing import NamedTuple

from security.delivery import by_sheet, inline
from security.hiding import DECLARED, KEYFRAMES, STRUCTURES
from security.values import filled


class Variant(NamedTuple):
    """One page: head and body for `cases.hidden_page`."""

    identity: str
    meant: bool  # whether it is meant to be seen; drawing it decides
    head: str
    body: str

    def row(self, visible: bool) -> dict[str, object]:
        return {"id": self.identity, "visible": visible, "kept_back": False, "head": self.head, "body": self.body}


def variants(seed: int, count: int) -> list[Variant]:
    """So many pages, two of three meant to hide their text."""
    chance = random.Random(f"hidden text {seed}")
    mechanisms = [*DECLARED, *STRUCTURES]
    return [_variant(f"{seed}.{number}", chance.choice(mechanisms), chance) for number in range(count)]


def _variant(number: str, name: str, chance: random.Random) -> Variant:
    seen = chance.random() < 0.3
    if name in STRUCTURES and (name not in DECLARED or chance.random() < 0.5):
        head, body = (filled(part, chance) for part in STRUCTURES[name][seen])
        return Variant(f"{number}:{name}:structure", seen, head, body)
    applies = not seen or chance.random() < 0.5  # seen for its values, or because nothing applies them
    declarations = filled(DECLARED[name][seen and applies], chance)
    deliver = inline if chance.random() < 0.3 else by_sheet
    way, head, body = deliver(declarations, chance, applies)
    if "animation" in name:
        head = f"<style>{KEYFRAMES}</style>{head}"
        body = body.replace(
            "<template shadowrootmode=open><style>", f"<template shadowrootmode=open><style>{KEYFRAMES}"
        )
    return Variant(f"{number}:{name}:{way}", seen, head, body)
