"""The nouns: frozen dataclasses that travel between rooms. Standard library only."""
