"""The tool web_batch_open: several pages in one call, with one token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_web.errors import WebError
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import clean_error, error_line, note_lines
from mcp_web.tools.page_params import page_params, view_options
from mcp_web.tools.page_view import PageView, as_data, continued, front_matter, header, show
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool
from mcp_web.tools.web_open import request_of, same_call

if TYPE_CHECKING:
    from mcp_web.services.open_page import Opened

_OVERHEAD = 220  # tokens of header, front matter and next call around one page


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.open_many import use_many

    urls = list(dict.fromkeys(args["urls"]))
    if len(urls) < len(args["urls"]):
        call.notes.append(f"{len(args['urls']) - len(urls)} repeated URLs were opened once.")
    requests = [request_of(args, url) for url in urls]
    share = max(60, min(args["max_tokens"], budget.AIM - 500) // len(urls) - _OVERHEAD)

    def shown(at: int, opened: Opened) -> tuple[str, dict[str, Any]]:
        return _opened_page(call, args, urls[at], opened, share)

    answers = await use_many(call.app, requests, shown, deadline=call.deadline, on_progress=call.report)
    good = sum(not isinstance(answer, WebError) for answer in answers)
    blocks, pages = [], []
    for url, answer in zip(urls, answers, strict=True):
        if isinstance(answer, WebError):
            error = clean_error(answer)
            text, data = f"## {one_line(url)[:500]}\n{error_line(error)}", {"url": url, "error": error.as_dict()}
            if quoted := error.details.get("page_text"):
                text += "\n" + call.envelope.wrap(budget.cut(str(quoted), 300))
        else:
            text, data = answer
        blocks.append(text)
        pages.append(data)
    lines = [f"{good} of {len(urls)} pages opened", *note_lines(call.notes)]
    facts = {"opened": good, "failed": len(urls) - good}
    return Answer({"pages": pages, **facts, "notes": call.notes}, "\n\n".join(["\n".join(lines), *blocks]), facts)


def _opened_page(call: Call, args: dict[str, Any], url: str, opened: Opened, tokens: int) -> tuple[str, dict[str, Any]]:
    """One opened page as text and as object, with at most `tokens` tokens of the page's text."""
    view = PageView.of(opened)
    options = view_options(args, opened.snapshot.final_url, tokens)
    shown = show(view.document, options)
    parts = [front_matter(view), shown.text, *([shown.link_list] if shown.link_list else [])]
    lines = [f"## {view.url}", header(view, shown), *note_lines((*view.notes, *view.document.notes))]
    lines.append(call.envelope.wrap("\n\n".join(parts)))
    if shown.next_start is not None:
        lines.append(f"more: {continued(same_call(args, url), start=shown.next_start)}")
    return "\n".join(lines), as_data(view, options, shown, [])


TOOL = Tool(
    name="web_batch_open",
    title="Open several web pages",
    description=(
        "Opens up to 50 pages at once and returns each as clean Markdown, with one token budget shared by all. "
        "Each page has its own answer or its own error. Use it to survey search results; use web_open for one page, "
        "and web_read when a question should be answered from several pages. Returns the pages in the order asked for, "
        "each with its snapshot and, where it was cut, the exact web_open call for the rest."
    ),
    params=(
        Param("urls", "array", "Addresses, 1 to 50.", required=True, max_items=50, max_length=8_000, address=True),
        Param(
            "max_tokens", "integer", "Budget over all pages (default 12000).", default=12_000, least=500, most=16_000
        ),
        *page_params("mode", "selector", "section", "format", "max_chars"),
        *page_params("include_links", "include_images", "siteconfig", "max_age"),
    ),
    run=run,
    purpose="fetch",
    long_answers=True,
    output={"pages": OBJECTS, "opened": {"type": "number"}},
)
