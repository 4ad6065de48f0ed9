"""Plans a search: which providers are asked for which pages, and how missing filters are replaced. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from mcp_web.errors import InvalidInput
from mcp_web.model.search import Category, SearchQuery
from mcp_web.search.dates import span_of
from mcp_web.search.options import SOURCE_NAMES, SearchOptions
from mcp_web.search.provider import Capabilities, Filter
from mcp_web.search.providers import LAST_RESORT, REGISTRY
from mcp_web.search.result_filter import ResultFilter

_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?$")
_COUNTRY = re.compile(r"^[A-Za-z]{2}$")
_NOMINAL = 10  # results on a page of a provider that chooses the size itself
_OPERATORS = 10  # more site: operators than this and engines begin to ignore the query


@dataclass(frozen=True, slots=True)
class Selection:
    """The names of the providers that one search asks, and whether one after the other or all at once."""

    names: tuple[str, ...]
    how: Literal["failover", "together"]  # one after the other until one answers, or all at once, merged
    intended: frozenset[str] = frozenset()  # named in the call or set up by the operator; the others are a last resort
    beside: tuple[str, ...] = ()  # official sources, asked at the same time as `names`


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request to a provider: its page number, the page size, and how many of its first results to skip."""

    page: int
    size: int
    skip: int = 0


@dataclass(frozen=True, slots=True)
class AdaptedQuery:
    """A query reduced to what one provider supports, the requests that get its results, a filter to apply to the
    results, and notes for the agent about what the provider cannot do."""

    query: SearchQuery
    page_requests: tuple[PageRequest, ...]
    result_filter: ResultFilter
    notes: tuple[str, ...]


def check(query: SearchQuery) -> None:
    """Raise InvalidInput for a query without words, or with an invalid language, country or time range."""
    if not query.text.strip():
        raise InvalidInput("The query is empty.", suggestion="Say what to search for.")
    if query.language and not _LANGUAGE.match(query.language):
        message = f"language is {query.language!r}, which is not a language code."
        raise InvalidInput(message, suggestion="Use en or en-US.")
    if query.country and not _COUNTRY.match(query.country):
        message = f"country is {query.country!r}, which is not a country code."
        raise InvalidInput(message, suggestion="Use two letters: US.")
    if query.freshness is None:
        return
    try:
        first, last = span_of(query.freshness, date.today())
    except ValueError:
        first, last = date.max, date.min
    if first > last:
        raise InvalidInput(
            f"freshness is {query.freshness!r}, which is not a time range.",
            suggestion="Use day, week, month, year, or a range such as 2026-01-01..2026-03-31.",
            parameter="freshness",
        )


