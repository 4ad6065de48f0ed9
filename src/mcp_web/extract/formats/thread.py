"""Discussion threads → Markdown: every post in order, with author, date, votes, and what it replies to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any, NamedTuple

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.embedded import write_embedded
from mcp_web.extract.markdown import map_outside_code
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import at, count, items, mapping, read_json, text, texts

_POSTS = 5000
_ACCEPTED = "accepted answer"
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}(?=\s)")


@dataclass(frozen=True, slots=True)
class Post:
    """One post of a thread. `facts` are votes, "accepted answer", or the file that a comment is about."""

    author: str
    date: str
    text: str
    facts: tuple[str, ...] = ()
    comments: tuple[Post, ...] = ()  # short ones below it, as on Stack Exchange
    reply_to: int = 0  # number of the post it answers


class _Thread(NamedTuple):
    title: str
    posts: list[Post]
    facts: Sequence[str] = ()
    notes: Sequence[str] = ()
    total: int = 0  # number of posts that were received, if not all are in `posts`


class _Fields(NamedTuple):
    """The fields of an API, or the paths to them, that a post is made of."""

    author: tuple[str, ...]
    date: str
    body: tuple[str, ...]  # the first that has text is used
    votes: tuple[str, ...]
    vote: str  # what one of them is called
    accepted: str = ""  # true for an accepted answer


_FIELDS = {
    "github": _Fields(("user", "login"), "created_at", ("body",), ("reactions", "total_count"), "reaction"),
    "discussions": _Fields(("author", "login"), "createdAt", ("body",), ("upvoteCount",), "upvote", "isAnswer"),
    "stackexchange": _Fields(("owner", "display_name"), "creation_date", ("body",), ("score",), "vote", "is_accepted"),
    "hackernews": _Fields(("author",), "created_at", ("text",), ("points",), "point"),
    "discourse": _Fields(("username",), "created_at", ("cooked",), ("likes",), "like", "accepted_answer"),
    "reddit": _Fields(("author",), "created_utc", ("body_html", "selftext_html"), ("score",), "point"),
}


def read_thread(page: Fetched) -> Document:
    """Reads the JSON with the collected answers of a site's API about a thread; raises ExtractFailed without posts."""
    try:
        value = mapping(read_json(page.body))
    except ValueError as error:
        raise ExtractFailed(f"{page.final_url} is not a thread: its JSON is broken.", url=page.final_url) from error
    source = text(value.get("source"))
    reader = _Reader(page.final_url, source)
    thread: _Thread = getattr(reader, source)(value) if source in _FIELDS else _Thread("", [])
    if not thread.posts:
        raise ExtractFailed(f"{page.final_url} is a thread without posts.", url=page.final_url)
    total = max(thread.total, len(thread.posts))
    thread = thread._replace(posts=thread.posts[:_POSTS])
    first = thread.posts[0]
    incomplete = (f"Some {what} are missing: the API refused to send them." for what in texts(value.get("incomplete")))
    return assemble(
        page,
        "thread",
        "\n\n".join(_written(thread)),
        title=thread.title,
        kind="forum",
        metadata=Metadata(author=first.author, published=first.date or None, content_type="text/html"),
        notes=(*thread.notes, *_missing(total, len(thread.posts), "posts"), *incomplete),
        hidden=reader.hidden,
    )


