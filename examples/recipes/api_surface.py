"""List what an API reference documents: its headings and the signatures in its code."""

from __future__ import annotations

import re
import sys

from mcp_web import Web

SIGNATURE = re.compile(
    r"^\s*(?:(?:pub |export |async |public |static )*"
    r"(?:class|def|fn|func|function|interface|type|struct|trait|enum)\s.+"
    r"|[\w.]+\([^()]*\)(?:\s*(?:->|:).+)?)$"
)

if len(sys.argv) != 2:
    sys.exit("usage: api_surface.py URL")
with Web() as web:
    page = web.open(sys.argv[1])
in_code = False
for line in page.markdown.splitlines():
    plain = line.strip().strip("`").replace("\\_", "_")
    if line.startswith("```"):
        in_code = not in_code
    elif line.startswith("#") and not in_code:
        print(f"\n{line}")
    elif SIGNATURE.match(plain):
        print(f"  {plain}")
print(f"\nsource: {page.url} [{page.snapshot[:16]}]")
