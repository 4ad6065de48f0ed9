"""Images (PNG, JPEG, BMP) → Markdown: the text that Tesseract recognises in them."""

from __future__ import annotations

import struct

from mcp_web.errors import ExtractFailed, UnsupportedContent
from mcp_web.extract.assemble import assemble
from mcp_web.extract.ocr import INSTALL, MOST_PIXELS, find_tesseract
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

_SECONDS = 18.0


def read_picture(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads image/png, image/jpeg and image/bmp: the text that Tesseract recognises. Raises UnsupportedContent without
    Tesseract, or ExtractFailed."""
    width, height = picture_size(page.body)
    size = f"{width:,} × {height:,} pixels" if width else "unknown size"
    tesseract = find_tesseract(options.ocr)
    if tesseract is None:
        raise UnsupportedContent(
            f"{page.final_url} is a picture ({page.media_type}, {size}), and no program to recognise text is here.",
            suggestion=INSTALL,
            url=page.final_url,
            content_type=page.media_type,
        )
    if not 0 < width * height <= MOST_PIXELS:
        raise ExtractFailed(
            f"The picture at {page.final_url} has {size}; up to {MOST_PIXELS // 1_000_000} million are read.",
            suggestion="Look for a smaller version of the picture, or for its text.",
            url=page.final_url,
        )
    found = tesseract.read(page.body, _SECONDS)
    if not found.words:
        raise ExtractFailed(
            f"No text was recognised in the picture at {page.final_url} ({size}).",
            suggestion="The picture may contain no text; look for a page that describes it.",
            url=page.final_url,
        )
    note = f"Text of a picture ({size}) recognised by Tesseract, confidence {found.confidence:.0f} %."
    return assemble(page, "picture", found.text, notes=[note])


def picture_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels from the header of an image, without decoding it; (0, 0) if they cannot be read."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return abs(width), abs(height)
    return _jpeg_size(data) if data.startswith(b"\xff\xd8") else (0, 0)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels from the first frame header of a JPEG; (0, 0) if there is none."""
    offset = 2
    while offset + 9 < len(data) and data[offset] == 0xFF:
        kind = data[offset + 1]
        if kind in (0xFF, 0x01) or 0xD0 <= kind <= 0xD8:
            offset += 1 if kind == 0xFF else 2
            continue
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9])
            return width, height
        offset += 2 + int.from_bytes(data[offset + 2 : offset + 4], "big")
    return 0, 0
