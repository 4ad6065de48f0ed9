"""What is published beside the wheel agrees with the code, and the real tools accept it."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from mcp_web import __version__
from mcp_web.cli.main import cli
from mcp_web.settings import load
from mcp_web.tools.options import CONTRACTS
from mcp_web.tools.sets import STANDARD

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
NODE = ROOT / ".cache" / "mcpb"


def test_the_registry_s_description_agrees_with_the_code() -> None:
    described = json.loads((PACKAGING / "server.json").read_text())
    (package,) = described["packages"]
    assert described["version"] == package["version"] == __version__
    assert f"mcp-name: {described['name']}" in (ROOT / "README.md").read_text()
    assert len(described["description"]) <= 100, "the registry takes no more"
    known = {name for row in load(environ={}).rows for name in row.variables}
    variables = {one["name"]: one for one in package["environmentVariables"]}
    assert set(variables) <= known
    assert variables["MCP_WEB_CONTRACT"]["choices"] == list(CONTRACTS)
    assert variables["BRAVE_API_KEY"]["isSecret"] is True


def test_the_bundle_agrees_with_the_code() -> None:
    manifest = json.loads((PACKAGING / "mcpb" / "manifest.json").read_text())
    project = tomllib.loads((PACKAGING / "mcpb" / "pyproject.toml").read_text())["project"]
    assert manifest["version"] == project["version"] == __version__
    assert [tool["name"] for tool in manifest["tools"]] == list(STANDARD)
    named = set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest["server"])))
    assert named == set(manifest["user_config"])
    assert manifest["user_config"]["brave_api_key"]["sensitive"] is True


def test_the_bundle_is_accepted_and_packed_by_the_official_tool(tmp_path: Path) -> None:
    bundle = shutil.copytree(PACKAGING / "mcpb", tmp_path / "bundle")
    for args in (("validate", str(bundle / "manifest.json")), ("pack", str(bundle), str(tmp_path / "mcp-web.mcpb"))):
        done = subprocess.run([_mcpb(), *args], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "mcp-web.mcpb").stat().st_size > 500


def _mcpb() -> str:
    program = NODE / "node_modules" / ".bin" / "mcpb"
    if not program.exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is missing")
        NODE.mkdir(parents=True, exist_ok=True)
        (NODE / "package.json").write_text('{"private": true}')
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "@anthropic-ai/mcpb@2.1.2"],
            cwd=NODE, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            pytest.skip(f"the bundle tool cannot be installed here: {done.stderr[-200:]}")
    return str(program)


def test_the_container_runs_as_an_ordinary_user_and_starts_the_server() -> None:
    text = (PACKAGING / "Containerfile").read_text()
    lines = text.splitlines()
    assert "USER 10001" in lines
    assert lines.index("USER 10001") < lines.index('ENTRYPOINT ["mcp-web"]')
    assert "io.modelcontextprotocol.server.name" in text


def test_the_manual_page_names_every_command_and_option() -> None:
    page = runpy.run_path(str(PACKAGING / "manpage.py"))["page"]()
    root = click.Context(cli, info_name="mcp-web")
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        assert command is not None
        assert f".SS mcp\\-web {name.replace('-', chr(92) + '-')}" in page
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert param.opts[-1].replace("-", "\\-") in page
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-k", "-man", "-Tutf8", "-ww"],
            input=page, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr


def test_the_skill_teaches_commands_that_exist_in_forty_lines() -> None:
    text = (PACKAGING / "skill" / "SKILL.md").read_text()
    assert len(text.splitlines()) <= 40
    assert text.startswith("---\nname: mcp-web\ndescription: ")
    root = click.Context(cli, info_name="mcp-web")
    for line in re.findall(r"mcp-web ((?:[a-z]+ ?)+)", text.partition("# The web")[2].replace("`", " ")):
        first, *rest = line.split()
        command = cli.get_command(root, first)
        assert command is not None, line
        if isinstance(command, click.Group) and rest:
            assert command.get_command(root, rest[0]) is not None, line
    for option in set(re.findall(r"(--[a-z][a-z-]*)", text)):
        assert any(option in command.get_help(root) for command in _all_commands()), option


def _all_commands() -> list[click.Command]:
    root = click.Context(cli, info_name="mcp-web")
    found: list[click.Command] = []
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        assert command is not None
        found.append(command)
        if isinstance(command, click.Group):
            subs = [command.get_command(root, sub) for sub in command.list_commands(root)]
            found += [sub for sub in subs if sub is not None]
    return found


def test_the_compose_file_joins_the_server_and_its_searxng() -> None:
    import yaml

    compose = yaml.safe_load((PACKAGING / "compose.yaml").read_text())
    server, searxng = compose["services"]["mcp-web"], compose["services"]["searxng"]
    known = {name for row in load(environ={}).rows for name in row.variables}
    assert set(server["environment"]) <= known
    assert (PACKAGING / server["build"]["context"] / server["build"]["dockerfile"]).resolve().exists()
    assert server["depends_on"]["searxng"]["condition"] == "service_healthy"
    assert "healthcheck" in searxng
    assert all(port.startswith("127.0.0.1:") for port in server["ports"]), "only this machine reaches it"
    mounted = PACKAGING / searxng["volumes"][0].split(":")[0]
    assert "json" in yaml.safe_load((mounted / "settings.yml").read_text())["search"]["formats"]


def test_the_container_s_versions_are_pinned_and_its_health_can_be_asked() -> None:
    text = (PACKAGING / "Containerfile").read_text()
    for image in re.findall(r"^FROM (\S+)", text, flags=re.M):
        assert re.search(r":\d+\.\d+\.\d+", image), image
    check = json.loads(re.search(r"HEALTHCHECK .*? CMD (\[.*\])$", text, flags=re.M)[1])  # type: ignore[index]
    assert check[0] == "python"
    compile(check[2], "healthcheck", "exec")
    assert "--require-hashes" in text
