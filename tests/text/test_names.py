"""Names of functions, flags and settings in a text and in a question."""

from __future__ import annotations

import pytest

from mcp_web.text.names import defined_keys, definitions, is_name, names, signature_name


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("`json.dumps(obj, *, skipkeys=False)`", "json.dumps"),
        ("`exception KeyError`", "KeyError"),
        ("`class asyncio.Semaphore(value=1)`", "asyncio.Semaphore"),
        ("`PyObject *PyObject_GetAttr(PyObject *o)`", "*PyObject_GetAttr"),
        ("`static getDerivedStateFromError(error)`", "getDerivedStateFromError"),
        ("--depth &lt;depth>", "--depth"),
        ("--word-diff[=&lt;mode>]", "--word-diff"),
        ("--\\[no-]skip-worktree", "--skip-worktree"),
        ("`--color always|never`", "--color"),
        ("json — JSON encoder and decoder", "json"),
        ("server.port", "server.port"),
        ("onServerPrefetch() SSR only", "onServerPrefetch"),
        ("Using getRequestEvent", ""),
        ("Fetching data (advanced)", ""),
        ("", ""),
        ("`" + "x" * 200 + "`", ""),
    ],
)
def test_the_name_in_a_signature_or_heading(signature: str, name: str) -> None:
    assert signature_name(signature) == name


def test_spellings_of_a_name_have_one_key() -> None:
    assert {names(one)[0].key for one in ("read_timeout", "readTimeout", "--read-timeout", "read-timeout")} == {
        "readtimeout"
    }
    assert [name.key for name in names("os.path.join")] == ["ospathjoin", "join"]
    assert names("3.11") == ()


def test_a_text_defines_names_in_headings_signatures_and_definition_lists() -> None:
    text = """Uses `os.remove` and --force.

`os.path.join(path)`

Joins.

-q
--quiet
: Say nothing.

A term of several words
: no name
"""
    found = defined_keys(text, ["Introduction", "The `port` option", "server.host"])
    assert found == {"ospathjoin", "join", "q", "quiet", "introduction", "serverhost", "host"}
    assert [text[start:].split("\n")[0] for start, key in definitions(text) if key in ("join", "quiet")] == [
        "`os.path.join(path)`",
        "-q",
    ]


@pytest.mark.parametrize(
    "word", ["KeyError", "os.path", "--depth", "-v", "$emit", "__init__", "ECONNREFUSED", "print()"]
)
def test_identifiers_are_names(word: str) -> None:
    assert is_name(word)


@pytest.mark.parametrize("word", ["print", "Python", "a", "is", "AND", "(see", "2024"])
def test_plain_words_are_not(word: str) -> None:
    assert not is_name(word)
