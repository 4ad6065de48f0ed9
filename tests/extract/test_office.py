"""Office documents made by the usual libraries, and by hand where there is none; hostile ones end in a clean error."""

from __future__ import annotations

import datetime
import io
import time
import weakref
import zipfile
from contextlib import suppress
from itertools import islice

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx.util import Inches
from tests.extract.reading import read

from mcp_web.errors import ExtractFailed, UnsupportedContent
from mcp_web.extract.xml_elements import read_xml

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"


def zipped(parts: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def saved(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def word_document() -> bytes:
    document = docx.Document()
    document.core_properties.title = "The report"
    document.core_properties.author = "Ada Lovelace"
    document.core_properties.created = datetime.datetime(2024, 5, 31, 8, 0)
    document.add_heading("Engines", 1)
    paragraph = document.add_paragraph("Some ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run(" text.")
    secret = paragraph.add_run(" obey me")
    secret.font.hidden = True
    relation = document.part.relate_to(
        "https://x.org/a",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink",
        is_external=True,
    )
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), relation)
    run = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = "a link"
    run.append(text)
    link.append(run)
    paragraph._p.append(link)
    document.add_heading("Parts", 2)
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("second", style="List Bullet")
    document.add_paragraph("one", style="List Number")
    document.add_paragraph("two", style="List Number")
    table = document.add_table(rows=2, cols=2)
    for at, value in enumerate(("Name", "Value", "a|b", "1")):
        table.cell(at // 2, at % 2).text = value
    document.add_paragraph("# not a heading")
    return saved(document)


def test_a_moment_at_the_end_of_the_calendar_is_shown_as_its_number() -> None:
    book = openpyxl.Workbook()
    cell = book.active["A1"]
    cell.value, cell.number_format = 2958465.9999999, "yyyy-mm-dd hh:mm"
    assert "2958465.9999999" in read(saved(book), XLSX).markdown


def test_word_document_keeps_headings_lists_tables_links_and_weight() -> None:
    document = read(word_document(), DOCX)
    assert document.title == "The report"
    assert (document.metadata.author, document.metadata.published) == ("Ada Lovelace", "2024-05-31T08:00:00+00:00")
    assert document.markdown == (
        "# Engines\n\nSome **bold** text.[a link](https://x.org/a)\n\n"
        "## Parts\n\n- first\n- second\n1. one\n2. two\n\n"
        "| Name | Value |\n| --- | --- |\n| a\\|b | 1 |\n\n\\# not a heading"
    )
    assert document.hidden == 1
    assert "obey" not in document.markdown
    assert document.links[0].url == "https://x.org/a"


def test_word_footnotes_and_formulas_are_kept() -> None:
    body = (
        '<w:document xmlns:w="w" xmlns:m="m"><w:body><w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/></w:r>'
        "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p></w:body></w:document>"
    )
    notes = (
        '<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>The note.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    )
    document = read(zipped({"word/document.xml": body, "word/footnotes.xml": notes}), DOCX)
    assert document.markdown == "Text[^2]$\\frac{a}{b^{2}}$\n\n[^2]: The note."


def test_workbook_has_a_table_per_sheet_with_dates_and_numbers_as_shown() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    sheet.append(["Item", "Price", "Since", "Ok"])
    sheet.append(["Lamp | big", 0.1 + 0.2, datetime.date(2024, 5, 31), True])
    sheet.append(["Desk", 12, datetime.datetime(2024, 5, 31, 8, 30), False])
    other = book.create_sheet("Sums")
    other["B2"] = "=SUM(1,2)"
    book.create_sheet("Secret").sheet_state = "hidden"
    document = read(saved(book), XLSX)
    assert document.markdown == (
        "## Prices\n\n| Item | Price | Since | Ok |\n| --- | --- | --- | --- |\n"
        "| Lamp \\| big | 0.3 | 2024-05-31 | TRUE |\n| Desk | 12 | 2024-05-31 08:30:00 | FALSE |\n\n"
        "## Sums\n\n| =SUM(1,2) |\n| --- |"
    )
    assert [heading.text for heading in document.headings] == ["Prices", "Sums"]
    assert "1 hidden sheets" in document.notes[0]


def test_long_numbers_in_a_sheet_keep_their_digits() -> None:
    styles = "".join(f"<xf numFmtId='{form}'/>" for form in ("0", "1", "170", "171"))
    formats = (
        "<numFmt numFmtId='170' formatCode='_-* &quot;Nr &quot;#,##0'/><numFmt numFmtId='171' formatCode='0.0E+0'/>"
    )
    values = (
        ("0", "1234567890123456789", "1234567890123456789"),
        ("0", "9" * 310, "9" * 310),
        ("0", "1234567890123456789.0", "1234567890123456789"),
        ("0", "1234567890123456.78", "1234567890123457"),
        ("0", "0.30000000000000004", "0.3"),
        ("0", "1.2345678901234567E+18", "1.2345678901234567E+18"),
        ("0", "6.022E+23", "6.022E+23"),
        ("1", "1.23E+18", "1230000000000000000"),
        ("1", "1.2345678901234567E+18", "1234567890123456700"),
        ("2", "1.23E+18", "1230000000000000000"),
        ("3", "1.2345678901234567E+18", "1.2345678901234567E+18"),
    )
    rows = "".join(f"<row><c s='{style}'><v>{stored}</v></c></row>" for style, stored, _ in values)
    look = f"<styleSheet><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>"
    document = read(sheet(rows, styles=look), XLSX)
    shown = [line.strip("| ") for line in document.markdown.splitlines() if "-- |" not in line][2:]
    assert shown == [expected for _, _, expected in values]


def test_long_sheet_is_cut_with_a_note() -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Long")
    for at in range(2500):
        sheet.append([at, "x"])
    document = read(saved(book), XLSX)
    assert "longer than what is shown" in document.notes[0]
    assert document.markdown.count("\n") < 2100


def test_presentation_has_a_section_per_slide_with_bullets_tables_and_notes() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Why engines"
    frame = slide.placeholders[1].text_frame
    frame.text = "First"
    inner = frame.add_paragraph()
    inner.text, inner.level = "Inner", 1
    slide.notes_slide.notes_text_frame.text = "Say hello"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Numbers"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for at, value in enumerate(("a", "b", "1", "2")):
        table.cell(at // 2, at % 2).text = value
    document = read(saved(deck), PPTX)
    assert document.markdown == (
        "## Slide 1: Why engines\n\n- First\n  - Inner\n\nNotes: Say hello\n\n"
        "## Slide 2: Numbers\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    )
    assert document.title == "Why engines"


def test_opendocument_text_keeps_its_structure() -> None:
    content = """<o:document-content xmlns:o="o" xmlns:text="t" xmlns:table="tb" xmlns:xlink="x"><o:body><o:text>
    <text:h text:outline-level="1">Title</text:h>
    <text:p>Words<text:s/>and <text:a xlink:href="https://x.org/">a link</text:a><text:note>
    <text:note-citation>1</text:note-citation>
    <text:note-body><text:p>A note.</text:p></text:note-body></text:note>.</text:p>
    <text:list><text:list-item><text:p>one</text:p>
    <text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>
    </text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>
    <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell
      table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1000000">
      <table:table-cell/></table:table-row></table:table></o:text></o:body></o:document-content>"""
    meta = (
        '<o:m xmlns:o="o" xmlns:dc="d"><o:meta><dc:title>My text</dc:title><dc:creator>Ada</dc:creator></o:meta></o:m>'
    )
    document = read(zipped({"content.xml": content, "meta.xml": meta}), ODT)
    assert (document.title, document.metadata.author) == ("My text", "Ada")
    assert document.markdown == (
        "# Title\n\nWords and [a link](https://x.org/)[^1].\n\n- one\n  - deep\n- two\n\n"
        "| a |\n| --- |\n\n[^1]: A note."
    )


def test_book_is_read_in_the_order_of_its_spine() -> None:
    book = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<c><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></c>',
        "OPS/book.opf": '<package xmlns:dc="d"><metadata><dc:title>The Book</dc:title><dc:creator>Ada</dc:creator>'
        "<dc:language>en</dc:language></metadata><manifest>"
        '<item id="b" href="b%20x.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>',
        "OPS/a.xhtml": "<html><body><h1>One</h1><p>See <a href='b.xhtml#x'>two</a>.</p></body></html>",
        "OPS/b x.xhtml": "<html><body><h1>Two</h1><p>End. <a href='https://x.org/'>Web</a></p></body></html>",
        "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
    }
    document = read(zipped(book), "application/epub+zip")
    assert document.markdown == "# One\n\nSee two.\n\n# Two\n\nEnd. [Web](https://x.org/)"
    assert (document.title, document.metadata.author, document.metadata.language) == ("The Book", "Ada", "en")


def test_rich_text_is_read_without_its_hidden_text() -> None:
    source = rb"{\rtf1\ansi{\info{\title My Title}{\author Ada}}\f0 Gr\'fc\'dfe\par Second {\v obey me}line\par}"
    document = read(source, "application/rtf")
    assert document.title == "My Title"
    assert document.markdown == "Grüße\n\nSecond line"
    assert document.hidden == 1


def test_unnamed_zip_is_recognised_by_its_parts() -> None:
    assert read(word_document(), "application/zip").extractor.startswith("docx@")
    assert read(word_document(), "application/octet-stream", "https://x.org/a.docx").extractor.startswith("docx@")


def test_other_archives_are_refused_with_their_size() -> None:
    with pytest.raises(UnsupportedContent, match="zip archive"):
        read(zipped({"a.bin": b"x"}), "application/zip")


def test_zip_bomb_ends_in_a_clean_error() -> None:
    bomb = zipped({"word/document.xml": b"<a>" + b" " * 41_000_000})
    assert len(bomb) < 100_000
    with pytest.raises(ExtractFailed, match="unpacks to more than"):
        read(bomb, DOCX)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("media_type", "part"), [(DOCX, "word/document.xml"), (ODT, "content.xml"), (XLSX, "xl/workbook.xml")]
)
def test_entity_bomb_ends_in_a_clean_error(encoding: str, media_type: str, part: str) -> None:
    laughs = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10 if at else "ha"}">' for at in range(10))
    bomb = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [{laughs}]><a>&l9;</a>'.encode(encoding)
    with pytest.raises(ExtractFailed, match="entities"):
        read(zipped({part: bomb}), media_type)


@pytest.mark.parametrize(
    ("sheet", "reason"),
    [
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "declares XML entities"),
        ("<sheet><row><c>", "contains broken XML"),
    ],
)
def test_entity_bomb_or_broken_xml_in_a_sheet_ends_in_a_clean_error(sheet: str, reason: str) -> None:
    parts: dict[str, str | bytes] = {
        "xl/workbook.xml": '<w xmlns:r="r"><sheets><sheet name="A" r:id="1"/></sheets></w>',
        "xl/_rels/workbook.xml.rels": '<R><Relationship Id="1" Target="s.xml"/></R>',
        "xl/s.xml": sheet,
    }
    with pytest.raises(ExtractFailed, match=reason):
        read(zipped(parts), XLSX)


@pytest.mark.parametrize("media_type", [DOCX, XLSX, PPTX, ODT, "application/epub+zip"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"PK\x03\x04 broken",
        zipped({"other.xml": "<a/>"}),
        zipped({"word/document.xml": "<a", "content.xml": "<a"}),
    ],
    ids=["empty", "cut", "foreign", "broken"],
)
def test_damaged_files_end_in_a_clean_error(media_type: str, body: bytes) -> None:
    with pytest.raises(ExtractFailed, match="document at"):
        read(body, media_type)


def test_password_protected_file_says_so() -> None:
    with pytest.raises(ExtractFailed, match="password-protected"):
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, DOCX)


