"""The tool cache_purge: delete kept web pages."""

from __future__ import annotations

from typing import Any

from mcp_web.store.protocol import PurgeRule
from mcp_web.text.urls import parse_url
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer, Param, Tool


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.remove_documents import purge

    days = args["older_than_days"]
    rule = PurgeRule(
        older_than=None if days is None else days * 86400,
        domain=args["domain"],
        keep_newest=args["keep_newest"],
        max_bytes=args["max_bytes"],
        url=parse_url(args["url"]).href if args["url"] else None,
    )
    gone = await purge(call.app, rule, dry_run=args["dry_run"])
    verb = "Would be removed" if args["dry_run"] else "Removed"
    text = f"{verb}: pages {gone.pages}, versions {gone.snapshots}, bytes of text {gone.bytes:,}."
    if gone.examples:
        text += " Among them:\n" + "\n".join(f"- {url}" for url in gone.examples)
    if args["dry_run"] and gone.pages:
        text += "\nNothing was removed yet: call again with dry_run=false."
    facts = {"dry_run": args["dry_run"], "pages": gone.pages, "snapshots": gone.snapshots, "bytes": gone.bytes}
    return Answer({**facts, "examples": list(gone.examples), "notes": call.notes}, text, facts)


TOOL = Tool(
    name="cache_purge",
    title="Delete kept pages",
    description=(
        "Removes web pages that are kept here, by age, domain, number, size or address; all given conditions must "
        "match. The default is a dry run that only lists what would be removed: call again with dry_run=false. Saved "
        "research is never removed. Use it to free space or to remove a site; to get a newer copy of a page use "
        "web_open with max_age=0 instead. Returns counts of pages, versions and bytes, with examples."
    ),
    params=(
        Param("dry_run", "boolean", "Only list, do not remove (default true).", default=True),
        Param("older_than_days", "number", "Pages not used for this many days.", least=0, most=36500),
        Param("domain", "string", "Pages of this host and its subdomains.", max_length=253),
        Param("keep_newest", "integer", "Keep this many most recently used pages.", least=0),
        Param("max_bytes", "integer", "Shrink the kept text to this size.", least=0),
        Param("url", "string", "One page.", max_length=8_000, address=True),
    ),
    run=run,
    read_only=False,
    destructive=True,
    open_world=False,
    output={"pages": {"type": "number"}, "snapshots": {"type": "number"}, "bytes": {"type": "number"}},
)
