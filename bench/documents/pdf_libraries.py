"""PDF text by the libraries that can be installed, on one folder of files: CPU, memory, failures.

    pip install pdfminer.six pypdf
    python bench/documents/pdf_libraries.py FOLDER

Each file is read in a process of its own, at most 40 pages, at most 30 seconds. `mcp-web` is our whole reader: text,
headings, tables, links; the others give the plain text only. Read the ratios, not the seconds.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import queue
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGES = 40
SECONDS = 30


def by_pdfium(path: Path) -> int:
    import pypdfium2

    pdf = pypdfium2.PdfDocument(path)
    return sum(len(pdf[at].get_textpage().get_text_bounded()) for at in range(min(len(pdf), PAGES)))


def by_pdfminer(path: Path) -> int:
    from pdfminer.high_level import extract_text

    return len(extract_text(path, maxpages=PAGES))


def by_pypdf(path: Path) -> int:
    import pypdf

    reader = pypdf.PdfReader(path)
    return sum(len(reader.pages[at].extract_text()) for at in range(min(len(reader.pages), PAGES)))


def by_us(path: Path) -> int:
    from mcp_web.extract.options import ExtractOptions
    from mcp_web.extract.pdf import engine
    from mcp_web.model.page import ExtractRequest, Fetched

    engine._MOST_PAGES = PAGES
    page = Fetched("https://x/", "https://x/", 200, (), path.read_bytes(), "application/pdf", None, 0.0)
    return len(engine.read_pdf(page, ExtractRequest(), ExtractOptions()).markdown)


READERS: dict[str, tuple[str, Callable[[Path], int]]] = {
    "mcp-web (whole reader)": ("pypdfium2", by_us),
    "pypdfium2": ("pypdfium2", by_pdfium),
    "pypdf": ("pypdf", by_pypdf),
    "pdfminer.six": ("pdfminer", by_pdfminer),
}


def measure(read: Callable[[Path], int], path: Path, answers: Any) -> None:
    begun = time.process_time()
    try:
        chars: int | None = read(path)
    except Exception:  # noqa: BLE001  a library may fail as it likes; that is what is counted
        chars = None
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    answers.put((chars, time.process_time() - begun, memory))


def main(folder: Path) -> None:
    files = sorted(folder.glob("*.pdf"))
    print(f"{len(files)} files\n\n| library | CPU s | most MB | not read |\n|---|--:|--:|--:|")
    for name, (module, read) in READERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"| {name} | not installed | | |")
            continue
        seconds, memory, failed = 0.0, 0, 0
        for path in files:
            answers: Any = multiprocessing.Queue()
            process = multiprocessing.Process(target=measure, args=(read, path, answers))
            process.start()
            try:
                chars, spent, used = answers.get(timeout=SECONDS)
            except queue.Empty:
                process.kill()
                chars, spent, used = None, float(SECONDS), 0
            process.join()
            seconds, memory, failed = seconds + spent, max(memory, used), failed + (chars is None)
        print(f"| {name} | {seconds:.1f} | {memory} | {failed} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