def select(
    wanted: str | Sequence[str], options: SearchOptions, category: Category, today: date, *, fitting: Sequence[str] = ()
) -> Selection:
    """Select the providers that a call names (`wanted`); for `auto`, the usable ones in order of preference.

    `fitting` are the official sources for this query: `auto` asks those that are allowed, beside general providers.
    Raises InvalidInput for a name that is unknown or not allowed.
    """
    named = [wanted] if isinstance(wanted, str) else list(wanted)
    names = list(dict.fromkeys(part.strip().lower() for one in named for part in one.split(",") if part.strip()))
    if not names or names == ["auto"]:
        preferred = _preferred(options, category, today)
        set_up = frozenset(name for name in preferred if options.providers or options.is_set_up(name))
        allowed = set(options.available).intersection(options.providers or options.available)
        beside = tuple(name for name in fitting if name in allowed)
        general = tuple(name for name in preferred if name not in beside)
        return Selection(general, "failover", set_up or frozenset(preferred), beside)
    for name in names:
        if name == "auto":
            raise InvalidInput(
                "auto selects the providers itself and cannot be combined with others.",
                suggestion="Use auto alone, or name the providers without it.",
            )
        if name not in REGISTRY:
            near = difflib.get_close_matches(name, [*REGISTRY, "auto"], n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise InvalidInput(
                f"There is no search provider named {name!r}.{hint}",
                suggestion=f"Use auto, or one or several of: {', '.join(REGISTRY)}.",
            )
        if options.withholds(name):
            raise InvalidInput(
                f"The provider {name} is not asked here: searches go to the configured SearXNG only.",
                suggestion="Use searxng or auto. "
                f"The operator allows {name} by listing it in MCP_WEB_SEARCH_PROVIDERS.",
            )
    return Selection(tuple(names), "together" if len(names) > 1 else "failover", frozenset(names))


def adapt(query: SearchQuery, capabilities: Capabilities, today: date) -> AdaptedQuery:
    """Plan one query to one provider: reduced to what it supports, with the requests to send, a filter for the results
    that replaces missing filters, and notes for the agent. `today` is for relative time ranges."""
    query = replace(query, include_domains=_bare(query.include_domains), exclude_domains=_bare(query.exclude_domains))
    cannot: list[str] = []
    changes: dict[str, object] = {}
    if query.category not in capabilities.categories:
        changes["category"] = "general"
        cannot.append(f"category {query.category} (general was searched)")
    changes["freshness"], exact = _freshness(query.freshness, capabilities, today)
    if not exact:
        cannot.append("this freshness exactly (dates were compared afterwards)")
    for part, unset in _PLAIN.items():
        if (getattr(query, part) or unset) != unset and part not in capabilities.native:
            changes[part] = unset
            cannot.append(part)
    operators, too_many = _site_operators(query, capabilities)
    if too_many:
        cannot.append("this many domains as operators (the results were filtered afterwards)")
    text, shortened = _shortened(query.text, capabilities, operators)
    name = capabilities.name
    notes = [f"{name} cannot apply {', '.join(cannot)}."] if cannot else []
    if shortened:
        most = f"{capabilities.max_words} words and {capabilities.max_chars} characters"
        notes.append(f"{name} takes {most}; the query was cut.")
    page_requests = _page_requests(capabilities, query.page, query.count)
    if page_requests and sum(page_request.size - page_request.skip for page_request in page_requests) < query.count:
        notes.append(f"{name} returns fewer results on this page than requested.")
    span = span_of(query.freshness, today) if query.freshness else None
    result_filter = ResultFilter(query.include_domains, query.exclude_domains, span, drop_undated=not exact)
    return AdaptedQuery(replace(query, text=text, **changes), page_requests, result_filter, tuple(notes))  # type: ignore[arg-type]  # names are fields


# Filters without a substitute, and the value that means "not set".
_PLAIN: dict[Filter, object] = {
    "safe_search": "moderate",
    "language": None,
    "country": None,
    "extra_snippets": False,
    "goggles": (),
}


def _preferred(options: SearchOptions, category: Category, today: date) -> tuple[str, ...]:
    """The providers that `auto` asks for this category, by name and in order, without those that ended by `today`."""
    if options.providers:  # all of them: one that lacks its key says so among the attempted
        ordered = [name for name in options.providers if name in REGISTRY]
    else:
        set_up = [name for name in REGISTRY if options.is_set_up(name)]
        own = ["searxng"] if options.searxng_urls else []
        ordered = [name for name in (*own, *set_up, *LAST_RESORT) if name in options.available]
    found: list[tuple[bool, str]] = []
    for name in dict.fromkeys(ordered):
        capabilities = REGISTRY[name].capabilities
        other = category not in capabilities.categories
        if (capabilities.ends is None or today < capabilities.ends) and not (other and name in SOURCE_NAMES):
            found.append((other, name))
    # A provider that supports the category comes before one that would search everything instead.
    return tuple(name for _, name in sorted(found, key=lambda pair: pair[0]))


def _freshness(freshness: str | None, capabilities: Capabilities, today: date) -> tuple[str | None, bool]:
    """The freshness filter to send (None: none), and whether it is exactly the requested one.

    A range that the provider does not support becomes the shortest named one ("week") that contains it.
    """
    if freshness is None:
        return None, True
    if ".." not in freshness:
        return (freshness, True) if "freshness" in capabilities.native else (None, False)
    if "freshness_range" in capabilities.native:
        return freshness, True
    first, _ = span_of(freshness, today)
    # The fewest days that engines mean by a name, so that it contains the range; `span_of` has the most.
    reach = {"day": 1, "week": 7, "month": 30, "year": 365}
    wide = next((name for name, days in reach.items() if first >= today - timedelta(days=days)), None)
    return (wide if "freshness" in capabilities.native else None), False


def _bare(domains: tuple[str, ...]) -> tuple[str, ...]:
    """The domains in lower case without scheme, `*.`, `www.` and slash, each once; empty ones are left out."""
    plain = (domain.strip().lower().rpartition("://")[2] for domain in domains)
    bare = (one.removeprefix("*.").removeprefix("www.").strip("/") for one in plain)
    return tuple(dict.fromkeys(filter(None, bare)))


def _site_operators(query: SearchQuery, capabilities: Capabilities) -> tuple[str, bool]:
    """The `site:` operators for the domain filters that the provider has no parameter for, and False; or "" and True if
    these are more than ten, or would leave the query less than half of what the provider takes."""
    include = () if "include_domains" in capabilities.native else query.include_domains
    exclude = () if "exclude_domains" in capabilities.native else query.exclude_domains
    if len(include) + len(exclude) > _OPERATORS:
        return "", True
    sites = " OR ".join(f"site:{domain}" for domain in include)
    wanted = f" ({sites})" if len(include) > 1 else f" {sites}" if sites else ""
    operators = wanted + "".join(f" -site:{domain}" for domain in exclude)
    chars, words = capabilities.max_chars, capabilities.max_words
    room, words_room = max(chars // 2, chars - len(query.text)), max(words // 2, words - len(query.text.split()))
    too_long = len(operators) > room or len(operators.split()) > words_room
    return ("", True) if too_long else (operators, False)


def _shortened(text: str, capabilities: Capabilities, operators: str) -> tuple[str, bool]:
    """The text with the operators appended, cut to the provider's limits, and whether some of the text was cut off."""
    text = text.strip()
    words = text.split()
    words_left = capabilities.max_words - len(operators.split())
    cut = " ".join(words[:words_left]) if len(words) > words_left else text
    cut = cut[: capabilities.max_chars - len(operators)].rstrip()
    if cut != text and cut.count('"') % 2:  # a phrase that was cut must not include the operators
        cut = cut[: capabilities.max_chars - len(operators) - 1] + '"'
    return cut + operators, cut != text


def _page_requests(capabilities: Capabilities, page: int, count: int) -> tuple[PageRequest, ...]:
    """The requests for page `page` (from 0) of `count` results, in the provider's own pages; none beyond its last."""
    first = page * count
    if capabilities.paging == "deeper":
        size = min(first + count, capabilities.max_count)
        return (PageRequest(0, size, first),) if size > first else ()
    if capabilities.paging == "fixed":
        each = -(-count // _NOMINAL)
        pages = range(page * each, min((page + 1) * each, capabilities.max_pages))
        return tuple(PageRequest(number, _NOMINAL) for number in pages)
    size = min(count, capabilities.max_count)
    start, skip = divmod(first, size)
    last = -(-(first + count) // size)
    pages = range(start, min(last, capabilities.max_pages))
    return tuple(PageRequest(at, size, skip if at == start else 0) for at in pages)
