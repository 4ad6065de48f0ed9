"""Documents made from real sentences, and questions about them: the same ones in every run."""

from __future__ import annotations

import importlib.util
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / ".." / "shared" / "retrieval"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Made:
    title: str
    markdown: str


def available() -> bool:
    return FOLDER.is_dir()


def evalsets() -> Any:
    """The loaders that lie beside the relevance data."""
    spec = importlib.util.spec_from_file_location("evalsets", FOLDER / "evalsets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def documents(count: int) -> Iterator[Made]:
    """Half of a document's sentences come from one real text, half from anywhere; two words are its own."""
    chance = random.Random(7)
    groups = sentences()
    everything = [sentence for group in groups for sentence in group]
    for _ in range(count):
        group = chance.choice(groups)
        body = [chance.choice(group if chance.random() < 0.5 else everything) for _ in range(chance.randint(5, 20))]
        title = " ".join(chance.choice(group).split()[:8])
        own = f"{_syllables(chance)}{chance.randrange(10**6)} {_syllables(chance)}{chance.randrange(10**6)}"
        yield Made(title, f"# {title}\n\n" + "\n\n".join(body) + f"\n\nref {own}\n")


def questions(made: list[Made], count: int) -> list[list[str]]:
    """Two to twelve telling words of one paragraph of some document."""
    from mcp_web.text.stop_words import STOP_WORDS
    from mcp_web.text.words import fold, words

    chance = random.Random(3)
    found: list[list[str]] = []
    while len(found) < count:
        paragraph = chance.choice(chance.choice(made).markdown.split("\n\n")[1:-1])
        telling = [word for word in words(fold(paragraph)) if word not in STOP_WORDS["en"] and len(word) > 2]
        if len(telling) > 1:
            found.append(chance.sample(telling, min(chance.choice((2, 3, 4, 6, 8, 12)), len(telling))))
    return found


def asked_by_people(count: int) -> list[list[str]]:
    """Questions of the relevance collections as they were asked, small words and all."""
    sets = evalsets()
    texts = [text for name in ("cranfield", "scifact_part") for text in sets.ADHOC[name]()[1].values()]
    return [re.findall(r"\w+", text) for text in random.Random(1).sample(texts, count)]


def misspelt(question: list[str], chance: random.Random) -> list[str] | None:
    """The question with one edit in one word of four letters or more."""
    places = [at for at, word in enumerate(question) if len(word) >= 4 and word.isascii() and word.isalpha()]
    if not places:
        return None
    place = chance.choice(places)
    word = question[place]
    at, char = chance.randrange(1, len(word)), chance.choice(LETTERS)
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    wrong = chance.choice(
        (word[:at] + word[at + 1 :], word[:at] + char + word[at:], word[:at] + char + word[at + 1 :], swapped)
    )
    return [*question[:place], wrong, *question[place + 1 :]] if wrong != word else None


def _syllables(chance: random.Random) -> str:
    return chance.choice("bdfgklmnprst") + chance.choice("aeiou") + chance.choice("lmnrst")


def sentences() -> list[list[str]]:
    sets = evalsets()
    texts = [text for load in sets.ADHOC.values() for text in load()[0].values()]
    for load in sets.READ.values():
        for page in load():
            texts += [page[1][at : at + 2000] for at in range(0, len(page[1]), 2000)]
    groups = ([one for one in re.split(r"(?<=[.!?])\s+", text) if 20 < len(one) < 400] for text in texts)
    return [group for group in groups if group]
