"""The servers of the race, each with one fixed policy: search, open the first three results, page on until found.

A policy does not know whether a question can be answered. It stops when the passage was returned, when nothing is left
to open, or when the server has said twice that the pages do not answer.
"""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers import ours
from bench.scorecard import tokens
from bench.scorecard.installs import Installed
from bench.scorecard.rows import OURS
from bench.scorecard.session import Reply, Session

OPENED = 3  # results that are opened
WINDOWS = 12  # parts of one page that are read at most
_ADDRESS = re.compile(r"http://127\.0\.\d+\.\d+:\d+/[\w./-]*\w")


@dataclass(frozen=True, slots=True)
class Step:
    """One call and what the agent saw."""

    reply: Reply
    found: tuple[str, ...] = ()  # addresses, for a search
    page_text: str = ""  # the part of the page alone: joined with the next part of the same page
    says_answered: bool | None = None  # where the server states it


Call = tuple[str, dict[str, Any]]  # a tool and its arguments


class Contestant:
    """A running server; subclasses know its tools."""

    def __init__(self, name: str, session: Session) -> None:
        self.name, self.session = name, session

    def steps(self, question: str) -> Iterator[Step]:
        raise NotImplementedError

    def opening(self, url: str) -> Call:
        """The call that returns the whole page."""
        raise NotImplementedError

    def open(self, url: str) -> Reply:
        tool, arguments = self.opening(url)
        return self.session.call(tool, **arguments)

    def open_at_once(self, urls: Sequence[str]) -> float:
        """Seconds for all pages, several calls in flight."""
        calls = [self.opening(url) for url in urls]
        return self.session.call_at_once(calls[0][0], [arguments for _, arguments in calls])

    def close(self) -> None:
        self.session.close()


Make = Callable[["Setting"], Contestant]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a contestant needs to know of this run."""

    searxng: str
    hosts: tuple[str, ...]
    installed: dict[str, Installed]
    data: Path
    guarded: bool = False  # keep each server's own guard against private addresses

    def exempting(self, **variables: str) -> dict[str, str]:
        """What opens a server's guard for loopback."""
        return {} if self.guarded else variables

    def folder(self, package: str) -> Path:
        found = self.installed[package]
        if found.problem:
            raise RuntimeError(found.problem)
        return found.folder

    def script(self, package: str, command: str) -> str:
        return str(self.folder(package) / "bin" / command)


def addresses(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_ADDRESS.findall(text)))


# ── mcp-web ──────────────────────────────────────────────────────────────


class McpWeb(Contestant):
    """`web_search` with `read`; then `web_read` over the first three; then `web_open`, page by page."""

    def __init__(self, setting: Setting) -> None:
        session = Session(
            ours(),
            MCP_WEB_DATA_DIR=str(setting.data / "archive"),
            MCP_WEB_SEARXNG_URLS=setting.searxng,
            **setting.exempting(MCP_WEB_ALLOW_PRIVATE=",".join(setting.hosts)),
        )
        super().__init__(OURS, session)

    def steps(self, question: str) -> Iterator[Step]:
        reply = self.session.call("web_search", query=question, read=True)
        found = addresses(reply.text)
        first = search_answers(reply.text)
        yield Step(reply, found, says_answered=first)
        if not found:
            return
        reply = self.session.call("web_read", url=list(found[:OPENED]), query=question)
        second = read_answers(reply.text)
        yield Step(reply, says_answered=second)
        if first is False and second is False:
            return
        for url in found[:OPENED]:
            yield from self._windows(url)

    def _windows(self, url: str) -> Iterator[Step]:
        start = 0
        for _ in range(WINDOWS):
            reply = self.session.call("web_open", url=url, start=start, include_links=False)
            yield Step(reply)
            following = re.search(r"start[=\": ]+(\d+)", reply.text)
            if reply.failed or not following or int(following[1]) <= start:
                return
            start = int(following[1])

    def opening(self, url: str) -> Call:
        return "web_open", {"url": url, "max_chars": 100_000}


def search_answers(text: str) -> bool:
    """Whether one of the pages that web_search read is shown without the mark of doubt."""
    heads = re.findall(r"^\d+\. .*$", text, re.MULTILINE)
    return any("may not answer" not in head for head in heads)


def read_answers(text: str) -> bool:
    """Whether web_read does not say of every page that it does not answer."""
    return len(re.findall(r"^## http", text, re.MULTILINE)) > text.count("\nNot answered here")


# ── servers that search and open ─────────────────────────────────────────


class SearchAndOpen(Contestant):
    """A search tool, then a tool that opens each of the first results."""

    name: str
    open_tool: str

    def __init__(self, command: list[str], **variables: str) -> None:
        super().__init__(self.name, Session(command, **variables))

    def search(self, question: str) -> Reply:
        raise NotImplementedError

    def steps(self, question: str) -> Iterator[Step]:
        reply = self.search(question)
        found = addresses(reply.text)
        yield Step(reply, found)
        for url in found[:OPENED]:
            yield Step(self.open(url))

    def opening(self, url: str) -> Call:
        return self.open_tool, {"url": url}


class McpSearxng(SearchAndOpen):
    """`searxng_web_search`, then `web_url_read`."""

    name, open_tool = "mcp-searxng", "web_url_read"

    def __init__(self, setting: Setting) -> None:
        modules = setting.folder(self.name) / "node_modules"
        command = [str(modules / ".bin" / "node"), str(modules / self.name / "dist" / "cli.js")]
        guard = setting.exempting(MCP_HTTP_ALLOW_PRIVATE_URLS="true")
        super().__init__(command, SEARXNG_URL=setting.searxng, **guard)

    def search(self, question: str) -> Reply:
        return self.session.call("searxng_web_search", query=question)


