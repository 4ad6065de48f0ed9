"""Office formulas (OMML) → TeX: fractions, roots, powers, indexes, sums, matrices; other elements as their text."""

from __future__ import annotations

from mcp_web.extract.office.package import value
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

_SIGNS = {"∑": r"\sum", "∫": r"\int", "∏": r"\prod", "⋃": r"\bigcup", "⋂": r"\bigcap", "√": r"\sqrt"}


def tex(element: Element | None) -> str:
    """The TeX of a formula or a part of one; "" for None."""
    if element is None:
        return ""
    name = local(element.tag)
    if name == "t":
        return element.text or ""
    if name == "f":
        return rf"\frac{{{tex(child(element, 'num'))}}}{{{tex(child(element, 'den'))}}}"
    if name == "rad":
        degree = tex(child(element, "deg")).strip()
        return rf"\sqrt{f'[{degree}]' if degree else ''}{{{tex(child(element, 'e'))}}}"
    if name in ("sSup", "sSub", "sSubSup"):
        return tex(child(element, "e")) + _scripts(element)
    if name == "nary":
        mark = value(element, "naryPr", "chr") or "∫"
        return f"{_SIGNS.get(mark, mark)}{_scripts(element)} {tex(child(element, 'e'))}"
    if name == "d":
        begin, end = (attribute(child(element, "dPr", which), "val") for which in ("begChr", "endChr"))
        inner = ", ".join(map(tex, children(element, "e")))
        return _bracket("(" if begin is None else begin) + inner + _bracket(")" if end is None else end)
    if name in ("m", "eqArr"):
        rows = (" & ".join(map(tex, row)) if name == "m" else tex(row) for row in children(element, "mr", "e"))
        return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"
    if name.endswith("Pr"):
        return ""
    return "".join(map(tex, element))


def _bracket(mark: str) -> str:
    """A bracket around a formula as TeX."""
    return f"\\{mark}" if mark in ("{", "}") else mark


def _scripts(element: Element) -> str:
    """The subscript and superscript of an element as TeX, each empty if there is none."""
    below, above = tex(child(element, "sub")), tex(child(element, "sup"))
    return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
