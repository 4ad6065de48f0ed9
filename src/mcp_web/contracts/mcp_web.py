"""The `mcp-web` contract: Brave search, open, batch, extract and the cache, with front matter and that error model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.asking import ask, brave_query, provider_or_auto
from mcp_web.contracts.contract import contract
from mcp_web.errors import ExtractFailed, NotFound, WebError
from mcp_web.model.page import Document, ExtractRequest
from mcp_web.services.extract_html import extract_html
from mcp_web.services.find_snapshot import find_snapshot
from mcp_web.services.open_many import open_many
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.services.remove_documents import purge
from mcp_web.store.protocol import PurgeRule
from mcp_web.text.dates import iso
from mcp_web.text.untrusted import one_line
from mcp_web.tools.call import Call
from mcp_web.tools.page_view import MAX_LINKS, ViewOptions, link_rows, metadata_facts, show
from mcp_web.tools.shrink import fitted
from mcp_web.tools.tool import Answer

# Our error codes → those of that system; codes that it does not have stay as they are.
CODES = {
    "SEARCH_AUTH_ERROR": "BRAVE_AUTH_ERROR",
    "SEARCH_RATE_LIMITED": "BRAVE_RATE_LIMITED",
    "SEARCH_UNAVAILABLE": "HTTP_ERROR",
    "FETCH_FAILED": "HTTP_ERROR",
    "DOMAIN_DENIED": "SSRF_BLOCKED",
    "LEAK_BLOCKED": "SSRF_BLOCKED",
    "UNSUPPORTED_CONTENT": "EXTRACT_FAILED",
    "NOT_FOUND": "CACHE_ERROR",
}
_METADATA = ("description", "author", "published", "site_name", "language")


async def search(call: Call, args: dict[str, Any]) -> Answer:
    query = brave_query(
        args,
        count=args["count"],
        include_domains=tuple(args["domain_allowlist"] or ()),
        goggles=(args["goggles"],) if args["goggles"] else (),
        rich=args["enable_rich_callback"],
    )
    found = (await ask(call, query, provider_or_auto(call.app, "brave"), raw=query.rich)).found
    data: dict[str, Any] = {
        "query": args["query"],
        "results": [
            {
                "title": hit.title,
                "url": hit.url,
                "description": hit.snippet,
                "extra_snippets": list(hit.extra_snippets),
                "rank": rank,
            }
            for rank, hit in enumerate(found.hits, start=1)
        ],
        "more_results_available": found.more_results,
        "cache_hit": found.cache == "hit",
    }
    raw = found.raw.get("brave")
    if query.rich and isinstance(raw, Mapping) and "rich" in raw:
        data["rich"] = raw["rich"]
    return Answer(data, shape="json")


async def web_open(call: Call, args: dict[str, Any]) -> Answer:
    call.report(f"opening {args['url']}")
    opened = _checked(await open_page(call.app, _request(args["url"], args), deadline=call.deadline))
    if isinstance(opened, WebError):
        raise opened
    return _shown(call, args, opened)


def _shown(call: Call, args: dict[str, Any], opened: Opened) -> Answer:
    """The answer for one page in the contract's format, with as much of its text as fits into the token budget."""
    call.log_page(opened.snapshot, opened.cache)
    return Answer(fitted(call, lambda tokens: page_object(opened, part_of(args, tokens))), shape="json")


def _request(url: str, args: dict[str, Any]) -> OpenRequest:
    return OpenRequest(
        url,
        mode=args["mode"],
        siteconfig=args["siteconfig"],
        max_age=0 if args.get("refresh") else None,
        explain=bool(args.get("explain_extraction")),
    )


def _checked(answer: Opened | WebError) -> Opened | WebError:
    """What is given or, for a page without text, an ExtractFailed (returned, not raised), as in the replaced system."""
    if isinstance(answer, WebError) or answer.snapshot.document.markdown.strip():
        return answer
    url = answer.snapshot.url
    return ExtractFailed(f"The page {url} has no readable text.", url=url)


