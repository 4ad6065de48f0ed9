"""Builds the parts of a tenant when they are first used, from the settings, and closes them at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import anyio

from mcp_web import trace
from mcp_web.archive.options import ArchiveOptions
from mcp_web.embed.options import EmbedOptions
from mcp_web.errors import WebError
from mcp_web.extract.options import ExtractOptions
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.process import Process
from mcp_web.render.options import RenderOptions
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.search.options import SearchOptions
from mcp_web.server.options import ServerOptions
from mcp_web.settings import Settings
from mcp_web.store.options import StoreOptions
from mcp_web.tools.options import ToolOptions

if TYPE_CHECKING:
    from mcp_web.archive.archive import Archive
    from mcp_web.archive.keeper import Keeper
    from mcp_web.embed.judge import Judge
    from mcp_web.fetch.fetcher import Fetcher
    from mcp_web.index.documents import DocumentVectors
    from mcp_web.index.reader import PageReader
    from mcp_web.limit.flight import SingleFlight
    from mcp_web.net.dial import Dialer
    from mcp_web.read.passages import Size
    from mcp_web.render.chromium import Chromium
    from mcp_web.search.searcher import Searcher
    from mcp_web.store.protocol import Store
    from mcp_web.store.shared import SharedStore, SharedStores

T = TypeVar("T")
# What the first search waits for documents that are indexed again; background work does the rest.
_INDEXING_SECONDS = 10.0
CHUNK_TOKENS = 512  # of the passages of the read-page contract (the tools of another system)


def _built_once(build: Callable[[Any], Awaitable[T]]) -> Callable[[Any], Awaitable[T]]:
    """Decorator for methods of App that build a part: the first call builds it, later calls return the same object."""
    name = f"_{build.__name__}"

    @wraps(build)
    async def part(self: App) -> T:
        if name not in self.__dict__:
            made = await build(self)
            self.__dict__.setdefault(name, made)  # meanwhile another task may have built it
        return cast("T", self.__dict__[name])

    return part


class App:
    """Builds the parts of one tenant when they are first used (store, fetcher, archive …), and closes them at the end.

    It uses the given `process`, which others may share; without one it makes its own, with `dialer`, and closes it too.
    """

    tenant = DEFAULT_TENANT

    def __init__(self, settings: Settings, *, dialer: Dialer | None = None, process: Process | None = None) -> None:
        self.settings = settings
        self.tools = settings.of(ToolOptions)
        self.process = process or Process(settings, dialer)
        self._opening = anyio.Lock()
        self._exit_stack = contextlib.AsyncExitStack()
        if process is None:
            self._exit_stack.push_async_callback(self.process.close)
        self._store: Store | None = None
        self._default_store: Callable[[], Awaitable[Store]] | None = None  # of the default tenant, for another one
        self._shared: SharedStores | None = None
        self._store_refusal: WebError | None = None
        self._store_note = ""
        self._store_note_taken = False
        self.own_metrics = trace.metrics  # what this tenant did; the process as long as there is only one

    async def __aenter__(self) -> Self:
        is_wanted = self.settings.is_set("server", "log") or not trace.interactive
        trace.configure(self.settings.of(ServerOptions).log if is_wanted else "off", self.settings.secrets)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(10):
            await self.save_metrics()
            await self._exit_stack.aclose()

    @property
    def flight(self) -> SingleFlight:
        """Single flight: callers of this tenant that ask for the same work at the same time share one run of it; with
        Redis, over all replicas."""
        return self.process.coordination.flight

    async def store(self) -> Store:
        """The store of this tenant, opened by the first call. If its file cannot be used, a temporary store takes its
        place, and `require_kept_store` raises; if the file is only locked at the moment, raises CacheError."""
        if self._store is not None:
            return self._store
        async with self._opening:
            if self._store is None:
                from mcp_web.store.open import engine_of

                options = self.settings.of(StoreOptions)
                opened = await engine_of(options.database_url).open_serving(options, self.tenant, self._default_store)
                if opened.folder is not None:
                    self._exit_stack.callback(opened.folder.cleanup)
                self._exit_stack.push_async_callback(opened.store.close)
                self._store, self._store_refusal, self._store_note = opened.store, opened.refusal, opened.note
        return self._store

    async def main_store(self) -> Store:
        """The store of the default tenant, which also records what tenants share with each other."""
        return await self.store()

    async def shared_stores(self) -> list[SharedStore]:
        """The stores of other tenants, each limited to the collections that its owner shares with this tenant."""
        if self._shared is None:
            from mcp_web.store.shared import SharedStores

            self._shared = SharedStores(self.settings.of(StoreOptions), self.tenant)
            self._exit_stack.push_async_callback(self._shared.close)
        return await self._shared.readable(await self.main_store())

    async def close_withdrawn_stores(self) -> None:
        """Close stores that are no longer shared with this tenant; to be called when no request uses the app."""
        if self._shared is not None:
            await self._shared.close_withdrawn()

    async def require_kept_store(self) -> None:
        """Raise CacheError if the store is a temporary one: for work whose purpose is to change what is kept."""
        await self.store()
        if self._store_refusal is not None:
            self._store_note_taken = True  # the error says the same
            raise self._store_refusal

    def take_store_note(self) -> str:
        """The note about the store that a caller should see; empty if there is none, or no store was opened yet.

        That a damaged store was replaced by an empty one is said by the first call only; that the store is a temporary
        one, so that nothing is kept, by every call.
        """
        note = self._store_note
        if self._store_refusal is None:
            self._store_note = ""
        self._store_note_taken = True
        return note

    def remaining_store_note(self) -> str:
        """As `take_store_note`, but empty if that was already called or `require_kept_store` has raised."""
        return "" if self._store_note_taken else self.take_store_note()

    # ── components ──────────────────────────────────────────────────────────────────────────────────────────────────
    @_built_once
    async def fetcher(self) -> Fetcher:
        from mcp_web.fetch.fetcher import Fetcher

        return Fetcher(
            self.settings.of(FetchOptions),
            self.process.web_client,
            self.process.admission,
            notes=await self.store(),
            secrets=self.settings.secrets,
        )

    @_built_once
    async def keeper(self) -> Keeper:
        from mcp_web.archive.keeper import Keeper

        return Keeper(await self.store(), self.settings.of(ArchiveOptions))

    @_built_once
    async def searcher(self) -> Searcher:
        from mcp_web.search.searcher import Searcher

        return Searcher(
            self.settings.of(SearchOptions),
            self.process.api_client,
            self.process.coordination.limiter,
            await self.store(),
            public_client=self.process.public_client,
            flight=self.flight,
            proxy=self.process.proxies.https.url if self.process.proxies.https else None,
            charge=partial(self.process.quota.take_paid_search, self.tenant),
        )

    @property
    def search_providers(self) -> tuple[str, ...]:
        """The names of the search providers that a call may use here: those that are configured or need no key."""
        return self.settings.of(SearchOptions).available

    @property
    def similarity_threshold(self) -> float | None:
        """The lowest score (0 to 1) of passages to show, if the operator set one; with None the reader chooses."""
        return self.settings.of(EmbedOptions).threshold

    @property
    def store_is_open(self) -> bool:
        return self._store is not None

    @_built_once
    async def document_vectors(self) -> DocumentVectors:
        from mcp_web.index.documents import DocumentVectors
        from mcp_web.read.passages import passages

        return DocumentVectors(await self.store(), self.process.embedder, passages)

    @_built_once
    async def reader(self) -> PageReader:
        """The page reader, which ranks the passages of pages for questions."""
        from mcp_web.index.widen import SHOW_WORDS
        from mcp_web.read.passages import Size

        tokens = self.settings.of(EmbedOptions).tokens_size
        # A size that the operator chose is kept; the usual small passages are shown with a neighbour.
        show_words = 0 if tokens else SHOW_WORDS
        return await self._page_reader(Size.capped(tokens), show_words=show_words, judge=self.process.judge)

    @_built_once
    async def cross_language_reader(self) -> PageReader | None:
        """The page reader for questions in another language than the page. None if its model is not installed, if
        embeddings are off, or if the embedding model is not limited to certain languages."""
        from mcp_web.embed.cross_language import CrossLanguageEmbedder, is_installed

        if self.process.embedder.languages is None or self.process.embedder.dim == 0 or not is_installed():
            return None
        from mcp_web.index.reader import PageReader
        from mcp_web.read.passages import passages

        return PageReader(await self.store(), CrossLanguageEmbedder(), passages)

    @_built_once
    async def chunk_reader(self) -> PageReader:
        """The page reader of the read-page contract, for passages of CHUNK_TOKENS tokens or of the operator's size."""
        from mcp_web.read.passages import Size

        size = Size.of_tokens(self.settings.of(EmbedOptions).tokens_size or CHUNK_TOKENS)
        return await self._page_reader(size, show_words=0, always_ask=True)

    async def _page_reader(
        self, size: Size, *, show_words: int, always_ask: bool = False, judge: Judge | None = None
    ) -> PageReader:
        """A new page reader for passages of this size; for the other parameters see `PageReader`."""
        from mcp_web.index.reader import PageReader
        from mcp_web.read.passages import passages

        return PageReader(
            await self.store(),
            self.process.embedder,
            partial(passages, size=size),
            questions=self.process.questions,
            cut_name=size.name,
            show_words=show_words,
            always_ask=always_ask,
            judge=judge,
        )

    @_built_once
    async def archive(self) -> Archive:
        """The search over this tenant's store. The first call reindexes documents whose index format is out of date,
        for about ten seconds; those that are left keep their old index."""
        from mcp_web.archive.derive import reindex_outdated

        store = await self.store()
        await reindex_outdated(store, _INDEXING_SECONDS)
        return self.archive_over(store)

    def archive_over(self, store: Store) -> Archive:
        """A new search over this store, with the models of this process."""
        from mcp_web.archive.archive import Archive
        from mcp_web.index.documents import summary_model

        return Archive(
            store,
            self.process.questions if self.process.embedder.dim != 0 else None,
            model=summary_model(self.process.embedder),
            static=self.process.static_questions,
            languages=self.process.embedder.languages,
            reads_passages=self.process.has_packaged_model,
        )

    @property
    def can_render(self) -> bool:
        return self.settings.of(RenderOptions).enabled

    @property
    def keeps_screenshots(self) -> bool:
        return self.can_render and self.settings.of(RenderOptions).screenshot

    @_built_once
    async def renderer(self) -> Chromium:
        """The browser, which starts when it first renders a page."""
        from mcp_web.render.chromium import Chromium

        fetcher = await self.fetcher()
        made = Chromium(
            self.settings.of(RenderOptions),
            self.process.dialer,
            check_domain=fetcher.check_domain,
            login=fetcher.login_for_browser,
            ca_bundle=self.settings.of(FetchOptions).ca_bundle or None,
        )
        self._exit_stack.push_async_callback(made.aclose)
        return made

    async def extract(self, page: Fetched, request: ExtractRequest | None = None) -> Document:
        """The document in a page, extracted in a worker process; raises WebError if it cannot be extracted."""
        from mcp_web.extract.document import extract_document
        from mcp_web.model.wire import document_from_json

        options = self.settings.of(ExtractOptions)
        with trace.step("extract", url=page.final_url):
            # Only PDFs and images take seconds for ordinary files: 10 ms a page, scans 2 s.
            slow = page.media_type == "application/pdf" or page.media_type.startswith("image/")
            wall = 3 * self.settings.of(SandboxOptions).wall_seconds if slow else None
            read = await self.process.sandbox.run(
                extract_document, page, request or ExtractRequest(), options, size=len(page.body), wall=wall
            )
            return await anyio.to_thread.run_sync(document_from_json, read)

    # ── metrics ─────────────────────────────────────────────────────────────────────────────────
    async def save_metrics(self) -> None:
        """Add the metrics since the last call to the totals in the store. If that fails, the next call tries again;
        while the store is not open, nothing is done."""
        if self._store is None:
            return
        from mcp_web.archive.usage import add_sample

        drained = self.own_metrics.drain()
        if not any(drained.values()):
            return
        try:
            await self._store.add_metrics(drained)
        except WebError:
            self.own_metrics.put_back(drained)
            return
        with contextlib.suppress(WebError):
            await add_sample(self._store, drained)
