"""Checks the caller's scopes before the SDK reads a message, because the protocol requires an HTTP 403.

The handlers check again what they run (`server/build.py`); this check only answers with the required status.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_web.server.access import Challenge, caller_in
from mcp_web.server.refusal import refuse, replayed
from mcp_web.server.scopes import allows, needed_for_message


class ScopeCheck:
    """ASGI middleware inside `BodyLimit`, which passes the body on as one message."""

    def __init__(self, app: ASGIApp, challenge: Challenge, tools: Mapping[str, str]) -> None:
        self._app = app
        self._challenge = challenge
        self._tools = tools  # name → scope

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = caller_in(scope) if scope["type"] == "http" and scope["path"] == "/mcp" else None
        if caller is None or "tools" in caller.scopes:
            await self._app(scope, receive, send)
            return
        first = await receive()
        for needed in self._needed(first.get("body", b"")):
            if not allows(caller.scopes, needed):
                await refuse(send, self._challenge.insufficient(needed))
                return
        await self._app(scope, replayed(first, receive), send)

    def _needed(self, body: bytes) -> set[str]:
        """The scopes that the messages in a body need; none for a body that is not JSON."""
        try:
            sent = json.loads(body)
        except (ValueError, RecursionError):
            return set()  # the SDK reports the error
        messages = sent if isinstance(sent, list) else [sent]
        return {needed for message in messages if (needed := needed_for_message(message, self._tools))}
