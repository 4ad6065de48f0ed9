"""OpenAlex: scholarly works of all fields, with open copies, citations and retractions."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Params, Provider, date_range, joined, source_capabilities
from mcp_web.search.refusals import retry_after
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, items, mapping, text
from mcp_web.text.papers import inverted_abstract

_FIELDS = (
    "id,doi,display_name,publication_date,authorships,primary_location,best_oa_location,"
    "cited_by_count,is_retracted,abstract_inverted_index"
)
_KEY_FIX = "Set OPENALEX_API_KEY to a free key from https://openalex.org/settings/api."
_MOST_WORDS = 200  # of an abstract


class OpenAlex(Provider):
    capabilities = source_capabilities("openalex", {"science"}, dated=True, max_count=100, rate=5)
    label = "OpenAlex"
    address = "https://api.openalex.org"
    path = "/works"
    rows_at = ("results",)
    total_at = ("meta", "count")

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        dates = f"from_publication_date:{span[0]},to_publication_date:{span[1]}" if span else ""
        return {
            "search": query.text,
            "per-page": str(query.count),
            "page": str(query.page + 1),
            "filter": dates,
            "select": _FIELDS,
        }

    def identity(self) -> Params:
        return {"mailto": self.access.contact, "api_key": self.access.key}

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a 403 or 429: the day's allowance is used up, or the request rate is limited."""
        if response.status not in (403, 429):
            return
        message = text(answer.get("message")).lower()
        if response.header("x-ratelimit-remaining") == "0" or "insufficient" in message or "budget" in message:
            raise ProviderRefused(
                "quota",
                "OpenAlex has no allowance left for today.",
                retry_after=retry_after(response),
                fix=None if self.access.key else _KEY_FIX,
            )
        raise self.limited(f"status {response.status}", retry_after(response))

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        place, open_copy = mapping(row.get("primary_location")), mapping(row.get("best_oa_location"))
        names = [text(mapping(one.get("author")).get("display_name")) for one in items(row.get("authorships"))[:3]]
        cited = count(row.get("cited_by_count"))
        copy = text(open_copy.get("pdf_url")) or text(open_copy.get("landing_page_url"))
        facts = joined(
            ", ".join(filter(None, names)),
            f"cited {amount(cited, 'time')}" if cited else "",
            f"open copy {copy}" if copy else "",
        )
        return make_hit(
            f"{'RETRACTED: ' if row.get('is_retracted') is True else ''}{text(row.get('display_name'))}",
            row.get("doi") or place.get("landing_page_url") or row.get("id"),
            joined(inverted_abstract(row.get("abstract_inverted_index"), _MOST_WORDS), facts),
            date=row.get("publication_date"),
            source=mapping(place.get("source")).get("display_name"),
        )