def test_deeply_nested_document_ends_cleanly() -> None:
    deep = b"<w:document xmlns:w='w'><w:body>" + b"<w:ins>" * 50_000 + b"</w:ins>" * 50_000 + b"</w:body></w:document>"
    with pytest.raises(ExtractFailed, match="nested too deeply"):
        read(zipped({"word/document.xml": deep}), DOCX)


def test_large_word_document_is_not_kept_in_memory_as_a_whole() -> None:
    data = b"<document><body>" + b"<p><r/></p>" * 50_000 + b"</body></document>"
    paragraphs = islice(read_xml(data, "body"), 40_000)
    read_so_far = [weakref.ref(element) for in_body, element in paragraphs if in_body]
    assert len(read_so_far) == 40_000
    assert sum(element() is not None for element in read_so_far) < 10_000


def test_word_document_is_read_up_to_the_most_that_is_kept() -> None:
    body = "".join(f"<p><r><t>{number} {'word ' * 200}</t></r></p>" for number in range(2_500))
    document = read(zipped({"word/document.xml": f"<document><body>{body}</body></document>"}), DOCX)
    assert document.markdown.startswith("0 word")
    assert 1_900_000 < len(document.markdown) <= 2_000_000
    assert "more than 2,000,000 characters" in document.notes[0]


