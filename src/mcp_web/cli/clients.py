"""The known MCP clients: where each keeps its configuration, and the entry to write there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp_web.web.connect import Entry, Remote, claude_code_http_line, claude_code_line

Form = Literal["json", "toml", "text"]
AnyEntry = Entry | Remote


@dataclass(frozen=True, slots=True)
class Client:
    """An MCP client, and how our entry is written into its configuration."""

    name: str
    title: str
    form: Form
    path: Callable[[], Path] | None  # of the user's configuration; None where it is entered by hand
    where: tuple[str, ...]  # keys down to the table of servers
    body: Callable[[Entry], dict[str, Any]]
    hint: str = ""
    http_body: Callable[[Remote], dict[str, Any]] | None = None  # None where only stdio servers can be written

    def body_of(self, entry: AnyEntry) -> dict[str, Any]:
        if isinstance(entry, Entry):
            return self.body(entry)
        assert self.http_body is not None
        return self.http_body(entry)

    def hint_for(self, entry: AnyEntry) -> str:
        """What a person should know or do besides; "" for nothing."""
        if self.name == "claude-code":
            line = claude_code_line(entry) if isinstance(entry, Entry) else claude_code_http_line(entry)
            return f"Or let it do the same: {line}"
        if isinstance(entry, Remote):
            header = f", with the header Authorization: Bearer {entry.token}" if entry.token else ""
            return self.hint if self.form != "text" else f"Add {entry.url}{header}{_OPEN_WEBUI}"
        return self.hint


def _plain(entry: Entry) -> dict[str, Any]:
    return {"command": entry.command, "args": list(entry.args)} | ({"env": entry.env} if entry.env else {})


def _typed(entry: Entry) -> dict[str, Any]:
    return {"type": "stdio"} | _plain(entry)


def _http(entry: Remote, **more: str) -> dict[str, Any]:
    return {**more, "url": entry.url} | ({"headers": entry.headers} if entry.headers else {})


def _http_typed(entry: Remote) -> dict[str, Any]:
    return _http(entry, type="http")


def _http_renamed(url: str, headers: str = "headers") -> Callable[[Remote], dict[str, Any]]:
    """An entry like `_http`, with the field names of a client."""
    return lambda entry: {url: entry.url} | ({headers: entry.headers} if entry.headers else {})


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
_OPEN_WEBUI = " under Admin Settings → External Tools, type MCP (Streamable HTTP)."

CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", "json", _app_support("Claude", "claude_desktop_config.json"),
               _SERVERS, _plain, "Restart Claude Desktop afterwards."),
        Client("claude-code", "Claude Code", "json", _home(".claude.json"), _SERVERS, _typed,
               "Claude Code can add it itself.", _http_typed),
        Client("cursor", "Cursor", "json", _home(".cursor", "mcp.json"), _SERVERS, _plain, http_body=_http),
        Client("vscode", "VS Code", "json", _app_support("Code", "User", "mcp.json"), ("servers",), _typed,
               http_body=_http_typed),
        Client("windsurf", "Windsurf", "json", _home(".codeium", "windsurf", "mcp_config.json"), _SERVERS, _plain,
               http_body=_http_renamed("serverUrl")),
        Client("codex", "Codex", "toml", _home(".codex", "config.toml"), ("mcp_servers",), _plain,
               http_body=_http_renamed("url", "http_headers")),
        Client("gemini", "Gemini CLI", "json", _home(".gemini", "settings.json"), _SERVERS, _plain,
               http_body=_http_renamed("httpUrl")),
        Client("zed", "Zed", "json", _app_support("zed", "settings.json"), ("context_servers",),
               lambda entry: {"source": "custom"} | _plain(entry), http_body=_http),
        Client("lmstudio", "LM Studio", "json", _home(".lmstudio", "mcp.json"), _SERVERS, _plain, http_body=_http),
        Client("open-webui", "Open WebUI", "text", None, (), _plain,
               "Open WebUI speaks HTTP: start `mcp-web serve --http 127.0.0.1:8765`, then add "
               "http://127.0.0.1:8765/mcp" + _OPEN_WEBUI),
    )
}  # fmt: skip
