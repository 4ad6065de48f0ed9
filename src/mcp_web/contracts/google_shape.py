"""Google's Custom Search JSON: joins its pages, and writes the answers of other providers in its format. Pure."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.errors import WebError
from mcp_web.model.search import Hit, SearchAnswer

# Fields that are left out of an answer that is too large, most first.
OPTIONAL = (("pagemap", "htmlTitle", "htmlSnippet", "htmlFormattedUrl", "formattedUrl"), ("pagemap",), ())


def joined(pages: Any, count: int) -> dict[str, Any]:
    """Google's own answer (JSON) with at most `count` items; of a list of pages the first, with the items of all."""
    listed: Sequence[Mapping[str, Any]] = pages if isinstance(pages, list) else [pages]
    whole = dict(listed[0]) if listed else {}
    items = [item for page in listed for item in page.get("items", ())]
    if items:
        whole["items"] = items[:count]
    if len(listed) > 1 and isinstance(whole.get("queries"), dict):
        last = listed[-1].get("queries", {})
        asked = [{**one, "count": len(whole.get("items", ()))} for one in whole["queries"].get("request", ())]
        whole["queries"] = {"request": asked} | ({"nextPage": last["nextPage"]} if "nextPage" in last else {})
    return whole


def in_google_format(found: SearchAnswer) -> dict[str, Any]:
    """Another provider's answer in Google's format, with a `note` that names the provider."""
    query, seconds = found.query, found.elapsed_ms / 1000
    total = str(max(found.total or 0, len(found.hits)))
    request = {
        "title": f"{found.provider} - {query.text}",
        "totalResults": total,
        "searchTerms": query.text,
        "count": len(found.hits),
        "startIndex": 1,
        "inputEncoding": "utf8",
        "outputEncoding": "utf8",
        "safe": "off" if query.safe_search == "off" else "active",  # moderate and strict are both active
    }
    queries: dict[str, Any] = {"request": [request]}
    if found.more_results:
        queries["nextPage"] = [request | {"startIndex": len(found.hits) + 1}]
    return {
        "kind": "customsearch#search",
        "queries": queries,
        "context": {"title": found.provider},
        "searchInformation": {
            "searchTime": round(seconds, 3),
            "formattedSearchTime": f"{seconds:.2f}",
            "totalResults": total,
            "formattedTotalResults": f"{int(total):,}",
        },
        **({"items": [_item(hit) for hit in found.hits]} if found.hits else {}),
        "note": f"Results of {found.provider} in the shape of Google's Custom Search JSON API.",
    }


def _item(hit: Hit) -> dict[str, Any]:
    """A hit as one of the items in Google's JSON."""
    made: dict[str, Any] = {
        "kind": "customsearch#result",
        "title": hit.title,
        "htmlTitle": html.escape(hit.title, quote=False),
        "link": hit.url,
        "displayLink": hit.domain,
        "snippet": hit.snippet,
        "htmlSnippet": html.escape(hit.snippet, quote=False),
        "formattedUrl": hit.url,
        "htmlFormattedUrl": html.escape(hit.url, quote=False),
    }
    tags = [{"article:published_time": hit.published}] if hit.published else []
    images = [{"src": hit.thumbnail}] if hit.thumbnail else []
    pagemap = ({"metatags": tags} if tags else {}) | ({"cse_thumbnail": images} if images else {})
    return made | ({"pagemap": pagemap} if pagemap else {})


def refusal(error: WebError) -> dict[str, Any]:
    """A failed query as Google's error object, with the HTTP status that Google would send."""
    status = {"SEARCH_RATE_LIMITED": 429, "SEARCH_AUTH_ERROR": 403, "INVALID_INPUT": 400}.get(error.code, 503)
    return {
        "error": {
            "code": status,
            "message": f"{error.message} {error.suggestion}",
            "status": error.code,
            "errors": [{"message": error.message, "domain": "global", "reason": error.code}],
        }
    }


def without(data: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The answer to all queries without these fields of the items, which a note says; unchanged without names."""
    if not names:
        return data
    note = f"Without {', '.join(names)}, for the answer's size."
    rows = []
    for one in data["queries"]:
        result = one["result"]
        if "items" in result:
            items = [{key: value for key, value in item.items() if key not in names} for item in result["items"]]
            result = {**result, "items": items, "note": note}
        rows.append({**one, "result": result})
    return {"queries": rows}
