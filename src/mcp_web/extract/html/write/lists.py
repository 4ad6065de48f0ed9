"""Lists: bullets, numbers, and terms with their definitions."""

from __future__ import annotations

import re
from typing import TypeGuard

from turbohtml import Element, Node, Text

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.code import write_signature
from mcp_web.extract.html.write.state import MAX_INDENTS, WriterState, indented, integer

_LISTS = ("ul", "ol", "menu")
_LIST = re.compile(r"(?:-|\d+\.) ")  # begins a list; a paragraph that begins so is escaped
_TICKS = {"✓": "[x]", "✔": "[x]", "❏": "[ ]", "☐": "[ ]"}  # of a list that is declared a checklist


def write_list(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a list with bullets, or numbers if it is an `ol`; if it has headings in it, only the items' content."""
    # If items contain headings, they are sections of the page.
    if state.indents >= MAX_INDENTS or element.select_one("h1,h2,h3,h4,h5,h6") is not None:
        state.walk(state, element, out)
        return
    number = integer(element, "start", 1) if element.tag == "ol" else None
    items: list[tuple[str, list[str]]] = []  # the mark and the blocks of each
    is_checklist = element.has_class("checklist")  # Asciidoctor
    if is_checklist:
        for icon in element.select("i[class*=square]"):
            state.inline_special[icon] = "[x]" if "check" in (icon.attr("class") or "") else "[ ]"
    state.indents += 1
    for child in _children(element):
        is_item = child.tag not in _LISTS
        inside = state.blocks_of(child if is_item else [child])
        if inside and is_checklist and inside[0][0] in _TICKS:
            inside[0] = _TICKS[inside[0][0]] + inside[0][1:]
        if inside and items and not is_item:
            items[-1][1].extend(inside)  # a list directly in a list belongs to the item before it
        elif inside:
            mark = "- " if is_item else ""
            if number is not None and is_item:
                number = integer(child, "value", number)
                mark = f"{number}. "
                number += 1
            items.append((mark, inside))
    state.indents -= 1
    if items:
        # A list is tight if each item has only a paragraph and a nested list.
        is_tight = all(len(inside) == 1 or (len(inside) == 2 and _LIST.match(inside[1])) for _, inside in items)
        between = "\n" if is_tight else "\n\n"
        out.append(between.join(mark + indented(joined(inside), " " * len(mark)) for mark, inside in items))


def _children(element: Element) -> list[Element]:
    """The items of a list, and the lists in it. Text and links that are in no item become items, since browsers show
    them."""
    item: Element | None = None
    for child in list(element):
        is_text = isinstance(child, Text) and not child.data.isspace()
        if is_text or (type(child) is Element and child.tag in inline.INLINE and child.select_one("li") is None):
            if item is None:
                item = Element("li")
                child.insert_before(item)
            item.append(child)
        else:
            item = None
    return [child for child in element if type(child) is Element]


def joined(inside: list[str]) -> str:
    """The blocks of a list item as one text: a nested list follows without a blank line, other blocks with one."""
    text = inside[0]
    for block in inside[1:]:
        text += ("\n" if _LIST.match(block) and "\n\n" not in block else "\n\n") + block
    return text


def write_definitions(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a definition list: each term on its own line, its definition after a colon, further blocks indented; other
    content as it is. Of an API, known by class names, signatures and descriptions are paragraphs without colon."""
    signatures = element.select_one("dt.sig, dt[id].sig-object, dt > .sig-name, dt > .descname") is not None
    if signatures or state.indents >= MAX_INDENTS:
        # The signatures of an API: the term as a paragraph, its description below it, not indented.
        for child in entries(element):
            if _is_term(child) and child.select_one("h1,h2,h3,h4,h5,h6,pre,p,div") is None:
                write_signature(state, child, out)
            else:
                state.walk(state, [child], out)
        return
    terms: list[str] = []
    state.indents += 1
    for child in entries(element):
        if _is_term(child):
            terms.extend(_term(state, child))
        elif inside := state.blocks_of([child]):
            if isinstance(child, Element) and child.tag == "dd":
                if not inside[0].startswith(("\x00", "```", "|", "- ", "> ")):
                    terms.append(indented(": " + inside.pop(0), "  "))
                inside = ["  " + indented(block, "  ") for block in inside]
            out.append("\n\n".join(filter(None, ["\n".join(terms), *inside])))
            terms = []
    state.indents -= 1
    if terms:
        out.append("\n".join(terms))


def _is_term(node: Node) -> TypeGuard[Element]:
    return isinstance(node, Element) and node.tag == "dt"


def entries(element: Element) -> list[Node]:
    """The children of a definition list; instead of a `div` with terms (`dt`), its children."""
    found: list[Node] = []
    for child in element:
        is_group = isinstance(child, Element) and child.tag == "div" and any(map(_is_term, child))
        found.extend(child if is_group else [child])
    return found


def _term(state: WriterState, element: Element) -> list[str]:
    """The lines of a term, if any; a docutils classifier as `term : classifier`. Only CSS separates them, or a colon in
    an element of its own."""
    if element.select_one(".classifier") is not None:
        for delimiter in element.select(".classifier-delimiter"):
            delimiter.extract()
        for child in [child for child in element if isinstance(child, Element) and child.has_class("classifier")]:
            child.insert_before(Text(" : "))
        return [inline.one_line(inline.inner(state, element))]
    # Texinfo begins a term without a category with a colon, which in Markdown begins a definition.
    text = "  \n".join(state.blocks_of(element)).removeprefix(": ")
    return [text] if text else []
