"""What the contracts that search share: the choice of a provider, Brave's parameters, the answer to one query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mcp_web.app import App
from mcp_web.errors import InvalidInput, WebError
from mcp_web.model.search import SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.services.search_web import Searched, search_web
from mcp_web.tools.call import Call

WHOLE = 1_200  # characters of a snippet: at least as many as a provider sends
_BRAVE_WORDS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
# Brave's codes of languages that differ from ours.
_LANGUAGES = {"jp": "ja", "zh-hans": "zh-CN", "zh-hant": "zh-TW", "pt-br": "pt-BR", "pt-pt": "pt-PT", "en-gb": "en-GB"}
_BRAVE_RANGE = re.compile(r"^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$")


def searxng_or_auto(app: App) -> str:
    """The provider for contracts of SearXNG clients: "auto" if the operator configured providers, else "searxng"."""
    return "auto" if app.settings.of(SearchOptions).providers else "searxng"


def provider_or_auto(app: App, name: str) -> str:
    """The given provider, which must be a known one, if it can be asked and is still in operation; else "auto"."""
    from mcp_web.search.providers import REGISTRY

    ends = REGISTRY[name].capabilities.ends
    is_open = ends is None or datetime.now(UTC).date() < ends
    return name if is_open and app.settings.of(SearchOptions).can_ask(name) else "auto"


async def ask(
    call: Call, query: SearchQuery, provider: str, *, raw: bool = False, fetch_content: bool = False
) -> Searched:
    """Search for one query, report progress and note the cache state for the log. Raises WebError. `raw` adds the
    providers' own JSON, `fetch_content` opens the pages of the results."""
    call.report("searching")
    (answer,) = await search_web(
        call.app,
        [query],
        provider,
        raw=raw,
        fetch_content=fetch_content,
        deadline=call.deadline,
        on_progress=call.report,
    )
    if isinstance(answer, WebError):
        raise answer
    call.log_search(answer.found.cache)
    return answer


def brave_query(args: Mapping[str, Any], **more: Any) -> SearchQuery:
    """The query that parameters of Brave's API ask for; `more` are further fields of it. Raises InvalidInput for an
    invalid `freshness`."""
    country, language = args.get("country") or "", args.get("search_lang") or ""
    return SearchQuery(
        args["query"],
        page=args.get("offset") or 0,
        language=_LANGUAGES.get(language.lower(), language) or args.get("ui_lang") or None,
        ui_language=args.get("ui_lang"),
        snippet_chars=WHOLE,
        country=None if country.upper() in ("", "ALL") else country.upper(),
        freshness=_freshness(args.get("freshness") or ""),
        safe_search=args["safesearch"],
        extra_snippets=bool(args.get("extra_snippets")),
        **more,
    )


def _freshness(given: str) -> str | None:
    """Brave's pd, pw, pm, py or date range as our `freshness`; None for "". Raises InvalidInput for other text."""
    if found := _BRAVE_RANGE.match(given):
        return f"{found[1]}..{found[2]}"
    if given and given not in _BRAVE_WORDS:
        raise InvalidInput(
            f"freshness is {given!r}, but it must be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD.", parameter="freshness"
        )
    return _BRAVE_WORDS.get(given)
