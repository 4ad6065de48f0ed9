"""Threads come whole, in order and with their facts, from the public APIs; else the page is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_web.app import App
from mcp_web.fetch.threads import ThreadAddress, thread_address
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.settings import load
from miniweb import MiniWeb, Reply, Request
from search.lookalike import reply

pytestmark = pytest.mark.anyio

ISSUE = "https://github.com/shell/tortoise/issues/7"
QUESTION = "https://stackoverflow.com/questions/11/why-slow"
STORY = "https://news.ycombinator.com/item?id=41"
SECONDS = 50.0


@asynccontextmanager
async def opening(miniweb: MiniWeb, folder: Path, source: str, **env: str) -> AsyncIterator[App]:
    api = miniweb.site("api.example").loopback_url("")
    environ = {"DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder), "MCP_WEB_EMBEDDINGS": "none"}
    environ |= {"MCP_WEB_SEARCH_URLS": f"{source}={api}"} | env
    async with App(load(environ=environ), dialer=miniweb.dialer()) as made:
        yield made


async def opened(app: App, url: str) -> Opened:
    return await open_page(app, OpenRequest(url), deadline=anyio.current_time() + SECONDS)


def paged(rows: list[dict[str, Any]], size: str) -> Any:
    def answer(request: Request) -> Reply:
        each, page = int(request.query[size][0]), int(request.query["page"][0])
        part = rows[(page - 1) * each : page * each]
        return reply({"items": part, "has_more": page * each < len(rows)} if size == "pagesize" else part)

    return answer


def issue(comments: int, **facts: Any) -> dict[str, Any]:
    return {
        "title": "It is slow",
        "body": "# Steps\n\nWalk.",
        "user": {"login": "ada"},
        "state": "open",
        "comments": comments,
        "created_at": "2026-01-01T00:00:00Z",
        "labels": [{"name": "bug"}],
    } | facts


def comments(number: int) -> list[dict[str, Any]]:
    return [
        {
            "body": f"Remark {n}.",
            "user": {"login": f"user{n}"},
            "created_at": f"2026-02-01T{n // 60:02d}:{n % 60:02d}:00Z",
        }
        for n in range(number)
    ]


async def test_an_issue_of_three_hundred_comments_is_complete_and_in_order(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    api.route("/repos/shell/tortoise/issues/7", lambda _: reply(issue(300)))
    api.route("/repos/shell/tortoise/issues/7/comments", paged(comments(300), "per_page"))
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github") as app:
        document = (await opened(app, ISSUE)).snapshot.document
    assert document.title == "It is slow"
    sections = [heading for heading in document.headings if heading.level == 2]
    assert [one.text.split(" ")[0] for one in sections] == [f"{n}." for n in range(1, 302)]
    places = [document.markdown.index(f"Remark {n}.") for n in range(300)]
    assert places == sorted(places)
    assert "*issue, open · bug · 300 comments*" in document.markdown
    assert "#### Steps" in document.markdown
    assert document.metadata.author == "ada"
    assert len(api.asked("/repos/shell/tortoise/issues/7/comments")) <= 4


async def test_review_remarks_of_a_pull_request_stand_among_the_comments(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    api.route("/repos/shell/tortoise/issues/8", lambda _: reply(issue(1, pull_request={"url": "x"})))
    api.route("/repos/shell/tortoise/issues/8/comments", paged(comments(1), "per_page"))
    remark = {"body": "Rename.", "path": "src/a.py", "user": {"login": "bo"}, "created_at": "2026-01-15T00:00:00Z"}
    api.route("/repos/shell/tortoise/pulls/8/comments", paged([remark], "per_page"))
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github") as app:
        document = (await opened(app, "https://github.com/shell/tortoise/pull/8")).snapshot.document
    assert "## 2. bo · 2026-01-15 · on src/a.py\n\nRename." in document.markdown
    assert document.markdown.index("Rename.") < document.markdown.index("Remark 0.")


async def test_forty_answers_come_with_the_accepted_one_first(miniweb: MiniWeb, tmp_path: Path) -> None:
    question = {
        "question_id": 11,
        "title": "Why &quot;slow&quot;?",
        "body": "<p>It is <b>slow</b>.</p>",
        "score": 9,
        "answer_count": 40,
        "tags": ["turtle"],
        "creation_date": 1700000000,
        "owner": {"display_name": "ada"},
    }
    answers = [
        {
            "answer_id": 100 + n,
            "body": f"<p>Answer {n}.</p>",
            "score": 40 - n,
            "is_accepted": n == 5,
            "creation_date": 1700000100,
            "owner": {"display_name": f"user{n}"},
        }
        for n in range(40)
    ]
    remark = {
        "post_id": 105,
        "body": "Thanks!",
        "score": 2,
        "creation_date": 1700000200,
        "owner": {"display_name": "bo"},
    }
    api = miniweb.site("api.example")
    api.route("/questions/11", paged([question], "pagesize"))
    api.route("/questions/11/answers", paged(answers, "pagesize"))
    api.route("/questions/11/comments", paged([], "pagesize"))
    api.route("/answers/*", paged([remark], "pagesize"))
    miniweb.site("stackoverflow.com")
    async with opening(miniweb, tmp_path, "stackexchange") as app:
        document = (await opened(app, QUESTION)).snapshot.document
    assert document.title == 'Why "slow"?'
    order = [5, *(n for n in range(40) if n != 5)]
    places = [document.markdown.index(f"Answer {n}.") for n in order]
    assert places == sorted(places)
    assert "## 2. user5 · 2023-11-14 · accepted answer · 35 votes" in document.markdown
    assert "- **bo** (2023-11-14, 2 votes): Thanks!" in document.markdown


async def test_a_discussion_keeps_its_tree(miniweb: MiniWeb, tmp_path: Path) -> None:
    def said(author: str, text: str, *children: dict[str, Any]) -> dict[str, Any]:
        return {"author": author, "text": text, "created_at": "2026-08-01T00:00:00.000Z", "children": list(children)}

    story = said("ada", "", said("bo", "<p>First", said("cy", "<p>Reply")), said("di", "<p>Second"))
    story |= {"title": "Tortoise", "url": "https://tortoise.example/", "points": 12}
    miniweb.site("api.example").route("/api/v1/items/41", lambda _: reply(story))
    miniweb.site("news.ycombinator.com")
    async with opening(miniweb, tmp_path, "hackernews") as app:
        document = (await opened(app, STORY)).snapshot.document
    assert [one.text for one in document.headings] == [
        "1. ada · 2026-08-01 · 12 points",
        "2. bo · 2026-08-01",
        "3. cy · 2026-08-01 · reply to 2",
        "4. di · 2026-08-01",
    ]


DISCOURSE = (
    '<meta name="generator" content="Discourse 3.5.0"><title>Slow</title><p>Only the first post of the topic.</p>'
)


async def test_a_topic_of_discourse_has_all_its_posts(miniweb: MiniWeb, tmp_path: Path) -> None:
    posts = [
        {
            "post_number": n + 1,
            "username": f"user{n}",
            "cooked": f"<p>Post {n}.</p>",
            "created_at": "2026-03-01T00:00:00Z",
        }
        for n in range(60)
    ]
    posts[9] |= {"reply_to_post_number": 4, "accepted_answer": True, "actions_summary": [{"id": 2, "count": 7}]}
    forum = miniweb.site("forum.example")
    url = forum.page("/t/slow/12", DISCOURSE)
    forum.route("/t/12.json", lambda _: reply({"title": "Slow", "posts_count": 60, "post_stream": {"posts": posts}}))
    async with opening(miniweb, tmp_path, "github") as app:
        document = (await opened(app, url)).snapshot.document
    assert [heading.text.split(" ")[0] for heading in document.headings] == [f"{n}." for n in range(1, 61)]
    assert "## 10. user9 · 2026-03-01 · accepted answer · 7 likes · reply to 4\n\nPost 9." in document.markdown


@pytest.mark.parametrize("status", [404, 429])
async def test_a_topic_that_the_forum_does_not_give_is_read_from_its_page(
    miniweb: MiniWeb, tmp_path: Path, status: int
) -> None:
    forum = miniweb.site("forum.example")
    url = forum.page("/t/slow/12", DISCOURSE)
    forum.route("/t/12.json", lambda _: reply({"errors": ["no"]}, status))
    async with opening(miniweb, tmp_path, "github") as app:
        assert "Only the first post" in (await opened(app, url)).snapshot.document.markdown


async def test_the_page_is_read_when_the_api_refuses(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    api.route("/*", lambda _: reply({"message": "API rate limit exceeded"}, 403, Retry_After="600"))
    page = "<title>It is slow</title><p>The page of the issue, with words enough to be read as a page.</p>"
    for number in (7, 8):
        miniweb.site("github.com").page(f"/shell/tortoise/issues/{number}", page)
    async with opening(miniweb, tmp_path, "github") as app:
        assert "The page of the issue" in (await opened(app, ISSUE)).snapshot.document.markdown
        await opened(app, ISSUE.replace("7", "8"))
    assert len(api.log) == 1  # a limit is kept by everyone who comes after


async def test_threads_can_be_switched_off(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    page = "<title>It is slow</title><p>The page of the issue, with words enough to be read as a page.</p>"
    miniweb.site("github.com").page("/shell/tortoise/issues/7", page)
    async with opening(miniweb, tmp_path, "github", MCP_WEB_PUBLIC_APIS="false") as app:
        await opened(app, ISSUE)
    assert not api.log


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (ISSUE, ThreadAddress("github", "shell/tortoise", "7")),
        (f"{ISSUE}#issuecomment-1", ThreadAddress("github", "shell/tortoise", "7")),
        ("https://unix.stackexchange.com/q/5", ThreadAddress("stackexchange", "unix.stackexchange.com", "5")),
        (STORY, ThreadAddress("hackernews", "news.ycombinator.com", "41")),
        ("https://github.com/shell/tortoise/issues", None),
        ("https://github.com/shell/tortoise/pull/7/files", None),
        ("https://github.com.evil.example/a/b/issues/7", None),
        ("https://news.ycombinator.com/item?id=4/../../x", None),
        ("https://stackoverflow.com/questions/tagged/python", None),
    ],
)
def test_addresses_of_threads(url: str, address: ThreadAddress | None) -> None:
    assert thread_address(url) == address
