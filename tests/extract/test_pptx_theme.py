"""Colours that the theme of a presentation defines: text on them is read, text that has them too is left out."""

from __future__ import annotations

import io
import time
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches
from tests.extract.reading import read

from mcp_web.model.page import Document

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
NAMES = (
    "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' "
    "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'"
)
MAPPING = (
    "bg1='{bg1}' tx1='{tx1}' bg2='lt2' tx2='dk2' accent1='{accent1}' accent2='accent2' accent3='accent3' "
    "accent4='accent4' accent5='accent5' accent6='accent6' hlink='hlink' folHlink='folHlink'"
)
PICTURE = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC")
WORDS = "on the shape"
_Change = Callable[[Any], None]


def xml(text: str) -> Any:
    """An element with the prefixes `a` and `p`, such as "<a:noFill/>"."""
    return etree.fromstring(f"<x {NAMES}>{text}</x>")[0]


def scheme(name: str, changes: str = "") -> str:
    return f"<a:solidFill><a:schemeClr val='{name}'>{changes}</a:schemeClr></a:solidFill>"


def rgb(value: str, changes: str = "") -> str:
    return f"<a:solidFill><a:srgbClr val='{value}'>{changes}</a:srgbClr></a:solidFill>"


def gradient(*colours: str) -> str:
    stops = (f"<a:gs pos='{at * 1000}'><a:srgbClr val='{colour}'/></a:gs>" for at, colour in enumerate(colours))
    return f"<a:gradFill><a:gsLst>{''.join(stops)}</a:gsLst></a:gradFill>"


WHITE = rgb("FFFFFF")


