"""Fetch a page as the Internet Archive kept it: the copy nearest to a day, or the latest."""

from __future__ import annotations

import re
from dataclasses import replace

from mcp_web.app import App
from mcp_web.errors import DomainDenied, FetchFailed, HttpError, InvalidInput, NotFound, WebError
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.page import Document, Fetched
from mcp_web.services.official_api import REFUSALS, OfficialApi, deadline_within
from mcp_web.text.internet_archive import copy_address, copy_day, shown_address, timestamp_of
from mcp_web.text.json_fields import at, mapping, text
from mcp_web.text.urls import parse_url

_SECONDS = 15.0  # for the question which copies there are
_TIMESTAMP = re.compile(r"\d{14}")
_OFF = "The operator can allow archived copies with MCP_WEB_ARCHIVE_COPIES=asked or =auto."


async def fetch_copy(app: App, url: str, at: str, *, deadline: float | None) -> Fetched:
    """Fetch the copy of a page in the Internet Archive nearest to `at`, a date or `latest`, as a response from the
    page's URL. Raises InvalidInput for another `at`, NotFound without a copy, PolicyError if it is not allowed."""
    wanted = timestamp_of(at)
    if wanted is None:
        raise InvalidInput(
            f"at={at!r} is not a date; write it as 2024-05-01, 2024-05 or 2024, or latest.", parameter="at"
        )
    await _admit(app, url)
    timestamp = await _timestamp(app, url, wanted, deadline)
    page = await (await app.fetcher()).get(copy_address(url, timestamp), deadline=deadline)
    shown = shown_address(page.final_url if copy_day(page.final_url) else copy_address(url, timestamp))
    # The links of the copy are those of the page, so it is read as if it came from the page's URL.
    return replace(page, url=url, final_url=url, headers=(), redirects=(), archived_url=shown)


def mark_copy(document: Document, page: Fetched) -> Document:
    """The document with a note of the archived copy's day and address; unchanged if `page` is not an archived copy."""
    if page.archived_url is None:
        return document
    note = f"This is a copy of {copy_day(page.archived_url)} from the Internet Archive: {page.archived_url}"
    metadata = replace(document.metadata, archived_url=page.archived_url)
    return replace(document, metadata=metadata, notes=(note, *document.notes))


def is_gone(error: WebError) -> bool:
    """Whether an error means that the page is gone, or its server fails or cannot be reached; False for a refusal."""
    if isinstance(error, HttpError):
        return error.status_code in (404, 410) or (error.status_code or 0) >= 500
    return isinstance(error, FetchFailed) and error.details.get("reason") in ("dns", "connect", "broken")


async def _admit(app: App, url: str) -> None:
    """Raise a PolicyError for URLs that may not be opened, or must not be disclosed to the Internet Archive."""
    fetcher, target = await app.fetcher(), parse_url(url)
    fetcher.leaks.check(url)
    fetcher.check_domain(target)
    if app.settings.of(FetchOptions).archive_copies == "off":
        raise DomainDenied(f"Archived copies are switched off, so there is none of {url}.", suggestion=_OFF, url=url)
    if not fetcher.is_public(target):
        raise DomainDenied(
            f"{target.host} is an internal host or has a login, so the Internet Archive is not asked about it.",
            suggestion="Open the page without `at`.",
            url=url,
        )


async def _timestamp(app: App, url: str, wanted: str, deadline: float | None) -> str:
    """The timestamp (14 digits) of the copy nearest to the timestamp `wanted` ("": the latest), from the API of the
    Internet Archive. Raises NotFound if there is no copy, FetchFailed if the API does not answer."""
    api = OfficialApi(app, "internetarchive", deadline_within(_SECONDS, deadline))
    try:
        answer = await api.json("/wayback/available", url=url, **({"timestamp": wanted} if wanted else {}))
    except REFUSALS as error:
        raise FetchFailed(f"The Internet Archive did not say which copies it has of {url}.", url=url) from error
    closest = mapping(at(answer, ("archived_snapshots", "closest")))
    timestamp = text(closest.get("timestamp"))
    if closest.get("available") is not True or not _TIMESTAMP.fullmatch(timestamp):
        raise NotFound(
            f"The Internet Archive has no copy of {url}.",
            suggestion="Check the URL for typing mistakes, or search for the page by its title.",
            url=url,
        )
    return timestamp
