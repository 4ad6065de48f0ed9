"""Hacker News: discussions, through the search API of Algolia."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, date_range, epoch, joined, source_capabilities
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, text


class HackerNews(Provider):
    # Ten thousand requests an hour are allowed.
    capabilities = source_capabilities("hackernews", {"it"}, dated=True, max_count=100, rate=2)
    label = "Hacker News"
    address = "https://hn.algolia.com"
    path = "/api/v1/search"
    rows_at = ("hits",)
    total_at = ("nbHits",)

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        dates = f"created_at_i>={epoch(span[0])},created_at_i<={epoch(span[1])}" if span else ""
        return {
            "query": query.text,
            "tags": "story",
            "hitsPerPage": str(query.count),
            "page": str(query.page),
            "numericFilters": dates,
        }

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        return query.page + 1 < (count(answer.get("nbPages")) or 0)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        identifier = text(row.get("objectID"))
        points, comments = count(row.get("points")) or 0, count(row.get("num_comments")) or 0
        facts = f"{amount(points, 'point')}, {amount(comments, 'comment')}"
        about = f"about {row['url']}" if text(row.get("url")) else ""
        return make_hit(
            row.get("title"),
            f"https://news.ycombinator.com/item?id={identifier}" if identifier else row.get("url"),
            joined(facts, about, text(row.get("story_text"))),
            date=row.get("created_at"),
            source=row.get("author"),
        )
