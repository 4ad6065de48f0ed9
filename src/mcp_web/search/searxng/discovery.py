"""The published list of public instances: read from time to time, and stored together with the banned instances."""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass, field

import anyio

from mcp_web import trace
from mcp_web.search.options import PUBLIC_LIST_URL, SearchOptions
from mcp_web.search.provider import ApiRequest, ProviderRefused
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.run import Runner
from mcp_web.search.searxng.directory import ListedInstance, read_directory
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.text.json_fields import read_json

_BANNED_FOR = 86_400.0  # seconds
_RETRY_AFTER = 60.0  # seconds until a list that could not be read is requested again


@dataclass
class Discovery:
    """Knows the public instances: reads their list when it is old, and which of them are banned."""

    options: SearchOptions
    runner: Runner
    notes: BestEffortNotes
    banned: dict[str, float] = field(default_factory=dict)  # until when, by URL, in seconds since the epoch
    listed: list[ListedInstance] = field(default_factory=list)
    _fresh_until: float = float("-inf")
    _reading: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def source(self) -> str:
        """The URL of the list in use; empty if the operator has an instance and configured no list."""
        source = self.options.public_list
        return "" if self.options.searxng_urls and source == PUBLIC_LIST_URL else source

    async def refresh(self) -> bool:
        """Read the list again if it is in use and old; returns whether it was read."""
        async with self._reading:
            if not self.source or anyio.current_time() < self._fresh_until:
                return False
            rows = await self.notes.get("searx_space", self.source) or await self._download()
            if rows is None:
                self._fresh_until = anyio.current_time() + _RETRY_AFTER
                return False
            self._fresh_until = anyio.current_time() + self.options.discovery_interval
            self.listed = [ListedInstance(*row) for row in rows]
            for one in self.listed:
                if until := await self.notes.get("searxng_blacklist", one.url):
                    self.banned[one.url] = float(until)
            return True

    def is_banned(self, url: str) -> bool:
        """Whether `ban` was called for this instance in the last day, by this or another process."""
        return self.banned.get(url, 0.0) > time.time()

    def provider(self, one: ListedInstance) -> Searxng:
        """The endpoint of a listed instance."""
        interval, rotate = self.options.public_interval, self.options.rotate_user_agents
        return Searxng(one.url, public=True, interval=interval, rotate=rotate)

    async def ban(self, url: str) -> None:
        """Do not ask this instance for a day."""
        until = self.banned[url] = time.time() + _BANNED_FOR
        await self.notes.keep("searxng_blacklist", url, until, until)

    async def _download(self) -> list[list[object]] | None:
        """Download and store the list: the fields of each instance; None if it could not be read."""
        request = ApiRequest("GET", self.source, {"Accept": "application/json"})
        try:
            response = await self.runner.send(_List(self.source), request, 10.0)
            listed = read_directory(read_json(response.body), self.source)
        except (ProviderRefused, ValueError) as error:
            trace.log("error", "searx_space", reason=type(error).__name__)
            return None
        rows: list[list[object]] = [list(astuple(one)) for one in listed]
        await self.notes.keep("searx_space", self.source, rows, time.time() + self.options.discovery_interval)
        return rows


class _List(Searxng):
    """The server of the list as an endpoint to which the runner can send a request."""

    @property
    def name(self) -> str:
        return "searx.space"
