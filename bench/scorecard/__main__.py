"""`python -m bench.scorecard`: measure everything beside the peers and write docs/scorecard.md.

python -m bench.scorecard                        all parts
python -m bench.scorecard --parts race --servers mcp-web,mcp-server-fetch
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
from typing import Any

from bench.peers import ROOT, ours
from bench.scorecard import corpus, race, report
from bench.scorecard.contestants import PEERS, Make
from bench.scorecard.development_part import development_table
from bench.scorecard.installs import NODE_PEERS, PYTHON_PEERS, Installed, install
from bench.scorecard.isolation import is_inside, isolate
from bench.scorecard.pages_part import archive_table, extraction_table, open_pages, speed_table
from bench.scorecard.quotes_part import quotes_table
from bench.scorecard.race_tables import race_table
from bench.scorecard.reading_part import reading_table
from bench.scorecard.safety_part import hidden_table, hostile_table, ssrf_table
from bench.scorecard.session import Session
from bench.scorecard.site import serving
from bench.scorecard.startup_part import startup_table
from bench.scorecard.table import Table, from_json, worse

RESULTS = ROOT / "bench" / "scorecard" / "results.json"  # committed: the next run is compared with it
RACE = ROOT / ".cache" / "scorecard" / "race.json"  # every answer of the race
ORDER = (  # of the tables on the page
    *("race", "reading", "extraction", "development", "archive", "quotes", "hidden", "ssrf", "hostile"),
    *("startup", "speed"),
)
Part = Callable[[argparse.Namespace, dict[str, Installed]], list[Table]]


def run_race(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    questions = corpus.load()
    if not options.add:
        RACE.unlink(missing_ok=True)
    for lap in race.run(questions, _makes(options), installed, version("mcp-web")):
        RACE.write_text(json.dumps([one.as_json() for one in (_laps() | {lap.server: lap}).values()]))
    laps = _laps()
    ordered = [laps[name] for name in race.contestants() if name in laps]
    return [race_table(ordered, questions.digest, _lite_listing())]


def _laps() -> dict[str, race.Lap]:
    rows = json.loads(RACE.read_text()) if RACE.exists() else []
    return {row["server"]: race.lap_from_json(row) for row in rows}


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
            extraction_table(questions, opened),
            speed_table(opened),
            archive_table(questions, opened),
            quotes_table(questions, web, makes, installed, opened),
            reading_table(questions, web, makes, installed),
        ]


def run_addresses(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    return [ssrf_table(_makes(options), installed)]


def run_startup(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    return [startup_table(_makes(options), installed)]


def run_development(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    return [development_table()]


def run_hidden(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    return [hidden_table(_makes(options), installed)]


def run_hostile(options: argparse.Namespace, installed: dict[str, Installed]) -> list[Table]:
    return [hostile_table(_makes(options), installed)]


PARTS: dict[str, Part] = {
    "race": run_race,
    "pages": run_pages,
    "hidden": run_hidden,
    "addresses": run_addresses,
    "hostile": run_hostile,
    "startup": run_startup,
    "development": run_development,
}


def main() -> None:
    options = _options()
    installed = {name: install(name, online=not is_inside()) for name in (*PYTHON_PEERS, *NODE_PEERS)}
    if not is_inside():
        race.install_searxng()
    facts = _facts(isolate(sys.argv[1:]), options.add)
    RACE.parent.mkdir(parents=True, exist_ok=True)
    before, failed = _last_run(), []
    if not options.add:
        RESULTS.unlink(missing_ok=True)
    for name in options.parts.split(","):
        begun = time.perf_counter()
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            _add([_with_unasked(table, options) for table in PARTS[name](options, installed)], facts)
        except Exception as error:  # noqa: BLE001  one part that fails must not lose the others
            failed.append(f"{name}: {type(error).__name__}: {error}")
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    for change in worse(before.values(), _last_run().values()):
        print(f"worse than before: {change}", file=sys.stderr)
    if failed:
        sys.exit("Parts that failed:\n" + "\n".join(failed))


def _with_unasked(table: Table, options: argparse.Namespace) -> Table:
    """The table with the servers that this run left out, named among what was not measured."""
    present = {row.peer for row in table.rows} | set(_makes(options))
    unasked = tuple(f"{name}: not part of this run" for name in PEERS if name not in present)
    return replace(table, absent=table.absent + unasked) if table.name not in ("reading", "development") else table


def _add(found: list[Table], facts: dict[str, Any]) -> None:
    """Write the tables beside those that are there, so that a run that is interrupted keeps what is done."""
    tables = _last_run() | {table.name: table for table in found}
    ordered = [tables[name] for name in ORDER if name in tables]
    RESULTS.write_text(json.dumps([table.as_json() for table in ordered], ensure_ascii=False, indent=1))
    report.write(ordered, facts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--servers", default="", help="only these servers in the race")
    parser.add_argument("--add", action="store_true", help="keep the other parts and servers of the last run")
    return parser.parse_args()


def _last_run() -> dict[str, Table]:
    if not RESULTS.exists():
        return {}
    return {row["name"]: from_json(row) for row in json.loads(RESULTS.read_text())}


def _facts(inside: bool, added: bool) -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB of memory, "
        f"{platform.system()}, Python {platform.python_version()}",
        "network": "loopback only, in a namespace of its own" if inside else "not isolated on this system",
        "version": version("mcp-web"),
        "runs": "Parts and servers were measured in several runs, under differing load: seconds of different servers "
        "compare only roughly."
        if added
        else "Everything was measured in one run.",
    }


if __name__ == "__main__":
    main()
