"""Every kind of file an agent may meet, opened through web_open: useful when sound, harmless when hostile."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from miniweb import MiniWeb

from .tool_caller import tool_caller

pytestmark = pytest.mark.anyio

PROSE = "The tortoise walked slowly over the wet grass. "


def zipped(parts: dict[str, str | bytes], kind: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        if kind:
            file.writestr(zipfile.ZipInfo("mimetype"), kind)
        for name, part in parts.items():
            file.writestr(name, part)
    return buffer.getvalue()


def book(*chapters: str | bytes, spine: int = 1) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters))) * spine
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>Tales</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    parts: dict[str, str | bytes] = {"META-INF/container.xml": container, "b.opf": package}
    parts |= {f"c{n}.xhtml": chapter for n, chapter in enumerate(chapters)}
    return zipped(parts, "application/epub+zip")


OFFICE = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
TEXT = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'


def letter(body: str) -> bytes:
    content = f"<office:document-content {OFFICE} {TEXT}><office:body><office:text>{body}</office:text></office:body>"
    kind = "application/vnd.oasis.opendocument.text"
    return zipped({"content.xml": content + "</office:document-content>"}, kind)


SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/old</loc><lastmod>2020-01-01'
    "</lastmod></url><url><loc>https://a.example/new</loc><lastmod>2026-05-06</lastmod></url></urlset>"
)
FEED = (
    "<rss version='2.0'><channel><title>News</title><item><title>Tortoise won</title><link>https://a.example/1</link>"
    "<pubDate>Tue, 05 May 2026 10:00:00 GMT</pubDate><description>At last.</description></item></channel></rss>"
)
CODE = "import os\n\n\nclass Tortoise:\n    def walk(self):\n        return 1\n\n\ndef race():\n    return 2\n"
MAIL = "From: ada@a.example\nTo: bo@b.example\nSubject: Speed\nDate: Tue, 05 May 2026 10:00:00 +0000\n\n" + PROSE * 3

KINDS = {
    "/t.epub": ("application/epub+zip", book(f"<h1>One</h1><p>{PROSE * 5}</p>", "<h1>Two</h1><p>End.</p>"), "# Two"),
    "/t.odt": (
        "application/vnd.oasis.opendocument.text",
        letter(f'<text:h text:outline-level="1">Speed</text:h><text:p>{PROSE}</text:p>'),
        "# Speed",
    ),
    "/t.csv": ("text/csv", b"name,speed\nAda,3\nBo,4\n", "| Ada | 3 |"),
    "/t.tsv": ("text/tab-separated-values", b"name\tspeed\nAda\t3\n", "| Ada | 3 |"),
    "/t.py": ("text/plain", CODE.encode(), "```python\nimport os"),
    "/llms.txt": ("text/plain", b"# Shell\n\n> Docs\n\n- [Guide](/guide.md): how\n", "Guide"),
    "/sitemap.xml": (
        "application/xml",
        SITEMAP.encode(),
        "- <https://a.example/new> (2026-05-06)\n- <https://a.example/old>",
    ),
    "/sitemap.xml.gz": ("application/gzip", gzip.compress(SITEMAP.encode()), "<https://a.example/new> (2026-05-06)"),
    "/feed": ("application/rss+xml", FEED.encode(), "Tortoise won"),
    "/t.eml": ("message/rfc822", MAIL.encode(), "From: ada@a.example"),
    "/t.vtt": ("text/vtt", f"WEBVTT\n\n00:01.000 --> 00:02.000\n{PROSE}\n".encode(), "[0:00:01] The tortoise"),
}


@pytest.mark.parametrize("path", KINDS)
async def test_a_file_of_every_kind_is_opened(miniweb: MiniWeb, tmp_path: Path, path: str) -> None:
    media_type, body, part = KINDS[path]
    url = miniweb.site("files.example").page(path, body, headers={"Content-Type": media_type})
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url, include_links=False)
        shown = await caller.data("web_open", url=url)
    assert part in data["content"] or part in shown["content"]


async def test_source_code_has_its_definitions_as_outline(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("files.example").page("/t.py", CODE, headers={"Content-Type": "text/plain"})
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    assert [one["text"] for one in data["outline"]] == ["class Tortoise", "def race()"]


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "epub_bomb": ("application/epub+zip", lambda: book(b"<p>" + b" " * 41_000_000 + b"</p>")),
    "epub_loop": ("application/epub+zip", lambda: book(f"<p>{PROSE * 2000}</p>", spine=5000)),
    "epub_script": ("application/epub+zip", lambda: book(f"<script>alert(1)</script><p>{PROSE}</p>")),
    "epub_entities": (
        "application/epub+zip",
        lambda: zipped({"META-INF/container.xml": f"<!DOCTYPE a [{LAUGHS}]><a/>"}),
    ),
    "epub_outside": (
        "application/epub+zip",
        lambda: zipped(
            {"META-INF/container.xml": '<c><rootfiles><rootfile full-path="../../etc/passwd"/></rootfiles></c>'}
        ),
    ),
    "odf_bomb": (
        "application/vnd.oasis.opendocument.text",
        lambda: zipped({"content.xml": b"<a>" + b" " * 60_000_000}),
    ),
    "odf_deep": ("application/vnd.oasis.opendocument.text", lambda: letter("<text:p>" * 100_000)),
    "odf_repeat": (
        "application/vnd.oasis.opendocument.spreadsheet",
        lambda: letter('<text:s text:c="99999999"/>' * 2000 + f"<text:p>{PROSE}</text:p>"),
    ),
    "mail_deep": (
        "message/rfc822",
        lambda: (
            b"From: a@b\nSubject: x\n"
            + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
        ),
    ),
    "mail_parts": (
        "message/rfc822",
        lambda: b"From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 400_000,
    ),
    "csv_wide": ("text/csv", lambda: b"a," * 2_000_000),
    "csv_long": ("text/csv", lambda: b"a,b\n" * 1_000_000),
    "csv_quote": ("text/csv", lambda: b'"' + b"a,\n" * 1_200_000),
    "gzip_bomb": ("application/gzip", lambda: gzip.compress(b"<a>" + b" " * 300_000_000, compresslevel=1)),
    "gzip_gzip": ("application/gzip", lambda: gzip.compress(gzip.compress(b"x" * 1000))),
    "vtt_flood": ("text/vtt", lambda: b"WEBVTT\n\n" + b"00:00:01.000 --> 00:00:02.000\nx\n\n" * 60_000),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_refused_or_bounded(miniweb: MiniWeb, tmp_path: Path, name: str) -> None:
    """Workers have bounded memory, so that a reader that is fooled cannot take more; the call has twenty seconds."""
    media_type, make = HOSTILE[name]
    body = make()
    site = miniweb.site("hostile.example")
    ending = ".xml.gz" if "gzip" in media_type else ""
    url = site.page(f"/{name}{ending}", body, headers={"Content-Type": media_type})
    calm = site.page("/calm", f"<title>Calm</title><article><p>{PROSE * 10}</p></article>")
    async with tool_caller(miniweb, tmp_path) as caller:
        result = await caller.call("web_open", url=url, seconds=20)
        assert result.is_error or "alert(1)" not in result.text
        assert "root:" not in result.text
        assert "and was stopped" not in result.text
        assert "The tortoise walked" in (await caller.call("web_open", url=calm)).text
