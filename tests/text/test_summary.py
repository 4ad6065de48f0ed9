"""Summaries are the document's own words, short, and about it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mcp_web.model.page import Document, Metadata
from mcp_web.text.summary import summarise, summary_of

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "extraction"

PAGE = """# Pumping water uphill

By A. Writer | 3 min read

[Home](https://x.org) [Blog](https://x.org/blog)

A hydraulic ram pumps water uphill using only the energy of falling water. It needs no engine, e.g. no motor or fuel.

```python
this.is_code("A hydraulic ram in code is never part of a summary of the page.")
```

| Model | Head |
|---|---|
| A hydraulic ram in a table is data and not a sentence. | 3 m |

## How it works

The waste valve closes when the water is fast enough, and the pressure opens the delivery valve of the ram.

## Limits

Most of the falling water is lost through the waste valve. Subscribe to our newsletter for more about rams today.
"""


def test_summary_begins_with_the_lead_and_leaves_out_code_tables_and_navigation() -> None:
    summary = summarise(PAGE, "Pumping water uphill", None)
    assert summary.startswith("A hydraulic ram pumps water uphill using only the energy of falling water.")
    for unwanted in ("is_code", "table is data", "newsletter", "min read", "Home"):
        assert unwanted not in summary


def test_abbreviation_does_not_end_a_sentence() -> None:
    assert "It needs no engine, e.g. no motor or fuel." in summarise(PAGE, "", None)


def test_description_that_fits_the_text_opens_the_summary() -> None:
    said = "How a hydraulic ram lifts falling water uphill without an engine, and why most water is lost."
    summary = summarise(PAGE, "Pumping water uphill", said)
    assert summary.startswith(said)
    assert len(summary) <= 500


def test_description_of_the_whole_site_is_not_used() -> None:
    slogan = "Your number one marketplace for gadgets, deals, vouchers and lifestyle inspiration since 1999."
    assert slogan not in summarise(PAGE, "Pumping water uphill", slogan)


def test_summary_of_a_text_without_sentences_is_its_beginning() -> None:
    assert summarise("key: value", "", None) == "key: value"


def test_japanese_is_summarised_by_sentences() -> None:
    text = "水撃ポンプは落下する水の力だけで水を高い場所へ送る装置である。燃料もモーターも必要としない。" * 20
    assert summarise(text, "", None).startswith("水撃ポンプは落下する水の力だけで")
    assert len(summarise(text, "", None)) <= 500


def test_megabyte_without_a_full_stop_is_summarised_quickly() -> None:
    assert len(summarise("word " * 300_000, "", None)) <= 500
    assert len(summarise("[" * 1_000_000, "", None)) <= 500


@pytest.mark.skipif(not SHARED.is_dir(), reason="the extraction dev set is not beside this checkout")
def test_summaries_of_real_texts_share_their_words_and_stay_short() -> None:
    for path in sorted((SHARED / "gold" / "wcxb").glob("*.json.gz"))[:80]:
        gold = json.loads(gzip.decompress(path.read_bytes()))
        summary = summarise(gold["text"], gold.get("title") or "", None)
        assert len(summary) <= 500
        if len(gold["text"]) > 1000:
            assert len(summary) >= 100, path.name


def test_summary_of_a_document_read_without_one_is_made_of_its_text() -> None:
    document = Document("Pumping water uphill", PAGE, "test", metadata=Metadata(description=None))
    assert summary_of(document) == summarise(PAGE, "Pumping water uphill", None)
    assert summary_of(Document("T", PAGE, "test", summary="Told before.")) == "Told before."
