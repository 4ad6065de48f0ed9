"""Calls a tool by name and gives back a result within the ceiling, whatever happens inside.

Both edges use it: the server for agents, the command line for people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_web import trace
from mcp_web.errors import OperatorError, WebError
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import compact, encodable, shrunk
from mcp_web.tools.tool import Answer, Picture, Tool

# What was asked is quoted in many sentences: what would move a terminal's cursor or turn the text round is spelt out.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Result:
    """What goes over the wire."""

    text: str
    meta: dict[str, Any]
    data: dict[str, Any] | None  # only when answers are structured
    is_error: bool = False
    more: tuple[str, ...] = ()  # further texts
    extra: dict[str, Any] = field(default_factory=dict)  # fields beside them
    picture: Picture | None = None


async def call_tool(tool: Tool, call: Call, given: Mapping[str, Any] | None, *, structured: bool) -> Result:
    """Bind, run, present. Failures become results; only cancellation rises."""
    result = await _called(tool, call, given, structured=structured)
    try:
        compact([result.text, result.meta, result.data, result.more, result.extra]).encode()
    except UnicodeEncodeError:  # a lone surrogate in a page or in what was asked
        fields = {name: encodable(getattr(result, name)) for name in ("text", "meta", "data", "extra")}
        result = replace(result, **fields, more=tuple(encodable(result.more)))
    return result


async def _called(tool: Tool, call: Call, given: Mapping[str, Any] | None, *, structured: bool) -> Result:
    facts: dict[str, Any] = {}
    try:
        with trace.step("tool", tool=tool.name) as facts:
            args, notes = tool.bind(given)
            call.notes += notes
            answer = await tool.run(call, args)
            facts |= {name: answer.meta[name] for name in ("url", "cache", "status") if name in answer.meta}
    except WebError as error:
        trace.figures.count("tool_errors_total", tool=tool.name, code=error.code)
        if isinstance(error, OperatorError):
            trace.log("error", "operator", tool=tool.name, error_code=error.code, message=error.message)
        return _told(tool, error, call, given, structured=structured)
    except Exception as error:  # noqa: BLE001 — the edge: a defect of ours must not reach the agent as a traceback
        trace.figures.count("tool_errors_total", tool=tool.name, code="INTERNAL_ERROR")
        trace.log("error", "defect", tool=tool.name, error=repr(error), where=_where(error))
        defect = WebError(f"{tool.name} failed inside the server ({type(error).__name__}).")
        return _told(tool, defect, call, given, structured=structured)
    return replace(_within_ceiling(answer, call, structured=structured), picture=answer.picture)


def _told(tool: Tool, error: WebError, call: Call, given: Mapping[str, Any] | None, *, structured: bool) -> Result:
    """The failure in the tool's own way, or in ours."""
    if tool.failed is None:
        return _failed(error, call, structured=structured)
    error.message = trace.redact(error.message)
    return _within_ceiling(tool.failed(error, given or {}), call, structured=structured)


def _failed(error: WebError, call: Call, *, structured: bool) -> Result:
    facts = error.as_dict()
    quoted = facts.get("details", {}).pop("page_text", None)
    if not facts.get("details", True):
        del facts["details"]
    text = f"{error.code}: {error.message} {error.way_on}"
    if error.retry_after is not None and f" {error.retry_after:.0f} s" not in error.way_on:
        text += f" Retry after {error.retry_after:g} s."
    if quoted:
        text += "\n" + call.envelope.wrap(budget.cut(str(quoted), 1_500))
    text = budget.cut(printable(trace.redact(text)), 4_000)
    if not budget.within(json.dumps(facts, ensure_ascii=False, default=str), 4_000):
        facts = {name: facts[name] for name in ("code", "suggestion", "retryable")} | {"message": text[:500]}
    return Result(text, {"error": facts}, {"error": facts} if structured else None, is_error=True)


def _within_ceiling(answer: Answer, call: Call, *, structured: bool) -> Result:
    """Tools keep their own budgets; this is the last line, for every path."""
    if answer.shape == "json":
        return _as_json(answer, call, structured=structured)
    if answer.shape == "text":
        return _as_text(answer, call)
    if structured:
        data, cut = shrunk(answer.data)
        text = "The answer is in structuredContent." + (" It was cut to the token ceiling." if cut else "")
        return Result(text, {}, data, answer.is_error)
    meta, _ = shrunk(answer.meta, budget.AIM // 4)
    beside = json.dumps(meta, ensure_ascii=False, default=str)
    if budget.within(answer.text + beside, budget.AIM):
        return Result(answer.text, meta, None, answer.is_error)
    allowed = budget.AIM - budget.estimate(beside)
    note = "\n\n[cut at the ceiling of 20,000 tokens: ask for less, or for the next part]"
    return Result(budget.cut(answer.text, allowed - 40) + note, meta, None, answer.is_error)


def _as_json(answer: Answer, call: Call, *, structured: bool) -> Result:
    """The object in the text, where the clients of another system look for it; programs get it twice, each half."""
    data, _ = shrunk(answer.data, budget.AIM // 2 if structured else budget.AIM)
    # No envelope fits into another system's shape; what a chat would take for a turn is defused all the same.
    text = compact(data) if answer.wrapped else call.envelope.defuse(compact(data))
    return Result(text, {}, json.loads(text) if structured else None, answer.is_error)


def _as_text(answer: Answer, call: Call) -> Result:
    """The texts as they are, whole ones, as many as fit beside the extra fields."""
    extra: dict[str, Any] = {}
    left = budget.AIM
    if answer.extra:
        beside = call.envelope.defuse(compact(shrunk(answer.extra, budget.AIM // 2)[0]))
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
    return Result(text, {}, None, answer.is_error, tuple(more), extra)


def printable(text: str) -> str:
    """A sentence that quotes what was asked, with whatever cannot be seen in it spelt out."""
    return _UNSEEN.sub(lambda unseen: unseen[0].encode("unicode_escape").decode(), text)


def _where(error: BaseException) -> str:
    """The innermost places of a defect, without values."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return " < ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(frames))
