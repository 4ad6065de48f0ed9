"""Code blocks: the code as it was typed, in a fence with its language."""

from __future__ import annotations

import re

from turbohtml import Element, Node, Text

from mcp_web.extract.html.write.inline import one_line, write_caption, write_linked_code, write_nothing
from mcp_web.extract.html.write.language import label_language, language_of
from mcp_web.extract.html.write.state import MAX_DEPTH, Survey, WriterState, first_element
from mcp_web.extract.markdown import fence

_SPACES = re.compile(r"[ \t\n\r\f]+")
_NUMBERS = re.compile(r"[\s\d.:|>+\-]*\Z")
_GUTTERS = frozenset(
    """
    lineno linenos line-number line-numbers line-numbers-rows linenumber linenumbers ln lnt lnlinks gutter gl lnum
    hljs-ln-numbers hljs-ln-n rouge-gutter blob-num code-gutter react-syntax-highlighter-line-number linenodiv
    CodeMirror-linenumber CodeMirror-gutter cm-gutters cm-lineNumbers line-num lineNumber codeLineNumber
    token-line-number rsh-line-number LineNumber ace_gutter code-line-number lntd src-line-numbers rust-line-numbers
    """.split()  # noqa: SIM905
)
# Elements for which the plain text of the block is not the code: then its tree is walked.
_NOT_PLAIN = (
    "br,button,style,script,svg,select,div,p,li,tr,[data-line],[data-line-number],[style*=user-select i],"
    "[class*=line i],.ln,.lnt,.gutter,.gl,[class*=copy i],.blob-num"
)
_SKIPPED = frozenset(("button", "style", "script", "svg", "select", "textarea", "template", "noscript"))
_TOOLBAR = re.compile(
    r"copy|toolbar|header|actions|tooltip|code-?lang|clipboard|lang(?:uage)?-?(?:id|label|name)", re.I
)
_LINES = frozenset(
    ("line", "token-line", "code-line", "view-line", "cm-line", "CodeMirror-line", "codeline", "hljs-line")
)
_BLOCKS = frozenset(("div", "p", "li", "tr", "ol", "ul", "table", "tbody"))
_COPY = frozenset(("copy", "copy code", "copied", "copied!", "copy to clipboard", "copy snippet", "expand", "run"))

_TABLES = frozenset(
    ("highlighttable", "lntable", "rouge-table", "hljs-ln", "syntaxhighlighter", "listing_frame", "source_code")
)
_GUTTER_CELLS = "td.gutter,td.linenos,td.lineno,td.blob-num,td.lntd,td.rouge-gutter,td.hljs-ln-numbers,.line-number"
# Classes of code that is not in a `pre`: Doxygen, editors, some highlighters.
_BOXES = frozenset(("fragment", "CodeMirror-code", "cm-content", "block", "syntaxhighlighter"))
_CALLOUTS = frozenset(("conum",))
_NUMBER_BOXES = frozenset(("line-numbers-wrapper", "line-numbers-rows", "line-numbers", "linenodiv", "gutter"))
_PLAIN_BOXES = frozenset(("code-block", "codeblock", "code", "source-code", "sourceCode", "program", "programlisting"))
_LINES_OF_CODE = ":is(p,div,td,dd,li,blockquote,center,body,section,main) > :is(code,tt,samp):only-child br"
_STRUCTURE = "pre,p,div,ul,ol,table,h1,h2,h3,h4,h5,h6,img"


def mark_code(state: WriterState, survey: Survey) -> None:
    """Record in `state.special` code outside of a `pre`, tables that lay out code, and line numbers to leave out."""
    for table in survey.tagged:
        if table.tag == "table" and _is_code_table(table):
            state.special[table] = write_code_table
    for element in survey.with_classes(_CALLOUTS):
        # Asciidoctor: only the style shows the number, and hides the same one in the element after.
        after = first_element(element.next_siblings)
        number = element.attr("data-value")
        if number and not element.text and (after is None or after.text.strip("()") != number):
            element.append(Text(f"({number})"))
    for element in survey.with_classes(_NUMBER_BOXES):
        if _NUMBERS.match(element.text):
            state.special[element] = write_nothing
    for element in survey.with_classes(_BOXES):
        is_code = element.tag == "code" if element.has_class("block") else element.tag != "table"
        if is_code and (not element.has_class("fragment") or element.select_one(".line") is not None):
            state.special[element] = write_code
    for element in survey.with_classes(_PLAIN_BOXES):
        if "\n" in element.text.strip() and element.select_one(_STRUCTURE) is None and element.tag == "div":
            state.special[element] = write_code
    for line_end in survey.root.select(_LINES_OF_CODE):
        line_code = line_end.closest("code,tt,samp")
        if line_code is not None and _is_whole_block(line_code):
            state.special[line_code] = write_code_lines
    if "language-" in survey.class_text:
        for element in survey.root.select(
            ":not(pre,p,li,td,dt,dd,a,span,h1,h2,h3,h4) > code[class*=language-]:only-child,"
            "div[class*=language-] > div > code:only-child"
        ):
            if "\n" in element.text and element.select_one("pre") is None:
                state.special[element] = write_code


def write_code_lines(state: WriterState, element: Element, out: list[str]) -> None:
    """Append code whose lines are separated by `<br>` as a fenced block; other white space is folded."""
    lines: list[list[str]] = [[]]
    for node in element.descendants:
        if isinstance(node, Text):
            lines[-1].append(node.data)
        elif isinstance(node, Element) and node.tag == "br":
            lines.append([])
    text = "\n".join([_SPACES.sub(" ", "".join(line)).strip(" ") for line in lines])
    out.append(fenced(text.replace("\xa0", " "), language_of(element)))


