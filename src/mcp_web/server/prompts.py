"""Three prompts that show how to use the tools."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import anyio
import mcp_types as types
from mcp import MCPError

from mcp_web.app import App
from mcp_web.contracts.contract import Contract, declared_prompts
from mcp_web.text.untrusted import quoted
from mcp_web.tools.clean_output import clean_value

PROMPTS = declared_prompts(tomllib.loads(files("mcp_web.server").joinpath("prompts.toml").read_text("utf-8")))


def list_prompts(contract: Contract | None = None) -> list[types.Prompt]:
    """The prompts of this server, or those of the configured contract (the tools of another system)."""
    return [
        types.Prompt(
            name=prompt.name,
            title=prompt.title,
            description=prompt.description,
            arguments=[types.PromptArgument(name=prompt.argument, description=prompt.argument_help, required=True)],
        )
        for prompt in (contract.prompts if contract else PROMPTS)
    ]


async def get_prompt(
    app: App, contract: Contract | None, name: str, arguments: dict[str, str] | None
) -> types.GetPromptResult:
    """The prompt with its argument filled in; raises MCPError for an unknown name or a missing argument."""
    known = {prompt.name: prompt for prompt in (contract.prompts if contract else PROMPTS)}
    prompt = known.get(name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {quoted(name)}. There are: {', '.join(known)}.")
    value = (arguments or {}).get(prompt.argument, "").strip()
    if not value:
        raise MCPError(types.INVALID_PARAMS, f"The prompt {name} needs {prompt.argument!r}: {prompt.argument_help}")
    description, text = await prompt.write(app, value, anyio.current_time() + app.tools.deadline)
    if contract is not None:
        # The prompt of a contract may contain a page, and its format has no envelope, so it is defused.
        description, text = clean_value([description, text])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=description, messages=[message])
