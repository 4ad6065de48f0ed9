"""`Web`: the same as `AsyncWeb`, for scripts and notebooks; its calls block."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Literal, ParamSpec, Self, TypedDict, TypeVar, Unpack, overload

from mcp_web.api.async_web import TIMEOUT, AsyncWeb, Urls
from mcp_web.api.results import ArchiveResults, Page, QuoteCheck, Reading, SearchResults
from mcp_web.model.page import Mode
from mcp_web.model.search import Category, SafeSearch

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from mcp_web.net.dial import Dialer
    from mcp_web.services.crawl_site import CrawlReport
    from mcp_web.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


class SearchOptions(TypedDict, total=False):
    count: int
    page: int
    provider: str | Sequence[str]
    category: Category
    language: str | None
    country: str | None
    freshness: str | None
    safe_search: SafeSearch
    include_domains: Sequence[str]
    exclude_domains: Sequence[str]


class ExtractOptions(TypedDict, total=False):
    selector: str | None
    include_images: bool


class OpenOptions(ExtractOptions, total=False):
    mode: Mode
    max_age: float | None
    at: str | None


class ReadOptions(TypedDict, total=False):
    max_results: int
    min_score: float | None
    max_age: float | None


class ArchiveSearchOptions(TypedDict, total=False):
    limit: int
    mode: Literal["hybrid", "text", "semantic"]
    source: Literal["all", "research", "web"]
    collection: str | None
    since: str | None
    until: str | None
    fuzzy: bool


class CrawlOptions(TypedDict, total=False):
    prefix: str | None
    max_pages: int
    max_depth: int
    tags: Sequence[str]


class AddOptions(TypedDict, total=False):
    title: str | None
    date: str | None
    tags: Sequence[str]


class Web:
    """The web for a script: search, open, read, verify and remember.

    Use it as a context manager, or call `close()`. The event loop runs in a thread of its own, so it works inside
    notebooks too. Parameters and results are those of `AsyncWeb`.
    """

    def __init__(
        self, settings: Settings | None = None, *, timeout: float = TIMEOUT, dialer: Dialer | None = None
    ) -> None:
        self._web = AsyncWeb(settings, timeout=timeout, dialer=dialer)
        self._exits = ExitStack()
        self._portal: BlockingPortal | None = None
        self.archive = Archive(self)

    def __enter__(self) -> Self:
        self._started()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the event loop, workers and connections; calling it again does nothing."""
        self._portal = None
        self._exits.close()

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResults:
        """Search the web; options as in `AsyncWeb.search`."""
        return self._call(self._web.search, query, **options)

    def open(self, url: str, **options: Unpack[OpenOptions]) -> Page:
        """Open a page as Markdown; options as in `AsyncWeb.open`."""
        return self._call(self._web.open, url, **options)

    @overload
    def read(self, url: str, question: str, **options: Unpack[ReadOptions]) -> Reading: ...
    @overload
    def read(self, url: Urls, question: str, **options: Unpack[ReadOptions]) -> list[Reading]: ...
    def read(self, url: str | Urls, question: str, **options: Unpack[ReadOptions]) -> Reading | list[Reading]:
        """The passages that answer a question; options as in `AsyncWeb.read`."""
        read: Callable[..., Awaitable[Reading | list[Reading]]] = self._web.read
        return self._call(read, url, question, **options)

    def extract(self, source: str | bytes, base_url: str = "", **options: Unpack[ExtractOptions]) -> Page:
        """Turn HTML into Markdown, without any network; options as in `AsyncWeb.extract`."""
        return self._call(self._web.extract, source, base_url, **options)

    def verify(self, source: str, quotes: str | Sequence[str]) -> list[QuoteCheck]:
        """Check whether quotes stand in a source: a URL, a snapshot or an archive id."""
        return self._call(self._web.verify, source, quotes)

    def _call(self, function: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        return self._started().call(functools.partial(function, *args, **options))

    def _started(self) -> BlockingPortal:
        if self._portal is None:
            from anyio.from_thread import start_blocking_portal

            self._portal = self._exits.enter_context(start_blocking_portal())
            self._exits.enter_context(self._portal.wrap_async_context_manager(self._web))
        return self._portal


class Archive:
    """Everything that was opened or saved; reached as `web.archive`."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def search(self, query: str, **options: Unpack[ArchiveSearchOptions]) -> ArchiveResults:
        """Search what is kept; options as in `AsyncArchive.search`."""
        return self._web._call(self._web._web.archive.search, query, **options)

    def add(self, content: str, **options: Unpack[AddOptions]) -> Page:
        """Keep a page or a text as research; options as in `AsyncArchive.add`."""
        return self._web._call(self._web._web.archive.add, content, **options)

    def crawl(self, url: str, **options: Unpack[CrawlOptions]) -> CrawlReport:
        """Bring the pages of a site into the archive; options as in `AsyncArchive.crawl`."""
        return self._web._call(self._web._web.archive.crawl, url, **options)
