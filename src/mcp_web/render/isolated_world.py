"""An isolated world (Chromium's name): a JavaScript context in the page that the page's own scripts cannot reach."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.errors import RenderFailed
from mcp_web.render.driver import within
from mcp_web.text.untrusted import quoted

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

_NAME = "mcp-web"


@cache
def script(name: str) -> str:
    """The source of our JavaScript file `scripts/NAME.js`."""
    return (files("mcp_web.render") / "scripts" / f"{name}.js").read_text("utf-8")


@cache
def function(name: str) -> str:
    """The source of the function in `scripts/NAME.js`, with the function of `builtin.js` under its name."""
    return f"((builtin) => {script(name)})({script('builtin')})"


class ScriptFailed(RenderFailed):
    """One of our own scripts threw an exception in the page."""


class KeptNavigating(Exception):
    """The page kept navigating, so that the script could not run in any of its documents."""


class IsolatedWorld:
    """Calls our scripts in the document of a page or a frame, in a context that its own scripts cannot reach."""

    def __init__(self, session: CDPSession, gone: asyncio.Future[None], frame: str = "") -> None:
        """`gone` is done when the page has crashed; `frame` is the browser's id of a frame, which `enter` also sets."""
        self._session = session
        self._gone = gone
        self.frame = frame
        self._context: int | None = None

    async def enter(self, watch: str, until: float) -> None:
        """Prepare a blank page, once: from now on each document first runs our `observe.js`, and in its own context
        `watch` (source). Raises TimeoutError (`until` is on anyio's clock), PageGone or Playwright's Error."""
        self._session.on("Runtime.executionContextCreated", self._created)
        answers = await asyncio.gather(
            self._ask("Page.getFrameTree", {}, until),
            self._ask("Page.enable", {}, until),
            self._ask("Runtime.enable", {}, until),
            self._ask("Page.addScriptToEvaluateOnNewDocument", {"source": watch}, until),
            self._ask(
                "Page.addScriptToEvaluateOnNewDocument", {"source": script("observe"), "worldName": _NAME}, until
            ),
        )
        self.frame = answers[0]["frameTree"]["frame"]["id"]

    def of_session(self, session: CDPSession) -> IsolatedWorld:
        """A world of the same page for the session of a frame that runs in a process of its own."""
        return IsolatedWorld(session, self._gone)

    async def call(self, name: str, *arguments: Any, seconds: float) -> Any:
        """Call our script `scripts/NAME.js`, a function, with these arguments; returns its result as JSON values.

        Raises TimeoutError, KeptNavigating, PageGone, ScriptFailed or Playwright's Error.
        """
        from playwright.async_api import Error

        until = anyio.current_time() + seconds
        for _ in range(4):
            used = self._context
            try:
                return await self._call(function(name), arguments, until)
            except Error as error:
                # A new document replaced the old one, whose contexts are gone.
                if "context" not in str(error).lower() and "navigated" not in str(error).lower():
                    raise
                if self._context == used:
                    self._context = None
        raise KeptNavigating

    async def frames(self, until: float) -> dict[str, tuple[IsolatedWorld, str]]:
        """The world and the URL of each frame in the process of our session, by the browser's id of the frame; the
        first is the topmost one. Raises as `enter`."""
        waiting, found = [(await self._ask("Page.getFrameTree", {}, until))["frameTree"]], {}
        while waiting:
            tree = waiting.pop()
            waiting += tree.get("childFrames", ())
            frame = tree["frame"]
            found[str(frame["id"])] = (IsolatedWorld(self._session, self._gone, frame["id"]), str(frame["url"]))
        return found

    async def frame_of(self, element: str, until: float) -> str:
        """The browser's id of the frame that an element shows, "" if none; `element` is a JavaScript expression for it
        in our context of the current document. Raises as `enter`."""
        place = {"expression": element, "contextId": await self._entered(until)}
        node = (await self._ask("Runtime.evaluate", place, until))["result"]
        described = await self._ask("DOM.describeNode", {"objectId": node["objectId"]}, until)
        return str(described["node"].get("frameId", ""))

    async def _entered(self, until: float) -> int:
        """The id of our context of the current document, which is created if needed."""
        if self._context is None:
            world = {"frameId": self.frame, "worldName": _NAME}
            self._context = int((await self._ask("Page.createIsolatedWorld", world, until))["executionContextId"])
        return self._context

    async def _call(self, body: str, arguments: tuple[Any, ...], until: float) -> Any:
        """Call the function with the source `body` in our context of the current document."""
        answer = await self._ask(
            "Runtime.evaluate",
            {
                "expression": f"({body})({','.join(json.dumps(argument) for argument in arguments)})",
                "contextId": await self._entered(until),
                "returnByValue": True,
                "awaitPromise": True,
            },
            until,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            reason = str(details.get("exception", {}).get("description") or details.get("text")).partition("\n")[0]
            raise ScriptFailed(f"A script of the renderer failed in the page: {quoted(reason, 200)}.")
        return answer["result"].get("value")

    def _created(self, event: dict[str, Any]) -> None:
        """Remember our context when the browser reports that the main frame has a new one, for a new document."""
        context = event["context"]
        if context["name"] == _NAME and context["auxData"]["frameId"] == self.frame:
            self._context = int(context["id"])

    async def _ask(self, method: str, parameters: dict[str, Any], until: float) -> dict[str, Any]:
        """Call a method of the DevTools protocol; raises TimeoutError at `until`, PageGone or Playwright's Error."""
        return await within(until - anyio.current_time(), self._session.send(method, parameters), self._gone)

    async def interrupt(self, *, for_good: bool) -> None:
        """Stop the script that runs in the page; with `for_good` also its loading, and no script can start after it.
        Raises as `enter`."""
        if for_good:
            await self._ask("Page.stopLoading", {}, anyio.current_time() + 2)
            await self._ask("Emulation.setScriptExecutionDisabled", {"value": True}, anyio.current_time() + 2)
        await self._ask("Runtime.terminateExecution", {}, anyio.current_time() + 2)
