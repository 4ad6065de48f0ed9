"""Options of the tools: which are offered, how they answer, how long they may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcp_web.model.option import option

SEARCH, FETCH = "search", "fetch"  # in MCP_WEB_DISABLED_TOOLS: all tools of that purpose
Profile = Literal["standard", "full", "lite", "chatgpt"]
Answers = Literal["text", "structured"]
ContractNames = Literal["original", "plain"]
# The systems whose tools can be offered: the five systems that this one replaces, then other servers that users migrate
# from.
CONTRACTS = ("read-page", "mcp-web", "searxng", "archives", "web-tools", "fetch", "brave", "mcp-searxng")


@dataclass(frozen=True, slots=True)
class ToolOptions:
    profile: Profile = option(
        "standard",
        "Which set of tools is offered: lite for models that choose badly among many, full to crawl and watch sites, "
        "chatgpt for connectors that expect search and fetch.",
        env="MCP_WEB_PROFILE",
    )
    contract: str | None = option(
        None,
        "Offer another system's own tools instead, exactly as that system named them: it is replaced without a "
        "change to its clients.",
        env="MCP_WEB_CONTRACT",
        choices=CONTRACTS,
    )
    contract_names: ContractNames = option(
        "original",
        "plain: list a contract's dotted names with underscores, for clients that refuse dots; both can be called.",
        env="MCP_WEB_CONTRACT_NAMES",
    )
    answers: Answers = option(
        "text",
        "text: readable Markdown, for agents; structured: the whole answer as an object, for programs.",
        env="MCP_WEB_ANSWERS",
    )
    disabled_tools: tuple[str, ...] = option(
        (),
        "Tools that are not offered, by name; `search` is every tool that searches the web, and the same on the page, "
        "`fetch` every tool that opens pages.",
        env="MCP_WEB_DISABLED_TOOLS",
        entries={"WEB_SEARCH_ENABLED": SEARCH, "WEB_FETCH_ENABLED": FETCH},
    )
    deadline: float = option(
        50.0,
        "Time after which a tool call answers with what it has; raise it for clients that wait longer than the usual "
        "60 s.",
        unit="seconds",
        env="MCP_WEB_DEADLINE",
        least=1,
        most=600,
    )
    concurrency: int = option(
        128,
        "Tool calls worked on at once, those that need no network counted separately; lower it where memory is short.",
        env="MCP_WEB_CALLS_AT_ONCE",
        least=1,
        most=1000,
    )
