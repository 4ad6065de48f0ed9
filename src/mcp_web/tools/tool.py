"""The declaration of a tool, and the answer it returns. One file per tool uses these.

The JSON schema is derived here, plain and flat: no `anyOf`, no references, `additionalProperties: false`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcp_web.text.values import COMMA, ValueKind, ValueRule

if TYPE_CHECKING:
    from mcp_web.errors import WebError
    from mcp_web.tools.call import Call

Purpose = Literal["search", "fetch", "other"]  # what MCP_WEB_DISABLED_TOOLS can switch off together
# default: the text, or the object for structured clients · json: the object, as JSON in the text · text: only the text
Shape = Literal["default", "json", "text"]
OBJECTS = {"type": "array", "items": {"type": "object"}}  # JSON schema of a list in a structured answer
_LONGEST = 20_000  # characters of a text whose parameter says nothing else
_LINES = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a tool. A number out of range is clamped with a note, a list may be given as a string."""

    name: str
    kind: ValueKind
    help: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    max_length: int | None = None  # of a string, or of each item of a list
    max_items: int | None = None
    aliases: tuple[str, ...] = ()
    single: bool = False  # a list of which one item may be given alone, as its schema says
    lines: bool = False  # a list given as one string holds one item per line (queries), not one per comma
    address: bool = False  # a URL: a number is refused
    schema_rule: ValueRule | None = None  # of a contract, whose JSON schema replaces what is said above

    @property
    def rule(self) -> ValueRule:
        """The type and the limits of its values, as the rule for `text.values.convert`."""
        return self.schema_rule or ValueRule(
            self.kind,
            self.choices,
            self.least,
            self.most,
            clamp=True,
            min_length=1 if self.required else 0,
            max_length=_LONGEST if self.max_length is None else self.max_length,
            min_items=1 if self.required else 0,
            max_items=self.max_items,
            numbers_as_text=not self.address,
            separator=_LINES if self.lines else COMMA,
        )

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the parameter."""
        made: dict[str, Any] = {"type": self.kind, "description": self.help}
        if self.kind == "array":
            if self.single:
                made["type"] = ["string", "array"]
            made["items"] = {"type": "string"} | ({"enum": list(self.choices)} if self.choices else {})
            if self.max_items:
                made["maxItems"] = self.max_items
        elif self.choices:
            made["enum"] = list(self.choices)
        if self.kind in ("integer", "number"):
            if self.least is not None:
                made["minimum"] = self.least
            if self.most is not None:
                made["maximum"] = self.most
        return made


def changed_arguments(params: Iterable[Param], args: Mapping[str, Any], *without: str) -> dict[str, Any]:
    """The arguments for these parameters that differ from the defaults, except those named in `without`."""
    wanted = (one for one in params if one.name not in without)
    return {one.name: args[one.name] for one in wanted if args.get(one.name, one.default) != one.default}


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot (PNG) that an answer links to, with its bytes if they were requested."""

    uri: str
    size: int
    png: bytes | None = None


@dataclass(slots=True)
class Answer:
    """What a tool returns: the object for programs, the text for agents, the facts for the result's field `_meta`."""

    data: dict[str, Any]
    text: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    shape: Shape = "default"
    more: tuple[str, ...] = ()  # further texts, each its own content block
    extra: dict[str, Any] = field(default_factory=dict)  # fields beside the content, which some contracts have
    is_error: bool = False
    screenshot: Screenshot | None = None
    wrapped: bool = False  # page text in a JSON answer is already inside its envelope


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as clients see it, and the function that runs it."""

    name: str
    title: str
    description: str  # 40–120 neutral words: what it does, when to use it and when its sibling, what comes back
    params: tuple[Param, ...]
    run: Callable[[Call, dict[str, Any]], Awaitable[Answer]]
    read_only: bool = True
    destructive: bool = False
    open_world: bool = True
    output: Mapping[str, Any] = field(default_factory=dict)  # properties of the structured answer
    long_answers: bool = False  # may exceed what some clients truncate silently
    purpose: Purpose = "other"
    drops_unknown: bool = False  # parameters that the tool does not have are ignored instead of refused
    # How a contract presents a failure; None is our own format.
    failed: Callable[[WebError, Mapping[str, Any]], Answer] | None = None

    @property
    def plain_name(self) -> str:
        """The name with underscores in place of dots, for clients that allow only letters, digits and underscores."""
        return self.name.replace(".", "_")

    def wrong(self, param: Param, value: str, allowed: str) -> str:
        """The error message for a value that does not fit; `allowed` completes "it must be …"."""
        return f"The parameter {param.name!r} is {value}, but it must be {allowed}."

    def missing(self, param: Param) -> str:
        """The error message for a required parameter that was not given."""
        return f"{self.name} needs the parameter {param.name!r}: {param.help}"

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {param.name: param.schema() for param in self.params},
            "required": [param.name for param in self.params if param.required],
            "additionalProperties": False,
        }
