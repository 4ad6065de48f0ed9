"""The command line as a person uses it: whole pages, links, empty states said, exit codes that tell failure."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

import mcp_web
from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article, searxng, searxng_answer
from embed.embedding_server import EmbeddingServer
from mcp_web.cli.wording import for_person
from miniweb import MiniWeb, Site
from miniweb.server import Reply, Request
from surface.rpc import WAIT, clean_environment
from surface.test_cli import Shell
from surface.test_hostile import read_terminal


@pytest.fixture
def docs(miniweb: MiniWeb) -> Site:
    site = miniweb.site("docs.example")
    for number in range(12):
        site.page(f"/p{number}", article(f"Page {number}", "Setup", say=f"of page {number} has enough words to count"))
    site.page("/linked", article("Linked", "Setup", say='is told in <a href="/p1">the first page</a> at length'))
    site.page("/empty", "<html><body></body></html>")
    site.page("/markup", article("[/nope] [link=http://evil.example]x", "Setup"))
    return site


@pytest.fixture
def shell(docs: Site, tmp_path: Path) -> Shell:
    return Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_EMBEDDINGS="none")


def test_several_pages_come_whole_with_separators_on_stdout(shell: Shell, docs: Site) -> None:
    urls = [docs.loopback_url(f"/p{number}") for number in range(12)]
    printed = shell.run("open", *urls).stdout
    for number, url in enumerate(urls):
        assert f"title: Page {number}\nsource: {url}\nfetched_at: " in printed
        assert printed.count(f"Setup of page {number} has enough words to count") == 12


def test_several_pages_come_whole_as_json_too(shell: Shell, docs: Site) -> None:
    for name in "ab":
        docs.page(f"/long-{name}", article(name, *(f"Part {number}" for number in range(300))))
    urls = [docs.loopback_url(path) for path in ("/long-a", "/long-b", "/gone")]
    answer = shell.json("open", *urls, code=1)
    *whole, gone = answer["pages"]
    assert [len(page["content"]) > 100_000 and not page["truncated"] for page in whole] == [True, True]
    assert gone["error"]["code"] == "HTTP_ERROR"
    assert (answer["opened"], answer["failed"]) == (2, 1)
    assert shell.json("open", docs.loopback_url("/empty"), code=3)["content"] == ""


def test_a_note_on_one_of_several_pages_names_it(shell: Shell, docs: Site) -> None:
    one, two = (docs.loopback_url(path) for path in ("/p1", "/linked"))
    said = shell.run("open", one, two, "--max-chars", "50").stderr
    assert [line.split(" Characters ")[0] for line in said.splitlines()] == [f"note: {one}:", f"note: {two}:"]
    assert shell.run("open", one, "--max-chars", "50").stderr.startswith("note: Characters ")


def test_a_kept_page_is_shown_whole(shell: Shell, docs: Site) -> None:
    docs.page("/long", article("Long", *(f"Part {number}" for number in range(300))))
    url = docs.loopback_url("/long")
    opened = shell.run("open", url).stdout
    for command in (["archive", "show"], ["cache", "get"]):
        shown = shell.run(*command, url)
        assert (shown.stdout, shown.stderr) == (opened, "")
        kept = shell.json(*command, url)
        assert not kept["truncated"]
        assert len(kept["versions"]) == 1
    assert "--start" in shell.run("cache", "get", url, "--max-chars", "500").stderr
    start = opened.index("## Part 7\n")
    note = shell.run("cache", "get", url, "--section", "Part 7", "--max-chars", "30").stderr
    assert f"Characters {start:,} to " in note
    assert len(shell.json("cache", "get", url, "--max-chars", "500")["content"]) <= 500


def test_a_whole_page_as_json_has_every_link_and_heading(shell: Shell, docs: Site) -> None:
    def part(number: int) -> str:
        links = "".join(f'<a href="/{number}-{at}">link {at} of part {number}</a> and some words, ' for at in range(3))
        return f"<h2>Part {number}</h2><p>{links}{'which are explained here. ' * 5}</p>"

    body = "".join(part(number) for number in range(100))
    docs.page("/many", f"<html><title>Many</title><body><main><h1>Many</h1>{body}</main></body></html>")
    url = docs.loopback_url("/many")
    opened, kept = shell.json("open", url), shell.json("archive", "show", url)
    for page in (opened, kept):
        assert len(page["links"]) == 300
        assert "[link 2 of part 99][300]" in page["content"]
        assert len(page["outline"]) == 101


def test_addresses_can_come_from_standard_input(shell: Shell, docs: Site) -> None:
    lines = f"{docs.loopback_url('/p1')}\n\n{docs.loopback_url('/p2')}\n"
    printed = shell.run("open", "-", stdin=lines).stdout
    assert "# Page 1" in printed
    assert "# Page 2" in printed
    assert "no address" in shell.run("open", "-", stdin="", code=2).stderr


def test_max_chars_and_start_show_a_part_and_say_how_to_go_on(shell: Shell, docs: Site) -> None:
    url = docs.loopback_url("/p1")
    first = shell.run("open", url, "--max-chars", "200")
    assert len(first.stdout) <= 201
    assert "--start" in first.stderr
    whole = shell.run("open", url).stdout
    assert len(whole) > 500


def test_links_are_whole_on_a_pipe(shell: Shell, docs: Site) -> None:
    printed = shell.run("open", docs.loopback_url("/linked")).stdout
    assert f"[the first page]({docs.loopback_url('/p1')})" in printed
    assert docs.loopback_url("/p1") not in shell.run("open", docs.loopback_url("/linked"), "--no-links").stdout


def test_a_page_that_fails_beside_others_is_named_and_the_exit_code_tells(shell: Shell, docs: Site) -> None:
    done = shell.run("open", docs.loopback_url("/p1"), docs.loopback_url("/gone"), code=1)
    assert "# Page 1" in done.stdout
    assert docs.loopback_url("/gone") in done.stderr
    assert "404" in done.stderr


def test_an_empty_page_is_told_apart_from_a_page(shell: Shell, docs: Site) -> None:
    assert "has no text" in shell.run("open", docs.loopback_url("/empty"), code=3).stderr


def test_content_of_results_is_shown_to_people_too(miniweb: MiniWeb, docs: Site, tmp_path: Path) -> None:
    instance = searxng(miniweb, searxng_answer(docs.loopback_url("/p3"), docs.loopback_url("/gone")))
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_SEARXNG_URLS=instance.url(),
                  MCP_WEB_EMBEDDINGS="none", MCP_WEB_DDGS_ENABLED="false")  # fmt: skip
    printed = shell.run("search", "setup", "--content", "--provider", "searxng").stdout
    assert "Setup of page 3 has enough words" in printed
    assert "not read:" in printed


def test_content_that_is_cut_ends_at_a_line_with_its_fence_and_the_command_for_the_rest(
    miniweb: MiniWeb, docs: Site, tmp_path: Path
) -> None:
    code = "\n".join(f"value_{number} = measure('gauge {number}')" for number in range(200))
    listing = f'is told in <a href="/p1">the first page</a> at length</p><pre><code>{code}</code></pre><p>the end'
    docs.page("/listing", article("Listing", "Setup", say=listing))
    url = docs.loopback_url("/listing")
    instance = searxng(miniweb, searxng_answer(url, docs.loopback_url("/p3")))
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_SEARXNG_URLS=instance.url(), **OFFLINE)
    search = ("search", "setup", "--content", "--provider", "searxng")
    printed = shell.run(*search).stdout
    *_, last, fence, blank, more = printed.partition("\n\n2. ")[0].rstrip().split("\n")
    assert re.fullmatch(r"value_(\d+) = measure\('gauge \1'\)", last), "cut inside a line"
    assert (fence, blank) == ("```", "")
    assert (told := re.fullmatch(rf"… more: mcp-web open {re.escape(url)} (--start \d+)", more))
    number = int(last.split()[0].removeprefix("value_"))
    assert shell.run("open", url, *told[1].split()).stdout.startswith(f"value_{number + 1} = ")
    assert printed.count("… more:") == 1, "the short page is whole"
    seen = "\n".join(lines_of(at_terminal(shell, *search)))
    assert "[the first page]" not in seen
    assert "[1]: " not in seen
    part = "\n".join(lines_of(at_terminal(shell, "open", url, "--max-chars", "1000")))
    assert "[1]: " not in part, "the list of links is inside the code"


def test_files_and_folders_are_extracted_and_binary_files_are_refused(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "one.html").write_text(article("First", "Setup"))
    (folder / "two.html").write_text(article("Second", "Setup"))
    (folder / "noise.bin").write_bytes(bytes(range(256)) * 50)
    printed = shell.run("extract", str(folder)).stdout
    assert printed.index("# First") < printed.index("# Second")
    done = shell.run("extract", str(folder / "one.html"), str(folder / "noise.bin"), code=1)
    assert "# First" in done.stdout
    assert "noise.bin" in done.stderr
    answer = shell.json("extract", str(folder / "one.html"), str(folder / "noise.bin"), code=1)
    assert [file.get("title") for file in answer["files"]] == ["First", None]
    assert answer["files"][1]["error"]["code"] == "UNSUPPORTED_CONTENT"
    (folder / "empty.html").write_text("")
    assert "empty.html has no text" in shell.run("extract", str(folder / "empty.html"), code=3).stderr
    (tmp_path / "bare").mkdir()
    assert "no file that can be read" in shell.run("extract", str(tmp_path / "bare"), code=3).stderr
    assert shell.json("extract", str(tmp_path / "bare"), code=3) == {"files": []}


def test_kept_documents_are_listed_shown_and_removed_after_a_dry_run(shell: Shell, docs: Site) -> None:
    shell.run("archive", "add", docs.loopback_url("/p1"), "--tag", "manual")
    shell.run("archive", "add", "A saved thought about setup.", "--title", "Thought", "--tag", "notes")
    rows = shell.json("archive", "list")
    assert {row["title"] for row in rows} == {"Page 1", "Thought"}
    thought = next(row["id"] for row in rows if row["title"] == "Thought")
    assert "A saved thought" in shell.run("archive", "show", thought).stdout

    plan = shell.run("archive", "remove", "--collection", "manual")
    assert "would be deleted" in plan.stderr
    assert len(shell.json("archive", "list")) == 2
    shell.run("archive", "remove", "--collection", "manual", "--yes")
    shell.run("archive", "remove", thought, "--yes")
    assert shell.json("archive", "list") == []
    assert "Nothing kept matches" in shell.run("archive", "remove", "--below", "https://x.example/", code=3).stderr


def test_a_page_is_cited_as_text_bibtex_and_csl_with_the_day_it_was_read(shell: Shell, docs: Site) -> None:
    url = docs.loopback_url("/essay")
    head = '<title>On Setup</title><meta name="author" content="Ann Lee"><meta name="date" content="2024-03-02">'
    docs.page("/essay", f"<html><head>{head}</head><body><article><p>{'Words count. ' * 60}</p></article>")
    today = time.strftime("%Y-%m-%d", time.gmtime())
    line = shell.run("cite", url).stdout
    assert line == f"Ann Lee (2024-03-02). On Setup. {url} (read on {today})\n"
    docs.page("/essay", "<title>Other</title>")
    id_ = shell.json("archive", "list")[0]["id"]
    assert shell.run("cite", id_).stdout == line, "the copy that was read is cited"
    entry = shell.run("cite", url, "--bibtex").stdout
    assert entry.startswith("@online{lee2024setup,\n")
    assert f"urldate = {{{today}}}" in entry
    (item,) = shell.json("cite", url)
    assert (item["title"], item["URL"]) == ("On Setup", url)
    assert item["abstract"].startswith("Words count."), "a page without a description has its summary"
    assert "--bibtex and --json" in shell.run("cite", url, "--bibtex", "--json", code=2).stderr
    shell.run("cite", "deadbeef", code=3)


def test_a_source_that_cannot_be_cited_is_named_beside_the_citations_of_the_others(shell: Shell, docs: Site) -> None:
    first, gone, last = map(docs.loopback_url, ("/p1", "/gone", "/p2"))
    done = shell.run("cite", first, gone, last, code=1)
    assert [line.partition(".")[0] for line in done.stdout.splitlines()] == ["Page 1", "Page 2"]
    assert done.stderr.startswith(f"{gone} answered 404 Not Found.")
    assert len(shell.json("cite", gone, first, code=1)) == 1


@pytest.mark.parametrize("origin", ["imported", "added"])
def test_a_title_cannot_control_the_terminal(shell: Shell, tmp_path: Path, origin: str) -> None:
    title = "On \x1b[31mred wheels"
    (tmp_path / "refs.json").write_text(json.dumps([{"id": "a", "title": title, "URL": "https://a.example/"}]))
    if origin == "imported":
        shell.run("archive", "import", str(tmp_path / "refs.json"))
    else:
        shell.run("archive", "add", "Words on wheels.", "--title", title)
    (kept,) = shell.json("archive", "list")
    found = ("archive", "search", "wheels", "--mode", "text")
    for command in (("cite", kept["id"]), ("cite", kept["id"], "--bibtex"), ("archive", "show", kept["id"]), found):
        printed = at_terminal(shell, *command)
        assert "wheels" in printed
        assert "\x1b[31m" not in printed
    assert "\x1b[31mred" not in at_terminal(shell, "archive", "list")
    assert origin == "imported" or kept["title"] == "On red wheels"


def test_the_json_of_a_citation_stays_valid_with_any_line_separator(shell: Shell, tmp_path: Path) -> None:
    abstract = "One\u2028line\x85and another."
    file = tmp_path / "list.json"
    file.write_text(json.dumps([{"id": "k", "title": "On Lines", "abstract": abstract}]))
    shell.run("archive", "import", str(file), "--format", "csl")
    (item,) = shell.json("cite", shell.json("archive", "list")[0]["id"])
    assert item["abstract"] == abstract


def test_how_the_content_was_chosen_is_shown_for_an_empty_page_too(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "empty.html"
    file.write_text("<title>Nothing</title><main></main>")
    shown = shell.run("extract", str(file), "--explain", code=3).stderr
    assert '"method": ' in shown
    assert "has no text" in shown


def test_excluded_files_and_pages_are_left_out(shell: Shell, docs: Site, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "drafts").mkdir(parents=True)
    (folder / "good.md").write_text("# Good\n\nText that stays.")
    (folder / "drafts" / "bad.md").write_text("# Bad\n\nText that does not.")
    assert shell.json("archive", "sync", str(folder), "--exclude", "drafts/*")["added"] == 1
    docs.page(
        "/", f'<main><h1>All</h1><p>{"Words that count. " * 20}</p><a href="/p1">1</a> <a href="/p2">2</a></main>'
    )
    report = shell.json("archive", "crawl", docs.loopback_url("/"), "--exclude", "p2")
    assert report["pages"] == 2


def test_a_crawl_in_which_every_page_failed_is_a_failure(shell: Shell, docs: Site) -> None:
    url = docs.loopback_url("/nowhere/")
    assert shell.run("archive", "crawl", url, code=1).stderr == f"{url} answered 404 Not Found.\n"
    assert shell.json("archive", "crawl", url, code=1)["pages"] == 1


def test_watched_pages_are_one_json_object_a_line(shell: Shell, docs: Site) -> None:
    urls = [docs.loopback_url("/p1"), docs.loopback_url("/p2")]
    lines = shell.run("watch", *urls, "--json").stdout.splitlines()
    assert [json.loads(line)["url"] for line in lines] == urls


def test_a_feed_remembers_earlier_changes(shell: Shell, docs: Site, tmp_path: Path) -> None:
    feed = tmp_path / "changes.xml"
    feed.write_bytes(b"no feed, and no UTF-8: \xff")
    shell.run("watch", docs.loopback_url("/p1"), "--feed", str(feed))
    assert feed.read_text().count("<entry>") == 1
    shell.run("watch", "--feed", str(feed))
    assert feed.read_text().count("<entry>") == 1
    docs.page("/p1", article("Page 1", "Setup", say="changed its words for others"))
    shell.run("watch", "--feed", str(feed))
    assert feed.read_text().count("<entry>") == 2


@pytest.mark.parametrize(
    ("args", "said", "code"),
    [
        (["archive", "search", "nothing", "--mode", "text"], "Nothing kept matches", 3),
        (["archive", "collections"], "no collections yet", 0),
        (["archive", "graph", "nothing"], "no graph to draw", 3),
        (["archive", "list"], "Nothing is kept yet", 0),
        (["archive", "list", "--collection", "nothing"], "Nothing kept matches", 3),
        (["cache", "list"], "Nothing is kept yet", 0),
        (["history"], "No searches are kept", 0),
        (["watch", "--list"], "Nothing is watched", 0),
        (["token", "list"], "There are no tokens", 0),
        (["tenant", "shares"], "Nothing is shared", 0),
        (["config", "zzzz"], "No setting matches", 3),
        (["cache", "get", "deadbeef"], "Nothing that is kept", 3),
        (["archive", "remove", "deadbeef"], "Nothing that is kept", 3),
        (["archive", "remove", "--collection", "nothing"], "Nothing kept matches", 3),
        (["verify", "deadbeef", "a quote"], "Nothing that is kept", 3),
        (["token", "revoke", "nobody"], "There is no token", 3),
        (["watch", "--remove", "https://never.example/"], "was not watched", 3),
    ],
)
def test_an_empty_list_is_a_success_but_a_name_or_query_without_an_answer_is_not(
    shell: Shell, args: list[str], said: str, code: int
) -> None:
    """With --json too, where the command has it."""
    assert said in shell.run(*args, code=code).stderr
    if args[:2] not in (["archive", "graph"], ["token", "revoke"]):
        shell.run(*args, "--json", code=code)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["open", "FILE"], "`mcp-web extract FILE` reads files"),
        (["archive", "add", "FILE"], "FILE is a file."),
        (["search", " "], "'QUERY...': it is empty."),
        (["archive", "search", ""], "'QUERY...': it is empty."),
        (["read", "https://e.example/", ""], "'QUESTION...': it is empty."),
        (["open", "https://e.example/", "--max-age", "-1"], "--max-age"),
        (["watch", "--every", "-1"], "--every"),
        (["cache", "purge", "--keep-newest", "-1"], "--keep-newest"),
        (["archive", "crawl", "https://e.example/", "--max-pages", "0"], "--max-pages"),
        (["siteconfig", "test", "BLOB", "FILE"], "is not UTF-8 text"),
        (["watch", "--feed", "/nonexistent/feed.xml"], "No such file or directory"),
    ],
)
def test_a_mistake_is_said_in_the_words_of_the_command_line(
    shell: Shell, tmp_path: Path, args: list[str], said: str
) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>Words.</p>")
    blob = tmp_path / "blob"
    blob.write_bytes(b"\xff\xfe\xfb")
    done = shell.run(*(arg.replace("FILE", str(file)).replace("BLOB", str(blob)) for arg in args), code=2)
    assert said.replace("FILE", str(file)) in done.stderr


def test_an_export_or_import_of_nothing_says_so(shell: Shell, tmp_path: Path) -> None:
    shell.run("archive", "add", "A saved thought. " * 1000, "--title", "Thought")
    file = tmp_path / "out.jsonl"
    file.write_text("kept")
    missed = shell.run("archive", "export", str(file), "--collection", "typo", code=3)
    assert "No document is in the collection" in missed.stderr
    assert file.read_text() == "kept"
    file.write_text("")
    assert "0 documents" in shell.run("archive", "import", str(file), code=3).stdout
    file.write_text("{\n" * 30)
    refused = shell.run("archive", "import", str(file), code=1).stderr
    assert "line 1: It is not JSON." in refused
    assert "10 more failed" in refused


def test_a_call_that_has_to_be_changed_is_wrong_usage(shell: Shell, docs: Site) -> None:
    shell.run("open", "https://", code=2)
    wrong = shell.run("archive", "search", "x", "--since", "yesterday", code=2)
    assert "the parameter named in the message" not in wrong.stderr
    shell.run("open", docs.loopback_url("/p1"), "--selector", ".nowhere", code=2)
    assert "Setup" in shell.run("open", docs.loopback_url("/p1"), "--section", "Nowhere", code=2).stderr
    both = shell.run("open", docs.loopback_url("/p1"), docs.loopback_url("/linked"), "--section", "Nowhere", code=1)
    assert both.stderr.count("Nowhere") == 2


def test_messages_speak_to_a_person(shell: Shell, docs: Site) -> None:
    said = shell.run("open", docs.loopback_url("/p1"), "--mode", "rendered", code=1).stderr
    assert "--mode readable" in said
    assert "operator" not in said
    kept = shell.run("cache", "get", "https://never.example/page", code=3).stderr
    assert "`mcp-web open https://never.example/page`" in kept
    shell.run("open", docs.loopback_url("/p1"))
    assert "`mcp-web cache diff` then shows" in shell.run("cache", "diff", docs.loopback_url("/p1"), code=3).stderr
    assert "`mcp-web archive list` shows" in shell.run("archive", "show", "deadbeef", code=3).stderr
    unknown = shell.run("archive", "remove", "https://never.example/page", code=3).stderr
    assert unknown == "mcp-web: No copy of https://never.example/page is kept. Nothing was deleted.\n"


def test_what_an_operator_does_is_said_as_an_instruction(tmp_path: Path) -> None:
    said = Shell(tmp_path, **OFFLINE).run("search", "anything", code=1).stderr
    assert "Set up a provider; `mcp-web doctor` says what each one lacks." in said


def test_an_example_configuration_can_be_read_back(shell: Shell, tmp_path: Path) -> None:
    import tomllib

    text = shell.run("config", "--example").stdout
    assert tomllib.loads(text)
    settings = [line[2:] for line in text.splitlines() if line.startswith("# ") and " = " in line and "`" not in line]
    assert len(settings) > 20


@pytest.mark.parametrize("requests", [1, 4, 9, 14])
def test_ctrl_c_in_a_crawl_is_quiet_whenever_it_comes(docs: Site, tmp_path: Path, requests: int) -> None:
    """The terminal sends the signal to every process of the command, workers too."""
    reached = threading.Event()
    counted = 0

    def answer(request: Request) -> Reply:
        nonlocal counted
        counted += 1
        if counted >= requests:
            reached.set()
        links = "".join(f'<a href="/many/{counted}-{number}">{number}</a> ' for number in range(3))
        return Reply(f"<main><h1>Page</h1><p>{'Words that count here. ' * 20}</p>{links}</main>")

    docs.route("/many/*", answer)
    env = clean_environment(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_EMBEDDINGS="none")
    command = [sys.executable, "-m", "mcp_web", "archive", "crawl", docs.loopback_url("/many/start")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, start_new_session=True
    )
    assert reached.wait(WAIT)
    os.killpg(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=WAIT)
    assert b"Traceback" not in printed, printed.decode()
    assert process.returncode == 130


def test_ctrl_c_while_the_event_loop_is_made_is_quiet(docs: Site, tmp_path: Path) -> None:
    """Half a loop would print a traceback when it is deleted."""
    program = """
