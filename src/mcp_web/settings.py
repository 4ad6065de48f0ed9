"""Gathers each component's options: defaults < TOML file < environment < flags. The only reader of os.environ.

A component declares a dataclass of `option(...)` fields in its `options.py`; one line in SECTIONS makes each field a
variable, a TOML key, a row of `mcp-web config` and of the reference page.
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
    """The sources of settings: the flags take precedence over the environment, and that over the configuration file."""

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
    variables: tuple[str, ...]  # that set it, in order of precedence; empty if only the file can

    @property
    def shown(self) -> Any:
        """The value of this option with secrets masked: all of it if the option is secret, else the logins in URLs."""
        if not self.facts.secret or not self.value:
            return _without_passwords(self.value)
        if isinstance(self.value, Mapping):
            return dict.fromkeys(self.value, "•••")
        return tuple("•••" for _ in self.value) if isinstance(self.value, tuple) else "•••"

    @property
    def text(self) -> str:
        """`shown` (the value with secrets masked) in the syntax of an environment variable."""
        return as_text(self.shown)


def as_text(value: Any) -> str:
    """The value of an option as an environment variable has it: `a,b` for a list, `x=1,y=2` for a mapping."""
    if isinstance(value, Mapping):
        return ",".join(as_text(item) if name == "*" else f"{name}={as_text(item)}" for name, item in value.items())
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


@dataclass(frozen=True, eq=False, repr=False)  # a repr would show secrets
class Settings:
    """All settings: for each section the object with its options, and in `rows` where each value comes from."""

    _options: Mapping[type[Any], Any]
    rows: list[Setting]
    unknown: list[str]  # MCP_WEB_* variables and file keys that do not exist
    proxy_variables: Mapping[str, str]  # HTTP_PROXY and the like, for MCP_WEB_PROXY=environment

    def of(self, kind: type[T]) -> T:
        """The options object of this class, such as FetchOptions; raises KeyError for a class not in SECTIONS."""
        found = self._options[kind]
        assert isinstance(found, kind)
        return found

    def is_set(self, section: str, name: str) -> bool:
        """Whether the file, the environment or a flag sets this option of a section; otherwise it has its default."""
        return any(row.origin != "default" for row in self.rows if (row.section, row.name) == (section, name))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every configured secret, also the passwords in the proxy variables: for redaction and the leak guard."""
        found: list[str] = []
        for row in self.rows:
            if row.facts.secret and row.value:
                value = tuple(row.value.values()) if isinstance(row.value, Mapping) else row.value
                found += value if isinstance(value, tuple) else [str(value)]
        logins = (re.search(r":([^/?#]+)@", value) for value in self.proxy_variables.values())
        return (*found, *(login[1] for login in logins if login))


def _without_passwords(value: Any) -> Any:
    """The value, also inside a tuple or a mapping, with user names and passwords in URLs masked."""
    if isinstance(value, tuple):
        return tuple(_without_passwords(item) for item in value)
    if isinstance(value, Mapping):
        return {name: _without_passwords(item) for name, item in value.items()}
    return re.sub(r"(?<=://)[^/?#\s]+@", "•••@", value) if isinstance(value, str) else value


def load(flags: Mapping[str, Any] | None = None, *, environ: Mapping[str, str] | None = None) -> Settings:
    """Read all settings; `flags` are values of the command line by `section.name`, `environ` replaces the environment
    of the process. Raises ConfigError, which names the variable, the value and what is allowed."""
    env = os.environ if environ is None else environ
    sources = _sources(flags or {}, env)
    sections: dict[type[Any], Any] = {}
    rows: list[Setting] = []
    for section in SECTIONS:
        contract = next((row.value for row in rows if (row.section, row.name) == ("tools", "contract")), None)
        options, mine = _section(section, contract, sources)
        sections[type(options)] = options
        rows += mine
    # In lower case they come first.
    proxies = {name: value for name in _PROXY_VARIABLES if (value := env.get(name.lower()) or env.get(name))}
    return Settings(sections, rows, _unknown(rows, env, sources.table), proxies)


