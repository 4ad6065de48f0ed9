"""How another system's tools are declared: their own schema, bound as that system bound it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcp_web.contracts.binding import bind_to
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer, Tool

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.errors import WebError
    from mcp_web.services.open_page import Opened

Purpose = Literal["search", "fetch", "other"]
Run = Callable[[Call, dict[str, Any]], Awaitable[Answer]]
Failed = Callable[["WebError", Mapping[str, Any]], Answer]


@dataclass(frozen=True, slots=True)
class ContractTool(Tool):
    schema: Mapping[str, Any] = field(default_factory=dict)
    purpose: Purpose = "other"  # which of the two switches of the configuration turns it off
    clamps: bool = False  # numbers out of range are moved into it, where that system did so; else refused

    def input_schema(self) -> dict[str, Any]:
        return dict(self.schema)

    def bind(self, given: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
        return bind_to(self.name, self.schema, given, clamps=self.clamps), []


@dataclass(frozen=True, slots=True)
class ContractPrompt:
    name: str
    title: str
    description: str
    argument: str
    argument_help: str
    # (app, value, deadline) → description and text
    write: Callable[[App, str, float], Awaitable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything a client of that system expects to find."""

    name: str
    tools: tuple[ContractTool, ...]
    prompts: tuple[ContractPrompt, ...] = ()


def contract_tool(
    name: str,
    title: str,
    words: str,
    schema: Mapping[str, Any],
    run: Run,
    *,
    failed: Failed,
    purpose: Purpose = "other",
    **more: Any,
) -> ContractTool:
    """A tool of a contract; its parameters are the schema's."""
    return ContractTool(
        name=name, title=title, words=words, params=(), run=run, schema=schema, failed=failed, purpose=purpose, **more
    )


def page_facts(opened: Opened) -> dict[str, Any]:
    """What the log says of a page that was opened."""
    return {"url": opened.snapshot.url, "cache": opened.cache, "status": opened.snapshot.status}


def text_prompt(name: str, title: str, description: str, argument_help: str, text: str) -> ContractPrompt:
    """A prompt about a `url` that only fills it in."""

    async def write(app: App, value: str, deadline: float) -> tuple[str, str]:
        return description, text.format(value=value)

    return ContractPrompt(name, title, description, "url", argument_help, write)
