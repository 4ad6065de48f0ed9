"""Text boxes of Word documents: visible ones are read where they are anchored, others are left out and counted."""

from __future__ import annotations

import io
import time
import zipfile

import pytest
from tests.extract.reading import read

from mcp_web.errors import ExtractFailed
from mcp_web.model.page import Document

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
INCH = 914_400
A4 = "<sectPr><pgSz w:w='11906' w:h='16838'/></sectPr>"
THEME = (
    "<theme><themeElements><clrScheme><accent1><srgbClr val='1F4E79'/></accent1>"
    "<lt1><sysClr val='window' lastClr='FFFFFF'/></lt1></clrScheme><fmtScheme><fillStyleLst>"
    "<solidFill><schemeClr val='phClr'/></solidFill></fillStyleLst></fmtScheme></themeElements></theme>"
)


def text(words: str, properties: str = "") -> str:
    return f"<p><r><rPr>{properties}</rPr><t>{words}</t></r></p>"


def coloured(colour: str, words: str = "boxed") -> str:
    return text(words, f"<color val='{colour}'/>")


def shape(inner: str, *, fill: str = "<noFill/>", at: str = "", name: str = "", style: str = "", body: str = "") -> str:
    place = at or f"<off x='0' y='0'/><ext cx='{2 * INCH}' cy='{INCH}'/>"
    return (
        f"<wsp><cNvPr {name}/><spPr><xfrm>{place}</xfrm>{fill}</spPr><style>{style}</style>"
        f"<txbx><txbxContent>{inner}</txbxContent></txbx><bodyPr>{body}</bodyPr></wsp>"
    )


def drawing(inner: str, *, frame: str = "", before: str = "", size: tuple[int, int] = (2 * INCH, INCH)) -> str:
    extent = f"<extent cx='{size[0]}' cy='{size[1]}'/>"
    return (
        f"<r><drawing><anchor {frame}>{before}{extent}<docPr id='1'/>"
        f"<graphic><graphicData>{inner}</graphicData></graphic></anchor></drawing></r>"
    )


def position(across: str = "", down: str = "", reference: str = "page") -> str:
    return (
        f"<positionH relativeFrom='{reference}'>{across}</positionH>"
        f"<positionV relativeFrom='{reference}'>{down}</positionV>"
    )


def offset(inches: float) -> str:
    return f"<posOffset>{int(inches * INCH)}</posOffset>"


def group(inner: str) -> str:
    area = f"<off x='0' y='0'/><ext cx='{2 * INCH}' cy='{INCH}'/><chOff x='0' y='0'/><chExt cx='2000' cy='1000'/>"
    return f"<wgp><grpSpPr><xfrm>{area}</xfrm></grpSpPr>{inner}</wgp>"


def within(left: int, top: int, width: int, height: int) -> str:
    return f"<off x='{left}' y='{top}'/><ext cx='{width}' cy='{height}'/>"


VML_STYLE = "position:absolute;margin-left:1in;margin-top:20pt;width:200pt;height:50pt;visibility:visible"


def vml(inner: str, *, style: str = VML_STYLE, marks: str = "", fill: str = "", box: str = "") -> str:
    content = f"<textbox style='{box}'><txbxContent>{inner}</txbxContent></textbox>"
    return f"<r><pict><shape style='{style}' {marks}>{fill}{content}</shape></pict></r>"


def opened(body: str, theme: str = THEME) -> Document:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<document xmlns:w='w'><body>{body}</body></document>")
        archive.writestr("word/theme/theme1.xml", theme)
    return read(buffer.getvalue(), DOCX)


def anchored(box: str, after: str = A4) -> Document:
    return opened(f"<p><r><t>before</t></r>{box}</p>{text('after')}{after}")


