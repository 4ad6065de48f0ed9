"""The providers, one file each: the class in the module that has the provider's name."""

from __future__ import annotations

from importlib import import_module

from mcp_web.search.options import GENERAL_NAMES, SOURCE_NAMES, SearchOptions
from mcp_web.search.providers.api import Provider

# Used when no provider is configured, or when all configured ones have failed.
LAST_RESORT = ("ddgs", "tavily", "searxng", "wikipedia")


def _class_in(name: str) -> type[Provider]:
    """The `Provider` subclass that is defined in the module of this name."""
    module = import_module(f"mcp_web.search.providers.{name}").__name__
    return next(one for one in Provider.__subclasses__() if one.__module__ == module)


REGISTRY: dict[str, type[Provider]] = {name: _class_in(name) for name in (*GENERAL_NAMES, *SOURCE_NAMES)}


def build(name: str, options: SearchOptions) -> list[Provider]:
    """The endpoints of the provider of this name; none if it is excluded or lacks its key."""
    return REGISTRY[name].build(options) if options.can_ask(name) else []
