"""The browser's life: started when needed, replaced when it breaks, gone with the server, however that ends."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

import anyio
import pytest

from mcp_web.errors import RenderDisabled, RenderFailed, WebError
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.driver import Driver
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb, Request, Site, Wire
from render.processes import (
    below,
    browser_processes,
    eventually,
    holding,
    main_process,
    namespaces_allowed,
    newcomers,
    newest_browser,
    owner,
    profiles,
    youngest,
)

pytestmark = pytest.mark.anyio

_NEVER_DONE = "<!doctype html><title>Busy</title><p>Working.</p><script>fetch('/hang')</script>"


def pages_of(web: MiniWeb) -> Site:
    """A page that is fine and one that is never done."""

    async def hang(request: Request, wire: Wire) -> None:
        await wire.wait(60)

    site = web.site("life.example")
    site.behave("/hang", hang)
    site.page("/busy", _NEVER_DONE)
    site.page("/", "<!doctype html><title>Fine</title><p>All is well.</p>")
    return site


@pytest.fixture
async def fresh(anyio_backend: str, web: MiniWeb) -> AsyncIterator[Chromium]:
    """A renderer of its own, for tests that break it."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pages_of(web)
    chromium = Chromium(RenderOptions(enabled=True, recycle_after=3, timeout=55.0), web.dialer())
    yield chromium
    await chromium.aclose()


async def kill_while_rendering(fresh: Chromium, web: MiniWeb, mark: str) -> RenderFailed:
    """Kill the first process with this mark in its command line while a page loads; the error of that call."""
    failures: list[RenderFailed] = []
    asked = len(web.site("life.example").asked("/hang"))

    async def call() -> None:
        try:
            await fresh.render("http://life.example/busy")
        except RenderFailed as error:
            failures.append(error)

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await eventually(lambda: len(web.site("life.example").asked("/hang")) > asked)
        # The youngest: browsers of other tests are older. Renderers all: the browser may start one before it is needed.
        ours = newest_browser() if mark == "--type=renderer" else set(browser_processes())
        pids = [pid for pid, line in browser_processes().items() if mark in line and pid in ours]
        for pid in pids if mark == "--type=renderer" else [youngest(pids)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert failures, f"the page was rendered although {mark} was killed"
    return failures[0]


async def test_process_killed_while_a_page_loads_fails_that_page_and_no_other(fresh: Chromium, web: MiniWeb) -> None:
    mine = set(browser_processes())
    for mark in ("/chromium --user-data-dir", "reaper.py", "playwright/driver", "--type=renderer"):
        error = await kill_while_rendering(fresh, web, mark)
        page = await fresh.render("http://life.example/")

        assert error.code == "RENDER_FAILED"
        assert error.retryable
        assert b"All is well." in page.body
    await fresh.aclose()
    await eventually(lambda: not newcomers(mine))


async def test_browser_is_replaced_after_so_many_pages(fresh: Chromium) -> None:
    others = profiles()
    seen = set()
    for _ in range(4):
        await fresh.render("http://life.example/")
        seen |= profiles() - others

    assert len(seen) == 2
    await eventually(lambda: len(profiles() - others) == 1)


async def test_browser_ends_when_nobody_needs_it(web: MiniWeb) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pages_of(web)
    mine = set(browser_processes())
    idle = Chromium(RenderOptions(enabled=True, idle=0.05, timeout=55.0), web.dialer())

    await idle.render("http://life.example/")
    await eventually(lambda: not newcomers(mine))
    page = await idle.render("http://life.example/")
    await idle.aclose()

    assert b"All is well." in page.body


async def test_call_that_is_cancelled_makes_room_for_the_next(web: MiniWeb) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pages_of(web)
    narrow = Chromium(RenderOptions(enabled=True, max_pages=1, timeout=55.0), web.dialer())
    asked = len(web.site("life.example").asked("/hang"))
    async with anyio.create_task_group() as group:
        group.start_soon(narrow.render, "http://life.example/busy")
        await eventually(lambda: len(web.site("life.example").asked("/hang")) > asked)
        group.cancel_scope.cancel()

    page = await narrow.render("http://life.example/")
    await narrow.aclose()

    assert b"All is well." in page.body


async def test_call_that_is_cancelled_while_the_browser_starts_leaves_no_process(fresh: Chromium, web: MiniWeb) -> None:
    mine = set(browser_processes())
    async with anyio.create_task_group() as group:
        group.start_soon(fresh.render, "http://life.example/")
        await eventually(lambda: bool(newcomers(mine)))
        group.cancel_scope.cancel()

    await fresh.aclose()
    await eventually(lambda: not newcomers(mine))


@pytest.fixture
def silent_browser() -> Iterator[str]:
    """A program that never answers, where every user may start it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "browser"
        program.write_text("#!/bin/sh\nexec /bin/sleep 100\n")
        program.chmod(0o755)
        yield str(program)


async def test_browser_that_does_not_start_keeps_a_call_no_longer_than_its_deadline(
    silent_browser: str, web: MiniWeb
) -> None:
    pytest.importorskip("playwright")
    renderer = Chromium(RenderOptions(enabled=True, executable=silent_browser, timeout=12.0), web.dialer())
    with anyio.fail_after(8), pytest.raises(RenderFailed, match="No browser page became free"):
        await renderer.render("http://life.example/", deadline=anyio.current_time() + 1)
    await renderer.aclose()


async def test_browser_without_a_folder_for_temporary_files_is_an_error_of_rendering(
    fresh: Chromium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(RenderFailed, match=r"did not start: .*No such file or directory"):
        await fresh.render("http://life.example/")


async def test_renderer_that_is_closed_under_a_page_ends_its_browser_once(fresh: Chromium, web: MiniWeb) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    asked = len(web.site("life.example").asked("/hang"))

    async def call() -> None:
        with pytest.raises(WebError):
            await fresh.render("http://life.example/busy")

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await eventually(lambda: len(web.site("life.example").asked("/hang")) > asked)
        await fresh.aclose()
    await fresh.aclose()
    gc.collect()  # reports the errors of background tasks
    asyncio.get_running_loop().set_exception_handler(None)

    assert faults == []


@pytest.mark.parametrize("seconds", [0.0, 55.0])
async def test_driver_that_does_not_end_is_killed(seconds: float) -> None:
    """In the time of the driver, or in that of a caller who has less."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    mine = set(browser_processes())
    driver = Driver()
    await driver.start(55.0)
    (pid,) = newcomers(mine)
    os.kill(pid, signal.SIGSTOP)

    with anyio.move_on_after(seconds):
        await driver.stop()

    await eventually(lambda: owner(pid) == -1)


@pytest.mark.parametrize("program", ["sys.exit(3)", "os.close(1); signal.pause()", "signal.pause()"])
async def test_driver_that_does_not_start_leaves_no_process_and_no_file(
    program: str, web: MiniWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright")
    node = tmp_path / "node"
    node.write_text(f"#!{sys.executable}\nimport os, signal, sys\n{program}\n")
    node.chmod(0o700)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    mine = set(browser_processes())
    renderer = Chromium(RenderOptions(enabled=True, executable="/bin/true", timeout=1.0), web.dialer())

    with pytest.raises(RenderFailed, match="did not start"):
        await renderer.render("http://life.example/")

    assert newcomers(mine) == set()
    assert list(folder.iterdir()) == []
    await renderer.aclose()


async def test_server_that_is_killed_leaves_no_process_and_no_file(web: MiniWeb) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    site = pages_of(web)
    server = """
import asyncio, sys
from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.net.dial import Dialer
from mcp_web.render.chromium import Chromium
from mcp_web.render.driver import Driver
from mcp_web.render.options import RenderOptions
dialer = Dialer(AddressPolicy(parse_exemptions([sys.argv[2]])))
asyncio.run(Chromium(RenderOptions(enabled=True, timeout=55.0), dialer).render(sys.argv[1]))
"""
    asked = len(site.asked("/hang"))
    command = [sys.executable, "-c", server, site.loopback_url("/busy"), site.exemption]
    async with await anyio.open_process(command, stdout=PIPE, stderr=PIPE) as process:
        await eventually(lambda: len(site.asked("/hang")) > asked)
        everything = set(below(process.pid))
        line = browser_processes(process.pid)[main_process(process.pid)]
        profile = next(part for part in line.split() if part.startswith("--user-data-dir=")).partition("=")[2]
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()

    await eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in everything))
    await eventually(lambda: holding(profile) == [] and not Path(profile).parent.exists())


