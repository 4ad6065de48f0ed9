"""Hostile pages: written in linear time, never a crash, their text kept."""

from __future__ import annotations

import pytest
from tests.extract.reading import read

MANY = 5_000
PAGES = {
    "divs": "<div>" * MANY + "<p>Kept text</p>",
    "lists": "<ul><li>" * MANY + "Kept text",
    "quotes": "<blockquote>" * MANY + "Kept text",
    "spans": "<span>" * MANY + "Kept text",
    "tables": "<table><tr><td>" * 2_000 + "Kept text",
    "definitions": "<dl><dd>" * MANY + "Kept text",
    "admonitions": '<div class="admonition note">' * MANY + "Kept text",
    "code": "<pre><div>" * MANY + "Kept text",
    "formulas": "<p>Kept text</p><math>" + "<mrow>" * MANY,
    "attributes": "<p " + " ".join(f"a{at}=1" for at in range(MANY)) + ">Kept text</p>",
    "spans of cells": "<table>" + "<tr><td colspan=100000000 rowspan=100000000>Kept text<td>y" * 200 + "</table>",
    "notes": "".join(f'<p>t<sup><a href="#fn{at}">{at}</a></sup></p>' for at in range(2_000))
    + "<p id=fn1>Kept text</p>",
    "brackets": "<p>Kept text" + "[" * MANY + "]" * MANY + "(x)</p>",
    "image sets": f'<p>Kept text<img srcset="{"a" * 19_990} ("></p>' * 20,
    "sheets": "<style>" + "@media screen{" * MANY + "</style><p>Kept text</p>",
    "rules": "<style>" + "".join(f".a{at}{{display:none}}" for at in range(2_000)) + "</style><p class=b>Kept text</p>",
}


@pytest.mark.parametrize("name", PAGES)
def test_hostile_nesting_is_written_with_its_text(md, name: str) -> None:
    assert "Kept text" in md(PAGES[name])


@pytest.mark.parametrize("name", ["divs", "lists", "quotes", "admonitions"])
def test_size_of_the_markdown_stays_near_that_of_the_text(md, name: str) -> None:
    assert len(md(PAGES[name])) < 20_000


@pytest.mark.parametrize("count", [100, 1_000, 2_000])
def test_flood_of_fonts_is_read(count: int) -> None:
    fonts = "".join(f"<font color={at}><p>" for at in range(count))
    assert "Kept text" in read(f"{fonts}Kept text", "text/html").markdown
