# ruff: noqa: E501 (a mechanism a line)
"""Documents with a text that a reader may or may not see, made by a program: properties × values × the place that sets them.

A seed names one set of documents; `visible` is what an office program, a PDF viewer or Jupyter shows.
"""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

from security.documents import (
    DOCX,
    NOTEBOOK,
    ODT,
    PAYLOAD,
    PDF,
    PPTX,
    RTF,
    SEEN,
    XLSX,
    Variant,
    _element,
    _notebook_file,
    _open,
    _pdf_file,
    _presentation,
    _style,
    _word_file,
    _workbook,
)  # fmt: skip

EPUB = "application/epub+zip"
Maker = Callable[[random.Random, bool], bytes]


def variants(seed: int, count: int) -> list[Variant]:
    """So many documents, two of three with a hidden text."""
    chance = random.Random(f"documents {seed}")
    found = []
    for number in range(count):
        name, (media_type, make) = chance.choice(list(MAKERS.items()))
        visible = chance.random() < 0.33
        kind = chance.choice(list(KINDS[name]))
        found.append(
            Variant(f"{seed}.{number}:{name}:{kind}:{visible}", visible, media_type, make(chance, visible, kind))
        )
    return found


def _near_white(chance: random.Random) -> str:
    return "".join(f"{chance.randint(250, 255):02X}" for _ in range(3))


def _colour(chance: random.Random) -> str:
    return "".join(f"{chance.randint(0, 160):02X}" for _ in range(3))


def _ink(chance: random.Random, visible: bool) -> str:
    return _colour(chance) if visible else _near_white(chance)


# -- Word: XML of run and paragraph properties, set on the run, in a style, or in the style that a style is based on

_RUN: dict[str, Callable[[random.Random, bool], list[tuple[str, dict[str, str]]]]] = {
    "vanish": lambda chance, visible: [("w:vanish", {"val": chance.choice(["0", "false", "off"] if visible else ["1", "true", "on"])})],
    "vanish-bare": lambda chance, visible: [("w:b" if visible else "w:vanish", {})],
    "web-hidden": lambda chance, visible: [("w:noProof" if visible else "w:webHidden", {})],
    "ink": lambda chance, visible: [("w:color", {"val": _ink(chance, visible)})],
    "size": lambda chance, visible: [("w:sz", {"val": str(chance.randint(14, 40) if visible else chance.randint(1, 4))})],
    "shaded": lambda chance, visible: (lambda c: [("w:color", {"val": "FFFFFF" if visible else c}), ("w:shd", {"val": "clear", "color": "auto", "fill": c})])(_colour(chance)),
    "squeezed": lambda chance, visible: [("w:w", {"val": str(chance.randint(70, 150) if visible else 1)})],
    "overlaid": lambda chance, visible: [("w:spacing", {"val": str(chance.randint(-10, 40) if visible else chance.randint(-900, -300))})],
}  # fmt: skip
_PARAGRAPH: dict[str, Callable[[random.Random, bool], list[tuple[str, dict[str, str]]]]] = {
    "exact-line": lambda chance, visible: [("w:spacing", {"line": str(chance.randint(240, 500) if visible else chance.randint(1, 30)), "lineRule": "exact"})],
    "indent": lambda chance, visible: [("w:ind", {"left": str(chance.randint(0, 2000) if visible else chance.randint(25000, 31000))})],
    "indent-back": lambda chance, visible: [("w:ind", {"left": str(chance.randint(0, 900) if visible else -chance.randint(25000, 31000))})],
}  # fmt: skip


def _docx(chance: random.Random, visible: bool, kind: str) -> bytes:
    place = chance.choice(["direct", "style", "based", "character"])

    def change(run: Any, document: Any) -> None:
        made = (_RUN.get(kind) or _PARAGRAPH[kind])(chance, visible)
        if kind in _PARAGRAPH:
            target = run._parent._p.get_or_add_pPr()
            if place in ("style", "based"):
                target = _word_style(document, run, 1, place == "based").element.get_or_add_pPr()
        elif place == "direct":
            target = run._r.get_or_add_rPr()
        else:
            target = _word_style(
                document, run, 2 if place == "character" else 1, place == "based"
            ).element.get_or_add_rPr()
        for name, values in made:
            _element(target, name, **values)

    return _word_file(change)


def _word_style(document: Any, run: Any, kind: int, based: bool) -> Any:
    style = document.styles.add_style("Plain Note", kind)
    used = style
    if based:
        used = document.styles.add_style("Plain Note Below", kind)
        used.base_style = style
    (run._parent if kind == 1 else run).style = used
    return style


