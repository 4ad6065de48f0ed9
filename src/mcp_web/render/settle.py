"""Decides when a page has settled: loaded, no requests open, its text unchanged, no timer due; or the time is up.

A page without scripts has settled when it is loaded. For one with scripts, `scripts/watch.js` and the driver report
what it has begun and not finished: requests, bodies being read, timers that a reader would wait for. When nothing is
pending and a few turns of its event loop change nothing, it has settled. Fixed waiting times apply only to pages that
use what cannot be observed (workers, sockets, frames) and to pages that are still empty.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import anyio

from mcp_web.render.isolated_world import KeptNavigating

if TYPE_CHECKING:
    from playwright.async_api import Request

    from mcp_web.render.tab import Tab

Ending = Literal["settled", "restless", "waiting", "stuck", "ceiling"]

# Turns of the page's event loop, each with a frame, after which due callbacks have run and their requests are known.
BEATS = 2
# Milliseconds without a change after which a page has settled. A frame takes 16, so 100 are six frames; 500 is the
# network idle time of Playwright.
QUIET = 100.0
QUIET_AFTER_DATA = 200.0
QUIET_WHEN_EMPTY = 500.0
EMPTY_CHARS = 80  # a page with less text counts as empty
# After this long without new text or a finished request, open requests are ignored.
STALLED_AFTER = 3000.0
# Text that still changes this long after loading is a clock, a ticker or an endless feed.
STILL_CHANGING_AFTER = 6000.0
LOADING = 8000.0  # milliseconds after which a page that has text is not waited for to complete loading
HANG_SECONDS = 4.0  # without an answer of the page after which its script is interrupted
SCROLL_ROUNDS = 5
SCROLL_CHARS = 200_000  # of a page that is not scrolled further
MAX_HEIGHT = 8_000  # pixels of the window

# The decline buttons of common consent managers.
DECLINE = (
    "#onetrust-reject-all-handler",
    "#CybotCookiebotDialogBodyButtonDecline",
    "#didomi-notice-disagree-button",
    ".fc-cta-do-not-consent",
    ".cky-btn-reject",
    ".cmplz-deny",
    ".klaro .cn-decline",
    "#truste-consent-required",
    "#tarteaucitronAllDenied2",
    ".osano-cm-denyAll",
    ".iubenda-cs-reject-btn",
)


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of a page as `scripts/state.js` reports it."""

    ready: str  # document.readyState
    url: str
    scripts: bool
    chars: int  # of its text
    still: float  # milliseconds since the text last changed or something arrived
    timers: int  # due soon
    busy: int  # requests of scripts, and bodies being read
    beats: int  # turns of the event loop without a change or anything begun
    blind: bool  # the page uses what cannot be observed: workers, sockets, frames
    lazy: bool  # something loads only when it is scrolled into view
    height: int  # pixels
    consent: str | None = None  # the selector of the decline button of a consent banner


@dataclass  # no slots: the driver sets an attribute on objects whose methods are its callbacks
class Traffic:
    """The requests of a page that are open, and when the last one began or ended."""

    open: set[Request] = field(default_factory=set)
    last: float = field(default_factory=anyio.current_time)  # when one last began or ended
    data: bool = False  # a script requested data

    def began(self, request: Request) -> None:
        # Streams stay open for as long as the page does.
        if request.resource_type in ("eventsource", "websocket", "ping", "media"):
            return
        self.data = self.data or request.resource_type in ("xhr", "fetch")
        self.open.add(request)
        self.last = anyio.current_time()

    def ended(self, request: Request) -> None:
        self.open.discard(request)
        self.last = anyio.current_time()


@dataclass(frozen=True, slots=True)
class Settled:
    """Why waiting for the page ended, and its last state (None if it never answered)."""

    ending: Ending
    state: PageState | None
    notes: tuple[str, ...] = ()


def verdict(
    state: PageState, *, open_requests: int, quiet: float, data: bool, elapsed: float, patience: float = 1.0
) -> Ending | None:
    """Why to stop waiting for a page (settled; restless: it keeps changing; waiting: requests stay open), or None.

    Times are in milliseconds: `quiet` since a request began or ended, `elapsed` since the wait began. `data`: a script
    requested data. `patience` is a factor of the times after which a page that has not settled is given up.
    """
    elapsed /= patience
    stalled = min(state.still, quiet) >= STALLED_AFTER * patience
    if state.ready != "complete":
        idle = state.still >= 1000 * patience
        return "waiting" if elapsed >= LOADING and idle and state.chars >= EMPTY_CHARS else None
    if open_requests or state.timers or state.busy:
        if stalled:
            return "waiting"
        return "restless" if elapsed >= STILL_CHANGING_AFTER + LOADING / 2 else None
    if not state.scripts:
        return "settled"
    if state.still >= _needed(state, data=data):
        return "settled"
    return "restless" if elapsed >= STILL_CHANGING_AFTER else None