WORD = """
<w:p xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:wp14="http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing"><w:r><w:t>Before.</w:t></w:r>
<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor behindDoc="0" simplePos="0">
<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin"><wp:align>left</wp:align></wp:positionH>
<wp:positionV relativeFrom="paragraph"><wp:posOffset>74930</wp:posOffset></wp:positionV>
<wp:extent cx="2360930" cy="1404620"/><wp:wrapSquare wrapText="bothSides"/><wp:docPr id="217" name="Text Box 2"/>
<a:graphic><a:graphicData><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/>
<a:ext cx="2360930" cy="1404620"/></a:xfrm><a:prstGeom prst="rect"/><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>
</wps:spPr><wps:txbx><w:txbxContent>CONTENT</w:txbxContent></wps:txbx><wps:bodyPr><a:spAutoFit/></wps:bodyPr></wps:wsp>
</a:graphicData></a:graphic><wp14:sizeRelH relativeFrom="margin"><wp14:pctWidth>40000</wp14:pctWidth></wp14:sizeRelH>
</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape type="#_x0000_t202" style="position:absolute;
margin-left:0;margin-top:5.9pt;width:185.9pt;height:110.6pt;visibility:visible;mso-width-percent:400;
mso-position-horizontal:left;mso-position-horizontal-relative:margin"><v:textbox style="mso-fit-shape-to-text:t">
<w:txbxContent>CONTENT</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>
</w:p><w:p><w:r><w:t>After.</w:t></w:r></w:p>"""
CONTENT = (
    "<w:p><w:pPr><w:outlineLvl w:val='1'/></w:pPr><w:r><w:t>Quote</w:t></w:r></w:p>"
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
)


def test_text_box_with_a_fallback_is_read_once_after_the_paragraph_of_its_anchor() -> None:
    document = opened(WORD.replace("CONTENT", CONTENT))
    assert document.markdown == "Before.\n\n## Quote\n\n| cell |\n| --- |\n\nAfter."
    assert document.hidden == 0


def test_alternative_that_word_does_not_show_is_not_read() -> None:
    first = f"<Choice Requires='other'>{vml(text('secret'))[3:-4]}</Choice>"
    box = f"<r><AlternateContent>{first}<Fallback>{vml(text('boxed'))[3:-4]}</Fallback></AlternateContent></r>"
    assert anchored(box).markdown == "before\n\nboxed\n\nafter"


def test_text_box_in_a_cell_is_text_of_the_cell_on_its_own_fill() -> None:
    white = drawing(shape(coloured("FFFFFF"), fill="<solidFill><srgbClr val='203040'/></solidFill>"))
    hidden = drawing(shape(coloured("203040", "secret"), fill="<solidFill><srgbClr val='203040'/></solidFill>"))
    away = drawing(shape(text("secret")), before=position(offset(-3)))
    document = opened(f"<tbl><tr><tc><p><r><t>cell</t></r>{white}{hidden}{away}</p></tc></tr></tbl>")
    assert document.markdown == "| cell boxed |\n| --- |"
    assert document.hidden == 2


def test_transparent_box_in_a_dark_cell_may_be_anywhere() -> None:
    dark = "<tcPr><shd val='clear' fill='101010'/></tcPr>"
    box = drawing(shape(coloured("101010", "secret")))
    document = opened(f"<tbl><tr><tc>{dark}<p><r><t>cell</t></r>{box}</p></tc></tr></tbl>")
    assert (document.markdown, document.hidden) == ("| cell |\n| --- |", 1)


DARK, ACCENT = "<solidFill><srgbClr val='1F4E79'/></solidFill>", "<solidFill><schemeClr val='accent1'/></solidFill>"
EVEN = "<gradFill><gsLst><gs><srgbClr val='1F4E79'/></gs><gs><srgbClr val='1F4E7A'/></gs></gsLst></gradFill>"
ACCENT_STYLE = "<fillRef idx='1'><schemeClr val='accent1'/></fillRef>"
LIGHT_TEXT = "<fontRef idx='minor'><schemeClr val='lt1'/></fontRef>"
LANDSCAPE = "<sectPr><pgSz w:w='16838' w:h='11906'/></sectPr>"
IN_THE_MIDDLE, OUTSIDE = within(500, 200, 1000, 600), within(4000, 200, 1000, 600)
PLAIN = shape(text("boxed"))