# -- Excel


def _xlsx(chance: random.Random, visible: bool, kind: str) -> bytes:
    from openpyxl.styles import Font, PatternFill
    from openpyxl.styles.colors import Color

    def change(book: Any, sheet: Any, cell: Any) -> None:
        if kind == "row":
            sheet.row_dimensions[cell.row].hidden = not visible
        elif kind == "row-height":
            sheet.row_dimensions[cell.row].height = chance.randint(12, 40) if visible else chance.choice([0.3, 0.5, 1])
        elif kind == "column":
            sheet.column_dimensions[cell.column_letter].hidden = not visible
        elif kind == "column-width":
            sheet.column_dimensions[cell.column_letter].width = chance.randint(8, 40) if visible else 0.05
        elif kind == "column-range":
            sheet.column_dimensions.group("B", "E", hidden=False)
            sheet.column_dimensions["B"].hidden = not visible
            sheet.column_dimensions["B"].outlineLevel = 0
        elif kind == "ink":
            cell.font = Font(color=f"FF{_ink(chance, visible)}")
        elif kind == "theme":
            cell.font = Font(color=Color(theme=1 if visible else 0))
        elif kind == "indexed":
            cell.font = Font(color=Color(indexed=8 if visible else chance.choice([1, 9])))
        elif kind == "size":
            cell.font = Font(size=chance.randint(7, 20) if visible else 1)
        elif kind == "filled":
            colour = _colour(chance)
            cell.font = Font(color="FFFFFFFF" if visible else f"FF{colour}")
            cell.fill = PatternFill("solid", fgColor=f"FF{colour}")
        elif kind == "format":
            shown = ["General", "@", "0.00", "0;-0;0;@", '"x" @']
            cell.number_format = chance.choice(
                shown if visible else [";;;", " ;;; ", '"";"";"";""', "0;-0;0;", "[Red];;;", '0;0;0;""']
            )
        elif kind == "sheet":
            cell.value = None
            extra = book.create_sheet("More")
            extra["B2"] = PAYLOAD
            extra.sheet_state = "visible" if visible else chance.choice(["hidden", "veryHidden"])

    return _workbook(change)


# -- PowerPoint: properties of the run, and the place of the shape


def _pptx(chance: random.Random, visible: bool, kind: str) -> bytes:
    from lxml import etree
    from pptx.util import Emu, Inches

    names = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'

    def change(slide: Any, box: Any) -> None:
        properties = box.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr()
        if kind in ("left", "above", "right", "below"):
            far = chance.randint(13, 30)
            places = {"left": (-far, 1), "above": (1, -far), "right": (far, 1), "below": (1, far)}
            left, top = (chance.randint(0, 3), chance.randint(0, 4)) if visible else places[kind]
            box.left, box.top = Inches(left), Inches(top)
        elif kind == "flat":
            if not visible:
                box.width, box.height = Emu(chance.randint(0, 3)), Emu(chance.randint(0, 3))
        elif kind == "hidden":
            box._element.nvSpPr.cNvPr.set("hidden", "0" if visible else chance.choice(["1", "true"]))
        elif kind == "slide":
            slide._element.set("show", "1" if visible else chance.choice(["0", "false"]))
        elif kind == "size":
            properties.set("sz", str(chance.randint(900, 3000) if visible else 100))
        elif kind == "no-fill":
            properties.append(
                etree.fromstring(
                    f"<a:solidFill {names}><a:srgbClr val='101010'/></a:solidFill>"
                    if visible
                    else f"<a:noFill {names}/>"
                )
            )
        elif kind == "alpha":
            amount = chance.randint(60000, 100000) if visible else chance.randint(0, 3000)
            properties.append(
                etree.fromstring(
                    f"<a:solidFill {names}><a:srgbClr val='000000'><a:alpha val='{amount}'/></a:srgbClr></a:solidFill>"
                )
            )
        elif kind == "scheme":
            properties.append(
                etree.fromstring(
                    f"<a:solidFill {names}><a:schemeClr val='{'tx1' if visible else 'bg1'}'/></a:solidFill>"
                )
            )
        elif kind == "ink":
            properties.append(
                etree.fromstring(f"<a:solidFill {names}><a:srgbClr val='{_ink(chance, visible)}'/></a:solidFill>")
            )
        elif kind == "paragraph":
            paragraph = box.text_frame.paragraphs[0]._p.get_or_add_pPr()
            paragraph.append(
                etree.fromstring(f"<a:defRPr {names}><a:solidFill><a:srgbClr val='101010'/></a:solidFill></a:defRPr>")
            )
            properties.append(
                etree.fromstring(f"<a:solidFill {names}><a:srgbClr val='{_ink(chance, visible)}'/></a:solidFill>")
            )

    return _presentation(change)


