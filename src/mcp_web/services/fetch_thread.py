"""Fetch a thread in full from the public API of its site, as one page for the extractor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from mcp_web import trace
from mcp_web.app import App
from mcp_web.errors import FetchFailed, PolicyError, WebError
from mcp_web.fetch.options import FetchOptions
from mcp_web.fetch.threads import MEDIA_TYPE, ThreadAddress, reddit_address, thread_address, topic_address
from mcp_web.model.page import Fetched
from mcp_web.services.official_api import REFUSALS, OfficialApi, deadline_within, gathered
from mcp_web.text.json_fields import at, items, mapping, text

Values = list[Any]
_NOTE = "The thread was read from the public API of its site."
_PAGES = 30  # of a hundred posts each
_EACH = 100
_SECONDS = 20.0


async def fetch_thread(app: App, url: str, *, deadline: float | None) -> Fetched | None:
    """The thread (issue, discussion, question, post) at this URL, from the public API of its site; None when it is not
    a thread or the API does not answer: then the page itself is read.

    Also None if the operator turned `public_apis` off. `deadline` is a time of `anyio.current_time()`. Raises the error
    of a URL that may not be opened.
    """
    address = thread_address(url)
    if not app.settings.of(FetchOptions).public_apis:
        return None
    if address is None:
        return await _reddit(app, url, deadline)
    await (await app.fetcher()).admit(url, deadline=deadline)
    source, read = _READERS[address.source]
    parts = read(OfficialApi(app, source, deadline_within(_SECONDS, deadline)), address)
    return await gathered(url, MEDIA_TYPE, parts, (_NOTE,))


async def fetch_topic(app: App, page: Fetched, *, deadline: float | None) -> Fetched | None:
    """The whole topic of `page`, if that is a page of the forum software Discourse; None for other pages, if the
    operator turned `public_apis` off, or if the request fails."""
    address = topic_address(page.final_url, page.body) if page.media_type == "text/html" else None
    if address is None or not app.settings.of(FetchOptions).public_apis:
        return None
    try:
        topic = await (await app.fetcher()).get(address, deadline=deadline)
    except WebError as error:
        trace.log("error", "thread", url=page.url, error_code=error.code)
        return None
    if topic.media_type != "application/json" or urlsplit(topic.final_url).netloc != urlsplit(page.final_url).netloc:
        return None
    return _as_thread(page, b'{"source":"discourse","topic":' + topic.body + b"}")


async def _reddit(app: App, url: str, deadline: float | None) -> Fetched | None:
    """A Reddit post with its comments as JSON from reddit.com, if robots.txt allows it; None for other pages, or if the
    request fails. Raises PolicyError."""
    address = reddit_address(url)
    if address is None:
        return None
    try:
        page = await (await app.fetcher()).get(address, deadline=deadline)
    except PolicyError:
        raise
    except WebError as error:
        trace.log("error", "thread", url=url, error_code=error.code)
        return None
    if page.media_type != "application/json" or not page.body.lstrip().startswith(b"["):
        return None
    body = b'{"source":"reddit","listings":' + page.body + b"}"
    return _as_thread(replace(page, url=url, final_url=url, redirects=()), body)


def _as_thread(page: Fetched, body: bytes) -> Fetched:
    """The page with the JSON of a thread as its body, for the extractor."""
    return replace(page, headers=(), body=body, media_type=MEDIA_TYPE, charset="utf-8", notes=(*page.notes, _NOTE))


async def _all_pages(api: OfficialApi, path: str, **params: str) -> tuple[Values, bool]:
    """The values on all pages of a list in an API, up to `_PAGES` pages or to the first that is refused, and whether
    these are all; raises one of REFUSALS if that is the first page."""
    found: Values = []
    for number in range(1, _PAGES + 1):
        try:
            answer = await api.json(path, **params, page=str(number))
        except REFUSALS:
            if number == 1:
                raise
            return found, False
        values = answer.get("items") if isinstance(answer, dict) else answer
        rows = values if isinstance(values, list) else []
        found += rows
        more = answer.get("has_more") if isinstance(answer, dict) else len(rows) == _EACH
        if more is not True:
            return found, True
    return found, False


async def _github(api: OfficialApi, address: ThreadAddress) -> dict[str, Any]:
    base = f"/repos/{address.site}"
    issue = await api.json(f"{base}/issues/{address.number}")
    wanted = isinstance(issue, dict) and issue.get("comments")
    pages = f"{base}/issues/{address.number}/comments"
    # The issue has the number of its comments, so that the extractor knows whether some are missing.
    comments, _ = await _all_pages(api, pages, per_page=str(_EACH)) if wanted else ([], True)
    review: Values = []
    is_whole = True
    if isinstance(issue, dict) and issue.get("pull_request"):
        review, is_whole = await _all_pages(api, f"{base}/pulls/{address.number}/comments", per_page=str(_EACH))
    incomplete = [] if is_whole else ["comments of the review"]
    return {"source": "github", "issue": issue, "comments": comments, "review": review, "incomplete": incomplete}


_DISCUSSION = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { discussion(number: $number) {
    title body createdAt upvoteCount author { login } category { name }
    comments(first: 50, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes {
      body createdAt upvoteCount isAnswer author { login }
      replies(first: 50) { totalCount nodes { body createdAt upvoteCount author { login } } } } } } } }"""


