"""Quality and CPU time of our engine and the installed peers, on the same pages in one run.

    python -m bench.extraction                      # every development page, every installed engine
    python -m bench.extraction --pages 60           # a sample, for a quick look
    python -m bench.extraction --set aeb,docs --engines mcp-web,trafilatura

Each page is read by all engines one after the other, so that the load of the machine falls on all alike:
read the ratios, not the milliseconds. They are of sums, and in brackets the median of the pages'. Ours is timed
whole, from bytes to Markdown with metadata, as a worker runs it; trafilatura without metadata and with it.
Peers: `pip install trafilatura readability-lxml resiliparse markitdown`.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from typing import Any

from bench.extraction.data import DATA, Page, gold_of, html_of, manifest, scorer
from bench.extraction.engines import Engine, Entry, installed

Result = dict[str, Any]
REFERENCES = ("trafilatura", "trafilatura with metadata")
QUALITY = ("aeb", "wcxb", "docs", "mozread", "trafeval", "defuddle")


def measure(page: Page, engines: list[tuple[Entry, Engine]]) -> dict[str, Result]:
    html, gold, results = html_of(page), gold_of(page), {}
    for entry, engine in engines:
        begun, failed, out = time.process_time(), None, ""
        try:
            out = engine(html, page["url"])
        except Exception as error:  # noqa: BLE001  a peer's failure is a result
            failed = f"{type(error).__name__}: {error}"[:100]
        spent = (time.process_time() - begun) * 1000
        found: Result = scorer().score_one(page, gold, out, entry.format)
        found.update(id=page["id"], set=page["set"], type=page["type"], cpu=spent, wall=spent, err=failed, n=len(out))
        results[entry.name] = found
    return results


def table(by_engine: dict[str, list[Result]]) -> str:
    sets = [name for name in QUALITY if any(result["set"] == name for result in by_engine["mcp-web"])]
    head = ["engine", *(f"{name} F" for name in sets), "docs code block / exact / language",
            "docs tables / headings / links", "CPU ms median", *(f"CPU to {name}" for name in REFERENCES),
            "errors"]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, results in by_engine.items():
        sums = {each: scorer().agg(found) for each in sets if (found := [r for r in results if r["set"] == each])}
        docs = sums.get("docs", {})
        cells = [name, *(f"{sums[each]['F1']:.3f}" for each in sets)]
        cells.append(_joined(docs, "code_block", "code_exact", "lang_ok"))
        cells.append(_joined(docs, "table_ok", "head_ok", "link_target"))
        cells.append(f"{statistics.median(result['cpu'] for result in results):.1f}")
        cells.extend(_ratio(results, by_engine[each]) if each in by_engine else "–" for each in REFERENCES)
        cells.append(str(sum(1 for result in results if result["err"])))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _joined(facts: dict[str, float], *names: str) -> str:
    return " / ".join(f"{facts[name]:.3f}" if name in facts else "–" for name in names)


def _ratio(results: list[Result], reference: list[Result]) -> str:
    whole = sum(result["cpu"] for result in results) / max(1e-9, sum(result["cpu"] for result in reference))
    each = statistics.median(
        one["cpu"] / max(1e-3, other["cpu"]) for one, other in zip(results, reference, strict=True)
    )
    return f"{whole:.3f} ({each:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=0, help="only so many pages, sampled evenly")
    parser.add_argument("--set", default="", help="only these sets, comma-separated")
    parser.add_argument("--engines", default="", help="only these engines, comma-separated")
    wanted = parser.parse_args()
    if not DATA.exists():
        parser.exit(2, f"The development pages are not at {DATA}; set MCP_WEB_BENCH_DATA.\n")
    pages = [page for page in manifest() if not wanted.set or page["set"] in wanted.set.split(",")]
    if wanted.pages and wanted.pages < len(pages):
        pages = random.Random(7).sample(pages, wanted.pages)
    names = [name.strip() for name in wanted.engines.split(",") if name.strip()]
    engines = [(entry, entry.make()) for entry in installed() if not names or entry.name in ("mcp-web", *names)]
    measure(pages[0], engines)  # imports and caches are not the page's cost
    by_engine: dict[str, list[Result]] = {entry.name: [] for entry, _ in engines}
    for page in pages:
        for name, result in measure(page, engines).items():
            by_engine[name].append(result)
    print(f"{len(pages)} pages\n\n{table(by_engine)}")


if __name__ == "__main__":
    main()
