"""`python -m bench.scorecard`: measure everything beside the peers and write docs/scorecard.md.

python -m bench.scorecard                        all parts
python -m bench.scorecard --parts race --servers mcp-web,mcp-server-fetch
python -m bench.scorecard compare A B            the verdicts of two results.json; fails where one differs
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.peers import ROOT, ours
from bench.scorecard import corpus, race, report
from bench.scorecard.contestants import PEERS, Make
from bench.scorecard.development_part import development_table
from bench.scorecard.hostile_part import hostile_table
from bench.scorecard.installs import VERSIONS, Installed, install_all
from bench.scorecard.isolation import is_inside, isolate
from bench.scorecard.pages_part import archive_table, extraction_table, open_pages, speed_table
from bench.scorecard.quotes_part import quotes_table
from bench.scorecard.race_tables import factor_table, race_table
from bench.scorecard.reading_part import reading_table
from bench.scorecard.safety_part import hidden_table, ssrf_table
from bench.scorecard.session import Session
from bench.scorecard.site import serving
from bench.scorecard.startup_part import startup_table
from bench.scorecard.table import Table, changes, read, settled

RESULTS = ROOT / "bench" / "scorecard" / "results.json"  # committed: the next run is compared with it
ORDER = (  # of the tables on the page
    *("race", "factor", "reading", "extraction", "development", "archive", "quotes", "hidden", "ssrf", "hostile"),
    *("startup", "speed"),
)
Part = Callable[[argparse.Namespace, dict[str, Installed]], list[Table]]


def run_race(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    questions = corpus.load()
    laps = race.run(questions, _makes(options), installed, version("mcp-web"))
    return [race_table(laps, questions.digest), factor_table(laps, _lite_listing())]


def _makes(options: argparse.Namespace) -> dict[str, Make]:
    return race.contestants(options.servers.split(",") if options.servers else None)


def _lite_listing() -> int:
    session = Session(ours(), MCP_WEB_PROFILE="lite")
    session.close()
    return session.listing_tokens


def run_pages(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    questions, makes = corpus.load(), _makes(options)
    with serving(questions) as web:
        opened = open_pages(questions, web, makes, installed)
        return [
            extraction_table(opened),
            speed_table(opened),
            archive_table(opened),
            quotes_table(web, makes, installed, opened),
            reading_table(questions, web, makes, installed),
        ]


def _single(table: Callable[[dict[str, Make], dict[str, Installed]], Table]) -> Part:
    """A part that is one table over all servers."""
    return lambda options, installed: [table(_makes(options), installed)]


PARTS: dict[str, Part] = {
    "race": run_race,
    "pages": run_pages,
    "hidden": _single(hidden_table),
    "addresses": _single(ssrf_table),
    "hostile": _single(hostile_table),
    "startup": _single(startup_table),
    "development": lambda options, installed: [development_table()],
}


def main() -> None:
    if sys.argv[1:2] == ["compare"]:
        sys.exit(compare(*map(Path, sys.argv[2:4])))
    options = _options()
    begun = time.perf_counter()
    installed = install_all(online=not is_inside())
    if not is_inside():
        race.install_searxng()
        print(f"installed: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    whole = not options.servers and options.parts == ",".join(PARTS)
    facts = _facts(isolate(sys.argv[1:]), whole)
    before, failed = _last_run(), []
    if whole:
        RESULTS.unlink(missing_ok=True)
    for name in options.parts.split(","):
        begun = time.perf_counter()
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            found = [settled(table, before.get(table.name)) for table in PARTS[name](options, installed)]
            _add([_with_unasked(table, options) for table in found], facts)
        except Exception as error:  # noqa: BLE001  one part that fails must not lose the others
            failed.append(f"{name}: {type(error).__name__}: {error}")
            _add([Table(name, name.capitalize(), "", absent=(f"this part ended: {error}",))], facts)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    for change in changes(before.values(), _last_run().values()):
        if change.is_worse:
            print(f"worse than before: {change}", file=sys.stderr)
    if failed:
        sys.exit("Parts that failed:\n" + "\n".join(failed))


def compare(before: Path, after: Path) -> int:
    """Print every verdict that differs between two runs; the exit status says whether one does."""
    old, new = read(before), read(after)
    found = changes(old, new)
    rows = sum(len(table.rows) for table in new)
    print(*found, f"{rows} rows, {len(found)} verdicts differ", sep="\n")
    return int(bool(found))


def _with_unasked(table: Table, options: argparse.Namespace) -> Table:
    """The table with the servers that this run left out, named among what was not measured."""
    present = {row.peer for row in table.rows} | set(_makes(options))
    unasked = tuple(f"{name}: not part of this run" for name in PEERS if name not in present)
    return (
        replace(table, absent=table.absent + unasked)
        if table.name not in ("reading", "development", "factor")
        else table
    )


def _add(found: list[Table], facts: dict[str, Any]) -> None:
    """Write the tables beside those that are there, so that a run that is interrupted keeps what is done."""
    tables = _last_run() | {table.name: table for table in found}
    ordered = [tables[name] for name in dict.fromkeys((*ORDER, *PARTS)) if name in tables]
    RESULTS.write_text(json.dumps([table.as_json() for table in ordered], ensure_ascii=False, indent=1))
    report.write(ordered, facts | {"minutes": (time.perf_counter() - facts["begun"]) / 60})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--parts", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}; the tables of the others are kept"
    )
    parser.add_argument("--servers", default="", help="only these servers")
    return parser.parse_args()


def _last_run() -> dict[str, Table]:
    return {table.name: table for table in read(RESULTS)}


def _facts(inside: bool, whole: bool) -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "begun": time.perf_counter(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB of memory, "
        f"{platform.system()}, Python {platform.python_version()}",
        "network": "loopback only, in a namespace of its own" if inside else "not isolated on this system",
        "version": version("mcp-web"),
        "peers": [(name, _version(name), make.__doc__ or "") for name, make in race.contestants().items()],
        "runs": "Everything was measured in one run" if whole else "Parts were measured in several runs, the last",
    }


def _version(server: str) -> str:
    return VERSIONS.get(server) or version(server)


if __name__ == "__main__":
    main()
