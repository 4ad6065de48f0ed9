"""`Web`: the same as `AsyncWeb`, for scripts and notebooks; its calls block."""

from __future__ import annotations

import atexit
import functools
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from mcp_web.api.async_web import TIMEOUT, AsyncArchive, AsyncWeb

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from mcp_web.net.dial import Dialer
    from mcp_web.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(method: Callable[Concatenate[Any, P], Awaitable[T]]) -> Callable[Concatenate[Any, P], T]:
    """The async method as one that runs in the event loop of `Web` and blocks until it is done; same parameters."""

    @functools.wraps(method)
    def call(self: Web | Archive, /, *args: P.args, **options: P.kwargs) -> T:
        running = self._portal().start_task_soon(functools.partial(method, self._async, *args, **options))
        try:
            return running.result()
        except BaseException:  # Ctrl-C: the work ends too
            running.cancel()
            raise

    return call


class Web:
    """The web for a script: search, open, read, verify and remember.

    Use it as a context manager, or call `close()`. Its event loop runs in a thread of its own, so `Web` works inside
    notebooks too. Parameters and results are those of `AsyncWeb`.
    """

    search = _blocking(AsyncWeb.search)
    open = _blocking(AsyncWeb.open)
    read = _blocking(AsyncWeb.read)
    extract = _blocking(AsyncWeb.extract)
    verify = _blocking(AsyncWeb.verify)
    cite = _blocking(AsyncWeb.cite)

    def __init__(
        self, settings: Settings | None = None, *, timeout: float = TIMEOUT, dialer: Dialer | None = None
    ) -> None:
        self._async = AsyncWeb(settings, timeout=timeout, dialer=dialer)
        self._exits = ExitStack()
        self._starting = threading.Lock()
        self._started: BlockingPortal | None = None
        self._is_closed = False
        self.archive = Archive(self)

    def __enter__(self) -> Self:
        self._portal()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the event loop, workers and connections; calling it again does nothing."""
        atexit.unregister(self.close)
        self._started, self._is_closed = None, True
        self._exits.close()

    def _portal(self) -> BlockingPortal:
        """The portal through which calls run in the event loop; the first call starts the loop.

        Raises RuntimeError after `close`.
        """
        if self._is_closed:
            raise RuntimeError("This Web is closed: make another one.")
        with self._starting:
            if self._started is None:
                from anyio.from_thread import start_blocking_portal

                portal = self._exits.enter_context(start_blocking_portal())
                self._exits.enter_context(portal.wrap_async_context_manager(self._async))
                atexit.register(self.close)  # a script that forgot it would wait for the loop for ever
                self._started = portal
            return self._started


class Archive:
    """Everything that was opened or saved; reached as `web.archive`."""

    search = _blocking(AsyncArchive.search)
    add = _blocking(AsyncArchive.add)
    crawl = _blocking(AsyncArchive.crawl)

    def __init__(self, web: Web) -> None:
        self._async = web._async.archive
        self._portal = web._portal
