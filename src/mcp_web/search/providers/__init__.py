"""The providers, one file each. A new one is added by its file and one line in `REGISTRY`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import Capabilities, Provider
from mcp_web.search.providers import brave, ddgs, exa, google, searxng, serper, tavily
from mcp_web.search.providers.official import SOURCES, build_source
from mcp_web.search.providers.source import FIX


@dataclass(frozen=True, slots=True)
class Registration:
    capabilities: Capabilities
    build: Callable[[SearchOptions], list[Provider]]
    fix: str  # how an operator sets it up


REGISTRY: dict[str, Registration] = {
    "brave": Registration(brave.CAPABILITIES, brave.from_options, brave.FIX),
    "tavily": Registration(tavily.CAPABILITIES, tavily.from_options, tavily.FIX),
    "exa": Registration(exa.CAPABILITIES, exa.from_options, exa.FIX),
    "serper": Registration(serper.CAPABILITIES, serper.from_options, serper.FIX),
    "searxng": Registration(searxng.CAPABILITIES, searxng.from_options, searxng.FIX),
    "google": Registration(google.CAPABILITIES, google.from_options, google.FIX),
    "ddgs": Registration(ddgs.CAPABILITIES, ddgs.from_options, ddgs.FIX),
    **{name: Registration(source.capabilities, partial(build_source, name), FIX) for name, source in SOURCES.items()},
}
# What is asked when nothing is set up, or everything that is has failed.
LAST_RESORT = ("ddgs", "tavily", "searxng", "wikipedia")


def build(name: str, options: SearchOptions) -> list[Provider]:
    """The endpoints of a provider; none when it is not set up or shall not be asked."""
    return REGISTRY[name].build(options) if options.can_ask(name) else []
