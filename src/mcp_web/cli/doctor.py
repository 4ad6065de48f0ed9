"""`mcp-web doctor`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mcp_web.cli.output import json_option, print_json


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without asking (such as installing Chromium).")
@json_option
def command(fix: bool, as_json: bool) -> None:
    """Check settings, store, extraction, model, providers and browser, and say how to mend what is broken."""
    import anyio

    from mcp_web.services.check_parts import check_parts

    async def work() -> list[dict[str, Any]]:
        from mcp_web.app import App
        from mcp_web.settings import load

        async with App(load()) as app:
            return [check.as_dict() for check in await check_parts(app, fix=fix)]

    checks = anyio.run(work)
    if as_json:
        print_json({"checks": checks, "ok": all(check["state"] != "broken" for check in checks)})
    else:
        _show(checks)
    if any(check["state"] == "broken" for check in checks):
        raise SystemExit(1)


def _show(checks: list[dict[str, Any]]) -> None:
    marks = {"ok": ("✓", "green"), "off": ("–", "yellow"), "broken": ("✗", "red")}
    for check in checks:
        mark, colour = marks[check["state"]]
        click.echo(f"{click.style(mark, fg=colour)} {check['part']:12} {check['finding']}")
        if check.get("fix"):
            click.echo(f"  {'':12} → {check['fix']}")
    if not sys.stdout.isatty():
        return
    broken = sum(check["state"] == "broken" for check in checks)
    click.echo(f"\n{broken} to mend." if broken else "\nAll that is switched on works.")
