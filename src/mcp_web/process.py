"""What all tenants of a process share: sockets, workers, models, limits. Each is built when it is first used."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import anyio

from mcp_web.embed.options import EmbedOptions
from mcp_web.fetch.options import FetchOptions
from mcp_web.limit.options import LimitOptions
from mcp_web.limit.running import RunningCalls
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.settings import Settings, worker_environment
from mcp_web.store.options import StoreOptions, data_folder

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Embedder, QuestionVectors
    from mcp_web.embed.judge import Judge
    from mcp_web.fetch.admission import Admission
    from mcp_web.limit.open import Coordination
    from mcp_web.limit.quota import Quota
    from mcp_web.net.client import ApiClient, WebClient
    from mcp_web.net.dial import Dialer
    from mcp_web.net.proxy import Proxies
    from mcp_web.sandbox.bodies import BodyBuffer
    from mcp_web.sandbox.pool import Sandbox

PRELOAD = "mcp_web.extract.html.model:load_scorer"  # what a worker loads when it starts: NumPy and the block model


class Process:
    """What all tenants of a process share: sockets, workers, models, limits; each is built when it is first used.

    Only tests pass a `dialer`, to serve their own pages.
    """

    def __init__(self, settings: Settings, dialer: Dialer | None = None) -> None:
        self.settings = settings
        self.calls = RunningCalls()
        self._given_dialer = dialer
        self._exit_stack = contextlib.AsyncExitStack()

    async def close(self) -> None:
        """Close everything that was built."""
        await self._exit_stack.aclose()

    @cached_property
    def dialer(self) -> Dialer:
        """Opens the connections for URLs that agents choose, to addresses that the address guard allows."""
        if self._given_dialer is not None:
            return self._given_dialer
        from mcp_web.fetch.fetcher import guarded_dialer

        return guarded_dialer(self.settings.of(FetchOptions), self.settings.proxy_variables)

    @cached_property
    def proxies(self) -> Proxies:
        """The forward proxies that the operator configured, if any."""
        from mcp_web.net.proxy import parse_proxies

        options = self.settings.of(FetchOptions)
        return parse_proxies(options.proxy, self.settings.proxy_variables, resolves=options.proxy_resolves)

    @cached_property
    def web_client(self) -> WebClient:
        """The HTTP client for URLs that agents choose, behind the address guard."""
        from mcp_web.net.client import WebClient

        made = WebClient(self.dialer)
        self._exit_stack.push_async_callback(made.aclose)
        return made

    @cached_property
    def api_client(self) -> ApiClient:
        """The HTTP client for configured endpoints; an agent can never choose its host."""
        from mcp_web.net.client import ApiClient
        from mcp_web.net.dial import OperatorDialer

        options = self.settings.of(FetchOptions)
        dialer = OperatorDialer(proxies=self.proxies, ca_bundle=options.ca_bundle or None)
        made = ApiClient(dialer, user_agent=options.user_agent, traced=True)
        self._exit_stack.push_async_callback(made.aclose)
        return made

    @cached_property
    def public_client(self) -> ApiClient:
        """The API client, behind the address guard, for the public SearXNG instances of a published list."""
        from mcp_web.net.client import ApiClient

        made = ApiClient(self.dialer, user_agent=self.settings.of(FetchOptions).user_agent)
        self._exit_stack.push_async_callback(made.aclose)
        return made

    @cached_property
    def admission(self) -> Admission:
        """Limits how many pages are fetched at the same time: for one caller, from one host and in all."""
        from mcp_web.fetch.admission import Admission

        options = self.settings.of(FetchOptions)
        return Admission(per_caller=options.concurrency, per_host=options.host_concurrency)

    @cached_property
    def bodies(self) -> BodyBuffer:
        """Holds fetched bodies until they are parsed."""
        from mcp_web.sandbox.bodies import BodyBuffer

        return BodyBuffer()

    @cached_property
    def sandbox(self) -> Sandbox:
        """The worker processes that parse untrusted bytes."""
        from mcp_web.sandbox.pool import Sandbox

        options = self.settings.of(SandboxOptions).for_bodies(self.settings.of(FetchOptions).max_bytes)
        made = Sandbox(options, worker_environment(), PRELOAD)
        self._exit_stack.push_async_callback(made.close)
        return made

    @cached_property
    def coordination(self) -> Coordination:
        """Rate limits, and single flight (callers that ask for the same work share one run): with Redis, over all
        replicas; else the limits of this machine and the single flight of this process."""
        from mcp_web.limit.open import open_coordination

        made = open_coordination(self.settings.of(LimitOptions), data_folder(self.settings.of(StoreOptions)))
        self._exit_stack.push_async_callback(made.close)
        return made

    @cached_property
    def quota(self) -> Quota:
        """Counts the calls, pages and paid searches of each tenant, and refuses what is over its limits."""
        from mcp_web.limit.limiter import MemoryLimiter
        from mcp_web.limit.quota import Quota

        options, limiter = self.settings.of(LimitOptions), self.coordination.limiter
        return Quota(options.tenant, limiter, limiter if options.redis_url else MemoryLimiter())

    @cached_property
    def network_slots(self) -> anyio.Semaphore:
        """The slots of the read-page contract (the tools of another system): its calls share one limit on network
        use."""
        return anyio.Semaphore(self.settings.of(FetchOptions).concurrency)

    @cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model; if embeddings are off, a placeholder whose `dim` is 0."""
        from mcp_web.embed.open import open_embedder

        fetch, options = self.settings.of(FetchOptions), self.settings.of(EmbedOptions)
        concurrency = min(options.concurrency, fetch.concurrency)
        return open_embedder(replace(options, timeout=fetch.timeout, concurrency=concurrency), self.api_client)

    @cached_property
    def judge(self) -> Judge | None:
        """The packaged model that scores how well a passage answers a question; None unless `has_packaged_model`."""
        from mcp_web.embed.judge import Judge

        return Judge(self.settings.of(EmbedOptions).threads) if self.has_packaged_model else None

    @property
    def has_packaged_model(self) -> bool:
        """Whether the configured embedding model is the one in this package."""
        from mcp_web.embed.local import LocalEmbedder

        return isinstance(self.embedder, LocalEmbedder) and not self.settings.of(EmbedOptions).model_folder

    @cached_property
    def questions(self) -> QuestionVectors:
        """Embeds questions with the configured embedding model, and caches their vectors."""
        from mcp_web.embed.embedder import QuestionVectors

        return QuestionVectors(self.embedder)

    @cached_property
    def static_questions(self) -> QuestionVectors:
        """Embeds questions with the static model (a table of fixed vectors), and caches their vectors."""
        from mcp_web.embed.embedder import QuestionVectors
        from mcp_web.embed.static import StaticEmbedder

        return QuestionVectors(StaticEmbedder())
