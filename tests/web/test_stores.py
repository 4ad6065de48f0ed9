"""Every view of the page over both stores, with a token set: status, content, actions, and the feed of what changed."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article
from miniweb import MiniWeb
from store.postgres_server import PostgresServer
from surface.test_http import Served

from .test_pages import Shell

TOKEN = "a-token-of-twenty-letters"
BASIC = "Basic " + base64.b64encode(f"anybody:{TOKEN}".encode()).decode()  # what browsers and feed readers send


class Archive:
    """A server over one store that knows three documents, one of them in two versions and watched."""

    def __init__(self, web: MiniWeb, folder: Path, **place: str) -> None:
        site = web.site("docs.example")
        site.page("/one", article("The engine", "Wheels", "Frame", say='has ten teeth and <a href="/two">more</a>'))
        site.page("/two", article("Part two", "Frame", say="is made of iron and was never cast"))
        env = OFFLINE | {"MCP_WEB_ALLOW_PRIVATE": site.exemption} | place
        shell = Shell(folder, **env)
        one, two = (site.loopback_url(path) for path in ("/one", "/two"))
        shell.run("open", one, two)
        shell.run("watch", two)
        site.page("/two", article("Part two", "Frame", say="is made of steel and was cast at last"))
        shell.run("open", two, "--max-age", "0")
        shell.run("archive", "add", f"Notes on [the engine]({one}).", "--title", "Notes", "--tag", "history")
        shell.run("read", one, "How many teeth does the main wheel have?")
        self.served = Served(folder, **env, MCP_WEB_AUTH_TOKENS=TOKEN)

    def get(self, path: str) -> str:
        status, _, body = self.served.get(path, authorization=BASIC)
        assert status == 200, (path, status, body[:2000])
        return body.decode()

    def post(self, path: str, **fields: str) -> int:
        """Send a form as the page would, with the token that a page was given against forged requests."""
        _, headers, _ = self.served.get("/archive", authorization=BASIC)
        cookie = headers["set-cookie"].partition(";")[0]
        form = urlencode(fields | {"form_token": cookie.partition("=")[2]}).encode()
        sent = {"content_type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{self.served.port}"}
        return self.served.ask("POST", path, form, authorization=BASIC, cookie=cookie, **sent)[0]

    def document(self, title: str) -> str:
        found = re.search(rf'href="(/archive/[0-9a-f]{{64}})">{re.escape(title)}<', self.get("/archive"))
        assert found
        return found[1]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def archive(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> Iterator[Archive]:
    place = {"MCP_WEB_DATABASE_URL": postgres.database()} if request.param == "postgres" else {}
    web = MiniWeb()
    made = Archive(web, tmp_path_factory.mktemp("page"), **place)
    yield made
    made.served.stop()
    web.close()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "The engine"),
        ("/activity", ""),
        ("/search?q=wheels", "The engine"),
        ("/archive", "Part two"),
        ("/archive?collection=history", "Notes"),
        ("/archive?domain=docs.example", "Archive"),
        ("/graph", "Notes"),
        ("/watch", "/two"),
        ("/figures", "Statistics"),
        ("/figures/now", ""),
        ("/state", "State"),
        ("/space", "documents are kept"),
    ],
)
def test_every_view_shows_what_is_kept(archive: Archive, path: str, shown: str) -> None:
    assert shown in archive.get(path)


def test_a_document_is_read_compared_with_its_last_version_and_exported(archive: Archive) -> None:
    place = archive.document("Part two")
    assert "steel" in archive.get(place)
    assert "iron" in archive.get(f"{place}/diff")
    for form in ("md", "json", "bib"):
        assert "Part two" in archive.get(f"{place}/export/{form}")


def test_what_was_read_is_marked_and_can_be_forgotten(archive: Archive) -> None:
    place = archive.document("The engine")
    assert "How many teeth" in archive.get(place)
    assert archive.post(f"{place}/readings/remove") == 303
    assert "How many teeth" not in archive.get(place)


def test_tags_are_changed_and_a_document_is_removed(archive: Archive) -> None:
    place = archive.document("Notes")
    assert archive.post(f"{place}/tags", tags="machines") == 303
    assert "Notes" in archive.get("/archive?collection=machines")
    assert archive.post(f"{place}/remove", sure="yes") == 303
    assert ">Notes<" not in archive.get("/archive")


def test_the_feed_of_changes_needs_a_token_and_names_the_change(archive: Archive) -> None:
    assert archive.served.get("/watch/feed.atom")[0] == 401
    feed = archive.get("/watch/feed.atom")
    assert "+Frame is made of steel and was cast at last." in feed
