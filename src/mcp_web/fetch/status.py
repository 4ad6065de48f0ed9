"""The error message and the suggestion for an HTTP status."""

from __future__ import annotations

from http import HTTPStatus

from mcp_web.errors import HttpError
from mcp_web.net.connection import HttpResponse
from mcp_web.net.retry import RETRIED_STATUSES, WALL_HEADERS, retry_after_seconds

_SEARCH = "Search for the page by its title or subject."
_SUGGESTIONS = {
    401: "The page needs a login. The operator can use their own (MCP_WEB_LOGIN); otherwise look for a public source.",
    402: "The page is for paying readers. The operator can use their own login (MCP_WEB_LOGIN), or look elsewhere.",
    403: "The site refuses access. Look for another source, or an archived or official copy of the page.",
    404: "Check the URL for typing mistakes, open the site's start page, or search for the page by its title.",
    405: "The address does not answer GET requests; it may be an API. Open the page that documents it.",
    406: "The site does not offer this page in a readable form. Look for another source.",
    410: f"The page was removed for good. {_SEARCH}",
    414: "Shorten the URL: leave out query parameters that are not needed.",
    418: "The site refuses automated readers. Look for another source.",
    429: "The site limits requests. Wait for the time in retry_after, or use another source.",
    451: "The page is withheld for legal reasons. Look for another source.",
}
_PHRASES = {int(known): known.phrase for known in HTTPStatus}
_SERVER = "The server of the site failed. Try again later or use another source."


def http_error(response: HttpResponse, url: str, now: float) -> HttpError:
    """The error for a response with a status of 400 or more; `now` is a Unix time, for dates in Retry-After."""
    status = response.status
    walled = status in (403, 429, 503) and any(response.header(name) for name in WALL_HEADERS)
    suggestion = _SUGGESTIONS.get(status, _SERVER if status >= 500 else HttpError.suggestion)
    if walled:
        suggestion = (
            "The site requires a browser check, which is not bypassed. Try mode=rendered; the operator can use "
            "cookies of their own (MCP_WEB_LOGIN); or look for an archived or another copy."
        )
    return HttpError(
        f"{url} answered {status} {_PHRASES.get(status, '')}.".replace(" .", "."),
        suggestion=suggestion,
        retryable=status in RETRIED_STATUSES or status == 408,
        retry_after=retry_after_seconds(response.header("retry-after"), now),
        url=url,
        status_code=status,
        wall="bot" if walled else None,
    )
