"""The tree of failures."""

from __future__ import annotations

import re

import pytest

from mcp_web.errors import (
    AgentError,
    HttpError,
    NotFound,
    OperatorError,
    PolicyError,
    SiteError,
    TryLater,
    all_errors,
    ungrouped,
)

CONTRACT = {
    "INVALID_INPUT",
    "INVALID_URL",
    "SSRF_BLOCKED",
    "DOMAIN_DENIED",
    "ROBOTS_DISALLOWED",
    "FETCH_TIMEOUT",
    "FETCH_TOO_LARGE",
    "FETCH_FAILED",
    "HTTP_ERROR",
    "UNSUPPORTED_CONTENT",
    "EXTRACT_FAILED",
    "SELECTOR_NOT_FOUND",
    "RENDER_DISABLED",
    "RENDER_FAILED",
    "SEARCH_AUTH_ERROR",
    "SEARCH_RATE_LIMITED",
    "SEARCH_UNAVAILABLE",
    "EMBEDDING_ERROR",
    "NOT_FOUND",
    "CACHE_ERROR",
    "LEAK_BLOCKED",
}


def test_every_code_of_the_contract_has_one_class() -> None:
    codes = [kind.code for kind in all_errors()]
    assert sorted(codes) == sorted({*CONTRACT, "CONFIG_ERROR", "QUOTA_EXCEEDED"})


def test_every_failure_says_who_can_act_and_what_to_try() -> None:
    for kind in all_errors():
        assert issubclass(kind, AgentError | PolicyError | TryLater | SiteError | OperatorError)
        assert re.search(r"[a-zA-Z_`]\.?$", kind.suggestion), kind
        assert len(kind.suggestion) > 20


def test_the_first_error_of_concurrent_tasks_is_raised_instead_of_their_group() -> None:
    one = NotFound("one")
    one.__cause__ = cause = OSError("refused")
    several = ExceptionGroup("tasks", [ExceptionGroup("inner", [one]), ValueError("two")])
    with pytest.raises(NotFound, match="one") as raised, ungrouped():
        raise several
    assert raised.value.__cause__ is cause


def test_the_object_leaves_out_what_is_not_known() -> None:
    assert HttpError("The page answered 404.", url="https://e.org/", status_code=404).as_dict() == {
        "code": "HTTP_ERROR",
        "message": "The page answered 404.",
        "suggestion": HttpError.suggestion,
        "retryable": False,
        "url": "https://e.org/",
        "status_code": 404,
    }
