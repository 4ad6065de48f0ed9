"""Europe PMC: the life sciences, all of PubMed and preprints included."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, date_range, joined, source_capabilities
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, mapping, text


class EuropePmc(Provider):
    capabilities = source_capabilities("europepmc", {"science"}, dated=True, max_count=100, paging="deeper", rate=3)
    label = "Europe PMC"
    address = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    path = "/search"
    rows_at = ("resultList", "result")
    total_at = ("hitCount",)

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        dates = f" AND FIRST_PDATE:[{span[0]} TO {span[1]}]" if span else ""
        return {
            "query": f"({query.text}){dates}" if dates else query.text,
            "format": "json",
            "resultType": "core",
            "pageSize": str(query.count),
        }

    def identity(self) -> Params:
        return {"email": self.access.contact}

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        source, identifier = text(row.get("source")), text(row.get("id"))
        cited = count(row.get("citedByCount"))
        kinds = mapping(row.get("pubTypeList")).get("pubType")
        retracted = isinstance(kinds, list) and "retracted publication" in [str(kind).lower() for kind in kinds]
        return make_hit(
            f"{'RETRACTED: ' if retracted else ''}{text(row.get('title'))}",
            f"https://europepmc.org/article/{source}/{identifier}" if source and identifier else None,
            joined(
                text(row.get("abstractText")),
                text(row.get("authorString")),
                f"cited {amount(cited, 'time')}" if cited else "",
                f"doi:{row['doi']}" if text(row.get("doi")) else "",
                "open access" if row.get("isOpenAccess") == "Y" else "",
            ),
            date=row.get("firstPublicationDate"),
            source=mapping(mapping(row.get("journalInfo")).get("journal")).get("title"),
        )
