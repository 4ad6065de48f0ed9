"""PDF: reading order, headings, lists, tables, code, links, page marks; what cannot be seen stays out."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, PageBreak, Paragraph, Preformatted, SimpleDocTemplate, Table
from tests.extract.reading import read

from mcp_web.errors import ExtractFailed
from mcp_web.model.page import Document

PDF = "application/pdf"
STYLES = getSampleStyleSheet()
PROSE = "The engine turns the wheel and the wheel turns the mill, which grinds the grain for the people of the town. "


def drawn(draw: Callable[[Canvas], None], **options: object) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, **options)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def opened(body: bytes) -> Document:
    return read(body, PDF, "https://example.org/papers/mill.pdf")


@pytest.fixture(scope="module")
def report() -> Document:
    buffer = io.BytesIO()
    template = SimpleDocTemplate(buffer, pagesize=A4, title="The mill", author="Ada Lovelace", subject="About a mill")

    def edges(canvas: Canvas, _: object) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 815, "Journal of mills, volume 7")
        canvas.drawString(290, 30, f"Page {canvas.getPageNumber()}")

    normal = STYLES["BodyText"]
    story = [
        Paragraph("The mill", STYLES["Title"]),
        Paragraph("Turning", STYLES["Heading1"]),
        Paragraph(PROSE * 6, normal),
        Paragraph(f"{PROSE} See <a href='https://example.org/wheel'>the wheel</a> for more.", normal),
        ListFlowable([Paragraph(item, normal) for item in ("grain", "water")], bulletType="bullet", start="•"),
        PageBreak(),
        Paragraph("Numbers", STYLES["Heading2"]),
        Paragraph(PROSE, normal),
        Table([["Part", "Weight", "Price"], ["Wheel", "120 kg", "9|5"], ["Stone", "800 kg", "400"]], colWidths=120),
        PageBreak(),
        Paragraph("Program", STYLES["Heading2"]),
        Paragraph(PROSE, normal),
        Preformatted("def turn(wheel):\n    for cog in wheel:\n        cog.turn()", STYLES["Code"]),
        Paragraph(PROSE * 3, normal),
    ]
    template.build(story, onFirstPage=edges, onLaterPages=edges)
    return opened(buffer.getvalue())


def test_headings_come_from_letter_sizes_and_carry_their_page(report: Document) -> None:
    assert [(each.text, each.anchor) for each in report.headings] == [
        ("The mill", "page=1"),
        ("Turning", "page=1"),
        ("Numbers", "page=2"),
        ("Program", "page=3"),
    ]
    levels = [each.level for each in report.headings]
    assert levels[1] < levels[2] == levels[3]


def test_pages_are_marked_and_running_heads_left_out(report: Document) -> None:
    text = report.markdown
    assert [text.count(f"<!-- page {number} -->") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    assert "Journal of mills" not in text
    assert "Page 2" not in text


def test_lines_become_paragraphs(report: Document) -> None:
    assert (PROSE * 6).strip() in report.markdown


def test_links_and_lists_are_kept(report: Document) -> None:
    assert "See [the wheel](https://example.org/wheel) for more." in report.markdown
    assert "- grain\n- water" in report.markdown
    assert [link.url for link in report.links] == ["https://example.org/wheel"]


def test_table_is_a_table(report: Document) -> None:
    assert (
        "| Part | Weight | Price |\n| --- | --- | --- |\n| Wheel | 120 kg | 9\\|5 |\n| Stone | 800 kg | 400 |"
        in report.markdown
    )


def test_typewriter_text_is_code_with_its_indents(report: Document) -> None:
    assert "```\ndef turn(wheel):\n    for cog in wheel:\n        cog.turn()\n```" in report.markdown


def test_metadata_of_the_file_is_read(report: Document) -> None:
    facts = report.metadata
    assert (report.title, facts.author, facts.description) == ("The mill", "Ada Lovelace", "About a mill")
    assert facts.published is not None
    assert "3 pages" in report.notes[0]


def test_outline_of_the_file_decides_the_headings() -> None:
    def draw(canvas: Canvas) -> None:
        for number, (title, level) in enumerate((("First part", 0), ("A detail", 1), ("Second part", 0))):
            canvas.bookmarkPage(str(number))
            canvas.addOutlineEntry(title, str(number), level)
            canvas.setFont("Helvetica", 10)
            canvas.drawString(72, 760, f"{number + 1}. {title}")
            for line in range(5):
                canvas.drawString(72, 730 - 12 * line, PROSE[:80])
            canvas.showPage()

    document = opened(drawn(draw))
    assert [(each.level, each.text, each.anchor) for each in document.headings] == [
        (1, "1. First part", "page=1"),
        (2, "2. A detail", "page=2"),
        (1, "3. Second part", "page=3"),
    ]


def test_columns_are_read_one_after_the_other() -> None:
    words = [f"word{number:03}" for number in range(240)]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for column, left in enumerate((60, 310)):
            for line in range(30):
                at = column * 120 + line * 4
                canvas.drawString(left, 760 - 11 * line, " ".join(words[at : at + 4]) + " filler-text-here")
        canvas.showPage()

    text = opened(drawn(draw)).markdown
    assert "|" not in text
    places = [text.index(word) for word in words]
    assert places == sorted(places)


def test_landscape_text_on_a_turned_page_is_read_in_lines() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rotate(90)
        canvas.setFont("Helvetica", 10)
        for line in range(6):
            canvas.drawString(72, -100 - 14 * line, f"Line {line} of a page that is written upwards.")

    text = opened(drawn(draw)).markdown
    assert "Line 0 of a page that is written upwards. Line 1 of a page" in text


def test_file_without_headings_has_its_pages_as_outline() -> None:
    def draw(canvas: Canvas) -> None:
        for number in (1, 2):
            for line in range(4):
                canvas.drawString(72, 700 - 14 * line, f"{PROSE[:60]} {number}.{line}")
            canvas.showPage()

    document = opened(drawn(draw))
    assert [(each.text, each.anchor) for each in document.headings] == [("Page 1", "page=1"), ("Page 2", "page=2")]
    assert document.markdown[document.headings[1].start :].startswith("<!-- page 2 -->")


def test_text_that_nobody_sees_is_left_out_and_counted() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "This is what a reader sees on the page.")
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(72, 600, "WHITEONWHITE")
        canvas.setFillColorRGB(0, 0, 0)
        canvas.rect(70, 540, 200, 30, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(72, 550, "WHITEONBLACK")
        canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(-900, 500, "OFFTHEPAGE")
        canvas.setFont("Helvetica", 0.5)
        canvas.drawString(72, 450, "SPECK")
        canvas.setFont("Helvetica", 10)
        text = canvas.beginText(72, 400)
        text.setTextRenderMode(3)
        text.textLine("INVISIBLEINK")
        canvas.drawText(text)

    document = opened(drawn(draw))
    assert "what a reader sees" in document.markdown
    assert "WHITEONBLACK" in document.markdown
    for word in ("WHITEONWHITE", "OFFTHEPAGE", "SPECK", "INVISIBLEINK"):
        assert word not in document.markdown
    assert document.hidden == 4


def picture() -> ImageReader:
    return ImageReader(Image.new("RGB", (60, 80), (200, 180, 160)))


def test_scan_without_text_is_an_honest_failure() -> None:
    body = drawn(lambda canvas: canvas.drawImage(picture(), 0, 0, *A4))
    with pytest.raises(ExtractFailed, match=r"1 page\).*only images"):
        opened(body)


def test_recognised_text_under_a_scan_is_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(picture(), 0, 0, *A4)
        text = canvas.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("Recognised words under the picture of a page, as scanners write them.")
        canvas.drawText(text)

    assert "Recognised words" in opened(drawn(draw)).markdown


def test_scanned_pages_among_others_are_noted() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, PROSE)
        canvas.showPage()
        canvas.drawImage(picture(), 0, 0, *A4)
        canvas.showPage()

    assert any("1 of 2 pages are pictures" in note for note in opened(drawn(draw)).notes)


def test_password_is_named_as_the_reason() -> None:
    body = drawn(lambda canvas: canvas.drawString(72, 700, PROSE), encrypt=StandardEncryption("secret"))
    with pytest.raises(ExtractFailed, match="password"):
        opened(body)


def test_owner_password_alone_does_not_stop_reading() -> None:
    body = drawn(lambda canvas: canvas.drawString(72, 700, PROSE), encrypt=StandardEncryption("", ownerPassword="own"))
    assert "The engine turns" in opened(body).markdown


@pytest.mark.parametrize("body", [b"", b"%PDF-1.7\n", b"%PDF-1.7\n" + b"\0" * 5000, b"<html>no pdf</html>"])
def test_damaged_files_end_in_a_clean_error(body: bytes) -> None:
    with pytest.raises(ExtractFailed, match="damaged"):
        opened(body)


def test_file_cut_short_says_what_to_try() -> None:
    def draw(canvas: Canvas) -> None:
        for _ in range(20):
            canvas.drawString(72, 700, PROSE)
            canvas.showPage()

    body = drawn(draw)
    assert "engine" in opened(body[:-10]).markdown
    with pytest.raises(ExtractFailed, match="damaged") as caught:
        opened(body[: len(body) // 2])
    assert "cut short" in caught.value.suggestion


def crafted(objects: list[bytes]) -> bytes:
    """A PDF of hand-written objects, the first being the catalogue."""
    body = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
        len(body),
    )


def stream(data: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
    b"/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>"
)


@pytest.mark.parametrize(
    "objects",
    [
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2000000000/Kids[2 0 R]>>"],
        [b"<</Type/Catalog/Pages 1 0 R>>"],
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>", b"[" * 50_000],
    ],
    ids=["a page tree that holds itself", "a catalogue that is its pages", "endless nesting"],
)
def test_hostile_page_trees_end_in_a_clean_error(objects: list[bytes]) -> None:
    with pytest.raises(ExtractFailed, match="PDF at"):
        opened(crafted(objects))


def test_form_that_draws_itself_does_not_hang() -> None:
    form = (
        b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 5>>"
        b"stream\n/X Do\nendstream"
    )
    text = stream(b"BT /F 12 Tf 72 700 Td (Hello from the page) Tj ET /X Do")
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    document = opened(crafted([b"<</Type/Catalog/Pages 2 0 R>>", pages, PAGE, text, FONT, form]))
    assert "Hello from the page" in document.markdown


def test_page_of_tens_of_thousands_of_words_stays_bounded() -> None:
    words = b"".join(b"1 0 0 1 %d %d Tm (w%d) Tj " % (at % 600, at % 800, at) for at in range(15_000))
    text = stream(b"BT /F 6 Tf " + words + b"ET")
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    document = opened(crafted([b"<</Type/Catalog/Pages 2 0 R>>", pages, PAGE, text, FONT, b"<<>>"]))
    assert "w14999" in document.markdown


@pytest.mark.parametrize("own", [b"", b"/MediaBox[2000 1000 0 0]"])
def test_size_of_a_page_may_be_inherited_and_its_corners_in_any_order(own: bytes) -> None:
    page = PAGE.replace(b"/MediaBox[0 0 600 800]", own)
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 2000 1000]>>"
    text = stream(b"BT /F 12 Tf 1500 900 Td (Far from the corner) Tj ET")
    document = opened(crafted([b"<</Type/Catalog/Pages 2 0 R>>", pages, page, text, FONT, b"<<>>"]))
    assert "Far from the corner" in document.markdown
    assert document.hidden == 0
