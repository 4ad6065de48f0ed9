"""What the contracts that search share: the choice of a provider, and the answer or error of one query."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from mcp_web.app import App
from mcp_web.errors import InvalidInput, WebError
from mcp_web.model.search import SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.services.search_web import Searched, search_web
from mcp_web.tools.call import Call

WHOLE = 1_200  # characters of a snippet: at least as many as a provider sends
_BRAVE_WORDS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
_BRAVE_RANGE = re.compile(r"^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$")


def provider_or_auto(app: App, name: str) -> str:
    """The given provider, which must be a known one, if it can be asked and is still in operation; else "auto"."""
    from mcp_web.search.providers import REGISTRY

    ends = REGISTRY[name].capabilities.ends
    is_open = ends is None or datetime.now(UTC).date() < ends
    return name if is_open and app.settings.of(SearchOptions).can_ask(name) else "auto"


async def ask(
    call: Call, query: SearchQuery, provider: str, *, raw: bool = False, fetch_content: bool = False
) -> Searched:
    """Search for one query, with progress and a log entry; raises the WebError of a failed search.

    `raw` adds the providers' own JSON, and `fetch_content` the page of each hit.
    """
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


def brave_freshness(given: str | None) -> str | None:
    """Brave's pd, pw, pm, py or date range as our `freshness`; None without one. Raises InvalidInput for other text."""
    if not given:
        return None
    if found := _BRAVE_RANGE.match(given):
        return f"{found[1]}..{found[2]}"
    if given not in _BRAVE_WORDS:
        raise InvalidInput(
            f"freshness is {given!r}, but it must be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD.", parameter="freshness"
        )
    return _BRAVE_WORDS[given]


def brave_language(search_lang: str | None, ui_lang: str | None = None) -> str | None:
    """Brave's `search_lang` as our language; `ui_lang` if it is not given, and None without either.

    Only codes that differ from ours are changed; any other text is returned as it is.
    """
    if not search_lang:
        return ui_lang or None
    known = {"jp": "ja", "zh-hans": "zh-CN", "zh-hant": "zh-TW", "pt-br": "pt-BR", "pt-pt": "pt-PT", "en-gb": "en-GB"}
    return known.get(search_lang.lower(), search_lang)


def brave_country(given: str | None) -> str | None:
    """Brave's country code as ours, in upper case; None for ALL and without one."""
    return None if not given or given.upper() == "ALL" else given.upper()
