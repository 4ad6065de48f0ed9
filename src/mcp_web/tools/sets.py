"""Which tools are offered: those of a profile, without the ones that are switched off."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_web.errors import ConfigError
from mcp_web.tools.options import FETCH, SEARCH, Profile, ToolOptions
from mcp_web.tools.tool import Param, Tool

if TYPE_CHECKING:
    from mcp_web.app import App

# In the order in which tools/list lists them.
STANDARD = (
    *("web_search", "web_read", "web_open", "web_batch_open", "verify_quotes"),
    *("archive_search", "archive_add", "web_extract", "cache_get", "cache_purge"),
)

# Long work that few agents need: offered on request, so that the standard set stays small.
LONG = ("web_crawl", "web_watch")

PROFILES: dict[Profile, tuple[str, ...]] = {
    "standard": STANDARD,
    "full": (*STANDARD, *LONG),
    "lite": ("web_search", "web_open", "web_read"),
    "chatgpt": ("search", "fetch"),
}


def offered(options: ToolOptions) -> dict[str, Tool]:
    """The tools of the configured profile by name, in order, without those switched off. Raises ConfigError."""
    known = {name for names in PROFILES.values() for name in names}
    return enabled(map(tool_named, PROFILES[options.profile]), options, known, f"the tools are: {', '.join(STANDARD)}")


def enabled(tools: Iterable[Tool], options: ToolOptions, known: Collection[str], listed: str) -> dict[str, Tool]:
    """The tools by name, without those that `options.disabled_tools` has by name or purpose. Raises ConfigError if an
    entry there is not in `known`; `listed` completes its message: "the tools are: …"."""
    off = set(options.disabled_tools)
    if unknown := next((name for name in options.disabled_tools if name not in {SEARCH, FETCH, *known}), None):
        raise ConfigError(f"MCP_WEB_DISABLED_TOOLS names {unknown!r}, but {listed}.")
    return {tool.name: tool for tool in tools if not {tool.name, tool.plain_name, tool.purpose} & off}


def tool_named(name: str) -> Tool:
    """Import the tool of this name from the file of the same name."""
    tool = importlib.import_module(f"mcp_web.tools.{name}").TOOL
    assert isinstance(tool, Tool)
    return tool


def listed_as(tool: Tool, app: App) -> Tool:
    """The tool as tools/list describes it: with only the parameters, providers and modes that this installation has.

    With `contract_names` set to "plain" it has its plain name. Calls still accept the whole schema, so that an
    unavailable choice is answered with how to enable it.
    """
    if app.tools.contract_names == "plain":
        tool = replace(tool, name=tool.plain_name)
    offered = (param for param in tool.params if param.name != "screenshot" or app.keeps_screenshots)
    return replace(tool, params=tuple(_as_offered(param, app) for param in offered))


def _as_offered(param: Param, app: App) -> Param:
    """The parameter with only the search providers or modes that this installation has; any other as it is."""
    if param.name == "provider":
        return replace(param, help="Default auto; several are asked together.", choices=("auto", *app.search_providers))
    if param.name == "mode" and not app.can_render and "rendered" in param.choices:
        choices = tuple(one for one in param.choices if one != "rendered")
        return replace(param, help="raw is the source.", choices=choices)
    return param
