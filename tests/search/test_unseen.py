"""Answers and refusals nobody recorded for us: over real HTTP, through the whole searcher."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_web import trace
from mcp_web.errors import SearchAuthError, SearchRateLimited, SearchUnavailable, WebError
from mcp_web.model.search import SearchAnswer, SearchQuery
from miniweb import MiniWeb, Reply
from search.lookalike import searcher, soon
from search.unseen import ANSWERS, Row

pytestmark = pytest.mark.anyio

SECRET = "pyjama wombat 7731"
KEYS: dict[str, dict[str, Any]] = {
    "brave": {"keys": {"brave": "sk-brave"}},
    "google": {"keys": {"google": "sk-google", "google_engine": "cx1"}},
    "searxng": {},
    "tavily": {"keys": {"tavily": "sk-tavily"}},
    "exa": {"keys": {"exa": "sk-exa"}},
    "serper": {"keys": {"serper": "sk-serper"}},
}


async def ask(web: MiniWeb, provider: str, reply: Reply, category: Any = "general") -> SearchAnswer:
    site = web.site(f"{provider}.example")
    site.route("/*", lambda request: reply)
    base = site.loopback_url("")
    where: dict[str, Any] = {"searxng_urls": (base,)} if provider == "searxng" else {"urls": {provider: base}}
    made = searcher(**KEYS[provider], **where)
    return await made.search(SearchQuery(SECRET, category=category, count=20), provider, deadline=soon())


def as_json(body: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(body), status, {"Content-Type": "application/json"} | named)


def same_date(found: str | None, wanted: str | None) -> bool:
    """Equal, or for an age the day that it means today or intended a moment ago."""
    if wanted is None or wanted[:4].isdigit():
        return found == wanted
    amount, unit = wanted.split()
    then = datetime.now(UTC) - timedelta(**{unit if unit.endswith("s") else unit + "s": int(amount)})
    return (found or "")[:10] in {(then - timedelta(minutes=5)).date().isoformat(), then.date().isoformat()}


@pytest.mark.parametrize(("provider", "category", "body", "rows"), ANSWERS)
async def test_an_answer_is_read_completely(
    miniweb: MiniWeb, provider: str, category: str, body: dict[str, Any], rows: list[Row]
) -> None:
    found = await ask(miniweb, provider, as_json(body), category)
    read = [(hit.title, hit.url, hit.snippet, hit.source_name) for hit in found.hits]
    assert read == [(title, url, snippet, source) for title, url, snippet, _, source in rows]
    for hit, row in zip(found.hits, rows, strict=True):
        assert same_date(hit.published, row[3]), (hit.published, row[3])
        assert all(hit.engines)
        assert hit.domain


async def test_what_stands_beside_the_results_is_kept(miniweb: MiniWeb) -> None:
    by_name = {(provider, category): body for provider, category, body, _ in reversed(ANSWERS)}
    brave = await ask(miniweb, "brave", as_json(by_name["brave", "general"]))
    assert brave.answers == ("A knot that makes a fixed loop.",)
    assert any("bowline knot" in note for note in brave.notes)
    assert brave.more_results
    assert brave.hits[0].thumbnail == "https://knots.example/b.png?w=1&h=2"
    google = await ask(miniweb, "google", as_json(by_name["google", "general"]))
    assert google.total == 48200
    searxng = await ask(miniweb, "searxng", as_json(by_name["searxng", "general"]))
    assert searxng.answers == ("6.28", "2 π", "Bowline: Kind: loop", "strength: 9, unit: kN")
    assert searxng.hits[0].thumbnail == "https://i.example/f.jpg"
    assert '"google" ("timeout"), "bing" ("CAPTCHA"), "qwant" ("no answer"), "yahoo" ("no answer")' in " ".join(
        searxng.notes
    )
    serper = await ask(miniweb, "serper", as_json(by_name["serper", "general"]))
    assert serper.answers == ("A loop knot.", "King of knots.")


def google_error(status: int, reason: str, message: str) -> Reply:
    return as_json({"error": {"code": status, "message": message, "errors": [{"reason": reason}]}}, status)


def brave_error(status: int, code: str, meta: Any = None, **headers: str) -> Reply:
    return as_json(
        {"type": "ErrorResponse", "error": {"code": code, "status": status, "meta": meta}}, status, **headers
    )


PAGE = Reply("<html><h1>Server Error</h1></html>", 500)
WALL = Reply("<html><title>Just a moment...</title></html>", 403)
BUSY = {"X_RateLimit_Limit": "1, 2000", "X_RateLimit_Remaining": "0, 900", "X_RateLimit_Reset": "9, 5000"}
SPENT = BUSY | {"X_RateLimit_Remaining": "0, 0"}
WRONG, LIMITED, DOWN = SearchAuthError, SearchRateLimited, SearchUnavailable
Case = tuple[str, str, Reply, type[WebError], str]
# What a refusal is, and a word of what it suggests.
REFUSALS: list[Case] = [
    ("brave", "a key from nowhere", brave_error(401, "UNAUTHORIZED"), WRONG, "BRAVE_API_KEY"),
    ("brave", "a bad key", brave_error(422, "SUBSCRIPTION_TOKEN_INVALID"), WRONG, "BRAVE_API_KEY"),
    ("brave", "not in the plan", brave_error(400, "OPTION_NOT_IN_PLAN"), WRONG, "plan"),
    ("brave", "an account refused", brave_error(403, "RESOURCE_NOT_ALLOWED"), WRONG, "BRAVE_API_KEY"),
    ("brave", "a bare 403", Reply("Forbidden", 403, {"Content-Type": "text/plain"}), WRONG, "BRAVE_API_KEY"),
    ("brave", "a wall in front", WALL, DOWN, "another provider"),
    (
        "google",
        "a wall in front",
        Reply("<p>Our systems have detected unusual traffic</p>", 403),
        DOWN,
        "another provider",
    ),
    ("brave", "a wrong address", brave_error(404, "NOT_FOUND"), WRONG, "address"),
    ("brave", "a bad parameter", brave_error(422, "VALIDATION", {"errors": [{"loc": ["query", "q"]}]}), DOWN, "Change"),
    ("brave", "too fast", brave_error(429, "RATE_LIMITED", {}, **BUSY), LIMITED, "9 s"),
    ("brave", "the month is gone", brave_error(429, "RATE_LIMITED", {}, **SPENT), LIMITED, "Raise the Brave plan"),
    ("brave", "the quota is gone", brave_error(429, "QUOTA_LIMITED", None, **BUSY), LIMITED, "5000 s"),
    ("brave", "headers of nonsense", brave_error(429, "RATE_LIMITED", 7, X_RateLimit_Reset="--9, ²"), LIMITED, "1 s"),
    ("brave", "a web page", PAGE, DOWN, "doctor"),
    ("brave", "a list", as_json([1, 2]), DOWN, "doctor"),
    ("brave", "JSON without end", Reply("[" * 100_000, 200, {"Content-Type": "application/json"}), DOWN, "doctor"),
    ("google", "the day", google_error(403, "dailyLimitExceeded", "Daily Limit Exceeded"), LIMITED, "another provider"),
    ("google", "the rate", google_error(403, "rateLimitExceeded", "Rate Limit Exceeded"), LIMITED, "60 s"),
    ("google", "the user", google_error(403, "userRateLimitExceeded", "User Rate Limit"), LIMITED, "60 s"),
    ("google", "the bill", google_error(403, "dailyLimitExceeded", "Requires billing to be enabled."), WRONG, "GOOGLE"),
    ("google", "the key", google_error(400, "keyInvalid", "Bad Request"), WRONG, "GOOGLE_API_KEY"),
    ("google", "the API is off", google_error(403, "accessNotConfigured", "Not used before."), WRONG, "GOOGLE_API_KEY"),
    ("google", "the engine", google_error(400, "invalid", "Invalid Value"), WRONG, "GOOGLE_SEARCH_ENGINE_ID"),
    ("google", "no such engine", google_error(404, "notFound", "Not found."), WRONG, "GOOGLE_SEARCH_ENGINE_ID"),
    ("google", "its backend", google_error(503, "backendError", "Backend Error"), DOWN, "doctor"),
    ("searxng", "no JSON", Reply("<!doctype html><h1>403 Forbidden</h1>", 403), WRONG, "formats: [html, json]"),
    ("searxng", "a robot check", WALL, DOWN, "another provider"),
    (
        "searxng",
        "a robot check with 200",
        Reply("<html>making sure you are not a bot</html>"),
        DOWN,
        "another provider",
    ),
    ("searxng", "a login", Reply("", 401), WRONG, "user:password@host"),
    (
        "searxng",
        "moved to https",
        Reply("", 301, {"Location": "https://127.0.0.1/search?q=x"}),
        WRONG,
        "https://127.0.0.1.",
    ),
    ("searxng", "sent elsewhere", Reply("", 302, {"Location": "https://www.example.com/"}), DOWN, "another provider"),
    ("searxng", "an error with 200", as_json({"error": "engine failed"}), DOWN, "doctor"),
    ("google", "an error with 200", as_json({"error": {"code": 500, "message": "Backend"}}), DOWN, "doctor"),
    ("searxng", "not there", Reply("<h1>nginx</h1>", 404), WRONG, "MCP_WEB_SEARXNG_URLS"),
    ("searxng", "its limiter", Reply("Too Many Requests", 429, {"Retry-After": "3600"}), LIMITED, "3600 s"),
    ("searxng", "a gateway", Reply("<h1>502</h1>", 502), DOWN, "doctor"),
    ("searxng", "a bad query", as_json({"error": "Invalid value"}, 400), DOWN, "Change"),
    ("tavily", "the key", as_json({"detail": {"error": "Unauthorized"}}, 401), WRONG, "TAVILY_API_KEY"),
    ("tavily", "a long query", as_json({"detail": {"error": "Query is too long."}}, 400), DOWN, "Change"),
    ("tavily", "validation", as_json({"detail": [{"loc": ["body"], "msg": "m"}]}, 422), DOWN, "Change"),
    ("tavily", "the rate", as_json({"detail": {"error": "Reduce rate."}}, 429, Retry_After="8"), LIMITED, "8 s"),
    ("tavily", "the plan", as_json({"detail": {"error": "Plan limit."}}, 432), LIMITED, "Raise the Tavily plan"),
    ("tavily", "the purse", as_json({"detail": {"error": "Paygo limit."}}, 433), LIMITED, "Raise the Tavily plan"),
    ("exa", "the key", as_json({"error": "No", "tag": "INVALID_API_KEY", "requestId": "r"}, 401), WRONG, "EXA_API_KEY"),
    ("exa", "the key, wrapped", as_json({"error": {"tag": "INVALID_API_KEY"}}, 401), WRONG, "EXA_API_KEY"),
    ("exa", "the credit", as_json({"error": "No", "tag": "NO_MORE_CREDITS"}, 402), LIMITED, "Top up"),
    ("exa", "the budget", as_json({"error": "No", "tag": "API_KEY_BUDGET_EXCEEDED"}, 402), LIMITED, "Top up"),
    ("exa", "the feature", as_json({"error": "No", "tag": "FEATURE_DISABLED"}, 403), WRONG, "EXA_API_KEY"),
    ("exa", "the query", as_json({"error": "No", "tag": "PROHIBITED_CONTENT"}, 403), DOWN, "Change"),
    ("exa", "the body", as_json({"error": "No", "tag": "INVALID_REQUEST_BODY"}, 400), DOWN, "Change"),
    (
        "exa",
        "the rate",
        as_json({"error": "10 a second", "tag": "RATE_LIMIT_EXCEEDED"}, 429),
        LIMITED,
        "another provider",
    ),
    ("serper", "the key", as_json({"message": "Unauthorized.", "statusCode": 403}, 403), WRONG, "SERPER_API_KEY"),
    ("serper", "the credit", as_json({"message": "Not enough credits", "statusCode": 400}, 400), LIMITED, "Top up"),
    ("serper", "the query", as_json({"message": "Missing query parameter"}, 400), DOWN, "Change"),
    ("serper", "the rate", as_json({"message": "Too many requests"}, 429), LIMITED, "another provider"),
]


@pytest.mark.parametrize(
    ("provider", "what", "reply", "kind", "advice"), REFUSALS, ids=[f"{case[0]}: {case[1]}" for case in REFUSALS]
)
async def test_a_refusal_is_what_it_is(
    miniweb: MiniWeb, provider: str, what: str, reply: Reply, kind: type[WebError], advice: str
) -> None:
    with pytest.raises(kind) as refused:
        await ask(miniweb, provider, reply)
    assert type(refused.value) is kind
    assert advice in refused.value.suggestion
    assert SECRET not in str(refused.value.as_dict())


EMPTY: list[tuple[str, Any]] = [
    ("brave", {"type": "search", "query": {"original": "q"}}),
    ("brave", {"type": "search", "query": None, "web": {"results": None}, "mixed": []}),
    ("google", {"searchInformation": {"totalResults": "0"}, "spelling": {"correctedQuery": "wombat"}}),
    ("searxng", {"results": [], "unresponsive_engines": [], "suggestions": ["wombat"]}),
    ("searxng", {"results": None}),
    ("tavily", {"results": []}),
    ("exa", {"results": []}),
    ("serper", {"organic": [], "relatedSearches": [{"query": "wombat"}]}),
]


@pytest.mark.parametrize(("provider", "body"), EMPTY)
async def test_nothing_found_is_an_answer_with_a_suggestion(miniweb: MiniWeb, provider: str, body: Any) -> None:
    found = await ask(miniweb, provider, as_json(body))
    assert found.hits == ()
    assert "No results" in (found.suggestion or "")
    if "wombat" in str(body):
        assert "wombat" in (found.suggestion or "")


SILENT = [
    [["g", "CAPTCHA"]],
    [["g", "暂停服务: 请求过于频繁"]],
    [["g", "Zugriff verweigert"]],
    [{"engine": "g", "reason": "timeout"}],
    ["g"],
]


@pytest.mark.parametrize("silent", SILENT)
async def test_an_empty_answer_names_the_engines_that_did_not_answer(miniweb: MiniWeb, silent: list[Any]) -> None:
    found = await ask(miniweb, "searxng", as_json({"results": [], "unresponsive_engines": silent}))
    assert found.hits == ()
    assert found.attempted[0].outcome == "empty"
    assert '"g" (' in found.notes[0]
    assert "did not answer" in (found.suggestion or "")


@pytest.mark.parametrize(("provider", "before"), [("exa", b"\xef\xbb\xbf"), ("searxng", b"\r\n  "), ("tavily", b"")])
async def test_json_is_read_however_it_begins(miniweb: MiniWeb, provider: str, before: bytes) -> None:
    answer = b'{"results": [{"title": "Caf\xe9 of knots", "url": "https://c.example/", "content": "c"}]}'
    (hit,) = (await ask(miniweb, provider, Reply(before + answer, 200, {"Content-Type": "text/html"}))).hits
    assert hit.title.endswith("of knots")


async def test_what_a_provider_says_beside_its_results_is_clean_too(miniweb: MiniWeb) -> None:
    brave = await ask(
        miniweb,
        "brave",
        as_json(
            {
                "query": {"original": "a", "altered": "b\n\u202ec"},
                "infobox": {"results": [{"long_desc": "<b>A</b>&amp;B\n\nC"}]},
            }
        ),
    )
    assert brave.answers == ("A&B C",)
    assert brave.notes == ('brave searched for "b c" instead.',)
    with pytest.raises(SearchUnavailable) as refused:
        await ask(miniweb, "searxng", as_json({"error": "no\n\n<b>\u202esuch</b> " + "word " * 200}, 400))
    assert '(400: "no such word word' in refused.value.message
    assert len(refused.value.message) < 400
    engines = [["go\nogle", "time\tout " + "x" * 500]]
    row = {"title": "T", "url": "https://t.example/", "engines": ["bad\nname", "y" * 500]}
    found = await ask(miniweb, "searxng", as_json({"results": [row], "unresponsive_engines": engines}))
    assert found.hits[0].engines[0] == "bad name"
    assert max(map(len, found.hits[0].engines)) <= 40
    assert found.notes[0].startswith('Engines that did not answer: "go ogle" ("time out xx')
    assert len(found.notes[0]) < 200


async def test_raw_answers_can_be_written_as_json_again(miniweb: MiniWeb) -> None:
    body = '{"a": 1e999, "b": NaN, "c": [-Infinity, 2.5], "results": [{"title": "T", "url": "https://t.example/"}]}'
    site = miniweb.site("tavily.example")
    site.route("/*", lambda request: Reply(body, 200, {"Content-Type": "application/json"}))
    made = searcher(keys={"tavily": "k"}, urls={"tavily": site.loopback_url("")})
    found = await made.search(SearchQuery("q"), "tavily", raw=True, deadline=soon())
    assert json.loads(json.dumps(found.raw["tavily"], allow_nan=False))["c"] == [None, 2.5]


@pytest.fixture
def everything_logged() -> Iterator[None]:
    trace.configure("debug")
    yield
    trace.configure("error")


@pytest.mark.parametrize("provider", KEYS)
async def test_no_line_of_the_log_holds_the_query(
    miniweb: MiniWeb,
    everything_logged: None,
    provider: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not even when the provider repeats it in its answer, its error or a web page."""
    caplog.set_level(0)
    echo = f"Invalid query: {SECRET}"
    error = {"code": "VALIDATION", "detail": echo, "message": echo, "meta": {"errors": [{"input": SECRET}]}}
    replies = [
        as_json({"error": error, "message": echo, "detail": {"error": echo}}, status) for status in (400, 422, 429, 500)
    ]
    replies += [
        Reply(f"<html>{echo}</html>", 503),
        as_json({"query": {"original": SECRET}, "results": []}),
        Reply(echo),
    ]
    for reply in replies:
        try:
            await ask(miniweb, provider, reply)
        except WebError:
            continue
    written = capfd.readouterr()
    logged = written.err + written.out + caplog.text
    assert "search_provider" in logged
    for word in SECRET.split():
        assert word not in logged
    for key in KEYS[provider].get("keys", {}).values():
        assert key not in logged
