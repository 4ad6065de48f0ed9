"""List what an API reference documents: its headings and the signatures in its code."""

from __future__ import annotations

import re
import sys

from web import web

SIGNATURE = re.compile(
    r"^\s*(?:(?:pub |export |async |public |static )*"
    r"(?:class|def|fn|func|function|interface|type|struct|trait|enum)\s.+"
    r"|[\w.]+\([^()]*\)(?:\s*(?:->|:).+)?)$"
)

if len(sys.argv) != 2:
    sys.exit("usage: api_surface.py URL")
start = 0
while True:
    page = web("open", sys.argv[1], "--no-links", "--start", str(start))
    for line in page["content"].splitlines():
        plain = line.strip().strip("`").replace("\\_", "_")
        if line.startswith("#"):
            print(f"\n{line}")
        elif SIGNATURE.match(plain):
            print(f"  {plain}")
    if page["next_start"] is None:
        break
    start = page["next_start"]
print(f"\nsource: {page['final_url']} [{page['snapshot'][:16]}]")
