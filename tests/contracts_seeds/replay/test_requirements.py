"""Every requirement of the source documents is a named check: its test exists, or a reason says why it differs."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
SEEDS = TESTS.parents[1] / "shared" / "seeds"
FILES = sorted(HERE.glob("*.txt"))
KINDS = {"tool", "prompt", "resource", "parameter", "field", "error", "variable", "behaviour", "future"}


def rows(file: Path) -> list[tuple[str, str, str]]:
    """Kind, requirement, and the test or the reason of each line."""
    found = [line.split(" | ") for line in file.read_text(encoding="utf-8").splitlines()]
    return [(kind, " | ".join(rest[:-1]), rest[-1]) for kind, *rest in found]


CHECKS = [(file.stem, *row) for file in FILES for row in rows(file)]


@functools.cache
def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.exists() else ast.Module([], [])
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(
    ("contract", "kind", "requirement", "proof"), CHECKS, ids=[f"{one[0]}: {one[2]}" for one in CHECKS]
)
def test_a_requirement_has_its_test_or_its_reason(contract: str, kind: str, requirement: str, proof: str) -> None:
    assert kind in KINDS
    if proof.startswith("differs: "):
        assert len(proof.split()) > 6, f"{contract}: {requirement} needs a reason that a user would accept"
        return
    file, _, name = proof.partition("::")
    assert name in names_in(TESTS / file), f"{contract}: {requirement} names {proof}, which does not exist"


def test_all_five_systems_are_there_and_nothing_twice() -> None:
    assert [file.stem for file in FILES] == ["archives", "mcp-web", "read-page", "searxng", "web-tools"]
    assert len(CHECKS) >= 358
    assert len({(contract, requirement) for contract, _, requirement, _ in CHECKS}) == len(CHECKS)


@pytest.mark.skipif(not SEEDS.exists(), reason="the source documents are not on this machine")
def test_every_variable_and_error_code_of_the_source_documents_is_a_requirement() -> None:
    listed = " ".join(requirement for _, _, requirement, _ in CHECKS)
    words: set[str] = set()
    for file in sorted(SEEDS.glob("*.txt")):
        words |= set(re.findall(r"\b(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+\b", file.read_text(encoding="utf-8")))
    # Constants of those systems' own code, and a placeholder.
    own = {"DB_PATH", "ISO_8601"}
    assert sorted(word for word in words - own if word not in listed) == []


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
