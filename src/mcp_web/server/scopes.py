"""Scopes: what a token may do. A broader scope includes the narrower ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs

from mcp_web.errors import InvalidInput
from mcp_web.tools.options import SEARCH
from mcp_web.tools.tool import Tool

# scope → the other scopes that it includes
HIERARCHY: dict[str, tuple[str, ...]] = {
    "web:search": (),
    "web:read": (),
    "archive:read": (),
    "archive:write": ("archive:read",),
    "web": ("web:search", "web:read"),
    "archive": ("archive:read", "archive:write"),
    "tools": ("web:search", "web:read", "archive:read", "archive:write", "web", "archive"),
    "admin": ("web:search", "web:read", "archive:read", "archive:write", "web", "archive", "tools"),
}
# Requests other than tool calls that show what is kept.
_METHODS = {"resources/list": "archive:read", "resources/read": "archive:read", "completion/complete": "archive:read"}
_OPERATOR_PATHS = ("/metrics", "/state")


def granted(scopes: Iterable[str]) -> frozenset[str]:
    """The scopes with all scopes that they include; unknown names are kept."""
    return frozenset(one for scope in scopes for one in (scope, *HIERARCHY.get(scope, ())))


def checked(scopes: Iterable[str]) -> tuple[str, ...]:
    """The scopes unchanged; raises InvalidInput, which lists the known ones, if one is unknown."""
    given = tuple(scopes)
    for scope in given:
        if scope not in HIERARCHY:
            raise InvalidInput(f"There is no scope {scope!r}.", suggestion=f"The scopes are: {', '.join(HIERARCHY)}.")
    return given


def scope_of(tool: Tool) -> str:
    """The scope that a call of this tool needs."""
    if not tool.read_only:
        return "archive:write"
    if tool.purpose == SEARCH:
        return "web:search"
    return "web:read" if tool.open_world or tool.name == "web_extract" else "archive:read"


def needed_for_message(message: Any, tools: Mapping[str, str]) -> str | None:
    """The scope that a JSON-RPC message needs, or None; `tools` maps the name of each tool to its scope.

    A prompt with the name of a tool needs the same scope, because it does what the tool does.
    """
    if not isinstance(message, dict):
        return None
    method = message.get("method")
    if method in ("tools/call", "prompts/get"):
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        return tools.get(name) if isinstance(name, str) else None
    return _METHODS.get(method) if isinstance(method, str) else None


def needed_for_path(method: str, path: str, query: bytes) -> str | None:
    """The scope that an HTTP request needs, or None; for /mcp None, because its messages decide."""
    if path == "/mcp" or path.startswith("/static/"):
        return None
    if path.startswith(_OPERATOR_PATHS):
        return "admin"
    if path == "/search" and "web" in parse_qs(query.decode("latin-1")).get("scope", ()):
        return "web:search"
    return "archive:read" if method in ("GET", "HEAD") else "archive:write"


def allows(scopes: Collection[str], needed: str | None) -> bool:
    """Whether `scopes`, expanded by `granted`, include the needed one; None needs no scope."""
    return needed is None or needed in scopes