class WebResearcher(SearchAndOpen):
    """`web_search`, then `scrape_page`: `search_and_scrape` returns a link to a resource instead of text."""

    name, open_tool = "web-researcher-mcp", "scrape_page"

    def __init__(self, setting: Setting) -> None:
        super().__init__(
            [setting.script(self.name, self.name)],
            SEARXNG_URL=setting.searxng,
            SEARCH_PROVIDER="searxng",
            HOME=str(setting.data),
            **setting.exempting(ALLOW_PRIVATE_IPS="true"),
        )

    def search(self, question: str) -> Reply:
        return self.session.call("web_search", query=question)


class FreeSearch(SearchAndOpen):
    """`research`, its call for a question; then `fetch`."""

    name, open_tool = "free-search-mcp", "fetch"

    def __init__(self, setting: Setting) -> None:
        super().__init__(
            [setting.script(self.name, self.name)],
            SEARCH_MCP_SEARX_INSTANCES=setting.searxng,
            SEARCH_MCP_PREWARM="false",
            HOME=str(setting.data),
            XDG_CACHE_HOME=str(setting.data / "cache"),
            SEARCH_MCP_CONFIG_DIR=str(setting.data / "free-search"),
            **setting.exempting(SEARCH_MCP_ALLOW_PRIVATE_HOSTS="true"),
        )

    def search(self, question: str) -> Reply:
        return self.session.call("research", question=question, engines=["searx"])


# ── fetchers, beside the plainest possible search ────────────────────────


class Fetcher(Contestant):
    """A tool that opens a page, with a search tool that costs nothing but its results."""

    def __init__(self, name: str, setting: Setting, command: list[str], **variables: str) -> None:
        super().__init__(name, Session(command, **variables))
        self._searxng = setting.searxng

    def steps(self, question: str) -> Iterator[Step]:
        step = plain_search(self._searxng, question)
        yield step
        later: list[Iterator[Step]] = []
        for url in step.found[:OPENED]:
            windows = self.windows(url)
            yield from _first(windows)
            later.append(windows)
        for windows in later:
            yield from windows

    def windows(self, url: str) -> Iterator[Step]:
        """The parts of a page; most return it whole."""
        yield Step(self.open(url))


class ReferenceFetch(Fetcher):
    """`fetch`, 5,000 characters a call, paged on with `start_index`."""

    def __init__(self, setting: Setting) -> None:
        script = setting.script("mcp-server-fetch", "mcp-server-fetch")
        guard = [] if setting.guarded else ["--allow-private-ips"]
        super().__init__("mcp-server-fetch", setting, [script, *guard])

    def opening(self, url: str) -> Call:
        return "fetch", {"url": url, "max_length": 999_999}

    def windows(self, url: str) -> Iterator[Step]:
        start = 0
        for _ in range(WINDOWS):
            reply = self.session.call("fetch", url=url, **({"start_index": start} if start else {}))
            body = re.sub(r"^.*?Contents of \S+:\n", "", reply.text, count=1, flags=re.DOTALL)
            yield Step(reply, page_text=body.partition("\n\n<error>")[0])
            following = re.search(r"start_index of (\d+)", reply.text)
            if reply.failed or not following:
                return
            start = int(following[1])


class Markitdown(Fetcher):
    """`convert_to_markdown`: the whole page in one answer."""

    def __init__(self, setting: Setting) -> None:
        super().__init__("markitdown-mcp", setting, [setting.script("markitdown-mcp", "markitdown-mcp")])

    def opening(self, url: str) -> Call:
        return "convert_to_markdown", {"uri": url}


class Library(Fetcher):
    """A library behind a one-tool server of ours."""

    def __init__(self, package: str, setting: Setting) -> None:
        server = str(Path(__file__).parent / "library_server.py")
        command = [setting.script(package, "python"), "-P", server, package]
        super().__init__(package, setting, command, HOME=str(setting.data))

    def opening(self, url: str) -> Call:
        return "fetch", {"url": url}


class Trafilatura(Library):
    """A one-tool server around `extract` with links and tables: the main text in one answer."""

    def __init__(self, setting: Setting) -> None:
        super().__init__("trafilatura", setting)


class Crawl4ai(Library):
    """A one-tool server around `arun` with its pruning filter, over plain HTTP: no page here needs a browser."""

    def __init__(self, setting: Setting) -> None:
        super().__init__("crawl4ai", setting)


def plain_search(searxng: str, question: str) -> Step:
    """Title, address and snippet of the first five results, one line each."""
    query = urllib.parse.urlencode({"q": question, "format": "json"})
    with urllib.request.urlopen(f"{searxng}/search?{query}", timeout=20) as answer:
        rows = json.load(answer)["results"][:5]
    text = "\n".join(f"{row['title']} {row['url']} {row['content']}" for row in rows)
    cost = tokens.count(text) + tokens.count(json.dumps({"query": question}))
    return Step(Reply(text, False, cost, 0.0), tuple(row["url"] for row in rows))


def _first(steps: Iterator[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        return


LIBRARIES = ("trafilatura", "crawl4ai")  # behind a server of ours: without a guard and a start-up of their own
PEERS: dict[str, Make] = {
    "mcp-server-fetch": ReferenceFetch,
    "mcp-searxng": McpSearxng,
    "web-researcher-mcp": WebResearcher,
    "free-search-mcp": FreeSearch,
    "markitdown-mcp": Markitdown,
    "trafilatura": Trafilatura,
    "crawl4ai": Crawl4ai,
}
