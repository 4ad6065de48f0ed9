"""Which addresses are threads that a public API has in full. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, urlsplit

ThreadSource = Literal["github", "stackexchange", "hackernews"]
MEDIA_TYPE = "application/vnd.mcp-web.thread+json"  # the answers of the API, gathered; read by extract/thread.py

_GITHUB = re.compile(r"^/([\w.-]+)/([\w.-]+)/(?:issues|pull)/(\d+)/?$")
_QUESTION = re.compile(r"^/(?:questions|q)/(\d+)(?:/|$)")
_STACK_SITES = re.compile(
    r"^(?:(?:[\w-]+\.)?stackexchange\.com|(?:[a-z]{2}\.)?stackoverflow\.com|serverfault\.com|superuser\.com|"
    r"askubuntu\.com|stackapps\.com|mathoverflow\.net)$"
)


@dataclass(frozen=True, slots=True)
class ThreadAddress:
    """A thread: `site` is the repository or the site of the network it belongs to."""

    source: ThreadSource
    site: str
    number: str


def thread_address(url: str) -> ThreadAddress | None:
    """The thread that a URL shows, or None when it is another kind of page."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    if host == "github.com" and (found := _GITHUB.match(parts.path)):
        return ThreadAddress("github", f"{found[1]}/{found[2]}", found[3])
    if _STACK_SITES.match(host) and (found := _QUESTION.match(parts.path)):
        return ThreadAddress("stackexchange", host, found[1])
    number = parse_qs(parts.query).get("id", [""])[0]
    if host == "news.ycombinator.com" and parts.path == "/item" and number.isascii() and number.isdigit():
        return ThreadAddress("hackernews", host, number)
    return None
