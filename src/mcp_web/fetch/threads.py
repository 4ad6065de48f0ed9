"""Recognises the URLs of threads that a public API returns in full. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from mcp_web.text.urls import host_matches

ThreadSource = Literal["github", "discussions", "stackexchange", "hackernews"]
MEDIA_TYPE = "application/vnd.mcp-web.thread+json"  # the answers of the API, gathered; read by extract/formats

_GITHUB = re.compile(r"^/([\w.-]+)/([\w.-]+)/(?:issues|pull)/(\d+)/?$")
_DISCUSSION = re.compile(r"^/([\w.-]+)/([\w.-]+)/discussions/(\d+)/?$")
_REDDIT = re.compile(r"^/(?:r/\w{1,50}|user/[\w-]{1,50})/comments/[a-z0-9]{1,12}(?:/[^/]*)?/?$")
_QUESTION = re.compile(r"^/(?:questions|q)/(\d+)(?:/|$)")
_STACK_SITES = re.compile(
    r"^(?:(?:[\w-]+\.)?stackexchange\.com|(?:[a-z]{2}\.)?stackoverflow\.com|serverfault\.com|superuser\.com|"
    r"askubuntu\.com|stackapps\.com|mathoverflow\.net)$"
)
# With or without a slug and the number of a post: of two numbers the first is the topic.
_TOPIC = re.compile(r"/t/(?:(?!\d+/\d+/?$)[^/]+/)?(\d+)(?:/\d+)?/?$")
_DISCOURSE = re.compile(rb"""<meta[^>]{1,40}name=["']generator["'][^>]{1,40}content=["']Discourse """)
_HEAD = 20_000  # bytes of a page in which its generator is named


@dataclass(frozen=True, slots=True)
class ThreadAddress:
    """A thread: its source, its number, and `site`: the repository on GitHub, otherwise the host."""

    source: ThreadSource
    site: str
    number: str  # of the issue, question or item, as decimal digits


def topic_address(url: str, html: bytes) -> str | None:
    """The URL of the whole topic as JSON, for a page of the forum software Discourse; None for other pages."""
    parts = urlsplit(url)
    found = _TOPIC.search(parts.path)
    if found is None or not _DISCOURSE.search(html[:_HEAD]):
        return None
    return f"{parts.scheme}://{parts.netloc}{parts.path[: found.start()]}/t/{found[1]}.json?print=true"


def reddit_address(url: str) -> str | None:
    """The URL of a Reddit post with its comments as JSON; None for other pages."""
    parts = urlsplit(url)
    if not host_matches(parts.hostname or "", "reddit.com") or not _REDDIT.match(parts.path):
        return None
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}.json?limit=500&raw_json=1"


def thread_address(url: str) -> ThreadAddress | None:
    """The thread (issue, discussion, question or item) that a URL shows; None for other pages."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    if host == "github.com" and (found := _GITHUB.match(parts.path)):
        return ThreadAddress("github", f"{found[1]}/{found[2]}", found[3])
    if host == "github.com" and (found := _DISCUSSION.match(parts.path)):
        return ThreadAddress("discussions", f"{found[1]}/{found[2]}", found[3])
    if _STACK_SITES.match(host) and (found := _QUESTION.match(parts.path)):
        return ThreadAddress("stackexchange", host, found[1])
    number = parse_qs(parts.query).get("id", [""])[0]
    if host == "news.ycombinator.com" and parts.path == "/item" and number.isascii() and number.isdigit():
        return ThreadAddress("hackernews", host, number)
    return None
