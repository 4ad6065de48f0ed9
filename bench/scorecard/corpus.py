"""The committed questions and pages, frozen by hash.

Everything in them is invented, so that no server and no model knows an answer from elsewhere. Almost half of the pages
are near copies of others: the same subject under another name and with other figures.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "small"


@dataclass(frozen=True, slots=True)
class Page:
    name: str
    site: str
    format: str  # "html" or "pdf"
    title: str
    markdown: str


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    page: str | None  # None: no page answers it
    passage: str = ""

    @property
    def answerable(self) -> bool:
        return self.page is not None


@dataclass(frozen=True, slots=True)
class Corpus:
    pages: tuple[Page, ...]
    questions: tuple[Question, ...]
    digest: str


def load(folder: Path = FOLDER) -> Corpus:
    """Read the set; a file that differs from the frozen state ends the run."""
    found, frozen = digest(folder), (folder / "SHA256").read_text().strip()
    if found != frozen:
        raise SystemExit(f"The questions or pages in {folder} have changed: {found}, frozen as {frozen}.")
    pages = tuple(_page(path) for path in sorted((folder / "pages").glob("*.md")))
    rows = map(json.loads, (folder / "questions.jsonl").read_text().splitlines())
    questions = tuple(Question(row["id"], row["question"], row["page"], row["passage"] or "") for row in rows)
    return Corpus(pages, questions, found)


def digest(folder: Path = FOLDER) -> str:
    """One hash over the questions and every page."""
    whole = hashlib.sha256()
    for path in [folder / "questions.jsonl", *sorted((folder / "pages").glob("*.md"))]:
        whole.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()


def _page(path: Path) -> Page:
    head, _, text = path.read_text().partition("\n---\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    return Page(path.stem, facts["site"], facts["format"], facts["title"], text)


_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
_WORD = re.compile(r"[^\W_]+")
_ESCAPED_SPACE = re.compile(r"\\[nrt]")  # in servers that return JSON
_MARKS = re.compile(r"[*_`\\]")


def plain_words(text: str) -> str:
    """The words of a text without Markdown, case, punctuation and spacing, separated by single spaces."""
    spaced = _ESCAPED_SPACE.sub(" ", unicodedata.normalize("NFKC", text))
    bare = _MARKS.sub("", _LINK_TARGET.sub("]", spaced))
    return f" {' '.join(_WORD.findall(bare.lower()))} "


def holds(text: str, passage: str) -> bool:
    """Whether every word of the passage stands in the text, in order and without another between."""
    return plain_words(passage) in plain_words(text)
