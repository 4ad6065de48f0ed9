"""`mcp-web siteconfig`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import IO, Any

import click

from mcp_web.cli.output import echo, json_option, print_json, print_list


@click.group("siteconfig")
def command() -> None:
    """Rules for single sites: list those known, try one on a page."""


@command.command("list")
@json_option
def list_configs(as_json: bool) -> None:
    """List the packaged configs and those of your folder (MCP_WEB_SITE_CONFIGS), which take precedence."""
    from mcp_web.extract.options import ExtractOptions
    from mcp_web.extract.sites import in_folder, packaged, unusable
    from mcp_web.settings import load

    folder = load().of(ExtractOptions).site_configs
    for problem in unusable(folder):
        echo(problem, fg="yellow", err=True)
    rows = [("yours", one) for one in in_folder(folder)] + [("packaged", one) for one in packaged()]
    objects = [{"from": origin, **dataclasses.asdict(one)} for origin, one in rows]
    cells = [(one.id, one.version, origin, _scope(one)) for origin, one in rows]
    print_list(objects, ("id", "version", "from", "for"), cells, "", as_json=as_json)


@command.command("test")
@click.argument("config", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("page", type=click.File("rb"))
@click.option("--url", default="", help="The page's address.")
@json_option
def test(config: Path, page: IO[bytes], url: str, as_json: bool) -> None:
    """Try the config file CONFIG on a saved page and show what each rule matched."""
    from mcp_web.extract.site_check import check_siteconfig

    try:
        rules = config.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{config} is not UTF-8 text.") from error
    report = check_siteconfig(rules, page.read(), url)
    facts = dataclasses.asdict(report)
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        echo(f"{name}: {_shown(value)}")


def _scope(config: Any) -> str:
    names = [*config.domains, *config.generator, *config.marks]
    return ", ".join(names[:4]) + (" …" if len(names) > 4 else "")


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "".join(f"\n  {_shown(item)}" for item in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return str(value)
