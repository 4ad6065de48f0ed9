"""The app of each tenant: its own store and everything that reads it; all other parts are shared by all tenants."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from mcp_web import trace
from mcp_web.app import App
from mcp_web.limit.flight import Look, Make, SingleFlight, T
from mcp_web.model.token import DEFAULT_TENANT

if TYPE_CHECKING:
    from mcp_web.render.chromium import Chromium
    from mcp_web.store.protocol import Store

MAX_OPEN = 200  # stores at the same time; the least recently used one is closed first


class TenantApp(App):
    """An App for a tenant other than the default one: it has its own store and metrics, and shares the settings, the
    process and the browser of `main`, the default tenant's app."""

    def __init__(self, main: App, tenant: str) -> None:
        super().__init__(main.settings, process=main.process)
        self.tenant = tenant
        self.main = main
        self._default_store = main.store
        self.own_metrics = trace.Metrics()

    async def main_store(self) -> Store:
        return await self.main.store()

    async def renderer(self) -> Chromium:
        return await self.main.renderer()

    @property
    def flight(self) -> SingleFlight:
        """Single flight (callers that ask for the same work at the same time share one run), with keys of this tenant:
        a result is never shared with another tenant."""
        return _TenantFlight(super().flight, self.tenant)


class _TenantFlight:
    """Passes calls to a single flight, with the name of a tenant before each key, so that tenants share no results."""

    def __init__(self, shared: SingleFlight, tenant: str) -> None:
        self._shared = shared
        self._tenant = tenant

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        return await self._shared.once(f"{self._tenant}|{key}", make, look)


class Tenants:
    """The apps of the tenants that were served recently; surplus ones are closed, the least recently used first."""

    def __init__(self, main: App) -> None:
        self.main = main
        self._open: OrderedDict[str, TenantApp] = OrderedDict()
        self._users: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def using(self, tenant: str) -> AsyncIterator[App]:
        """Context manager: the app of a tenant for one request, which stays open meanwhile. What the block counts is
        also counted in the tenant's metrics."""
        app = self._app(tenant)
        self._users[tenant] = self._users.get(tenant, 0) + 1
        token = trace.tenant_metrics.set(app.own_metrics)
        try:
            yield app
        finally:
            trace.tenant_metrics.reset(token)
            self._users[tenant] -= 1
            if not self._users[tenant]:
                await app.close_withdrawn_stores()
            await self._close_surplus()

    def _app(self, tenant: str) -> App:
        """The app of a tenant, created if there is none; it becomes the most recently used one."""
        if tenant == DEFAULT_TENANT:
            return self.main
        app = self._open.get(tenant)
        if app is None:
            if not self._open and self.main.own_metrics is trace.metrics:
                self.main.own_metrics = trace.Metrics()  # those of the process are no longer one tenant's
                self.main.own_metrics.put_back(trace.metrics.drain())
                self.main.own_metrics.tool_calls.extend(trace.metrics.tool_calls)
            app = self._open[tenant] = TenantApp(self.main, tenant)
        self._open.move_to_end(tenant)
        return app

    async def _close_surplus(self) -> None:
        """Close apps beyond MAX_OPEN that no request uses, the least recently used first."""
        while len(self._open) > MAX_OPEN:
            # Looked for again each time: while one is being closed, a request may begin to use another.
            idle = next((name for name in self._open if not self._users.get(name)), None)
            if idle is None:
                return
            self._users.pop(idle, None)
            await self._open.pop(idle).__aexit__(None, None, None)

    @property
    def apps(self) -> list[App]:
        """Every open app, that of the default tenant included."""
        return [self.main, *self._open.values()]

    async def close(self) -> None:
        """Close the apps of all tenants but the default one."""
        while self._open:
            _, app = self._open.popitem()
            await app.__aexit__(None, None, None)

    async def save_metrics(self) -> None:
        """Save the metrics of all open tenants but the default one."""
        for app in list(self._open.values()):
            await app.save_metrics()