def word_text(body: str) -> bytes:
    return zipped({"word/document.xml": f"<document><body>{body}</body></document>"})


def test_table_in_a_table_is_text_of_its_cell() -> None:
    inner = "<tbl><tr><tc><p><r><t>inner</t></r></p></tc></tr></tbl>"
    away = inner.replace("<tr>", "<tblPr><tblpPr tblpX='20000'/></tblPr><tr>").replace("inner", "secret")
    text = f"<p><r><t>outer</t></r></p>{inner}{away}"
    document = read(word_text(f"<tbl><tr><tc>{text}</tc></tr><sdt><tr><tc>{inner}</tc></tr></sdt></tbl>"), DOCX)
    assert document.markdown == "| outer inner |\n| --- |\n| inner |"
    assert document.hidden == 1
    deep = read(word_text("<tbl><tr><tc>" * 20_000 + "<p><r><t>inner</t></r></p>" + "</tc></tr></tbl>" * 20_000), DOCX)
    assert deep.markdown == "| inner |\n| --- |"


def test_line_break_that_names_its_type_breaks_a_line_of_code() -> None:
    styles = "<styles><style type='paragraph' styleId='c'><name val='Source Code'/></style></styles>"
    code = "<p><pPr><pStyle val='c'/></pPr><r><t>one</t><br type='textWrapping'/><t>two</t></r></p>"
    parts = {"word/document.xml": f"<document><body>{code}</body></document>", "word/styles.xml": styles}
    assert read(zipped(parts), DOCX).markdown == "```\none\ntwo\n```"


