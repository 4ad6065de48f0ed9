"""A one-tool MCP server over stdio around a library, run by the interpreter that has the library."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

TOOL = {
    "name": "fetch",
    "description": "Fetches a page and returns its main text as Markdown.",
    "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
}


def trafilatura() -> Callable[[str], str]:
    import trafilatura as library

    def fetch(url: str) -> str:
        with urllib.request.urlopen(url, timeout=30) as answer:  # its own download refuses loopback
            page = answer.read()
        text = library.extract(page, url=url, output_format="markdown", include_links=True, include_tables=True)
        return text or ""

    return fetch


def crawl4ai() -> Callable[[str], str]:
    """Plain HTTP instead of a browser: none of the pages needs scripts, and a browser is not part of its package."""
    from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
    from crawl4ai.content_filter_strategy import PruningContentFilter
    from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator

    async def crawl(url: str) -> str:
        maker = DefaultMarkdownGenerator(content_filter=PruningContentFilter())
        config = CrawlerRunConfig(markdown_generator=maker, verbose=False)
        async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
            result = await crawler.arun(url, config=config)
        return result.markdown.fit_markdown or result.markdown.raw_markdown or ""

    return lambda url: asyncio.run(crawl(url))


def answer(message: dict[str, Any], fetch: Callable[[str], str]) -> dict[str, Any]:
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        facts = {"name": "library", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": facts}
    if method == "tools/list":
        return {"tools": [TOOL]}
    try:
        return {"content": [{"type": "text", "text": fetch(params["arguments"]["url"])}]}
    except Exception as error:  # noqa: BLE001  whatever the library raises is its answer
        return {"content": [{"type": "text", "text": f"{type(error).__name__}: {error}"}], "isError": True}


def main() -> None:
    protocol, sys.stdout = sys.stdout, sys.stderr  # libraries print
    fetch = {"trafilatura": trafilatura, "crawl4ai": crawl4ai}[sys.argv[1]]()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message, fetch)}), file=protocol)
            protocol.flush()


if __name__ == "__main__":
    main()
