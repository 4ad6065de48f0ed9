"""Is a name found where a manual defines it?  python -m bench.reading.names FILE.html…

Signatures, terms of definition lists and headings that are one name are taken from each page, `MOST` of all pages by a
seed. The name, its last part and a question with it are put to the page, with words and static signal. Printed: the
share of answers that show the definition with the first paragraph below it, hit@1 and @3, and mean tokens.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio

from bench.reading.answers import Page, costs, prepared, ranking
from bench.reading.data import ReadingPage, Span
from mcp_web.app import App
from mcp_web.model.page import ExtractRequest, Fetched
from mcp_web.settings import load

MOST = 300
SITE = "https://manual.example/"
# Written without the product's own patterns.
_NAME = r"(-{0,2}[A-Za-z_][\w.-]*\w)"
_DEFINITIONS = (
    re.compile(rf"^`(?:\w+ )?{_NAME}(?:\(.*)?`$", re.MULTILINE),
    re.compile(rf"^`?{_NAME}`?(?:[ =\[<(].*)?\n(?=: )", re.MULTILINE),
    re.compile(rf"^#{{2,6}} `?(?:\w+: )?{_NAME}(?:\(.*\))?`?(?: Directive)?$", re.MULTILINE),
)
FORMS: dict[str, Callable[[str], str]] = {
    "the name": lambda name: name,
    "its last part": lambda name: name.rpartition(".")[2],
    "What does … do?": lambda name: f"What does {name} do?",
}


def main() -> None:
    pages = anyio.run(read, [Path(name) for name in sys.argv[1:]])
    asked = [(page, name, spans) for page in pages for name, spans in defined(page.read.text)]
    random.Random(5).shuffle(asked)
    for label, form in FORMS.items():
        found = [(spans, ranking(page, form(name), None)) for page, name, spans in asked[:MOST]]
        print(f"{label:16} {costs(found, whole=False)}", flush=True)
    print(f"{len(asked)} names on {len(pages)} pages")


async def read(files: Sequence[Path]) -> list[Page]:
    found = []
    async with App(load(environ={})) as app:
        for file in files:
            url = SITE + file.name
            fetched = Fetched(url, url, 200, (), file.read_bytes(), "text/html", "utf-8", 0.0)
            document = await app.extract(fetched, ExtractRequest())
            page = ReadingPage("manual", document.title, document.markdown, [])
            found.append(Page(page, prepared(page)))
    return found


def defined(text: str) -> Iterator[tuple[str, list[Span]]]:
    """The names that a page defines, each with its definitions."""
    spans: dict[str, list[Span]] = {}
    for found in (one for pattern in _DEFINITIONS for one in pattern.finditer(text)):
        end = text.find("\n\n", found.end() + 2)
        spans.setdefault(found[1], []).append((found.start(), end if end >= 0 else len(text)))
    yield from spans.items()


if __name__ == "__main__":
    main()
