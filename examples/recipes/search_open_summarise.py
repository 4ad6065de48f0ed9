"""Search, read the three best pages for the query, and print what answers it, with a link that can be cited."""

from __future__ import annotations

import sys

from mcp_web import Web

query = " ".join(sys.argv[1:])
if not query:
    sys.exit("usage: search_open_summarise.py QUERY")
with Web() as web:
    hits = web.search(query, count=3)
    readings = web.read([hit.url for hit in hits], query, max_results=1)
for hit, reading in zip(hits, readings, strict=True):
    print(f"{hit.title}\n{hit.url}")
    for passage in reading:
        print(f"{passage.text.strip()}\n[{passage.id}] {passage.quote_url}\n")
    if not reading.passages:
        print(f"not read: {' '.join(reading.notes) or 'the page does not answer the query'}\n")
