"""The reading view of a page with three versions, footnotes and a screenshot: what a person does with it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from contracts_seeds.contract_caller import OFFLINE
from surface.test_http import Served

from .test_pages import Visit, browser, follow  # noqa: F401

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SAMPLE = Path(__file__).parents[2] / "scripts" / "sample_archive.py"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("reading")
    subprocess.run([sys.executable, str(SAMPLE), str(folder)], check=True, timeout=60)
    made = Served(folder, **OFFLINE)
    yield made
    made.stop()


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:  # noqa: F811
    made = Visit(browser, served, permissions=["clipboard-read", "clipboard-write"])
    made.open("/search?q=difference+engine")
    follow(made.page, "a.title:has-text('The Difference Engine') >> nth=0")
    yield made
    assert made.errors == []
    assert made.foreign == []
    made.close()


def test_any_two_versions_are_compared(visit: Visit) -> None:
    page = visit.page
    page.locator("#versions input[type=radio]").nth(2).check()
    follow(page, "text=Show what changed")
    assert page.locator(".change").count() == 3
    assert page.locator("ins", has_text="25,000").count() == 1
    choices = page.locator("select[name=with] option")
    assert choices.count() == 2
    page.select_option("select[name=with]", index=0)
    follow(page, "form.compare button")
    assert page.locator("del", has_text="about 20,000").count() == 1
    follow(page, "text=← The Difference Engine")
    follow(page, page.locator("#versions a").nth(2))
    page.locator("#versions input[type=radio]").nth(0).check()  # from an old version to the newest
    follow(page, "text=Show what changed")
    assert page.locator("ins", has_text="25,000").count() == 1


def test_footnotes_lead_there_and_back(visit: Visit) -> None:
    follow(visit.page, ".footnote-ref a")
    assert "errata" in visit.page.locator(".footnote-item:target").inner_text()
    follow(visit.page, ".footnote-backref")
    assert visit.page.url.endswith("#fnref1")


def test_the_screenshot_stands_beside_the_text(visit: Visit) -> None:
    picture = visit.page.locator(".screenshot img")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 800)


def test_a_number_in_the_text_leads_to_the_question_and_the_question_to_the_text(visit: Visit) -> None:
    page = visit.page
    follow(page, ".asked-by a >> nth=0")
    asked = page.locator(".asked li:target")
    assert "How many wheels" in asked.inner_text()
    assert "Claude Code" in asked.inner_text()
    follow(page, asked.locator("a"))
    assert "25,000 parts" in page.locator("mark:target").inner_text()


def test_selected_words_are_checked_as_a_quote(visit: Visit) -> None:
    page = visit.page
    page.locator("article p", has_text="Work stopped in 1833").click(click_count=3)
    expect(page.locator("textarea[name=quote]")).to_have_value(re.compile("^Work stopped in 1833"))
    follow(page, "#check button")
    assert "Word for word" in page.locator(".verdict").inner_text()
    assert page.locator("mark.quoted").first.inner_text().startswith("Work stopped")
    follow(page, ".verdict a")
    assert page.locator("mark.quoted:target").count() == 1


def test_commands_are_copied_and_editors_are_offered_a_link(visit: Visit) -> None:
    page = visit.open("/")
    page.click("[data-copy] >> nth=0")
    expect(page.locator("[data-copy] >> nth=0")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == visit.base + "/mcp"
    cursor = page.locator("text=Add to Cursor").get_attribute("href") or ""
    assert cursor.startswith("cursor://anysphere.cursor-deeplink/mcp/install?name=mcp-web&config=")
    vscode = page.locator("text=Add to VS Code").get_attribute("href") or ""
    assert vscode.startswith("vscode:mcp/install?%7B%22name%22")


def test_the_graph_is_zoomed_and_leads_to_a_document(visit: Visit) -> None:
    page = visit.open("/graph")
    graph = page.locator("[data-graph]")
    before = graph.get_attribute("viewBox") or ""
    page.click("[data-zoom=in]")
    expect(graph).not_to_have_attribute("viewBox", before)
    page.click("[data-zoom=reset]")
    expect(graph).to_have_attribute("viewBox", before)
    follow(page, page.locator("tr", has_text="The Difference Engine").locator("text=around it"))
    assert "around The Difference Engine" in page.locator("h1").inner_text()
    assert page.locator("circle.focus").count() == 1


def test_space_is_freed_after_a_look_at_what_goes(visit: Visit) -> None:
    page = visit.open("/archive")
    follow(page, "text=Free space")
    page.select_option("select[name=days]", "7")
    follow(page, "button:has-text('Show')")
    going = page.locator("main section li").all_inner_texts()
    assert going
    assert not any("tables" in url for url in going)  # saved documents stay
    page.check("input[name=sure]")
    follow(page, "button:has-text('Delete')")
    assert "deleted with all" in page.locator("[role=status]").inner_text()
    assert page.locator("text=Nothing to delete.").count() == 1
    listed = visit.open("/archive").locator(".documents").all_inner_texts()
    assert any("Errors in printed tables" in text for text in listed)