import asyncio.selector_events as loops, signal, sys
make = loops.BaseSelectorEventLoop._make_self_pipe
def interrupted(loop):
    signal.raise_signal(signal.SIGINT)
    make(loop)
loops.BaseSelectorEventLoop._make_self_pipe = interrupted
sys.argv = ["mcp-web", "open", sys.argv[1]]
from mcp_web.cli.main import run
run()
"""
    env = clean_environment(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption)
    command = [sys.executable, "-c", program, docs.loopback_url("/p1")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=WAIT, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.parametrize("place", ["import", "callback"])
def test_ctrl_c_while_the_program_is_loaded_is_quiet(place: str, tmp_path: Path) -> None:
    """From the first line of `main`; before it only modules of the interpreter are imported.

    An exception inside a callback of the garbage collector would be printed and otherwise ignored.
    """
    program = """
import signal, sys, weakref
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell starts with it ignored
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
from mcp_web.__main__ import main
assert set(sys.modules) - before == {"__future__", "mcp_web", "mcp_web.__main__"}
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp_web.cli.main" and sys.argv[-1] == "import":
            signal.raise_signal(signal.SIGINT)
        elif name == "mcp_web.cli.main":
            one = lambda: None
            watched = weakref.ref(one, lambda _: signal.raise_signal(signal.SIGINT))
            del one
