"""Does the archive find the page of a large manual?  python -m bench.archive.manuals FOLDER [MODE…]

MRR, nDCG@5 and hit@5 for each manual, over the questions in manuals.jsonl. Their pages were chosen before anything was
searched, by reading the manuals or, for the last five, by their tables of contents. FOLDER has a folder of pages for
each manual, named as in the questions (`FOLDER/postgresql/sql-insert.html`); a manual that is not there is left out.
Debian has them in postgresql-doc-15, python-django-doc, apache2-doc (English), git-doc, nodejs-doc,
python-sqlalchemy-doc, cmake-doc, sqlite3-doc, octave-doc, python-celery-doc, docker-doc, python-pytest-doc,
python-scrapy-doc, python-flask-doc and python-djangorestframework-doc (drf); the npm packages next (dist/docs), fastify
(docs) and bun-types (docs, without lint and snippets) have theirs; those of vue (src, without HTML) and pydantic (docs,
without api) are in the repositories of their documentation. Folders of sources (`_modules`) and pages that only
redirect are to be left out.

MODE is `text` (by words) or `hybrid` (the default of a search, without the model's vectors); both if none is given.
`vectors` makes the model's vectors first, which takes a minute for a thousand pages.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import get_args

import anyio

from bench.archive.documentation import Asked, Figures, figures
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.services.embed_documents import embed_documents
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
from mcp_web.settings import load

QUESTIONS = Path(__file__).with_name("manuals.jsonl")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    modes: list[SearchMode] = [mode for mode in get_args(SearchMode) if mode in sys.argv[2:]] or ["text", "hybrid"]
    for manual in dict.fromkeys(one.library for one in questions()):
        folder = Path(sys.argv[1], manual)
        if folder.is_dir():
            anyio.run(_measure, folder, modes, "vectors" in sys.argv)


def questions() -> Iterator[Asked]:
    for row in map(json.loads, QUESTIONS.read_text().splitlines()):
        pages = {f"{row['library']}/{path}": grade for path, grade in row["pages"].items()}
        yield Asked(row["library"], row["question"], pages)


async def _measure(folder: Path, modes: list[SearchMode], vectors: bool) -> None:
    with tempfile.TemporaryDirectory() as data:
        async with App(load(environ={"MCP_WEB_DATA_DIR": data})) as app:
            await sync_folder(app, folder)
            if vectors:
                await embed_documents(app)
            for mode in modes:
                found = await _figures(app, folder.name, mode)
                print(f"{folder.name:12} {mode:8} MRR {found.mrr:.3f}  nDCG@5 {found.ndcg:.3f}  hit@5 {found.hit:.3f}")


async def _figures(app: App, manual: str, mode: SearchMode) -> Figures:
    rows = []
    for asked in (one for one in questions() if one.library == manual):
        answer = await search_archive(app, ArchiveQuery(asked.query, collection=manual, limit=5, mode=mode))
        rows.append(figures([one.document.path or "" for one in answer.results], asked.grades))
    return Figures(*(mean(column) for column in zip(*rows, strict=True)))


if __name__ == "__main__":
    main()
