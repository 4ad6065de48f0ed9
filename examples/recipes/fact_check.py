"""Are these words really written there? Exits 3 when one is not."""

from __future__ import annotations

import sys

from mcp_web import Web

if len(sys.argv) < 3:
    sys.exit("usage: fact_check.py URL QUOTE…")
with Web() as web:
    checks = web.verify(sys.argv[1], sys.argv[2:])
for check in checks:
    print(f"{check.verdict:11} {check.quote}")
    if check.quote_url:
        print(f"            {check.quote_url}")
sys.exit(0 if all(checks) else 3)
