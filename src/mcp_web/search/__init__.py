"""Search: a query in, hits out, and an honest word about how they were got."""