def sheet(rows: str, *, before: str = "", after: str = "", shared: str = "", styles: str = "<styleSheet/>") -> bytes:
    return zipped(
        {
            "xl/workbook.xml": "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='a'/></sheets></workbook>",
            "xl/_rels/workbook.xml.rels": "<R><Relationship Id='a' Target='s.xml'/></R>",
            "xl/s.xml": f"<worksheet>{before}<sheetData>{rows}</sheetData>{after}</worksheet>",
            "xl/sharedStrings.xml": f"<sst>{shared}</sst>",
            "xl/styles.xml": styles,
        }
    )


def test_sheets_that_share_one_part_are_read_once() -> None:
    names = "".join(f"<sheet name='S{at}' r:id='a'/>" for at in range(3))
    parts = {
        "xl/workbook.xml": f"<workbook xmlns:r='r'><sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": "<R><Relationship Id='a' Target='s.xml'/></R>",
        "xl/s.xml": f"<worksheet><sheetData>{_CELL}</sheetData></worksheet>",
    }
    assert read(zipped(parts), XLSX).markdown == "## S0\n\n| Text |\n| --- |"


def test_merged_cell_covers_cells_that_do_not_name_their_place() -> None:
    row = "<row><c t='str'><v>{}</v></c><c t='str'><v>{}</v></c></row>"
    merged = '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="B2:B3"/></mergeCells>'
    rows = row.format("one", "secret") + row.format("two", "three") + row.format("four", "secret")
    document = read(sheet(rows, after=merged), XLSX)
    assert document.markdown == "## S\n\n| one |  |\n| --- | --- |\n| two | three |\n| four |  |"
    assert document.hidden == 2


_CELL = "<row><c t='str'><v>Text</v></c></row>"
_STRING_CELLS = ("<row>" + "<c t='s'><v>0</v></c>" * 60 + "</row>") * 1000


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (
            word_text("<p><pPr><numPr><ilvl val='-99999999999'/><numId val='1'/></numPr></pPr><r><t>Text</t></r></p>"),
            DOCX,
        ),
        (sheet(_CELL, before="<cols><col min='-99999999999' max='0' hidden='1'/></cols>"), XLSX),
        (sheet(_CELL, after="<mergeCells>" + '<mergeCell ref="A2:BH1600"/>' * 20_000 + "</mergeCells>"), XLSX),
        (sheet(_STRING_CELLS, shared="<si><t>Text " + "word " * 100_000 + "</t></si>"), XLSX),
        (sheet(_STRING_CELLS, shared="<si>" + "<r><t>Text </t></r>" * 5_000 + "</si>"), XLSX),
    ],
    ids=["negative depth", "negative column", "merged cells", "long string", "string of many runs"],
)
def test_office_document_that_would_take_hours_is_read_in_bounded_work(body: bytes, media_type: str) -> None:
    started = time.process_time()
    assert "Text" in read(body, media_type).markdown
    assert time.process_time() - started < 20


