"""The web interface in a real Chromium: every view and action, light and dark, phone and desktop, with and without
scripts, checked by axe-core; hostile titles and texts are shown harmlessly; no request leaves the server."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article
from mcp_web.render.chromium import find_chromium
from mcp_web.render.chromium_flags import FEATURES_OFF
from mcp_web.text import front_matter
from mcp_web.web.pages import commands
from miniweb import MiniWeb, Site
from surface.program import run_program
from surface.rpc import WAIT, clean_environment
from surface.test_http import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NODE = Path(__file__).parents[2] / ".cache" / "axe"
HOSTILE = "<script>fetch('https://evil.example/')</script><img src=https://evil.example/x onerror=alert(1)>"
VIEWS = ("/", "/archive", "/graph", "/watch", "/figures", "/state", "/space", "/search?q=wheels", "/nope")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    web = MiniWeb()
    made = web.site("docs.example")
    code = "<pre><code class=language-python>def wheels(count: int) -> str:\n    return 'brass'</code></pre>"
    table = (
        "<table><tr><th>Part</th><th align=right>Teeth</th></tr><tr><td>Wheel</td><td align=right>10</td></tr></table>"
    )
    one = article("The engine", "Wheels", "Frame", say='has <a href="/two">more</a>')
    made.page("/one", one.replace("</article>", f"{code}{table}</article>"))
    made.page("/two", article("Part two", "Frame", say="is made of iron and was never cast"))
    made.page("/bad", article(f"Bad &lt;script&gt; {HOSTILE}".replace("<", "&lt;"), "Javascript", say=HOSTILE))
    headed = article("How valves are made", "Valves", say="are measured twice")
    made.page("/headed", headed.replace("<title>How valves are made<", "<title>Valves &amp; how they’re made — Site<"))
    yield made
    web.close()


@pytest.fixture(scope="module")
def served(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    env = OFFLINE | {"MCP_WEB_ALLOW_PRIVATE": site.exemption}
    shell = Shell(folder, **env)
    shell.run("open", *(site.loopback_url(path) for path in ("/one", "/two", "/bad", "/headed")))
    site.page("/two", article("Part two", "Frame", say="is made of steel and was cast at last"))
    shell.run("open", site.loopback_url("/two"), "--max-age", "0")
    note = f"Notes on [the engine]({site.loopback_url('/one')})."
    shell.run("archive", "add", note, "--title", "Notes", "--tag", "history")
    shell.run("read", site.loopback_url("/one"), "How many teeth does the main wheel have?")
    shell.run("watch", site.loopback_url("/two"))
    made = Served(folder, **env)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", f"--disable-features={','.join(FEATURES_OFF)}"]
        made = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        yield made
        made.close()


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, from the package registry."""
    file = NODE / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is missing")
        NODE.mkdir(parents=True, exist_ok=True)
        (NODE / "package.json").write_text('{"private": true}')
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "axe-core@4"]
        subprocess.run(command, cwd=NODE, capture_output=True, timeout=300, check=True)
    return file.read_text(encoding="utf-8")


class Shell:
    """Commands in processes of their own: the driver of the browser has an event loop in this one."""

    def __init__(self, folder: Path, **env: str) -> None:
        self._env = clean_environment(folder, **env)

    def run(self, *args: str) -> None:
        done = run_program(args, self._env, WAIT)
        assert done.returncode == 0, done.stderr


