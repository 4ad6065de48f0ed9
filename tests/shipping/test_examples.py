"""Every example works: client configurations are what `mcp-web client` writes, recipes run on the mini web."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from contracts_seeds.contract_caller import OFFLINE
from contracts_seeds.pages import article, searxng, searxng_answer
from mcp_web.cli.clients import CLIENTS
from mcp_web.tools.options import CONTRACTS
from mcp_web.web.connect import Entry
from miniweb import MiniWeb, Site
from surface.rpc import WAIT, clean_environment
from surface.test_http import Served

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client.form != "text"])
def test_a_client_s_example_is_what_the_command_writes(name: str) -> None:
    client = CLIENTS[name]
    file = EXAMPLES / "clients" / f"{name}.{'toml' if client.form == 'toml' else 'json'}"
    whole: Any = tomllib.loads(file.read_text()) if client.form == "toml" else json.loads(file.read_text())
    for key in client.where:
        whole = whole[key]
    assert whole == {"mcp-web": client.body_of(Entry("uvx", ("mcp-web",), {}))}


@pytest.mark.parametrize("file", sorted((EXAMPLES / "clients").glob("drop-in-*.json")), ids=lambda file: file.stem)
def test_a_drop_in_names_a_contract_that_exists(file: Path) -> None:
    (entry,) = json.loads(file.read_text())["mcpServers"].values()
    assert entry["args"][:3] == ["mcp-web", "serve", "--contract"]
    assert entry["args"][3] in CONTRACTS


class Recipes:
    def __init__(self, site: Site, folder: Path, **env: str) -> None:
        self._env = clean_environment(folder, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=site.exemption, **env)

    def run(self, name: str, *args: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / "recipes" / name), *args],
            capture_output=True, text=True, env=self._env, timeout=WAIT, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def docs(miniweb: MiniWeb) -> Site:
    site = miniweb.site("docs.example")
    site.page("/", article("Manual", "Overview", say='has <a href="/tasks.html">tasks</a>'))
    site.page("/tasks.html", article("Tasks", "Cancellation", "Deadlines"))
    code = "<pre><code class=language-python># A comment.\ndef open_pool(size: int) -> Pool\n    ...</code></pre>"
    site.page("/api.html", article("Reference", "Pool").replace("</h2>", f"</h2>{code}"))
    return site


def test_search_open_and_summarise(miniweb: MiniWeb, docs: Site, tmp_path: Path) -> None:
    pages = [docs.loopback_url("/tasks.html"), docs.loopback_url("/api.html"), docs.loopback_url("/gone")]
    instance = searxng(miniweb, searxng_answer(*pages))
    said = Recipes(docs, tmp_path, MCP_WEB_SEARXNG_URLS=instance.url()).run("search_open_summarise.py", "tasks")
    assert "Page 0" in said
    assert "#:~:text=" in said
    assert "not read:" in said


def test_an_api_s_surface_is_listed(docs: Site, tmp_path: Path) -> None:
    said = Recipes(docs, tmp_path).run("api_surface.py", docs.loopback_url("/api.html"))
    assert "def open_pool(size: int) -> Pool" in said
    assert "# A comment." not in said
    assert "source: " in said


def test_quotes_are_checked(docs: Site, tmp_path: Path) -> None:
    recipes, url = Recipes(docs, tmp_path), docs.loopback_url("/tasks.html")
    assert recipes.run("fact_check.py", url, "Cancellation is explained here").startswith("exact")
    assert "absent" in recipes.run("fact_check.py", url, "Nobody ever wrote these words here", code=3)


def test_documentation_is_brought_into_the_archive_and_asked(docs: Site, tmp_path: Path) -> None:
    said = Recipes(docs, tmp_path).run("docs_into_archive.py", docs.loopback_url("/"), "cancellation", "deadlines")
    assert "crawled:" in said
    assert docs.loopback_url("/tasks.html") in said


@pytest.fixture
def pep(miniweb: MiniWeb) -> Site:
    site = miniweb.site("peps.example")
    proposal = "what this PEP proposes and why exception groups are not a list: to raise and handle multiple unrelated"
    site.page("/pep", article("Exception groups", "Rationale", say=f"says {proposal} exceptions simultaneously"))
    return site


def run_changed(file: str, heading: str, pep: Site, folder: Path, address: tuple[str, str]) -> None:
    """Run the first program below a heading with our page and server; it prints a passage and a checked quote."""
    text = (EXAMPLES.parent / file).read_text()
    program = text.partition(heading)[2].partition("```python\n")[2].partition("```")[0]
    for old, new in (address, ("https://peps.python.org/pep-0654/", pep.loopback_url("/pep"))):
        assert old in program
        program = program.replace(old, new)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=WAIT, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "why exception groups are not a list" in done.stdout
    assert "1 exact" in done.stdout
    assert "#:~:text=" in done.stdout


def test_the_guide_s_program_for_the_python_sdk_gives_a_cited_answer(pep: Site, tmp_path: Path) -> None:
    env = clean_environment(tmp_path, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=pep.exemption)
    ours = f"command={sys.executable!r}, args=['-m', 'mcp_web'], env={env!r}"
    run_changed("docs/guides/frameworks.md", "## The MCP Python SDK", pep, tmp_path, ('command="mcp-web"', ours))


def test_the_readme_s_program_gets_a_cited_answer_from_the_running_server(pep: Site, tmp_path: Path) -> None:
    served = Served(tmp_path, **OFFLINE, MCP_WEB_ALLOW_PRIVATE=pep.exemption)
    try:
        run_changed("README.md", "### A first answer", pep, tmp_path, (":8765/", f":{served.port}/"))
    finally:
        served.stop()
