"""What the `searxng` contract reads from `[web_search]`, the section of that system's own configuration file.

The other keys of that section set the options of other components: `default_timeout` sets the search timeout.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class WebSearchOptions:
    default_results_count: int = option(
        10, "results of a call that names no number.", least=1, most=50, file_only=True, contract="searxng"
    )
    max_results_count: int = option(
        50, "most results of a call; more are cut to it.", least=1, most=50, file_only=True, contract="searxng"
    )
    summarize_long_content: bool = option(True, "give each page read a summary.", file_only=True, contract="searxng")
    max_summary_length: int = option(
        500, "most characters of a summary.", least=20, most=5_000, file_only=True, contract="searxng"
    )
    extract_code_blocks: bool = option(
        True, "keep code blocks in the Markdown of pages.", file_only=True, contract="searxng"
    )