sys.meta_path.insert(0, Interrupted())
sys.argv = ["mcp-web", "cache", "list", sys.argv[2]]
main()
"""
    source = Path(mcp_web.__file__).parent.parent
    command = [sys.executable, "-I", "-S", "-c", program, str(source), place]
    env = clean_environment(tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=WAIT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_rendering_is_advised_only_in_words_that_help_here(shell: Shell, docs: Site) -> None:
    docs.page("/app", '<html><body><div id="root"></div><script src="/app.js"></script></body></html>')
    said = shell.run("open", docs.loopback_url("/app"), code=3).stderr
    assert "MCP_WEB_RENDER_ENABLED=true" in said
    assert "mode=rendered" not in said


def at_terminal(
    shell: Shell, *args: str, columns: int = 80, typed: bytes = b"", code: int = 0, **environment: str
) -> str:
    """What a person sees; with `typed` the terminal is standard input too."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    command = [sys.executable, "-m", "mcp_web", *args]
    env = shell._env | {"TERM": "xterm-256color", "PAGER": "cat"} | environment
    env.pop("COLUMNS", None)  # the terminal has the width
    stdin = theirs if typed else subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=stdin, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    os.write(ours, typed)
    printed = b""
    while chunk := read_terminal(ours):
        printed += chunk
    os.close(ours)
    assert process.wait(WAIT) == code, printed.decode()
    return printed.decode().replace("\r\n", "\n")


