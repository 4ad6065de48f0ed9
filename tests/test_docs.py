"""Nothing exists until it is documented, and what is documented exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown import Markdown

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md")))


def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:|#|/", target):
            continue
        place = (path.parent / target.partition("#")[0]).resolve()
        assert place.exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_line_breaks_are_not_shown_as_backslashes_on_the_built_site(path: Path) -> None:
    shown = Markdown(extensions=["fenced_code", "tables"]).convert(path.read_text(encoding="utf-8"))
    assert re.findall(r".*\\$", re.sub(r"<pre>.*?</pre>", "", shown, flags=re.S), flags=re.M) == []


def test_every_dependency_says_why_it_is_there() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[<>=\[; ]", spec)[0] for spec in project["dependencies"]]
    for extra, specs in project["optional-dependencies"].items():
        if extra not in ("dev", "docs", "build", "bench"):
            names += [re.split(r"[<>=\[; ]", spec)[0] for spec in specs]
    text = (DOCS / "concepts" / "dependencies.md").read_text(encoding="utf-8").lower()
    assert [name for name in names if name.lower() not in text] == []


def test_every_variable_a_page_names_is_one_we_read() -> None:
    from mcp_web.settings import load

    known = {name for row in load(environ={}).rows for name in row.variables} | {"MCP_WEB_CONFIG"}
    for path in PAGES:
        if path.name == "source-systems.md":
            continue
        for name in re.findall(r"\bMCP_WEB_[A-Z_]+[A-Z]\b", path.read_text(encoding="utf-8")):
            assert name in known, f"{path.relative_to(ROOT)} names {name}"


def test_troubleshooting_quotes_sentences_and_codes_that_exist() -> None:
    from mcp_web.errors import all_errors

    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "mcp_web").rglob("*.py"))
    page = (DOCS / "guides" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"\*\*(.+?)\*\*", page)
    assert len(quoted) >= 15
    assert [words for words in quoted if words not in source] == []
    codes = {kind.code for kind in all_errors()} | {"BAD_HOST"}
    assert set(re.findall(r"`([A-Z]+_[A-Z_]+)`(?= \||\s\()", page)) <= codes


def test_the_readme_s_commands_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^(?:\$ )?make ([a-z]+)", text, flags=re.M)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"run", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_nothing_tells_of_the_machine_it_was_written_on() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    patterns = re.compile(rb"/(?:work|root)/[a-z.]|(?:extra-)?index" + rb"-url|files\.python" + rb"hosted")
    found = []
    for name in files:
        path = ROOT / name
        if path.is_file() and path.name != "test_docs.py" and (match := patterns.search(path.read_bytes())):
            found.append(f"{name}: {match[0]!r}")
    assert found == []
