"""The official sources by name, and how an operator's options reach them."""

from __future__ import annotations

from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import Provider
from mcp_web.search.providers.arxiv import Arxiv
from mcp_web.search.providers.crates import Crates
from mcp_web.search.providers.crossref import Crossref
from mcp_web.search.providers.datacite import DataCite
from mcp_web.search.providers.europepmc import EuropePmc
from mcp_web.search.providers.github import GitHub
from mcp_web.search.providers.hackernews import HackerNews
from mcp_web.search.providers.internetarchive import InternetArchive
from mcp_web.search.providers.marginalia import Marginalia
from mcp_web.search.providers.npm import Npm
from mcp_web.search.providers.openalex import OpenAlex
from mcp_web.search.providers.pypi import PyPi
from mcp_web.search.providers.source import Access, OfficialSource
from mcp_web.search.providers.stackexchange import StackExchange
from mcp_web.search.providers.wikidata import Wikidata
from mcp_web.search.providers.wikipedia import Wikipedia

_CLASSES: tuple[type[OfficialSource], ...] = (
    Wikipedia,
    Wikidata,
    OpenAlex,
    Crossref,
    DataCite,
    Arxiv,
    EuropePmc,
    StackExchange,
    GitHub,
    HackerNews,
    Marginalia,
    InternetArchive,
    PyPi,
    Npm,
    Crates,
)
SOURCES: dict[str, type[OfficialSource]] = {one.capabilities.name: one for one in _CLASSES}


def open_source(name: str, options: SearchOptions) -> OfficialSource:
    """A source with the operator's address, contact and key for it."""
    made = SOURCES[name]
    base = options.url(name) or made.address
    return made(Access(base.rstrip("/"), options.contact, options.key(name)))


def build_source(name: str, options: SearchOptions) -> list[Provider]:
    return [open_source(name, options)]
