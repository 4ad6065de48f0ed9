"""Office formulas (OMML) → TeX: fractions, roots, powers, indexes, sums, matrices; anything else as its letters."""

from __future__ import annotations

from mcp_web.extract.office.package import Element, attribute, child, local

_SIGNS = {"∑": r"\sum", "∫": r"\int", "∏": r"\prod", "⋃": r"\bigcup", "⋂": r"\bigcap", "√": r"\sqrt"}


def tex(element: Element | None) -> str:
    """The TeX of a formula or a part of one."""
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
        sign = child(element, "naryPr", "chr")
        mark = (attribute(sign, "val") if sign is not None else None) or "∫"
        return f"{_SIGNS.get(mark, mark)}{_scripts(element)} {tex(child(element, 'e'))}"
    if name == "d":
        return "(" + ", ".join(tex(each) for each in element if local(each.tag) == "e") + ")"
    if name == "m":
        rows = (" & ".join(tex(cell) for cell in row) for row in element if local(row.tag) == "mr")
        return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"
    if name.endswith("Pr"):
        return ""
    return "".join(tex(each) for each in element)


def _scripts(element: Element) -> str:
    below, above = tex(child(element, "sub")), tex(child(element, "sup"))
    return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
