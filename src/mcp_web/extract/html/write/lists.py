"""Lists: bullets, numbers, and terms with their definitions."""

from __future__ import annotations

from turbohtml import Element

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.code import write_signature
from mcp_web.extract.html.write.draft import MAX_INDENTS, WriterState, indented

_LISTS = ("ul", "ol", "menu")


def write_bullets(draft: WriterState, element: Element, out: list[str]) -> None:
    _write_items(draft, element, out, None)


def write_numbers(draft: WriterState, element: Element, out: list[str]) -> None:
    start = element.attr("start") or "1"
    _write_items(draft, element, out, int(start) if start.isdigit() and len(start) < 10 else 1)


def _write_items(draft: WriterState, element: Element, out: list[str], number: int | None) -> None:
    # If items contain headings, they are sections of the page.
    if draft.indents >= MAX_INDENTS or element.select_one("h1,h2,h3,h4,h5,h6") is not None:
        for child in element:
            if isinstance(child, Element):
                draft.walk(draft, child, out)
        return
    items: list[tuple[str, list[str]]] = []  # the mark and the blocks of each
    draft.indents += 1
    for child in element:
        if type(child) is not Element:
            continue
        # A list directly in a list belongs to the item before it; if there is none, it is part of the outer list.
        inside: list[str] = draft.blocks_of(child) if child.tag not in _LISTS else _nested(draft, child)
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
    draft.indents -= 1
    if items:
        between = "\n\n" if any(_is_loose(inside) for _, inside in items) else "\n"
        out.append(between.join(mark + indented(joined(inside), " " * len(mark)) for mark, inside in items))


def _nested(draft: WriterState, element: Element) -> list[str]:
    found: list[str] = []
    (write_numbers if element.tag == "ol" else write_bullets)(draft, element, found)
    return found


def _is_list(block: str) -> bool:
    return block.startswith("- ") or block[: block.find(".") + 1].rstrip(".").isdigit()


def _is_loose(inside: list[str]) -> bool:
    return len(inside) > 2 or (len(inside) == 2 and not _is_list(inside[1]))


def joined(inside: list[str]) -> str:
    """The blocks of an item: a nested list follows without a blank line, other blocks with one."""
    text = inside[0]
    for block in inside[1:]:
        text += ("\n" if _is_list(block) and "\n\n" not in block else "\n\n") + block
    return text


def write_definitions(draft: WriterState, element: Element, out: list[str]) -> None:
    """Each term on its own line, its definition after a colon, further blocks indented."""
    signatures = element.select_one("dt.sig, dt[id].sig-object, dt > .sig-name, dt > .descname") is not None
    if signatures or draft.indents >= MAX_INDENTS:
        _write_flat(draft, element, out)
        return
    terms: list[str] = []
    draft.indents += 1
    for child in _entries(element):
        if child.tag == "dt":
            terms.extend(_term(draft, child))
            continue
        inside = draft.blocks_of(child)
        if inside:
            first = "" if inside[0].startswith(("\x00", "```", "|", "- ", "> ")) else inside.pop(0)
            entry = "\n".join([*terms, indented(": " + first, "  ")] if first else terms)
            body = "\n\n".join(inside)
            out.append(entry + ("\n\n  " + indented(body, "  ") if body else ""))
            terms = []
    draft.indents -= 1
    if terms:
        out.append("\n".join(terms))


def _entries(element: Element) -> list[Element]:
    """The terms and definitions of a list, including those inside a div."""
    found: list[Element] = []
    for child in element:
        if type(child) is Element:
            if child.tag in ("dt", "dd"):
                found.append(child)
            elif child.tag == "div":
                found.extend(node for node in child if type(node) is Element and node.tag in ("dt", "dd"))
    return found


def _term(draft: WriterState, element: Element) -> list[str]:
    if element.select_one(".classifier") is not None:
        return [_classified(draft, element)]
    return ["  \n".join(draft.blocks_of(element))] if element.text.strip() else []


def _classified(draft: WriterState, element: Element) -> str:
    """A term and its docutils classifier as `term : classifier`; on the page only CSS separates them."""
    parts: list[str] = []
    for child in element:
        if isinstance(child, Element) and child.has_class("classifier"):
            parts.append(" : ")
        inline.write_node(draft, child, parts)
    return inline.one_line("".join(parts))


def _write_flat(draft: WriterState, element: Element, out: list[str]) -> None:
    """The signatures of an API: the term as a paragraph, its description below it, not indented."""
    for child in _entries(element):
        if child.tag == "dd":
            draft.walk(draft, child, out)
            continue
        if child.select_one("h1,h2,h3,h4,h5,h6,pre,p,div") is not None:
            draft.walk(draft, child, out)
            continue
        write_signature(draft, child, out)
