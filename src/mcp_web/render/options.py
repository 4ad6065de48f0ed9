"""Options of rendering, which is off by default."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option

# Hosts that serve common JavaScript libraries: without them many single-page applications stay empty.
CODE_HOSTS = (
    "cdn.jsdelivr.net",
    "unpkg.com",
    "cdnjs.cloudflare.com",
    "esm.sh",
    "cdn.skypack.dev",
    "ajax.googleapis.com",
    "ajax.aspnetcdn.com",
    "code.jquery.com",
)


@dataclass(frozen=True, slots=True)
class RenderOptions:
    enabled: bool = option(
        False, "Open pages in a real Chromium when scripts make their text.", env="MCP_WEB_RENDER_ENABLED"
    )
    executable: str = option(
        "", "The Chromium to use, where it is not in one of the usual places.", env="MCP_WEB_RENDER_EXECUTABLE"
    )
    timeout: float = 15.0  # seconds one page may take, from the call to the answer
    patience: float = 1.0  # factor of the times after which a page that does not answer or progress is given up
    max_pages: int = 3  # pages rendered at the same time, about a hundred megabytes each; others wait
    recycle_after: int = 100  # pages after which the browser is replaced
    idle: float = 120.0  # seconds without a page after which the browser is closed
    third_parties: tuple[str, ...] = option(
        CODE_HOSTS,
        "Domains besides its own site that a page may load from, such as those with an application's code; * is all "
        "of the public web.",
        env="MCP_WEB_RENDER_THIRD_PARTIES",
    )
    screenshot: bool = option(
        False,
        "Keep a screenshot of each rendered page, for which its images and fonts are loaded too.",
        env="MCP_WEB_RENDER_SCREENSHOT",
    )
    max_bytes: int = 50_000_000  # bytes one page may load in all
    memory_mb: int = 2048  # memory of each browser process in megabytes; 0 sets no ceiling
