"""Threads from APIs with more posts than are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.extract.reading import read

from mcp_web.fetch.threads import MEDIA_TYPE

MANY = 5100


def hackernews() -> dict[str, Any]:
    children = [{"author": "bo", "text": "Yes.", "children": []} for _ in range(MANY)]
    return {"source": "hackernews", "item": {"author": "ada", "title": "Slow", "children": children}}


def reddit() -> dict[str, Any]:
    comments = [{"kind": "t1", "data": {"author": "bo", "body_html": "Yes."}} for _ in range(MANY)]
    comments.append({"kind": "more", "data": {"count": 0}})  # the rest of a branch that is too deep
    post = {"kind": "t3", "data": {"author": "ada", "title": "Slow"}}
    return {"source": "reddit", "listings": [{"data": {"children": [post]}}, {"data": {"children": comments}}]}


def discussion() -> dict[str, Any]:
    comment = {"body": "Yes.", "replies": {"totalCount": 50, "nodes": [{"body": "No."}] * 50}}
    opening = {"title": "Slow", "body": "It is.", "comments": {"totalCount": MANY // 51}}
    return {"source": "discussions", "discussion": opening, "comments": [comment] * (MANY // 51)}


@pytest.mark.parametrize("thread", [hackernews, reddit, discussion])
def test_posts_beyond_the_most_that_are_kept_are_noted(thread: Any) -> None:
    document = read(json.dumps(thread()), MEDIA_TYPE)
    assert document.markdown.count("\n## ") + document.markdown.startswith("## ") == 5000
    assert "The thread has 5,101 posts; 5,000 are shown." in document.notes
    assert any("behind links" in note for note in document.notes) == (thread is reddit)
