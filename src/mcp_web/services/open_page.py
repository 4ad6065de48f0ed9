"""Open one page: from the store when it is fresh, else fetched behind the address guard, extracted and kept."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from functools import partial
from typing import Literal

import anyio

from mcp_web import __version__, trace
from mcp_web.app import App
from mcp_web.errors import CacheError, FetchFailed, HttpError, InvalidInput, RenderDisabled, TryLater, WebError
from mcp_web.fetch.allowed import check_kept
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched, Mode
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.render.rendered import Rendered
from mcp_web.services.fetch_archived_copy import fetch_copy, is_gone, mark_copy
from mcp_web.services.fetch_paper import MEDIA_TYPE as PAPER
from mcp_web.services.fetch_paper import add_full_text, fetch_paper
from mcp_web.services.fetch_thread import fetch_thread, fetch_topic
from mcp_web.services.fetch_transcript import add_transcript
from mcp_web.services.wall_advice import wall_advice
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.text.internet_archive import LATEST
from mcp_web.text.papers import paper_address
from mcp_web.text.urls import parse_url

CacheState = Literal["hit", "revalidated", "fetched", "stale"]
_NEEDS_BROWSER = "needs-browser"  # a kind of note, by host
_NO_HELP = "browser-no-help"  # a kind of note, by URL: how many characters were read without a browser
_REMEMBERED = 7 * 86400.0  # seconds that these notes are kept


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A page and how to open it. Options that change its text are part of the variant under which it is kept."""

    url: str
    mode: Mode = "auto"
    selector: str | None = None
    include_images: bool = False
    siteconfig: str | None = None
    max_age: float | None = None  # seconds that a kept copy may be old; None: as long as it counts as fresh
    explain: bool = False  # the document says how its content was chosen, so the page is read once more
    at: str | None = None  # a day, or "latest": the copy that the Internet Archive kept
    screenshot: bool = False  # a screenshot is wanted, so the browser opens the page once more

    @property
    def extraction(self) -> ExtractRequest:
        kind: Literal["readable", "raw"] = "raw" if self.mode == "raw" else "readable"
        return ExtractRequest(kind, self.selector, self.include_images, self.siteconfig, self.explain)

    @property
    def in_browser(self) -> bool:
        return self.mode == "rendered"

    def key(self, *, rendered: bool) -> str:
        """The key under which the page is kept; `rendered`: after a browser has run its scripts."""
        return page_key(self.url, self.variant(rendered=rendered))

    def variant(self, *, rendered: bool) -> str:
        """The options that change the text, as one string such as "readable;images"; `rendered`: after scripts ran."""
        parts = ["raw" if self.mode == "raw" else "rendered" if rendered else "readable"]
        if self.selector:
            parts.append(f"selector={self.selector}")
        if self.include_images:
            parts.append("images")
        if self.siteconfig:
            parts.append(f"siteconfig={self.siteconfig}")
        if self.at:
            parts.append(f"at={self.at}")
        return ";".join(parts)


@dataclass(frozen=True, slots=True)
class Opened:
    """A kept page, and how this version was obtained: from the store or fetched."""

    snapshot: Snapshot
    cache: CacheState
    age: float  # seconds since it was fetched or last confirmed
    notes: tuple[str, ...] = ()


async def open_page(app: App, request: OpenRequest, *, deadline: float | None = None) -> Opened:
    """Return the kept page if it is fresh, else fetch, extract and keep it. If that fails, return an older kept copy or
    one in the Internet Archive, where allowed, else raise the error. A page behind a wall gets a note with advice."""
    opened = await _open(app, request, deadline)
    kept = opened.snapshot
    if kept.document.wall is None:
        return opened
    advice = wall_advice(
        kept.document.wall,
        can_render=app.can_render,
        rendered=_was_rendered(kept),
        authenticated=kept.authenticated,
    )
    return dataclasses.replace(opened, notes=(*opened.notes, advice)) if advice else opened


async def _open(app: App, request: OpenRequest, deadline: float | None) -> Opened:
    """As `open_page`, but without the note with advice on a page behind a wall."""
    request = dataclasses.replace(request, url=(url := parse_url(paper_address(request.url) or request.url).href))
    if request.in_browser and request.at:
        raise InvalidInput("mode=rendered does not go with `at`: an archived copy is read as it was sent.")
    keeper = await app.keeper()
    again = request.explain or request.screenshot
    kept = await newest_kept(app, request)
    if kept is not None:
        check_kept(app.settings.of(FetchOptions), url)
    if kept is not None and not again and keeper.is_fresh(kept, request.max_age):
        trace.metrics.count("cache_total", state="hit")
        return Opened(kept, "hit", keeper.age(kept))
    if request.in_browser and not app.can_render:
        raise RenderDisabled(f"Rendering is switched off, so {url} cannot be opened with mode=rendered.", url=url)

    async def fetched_elsewhere() -> Opened | None:
        """The version that another replica kept while this one waited for it; None if there is no newer one."""
        found = None if again else await newest_kept(app, request)
        if found is None or (kept is not None and found.checked_at <= kept.checked_at):
            return None
        return Opened(found, "fetched", keeper.age(found))

    # Callers that ask for the same page at the same time share one fetch.
    flight = f"{request.key(rendered=request.in_browser)}|{request.mode}|{request.explain}|{request.screenshot}"
    fetch = partial(_fetch, app, request, kept, deadline)
    opened = await app.flight.once(flight, fetch, fetched_elsewhere)
    trace.metrics.count("cache_total", state=opened.cache)
    return opened


