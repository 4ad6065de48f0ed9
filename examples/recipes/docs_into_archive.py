"""Bring a documentation site into the archive, then answer a question from it without the network."""

from __future__ import annotations

import sys

from mcp_web import Web

if len(sys.argv) < 3:
    sys.exit("usage: docs_into_archive.py URL QUESTION")
url, question = sys.argv[1], " ".join(sys.argv[2:])
with Web() as web:
    report = web.archive.crawl(url, max_pages=50)
    print(f"crawled: {report.pages} pages, {len(report.failed)} failed")
    for hit in web.archive.search(question, limit=3):
        print(f"\n{hit.title}\n{hit.url}")
        for snippet in hit.snippets:
            print(f"  … {snippet}")