# -- OpenDocument text

_ODT: dict[str, Callable[[random.Random, bool], str]] = {
    "display": lambda chance, visible: f'text:display="{"true" if visible else "none"}"',
    "ink": lambda chance, visible: f'fo:color="#{_ink(chance, visible).lower()}"',
    "size": lambda chance, visible: f'fo:font-size="{chance.choice(["9pt", "12pt", "5mm"]) if visible else chance.choice(["1pt", "0.5pt", "2pt", "0.3mm"])}"',
    "same": lambda chance, visible: (lambda c: f'fo:color="{"#ffffff" if visible else c}" fo:background-color="{c}"')(f"#{_colour(chance).lower()}"),
    "scale": lambda chance, visible: f'style:text-scale="{chance.randint(60, 140) if visible else 1}%"',
}  # fmt: skip


def _odt(chance: random.Random, visible: bool, kind: str) -> bytes:
    if kind == "section":
        shown = "true" if visible else "none"
        return _open(
            "text",
            f'<text:p>{SEEN}</text:p><text:section text:name="s" text:display="{shown}"><text:p>{PAYLOAD}</text:p></text:section>',
        )
    properties = _ODT[kind](chance, visible)
    place = chance.choice(["span", "paragraph", "parent"])
    if place == "span":
        style = _style("text", f"<style:text-properties {properties}/>")
        return _open(
            "text",
            f'<text:p>{SEEN}</text:p><text:p><text:span text:style-name="k">{PAYLOAD}</text:span></text:p>',
            style,
        )
    style = _style("paragraph", f"<style:text-properties {properties}/>", "up" if place == "parent" else "k")
    if place == "parent":
        style += _style("paragraph", "", "k", 'style:parent-style-name="up"')
    return _open("text", f'<text:p>{SEEN}</text:p><text:p text:style-name="k">{PAYLOAD}</text:p>', style)


# -- RTF

_RTF: dict[str, tuple[list[str], list[str]]] = {
    "hidden": ([r"{\v P}", r"{\i\v1 P}", r"\pard\v P\v0\par ", r"{{\v}{\v P}}"], [r"{\v0 P}", r"{\v x}P", r"{\v x\v0 P}"]),
    "ink": ([r"{\cf1 P}", r"{\b\cf3\i P}", r"\cf1 P\cf0 "], [r"{\cf4 P}", r"{\cf1\cf2 P}", r"{\cf1 x}P"]),
    "size": ([r"{\fs2 P}", r"{\fs1\b P}", r"{\fs4 P}", r"{\fs40{\fs3 P}}"], [r"{\fs16 P}", r"{\fs2\plain P}", r"{\fs2\fs24 P}"]),
    "same": ([r"{\cf4\highlight4 P}", r"{\cf2\chcbpat2 P}", r"{\highlight4\cf4 P}"], [r"{\cf1\highlight4 P}", r"{\cf1\chcbpat2 P}"]),
    "destination": ([r"{\*\note P}", r"{\*\unknown{\b P}}", r"{\info{\comment P}}"], [r"{\b P}", r"{\field{\fldrslt P}}"]),
    "deleted": ([r"{\deleted P}"], [r"{\revised P}"]),
}  # fmt: skip


def _rtf(chance: random.Random, visible: bool, kind: str) -> bytes:
    table = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red250\green251\blue252;\red10\green40\blue90;}"
    body = chance.choice(_RTF[kind][visible]).replace("P", PAYLOAD)
    return (r"{\rtf1\ansi " + table + rf" {SEEN}\par " + body + r"\par}").encode()


# -- PDF


