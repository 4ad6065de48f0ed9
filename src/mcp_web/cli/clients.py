"""The known MCP clients: where each keeps its configuration, and the entry to write there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mcp_web.web.connect import Entry, Remote, claude_code_line

Form = Literal["json", "toml", "text"]
AnyEntry = Entry | Remote

_APPS = "APPS"  # the first part of a path below the settings of desktop programs, which differ by platform


@dataclass(frozen=True, slots=True)
class Client:
    """An MCP client: where its configuration is, and how this server's entry is written there."""

    name: str
    title: str
    form: Form
    file: str  # the user's configuration, below the home folder; "" where it is entered by hand
    where: tuple[str, ...] = ("mcpServers",)  # keys down to the table of servers
    stdio: Mapping[str, str] = field(default_factory=dict)  # fields beside the command
    http: Mapping[str, str] = field(default_factory=dict)  # fields beside the URL
    names: tuple[str, str] | None = ("url", "headers")  # of those fields; None where only stdio servers can be written
    hint: str = ""

    @property
    def path(self) -> Path | None:
        first, _, rest = self.file.partition("/")
        if first != _APPS:
            return Path.home() / self.file if self.file else None
        apps = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(sys.platform, ".config")
        return Path.home() / apps / rest

    def body_of(self, entry: AnyEntry) -> dict[str, Any]:
        if isinstance(entry, Entry):
            command: dict[str, Any] = {"command": entry.command, "args": list(entry.args)}
            return {**self.stdio, **command} | ({"env": entry.env} if entry.env else {})
        assert self.names is not None
        url, headers = self.names
        return {**self.http, url: entry.url} | ({headers: entry.headers} if entry.headers else {})

    def hint_for(self, entry: AnyEntry) -> str:
        """A sentence on what a person should do or know after adding the entry; "" for nothing."""
        if self.name == "claude-code":
            return f"Or let it do the same: {claude_code_line(entry)}"
        if isinstance(entry, Remote) and self.form == "text":
            header = f", with the header Authorization: Bearer {entry.token}" if entry.token else ""
            return f"Add {entry.url}{header}{_OPEN_WEBUI}"
        return self.hint


_OPEN_WEBUI = " under Admin Settings → External Tools, type MCP (Streamable HTTP)."
_HTTP, _STDIO = {"type": "http"}, {"type": "stdio"}

CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", "json", f"{_APPS}/Claude/claude_desktop_config.json", names=None,
               hint="Restart Claude Desktop afterwards."),
        Client("claude-code", "Claude Code", "json", ".claude.json", stdio=_STDIO, http=_HTTP,
               hint="Claude Code can add it itself."),
        Client("cursor", "Cursor", "json", ".cursor/mcp.json"),
        Client("vscode", "VS Code", "json", f"{_APPS}/Code/User/mcp.json", ("servers",), _STDIO, _HTTP),
        Client("windsurf", "Windsurf", "json", ".codeium/windsurf/mcp_config.json", names=("serverUrl", "headers")),
        Client("codex", "Codex", "toml", ".codex/config.toml", ("mcp_servers",), names=("url", "http_headers")),
        Client("gemini", "Gemini CLI", "json", ".gemini/settings.json", names=("httpUrl", "headers")),
        Client("zed", "Zed", "json", f"{_APPS}/zed/settings.json", ("context_servers",), {"source": "custom"}),
        Client("lmstudio", "LM Studio", "json", ".lmstudio/mcp.json"),
        Client("open-webui", "Open WebUI", "text", "", (),
               hint="Open WebUI speaks HTTP: start `mcp-web serve --http 127.0.0.1:8765`, then add "
               "http://127.0.0.1:8765/mcp" + _OPEN_WEBUI),
    )
}  # fmt: skip
