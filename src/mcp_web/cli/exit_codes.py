"""The exit codes of all commands. An empty list is done: nothing was asked for by name or query."""

from __future__ import annotations

FAILED = 1  # the work failed; the sentence is on stderr
WRONG_USAGE = 2  # of a command, or a wrong configuration
NOTHING_FOUND = 3  # what was asked for by name or query does not exist, or is empty
INTERRUPTED = 130  # what a shell reports for Ctrl-C