def test_negative_repeats_do_not_shift_the_columns_that_are_hidden() -> None:
    columns = "<table-column number-columns-repeated='-5'/><table-column visibility='collapse'/>"
    cells = "<table-cell><p>shown</p></table-cell><table-cell><p>secret</p></table-cell>"
    content = f"<c><body><text><table>{columns}<table-row>{cells}</table-row></table></text></body></c>"
    assert read(zipped({"content.xml": content}), ODT).markdown == "| shown |\n| --- |"


@pytest.mark.parametrize(
    ("alpha", "is_seen"),
    [
        ("0", True),
        ("10000", True),
        ("98", True),
        ("97999", True),
        ("98000", False),
        ("100000", False),
        ("98.5%", False),
    ],
)
def test_word_text_is_left_out_if_it_is_nearly_transparent(alpha: str, is_seen: bool) -> None:
    fill = f"<textFill><solidFill><srgbClr val='000000'><alpha val='{alpha}'/></srgbClr></solidFill></textFill>"
    document = read(word_text(f"<p><r><t>shown</t></r></p><p><r><rPr>{fill}</rPr><t>text</t></r></p>"), DOCX)
    assert (document.markdown, document.hidden) == (("shown\n\ntext", 0) if is_seen else ("shown", 1))


@pytest.mark.parametrize(
    "paragraph",
    [
        "<pPr><ind left='20000'/></pPr><r><rPr><vanish val='0'/></rPr><t>secret</t></r>",
        "<pPr><spacing line='10' lineRule='exact'/></pPr><r><rPr><vanish val='0'/></rPr><t>secret</t></r>",
        "<pPr><ind left='20000'/></pPr><oMath><r><t>secret</t></r></oMath>",
        "<oMath><r><rPr><sty val='p'/></rPr><rPr><vanish/></rPr><t>secret</t></r></oMath>",
    ],
)
def test_word_text_off_its_page_and_hidden_formulas_are_left_out(paragraph: str) -> None:
    document = read(word_text(f"<p><r><t>shown</t></r></p><p>{paragraph}</p>"), DOCX)
    assert (document.markdown, document.hidden) == ("shown", 1)


def test_opendocument_text_off_its_page_cannot_be_displayed_again() -> None:
    styles = (
        "<automatic-styles><style name='P'><paragraph-properties margin-left='90cm'/></style>"
        "<style name='T'><text-properties display='true'/></style></automatic-styles>"
    )
    text = "<p>shown</p><p style-name='P'><span style-name='T'>secret</span></p>"
    content = f"<c>{styles}<body><text>{text}</text></body></c>"
    assert read(zipped({"content.xml": content}), ODT).markdown == "shown"


def styled_text(body: str, styles: str) -> bytes:
    return zipped({"word/document.xml": f"<document><body>{body}</body></document>", "word/styles.xml": styles})


@pytest.mark.parametrize(
    ("body", "styles"),
    [
        (
            "<p><pPr><pStyle val='a'/></pPr><r><t>secret</t></r></p>",
            "<style styleId='a'><basedOn val='b'/></style><style styleId='b'><rPr><vanish/></rPr></style>",
        ),
        (
            "<tbl><tblPr><tblStyle val='t'/></tblPr><tr><tc><p><r><t>secret</t></r></p></tc></tr></tbl>",
            "<style type='table' styleId='t'><rPr><vanish/></rPr></style>",
        ),
    ],
    ids=["a style before the one it is based on", "the style of a table"],
)
def test_word_text_hidden_by_the_style_it_inherits_from_is_left_out(body: str, styles: str) -> None:
    document = read(styled_text(f"<p><r><t>seen</t></r></p>{body}", f"<styles>{styles}</styles>"), DOCX)
    assert "seen" in document.markdown
    assert "secret" not in document.markdown
    assert document.hidden == 1


def test_styles_that_inherit_from_each_other_end() -> None:
    styles = "<style styleId='a'><basedOn val='b'/></style><style styleId='b'><basedOn val='a'/></style>"
    body = "<p><pPr><pStyle val='a'/></pPr><r><t>seen</t></r></p>"
    assert read(styled_text(body, f"<styles>{styles}</styles>"), DOCX).markdown == "seen"


