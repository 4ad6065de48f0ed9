"""Recognises refusals by statuses and bodies that mean the same for every provider."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

from mcp_web.net.retry import WALL_HEADERS, retry_after_seconds
from mcp_web.search.hits import clean
from mcp_web.search.provider import HttpResponse, ProviderRefused
from mcp_web.text.json_fields import JsonObject, read_json
from mcp_web.text.untrusted import quoted

REPHRASE = "Change the words or the filters of the query, or name another provider."
_WALL_WORDS = (
    b"just a moment",
    b"not a bot",
    b"captcha",
    b"cf-chl",
    b"unusual traffic",
    b"enable javascript and cookies",
)


def retry_after(response: HttpResponse) -> float | None:
    """The seconds in a Retry-After header, given in seconds or as a date, at most a day; None without a valid one."""
    return retry_after_seconds(response.header("retry-after"), time.time())


def is_wall(response: HttpResponse) -> bool:
    """Whether the response is a bot check (a CAPTCHA page or the like) instead of the endpoint's answer."""
    if any(response.header(name) for name in WALL_HEADERS):
        return True
    start = response.body[:20_000].lower()
    return b"<" in start and any(word in start for word in _WALL_WORDS)


def json_object(response: HttpResponse) -> JsonObject | None:
    """The JSON object in a response; None if there is none, as in the web page of a gateway."""
    try:
        value = _parsed(response.body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def refuse_answer(response: HttpResponse, who: str, answer: JsonObject | None) -> None:
    """Raise ProviderRefused for a response of success status without a JSON object (`answer` is None), or whose object
    has an `error` and no list, as gateways send it. `who` is the provider's name for the message."""
    if answer is None and is_wall(response):
        raise ProviderRefused("blocked", f"{who} answered {response.status} with a bot check.")
    if answer is None:
        kind = (response.header("content-type") or "no type").partition(";")[0]
        raise ProviderRefused("error", f"{who} answered {response.status} with {quoted(kind)}, not a JSON object.")
    if answer.get("error") and not any(isinstance(part, list) for part in answer.values()):
        raise ProviderRefused("error", f"{who} answered {response.status} with an error: {_reason(answer['error'])}.")


def _reason(error: Any) -> str:
    """The message in the `error` (a string or an object) of an answer, in quotes; "no reason given" without one."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("code") or ""
    words = clean(str(error), 200).rstrip(".…")
    return quoted(words, 200) if words else "no reason given"


def _parsed(body: bytes) -> Any:
    """The value of a JSON text; NaN and numbers that no float can represent (1e999) become None. Raises ValueError."""

    def finite(digits: str) -> float | None:
        return value if math.isfinite(value := float(digits)) else None

    read = partial(read_json, parse_constant=lambda name: None, parse_float=finite)
    try:
        return read(body)
    except UnicodeDecodeError:
        return read(body.decode("utf-8-sig", "replace"))  # one broken title must not lose the whole page


def refuse_by_status(response: HttpResponse, who: str, message: str = "", fix: str | None = None) -> None:
    """Raise ProviderRefused for a status that is not 2xx. `who` is the provider's name, `message` the reason that its
    response states, `fix` what the operator can do about a key that is not accepted."""
    status, wait = response.status, retry_after(response)
    words = clean(message, 200).rstrip(".…")  # untrusted: one line, shortened
    detail = f"{status}: {quoted(words, 200)}" if words else str(status)
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise ProviderRefused("blocked", f"{who} redirected the request instead of answering it ({status}).")
    if status in (401, 403, 503) and is_wall(response):
        raise ProviderRefused("blocked", f"{who} answered {status} with a bot check.", retry_after=wait)
    if status in (401, 403):
        problem = "does not accept the key" if status == 401 else "refuses this account"
        raise ProviderRefused("auth", f"{who} {problem} ({detail}).", fix=fix)
    if status == 402:
        raise ProviderRefused("quota", f"{who} has no credit left ({detail}).", fix=f"Top up the {who} account.")
    if status in (404, 405, 410):
        advice = f"Check the address it is configured with. {fix or ''}".strip()
        raise ProviderRefused("auth", f"{who} offers no search at the configured address ({detail}).", fix=advice)
    if status == 429:
        raise ProviderRefused("rate_limited", f"{who} limits the request rate ({detail}).", retry_after=wait)
    if status >= 500:
        raise ProviderRefused("error", f"{who} failed with {detail}.", retry_after=wait)
    raise ProviderRefused("rejected", f"{who} did not understand the request ({detail}).", fix=REPHRASE, counts=False)
