"""Gathers each component's options: defaults < TOML file < environment < flags. The only reader of os.environ.

A component declares a frozen dataclass of `option(...)` fields in its `options.py`; one line in SECTIONS makes every
field a variable, a TOML key, a row of `mcp-web config` and of the reference page.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from mcp_web.errors import ConfigError
from mcp_web.model.option import OptionFacts, default_of, facts_of, is_option
from mcp_web.text.values import Unfit, ValueKind, ValueRule, convert

T = TypeVar("T")
Origin = Literal["default", "file", "environment", "flag"]

# section name → the module and class of its options; the order is the order of the reference page.
SECTIONS: dict[str, str] = {
    "tools": "mcp_web.tools.options:ToolOptions",
    "server": "mcp_web.server.options:ServerOptions",
    "fetch": "mcp_web.fetch.options:FetchOptions",
    "render": "mcp_web.render.options:RenderOptions",
    "extract": "mcp_web.extract.options:ExtractOptions",
    "search": "mcp_web.search.options:SearchOptions",
    "embed": "mcp_web.embed.options:EmbedOptions",
    "archive": "mcp_web.archive.options:ArchiveOptions",
    "limit": "mcp_web.limit.options:LimitOptions",
    "store": "mcp_web.store.options:StoreOptions",
    "web_search": "mcp_web.contracts.options:WebSearchOptions",
    "telemetry": "mcp_web.telemetry.options:TelemetryOptions",
    "sandbox": "mcp_web.sandbox.options:SandboxOptions",
}

_WORKER_VARIABLES = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "MALLOC_ARENA_MAX"),
)
_PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_SEPARATOR = re.compile(r"[,;\s]+")
_ENTRY_SEPARATOR = re.compile(r"[,;\n]+")


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where values come from, the last first."""

    flags: Mapping[str, Any]
    env: Mapping[str, str]
    path: Path  # of the configuration file
    table: Mapping[str, Any]  # in it