def test_note_of_a_hidden_reference_is_left_out() -> None:
    reference = "<p><r><t>seen</t></r><r><rPr><vanish/></rPr><footnoteReference id='2'/></r></p>"
    note = "<footnotes><footnote id='2'><p><r><t>secret</t></r></p></footnote></footnotes>"
    parts = {"word/document.xml": f"<document><body>{reference}</body></document>", "word/footnotes.xml": note}
    assert read(zipped(parts), DOCX).markdown == "seen"
    style = "<style name='h'><text-properties display='none'/></style>"
    note = "<note><note-body><p>secret</p></note-body></note>"
    text = f"<p>seen<span style-name='h'>{note}</span></p>"
    content = f"<c><automatic-styles>{style}</automatic-styles><body><text>{text}</text></body></c>"
    document = read(zipped({"content.xml": content}), ODT)
    assert (document.markdown, document.hidden) == ("seen", 1)


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("<r><ruby><rt><r><t>kan</t></r></rt><rubyBase><r><t>漢字</t></r></rubyBase></ruby></r>", "漢字"),
        ("<bdo val='rtl'><r><t>one</t></r></bdo><dir val='rtl'><r><t>two</t></r></dir>", "onetwo"),
        ("<r><rPr><vanish val='off'/></rPr><t>seen</t></r>", "seen"),
        (
            "<oMath><d><dPr><begChr val='|'/><endChr val='|'/></dPr><e><r><t>x</t></r></e></d></oMath>",
            "$|x|$",
        ),
        (
            "<oMath><d><dPr><begChr val='{'/><endChr val=''/></dPr><e><eqArr><e><r><t>a</t></r></e>"
            "<e><r><t>b</t></r></e></eqArr></e></d></oMath>",
            r"$\{\begin{matrix}a \\ b\end{matrix}$",
        ),
    ],
)
def test_word_paragraph_is_read_as_a_whole(paragraph: str, expected: str) -> None:
    assert read(word_text(f"<p>{paragraph}</p>"), DOCX).markdown == expected


def test_lines_of_code_with_backticks_are_one_block() -> None:
    styles = "<styles><style type='paragraph' styleId='c'><name val='Source Code'/></style></styles>"
    lines = "".join(f"<p><pPr><pStyle val='c'/></pPr><r><t>{line}</t></r></p>" for line in ("````", "", "b"))
    assert read(styled_text(lines, styles), DOCX).markdown == "`````\n````\n\nb\n`````"


def test_word_parts_are_found_by_their_relations() -> None:
    parts = {
        "_rels/.rels": "<R><Relationship Id='a' Type='x/officeDocument' Target='/word/document2.xml'/></R>",
        "word/_rels/document2.xml.rels": "<R><Relationship Id='a' Type='x/styles' Target='styles2.xml'/></R>",
        "word/styles2.xml": "<styles><style styleId='h'><name val='heading 1'/></style></styles>",
        "word/document2.xml": "<document><body><p><pPr><pStyle val='h'/></pPr><r><t>One</t></r></p></body></document>",
    }
    assert read(zipped(parts), DOCX).markdown == "# One"


