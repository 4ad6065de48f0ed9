"""Discussion threads → Markdown: every post in order, with author, date, votes, and what it replies to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from typing import Any

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.embedded import write_embedded
from mcp_web.extract.markdown import map_outside_code
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import count, items, mapping, read_json, text

_POSTS = 5000
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}(?=\s)")


@dataclass(frozen=True, slots=True)
class Post:
    """One post. `facts` are votes, "accepted answer", or the file that a comment is about."""

    author: str
    date: str
    text: str
    facts: tuple[str, ...] = ()
    comments: tuple[Post, ...] = ()  # short ones below it, as on Stack Exchange
    reply_to: int = 0  # number of the post it answers


@dataclass
class _Thread:
    title: str
    posts: list[Post]
    facts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_thread(page: Fetched) -> Document:
    """Reads the collected answers of a thread's API; raises ExtractFailed for a thread without posts."""
    try:
        value = mapping(read_json(page.body))
    except ValueError as error:
        raise ExtractFailed(f"{page.final_url} is not a thread: its JSON is broken.", url=page.final_url) from error
    reader = _Reader(page.final_url)
    readers = {
        "github": reader.github,
        "stackexchange": reader.stackexchange,
        "hackernews": reader.hackernews,
        "discourse": reader.discourse,
        "discussions": reader.discussion,
        "reddit": reader.reddit,
    }
    read = readers.get(text(value.get("source")))
    thread = read(value) if read else _Thread("", [])
    if not thread.posts:
        raise ExtractFailed(f"{page.final_url} is a thread without posts.", url=page.final_url)
    first = thread.posts[0]
    return assemble(
        page,
        "thread",
        "\n\n".join(_written(thread)),
        title=thread.title,
        kind="forum",
        metadata=Metadata(author=first.author, published=first.date or None, content_type="text/html"),
        notes=thread.notes,
        hidden=reader.hidden,
    )


