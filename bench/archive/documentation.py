"""Does the archive find the page that a question about a library asks for?  python -m bench.archive.documentation

MRR, nDCG@5 and hit@5 over 24 questions with graded pages of two documentation sites, by words alone.
"""

from __future__ import annotations

import json
import math
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import anyio

from bench.archive.corpus import FOLDER
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
from mcp_web.settings import load

DATA = FOLDER / "docs_eval"
SITES = {"react": "https://react.dev/", "vite": "https://vite.dev/"}


@dataclass(frozen=True)
class Asked:
    library: str
    query: str
    grades: Mapping[str, int]  # by path


@dataclass(frozen=True)
class Figures:
    mrr: float
    ndcg: float
    hit: float


def main() -> None:
    if not DATA.is_dir():
        sys.exit("The questions (../shared/retrieval/docs_eval) are not here.")
    with tempfile.TemporaryDirectory() as folder:
        found = anyio.run(measure, Path(folder))
    print(f"MRR {found.mrr:.3f}  nDCG@5 {found.ndcg:.3f}  hit@5 {found.hit:.3f}")


async def measure(folder: Path, mode: SearchMode = "text") -> Figures:
    """Sync both sites into a fresh archive and ask every question within its library."""
    unpack(folder / "sites")
    settings = load(environ={"MCP_WEB_DATA_DIR": str(folder / "data")})
    async with App(settings) as app:
        for library in SITES:
            await sync_folder(app, folder / "sites" / library)
        rows = [figures(await _paths(app, one, mode), one.grades) for one in questions(folder / "sites")]
    return Figures(*(mean(column) for column in zip(*rows, strict=True)))


def unpack(folder: Path) -> None:
    for library in SITES:
        with tarfile.open(DATA / f"{library}.tar.xz") as archive:
            archive.extractall(folder, filter="data")


def questions(sites: Path) -> list[Asked]:
    rows = map(json.loads, (DATA / "questions.jsonl").read_text().splitlines())
    return [
        Asked(row["library"], row["query"], {_path(sites, row["library"], one["url"]): one["grade"]
                                             for one in row["qrels"]})
        for row in rows
    ]  # fmt: skip


def figures(paths: Sequence[str], grades: Mapping[str, int]) -> tuple[float, float, float]:
    """Reciprocal rank, nDCG and hit over the first five pages."""
    gains = [grades.get(path, 0) for path in paths[:5]]
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), None)
    ideal = _discounted(sorted(grades.values(), reverse=True)[:5])
    return (1 / first if first else 0.0, _discounted(gains) / ideal, 1.0 if first else 0.0)


def _discounted(gains: Sequence[int]) -> float:
    return sum((2.0**gain - 1) / math.log2(at + 2) for at, gain in enumerate(gains))


async def _paths(app: App, asked: Asked, mode: SearchMode) -> list[str]:
    answer = await search_archive(app, ArchiveQuery(asked.query, collection=asked.library, limit=5, mode=mode))
    return [result.document.path or "" for result in answer.results]


def _path(sites: Path, library: str, url: str) -> str:
    """The file that became the page with this address."""
    inside = url.partition("#")[0].removeprefix(SITES[library]).strip("/")
    place = f"{library}/{inside}".rstrip("/")
    return f"{place}.md" if (sites / f"{place}.md").is_file() else f"{place}/index.md"


if __name__ == "__main__":
    main()
