"""Search: a query in, hits out, with a report of which providers were asked and how each ended."""