async def newest_kept(app: App, request: OpenRequest) -> Snapshot | None:
    """The newest kept version of what the request asks for, or None; in mode "auto" it may be one that a browser
    rendered. The URL of the request must be canonical (`text.urls.parse_url`)."""
    keeper = await app.keeper()
    plain = await keeper.latest(request.key(rendered=request.in_browser))
    if request.mode != "auto" or not app.can_render or (plain and keeper.is_fresh(plain, request.max_age)):
        return plain
    rendered = await keeper.latest(request.key(rendered=True))
    if rendered is None or (plain is not None and plain.checked_at > rendered.checked_at):
        return plain
    return rendered


async def _fetch(app: App, request: OpenRequest, kept: Snapshot | None, deadline: float | None) -> Opened:
    """Fetch, extract and keep the page, or confirm that `kept` is unchanged; if that fails, return `kept` or a copy in
    the Internet Archive, else raise the error."""
    keeper = await app.keeper()
    await app.process.quota.take_page(app.tenant)
    try:
        page = await _get(app, request, kept, deadline)
    except WebError as error:
        if kept is not None and _may_use_kept_copy(error):
            note = f"The origin failed ({error.message}), so this is the copy kept earlier."
            return Opened(kept, "stale", keeper.age(kept), (note,))
        copy = await _copy_of_gone(app, request, error, deadline)
        if copy is None:
            raise
        return copy
    if page.not_modified and kept is not None:
        return Opened(await keeper.confirm(kept, page), "revalidated", 0.0)
    waiting = await app.process.bodies.put(page)
    del page  # the body now waits in the buffer, possibly on disk
    async with waiting as page:
        return await _read(app, request, page, deadline)


async def _copy_of_gone(app: App, request: OpenRequest, error: WebError, deadline: float | None) -> Opened | None:
    """The latest copy in the Internet Archive of a page that `error` says is gone; None if there is none, or copies are
    not wanted for this request."""
    allowed = app.settings.of(FetchOptions).archive_copies == "auto" and request.mode in ("auto", "readable")
    if request.at or not allowed or not is_gone(error):
        return None
    try:
        opened = await _open(app, dataclasses.replace(request, at=LATEST), deadline)
    except WebError as missing:
        trace.log("error", "archived copy", url=request.url, error_code=missing.code)
        return None
    return dataclasses.replace(opened, notes=(f"The page itself failed: {error.message}", *opened.notes))


async def _read(app: App, request: OpenRequest, page: Fetched, deadline: float | None) -> Opened:
    """Extract the page, rendered in a browser if it needs one, and keep the document."""
    begun = time.perf_counter()
    document = await app.extract(page, request.extraction)
    timings = {**page.timings, "extract": (time.perf_counter() - begun) * 1000}
    page = dataclasses.replace(page, timings=timings)
    document = mark_copy(document, page)
    notes, rendered = page.notes, request.in_browser
    if request.mode == "auto" and (better := await _rendered(app, request, page, document, deadline)):
        page, document, why = better
        notes, rendered = (*page.notes, why), True
    missing: tuple[str, ...] = ()
    if page.media_type == PAPER:
        document, missing = await add_full_text(app, page, document, request.extraction, deadline=deadline)
    elif page.media_type == "text/html" and request.mode != "raw" and not request.selector:
        document, missing = await add_transcript(app, page, document, deadline=deadline)
    page = dataclasses.replace(page, body=b"")  # not needed any more, and it may be large
    snapshot, problem = await _keep(app, request, page, document, rendered=rendered)
    return Opened(snapshot, "fetched", 0.0, (*notes, *missing, *problem))


