"""Ranks the passages of a page for a question, with the probability that each answers it.

Up to three signals say how well a passage matches: its words (BM25), the static signal (how similar its word pieces are
to those of the question, by vectors from a table), and the model (the cosine of two embeddings).
"""