def lines_of(printed: str) -> list[str]:
    """The lines without colours, and without the progress bar before them."""
    return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line).rpartition("\r")[2].rstrip() for line in printed.split("\n")]


def test_a_secret_that_does_not_fit_on_a_line_or_into_a_column_is_masked_too(tmp_path: Path) -> None:
    secret = "key-" + "abcdefghij" * 8
    (tmp_path / "page.md").write_text(f"# Page\n\nIt is {secret} here.")
    Shell(tmp_path).run("archive", "add", "A thought.", "--title", f"On {secret}")
    shell = Shell(tmp_path, BRAVE_API_KEY=secret)
    page = at_terminal(shell, "extract", str(tmp_path / "page.md"), columns=60)
    assert ("•••" in page, "abcdefghij" in page) == (True, False)
    assert "On •••" in at_terminal(shell, "archive", "list", columns=100)


def test_a_title_is_never_read_as_terminal_markup(shell: Shell, docs: Site) -> None:
    shell.run("open", docs.loopback_url("/markup"))
    printed = at_terminal(shell, "cache", "list", columns=200)
    assert "[/nope]" in printed
    assert "\x1b]8;" not in printed, "a title made a link"


def test_progress_has_no_count_before_something_is_counted(shell: Shell, docs: Site) -> None:
    printed = at_terminal(shell, "open", docs.loopback_url("/p1"))
    assert "working" in printed
    assert "0/?" not in printed