@dataclass(frozen=True, slots=True)
class Setting:
    """One option with its value and origin, as `mcp-web config` shows it."""

    section: str
    name: str
    value: Any
    origin: Origin
    origin_name: str  # the variable, the file's key, the flag, or ""
    facts: OptionFacts
    kind: str  # its type in words
    default: Any

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it; the first that is set takes precedence. Empty if only the file can."""
        return variable_names(self.section, self.name, self.facts)

    @property
    def shown(self) -> Any:
        """The value, masked where it is a secret."""
        if not self.facts.secret or not self.value:
            return _without_passwords(self.value)
        if isinstance(self.value, Mapping):
            return dict.fromkeys(self.value, "•••")
        return tuple("•••" for _ in self.value) if isinstance(self.value, tuple) else "•••"

    @property
    def text(self) -> str:
        """The shown value, in the syntax of an environment variable."""
        return as_text(self.shown)


def as_text(value: Any) -> str:
    """A value in the syntax of an environment variable."""
    if isinstance(value, Mapping):
        return ",".join(as_text(item) if name == "*" else f"{name}={as_text(item)}" for name, item in value.items())
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


class Settings:
    """Every section's options, each with its origin."""

    def __init__(
        self,
        sections: Mapping[type[Any], Any],
        rows: list[Setting],
        unknown: list[str],
        proxy_variables: Mapping[str, str] | None = None,
    ) -> None:
        self._options = sections
        self.rows = rows
        self.proxy_variables = proxy_variables or {}  # HTTP_PROXY and the like, for MCP_WEB_PROXY=environment
        self.unknown = unknown  # MCP_WEB_* variables and file keys that do not exist

    def of(self, kind: type[T]) -> T:
        """The options of one section, by their class; raises KeyError for a class that is not in SECTIONS."""
        found = self._options[kind]
        assert isinstance(found, kind)
        return found

    def is_set(self, section: str, name: str) -> bool:
        """Whether this option is set, instead of having its default."""
        return any(row.origin != "default" for row in self.rows if (row.section, row.name) == (section, name))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every configured secret: for redaction and the leak guard."""
        found: list[str] = []
        for row in self.rows:
            if row.facts.secret and row.value:
                value = tuple(row.value.values()) if isinstance(row.value, Mapping) else row.value
                found += value if isinstance(value, tuple) else [str(value)]
        logins = (re.search(r":([^:/@]+)@", value) for value in self.proxy_variables.values())
        return (*found, *(login[1] for login in logins if login))


def _without_passwords(value: Any) -> Any:
    """The value without user names and passwords in URLs."""
    if isinstance(value, tuple):
        return tuple(_without_passwords(item) for item in value)
    if isinstance(value, Mapping):
        return {name: _without_passwords(item) for name, item in value.items()}
    return re.sub(r"(?<=://)[^/@\s]+@", "•••@", value) if isinstance(value, str) else value


def load(flags: Mapping[str, Any] | None = None, *, environ: Mapping[str, str] | None = None) -> Settings:
    """Read all settings; raises ConfigError that names the variable, the value and what is allowed.

    `flags` are values of the command line by `section.name`; `environ` replaces the environment of the process.
    """
    env = os.environ if environ is None else environ
    sources = _sources(flags or {}, env)
    sections: dict[type[Any], Any] = {}
    rows: list[Setting] = []
    for section in SECTIONS:
        contract = next((row.value for row in rows if (row.section, row.name) == ("tools", "contract")), None)
        options, mine = _section(section, contract, sources)
        sections[type(options)] = options
        rows += mine
    proxies = {name: env.get(name.lower()) or env.get(name) for name in _PROXY_VARIABLES}  # lower case comes first
    given = {name: value for name, value in proxies.items() if value}
    return Settings(sections, rows, _unknown(rows, env, sources.table), given)


def load_section(section: str) -> Any:
    """The options of one section; the first answer of the server needs no others. Raises ConfigError."""
    return _section(section, None, _sources({}, os.environ))[0]


def _sources(flags: Mapping[str, Any], env: Mapping[str, str]) -> _Sources:
    """The flags, the environment, the table of the configuration file, and the path of that file."""
    path = config_path(env)
    return _Sources(flags, env, path, _read_toml(path, required="MCP_WEB_CONFIG" in env))


def _section(section: str, contract: str | None, sources: _Sources) -> tuple[Any, list[Setting]]:
    """The options of a section, and how each of them was set."""
    module, _, name = SECTIONS[section].partition(":")
    kind = getattr(importlib.import_module(module), name)
    hints = typing.get_type_hints(kind)
    specs = [spec for spec in dataclasses.fields(kind) if is_option(spec)]
    rows = [_setting(section, spec, hints[spec.name], contract, sources) for spec in specs]
    return kind(**{row.name: row.value for row in rows}), rows


def worker_environment() -> dict[str, str]:
    """The variables that a worker process needs to start; no key is among them."""
    return {name: os.environ[name] for name in _WORKER_VARIABLES if name in os.environ}


def variable_names(section: str, name: str, facts: OptionFacts) -> tuple[str, ...]:
    """The environment variables of an option, that which takes precedence first; empty if only the file sets it."""
    if facts.file_only:
        return ()
    return (*(facts.env or (f"MCP_WEB_{section}_{name}".upper(),)), *facts.entries)


def wants_colour() -> bool:
    """Whether a person wants colours at a terminal: see https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def config_path(env: Mapping[str, str] = os.environ) -> Path:
    """The configuration file, which may not exist: MCP_WEB_CONFIG, or config.toml in the folder of the user."""
    if given := env.get("MCP_WEB_CONFIG"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(env.get("APPDATA", "~")).expanduser() / "mcp-web" / "config.toml"
    return Path(env.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "mcp-web" / "config.toml"


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    """The table in a TOML file; empty if there is no such file and none is required. Raises ConfigError."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        if required:
            raise ConfigError(f"The configuration file {path} does not exist.") from None
        return {}
    except OSError as error:
        raise ConfigError(f"The configuration file {path} cannot be read: {error.strerror}.") from error
    import tomllib

    try:
        return tomllib.loads(text.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The configuration file {path} is not valid TOML: {error}.") from error


def _setting(section: str, spec: dataclasses.Field[Any], hint: Any, contract: str | None, sources: _Sources) -> Setting:
    """One option: its value and where it comes from; `contract` changes some defaults. Raises ConfigError."""
    facts = facts_of(spec)
    default = facts.contracts.get(contract or "", default_of(spec))
    value, origin, origin_name = default, "default", ""
    for key, scale in (*facts.keys.items(), (f"{section}.{spec.name}", 1.0)):
        if (written := _written(sources.table, key)) is not None:
            origin, origin_name = "file", f"{sources.path}: {key}"
            value = _joined(value, _checked(origin_name, written, hint, facts, scale=scale))
    names = [name for name in reversed(variable_names(section, spec.name, facts)) if sources.env.get(name, "").strip()]
    # Applied in reverse, so that the first takes precedence; variables of single entries are added to the others.
    for variable in sorted(names, key=facts.entries.__contains__):
        origin, origin_name = "environment", variable
        text = sources.env[variable].strip()
        if variable in facts.entries:
            value = _with_entry(value, variable, text, hint, facts)
        else:
            value = _joined(value, _checked(variable, text, hint, facts, scale=facts.scale))
    if (flag := sources.flags.get(f"{section}.{spec.name}")) is not None:
        origin, origin_name = "flag", f"--{spec.name.replace('_', '-')}"
        value = _checked(origin_name, flag, hint, facts, scale=1.0)
    return Setting(section, spec.name, value, origin, origin_name, facts, _in_words(hint, facts), default)  # type: ignore[arg-type]  # origin is one of the four literals


def _written(table: Mapping[str, Any], key: str) -> Any:
    """The value at `section.name` of the file, or one item of a list at `section.name.number`; None without one."""
    value: Any = table
    for part in key.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _joined(value: Any, given: Any) -> Any:
    """The given value; the entries of a given mapping replace those of the same name."""
    return {**value, **given} if isinstance(given, Mapping) else given


def _with_entry(value: Any, variable: str, text: str, hint: Any, facts: OptionFacts) -> Any:
    """The value with the entry that a variable sets; a list of what is off gets it if the variable is false."""
    entry = facts.entries[variable]
    if isinstance(value, Mapping):
        return {**value, entry: _entry_value(variable, text, hint, facts)}
    on = _checked(variable, text, bool, dataclasses.replace(facts, choices=()), scale=1.0)
    return tuple(name for name in value if name != entry) if on else (*value, entry)


def _is_mapping(hint: Any) -> bool:
    return typing.get_origin(hint) is Mapping


def _mapping(name: str, raw: Any, hint: Any, facts: OptionFacts) -> dict[str, Any]:
    """Entries by name, from a table or from text such as `a=1, b=2`; one without a name is `*`. Raises ConfigError."""
    if isinstance(raw, bool | int | float):
        raw = str(raw)
    if not isinstance(raw, Mapping):
        items = convert(raw, ValueRule("array", separator=_ENTRY_SEPARATOR))
        pairs = (item.partition("=") for item in items)
        raw = dict((key.strip(), item.strip()) if sep else ("*", key) for key, sep, item in pairs)
    for key in raw:
        if facts.choices and key not in facts.choices:
            raise ConfigError(f"{name} names {key!r}, but it takes {_in_words(hint, facts)}.")
    return {key.lower(): _entry_value(f"{name} ({key})", item, hint, facts) for key, item in raw.items()}


def _entry_value(name: str, raw: Any, hint: Any, facts: OptionFacts) -> Any:
    """The value of one entry of a mapping of type `hint`, converted; `name` names the entry in error messages."""
    return _checked(name, raw, typing.get_args(hint)[1], dataclasses.replace(facts, choices=()), scale=1.0)


def _checked(name: str, raw: Any, hint: Any, facts: OptionFacts, *, scale: float) -> Any:
    """The value in its type and within its limits, multiplied by `scale`; raises ConfigError with what is allowed."""
    if _is_mapping(hint):
        return _mapping(name, raw, hint, facts)
    rule, kind = _rule(hint, facts, scale), _inner(hint)
    try:
        value = convert(raw, rule)
    except Unfit as error:
        value = "•••" if facts.secret else repr(raw)
        raise ConfigError(f"{name} is {value}, but it must be {error.allowed}.") from None
    if rule.kind in ("integer", "number"):
        return kind(value * scale) if scale != 1.0 else kind(value)
    return tuple(value) if rule.kind == "array" else value


def _inner(hint: Any) -> Any:
    """The type of an optional value, without None."""
    if isinstance(hint, types.UnionType):
        return next(arm for arm in typing.get_args(hint) if arm is not type(None))
    return hint


def _rule(hint: Any, facts: OptionFacts, scale: float) -> ValueRule:
    """What an option accepts, in the unit of its source (a variable may be in milliseconds, a file in seconds)."""
    hint = _inner(hint)
    kinds: dict[Any, ValueKind] = {bool: "boolean", int: "integer", float: "number", tuple: "array"}
    kind = kinds.get(typing.get_origin(hint) or hint, "string")
    choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else facts.choices
    least, most = (limit if limit is None else limit / scale for limit in (facts.least, facts.most))
    unit = f"milli{facts.unit}" if scale == 0.001 else facts.unit
    return ValueRule(kind, choices, least, most, separator=_SEPARATOR, sizes=True, unit=unit)


def _in_words(hint: Any, facts: OptionFacts) -> str:
    """What is allowed in the environment variable, for the reference."""
    if _is_mapping(hint):
        return "entries NAME=VALUE" + (f", where NAME is one of: {', '.join(facts.choices)}" if facts.choices else "")
    rule = _rule(hint, facts, facts.scale)
    return "a list separated by commas" if rule.kind == "array" and not rule.choices else rule.allowed


def _unknown(rows: list[Setting], env: Mapping[str, str], table: Mapping[str, Any]) -> list[str]:
    """Unknown variables that begin with MCP_WEB_ and unknown keys of the file, each with a similar known one if any."""
    names = {variable: variable for row in rows for variable in row.variables} | {"MCP_WEB_CONFIG": "MCP_WEB_CONFIG"}
    # A variable may be guessed from the key in the file: MCP_WEB_FETCH_TIMEOUT for fetch.timeout.
    guesses = {f"MCP_WEB_{row.section}_{row.name}".upper(): row.variables[0] for row in rows if row.variables}
    keys = {f"{row.section}.{row.name}" for row in rows}
    keys |= {".".join(key.split(".")[:2]) for row in rows for key in row.facts.keys}
    given = [name for name in env if name.startswith("MCP_WEB_") and name not in names]
    written = [
        f"{section}.{name}"
        for section, inside in table.items()
        for name in (inside if isinstance(inside, Mapping) else ("",))
        if f"{section}.{name}" not in keys
    ]
    return [_with_nearest(name, guesses | names) for name in given] + [
        _with_nearest(name, {key: key for key in keys}) for name in written
    ]


def _with_nearest(name: str, known: Mapping[str, str]) -> str:
    """The name, with what the most similar known one stands for as a suggestion, if there is one."""
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"{name} (did you mean {known[near[0]]}?)" if near else name
