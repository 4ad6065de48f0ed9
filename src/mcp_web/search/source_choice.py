"""Chooses the official sources for a query: by its category, its domains or its words, as source_choice.toml says."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from importlib.resources import files

from mcp_web.model.search import SearchQuery
from mcp_web.search.reply import Reply

_CHOICE = tomllib.loads(files("mcp_web.search").joinpath("source_choice.toml").read_text("utf-8"))
_LOOKS = [(re.compile(look["pattern"], re.IGNORECASE), look["sources"]) for look in _CHOICE["looks"]]
_MOST_BESIDE = 3  # results of a source beside a general search: enough to be noticed, too few to displace it


def fitting_sources(query: SearchQuery) -> tuple[str, ...]:
    """The names of the official sources to ask for a query, chosen by its domains if it is limited to some, else by its
    category, else (category "general") by its words; empty if none fits."""
    if query.include_domains:
        named = [_source_of(domain) for domain in query.include_domains]
    elif query.category == "general":
        named = _looks_like(query.text)
    else:
        named = list(_CHOICE["categories"].get(query.category, ()))
        if query.category == "it":
            named += [name for name in _looks_like(query.text) if name in ("pypi", "npm", "crates")]
    return tuple(dict.fromkeys(name for name in named if name))


def beside_general(reply: Reply, query: SearchQuery) -> Reply:
    """The reply of an official source that is asked beside general providers: cut to three results, unless the query is
    in a category of the source or limited to domains."""
    own = query.category in reply.capabilities.categories and query.category != "general"
    if own or query.include_domains:
        return reply
    return replace(reply, page=replace(reply.page, hits=reply.page.hits[:_MOST_BESIDE], more=False))


def _looks_like(words: str) -> list[str]:
    """The names of the sources whose patterns in source_choice.toml match the words of a query; may repeat."""
    return [name for look, names in _LOOKS if look.search(words) for name in names]


def _source_of(domain: str) -> str:
    """The name of the source for a domain or a subdomain of one in source_choice.toml; "" if there is none."""
    bare = domain.lower().partition("://")[2] or domain.lower()
    bare = bare.strip("/").removeprefix("*.").removeprefix("www.")
    return next((name for known, name in _CHOICE["domains"].items() if bare == known or bare.endswith("." + known)), "")
