"""One context manager that times, logs and counts a step.

    with trace.step("fetch", url=url) as facts:
        …
        facts["status"] = 200

Logs are JSON lines on stderr (`ts, step, url, ms, status, error_code …`); token-like values in URLs
are redacted, queries are never passed to it. Metrics stay in memory until `drain()` returns them to
be stored; `/metrics` and `mcp-web stats` show them.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeVar, cast
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit, urlunsplit

Level = Literal["off", "error", "info", "debug"]
_ORDER = {"off": 0, "error": 1, "info": 2, "debug": 3}

# Upper bounds in milliseconds: from a cache hit to a slow render.
BUCKETS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000)

_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|auth|sig|session|credential|code|jwt|otp")
# Query parameters with personal data: what a person searched for, or who they are. Redacted in logs.
_PRIVATE_NAME = re.compile(r"(?i)^(?:q|p|s|wd|k|text|terms?|keywords?|.*query|.*search.*|.*mail|phone|user(?:name)?)$")
_TOKEN_LIKE = re.compile(r"^(?=.*\d)[A-Za-z0-9_\-+/=.~]{20,}$")

Key = tuple[str, tuple[tuple[str, str], ...]]  # name and sorted labels
_ZEROS = [0.0] * (2 + len(BUCKETS))


class Metrics:
    """Counters and histograms of the process or of one tenant, in memory: in all, and since the last `drain`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counters: dict[Key, float] = defaultdict(float)
        self.histograms: dict[Key, list[float]] = defaultdict(lambda: _ZEROS)
        self._new_counters: dict[Key, float] = defaultdict(float)  # since the last drain
        self._new_histograms: dict[Key, list[float]] = defaultdict(lambda: _ZEROS)
        self.tool_calls: deque[ToolCall] = deque(maxlen=30)  # the newest last

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to the counter with this name and these labels: here, and in the metrics of the tenant being served."""
        key = name, tuple(sorted(labels.items()))
        with self._lock:
            self.counters[key] += amount
            self._new_counters[key] += amount
        if (own := tenant_metrics.get()) is not None and own is not self:
            own.count(name, amount, **labels)

    def observe(self, name: str, ms: float, **labels: str) -> None:
        """Add a duration to the histogram with this name and these labels, here and in the metrics of the tenant being
        served. A histogram is [count, sum in ms, then for each bound in BUCKETS the number of durations up to it]."""
        key, row = (name, tuple(sorted(labels.items()))), (1.0, ms, *(float(ms <= bound) for bound in BUCKETS))
        with self._lock:
            self.histograms[key] = _sum(self.histograms[key], row)
            self._new_histograms[key] = _sum(self._new_histograms[key], row)
        if (own := tenant_metrics.get()) is not None and own is not self:
            own.observe(name, ms, **labels)

    def totals(self) -> dict[str, Any]:
        """All counters and histograms since this object was made, as plain JSON values."""
        with self._lock:
            return _plain(self.counters, self.histograms)

    def drain(self) -> dict[str, Any]:
        """Return and reset the metrics since the last drain, for the caller to add to the stored totals."""
        with self._lock:
            drained = _plain(self._new_counters, self._new_histograms)
            self._new_counters.clear()
            self._new_histograms.clear()
        return drained

    def put_back(self, drained: Mapping[str, Any]) -> None:
        """Add what `drain` returned and could not be stored: the next drain returns it again."""
        with self._lock:
            for name, labels, value in drained["counters"]:
                self._new_counters[name, tuple(sorted(labels.items()))] += value
            for name, labels, row in drained["histograms"]:
                key = name, tuple(sorted(labels.items()))
                self._new_histograms[key] = _sum(self._new_histograms[key], row)


def _sum(one: Iterable[float], other: Iterable[float]) -> list[float]:
    return [left + right for left, right in zip(one, other, strict=True)]


def _plain(counters: Mapping[Key, float], histograms: Mapping[Key, list[float]]) -> dict[str, Any]:
    """Plain JSON values: `[name, labels, value]` for each counter, `[name, labels, row]` for each histogram."""
    return {
        "counters": [[name, dict(labels), value] for (name, labels), value in counters.items()],
        "histograms": [[name, dict(labels), list(row)] for (name, labels), row in histograms.items()],
    }


def hits_and_misses(counters: Iterable[Any]) -> dict[str, tuple[float, float]]:
    """For each tool (calls that the cache answered, other calls), from the `counters` of `Metrics.totals()`."""
    found: dict[str, tuple[float, float]] = {}
    for name, labels, value in counters:
        if name == "tool_cache_total" and value:
            hits, misses = found.get(labels["tool"], (0.0, 0.0))
            hit = labels["hit"] == "true"
            found[labels["tool"]] = (hits + value, misses) if hit else (hits, misses + value)
    return found


@dataclass(slots=True)
class ToolCall:
    """One tool call of this process, for the page that shows recent activity. Queries are never kept."""

    tool: str
    began: float  # seconds since the epoch
    state: Literal["running", "done", "failed"] = "running"
    url: str = ""
    ms: float = 0.0


tenant_metrics: ContextVar[Metrics | None] = ContextVar("tenant_metrics", default=None)  # of the tenant being served
metrics = Metrics()  # of the whole process
_level: int = _ORDER["error"]
_secrets: tuple[str, ...] = ()
T = TypeVar("T")
_BEGINNING = 6  # characters of a secret that are masked even without the rest


interactive = False  # run by a person in a terminal: messages are sentences, not log lines


def configure(level: Level, secrets: tuple[str, ...] = ()) -> None:
    """Set how much is logged, and the secrets that `redact` masks; those of less than six characters are ignored."""
    global _level, _secrets
    _level = _ORDER[level]
    forms = {form for secret in secrets if len(secret) >= _BEGINNING for form in _spellings(secret)}
    _secrets = tuple(sorted(forms, key=len, reverse=True))


def _spellings(secret: str) -> set[str]:
    """The forms of a secret: as in text, percent-encoded as in URLs, and escaped as in JSON."""
    as_json = json.dumps(secret)[1:-1]
    return {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), as_json, as_json.replace("/", "\\/")}


def redact_url(url: str) -> str:
    """The URL without login and fragment, with `…` for secret or personal query values; a placeholder if invalid."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        query = "&".join(
            quote_plus(name) + "=" + ("…" if _is_private(name, value) else quote_plus(value, safe="/:,"))
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        )
    except ValueError:  # also for lone surrogates
        return "(unreadable url)"
    return urlunsplit((parts.scheme, host, parts.path, query, ""))


