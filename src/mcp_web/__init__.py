"""One MCP server that gives an AI agent the web: search, open, read, remember, cite.

`from mcp_web import Web` is the same engine for Python programs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported: until `main` runs, Ctrl-C prints a traceback
if TYPE_CHECKING:
    from typing import Any

    from mcp_web.api.async_web import AsyncWeb
    from mcp_web.api.web import Web
    from mcp_web.errors import WebError

__version__ = "0.1.0"
__all__ = ["AsyncWeb", "Web", "WebError", "__version__"]

# Imported on first access: the server's first answer must not wait for them.
_PLACES = {"AsyncWeb": "mcp_web.api.async_web", "Web": "mcp_web.api.web", "WebError": "mcp_web.errors"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PLACES[name]), name)
