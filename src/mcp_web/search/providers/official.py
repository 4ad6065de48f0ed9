"""The official sources by name, and how an operator's options reach them."""

from __future__ import annotations

from mcp_web.errors import ConfigError
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
from mcp_web.search.providers.npm import Npm
from mcp_web.search.providers.openalex import OpenAlex
from mcp_web.search.providers.pypi import PyPi
from mcp_web.search.providers.source import Access, Source
from mcp_web.search.providers.stackexchange import StackExchange
from mcp_web.search.providers.wikidata import Wikidata
from mcp_web.search.providers.wikipedia import Wikipedia

_CLASSES: tuple[type[Source], ...] = (
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
    InternetArchive,
    PyPi,
    Npm,
    Crates,
)
SOURCES: dict[str, type[Source]] = {one.capabilities.name: one for one in _CLASSES}


def open_source(name: str, options: SearchOptions) -> Source:
    """A source with the operator's address, contact and key for it."""
    made = SOURCES[name]
    keys = {
        "github": options.github_token,
        "openalex": options.openalex_key,
        "stackexchange": options.stackexchange_key,
    }
    base = _own_address(name, options) or made.address
    return made(Access(base.rstrip("/"), options.contact, keys.get(name, "")))


def build_source(name: str, options: SearchOptions) -> list[Provider]:
    """The source, unless the operator switched the sources off and does not list this one."""
    if not options.sources_enabled and name not in options.providers:
        return []
    return [open_source(name, options)]


def _own_address(name: str, options: SearchOptions) -> str:
    for entry in options.source_urls:
        source, _, url = entry.partition("=")
        if source.strip() not in SOURCES or not url.strip().startswith(("http://", "https://")):
            raise ConfigError(
                f"MCP_WEB_SEARCH_SOURCE_URLS has {entry!r}; an entry is a source and an address, as "
                "wikipedia=https://wiki.example."
            )
        if source.strip() == name:
            return url.strip()
    return ""
