"""One Markdown source, built by many documentation generators and blog themes, and read back.

The pages are made by `python -m bench.generators.build`; `generators/versions.json` says with which versions.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from tests.golden.structure import Structure, kept, read_structure

from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

FOLDER = Path(__file__).parent / "generators"
SOURCE = Path(__file__).parents[2] / "bench" / "generators" / "source.md"
ELEMENTS = sorted(FOLDER.glob("elements-*.html.gz"))
PAGES = sorted(set(FOLDER.glob("*.html.gz")) - set(ELEMENTS))
LEAST = 0.97
# What must come back from each page made of `bench/generators/elements.md`.
PIECES = (
    "# Harbour checks", "- [x] write the harbour file", "- [ ] compare with the printed table",
    "- [ ] ask the harbour master", "1. First step\n   - with a detail\n     - and a finer one\n   - and another",
    "2. Second step\n\n   A paragraph of the second step.", "[manual](https://office.example.org/manual#part-3)",
    "| one | 1 | `a or b` |\n| two | 22 | `c` |", "\n   step(2)\n   ```", "\nplain output without a language\n```",
    "may be lost[^1].", "noted twice[^2].", "[^1]: Footnotes are content too.", "[^2]: Both of them.",
)  # fmt: skip


def source_of(page: str) -> Structure:
    """What a page built from the source must give back: some generators do not say which language code is in."""
    source = read_structure(SOURCE.read_text("utf-8"))
    for language, first in list(source.languages):
        if re.search(rf"(?:class|data-[\w-]+)=[\"']?[^\"'>]*\b{language}\b", page) is None:
            del source.languages[language, first]
    return source


def read_back(path: Path) -> str:
    """The Markdown of the page, below its title: the title of a page is a field of its own."""
    document = read_page(path)
    heading = f"# {document.title}"
    return document.markdown if heading in document.markdown.splitlines() else f"{heading}\n\n{document.markdown}"


def read_page(path: Path) -> Document:
    body = gzip.decompress(path.read_bytes())
    url = f"https://docs.example.org/{path.name.removesuffix('.html.gz')}/guide.html"
    return extract_document(
        Fetched(url, url, 200, (), body, "text/html", None, 0.0), ExtractRequest(), ExtractOptions()
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name.removesuffix(".html.gz"))
def test_structure_of_the_source_is_read_back(path: Path) -> None:
    source = source_of(gzip.decompress(path.read_bytes()).decode())
    found = kept(source, read_structure(read_back(path)))
    assert found["whole"] >= LEAST, found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name.removesuffix(".html.gz"))
def test_little_is_added_to_the_source(path: Path) -> None:
    wanted = len(SOURCE.read_text("utf-8").split())
    assert len(read_page(path).markdown.split()) <= 1.06 * wanted + 12


@pytest.mark.parametrize("path", ELEMENTS, ids=lambda path: path.name.removesuffix(".html.gz"))
def test_tasks_steps_code_tables_and_footnotes_are_read_back(path: Path) -> None:
    markdown = read_back(path)
    assert not [piece for piece in PIECES if piece not in markdown]


def test_enough_generators_are_represented() -> None:
    names = set(json.loads((FOLDER / "versions.json").read_text("utf-8")))
    assert names == {path.name.removesuffix(".html.gz") for path in (*PAGES, *ELEMENTS)}
    blogs = {name for name in names if name.startswith("blog-")}
    assert len(blogs) >= 6
    assert len(ELEMENTS) >= 4
    assert len({name.partition("-")[0] for name in names - blogs}) >= 12
