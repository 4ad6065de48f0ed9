"""Writes docs/reference/ and the index from the code; `--check` only says whether they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FOLDER = DOCS / "reference"
FRONT = ROOT / "scripts" / "front.md"
SECTIONS = {
    "guides": "Guides",
    "concepts": "How it works",
    "providers": "Search providers",
    "contracts": "Contracts of other systems",
    "migrate": "Coming from another server",
    "reference": "Reference",
}


def pages() -> dict[str, str]:
    made = {"tools.md": tools(), "settings.md": settings(), "errors.md": errors(), "commands.md": commands()}
    return made | {"../migrate/source-systems.md": source_systems(), "../index.md": index()}


def index() -> str:
    """The front page: every page of the documentation with its title, by folder."""
    parts = [FRONT.read_text(encoding="utf-8").rstrip()]
    for folder, heading in SECTIONS.items():
        found = {path.name for path in (DOCS / folder).glob("*.md")}
        if folder == "reference":
            found |= {"tools.md", "settings.md", "errors.md", "commands.md"}
        if found:
            listed = [f"- [{_title(DOCS / folder / name)}]({folder}/{name})" for name in sorted(found)]
            parts += [f"## {heading}", "\n".join(listed)]
    return "\n\n".join(parts) + "\n"


def _title(path: Path) -> str:
    if not path.exists():
        return path.stem.capitalize()
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    return first.lstrip("# ").strip() or path.stem


def source_systems() -> str:
    """The page for people who come from the five source systems: each requirement with its test or its reason."""
    parts = [(ROOT / "scripts" / "source_systems.md").read_text(encoding="utf-8").rstrip()]
    files = sorted((ROOT / "tests" / "contracts_seeds" / "replay").glob("*.txt"))
    listed = {file.stem: _requirements(file) for file in files}
    counts = {name: sum(not row[2].startswith("differs: ") for row in rows) for name, rows in listed.items()}
    totals = [(f"[{name}](#{name})", f"{counts[name]} of {len(rows)}") for name, rows in listed.items()]
    whole = f"{sum(counts.values())} of {sum(map(len, listed.values()))}"
    parts.append(_table(("system", "as its document says"), [*totals, ("all", f"**{whole}**")]))
    for name, rows in listed.items():
        parts += [f"## {name}", _table(("kind", "requirement", "checked by, or why it differs"), [
            (kind, what, proof.removeprefix("differs: ") if proof.startswith("differs: ") else f"`{proof}`")
            for kind, what, proof in rows
        ])]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _requirements(file: Path) -> list[tuple[str, str, str]]:
    found = [line.split(" | ") for line in file.read_text(encoding="utf-8").splitlines()]
    return [(kind, " | ".join(rest[:-1]), rest[-1]) for kind, *rest in found]


def tools() -> str:
    from mcp_web.tools.sets import PROFILES, tool_named

    profiles = "\n".join(f"- `{name}`: {', '.join(f'`{one}`' for one in names)}" for name, names in PROFILES.items())
    names = dict.fromkeys(name for listed in PROFILES.values() for name in listed)
    parts = [
        "# Tools",
        "What an agent sees. The set is chosen with `--profile` or `MCP_WEB_PROFILE`:",
        profiles,
        "Every tool is idempotent: a call can be repeated. "
        "Numbers, booleans and lists may be given as strings; common aliases are understood; sizes out of range are "
        "clamped with a note; an unknown parameter is an error that names the nearest known one.",
    ]
    for name in names:
        tool = tool_named(name)
        hints = [word for word, on in _hints(tool).items() if on]
        parts += [f"## {tool.name}", tool.description, f"*{', '.join(hints)}*", _table(
            ("parameter", "type", "default", "meaning"),
            [(f"`{one.name}`" + (" **required**" if one.required else ""), _kind(one), _default(one), one.help)
             for one in tool.params],
        )]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _hints(tool: Any) -> dict[str, bool]:
    return {
        "reads only": tool.read_only,
        "changes what is kept": not tool.read_only,
        "destructive": tool.destructive,
        "reaches the web": tool.open_world,
        "local only": not tool.open_world,
    }


def _kind(param: Any) -> str:
    words = ("string or list" if param.single else "list") if param.kind == "array" else param.kind
    if param.choices:
        words += ": " + ", ".join(param.choices)
    if param.least is not None or param.most is not None:
        words += (
            f" {'' if param.least is None else f'{param.least:g}'}…{'' if param.most is None else f'{param.most:g}'}"
        )
    if param.max_items:
        words += f", at most {param.max_items}"
    return words


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _default(param: Any) -> str:
    if param.default is None or param.required:
        return ""
    value = param.default[0] if isinstance(param.default, tuple) else param.default
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def settings() -> str:
    from mcp_web.settings import load

    rows = load(environ={"XDG_CONFIG_HOME": "/nonexistent"}).rows
    parts = [
        "# Settings",
        "Flags win over environment variables, these over the TOML file, that over defaults. The file is "
        "`MCP_WEB_CONFIG`, or `config.toml` in the user's configuration folder; its keys are `[section] name`. "
        "`mcp-web config` shows every value and where it came from. A wrong value ends the program with exit code 2 "
        "and a sentence that names the variable, the value and what is allowed.",
    ]
    general = [row for row in rows if not row.facts.contract]
    for section in dict.fromkeys(row.section for row in general):
        parts += [f"## {section}", *(_setting(row) for row in general if row.section == section)]
    for contract in dict.fromkeys(row.facts.contract for row in rows if row.facts.contract):
        parts += [
            f"## Only for the {contract} contract",
            *(_setting(row) for row in rows if row.facts.contract == contract),
        ]
    return "\n\n".join(parts) + "\n"


def _setting(row: Any) -> str:
    """One setting as a paragraph: a table of five columns is wider than any screen."""
    default = f", default {_value(row)}" if _value(row) else ""
    default += "".join(f", `{value}` in the {name} contract" for name, value in row.facts.contracts.items())
    names = f"**{_code(*row.variables)}** · " if row.variables else ""
    return f"{names}{_code(f'{row.section}.{row.name}')} · {row.kind}{default}<br>\n{row.facts.help}"


def _code(*names: str) -> str:
    return " ".join(f"`{name}`" for name in names)


def _value(row: Any) -> str:
    from mcp_web.settings import as_text

    value = row.default
    if row.facts.scale != 1.0 and value is not None:
        return f"`{value / row.facts.scale:g}`"
    return f"`{as_text(value)}`" if as_text(value) else ""


def errors() -> str:
    from mcp_web.errors import all_errors

    parts = [
        "# Errors",
        "Every failure is `{code, message, suggestion, retryable, retry_after?, url?, status_code?, details?}`: in "
        "`_meta.error` of a tool result with `isError`, in `--json` output, and as one sentence on stderr. They are "
        "sorted by who can act.",
    ]
    kinds: dict[str, list[Any]] = {}
    for kind in all_errors():
        kinds.setdefault(kind.__mro__[1].__doc__ or "", []).append(kind)
    for doc, members in kinds.items():
        parts += [f"## {doc.rstrip('.')}", _table(
            ("code", "retryable", "what to do"),
            [(f"`{kind.code}`", "yes" if kind.retryable else "", kind.suggestion) for kind in members],
        )]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    import click

    from mcp_web.cli.main import COMMANDS, cli

    parts = [
        "# Commands",
        "Exit codes: 0 done · 1 the work failed · 2 wrong usage or configuration · 3 what was asked for by name or "
        "query does not exist, or is empty · 130 interrupted (`serve --http` ends with 0). "
        "An empty list (`mcp-web cache list`) is done. "
        'stdout carries only the answer; `--json` prints the answer object, or `{"error": {…}}` when there is none.',
    ]
    context = click.Context(cli, info_name="mcp-web")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += _command(command, f"mcp-web {name}")
    return "\n\n".join(parts) + "\n"


def _command(command: Any, name: str) -> list[str]:
    import click

    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
    parts = [f"## {name}", "```text\n" + command.get_help(context).rstrip() + "\n```"]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            parts += _command(found, f"{name} {sub}")
    return parts


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("\n", " ")

    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows])


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = [name for name, text in pages().items() if not _same(FOLDER / name, text)]
    if "--check" in sys.argv and stale:
        sys.exit(f"out of date: {', '.join(stale)}; run make docs")
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
