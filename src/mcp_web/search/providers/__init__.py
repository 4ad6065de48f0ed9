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
    build: Callable[[SearchOptions], list[Provider]]  # nothing when it cannot be used
    chosen: Callable[[SearchOptions], bool]  # whether the operator set it up; the others are a last resort
    fix: str  # how an operator sets it up


# In the order `auto` prefers them, after an own SearXNG: independent indexes, then Google's, then what needs no key.
REGISTRY: dict[str, Registration] = {
    "brave": Registration(brave.CAPABILITIES, brave.from_options, lambda o: bool(o.key("brave")), brave.FIX),
    "tavily": Registration(tavily.CAPABILITIES, tavily.from_options, lambda o: bool(o.key("tavily")), tavily.FIX),
    "exa": Registration(exa.CAPABILITIES, exa.from_options, lambda o: bool(o.key("exa")), exa.FIX),
    "serper": Registration(serper.CAPABILITIES, serper.from_options, lambda o: bool(o.key("serper")), serper.FIX),
    "searxng": Registration(searxng.CAPABILITIES, searxng.from_options, lambda o: bool(o.searxng_urls), searxng.FIX),
    "google": Registration(google.CAPABILITIES, google.from_options, lambda o: bool(o.key("google")), google.FIX),
    "ddgs": Registration(ddgs.CAPABILITIES, ddgs.from_options, lambda _: False, ddgs.FIX),
    **{
        name: Registration(source.capabilities, partial(build_source, name), lambda _: False, FIX)
        for name, source in SOURCES.items()
    },
}
# What is asked when nothing is set up, or everything that is has failed.
LAST_RESORT = ("ddgs", "tavily", "searxng", "wikipedia")


def build(name: str, options: SearchOptions) -> list[Provider]:
    """The endpoints of a provider; none when it is not set up or shall not be asked."""
    return [] if options.excludes(name) else REGISTRY[name].build(options)
