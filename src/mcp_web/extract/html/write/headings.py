"""Headings: one line each, with the anchor of the section."""

from __future__ import annotations

import re

from turbohtml import Element

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.escape import escape_brackets, has_link
from mcp_web.extract.html.write.state import WriterState, first_element
from mcp_web.text.inline import inline_text

_SIGNS = ("¶", "§", "🔗", "◆", "◇", "#")
_SIGN_AT_END = re.compile(r"(?:\s*[¶§🔗◆◇]|\s+#+)\s*$")


def write_title(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a title that is not a heading element as a heading; each `div` in it, as of Doxygen's groups, is taken out
    of it and follows."""
    inside = [child for child in element if isinstance(child, Element) and child.tag == "div"]
    for child in inside:
        child.extract()
    write_heading(state, element, out)
    state.walk(state, inside, out)


def write_heading(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a heading that has text on one line, and record it in `state.headings`. Before it is a mark with its index
    there, from which its offset is found at the end."""
    around = state.marks
    state.in_heading, state.marks = True, around | {"**"}  # a heading is bold anyway
    run = inline.inner(state, element)
    state.in_heading, state.marks = False, around
    text = inline.one_line(run)
    if text.endswith(_SIGNS):
        text = _SIGN_AT_END.sub("", text)
    if not text:
        return
    level = int(element.tag[1]) if element.tag[1:].isdigit() else 1
    state.headings.append((level, inline_text(text), anchor_of(element)))
    out.append(f"\x00{len(state.headings) - 1}\x00{'#' * level} {text}")


def anchor_of(element: Element) -> str | None:
    """The anchor of a heading: its id, one inside or just before it, or that of the section it begins; else None."""
    own = element.attr("id")
    if own:
        return own
    inside = element.select_one("[id],a[name]")
    if inside is not None:
        return inside.attr("id") or inside.attr("name")
    parent = element.parent
    before = first_element(element.previous_siblings)
    if before is not None:
        empty = before.tag in ("a", "span") and not before.text.strip()
        return before.attr("id") or before.attr("name") if empty else None
    if isinstance(parent, Element) and parent.tag in ("section", "div", "article", "header", "hgroup"):
        return parent.attr("id")
    return None


def with_link(block: str, url: str) -> str | None:
    """The block, its text linked to `url`, if it is a heading or a one-line paragraph without links; else None."""
    if "\n" in block or has_link(block):
        return None
    found = re.match(r"(\x00\d+\x00#{1,6} )?(.*)\Z", block)
    if found is None or not found[2] or found[2].startswith(("> ", "- ", "```", "---", "|")):
        return None
    return f"{found[1] or ''}[{escape_brackets(found[2])}]({url})"