def test_a_command_that_may_take_long_shows_that_it_works(shell: Shell, docs: Site, tmp_path: Path) -> None:
    url = docs.loopback_url("/p1")
    assert "working" in at_terminal(shell, "cite", url)
    assert "working" in at_terminal(shell, "archive", "export", str(tmp_path / "out.jsonl"))
    assert "working" in at_terminal(shell, "archive", "import", str(tmp_path / "out.jsonl"))
    assert "working" in at_terminal(shell, "archive", "graph", "setup")
    assert "working" in at_terminal(shell, "archive", "remove", url)


def test_in_80_columns_no_setting_loses_its_value_or_origin(shell: Shell) -> None:
    file, *lines = lines_of(at_terminal(shell, "config"))
    assert file.startswith("file: ")
    assert re.search(r"^fetch.user_agent +mcp-web/\S+ +default$", "\n".join(lines), re.MULTILINE)
    assert max(map(len, lines)) <= 80
    narrowed = "\n".join(lines_of(at_terminal(shell, "config", "user_agent")))
    assert re.search(r"^fetch.user_agent +mcp-web/\S+ +default +MCP_WEB_USER_AGENT$", narrowed, re.MULTILINE)


def test_in_80_columns_the_end_of_an_address_is_shown(shell: Shell, docs: Site) -> None:
    docs.page("/a-long-folder-name/with-another-inside/last-part", article("A page with a long title " * 4, "Setup"))
    shell.run("open", docs.loopback_url("/a-long-folder-name/with-another-inside/last-part"), docs.loopback_url("/p1"))
    lines = lines_of(at_terminal(shell, "archive", "list"))
    assert any(line.endswith("last-part") for line in lines)
    assert max(map(len, lines)) <= 80


