"""`mcp-web doctor`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import click

from mcp_web.cli.calling import shown_progress
from mcp_web.cli.exit_codes import FAILED
from mcp_web.cli.output import console, echo, json_option, print_json, wrapped
from mcp_web.cli.session import with_app
from mcp_web.cli.wording import for_person


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Fix what can be fixed automatically, such as a missing Chromium.")
@json_option
def command(fix: bool, as_json: bool) -> None:
    """Check settings, store, extraction, model, providers and browser, and say how to fix what is broken."""
    from mcp_web.services.check_parts import check_parts

    with shown_progress():
        checks = [asdict(check) for check in with_app(lambda app: check_parts(app, fix=fix))]
    is_sound = all(check["state"] != "broken" for check in checks)
    print_json({"checks": checks, "ok": is_sound}) if as_json else _show(checks)
    if not is_sound:
        raise SystemExit(FAILED)


def _show(checks: list[dict[str, Any]]) -> None:
    marks = {"ok": ("✓", "green"), "off": ("–", "yellow"), "broken": ("✗", "red")}
    # At a terminal most of a line is for what was found; a longer name takes room of its own line only.
    most = console().width // 3 if sys.stdout.isatty() else 100
    width = max((len(check["part"]) for check in checks if len(check["part"]) <= most), default=0)
    for check in checks:
        mark, colour = marks[check["state"]]
        line = f"{mark} {check['part']:{width}} {for_person(check['finding'])}"
        echo(mark, nl=False, fg=colour)
        echo(wrapped(line, width + 3, stream=sys.stdout).removeprefix(mark))
        if check.get("fix"):
            echo(wrapped(f"  {'':{width}} → {for_person(check['fix'])}", width + 5, stream=sys.stdout))
    if not sys.stdout.isatty():
        return
    broken = sum(check["state"] == "broken" for check in checks)
    echo(f"\n{broken} to fix." if broken else "\nEverything that is enabled works.")
