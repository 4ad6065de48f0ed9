"""Ranks the passages of a page for a question: which of them answer it, and how likely."""
