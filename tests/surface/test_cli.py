"""The command line as people and scripts use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_web.cli.clients import CLIENTS
from miniweb import MiniWeb

from .command import run_command
from .rpc import WAIT, clean_environment
from .test_open import article


class Shell:
    def __init__(self, folder: Path, **env: str) -> None:
        self._env = clean_environment(folder, **env)

    def run(self, *args: str, code: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
        done = run_command(args, self._env, stdin)
        assert done.returncode == code, f"{args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    def run_unread(self, *args: str, closed: bool = False) -> subprocess.CompletedProcess[str]:
        """With a reader who left before the first word; or without any stdout."""
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "mcp_web", *args]
        if closed:
            command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
        try:
            return subprocess.run(
                command, stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=self._env,
                timeout=WAIT, check=False,
            )  # fmt: skip
        finally:
            os.close(writing)

    def json(self, *args: str, code: int = 0, stdin: str = "") -> Any:
        return json.loads(self.run(*args, "--json", code=code, stdin=stdin).stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def site(miniweb: MiniWeb, tmp_path: Path) -> tuple[Shell, str]:
    made = miniweb.site("docs.example")
    made.page("/guide", article("Guide", "Setup", "Usage"))
    return Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE=made.exemption, MCP_WEB_EMBEDDINGS="none"), made.loopback_url("/guide")


def test_help_names_every_command(shell: Shell) -> None:
    from mcp_web.cli.main import COMMANDS

    text = shell.run("--help").stdout
    for name in COMMANDS:
        assert f"  {name} " in text


def test_a_mistyped_command_or_option_is_a_sentence_and_exit_2(shell: Shell) -> None:
    assert "Did you mean 'search'?" in shell.run("searhc", "x", code=2).stderr
    assert "--cuont" in shell.run("search", "x", "--cuont", "3", code=2).stderr


@pytest.mark.parametrize(
    "args",
    [["--help"], ["config"], ["config", "--json"], ["cache", "list"], ["completion", "bash"], ["stats", "--json"]],
)
@pytest.mark.parametrize("closed", [False, True])
def test_a_reader_who_goes_away_at_once_is_no_failure(shell: Shell, args: list[str], closed: bool) -> None:
    done = shell.run_unread(*args, closed=closed)
    assert (done.returncode, done.stderr.replace("Nothing is kept yet.\n", "")) == (0, "")


def test_a_page_nobody_reads_is_no_failure(site: tuple[Shell, str]) -> None:
    shell, url = site
    for args in (["open", url], ["open", url, "--json"], ["open", url, url + "?x"], ["read", url, "setup"]):
        done = shell.run_unread(*args)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_an_error_that_nobody_reads_keeps_its_exit_code(shell: Shell) -> None:
    done = shell.run_unread("open", "no address", "--json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("args", "code"), [(["extract", "missing.html"], 1), (["extract", "--wrong"], 2), (["open"], 2)]
)
def test_every_failure_is_an_object_with_json(shell: Shell, args: list[str], code: int) -> None:
    assert shell.json(*args, code=code)["error"]["message"]


def test_html_becomes_markdown_on_stdout(shell: Shell) -> None:
    done = shell.run("extract", "-", "--base-url", "https://e.org/a/", stdin=article("T", "One"))
    assert "## One" in done.stdout
    assert done.stderr == ""


def test_lines_of_html_become_lines_of_markdown_and_a_bad_line_does_not_stop_the_rest(shell: Shell) -> None:
    good = json.dumps({"html": article("T", "One"), "url": "https://e.org/"})
    given = f"{good}\nnot json\n\n{{}}\n{'[' * 100_000}\n{good}\n"
    done = shell.run("extract", "-", "--jsonl", stdin=given, code=1)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("title", "error") for line in lines] == ["T", "error", "error", "error", "T"]
    assert {"markdown", "title", "metadata"} <= set(lines[0])
    assert "Line 2" in lines[1]["error"]["message"]


def test_the_options_for_html_apply_to_lines_of_html_too(shell: Shell) -> None:
    line = json.dumps({"html": '<p>Words with <a href="/target">a link</a>.</p>'})
    done = shell.run("extract", "--jsonl", "--base-url", "https://e.org/", "--explain", stdin=line)
    found = json.loads(done.stdout)
    assert "(https://e.org/target)" in found["markdown"]
    assert found["explain"]["method"]


@pytest.mark.parametrize("encoding", ["utf-8:strict", "utf-8:surrogateescape", "latin-1"])
def test_what_an_encoding_does_not_have_is_printed_as_an_escape_sequence(tmp_path: Path, encoding: str) -> None:
    name = os.fsdecode(b"caf\xe9 \xf0\x9f\x98\x80.ipynb")
    cells = [{"cell_type": "markdown", "source": "Words \ud83d"}]
    (tmp_path / name).write_text(json.dumps({"cells": cells, "nbformat": 4}))
    env = clean_environment(tmp_path, PYTHONIOENCODING=encoding)
    for args in (["extract", name, "--json"], ["extract", name, name], ["client", "cursor"]):
        done = subprocess.run(
            [sys.executable, "-m", "mcp_web", *args],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=WAIT,
        )
        assert done.returncode == 0, done.stderr
        if "--json" in args:
            assert json.loads(done.stdout.decode(encoding.partition(":")[0]))["file"] == name


def test_where_only_ascii_can_be_printed_secrets_are_masked_too(tmp_path: Path) -> None:
    env = clean_environment(tmp_path, PYTHONIOENCODING="ascii", BRAVE_API_KEY="secret-of-the-operator")
    command = [sys.executable, "-m", "mcp_web", "extract"]
    page = b"<p>It is secret-of-the-operator.</p>"
    done = subprocess.run(command, env=env, input=page, capture_output=True, check=True, timeout=WAIT)
    assert done.stdout.decode() == "It is •••.\n"


@pytest.mark.parametrize("command", [["open", "-"], ["archive", "add", "-", "--title", "T"], ["extract"]])
def test_standard_input_that_is_closed_is_empty(tmp_path: Path, command: list[str]) -> None:
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "mcp_web", *command]
    env = clean_environment(tmp_path)
    done = subprocess.run(closed, env=env, capture_output=True, text=True, check=False, timeout=WAIT)
    assert done.returncode in (2, 3)
    assert "empty" in done.stderr or "no text" in done.stderr


@pytest.mark.parametrize("command", [["open", "-"], ["archive", "add", "-", "--title", "T"]])
def test_standard_input_that_is_not_text_is_wrong_usage(tmp_path: Path, command: list[str]) -> None:
    env = clean_environment(tmp_path, PYTHONIOENCODING="utf-8:strict")
    line = [sys.executable, "-m", "mcp_web", *command]
    done = subprocess.run(line, env=env, input=b"caf\xe9", capture_output=True, check=False, timeout=WAIT)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, b"Error: Standard input is not utf-8 text.")


def test_no_number_is_refused_as_one(shell: Shell) -> None:
    for days in ("nan", "inf", "1e15"):
        shell.run("token", "add", "ann", "--days", days, code=2)
    shell.run("token", "add", "ann", "--days", "36500")
    assert "ann" in shell.run("token", "list").stdout
    shell.run("watch", "--every", "nan", code=2)


def test_a_page_is_opened_read_verified_listed_and_forgotten(site: tuple[Shell, str]) -> None:
    shell, url = site
    page = shell.json("open", url)
    assert page["title"] == "Guide"
    assert "## Usage" in shell.run("open", url, "--section", "Usage").stdout
    read = shell.json("read", url, "how", "is", "setup", "explained")
    assert "Setup is explained" in read["queries"][0]["results"][0]["text"]
    assert shell.json("verify", url, "Setup is explained here")["quotes"][0]["verdict"] == "exact"
    shell.run("verify", url, "this was never written anywhere", code=3)
    shell.run("verify", url, "Setup is never explained here", code=3)
    signs_differ = shell.run("verify", url, "Setup-is explained here", code=3).stdout
    assert "fuzzy" in signs_differ
    assert "'Setup is explained here'" in signs_differ
    assert [row["url"] for row in shell.json("cache", "list")] == [url]
    assert shell.json("cache", "get", page["snapshot"][:10])["title"] == "Guide"
    assert shell.json("cache", "purge", "--keep-newest", "0")["dry_run"] is True
    assert shell.json("cache", "purge", "--keep-newest", "0", "--yes")["pages"] == 1
    assert shell.json("cache", "list") == []


def test_an_error_is_one_sentence_on_stderr_and_exit_1(shell: Shell) -> None:
    done = shell.run("open", "http://127.0.0.1:9/", code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("mcp-web: ")
    assert "MCP_WEB_ALLOW_PRIVATE" in done.stderr


def test_an_error_is_an_object_for_programs_and_names_what_there_is(site: tuple[Shell, str]) -> None:
    shell, url = site
    assert shell.json("open", "http://10.0.0.1/", code=1)["error"]["code"] == "SSRF_BLOCKED"
    missed = shell.run("open", url, "--section", "Nowhere", code=2)
    assert "Setup" in missed.stderr
    assert missed.stdout == ""
    assert "--keep-newest 0" in shell.run("cache", "purge", code=2).stderr
    assert "65535" in shell.run("serve", "--http", "127.0.0.1:99999", code=2).stderr


def test_a_person_sees_sentences_and_a_log_only_when_they_ask_for_it(tmp_path: Path) -> None:
    nobody = {"MCP_WEB_SEARCH_PROVIDERS": "searxng", "MCP_WEB_SEARXNG_URLS": "http://127.0.0.1:9/"}
    quiet = Shell(tmp_path, **nobody, MCP_WEB_SEARX_SPACE_URL="").run("search", "x", code=1).stderr
    assert quiet.startswith("mcp-web: No search provider answered")
    logged = Shell(tmp_path, **nobody, MCP_WEB_SEARX_SPACE_URL="", MCP_WEB_LOG="error").run("search", "x", code=1)
    assert logged.stderr.startswith("{")


def test_config_shows_values_and_origins_and_masks_secrets(tmp_path: Path) -> None:
    shell = Shell(tmp_path, BRAVE_API_KEY="very-secret-key", MCP_WEB_PROFILE="lite")
    rows = {row["setting"]: row for row in shell.json("config")["settings"]}
    assert rows["tools.profile"]["value"] == "lite"
    assert rows["tools.profile"]["origin_name"] == "MCP_WEB_PROFILE"
    assert "very-secret-key" not in shell.run("config").stdout


@pytest.mark.parametrize(
    "client", ["claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "gemini", "zed", "lmstudio"]
)
def test_a_client_s_configuration_is_merged_once_with_a_backup(shell: Shell, tmp_path: Path, client: str) -> None:
    from mcp_web.cli.clients import CLIENTS

    path = tmp_path / "client.json"
    path.write_text('{"theme": "dark"}')
    shell.run("client", client, "--write", "--path", str(path), "--env", "MCP_WEB_PROFILE=lite")
    whole = json.loads(path.read_text())
    assert whole["theme"] == "dark"
    entry = whole
    for key in CLIENTS[client].where:
        entry = entry[key]
    assert entry["mcp-web"]["env"] == {"MCP_WEB_PROFILE": "lite"}
    assert len(list(tmp_path.glob("client.json.*.bak"))) == 1
    assert (
        "already in"
        in shell.run("client", client, "--write", "--path", str(path), "--env", "MCP_WEB_PROFILE=lite").stdout
    )


def test_a_configuration_with_half_a_surrogate_pair_is_merged(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "client.json"
    path.write_text('{"theme": "\\ud800 ä"}')
    shell.run("client", "cursor", "--write", "--path", str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["theme"] == "\ud800 ä"
    assert "ä" in path.read_text(encoding="utf-8")
    assert "already in" in shell.run("client", "cursor", "--write", "--path", str(path)).stdout
    assert sorted(one.suffix for one in tmp_path.glob("client.json*")) == [".bak", ".json"]


def test_a_configuration_keeps_its_mode_and_stays_a_link_and_a_new_one_is_private(shell: Shell, tmp_path: Path) -> None:
    real, link, new = tmp_path / "dotfiles.json", tmp_path / "linked.json", tmp_path / "new.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    for path in (link, new):
        url = ["--url", "https://mcp.example/mcp", "--token", "secret"]
        shell.run("client", "cursor", "--write", "--path", str(path), *url)
    assert link.is_symlink()
    assert "secret" in real.read_text()
    assert [oct(path.stat().st_mode & 0o777) for path in (real, new)] == ["0o640", "0o600"]


def test_the_line_for_claude_code_has_the_variables_too(shell: Shell) -> None:
    line = shell.run("client", "claude-code", "--env", "MCP_WEB_USER_AGENT=my agent").stderr
    assert "claude mcp add --env 'MCP_WEB_USER_AGENT=my agent' --scope user mcp-web -- " in line


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_every_client_is_described_as_json_for_both_kinds_of_server(client: str, shell: Shell) -> None:
    assert "mcp-web" in json.dumps(shell.json("client", client)["config"])
    if client == "claude-desktop":
        assert "takes no HTTP server" in shell.run("client", client, "--url", "http://127.0.0.1:9", code=2).stderr
    else:
        remote = shell.json("client", client, "--url", "http://127.0.0.1:9", "--token", "secret")
        assert "http://127.0.0.1:9/mcp" in json.dumps(remote["config"])
        assert "Bearer secret" in json.dumps(remote["config"])


def test_codex_gets_toml_and_a_foreign_entry_is_not_overwritten(shell: Shell, tmp_path: Path) -> None:
    import tomllib

    path = tmp_path / "config.toml"
    for before in ('model = "x"\n', 'mcp_servers.other.command = "x"\n'):
        path.write_text(before)
        shell.run("client", "codex", "--write", "--path", str(path))
        after = tomllib.loads(path.read_text())
        assert after["mcp_servers"].pop("mcp-web")
        assert after == {"mcp_servers": {}} | tomllib.loads(before)
    path.write_text('[mcp_servers.mcp-web]\ncommand = "other"\n')
    shell.run("client", "codex", "--write", "--path", str(path), code=2)


@pytest.mark.parametrize("client", ["codex", "cursor"])
def test_a_variable_can_have_any_text_as_its_value(shell: Shell, tmp_path: Path, client: str) -> None:
    import tomllib

    path = tmp_path / "configuration"
    text = 'Grüße 😀 "\\ \x7f\x01\n'
    write = ("client", client, "--write", "--path", str(path), "--env")
    shell.run(*write, f"GREETING={text}")
    read = tomllib.loads if client == "codex" else json.loads
    (servers,) = read(path.read_text("utf-8")).values()
    assert servers["mcp-web"]["env"]["GREETING"] == text
    assert "is not UTF-8 text" in shell.run(*write, "GREETING=\udcff", code=2).stderr


def test_each_configuration_that_is_replaced_has_its_backup(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    for value in "12":
        shell.run("client", "cursor", "--write", "--path", str(path), "--env", f"A={value}")
    assert sorted(len(file.read_text()) > 2 for file in tmp_path.glob("*.bak")) == [False, True]


def test_a_configuration_that_is_no_json_is_left_alone(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("// comments\n{}")
    assert "left as it is" in shell.run("client", "zed", "--write", "--path", str(path), code=2).stderr
    assert path.read_text() == "// comments\n{}"


@pytest.mark.parametrize(
    ("client", "before"),
    [
        ("codex", "mcp_servers = 3\n"),
        ("codex", 'mcp_servers = ["mcp-web"]\n'),
        ("codex", "[[mcp_servers]]\n"),
        ("codex", "mcp_servers = {}\n"),
        ("codex", 'mcp_servers = {other = {command = "x"}}\n'),
        ("cursor", '{"mcpServers": ["mcp-web"]}'),
        ("cursor", '{"mcpServers": null}'),
        ("cursor", "[]"),
    ],
)
def test_a_configuration_whose_servers_are_no_table_is_left_alone(
    shell: Shell, tmp_path: Path, client: str, before: str
) -> None:
    path = tmp_path / "configuration"
    path.write_text(before)
    stderr = shell.run("client", client, "--write", "--path", str(path), code=2).stderr
    assert "table at mcp_servers" in stderr or "object at mcpServers" in stderr
    assert path.read_text() == before
    assert not list(tmp_path.glob("configuration.*"))


@pytest.mark.parametrize("broken", ["a folder", "no text", "a file above it"])
def test_a_client_s_configuration_that_cannot_be_used_is_a_sentence(tmp_path: Path, broken: str) -> None:
    target = tmp_path / "home" / ".cursor" / "mcp.json"
    if broken == "a file above it":
        target.parent.parent.mkdir()
        target.parent.write_text("x")
    elif broken == "a folder":
        target.mkdir(parents=True)
    else:
        target.parent.mkdir(parents=True)
        target.write_bytes(b"\xff\xfe{}")
    shell = Shell(tmp_path, HOME=str(tmp_path / "home"))
    told = shell.run("client", "cursor", "--write", code=2 if broken == "no text" else 1).stderr
    assert told.startswith("mcp-web: ")
    assert ".cursor" in told


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: Shell, name: str) -> None:
    assert "_MCP_WEB_COMPLETE" in shell.run("completion", name).stdout


def test_a_shell_whose_completions_have_no_terminal_gets_them_too(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "mcp-web se", "COMP_CWORD": "1", "_MCP_WEB_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "mcp_web"]
    env = clean_environment(tmp_path, **asked)
    done = subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=WAIT
    )
    assert done.stdout.split() == ["plain,serve", "plain,search"]


def test_stats_count_what_was_done(site: tuple[Shell, str]) -> None:
    shell, url = site
    shell.run("open", url)
    shell.run("open", url)
    counts = {(row["name"], row["labels"]): row["value"] for row in shell.json("stats")["counts"]}
    assert counts["cache_total", "state=fetched"] == 1
    assert counts["cache_total", "state=hit"] == 1


def test_doctor_checks_every_part(tmp_path: Path) -> None:
    shell = Shell(tmp_path, MCP_WEB_SEARCH_PROVIDERS="searxng", MCP_WEB_SEARXNG_URLS="http://127.0.0.1:9",
                  MCP_WEB_SEARX_SPACE_URL="", MCP_WEB_EMBEDDINGS="none")  # fmt: skip
    report = shell.json("doctor", code=1)
    states = {check["part"]: check for check in report["checks"]}
    assert states["store"]["state"] == "ok"
    assert states["extract"]["state"] == "ok"
    assert states["model"]["state"] == "off"
    broken = next(check for part, check in states.items() if "127.0.0.1:9" in part or "searxng" in part)
    assert broken["state"] == "broken"
    assert all(check["fix"] for check in report["checks"] if check["state"] != "ok")


def test_variables_of_the_shell_that_a_client_s_server_will_not_have_are_named(tmp_path: Path) -> None:
    shell = Shell(tmp_path, MCP_WEB_ALLOW_PRIVATE="wiki.example")
    assert "--env MCP_WEB_ALLOW_PRIVATE=" in shell.run("client", "cursor").stderr
    given = shell.run("client", "cursor", "--env", "MCP_WEB_ALLOW_PRIVATE=wiki.example")
    assert "MCP_WEB_ALLOW_PRIVATE" not in given.stderr
    assert "--env MCP_WEB_DDGS_ENABLED=" in Shell(tmp_path, MCP_WEB_DDGS_ENABLED="false").run("client", "cursor").stderr
    assert "MCP_WEB_ALLOW_PRIVATE" in given.stdout
