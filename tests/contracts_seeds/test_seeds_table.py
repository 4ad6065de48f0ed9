"""docs/reference/seeds.md: every requirement of the source systems has a test, and every test it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "reference" / "seeds.md"
SEEDS = TESTS.parents[1] / "shared" / "seeds"
ROW = re.compile(r"^\| (?P<kind>\w+) \| (?P<what>.+) \| (?P<proof>.*) \|$")
PROOF = re.compile(r"^`(?P<file>[\w/]+\.py)::(?P<name>test_\w+)`$")


def rows() -> list[tuple[str, str, str]]:
    found = [ROW.match(line) for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [(one["kind"], one["what"], one["proof"]) for one in found if one and one["kind"] != "kind"]


def test_every_row_names_a_test_that_exists() -> None:
    assert [f"{what}: {proof}" for _, what, proof in rows() if not exists(proof)] == []


def exists(proof: str) -> bool:
    named = PROOF.match(proof)
    if named is None or not (TESTS / named["file"]).exists():
        return False
    text = (TESTS / named["file"]).read_text(encoding="utf-8")
    return re.search(rf"^(?:async )?def {named['name']}\(", text, re.MULTILINE) is not None


def test_the_table_covers_all_five_systems_and_every_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^## \[", text, re.MULTILINE)) == 5
    assert {kind for kind, _, _ in rows()} >= {"tool", "parameter", "field", "error", "variable", "behaviour"}
    assert len(rows()) >= 150


@pytest.mark.skipif(not SEEDS.exists(), reason="the source documents are not on this machine")
def test_every_variable_and_error_code_of_the_source_documents_stands_in_the_table() -> None:
    table = " ".join(what for _, what, _ in rows())
    words: set[str] = set()
    for file in sorted(SEEDS.glob("*.txt")):
        words |= set(re.findall(r"\b(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+\b", file.read_text(encoding="utf-8")))
    # Constants of the seeds' own code, and a placeholder.
    own = {"DB_PATH", "ISO_8601"}
    assert sorted(word for word in words - own if word not in table) == []


@pytest.mark.skipif(not SEEDS.exists(), reason="the source documents are not on this machine")
def test_every_key_of_the_example_requests_and_answers_is_tested() -> None:
    """The keys of every JSON block in the documents occur in the tests of their contract."""
    tested = " ".join(
        (TESTS / "contracts_seeds" / f"test_{name}.py").read_text(encoding="utf-8")
        for name in ("read_page", "mcp_web", "searxng", "archives", "web_tools")
    )
    # Settings files of the original programs: SPEC names variables instead.
    settings = {"WebSearch", "WebFetch", "Provider", "ApiKey", "MaxResultsPerQuery", "DefaultSafeSearch",
                "CacheDurationMinutes", "RateLimitPerMinute", "TimeoutSeconds", "MaxContentLength", "UserAgent",
                "RespectRobotsTxt", "description", "enum", "minLength", "maxLength", "pattern", "minimum", "maximum",
                "required", "properties", "type", "default"}  # fmt: skip
    missing = set()
    for file in sorted(SEEDS.glob("*.txt")):
        for block in re.findall(r"```json\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL):
            missing |= {key for key in re.findall(r'"(\w+)":', block) if key not in tested}
    assert missing - settings - {"content", "text"} == set()
