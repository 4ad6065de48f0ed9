"""Blocks: walks a container, joins inline content to paragraphs, and calls the writer of every other block."""

from __future__ import annotations

from collections.abc import Iterable

from turbohtml import Element, Node, Text

from mcp_web.extract.html.write import code, headings, lists, tables
from mcp_web.extract.html.write.escape import escape
from mcp_web.extract.html.write.inline import (
    INLINE,
    NOTHING,
    paragraphs,
    write_caption,
    write_children,
    write_nothing,
)
from mcp_web.extract.html.write.state import MAX_DEPTH, MAX_INDENTS, Writer, WriterState, block_quote
from mcp_web.extract.tabs import LABEL

BLOCK_TAGS = (
    "p,div,ul,ol,dl,table,pre,h1,h2,h3,h4,h5,h6,section,article,figure,blockquote,details,hr,header,footer,aside,main"
)


def write_blocks(state: WriterState, nodes: Iterable[Node], out: list[str]) -> None:
    """Append the child nodes of a container, or the given nodes, to `out`, as blocks of Markdown."""
    if state.depth > MAX_DEPTH:
        out.extend(paragraphs(escape("".join([node.text for node in nodes]))))
        return
    state.depth += 1
    run: list[str] = []
    special, inline_special, blocky = state.special, state.inline_special, state.blocky
    for child in nodes:
        if isinstance(child, Text):
            data = child.data
            if run or not data.isspace():
                run.append(escape(data))
            continue
        if not isinstance(child, Element):
            continue
        write: Writer | None = special.get(child) if special else None
        if write is None:
            ready = inline_special.get(child) if inline_special else None
            if ready is not None:
                run.append(ready)
                continue
            tag = child.tag
            inline = INLINE.get(tag)
            if inline is None:
                write = BLOCKS.get(tag)
                # Custom elements are inline unless they contain blocks.
                if write is None and "-" in tag and child.select_one(BLOCK_TAGS) is None:
                    inline = write_children
            if inline is not None and not (blocky and child in blocky):
                inline(state, child, run)
                continue
            write = write or BLOCKS.get(tag, write_blocks)
        if run:
            out.extend(paragraphs("".join(run)))
            run = []
        write(state, child, out)
    if run:
        out.extend(paragraphs("".join(run)))
    state.depth -= 1


def write_quote(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a quote; if the element is only used for indentation, its content as it is."""
    if state.indents >= MAX_INDENTS or _only_indents(element):
        write_blocks(state, element, out)
        return
    state.indents += 1
    inside = state.blocks_of(element)
    state.indents -= 1
    if inside:
        out.append(block_quote("\n\n".join(inside)))


def _only_indents(element: Element) -> bool:
    """Whether a `blockquote` only indents: it has headings, only lists, tables or code, or the `div` of docutils."""
    if element.select_one("h1,h2") is not None or len(element.select("h3,h4")) > 1:
        return True
    if any(isinstance(child, Text) and child.data.strip() for child in element):
        return False
    inside = [child for child in element if isinstance(child, Element)]
    if all(child.tag in ("pre", "table", "dl", "ul", "ol") for child in inside):
        return True
    return len(inside) == 1 and inside[0].tag == "div" and not inside[0].attr("class")


def write_rule(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a thematic break, unless it would be the first block or follow another one."""
    if out and out[-1] != "---":
        out.append("---")


def write_panel(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a tab panel that has content: the label of its tab in bold, then the content."""
    inside = state.blocks_of(element)
    if inside:
        out.extend([f"**{escape(element.attr(LABEL) or '')}**", *inside])


def write_summary(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the summary of a `details` element in bold; if it contains blocks, these as they are."""
    if element.select_one("h1,h2,h3,h4,h5,h6,p,div,section,pre,table,ul,ol") is not None:
        write_blocks(state, element, out)
    else:
        write_caption(state, element, out, "**")


def write_block_link(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the content of a link around blocks (a card): the first heading or paragraph becomes the link."""
    href = element.attr("href")
    url = state.links.resolve(href) if href and not state.in_link else None
    if url is None or (state.links.is_here(url) and element.select_one("h1,h2,h3,h4,h5,h6") is not None):
        write_blocks(state, element, out)  # the link of a heading to itself is left out
        return
    state.in_link = True
    inside = state.blocks_of(element)
    state.in_link = False
    for index, block in enumerate(inside):
        linked = headings.with_link(block, url)
        if linked is not None:
            inside[index] = linked
            state.links.remember(url, block.rpartition("\x00")[2].lstrip("# "))
            break
    out.extend(inside)


# The writers of blocks; other elements are written as containers.
BLOCKS: dict[str, Writer] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), headings.write_heading),
    **dict.fromkeys(("ul", "menu", "dir", "ol"), lists.write_list),
    "dl": lists.write_definitions,
    **dict.fromkeys(("pre", "listing", "xmp"), code.write_code),
    "table": tables.write_table,
    "blockquote": write_quote,
    "hr": write_rule,
    "summary": write_summary,
    "figcaption": write_caption,
    "a": write_block_link,
    **dict.fromkeys(NOTHING.split(), write_nothing),
}
