"""Threads come whole, in order and with their facts, from the public APIs; else the page is read."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from application import application
from mcp_web.app import App
from mcp_web.errors import RobotsDisallowed
from mcp_web.fetch.threads import ThreadAddress, thread_address, topic_address
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.settings import load
from miniweb import MiniWeb, Reply, Request
from search.lookalike import reply
from surface.tool_caller import ToolCaller, tool_caller

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
    async with application(load(environ=environ), miniweb) as made:
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


async def test_comments_of_a_question_that_are_refused_are_noted(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    question = {"question_id": 11, "title": "Why slow", "body": "<p>Why?</p>", "answer_count": 0}
    remarks = [{"post_id": 11, "body": f"Remark {n}.", "owner": {"display_name": "bo"}} for n in range(150)]
    pages = paged(remarks, "pagesize")
    api.route("/questions/11", paged([question], "pagesize"))
    api.route("/questions/11/answers", paged([], "pagesize"))
    api.route("/questions/11/comments", lambda asked: pages(asked) if asked.query["page"] == ["1"] else reply({}, 502))
    miniweb.site("stackoverflow.com")
    async with opening(miniweb, tmp_path, "stackexchange") as app:
        document = (await opened(app, QUESTION)).snapshot.document
    assert "Remark 99." in document.markdown
    assert "Some comments are missing: the API refused to send them." in document.notes


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


def listing(*children: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "Listing", "data": {"children": list(children)}}


def comment(author: str, html: str, *replies: dict[str, Any]) -> dict[str, Any]:
    facts = {"author": author, "body_html": html, "created_utc": 1700000000.0, "score": 3}
    return {"kind": "t1", "data": facts | {"replies": listing(*replies) if replies else ""}}


POST = "https://www.reddit.com/r/tortoises/comments/1abc2d/why_slow/"
REDDIT = [
    listing(
        {
            "kind": "t3",
            "data": {
                "title": "Why &amp; how slow",
                "author": "ada",
                "subreddit": "tortoises",
                "selftext_html": "<p>It is <b>slow</b>.</p>",
                "is_self": True,
                "created_utc": 1700000000.0,
                "score": 41,
            },
        }
    ),
    listing(
        comment("bo", "<p>First</p>", comment("cy", "<p>Reply</p>")),
        comment("di", "<p>Second</p>"),
        {"kind": "more", "data": {"count": 7, "children": ["x"]}},
    ),
]


async def test_a_post_of_reddit_comes_with_its_tree_of_comments(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("www.reddit.com")
    site.route("/r/tortoises/comments/1abc2d/why_slow.json", lambda _: reply(REDDIT))
    async with opening(miniweb, tmp_path, "github") as app:
        snapshot = (await opened(app, POST)).snapshot
    document = snapshot.document
    assert snapshot.final_url == POST
    assert document.title == "Why & how slow"
    assert [one.text for one in document.headings] == [
        "1. ada · 2023-11-14 · 41 points",
        "2. bo · 2023-11-14 · 3 points",
        "3. cy · 2023-11-14 · 3 points · reply to 2",
        "4. di · 2023-11-14 · 3 points",
    ]
    assert "It is **slow**." in document.markdown
    assert "Reddit gave 3 comments and keeps 7 more behind links." in document.notes


async def test_reddits_robots_txt_is_respected(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("www.reddit.com")
    site.robots("User-agent: *\nDisallow: /")
    async with opening(miniweb, tmp_path, "github") as app:
        with pytest.raises(RobotsDisallowed):
            await opened(app, POST)
    assert [request.path for request in site.log] == ["/robots.txt"]


DISCUSSION = "https://github.com/shell/tortoise/discussions/9"


def discussions(request: Request) -> Reply:
    """GitHub's GraphQL: two pages of comments, the answer on the second."""
    second = json.loads(request.body)["variables"]["after"] == "c1"
    who = {"author": {"login": "bo"}, "createdAt": "2026-02-01T00:00:00Z", "upvoteCount": 2}
    answer = who | {"body": "Feed it.", "isAnswer": True, "replies": {"nodes": [who | {"body": "Thanks!"}]}}
    plain = who | {"body": "Same here.", "isAnswer": False, "replies": {"nodes": []}}
    page = {
        "totalCount": 2,
        "pageInfo": {"hasNextPage": not second, "endCursor": None if second else "c1"},
        "nodes": [answer if second else plain],
    }
    opening_post = who | {"title": "How to feed", "body": "What does it eat?", "category": {"name": "Q&A"}}
    return reply({"data": {"repository": {"discussion": opening_post | {"comments": page}}}})


