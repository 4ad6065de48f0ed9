"""Pages and look-alikes of providers that several contracts are tested with."""

from __future__ import annotations

import json
import threading
from typing import Any

from miniweb import MiniWeb, Reply


def article(title: str, *parts: str, head: str = "", say: str = "is explained here in enough words to count") -> str:
    body = "".join(f"<h2>{part}</h2><p>{f'{part} {say}. ' * 12}</p>" for part in parts)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body><nav><a href=/>Home</a></nav>"
        f"<main><article><h1>{title}</h1><p>{'An introduction with a few sentences. ' * 6}</p>{body}"
        "</article></main><footer>Imprint</footer></body></html>"
    )


def as_json(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value), status, {"Content-Type": "application/json"})


class Lookalike:
    """A provider's address on loopback: remembers what it was asked, answers as told."""

    def __init__(self, web: MiniWeb, host: str, path: str, answer: Any) -> None:
        self.site = web.site(host)
        self.answer = answer
        self.asked: list[dict[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self.site.route(path, self._reply)

    def url(self, path: str = "") -> str:
        return self.site.loopback_url(path)

    def _reply(self, request: Any) -> Reply:
        self.asked.append({name: values[0] for name, values in request.query.items()})
        self.headers.append(request.headers)
        made = self.answer(self.asked[-1]) if callable(self.answer) else self.answer
        return made if isinstance(made, Reply) else as_json(made)


def brave(web: MiniWeb, answer: Any) -> Lookalike:
    return Lookalike(web, "brave.example", "/res/v1/*", answer)


def brave_env(made: Lookalike) -> dict[str, str]:
    return {"BRAVE_API_KEY": "brave-key", "MCP_WEB_BRAVE_URL": made.url("/res/v1")}


def brave_answer(*urls: str, more: bool = False) -> dict[str, Any]:
    rows = [
        {
            "title": f"Page {at}",
            "url": url,
            "description": f"About page {at}.",
            "page_age": "2024-02-20T10:00:00",
            "extra_snippets": ["One more."],
            "meta_url": {"hostname": "www.imdb.com"},
        }
        for at, url in enumerate(urls)
    ]
    return {"type": "search", "query": {"original": "q", "more_results_available": more}, "web": {"results": rows}}


def searxng(web: MiniWeb, answer: Any, host: str = "searx.example") -> Lookalike:
    return Lookalike(web, host, "/search", answer)


def searxng_answer(*urls: str) -> dict[str, Any]:
    rows = [
        {
            "title": f"Page {at}",
            "url": url,
            "content": f"About page {at}.",
            "engines": ["duckduckgo", "google"],
            "engine": "duckduckgo",
            "score": 10 - at,
        }
        for at, url in enumerate(urls)
    ]
    return {"query": "q", "number_of_results": 8450, "results": rows, "answers": [], "infoboxes": [],
            "suggestions": [], "unresponsive_engines": []}  # fmt: skip


def google_answer(asked: dict[str, str], total: int = 60) -> dict[str, Any]:
    first, size = int(asked.get("start", "1")), int(asked.get("num", "10"))
    rows = [
        {
            "kind": "customsearch#result",
            "title": f"Result {number}",
            "link": f"https://site{number}.example/page",
            "displayLink": f"site{number}.example",
            "snippet": f"Snippet number {number} about {asked['q']}.",
            "pagemap": {"metatags": [{"og:title": f"Result {number}"}]},
        }
        for number in range(first, min(first + size, total + 1))
    ]
    queries: dict[str, Any] = {"request": [{"searchTerms": asked["q"], "count": len(rows), "startIndex": first}]}
    if first + size <= total:
        queries["nextPage"] = [{"startIndex": first + size}]
    return {
        "kind": "customsearch#search",
        "url": {"type": "application/json"},
        "queries": queries,
        "context": {"title": "cx"},
        "searchInformation": {"searchTime": 0.2, "totalResults": str(total)},
        "items": rows,
    }