class _Reader:
    """Converts the answers of each API into posts, and counts hidden texts.

    `above` is the number of the post that a post replies to, 0 for none.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self.hidden = 0

    def github(self, value: dict[str, Any]) -> _Thread:
        """An issue or pull request with its comments and those of its review."""
        issue = mapping(value.get("issue"))
        comments = items(value.get("comments"))
        later = [self._github_post(row) for row in (*comments, *items(value.get("review")))]
        later.sort(key=lambda post: post.date)
        labels = ", ".join(text(label.get("name")) for label in items(issue.get("labels")))
        kind = "pull request" if issue.get("pull_request") else "issue"
        thread = _Thread(text(issue.get("title")), [self._github_post(issue), *later][:_POSTS])
        thread.facts += [
            f"{kind}, {text(issue.get('state'))}",
            labels,
            amount(_number(issue.get("comments")), "comment"),
        ]
        thread.notes += _missing(_number(issue.get("comments")), len(comments), "comments")
        return thread

    def _github_post(self, row: dict[str, Any]) -> Post:
        votes = _number(mapping(row.get("reactions")).get("total_count"))
        place = f"on {text(row['path'])}" if row.get("path") else ""
        author = _line(mapping(row.get("user")).get("login"))
        facts = (place, amount(votes, "reaction") if votes else "")
        return Post(author, text(row.get("created_at")), self._markdown(row), facts)

    def stackexchange(self, value: dict[str, Any]) -> _Thread:
        """A question with its answers, the accepted one first, and the comments below each."""
        question = mapping(value.get("question"))
        answers = items(value.get("answers"))
        comments: dict[int, list[Post]] = {}
        for row in items(value.get("comments")):
            comments.setdefault(_number(row.get("post_id")), []).append(self._stack_post(row))
        first = self._stack_post(question, comments.get(_number(question.get("question_id")), []))
        rest = [self._stack_post(row, comments.get(_number(row.get("answer_id")), []), "answer") for row in answers]
        rest.sort(key=lambda post: "accepted answer" not in post.facts)  # stable: votes decide the rest
        thread = _Thread(_title(question.get("title")), [first, *rest][:_POSTS])
        tags = question.get("tags")
        thread.facts += [", ".join(map(str, tags)) if isinstance(tags, list) else "", amount(len(answers), "answer")]
        thread.notes += _missing(_number(question.get("answer_count")), len(answers), "answers")
        return thread

    def _stack_post(self, row: dict[str, Any], comments: list[Post] | None = None, kind: str = "") -> Post:
        votes = amount(_number(row.get("score")), "vote")
        kind = "accepted answer" if row.get("is_accepted") is True else kind
        author = _title(mapping(row.get("owner")).get("display_name"))
        body = self._html(text(row.get("body")))
        return Post(author, _moment(row.get("creation_date")), body, (kind, votes), tuple(comments or ()))

    def hackernews(self, value: dict[str, Any]) -> _Thread:
        """A story or comment of Hacker News with the comments below it."""
        story = mapping(value.get("item"))
        posts: list[Post] = []
        waiting: list[tuple[dict[str, Any], int]] = [(story, 0)]
        while waiting and len(posts) < _POSTS:  # depth first, so that an answer follows what it answers
            row, above = waiting.pop()
            if row is story or row.get("text"):
                points = amount(_number(row.get("points")), "point") if row.get("points") else ""
                link = text(row.get("url"))
                body = "\n\n".join(filter(None, (link and f"<{link}>", self._html(text(row.get("text"))))))
                posts.append(Post(_line(row.get("author")), text(row.get("created_at")), body, (points,), (), above))
                above = len(posts)
            waiting += [(child, above) for child in reversed(items(row.get("children")))]
        thread = _Thread(_title(story.get("title")) or f"Comment of {_line(story.get('author'))}", posts)
        thread.facts.append(amount(len(posts) - 1, "comment"))
        return thread

    def discourse(self, value: dict[str, Any]) -> _Thread:
        """A topic of a Discourse forum."""
        topic = mapping(value.get("topic"))
        rows = items(mapping(topic.get("post_stream")).get("posts"))[:_POSTS]
        rows.sort(key=lambda row: _number(row.get("post_number")))
        places = {_number(row.get("post_number")): place for place, row in enumerate(rows, start=1)}
        thread = _Thread(_title(topic.get("title")), [self._discourse_post(row, places) for row in rows])
        thread.facts.append(amount(len(rows), "post"))
        thread.notes += _missing(_number(topic.get("posts_count")), len(rows), "posts")
        return thread

    def _discourse_post(self, row: dict[str, Any], places: dict[int, int]) -> Post:
        """One post; `places` maps the numbers that the forum gives to posts to their places in the thread."""
        likes = sum(_number(one.get("count")) for one in items(row.get("actions_summary")) if one.get("id") == 2)
        facts = ("accepted answer" if row.get("accepted_answer") is True else "", f"{likes} likes" if likes else "")
        above = places.get(_number(row.get("reply_to_post_number")), 0)
        body = self._html(text(row.get("cooked")))
        return Post(_line(row.get("username")), text(row.get("created_at")), body, facts, (), above)

    def discussion(self, value: dict[str, Any]) -> _Thread:
        """A GitHub discussion; replies follow the comment that they belong to."""
        opening = mapping(value.get("discussion"))
        posts = [self._discussion_post(opening, 0)]
        rows = items(value.get("comments"))
        for row in rows[:_POSTS]:
            posts.append(self._discussion_post(row, 0))
            above = len(posts)
            posts += [self._discussion_post(one, above) for one in items(mapping(row.get("replies")).get("nodes"))]
        thread = _Thread(_line(opening.get("title")), posts[:_POSTS])
        total = _number(mapping(opening.get("comments")).get("totalCount"))
        thread.facts += ["discussion", _line(mapping(opening.get("category")).get("name")), amount(total, "comment")]
        thread.notes += _missing(total, len(rows), "comments")
        return thread

    def _discussion_post(self, row: dict[str, Any], above: int) -> Post:
        votes = _number(row.get("upvoteCount"))
        facts = ("accepted answer" if row.get("isAnswer") is True else "", f"{votes} upvotes" if votes else "")
        author = _line(mapping(row.get("author")).get("login"))
        return Post(author, text(row.get("createdAt")), self._markdown(row), facts, (), above)

    def reddit(self, value: dict[str, Any]) -> _Thread:
        """A Reddit post with its tree of comments; comments that the answer leaves out are counted."""
        listings = items(value.get("listings"))
        rows = [mapping(one.get("data")) for one in _children(listings[0])] if listings else []
        story = rows[0] if rows else {}
        posts: list[Post] = [self._reddit_post(story, 0)] if story else []
        left_out = 0
        waiting = [(one, 0) for one in reversed(_children(listings[1]))] if len(listings) > 1 else []
        while waiting and len(posts) < _POSTS:  # depth first, so that an answer follows what it answers
            child, above = waiting.pop()
            row = mapping(child.get("data"))
            if child.get("kind") == "more":
                left_out += _number(row.get("count"))
                continue
            posts.append(self._reddit_post(row, above))
            waiting += [(one, len(posts)) for one in reversed(_children(mapping(row.get("replies"))))]
        thread = _Thread(_title(story.get("title")), posts)
        thread.facts += [f"r/{_line(story.get('subreddit'))}", amount(len(posts) - 1, "comment")]
        if left_out:
            thread.notes.append(
                f"Reddit gave {amount(len(posts) - 1, 'comment')} and keeps {left_out:,} more behind links."
            )
        return thread

    def _reddit_post(self, row: dict[str, Any], above: int) -> Post:
        link = text(row.get("url")) if row.get("is_self") is False else ""
        written = self._html(text(row.get("body_html")) or text(row.get("selftext_html")))
        body = "\n\n".join(filter(None, (link and f"<{link}>", written)))
        date, points = _moment(row.get("created_utc")), amount(_number(row.get("score")), "point")
        return Post(_line(row.get("author")), date, body, (points,), (), above)

    def _markdown(self, row: dict[str, Any]) -> str:
        """The body of a row of GitHub, which is Markdown, without hidden elements; `self.hidden` counts them."""
        written, _, hidden = write_embedded(text(row.get("body")), self._base, include_images=False)
        self.hidden += hidden
        return written

    def _html(self, html: str) -> str:
        """HTML as Markdown, without hidden elements; `self.hidden` counts them."""
        written, hidden = snippet_markdown(html, self._base) if html else ("", 0)
        self.hidden += hidden
        return written


def _written(thread: _Thread) -> Iterator[str]:
    """The Markdown of a thread in parts: facts, then for each post a heading, its text, and the comments below it."""
    facts = " · ".join(filter(None, map(_line, thread.facts)))
    if facts:
        yield f"*{facts}*"
    for number, post in enumerate(thread.posts, start=1):
        reply = f"reply to {post.reply_to}" if post.reply_to > 1 else ""
        about = (post.author or "unknown", post.date[:10], *post.facts, reply)
        yield f"## {number}. " + " · ".join(filter(None, map(_line, about)))
        # Headings inside a post get a lower level than the headings of the posts.
        yield map_outside_code(post.text, lambda part: _HEADING.sub("####", part))
        if post.comments:
            yield "\n".join(_comment(comment) for comment in post.comments)


def _comment(post: Post) -> str:
    """A short comment as a list item."""
    votes = next((fact for fact in post.facts if fact and not fact.startswith("0 ")), "")
    about = ", ".join(filter(None, (post.date[:10], votes)))
    return f"- **{_line(post.author)}** ({about}): {' '.join(post.text.split())}"


def _missing(total: int, shown: int, what: str) -> list[str]:
    """A note if not all are shown; `what` is the noun, as in "comments"."""
    return [f"The thread has {total:,} {what}; {shown:,} are shown."] if shown < total else []


def _children(listing: dict[str, Any]) -> list[dict[str, Any]]:
    """The children of a Reddit listing."""
    return items(mapping(listing.get("data")).get("children"))


def _line(value: Any) -> str:
    """A string on one line, at most 120 characters."""
    return " ".join(text(value).split())[:120]


def _title(value: Any) -> str:
    """A title on one line, without entities."""
    return unescape(" ".join(text(value).split()))[:300]


def _number(value: Any) -> int:
    return count(value) or 0


def _moment(value: Any) -> str:
    """A Unix time in ISO 8601; "" if it is missing or not plausible."""
    seconds = _number(value)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 0 < seconds < 4_000_000_000 else ""
