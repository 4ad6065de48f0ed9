"""Statuses and bodies that mean the same with every provider."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any

from mcp_web.search.provider import ApiResponse, Refused


def retry_after(response: ApiResponse, now: float | None = None) -> float | None:
    """Seconds a Retry-After asks for: given in seconds or as a date."""
    value = (response.header("retry-after") or "").strip()
    if not value:
        return None
    if value.isdigit():
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - (time.time() if now is None else now))


def json_object(response: ApiResponse, who: str) -> dict[str, Any]:
    """The JSON object in an answer; anything else is a refusal that names what came instead."""
    try:
        value = json.loads(response.body)
    except ValueError:
        kind = (response.header("content-type") or "no type").partition(";")[0]
        raise Refused("error", f"{who} answered {response.status} with {kind} instead of JSON.") from None
    if not isinstance(value, dict):
        raise Refused("error", f"{who} answered {response.status} with JSON of an unknown shape.")
    return value


def error_object(response: ApiResponse) -> dict[str, Any]:
    """The JSON object in a refusal, or nothing: a gateway in between may answer with a web page."""
    try:
        value = json.loads(response.body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def refuse_by_status(response: ApiResponse, who: str, message: str = "", fix: str | None = None) -> None:
    """Raise what a status alone tells; return for 2xx."""
    status = response.status
    said = f": {message}" if message else ""
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise Refused("blocked", f"{who} redirected the request instead of answering it ({status}).")
    if status == 401:
        raise Refused("auth", f"{who} does not accept the key ({status}{said}).", fix=fix)
    if status == 402:
        raise Refused("quota", f"{who} has no credit left ({status}{said}).", fix=f"Top up the {who} account.")
    if status == 403:
        raise Refused("auth", f"{who} refuses this account ({status}{said}).", fix=fix)
    if status == 429:
        raise Refused("rate_limited", f"{who} limits the pace ({status}{said}).", retry_after=retry_after(response))
    if status >= 500:
        raise Refused("error", f"{who} failed with {status}{said}.", retry_after=retry_after(response))
    raise Refused("error", f"{who} did not understand the request ({status}{said}).", counts=False)
