"""Formulas: their TeX source, from MathML, MathJax, KaTeX, images and others."""

from __future__ import annotations

import re
from itertools import islice
from unicodedata import normalize
from urllib.parse import parse_qs, unquote_plus

from turbohtml import Element, Node

from mcp_web.extract.html.write.escape import JOINT
from mcp_web.extract.html.write.mathml import to_tex
from mcp_web.extract.html.write.mathsymbols import SYMBOLS
from mcp_web.extract.html.write.state import Survey, WriterState

# Classes of elements that contain the rendered form of a formula and its source.
_CLASSES = frozenset(
    (
        "katex-display", "katex", "MathJax_Display", "MathJax", "MathJax_SVG", "MathJax_Preview", "MathJax_CHTML",
        "mwe-math-element", "math", "arithmatex", "maths", "tex", "latex", "formula",
    )
)  # fmt: skip
_TAGS = frozenset(("math", "mjx-container", "script", "img", "tex-math", "la-tex", "d-math", "katex"))
_ATTRIBUTES = ("data-latex", "data-tex", "data-math")
_TEX_SOURCE = ",".join(
    f"annotation[encoding='{name}' i]" for name in ("application/x-tex", "application/x-latex", "TeX", "LaTeX")
)
_DELIMITED = re.compile(r"\s*(?:\\\((?P<i>.*)\\\)|\\\[(?P<b>.*)\\\]|\$\$(?P<d>.*)\$\$|\$(?P<s>.*)\$)\s*\Z", re.S)
_DISPLAYED = re.compile(
    r"\\begin\{(?:equation|align|gather|multline|eqnarray|split|cases|displaymath)|\\displaystyle|\\\\"
)
# Words of three letters or more; two characters are a word in Chinese, Japanese and Korean.
_PROSE = re.compile(r"[\u2e80-\ud7ff]{2}|(?<!\{)(?<![^\W\d_])[^\W\d_]{3,}(?![^\W\d_]|\})")
_COMMANDS = re.compile(
    r"\\(?:begin|end)\{(?:[a-zA-Z]{0,6}matrix|[dr]?cases|align(?:ed|at|edat)?|d?array|equation|gather(?:ed)?|split)\*?\}"
    r"(?:\{[clr| ]*\})?|\\[a-zA-Z]+"
)
_UNSEEN = "annotation,annotation-xml,semantics > :not(:first-child),maction > :not(:first-child)"
_AS_TEX = str.maketrans(SYMBOLS)
# Letters that one of two forms of a formula may have more than the other, and that its source may have more than what
# is shown: numbers of equations, spaces, colours.
_FEW_LETTERS, _MANY_LETTERS = 2, 11
_TEXT_COMMANDS = re.compile(
    r"\\(?:text\w*|mathrm|mathit|mathsf|mathtt|operatorname\*?|mbox|label|tag|ref|begin|end|hbox)"
    r"\s*\{[^{}]*\}"
)
_TEX_ADDRESS = re.compile(r"latex|cht=tx|%5c|/tex[/?]|mathtex", re.I)
_MARKUP = re.compile(r"\](?=\()|<(?=[a-zA-Z/!?])")
MOST_TEX = 5000


def mark_formulas(state: WriterState, survey: Survey) -> None:
    """Record in `state.inline_special` each formula under a root as Markdown (`$…$`); its other forms are left out."""
    found = survey.with_classes(_CLASSES)
    found.extend(element for element in survey.tagged if _may_be_formula(element))
    for element in found:
        if any(node in state.inline_special for node in (element, *islice(element.ancestors, 12))):
            continue
        tex_and_place = formula(element)
        if tex_and_place is not None:
            state.inline_special[element] = written(*tex_and_place)
    for element in survey.tagged:
        if element.tag == "math":
            element.remove(_UNSEEN)  # where a formula is in code, its text is written


def _may_be_formula(element: Element) -> bool:
    """Whether the tag or attributes of an element are such as formulas have."""
    tag = element.tag
    if tag == "script":
        return (element.attr("type") or "").lower().startswith("math/")
    if tag == "img":
        return "\\" in (element.attr("alt") or "") or _TEX_ADDRESS.search(element.attr("src") or "") is not None
    return tag in _TAGS or any(element.attr(name) is not None for name in _ATTRIBUTES)


def written(tex: str, display: bool) -> str:
    """The TeX between dollar signs, "" for none; a display formula is set apart by line breaks."""
    if not tex:
        return ""
    # White space has no meaning in TeX, so a space is put where the text would become a link or a tag.
    tex = _MARKUP.sub(r"\g<0> ", tex.replace(JOINT, ""))
    return f"\x00$${tex}$$\x00" if display else f"${tex}$"


