"""How a client starts this installation."""

from __future__ import annotations

import base64
import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

NAME = "mcp-web"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
TOKEN = "YOUR_TOKEN"  # noqa: S105 — what a person replaces by theirs


@dataclass(frozen=True, slots=True)
class Entry:
    """The command that starts this server, for the configuration of a client."""

    command: str
    args: tuple[str, ...]
    env: dict[str, str]

    @property
    def typed(self) -> str:
        """The command as a person types it."""
        return shlex.join((self.command, *self.args))


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs elsewhere, reached over HTTP."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def own_entry() -> Entry:
    """The command that starts this installation: an absolute path, since clients run with a minimal PATH."""
    script = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("mcp-web")
    if beside.exists():
        return Entry(str(beside), (), {})
    if script.name == "mcp-web" and script.exists():
        return Entry(str(script.absolute()), (), {})
    return Entry(sys.executable, ("-m", "mcp_web"), {})


def claude_code_line(entry: Entry | Remote) -> str:
    """The shell command that adds an installation (with its environment) or a remote server to Claude Code."""
    if isinstance(entry, Remote):
        header = "".join(f' --header "{name}: {value}"' for name, value in entry.headers.items())
        return f"claude mcp add --scope user --transport http {NAME} {entry.url}{header}"
    # Not right before the name: Claude Code would take that for another variable.
    env = "".join(f"--env {shlex.quote(f'{name}={value}')} " for name, value in entry.env.items())
    return f"claude mcp add {env}--scope user {NAME} -- {entry.typed}"


def ways_to_connect(endpoint: str, *, needs_token: bool) -> dict[str, Any]:
    """Commands and links for connecting clients: locally they start the server, elsewhere they use its URL."""
    own, remote = own_entry(), Remote(endpoint, TOKEN if needs_token else "")
    if is_local := urlsplit(endpoint).hostname in LOOPBACK:
        cursor: dict[str, Any] = {"command": own.command, "args": list(own.args)}
        vscode = cursor
    else:
        cursor = {"url": endpoint} | ({"headers": remote.headers} if remote.token else {})
        vscode = {"type": "http"} | cursor
    config = base64.b64encode(json.dumps(cursor).encode()).decode()
    return {
        "endpoint": endpoint,
        "claude_line": claude_code_line(own if is_local else remote),
        "cursor_link": f"cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={quote(config, safe='')}",
        "vscode_link": "vscode:mcp/install?" + quote(json.dumps({"name": NAME} | vscode), safe=""),
    }
