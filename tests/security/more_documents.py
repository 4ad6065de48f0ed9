# ruff: noqa: E501, E731, ANN, B023, B034, RET503, F841 (a variant a line)
"""More documents with a text that a person does not see, each with a twin that looks alike and is seen."""

from __future__ import annotations

import io
import json
import re
import zipfile
from base64 import b64decode

import openpyxl
from lxml import etree
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, GradientFill, NamedStyle
from openpyxl.styles.colors import Color
from pptx.dml.color import RGBColor as SlideColour
from pptx.util import Emu, Inches
from reportlab.lib.utils import ImageReader

from security.documents import (
    DOCX,
    NOTEBOOK,
    ODP,
    ODS,
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

P, S = PAYLOAD, SEEN
out: list[Variant] = []


def add(i, v, m, b):
    out.append(Variant(f"more-{i}{'-seen' if v else ''}", v, m, b))


def rezip(data, edit):
    src = zipfile.ZipFile(io.BytesIO(data))
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w") as z:
        for n in src.namelist():
            d = src.read(n)
            r = edit(n, d.decode("utf-8", "replace") if n.endswith((".xml", ".rels")) else d)
            z.writestr(n, r if r is not None else d)
        for n, d in getattr(edit, "extra", {}).items():
            z.writestr(n, d)
    return buf.getvalue()


# ---- docx: raw run xml in place of the payload's run
base = _word_file(lambda run, doc: None)


def docx_run(xml, pre=""):
    def e(n, d):
        if n == "word/document.xml":
            return re.sub(r"<w:p>(?:(?!</w:p>).)*" + re.escape(P) + r".*?</w:p>", lambda m: xml, d, flags=re.S)
        return None

    return rezip(base, e)


W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'


def run(rpr, ppr=""):
    return f"<w:p>{'<w:pPr>' + ppr + '</w:pPr>' if ppr else ''}<w:r><w:rPr>{rpr}</w:rPr><w:t>{P}</w:t></w:r></w:p>"


NAMES = " ".join(
    f'xmlns:{name}="http://schemas.{place}"'
    for name, place in (
        ("wp", "openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
        ("a", "openxmlformats.org/drawingml/2006/main"),
        ("wps", "microsoft.com/office/word/2010/wordprocessingShape"),
    )
)


def text_box(rpr="", fill="FFFFFF", left=914400, height=914400):
    return (
        f'<w:p {NAMES}><w:r><w:drawing><wp:anchor simplePos="0"><wp:positionH relativeFrom="page"><wp:posOffset>{left}'
        f'</wp:posOffset></wp:positionH><wp:extent cx="4000000" cy="{height}"/><wp:docPr id="9" name="Box"/><a:graphic>'
        f'<a:graphicData><wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="4000000" cy="{height}"/></a:xfrm>'
        f'<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill></wps:spPr><wps:txbx><w:txbxContent>{run(rpr)}'
        "</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>"
    )


D = {
    "box-white": (text_box('<w:color w:val="FFFFFF"/>'), text_box('<w:color w:val="FFFFFF"/>', fill="1F3864")),
    "box-off-page": (text_box(left=-5000000), text_box(left=-100000)),
    "box-flat": (text_box(height=1000), text_box(height=200000)),
    "deleted": (
        f'<w:p><w:del w:id="1" w:author="a"><w:r><w:delText>{P}</w:delText></w:r></w:del></w:p>',
        f'<w:p><w:ins w:id="1" w:author="a"><w:r><w:t>{P}</w:t></w:r></w:ins></w:p>',
    ),
    "moved-from": (
        f'<w:p><w:moveFrom w:id="1"><w:r><w:t>{P}</w:t></w:r></w:moveFrom></w:p>',
        f'<w:p><w:moveTo w:id="1"><w:r><w:t>{P}</w:t></w:r></w:moveTo></w:p>',
    ),
    "instruction": (
        f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PRIVATE {P} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
        f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF x </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{P}</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
    ),
    "text-fill-alpha": (
        run(
            f'<w14:textFill {W14}><w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr></w14:solidFill></w14:textFill>'
        ),
        run(
            f'<w14:textFill {W14}><w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="20000"/></w14:srgbClr></w14:solidFill></w14:textFill>'
        ),
    ),
    "text-fill-white": (
        run(
            f'<w:color w:val="000000"/><w14:textFill {W14}><w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill></w14:textFill>'
        ),
        run(
            f'<w:color w:val="FFFFFF"/><w14:textFill {W14}><w14:solidFill><w14:srgbClr w14:val="203040"/></w14:solidFill></w14:textFill>'
        ),
    ),
    "shade-pattern": (
        run('<w:color w:val="000000"/><w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>'),
        run('<w:color w:val="FFFFFF"/><w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>'),
    ),
    "position-far": (run('<w:position w:val="-3000"/>'), run('<w:position w:val="-6"/>')),
    "ind-right": (run("", '<w:ind w:right="30000"/>'), run("", '<w:ind w:right="300"/>')),
    "ind-negative": (run("", '<w:ind w:left="-30000"/>'), run("", '<w:ind w:left="-300"/>')),
    "first-line-negative": (run("", '<w:ind w:hanging="30000"/>'), run("", '<w:ind w:left="720" w:hanging="720"/>')),
    "frame-off": (
        run("", '<w:framePr w:w="2000" w:hAnchor="page" w:vAnchor="page" w:x="-20000" w:y="100"/>'),
        run("", '<w:framePr w:w="2000" w:hAnchor="page" w:vAnchor="page" w:x="2000" w:y="100"/>'),
    ),
    "frame-flat": (
        run("", '<w:framePr w:w="2000" w:h="10" w:hRule="exact"/>'),
        run("", '<w:framePr w:w="2000" w:h="900" w:hRule="exact"/>'),
    ),
    "theme-white-text": (
        run('<w:color w:val="000000" w:themeColor="background1"/>'),
        run('<w:color w:val="FFFFFF" w:themeColor="text1"/>'),
    ),
    "size-complex": (run('<w:sz w:val="3"/>'), run('<w:sz w:val="13"/>')),
    "textbox-hidden": (
        f'<w:p><w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape style="visibility:hidden;width:90pt;height:20pt"><v:textbox><w:txbxContent><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>',
        None,
    ),
    "placeholder": (
        None,
        f"<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    ),
    "comment-reference": (
        '<w:p><w:r><w:t>Otters</w:t></w:r><w:commentRangeStart w:id="0"/><w:r><w:annotationRef/></w:r></w:p>',
        None,
    ),
    "cell-flat": (
        f'<w:tbl><w:tr><w:trPr><w:trHeight w:val="5" w:hRule="exact"/></w:trPr><w:tc><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
        f'<w:tbl><w:tr><w:trPr><w:trHeight w:val="5" w:hRule="atLeast"/></w:trPr><w:tc><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    ),
    "table-shade": (
        f'<w:tbl><w:tblPr><w:shd w:val="clear" w:fill="203040"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:rPr><w:color w:val="203040"/></w:rPr><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
        f'<w:tbl><w:tblPr><w:shd w:val="clear" w:fill="203040"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    ),
    "table-off": (
        f'<w:tbl><w:tblPr><w:tblpPr w:tblpX="-30000" w:tblpY="100"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
        f'<w:tbl><w:tblPr><w:tblpPr w:tblpX="300" w:tblpY="100"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>{P}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    ),
    "fit-text": (run('<w:fitText w:val="10"/>'), run('<w:fitText w:val="2000"/>')),
    "highlight-white": (
        run('<w:color w:val="FFFFFF"/><w:highlight w:val="white"/>'),
        run('<w:color w:val="FFFFFF"/><w:highlight w:val="darkBlue"/>'),
    ),
}
for n, (h, v) in D.items():
    if h:
        add("docx:" + n, False, DOCX, docx_run(h))
    if v:
        add("docx:" + n, True, DOCX, docx_run(v))


def bg(color):
    def e(n, d):
        if n == "word/document.xml":
            d = re.sub(r"(<w:document[^>]*>)", rf'\1<w:background w:color="{color}"/>', d, count=1)
            return d.replace("<w:t>" + S, '<w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>' + S).replace(
                "<w:t>" + P, '<w:rPr><w:color w:val="101010"/></w:rPr><w:t>' + P
            )
        if n == "word/settings.xml":
            return re.sub(r"(<w:settings[^>]*>)", r"\1<w:displayBackgroundShape/>", d, count=1)
        return None

    return rezip(base, e)


add("docx:background-dark", False, DOCX, bg("101010"))


# toggles: vanish in both the paragraph style and the character style cancel out
def toggle(run_, document):
    a = document.styles.add_style("A1", 1)
    a.font.hidden = True
    run_._parent.style = a
    _element(run_._r.get_or_add_rPr(), "w:vanish", val="0")


add("docx:style-off", True, DOCX, _word_file(toggle))


# ---- xlsx
def x(n, h, v):
    if h:
        add("xlsx:" + n, False, XLSX, _workbook(h))
    if v:
        add("xlsx:" + n, True, XLSX, _workbook(v))


def cond(color):
    return lambda b, s, c: s.conditional_formatting.add(
        "A1:Z99", FormulaRule(formula=['$C1<>""'], font=Font(color=color))
    )


x("conditional-white", cond("FFFFFFFF"), cond("FFFF0000"))


def fmt(f):
    return lambda b, s, c: setattr(c, "number_format", f)


x("format-text-empty", fmt('General;General;General;""'), fmt("General;General;General;@"))
x("format-text-semicolon", fmt("0;0;0;"), fmt("0;0;0;@"))


def merged(b, s, c):
    s["B4"] = "Otters"
    s.merge_cells("B4:C4")
    s._cells[(4, 3)] = openpyxl.cell.cell.Cell(s, 4, 3, P)


x("merged-under", merged, None)


def themed(b, s, c):
    c.font = Font(color=Color(theme=0))


def themed2(b, s, c):
    c.font = Font(color=Color(theme=1))


x("theme", themed, themed2)


def indexed(i):
    return lambda b, s, c: setattr(c, "font", Font(color=Color(indexed=i)))


x("indexed", indexed(9), indexed(8))


def zero(b, s, c):
    s.sheet_format.zeroHeight = True
    s.row_dimensions[1].height = 15


def zeronot(b, s, c):
    s.sheet_format.zeroHeight = True
    s.row_dimensions[1].height = 15
    s.row_dimensions[4].height = 15


x("zero-height", zero, zeronot)


def defcol(b, s, c):
    s.sheet_format.defaultColWidth = 0.05
    s.column_dimensions["A"].width = 30


x("default-column", defcol, None)


def named(f):
    def m(b, s, c):
        st = NamedStyle("q")
        st.font = Font(color=f)
        c.style = st

    return m


x("named-style", named("FFFFFFFF"), named("FF333333"))


def tint(t):
    return lambda b, s, c: setattr(c, "font", Font(color=Color(theme=1, tint=t)))


x("tint", tint(0.9999), tint(0.2))


def gfill(b, s, c):
    c.fill = GradientFill(stop=("FF102030", "FF102030"))
    c.font = Font(color="FF102030")


def gfill2(b, s, c):
    c.fill = GradientFill(stop=("FF102030", "FF102030"))
    c.font = Font(color="FFFFFFFF")


x("gradient-fill", gfill, gfill2)
# ---- pptx
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def rp(box):
    return box.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr()


def px(n, h, v):
    if h:
        add("pptx:" + n, False, PPTX, _presentation(h))
    if v:
        add("pptx:" + n, True, PPTX, _presentation(v))


def rxml(x):
    return lambda s, b: rp(b).insert(
        0,
        etree.fromstring(
            x.replace("<a:", "<a:", 1).replace(">", f' xmlns:a="{A}">', 1)
            if "/>" not in x.split(">")[0] + ">"
            else x.replace("/>", f' xmlns:a="{A}"/>', 1)
        ),
    )


px(
    "alpha",
    rxml('<a:solidFill><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:solidFill>'),
    rxml('<a:solidFill><a:srgbClr val="000000"><a:alpha val="80000"/></a:srgbClr></a:solidFill>'),
)
px("no-fill", rxml("<a:noFill/>"), None)
px(
    "gradient-white",
    rxml(
        '<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FFFFFF"/></a:gs><a:gs pos="100000"><a:srgbClr val="FFFFFF"/></a:gs></a:gsLst></a:gradFill>'
    ),
    rxml(
        '<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs><a:gs pos="100000"><a:srgbClr val="0000FF"/></a:gs></a:gsLst></a:gradFill>'
    ),
)
px(
    "scheme-lum",
    rxml('<a:solidFill><a:schemeClr val="tx1"><a:lumMod val="0"/><a:lumOff val="100000"/></a:schemeClr></a:solidFill>'),
    rxml(
        '<a:solidFill><a:schemeClr val="tx1"><a:lumMod val="75000"/><a:lumOff val="25000"/></a:schemeClr></a:solidFill>'
    ),
)
px(
    "sys-colour",
    rxml('<a:solidFill><a:sysClr val="window" lastClr="FFFFFF"/></a:solidFill>'),
    rxml('<a:solidFill><a:sysClr val="windowText" lastClr="000000"/></a:solidFill>'),
)
px(
    "scrgb",
    rxml('<a:solidFill><a:scrgbClr r="100000" g="100000" b="100000"/></a:solidFill>'),
    rxml('<a:solidFill><a:scrgbClr r="0" g="0" b="0"/></a:solidFill>'),
)
px(
    "hsl",
    rxml('<a:solidFill><a:hslClr hue="0" sat="0" lum="100000"/></a:solidFill>'),
    rxml('<a:solidFill><a:hslClr hue="0" sat="0" lum="10000"/></a:solidFill>'),
)


def hl(ink, back):
    def m(s, b):
        r = rp(b)
        r.append(etree.fromstring(f'<a:solidFill xmlns:a="{A}"><a:srgbClr val="{ink}"/></a:solidFill>'))
        r.append(etree.fromstring(f'<a:highlight xmlns:a="{A}"><a:srgbClr val="{back}"/></a:highlight>'))

    return m


px("highlight", hl("203040", "203040"), hl("FFFFFF", "203040"))


def scale(k):
    def m(s, b):
        bp = b.text_frame._txBody.bodyPr
        bp.append(etree.fromstring(f'<a:normAutofit xmlns:a="{A}" fontScale="{k}"/>'))

    return m


px("font-scale", scale(1000), scale(90000))


def spc(k):
    return lambda s, b: rp(b).set("spc", str(k))


px("spacing", spc(-4000), spc(-20))


def list_style(color, level):
    """The colour of a level of the text frame's own list style."""

    def m(s, b):
        b.text_frame.paragraphs[0].level = level - 1
        tb = b.text_frame._txBody
        old = tb.find(f"{{{A}}}lstStyle")
        fill = f'<a:solidFill><a:srgbClr val="{color}"/></a:solidFill>'
        new = etree.fromstring(
            f'<a:lstStyle xmlns:a="{A}"><a:lvl{level}pPr><a:defRPr>{fill}</a:defRPr></a:lvl{level}pPr></a:lstStyle>'
        )
        if old is not None:
            tb.replace(old, new)
        else:
            tb.insert(1, new)

    return m


px("list-style", list_style("FFFFFF", 1), list_style("222222", 1))
px("list-style-level", list_style("FFFFFF", 2), list_style("222222", 2))


def hiddengroup(s, b):
    g = s.shapes.add_group_shape([b])
    g._element.nvGrpSpPr.cNvPr.set("hidden", "1")


px("hidden-group", hiddengroup, lambda s, b: s.shapes.add_group_shape([b]) and None)


def flatgroup(s, b):
    g = s.shapes.add_group_shape([b])
    g.width = Emu(1)
    g.height = Emu(1)


px("flat-group", flatgroup, None)
PIC = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC")
px(
    "picture-cover",
    lambda s, b: s.shapes.add_picture(io.BytesIO(PIC), b.left, b.top, b.width, b.height) and None,
    lambda s, b: s.shapes.add_picture(io.BytesIO(PIC), b.left, b.top + b.height * 2, b.width, b.height) and None,
)


def tbl(color, fill=None):
    def m(s, b):
        b._element.getparent().remove(b._element)
        t = s.shapes.add_table(1, 1, Inches(1), Inches(3), Inches(4), Inches(1)).table
        c = t.cell(0, 0)
        c.text = P
        c.text_frame.paragraphs[0].runs[0].font.color.rgb = SlideColour.from_string(color)
        c.fill.solid()
        c.fill.fore_color.rgb = SlideColour.from_string(fill)

    return m


px("table-cell", tbl("203040", "203040"), tbl("FFFFFF", "203040"))
# ---- odt
seen = f"<text:p>{S}</text:p>"


def para(st, name="k"):
    return _open("text", f'{seen}<text:p text:style-name="{name}">{P}</text:p>', st)


def o(n, h, v):
    if h:
        add("odt:" + n, False, ODT, h)
    if v:
        add("odt:" + n, True, ODT, v)


tp = lambda v: _style("paragraph", f"<style:text-properties {v}/>")
pp = lambda v: _style("paragraph", f"<style:paragraph-properties {v}/>")
o(
    "deleted",
    _open(
        "text",
        f"<text:tracked-changes><text:changed-region><text:deletion><text:p>{P}</text:p></text:deletion></text:changed-region></text:tracked-changes>{seen}",
    ),
    None,
)
o(
    "hidden-paragraph",
    _open("text", f'{seen}<text:p><text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/>{P}</text:p>'),
    _open("text", f'{seen}<text:p><text:hidden-paragraph text:condition="ooow:0" text:is-hidden="false"/>{P}</text:p>'),
)
o("opacity", para(tp('xmlns:loext="l" loext:opacity="0%"')), para(tp('xmlns:loext="l" loext:opacity="80%"')))
o("size-percent", para(tp('fo:font-size="1%"')), para(tp('fo:font-size="80%"')))
o("margin", para(pp('fo:margin-left="90cm"')), para(pp('fo:margin-left="2cm"')))
o("margin-negative", para(pp('fo:margin-left="-90cm"')), para(pp('fo:margin-left="-1cm"')))
o("indent", para(pp('fo:text-indent="-90cm"')), para(pp('fo:text-indent="-1cm"')))
o("line-height", para(pp('fo:line-height="0.01cm"')), para(pp('fo:line-height="120%"')))
o("letter-spacing", para(tp('fo:letter-spacing="-2cm"')), para(tp('fo:letter-spacing="-0.01cm"')))
o("text-position", para(tp('style:text-position="-5000% 1%"')), para(tp('style:text-position="sub 58%"')))
o(
    "section-condition",
    _open(
        "text",
        f'{seen}<text:section text:name="s" text:display="condition" text:condition="ooow:1" text:is-hidden="true"><text:p>{P}</text:p></text:section>',
    ),
    None,
)
o(
    "frame-off",
    _open(
        "text",
        f'{seen}<text:p><draw:frame svg:x="-90cm" svg:y="1cm"><draw:text-box><text:p>{P}</text:p></draw:text-box></draw:frame></text:p>',
    ),
    _open(
        "text",
        f'{seen}<text:p><draw:frame svg:x="2cm" svg:y="1cm" svg:width="9cm" svg:height="2cm"><draw:text-box><text:p>{P}</text:p></draw:text-box></draw:frame></text:p>',
    ),
)
o(
    "frame-flat",
    _open(
        "text",
        f'{seen}<text:p><draw:frame svg:x="1cm" svg:y="1cm" svg:width="0.01cm" svg:height="0.01cm"><draw:text-box><text:p>{P}</text:p></draw:text-box></draw:frame></text:p>',
    ),
    None,
)
o(
    "condition-field",
    _open(
        "text",
        f'{seen}<text:p>Otters <text:conditional-text text:string-value-if-true="{P}" text:string-value-if-false="x" text:current-value="false">x</text:conditional-text></text:p>',
    ),
    None,
)
o(
    "variable",
    _open(
        "text",
        f'{seen}<text:p>Otters <text:variable-set text:name="v" text:display="none">{P}</text:variable-set></text:p>',
    ),
    _open("text", f'{seen}<text:p>Otters <text:variable-set text:name="v">{P}</text:variable-set></text:p>'),
)
o(
    "paragraph-ground",
    para(
        _style(
            "paragraph",
            '<style:paragraph-properties fo:background-color="#203040"/><style:text-properties fo:color="#203040"/>',
        )
    ),
    para(
        _style(
            "paragraph",
            '<style:paragraph-properties fo:background-color="#203040"/><style:text-properties fo:color="#ffffff"/>',
        )
    ),
)
layer = lambda disp: _open(
    "presentation",
    f'<draw:layer-set/><draw:page><draw:frame><draw:text-box>{seen}</draw:text-box></draw:frame><draw:frame draw:style-name="k"><draw:text-box><text:p>{P}</text:p></draw:text-box></draw:frame></draw:page>',
    _style("graphic", f'<style:text-properties fo:color="{disp}"/>'),
)
add("odp:graphic-white", False, ODP, layer("#ffffff"))
add("odp:graphic-dark", True, ODP, layer("#222222"))
flat = f'<draw:page><draw:frame><draw:text-box>{seen}</draw:text-box></draw:frame><draw:frame svg:x="1cm" svg:y="1cm" svg:width="0.01cm" svg:height="0.01cm"><draw:text-box><text:p>{P}</text:p></draw:text-box></draw:frame></draw:page>'
add("odp:flat", False, ODP, _open("presentation", flat))
ods = lambda cell, st: _open(
    "spreadsheet",
    f'<table:table table:name="A"><table:table-row><table:table-cell><text:p>{S}</text:p></table:table-cell></table:table-row><table:table-row>{cell}</table:table-row></table:table>',
    st,
)
add(
    "ods:covered",
    False,
    ODS,
    ods(
        f'<table:table-cell table:number-columns-spanned="2"><text:p>Otters</text:p></table:table-cell><table:covered-table-cell><text:p>{P}</text:p></table:covered-table-cell>',
        "",
    ),
)
add(
    "ods:tiny",
    False,
    ODS,
    ods(
        f'<table:table-cell table:style-name="k"><text:p>{P}</text:p></table:table-cell>',
        _style("table-cell", '<style:text-properties fo:font-size="1pt"/>'),
    ),
)
add(
    "ods:header-row",
    True,
    ODS,
    ods(
        f'<table:table-cell table:style-name="k"><text:p>{P}</text:p></table:table-cell>',
        _style("table-cell", '<style:text-properties fo:font-weight="bold"/>'),
    ),
)
# ---- rtf
table = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red10\green40\blue90;}"
sheet = r"{\stylesheet{\s1\v Quiet;}{\*\cs2\v Q;}{\s3\cf1 White;}}"


def rtf(n, h, v):
    for vis, b in ((False, h), (True, v)):
        if b:
            add(
                "rtf:" + n,
                vis,
                RTF,
                (r"{\rtf1\ansi " + table + sheet + rf" {S}\par " + b.replace("@", P) + r"\par}").encode(),
            )


rtf("deleted", r"{\deleted @}", r"{\revised @}")
rtf("exact-line", r"{\pard\sl-10\slmult0 @\par}", r"{\pard\sl-240\slmult0 @\par}")
rtf("indent", r"{\pard\li30000 @\par}", r"{\pard\li300 @\par}")
rtf("indent-negative", r"{\pard\li-30000 @\par}", r"{\pard\li-300 @\par}")
rtf("scale", r"{\charscalex1 @}", r"{\charscalex90 @}")
rtf("spacing", r"{\expndtw-400 @}", r"{\expndtw-4 @}")
rtf("lowered", r"{\dn3000 @}", r"{\dn6 @}")
rtf("raised", r"{\up3000 @}", r"{\up6 @}")
rtf("style-sheet", r"{\pard\s1\v @\par}", r"{\pard\s1 @\par}")
rtf("field", r"{\field{\*\fldinst PRIVATE @}{\fldrslt Otters}}", r"{\field{\*\fldinst HYPERLINK x}{\fldrslt @}}")
rtf("bookmark", r"{\*\bkmkstart @}Otters{\*\bkmkend @}", None)
rtf("destination", r"{\*\secretdest @}Otters", None)
rtf("info", r"{\info{\doccomm @}}Otters", None)
rtf("annotation", r"Otters{\*\annotation @}", None)
rtf("shape-hidden", r"{\shp{\*\shpinst{\sp{\sn fHidden}{\sv 1}}{\shptxt @\par}}}Otters", None)
rtf("shading", r"{\cf3\chshdng10000\chcfpat3 @}", None)
rtf("plain-resets", None, r"{\v a\plain @}")
rtf("unhide-inside", None, r"{\v a{\v0 @}}")
rtf("row-hidden-webhidden", r"{\webhidden @}", None)


# ---- ipynb
def nb(n, h, v=None):
    for vis, b in ((False, h), (True, v)):
        if b:
            add("ipynb:" + n, vis, NOTEBOOK, _notebook_file(b.replace("@", P)))


nb("reference-comment", "[//]: # (@)\n\nOtters", "Otters (@)")
nb("reference-title", '[x]: http://a.example "@"\n\nOtters [x]')
nb("phantom", "Otters $\\phantom{\\text{@}}$ swim", "Otters $\\text{@}$ swim")
nb("math-white", "Otters $\\color{white}{\\text{@}}$ swim", "Otters $\\color{red}{\\text{@}}$ swim")
nb("math-tiny-size", "Otters <font color='white'>@</font>", "Otters <font color='navy'>@</font>")
nb("template", "<template>@</template>Otters", "<section>@</section>")
nb("upper", "<DIV STYLE='DISPLAY:NONE'>@</DIV>", "<DIV STYLE='DISPLAY:BLOCK'>@</DIV>")
nb("unclosed", "Otters\n\n<div hidden>\n\n@", "Otters\n\n<div>\n\n@")
nb("script", "<script type='text/plain'>@</script>Otters")
nb("svg", "<svg width=0 height=0><text>@</text></svg>Otters")
nb("entity", "<p style='display&#58;none'>@</p>")
nb("alt", "<img src='x.png' alt='@' width=1 height=1 style='display:none'>Otters")


def nbo(n, data, vis):
    add("ipynb:" + n, vis, NOTEBOOK, _notebook_file("Otters", {k: v.replace("@", P) for k, v in data.items()}))


nbo("output-sheet", {"text/html": "<style>.k{visibility:hidden}</style><p class=k>@</p>"}, False)
nbo("output-table", {"text/html": "<table><tr hidden><td>@</td></tr><tr><td>x</td></tr></table>"}, False)
nbo("output-latex", {"text/latex": "$\\phantom{@}$", "text/plain": "x"}, False)


def crosscell():
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [
                {"cell_type": "markdown", "metadata": {}, "source": S},
                {"cell_type": "markdown", "metadata": {}, "source": "<style>.zz{display:none}</style>"},
                {"cell_type": "markdown", "metadata": {}, "source": f"<p class='zz'>{P}</p>"},
            ],
        }
    ).encode()


add("ipynb:sheet-of-another-cell", False, NOTEBOOK, crosscell())
# ---- epub
EPUB = "application/epub+zip"


def epub(body, head="", extra=(), spine='<itemref idref="c"/>', manifest=""):
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w") as z:
        z.writestr("mimetype", "application/epub+zip")
        z.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
        )
        z.writestr(
            "OEBPS/b.opf",
            f'<package><metadata><title>Otters</title></metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>{manifest}</manifest><spine>{spine}</spine></package>',
        )
        z.writestr(
            "OEBPS/c.xhtml",
            f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title>{head}</head><body><h1>Otters</h1><p>{S}</p>{body}</body></html>',
        )
        for n, d in extra:
            z.writestr("OEBPS/" + n, d)
    return buf.getvalue()


def ep(n, h, v):
    if h:
        add("epub:" + n, False, EPUB, h)
    if v:
        add("epub:" + n, True, EPUB, v)


k = f'<p class="k">{P}</p>'
link = '<link rel="stylesheet" type="text/css" href="css/s.css"/>'
ep(
    "sheet-in-package",
    epub(k, link, [("css/s.css", ".k{display:none}")]),
    epub(k, link, [("css/s.css", ".z{display:none}")]),
)
ep("sheet-imported", epub(k, link, [("css/s.css", "@import 'more.css';"), ("css/more.css", ".k{opacity:0}")]), None)
ep("inline", epub(f'<p style="font-size:0">{P}</p>'), epub(f'<p style="font-size:1em">{P}</p>'))
ep("white", epub(f'<p style="color:#fff">{P}</p>'), epub(f'<p style="color:#333">{P}</p>'))
ep(
    "sheet-white",
    epub(k, link, [("css/s.css", ".k{color:#fefefe}")]),
    epub(k, link, [("css/s.css", "body{background:#000}p{color:#ccc}.k{color:#fefefe}")]),
)
ep(
    "not-in-spine",
    epub(
        "",
        "",
        [("d.xhtml", f"<html><body><p>{P}</p></body></html>")],
        manifest='<item id="d" href="d.xhtml" media-type="application/xhtml+xml"/>',
    ),
    epub(
        "",
        "",
        [("d.xhtml", f"<html><body><p>{P}</p></body></html>")],
        manifest='<item id="d" href="d.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="c"/><itemref idref="d"/>',
    ),
)
ep("hidden", epub(f'<section hidden="hidden"><p>{P}</p></section>'), epub(f"<section><p>{P}</p></section>"))
ep(
    "switch",
    epub(
        f'<epub:switch><epub:case required-namespace="x"><p>{P}</p></epub:case><epub:default><p>Otters</p></epub:default></epub:switch>'
    ),
    None,
)
ep("style-element", epub(k, "<style type='text/css'>/*<![CDATA[*/ .k{display:none} /*]]>*/</style>"), None)


# ---- pdf
def pdf(n, h, v):
    if h:
        add("pdf:" + n, False, PDF, _pdf_file(h))
    if v:
        add("pdf:" + n, True, PDF, _pdf_file(v))


def raw(ops):
    return lambda pen: pen._code.append(ops)


F = "/F1"
T = f"({P}) Tj"
pdf("scale-zero", raw(f"BT {F} 12 Tf 0 Tz 72 500 Td {T} ET"), raw(f"BT {F} 12 Tf 80 Tz 72 500 Td {T} ET"))
pdf("matrix-small", raw(f"BT {F} 12 Tf .02 0 0 .02 72 500 Tm {T} ET"), raw(f"BT {F} 1 Tf 12 0 0 12 72 500 Tm {T} ET"))
pdf("cmyk-white", raw(f"0 0 0 0 k BT {F} 12 Tf 72 500 Td {T} ET"), raw(f"0 0 0 1 k BT {F} 12 Tf 72 500 Td {T} ET"))
pdf("rise", raw(f"BT {F} 12 Tf 2000 Ts 72 500 Td {T} ET"), raw(f"BT {F} 12 Tf 3 Ts 72 500 Td {T} ET"))
pdf(
    "clip-empty",
    raw(f"q 0 0 0 0 re W n BT {F} 12 Tf 72 500 Td {T} ET Q"),
    raw(f"q 0 0 600 800 re W n BT {F} 12 Tf 72 500 Td {T} ET Q"),
)
pdf("stroke-white", raw(f"1 G 1 Tr BT {F} 12 Tf 72 500 Td {T} ET"), raw(f"0 G BT 1 Tr {F} 12 Tf 72 500 Td {T} ET"))


def image_cover(pen):
    pen.drawString(72, 500, P)
    pen.drawImage(ImageReader(io.BytesIO(PIC)), 60, 480, 400, 60)


def image_beside(pen):
    pen.drawString(72, 500, P)
    pen.drawImage(ImageReader(io.BytesIO(PIC)), 60, 380, 400, 60)


pdf("image-cover", image_cover, image_beside)


def form_alpha(a):
    def m(pen):
        pen.setFillAlpha(a)
        pen.drawString(72, 500, P)

    return m


pdf("alpha-low", form_alpha(0.01), form_alpha(0.6))
pdf(
    "pale",
    lambda pen: (pen.setFillGray(0.975), pen.drawString(72, 500, P)),
    lambda pen: (pen.setFillGray(0.7), pen.drawString(72, 500, P)),
)


def crop(pen):
    pen.setCropBox((0, 600, 595, 842))
    pen.drawString(72, 500, P)


pdf("crop-box", crop, None)
pdf("thrice", None, lambda pen: pen.drawString(72, 500, P))


def annot(pen):
    pen.textAnnotation(P, Rect=(0, 0, 0, 0), addtopage=1)


pdf("annotation", annot, None)
pdf(
    "form-under-white",
    lambda pen: (
        pen.beginForm("f"),
        pen.drawString(72, 500, P),
        pen.endForm(),
        pen.doForm("f"),
        pen.setFillGray(1),
        pen.rect(60, 480, 400, 60, stroke=0, fill=1),
    ),
    lambda pen: (pen.beginForm("f"), pen.drawString(72, 500, P), pen.endForm(), pen.doForm("f")),
)


def variants() -> list[Variant]:
    """Every one of them."""
    return out
