"""Wikipedia: articles by full-text search, in the edition of the query's language."""

from __future__ import annotations

import re
from urllib.parse import quote

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Params, Provider, offset, source_capabilities
from mcp_web.search.refusals import retry_after
from mcp_web.text.json_fields import JsonObject, mapping, text

# A closed list: what a caller passes as language becomes part of a host name only if it is one of these.
EDITIONS = re.compile(
    "ar|az|bg|bn|ca|cs|da|de|el|en|eo|es|et|eu|fa|fi|fr|gl|he|hi|hr|hu|hy|id|it|ja|ka|kk|ko|lt|lv|mk|ms|nl|nn|no|pl|pt|ro|"
    "ru|simple|sk|sl|sr|sv|ta|te|th|tr|uk|ur|uz|vi|zh"
)
_LIMITED = ("ratelimited", "maxlag")


class Wikipedia(Provider):
    capabilities = source_capabilities("wikipedia", {"general"}, language=True, rate=2)
    label = "Wikipedia"
    address = "https://{language}.wikipedia.org"
    path = "/w/api.php"
    rows_at = ("query", "search")
    total_at = ("query", "searchinfo", "totalhits")
    more_at = ("continue", "sroffset")
    suggestion_at = ("query", "searchinfo", "suggestion")

    def url(self, query: SearchQuery) -> str:
        return self._site(query) + self.path

    def params(self, query: SearchQuery) -> Params:
        return {
            "action": "query",
            "list": "search",
            "srsearch": query.text,
            "srlimit": str(query.count),
            "sroffset": offset(query),
            "srprop": "snippet|timestamp",
            "srinfo": "totalhits|suggestion",
            "format": "json",
            "formatversion": "2",
        }

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        refuse_mediawiki(self, response, answer)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        title = text(row.get("title"))
        url = f"{self._site(query)}/wiki/{quote(title.replace(' ', '_'), safe='/:(),')}" if title else None
        return make_hit(title, url, row.get("snippet"), date=row.get("timestamp"))

    def _site(self, query: SearchQuery) -> str:
        """The address of the Wikipedia edition that the query names by one of its domains or its language; else of the
        English one."""
        domains = (domain.removesuffix(".wikipedia.org") for domain in query.include_domains)
        named = (*domains, (query.language or "").partition("-")[0].lower())
        return self.access.base.replace("{language}", next((one for one in named if EDITIONS.fullmatch(one)), "en"))


def refuse_mediawiki(source: Provider, response: HttpResponse, answer: JsonObject) -> None:
    """Raise ProviderRefused if MediaWiki limits the rate or fails, which it reports with status 200 and an error code;
    `source` is the provider for the message."""
    code = text(mapping(answer.get("error")).get("code"))
    if code in _LIMITED:
        raise source.limited(code, retry_after(response))
    if code == "readonly" or code.startswith("internal_api_error"):
        raise ProviderRefused("error", f"{source.label} failed with {code}.")
