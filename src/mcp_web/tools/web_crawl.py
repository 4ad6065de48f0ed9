"""The tool web_crawl: add a documentation site to the archive as a collection."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mcp_web.text.amounts import amount
from mcp_web.text.untrusted import one_line
from mcp_web.text.urls import host_of
from mcp_web.tools.call import Call
from mcp_web.tools.page_view import continued
from mcp_web.tools.tool import Answer, Param, Tool, changed_arguments

if TYPE_CHECKING:
    from mcp_web.services.crawl_site import CrawlReport

_FAILURES = 5  # shown


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.crawl_site import crawl_site

    collection = args["collection"] or host_of(args["url"])
    call.report(f"crawling {args['url']}", 0, args["max_pages"])
    report = await crawl_site(
        call.app,
        args["url"],
        prefix=args["prefix"],
        max_pages=args["max_pages"],
        max_depth=args["max_depth"],
        tags=(collection,),
        exclude=tuple(args["exclude"] or ()),
        deadline=call.deadline - 2.0,
        on_progress=call.report,
    )
    failed = [{"url": url, "reason": reason} for url, reason in report.failed]
    data = {"collection": collection, **asdict(report), "failed": failed, "notes": call.notes}
    return Answer(data, _text(call, args, report, collection), {"pages": report.pages, "left": report.left})


def _text(call: Call, args: dict[str, Any], report: CrawlReport, collection: str) -> str:
    name = json.dumps(collection, ensure_ascii=False)
    counts = f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {len(report.failed)} failed"
    lines = [f"Visited {amount(report.pages, 'page')} into the collection {name}: {counts}."]
    if report.failed:
        shown = (f"{url}: {one_line(reason)}" for url, reason in report.failed[:_FAILURES])
        lines.append(call.envelope.wrap("\n".join(shown)))
    if report.left:
        more = changed_arguments(TOOL.params, args, "url", "collection", "max_pages")
        again = continued("web_crawl()", url=args["url"], collection=collection, **more)
        lines.append(f"{report.left} known pages are left; to continue, repeat: {again}")
    lines.append(f'search it: archive_search(query="…", collection={name})')
    return "\n".join(lines)


TOOL = Tool(
    name="web_crawl",
    title="Add a site to the archive",
    description=(
        "Visits the pages of a documentation site below an address, by its sitemap, its llms.txt and its links, within "
        "robots.txt and rate limits, and keeps them as a collection for archive_search. Use it when you expect several "
        "questions about one library. Pages kept before are fetched only if they changed. What does not fit into one "
        "call is left: repeat the call to continue. Returns counts, failures and the next call."
    ),
    params=(
        Param("url", "string", "Where to start.", required=True, max_length=8_000, address=True),
        Param("collection", "string", "Its name; default: the host.", max_length=60, aliases=("tag",)),
        Param("prefix", "string", "Only addresses below this; default: the folder of url.", max_length=8_000),
        Param("exclude", "array", "Patterns left out, such as */blog/*.", max_items=20, max_length=200),
        Param("max_pages", "integer", "Default 100.", default=100, least=1, most=2_000, aliases=("limit",)),
        Param("max_depth", "integer", "Links to follow from the start, default 4.", default=4, least=0, most=10),
    ),
    run=run,
    purpose="fetch",
    read_only=False,
    output={"collection": {"type": "string"}, "pages": {"type": "integer"}, "left": {"type": "integer"}},
)  # fmt: skip
