"""Where a value comes from, and what a wrong one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_web.archive.options import ArchiveOptions
from mcp_web.errors import ConfigError
from mcp_web.fetch.options import FetchOptions
from mcp_web.search.options import SearchOptions
from mcp_web.server.options import ServerOptions
from mcp_web.settings import SECTIONS, load
from mcp_web.tools.options import ToolOptions

NOWHERE = {"XDG_CONFIG_HOME": "/nonexistent"}


def _file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text)
    return {"MCP_WEB_CONFIG": str(path)}


def test_defaults_hold_when_nothing_is_set() -> None:
    settings = load(environ=NOWHERE)
    assert settings.of(ToolOptions).profile == "standard"
    assert {row.origin for row in settings.rows} == {"default"}
    assert settings.unknown == []


def test_the_environment_beats_the_file_and_a_flag_beats_both(tmp_path: Path) -> None:
    file = _file(tmp_path, '[tools]\nprofile = "lite"\nanswers = "structured"\n')
    assert load(environ=file).of(ToolOptions).profile == "lite"
    both = file | {"MCP_WEB_PROFILE": "chatgpt"}
    assert load(environ=both).of(ToolOptions).profile == "chatgpt"
    flagged = load({"tools.profile": "standard"}, environ=both)
    assert flagged.of(ToolOptions).profile == "standard"
    origins = {row.name: row.origin for row in flagged.rows if row.section == "tools"}
    assert origins["profile"] == "flag"
    assert origins["answers"] == "file"


def test_milliseconds_in_a_variable_are_seconds_inside() -> None:
    assert load(environ=NOWHERE | {"MCP_WEB_TIMEOUT_MS": "2500"}).of(FetchOptions).timeout == 2.5
    assert load(environ=NOWHERE | {"REQUEST_TIMEOUT_MS": "1500"}).of(FetchOptions).timeout == 1.5


def test_sizes_may_be_written_with_a_unit() -> None:
    assert load(environ=NOWHERE | {"MCP_WEB_MAX_BYTES": "2MB"}).of(FetchOptions).max_bytes == 2 * 1024 * 1024


def test_lists_are_separated_by_commas() -> None:
    settings = load(environ=NOWHERE | {"MCP_WEB_DENYLIST_DOMAINS": "a.org, b.org"})
    assert settings.of(FetchOptions).deny_domains == ("a.org", "b.org")


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("MCP_WEB_PROFILE", "huge", ["MCP_WEB_PROFILE", "'huge'", "standard, full, lite, chatgpt"]),
        ("MCP_WEB_TIMEOUT_MS", "soon", ["MCP_WEB_TIMEOUT_MS", "'soon'", "a number"]),
        ("MCP_WEB_TIMEOUT_MS", "1", ["MCP_WEB_TIMEOUT_MS", "'1'", "a number of milliseconds from 100"]),
        ("MCP_WEB_DEADLINE", "9999", ["MCP_WEB_DEADLINE", "'9999'", "a number of seconds from 1 to 600"]),
        ("MCP_WEB_RESPECT_ROBOTS", "perhaps", ["MCP_WEB_RESPECT_ROBOTS", "'perhaps'", "true or false"]),
        ("MCP_WEB_DEADLINE", "-1", ["MCP_WEB_DEADLINE", "'-1'", "1 to 600"]),
    ],
)
def test_a_wrong_value_names_the_variable_the_value_and_what_is_allowed(
    variable: str, value: str, words: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(environ=NOWHERE | {variable: value})
    for word in words:
        assert word in caught.value.message


def test_a_wrong_secret_is_not_shown_in_its_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(environ=_file(tmp_path, "[server]\nauth_tokens = 12345678\n"))
    assert "12345678" not in caught.value.message


def test_secrets_are_masked_and_known_to_the_redaction() -> None:
    settings = load(environ=NOWHERE | {"MCP_WEB_AUTH_TOKENS": "correct-horse-battery"})
    row = next(row for row in settings.rows if row.name == "auth_tokens")
    assert row.shown == ("•••",)
    assert "correct-horse-battery" in settings.secrets
    assert settings.of(ServerOptions).auth_tokens == ("correct-horse-battery",)


def test_names_that_nothing_reads_are_told_with_the_nearest_real_one(tmp_path: Path) -> None:
    settings = load(environ=_file(tmp_path, "fetc = 1\n[tools]\nprofil = 1\n") | {"MCP_WEB_PROFIL": "lite"})
    assert any(name.split()[0] == "fetc" for name in settings.unknown)
    assert "MCP_WEB_PROFIL (did you mean MCP_WEB_PROFILE?)" in settings.unknown
    assert "tools.profil (did you mean tools.profile?)" in settings.unknown


def test_variable_guessed_from_the_key_of_the_file_is_told_its_real_name() -> None:
    settings = load(environ=NOWHERE | {"MCP_WEB_FETCH_TIMEOUT": "3"})
    assert settings.unknown == ["MCP_WEB_FETCH_TIMEOUT (did you mean MCP_WEB_TIMEOUT_MS?)"]


@pytest.mark.parametrize("text", ["[tools", "profile = ", "\x00"])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(environ=_file(tmp_path, text))


def test_a_missing_file_is_an_error_only_when_it_was_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load(environ={"MCP_WEB_CONFIG": str(tmp_path / "no.toml")})
    assert load(environ={"MCP_WEB_CONFIG": "", "XDG_CONFIG_HOME": str(tmp_path)}).unknown == []


def test_a_file_of_an_editor_that_writes_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert load(environ=_file(tmp_path, '\ufeff[tools]\nprofile = "lite"\n')).of(ToolOptions).profile == "lite"


def test_every_option_has_a_variable_of_its_own() -> None:
    # The seeds' REQUEST_TIMEOUT_MS and CONCURRENCY set several rooms at once; those are second names.
    names = [row.variables[0] for row in load(environ=NOWHERE).rows if not row.facts.file_only]
    assert len(names) == len(set(names))


def test_every_room_with_options_is_gathered() -> None:
    source = Path(__file__).parents[1] / "src" / "mcp_web"
    gathered = {place.split(".")[1] for place in SECTIONS.values()}
    assert {path.parent.name for path in source.glob("*/options.py")} == gathered


def test_a_password_inside_an_address_is_not_shown() -> None:
    for password in ("s3cret", "s3c@ret", "s3c:ret"):
        address = f"https://me:{password}@search.example/a@b"
        settings = load(environ=NOWHERE | {"MCP_WEB_SEARXNG_URLS": address, "HTTPS_PROXY": address})
        (shown,) = (row.shown for row in settings.rows if row.name == "searxng_urls")
        assert shown == ("https://•••@search.example/a@b",)
        assert settings.secrets == (password,)


def test_entries_of_a_mapping_come_from_the_file_and_from_variables_of_their_own(tmp_path: Path) -> None:
    environ = _file(tmp_path, '[search.keys]\nbrave = "in-file"\nexa = "in-file"\n')
    options = load(environ=environ | {"BRAVE_API_KEY": "first", "BRAVE_SEARCH_API_KEY": "second"}).of(SearchOptions)
    assert options.keys == {"brave": "first", "exa": "in-file"}
    listed = load(environ=NOWHERE | {"BRAVE_API_KEY": "own", "MCP_WEB_SEARCH_KEYS": "brave=listed; tavily=t"})
    assert listed.of(SearchOptions).keys == {"brave": "own", "tavily": "t"}
    assert {"own", "t"} <= set(listed.secrets)


def test_a_value_without_a_name_counts_for_all_others() -> None:
    options = load(
        environ=NOWHERE | {"MCP_WEB_REMEMBER": "false, docs.example=true", "MCP_WEB_CACHE_TTL": "n.example=9"}
    )
    assert options.of(ArchiveOptions).remember == {"*": False, "docs.example": True}
    assert options.of(ArchiveOptions).ttl == {"*": 86400.0, "n.example": 9.0}


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("MCP_WEB_SEARCH_URLS", "wikpedia=https://x.example", "wikpedia"),
        ("MCP_WEB_SEARCH_MONTHLY_BUDGETS", "brave=many", "brave"),
        ("MCP_WEB_CACHE_TTL", "news.example=soon", "news.example"),
        ("MCP_WEB_TENANT_LIMITS", "20", "calls_per_day"),
    ],
)
def test_a_wrong_entry_is_named(variable: str, value: str, named: str) -> None:
    with pytest.raises(ConfigError, match=f"{variable}.*{named}"):
        load(environ=NOWHERE | {variable: value})


def test_a_switch_of_another_system_disables_the_tools_of_its_purpose() -> None:
    options = load(environ=NOWHERE | {"WEB_FETCH_ENABLED": "false", "MCP_WEB_DISABLED_TOOLS": "web_search"})
    assert options.of(ToolOptions).disabled_tools == ("web_search", "fetch")
    assert load(environ=NOWHERE | {"WEB_FETCH_ENABLED": "false"}).of(ToolOptions).disabled_tools == ("fetch",)
