"""Which contract is offered, and under which names; each is in the file of its name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace

from mcp_web.contracts.contract import Contract
from mcp_web.errors import ConfigError
from mcp_web.tools.options import CONTRACTS, ToolOptions
from mcp_web.tools.sets import enabled
from mcp_web.tools.sets import offered as of_profile
from mcp_web.tools.tool import Tool


def contract_named(name: str) -> Contract:
    """The contract of this name; imports its file. Raises ConfigError for an unknown name."""
    if name not in CONTRACTS:
        raise ConfigError(f"There is no contract {name!r}; there are: {', '.join(CONTRACTS)}.")
    contract = importlib.import_module(f"mcp_web.contracts.{name.replace('-', '_')}").CONTRACT
    assert isinstance(contract, Contract)
    return contract


def contract_offered(name: str, tools: Mapping[str, Tool]) -> Contract:
    """The contract of this name. A prompt does the same as the tool of its name, so it is left out if that is switched
    off: if the contract has the tool, but `tools` does not."""
    contract = contract_named(name)
    off = {tool.name for tool in contract.tools} - set(tools)
    return replace(contract, prompts=tuple(prompt for prompt in contract.prompts if prompt.name not in off))


def tools_offered(options: ToolOptions) -> Mapping[str, Tool]:
    """The tools that clients are offered, by name: those of the configured contract, or else of the profile."""
    return offered(contract_named(options.contract), options) if options.contract else of_profile(options)


def offered(contract: Contract, options: ToolOptions) -> dict[str, Tool]:
    """The tools of a contract by name, without those switched off. Raises ConfigError if an unknown one is."""
    names = ", ".join(tool.name for tool in contract.tools)
    known = [name for tool in contract.tools for name in (tool.name, tool.plain_name)]
    return enabled(contract.tools, options, known, f"the tools of {contract.name} are: {names}")


def with_plain_names(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Every tool by its name (`web.search`) and by its plain name (`web_search`), as calls may use either."""
    return {tool.plain_name: tool for tool in tools.values()} | dict(tools)
