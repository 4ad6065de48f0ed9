"""Every failure, sorted by who can act on it.

    WebError
    ├── AgentError            the caller can fix the call
    │   ├── InvalidInput  InvalidUrl  SelectorNotFound  NotFound
    ├── PolicyError           refused by a rule; only the operator can change it
    │   ├── SsrfBlocked  DomainDenied  RobotsDisallowed  LeakBlocked
    ├── TryLater              the failure is temporary
    │   ├── FetchTimeout  SearchRateLimited  SearchUnavailable  QuotaExceeded
    ├── SiteError             the page or its server
    │   ├── FetchFailed  HttpError  FetchTooLarge  UnsupportedContent  ExtractFailed
    └── OperatorError         only the operator of this server can fix it
        ├── RenderDisabled  RenderFailed  SearchAuthError  EmbeddingError  CacheError  ConfigError

A message is a whole sentence with the value in it; the suggestion says what to try next.
A library's exception is translated where the library is called, with its cause kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self


class WebError(Exception):
    """An error with a message and a suggestion of what to try next; each subclass has its code and its defaults."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    retryable: bool = False
    suggestion: str = "Report this with the server's log lines; another URL or tool may work meanwhile."

    def __init__(
        self,
        message: str,
        *,
        suggestion: str | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        url: str | None = None,
        status_code: int | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion or type(self).suggestion
        self.retryable = type(self).retryable if retryable is None else retryable
        self.retry_after = retry_after
        self.url = url
        self.status_code = status_code
        self.details = {name: value for name, value in details.items() if value is not None}

    def bare(self) -> Self:
        """Remove traceback and causes, and return self: a cached error must not keep a page's bytes in memory."""
        self.__traceback__ = self.__cause__ = self.__context__ = None
        return self

    def as_dict(self) -> dict[str, Any]:
        """The error object that clients receive; absent values are left out."""
        names = ("code", "message", "suggestion", "retryable", "retry_after", "url", "status_code")
        facts = {name: getattr(self, name) for name in names} | {"details": self.details or None}
        return {name: value for name, value in facts.items() if value is not None}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> WebError:
        """The error that `as_dict` described, of the class that has its code, or else of this class."""
        kind = next((one for one in all_errors() if one.code == facts.get("code")), cls)
        named = ("suggestion", "retryable", "retry_after", "url", "status_code")
        details = {name: value for name, value in (facts.get("details") or {}).items() if name.isidentifier()}
        return kind(str(facts.get("message")), **{name: facts.get(name) for name in named}, **details)


class AgentError(WebError):
    """The call is wrong, and the caller can correct it."""


class PolicyError(WebError):
    """Refused by a rule of this server, which only its operator can change."""


class TryLater(WebError):
    """The failure is temporary: the same call may work later."""

    retryable = True


class SiteError(WebError):
    """The page or its server is at fault."""


class OperatorError(WebError):
    """Only the operator of this server can fix it."""


class InvalidInput(AgentError):
    code = "INVALID_INPUT"
    suggestion = "Correct the parameter named in the message and call again."


class InvalidUrl(AgentError):
    code = "INVALID_URL"
    suggestion = "Give an absolute http or https URL without credentials, such as https://example.org/page."


class SelectorNotFound(AgentError):
    code = "SELECTOR_NOT_FOUND"
    suggestion = "Open the page without a selector to see its outline, then use `section` or another selector."


class NotFound(AgentError):
    code = "NOT_FOUND"
    suggestion = "Check the id, or open the page first so that it is kept."


class SsrfBlocked(PolicyError):
    code = "SSRF_BLOCKED"
    suggestion = (
        "Only public web addresses can be opened. "
        "The operator can exempt a trusted internal host: MCP_WEB_ALLOW_PRIVATE=HOST or HOST:PORT."
    )


class DomainDenied(PolicyError):
    code = "DOMAIN_DENIED"
    suggestion = "Use another source. The operator decides with MCP_WEB_ALLOWLIST_DOMAINS and MCP_WEB_DENYLIST_DOMAINS."


class RobotsDisallowed(PolicyError):
    code = "ROBOTS_DISALLOWED"
    suggestion = (
        "Look for the same content on another site. "
        "The operator can turn the check off with MCP_WEB_RESPECT_ROBOTS=false."
    )


class LeakBlocked(PolicyError):
    code = "LEAK_BLOCKED"
    suggestion = "Remove secrets and long encoded data from the URL or the query and call again."


class FetchTimeout(TryLater):
    code = "FETCH_TIMEOUT"
    suggestion = "Try again later, or use another source for the same content."


class SearchRateLimited(TryLater):
    code = "SEARCH_RATE_LIMITED"
    suggestion = "Wait for the time in retry_after, or name another provider."


class SearchUnavailable(TryLater):
    code = "SEARCH_UNAVAILABLE"
    suggestion = "Try again later or name another provider; `mcp-web doctor` shows what each provider answers."


class QuotaExceeded(TryLater):
    code = "QUOTA_EXCEEDED"
    suggestion = "Wait for the time in retry_after; the operator sets the limits of a tenant."


class FetchFailed(SiteError):
    code = "FETCH_FAILED"
    retryable = True
    suggestion = "Check the host name; try again later or search for another source."


class HttpError(SiteError):
    code = "HTTP_ERROR"
    suggestion = "Verify the URL is correct or search for the content."


class FetchTooLarge(SiteError):
    code = "FETCH_TOO_LARGE"
    suggestion = "Open a smaller part of the site; the operator can raise the ceiling with MCP_WEB_MAX_BYTES."


class UnsupportedContent(SiteError):
    code = "UNSUPPORTED_CONTENT"
    suggestion = "Look for an HTML, PDF or text version of the same content."


class ExtractFailed(SiteError):
    code = "EXTRACT_FAILED"
    suggestion = "Open the page with mode=raw, or look for another source."


class RenderDisabled(OperatorError):
    code = "RENDER_DISABLED"
    suggestion = (
        "Use mode=readable. The operator can enable rendering: set MCP_WEB_RENDER_ENABLED=true and run "
        "`mcp-web doctor --fix`, which installs what is missing."
    )


class RenderFailed(OperatorError):
    code = "RENDER_FAILED"
    retryable = True
    suggestion = "Use mode=readable for the text the server sends without scripts; `mcp-web doctor` checks the browser."


class SearchAuthError(OperatorError):
    code = "SEARCH_AUTH_ERROR"
    suggestion = "Name another provider; the operator checks the key with `mcp-web doctor`."


class EmbeddingError(OperatorError):
    code = "EMBEDDING_ERROR"
    suggestion = "The operator checks the model with `mcp-web doctor`; `mcp-web archive reindex` adopts a new model."


class CacheError(OperatorError):
    code = "CACHE_ERROR"
    suggestion = "The operator checks the data folder's disk space and permissions with `mcp-web doctor`."


class ConfigError(OperatorError):
    """A setting is wrong: the message names it and says what is allowed. The command line exits with status 2."""

    code = "CONFIG_ERROR"
    suggestion = "Correct the setting; `mcp-web config --example` shows every setting with its default."


@contextmanager
def ungrouped() -> Iterator[None]:
    """Context manager: if the block raises an exception group, as task groups do, raise its first error instead."""
    try:
        yield
    except BaseExceptionGroup as several:
        error: BaseException = several
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__


def all_errors() -> list[type[WebError]]:
    """The error classes of this module that have no subclass in it, in its order, for decoding and documentation."""

    def leaves(kind: type[WebError]) -> list[type[WebError]]:
        # A component may have a private subclass of one of these, with the same code.
        children = [child for child in kind.__subclasses__() if child.__module__ == __name__]
        return [leaf for child in children for leaf in leaves(child)] if children else [kind]

    return leaves(WebError)
