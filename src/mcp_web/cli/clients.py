"""The MCP clients we know: where each keeps its configuration and what it wants written there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp_web.web.connect import Entry

Form = Literal["json", "toml", "text"]


@dataclass(frozen=True, slots=True)
class Client:
    name: str
    title: str
    form: Form
    path: Callable[[], Path] | None  # of the user's configuration; None where it is entered by hand
    where: tuple[str, ...]  # keys down to the table of servers
    body: Callable[[Entry], dict[str, Any]]
    hint: str = ""


def _plain(entry: Entry) -> dict[str, Any]:
    return {"command": entry.command, "args": list(entry.args)} | ({"env": entry.env} if entry.env else {})


def _typed(entry: Entry) -> dict[str, Any]:
    return {"type": "stdio"} | _plain(entry)


def _app_support(*parts: str) -> Callable[[], Path]:
    """The folder of a desktop program's settings on this platform."""

    def path() -> Path:
        home = Path.home()
        if sys.platform == "darwin":
            return home.joinpath("Library", "Application Support", *parts)
        if sys.platform == "win32":
            return home.joinpath("AppData", "Roaming", *parts)
        return home.joinpath(".config", *parts)

    return path


def _home(*parts: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*parts)


_SERVERS = ("mcpServers",)

CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", "json", _app_support("Claude", "claude_desktop_config.json"),
               _SERVERS, _plain, "Restart Claude Desktop afterwards."),
        Client("claude-code", "Claude Code", "json", _home(".claude.json"), _SERVERS, _typed,
               "Or let it do the same: claude mcp add --scope user mcp-web -- COMMAND"),
        Client("cursor", "Cursor", "json", _home(".cursor", "mcp.json"), _SERVERS, _plain),
        Client("vscode", "VS Code", "json", _app_support("Code", "User", "mcp.json"), ("servers",), _typed),
        Client("windsurf", "Windsurf", "json", _home(".codeium", "windsurf", "mcp_config.json"), _SERVERS, _plain),
        Client("codex", "Codex", "toml", _home(".codex", "config.toml"), ("mcp_servers",), _plain),
        Client("gemini", "Gemini CLI", "json", _home(".gemini", "settings.json"), _SERVERS, _plain),
        Client("zed", "Zed", "json", _app_support("zed", "settings.json"), ("context_servers",),
               lambda entry: {"source": "custom"} | _plain(entry)),
        Client("lmstudio", "LM Studio", "json", _home(".lmstudio", "mcp.json"), _SERVERS, _plain),
        Client("open-webui", "Open WebUI", "text", None, (), _plain,
               "Open WebUI speaks HTTP: start `mcp-web serve --http 127.0.0.1:8765`, then add "
               "http://127.0.0.1:8765/mcp under Admin Settings → External Tools, type MCP (Streamable HTTP)."),
    )
}  # fmt: skip
