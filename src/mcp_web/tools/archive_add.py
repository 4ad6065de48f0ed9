"""The tool archive_add: keep a page or a text as research."""

from __future__ import annotations

from typing import Any

from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer, Param, Tool


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.model.snapshot import document_id
    from mcp_web.services.add_document import add_document

    kept = await add_document(
        call.app,
        args["content"],
        title=args["title"],
        day=args["date"],
        tags=args["tags"] or (),
        deadline=call.deadline,
    )
    facts = {"id": document_id(kept.key), "snapshot": kept.hash, "path": kept.path, "url": kept.url}
    size = f"{len(kept.document.markdown):,} characters"
    text = f"Kept as research: id {facts['id']}, snapshot {kept.hash[:16]}, {size}. No purge removes it."
    return Answer({**facts, "title": kept.document.title, "notes": call.notes}, text, facts)


TOOL = Tool(
    name="archive_add",
    title="Save to the archive",
    description=(
        "Keeps a page or a text as research, so that archive_search finds it and no purge removes it. Give an "
        "address to save that page as it is now, or a text with a title: a summary, a decision, findings with their "
        "sources. Links in the text become citations between documents. Pages opened with web_open are kept anyway; "
        "use this for what must stay. Returns the archive id and snapshot."
    ),
    params=(
        Param("content", "string", "An address, or a text in Markdown.", required=True, max_length=2_000_000,
              aliases=("url", "text")),
        Param("title", "string", "Title of a text.", max_length=300),
        Param("date", "string", "YYYY-MM-DD; default today.", max_length=10),
        Param("tags", "array", "Labels (collections).", max_items=20, max_length=60,
              aliases=("tag", "collection")),
    ),
    run=run,
    read_only=False,
    output={"id": {"type": "string"}, "snapshot": {"type": "string"}},
)  # fmt: skip