def saved(deck: Any) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def opened(*changes: _Change, ink: str = "", fill: str = "", style: bool = True) -> Document:
    """A presentation with a rectangle that has a text in the fill `ink`; each of `changes` gets the rectangle."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box = slide.shapes.add_shape(1, Inches(1), Inches(3), Inches(6), Inches(1))
    box.text_frame.text = WORDS
    if ink:
        box.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr().append(xml(ink))
    if fill:
        box._element.spPr.append(xml(fill))
    if not style:
        box._element.remove(box._element.find("{*}style"))
    for change in changes:
        change(box)
    return read(saved(deck), PPTX)


def master_of(box: Any) -> Any:
    return box.part.slide.slide_layout.slide_master


def mapped(bg1: str = "lt1", tx1: str = "dk1", accent1: str = "accent1") -> _Change:
    """The colour mapping of the master."""

    def change(box: Any) -> None:
        mapping = master_of(box)._element.find("{*}clrMap")
        mapping.attrib.update({"bg1": bg1, "tx1": tx1, "accent1": accent1})

    return change


def overridden(bg1: str = "lt1", tx1: str = "dk1", accent1: str = "accent1", layout: bool = False) -> _Change:
    """The colour mapping of the slide, or of its layout."""
    names = MAPPING.format(bg1=bg1, tx1=tx1, accent1=accent1)

    def change(box: Any) -> None:
        root = (box.part.slide.slide_layout if layout else box.part.slide)._element
        old = root.find("{*}clrMapOvr")
        old.getparent().replace(old, xml(f"<p:clrMapOvr><a:overrideClrMapping {names}/></p:clrMapOvr>"))

    return change


def in_theme(old: str, new: str) -> _Change:
    def change(box: Any) -> None:
        theme = master_of(box).part.part_related_by(RELATIONSHIP_TYPE.THEME)
        assert old.encode() in theme.blob
        theme._blob = theme.blob.replace(old.encode(), new.encode())

    return change


def theme_override(box: Any) -> None:
    colours = "<a:clrScheme name='x'><a:accent1><a:srgbClr val='FFFFFF'/></a:accent1></a:clrScheme>"
    blob = f"<a:themeOverride {NAMES}>{colours}</a:themeOverride>".encode()
    kind = "application/vnd.openxmlformats-officedocument.themeOverride+xml"
    part = Part(PackURI("/ppt/theme/themeOverride1.xml"), kind, box.part.package, blob)
    box.part.relate_to(part, RELATIONSHIP_TYPE.THEME_OVERRIDE)


def background(inner: str) -> _Change:
    return lambda box: box.part.slide._element.cSld.insert(0, xml(f"<p:bg>{inner}</p:bg>"))


def style_number(number: int) -> _Change:
    return lambda box: box._element.find(".//{*}fillRef").set("idx", str(number))


def behind_an_accent_shape(box: Any) -> None:
    box.part.slide.shapes.add_shape(1, box.left, box.top, box.width, box.height)


def inside_an_accent_frame(share: float) -> _Change:
    def change(box: Any) -> None:
        frame = box.part.slide.shapes.add_shape(158, box.left, box.top, box.width, box.height)
        frame.adjustments[0] = share

    return change


def on_a(fill: str, at: float = 0, kind: int = 1, below: str = "slide", turned: int = 0) -> _Change:
    """Another shape behind the rectangle, `at` inches further to the right, on the slide or on its layout."""

    def change(box: Any) -> None:
        other = box.part.slide.shapes.add_shape(kind, box.left + Inches(at), box.top, box.width, box.height)._element
        other.spPr.append(xml(fill))
        other.remove(other.find("{*}style"))
        if turned:
            other.spPr.find("{*}xfrm").set("rot", str(turned))
        if below == "layout":
            box.part.slide.slide_layout._element.cSld.spTree.append(other)
        else:
            box._element.addprevious(other)

    return change


def on_a_picture(box: Any) -> None:
    picture = box.part.slide.shapes.add_picture(io.BytesIO(PICTURE), box.left, box.top, box.width, box.height)
    box._element.addprevious(picture._element)


def without_the_shapes_of_the_layout(box: Any) -> None:
    box.part.slide._element.set("showMasterSp", "0")


def with_the_background_as_fill(box: Any) -> None:
    box._element.set("useBgFill", "1")


def list_style(inner: str) -> _Change:
    return lambda box: box._element.txBody.insert(
        1, xml(f"<a:lstStyle><a:lvl1pPr><a:defRPr>{inner}</a:defRPr></a:lvl1pPr></a:lstStyle>")
    )


DARK_BACKGROUND = background(f"<p:bgPr>{scheme('tx1')}</p:bgPr>")
DARK_STYLE = background("<p:bgRef idx='1001'><a:schemeClr val='tx2'/></p:bgRef>")
WHITE_ACCENT = in_theme("4F81BD", "FFFFFF")
DARKER = "<a:lumMod val='50000'/>"
CLEAR, LIGHTEST = "<a:alpha val='0'/>", "<a:lumMod val='5000'/><a:lumOff val='95000'/>"
SOLID = '<a:fillStyleLst><a:solidFill><a:schemeClr val="phClr"'


def test_text_on_a_colour_of_the_theme_as_python_pptx_writes_it() -> None:
    def filled(box: Any) -> None:
        box.fill.solid()
        box.fill.fore_color.theme_color = MSO_THEME_COLOR.ACCENT_1
        box.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)

    def styled(box: Any) -> None:
        box.text_frame.paragraphs[0].runs[0].font.color.theme_color = MSO_THEME_COLOR.BACKGROUND_1

    for document in (opened(filled), opened(styled)):
        assert (document.markdown, document.hidden) == (f"## Slide 1\n\n{WORDS}", 0)


@pytest.mark.parametrize(
    "document",
    [
        lambda: opened(),
        lambda: opened(style_number(1)),
        lambda: opened(ink=scheme("bg1"), fill=scheme("accent1", DARKER)),
        lambda: opened(ink=scheme("bg1"), fill=scheme("accent2", "<a:shade val='50%'/>"), style=False),
        lambda: opened(ink=WHITE, fill="<a:solidFill><a:prstClr val='dkBlue'/></a:solidFill>"),
        lambda: opened(ink=WHITE, fill=gradient("102030", "405060")),
        lambda: opened(ink=WHITE, fill=rgb("102030", "<a:alpha val='70000'/>")),
        lambda: opened(ink=gradient("FF0000", "0000FF"), fill="<a:noFill/>"),
        lambda: opened(DARK_BACKGROUND, ink=scheme("bg1"), fill="<a:noFill/>"),
        lambda: opened(DARK_STYLE, ink=scheme("bg1"), fill="<a:noFill/>"),
        lambda: opened(DARK_STYLE, ink=WHITE, style=False),
        lambda: opened(DARK_STYLE, with_the_background_as_fill, ink=WHITE),
        lambda: opened(background("<p:bgPr><a:blipFill/></p:bgPr>"), ink=WHITE, style=False),
        lambda: opened(mapped("dk1", "lt1"), ink=scheme("tx1"), style=False),
        lambda: opened(mapped("dk1", "lt1"), style=False),
        lambda: opened(mapped("dk2", "lt1"), ink=WHITE, style=False),
        lambda: opened(overridden("dk1", "lt1"), ink=scheme("tx1"), style=False),
        lambda: opened(overridden("dk1", "lt1", layout=True), ink=scheme("tx1"), style=False),
        lambda: opened(mapped(tx1="lt1"), fill=scheme("accent1"), style=False),
        lambda: opened(list_style(scheme("bg1"))),
        lambda: opened(inside_an_accent_frame(0.1)),
        lambda: opened(on_a(scheme("accent1")), ink=scheme("bg1"), style=False),
        lambda: opened(on_a(scheme("accent1"), below="layout"), ink=scheme("bg1"), style=False),
        lambda: opened(on_a(scheme("accent1")), fill="<a:noFill/>"),
        lambda: opened(on_a_picture, fill="<a:noFill/>"),
        lambda: opened(on_a(scheme("accent1"), kind=9), fill="<a:noFill/>"),
        lambda: opened(on_a(scheme("accent1")), on_a("<a:noFill/>"), ink=WHITE, style=False),
    ],
)
def test_visible_text_on_or_in_a_colour_of_the_theme_is_read(document: Callable[[], Document]) -> None:
    found = document()
    assert (found.markdown, found.hidden) == (f"## Slide 1\n\n{WORDS}", 0)


@pytest.mark.parametrize(
    "document",
    [
        lambda: opened(ink=scheme("accent1"), fill=scheme("accent1")),
        lambda: opened(style_number(1), ink=scheme("accent1")),
        lambda: opened(style_number(1), list_style(scheme("accent1"))),
        lambda: opened(fill="<a:noFill/>"),
        lambda: opened(style_number(0)),
        lambda: opened(style_number(99)),
        lambda: opened(with_the_background_as_fill),
        lambda: opened(ink=scheme("lt1"), fill=scheme("bg1")),
        lambda: opened(ink=WHITE, fill=scheme("accent1", LIGHTEST)),
        lambda: opened(ink=WHITE, fill=rgb("000000", "<a:lumOff val='100%'/>")),
        lambda: opened(ink=WHITE, fill=rgb("000000", "<a:tint val='0'/>")),
        lambda: opened(ink=WHITE, fill=rgb("000000", "<a:inv/>")),
        lambda: opened(ink=WHITE, fill=rgb("000000", "<a:lum val='100000'/>")),
        lambda: opened(ink=rgb("BBBBBB"), fill=rgb("FFFFFF", "<a:shade val='50000'/>")),
        lambda: opened(ink=rgb("0000FF", "<a:redOff val='100000'/><a:greenOff val='100000'/>"), style=False),
        lambda: opened(ink=WHITE, fill="<a:solidFill><a:sysClr val='window' lastClr='000000'/></a:solidFill>"),
        lambda: opened(ink=WHITE, fill=rgb("000000", CLEAR)),
        lambda: opened(ink=WHITE, fill=scheme("accent1", CLEAR)),
        lambda: opened(ink=WHITE, fill=gradient("FFFFFF", "FFFFFF", "102030")),
        lambda: opened(ink=WHITE, fill=gradient(*(f"0000{at:02x}" for at in range(99)), "FFFFFF")),
        lambda: opened(ink=WHITE, fill="<a:blipFill/>"),
        lambda: opened(ink=WHITE, fill=scheme("phClr")),
        lambda: opened(ink=scheme("accent1"), fill=scheme("accent1"), style=False),
        lambda: opened(DARK_BACKGROUND, ink=scheme("dk1"), style=False),
        lambda: opened(DARK_STYLE, ink=scheme("dk2"), style=False),
        lambda: opened(background(f"<p:bgPr>{gradient('FFFFFF', '102030')}</p:bgPr>"), ink=WHITE, style=False),
        lambda: opened(background("<p:bgPr><a:noFill/></p:bgPr>"), ink=WHITE, style=False),
        lambda: opened(mapped(tx1="lt1"), ink=scheme("tx1"), style=False),
        lambda: opened(mapped(tx1="lt1"), style=False),
        lambda: opened(mapped(bg1="dk1"), style=False),
        lambda: opened(mapped(accent1="lt1"), ink=WHITE, fill=scheme("accent1")),
        lambda: opened(mapped("dk1", "lt1"), ink=scheme("bg1"), style=False),
        lambda: opened(overridden(tx1="lt1"), ink=scheme("tx1"), style=False),
        lambda: opened(overridden(tx1="lt1"), style=False),
        lambda: opened(overridden(tx1="lt1", layout=True), style=False),
        lambda: opened(mapped("dk1", "lt1"), overridden(), ink=scheme("bg1"), style=False),
        lambda: opened(WHITE_ACCENT, ink=WHITE, fill=scheme("accent1")),
        lambda: opened(WHITE_ACCENT, style_number(1)),
        lambda: opened(in_theme('sysClr val="window" lastClr="FFFFFF"', 'sysClr val="menu"'), fill="<a:noFill/>"),
        lambda: opened(theme_override, ink=WHITE, fill=scheme("accent1")),
        lambda: opened(in_theme(SOLID, SOLID.replace("phClr", "lt1")), style_number(1)),
        lambda: opened(inside_an_accent_frame(0.5)),
        lambda: opened(on_a(scheme("accent1")), ink=scheme("accent1"), style=False),
        lambda: opened(on_a(scheme("accent1")), on_a(WHITE), ink=WHITE, style=False),
        lambda: opened(on_a(scheme("accent1"), at=1), ink=WHITE, style=False),
        lambda: opened(on_a(scheme("accent1"), kind=9), ink=WHITE, style=False),
        lambda: opened(on_a(scheme("accent1"), turned=5_400_000), ink=WHITE, style=False),
        lambda: opened(on_a(scheme("accent1")), with_the_background_as_fill, ink=WHITE),
        lambda: opened(on_a(scheme("accent1"), at=20), fill="<a:noFill/>"),
        lambda: opened(
            on_a(scheme("accent1"), below="layout"), without_the_shapes_of_the_layout, ink=WHITE, style=False
        ),
        lambda: opened(behind_an_accent_shape, fill=scheme("accent2")),
    ],
)
def test_hidden_text_in_a_colour_of_the_theme_is_left_out_and_counted(document: Callable[[], Document]) -> None:
    found = document()
    assert WORDS not in found.markdown
    assert found.hidden == 1


@pytest.mark.parametrize(
    ("ink", "fill", "is_read"),
    [
        (scheme("bg1"), scheme("accent1"), True),
        (scheme("bg1"), "", True),  # the style of the table may paint it
        (scheme("accent1"), scheme("accent1"), False),
        (scheme("bg1"), scheme("lt1"), False),
        (WHITE, "<a:noFill/>", False),
    ],
)
def test_text_of_a_cell_is_compared_with_its_fill(ink: str, fill: str, is_read: bool) -> None:
    def change(box: Any) -> None:
        table = box.part.slide.shapes.add_table(1, 1, Inches(1), Inches(5), Inches(4), Inches(1)).table
        cell = table.cell(0, 0)
        cell.text = "in the cell"
        cell.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr().append(xml(ink))
        if fill:
            cell._tc.get_or_add_tcPr().append(xml(fill))

    document = opened(change)
    assert ("in the cell" in document.markdown, document.hidden) == (is_read, int(not is_read))


def test_presentation_with_many_colours_and_runs_is_read_in_bounded_work() -> None:
    stops = gradient(*("102030", "405060") * 10_000)

    def change(box: Any) -> None:
        box.text_frame.text = " ".join(["word"] * 100)
        run = box.text_frame.paragraphs[0].runs[0]._r
        run.get_or_add_rPr().append(xml(WHITE))
        for _ in range(5_000):
            run.addnext(
                xml("<a:r><a:rPr><a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill></a:rPr><a:t>x</a:t></a:r>")
            )

    started = time.process_time()
    assert opened(background(f"<p:bgPr>{stops}</p:bgPr>"), change, fill=stops).hidden
    assert time.process_time() - started < 20


def test_presentation_with_many_shapes_on_each_other_is_read_in_bounded_work() -> None:
    def change(box: Any) -> None:
        text = etree.tostring(box._element).decode()
        for _ in range(3_000):
            box._element.addprevious(etree.fromstring(text.replace('prst="rect"', 'prst="ellipse"')))

    started = time.process_time()
    assert WORDS in opened(change).markdown
    assert time.process_time() - started < 20