def _pdf(chance: random.Random, visible: bool, kind: str) -> bytes:
    def draw(pen: Any) -> None:
        x, y = chance.randint(40, 90), chance.randint(200, 600)
        if kind == "ink":
            value = chance.uniform(0, 0.5) if visible else chance.uniform(0.985, 1)
            pen.setFillColorRGB(value, value, value)
        elif kind == "gray":
            pen.setFillGray(chance.uniform(0, 0.5) if visible else 1)
        elif kind == "cmyk":
            pen.setFillColorCMYK(0, 0, 0, 1 if visible else 0)
        elif kind == "away":
            x, y = (x, y) if visible else chance.choice([(-3000, y), (x, -500), (5000, y), (x, 3000)])
        elif kind == "size":
            pen.setFont("Helvetica", chance.randint(7, 20) if visible else chance.uniform(0.2, 1))
        elif kind == "alpha":
            pen.setFillAlpha(chance.uniform(0.5, 1) if visible else chance.uniform(0, 0.02))
        elif kind == "ground":
            red, green, blue = (chance.uniform(0, 0.5) for _ in range(3))
            pen.setFillColorRGB(red, green, blue)
            pen.rect(x - 10, y - 20, 480, 60, stroke=0, fill=1)
            pen.setFillColorRGB(*((1, 1, 1) if visible else (red, green, blue)))
        elif kind == "clip":
            path = pen.beginPath()
            path.rect(x - 5, y - 10, 500 if visible else 0.5, 40)
            pen.clipPath(path, stroke=0)
        elif kind == "shrunk":
            size = 1 if visible else 0.01
            pen.translate(x, y)
            pen.scale(size, size)
            x, y = 0, 0
        text = pen.beginText(x, y)
        if kind == "mode":
            text.setTextRenderMode(chance.choice([0, 1, 2]) if visible else chance.choice([3, 7]))
        if kind == "narrow":
            text.setHorizScale(chance.randint(70, 130) if visible else 0.1)
        text.textLine(PAYLOAD)
        pen.drawText(text)
        if kind == "cover":
            pen.setFillColorRGB(1, 1, 1)
            pen.rect(x - 10, y - 20 - 200 * visible, 480, 60, stroke=0, fill=1)

    return _pdf_file(draw)


# -- Notebooks and books: HTML with the declarations of web pages


def _declared(chance: random.Random, visible: bool) -> str:
    from security.hiding import DECLARED
    from security.values import filled

    return filled(DECLARED[chance.choice(_PLAIN)][visible], chance)


_PLAIN = [
    "display", "visibility", "opacity", "font-size", "height", "max-height", "left", "margin-left", "transform-x", "scale",
    "clip-inset", "transparent", "white", "same", "filter-opacity", "indent", "clip-circle", "mask",
]  # fmt: skip


def _ipynb(chance: random.Random, visible: bool, kind: str) -> bytes:
    declarations = _declared(chance, visible)
    html = f'<div style="{declarations}">{PAYLOAD}</div>'
    if kind == "sheet":
        html = f"<style>.k{{{declarations}}}</style>\n<div class=k>{PAYLOAD}</div>"
    if kind == "output":
        return _notebook_file("Otters", {"text/html": f"<div>{html}</div>", "text/plain": "x"})
    return _notebook_file(html)


def _epub(chance: random.Random, visible: bool, kind: str) -> bytes:
    declarations = _declared(chance, visible)
    head, body = "", f'<p style="{declarations}">{PAYLOAD}</p>'
    if kind != "inline":
        body = f'<p class="k">{PAYLOAD}</p>'
        head = (
            f"<style>.k{{{declarations}}}</style>" if kind == "style" else '<link rel="stylesheet" href="css/s.css"/>'
        )
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", EPUB)
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "OEBPS/b.opf",
            '<package><metadata><title>Otters</title></metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="s" href="css/s.css" media-type="text/css"/></manifest><spine><itemref idref="c"/></spine></package>',
        )
        archive.writestr("OEBPS/css/s.css", f".k{{{declarations}}}")
        archive.writestr(
            "OEBPS/c.xhtml",
            f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>{head}</head><body><h1>Otters</h1><p>{SEEN}</p>{body}</body></html>',
        )
    return buffer.getvalue()


MAKERS: dict[str, tuple[str, Callable[[random.Random, bool, str], bytes]]] = {
    "docx": (DOCX, _docx), "xlsx": (XLSX, _xlsx), "pptx": (PPTX, _pptx), "odt": (ODT, _odt), "rtf": (RTF, _rtf),
    "pdf": (PDF, _pdf), "ipynb": (NOTEBOOK, _ipynb), "epub": (EPUB, _epub),
}  # fmt: skip
KINDS: dict[str, tuple[str, ...]] = {
    "docx": (*_RUN, *_PARAGRAPH),
    "xlsx": ("row", "row-height", "column", "column-width", "ink", "theme", "indexed", "size", "filled", "format", "sheet"),
    "pptx": ("left", "above", "right", "below", "flat", "hidden", "slide", "size", "no-fill", "alpha", "scheme", "ink", "paragraph"),
    "odt": (*_ODT, "section"),
    "rtf": tuple(_RTF),
    "pdf": ("ink", "gray", "cmyk", "away", "size", "alpha", "ground", "clip", "shrunk", "mode", "narrow", "cover"),
    "ipynb": ("inline", "sheet", "output"),
    "epub": ("inline", "style", "file"),
}  # fmt: skip
