"""What whole pages cost an agent.  python -m bench.tokens FILE.html…

Tokens of each page as `web_open` shows it, windows joined, beside those of the reference fetch server's conversion
(readabilipy and markdownify, where they are installed).
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import anyio

from mcp_web.app import App
from mcp_web.model.page import ExtractRequest, Fetched
from mcp_web.settings import load
from mcp_web.text.sizes import estimate_tokens
from mcp_web.tools.page_view import PageView, ViewOptions, front_matter, show

SITE = "https://manual.example/"


def main() -> None:
    ours, theirs = 0, 0
    for name in sys.argv[1:]:
        page = Path(name)
        mine, other = anyio.run(whole_page, page.name, page.read_bytes()), reference(page)
        ours, theirs = ours + mine, theirs + other
        print(f"{page.name:24} {mine:7,} {other:7,}")
    print(f"{'all':24} {ours:7,} {theirs:7,}")


async def whole_page(name: str, body: bytes) -> int:
    """Tokens of all windows of a page: head once, text and links of each window."""
    url = SITE + name
    fetched = Fetched(url, url, 200, (), body, "text/html", "utf-8", 0.0)
    async with App(load(environ={})) as app:
        document = await app.extract(fetched, ExtractRequest())
    text, start = front_matter(PageView(document, url)), 0
    while True:
        shown = show(document, ViewOptions(start=start, page=url))
        text += "\n\n" + shown.text + "\n\n" + shown.link_list
        if shown.next_start is None:
            return estimate_tokens(text)
        start = shown.next_start


def reference(page: Path) -> int:
    try:
        simple = importlib.import_module("readabilipy.simple_json")
        markdownify = importlib.import_module("markdownify")
    except ImportError:
        return 0
    content = simple.simple_json_from_html_string(page.read_text(), use_readability=True)["content"]
    return estimate_tokens(markdownify.markdownify(content or "", heading_style=markdownify.ATX))


if __name__ == "__main__":
    main()