def write_signature(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the declaration of an API as one line of inline code, its links kept."""
    parts: list[str] = []
    write_linked_code(state, element, parts)
    text = one_line("".join(parts))
    if text:
        out.append(text)


def _is_whole_block(element: Element) -> bool:
    """Whether an element has all the text of its parent, and contains no blocks."""
    parent = element.parent
    is_all = parent is not None and parent.text.strip() == element.text.strip()
    return is_all and element.select_one(_STRUCTURE) is None


def _is_code_table(table: Element) -> bool:
    """Whether a table is only the layout of code with line numbers."""
    if table.select_one("table") is not None:
        return False
    if not _TABLES.isdisjoint((table.attr("class") or "").split()):
        return True
    if table.select_one("th") is not None:
        return False
    blocks = table.select("pre")
    cell = table.select_one(_GUTTER_CELLS)
    if (cell is None or _NUMBERS.match(cell.text) is None) and not (len(blocks) == 2 and _numbers_lines(*blocks)):
        return False
    return not blocks or _letters(table.text) == _letters("".join([block.text for block in blocks]))


def _numbers_lines(numbers: Element, code: Element) -> bool:
    """Whether the text of `numbers` is consecutive numbers, from 1 or more, not more of them than `code` has lines."""
    found = numbers.text.split()
    first = int(found[0]) if found and found[0].isdecimal() and len(found[0]) < 10 else 0
    is_counted = found == [str(number) for number in range(first, first + len(found))]
    return bool(first) and is_counted and len(found) <= text_of(code).count("\n") + 1


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def write_code(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a code block; an element without code as its content. A label (its language) and the text of a copy button
    at the end of `out` are removed."""
    text = text_of(element)
    if not text.strip():
        state.walk(state, element, out)
        return
    language = language_of(element)
    while out and out[-1].lower() in _COPY:
        out.pop()
    named = label_language(out[-1]) if out else None
    if named is not None and (not language or named[:2] == language[:2]):
        out.pop()
        language = language or named
    out.append(fenced(text, language))


def write_code_table(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the captions and the code in a table of a highlighter, with one column of line numbers and one of code."""
    for label in element.select("caption,th"):
        write_caption(state, label, out)
    blocks = [pre for pre in element.select("pre") if not _NUMBERS.match(pre.text)]
    cells = [cell for cell in element.select("td") if not _is_gutter(cell)]
    has_all = _letters("".join([cell.text for cell in cells])) == _letters("".join([block.text for block in blocks]))
    text = "\n".join(text_of(part).strip("\n") for part in (blocks if blocks and has_all else cells))
    if text.strip():
        language = language_of(blocks[0]) if blocks else ""
        out.append(fenced(text, language or language_of(element, blocks=2)))


def fenced(text: str, language: str) -> str:
    """The code in a fence, without blank lines at its ends and without the indentation that all lines share."""
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return fence("\n".join(_without_margin("\n".join(lines).strip("\n").split("\n"))), language)


def _without_margin(lines: list[str]) -> list[str]:
    """The lines without the spaces that all of them begin with. If only the first line has none, and all others share
    exactly one, they lose that, unless they are a `/*` comment."""
    begin = 0 if lines[:1] and lines[0][:1] == " " else 1
    margin = min([len(line) - len(line.lstrip(" ")) for line in lines[begin:] if line], default=0)
    if begin and (margin != 1 or len(lines) < 3 or lines[0].startswith("/*")):
        return lines
    return [*lines[:begin], *[line[margin:] for line in lines[begin:]]]


def text_of(element: Element) -> str:
    """The code in an element without line numbers, buttons and headers, one line for each line that the page shows."""
    if element.select_one(_NOT_PLAIN) is None:
        text = element.text
    else:
        parts: list[str] = []
        _collect(element, parts, 0)
        text = "".join(parts)
    return text.replace("\xa0", " ").replace("\u200b", "")


def _collect(node: Node, parts: list[str], depth: int) -> None:
    """Append the code in a node to `parts`, line ends included; `depth`: the levels between it and the block."""
    if depth > MAX_DEPTH:
        parts.append(node.text)
        return
    after_block = False
    for child in node:
        if isinstance(child, Text):
            # White space between the elements of two lines is not code.
            if not (after_block and child.data.isspace()):
                parts.append(child.data)
        elif isinstance(child, Element):
            tag = child.tag
            after_block = tag in _BLOCKS
            if tag == "br":
                parts.append("\n")
            elif tag not in _SKIPPED and not _is_gutter(child):
                classes = child.attr("class") or ""
                if after_block and _TOOLBAR.search(classes):
                    continue
                is_marked = not _LINES.isdisjoint(classes.split()) or child.attr("data-line") is not None
                if (after_block or is_marked) and not _at_line_start(parts):
                    parts.append("\n")
                before = len(parts)
                _collect(child, parts, depth + 1)
                if after_block and len(parts) > before and not _at_line_start(parts):
                    parts.append("\n")


def _at_line_start(parts: list[str]) -> bool:
    """Whether the text in `parts` is empty or ends with a line end."""
    return next((part.endswith("\n") for part in reversed(parts) if part), True)


def _is_gutter(element: Element) -> bool:
    """Whether an element is marked as line numbers, by class, style or attribute, and holds nothing else."""
    style = element.attr("style") or ""
    is_marked = (
        not _GUTTERS.isdisjoint((element.attr("class") or "").split())
        or ("user-select" in style and "none" in style)
        or element.attr("data-line-number") is not None
    )
    return is_marked and _NUMBERS.match(element.text) is not None