def load_section(section: str) -> Any:
    """The options of one section, read without those of the others: the first answer of the server needs no more than
    the section `tools`. Defaults that depend on a contract are not applied. Raises ConfigError."""
    return _section(section, None, _sources({}, os.environ))[0]


def _sources(flags: Mapping[str, Any], env: Mapping[str, str]) -> _Sources:
    """Read the configuration file, and return it with the flags and the environment; raises ConfigError."""
    path = config_path(env)
    return _Sources(flags, env, path, _read_toml(path, required=bool(env.get("MCP_WEB_CONFIG"))))


def _section(section: str, contract: str | None, sources: _Sources) -> tuple[Any, list[Setting]]:
    """The object with the options of a section, and a `Setting` for each of them. `contract`: the configured contract
    (the tools of another system), which changes some defaults. Raises ConfigError."""
    module, _, name = SECTIONS[section].partition(":")
    kind = getattr(importlib.import_module(module), name)
    hints = typing.get_type_hints(kind)
    specs = [spec for spec in dataclasses.fields(kind) if is_option(spec)]
    rows = [_setting(section, spec, hints[spec.name], contract, sources) for spec in specs]
    return kind(**{row.name: row.value for row in rows}), rows


def worker_environment() -> dict[str, str]:
    """The environment of a worker process: the variables of this process that it needs to start, and no secrets."""
    return {name: os.environ[name] for name in _WORKER_VARIABLES if name in os.environ}


