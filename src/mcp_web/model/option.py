"""How a component declares an option: type, default, description, names and limits in one place.

`settings.py` derives everything else from the field: environment variable, TOML key, `mcp-web config`, reference page.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

_KEY = "option"


@dataclass(frozen=True, slots=True)
class OptionFacts:
    """The declaration of an option, apart from its type and default."""

    help: str
    env: tuple[str, ...] = ()  # the first that is set takes precedence; () derives MCP_WEB_<COMPONENT>_<FIELD>
    secret: bool = False
    least: float | None = None  # the smallest allowed number
    most: float | None = None  # the largest
    choices: tuple[str, ...] = ()
    unit: str = ""  # of a number in the file, such as seconds
    scale: float = 1.0  # what a number from the environment is multiplied by (milliseconds → seconds: 0.001)
    contracts: Mapping[str, Any] = field(default_factory=dict)  # other defaults, by the contract that is offered
    keys: Mapping[str, float] = field(default_factory=dict)  # other systems' keys of the file, each with its scale
    file_only: bool = False  # set in the file, as the system that it comes from does; no variable
    # Variables that set one entry each: the value of a mapping entry; for a list, `false` adds the entry.
    entries: Mapping[str, str] = field(default_factory=dict)
    contract: str = ""  # the one contract whose users have a reason to set it


def option(default: Any, help: str, *, env: str | tuple[str, ...] = (), **facts: Any) -> Any:
    """Declare a dataclass field that is also a documented option; `facts` are fields of `OptionFacts`."""
    made = OptionFacts(help, (env,) if isinstance(env, str) else env, **facts)
    if isinstance(default, Mapping):
        return field(default_factory=partial(dict, default), metadata={_KEY: made})
    return field(default=default, metadata={_KEY: made})


def default_of(spec: dataclasses.Field[Any]) -> Any:
    """The declared default of a field of an options class; a mapping is copied for each caller."""
    return spec.default if spec.default_factory is dataclasses.MISSING else spec.default_factory()


def is_option(spec: dataclasses.Field[Any]) -> bool:
    """Whether a field is an option; the other fields of an options class are constants."""
    return _KEY in spec.metadata


def facts_of(spec: dataclasses.Field[Any]) -> OptionFacts:
    """The declared facts of a field; raises KeyError for a field that is not an option."""
    facts = spec.metadata[_KEY]
    assert isinstance(facts, OptionFacts)
    return facts