@pytest.mark.parametrize(
    "box",
    [
        drawing(PLAIN),
        drawing(PLAIN).replace("anchor", "inline"),
        drawing(PLAIN, frame="behindDoc='1'"),
        drawing(PLAIN, before=position(offset(-0.5), offset(9))),
        drawing(PLAIN, before=position(offset(-1), offset(0), "leftMargin").replace("-9", "-8")),
        drawing(PLAIN, before=position("<align>right</align>", "<pctPosVOffset>45000</pctPosVOffset>")),
        drawing(PLAIN, before="<sizeRelH><pctWidth>0</pctWidth></sizeRelH>"),
        drawing(shape(text("boxed"), at=within(99 * INCH, 99 * INCH, 2 * INCH, INCH))),  # as Google Docs writes it
        drawing(shape(text("boxed"), at=within(0, 0, 2 * INCH, 635), body="<spAutoFit/>"), size=(2 * INCH, 635)),
        drawing(shape(coloured("FFFFFF"), fill=DARK)),
        drawing(shape(coloured("FFFFFF"), fill=ACCENT)),
        drawing(shape(coloured("FFFFFF"), fill=EVEN)),
        drawing(shape(coloured("FFFFFF"), fill="", style=ACCENT_STYLE)),
        drawing(shape(text("boxed"), fill="", style=ACCENT_STYLE + LIGHT_TEXT)),
        drawing(group(shape(text("boxed"), at=IN_THE_MIDDLE))),
        drawing(f"<wpc>{group(shape(text('boxed'), at=IN_THE_MIDDLE))}</wpc>"),
        vml(text("boxed")),
        vml(text("boxed"), style="width:200pt;height:50pt"),
        vml(text("boxed"), style="width:200pt;height:.05pt", box="mso-fit-shape-to-text:t"),
        vml(text("boxed"), marks="filled='f'"),
        vml(text("boxed"), fill="<fill on='false'/>"),
        vml(coloured("FFFFFF"), marks="fillcolor='#1f4e79 [3215]'"),
        vml(text("boxed"), style=f"{VML_STYLE};mso-width-percent:400;mso-left-percent:455"),
    ],
)
def test_visible_text_box_is_read(box: str) -> None:
    document = anchored(box)
    assert (document.markdown, document.hidden) == ("before\n\nboxed\n\nafter", 0)


def test_text_box_on_the_right_of_a_wide_page_is_read() -> None:
    box = drawing(PLAIN, before=position(offset(9), offset(1)))
    assert "boxed" in anchored(box, LANDSCAPE).markdown
    assert anchored(box).hidden == 1
    assert anchored(box, f"<p><pPr>{A4}</pPr></p>{LANDSCAPE}").hidden == 1  # which of them is not known


SECRET = shape(text("secret"))


