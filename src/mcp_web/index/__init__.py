"""Passages ↔ questions: which parts of a page answer, and how sure that is."""
