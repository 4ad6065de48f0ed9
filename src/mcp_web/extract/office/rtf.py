"""Rich text (rtf) → text, through striprtf."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.css.colour import Colour
from mcp_web.extract.markdown import escape_start
from mcp_web.extract.office.look import Look
from mcp_web.model.page import Document, Fetched, Metadata

_FIELD = r"\{\\%s ([^{}\\]{1,300})\}"
_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,9})? ?|(\\'[0-9a-fA-F]{2}|\\[^a-z])|([{}])|([^\\{}]+)|(\\)")
_COLOURS = re.compile(r"\{\\colortbl([^{}]{0,20000})\}")
_FONT = re.compile(r"\\f(\d{1,5})\b(?:[^;\\]{0,50}\\(?!f\d)[^;\\]{0,50}){0,9}?[^;\\]{0,50}\\fcharset(\d{1,3})")
_FONT_ENTRY = "{{\\f{0[0]}\\fcharset{0[1]} x;}}".format  # by the number of the font and of its character set
_DEEPEST = 1000


def read_rtf(page: Fetched) -> Document:
    """Reads rich text; raises ExtractFailed for other files."""
    from striprtf.striprtf import font_table_group, rtf_to_text

    source = page.body.decode("latin-1")
    if not source.lstrip().startswith("{\\rtf"):
        raise ExtractFailed(f"{page.final_url} is not a rich text file.", url=page.final_url)
    source, hidden = _without_hidden(source)
    # striprtf takes cubic time for a long font table without semicolons: it gets one with nothing but what it needs.
    if fonts := font_table_group(source):  # type: ignore[no-untyped-call]  # ships no types
        source = source.replace(fonts, "{\\fonttbl" + "".join(map(_FONT_ENTRY, _FONT.findall(fonts))) + "}", 1)
    try:
        text: str = rtf_to_text(source, errors="replace")  # type: ignore[no-untyped-call]  # ships no types
    except (ArithmeticError, LookupError, ValueError) as error:
        raise ExtractFailed(f"The rich text file at {page.final_url} is damaged.", url=page.final_url) from error
    paragraphs = "\n\n".join(escape_start(line.strip()) for line in text.split("\n") if line.strip())
    title, author = (re.search(_FIELD % name, source[:20_000]) for name in ("title", "author"))
    metadata = Metadata(author=author[1].strip() if author else None)
    return assemble(page, "rtf", paragraphs, title=title[1].strip() if title else "", metadata=metadata, hidden=hidden)


def _without_hidden(source: str) -> tuple[str, int]:
    """The source without text that is hidden, tiny or coloured as its background, and how many pieces were removed."""
    colours = _colour_table(source)
    kept: list[str] = []
    look, hiding = Look(), frozenset[str]()
    outer: list[tuple[Look, frozenset[str]]] = []
    hidden = 0
    was_seen = True
    for found in _TOKEN.finditer(source):
        word, number = found[1], found[2]
        text = found[5] or (found[3] if (found[3] or "").startswith("\\'") else "") or (word == "u" and number)
        if found[4] == "{" and len(outer) < _DEEPEST:
            outer.append((look, hiding))
        elif found[4] == "}" and outer:
            look, hiding = outer.pop()
        elif word:
            value = int(number) if number else None
            look = Look() if word == "plain" else _look_after(look, word, value, colours)
            hiding = _hiding_after(hiding, word, value)
        if text and (hiding or not look.is_visible) and found[0].strip():
            hidden += was_seen
            was_seen = False
            continue
        was_seen = was_seen or bool(text)
        kept.append(found[0])
    return "".join(kept), hidden


def _colour_table(source: str) -> list[Colour | None]:
    """The colours that the text refers to by index; None for the default colour."""
    found = _COLOURS.search(source[:200_000])
    table: list[Colour | None] = []
    for entry in found[1].split(";")[:-1] if found else ():
        parts = {name: int(value) for name, value in re.findall(r"\\(red|green|blue)(\d{1,3})", entry)}
        table.append(Colour(parts.get("red", 0), parts.get("green", 0), parts.get("blue", 0)) if parts else None)
    return table


def _look_after(look: Look, word: str, number: int | None, colours: list[Colour | None]) -> Look:
    """The look after a control word; `number` is the parameter of the word, `colours` is the colour table."""
    if word == "fs":
        return replace(look, size=(24 if number is None else number) / 2)
    colour = colours[number] if number is not None and 0 <= number < len(colours) else None
    if word == "cf":
        return replace(look, colour=colour)
    return replace(look, background=colour) if word in ("cb", "highlight", "chcbpat", "cbpat", "chcfpat") else look


def _hiding_after(hiding: frozenset[str], word: str, number: int | None) -> frozenset[str]:
    """The control words that hide the text now, after one more, `word`; `hiding` are those that hid it before. `number`
    is the parameter of the word; None if it has none."""
    if word == "plain":
        return hiding & _OF_PARAGRAPHS.keys()
    if word == "pard":
        return hiding - _OF_PARAGRAPHS.keys()
    test = _OF_LETTERS.get(word) or _OF_PARAGRAPHS.get(word)
    if test is None:
        return hiding
    return hiding | {word} if test(1 if number is None else number) else hiding - {word}


# Control words that hide text, with a test of their number; in force until `plain`, or until `pard` for paragraphs.
_OF_LETTERS: dict[str, Callable[[int], bool]] = {
    **dict.fromkeys(("v", "deleted", "webhidden"), lambda number: number != 0),
    "charscalex": lambda number: number <= 5,
    "expndtw": lambda number: number <= -160,
    "expnd": lambda number: number <= -32,
    **dict.fromkeys(("dn", "up"), lambda number: number > 400),
}
_OF_PARAGRAPHS: dict[str, Callable[[int], bool]] = {
    "sl": lambda number: -40 <= number < 0,
    **dict.fromkeys(("li", "ri", "fi"), lambda number: abs(number) > 15_000),
}
