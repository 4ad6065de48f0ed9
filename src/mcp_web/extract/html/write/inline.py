"""Inline content: the content of a paragraph, a heading, a cell."""

from __future__ import annotations

import re

from turbohtml import Element, Node, Text

from mcp_web.extract.html.write import images
from mcp_web.extract.html.write.escape import JOINT, code_span, escape, escape_brackets, escape_line_start, escape_links
from mcp_web.extract.html.write.state import MAX_DEPTH, Survey, Writer, WriterState
from mcp_web.text.inline import append_inline
from mcp_web.text.spaces import fold_spaces

BREAK = "\x00"  # a line break inside a run; HTML parsers replace NUL, so the text of a page never has it
_SIGNS = frozenset(("", "¶", "#", "§", "🔗", "⚓", "∞", "◆", "◇", "¤", "\u200b"))
_SIGN_WORDS = frozenset(("link", "permalink", "anchor", "copy link", "link to this heading", "direct link"))
# Names of pictures that link the other pages of a manual.
_PAGE_LINKS = frozenset(("", "next", "previous", "prev", "up", "top", "home", "contents", "back", "forward", "index"))
_ARROWS = " []()<>«»←→↑↓-=:."
_BADGES = frozenset(("mlabel", "badge", "label", "tag", "chip", "pill"))
# A name and its value, such as "Weight" and "24 kg", which are beside each other in two columns.
_PAIRS = ":is(div,li) > span[class]:first-child + span[class]:last-child"
_POWER = re.compile(r"[-+−]?(?:\d+|[a-zA-Z])(?:[-+−*/](?:\d+|[a-zA-Z]))*\Z")

# Tags whose content is written without marks, and tags that are not written.
_PLAIN = """
    span font small big abbr acronym cite dfn ins u mark time data output bdi bdo nobr label sub ruby rb rp rtc legend
    slot picture mjx-container mjx-math katex tex-math la-tex d-math
"""
NOTHING = """
    script style template noscript svg canvas select textarea option datalist head title meta link source track param
    area wbr button col colgroup progress meter noembed noframes frameset frame optgroup
"""


def write_children(state: WriterState, node: Node, out: list[str]) -> None:
    """Append the children of a node to `out` as inline Markdown."""
    if state.depth > MAX_DEPTH:
        out.append(escape(node.text))
        return
    state.depth += 1
    special = state.inline_special
    for child in node:
        if isinstance(child, Text):
            out.append(escape(child.data))
        elif isinstance(child, Element):
            ready = special.get(child) if special else None
            if ready is not None:
                out.append(ready)
            else:
                INLINE.get(child.tag, write_unknown)(state, child, out)
    state.depth -= 1


def inner(state: WriterState, node: Node) -> str:
    """The children of a node as one run of inline Markdown, with white space as it is and BREAK for line breaks."""
    parts: list[str] = []
    write_children(state, node, parts)
    return "".join(parts)


def one_line(run: str) -> str:
    """A run of inline Markdown on one line, complete: for headings, captions, terms and signatures."""
    return escape_links(fold_spaces(run.replace(BREAK, " ")))


def paragraphs(run: str) -> list[str]:
    """A run of inline Markdown as paragraphs: white space collapsed, single line breaks kept, split at double ones and
    around display formulas."""
    found: list[str] = []
    lines: list[str] = []
    for piece in [*run.split(BREAK), ""]:
        line = escape_links(fold_spaces(piece))
        if line.startswith("$$") and line.endswith("$$"):
            found.extend(["  \n".join(lines)] if lines else [])
            found.append(line)
            lines = []
        elif line:
            lines.append(escape_line_start(line))
        elif lines:
            found.append("  \n".join(lines))
            lines = []
    return found


