"""Decides from a page's bytes whether it needs a browser; in doubt not: rendering costs a hundred fetches.

A page that has text to read is never rendered, whatever it is built with: frameworks that render on the
server leave the same marks as those that do not.
"""

from __future__ import annotations

from mcp_web.model.page import Document
from mcp_web.text.html_facts import HtmlFacts

# A page with less text than this counts as empty. A short but complete page ("It works!") has no scripts.
ENOUGH_CHARS = 600
# The most text that a loading screen has.
SHELL_CHARS = 200


def needs_browser(document: Document | None, facts: HtmlFacts) -> str | None:
    """Why this page needs a browser, as a sentence; None if not. `document`: what was extracted without one."""
    read = len(document.markdown.strip()) if document is not None else 0
    if facts.scripts == 0 or read >= ENOUGH_CHARS:
        return None
    if document is not None and document.wall in ("paywall", "login", "bot"):
        return None  # a browser would get the same wall
    if facts.docs_shell and facts.chars < ENOUGH_CHARS:
        return "The page draws its documentation with a script."
    if facts.empty_root:
        return "The page is empty until its script fills it."
    if facts.wants_script and facts.chars < ENOUGH_CHARS:
        return "The page says that it needs JavaScript."
    if facts.chars < SHELL_CHARS and (facts.root or read < SHELL_CHARS):
        return "The page has scripts and almost no text."
    if document is not None and document.wall == "shell":
        return "The page is only a loading screen."
    if facts.root and read < SHELL_CHARS:
        return f"Only {read} characters could be read of a page built by scripts."
    return None
