"""Lists: bullets, numbers, and terms with their definitions."""

from __future__ import annotations

from turbohtml import Element, Text

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.code import write_signature
from mcp_web.extract.html.write.state import MAX_INDENTS, WriterState, indented

_LISTS = ("ul", "ol", "menu")


def write_list(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a list with bullets, or numbers if it is an `ol`; if it has headings in it, only the items' content."""
    start = element.attr("start") or "1"
    number = (int(start) if start.isdigit() and len(start) < 10 else 1) if element.tag == "ol" else None
    # If items contain headings, they are sections of the page.
    if state.indents >= MAX_INDENTS or element.select_one("h1,h2,h3,h4,h5,h6") is not None:
        for child in element:
            if isinstance(child, Element):
                state.walk(state, child, out)
        return
    items: list[tuple[str, list[str]]] = []  # the mark and the blocks of each
    state.indents += 1
    for child in element:
        if type(child) is not Element:
            continue
        # A list directly in a list belongs to the item before it; if there is none, it is part of the outer list.
        inside: list[str] = []
        (write_list if child.tag in _LISTS else state.walk)(state, child, inside)
        if not inside:
            continue
        if child.tag in _LISTS:
            if items:
                items[-1][1].extend(inside)
            else:
                items.append(("", inside))
            continue
        if number is None:
            mark = "- "
        else:
            value = child.attr("value") or ""
            number = int(value) if value.isdigit() and len(value) < 10 else number
            mark = f"{number}. "
            number += 1
        items.append((mark, inside))
    state.indents -= 1
    if items:
        # A list is tight if each item has only a paragraph and a nested list.
        is_tight = all(len(inside) == 1 or (len(inside) == 2 and _is_list(inside[1])) for _, inside in items)
        between = "\n" if is_tight else "\n\n"
        out.append(between.join(mark + indented(joined(inside), " " * len(mark)) for mark, inside in items))


def _is_list(block: str) -> bool:
    """Whether a block of Markdown is a list."""
    return block.startswith("- ") or block[: block.find(".") + 1].rstrip(".").isdigit()


def joined(inside: list[str]) -> str:
    """The blocks of a list item as one text: a nested list follows without a blank line, other blocks with one."""
    text = inside[0]
    for block in inside[1:]:
        text += ("\n" if _is_list(block) and "\n\n" not in block else "\n\n") + block
    return text


def write_definitions(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a definition list: each term on its own line, its definition after a colon, further blocks indented. The
    signatures of an API and their descriptions are not indented."""
    signatures = element.select_one("dt.sig, dt[id].sig-object, dt > .sig-name, dt > .descname") is not None
    if signatures or state.indents >= MAX_INDENTS:
        # The signatures of an API: the term as a paragraph, its description below it, not indented.
        for child in entries(element):
            is_flat = child.tag == "dd" or child.select_one("h1,h2,h3,h4,h5,h6,pre,p,div") is not None
            (state.walk if is_flat else write_signature)(state, child, out)
        return
    terms: list[str] = []
    state.indents += 1
    for child in entries(element):
        if child.tag == "dt":
            terms.extend(_term(state, child))
            continue
        inside = state.blocks_of(child)
        if inside:
            first = "" if inside[0].startswith(("\x00", "```", "|", "- ", "> ")) else inside.pop(0)
            entry = "\n".join([*terms, indented(": " + first, "  ")] if first else terms)
            body = "\n\n".join(inside)
            out.append(entry + ("\n\n  " + indented(body, "  ") if body else ""))
            terms = []
    state.indents -= 1
    if terms:
        out.append("\n".join(terms))


def entries(element: Element) -> list[Element]:
    """The terms and definitions (`dt`, `dd`) of a list, including those inside a `div`, in order."""
    found: list[Element] = []
    for child in element:
        if type(child) is Element:
            if child.tag in ("dt", "dd"):
                found.append(child)
            elif child.tag == "div":
                found.extend(node for node in child if type(node) is Element and node.tag in ("dt", "dd"))
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
    return ["  \n".join(state.blocks_of(element)).removeprefix(": ")] if element.text.strip() else []
