"""Admonitions: notes, tips and warnings of many generators, written as a quote with a bold title."""

from __future__ import annotations

import re
from itertools import groupby

from turbohtml import Element

from mcp_web.extract.html.write import inline, tables
from mcp_web.extract.html.write.state import MAX_INDENTS, Survey, WriterState, block_quote, first_element

_KINDS = {
    "note": "Note", "info": "Info", "tip": "Tip", "hint": "Hint", "important": "Important", "warning": "Warning",
    "caution": "Caution", "danger": "Danger", "error": "Error", "attention": "Attention", "seealso": "See also",
    "success": "Success", "question": "Question", "failure": "Failure", "bug": "Bug", "example": "Example",
    "abstract": "Abstract", "todo": "Todo", "deprecated": "Deprecated", "alert": "Alert", "remark": "Remark",
    "notice": "Notice", "critical": "Critical", "security": "Security", "experimental": "Experimental",
}  # fmt: skip
# Class names that are used only for admonitions; the others count only together with one of _FRAMES.
_CLEAR = frozenset(("note", "tip", "warning", "important", "caution", "danger", "attention", "seealso"))
_FRAMES = (
    "admonition", "admonitionblock", "callout", "theme-admonition", "custom-block", "markdown-alert", "notecard",
    "alert", "bs-callout", "hint", "starlight-aside", "message", "docs-callout", "info-box", "notification",
    "panel", "aside",
)  # fmt: skip
_NAMES = frozenset((*_KINDS, *_FRAMES))
_TAGS = frozenset(("div", "aside", "section", "blockquote", "details", "p", "table", "article", "figure", "li", "dl"))
_TITLES = (
    ":not(li,dd,td,th):is(.admonition-title,.callout-title,.custom-block-title,.markdown-alert-title,.alert-title,"
    ".alert-heading,.title,"
    "[class*=admonitionHeading],[class*=admonition-heading],.starlight-aside__title,.details-summary,summary,"
    "[class*=callout-title i],[class*=calloutTitle i],[class*=callout-heading i],.notecard-title,.message-header)"
)
_MOST = 500
_ICON = 20  # characters that may be before the title
_LARGE = 6000  # characters; a longer element is a section that has the same class name
_PART = re.compile(
    r"[-_]{0,2}(?:title|heading|header|content|icon|body|label|inner|text|container|wrapper)(?![a-z])", re.I
)
_WORD = re.compile(r"[a-z]+")


def mark_admonitions(state: WriterState, survey: Survey) -> None:
    """Record in `state.special` the admonitions (notes, tips, warnings) under a root, to be written by
    `write_admonition`."""
    found = survey.with_classes(_NAMES)
    if "dmonition" in survey.class_text or "allout" in survey.class_text:
        found.extend(survey.root.select("[class*=admonition],[class*=callout i],[data-callout]"))
    for element in found[:_MOST]:
        if element in state.special or element == survey.root or element.tag not in _TAGS or not kind_of(element):
            continue
        is_part = _PART.search(element.attr("class") or "") is not None
        if not is_part and len(element.text) < _LARGE and element.select_one("h1,h2") is None:
            state.special[element] = write_admonition


def kind_of(element: Element) -> str:
    """The kind of an admonition, such as "Note", by its classes; "" for other elements."""
    named = element.attr("data-callout") or element.attr("data-callout-type") or element.attr("data-type") or ""
    classes = f"{element.attr('class') or ''} {named}".lower()
    words = classes.split()
    framed = any(name in words for name in _FRAMES) or "admonition" in classes or "callout" in classes
    framed = framed or _own_title(element) is not None
    for word in words:
        if word in _CLEAR or (framed and word in _KINDS and word not in ("alert", "hint")):
            return _KINDS[word]
    if not framed:
        return ""
    for word in _WORD.findall(classes):
        if (word in _KINDS and word not in ("alert", "hint")) or word == "primary":
            return _KINDS.get(word, "Note")
    return "Hint" if "hint" in words else "Note" if "admonition" in classes or "callout" in classes else ""


def _own_title(element: Element) -> Element | None:
    """The first element inside, if its class says that it is the title of this one: "x-title" in "x note"."""
    first = first_element(element)
    names = (first.attr("class") or "").split() if first is not None and first.tag in ("div", "p", "span") else []
    around = (element.attr("class") or "").split()
    return first if any(f"{name}{joint}title" in names for name in around for joint in ("-", "__")) else None


def write_admonition(state: WriterState, element: Element, out: list[str]) -> None:
    """Append an admonition: its title in bold and its text as a quote, or as a table if DocBook made it one. Code is
    not quoted, so that it can be copied."""
    kind, framed = kind_of(element), _icon_table(element)
    title = element.select_one("th") if framed is not None else _title_of(element, kind)
    state.special.pop(element, None)
    if state.indents >= MAX_INDENTS:
        state.walk(state, element, out)
        return
    words = ""
    if title is not None:
        words = inline.one_line(inline.inner(state, title)).strip("*: ")
        state.inline_special[title] = ""
    if words.lower() in _KINDS:
        kind = _KINDS[words.lower()]
    elif kind.lower() in words.lower():
        kind = words[:1].upper() + words[1:]
    elif words:
        kind = f"{kind}: {words}"
    state.indents += 1
    inside = state.blocks_of(framed or _content_cell(element) or element)
    state.indents -= 1
    if not inside and not words:
        return
    if framed is not None and not any(block.startswith("```") for block in inside):
        out.append(f"| **{kind}** | {tables.in_cell(inside)} |\n| --- | --- |")
        return
    for is_code, group in groupby([f"**{kind}**", *inside], lambda block: block.startswith("```")):
        blocks = list(group)
        out.extend(blocks if is_code else [block_quote("\n\n".join(blocks))])


def _icon_table(element: Element) -> Element | None:
    """The cell with the text of an admonition that DocBook made a table of icon, title, text; None for others."""
    table = element if element.tag == "table" else element.select_one("table")
    cells = table.select("td") if table is not None else []
    if table is None or len(cells) != 2 or len(table.select("th")) != 1 or cells[0].text.strip():
        return None
    return cells[1] if _is_all_text(element, table) else None


def _content_cell(element: Element) -> Element | None:
    """The cell with the text of an admonition that Asciidoctor made a table of icon and text; None for others."""
    icon, cell = element.select_one("td.icon"), element.select_one("td.icon + td.content")
    return cell if icon is not None and cell is not None and _is_all_text(element, icon, cell) else None


def _is_all_text(element: Element, *parts: Element) -> bool:
    """Whether an element has no text beside that of the parts."""
    return element.text.split() == " ".join([part.text for part in parts]).split()


def _title_of(element: Element, kind: str) -> Element | None:
    """The element with the title of an admonition; None if it has none."""
    found = element.select_one("dt" if element.tag == "dl" else _TITLES)
    found = found or _own_title(element)
    before = element.text.partition(found.text or " ")[0] if found is not None else ""
    if found is not None and len(found.text.strip()) <= 120 and len(before.strip()) <= _ICON:
        return found
    for child in element:
        if isinstance(child, Element):
            first = child
            while len(first) and isinstance(first[0], Element) and first.tag in ("p", "div"):
                first = first[0]
            label = first.text.strip().rstrip(":").lower()
            return first if label in _KINDS or label == kind.lower() else None
    return None
