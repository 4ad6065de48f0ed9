"""How the tools of another system are declared: in a TOML file with its schemas and texts, mapped by a module.

`brave.toml` beside `brave.py` has the names, descriptions and JSON schemas of the tools as clients of that system
expect them; the module has for each a function that runs it and one that presents an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mcp_web.text.values import ValueRule
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer, Param, Tool

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.errors import WebError

Run = Callable[[Call, dict[str, Any]], Awaitable[Answer]]  # runs a tool with bound arguments
Failed = Callable[["WebError", Mapping[str, Any]], Answer]  # presents an error of a call with the arguments as given


@dataclass(frozen=True, slots=True)
class ContractTool(Tool):
    """A tool with the JSON schema and the messages of another system."""

    schema: Mapping[str, Any] = field(default_factory=dict)

    def input_schema(self) -> dict[str, Any]:
        return dict(self.schema)

    def wrong(self, param: Param, value: str, allowed: str) -> str:
        return f"Invalid arguments for tool {self.name}: {param.name} must be {allowed}, received {value}."

    def missing(self, param: Param) -> str:
        return f"Invalid arguments for tool {self.name}: {param.name} is required."


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of MCP with one argument, and the function that writes its text."""

    name: str
    title: str
    description: str
    argument: str
    argument_help: str
    # (app, value, deadline) → description and text
    write: Callable[[App, str, float], Awaitable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Contract:
    """The tools and prompts that clients of another system expect."""

    name: str
    tools: tuple[ContractTool, ...]
    prompts: tuple[Prompt, ...] = ()


def contract(name: str, tools: Mapping[str, tuple[Run, Failed]], prompts: Sequence[Prompt] = ()) -> Contract:
    """The contract with the tools and prompts that its TOML file declares, and further `prompts`. `tools` has, by the
    name of a tool, the function that runs it and the one that presents an error."""
    file = files("mcp_web.contracts").joinpath(f"{name.replace('-', '_')}.toml")
    declared = tomllib.loads(file.read_text("utf-8"))
    made = tuple(_tool(*tools[facts["name"]], **facts) for facts in declared["tools"])
    return Contract(name, made, (*declared_prompts(declared), *prompts))


def failure_text(beginning: str = "") -> Failed:
    """A function that presents an error as one text: `beginning`, then its message and suggestion."""
    return lambda error, given: Answer(
        {}, f"{beginning}{error.message} {error.suggestion}", shape="text", is_error=True
    )


def declared_prompts(declared: Mapping[str, Any]) -> tuple[Prompt, ...]:
    """The prompts in the content of a TOML file; a prompt's argument takes the place of `{value}` in its text."""

    def prompt(text: str, **facts: str) -> Prompt:
        async def write(app: App, value: str, deadline: float) -> tuple[str, str]:
            return facts["description"], text.format(value=value)

        return Prompt(**facts, write=write)

    return tuple(prompt(**facts) for facts in declared.get("prompts", ()))


def _tool(
    run: Run,
    failed: Failed,
    *,
    schema: Mapping[str, Any],
    clamps: bool = False,
    from_settings: Sequence[str] = (),
    **facts: Any,
) -> ContractTool:
    """A tool of a contract, with the parameters of its schema; `facts` are further fields of a Tool.

    Arguments that the schema does not have are ignored, as the replaced systems do. `clamps`: a number out of range
    becomes the nearest allowed one, instead of being refused. `from_settings`: parameters whose default the
    configuration sets; if they are not given, they are None.
    """
    params = tuple(
        Param(
            name,
            "string",
            rules.get("description", ""),
            None if name in from_settings else rules.get("default"),
            name in schema["required"],
            schema_rule=_rule(rules, clamps=clamps),
        )
        for name, rules in schema["properties"].items()
    )
    return ContractTool(params=params, run=run, failed=failed, schema=schema, drops_unknown=True, **facts)


def _rule(facts: Mapping[str, Any], *, clamps: bool) -> ValueRule:
    """The type and limits that a property of a JSON schema (`facts`) states; `clamps` moves numbers into the range."""
    if "anyOf" in facts:  # a string or a list of strings, always bound as a list
        return ValueRule("array", separator=None, min_items=1)
    items = facts.get("items", {})
    return ValueRule(
        facts.get("type", "string"),
        tuple(facts.get("enum", items.get("enum", ()))),
        facts.get("minimum", facts.get("exclusiveMinimum")),
        facts.get("maximum", facts.get("exclusiveMaximum")),
        exclusive="exclusiveMinimum" in facts or "exclusiveMaximum" in facts,
        clamp=clamps,
        min_length=facts.get("minLength", 0),
        max_length=facts.get("maxLength"),
        min_items=facts.get("minItems", 0),
        max_items=facts.get("maxItems"),
        pattern=facts.get("pattern", ""),
    )


def camel_case(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping with its names in camel case: `source_id` becomes `sourceId`."""
    return {re.sub(r"_(\w)", lambda letter: letter[1].upper(), name): value for name, value in facts.items()}
