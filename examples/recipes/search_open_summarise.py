"""Search, open the three best pages, print what each says in a few sentences, with its snapshot for citing."""

from __future__ import annotations

import sys

from web import web

query = " ".join(sys.argv[1:])
if not query:
    sys.exit("usage: search_open_summarise.py QUERY")
results = web("search", query, "--count", "3", "--content")["queries"][0]["results"]
for row in results:
    print(f"{row['title']}\n{row['url']}")
    if content := row.get("content"):
        print(f"{content['summary']}\n[{content['snapshot'][:16]}, {content['word_count']} words]\n")
    else:
        print(f"not read: {row.get('content_error', {}).get('message', 'no content')}\n")
