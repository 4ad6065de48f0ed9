"""Moved to `mcp_web.text.urls`."""

from __future__ import annotations

from mcp_web.text.urls import MAX_CHARS, Url, domain_pattern, host_matches, join, parse_url

__all__ = ["MAX_CHARS", "Url", "domain_pattern", "host_matches", "join", "parse_url"]