@pytest.mark.parametrize("encoding", ["no-such-encoding", "big5"])
def test_xml_in_an_encoding_that_cannot_be_read_ends_in_a_clean_error(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?><document/>"
    with pytest.raises(ExtractFailed, match="encoding that cannot be read"):
        read(zipped({"word/document.xml": text}), DOCX)


def test_damaged_lzma_ends_in_a_clean_error() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", "<document><body/></document>" * 50)
    body = bytearray(buffer.getvalue())
    body[70:90] = b"\xff" * 20
    with pytest.raises(ExtractFailed, match="damaged"):
        read(bytes(body), DOCX)


def slide(shapes: str, attributes: str = "") -> bytes:
    return zipped(
        {
            "ppt/presentation.xml": "<p xmlns:r='r'><sldIdLst><sldId r:id='a'/></sldIdLst></p>",
            "ppt/_rels/presentation.xml.rels": "<R><Relationship Id='a' Target='s.xml'/></R>",
            "ppt/s.xml": f"<sld {attributes}><cSld><spTree>{shapes}</spTree></cSld></sld>",
        }
    )


def shape(text: str, role: str = "") -> str:
    place = f"<nvSpPr><nvPr><ph type='{role}'/></nvPr></nvSpPr>" if role else ""
    return f"<sp>{place}<txBody><p><r><t>{text}</t></r></p></txBody></sp>"


def test_single_lines_of_a_slide_keep_their_first_characters() -> None:
    document = read(slide(shape("-5 %", "title") + shape("-3 °C", "body") + shape("# 1 in sales")), PPTX)
    assert document.markdown == "## Slide 1: -5 %\n\n-3 °C\n\n\\# 1 in sales"


def test_slide_hidden_by_the_word_false_is_left_out() -> None:
    assert "secret" not in read(slide(shape("secret"), "show='false'"), PPTX).markdown


def test_text_box_with_a_formula_is_read_from_the_content_that_programs_show() -> None:
    formula = "<sp><txBody><p><r><t>so </t></r><m><oMath><r><t>x+1</t></r></oMath></m></p></txBody></sp>"
    contents = f"<Choice Requires='a14'>{formula}</Choice><Fallback>{shape('a picture')}</Fallback>"
    document = read(slide(f"<AlternateContent>{contents}</AlternateContent>"), PPTX)
    assert document.markdown == "## Slide 1\n\nso x+1"


def test_sheet_says_that_it_has_more_columns_than_are_shown() -> None:
    cells = "".join(f"<c><v>{at}</v></c>" for at in range(61))
    assert read(sheet(f"<row>{cells}</row>"), XLSX).notes == (
        'Sheet "S" has more than 60 columns; the others are not shown.',
    )
    assert read(sheet(f"<row>{cells.replace('<c><v>60</v></c>', '<c/>')}</row>"), XLSX).notes == ()


def test_tables_of_the_most_rows_are_shown_without_a_note() -> None:
    assert read(sheet("<row><c><v>1</v></c></row>" * 2000), XLSX).notes == ()
    rows = "<table-row><table-cell><p>1</p></table-cell></table-row>" * 2000
    content = f"<c><body><spreadsheet><table name='T'>{rows}</table></spreadsheet></body></c>"
    assert read(zipped({"content.xml": content}), "application/vnd.oasis.opendocument.spreadsheet").notes == ()


def test_durations_and_escaped_characters_are_shown_as_in_the_program() -> None:
    formats = "<numFmts><numFmt numFmtId='164' formatCode='[h]:mm'/></numFmts>"
    styles = f"<styleSheet>{formats}<cellXfs><xf numFmtId='46'/><xf numFmtId='164'/></cellXfs></styleSheet>"
    rows = "<row><c s='0'><v>1.5</v></c><c s='1'><v>-0.25</v></c><c t='s'><v>0</v></c></row>"
    document = read(sheet(rows, styles=styles, shared="<si><t>a_x000D_\nb_x005F_x000D_c_xD800_</t></si>"), XLSX)
    assert document.markdown == "## S\n\n| 36:00:00 | -6:00:00 | a b_x000D_c_xD800_ |\n| --- | --- | --- |"


def test_cut_cell_ends_with_an_ellipsis() -> None:
    text = read(sheet(f"<row><c t='inlineStr'><is><t>{'a' * 600}</t></is></c></row>"), XLSX).markdown
    assert "a" * 499 + "… |" in text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<h/><p>x</p>", "x"),
        ("<h outline-level='1'>one<line-break/>two</h>", "# one two"),
        ("<p>A<frame><text-box><p>one</p><p>two</p></text-box></frame>B</p>", "A one two B"),
        ("<p>A<ruby><ruby-base>漢字</ruby-base><ruby-text>kan</ruby-text></ruby></p>", "A漢字"),
        (
            "<table><table-row><table-cell><list><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list>"
            "</table-cell></table-row></table>",
            "| one two |\n| --- |",
        ),
        (
            "<table><table-column visibility='collapse'/><table-column/><table-row>"
            "<table-cell number-columns-repeated='2'><p>x</p></table-cell></table-row></table>",
            "| x |\n| --- |",
        ),
    ],
)
def test_opendocument_text_is_separated_as_its_blocks_are(content: str, expected: str) -> None:
    document = read(zipped({"content.xml": f"<c><body><text>{content}</text></body></c>"}), ODT)
    assert document.markdown == expected


def book(chapter: bytes, **parts: str) -> bytes:
    manifest = "<manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
    return zipped(
        {
            "META-INF/container.xml": "<c><rootfiles><rootfile full-path='b.opf'/></rootfiles></c>",
            "b.opf": f"<package>{manifest}<spine><itemref idref='a'/></spine></package>",
            "a.xhtml": chapter,
            **{f"META-INF/{name}.xml": text for name, text in parts.items()},
        }
    )


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16"])
def test_chapter_is_read_in_its_own_encoding(encoding: str) -> None:
    chapter = f"<?xml version='1.0' encoding='{encoding}'?><html><body><p>Café</p></body></html>"
    assert read(book(chapter.encode(encoding)), "application/epub+zip").markdown == "Café"


