"""The tool verify_quotes: check whether quotes are in a source, word for word."""

from __future__ import annotations

from typing import Any

from mcp_web.text.dates import iso
from mcp_web.text.untrusted import one_line
from mcp_web.tools.call import Call
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool

_SHOWN = 400  # characters of a quote or of what was found, in the answer


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.read.fragment import quote_url
    from mcp_web.services.record_readings import record_readings
    from mcp_web.services.verify_quotes import other_versions, verify_quotes

    kept, checks = await verify_quotes(call.app, args["source"], args["quotes"], deadline=call.deadline)
    elsewhere = await other_versions(await call.app.store(), kept, checks)
    rows, blocks = [], []
    for number, check in enumerate(checks, start=1):
        row: dict[str, Any] = {"quote": check.quote, "verdict": check.verdict}
        if check.start is not None and check.end is not None:
            row |= {
                "start": check.start,
                "end": check.end,
                "section_path": list(check.section_path),
                "quote_url": quote_url(kept.final_url, kept.document.markdown, check.start, check.end),
                "found": check.found,
                "similarity": round(check.similarity, 3),
            }
            row["differences"] = [{"quoted": one.quoted, "found": one.found} for one in check.differences]
        if (version := elsewhere.get(check.quote)) is not None:
            row["in_version"] = {"snapshot": version.hash, "fetched_at": iso(version.fetched_at)}
        rows.append(row)
        blocks.append(_text(number, row))
    asked = [(one.quote, one.verdict, one.spans) for one in checks]
    await record_readings(call.app, kept, asked, tool=TOOL.name, client=call.client)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in _VERDICTS}
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    head = f"{summary} · {kept.url} · snapshot {kept.hash[:16]} read {iso(kept.fetched_at)}"
    data = {"url": kept.url, "snapshot": kept.hash, "fetched_at": iso(kept.fetched_at), "quotes": rows}
    return Answer(data | {"notes": call.notes}, head + "\n" + call.envelope.wrap("\n\n".join(blocks)), counts)


_VERDICTS = ("exact", "normalised", "fuzzy", "absent")


def _text(number: int, row: dict[str, Any]) -> str:
    quote = one_line(row["quote"])[:_SHOWN]
    lines = [f"{number}. {row['verdict']}: “{quote}”"]
    if row["verdict"] == "fuzzy":
        lines.append(f"   written there: “{one_line(row['found'])[:_SHOWN]}”")
        changes = [f"“{one['quoted']}” → “{one['found']}”" for one in row["differences"][:6]]
        if changes:
            lines.append("   differs: " + ", ".join(changes))
    if "start" in row:
        where = " > ".join(row["section_path"])
        lines.append(f"   at {row['start']}–{row['end']}{f' in {where}' if where else ''}\n   {row['quote_url']}")
    if version := row.get("in_version"):
        read = f"read {version['fetched_at']}"
        lines.append(f"   word for word in another kept version: snapshot {version['snapshot'][:16]} {read}")
    return "\n".join(lines)


TOOL = Tool(
    name="verify_quotes",
    title="Verify quotes",
    description=(
        "Checks whether quotes really appear in a source: a snapshot hash, a page's address, or an archive id. Each "
        "quote is exact, normalised (same words, other spacing, quotes, dashes or case), fuzzy (with the words that "
        "differ) or absent. A kept copy is checked first, so you verify what was read; an address not kept is "
        "opened. Use it before citing anything word for word. Returns for each quote the verdict, offsets, the "
        "heading path and a link that scrolls to the words."
    ),
    params=(
        Param("source", "string", "Snapshot hash, URL or archive id.", required=True, max_length=8_000,
              aliases=("url", "snapshot", "id")),
        Param("quotes", "array", "Up to 50 quotes.", required=True, max_items=50, max_length=5_000, lines=True,
              aliases=("quote",)),
    ),
    run=run,
    output={"url": {"type": "string"}, "snapshot": {"type": "string"},
            "quotes": OBJECTS},
)  # fmt: skip
