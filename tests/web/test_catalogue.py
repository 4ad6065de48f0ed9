"""Every sentence of the page is looked up in the catalogue, so that it can be translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mcp_web import trace
from mcp_web.app import App
from mcp_web.settings import load
from mcp_web.web import catalogue
from mcp_web.web.routes import page_routes

VIEWS = ("/", "/archive", "/graph", "/watch", "/figures", "/space", "/search?q=", "/nope", "/archive/00000000")
# Names that are the same in every language.
NAMES = re.compile(
    r"mcp-web|example\.org|(?:web|archive|cache|verify)_\w+|static-\w+"
    r"|granite-[\w-]+|/metrics|https?:\S+|\b(?:kB|MB|ms)\b|claude mcp \S.*"
)


class Brackets(NullTranslations):
    """A translation that shows which text came from the catalogue."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class Text(HTMLParser):
    """The texts that a person sees or hears."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("aria-label", "placeholder", "title", "alt")]


@pytest.fixture
def bracketed() -> Iterator[None]:
    catalogue.use(Brackets())
    trace.metrics.tool_calls.clear()  # those of other tests, which the first page would list
    yield
    catalogue.use(NullTranslations())


def _client(folder: Path) -> TestClient:
    from contextlib import asynccontextmanager

    settings = load(environ={"MCP_WEB_DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder)})

    @asynccontextmanager
    async def app_for(_: object) -> object:  # type: ignore[misc]
        async with App(settings) as app:
            yield app

    return TestClient(Starlette(routes=page_routes(app_for)))


@pytest.mark.parametrize("view", VIEWS)
def test_every_text_of_a_view_comes_from_the_catalogue(bracketed: None, tmp_path: Path, view: str) -> None:
    parser = Text()
    parser.feed(_client(tmp_path).get(view).text)
    text = NAMES.sub("", "\n".join(parser.found))
    while "⟦" in text:
        text, before = re.sub(r"⟦[^⟦⟧]*⟧", "", text), text
        assert text != before, text
    assert re.findall(r"[A-Za-z]{2,}.*", text) == []


def test_templates_hold_no_sentence_outside_the_catalogue() -> None:
    for file in Path(catalogue.__file__).with_name("templates").glob("*.html"):
        text = file.read_text("utf-8").replace(' class="wide"', "")
        text = re.sub(r"\{%\s*trans.*?endtrans\s*%\}", "", text, flags=re.DOTALL)
        text = NAMES.sub("", re.sub(r"\{[{%].*?[}%]\}|<[^>]*>", "", text, flags=re.DOTALL))
        assert re.findall(r"[A-Za-z]{2,}.*", text) == [], file.name
