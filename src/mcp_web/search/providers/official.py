"""The official sources by name, and how an operator's options reach them."""

from __future__ import annotations

from importlib import import_module

from mcp_web.search.options import SOURCE_NAMES, SearchOptions
from mcp_web.search.provider import Provider
from mcp_web.search.providers.source import Access, OfficialSource


def _class_in(name: str) -> type[OfficialSource]:
    """The source in the module of its name."""
    module = import_module(f"mcp_web.search.providers.{name}")
    kinds = (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__)
    return next(kind for kind in kinds if issubclass(kind, OfficialSource))


SOURCES: dict[str, type[OfficialSource]] = {name: _class_in(name) for name in SOURCE_NAMES}


def open_source(name: str, options: SearchOptions) -> OfficialSource:
    """A source with the operator's address, contact and key for it."""
    made = SOURCES[name]
    base = options.url(name) or made.address
    return made(Access(base.rstrip("/"), options.contact, options.key(name)))


def build_source(name: str, options: SearchOptions) -> list[Provider]:
    return [open_source(name, options)]
