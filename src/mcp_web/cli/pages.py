"""Prints pages, opened or kept: whole, because people and scripts have no token budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcp_web.cli.output import echo, empty, failure, note, print_markdown
from mcp_web.cli.wording import error_sentence
from mcp_web.errors import InvalidInput, WebError

if TYPE_CHECKING:
    from mcp_web.model.page import Document
    from mcp_web.tools.page_view import PageView, ViewOptions

F = TypeVar("F", bound=Callable[..., Any])


def part_options(command: F) -> F:
    """Decorator: gives a command the options --section, --start and --max-chars, which choose a part of a page."""
    for option in (
        click.option("--max-chars", type=click.IntRange(1), help="Maximum characters; default: the whole page."),
        click.option("--start", type=click.IntRange(0), default=0, help="Offset to begin at."),
        click.option("--section", help="Heading: only that section."),
    ):
        command = option(command)
    return command


def view_options(
    *,
    section: str | None = None,
    start: int = 0,
    max_chars: int | None = None,
    form: Any = "markdown",
    links: bool = True,
    as_json: bool = False,
) -> ViewOptions:
    """How to show a page: whole, or the part that the options of `part_options` chose."""
    from mcp_web.tools.page_view import WHOLE_PAGE, ViewOptions

    shown_links: Any = "none" if not links else "numbered" if as_json else "inline"
    return ViewOptions(form, max_chars or WHOLE_PAGE, start, section, shown_links, tokens=WHOLE_PAGE)


def page_object(view: PageView, options: ViewOptions) -> dict[str, Any]:
    """The JSON object of a page, as in an answer of web_open, without secrets."""
    from mcp_web.tools.clean_output import clean_value
    from mcp_web.tools.page_view import as_data, show

    options = replace(options, page=view.final_url or "")
    cleaned: dict[str, Any] = clean_value(as_data(view, options, show(view.document, options), []))
    return cleaned


def print_page(view: PageView, options: ViewOptions, *, with_facts: bool = False) -> None:
    """Print the text of a page, below its title, address and dates if `with_facts`; notes go to stderr."""
    from mcp_web.tools.page_view import front_matter, show

    document = view.document
    which = f"{view.url}: " if with_facts else ""  # notes are on stderr, away from the page
    for line in (*view.notes, *document.notes):
        note(which + line)
    if document.explain is not None:
        echo(json.dumps(document.explain, ensure_ascii=False, indent=2, default=str), err=True)
    if is_empty(view):
        empty(f"{view.url or 'The page'} has no text.")
        return
    shown = show(document, options)
    if with_facts:
        echo(front_matter(view) + "\n")
    print_markdown(shown.text) if options.format == "markdown" and _is_markdown(document) else echo(shown.text)
    if with_facts:
        echo()
    if shown.next_start is not None:
        window = f"{shown.start:,} to {shown.end:,} of {len(document.markdown):,}"
        note(f"{which}Characters {window} are shown; --start {shown.next_start} continues.")


@contextmanager
def failing_alone(key: str, name: str, rows: list[dict[str, Any]], *, is_only: bool, as_json: bool) -> Iterator[None]:
    """Context manager: a failure inside is added to `rows` as {key: name, "error": …}, and printed unless `as_json`.

    With `is_only` it is raised instead.
    """
    from mcp_web.tools.clean_output import clean_error

    try:
        yield
    except (WebError, OSError) as error:
        if is_only or isinstance(error, BrokenPipeError):  # nobody reads stdout any more
            raise
        why = error if isinstance(error, WebError) else InvalidInput(f"{error.strerror or error}.", suggestion="")
        if not as_json:
            failure(name, error_sentence(why))
        rows.append({key: name, "error": clean_error(why).as_dict()})


def _is_markdown(document: Document) -> bool:
    """Whether the text is Markdown; rendered, a plain text would lose its line breaks and an HTML source its tags."""
    reader = document.extractor.partition("@")[0]
    return reader != "raw" and (reader != "plain" or document.markdown.startswith("```"))


def is_empty(view: PageView) -> bool:
    return not view.document.markdown.strip()
