"""The parts of one tenant: a store of its own and everything that reads it; the rest is shared by all tenants."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from functools import cached_property
from typing import TYPE_CHECKING

import anyio

from mcp_web import trace
from mcp_web.app import App
from mcp_web.limit.flight import Look, Make, SingleFlight, T
from mcp_web.limit.open import Coordination
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.options import StoreOptions

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Embedder
    from mcp_web.embed.questions import QuestionVectors
    from mcp_web.fetch.fetcher import Fetcher
    from mcp_web.limit.quota import Quota
    from mcp_web.net.client import ApiClient, WebClient
    from mcp_web.net.dial import Dialer
    from mcp_web.render.renderer import Renderer
    from mcp_web.sandbox.bodies import BodyBuffer
    from mcp_web.sandbox.pool import Sandbox
    from mcp_web.store.protocol import Store

MAX_OPEN = 200  # stores at the same time; the least recently used one is closed first


class TenantApp(App):
    """An App whose store, caches and figures belong to one tenant."""

    def __init__(self, main: App, tenant: str) -> None:
        super().__init__(main.settings)
        self.tenant = tenant
        self.main = main
        self.calls = main.calls
        self.own_figures = trace.Figures()

    async def store(self) -> Store:
        """With PostgreSQL over the connections of the main store; with SQLite a file of its own."""
        if self._store is None and self.settings.of(StoreOptions).database_url:
            from mcp_web.store.postgres.store import PostgresStore

            main = await self.main.store()
            async with self._opening:
                if self._store is None and isinstance(main, PostgresStore):
                    self._store = await main.for_tenant(self.tenant)
                    self._exit_stack.push_async_callback(self._store.close)
        return await super().store()

    async def main_store(self) -> Store:
        return await self.main.store()

    async def fetcher(self) -> Fetcher:
        """Its own, since it remembers sites in the store; pages and hosts wait in one queue for all tenants."""
        made = await super().fetcher()
        made.admission = (await self.main.fetcher()).admission
        return made

    async def renderer(self) -> Renderer:
        return await self.main.renderer()

    @cached_property
    def bodies(self) -> BodyBuffer:
        return self.main.bodies

    @cached_property
    def sandbox(self) -> Sandbox:
        return self.main.sandbox

    @cached_property
    def dialer(self) -> Dialer:
        return self.main.dialer

    @cached_property
    def web_client(self) -> WebClient:
        return self.main.web_client

    @cached_property
    def api_client(self) -> ApiClient:
        return self.main.api_client

    @cached_property
    def public_client(self) -> ApiClient:
        return self.main.public_client

    @cached_property
    def coordination(self) -> Coordination:
        """Limits of providers hold for all; the result of a single flight never crosses to another tenant."""
        shared = self.main.coordination
        return Coordination(shared.limiter, _TenantFlight(shared.flight, self.tenant))

    @cached_property
    def quota(self) -> Quota:
        return self.main.quota

    @cached_property
    def network_slots(self) -> anyio.Semaphore:
        return self.main.network_slots

    @cached_property
    def embedder(self) -> Embedder:
        return self.main.embedder

    @cached_property
    def questions(self) -> QuestionVectors:
        return self.main.questions

    @cached_property
    def static_questions(self) -> QuestionVectors:
        return self.main.static_questions


class _TenantFlight:
    def __init__(self, shared: SingleFlight, tenant: str) -> None:
        self._shared = shared
        self._tenant = tenant

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        return await self._shared.once(f"{self._tenant}|{key}", make, look)


class Tenants:
    """The apps of the tenants that were served lately."""

    def __init__(self, main: App) -> None:
        self.main = main
        self._open: OrderedDict[str, TenantApp] = OrderedDict()
        self._users: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def using(self, tenant: str) -> AsyncIterator[App]:
        """The app of a tenant for one request, whose figures are counted as this tenant's."""
        app = self._app(tenant)
        self._users[tenant] = self._users.get(tenant, 0) + 1
        token = trace.tenant_figures.set(app.own_figures)
        try:
            yield app
        finally:
            trace.tenant_figures.reset(token)
            self._users[tenant] -= 1
            await self._close_surplus()

    def _app(self, tenant: str) -> App:
        if tenant == DEFAULT_TENANT:
            return self.main
        app = self._open.get(tenant)
        if app is None:
            if not self._open and self.main.own_figures is trace.figures:
                self.main.own_figures = trace.Figures()  # the process's figures are no longer one tenant's
            app = self._open[tenant] = TenantApp(self.main, tenant)
        self._open.move_to_end(tenant)
        return app

    async def _close_surplus(self) -> None:
        idle = [name for name in self._open if not self._users.get(name)]
        for name in idle[: max(0, len(self._open) - MAX_OPEN)]:
            app = self._open.pop(name)
            self._users.pop(name, None)
            await app.__aexit__(None, None, None)

    @property
    def apps(self) -> list[App]:
        """Every tenant's app that is open, the main one too."""
        return [self.main, *self._open.values()]

    async def close(self) -> None:
        while self._open:
            _, app = self._open.popitem()
            await app.__aexit__(None, None, None)

    async def save_figures(self) -> None:
        for app in list(self._open.values()):
            await app.save_figures()