def test_in_80_columns_words_and_addresses_are_not_broken(shell: Shell, docs: Site) -> None:
    address = "/one-two-three-four-five-six-seven-eight-nine-ten"
    docs.page(address, article("Of the installation and the configuration of a large machine", "Setup of every part"))
    url = docs.loopback_url(address)
    refused = lines_of(at_terminal(shell, "open", url, "--mode", "rendered", code=1))
    assert any(url in line for line in refused)
    shown = lines_of(at_terminal(shell, "read", url, "setup of every part"))
    assert max(map(len, shown)) <= 80
    found = lines_of(at_terminal(shell, "archive", "search", "setup", "part", "--mode", "text"))
    assert max(map(len, found)) <= 80
    added = lines_of(at_terminal(shell, "archive", "add", "Words.", "--title", "Note"))
    assert max(map(len, added)) <= 80


def test_in_40_columns_nothing_is_cut(miniweb: MiniWeb, docs: Site, tmp_path: Path) -> None:
    path = "/a-long-folder-name/with-another-inside/last-part"
    url = docs.loopback_url(path)
    docs.page("/p0", article("Page 0", "Setup", say=f'is told in <a href="{path}">the last part</a> at length'))
    docs.page(path, article("A page with a long title of many words", "Setup"))
    instance = searxng(miniweb, searxng_answer(url))
    narrow = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_SEARXNG_URLS=instance.url(), **OFFLINE)
    found = lines_of(at_terminal(narrow, "search", "setup", columns=40))
    assert url in "".join(line.strip() for line in found)
    shown = at_terminal(narrow, "open", docs.loopback_url("/p0"), url, columns=40)
    assert f"   1  {url}" in lines_of(shown)
    listed = lines_of(at_terminal(narrow, "archive", "list", columns=40))
    assert {"title    A page with a long title of many words", f"address  {url}"} <= set(listed)
    setting = lines_of(at_terminal(narrow, "config", "user_agent", columns=40))
    assert "setting  fetch.user_agent" in setting
    read = lines_of(at_terminal(narrow, "read", url, "who pays for the setup of whales", columns=40, code=3))
    help_ = lines_of(at_terminal(narrow, "--help", columns=40))
    assert max(map(len, (*read, *help_))) <= 40
    assert "--json" in at_terminal(narrow, "open", "--help", columns=2)


