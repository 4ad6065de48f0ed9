"""Which contract is offered, and under which names. One line per system."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from mcp_web.contracts.contract import Contract, ContractTool
from mcp_web.errors import ConfigError
from mcp_web.tools.options import FETCH, SEARCH, ToolOptions
from mcp_web.tools.sets import offered as of_profile
from mcp_web.tools.tool import Tool

# The name in the configuration → the file in this folder.
FILES = {
    "read-page": "read_page",
    "mcp-web": "mcp_web",
    "searxng": "searxng",
    "archives": "archives",
    "web-tools": "web_tools",
    "fetch": "fetch",
    "brave": "brave",
    "mcp-searxng": "mcp_searxng",
}


def contract_named(name: str) -> Contract:
    """The contract of this name; imports its file."""
    if name not in FILES:
        raise ConfigError(f"There is no contract {name!r}; there are: {', '.join(FILES)}.")
    contract = importlib.import_module(f"mcp_web.contracts.{FILES[name]}").CONTRACT
    assert isinstance(contract, Contract)
    return contract


def tools_offered(options: ToolOptions) -> Mapping[str, Tool]:
    """The tools that clients are offered: those of the contract, or else of the profile."""
    return offered(contract_named(options.contract), options) if options.contract else of_profile(options)


def offered(contract: Contract, options: ToolOptions) -> dict[str, ContractTool]:
    """The tools of a contract by the name they are listed under, without those that are switched off."""
    known = [SEARCH, FETCH, *(name for tool in contract.tools for name in (tool.name, plain_name(tool.name)))]
    unknown = [name for name in options.disabled_tools if name not in known]
    if unknown:
        raise ConfigError(
            f"MCP_WEB_DISABLED_TOOLS names {unknown[0]!r}, but the tools of {contract.name} are: "
            f"{', '.join(tool.name for tool in contract.tools)}."
        )
    off = set(options.disabled_tools)
    return {tool.name: tool for tool in contract.tools if not {tool.name, plain_name(tool.name), tool.purpose} & off}


def plain_name(name: str) -> str:
    """The name with underscores in place of dots, for clients that allow only letters, digits and underscores."""
    return name.replace(".", "_")


def with_plain_names(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Every tool by its name and by its plain name."""
    return {plain_name(name): tool for name, tool in tools.items()} | dict(tools)