class Visit:
    """A tab that remembers what went wrong."""

    def __init__(self, browser: Browser, served: Served, **options: Any) -> None:
        self.base = f"http://127.0.0.1:{served.port}"
        self._context = browser.new_context(**options)
        self.page: Page = self._context.new_page()
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._count(request.url))

    def _count(self, url: str) -> None:
        if not url.startswith(self.base):
            self.foreign.append(url)

    def open(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page

    def close(self) -> None:
        self._context.close()


def follow(page: Page, target: str | Locator) -> None:
    """Click on a link or button and wait for the page or the place to which it leads."""
    with page.expect_navigation():
        (page.locator(target).first if isinstance(target, str) else target).click()


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:
    made = Visit(browser, served)
    yield made
    made.close()


def _reading(served: Served, title: str) -> str:
    listed = served.get("/archive")[2].decode()
    found = re.search(rf'href="(/archive/[0-9a-f]{{64}})">{re.escape(title)}<', listed)
    assert found, listed
    return found[1]


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_every_view_is_accessible_and_fits_the_screen(
    browser: Browser, served: Served, axe: str, scheme: Any, width: int
) -> None:
    tab = Visit(browser, served, color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    wrong = []
    for path in (*VIEWS, _reading(served, "The engine"), _reading(served, "Part two") + "/diff"):
        page = tab.open(path)
        for closed in page.query_selector_all("details:not([open])"):
            closed.evaluate("one => { one.open = true }")
        page.evaluate(axe)
        found = page.evaluate("async () => (await axe.run()).violations.map(one => [one.id, one.nodes[0].html])")
        wrong += [(path, one) for one in found]
        if not page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
            wrong.append((path, "is too wide"))
    assert wrong == []
    assert tab.foreign == []
    assert [error for error in tab.errors if "404" not in error] == []
    tab.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_person_finds_reads_compares_and_checks(browser: Browser, served: Served, scripts: bool) -> None:
    tab = Visit(browser, served, java_script_enabled=scripts)
    page = tab.open("/")
    page.fill("input[name=q]", "wheels brass")
    follow(page, "form[role=search] button")
    follow(page, "text=The engine")
    assert page.locator("article h1").inner_text() == "The engine"
    assert page.locator("pre .hl-k").first.inner_text() == "def"
    assert page.locator("article a.kept").first.get_attribute("href").startswith("/archive/")  # type: ignore[union-attr]
    page.fill("textarea[name=quote]", "An introduction with a few sentences.")
    follow(page, "button:has-text('Check')")
    assert "Word for word" in page.locator(".verdict").inner_text()
    assert page.locator("mark.quoted").first.inner_text() == "An introduction with a few sentences."
    assert page.locator("#cited-by a", has_text="Notes").count() == 1
    follow(page, "#asked a:has-text('How many teeth')")
    assert page.locator("article .cited:target").count() == 1
    tab.open(_reading(served, "Part two"))
    follow(page, "button:has-text('Show what changed')")
    assert "iron" in page.locator(".diff .removed del").first.inner_text()
    assert "steel" in page.locator(".diff .added ins").first.inner_text()
    assert tab.foreign == []
    assert tab.errors == []
    tab.close()


def test_hostile_titles_and_texts_are_shown_and_run_nothing(visit: Visit, served: Served) -> None:
    listed = visit.open("/archive")
    follow(listed, "a:has-text('Bad')")
    assert "<script>" in visit.page.locator("article h1").inner_text()
    assert visit.page.locator("article script, article img").count() == 0
    assert visit.foreign == []
    assert visit.errors == []


def test_what_agents_do_now_is_shown_while_one_looks(visit: Visit, served: Served, site: Site) -> None:
    page = visit.open("/")
    served.rpc("tools/call", {"name": "web_extract", "arguments": {"html": "<p>x</p>"}})
    page.wait_for_selector(".activity code:has-text('web_extract')", timeout=30_000)
    served.rpc("tools/call", {"name": "web_open", "arguments": {"url": site.loopback_url("/one")}})
    activity = served.get("/activity")[2].decode()
    assert re.search(r'<a href="/archive/[0-9a-f]{64}">http://[^<]*/one</a>', activity)
    assert re.search(r"· [\d,]+\sms</time><span class=\"detail\"><a", activity)  # a page's call has its duration too
    assert visit.errors == []


def test_changes_of_watched_pages_are_an_atom_feed(served: Served, site: Site) -> None:
    from xml.etree import ElementTree

    status, headers, body = served.get("/watch/feed.atom")
    assert status == 200
    assert headers["content-type"].startswith("application/atom+xml")
    names = {"a": "http://www.w3.org/2005/Atom"}
    entries = ElementTree.fromstring(body).findall("a:entry", names)
    assert [one.findtext("a:title", namespaces=names) for one in entries] == ["Part two changed"]
    link = entries[0].find("a:link", names)
    assert link is not None
    address = link.attrib["href"]
    assert address.startswith(f"http://127.0.0.1:{served.port}/archive/")
    assert "steel" in served.get(address.partition(str(served.port))[2])[2].decode()


def test_a_document_is_exported_tagged_and_deleted(visit: Visit, served: Served, site: Site) -> None:
    path = _reading(served, "Part two")
    _, headers, text = served.get(path + "/export/md")
    assert re.search(r'filename="part-two-[0-9a-f]{8}\.md"', headers["content-disposition"])
    facts, markdown = front_matter.read(text.decode())
    assert markdown.startswith("# Part two")
    assert facts["source"] == site.loopback_url("/two")
    assert facts["snapshot"] == path.rpartition("/")[2]
    assert facts["fetched_at"]
    assert served.get(path + "/export/bib")[2].decode().startswith("@online{")
    assert b"Part two" in served.get(path + "/export/json")[2]
    _, headers, packed = served.get(path + "/export/warc")
    assert packed[:2] == b"\x1f\x8b"
    assert headers["content-disposition"].endswith('.warc.gz"')
    page = visit.open(path)
    page.fill("input[name=tags]", "engines, iron")
    follow(page, "form[action$='/tags'] button")
    assert "engines (1)" in visit.open("/archive").locator("select[name=collection]").inner_text()
    page = visit.open(_reading(served, "Part two"))
    page.check("input[name=sure]")
    follow(page, "form[action$='/remove'] button")
    assert "was deleted" in page.locator("[role=status]").inner_text()
    assert page.locator("a:has-text('Part two')").count() == 0


@pytest.mark.parametrize("path", ["/remove", "/tags"])
def test_a_form_that_no_page_of_ours_showed_changes_nothing(served: Served, path: str) -> None:
    target = _reading(served, "The engine") + path
    form = b"sure=yes&tags=stolen&form_token=guessed"
    kind = {"content_type": "application/x-www-form-urlencoded"}
    assert served.ask("POST", target, form, **kind)[0] == 400
    assert served.ask("POST", target, form, **kind, cookie="mcp_web_form=other")[0] == 400
    assert served.ask("POST", target, form, **kind, origin="https://evil.example")[0] == 403
    _reading(served, "The engine")


def test_a_page_can_be_watched_and_left_alone_again(visit: Visit, site: Site) -> None:
    page = visit.open("/watch")
    page.fill("input[name=add]", site.loopback_url("/one"))
    follow(page, "button:has-text('Watch')")
    assert page.locator(".with-action").count() == 2
    follow(page, page.locator(".with-action", has_text="/one").locator("button"))
    assert page.locator(".with-action").count() == 1
    assert "web_watch" not in page.locator("main").inner_text()


def test_a_page_is_watched_from_its_reading_view(visit: Visit, served: Served) -> None:
    page = visit.open(_reading(served, "The engine"))
    follow(page, "button:has-text('Watch this page')")
    follow(page, "button:has-text('Stop watching this page')")
    assert page.locator("button:has-text('Watch this page')").count() == 1


def test_a_list_names_the_port_and_the_path_of_each_page(served: Served, site: Site) -> None:
    address = site.loopback_url("/one")
    assert f'<span class="site">{address.removeprefix("http://")}</span>' in served.get("/archive")[2].decode()
    assert f">{address} ↗</a>" in served.get(_reading(served, "The engine"))[2].decode()


def test_a_page_whose_heading_differs_from_its_title_is_shown_with_one_of_them(served: Served) -> None:
    shown = served.get(_reading(served, "Valves &amp; how they’re made — Site"))[2].decode()
    assert re.findall(r"<h1[^>]*>(.*?)</h1>", shown) == ["How valves are made"]


def test_a_synced_file_is_shown_with_its_path_and_when_it_changed(tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    (notes / "wheels.md").write_text("# Wheels\n\nSome words about wheels.")
    Shell(tmp_path, **OFFLINE).run("archive", "sync", str(notes))
    served = Served(tmp_path, **OFFLINE)
    try:
        shown = served.get(_reading(served, "Wheels"))[2].decode()
        assert '<p class="facts"><span>notes/wheels.md</span><time>file changed ' in shown
    finally:
        served.stop()


def test_a_command_in_a_sentence_is_shown_as_code() -> None:
    assert commands("If a < b: `mcp-web x <y>` now.") == "If a &lt; b: <code>mcp-web x &lt;y&gt;</code> now."


def test_the_first_paint_is_small(served: Served) -> None:
    sizes = [len(served.get(path)[2]) for path in ("/", "/static/page.css", "/static/page.js", "/static/icon.svg")]
    assert sum(sizes) <= 60_000, sizes


def test_the_archive_is_filtered_and_paged_without_an_end(site: Site, tmp_path: Path) -> None:
    shell = Shell(tmp_path, **OFFLINE)
    for number in range(3):
        folder = tmp_path / f"notes{number}"
        folder.mkdir()
        for at in range(40):
            (folder / f"{at}.md").write_text(f"# Note {number} {at}\n\nSome words about wheels, number {at}.")
        shell.run("archive", "sync", str(folder))
    served = Served(tmp_path, **OFFLINE)
    try:
        found: list[str] = []
        path: str | None = "/archive"
        while path:
            text = served.get(path)[2].decode()
            found += re.findall(r'class="title" href="(/archive/[0-9a-f]{64})"', text)
            following = re.search(r'rel="next" href="([^"]+)"', text)
            path = html.unescape(following[1]) if following else None
        assert len(found) == len(set(found)) == 120
        only = served.get("/archive?collection=notes1")[2].decode()
        assert only.count('class="title"') == 40
        assert served.get("/archive?after=%27%3B--&since=nonsense")[0] in (200, 400)
    finally:
        served.stop()


def test_a_filter_that_cannot_be_read_is_left_out_and_a_day_may_be_written_without_hyphens(served: Served) -> None:
    for path in ("/archive?q=wheels&source=nothing", "/archive?q=wheels&since=soon"):
        status, _, body = served.get(path)
        assert (status, ">The engine<" in body.decode()) == (200, True)
    assert 'name="until" value="2024-12-31"' in served.get("/archive?until=20241231")[2].decode()


def test_half_a_surrogate_pair_in_a_kept_page_is_shown_as_a_question_mark(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    cell = {"cell_type": "markdown", "source": "# On \ud83d\n\nWords of [a notebook](https://e.org/\ud83d) \ud800."}
    (notes / "a.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4}))
    shell = Shell(tmp_path, **OFFLINE)
    shell.run("archive", "sync", str(notes))
    served = Served(tmp_path, **OFFLINE)
    try:
        found = served.get("/archive?q=notebook")[2].decode()
        assert "On ?" in found
        path = re.findall(r'class="title" href="([^"]+)"', found)[0]
        for view in ("", "?quote=a+notebook", "/export/md", "/export/bib", "/export/json", "/export/warc"):
            assert served.get(path + view)[0] == 200, view
        assert served.get("/graph?focus=" + path.rpartition("/")[2])[0] == 200
    finally:
        served.stop()


def test_what_was_read_yesterday_is_asked_for_by_day(served: Served) -> None:
    today, yesterday = (served.get(f"/archive?read={name}")[2].decode() for name in ("today", "yesterday"))
    assert ">The engine<" in today
    assert '<h2 class="day">Today</h2>' in today
    assert ">The engine<" not in yesterday
    assert "Nothing was read yesterday." in yesterday


def test_without_a_provider_no_search_of_the_web_is_offered(served: Served) -> None:
    for path in ("/", "/search?q=wheels&scope=web"):
        shown = served.get(path)[2].decode()
        assert "The engine" in shown
        assert "the web" not in shown.lower().partition("<main")[2].partition("the engine")[0]


@pytest.mark.parametrize(("off", "offers"), [("", True), ("search", False)])
def test_searching_that_is_switched_off_is_not_offered(site: Site, tmp_path: Path, off: str, offers: bool) -> None:
    instance = {"MCP_WEB_SEARXNG_URLS": site.loopback_url("/none"), "MCP_WEB_SEARCH_PROVIDERS": "searxng"}
    served = Served(tmp_path, **OFFLINE | instance | {"MCP_WEB_DISABLED_TOOLS": off})
    try:
        assert ("Search the web" in served.get("/")[2].decode()) is offers
        found = served.get("/search?q=wheels&scope=web")[2].decode()
        assert ("Search the web" in found) is offers
    finally:
        served.stop()
