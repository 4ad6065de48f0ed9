"""Documents by the libraries that can be installed and by our readers: hidden text, CPU, memory, a file that blows up.

    pip install python-docx openpyxl python-calamine python-pptx pdfplumber
    python bench/documents/office_libraries.py

The hidden and visible texts are those of `tests/security/documents.py`. Every run is a process of its own; one small
file is read before the clock starts. Read the ratios, not the milliseconds.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "src")]
TEXT = "the river otter feeds on fish and crayfish in many waterways"


def python_docx(body: bytes) -> str:
    import docx

    document = docx.Document(io.BytesIO(body))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def openpyxl(body: bytes) -> str:
    import openpyxl as library

    book = library.load_workbook(io.BytesIO(body), read_only=True, data_only=True)
    return "\n".join(str(row) for sheet in book for row in sheet.iter_rows(values_only=True))


def python_calamine(body: bytes) -> str:
    import python_calamine as library  # type: ignore[import-not-found]  # not among our packages

    book = library.CalamineWorkbook.from_filelike(io.BytesIO(body))
    return "\n".join(str(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names)


def python_pptx(body: bytes) -> str:
    import pptx

    slides = pptx.Presentation(io.BytesIO(body)).slides
    return "\n".join(shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame)


def pdfplumber(body: bytes) -> str:
    import pdfplumber as library  # type: ignore[import-not-found]  # not among our packages

    with library.open(io.BytesIO(body)) as pdf:
        return "\n".join(page.extract_text() or "" for page in pdf.pages)


def mcp_web(kind: str) -> Callable[[bytes], str]:
    def read(body: bytes) -> str:
        from mcp_web.extract.document import extract_document
        from mcp_web.extract.options import ExtractOptions
        from mcp_web.model.page import ExtractRequest, Fetched
        from security import documents

        media_type = getattr(documents, kind.upper())
        page = Fetched("https://x/a", "https://x/a", 200, (), body, media_type, None, 0.0)
        return extract_document(page, ExtractRequest(), ExtractOptions()).markdown

    return read


READERS: dict[str, tuple[str, Callable[[bytes], str]]] = {
    "python-docx": ("docx", python_docx),
    "mcp-web docx": ("docx", mcp_web("docx")),
    "openpyxl": ("xlsx", openpyxl),
    "python-calamine": ("xlsx", python_calamine),
    "mcp-web xlsx": ("xlsx", mcp_web("xlsx")),
    "python-pptx": ("pptx", python_pptx),
    "mcp-web pptx": ("pptx", mcp_web("pptx")),
    "pdfplumber": ("pdf", pdfplumber),
    "mcp-web pdf": ("pdf", mcp_web("pdf")),
}
PARTS = {"docx": "word/document.xml", "xlsx": "xl/worksheets/sheet1.xml", "pptx": "ppt/slides/slide1.xml"}


def large(kind: str) -> bytes:
    """2,000 paragraphs or rows, 60 slides, or 40 pages."""
    buffer = io.BytesIO()
    document: Any
    if kind == "docx":
        import docx

        document = docx.Document()
        for number in range(2000):
            document.add_paragraph(f"{number} {TEXT}")
    elif kind == "xlsx":
        import openpyxl as library

        document = library.Workbook()
        for number in range(2000):
            document.active.append([number, TEXT, number * 1.5, "fish", "river", number % 7, "x", "y", "z"])
    elif kind == "pptx":
        import pptx

        document = pptx.Presentation()
        for _ in range(60):
            document.slides.add_slide(document.slide_layouts[1]).placeholders[1].text = "\n".join([TEXT] * 8)
    else:
        from reportlab.pdfgen import canvas

        document = canvas.Canvas(buffer)
        for _ in range(40):
            for line in range(55):
                document.drawString(50, 800 - line * 14, TEXT)
            document.showPage()
        document.save()
        return buffer.getvalue()
    document.save(buffer)
    return buffer.getvalue()


def bomb(kind: str) -> bytes:
    """The large file with a part that unpacks to 400 MB more."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(large(kind))) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if name == PARTS[kind]:
                end = data.rfind(b"</")
                data = data[:end] + b" " * 400_000_000 + data[end:]
            target.writestr(name, data)
    return out.getvalue()


def measure(name: str, what: str) -> dict[str, Any]:
    """One run; in a process of its own."""
    from security.documents import variants

    kind, read = READERS[name]
    rows = [row for row in variants() if row.id.startswith(f"{kind}:")]
    read(next(row.body for row in rows if row.visible))
    if what == "hidden":
        got = {row.id: "ZQXHIDDEN" in read(row.body).replace("\n", " ") for row in rows}
        through = sum(got[row.id] for row in rows if not row.visible)
        lost = sum(not got[row.id] for row in rows if row.visible)
        return {"hidden": f"{through} of {sum(not row.visible for row in rows)}", "lost": lost}
    body = large(kind) if what == "large" else bomb(kind)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    try:
        read(body)
        ended = "read"
    except Exception as error:  # noqa: BLE001 — how it ends is what is measured
        ended = type(error).__name__
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"ms": round(1000 * (time.process_time() - start)), "more_mb": (used - before) // 1024, "ended": ended}


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], sys.argv[2])))
        return
    for name, (kind, _) in READERS.items():
        for what in ("hidden", "large", *(("bomb",) if kind in PARTS else ())):
            command = [sys.executable, __file__, name, what]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            print(name, what, done.stdout.strip() or "not installed", flush=True)


if __name__ == "__main__":
    main()