async def test_rendering_that_is_turned_off_says_how_to_turn_it_on(web: MiniWeb) -> None:
    with pytest.raises(RenderDisabled) as failure:
        await Chromium(RenderOptions(), web.dialer()).render("http://life.example/")

    assert "MCP_WEB_RENDER_ENABLED=true" in failure.value.suggestion
    assert not browser_processes() or failure.value.code == "RENDER_DISABLED"


async def test_missing_browser_says_how_to_get_one(web: MiniWeb) -> None:
    options = RenderOptions(enabled=True, executable="/nonexistent/chromium")

    with pytest.raises(RenderDisabled) as failure:
        await Chromium(options, web.dialer()).render("http://life.example/")

    assert "/nonexistent/chromium" in failure.value.message
    assert "doctor --fix" in failure.value.suggestion


async def test_program_that_is_no_browser_fails_cleanly(web: MiniWeb) -> None:
    renderer = Chromium(RenderOptions(enabled=True, executable="/bin/true"), web.dialer())

    with pytest.raises(RenderFailed) as failure:
        await renderer.render("http://life.example/")
    await renderer.aclose()

    assert "/bin/true" in failure.value.message


async def test_pages_wait_for_a_free_place_and_pictures_are_taken_when_wanted(web: MiniWeb) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    site = web.site("turns.example")
    site.page("/", "<!doctype html><title>Turns</title><p>Mine.</p><script>fetch('/end')</script>")
    site.page("/end", "done")
    narrow = Chromium(RenderOptions(enabled=True, max_pages=1, screenshot=True, timeout=55.0), web.dialer())
    pictures: list[bytes | None] = []

    async def call() -> None:
        page = await narrow.render("http://turns.example/")
        pictures.append(page.screenshot)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(call)
    await narrow.aclose()

    assert [picture and picture[:4] for picture in pictures] == [b"\x89PNG"] * 3
    assert [request.path for request in site.log if request.path in ("/", "/end")] == ["/", "/end"] * 3


async def test_chromium_is_sandboxed_and_never_root(renderer: Chromium, web: MiniWeb) -> None:
    pages_of(web)
    await renderer.render("http://life.example/")
    processes = browser_processes()
    chromium = [pid for pid, line in processes.items() if "--user-data-dir" in line and "reaper.py" not in line]

    assert chromium
    assert 0 not in {owner(pid) for pid in chromium}
    # Where the kernel allows namespaces to ordinary users, nothing runs without the sandbox.
    if namespaces_allowed():
        assert [line for line in processes.values() if "--no-sandbox" in line] == []