async def _get(app: App, request: OpenRequest, kept: Snapshot | None, deadline: float | None) -> Fetched:
    """Get the page from where the request says: the Internet Archive, the API of its site, a browser or the network.
    For the network, `kept` makes the request conditional, and a worker process is started meanwhile."""
    from mcp_web.archive.keeper import conditional_headers

    url = request.url
    if request.at:
        return await fetch_copy(app, url, request.at, deadline=deadline)
    fetcher = await app.fetcher()
    from_api = request.mode in ("auto", "readable") and not request.selector and not request.siteconfig
    if from_api:
        found = await fetch_thread(app, url, deadline=deadline) or await fetch_paper(app, url, deadline=deadline)
        if found is not None:
            return found
    if request.in_browser:
        await fetcher.admit(url, deadline=deadline)
        return await _in_browser(app, url, deadline, screenshot=request.screenshot)
    conditional: tuple[tuple[str, str], ...] = ()
    if kept is not None and not request.explain and not _was_rendered(kept):
        name, _, version = kept.document.extractor.partition("@")
        if name != "mcp-web" or version == __version__:  # a page that an earlier version read is read again
            conditional = conditional_headers(kept)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(app.process.sandbox.warm)
        may_render = request.mode == "auto" and app.can_render
        # If other pages of this host needed a browser, it is started while this page is fetched.
        if may_render and await BestEffortNotes(await app.store()).get(_NEEDS_BROWSER, parse_url(url).host) is True:
            (await app.renderer()).warm()
        fresh = request.max_age == 0
        try:
            page: Fetched | WebError = await fetcher.get(url, conditional=conditional, deadline=deadline, fresh=fresh)
        except WebError as error:
            page = error  # raised here, it would leave the task group inside an exception group
    if isinstance(page, WebError):
        try:
            raise page
        finally:
            del page  # this frame and the error would hold each other until the next collection
    topic = await fetch_topic(app, page, deadline=deadline) if from_api else None
    return topic or page


async def _rendered(
    app: App, request: OpenRequest, page: Fetched, document: Document, deadline: float | None
) -> tuple[Fetched, Document, str] | None:
    """(the page after its scripts ran in a browser, its document, a note why it was rendered); None if it needs no
    browser, if the browser gives no more text than `document` has, or fails."""
    from mcp_web.render.need import needs_browser
    from mcp_web.text.html_facts import html_facts

    is_html = page.media_type in ("text/html", "application/xhtml+xml")
    if not app.can_render or not is_html or page.archived_url:
        return None
    reason, notes = needs_browser(document, html_facts(page.body)), BestEffortNotes(await app.store())
    # If rendering did not help, it is not tried again until the page has changed.
    if reason is None or await notes.get(_NO_HELP, page.url) == len(document.markdown):
        return None
    try:
        shown = await _in_browser(app, page.url, deadline)
        read = await app.extract(shown, request.extraction)
    except WebError as error:
        trace.log("error", "render", url=page.url, error_code=error.code)
        return None
    if len(read.markdown) <= len(document.markdown):
        await notes.keep(_NO_HELP, page.url, len(document.markdown), time.time() + _REMEMBERED)
        return None
    await notes.keep(_NEEDS_BROWSER, parse_url(page.url).host, True, time.time() + _REMEMBERED)
    return shown, read, f"Rendered in a browser: {reason}"


async def _in_browser(app: App, url: str, deadline: float | None, *, screenshot: bool = False) -> Fetched:
    """Render a page in the browser; raises HttpError for an error page, RenderFailed if the browser fails."""
    shown = await (await app.renderer()).render(url, deadline=deadline, screenshot=screenshot)
    if shown.status >= 400:
        raise HttpError(f"{url} answered {shown.status} in the browser.", url=url, status_code=shown.status)
    return shown


async def _keep(
    app: App, request: OpenRequest, page: Fetched, document: Document, *, rendered: bool
) -> tuple[Snapshot, tuple[str, ...]]:
    """Keep what was read; returns the snapshot and notes: one if the store cannot write, which is not raised."""
    keeper, plain = await app.keeper(), dataclasses.replace(document, explain=None)
    variant = request.variant(rendered=rendered)
    try:
        snapshot = await keeper.keep(page, plain, variant)
        if isinstance(page, Rendered) and page.screenshot:
            await (await app.store()).keep_screenshot(snapshot.hash, page.screenshot)
        problem: tuple[str, ...] = ()
    except CacheError as error:
        snapshot = keeper.snapshot_of(page, plain, variant)
        problem = (f"The page could not be kept: {error.message}",)
    if document.explain is not None:
        snapshot = dataclasses.replace(snapshot, document=document)
    return snapshot, problem


def _was_rendered(kept: Snapshot) -> bool:
    """Whether a browser rendered a kept version: then a 304 does not mean that it is still current."""
    return kept.variant.startswith("rendered")


def _may_use_kept_copy(error: WebError) -> bool:
    """Whether an error allows the kept copy to be used: the origin failed, the page is not gone or forbidden."""
    if isinstance(error, HttpError):
        return (error.status_code or 0) >= 500 or error.status_code == 429
    return isinstance(error, TryLater | FetchFailed)
