"""Pages of the past: the copy that was asked for, marked with its day; dead pages, when the operator allows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_web.archive.exchange import bibtex
from mcp_web.archive.exchange.references import reference_of
from mcp_web.services.find_snapshot import find_snapshot
from mcp_web.text.internet_archive import copy_day, timestamp_of
from mcp_web.tools.tool import Answer
from miniweb import MiniWeb, Reply, Request, Site
from search.lookalike import reply
from surface.tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio

URL = "https://old.example/guide"
COPY = "20240430101112"
SENTENCE = "The guide of that spring said how tortoises are fed and where they sleep. "


def page(words: str = SENTENCE) -> str:
    return f"<title>Guide</title><article><h1>Guide</h1><p>{words * 8}<a href='/next'>next</a></p></article>"


def available(request: Request) -> Reply:
    """The answer of the availability API, as its documentation shows it."""
    closest = {
        "status": "200",
        "available": True,
        "url": f"http://web.archive.org/web/{COPY}/{request.query['url'][0]}",
        "timestamp": COPY,
    }
    return reply({"url": request.query["url"][0], "archived_snapshots": {"closest": closest}})


def archive(miniweb: MiniWeb) -> Site:
    """The Internet Archive with one copy of every page."""
    miniweb.site("archive.example").route("/wayback/available", available)
    site = miniweb.site("web.archive.org")
    site.page(f"/web/{COPY}id_/{URL}", page())
    return site


def env(miniweb: MiniWeb, **more: str) -> dict[str, str]:
    base = miniweb.site("archive.example").loopback_url("")
    return {"MCP_WEB_SEARCH_URLS": f"internetarchive={base}", "MCP_WEB_EMBEDDINGS": "none"} | more


async def failed(caller: ToolCaller, **arguments: Any) -> Answer:
    result = await caller.call("web_open", **arguments)
    assert result.is_error
    return result


async def test_a_page_is_opened_as_it_was_on_a_day(miniweb: MiniWeb, tmp_path: Path) -> None:
    archive(miniweb)
    miniweb.site("old.example").page("/guide", page("The guide of today says nothing of the kind any more. "))
    async with tool_caller(miniweb, tmp_path, **env(miniweb)) as caller:
        data = await caller.data("web_open", url=URL, at="2024-05-01")
        text = (await caller.call("web_open", url=URL, at="2024-05-01")).text
        today = await caller.data("web_open", url=URL)
    assert "of that spring" in data["content"]
    assert "archived copy of 2024-04-30" in text.splitlines()[0]
    assert data["metadata"]["archived_url"] == f"https://web.archive.org/web/{COPY}/{URL}"
    assert [link["url"] for link in data["links"]] == ["https://old.example/next"]
    assert "of today" in today["content"]
    (asked,) = miniweb.site("archive.example").asked("/wayback/available")
    assert asked.query["timestamp"] == ["20240501235959"]


async def test_a_dead_page_comes_from_the_archive_and_says_so_every_time(miniweb: MiniWeb, tmp_path: Path) -> None:
    archive(miniweb)
    miniweb.site("old.example").page("/guide", "gone", status=410)
    async with tool_caller(miniweb, tmp_path, **env(miniweb, MCP_WEB_ARCHIVE_COPIES="auto")) as caller:
        first = await caller.data("web_open", url=URL)
        again = await caller.data("web_open", url=URL)
        kept = await find_snapshot(caller.app, first["snapshot"])
    for data in (first, again):
        assert "of that spring" in data["content"]
        assert any("answered 410" in note for note in data["notes"])
        assert any("This is a copy of 2024-04-30 from the Internet Archive" in note for note in data["notes"])
    assert f"note = {{Archived on 2024-04-30: https://web.archive.org/web/{COPY}/" in bibtex.entry(reference_of(kept))


@pytest.mark.parametrize("status", [404, 503])
async def test_by_default_the_error_names_the_call_that_opens_a_copy(
    miniweb: MiniWeb, tmp_path: Path, status: int
) -> None:
    archive(miniweb)
    miniweb.site("old.example").page("/guide", "no", status=status)
    async with tool_caller(miniweb, tmp_path, **env(miniweb)) as caller:
        result = await failed(caller, url=URL)
    assert f'web_open(url="{URL}", at="latest")' in result.text
    assert not miniweb.site("archive.example").log


async def test_a_name_that_does_not_resolve_comes_from_the_archive(miniweb: MiniWeb, tmp_path: Path) -> None:
    archive(miniweb)
    async with tool_caller(miniweb, tmp_path, **env(miniweb, MCP_WEB_ARCHIVE_COPIES="auto")) as caller:
        assert "of that spring" in (await caller.data("web_open", url=URL))["content"]


@pytest.mark.parametrize("status", [401, 403, 429, 451])
async def test_a_refusal_is_respected(miniweb: MiniWeb, tmp_path: Path, status: int) -> None:
    archive(miniweb)
    miniweb.site("old.example").page("/guide", "no", status=status, headers={"Retry-After": "600"})
    async with tool_caller(miniweb, tmp_path, **env(miniweb, MCP_WEB_ARCHIVE_COPIES="auto")) as caller:
        assert f"answered {status}" in (await failed(caller, url=URL)).text
    assert not miniweb.site("archive.example").log


async def test_without_a_copy_the_first_error_stands(miniweb: MiniWeb, tmp_path: Path) -> None:
    miniweb.site("archive.example").route("/wayback/available", lambda _: reply({"archived_snapshots": {}}))
    miniweb.site("old.example").page("/guide", "gone", status=404)
    async with tool_caller(miniweb, tmp_path, **env(miniweb, MCP_WEB_ARCHIVE_COPIES="auto")) as caller:
        assert "answered 404" in (await failed(caller, url=URL)).text
        missing = await failed(caller, url=URL, at="2001")
    assert "The Internet Archive has no copy" in missing.text


@pytest.mark.parametrize(
    "more",
    [
        {"MCP_WEB_ALLOW_PRIVATE": "old.example"},
        {"MCP_WEB_LOGIN": "old.example: Authorization: Bearer x"},
        {"MCP_WEB_DENYLIST_DOMAINS": "old.example"},
        {"MCP_WEB_ARCHIVE_COPIES": "off"},
    ],
)
async def test_the_archive_does_not_learn_of_internal_pages(
    miniweb: MiniWeb, tmp_path: Path, more: dict[str, str]
) -> None:
    archive(miniweb)
    miniweb.site("old.example").page("/guide", "gone", status=404)
    async with tool_caller(miniweb, tmp_path, **env(miniweb, **{"MCP_WEB_ARCHIVE_COPIES": "auto"} | more)) as caller:
        await failed(caller, url=URL)
        await failed(caller, url=URL, at="2024")
    assert not miniweb.site("archive.example").log


@pytest.mark.parametrize("at", ["yesterday", "2024-13-01", "0024"])
async def test_what_is_no_day_is_refused(miniweb: MiniWeb, tmp_path: Path, at: str) -> None:
    async with tool_caller(miniweb, tmp_path, **env(miniweb)) as caller:
        assert "is not a date" in (await failed(caller, url=URL, at=at)).text


@pytest.mark.parametrize(
    ("at", "timestamp"),
    [
        ("2024-05-01", "20240501235959"),
        ("20240501", "20240501235959"),
        ("2024-02", "20240229235959"),
        ("2024-03", "20240331235959"),
        ("2024", "20241231235959"),
        ("latest", ""),
    ],
)
def test_days_as_the_archive_writes_them(at: str, timestamp: str) -> None:
    assert timestamp_of(at) == timestamp


def test_the_day_of_a_copy_is_in_its_address() -> None:
    assert copy_day(f"https://web.archive.org/web/{COPY}/{URL}") == "2024-04-30"
    assert copy_day(URL) == ""


async def test_a_watched_page_that_is_gone_is_not_compared_with_its_archived_copy(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    archive(miniweb)
    site = miniweb.site("old.example")
    site.page("/guide", page("The guide of today says nothing of the kind any more. "))
    more = {"MCP_WEB_ARCHIVE_COPIES": "auto", "MCP_WEB_PROFILE": "full"}
    async with tool_caller(miniweb, tmp_path, **env(miniweb, **more)) as caller:
        await caller.call("web_watch", url=[URL])
        site.page("/guide", "gone", status=410)
        for _ in range(2):
            (checked,) = (await caller.data("web_watch"))["pages"]
            assert (checked["state"], checked["changes"]) == ("failed", [])
            assert "410" in checked["error"]
