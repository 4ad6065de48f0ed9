"""Arguments that commands read in the same way: numbers, and text from standard input."""

from __future__ import annotations

import math
import sys
from typing import Any

import click


class Number(click.FloatRange):
    """A number in a range; click itself takes `nan` for one in any range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        return self.fail(f"{value} is not a number.", param, ctx) if math.isnan(number) else number


def stdin_text() -> str:
    """All of standard input; raises UsageError if it is not text in the encoding of the terminal."""
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"Standard input is not {error.encoding} text.") from error