async def test_a_discussion_of_github_is_complete_with_a_token(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    api.route("/graphql", discussions)
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github", MCP_WEB_GITHUB_TOKEN="t") as app:
        document = (await opened(app, DISCUSSION)).snapshot.document
    assert "*discussion · Q&A · 2 comments*" in document.markdown
    assert [one.text for one in document.headings] == [
        "1. bo · 2026-02-01 · 2 upvotes",
        "2. bo · 2026-02-01 · 2 upvotes",
        "3. bo · 2026-02-01 · accepted answer · 2 upvotes",
        "4. bo · 2026-02-01 · 2 upvotes · reply to 3",
    ]
    assert all(request.headers["authorization"] == "Bearer t" for request in api.log)


@pytest.mark.parametrize("second", [reply({"data": {"repository": None}}), reply({}, 502), reply(None)])
async def test_a_discussion_keeps_the_comments_before_a_page_that_fails(
    miniweb: MiniWeb, tmp_path: Path, second: Reply
) -> None:
    api = miniweb.site("api.example")
    api.route("/graphql", lambda asked: second if json.loads(asked.body)["variables"]["after"] else discussions(asked))
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github", MCP_WEB_GITHUB_TOKEN="t") as app:
        document = (await opened(app, DISCUSSION)).snapshot.document
    assert document.title == "How to feed"
    assert "Same here." in document.markdown
    assert "The thread has 2 comments; 1 are shown." in document.notes


async def test_replies_that_github_leaves_out_of_a_discussion_are_noted(miniweb: MiniWeb, tmp_path: Path) -> None:
    who = {"author": {"login": "bo"}, "createdAt": "2026-02-01T00:00:00Z", "upvoteCount": 0, "body": "It is slow."}

    def answered(request: Request) -> Reply:
        replies: dict[str, Any] = {"nodes": [who] * 50}
        if re.search(r"replies\([^)]*\) *{[^}]*totalCount", json.loads(request.body)["query"]):
            replies["totalCount"] = 64
        rows = {"totalCount": 1, "pageInfo": {"hasNextPage": False}, "nodes": [who | {"replies": replies}]}
        return reply({"data": {"repository": {"discussion": who | {"title": "Slow", "comments": rows}}}})

    miniweb.site("api.example").route("/graphql", answered)
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github", MCP_WEB_GITHUB_TOKEN="t") as app:
        document = (await opened(app, DISCUSSION)).snapshot.document
    assert "The thread has 64 replies; 50 are shown." in document.notes


async def test_comments_of_a_review_that_are_refused_are_noted(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    api.route("/repos/shell/tortoise/issues/8", lambda _: reply(issue(0, pull_request={"url": "x"})))
    pages = paged(comments(150), "per_page")
    api.route(
        "/repos/shell/tortoise/pulls/8/comments",
        lambda asked: pages(asked) if asked.query["page"] == ["1"] else reply({}, 502),
    )
    miniweb.site("github.com")
    async with opening(miniweb, tmp_path, "github") as app:
        document = (await opened(app, "https://github.com/shell/tortoise/pull/8")).snapshot.document
    assert "Remark 99." in document.markdown
    assert "Some comments of the review are missing: the API refused to send them." in document.notes


async def test_a_discussion_is_read_from_its_page_without_a_token(miniweb: MiniWeb, tmp_path: Path) -> None:
    page = "<title>How to feed</title><p>The page of the discussion, with words enough to be read as a page.</p>"
    miniweb.site("github.com").page("/shell/tortoise/discussions/9", page)
    async with opening(miniweb, tmp_path, "github") as app:
        assert "The page of the discussion" in (await opened(app, DISCUSSION)).snapshot.document.markdown
    assert not miniweb.site("api.example").log


async def all_windows(caller: ToolCaller, url: str) -> str:
    """A whole page, by following the next call that each answer names."""
    found, start = "", 0
    for _ in range(60):
        result = await caller.call("web_open", url=url, start=start)
        data = await caller.data("web_open", url=url, start=start)
        found += data["content"]
        if data["next_start"] is None:
            return found
        start = data["next_start"]
        assert f'more: web_open(url="{url}", start={start})' in result.text
    raise AssertionError("The windows have no end.")


async def test_the_windows_of_a_long_issue_hold_every_comment_in_order(miniweb: MiniWeb, tmp_path: Path) -> None:
    api = miniweb.site("api.example")
    rows = [
        row | {"body": f"Remark {n}. " + "It was said at some length. " * 12} for n, row in enumerate(comments(300))
    ]
    api.route("/repos/shell/tortoise/issues/7", lambda _: reply(issue(300)))
    api.route("/repos/shell/tortoise/issues/7/comments", paged(rows, "per_page"))
    miniweb.site("github.com")
    urls = f"github={api.loopback_url('')}"
    async with tool_caller(miniweb, tmp_path, MCP_WEB_SEARCH_URLS=urls, MCP_WEB_EMBEDDINGS="none") as caller:
        whole = await all_windows(caller, ISSUE)
    assert [int(number) for number in re.findall(r"Remark (\d+)\.", whole)] == list(range(300))


async def test_the_windows_of_a_question_hold_all_forty_answers(miniweb: MiniWeb, tmp_path: Path) -> None:
    owner = {"owner": {"display_name": "ada"}, "creation_date": 1700000000}
    question = owner | {"question_id": 11, "title": "Why slow", "body": "<p>Why?</p>", "answer_count": 40}
    body = "It is slow because of its shell. " * 20
    answers = [owner | {"answer_id": 100 + n, "body": f"<p>Answer {n}. {body}</p>", "score": 40 - n} for n in range(40)]
    api = miniweb.site("api.example")
    for path, rows in (
        ("/questions/11", [question]),
        ("/questions/11/answers", answers),
        ("/questions/11/comments", []),
    ):
        api.route(path, paged(rows, "pagesize"))
    api.route("/answers/*", paged([], "pagesize"))
    miniweb.site("stackoverflow.com")
    urls = f"stackexchange={api.loopback_url('')}"
    async with tool_caller(miniweb, tmp_path, MCP_WEB_SEARCH_URLS=urls, MCP_WEB_EMBEDDINGS="none") as caller:
        whole = await all_windows(caller, QUESTION)
    assert [int(number) for number in re.findall(r"Answer (\d+)\.", whole)] == list(range(40))


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


def board(software: str) -> str:
    """A topic of twenty-five posts, as the default style of a forum software writes it."""
    said = "Remark {n}: it is slow because of its heavy shell and its short legs."
    day = '<time class="u-dt" datetime="2026-03-{d}T10:00:00+00:00">Mar {d}, 2026</time>'
    styles = {
        "phpbb": (
            '<body id="phpbb"><h2 class="topic-title">Slow</h2>{posts}</body>',
            '<div class="post"><div class="postbody"><p class="author">by <a class="username">user{n}</a> '
            f'» {day}</p><div class="content">{said}</div><div class="signature">Mine</div></div></div>',
        ),
        "xenforo": (
            '<html id="XF"><body><h1 class="p-title-value">Slow</h1>{posts}</body></html>',
            '<article class="message message--post"><h4 class="message-name">user{n}</h4>'
            f'<ul class="message-attribution-main"><li>{day}</li></ul>'
            f'<div class="message-body"><div class="bbWrapper">{said}</div></div></article>',
        ),
        "vbulletin": (
            '<span class="threadtitle">Slow</span><ol>{posts}</ol>',
            '<li class="postcontainer"><span class="postdate">Mar {d}, 2026</span><a class="username">user{n}'
            f'</a><div class="postcontent">{said}</div></li>',
        ),
        "smf": (
            '<div id="forumposts">{posts}</div>',
            '<div class="post_wrapper"><div class="poster"><h4>user{n}</h4></div><div class="keyinfo">'
            '<div class="postinfo">Mar {d}, 2026</div></div>'
            f'<div class="post"><div class="inner">{said}</div></div></div>',
        ),
        "mybb": (
            '<div id="posts">{posts}</div>',
            '<div class="post"><div class="author_information"><span class="largetext">user{n}</span></div>'
            f'<span class="post_date">Mar {{d}}, 2026</span><div class="post_body">{said}</div></div>',
        ),
    }
    frame, post = styles[software]
    posts = "".join(post.replace("{n}", str(n)).replace("{d}", f"{n + 1:02d}") for n in range(25))
    return "<title>Slow - Board</title><nav>Board index</nav>" + frame.replace("{posts}", posts) + "<footer>x</footer>"


@pytest.mark.parametrize("software", ["phpbb", "xenforo", "vbulletin", "smf", "mybb"])
async def test_a_forum_without_an_api_is_read_from_its_page_with_authors_and_dates(
    miniweb: MiniWeb, tmp_path: Path, software: str
) -> None:
    url = miniweb.site("board.example").page("/topic", board(software))
    async with opening(miniweb, tmp_path, "github") as app:
        document = (await opened(app, url)).snapshot.document
    assert document.kind == "forum"
    plain = re.sub(r"[*#]", "", document.markdown)
    assert re.findall(r"user(\d+)", plain) == [str(n) for n in range(25)]
    assert re.findall(r"Mar (\d+), 2026", plain) == [f"{n + 1:02d}" for n in range(25)]
    assert re.findall(r"Remark (\d+):", plain) == [str(n) for n in range(25)]
    assert "Mine" not in plain
    assert "Board index" not in plain


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
        (DISCUSSION, ThreadAddress("discussions", "shell/tortoise", "9")),
        ("https://github.com/shell/tortoise/issues", None),
        ("https://github.com/shell/tortoise/pull/7/files", None),
        ("https://github.com.evil.example/a/b/issues/7", None),
        ("https://news.ycombinator.com/item?id=4/../../x", None),
        ("https://stackoverflow.com/questions/tagged/python", None),
    ],
)
def test_addresses_of_threads(url: str, address: ThreadAddress | None) -> None:
    assert thread_address(url) == address


@pytest.mark.parametrize("path", ["12", "slow/12", "slow/12/7", "12/7", "12/", "2026/12/7"])
def test_the_address_of_a_topic_of_discourse_tells_topic_from_post(path: str) -> None:
    address = topic_address(f"https://forum.example/community/t/{path}", DISCOURSE.encode())
    assert address == "https://forum.example/community/t/12.json?print=true"