def wrap(run: str, mark: str, out: list[str]) -> None:
    """Append a run of inline Markdown to `out` between marks; white space and line breaks at its ends stay outside.
    Without marks if it is empty, of several paragraphs, or has these marks at both ends."""
    core = run.strip()
    while core.startswith(BREAK) or core.endswith(BREAK):
        core = core.strip(BREAK).strip()
    if not core or BREAK + BREAK in core:
        out.append(run)
        return
    lead, _, tail = run.partition(core)
    if core.startswith(mark) and core.endswith(mark):
        mark = ""
    out.append(f"{lead}{mark}{core}{mark}{tail}")


def separate_badges(survey: Survey) -> None:
    """Insert a space before badges, labels and values that only their style separates from what is before. Highlighters
    have such classes too, in code."""
    for element in survey.with_classes(_BADGES):
        if isinstance(element.previous_sibling, Element) and element.closest("pre") is None:
            element.insert_before(Text(" "))
    for element in survey.root.select(_PAIRS):
        before, parent = element.previous_sibling, element.parent
        if not isinstance(before, Element) or parent is None or len(parent) != 2:
            continue
        if len(before.text) > 1 and before.text[-1].isalnum() and element.text[:1].isalnum():
            element.insert_before(Text(" "))


def write_unknown(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the content of an element of any other tag between spaces; of a custom element, with a hyphen in its tag,
    without them."""
    space = "" if "-" in element.tag else " "
    out.append(space)
    write_children(state, element, out)
    out.append(space)


def write_nothing(state: WriterState, element: Element, out: list[str]) -> None:
    """Write nothing, for an element that is left out."""


def marked(mark: str) -> Writer:
    """The writer of elements whose text stands between marks such as "**"; inside such marks, it adds none."""

    def write(state: WriterState, element: Element, out: list[str]) -> None:
        if mark in state.marks:
            write_children(state, element, out)
            return
        around = state.marks
        state.marks = around | {mark}
        run = inner(state, element)
        state.marks = around
        wrap(run, mark, out)

    return write


def write_caption(state: WriterState, element: Element, out: list[str], mark: str = "*") -> None:
    """Append the text of an element, if it has some, as a block in italics or between other marks."""
    if text := one_line(inner(state, element)):
        out.append(text if mark in text else f"{mark}{text}{mark}")


def write_superscript(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a superscript: with "^" if it is a power, as in "10^6", else as plain text."""
    run = inner(state, element)
    text = run.strip()
    # 10<sup>6</sup> must not become 106; 1<sup>st</sup> may become 1st.
    is_ordinal = text.lower() in ("st", "nd", "rd", "th", "e", "o", "a")
    is_power = _POWER.match(text) and out and out[-1][-1:].isalnum() and not is_ordinal
    out.append(f"^{text}" if is_power else run)


def write_annotation(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a ruby annotation, in parentheses unless the page has its own."""
    run = inner(state, element).strip()
    if run:
        before = element.previous_sibling
        framed = isinstance(before, Element) and before.tag == "rp"
        out.append(run if framed else f"({run})")


def write_code(state: WriterState, element: Element, out: list[str]) -> None:
    """Append inline code, as several code spans if it has links or line breaks. In a heading, a link or a cell, code
    with "<" is written as text."""
    text = element.text
    if (state.in_heading or state.in_link or state.in_cell) and "<" in text:
        write_children(state, element, out)  # programs that strip tags would lose `<T>` in code
    elif state.in_link or element.select_one("a[href],br") is None:
        append_inline(out, _spaced_code(text))
    else:
        write_linked_code(state, element, out)


def write_linked_code(state: WriterState, element: Element, out: list[str]) -> None:
    """Append code with links or line breaks: a code span in each link, and others for the code between them."""
    held: list[str] = []
    inside: Element | None = None
    for node in element.descendants:
        if isinstance(node, Element) and node.tag == "a" and node.attr("href"):
            _flush_code(held, out)
            inside = node
            write_link(state, node, out, code=True)
        elif isinstance(node, Element) and node.tag == "br":
            _flush_code(held, out)
            out.append(BREAK)
        elif isinstance(node, Text) and not (inside is not None and inside in node.ancestors):
            inside = None
            held.append(node.data)
    _flush_code(held, out)


def _flush_code(held: list[str], out: list[str]) -> None:
    """Append the held pieces of code to `out` as one code span, and clear them."""
    text = "".join(held)
    if text.isspace():
        out.append(" ")
    elif text:
        append_inline(out, _spaced_code(text))
    held.clear()


def _spaced_code(text: str) -> str:
    """A code span, with a space outside of it for white space at an end of the code; only a space for white space."""
    span = code_span(text)
    if not span:
        return " " if text else ""
    lead = " " if text[0].isspace() else ""
    return f"{lead}{span}{' ' if text[-1].isspace() else ''}"


def write_link(state: WriterState, element: Element, out: list[str], code: bool = False) -> None:
    """Append a link, its text as `code` if asked; only the text if its URL cannot be followed, inside another link, and
    for the link of a heading to itself. A link that is only a sign, such as "¶", is left out."""
    href = "" if state.in_link else element.attr("href") or ""
    if "#" in href and is_permalink(state, element):
        return
    url = state.links.resolve(href)
    # The link of a heading to itself is left out.
    if url is None or (state.in_heading and state.links.is_here(url)):
        out.append(_spaced_code(element.text) if code else inner(state, element))
        return
    state.in_link = True
    run = _spaced_code(element.text) if code else inner(state, element)
    state.in_link = False
    text = fold_spaces(run.replace(BREAK, " ")) or _picture_label(state, element, href, url)
    if not text:
        out.append(" " if run else "")
        return
    text = escape_brackets(text)
    state.links.remember(url, text.replace(JOINT, ""))
    # `!` right before a link would make it an image.
    lead = " " if run[:1].isspace() or (out and out[-1].endswith("!")) else ""
    tail = " " if run[-1:].isspace() else ""
    out.append(f"{lead}[{text}]{JOINT}({url}){tail}")


def _picture_label(state: WriterState, element: Element, href: str, url: str) -> str:
    """The text of a link without text: the alternative text of its image; "" if that says only "next" or so, if a link
    with text has the same URL, or if the URL is that of an image."""
    if images.is_picture(url):
        return ""
    label = images.label_of(element)
    is_named = label.strip(_ARROWS).lower() not in _PAGE_LINKS
    return label if is_named and href not in state.text_link_targets else ""


def is_permalink(state: WriterState, element: Element) -> bool:
    """Whether a link is only a sign, such as "¶", that offers the URL of its own section."""
    text = element.text.strip().lower()
    if text in _SIGNS:
        return element.select_one("img,svg") is None or state.in_heading
    if text not in _SIGN_WORDS:
        return False
    return state.in_heading or any(word in (element.attr("class") or "") for word in ("anchor", "header", "permalink"))


def write_embed(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a link to what a frame or player shows; nothing inside another link, or if there is no URL to show."""
    link = "" if state.in_link else images.embed(state, element)
    if link:
        out.append(f" {link} ")


def write_input(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the checkbox of a list item, as in a task list; other inputs are left out."""
    if (element.attr("type") or "").lower() == "checkbox" and element.closest("li") is not None:
        out.append("[x] " if element.attr("checked") is not None else "[ ] ")


INLINE: dict[str, Writer] = {
    **dict.fromkeys(_PLAIN.split(), write_children),
    **dict.fromkeys(NOTHING.split(), write_nothing),
    **dict.fromkeys(("iframe", "video", "audio", "object", "embed"), write_embed),
    **dict.fromkeys(("b", "strong"), marked("**")),
    **dict.fromkeys(("i", "em", "var"), marked("*")),
    **dict.fromkeys(("s", "del", "strike"), marked("~~")),
    **dict.fromkeys(("code", "kbd", "samp", "tt", "listing"), write_code),
    "a": write_link,
    "br": lambda state, element, out: out.append(BREAK),
    "q": lambda state, element, out: out.append(f'"{inner(state, element).strip()}"'),
    "sup": write_superscript,
    "rt": write_annotation,
    "img": lambda state, element, out: out.append(images.image(state, element)),
    "math": write_nothing,
    "input": write_input,
}