def test_usage_errors_and_help_are_wrapped_between_words(shell: Shell) -> None:
    refused = lines_of(at_terminal(shell, "client", "nope", code=2))
    assert max(map(len, refused)) <= 80
    assert {"'claude-code',", "'open-webui'."} <= {word for line in refused for word in line.split()}
    help_ = lines_of(at_terminal(shell, "open", "--help", columns=40))
    assert max(map(len, help_)) <= 40
    at = help_.index("  --at TEXT")
    assert help_[at + 1 : at + 3] == ["      Day of an archived copy, such as", "      2024-05-01, or latest."]


def test_the_name_of_a_model_in_the_statistics_is_not_broken(miniweb: MiniWeb, docs: Site, tmp_path: Path) -> None:
    model = "a-model-with-a-long-name@9b5b0964"
    server = EmbeddingServer(miniweb)
    own = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, EMBEDDING_SERVER_URL=server.url,
                EMBEDDING_MODEL_NAME=model)  # fmt: skip
    own.run("archive", "add", "Words of a note.", "--title", "Note")
    shown = lines_of(at_terminal(own, "stats", columns=60))
    assert max(map(len, shown)) <= 60
    assert any(model in line for line in shown)


def test_a_finding_of_the_doctor_has_most_of_the_line(docs: Site, tmp_path: Path) -> None:
    instance = docs.loopback_url("/a-folder-with-a-searxng")
    own = Shell(tmp_path, MCP_WEB_SEARXNG_URLS=instance, MCP_WEB_SEARCH_PROVIDERS="searxng", MCP_WEB_EMBEDDINGS="none")
    lines = lines_of(at_terminal(own, "doctor", code=1))
    at = lines.index(f"✗ search:{instance}")
    assert re.match(r" {8,20}\S", lines[at + 1]), "the finding is below the name"
    assert any(re.match("✓ store +0 pages", line) for line in lines), "and beside a short one"


def test_a_plain_text_or_a_source_keeps_its_lines_and_tags_at_a_terminal(shell: Shell, docs: Site) -> None:
    text = "On lines\n========\nfirst <tag>\nsecond"
    docs.page("/plain.txt", text, headers={"content-type": "text/plain"})
    assert text in "\n".join(lines_of(at_terminal(shell, "open", docs.loopback_url("/plain.txt"))))
    raw = at_terminal(shell, "open", docs.loopback_url("/p1"), "--mode", "raw")
    assert "<h1>Page 1</h1>" in raw


