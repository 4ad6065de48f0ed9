"""The six tools of the `mcp-web` contract: names, descriptions and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.contract import ContractTool, Failed, Run, contract_tool

_URL = {"type": "string", "description": "Address of the page; https is assumed where no scheme is given."}
_MODE = {"type": "string", "enum": ["readable", "raw", "rendered"], "default": "readable",
         "description": "readable: main content; raw: the source; rendered: after scripts ran."}  # fmt: skip
_SITECONFIG = {"type": "string", "description": "Id of a site config to apply, before domain-matched rules."}
_EXPLAIN = {"type": "boolean", "default": False, "description": "Show which candidate won, and why."}
_START = {"type": "integer", "minimum": 0, "default": 0, "description": "Offset to continue at (next_start)."}
_MAX_CHARS = {"type": "integer", "minimum": 100, "maximum": 100000, "default": 60000,
              "description": "Most characters of Markdown to return."}  # fmt: skip

# Name → description, required parameter, properties, further fields of the tool.
_TOOLS: dict[str, tuple[str, str | None, dict[str, Any], dict[str, Any]]] = {
    "web_search": (
        "Searches the web with filtering and pagination; returns title, url, description and rank.", "query",
        {
            "query": {"type": "string", "minLength": 1, "description": "What to search for."},
            "count": {"type": "integer", "minimum": 1, "maximum": 20, "default": 20, "description": "Results a page."},
            "offset": {"type": "integer", "minimum": 0, "maximum": 9, "default": 0, "description": "Page offset."},
            "freshness": {"type": "string", "description": "pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD."},
            "safesearch": {"type": "string", "enum": ["off", "moderate", "strict"], "default": "moderate"},
            "country": {"type": "string", "description": "Two-letter country."},
            "search_lang": {"type": "string", "description": "Language of the results."},
            "ui_lang": {"type": "string", "description": "Language of the surface, such as en-US."},
            "extra_snippets": {"type": "boolean", "default": False,
                               "description": "Up to 5 further excerpts a result."},
            "goggles": {"type": "string", "description": "A goggle: its URL or its rules."},
            "enable_rich_callback": {"type": "boolean", "default": False, "description": "Ask for rich results' key."},
            "domain_allowlist": {"type": "array", "items": {"type": "string"}, "description": "Only these domains."},
        },
        {"purpose": "search"},
    ),
    "web_open": (
        "Fetches a page and returns it as Markdown under a stable front matter; cached.", "url",
        {"url": _URL, "mode": _MODE, "siteconfig": _SITECONFIG, "explain_extraction": _EXPLAIN,
         "refresh": {"type": "boolean", "default": False, "description": "Ask the origin again."},
         "start": _START, "max_chars": _MAX_CHARS},
        {"purpose": "fetch", "long_answers": True},
    ),
    "web_batch_open": (
        "Fetches several pages with bounded concurrency; each has its own result or error.", "urls",
        {"urls": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 50},
         "mode": _MODE, "siteconfig": _SITECONFIG,
         "max_concurrency": {"type": "integer", "minimum": 1, "maximum": 16, "default": 4,
                             "description": "Pages fetched at the same time."},
         "max_chars": _MAX_CHARS},
        {"purpose": "fetch", "long_answers": True},
    ),
    "web_extract": (
        "Extracts Markdown from HTML that is given; no network.", "html",
        {"html": {"type": "string", "description": "The HTML source."},
         "base_url": {"type": "string", "description": "Address the HTML came from."},
         "siteconfig": _SITECONFIG, "explain_extraction": _EXPLAIN, "start": _START, "max_chars": _MAX_CHARS},
        {"open_world": False, "long_answers": True},
    ),
    "cache_get": (
        "Returns a cached document by its hash.", "hash",
        {"hash": {"type": "string", "description": "Hash of a cached document.", "minLength": 8},
         "start": _START, "max_chars": _MAX_CHARS},
        {"open_world": False, "long_answers": True},
    ),
    "cache_purge": (
        "Removes cached documents by age, domain or count.", None,
        {"older_than_days": {"type": "number", "minimum": 0, "description": "Not used for this many days."},
         "domain": {"type": "string", "description": "Of this host and its subdomains."},
         "max_entries": {"type": "integer", "minimum": 0, "description": "Keep this many most recently used."},
         "dry_run": {"type": "boolean", "default": False, "description": "Only say what would go."}},
        {"open_world": False, "read_only": False, "destructive": True},
    ),
}  # fmt: skip


def tools_of(runs: Mapping[str, Run], failed: Failed) -> tuple[ContractTool, ...]:
    """The tools of the contract; `runs` are their functions by name."""
    made = []
    for name, (description, required, properties, more) in _TOOLS.items():
        schema = {"type": "object", "properties": properties, "required": [required] if required else []}
        title = name.replace("_", " ").capitalize()
        made.append(contract_tool(name, title, description, schema, runs[name], failed=failed, **more))
    return tuple(made)
