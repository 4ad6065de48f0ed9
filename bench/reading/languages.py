"""Does reading and finding work in every language?  python -m bench.reading.languages FOLDER [QUESTIONS]

FOLDER holds question sets in the format of SQuAD, one file for each language, named by its code: `ja.json`, `ar.json`.
Six paragraphs make a page. Printed for each language: hit@1 and @3 of the passages that `web_read` would show, how many
questions count as answered on their own page and on a page about something else, and how often archive search puts the
right paragraph first, by words and by words and meaning. Such sets: CMRC 2018, DRCD, JSQuAD, ARCD, TQuAD, PersianQA,
SQuAD-it, SQuAD-es, iApp Thai, KorQuAD.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
from mcp_web.settings import load

PARAGRAPHS = 6  # of a page
MOST_PARAGRAPHS = 600


@dataclass(frozen=True)
class Asked:
    question: str
    paragraph: int
    answers: tuple[str, ...]


def main() -> None:
    if len(sys.argv) < 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    for file in sorted(Path(sys.argv[1]).glob("*.json")):
        paragraphs, asked = _read(json.loads(file.read_text(encoding="utf-8")))
        random.Random(5).shuffle(asked)
        with tempfile.TemporaryDirectory() as folder:
            print(file.stem, *anyio.run(_measure, Path(folder), paragraphs, asked[:count]), sep="  ", flush=True)


def _read(data: dict[str, Any]) -> tuple[list[str], list[Asked]]:
    """The paragraphs, and the questions that one of them answers."""
    paragraphs: list[str] = []
    asked: list[Asked] = []
    for found in (paragraph for article in data["data"] for paragraph in article["paragraphs"]):
        if len(paragraphs) == MOST_PARAGRAPHS:
            break
        for question in found["qas"]:
            answers = tuple(one["text"] for one in question.get("answers", ()) if one["text"] in found["context"])
            if answers:
                asked.append(Asked(question["question"].strip(), len(paragraphs), answers))
        paragraphs.append(found["context"].strip())
    return paragraphs, asked


async def _measure(folder: Path, paragraphs: list[str], asked: list[Asked]) -> list[str]:
    async with App(load(environ={"MCP_WEB_DB_PATH": str(folder / "a.sqlite")})) as app:
        read = await _reading(app, paragraphs, asked)
        return [f"{len(asked)} questions", *read, *await _finding(app, paragraphs, asked, folder)]


async def _reading(app: App, paragraphs: list[str], asked: list[Asked]) -> list[str]:
    reader = await app.reader()
    pages = ["\n\n".join(paragraphs[at : at + PARAGRAPHS]) for at in range(0, len(paragraphs), PARAGRAPHS)]
    first = third = own = other = 0
    for one in asked:
        at = one.paragraph // PARAGRAPHS
        (ranked,) = (await reader.rank(f"{at:064x}", pages[at], (), [one.question])).results
        texts = [found.passage.text for found in ranked.passages]
        hits = [any(answer in text for answer in one.answers) for text in texts]
        first, third, own = first + any(hits[:1]), third + any(hits[:3]), own + ranked.answered
        far = (at + len(pages) // 2) % len(pages)
        (ranked,) = (await reader.rank(f"{far:064x}", pages[far], (), [one.question])).results
        other += ranked.answered
    shares = {"hit@1": first, "hit@3": third, "answered": own, "answered elsewhere": other}
    return [f"{name} {value / len(asked):.3f}" for name, value in shares.items()]


async def _finding(app: App, paragraphs: list[str], asked: list[Asked], folder: Path) -> list[str]:
    notes = folder / "notes"
    notes.mkdir()
    for number, text in enumerate(paragraphs):
        (notes / f"{number}.md").write_text(text, encoding="utf-8")
    await sync_folder(app, notes)
    modes: dict[str, SearchMode] = {"words": "text", "hybrid": "hybrid"}
    found = []
    for name, mode in modes.items():
        right = 0
        for one in asked:
            answer = await search_archive(app, ArchiveQuery(text=one.question, mode=mode, limit=1))
            right += any(result.document.url.endswith(f"/{one.paragraph}.md") for result in answer.results)
        found.append(f"archive hit@1 by {name} {right / len(asked):.3f}")
    return found


if __name__ == "__main__":
    main()