def test_footnotes_are_raised_numbers_at_a_terminal(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "notes.md"
    page.write_text(
        "# Notes\n\nSaid[^1] and `[^1]` meant[^b], or [^a-z] matched.\n\n[^1]: Once.\n\n[^b]: Twice and\nmore.\n"
    )
    assert [line for line in lines_of(at_terminal(shell, "extract", str(page))) if line][1:] == [
        "Said¹ and [^1] meant[b], or [^a-z] matched.",
        "¹ Once.",
        "[b] Twice and more.",
    ]


def test_what_does_not_fit_on_the_screen_is_shown_by_one_pager(shell: Shell, docs: Site, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho the pager begins\ncat\n")
    pager.chmod(0o755)
    env = {"PAGER": str(pager), "LINES": "10"}
    urls = [docs.loopback_url(f"/p{number}") for number in range(4)]
    page = tmp_path / "page.html"
    page.write_text(article("First", "Setup", "Usage", "Removal"))
    found = ["archive", "search", "setup", "--mode", "text"]
    for command in (["open", *urls], ["read", urls[0], "setup of page"], found, ["extract", str(page)], ["config"]):
        printed = at_terminal(shell, *command, typed=b"\n", **env)
        assert printed.count("the pager begins") == 1, command
    assert "the pager begins" not in at_terminal(shell, "archive", "list", typed=b"\n", **env)


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_are_left_out_where_they_are_not_wanted(shell: Shell, docs: Site, plain: dict[str, str]) -> None:
    url = docs.loopback_url("/p1")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
    assert colour.search(at_terminal(shell, "read", url, "setup of page"))
    for command in (["open", url], ["read", url, "setup of page"], ["archive", "list"], ["verify", url, "Setup"]):
        assert not colour.search(at_terminal(shell, *command, **plain))
    assert "\x1b" not in at_terminal(shell, "extract", "/nowhere/1", "/nowhere/2", code=1, **plain)
    assert "\x1b" not in at_terminal(shell, "completion", "bash"), "to be pasted or logged as it is"


def test_a_command_in_a_message_is_not_broken(shell: Shell) -> None:
    said = at_terminal(shell, "cache", "get", "https://never.example/a-page", code=3, columns=60)
    assert "`mcp-web open https://never.example/a-page`" in "\n".join(lines_of(said))


def test_an_extra_is_named_by_a_command_that_installs_it() -> None:
    command = re.fullmatch("Install it with: `(.+)`[.]", for_person("Install it with: pip install 'mcp-web[render]'."))
    parts = shlex.split(command[1]) if command else []
    assert parts[:4] == [sys.executable, "-m", "pip", "install"]
    assert subprocess.run([*parts, "--dry-run", "--no-index", "--no-deps"], check=False).returncode == 0


def test_extract_and_open_say_that_they_wait_for_input(shell: Shell, docs: Site) -> None:
    assert "Ctrl-D ends" in at_terminal(shell, "open", "-", typed=docs.loopback_url("/p1").encode() + b"\n\x04")
    printed = at_terminal(shell, "extract", typed=b"<p>Words of a page</p>\n\x04")
    assert "until Ctrl-D" in printed
    assert "Words of a page" in printed


def test_a_file_that_is_no_store_is_refused_and_left_alone(shell: Shell, tmp_path: Path) -> None:
    page, other = tmp_path / "page.html", tmp_path / "other.sqlite"
    page.write_text("<p>Words.</p>")
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    shell.run("archive", "add", "A thought.", "--title", "Thought")
    kept = tmp_path / "mcp-web.sqlite"
    for file in (page, other):
        before = file.read_bytes()
        for command in (
            ["check", str(file)],
            ["copy", str(file), str(tmp_path / "new")],
            ["copy", str(kept), str(file)],
        ):
            assert "is not a store of mcp-web" in shell.run("store", *command, code=1).stderr
        assert file.read_bytes() == before
        assert not list(tmp_path.glob(f"{file.name}.*"))
    assert "no faults" in shell.run("store", "check", str(kept)).stdout
    kept.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    assert "was damaged and replaced" in shell.run("store", "check", code=1).stdout


def test_a_store_that_cannot_be_used_or_was_replaced_is_said_on_stderr(docs: Site, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_DATA_DIR=str(blocked / "data"))
    opened = shell.run("open", docs.loopback_url("/p1"))
    assert "Setup of page 1" in opened.stdout
    refused = shell.run("archive", "add", "A thought.", "--title", "Thought", code=1).stderr
    assert refused.count("cannot be used") == 1
    assert opened.stderr.count("Pages are opened but not kept.") == 1
    (tmp_path / "mcp-web.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    listed = Shell(tmp_path, MCP_WEB_DATA_DIR=str(tmp_path)).run("archive", "list")
    assert "The store was damaged and replaced by an empty one" in listed.stderr


def test_a_result_is_opened_by_its_number_and_without_results_there_is_none(
    miniweb: MiniWeb, docs: Site, tmp_path: Path
) -> None:
    docs.page("/linked", article("Linked", "Setup", say='is told in <a href="/p1">the first page</a>'))
    instance = searxng(miniweb, searxng_answer(docs.loopback_url("/p3"), docs.loopback_url("/linked")))
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_SEARXNG_URLS=instance.url(), **OFFLINE)
    search = ("search", "setup", "--provider", "searxng", "--open")
    assert "[the first page]" in shell.run(*search, "2").stdout
    assert shell.json(*search, "2")["url"] == docs.loopback_url("/linked")
    assert "\x1b[2m" in at_terminal(shell, *search, "2")
    assert "\x1b[2m" not in at_terminal(shell, *search, "2", NO_COLOR="1")
    assert "there are 2 results" in shell.run(*search, "3", code=2).stderr
    none = searxng(miniweb, searxng_answer(), "none.example")
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=docs.exemption, MCP_WEB_SEARXNG_URLS=none.url(), **OFFLINE)
    shell.run("search", "nothing", *search[2:], "1", code=3)
