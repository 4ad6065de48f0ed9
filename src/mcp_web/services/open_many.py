"""Open many pages at once; the results are in the order of the requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import anyio

from mcp_web.app import App
from mcp_web.errors import FetchTimeout, WebError
from mcp_web.fetch.admission import as_one_caller
from mcp_web.model.progress import OnProgress
from mcp_web.services.open_page import Opened, OpenRequest, open_page

T = TypeVar("T")


async def open_many(
    app: App,
    requests: Sequence[OpenRequest],
    *,
    deadline: float,
    on_progress: OnProgress | None = None,
    at_once: int | None = None,
) -> list[Opened | WebError]:
    """Open pages together: each page or its error, in the order of the requests. A page that is not open a second
    before the deadline is a FetchTimeout; `at_once` limits how many are fetched at the same time."""
    return await use_many(
        app, requests, lambda at, opened: opened, deadline=deadline, on_progress=on_progress, at_once=at_once
    )


async def use_many(
    app: App,
    requests: Sequence[OpenRequest],
    use: Callable[[int, Opened], T],
    *,
    deadline: float,
    on_progress: OnProgress | None = None,
    at_once: int | None = None,
) -> list[T | WebError]:
    """Open pages together and return `use(index, page)` of each, or its error, in the order of the requests. Unlike the
    results of `open_many`, the pages are not all in memory at once."""
    answers: list[T | WebError | None] = [None] * len(requests)
    done = 0

    async def one(at: int) -> None:
        nonlocal done
        try:
            answers[at] = use(at, await open_page(app, requests[at], deadline=deadline))
        except WebError as error:
            answers[at] = error.bare()
        done += 1
        if on_progress is not None:
            on_progress(f"opened {done} of {len(requests)}", done, len(requests))

    # The last second is reserved for presenting the pages.
    with as_one_caller(at_once), anyio.move_on_after(max(0.0, deadline - anyio.current_time() - 1.0)):
        async with anyio.create_task_group() as tasks:
            for at in range(len(requests)):
                tasks.start_soon(one, at)
    return [
        answer
        if answer is not None
        else FetchTimeout("The page was not read before the call's deadline.", url=request.url)
        for answer, request in zip(answers, requests, strict=True)
    ]