def formula(element: Element) -> tuple[str, bool] | None:
    """The TeX of a formula and whether it is a display formula, or None for other elements. The TeX is "" if the
    formula is written from another element, or is prose, which would be hidden text."""
    tag = element.tag
    if tag == "img":
        tex = _of_image(element)
        return (tex, bool(_DISPLAYED.search(tex))) if tex else None
    if tag == "script":
        kind = (element.attr("type") or "").lower()
        tex = "" if _is_prose(_TEXT_COMMANDS.sub(" ", element.text)) else _clean(element.text)
        return (tex, "mode=display" in kind) if "tex" in kind else None
    classes = (element.attr("class") or "").lower()
    if ("mathjax" in classes or tag == "mjx-container") and _is_before_source(element):
        return "", False
    display = "display" in classes or tag == "div" or element.attr("display") in ("block", "true")
    display = display or element.attr("block") is not None
    inside = [element] if tag == "math" else element.find_all("math", limit=2)
    if inside:
        # The letters of the formula may be on the page twice: as MathML, and as KaTeX and MathJax place them.
        if len(inside) > 1 or _letters_missing(element.text, 2 * inside[0].text) > _FEW_LETTERS:
            return None
        return _of_mathml(inside[0]), display or inside[0].attr("display") == "block"
    for name in _ATTRIBUTES:
        value = element.attr(name)
        if value and len(value) < MOST_TEX and _agree(value, element.text):
            return _clean(value), display
    return _of_text(element, display)


def _of_text(element: Element, display: bool) -> tuple[str, bool] | None:
    """The TeX between delimiters that are all of an element's text, and whether these display it; of an element such as
    `tex-math` all its text, and `display`; else None."""
    text = element.text
    found = _DELIMITED.match(text) if len(text) < MOST_TEX else None
    if found is not None:
        tex = next(group for group in found.groups() if group is not None)
        return _clean(tex), found["b"] is not None or found["d"] is not None
    if element.tag in ("tex-math", "katex", "la-tex", "d-math"):
        return _clean(text), display
    return None


def _is_before_source(element: Element) -> bool:
    """Whether the script with the author's TeX follows the output of MathJax, after other output at most."""
    after: Node | None = element.next_sibling
    while isinstance(after, Element) and after.tag != "script":
        after = after.next_sibling
    return isinstance(after, Element) and (after.attr("type") or "").lower().startswith("math/tex")


def _of_mathml(element: Element) -> str:
    """The author's TeX if it is annotated and agrees with the formula, else TeX converted from the MathML."""
    note = element.select_one(_TEX_SOURCE)
    source = _clean(note.text if note is not None else element.attr("alttext") or "")
    unseen = "".join([each.text for each in element.select(_UNSEEN)])
    if source and len(source) < MOST_TEX and _letters_missing(source, element.text, unseen) <= _MANY_LETTERS:
        return source
    return to_tex(element)


def _agree(tex: str, text: str) -> bool:
    """Whether a TeX source is that of the visible text, as far as their letters tell; without text, whether it is not
    prose, because a script may write the formula."""
    if not text.strip():
        return not _is_prose(tex)
    rest = _letters_missing(text.translate(_AS_TEX), tex)
    return rest <= _FEW_LETTERS and _letters_missing(tex, text) <= _MANY_LETTERS


def _letters_missing(tex: str, shown: str, unseen: str = "") -> int:
    """How many letters of a TeX source, without its commands, are missing in the text that a person sees: `shown`
    without `unseen`. Many are missing if the source is prose, which would be hidden text."""
    source, shown = (normalize("NFKC", text) for text in (_COMMANDS.sub(" ", tex), shown))
    counts = [(source.count(char), shown.count(char) - unseen.count(char)) for char in set(source) if char.isalpha()]
    return sum([max(0, wanted - max(0, found)) for wanted, found in counts])


def _is_prose(tex: str) -> bool:
    """Whether a TeX source has three words or more that are not next to a brace, and so is hidden text."""
    return len(_PROSE.findall(re.sub(r"\\[a-zA-Z]+", " ", tex))) >= 3


def _of_image(element: Element) -> str:
    """The TeX of an image of a formula, from its alternative text or its URL; "" for other images."""
    label = (element.attr("alt") or "").strip()
    classes = (element.attr("class") or "").lower()
    source = element.attr("src") or ""
    named = any(word in classes for word in ("latex", "tex", "math"))
    if label and len(label) < MOST_TEX and (named or "\\" in label) and _looks_like_tex(label, named):
        return _clean(label)
    if len(source) >= MOST_TEX:
        return ""
    path, _, query = source.partition("#")[0].partition("?")
    values = parse_qs(query)
    for name in ("latex", "chl", "tex", "eq", "math"):
        if name in values and _looks_like_tex(values[name][0], named=True):
            return _clean(values[name][0])
    for part in (query, path.rpartition("/")[2]):
        tex = unquote_plus(part)
        if "\\" in tex and _looks_like_tex(tex, named=False):
            return _clean(tex)
    return ""


def _looks_like_tex(text: str, named: bool) -> bool:
    """Whether a text is TeX; with `named`, a class or parameter says so, and anything but prose counts."""
    return not _is_prose(text) and (named or re.search(r"\\[a-zA-Z]+|[_^]\{", text) is not None)


def _clean(tex: str) -> str:
    """The TeX on one line, without delimiters and commands that only set its size."""
    tex = " ".join(tex.split())
    found = _DELIMITED.match(tex)
    if found is not None:
        tex = next(group for group in found.groups() if group is not None).strip()
    tex = re.sub(r"^\{\\(?:displaystyle|textstyle)\s*(.*)\}$", r"\1", tex)
    tex = re.sub(r"^\\(?:displaystyle|textstyle)\s*", "", tex)
    # A dollar sign would end the formula; in TeX it is always escaped.
    return re.sub(r"(?<!\\)\$", r"\\$", tex).strip()