def wants_colour() -> bool:
    """Whether output at a terminal may have colours: not if NO_COLOR (no-color.org) is set or TERM is `dumb`."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_completing() -> bool:
    """Whether a shell runs this program for the completions of a word, with the script of `mcp-web completion`."""
    return "_MCP_WEB_COMPLETE" in os.environ


def config_path(env: Mapping[str, str] = os.environ) -> Path:
    """The path of the configuration file, which may not exist: MCP_WEB_CONFIG, or config.toml in the user's folder."""
    if given := env.get("MCP_WEB_CONFIG"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(env.get("APPDATA", "~")).expanduser() / "mcp-web" / "config.toml"
    return Path(env.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "mcp-web" / "config.toml"


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    """The table in a TOML file; empty if it does not exist and is not required. Raises ConfigError."""
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
        return tomllib.loads(text.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The configuration file {path} is not valid TOML: {error}.") from error


def _setting(section: str, spec: dataclasses.Field[Any], hint: Any, contract: str | None, sources: _Sources) -> Setting:
    """The option of the field `spec`, of type `hint`, in a `section`, with its value and where that comes from. Some
    defaults depend on the server whose tools are imitated (`contract`; None: none). Raises ConfigError if invalid."""
    facts = facts_of(spec)
    default = facts.contracts.get(contract or "", default_of(spec))
    value, origin, origin_name = default, "default", ""
    for key, scale in (*facts.keys.items(), (f"{section}.{spec.name}", 1.0)):
        if (written := _written(sources.table, key)) is not None:
            origin, origin_name = "file", f"{sources.path}: {key}"
            value = _joined(value, _checked(origin_name, written, hint, facts, scale=scale))
    derived = (f"MCP_WEB_{section}_{spec.name}".upper(),)
    variables = () if facts.file_only else (*(facts.env or derived), *facts.entries)
    names = [name for name in reversed(variables) if sources.env.get(name, "").strip()]
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
    kind = _in_words(hint, facts)
    return Setting(section, spec.name, value, origin, origin_name, facts, kind, default, variables)  # type: ignore[arg-type]  # origin is one of the four literals


def _written(table: Mapping[str, Any], key: str) -> Any:
    """The value in the file at a key: `section.name`, or `section.name.0` for an item of a list; None if missing."""
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
    """`given`, which replaces `value`; if `given` is a mapping, `value` with its entries added or replaced."""
    return {**value, **given} if isinstance(given, Mapping) else given


def _with_entry(value: Any, variable: str, text: str, hint: Any, facts: OptionFacts) -> Any:
    """The value of an option after a variable that sets one entry of it (`facts.entries` names the entry): in a mapping
    to `text`; a tuple lists what is off, so true removes the entry and false adds it. Raises ConfigError."""
    entry = facts.entries[variable]
    if isinstance(value, Mapping):
        return {**value, entry: _entry_value(variable, text, hint, facts)}
    on = _checked(variable, text, bool, dataclasses.replace(facts, choices=()), scale=1.0)
    return tuple(name for name in value if name != entry) if on else (*value, entry)


def _mapping(name: str, raw: Any, hint: Any, facts: OptionFacts) -> dict[str, Any]:
    """The converted entries, by name in lower case, from a table or from text such as `a=1, b=2`; one without a name is
    called `*`. `name` is the source in messages, `hint` the type of the mapping. Raises ConfigError."""
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
    """The value of one entry of a mapping of type `hint`, converted; ConfigError calls the entry `name`."""
    return _checked(name, raw, typing.get_args(hint)[1], dataclasses.replace(facts, choices=()), scale=1.0)


def _checked(name: str, raw: Any, hint: Any, facts: OptionFacts, *, scale: float) -> Any:
    """`raw` converted to the type `hint`, and if it is a number multiplied by `scale`, the factor from the unit of the
    source to that of the option. Raises ConfigError, which calls the source `name`, if it is not what `facts` allow."""
    if typing.get_origin(hint) is Mapping:
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
    """`X` for the type `X | None`; any other type unchanged."""
    if isinstance(hint, types.UnionType):
        return next(arm for arm in typing.get_args(hint) if arm is not type(None))
    return hint


def _rule(hint: Any, facts: OptionFacts, scale: float) -> ValueRule:
    """What an option accepts, with its limits in the unit of the source: `scale` is 0.001 if that gives milliseconds
    and the option is in seconds."""
    hint = _inner(hint)
    kinds: dict[Any, ValueKind] = {bool: "boolean", int: "integer", float: "number", tuple: "array"}
    kind = kinds.get(typing.get_origin(hint) or hint, "string")
    choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else facts.choices
    least, most = (limit if limit is None else limit / scale for limit in (facts.least, facts.most))
    unit = f"milli{facts.unit}" if scale == 0.001 else facts.unit
    return ValueRule(kind, choices, least, most, separator=_SEPARATOR, sizes=True, unit=unit)


def _in_words(hint: Any, facts: OptionFacts) -> str:
    """In words, what an option of type `hint` accepts in its environment variable: for `Setting.kind`."""
    if typing.get_origin(hint) is Mapping:
        return "entries NAME=VALUE" + (f", where NAME is one of: {', '.join(facts.choices)}" if facts.choices else "")
    rule = _rule(hint, facts, facts.scale)
    return "a list separated by commas" if rule.kind == "array" and not rule.choices else rule.allowed


def _unknown(rows: list[Setting], env: Mapping[str, str], table: Mapping[str, Any]) -> list[str]:
    """Unknown variables that begin with MCP_WEB_ and unknown keys of the file, each with a suggestion if any."""
    names = {variable: variable for row in rows for variable in row.variables} | {"MCP_WEB_CONFIG": "MCP_WEB_CONFIG"}
    # A variable may be guessed from the key in the file: MCP_WEB_FETCH_TIMEOUT for fetch.timeout.
    guesses = {f"MCP_WEB_{row.section}_{row.name}".upper(): row.variables[0] for row in rows if row.variables}
    keys = {f"{row.section}.{row.name}" for row in rows}
    keys |= {".".join(key.split(".")[:2]) for row in rows for key in row.facts.keys}
    given = [name for name in env if name.startswith("MCP_WEB_") and name not in names]
    written = [
        key
        for section, inside in table.items()
        for key in ([f"{section}.{name}" for name in inside] if isinstance(inside, Mapping) else [section])
        if key not in keys
    ]
    return [_with_nearest(name, guesses | names) for name in given] + [
        _with_nearest(name, {key: key for key in keys}) for name in written
    ]


def _with_nearest(name: str, known: Mapping[str, str]) -> str:
    """The name; if a key of `known` is similar, followed by `(did you mean …?)` with the value of that key."""
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"{name} (did you mean {known[near[0]]}?)" if near else name