def _is_private(name: str, value: str) -> bool:
    """Whether the value of a query parameter is secret or personal, by its name or its form."""
    return bool(value and (_SECRET_NAME.search(name) or _PRIVATE_NAME.match(name) or _TOKEN_LIKE.match(value)))


def where(error: BaseException) -> str:
    """Where an error was raised: the last four frames of its traceback as `file:line`, the innermost first."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return " < ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(frames))


def redact(text: str) -> str:
    """The text with every configured secret masked, also one that was truncated and ends in an ellipsis."""
    for secret in _secrets:
        text = text.replace(secret, "•••")
        if secret[:_BEGINNING] in text and "…" in text:
            text = _without_beginnings(text, secret)
    return text


def redact_all(value: T) -> T:
    """The value with every configured secret in it masked, also inside lists, tuples, dictionaries and dataclasses."""
    return cast("T", _redacted(value)) if _secrets else value


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return type(value)(_redacted(item) for item in value)
    if isinstance(value, dict):
        return {_redacted(name): _redacted(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _redacted(getattr(value, one.name)) for one in fields(value)})
    return value


def _without_beginnings(text: str, secret: str) -> str:
    """The text with the beginnings of a secret masked that have six characters or more and end in an ellipsis (`…`)."""
    for length in range(len(secret) - 1, _BEGINNING - 1, -1):
        text = text.replace(secret[:length] + "…", "•••…")
    return text


class StepObserver(Protocol):
    """Reports steps to OpenTelemetry: `span` is a context manager around a step, `trace_id` the id of the current trace
    (or empty), `headers` are the HTTP headers that pass it on to another service."""

    def span(self, name: str, facts: Mapping[str, Any]) -> AbstractContextManager[None]: ...

    def trace_id(self) -> str: ...

    def headers(self) -> dict[str, str]: ...


_observer: StepObserver | None = None


def observe_steps(observer: StepObserver | None) -> None:
    """Report every step to this observer from now on; with None to no observer."""
    global _observer
    _observer = observer


def propagation_headers() -> dict[str, str]:
    """The HTTP headers that pass the current trace on to a configured service; empty unless traces are collected."""
    return _observer.headers() if _observer is not None else {}


def log(level: Level, event: str, **facts: Any) -> None:
    """Write the event and its facts to stderr as a line of JSON, secrets masked, if this level is logged."""
    if _ORDER[level] > _level:
        return
    if isinstance(facts.get("url"), str):
        facts["url"] = redact_url(facts["url"])
    if _observer is not None and (trace_id := _observer.trace_id()):
        facts["trace_id"] = trace_id
    line = {"ts": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event} | facts
    with suppress(OSError, ValueError):  # nobody reads stderr any more, or it is closed: the call goes on
        sys.stderr.write(redact(json.dumps(line, ensure_ascii=False, default=str)) + "\n")
        sys.stderr.flush()


@contextmanager
def step(name: str, *, by: str = "", **facts: Any) -> Iterator[dict[str, Any]]:
    """Context manager: time, log and count the block as a step, whether it succeeds or raises.

    Yields a dict of its facts, to which the block can add what is to be logged. `by` names the fact that is also the
    label of its metrics.
    """
    labels = {by: str(facts[by])} if by else {}
    call = ToolCall(str(facts.get("tool", "")), time.time())
    if name == "tool":
        (tenant_metrics.get() or metrics).tool_calls.append(call)
    begun = time.perf_counter()
    noted: dict[str, Any] = dict(facts)
    outcome, known = "ok", True
    try:
        with _observer.span(name, noted) if _observer is not None else nullcontext():
            yield noted
    except BaseException as error:
        known = hasattr(error, "code") or not isinstance(error, Exception)
        outcome = getattr(error, "code", type(error).__name__)
        noted["error_code"] = outcome
        raise
    finally:
        ms = (time.perf_counter() - begun) * 1000
        call.state, call.ms = "done" if outcome == "ok" else "failed", ms
        call.url = redact_url(str(noted.get("url") or ""))
        metrics.observe(f"{name}_ms", ms, **labels)
        metrics.count(f"{name}_total", 1, outcome=outcome, **labels)
        # A failure with a code is returned to the caller; by default only unexpected errors are logged.
        log("info" if outcome == "ok" or known else "error", name, ms=round(ms, 1), **noted)
