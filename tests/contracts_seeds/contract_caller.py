"""A contract as its clients meet it: the whole application on the mini web, calls as the server makes them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from application import application
from mcp_web.app import App
from mcp_web.contracts.contract import ContractTool
from mcp_web.contracts.sets import contract_named, offered, with_plain_names
from mcp_web.settings import load
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.calling import call_tool
from mcp_web.tools.tool import Answer
from miniweb import MiniWeb

# Nothing but what a test sets up: no keyless search, no public list, no model.
OFFLINE = {
    "MCP_WEB_DDGS_ENABLED": "false",
    "MCP_WEB_SEARX_SPACE_URL": "off",
    "MCP_WEB_SEARCH_EXCLUDE": "tavily,sources",
    "MCP_WEB_EMBEDDINGS": "none",
}


class ContractCaller:
    def __init__(self, app: App, contract: str) -> None:
        self.app = app
        self.contract = contract_named(contract)

    def tool(self, name: str) -> ContractTool:
        found = with_plain_names(offered(self.contract, self.app.tools))[name]
        assert isinstance(found, ContractTool)
        return found

    def schema(self, name: str) -> dict[str, Any]:
        return self.tool(name).input_schema()

    async def call(self, name: str, *, structured: bool = False, **arguments: Any) -> Answer:
        """The result as it goes over the wire, checked against the ceiling that holds for every answer."""
        call = Call(self.app, deadline=anyio.current_time() + 50)
        result = await call_tool(self.tool(name), call, arguments, structured=structured)
        whole = json.dumps(
            {"content": [result.text, *result.more], "data": result.data, **result.extra}, ensure_ascii=False
        )
        assert budget.estimate(whole) <= budget.CEILING, f"{name} answered {budget.estimate(whole)} tokens"
        return result

    async def object(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The JSON object in the text of a call that succeeds."""
        result = await self.call(name, **arguments)
        assert not result.is_error, result.text
        made = json.loads(result.text)
        assert isinstance(made, dict)
        return made

    async def refusal(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The JSON object in the text of a call that fails."""
        result = await self.call(name, **arguments)
        assert result.is_error, result.text
        made = json.loads(result.text)
        assert isinstance(made, dict)
        return made


@asynccontextmanager
async def contract_caller(web: MiniWeb, folder: Path, contract: str, **env: str) -> AsyncIterator[ContractCaller]:
    settings = load(
        environ={
            "DATA_DIR": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "MCP_WEB_CONTRACT": contract,
            **OFFLINE,
            **env,
        }
    )
    async with application(settings, web) as app:
        yield ContractCaller(app, contract)


def assert_same_shape(example: Any, actual: Any, where: str = "answer") -> None:
    """The same keys and types as an example of a seed, values aside; a list is compared with its first example."""
    if isinstance(example, dict):
        assert isinstance(actual, dict), where
        assert set(actual) == set(example), f"{where}: {sorted(set(actual) ^ set(example))}"
        for key, value in example.items():
            assert_same_shape(value, actual[key], f"{where}.{key}")
    elif isinstance(example, list):
        assert isinstance(actual, list), where
        for at, item in enumerate(actual):
            if example:
                assert_same_shape(example[0], item, f"{where}[{at}]")
    elif example is None or actual is None:
        return  # absent facts are null
    elif isinstance(example, bool) or isinstance(actual, bool):
        assert type(example) is type(actual), where
    elif isinstance(example, int | float):
        assert isinstance(actual, int | float), where
    else:
        assert isinstance(actual, type(example)), where
