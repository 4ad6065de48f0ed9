"""Blocks: walks a container, joins inline content to paragraphs, and calls the writer of every other block."""

from __future__ import annotations

from turbohtml import Element, Node, Text

from mcp_web.extract.html.write import code, headings, lists, tables, tags
from mcp_web.extract.html.write.draft import MAX_DEPTH, MAX_INDENTS, Writer, WriterState, quoted
from mcp_web.extract.html.write.escape import escape
from mcp_web.extract.html.write.inline import INLINE, inner, one_line, paragraphs, write_children, write_nothing
from mcp_web.extract.tabs import LABEL


def write_blocks(draft: WriterState, node: Node, out: list[str]) -> None:
    """Append the content of a container to `out`, as blocks."""
    if draft.depth > MAX_DEPTH:
        out.extend(paragraphs(escape(node.text)))
        return
    draft.depth += 1
    run: list[str] = []
    special, inline_special, blocky = draft.special, draft.inline_special, draft.blocky
    for child in node:
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
                if write is None and "-" in tag and child.select_one(tags.BLOCK_SELECTOR) is None:
                    inline = write_children
            if inline is not None and not (blocky and child in blocky):
                inline(draft, child, run)
                continue
            write = write or BLOCKS.get(tag, write_blocks)
        if run:
            out.extend(paragraphs("".join(run)))
            run = []
        write(draft, child, out)
    if run:
        out.extend(paragraphs("".join(run)))
    draft.depth -= 1


def write_quote(draft: WriterState, element: Element, out: list[str]) -> None:
    if draft.indents >= MAX_INDENTS or _only_indents(element):
        write_blocks(draft, element, out)
        return
    draft.indents += 1
    inside = draft.blocks_of(element)
    draft.indents -= 1
    if inside:
        out.append(quoted("\n\n".join(inside)))


def _only_indents(element: Element) -> bool:
    """Whether a `blockquote` is used for indentation: around sections or code in old manuals, anything by docutils."""
    if element.select_one("h1,h2") is not None or len(element.select("h3,h4")) > 1:
        return True
    inside = [
        child for child in element if isinstance(child, Element) or (isinstance(child, Text) and child.data.strip())
    ]
    if not all(isinstance(child, Element) for child in inside):
        return False
    if all(isinstance(child, Element) and child.tag in ("pre", "table", "dl", "ul", "ol") for child in inside):
        return True
    return (
        len(inside) == 1 and isinstance(inside[0], Element) and inside[0].tag == "div" and not inside[0].attr("class")
    )


def write_rule(draft: WriterState, element: Element, out: list[str]) -> None:
    if out and out[-1] != "---":
        out.append("---")


def write_panel(draft: WriterState, element: Element, out: list[str]) -> None:
    """A tab panel: the label of its tab in bold, then its content."""
    inside = draft.blocks_of(element)
    if inside:
        out.extend([f"**{escape(element.attr(LABEL) or '')}**", *inside])


def write_summary(draft: WriterState, element: Element, out: list[str]) -> None:
    if element.select_one("h1,h2,h3,h4,h5,h6,p,div,section,pre,table,ul,ol") is not None:
        write_blocks(draft, element, out)
        return
    text = one_line(inner(draft, element))
    if text:
        out.append(text if "**" in text else f"**{text}**")


def write_caption(draft: WriterState, element: Element, out: list[str]) -> None:
    text = one_line(inner(draft, element))
    if text:
        out.append(text if "*" in text else f"*{text}*")


def write_block_link(draft: WriterState, element: Element, out: list[str]) -> None:
    """A link around blocks (a card): the first block becomes the link, the rest is text."""
    href = element.attr("href")
    url = draft.links.resolve(href) if href and not draft.in_link else None
    if url is None or (draft.links.is_here(url) and element.select_one("h1,h2,h3,h4,h5,h6") is not None):
        write_blocks(draft, element, out)  # the link of a heading to itself is left out
        return
    draft.in_link = True
    inside = draft.blocks_of(element)
    draft.in_link = False
    for at, block in enumerate(inside):
        linked = headings.with_link(block, url)
        if linked is not None:
            inside[at] = linked
            draft.links.remember(url, one_line(block.rpartition("\x00")[2].lstrip("# ")))
            break
    out.extend(inside)


BLOCKS: dict[str, Writer] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), headings.write_heading),
    **dict.fromkeys(("ul", "menu", "dir"), lists.write_bullets),
    **dict.fromkeys(("ol",), lists.write_numbers),
    "dl": lists.write_definitions,
    **dict.fromkeys(("pre", "listing", "xmp"), code.write_code),
    "table": tables.write_table,
    **dict.fromkeys(("p", "div", "section", "article", "figure", "main", "details"), write_blocks),
    "blockquote": write_quote,
    "hr": write_rule,
    "summary": write_summary,
    "figcaption": write_caption,
    "a": write_block_link,
    **dict.fromkeys(tags.NOTHING, write_nothing),
}
