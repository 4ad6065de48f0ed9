"""Golden pairs: a page made for this purpose and the Markdown a reader should get, character by character."""

from __future__ import annotations

from pathlib import Path

import pytest
import turbohtml

from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.write import write_markdown

FOLDER = Path(__file__).parent
ADDRESS = "https://docs.example.org/guide/page.html"


def written(page: Path) -> str:
    tree = turbohtml.parse(page.read_text(encoding="utf-8"), positions=False)
    remove_hidden(tree)
    root = tree.select_one("main")
    assert root is not None
    return write_markdown([root], ADDRESS, include_images=True).markdown + "\n"


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.html")), ids=lambda page: page.stem)
def test_page_is_written_as_its_golden_markdown(page: Path) -> None:
    assert written(page) == page.with_suffix(".md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.html")), ids=lambda page: page.stem)
def test_headings_stand_where_the_outline_says(page: Path) -> None:
    tree = turbohtml.parse(page.read_text(encoding="utf-8"), positions=False)
    root = tree.select_one("main")
    assert root is not None
    result = write_markdown([root], ADDRESS)
    for heading in result.headings:
        assert result.markdown.startswith("#" * heading.level + " ", heading.start)
