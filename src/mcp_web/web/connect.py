"""How a client starts this installation."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

NAME = "mcp-web"


@dataclass(frozen=True, slots=True)
class Entry:
    """How this server is started."""

    command: str
    args: tuple[str, ...]
    env: dict[str, str]


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs elsewhere, reached over HTTP."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def own_entry() -> Entry:
    """How a client starts this installation: by an absolute path, since clients run with a minimal PATH."""
    script = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("mcp-web")
    if beside.exists():
        return Entry(str(beside), (), {})
    if script.name == "mcp-web" and script.exists():
        return Entry(str(script.absolute()), (), {})
    return Entry(sys.executable, ("-m", "mcp_web"), {})


def claude_code_http_line(remote: Remote) -> str:
    header = "".join(f' --header "{name}: {value}"' for name, value in remote.headers.items())
    return f"claude mcp add --scope user --transport http {NAME} {remote.url}{header}"


def claude_code_line() -> str:
    entry = own_entry()
    return f"claude mcp add --scope user {NAME} -- {' '.join((entry.command, *entry.args))}"
