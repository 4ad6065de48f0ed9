"""Chooses the official sources for a query: by its category, its domains or its words. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from mcp_web.model.search import Category, SearchQuery
from mcp_web.search.reply import Reply

_BY_CATEGORY: dict[Category, tuple[str, ...]] = {
    "science": ("openalex", "crossref", "arxiv", "europepmc"),
    "it": ("stackexchange", "github", "hackernews"),
    "files": ("internetarchive",),
    "music": ("internetarchive",),
}
_BY_DOMAIN: dict[str, str] = {
    "wikipedia.org": "wikipedia",
    "wikidata.org": "wikidata",
    "openalex.org": "openalex",
    "doi.org": "crossref",
    "arxiv.org": "arxiv",
    "datacite.org": "datacite",
    "zenodo.org": "datacite",
    "europepmc.org": "europepmc",
    "stackoverflow.com": "stackexchange",
    "stackexchange.com": "stackexchange",
    "serverfault.com": "stackexchange",
    "superuser.com": "stackexchange",
    "askubuntu.com": "stackexchange",
    "mathoverflow.net": "stackexchange",
    "github.com": "github",
    "news.ycombinator.com": "hackernews",
    "archive.org": "internetarchive",
    "pypi.org": "pypi",
    "npmjs.com": "npm",
    "crates.io": "crates",
}
# Patterns of queries for a source: an identifier, the name of the source, or words of its subject.
_BY_LOOK: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\b10\.\d{4,9}/\S+", ("crossref", "openalex")),
    (r"\barxiv\b|\b\d{4}\.\d{4,5}(?:v\d+)?\b", ("arxiv",)),
    (r"\bpmid\b|\bPMC\d{5,}\b|\bpubmed\b|\bclinical trials?\b|\brandomi[sz]ed controlled\b", ("europepmc",)),
    (
        r"\bpreprints?\b|\bet al\b|\bsystematic review\b|\bmeta-analysis\b|\b(?:research|journal) (?:paper|article)",
        ("openalex", "arxiv"),
    ),
    (r"\bdatacite\b|\bzenodo\b|\b(?:research )?datasets? (?:of|on|for|about)\b", ("datacite",)),
    (r"^Q\d+$|\bwikidata\b", ("wikidata",)),
    (r"\bwikipedia\b|^(?:who|what) (?:is|was|are|were) ", ("wikipedia",)),
    (
        r"\bstack ?overflow\b|\b(?-i:\w+(?:Error|Exception))\b|\btraceback\b|\bsegmentation fault\b",
        ("stackexchange", "github"),
    ),
    (r"\bgithub\b|^[a-z][\w-]*/[\w.-]+$", ("github",)),
    (r"\bhacker ?news\b|\b(?:show|ask) hn\b", ("hackernews",)),
    (r"\bpypi\b|\bpip install\b", ("pypi",)),
    (r"\bnpm\b|\bnode package\b", ("npm",)),
    (r"\bcargo add\b|\bcrates?\.io\b|\brust crates?\b", ("crates",)),
    (r"\binternet archive\b", ("internetarchive",)),
)
_LOOKS = tuple((re.compile(pattern, re.IGNORECASE), names) for pattern, names in _BY_LOOK)
_MOST_BESIDE = 3  # results of a source beside a general search: enough to be noticed, too few to displace it


def fitting_sources(query: SearchQuery) -> tuple[str, ...]:
    """The names of the official sources for a query; if it is limited to domains, those of these domains."""
    if query.include_domains:
        named = [_source_of(domain) for domain in query.include_domains]
    elif query.category == "general":
        named = _looks_like(query.text)
    else:
        named = list(_BY_CATEGORY.get(query.category, ()))
        if query.category == "it":
            named += [name for name in _looks_like(query.text) if name in ("pypi", "npm", "crates")]
    return tuple(dict.fromkeys(name for name in named if name))


def beside_general(reply: Reply, query: SearchQuery) -> Reply:
    """The reply of a source, cut to a few results unless the query is for its category or limited to domains."""
    own = query.category in reply.capabilities.categories and query.category != "general"
    if own or query.include_domains:
        return reply
    return replace(reply, page=replace(reply.page, hits=reply.page.hits[:_MOST_BESIDE], more=False))


def _looks_like(words: str) -> list[str]:
    """The sources whose pattern the words of a query match."""
    return [name for look, names in _LOOKS if look.search(words) for name in names]


def _source_of(domain: str) -> str:
    """The source of a domain and its subdomains; "" if there is none."""
    bare = domain.lower().partition("://")[2] or domain.lower()
    bare = bare.strip("/").removeprefix("*.").removeprefix("www.")
    return next((name for known, name in _BY_DOMAIN.items() if bare == known or bare.endswith("." + known)), "")
