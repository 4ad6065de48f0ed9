"""Are these words really written there? Exits 3 when one is not."""

from __future__ import annotations

import sys

from web import web

if len(sys.argv) < 3:
    sys.exit("usage: fact_check.py URL QUOTE…")
answer = web("verify", *sys.argv[1:], also=(3,))
for row in answer["quotes"]:
    print(f"{row['verdict']:11} {row['quote']}")
    if row.get("quote_url"):
        print(f"            {row['quote_url']}")
sys.exit(3 if any(row["verdict"] == "absent" for row in answer["quotes"]) else 0)