@pytest.mark.parametrize(
    "box",
    [
        drawing(SECRET, frame="hidden='1'"),
        drawing(SECRET).replace("<docPr ", "<docPr hidden='true' "),
        drawing(shape(text("secret"), name="hidden='1'")),
        drawing(SECRET).replace("<r>", "<r><rPr><vanish/></rPr>", 1),
        drawing(SECRET, size=(0, 0)),
        drawing(SECRET, size=(2 * INCH, 50_000)),
        drawing(SECRET, size=(INCH // 4, INCH)),
        drawing(shape(text("secret"), at=within(0, 0, 2 * INCH, 0))),
        drawing(shape(text("secret"), at=within(0, 0, 2 * INCH, 50_000))),
        drawing(shape(text("secret"), at=within(0, 0, 50_000, INCH))),
        drawing(shape(text("secret"), name="hidden='1'", body="<spAutoFit/>")),
        drawing(shape(text("secret"), at=within(0, 0, 0, 0), body="<spAutoFit/>"), size=(2 * INCH, 0)),
        drawing(SECRET, before=position(offset(-2.1))),
        drawing(SECRET, before=position(offset(1), offset(-1.1), "paragraph")),
        drawing(SECRET, before=position(offset(9))),
        drawing(SECRET, before=position(offset(0), offset(12))),
        drawing(SECRET, before=position(offset(1), reference="rightMargin")),
        drawing(SECRET, before=position("<posOffset>far away</posOffset>")),
        drawing(SECRET, before=position("<pctPosHOffset>200000</pctPosHOffset>")),
        drawing(SECRET, before="<Choice>" + position("<pctPosHOffset>-90000</pctPosHOffset>") + "</Choice>"),
        drawing(SECRET, before="<sizeRelH><pctWidth>10</pctWidth></sizeRelH>"),
        drawing(SECRET, frame="simplePos='1'"),
        drawing(shape(text("secret", "<vanish/>"))),
        drawing(shape(text("secret", "<sz val='2'/>"))),
        drawing(shape(coloured("FFFFFF", "secret"))),
        drawing(shape(coloured("1F4E79", "secret"), fill=DARK)),
        drawing(shape(coloured("1F4E79", "secret"), fill=ACCENT)),
        drawing(shape(coloured("1F4E79", "secret"), fill="", style=ACCENT_STYLE)),
        drawing(shape(text("secret"), style=LIGHT_TEXT)),
        drawing(shape(text("secret"), fill="<solidFill><schemeClr val='accent9'/></solidFill>")),
        drawing(shape(text("secret"), fill="<blipFill/>")),
        drawing(shape(text("secret"), fill=EVEN.replace("1F4E7A", "FFFFFF"))),
        drawing(group(shape(text("secret"), at=OUTSIDE))),
        drawing(group(shape(text("secret"), at=within(500, 200, 1000, 0)))),
        drawing(group(shape(text("secret"), at=IN_THE_MIDDLE, name="hidden='1'"))),
        drawing(group(shape(text("secret"), at=IN_THE_MIDDLE) + shape("", at=IN_THE_MIDDLE, fill=DARK))),
        drawing(group(shape(text("secret"), at=within(0, 0, 250, 300))), size=(INCH // 2, INCH)),
        drawing(f"<unknown>{SECRET}</unknown>"),
        vml(text("secret"), style=VML_STYLE.replace("visible", "hidden")),
        vml(text("secret"), style=VML_STYLE + ";display:none"),
        vml(text("secret"), box="display:none"),
        vml(text("secret"), style=VML_STYLE.replace("50pt", "1pt")),
        vml(text("secret"), style="position:absolute"),
        vml(text("secret"), style=VML_STYLE.replace("1in", "-201pt")),
        vml(text("secret"), style=VML_STYLE.replace("20pt", "900pt")),
        vml(text("secret"), style=VML_STYLE + ";mso-width-percent:1"),
        vml(text("secret"), style=VML_STYLE + ";mso-left-percent:2000"),
        vml(text("secret"), fill="<fill type='gradient'/>"),
        vml(text("secret"), fill="<fill opacity='0'/>"),
        vml(coloured("FFFFFF", "secret")),
        vml(coloured("1F4E79", "secret"), marks="fillcolor='#1f4e79 [3215]'"),
        vml(text("secret")).replace("<pict>", "<pict><group>").replace("</pict>", "</group></pict>"),
    ],
)
def test_hidden_text_box_is_left_out_and_counted(box: str) -> None:
    document = anchored(box)
    assert (document.markdown, document.hidden) == ("before\n\nafter", 1)


def test_hidden_text_box_in_code_is_left_out() -> None:
    hidden = drawing(SECRET, before=position(offset(-3)))
    styles = "<styles><style styleId='c'><name val='Source Code'/></style></styles>"
    code = f"<p><pPr><pStyle val='c'/></pPr><r><t>one</t></r>{hidden}</p>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", f"<document><body>{code}</body></document>")
        archive.writestr("word/styles.xml", styles)
    document = read(buffer.getvalue(), DOCX)
    assert (document.markdown, document.hidden) == ("```\none\n```", 1)


def test_text_box_of_a_paragraph_off_its_page_is_left_out() -> None:
    document = opened(f"<p><pPr><ind left='20000'/></pPr>{drawing(SECRET)}</p>{text('after')}")
    assert (document.markdown, document.hidden) == ("after", 1)


def test_text_box_without_text_is_not_counted() -> None:
    assert anchored(drawing(shape("<p/>"), size=(0, 0))).hidden == 0


def test_deeply_nested_text_boxes_end_cleanly() -> None:
    deep = "<p><r><pict><shape style='width:9in;height:9in'><textbox><txbxContent>" * 2_000
    deep += text("inner") + "</txbxContent></textbox></shape></pict></r></p>" * 2_000
    with pytest.raises(ExtractFailed, match="nested too deeply"):
        opened(deep)


def test_document_with_many_pages_shapes_and_positions_is_read_in_bounded_work() -> None:
    shapes = shape(text("boxed"), at=within(500, 200, 1000, 600)) * 10_000
    box = drawing(group(shapes), before=position(offset(1)) * 10_000)
    started = time.process_time()
    assert "boxed" in opened(f"<p>{box}</p>{text('pgSz w' * 200_000)}").markdown
    assert time.process_time() - started < 20
