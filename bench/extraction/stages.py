"""Where the CPU time of reading a page goes: one line for each stage, and the slowest pages.

python -m bench.extraction.stages --pages 150
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.extraction.data import html_of, manifest
from bench.extraction.engines import extract

# Stage → module and the name under which the engine calls it.
STAGES = {
    "parse": ("mcp_web.extract.html.engine", "parse_page"),
    "metadata": ("mcp_web.extract.html.engine", "read_metadata"),
    "class and id names": ("mcp_web.extract.html.engine", "PageNames"),
    "hidden text": ("mcp_web.extract.html.engine", "remove_hidden"),
    "blocks": ("mcp_web.extract.html.choose", "read_content"),
    "features of boxes": ("mcp_web.extract.html.choose", "PageFeatures"),
    "features of blocks, model": ("mcp_web.extract.html.model", "Scorer.score"),
    "decision": ("mcp_web.extract.html.choose", "decide"),
    "Markdown": ("mcp_web.extract.html.engine", "write_markdown"),
    "walls": ("mcp_web.extract.html.engine", "detect_wall"),
}


def timed(call: Callable[..., Any], stage: str, spent: dict[str, float]) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        begun = time.process_time()
        try:
            return call(*arguments, **named)
        finally:
            spent[stage] += time.process_time() - begun

    return run


def watch(spent: dict[str, float]) -> None:
    """Time every stage from now on."""
    for stage, (module, path) in STAGES.items():
        owner: Any = import_module(module)
        *around, name = path.split(".")
        for part in around:
            owner = getattr(owner, part)
        setattr(owner, name, timed(getattr(owner, name), stage, spent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=150, help="so many pages, sampled evenly")
    pages = manifest()
    pages = random.Random(7).sample(pages, min(parser.parse_args().pages, len(pages)))
    sources = [(html_of(page), page["url"]) for page in pages]
    for source, url in sources[:5]:
        extract(source, url)  # imports and caches are not the pages' cost
    spent: dict[str, float] = defaultdict(float)
    watch(spent)
    each: list[tuple[float, str]] = []
    for source, url in sources:
        begun = time.process_time()
        extract(source, url)
        each.append((time.process_time() - begun, url))
    total = sum(seconds for seconds, _ in each)
    for stage, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{stage:26}{seconds / len(pages) * 1000:7.2f} ms {seconds / total:6.1%}")
    print(f"{'all':26}{total / len(pages) * 1000:7.2f} ms")
    for seconds, url in sorted(each, reverse=True)[:5]:
        print(f"  {seconds * 1000:6.0f} ms  {url}")


if __name__ == "__main__":
    main()
