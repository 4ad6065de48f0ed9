"""Frozen dataclasses that the layers pass to each other. Standard library only."""
