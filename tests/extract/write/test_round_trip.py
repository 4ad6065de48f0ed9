"""What we write is read back by a CommonMark parser as what we meant."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import turbohtml

from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.write import Written, write_markdown

markdown_it = pytest.importorskip("markdown_it", reason="the round trip needs a CommonMark parser")

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "extraction"


def read_back(written: Written) -> tuple[list[str], list[str]]:
    """The headings and the raw HTML that a parser sees."""
    tokens = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written.markdown)
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    inside = [child for token in tokens for child in token.children or ()]
    html = [child.content for child in inside if child.type == "html_inline" and child.content != "<br>"]
    return headings, html + [token.content for token in tokens if token.type == "html_block"]


def write(html: str, url: str) -> Written:
    tree = turbohtml.parse(html, positions=False)
    remove_hidden(tree)
    root = tree.select_one("main,article,#content,body")
    assert root is not None
    return write_markdown([root], url)


def check(written: Written) -> None:
    headings, html = read_back(written)
    lines = [written.markdown[heading.start :].split("\n")[0].lstrip("# ") for heading in written.headings]
    assert headings == lines
    assert html == []


@pytest.mark.parametrize("page", sorted(GOLDEN.glob("*.html")), ids=lambda page: page.stem)
def test_golden_pages_are_read_back(page: Path) -> None:
    check(write(page.read_text(encoding="utf-8"), "https://docs.example.org/guide/page.html"))


def documentation() -> Iterator[dict[str, str]]:
    if DATA.exists():
        for line in (DATA / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
            page = json.loads(line)
            if page["set"] == "docs":
                yield page


@pytest.mark.skipif(not DATA.exists(), reason="the shared extraction data is not on this machine")
def test_documentation_pages_are_read_back() -> None:
    for page in documentation():
        html = gzip.decompress((DATA / "html" / "docs" / f"{page['id']}.html.gz").read_bytes()).decode(
            "utf-8", "replace"
        )
        check(write(html, page["url"]))