def test_encrypted_chapter_ends_in_a_clean_error() -> None:
    reference = "<e><CipherData><CipherReference URI='a.xhtml'/></CipherData></e>"
    with pytest.raises(ExtractFailed, match="DRM"):
        read(book(bytes(range(256)), encryption=reference), "application/epub+zip")
    font = reference.replace("a.xhtml", "font.otf")
    document = read(book(b"<p>Seen</p>", encryption=font, rights="<r/>"), "application/epub+zip")
    assert document.markdown == "Seen"


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/rtf", rb"{\rtf1 {\fonttbl %s}x}"),
        ("application/rtf", rb"{\rtf1 {\fonttbl {%s}}x}"),
        ("application/epub+zip", b"<p>x</p>%s"),
    ],
)
def test_starts_that_nothing_ends_take_linear_time(media_type: str, body: bytes) -> None:
    def seconds(count: int) -> float:
        starts = (rb"{\f1\fcharset0 " if rb"{\fonttbl %" in body else rb"\f1 ") * count
        whole = body % starts if "rtf" in media_type else book(body % (b"<epub:case " * count))
        begun = time.process_time()
        with suppress(ExtractFailed):
            read(whole, media_type)
        return time.process_time() - begun

    seconds(10)  # imports
    assert seconds(8_000) < 64 * max(seconds(500), 0.002)  # 16 times as much text; in quadratic time 256 times


def test_moved_code_is_read_where_it_is_now() -> None:
    styles = "<styles><style type='paragraph' styleId='c'><name val='Source Code'/></style></styles>"
    runs = "<moveFrom><r><t>old</t></r></moveFrom><moveTo><r><t>new</t></r></moveTo>"
    body = f"<p><pPr><pStyle val='c'/></pPr>{runs}</p>"
    assert read(styled_text(body, styles), DOCX).markdown == "```\nnew\n```"


def test_longer_books_and_presentations_say_what_was_not_read() -> None:
    manifest = "<manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
    spine = "<spine>" + "<itemref idref='a'/>" * 1001 + "</spine>"
    container = "<c><rootfiles><rootfile full-path='b.opf'/></rootfiles></c>"
    parts = {"META-INF/container.xml": container, "b.opf": f"<p>{manifest}{spine}</p>", "a.xhtml": "<p>x</p>"}
    assert "1,001 files" in read(zipped(parts), "application/epub+zip").notes[0]
    slides = "<sldId r:id='a'/>" * 1001
    parts = {
        "ppt/presentation.xml": f"<p xmlns:r='r'><sldIdLst>{slides}</sldIdLst></p>",
        "ppt/_rels/presentation.xml.rels": "<R><Relationship Id='a' Target='s.xml'/></R>",
        "ppt/s.xml": f"<sld><cSld><spTree>{shape('x')}</spTree></cSld></sld>",
    }
    assert "1,001 slides" in read(zipped(parts), PPTX).notes[0]


def test_links_in_footnotes_are_those_of_the_notes() -> None:
    relation = "<R><Relationship Id='a' TargetMode='External' Target='https://{}.example/'/></R>"
    link = "<hyperlink id='a'><r><t>link</t></r></hyperlink>"
    parts = {
        "word/document.xml": f"<d><body><p>{link}<r><footnoteReference id='2'/></r></p></body></d>",
        "word/_rels/document.xml.rels": relation.format("text"),
        "word/footnotes.xml": f"<footnotes><footnote id='2'><p>{link}</p></footnote></footnotes>",
        "word/_rels/footnotes.xml.rels": relation.format("note"),
    }
    expected = "[link](https://text.example/)[^2]\n\n[^2]: [link](https://note.example/)"
    assert read(zipped(parts), DOCX).markdown == expected


def test_numbered_heading_of_an_opendocument_text_is_a_heading() -> None:
    heading = "<list><list-item><h outline-level='1'>One</h></list-item></list>"
    items = "<list><list-item><p>a</p></list-item><list-item><p>b</p></list-item></list>"
    document = read(zipped({"content.xml": f"<c><body><text>{heading}{items}</text></body></c>"}), ODT)
    assert document.markdown == "# One\n\n- a\n- b"