class _Reader:
    """Converts the answers of a site's API into posts; each site has the method of its name. Counts hidden texts."""

    def __init__(self, base: str, source: str) -> None:
        self._base = base
        self._source = source
        self.hidden = 0

    def github(self, value: dict[str, Any]) -> _Thread:
        """An issue or pull request of GitHub with its comments and those of its review, sorted by date."""
        issue = mapping(value.get("issue"))
        comments = items(value.get("comments"))
        rows = (*comments, *items(value.get("review")))
        later = [self._post(row, f"on {text(row['path'])}" if row.get("path") else "") for row in rows]
        later.sort(key=lambda post: post.date)
        labels = ", ".join(text(label.get("name")) for label in items(issue.get("labels")))
        kind = "pull request" if issue.get("pull_request") else "issue"
        total = _number(issue.get("comments"))
        facts = (f"{kind}, {text(issue.get('state'))}", labels, amount(total, "comment"))
        posts = [self._post(issue), *later]
        return _Thread(text(issue.get("title")), posts, facts, _missing(total, len(comments), "comments"))

    def stackexchange(self, value: dict[str, Any]) -> _Thread:
        """A question of Stack Exchange with its answers, the accepted one first, and the comments below each."""
        question = mapping(value.get("question"))
        answers = items(value.get("answers"))
        comments: dict[int, list[Post]] = {}
        for row in items(value.get("comments")):
            comments.setdefault(_number(row.get("post_id")), []).append(self._post(row))
        first = self._post(question, comments=comments.get(_number(question.get("question_id")), ()))
        rest = [self._post(row, "answer", comments=comments.get(_number(row.get("answer_id")), ())) for row in answers]
        rest.sort(key=lambda post: _ACCEPTED not in post.facts)  # stable: votes decide the rest
        facts = (", ".join(texts(question.get("tags"))), amount(len(answers), "answer"))
        missing = _missing(_number(question.get("answer_count")), len(answers), "answers")
        return _Thread(_title(question.get("title")), [first, *rest], facts, missing)

    def hackernews(self, value: dict[str, Any]) -> _Thread:
        """A story or comment of Hacker News with the comments below it, each followed by its replies."""
        story = mapping(value.get("item"))
        posts: list[Post] = []
        waiting: list[tuple[dict[str, Any], int]] = [(story, 0)]
        total = 0
        while waiting:  # depth first, so that an answer follows what it answers
            row, above = waiting.pop()
            if row is story or row.get("text"):
                total += 1
                if total <= _POSTS:
                    posts.append(self._post(row, above=above, link=text(row.get("url"))))
                above = total
            waiting += [(child, above) for child in reversed(items(row.get("children")))]
        title = _title(story.get("title")) or f"Comment of {_line(story.get('author'))}"
        return _Thread(title, posts, (amount(total - 1, "comment"),), total=total)

    def discourse(self, value: dict[str, Any]) -> _Thread:
        """A topic of a Discourse forum with its posts, from the collected answers `value` of the forum's API."""
        topic = mapping(value.get("topic"))
        received = items(mapping(topic.get("post_stream")).get("posts"))
        rows = received[:_POSTS]
        rows.sort(key=lambda row: _number(row.get("post_number")))
        places = {_number(row.get("post_number")): place for place, row in enumerate(rows, start=1)}
        posts = []
        for row in rows:
            actions = items(row.get("actions_summary"))
            likes = sum(_number(one.get("count")) for one in actions if one.get("id") == 2)
            above = places.get(_number(row.get("reply_to_post_number")), 0)
            posts.append(self._post(row | {"likes": likes}, above=above))
        total = max(_number(topic.get("posts_count")), len(received))
        return _Thread(_title(topic.get("title")), posts, (amount(len(rows), "post"),), total=total)

    def discussions(self, value: dict[str, Any]) -> _Thread:
        """A GitHub discussion; replies follow the comment that they belong to. Notes count what is missing."""
        opening = mapping(value.get("discussion"))
        posts = [self._post(opening)]
        rows = items(value.get("comments"))
        received = replies = 0
        for row in rows:
            below = items(at(row, ("replies", "nodes")))
            received += len(below)
            replies += _number(at(row, ("replies", "totalCount")))
            if len(posts) < _POSTS:
                posts.append(self._post(row))
                above = len(posts)
                posts += [self._post(one, above=above) for one in below]
        total = _number(at(opening, ("comments", "totalCount")))
        notes = [*_missing(total, len(rows), "comments"), *_missing(replies, received, "replies")]
        facts = ("discussion", _line(at(opening, ("category", "name"))), amount(total, "comment"))
        return _Thread(_line(opening.get("title")), posts, facts, notes, 1 + len(rows) + received)

    def reddit(self, value: dict[str, Any]) -> _Thread:
        """A Reddit post with its tree of comments; a note counts the comments that the API left out."""
        nodes = [node for one in items(value.get("listings")) for node in items(at(one, ("data", "children")))]
        story = mapping(nodes[0].get("data")) if nodes else {}
        posts: list[Post] = []
        total = left_out = 0
        waiting = [(one, 0) for one in reversed(nodes)]
        while waiting:  # depth first, so that an answer follows what it answers
            child, above = waiting.pop()
            row = mapping(child.get("data"))
            if child.get("kind") == "more":
                left_out += max(1, _number(row.get("count")))  # 0 for the rest of a branch that is too deep
                continue
            total += 1
            if total <= _POSTS:
                link = text(row.get("url")) if row.get("is_self") is False else ""
                posts.append(self._post(row, above=above, link=link))
            waiting += [(one, total) for one in reversed(items(at(row, ("replies", "data", "children"))))]
        count = amount(total - 1, "comment")
        notes = [f"Reddit gave {count} and keeps {left_out:,} more behind links."] if left_out else []
        return _Thread(_title(story.get("title")), posts, (f"r/{_line(story.get('subreddit'))}", count), notes, total)

    def _post(
        self, row: dict[str, Any], fact: str = "", *, above: int = 0, comments: Sequence[Post] = (), link: str = ""
    ) -> Post:
        """One post from its object in the API. `fact` is added to its facts, unless it is the accepted answer; `above`
        is the number of the post that it replies to, 0 for none; `link` is put before its text."""
        fields = _FIELDS[self._source]
        body = next(filter(None, (text(row.get(name)) for name in fields.body)), "")
        if self._source in ("github", "discussions"):
            written, _, hidden = write_embedded(body, self._base, include_images=False)
        else:
            written, hidden = snippet_markdown(body, self._base) if body else ("", 0)
        self.hidden += hidden
        votes = _number(at(row, fields.votes))
        facts = (_ACCEPTED if row.get(fields.accepted) is True else fact, amount(votes, fields.vote) if votes else "")
        date = row.get(fields.date)
        written = "\n\n".join(filter(None, (link and f"<{link}>", written)))
        author = _title(at(row, fields.author))
        return Post(author, text(date) or _moment(date), written, facts, tuple(comments), above)


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
    """A short comment on a post as a list item."""
    about = ", ".join(filter(None, (post.date[:10], *post.facts)))
    return f"- **{_line(post.author)}** ({about}): {' '.join(post.text.split())}"


def _missing(total: int, shown: int, what: str) -> list[str]:
    """A note if not all are shown, else no note; `what` is the noun, as in "comments"."""
    return [f"The thread has {total:,} {what}; {shown:,} are shown."] if shown < total else []


def _line(value: Any) -> str:
    """A string on one line, at most 120 characters."""
    return " ".join(text(value).split())[:120]


def _title(value: Any) -> str:
    """A title or name on one line of at most 300 characters, with HTML entities replaced."""
    return unescape(" ".join(text(value).split()))[:300]


def _number(value: Any) -> int:
    return count(value) or 0


def _moment(value: Any) -> str:
    """A Unix time in ISO 8601, UTC; "" if it is missing or not plausible."""
    seconds = _number(value)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 0 < seconds < 4_000_000_000 else ""
