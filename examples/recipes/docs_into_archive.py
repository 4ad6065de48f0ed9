"""Bring a documentation site into the archive, then answer a question from it without the network."""

from __future__ import annotations

import sys

from web import web

if len(sys.argv) < 3:
    sys.exit("usage: docs_into_archive.py URL QUESTION")
url, question = sys.argv[1], " ".join(sys.argv[2:])
print("crawled:", web("archive", "crawl", url, "--max-pages", "50"))
for row in web("archive", "search", question, "--limit", "3", also=(3,))["results"]:
    print(f"\n{row['document']['title']}\n{row['document']['url']}")
    for mark in row["highlights"]:
        for snippet in mark["snippets"]:
            print(f"  … {snippet}")
