"""Counts the work that the style sheets of a page cause, and refuses to do more of it than any real page needs.

What is refused is the page: if some rules were left out instead, a page could choose which, and show what it hides.
"""

from __future__ import annotations

# Steps of one page, about a microsecond each. Of the 732 pages of the extraction set, the most takes 68,200.
MOST_STEPS = 1_000_000


class TooComplex(Exception):
    """Raised for style sheets that take too much work to tell which text of the page a person sees."""


class Effort:
    """Counts the work done for one page, in steps of about a microsecond."""

    def __init__(self) -> None:
        self.steps = 0.0

    def spend(self, steps: float) -> None:
        """Count some steps; raises TooComplex if all of them together are more than any real page needs."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooComplex
