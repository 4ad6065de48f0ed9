"""Pages of a PDF that are images of text: recognised by Tesseract, limited in number and time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pypdfium2 import PdfDocument

from mcp_web.errors import ExtractFailed
from mcp_web.extract.ocr import INSTALL, Recognised, Tesseract

_MOST_PAGES = 20
_SECONDS = 17.0  # of all pages: a worker may spend thirty on a PDF, six of them on its text
_DOTS = 200 / 72  # pixels per point: Tesseract needs letters of at least twenty pixels
_MOST_PIXELS = 4_500_000  # a page of A4 or letter at this resolution
_DOUBTFUL = 60.0  # confidence in per cent, below which many words are wrong


@dataclass
class Scans:
    """The text recognised on scanned pages, by page number, and why other pages were not recognised."""

    pages: dict[int, Recognised] = field(default_factory=dict)
    problem: str = ""

    def notes(self, scans: list[int], total: int) -> list[str]:
        """Sentences about the scanned pages, whose numbers are `scans`; `total` is the number of all pages."""
        where = f"{len(scans)} of {total} pages are pictures without text (first: page {scans[0]})"
        if not self.pages:
            return [f"{where}. {self.problem}"]
        confidence = sum(one.confidence for one in self.pages.values()) / len(self.pages)
        notes = [f"{where}; {len(self.pages)} were read by Tesseract, confidence {confidence:.0f} %."]
        doubtful = [str(number) for number, one in self.pages.items() if one.confidence < _DOUBTFUL]
        if doubtful:
            notes.append(f"Doubtful pages (confidence below {_DOUBTFUL:.0f} %): {', '.join(doubtful)}.")
        return [*notes, self.problem] if self.problem else notes


def read_scans(pdf: PdfDocument, numbers: list[int], tesseract: Tesseract | None) -> Scans:
    """The text recognised on the pages with these numbers, as many as the limits allow. Without Tesseract only
    `problem` is set: how to install it."""
    found = Scans()
    if tesseract is None:
        found.problem = INSTALL
        return found
    deadline = time.monotonic() + _SECONDS
    for number in numbers[:_MOST_PAGES]:
        left = deadline - time.monotonic()
        if left < 1:
            break
        try:
            recognised = tesseract.read(_picture(pdf, number), left)
        except ExtractFailed as error:
            found.problem = f"Page {number}: {error.message}"
            break
        if recognised.words:
            found.pages[number] = recognised
    if not found.problem and (len(numbers) > _MOST_PAGES or time.monotonic() > deadline - 1):
        found.problem = f"At most {_MOST_PAGES} pages or {_SECONDS:.0f} seconds of recognition are spent on a file."
    return found


def _picture(pdf: PdfDocument, number: int) -> bytes:
    """The page with this number as a grey image in the PGM format."""
    page = pdf[number - 1]
    width, height = page.get_size()
    scale = min(_DOTS, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    pixels = memoryview(bitmap.buffer).cast("B")
    stride = bitmap.stride
    lines = b"".join(bytes(pixels[row * stride : row * stride + bitmap.width]) for row in range(bitmap.height))
    head = f"P5 {bitmap.width} {bitmap.height} 255\n".encode()
    bitmap.close()
    page.close()
    return head + lines
