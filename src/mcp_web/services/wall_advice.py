"""Advice for a page behind a wall (login, paywall, consent, bot check): never a way to bypass it. Pure."""

from __future__ import annotations

from mcp_web.model.page import Wall

_OWN_LOGIN = "The operator can use a login or cookies of their own for this host (MCP_WEB_LOGIN)"
_COPY = "an archived or public copy may exist"


def wall_advice(wall: Wall, *, can_render: bool, rendered: bool, authenticated: bool) -> str:
    """What the agent or the operator can do about a page behind a wall; "" if nothing can be done. `can_render`: a
    browser is available, `rendered`: it was used, `authenticated`: a configured login was used."""
    if wall in ("paywall", "login"):
        if authenticated:
            return (
                f"The login that is configured for this host does not open the page; it may have expired, or {_COPY}."
            )
        return f"{_OWN_LOGIN}; otherwise {_COPY}."
    if wall == "bot":
        browser = "" if rendered or not can_render else "mode=rendered may pass it as any browser does. "
        return f"The check is not bypassed. {browser}{_OWN_LOGIN}; otherwise {_COPY}."
    if rendered:
        return ""
    if can_render:
        return "mode=rendered may show more."
    return "A browser may show more; the operator can switch rendering on with MCP_WEB_RENDER_ENABLED=true."