def _needed(state: PageState, *, data: bool) -> float:
    """How many milliseconds a loaded page must be unchanged to count as settled; `data`: a script requested data."""
    known = not state.blind and state.beats >= BEATS
    if state.chars < EMPTY_CHARS:
        return QUIET if known and state.chars else QUIET_WHEN_EMPTY
    if known:
        return 0.0
    return QUIET_AFTER_DATA if data else QUIET


async def settle(tab: Tab, until: float, patience: float) -> Settled:
    """Wait until the page is loaded and stays unchanged, is given up, hangs, or until `until` on anyio's clock.

    `patience` is a factor of the limits besides `until`. Raises PageGone, ScriptFailed or Playwright's Error.
    """
    traffic = tab.traffic
    begun = anyio.current_time()
    hangs = 0
    hung: Ending | None = None
    state: PageState | None = None
    while (left := until - anyio.current_time()) > 0:
        wait = {
            "quiet": QUIET_AFTER_DATA if traffic.data else QUIET,
            "shell": QUIET_WHEN_EMPTY,
            "chars": EMPTY_CHARS,
            "beats": BEATS,
            "least": 30 if traffic.open else 0,
            "most": 250,
        }
        try:
            seconds = min(HANG_SECONDS * patience, left)
            seen = await tab.world.call("state", tab.channel, list(DECLINE), wait, seconds=seconds)
        except (TimeoutError, KeptNavigating) as trouble:
            hangs += 1
            # On its way to another document a page does not answer until that has begun to arrive.
            hung = "waiting" if tab.leaving else "stuck"
            # A page that keeps reloading itself settles only when its scripts are stopped. One that lays itself out,
            # or waits for a request, cannot be interrupted: it may still answer in the time that is left.
            last = hangs > 1 or isinstance(trouble, KeptNavigating) or anyio.current_time() >= until
            with suppress(TimeoutError):
                await tab.world.interrupt(for_good=last)
            if hangs > 2:
                return Settled(hung, state)
            continue
        state, now = PageState(**seen), anyio.current_time()
        ending = verdict(
            state,
            open_requests=len(traffic.open),
            quiet=(now - traffic.last) * 1000,
            data=traffic.data,
            elapsed=(now - begun) * 1000,
            patience=patience,
        )
        if ending is not None:
            return Settled(hung or ending, state)
    return Settled(hung or "ceiling", state)


async def explore(tab: Tab, until: float, patience: float) -> Settled:
    """As `settle`, then decline a consent banner, scroll for lazy content, settle again; also raises TimeoutError."""
    settled = await settle(tab, until, patience)
    if settled.state is not None and settled.state.consent and settled.ending != "stuck":
        await tab.world.call("decline", settled.state.consent, seconds=2.0)
        settled = await settle(tab, until, patience)
    missed = 0
    for round_number in range(SCROLL_ROUNDS + 1):
        before = settled.state
        if before is None or not before.lazy or settled.ending in ("stuck", "ceiling") or before.chars > SCROLL_CHARS:
            break
        if round_number == SCROLL_ROUNDS:
            return Settled(settled.ending, before, ("The page loads more when it is scrolled further.",))
        await _scroll(tab, until, patience)
        # A taller window instead of scrolling, so that virtual lists keep all their items. No taller than the page: an
        # element at its end that loads more items must leave the window to trigger again.
        await tab.enlarge(min(before.height, MAX_HEIGHT))
        await _scroll(tab, until, patience)
        settled = await settle(tab, until, patience)
        if settled.state is None:
            break
        # Once more if nothing came: a page that was loading did not see that it was scrolled.
        missed = missed + 1 if settled.state.chars <= before.chars else 0
        if missed == 2:
            break
    return settled


async def _scroll(tab: Tab, until: float, patience: float) -> None:
    """Scroll through the page in up to 4 seconds (times `patience`), so that content loads that waits to be seen."""
    seconds = max(0.5, min(HANG_SECONDS * patience, until - anyio.current_time()))
    await tab.world.call("scroll", seconds * 800, seconds=seconds)
