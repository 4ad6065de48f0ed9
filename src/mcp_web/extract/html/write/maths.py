"""Formulas: their TeX source, from MathML, MathJax, KaTeX, images and others."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import parse_qs, unquote_plus, urlsplit

from turbohtml import Element, Node

from mcp_web.extract.html.write.mathml import to_tex
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
_PROSE = re.compile(r"(?<![\\a-zA-Z{])[a-zA-Z]{3,}(?![a-zA-Z}])")
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
    tex = _MARKUP.sub(r"\g<0> ", tex)
    return f"\x00$${tex}$$\x00" if display else f"${tex}$"


def formula(element: Element) -> tuple[str, bool] | None:
    """The TeX of a formula and whether it is a display formula, or None for other elements. The TeX is "" if the
    formula is written from another element."""
    tag = element.tag
    classes = element.attr("class") or ""
    if tag == "img":
        tex = _of_image(element)
        return (tex, bool(_DISPLAYED.search(tex))) if tex else None
    if tag == "script":
        kind = (element.attr("type") or "").lower()
        return (_clean(element.text), "mode=display" in kind) if "tex" in kind else None
    if "MathJax" in classes or tag == "mjx-container":
        return _of_mathjax(element, classes)
    display = "display" in classes or tag == "div" or element.attr("display") in ("block", "true")
    display = display or element.attr("block") is not None
    inside = element if tag == "math" else element.select_one("math")
    if inside is not None:
        return _of_mathml(inside), display or inside.attr("display") == "block"
    for name in _ATTRIBUTES:
        value = element.attr(name)
        if value and len(value) < MOST_TEX and not _is_prose(value, element.text):
            return _clean(value), display
    return _of_text(element, display)


def _of_text(element: Element, display: bool) -> tuple[str, bool] | None:
    """The TeX in an element's text, all or between delimiters, and whether it is displayed; None if there is none."""
    text = element.text
    found = _DELIMITED.match(text) if len(text) < MOST_TEX else None
    if found is not None:
        tex = next(group for group in found.groups() if group is not None)
        return _clean(tex), found["b"] is not None or found["d"] is not None
    if element.tag in ("tex-math", "katex", "la-tex", "d-math"):
        return _clean(text), display
    return None


def _of_mathjax(element: Element, classes: str) -> tuple[str, bool] | None:
    """The TeX of MathJax output ("" if a script after it has the source) and whether it is displayed, or None."""
    if "Preview" in classes:
        return "", False
    after: Node | None = element.next_sibling
    while after is not None and isinstance(after, Element) and after.tag != "script":
        after = after.next_sibling
    if isinstance(after, Element) and (after.attr("type") or "").lower().startswith("math/tex"):
        return "", False  # the script after it has the author's TeX
    inside = element.select_one("math")
    display = element.attr("display") == "true" or "Display" in classes
    if inside is None:
        return None
    return _of_mathml(inside), display or inside.attr("display") == "block"


def _of_mathml(element: Element) -> str:
    """The author's TeX if it is annotated and agrees with the formula, else TeX converted from the MathML."""
    note = element.select_one(_TEX_SOURCE)
    source = note.text if note is not None else element.attr("alttext") or ""
    source = _clean(source)
    if source and len(source) < MOST_TEX and not _is_prose(source, _shown(element)):
        return source
    return to_tex(element)


def _shown(element: Element) -> str:
    """The text of a MathML element that is shown, without annotations."""
    hidden = sum(len(note.text) for note in element.select("annotation,annotation-xml"))
    text = element.text
    return text[: len(text) - hidden] if hidden else text


def _is_prose(tex: str, shown: str) -> bool:
    """Whether a TeX source is prose, which would be hidden text: several words that the formula does not show."""
    words = _PROSE.findall(_TEXT_COMMANDS.sub(" ", tex))
    seen = "".join(shown.split())
    return sum(word not in seen for word in words) >= 3


def _of_image(element: Element) -> str:
    """The TeX of an image of a formula, from its alternative text or its URL; "" for other images."""
    label = (element.attr("alt") or "").strip()
    classes = (element.attr("class") or "").lower()
    source = element.attr("src") or ""
    named = any(word in classes for word in ("latex", "tex", "math"))
    if label and len(label) < MOST_TEX and (named or "\\" in label) and _looks_like_tex(label, named):
        return _clean(label)
    address = urlsplit(source) if len(source) < MOST_TEX else None
    if address is None:
        return ""
    query = parse_qs(address.query)
    for name in ("latex", "chl", "tex", "eq", "math"):
        if name in query and _looks_like_tex(query[name][0], named=True):
            return _clean(query[name][0])
    for part in (address.query, address.path.rpartition("/")[2]):
        tex = unquote_plus(part)
        if "\\" in tex and _looks_like_tex(tex, named=False):
            return _clean(tex)
    return ""


def _looks_like_tex(text: str, named: bool) -> bool:
    """Whether a text is TeX; with `named`, a class or parameter says so, and anything but prose counts."""
    if _is_prose(re.sub(r"\\[a-zA-Z]+", " ", text), ""):
        return False
    return named or re.search(r"\\[a-zA-Z]+|[_^]\{", text) is not None


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
