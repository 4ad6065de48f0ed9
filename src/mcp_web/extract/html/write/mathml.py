"""Presentation MathML → TeX, for formulas without TeX source."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import name, normalize

from turbohtml import Element, Text

from mcp_web.extract.html.write.mathsymbols import ACCENTS, FUNCTIONS, LIMITS, SYMBOLS, VARIANTS
from mcp_web.extract.html.write.state import first_element

MAX_DEPTH = 60
_LETTER = re.compile(" (?:capital|small|digit) ")


def to_tex(element: Element) -> str:
    """The TeX of a `math` element."""
    return " ".join(_children(element, 0).split())


def _tex(node: object, depth: int) -> str:
    """The TeX of a node; `depth` is how deep it is nested. Deeper than MAX_DEPTH it is written as plain text."""
    if isinstance(node, Text):
        return _symbols(node.data.strip())
    if not isinstance(node, Element):
        return ""
    if depth > MAX_DEPTH:
        return _symbols(" ".join(node.text.split()))
    return _WRITERS.get(node.tag, _children)(node, depth + 1)


def _children(element: Element, depth: int) -> str:
    """The TeX of the children; matching parentheses among them grow with their content (`\\left`, `\\right`)."""
    parts: list[str] = []
    opened: list[int] = []
    for child in element:
        sign = child.text.strip() if isinstance(child, Element) and child.tag == "mo" else ""
        if sign in ("(", "["):
            opened.append(len(parts))
        elif sign in (")", "]") and opened and parts[opened[-1]] == {")": "(", "]": "["}[sign]:
            start = opened.pop()
            body = " ".join(parts[start + 1 :])
            parts[start:] = [_matrix(body, "p" if sign == ")" else "b") or f"\\left{parts[start]}{body}\\right{sign}"]
            continue
        tex = _tex(child, depth)
        if tex:
            parts.append(tex)
    if len(parts) == 3 and parts[0] == parts[2] == "|":
        return _matrix(parts[1], "v") or " ".join(parts)
    return " ".join(parts)


def _matrix(tex: str, kind: str) -> str:
    """The TeX of a matrix with delimiters, `kind` "p", "b" or "v", if `tex` is one matrix and no more; else ""."""
    whole = tex.startswith("\\begin{matrix}") and tex.endswith("\\end{matrix}") and tex.count("{matrix}") == 2
    return tex.replace("{matrix}", f"{{{kind}matrix}}") if whole else ""


def _parts(element: Element, depth: int) -> list[str]:
    """The TeX of each child element."""
    return [_tex(child, depth) for child in element if isinstance(child, Element)]


def _symbols(text: str) -> str:
    """The text with symbols such as "α" as TeX commands."""
    if text.isascii() and not any(char in SYMBOLS for char in text):
        return text
    out = ""
    for char in text:
        sign = SYMBOLS.get(char, char)
        if out and sign[:1].isalpha() and out[-1].isalpha() and "\\" in out[-12:]:
            out += " "
        out += sign
        if sign.startswith("\\") and sign[-1].isalpha() and len(text) > 1:
            out += " "
    return out.strip()


def _identifier(element: Element, depth: int) -> str:
    """The TeX of an `mi` element: a variable, or the name of a function."""
    text = " ".join(element.text.split())
    variant = VARIANTS.get((element.attr("mathvariant") or "").lower(), "")
    if text in FUNCTIONS:
        return "\\" + text
    if text[:1] >= "\U0001d400" and text not in SYMBOLS:
        # Unicode's own letters for mathematics: "MATHEMATICAL DOUBLE-STRUCK CAPITAL F".
        style = _LETTER.split(name(text[0], "").lower().removeprefix("mathematical "))[0]
        variant, text = variant or VARIANTS.get(style.replace(" ", "-"), ""), normalize("NFKC", text)
    tex = _symbols(text)
    if variant:
        return f"\\{variant}{{{tex}}}"
    if len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\operatorname{{{text}}}" if len(text) < 12 else f"\\text{{{text}}}"
    return tex


def _operator(element: Element, depth: int) -> str:
    """The TeX of an `mo` or `mn` element, an operator or a number."""
    return _symbols("".join(element.text.split()))


def _text(element: Element, depth: int) -> str:
    """The TeX of an `mtext` or `ms` element: words as text, signs alone as symbols."""
    text = element.text.replace("\xa0", " ")
    if text.strip() and not any(char.isalnum() for char in text):
        return _symbols(text.strip())
    if not text:
        return ""
    # Spaces at the ends separate words from formulas.
    lead, tail = " " if text[0].isspace() else "", " " if text[-1].isspace() else ""
    words = " ".join(text.split()).replace("$", "\\$")  # it would end the formula
    return f"\\text{{{lead}{words}{tail}}}" if words else "\\text{ }"


def _fraction(element: Element, depth: int) -> str:
    above, below = _arguments(element, depth, 2)
    if (element.attr("linethickness") or "").startswith("0"):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _arguments(element: Element, depth: int, count: int) -> list[str]:
    """The first `count` children as TeX, empty for those that are missing."""
    return [*_parts(element, depth), *[""] * count][:count]


def _root(element: Element, depth: int) -> str:
    inside, index = _arguments(element, depth, 2)
    return f"\\sqrt[{index}]{{{inside}}}" if index else f"\\sqrt{{{inside}}}"


def _base(tex: str) -> str:
    """The TeX before a superscript or subscript, in braces if it is more than one symbol."""
    is_command = tex[:1] == "\\" and tex[1:].isalpha()
    single = len(tex) == 1 or is_command or tex.startswith(("\\left", "\\math", "\\op"))
    return tex if single else f"{{{tex}}}" if tex and not tex.endswith(("}", ")")) else tex


def _scripts(element: Element, depth: int) -> str:
    """The TeX of a base with a subscript, with a superscript or primes, or with both."""
    base, *scripts = _arguments(element, depth, 3 if element.tag == "msubsup" else 2)
    if element.tag == "msup":
        primes = scripts[0].replace("\\prime", "'").replace(" ", "")
        is_prime = set(primes) == {"'"}
        return f"{_base(base)}{primes}" if is_prime else f"{_base(base)}^{{{scripts[0]}}}"
    return f"{_base(base)}_{{{scripts[0]}}}" + "".join(f"^{{{above}}}" for above in scripts[1:])


def _under(element: Element, depth: int) -> str:
    """The TeX of a base with a limit, an accent or other content below it."""
    base, below = _arguments(element, depth, 2)
    if base in LIMITS:
        return f"{base}_{{{below}}}"
    accent = {"\\_": "underline", "_": "underline", "\\underbrace": "underbrace", "⏟": "underbrace"}.get(below)
    return f"\\{accent}{{{base}}}" if accent else f"\\underset{{{below}}}{{{base}}}"


def _over(element: Element, depth: int) -> str:
    base, above = _arguments(element, depth, 2)
    accent = ACCENTS.get(above)
    return f"\\{accent}{{{base}}}" if accent else f"\\overset{{{above}}}{{{base}}}"


def _underover(element: Element, depth: int) -> str:
    """The TeX of a base with content below and above it."""
    base, below, above = _arguments(element, depth, 3)
    if base in LIMITS or len(base) <= 10:
        return f"{base}_{{{below}}}^{{{above}}}"
    return f"\\overset{{{above}}}{{\\underset{{{below}}}{{{base}}}}}"


def _fenced(element: Element, depth: int) -> str:
    """The TeX of content between delimiters, by default parentheses."""
    opened, closed = element.attr("open") or "(", element.attr("close") or ")"
    between = (element.attr("separators") or ",")[:1]
    inside = f"{between} ".join(part for part in _parts(element, depth) if part)
    return f"\\left{_symbols(opened)} {inside} \\right{_symbols(closed)}"


def _table(element: Element, depth: int) -> str:
    """The TeX of a matrix, cases or aligned equations; a table of one row is written as its content."""
    rows = [row for row in element.iter_elements(("mtr", "mlabeledtr")) if row.parent == element]
    lines = []
    for row in rows:
        cells = _parts(row, depth)
        if row.tag == "mlabeledtr" and cells:
            cells = [*cells[1:-1], f"{cells[-1]} {cells[0]}".strip()]  # the label is written after its equation
        lines.append(" & ".join(cells))
    if len(lines) == 1:
        return lines[0]
    kind = _matrix_of(element)
    body = " \\\\ ".join(lines)
    return f"\\begin{{{kind}}}{body}\\end{{{kind}}}"


def _matrix_of(element: Element) -> str:
    """The TeX environment for a table: "matrix" after a bracket, "cases" after "{", else "aligned" or "matrix"."""
    before = first_element(element.previous_siblings)
    sign = before.text.strip() if before is not None and before.tag == "mo" else ""
    if sign in ("(", "[", "|", "‖"):
        return "matrix"
    if sign == "{":
        return "cases"
    return "aligned" if element.attr("columnalign") or element.attr("displaystyle") else "matrix"


def _first(element: Element, depth: int) -> str:
    """The TeX of the first child: the formula itself, which annotations follow."""
    child = first_element(element)
    return _tex(child, depth) if child is not None else ""


_WRITERS: dict[str, Callable[[Element, int], str]] = {
    "mi": _identifier,
    "mo": _operator,
    "mn": _operator,
    "ms": _text,
    "mtext": _text,
    "mfrac": _fraction,
    "mroot": _root,
    "msqrt": lambda element, depth: f"\\sqrt{{{_children(element, depth)}}}",
    **dict.fromkeys(("msub", "msup", "msubsup"), _scripts),
    "munder": _under,
    "mover": _over,
    "munderover": _underover,
    "mfenced": _fenced,
    "mtable": _table,
    "semantics": _first,
    "maction": _first,
    **dict.fromkeys(
        ("annotation", "annotation-xml", "mspace", "mphantom", "mprescripts", "none", "maligngroup"),
        lambda element, depth: "",
    ),
}
