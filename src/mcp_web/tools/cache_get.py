"""The tool cache_get: a kept version of a page, its earlier versions, and what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_web.model.snapshot import Snapshot, SnapshotInfo
from mcp_web.text.dates import iso
from mcp_web.tools import budget
from mcp_web.tools.arguments import refuse_both
from mcp_web.tools.call import Call
from mcp_web.tools.page_params import OUTPUT, page_params, repeated_arguments, view_options
from mcp_web.tools.page_view import PageView, continued, present
from mcp_web.tools.tool import OBJECTS, Answer, Param, Screenshot, Tool

_NO_PICTURE = (
    "There is no screenshot of this version: they are kept with MCP_WEB_RENDER_SCREENSHOT=true, of pages opened with "
    "mode=rendered."
)

_PARTS = ("section", "start", "screenshot")  # parameters that choose what is shown of the page itself


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.find_snapshot import find_document
    from mcp_web.services.open_page import Opened

    for shown in ("diff", "query"):  # neither is a part of the page's text
        refuse_both(TOOL.name, args, shown, *(name for name in ("diff", "query", *_PARTS) if name != shown))
    found = await find_document(call.app, args["snapshot"])
    kept = found.snapshot
    if args["diff"]:
        return await _changes(call, kept, args["diff"])
    if args["query"]:
        from mcp_web.tools.web_read import read_kept_page

        return await read_kept_page(call, kept, args["query"])
    versions = await found.store.versions(kept.key)
    png = await found.store.screenshot(kept.hash)
    if png is None and args["screenshot"]:
        call.notes.append(_NO_PICTURE)
    call.log_page(kept, "hit")
    view = PageView.of(Opened(kept, "hit", (await call.app.keeper()).age(kept)))
    same = continued(f'cache_get(snapshot="{kept.hash[:16]}")', **repeated_arguments(args))
    answer = present(call, view, view_options(args, kept.final_url), same)
    if png is not None:
        answer.screenshot = Screenshot(f"resource://picture/{kept.hash}", len(png), png if args["screenshot"] else None)
        answer.data["screenshot"] = {"uri": answer.screenshot.uri, "bytes": len(png)}
        answer.text += f"\nscreenshot: {answer.screenshot.uri} ({len(png):,} bytes)"
    answer.data |= (facts := kept_facts(kept, versions[:20]))
    if len(versions) > 1:
        listed = facts["versions"]
        rows = "\n".join(f"{row['since']} {row['snapshot'][:16]} {row['content_length']:,} chars" for row in listed)
        answer.text += f"\nversions, newest first:\n{rows}"
        answer.text += f'\ncompare: cache_get(snapshot="{versions[0].hash[:16]}", diff="{versions[1].hash[:16]}")'
    return answer


async def _changes(call: Call, newer: Snapshot, other: str) -> Answer:
    """The answer with what changed, by section, from `other` (a version's hash, or `previous`) to `newer`."""
    from mcp_web.services.compare_versions import compare_versions

    older, changes = await compare_versions(call.app, newer, other)
    rows = [
        {"change": one.change, "section": " > ".join(one.path), "hunk": one.hunk, "start": one.new_start}
        for one in changes
    ]
    head = (
        f"{len(changes)} sections differ between {older.hash[:16]} ({iso(older.fetched_at)}) "
        f"and {newer.hash[:16]} ({iso(newer.fetched_at)})"
    )
    body = "\n\n".join(
        f"{row['change']}: {row['section'] or '(before the first heading)'}\n{row['hunk']}" for row in rows
    )
    body = budget.cut(body, 12_000)
    facts = {"url": newer.url, "old": older.hash, "new": newer.hash, "changed_sections": len(changes)}
    text = head + ("\n" + call.envelope.wrap(body) if rows else ": the text is the same.")
    return Answer({**facts, "changes": rows, "notes": call.notes}, text, facts)


def kept_facts(kept: Snapshot, versions: Sequence[SnapshotInfo]) -> dict[str, Any]:
    """What only a kept page has, for its object: its `versions`, the response's `headers` and its `variant`."""
    times = ("since", "fetched_at", "checked_at")
    listed = [
        {"snapshot": info.hash, "content_length": info.chars, "variant": info.variant}
        | {name: iso(getattr(info, name)) for name in times}
        for info in versions
    ]
    return {"versions": listed, "headers": dict(kept.headers), "variant": kept.variant}


TOOL = Tool(
    name="cache_get",
    title="Show a kept page",
    description=(
        "Shows a page from what is kept here, without network: by the snapshot hash of an earlier answer (8 or "
        "more digits) or by address. Use it with a query to get only the passages that answer, to re-read what was "
        "cited, to list its versions, or, with diff, to see by section what changed between two; use "
        "web_open for the page as it is now. Returns the text in parts, with metadata."
    ),
    params=(
        Param("snapshot", "string", "Snapshot hash, its start, or a URL.", required=True, max_length=8_000,
              aliases=("url", "id", "sha256")),
        Param("diff", "string", "Another version's hash, or `previous`.", max_length=8_000,
              aliases=("compare",)),
        Param("query", "string", "Only the passages that answer this.", max_length=500),
        Param("screenshot", "boolean", "Attach the PNG of a rendered page.", default=False),
        *page_params("section", "format", "max_chars", "start", "include_links"),
    ),
    run=run,
    long_answers=True,
    open_world=False,
    output=OUTPUT | {"versions": OBJECTS},
)  # fmt: skip
