"""Settings → App: builds the parts when they are first used, closes them at the end. The only wiring there is."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from mcp_web import trace
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.server.options import ServerOptions
from mcp_web.settings import Settings
from mcp_web.tools.options import ToolOptions

if TYPE_CHECKING:
    from mcp_web.sandbox.pool import Sandbox


class App:
    """The parts of one process. `isolate=False` reads pages in this process: for one-shot command lines."""

    def __init__(self, settings: Settings, *, isolate: bool = True) -> None:
        self.settings = settings
        self.isolate = isolate
        self.tools = settings.of(ToolOptions)
        self._opening = anyio.Lock()

    async def __aenter__(self) -> Self:
        trace.configure(self.settings.of(ServerOptions).log, self.settings.secrets)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(10):
            if "sandbox" in self.__dict__:
                await self.sandbox.close()

    @cached_property
    def sandbox(self) -> Sandbox:
        from mcp_web.sandbox.pool import Sandbox

        return Sandbox(self.settings.of(SandboxOptions))

    async def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        """Read bytes: in a worker process that can be ended, or in a thread of this one."""
        from mcp_web.extract.document import extract_document
        from mcp_web.model.wire import document_from_json

        options = self.settings.of(ExtractOptions)
        with trace.step("extract", url=page.final_url):
            if not self.isolate:
                return await anyio.to_thread.run_sync(extract_document, page, request, options)
            return document_from_json(await self.sandbox.run(extract_document, page, request, options))
