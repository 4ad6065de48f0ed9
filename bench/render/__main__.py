"""Warm renders beside bare Playwright scripts on the same Chromium: `python -m bench.render [--pages 25] [--json]`.

Limit: a small page at most 1.5 × the bare script that stops at the load event.
"""

from __future__ import annotations

import argparse
import asyncio
import json

from bench.render.measure import measure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.render")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_known_args()[0]
    results = asyncio.run(measure(chosen.pages))
    if chosen.json:
        print(json.dumps(results, indent=2))
        return
    print("| page | mcp-web ms | bare load ms | networkidle ms | ÷ bare load | ÷ networkidle |")
    print("|---|--:|--:|--:|--:|--:|")
    for page, medians in results.items():
        ours, load, idle = medians["mcp-web"], medians["bare, load"], medians["bare, networkidle"]
        print(f"| {page} | {ours:.0f} | {load:.0f} | {idle:.0f} | {ours / load:.2f} | {ours / idle:.2f} |")
    print("\nlimit: small page ÷ bare load ≤ 1.5")


if __name__ == "__main__":
    main()
