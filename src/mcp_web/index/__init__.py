"""Ranks the passages of a page for a question, with the probability that each answers it."""
