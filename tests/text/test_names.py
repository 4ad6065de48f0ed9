"""Names of functions, flags and settings in a text and in a question."""

from __future__ import annotations

import pytest

from mcp_web.text.names import (
    Name,
    asked_names,
    asked_title,
    defined_keys,
    definitions,
    described,
    is_name,
    signature_name,
    title_keys,
)


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("`json.dumps(obj, *, skipkeys=False)`", "json.dumps"),
        ("`exception KeyError`", "KeyError"),
        ("`class subprocess.Popen(" + "argument=None, " * 40 + ")`", "subprocess.Popen"),
        ("`class asyncio.Semaphore(value=1)`", "asyncio.Semaphore"),
        ("`PyObject *PyObject_GetAttr(PyObject *o)`", "*PyObject_GetAttr"),
        (
            "[`PyObject`](https://docs.example/c) `*PyObject_Call(`[`PyObject`](https://docs.example/c) `*o)`",
            "*PyObject_Call",
        ),
        ("`static getDerivedStateFromError(error)`", "getDerivedStateFromError"),
        ("--depth &lt;depth>", "--depth"),
        ("--word-diff[=&lt;mode>]", "--word-diff"),
        ("--\\[no-]skip-worktree", "--skip-worktree"),
        ("`--color always|never`", "--color"),
        ("json — JSON encoder and decoder", "json"),
        ("server.port", "server.port"),
        ("AllowOverride Directive", "AllowOverride"),
        ("Class: http.Agent", "http.Agent"),
        ("new Console(options)", "Console"),
        ("Function Files", ""),
        ("The comment Element", ""),
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
    spellings = ("read_timeout", "readTimeout", "--read-timeout", "read-timeout", "read_timeout()")
    assert {asked_names(one)[0].key for one in spellings} == {"readtimeout"}
    assert asked_names("3.11") == ()


def test_a_name_is_asked_for_whole_and_by_its_parts() -> None:
    assert [name.key for name in asked_names("OrderedDict.move_to_end")] == [
        "ordereddictmovetoend",
        "movetoend",
        "ordereddict",
    ]
    assert asked_names("OrderedDict.move_to_end")[2].words == ("ordered", "dict", "ordereddict")


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Git User Manual", {"gitusermanual"}),
        ("Café Guide | Example", {"cafeguideexample", "cafeguide"}),
        ("json — JSON encoder and decoder", {"jsonencoderanddecoder"}),
        ("Installation", set()),
        ("", set()),
    ],
)
def test_a_title_of_several_words_is_found_whole_and_without_what_follows_it(title: str, keys: set[str]) -> None:
    assert title_keys(title) == keys


def test_a_question_of_several_words_may_be_a_title() -> None:
    assert asked_title(("cafe", "guide")) == (Name("cafeguide", ("cafe", "guide")),)
    assert asked_title(("installation",)) == ()


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


def test_a_text_made_of_definitions_and_an_endless_signature_define_a_limited_number_of_names() -> None:
    assert len(defined_keys("".join(f"name{number}x\n: text\n\n" for number in range(6000)), ())) == 5000
    assert defined_keys("`" + "[`a`](" * 100_000 + "`", ()) == frozenset()


@pytest.mark.parametrize(
    "word", ["KeyError", "os.path", "--depth", "-v", "$emit", "__init__", "ECONNREFUSED", "print()"]
)
def test_identifiers_are_names(word: str) -> None:
    assert is_name(word)


@pytest.mark.parametrize("word", ["print", "Python", "a", "is", "AND", "(see", "2024"])
def test_plain_words_are_not(word: str) -> None:
    assert not is_name(word)


@pytest.mark.parametrize(
    ("item", "keys"),
    [
        ("- **keepAliveTimeout** `number | null` (optional) - Default: `4e3`", {"keepalivetimeout"}),
        ("  * `signal` {AbortSignal} Stops it.", {"signal"}),
        ("1. `initialState`: the first value", {"initialstate"}),
        ("- `--depth`: a shallow clone", {"depth"}),
        ("- **`fetch.timeout`** (`number`)", {"fetchtimeout", "timeout"}),
        ("- `signal`", set()),
        ("- **Fast** and small", set()),
        ("- `a b`: two words", set()),
    ],
)
def test_items_of_lists_describe_the_name_that_they_begin_with(item: str, keys: set[str]) -> None:
    assert {key for _, key in described(f"Options:\n\n{item}\n")} == keys
