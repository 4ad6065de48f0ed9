"""Runs a tool: binds the arguments, cleans the answer and, for clients, keeps it within the token ceiling.

The server calls `call_tool`, the command line `run_tool`: there is no other way to a tool.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_web import trace
from mcp_web.errors import OperatorError, WebError, ungrouped
from mcp_web.tools import budget
from mcp_web.tools.arguments import bind
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import clean_answer, clean_error, note_lines
from mcp_web.tools.shrink import compact, fits, shrunk
from mcp_web.tools.tool import Answer, Tool


async def run_tool(tool: Tool, call: Call, given: Mapping[str, Any] | None) -> Answer:
    """Bind the arguments and run the tool; returns its answer, cleaned, but not cut to the token ceiling. Raises a
    cleaned WebError, also in place of any other exception."""
    try:
        with trace.step("tool", by="tool", tool=tool.name) as facts:
            try:
                args, notes = bind(tool, given)
                call.notes += notes
                if not tool.read_only:
                    await call.app.require_kept_store()
                with call.app.process.calls.running(), ungrouped():
                    answer = await tool.run(call, args)
            except WebError as error:
                url = error.url or (given or {}).get("url")
                failure = {
                    "url": url if isinstance(url, str) else None,
                    "status": error.status_code,
                    "cache_hit": False,
                }
                facts |= {name: value for name, value in failure.items() if value is not None}
                raise
            facts |= call.facts
            if "cache_hit" in call.facts:
                hit = str(call.facts["cache_hit"]).lower()
                trace.metrics.count("tool_cache_total", tool=tool.name, hit=hit)
    except WebError as error:
        trace.metrics.count("tool_errors_total", tool=tool.name, code=error.code)
        if isinstance(error, OperatorError):
            trace.log("error", "operator", tool=tool.name, error_code=error.code, message=error.message)
        raise clean_error(error) from error.__cause__
    except Exception as error:  # a bug in this server must not reach the agent as a traceback
        trace.metrics.count("tool_errors_total", tool=tool.name, code="INTERNAL_ERROR")
        trace.log("error", "defect", tool=tool.name, error=repr(error), where=trace.where(error))
        raise WebError(f"{tool.name} failed inside the server ({type(error).__name__}).") from error
    if (note := call.app.take_store_note()) and answer.shape == "default":
        answer.text = f"{note_lines([note])[0]}\n{answer.text}"
        answer.data["notes"] = [note, *answer.data.get("notes", ())]
    if not call.wants_data and answer.shape == "default":
        answer.data = {}
    return clean_answer(answer, call.envelope, given or {})


async def call_tool(tool: Tool, call: Call, given: Mapping[str, Any] | None, *, structured: bool) -> Answer:
    """Run a tool for a client: the answer within the token ceiling. An error becomes an answer, it is not raised.
    `structured`: the client gets the object (`Answer.data`) in place of the text."""
    try:
        answer = await run_tool(tool, call, given)
    except WebError as error:
        if tool.failed is None:
            return failure_answer(error, call)
        answer = clean_answer(tool.failed(error, given or {}), call.envelope, given or {})
    return _within_ceiling(answer, call, structured=structured)


def failure_answer(error: WebError, call: Call) -> Answer:
    """The answer for an error in the format of our own tools: code, message, suggestion, and its page text, if any."""
    facts = error.as_dict()
    quoted = facts.get("details", {}).pop("page_text", None)
    if not facts.get("details", True):
        del facts["details"]
    text = f"{error.code}: {error.message} {error.suggestion}"
    if error.retry_after is not None and f" {error.retry_after:.0f} s" not in error.suggestion:
        text += f" Retry after {error.retry_after:g} s."
    text = budget.cut(text, 2_000)
    if quoted:
        text += "\n" + call.envelope.wrap(budget.cut(str(quoted), 1_500))
    if not fits(facts, 4_000):
        facts = {name: facts[name] for name in ("code", "suggestion", "retryable")} | {"message": text[:500]}
    return Answer({"error": facts}, text, {"error": facts}, is_error=True)


def _within_ceiling(answer: Answer, call: Call, *, structured: bool) -> Answer:
    """The answer as it is sent: only the text or (`structured`) the object, cut if it exceeds the token ceiling."""
    if answer.shape == "json":
        # Structured clients receive the object as text too, so each gets half of the budget.
        data = shrunk(answer.data, budget.AIM // 2 if structured else budget.AIM)
        # The format of a contract has no envelope; chat markers are still defused.
        text = compact(data) if answer.wrapped else call.envelope.defuse(compact(data))
        return replace(answer, data=json.loads(text) if structured else {}, text=text, meta={})
    if answer.shape == "text":
        return _as_text(answer, call)
    if structured:
        data = shrunk(answer.data)
        cut = "" if data is answer.data else " It was cut to the token ceiling."
        text = f"The answer is in structuredContent.{cut}"
        return replace(answer, data=data, text=text, meta={})
    meta = shrunk(answer.meta, budget.AIM // 4)
    beside = compact(meta)
    if budget.within(answer.text + beside, budget.AIM):
        return replace(answer, data={}, meta=meta)
    allowed = budget.AIM - budget.estimate(beside)
    note = "\n\n[cut at the ceiling of 20,000 tokens: ask for less, or for the next part]"
    return replace(answer, data={}, text=call.envelope.closed(budget.cut(answer.text, allowed - 60)) + note, meta=meta)


def _as_text(answer: Answer, call: Call) -> Answer:
    """An answer of texts, as it is sent: `text` is cut to the budget, `more` are added whole while they fit."""
    extra: dict[str, Any] = {}
    left = budget.AIM
    if answer.extra:
        beside = call.envelope.defuse(compact(shrunk(answer.extra, budget.AIM // 2)))
        extra = json.loads(beside)
        left -= budget.estimate(beside)
    text = budget.cut(call.envelope.defuse(answer.text), left)
    left -= budget.estimate(text)
    more = []
    for part in answer.more:
        left -= budget.estimate(part) + 8
        if left < 0:
            break
        more.append(call.envelope.defuse(part))
    return replace(answer, data={}, text=text, meta={}, more=tuple(more), extra=extra)
