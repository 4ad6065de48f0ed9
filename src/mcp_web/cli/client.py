"""`mcp-web client`."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from mcp_web.cli.clients import CLIENTS, AnyEntry, Client
from mcp_web.cli.config import toml_value
from mcp_web.cli.output import echo, json_option, note, print_json
from mcp_web.errors import ConfigError
from mcp_web.text.values import encodable
from mcp_web.web.connect import NAME, Entry, Remote, own_entry


@click.command("client")
@click.argument("client", type=click.Choice(list(CLIENTS)), required=False, metavar="[CLIENT]")
@click.option("--write", is_flag=True, help="Write it into the client's configuration, keeping a backup.")
@click.option("--path", type=click.Path(path_type=Path, dir_okay=False), help="Another configuration file.")
@click.option("--url", help="Connect over HTTP to a server that runs there, instead of starting one.")
@click.option("--token", help="The token for that server.")
@click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="A variable of the server; repeatable.")
@json_option
def command(
    client: str | None,
    write: bool,
    path: Path | None,
    url: str | None,
    token: str | None,
    env: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the configuration for an MCP client, or write it to the client's file. Without CLIENT: list the clients."""
    if client is None:
        rows = [{"client": known.name, "title": known.title, "path": str(known.path) if known.path else None}
                for known in CLIENTS.values()]  # fmt: skip
        if as_json:
            print_json(rows)
        else:
            for row in rows:
                echo(f"{row['client']:15} {row['title']:15} {row['path'] or ''}")
        return
    for given in (url, token, *env):
        if given and encodable(given) != given:
            raise click.UsageError(f"{given!r} is not UTF-8 text.")
    known = CLIENTS[client]
    entry = _with_env(own_entry(), env) if url is None else remote(known, url, token)
    target = path or known.path
    if write:
        if target is None or known.form == "text":
            raise ConfigError(f"{known.title} has no configuration file to write.", suggestion=known.hint)
        changed, backup = install(known, entry, target)
        state = "written to" if changed else "already in"
        echo(f"mcp-web is {state} {target}" + (f" (before: {backup})" if backup else ""))
    elif as_json:
        print_json({"client": known.name, "path": str(target) if target else None, "config": _nested(known, entry)})
    else:
        _show(known, entry, target)
    if url is None:
        _name_unset(env)


def _name_unset(env: tuple[str, ...]) -> None:
    """Warn of variables of this shell that are settings and that the client's server will not get by `env`."""
    from mcp_web.settings import load

    given = {pair.partition("=")[0] for pair in env}
    rows = [row for row in load().rows if row.origin == "environment"]
    missing = sorted(row.origin_name for row in rows if given.isdisjoint((row.origin_name, *row.variables)))
    if missing:
        options = " ".join(f"--env {name}=…" for name in missing)
        note(f"The client's server will not have {', '.join(missing)} of this shell, unless you add {options}.")


def remote(client: Client, url: str, token: str | None) -> Remote:
    """The server at `url`, with `/mcp` added if it has no path; ConfigError if client or address cannot be used."""
    if client.names is None:
        raise ConfigError(
            f"{client.title} takes no HTTP server in its configuration file.",
            suggestion=f"Add {url} under Settings → Connectors, or let it start its own server: omit --url.",
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(
            f"{url!r} is not an http or https address.", suggestion="Give it as http://host:8765/mcp, or https://…"
        )
    return Remote(url if parts.path.strip("/") else url.rstrip("/") + "/mcp", token or "")


def install(client: Client, entry: AnyEntry, target: Path) -> tuple[bool, Path | None]:
    """Merge our entry into a configuration file; returns whether that changed it, and the backup of the earlier file.

    The backup is None if nothing changed or there was no file. Raises ConfigError for a file that cannot be merged.
    """
    try:
        before = target.read_text(encoding="utf-8-sig") if target.exists() else ""
    except UnicodeDecodeError as error:
        raise _left_alone(client, target, "is not UTF-8 text") from error
    after = _merged(client, entry, before, target)
    if after == before:
        return False, None
    backup = None
    target = target.resolve()  # a link to a file elsewhere stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    if before:
        backup = target.with_name(f"{target.name}.{datetime.now():%Y%m%d-%H%M%S-%f}.bak")
        shutil.copy2(target, backup)
    beside = target.with_name(target.name + ".new")
    beside.touch(mode=0o600)  # it may hold a token
    beside.write_text(after, encoding="utf-8")
    if target.exists():
        shutil.copymode(target, beside)
    beside.replace(target)
    return True, backup


def _merged(client: Client, entry: AnyEntry, before: str, target: Path) -> str:
    """The text of a configuration file with our entry, which replaces an earlier one in JSON; ConfigError if the file
    cannot be read or, as TOML, has a different entry."""
    import tomllib

    is_toml = client.form == "toml"
    try:
        whole = tomllib.loads(before) if is_toml else json.loads(before) if before.strip() else {}
    except ValueError as error:
        raise _left_alone(client, target, f"is not {'valid TOML' if is_toml else 'plain JSON'} ({error})") from error
    table, place = whole, ".".join(client.where)
    for key in client.where:
        table = table.setdefault(key, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise _left_alone(client, target, f"has no {'table' if is_toml else 'object'} at {place}")
    wanted = client.body_of(entry)
    if table.get(NAME) == wanted:
        return before
    if not is_toml:
        table[NAME] = wanted
        # Half a surrogate pair cannot be written as UTF-8, only as the escape sequence \ud800 that it was read from.
        return json.dumps(whole, ensure_ascii=False, indent=2).encode(errors="backslashreplace").decode() + "\n"
    if NAME in table:
        raise ConfigError(
            f"{target} already has a different [{place}.{NAME}].",
            suggestion="Remove that table and run the command again, or edit it by hand.",
        )
    after = (before.rstrip("\n") + "\n\n" if before.strip() else "") + _toml(client, entry)
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        fault = f"has an inline table at {place}, to which no other table can be added"
        raise _left_alone(client, target, fault) from error
    return after


def _toml(client: Client, entry: AnyEntry) -> str:
    lines = [f"{key} = {toml_value(value)}" for key, value in client.body_of(entry).items()]
    return "\n".join([f"[{'.'.join((*client.where, NAME))}]", *lines, ""])


def _nested(client: Client, entry: AnyEntry) -> dict[str, Any]:
    made: dict[str, Any] = {NAME: client.body_of(entry)}
    for key in reversed(client.where):
        made = {key: made}
    return made


def _with_env(entry: Entry, pairs: tuple[str, ...]) -> Entry:
    env = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--env is {pair!r}, but it must be NAME=VALUE.")
        env[name] = value
    return Entry(entry.command, entry.args, env)


def _show(client: Client, entry: AnyEntry, target: Path | None) -> None:
    if client.form != "text":
        echo(f"# {client.title}: {target}", err=True)
        echo(_toml(client, entry) if client.form == "toml" else json.dumps(_nested(client, entry), indent=2))
    if client.hint:
        echo(client.hint_for(entry), err=client.form != "text")


def _left_alone(client: Client, target: Path, fault: str) -> ConfigError:
    by_hand = f"Correct the file, or paste the output of `mcp-web client {client.name}` into it by hand."
    return ConfigError(f"{target} {fault}; it was left as it is.", suggestion=by_hand)
