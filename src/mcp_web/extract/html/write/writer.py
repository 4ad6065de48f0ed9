"""The entry point of the writer: content elements → Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from turbohtml import Element, Node

from mcp_web.extract.characters import clean_text
from mcp_web.extract.html.write import admonitions, blocks, code, footnotes, headings, inline, maths, tables
from mcp_web.extract.html.write.links import Links
from mcp_web.extract.html.write.state import Survey, Writer, WriterState
from mcp_web.extract.tabs import LABEL
from mcp_web.model.page import Heading, Link

_MARK = re.compile(r"\x00(\d+)\x00")
_BLOCK_IN_INLINE = (
    ":is(a,span,em,strong,b,i,u,font,label,ins,del,small,big,cite,mark,abbr,time,q,sub,sup,s,code,tt,samp,kbd,var,slot,bdi,"
    f"nobr,address) > :is({blocks.BLOCK_TAGS})"
)
# Elements that one generator of documentation writes with another meaning than their tag has: a class on its pages, the
# elements, and how they are written.
_BY_GENERATOR: tuple[tuple[str, str, Writer], ...] = (
    ("headertitle", "div.headertitle > div.title", headings.write_title),  # Doxygen
    ("memname", "table.memname", tables.write_as_code),
    ("caption", "#module-header > p.caption", headings.write_title),  # Haddock
    ("src", ".top > p.src,.subs > p.src", code.write_signature),
    ("summary-table", "div.summary-table", tables.write_columns),  # Javadoc
    ("member-signature", "div.member-signature", code.write_signature),
    ("type-signature", "div.type-signature", code.write_signature),
    ("RktBlk", ".RktBlk:not(table.RktBlk *)", code.write_code),  # Scribble sets each line as the row of a table
    ("hideme", "summary.hideme", inline.write_nothing),  # rustdoc shows it only while the `details` element is closed
)


@dataclass(frozen=True, slots=True)
class Written:
    """Markdown with the headings, links and images in it."""

    markdown: str
    headings: tuple[Heading, ...] = ()  # offsets into `markdown`
    links: tuple[Link, ...] = ()  # absolute, each once, in order
    images: tuple[Link, ...] = ()
    hidden: int = 0  # invisible characters removed from the text


def write_markdown(
    roots: Iterable[Node], base_url: str, classes: frozenset[str] | None = None, *, include_images: bool = False
) -> Written:
    """Write the chosen elements as Markdown, in the order given, and change them on the way. `classes`: the class names
    of the whole page, if they are known."""
    roots = list(roots)
    state = WriterState(Links(base_url), blocks.write_blocks, include_images, roots)
    found: list[str] = []
    for root in roots:
        _prepare(state, Survey(root, classes))
    footnotes.Footnotes(state).mark()
    for root in roots:
        blocks.write_blocks(state, [root], found)
    while found and found[-1] == "---":
        found.pop()
    return _finish(state, "\n\n".join(found))


def _prepare(state: WriterState, survey: Survey) -> None:
    """Record in the state the elements under a root that are written in a special way."""
    for element in survey.tagged:
        if element.attr(LABEL):
            state.special[element] = blocks.write_panel
    for name, selector, writer in _BY_GENERATOR:
        if name in survey.classes:
            state.special.update(dict.fromkeys(survey.root.select(selector), writer))
    inline.separate_badges(survey)
    maths.mark_formulas(state, survey)
    admonitions.mark_admonitions(state, survey)
    code.mark_code(state, survey)
    tables.mark_grids(state, survey)
    for element in survey.root.select(_BLOCK_IN_INLINE):
        parent = element.parent
        while isinstance(parent, Element) and parent.tag in inline.INLINE and parent not in state.blocky:
            state.blocky.add(parent)
            parent = parent.parent


def _finish(state: WriterState, marked: str) -> Written:
    """The result: `marked` without heading marks and invisible characters, the headings with their offsets in it, the
    links and images."""
    pieces = _MARK.split(marked)
    text, removed = clean_text(pieces[0])
    parts, length = [text], len(text)
    headings: list[Heading] = []
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        level, title, anchor = state.headings[int(number)]
        headings.append(Heading(level, clean_text(title)[0], length, anchor))
        text, count = clean_text(piece)
        parts.append(text)
        length += len(text)
        removed += count
    links, images = (
        tuple([Link(clean_text(one.text)[0], one.url) for one in found])
        for found in (state.links.all(), state.image_links())
    )
    return Written("".join(parts), tuple(headings), links, images, removed)
