"""Further labelled pages, of sites that the development pages do not have, to train on with a smaller weight.

They lie in one folder with a checkout of each of these repositories, all under the MIT licence:

- `fundus` (flairNLP/fundus): articles of some 170 newspapers, with the text that a parser for each site made.
- `recipe-scrapers` (hhursev/recipe-scrapers): recipes; only ingredients and steps are known to be content.
- `Formasaurus` (TeamHG-Memex/Formasaurus): pages of about 2015; `page_labels.jsonl` says which blocks are content.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.extraction.data import Page, features_of
from bench.extraction.labels import label, squeeze
from mcp_web.extract.html.features import PageFeatures

LABELS = Path(__file__).with_name("page_labels.jsonl")
RECIPES = 250  # sites; the others are there to measure
_MOST_BLOCKS = 700  # of a page with recipes


class Further(NamedTuple):
    """A page with the label of each block: 1 for content, 0 for none, -1 where it is not known."""

    page: Page
    text: str  # all of the content, or "" if not all of it is known
    read: PageFeatures
    labels: np.ndarray


def further_pages(folder: Path) -> Iterator[Further]:
    yield from _articles(folder / "fundus" / "tests" / "resources" / "parser" / "test_data")
    yield from _labelled(folder / "Formasaurus" / "formasaurus" / "data")
    for site, html, gold in recipes(folder / "recipe-scrapers" / "tests" / "test_data")[:RECIPES]:
        yield from _recipe(site, html, gold)


def _articles(folder: Path) -> Iterator[Further]:
    for meta in sorted(folder.glob("*/meta.info")):
        for name, facts in sorted(json.loads(meta.read_text("utf-8")).items()):
            publisher = re.sub(r"_\d{4}_\d\d_\d\d(_\d+)?\.html\.gz\Z", "", name)
            if not (meta.parent / name).is_file():
                continue
            golds = json.loads((meta.parent / f"{publisher}.json").read_text("utf-8")).values()
            html = gzip.decompress((meta.parent / name).read_bytes()).decode("utf-8", "replace")
            read = features_of(html, facts["url"])
            found = [] if read is None else [_by_text(read, gold) for gold in golds if gold.get("body")]
            if read is None or not found:
                continue
            share, text, labels = min(found, key=lambda one: abs(1 - one[0]))
            if 0.9 <= share <= 1.1 and (labels == 1).sum() >= 4:
                yield Further({"set": "fundus", "id": name, "url": facts["url"], "type": "article"}, text, read, labels)


def _by_text(read: PageFeatures, gold: dict[str, Any]) -> tuple[float, str, np.ndarray]:
    """The share of an article's text that blocks hold, the text, and the labels of the blocks; the title's is -1."""
    lines = list(gold["body"].get("summary", []))
    for section in gold["body"].get("sections", []):
        lines += section.get("headline", []) + section.get("paragraphs", [])
    text, blocks = "\n".join(lines), [block.text for block in read.read.blocks]
    labels, title = np.array(label(blocks, text)), squeeze(gold.get("title") or "")
    share = sum(len(squeeze(block)) for block, found in zip(blocks, labels, strict=True) if found)
    for at, block in enumerate(blocks):
        if not labels[at] and title and squeeze(block) == title:
            labels[at] = -1
    return share / max(1, len(squeeze(text))), text, labels


def _labelled(folder: Path) -> Iterator[Further]:
    for line in LABELS.read_text("utf-8").splitlines():
        known = json.loads(line)
        raw = (folder / known["file"]).read_bytes()
        try:
            html = raw.decode("utf-8")
        except UnicodeDecodeError:
            html = raw.decode("latin-1")
        read = features_of(html, known["url"])
        if read is None or len(read.read.blocks) != known["blocks"]:
            print(f"The labels of {known['file']} are of another cut into blocks; it is left out.")
            continue
        labels = np.zeros(known["blocks"], int)
        for first, _, last in (part.partition("-") for part in known["content"].split(",")):
            labels[int(first) : int(last or first) + 1] = 1
        text = "\n".join(block.text for block, found in zip(read.read.blocks, labels, strict=True) if found)
        page = {"set": "labelled", "id": known["file"], "url": known["url"], "type": known["type"]}
        yield Further(page, text, read, labels)


def recipes(folder: Path) -> list[tuple[str, Path, dict[str, Any]]]:
    """The site, the page and the known facts of one recipe of each site, shuffled, always in the same way."""
    found = []
    for site in sorted(each for each in folder.iterdir() if each.is_dir()):
        html = next((each for each in sorted(site.glob("*.testhtml")) if each.with_suffix(".json").is_file()), None)
        if html is not None:
            found.append((site.name, html, json.loads(html.with_suffix(".json").read_text("utf-8"))))
    random.Random(3).shuffle(found)
    return found


def recipe_lines(gold: dict[str, Any]) -> list[str]:
    steps = gold.get("instructions_list") or (gold.get("instructions") or "").split("\n")
    return [*(gold.get("ingredients") or []), *steps]


def _recipe(site: str, html: Path, gold: dict[str, Any]) -> Iterator[Further]:
    address = gold.get("canonical_url") or ""
    url = address if address.startswith("http") else f"https://{site}/x"
    read = features_of(html.read_text("utf-8", "replace"), url)
    if read is None or len(read.read.blocks) > _MOST_BLOCKS:
        return
    text, blocks = "\n".join(recipe_lines(gold)), [block.text for block in read.read.blocks]
    found = np.array(label(blocks, text))
    if sum(len(squeeze(block)) for block, one in zip(blocks, found, strict=True) if one) < 0.7 * len(squeeze(text)):
        return
    yield Further({"set": "recipes", "id": site, "url": url, "type": "recipe"}, "", read, np.where(found == 1, 1, -1))
