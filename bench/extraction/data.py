"""The development pages: `../shared/extraction` beside the repository, or the folder in MCP_WEB_BENCH_DATA."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import turbohtml

from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.choose import read_content
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.kind import declared_kind
from mcp_web.extract.html.parse import body_of
from mcp_web.extract.html.rules import NEVER
from mcp_web.extract.metadata import read_metadata

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("MCP_WEB_BENCH_DATA", ROOT / ".." / "shared" / "extraction"))

Page = dict[str, Any]


def manifest() -> list[Page]:
    return [json.loads(line) for line in (DATA / "manifest.jsonl").read_text().splitlines()]


def html_of(page: Page) -> str:
    with gzip.open(DATA / "html" / page["set"] / f"{page['id']}.html.gz") as file:
        return file.read().decode("utf-8", "replace")


def gold_of(page: Page) -> dict[str, Any]:
    with gzip.open(DATA / "gold" / page["set"] / f"{page['id']}.json.gz") as file:
        gold: dict[str, Any] = json.load(file)
    if page["set"] == "defuddle":
        gold["text"] = scorer().md_to_text(gold["md"])
    return gold


def features_of(html: str, url: str) -> PageFeatures | None:
    """The features of a page as the engine computes them; None if the page has no blocks, or too many boxes."""
    tree = turbohtml.parse(html, positions=False)
    title, metadata = read_metadata(tree, url)
    declared = declared_kind(metadata)
    remove_hidden(tree, removed_later=NEVER)
    body = body_of(tree)
    read = None if body is None else read_content(tree, body, declared)
    return None if read is None or not read.blocks else PageFeatures(read, metadata.page_title or title, declared)


def group_of(page: Page) -> str:
    """Pages that may look alike share a group, so that no site is trained on and tested on."""
    host = urlsplit(page["url"]).hostname or ""
    if page["set"] in ("defuddle", "mozread"):
        return f"{page['set']}/{page['id'].rstrip('0123456789').rstrip('-_')}"
    if page["set"] == "docs":
        return f"docs/{page['type']}"
    labels = host.split(".")
    two_part = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3  # co.uk, com.br
    return ".".join(labels[-3 if two_part else -2 :])


def scorer() -> ModuleType:
    """The data's own scorer, loaded from its folder."""
    global _SCORER
    if _SCORER is None:
        spec = importlib.util.spec_from_file_location("extraction_score", DATA / "score.py")
        assert spec is not None
        assert spec.loader is not None
        _SCORER = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(_SCORER)
    return _SCORER


_SCORER: ModuleType | None = None
