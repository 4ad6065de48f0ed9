"""Whatever the bytes are, a reader answers with a document or with an error that says what to do."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys

import pytest
from tests.extract.reading import read
from tests.extract.test_feed import ATOM, RSS
from tests.extract.test_notebook import NOTEBOOK
from tests.extract.test_office import word_document, zipped

from mcp_web.errors import WebError
from mcp_web.extract.document import EXTRACTORS
from security import hostile

TYPES = sorted(set(EXTRACTORS) | {"text/plain", "image/svg+xml", "application/ld+json", "text/x-python"})


def samples() -> list[bytes]:
    """One valid file of several kinds: readers must also survive each other's food."""
    return [
        b"",
        b"\0" * 5000,
        b"plain text\n" * 50,
        RSS.encode(),
        ATOM.encode(),
        str(NOTEBOOK).replace("'", '"').encode(),
        word_document(),
        zipped({"content.xml": "<a><body><text/></body></a>", "xl/workbook.xml": "<w><sheets/></w>"}),
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>",
        b"{\\rtf1 " + b"{" * 500 + b"text" + b"}" * 500,
        b"<html><body><h1>T</h1><p>text</p></body></html>",
    ]


@pytest.mark.parametrize("media_type", TYPES)
def test_foreign_and_damaged_bytes_end_in_a_document_or_a_clean_error(media_type: str) -> None:
    chance = random.Random(7)
    for sample in samples():
        damaged = bytearray(sample)
        for _ in range(20):
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        for body in (sample, bytes(damaged), sample[: len(sample) // 2]):
            with contextlib.suppress(WebError):
                read(body, media_type)


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "application/json", "text/xml", "text/csv"])
def test_hostile_bodies_sent_as_text_end_in_a_bounded_document(media_type: str) -> None:
    for name in ("nested_div", "whitespace_flood", "lt_flood", "nul_bytes", "invalid_utf8", "random_bytes"):
        document = read(hostile.HTML[name](100_000), media_type)
        assert len(document.markdown) < 2_000_000


@pytest.mark.parametrize("source", [rb"{\rtf1 \u99999999999 ?}", rb"{\rtf1\ansicpg99999 \'e9}", rb"{\rtf1 \u-99999 ?}"])
def test_numbers_that_no_character_has_end_in_a_document_or_a_clean_error(source: bytes) -> None:
    with contextlib.suppress(WebError):
        read(source, "application/rtf")


def test_page_that_does_not_fit_into_memory_is_read_up_to_where_it_fits() -> None:
    """In a process of its own, because a limit of memory once set stays."""
    script = """
import resource
from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import ExtractRequest, Fetched

def read(body):
    page = Fetched("https://e.org/", "https://e.org/", 200, (), body, "text/html", "utf-8", 0.0)
    return extract_document(page, ExtractRequest(), ExtractOptions())

read(b"<p>Warm.</p>")
rows = "".join(f"<tr><td>{at}</td><td>name {at}</td><td>x</td></tr>" for at in range(120_000))
secret = "<p class=x>Secret words</p><p class=y>Secret too</p>"
sheets = "<style>.x{display:none}</style ><STYLE>.y{display:none}"
body = f"<title>Rows</title>{secret}<table>{rows}</table>{sheets}".encode()
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (90 << 20),) * 2)
document = read(body)
assert "| 7 | name 7 | x |" in document.markdown
assert "Secret" not in document.markdown
print(document.notes)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("limits of memory are set and measured as Linux does")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "only the first" in done.stdout
    assert "memory" in done.stdout