async def batch_open(call: Call, args: dict[str, Any]) -> Answer:
    urls = list(dict.fromkeys(args["urls"]))
    requests = [_request(url, args) for url in urls]
    opened = await open_many(
        call.app, requests, deadline=call.deadline, on_progress=call.report, at_once=args["max_concurrency"]
    )
    answers = [_checked(answer) for answer in opened]
    good = sum(isinstance(answer, Opened) for answer in answers)

    def data(tokens: int) -> dict[str, Any]:
        rows = [
            {"url": url, "error": error_object(answer)}
            if isinstance(answer, WebError)
            else page_object(answer, part_of(args, tokens // len(urls) - 150))
            for url, answer in zip(urls, answers, strict=True)
        ]
        return {"results": rows, "succeeded": good, "failed": len(urls) - good}

    return Answer(fitted(call, data), shape="json")


async def extract(call: Call, args: dict[str, Any]) -> Answer:
    request = ExtractRequest(siteconfig=args["siteconfig"], explain=args["explain_extraction"])
    source = args["base_url"] or ""
    document = await extract_html(call.app, args["html"], source, request)
    data = fitted(call, lambda tokens: document_object(document, source, None, part_of(args, tokens)))
    return Answer(data, shape="json")


async def cache_get(call: Call, args: dict[str, Any]) -> Answer:
    kept = await find_snapshot(call.app, args["hash"])
    return _shown(call, args, Opened(kept, "hit", (await call.app.keeper()).age(kept)))


async def cache_purge(call: Call, args: dict[str, Any]) -> Answer:
    days = args["older_than_days"]
    rule = PurgeRule(
        older_than=None if days is None else days * 86400, domain=args["domain"], keep_newest=args["max_entries"]
    )
    deleted = await purge(call.app, rule, dry_run=args["dry_run"])
    data = {"purged": deleted.pages, "bytes": deleted.bytes, "dry_run": args["dry_run"], "urls": list(deleted.examples)}
    return Answer(data, shape="json")


def part_of(args: dict[str, Any], tokens: int) -> ViewOptions:
    """Which part of a page the arguments ask for: at most `tokens` tokens of it, or 60 if that is less."""
    return ViewOptions(
        max_chars=args["max_chars"], start=args.get("start") or 0, links="inline", tokens=max(60, tokens)
    )


def page_object(opened: Opened, part: ViewOptions) -> dict[str, Any]:
    """An opened page as the object of the contract's format."""
    kept = opened.snapshot
    made = document_object(kept.document, kept.final_url, kept.fetched_at, part)
    return {
        "url": kept.url,
        "final_url": kept.final_url,
        "hash": kept.key,
        "resource": f"resource://cache/{kept.key}",
        "mode": kept.variant.partition(";")[0],
        "status": kept.status,
        "cache_hit": opened.cache != "fetched",
        "fetched_at": iso(kept.fetched_at),
        **made,
        "timings": {name: round(ms, 1) for name, ms in kept.timings.items()},
        **({"notes": [*opened.notes, *kept.document.notes]} if opened.notes or kept.document.notes else {}),
    }


def document_object(document: Document, source: str, fetched_at: float | None, part: ViewOptions) -> dict[str, Any]:
    """The fields of the contract's page object that come from the document; `source` is its URL, for front matter."""
    shown = show(document, part)
    text, next_start = shown.text, shown.next_start
    if part.start == 0:
        # The front matter: five fields whose names and order are fixed.
        rows = {
            "title": document.title,
            "source": source,
            "fetched_at": iso(fetched_at) if fetched_at is not None else "",
            "extractor": document.extractor,
            "siteconfig": document.siteconfig or "none",
        }
        lines = [f"{name}: {one_line(value)}".rstrip() for name, value in rows.items()]
        text = "\n".join(["---", *lines, "---", text])
    facts = metadata_facts(document.metadata)
    made: dict[str, Any] = {
        "title": document.title,
        "markdown": text,
        "truncated": next_start is not None,
        "extractor": document.extractor,
        "siteconfig": document.siteconfig,
        "metadata": {name: facts[name] for name in _METADATA if facts[name]},
    }
    if next_start is not None:
        made["next_start"] = next_start
    if part.tokens > 2_000:
        made["links"] = link_rows(document.links[: min(MAX_LINKS, part.tokens // 75)])
    if document.explain is not None:
        made["explain_extraction"] = document.explain
    return made


def error_object(error: WebError) -> dict[str, Any]:
    """An error with the contract's codes, as `{code, message, url?, status_code?, path?, robots_url? …}`."""
    facts = error.as_dict()
    details = facts.pop("details", {})
    made = facts | {"code": CODES.get(error.code, error.code)}
    if made["code"] != error.code:
        made["cause"] = error.code
    if isinstance(error, NotFound):
        made["retryable"] = False
    return made | {name: details[name] for name in ("path", "robots_url") if name in details}


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer(error_object(error), shape="json", is_error=True)


CONTRACT = contract(
    "mcp-web",
    {
        "web_search": (search, failed),
        "web_open": (web_open, failed),
        "web_batch_open": (batch_open, failed),
        "web_extract": (extract, failed),
        "cache_get": (cache_get, failed),
        "cache_purge": (cache_purge, failed),
    },
)