async def _discussion(api: OfficialApi, address: ThreadAddress) -> dict[str, Any]:
    """A GitHub discussion and its comments, up to the first page of them that is refused; raises one of REFUSALS if
    that is the first page, if there is no such discussion, or without a token for the API."""
    owner, _, name = address.site.partition("/")
    after: str | None = None
    found: dict[str, Any] = {}
    comments: Values = []
    for _ in range(_PAGES):
        variables = {"owner": owner, "name": name, "number": int(address.number), "after": after}
        try:
            answer = await api.post("/graphql", {"query": _DISCUSSION, "variables": variables})
        except REFUSALS:
            if not found:
                raise
            break
        discussion = mapping(at(answer, ("data", "repository", "discussion")))
        found = found or discussion  # has the number of comments; the extractor notes how many are missing
        page = mapping(discussion.get("comments"))
        comments += items(page.get("nodes"))
        info = mapping(page.get("pageInfo"))
        after = text(info.get("endCursor"))
        if info.get("hasNextPage") is not True or not after:
            break
    if not found:
        raise FetchFailed(f"GitHub has no discussion {address.number} in {address.site}.", reason="status")
    return {"source": "discussions", "discussion": found, "comments": comments}


async def _stackexchange(api: OfficialApi, address: ThreadAddress) -> dict[str, Any]:
    shared = {"site": address.site, "filter": "withbody", "pagesize": str(_EACH)}
    oldest = shared | {"sort": "creation", "order": "asc"}
    question = f"/questions/{address.number}"
    found, _ = await _all_pages(api, question, **shared)
    if not found:
        raise FetchFailed(f"{address.site} has no question {address.number}.", reason="status")
    answers, _ = await _all_pages(api, f"{question}/answers", **shared, sort="votes", order="desc")
    comments, is_whole = await _all_pages(api, f"{question}/comments", **oldest)
    numbers = [
        str(one["answer_id"]) for one in answers if isinstance(one, dict) and isinstance(one.get("answer_id"), int)
    ]
    for start in range(0, len(numbers), _EACH):
        some = ";".join(numbers[start : start + _EACH])
        more, is_all = await _all_pages(api, f"/answers/{some}/comments", **oldest)
        comments += more
        is_whole = is_whole and is_all
    facts = {"source": "stackexchange", "incomplete": [] if is_whole else ["comments"]}
    return facts | {"question": found[0], "answers": answers, "comments": comments}


async def _hackernews(api: OfficialApi, address: ThreadAddress) -> dict[str, Any]:
    return {"source": "hackernews", "item": await api.json(f"/api/v1/items/{address.number}")}


# The source whose API has the threads, and the function that reads one.
_READERS = {
    "github": ("github", _github),
    "discussions": ("github", _discussion),
    "stackexchange": ("stackexchange", _stackexchange),
    "hackernews": ("hackernews", _hackernews),
}
