"""robots.txt as sites really write it: small files, one question each, answered as RFC 9309 and Google's parser do."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mcp_web.errors import FetchFailed, RobotsDisallowed, WebError
from mcp_web.fetch.robots import MAX_BYTES, kept_text, parse_robots
from mcp_web.store.sqlite.store import SqliteStore
from miniweb import MiniWeb, Reply
from miniweb.server import Request, Wire

ALL = "User-agent: *\n"
OURS = "User-agent: mcp-web\n"

# Each file with the paths it allows and the paths it forbids.
GROUPS: list[tuple[str, str, list[str], list[str]]] = [
    ("our group alone counts", ALL + "Disallow: /a\n" + OURS + "Disallow: /b\n", ["/a"], ["/b"]),
    (
        "groups of one name are one",
        f"{OURS}Disallow: /a\n{ALL}Disallow: /c\n{OURS}Disallow: /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    (
        "groups for all are one",
        f"{ALL}Disallow: /a\nUser-agent: x\nDisallow: /x\n{ALL}Disallow: /b",
        ["/x"],
        ["/a", "/b"],
    ),
    ("one group may have many names", f"User-agent: a\n{OURS}User-agent: b\nDisallow: /x\n", ["/y"], ["/x"]),
    ("our name beside the star", f"{OURS}{ALL}Disallow: /x\n", ["/y"], ["/x"]),
    ("case of keys and names", "uSeR-AgEnT: MCP-Web\nDISALLOW: /x\n", ["/X"], ["/x"]),
    ("a version after the name", "User-agent: mcp-web/1.2\nDisallow: /x\n", [], ["/x"]),
    ("words after the name", "User-agent: mcp-web please\nDisallow: /x\n", [], ["/x"]),
    ("a longer name is another", "User-agent: mcp-web-news\nDisallow: /\n", ["/x"], []),
    ("a shorter name is another", "User-agent: mcp\nDisallow: /\n", ["/x"], []),
    ("a name that ends in ours is another", "User-agent: my-mcp-web\nDisallow: /\n", ["/x"], []),
    ("an empty name is nobody", "User-agent:\nDisallow: /\n", ["/x"], []),
    ("a star with words", "User-agent: * everyone\nDisallow: /x\n", [], ["/x"]),
    ("a star glued to words is nobody", "User-agent: *bot\nDisallow: /x\n", ["/x"], []),
    ("our empty group frees us", ALL + "Disallow: /\n\n" + OURS, ["/x"], []),
    ("our empty rule frees us", ALL + "Disallow: /\n\n" + OURS + "Disallow:\n", ["/x"], []),
    ("no group, no rule", "Disallow: /\n", ["/x"], []),
    ("nothing at all", "", ["/", "/x?y"], []),
    ("blank lines end nothing", OURS + "\n\n\nDisallow: /x\n\nDisallow: /y\n", [], ["/x", "/y"]),
    ("a sitemap ends nothing", OURS + "Sitemap: https://h/s.xml\nDisallow: /x\n", [], ["/x"]),
    ("an unknown key ends nothing", OURS + "Clean-param: ref /a\nUser-agent: b\nDisallow: /x\n", [], ["/x"]),
    ("a delay ends nothing", OURS + "Crawl-delay: 2\nUser-agent: b\nDisallow: /x\n", [], ["/x"]),
    ("a rule ends the names", "User-agent: a\nDisallow: /a\n" + OURS + "Disallow: /x\n", ["/a"], ["/x"]),
    ("an empty rule ends the names too", "User-agent: a\nDisallow:\n" + OURS + "Disallow: /x\n", [], ["/x"]),
]
SYNTAX: list[tuple[str, str, list[str], list[str]]] = [
    ("spaces everywhere", "  User-agent :  * \n\tDisallow\t:\t/x\t\n", ["/y"], ["/x"]),
    ("no colon", "User-agent *\nDisallow /x\n", ["/y"], ["/x"]),
    ("no colon and three words is no rule", ALL + "Disallow /x /y\n", ["/x", "/y"], []),
    ("a comment after a rule", ALL + "Disallow: /x # not this\n", ["/y"], ["/x"]),
    ("a comment instead of a value", ALL + "Disallow: # nothing\n", ["/x"], []),
    ("a comment line between", "User-agent: *\n# Disallow: /y\nDisallow: /x", ["/y"], ["/x"]),
    ("a hash is never part of a path", ALL + "Disallow: /x#y\n", [], ["/x", "/xz"]),
    ("carriage returns alone", "User-agent: *\rDisallow: /x\rAllow: /x/y\r", ["/x/y"], ["/x"]),
    ("mixed line ends", "User-agent: *\r\n\rDisallow: /x\n\r\nDisallow: /y", [], ["/x", "/y"]),
    ("no last line end", ALL + "Disallow: /x", [], ["/x"]),
    ("a mark at the start", "\ufeff" + ALL + "Disallow: /x", [], ["/x"]),
    ("a mark inside is no mark", ALL + "\ufeffDisallow: /x", ["/x"], []),
    ("misspelt", ALL + "Dissallow: /a\nDisalow: /b\nDiasllow: /c\nDisallaw: /d\n", [], ["/a", "/b", "/c", "/d"]),
    ("longer keys", ALL + "Disallowed: /x\nAllowed: /x/y\n", ["/x/y"], ["/x"]),
    ("other spellings of the agent", "Useragent: *\nDisallow: /x\nUser agent: mcp-web\nDisallow: /y\n", ["/x"], ["/y"]),
    ("a key from elsewhere", ALL + "Noindex: /x\nNoarchive: /x\nHost: h\n", ["/x"], []),
    ("a page instead of rules", "<!doctype html><html><body><h1>Not found</h1></body></html>", ["/x"], []),
    ("a page that talks of rules", "<p>User-agent: *</p>\n<p>Disallow: /</p>", ["/x"], []),
    ("noughts in the text", ALL + "Dis\0allow: /\nDisallow: /x\0y\n", ["/x"], []),
    ("a value that is only spaces", ALL + "Disallow:    \n", ["/x"], []),
    ("a colon in the path", ALL + "Disallow: /a:b\n", ["/a"], ["/a:b"]),
]
MATCHING: list[tuple[str, str, list[str], list[str]]] = [
    (
        "a rule is a beginning",
        "/fish",
        ["/Fish", "/catfish", "/?id=fish"],
        ["/fish", "/fish.html", "/fish/x", "/fishheads"],
    ),
    ("a folder is no file", "/fish/", ["/fish", "/fish.html"], ["/fish/", "/fish/?id=1", "/fish/x"]),
    ("a star at the end changes nothing", "/fish*", ["/Fish"], ["/fish", "/fishy"]),
    ("a star is any run, the empty one too", "/a*b", ["/a", "/ac"], ["/ab", "/acb", "/a/x/b", "/abc"]),
    ("two stars", "/a*b*c", ["/acb", "/abb"], ["/abc", "/axbxc", "/a/b/c/d"]),
    ("many stars are one", "/a***b", ["/a"], ["/ab", "/axb"]),
    ("an ending", "/*.php$", ["/x.php?y", "/x.php5", "/x.php/", "/"], ["/x.php", "/a/b.php"]),
    ("no ending", "/*.php", ["/x.PHP"], ["/x.php", "/x.php?y", "/a.php5"]),
    ("only the front page", "/$", ["/x", "/?x"], ["/"]),
    ("a dollar inside is a dollar", "/a$b", ["/ab", "/a"], ["/a$b", "/a$bc"]),
    ("a dollar that is meant", "/a%24", ["/a"], ["/a$", "/a$b"]),
    ("a star that is meant", "/a%2Ab", ["/axb", "/ab"], ["/a*b"]),
    ("a star alone", "*", [], ["/", "/x"]),
    ("a star and an end", "*.gif$", ["/x.gif?y"], ["/x.gif"]),
    ("no slash in front is never met", "fish", ["/fish"], []),
    ("any query", "/*?", ["/x"], ["/x?y", "/?"]),
    ("a parameter", "/*?*sort=", ["/x?page=1"], ["/x?sort=a", "/x?page=1&sort=a"]),
    ("a path parameter", "/*;jsessionid", ["/x"], ["/x;jsessionid=1"]),
    ("two slashes", "//a", ["/a", "/b//a"], ["//a", "//a/b"]),
    ("a whole address is never met", "https://h.example/x", ["/x"], []),
    ("everything", "/", [], ["/", "/x", "/?q", "//x"]),
]
ENCODING: list[tuple[str, str, list[str], list[str]]] = [
    ("lower and upper hex", "/a%3cd.html", [], ["/a%3Cd.html", "/a%3cd.html"]),
    ("a tilde", "/%7ejoe/", [], ["/~joe/x", "/%7Ejoe/x", "/%7ejoe/x"]),
    ("a tilde the other way", "/~joe/", [], ["/%7Ejoe/x"]),
    ("letters", "/private", ["/public"], ["/%70rivate", "/priv%61te/x"]),
    ("letters the other way", "/%70rivate", [], ["/private/x"]),
    ("an encoded slash is none", "/a%2Fb", ["/a/b"], ["/a%2fb.html", "/a%2Fb"]),
    ("a slash is no encoded one", "/a/b", ["/a%2Fb"], ["/a/b"]),
    ("other scripts", "/\u30c4", ["/%E3%83"], ["/%E3%83%84", "/%e3%83%84x"]),
    ("other scripts encoded", "/%e3%83%84", [], ["/%E3%83%84"]),
    ("accents", "/caf\u00e9", ["/cafe"], ["/caf%C3%A9", "/caf%c3%a9/x"]),
    ("spaces", "/a b", ["/a+b"], ["/a%20b"]),
    ("quotes", "/a\"b'c", [], ["/a%22b'c", "/a%22b%27c"]),
    ("a query keeps its encoding", "/s?u=http://h", ["/s?u=http%3A%2F%2Fh"], ["/s?u=http://h"]),
    ("a percent sign that is none", "/100%", ["/100"], ["/100%25", "/100%"][1:]),
]
PRECEDENCE: list[tuple[str, str, list[str], list[str]]] = [
    ("the longer one", "Disallow: /a\nAllow: /a/b\n", ["/a/b", "/a/bc"], ["/a", "/a/c"]),
    ("whatever the order", "Allow: /a/b\nDisallow: /a\n", ["/a/b"], ["/a/c"]),
    ("a tie allows", "Disallow: /a\nAllow: /a\n", ["/a"], []),
    ("stars count as length", "Allow: /p\nDisallow: /*.x\n", [], ["/p.x"]),
    ("an end counts as length", "Allow: /$\nDisallow: /\n", ["/"], ["/x"]),
    (
        "a longer one that does not match is nothing",
        "Disallow: /a/longer/rule\nAllow: /a\n",
        ["/a/l"],
        ["/a/longer/rule"],
    ),
    ("forbidden inside allowed inside forbidden", "Disallow: /\nAllow: /a\nDisallow: /a/b\n", ["/a/c"], ["/b", "/a/b"]),
    ("an index page", "Disallow: /\nAllow: /d/index.html\n", ["/d/", "/d/index.html"], ["/d/x", "/d"]),
    ("a shorter index page", "Disallow: /\nAllow: /d/index.htm\n", ["/d/", "/d/index.htm"], ["/d/x"]),
    ("an empty allow is nothing", "Disallow: /a\nAllow:\n", ["/b"], ["/a"]),
]
CASES = [
    *((f"group: {what}", file, yes, no) for what, file, yes, no in GROUPS),
    *((f"syntax: {what}", file, yes, no) for what, file, yes, no in SYNTAX),
    *((f"match: {what}", f"{ALL}Disallow: {rule}\n", yes, no) for what, rule, yes, no in MATCHING),
    *((f"encoding: {what}", f"{ALL}Disallow: {rule}\n", yes, no) for what, rule, yes, no in ENCODING),
    *((f"precedence: {what}", ALL + rules, yes, no) for what, rules, yes, no in PRECEDENCE),
]


def asked(file: str | bytes, paths: list[str]) -> dict[str, bool]:
    robots = parse_robots(file)
    return {path: robots.allows("mcp-web", f"https://h.example{path}") for path in paths}


@pytest.mark.parametrize(("what", "file", "yes", "no"), CASES, ids=[case[0] for case in CASES])
def test_a_small_file(what: str, file: str, yes: list[str], no: list[str]) -> None:
    assert asked(file, yes) == dict.fromkeys(yes, True)
    assert asked(file, no) == dict.fromkeys(no, False)


@pytest.mark.parametrize(("what", "file", "yes", "no"), CASES, ids=[case[0] for case in CASES])
def test_a_file_says_the_same_after_it_was_kept(what: str, file: str, yes: list[str], no: list[str]) -> None:
    kept = kept_text(file.encode())
    assert json.loads(json.dumps(kept)) == kept
    assert kept.isascii()
    if "\0" not in file:
        assert asked(kept, [*yes, *no]) == asked(file, [*yes, *no])


def test_a_file_in_another_encoding_keeps_its_rules() -> None:
    file = ALL.encode() + b"Disallow: /caf\xe9\n"
    for body in (file, kept_text(file)):
        assert asked(body, ["/caf%E9", "/caf%C3%A9"]) == {"/caf%E9": False, "/caf%C3%A9": True}


def test_a_rule_that_the_ceiling_cuts_is_no_rule() -> None:
    rule = b"Disallow: /only/this/folder\n"
    before = ALL.encode() + b"Disallow: /first\n"
    for kept in range(1, len(rule)):
        filler = b"#" * (MAX_BYTES - len(before) - kept - 1) + b"\n"
        file = before + filler + rule + b"Disallow: /\n"
        assert asked(file, ["/first", "/", "/on", "/only/this/folder"]) == {
            **dict.fromkeys(["/", "/on", "/only/this/folder"], True),
            "/first": False,
        }


FILE = f"{ALL}Disallow: /no\n"


async def may(web: MiniWeb, path: str) -> WebError | None:
    web.site("h.example").route("/no*", lambda request: Reply("page"))
    web.site("h.example").route("/yes*", lambda request: Reply("page"))
    try:
        await web.fetcher().get(f"https://h.example{path}")
    except WebError as error:
        return error
    return None


@pytest.mark.anyio
@pytest.mark.parametrize(
    "reply",
    [
        Reply(FILE, headers={"Content-Type": "text/plain; charset=iso-8859-1"}),
        Reply(FILE, headers={"Content-Type": "text/html"}),
        Reply(FILE, headers={"Content-Type": "application/octet-stream"}),
        Reply(FILE, headers={"Content-Type": ""}),
        Reply(gzip.compress(FILE.encode()), headers={"Content-Encoding": "gzip"}),
        Reply(b"\xef\xbb\xbf" + FILE.encode()),
        Reply(FILE, 203),
        Reply(FILE, 206),
        Reply(FILE.replace("\n", "\r")),
    ],
    ids=["latin", "html", "binary", "untyped", "gzip", "mark", "203", "206", "returns"],
)
async def test_a_file_is_read_however_it_is_sent(miniweb: MiniWeb, reply: Reply) -> None:
    miniweb.site("h.example").route("/robots.txt", lambda request: reply)
    assert isinstance(await may(miniweb, "/no"), RobotsDisallowed)
    assert await may(miniweb, "/yes") is None


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["/%6Eo", "/no?x=1", "/./no", "/x/../no", "/n%6f/"])
async def test_no_spelling_of_a_page_gets_past_its_rule(miniweb: MiniWeb, path: str) -> None:
    miniweb.site("h.example").robots(FILE)
    assert isinstance(await may(miniweb, path), RobotsDisallowed)


@pytest.mark.anyio
async def test_the_path_is_taken_whole_when_it_begins_with_two_slashes(miniweb: MiniWeb) -> None:
    site = miniweb.site("h.example")
    site.robots(f"{ALL}Disallow: //no\nDisallow: /inner\n")
    site.route("/*", lambda request: Reply(f"{ALL}Disallow: //no\n" if request.path == "/robots.txt" else "page"))
    assert isinstance(await may(miniweb, "//no/x"), RobotsDisallowed)
    assert await may(miniweb, "//yes/inner") is None


@pytest.mark.anyio
@pytest.mark.parametrize("hops", range(8))
async def test_five_redirects_are_followed_and_more_count_as_no_file(miniweb: MiniWeb, hops: int) -> None:
    site = miniweb.site("h.example")
    places = ["/robots.txt", *(f"/r{hop}" for hop in range(1, hops + 1))]
    for at, place in enumerate(places[:-1]):
        site.redirect(place, places[at + 1], status=(301, 302, 303, 307, 308)[at % 5])
    site.page(places[-1], FILE)
    assert isinstance(await may(miniweb, "/no"), RobotsDisallowed) == (hops <= 5)


@pytest.mark.anyio
@pytest.mark.parametrize(("status", "closed"), [(404, False), (410, False), (403, True), (500, True), (200, True)])
async def test_what_a_redirect_leads_to_decides(miniweb: MiniWeb, status: int, closed: bool) -> None:
    miniweb.site("h.example").redirect("/robots.txt", "https://other.example/rules")
    miniweb.site("other.example").page("/rules", FILE, status=status)
    assert isinstance(await may(miniweb, "/no"), RobotsDisallowed) == closed


@pytest.mark.anyio
async def test_a_file_that_breaks_off_is_no_permission(miniweb: MiniWeb) -> None:
    async def breaks_off(request: Request, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\nDisallow: /a\n")

    site = miniweb.site("h.example")
    site.behave("/robots.txt", breaks_off)
    error = await may(miniweb, "/yes")
    assert isinstance(error, FetchFailed)
    assert "closed the connection in the middle of its robots.txt" in error.message
    assert site.asked("/yes") == []


@pytest.mark.anyio
async def test_another_process_keeps_to_the_same_rules(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("h.example")
    site.page("/robots.txt", b"\xef\xbb\xbfUser-agent: *\nDisallow: /caf\xe9\nDisallow: /\xe3\x83\x84\n# \0\n")
    site.route("/yes", lambda request: Reply("page"))
    notes = await SqliteStore.open(tmp_path / "s.sqlite")
    for _ in range(2):
        fetcher = miniweb.fetcher(notes=notes)
        assert (await fetcher.get(site.url("/yes"))).body == b"page"
        for path in ("/caf%e9", "/%E3%83%84"):
            with pytest.raises(RobotsDisallowed):
                await fetcher.get(site.url(path))
    await notes.close()
    assert len(site.asked("/robots.txt")) == 1
