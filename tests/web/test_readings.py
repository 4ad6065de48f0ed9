"""What agents asked of a page is shown with the passages they were given, and can be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article
from miniweb import MiniWeb, Site
from surface.test_http import Served

QUESTION = "What is the frame made of?"


@pytest.fixture
def site() -> Iterator[Site]:
    web = MiniWeb()
    made = web.site("docs.example")
    made.page("/two", article("Part two", "Wheels", "Frame", say="The frame is made of iron and was never cast."))
    yield made
    web.close()


def _ask(served: Served, site: Site) -> None:
    url = site.loopback_url("/two")
    served.rpc("tools/call", {"name": "web_read", "arguments": {"url": url, "query": QUESTION}})
    quotes = ["An introduction with a few sentences.", "This is not there at all, not a word of it."]
    served.rpc("tools/call", {"name": "verify_quotes", "arguments": {"source": url, "quotes": quotes}})


def _reading(served: Served) -> str:
    listed = served.get("/archive")[2].decode()
    found = re.search(r'href="(/archive/[0-9a-f]{64})">Part two<', listed)
    return found[1] if found else ""


def test_a_question_and_a_checked_quote_are_marked_with_who_asked(site: Site, tmp_path: Path) -> None:
    served = Served(tmp_path, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=site.exemption)
    try:
        _ask(served, site)
        path = _reading(served)
        text = served.get(path)[2].decode()
        asked = re.findall(r'<li id="asked-\d+".*?</li>', text)
        assert len(asked) == 3
        assert "This is not there at all" in asked[0]
        assert ">not in this page<" in asked[0]
        assert "<a " not in asked[0]
        assert "An introduction with a few sentences." in asked[1]
        assert ">word for word<" in asked[1]
        assert QUESTION in asked[2]
        assert ">answered<" in asked[2]
        assert re.search(r"</strong><span>[^<]+</span><time>", asked[2])
        assert re.search(r'<mark class="cited" id="passage-\d+">', text)
        token = re.search(r'name="form_token" value="([^"]+)"', text)
        assert token is not None
        form, kind = f"form_token={token[1]}".encode(), "application/x-www-form-urlencoded"
        refused = served.ask("POST", f"{path}/readings/remove", form, content_type=kind)
        assert refused[0] == 400
        cookie = f"mcp_web_form={token[1]}"
        assert served.ask("POST", f"{path}/readings/remove", form, content_type=kind, cookie=cookie)[0] == 303
        assert 'id="asked-1"' not in served.get(path)[2].decode()
    finally:
        served.stop()


def test_a_quote_that_only_another_version_has_is_said_to_be_there(site: Site, tmp_path: Path) -> None:
    served = Served(tmp_path, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=site.exemption)
    try:
        url, quote = site.loopback_url("/two"), "is made of iron and was never cast"
        served.rpc("tools/call", {"name": "web_open", "arguments": {"url": url}})
        older = _reading(served)
        site.page(
            "/two", article("Part two", "Wheels", "Frame", say="The frame is made of steel and was cast at last.")
        )
        served.rpc("tools/call", {"name": "web_open", "arguments": {"url": url, "max_age": 0}})
        asked = {"name": "verify_quotes", "arguments": {"source": url, "quotes": [quote, "Nobody ever wrote this."]}}
        text = str(served.rpc("tools/call", asked))
        assert text.count("word for word in another kept version: snapshot " + older[9:25]) == 1
        shown = served.get(f"{_reading(served)}?quote={quote.replace(' ', '+')}")[2].decode()
        assert f'Word for word in another version: <a href="{older}?quote=is%20made' in shown
    finally:
        served.stop()


@pytest.mark.parametrize("switch", [{"MCP_WEB_REMEMBER": "false"}, {"MCP_WEB_REMEMBER": "127.0.0.1=false"}])
def test_nothing_of_it_is_kept_when_pages_are_not_kept(site: Site, tmp_path: Path, switch: dict[str, str]) -> None:
    served = Served(tmp_path, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=site.exemption, **switch)
    try:
        _ask(served, site)
        assert _reading(served) == ""
    finally:
        served.stop()
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert QUESTION.encode() not in everything
