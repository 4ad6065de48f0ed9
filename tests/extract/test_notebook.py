"""Notebooks: cells as Markdown, outputs trimmed."""

from __future__ import annotations

import json

from tests.extract.reading import read

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"language_info": {"name": "python"}, "authors": [{"name": "Ada"}]},
    "cells": [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "See [data](data.csv)."]},
        {
            "cell_type": "code",
            "source": "print('hi')",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["hi\n"]},
                {"output_type": "stream", "name": "stdout", "text": "line\n" * 2000},
                {
                    "output_type": "execute_result",
                    "data": {"text/html": "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "text/plain": "x"},
                },
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "\x1b[31mbad\x1b[0m", "traceback": ["…"]},
            ],
        },
    ],
}


def test_cells_and_outputs_are_written_in_order_and_trimmed() -> None:
    document = read(json.dumps(NOTEBOOK), "application/x-ipynb+json", "https://x.org/nb/a.ipynb")
    text = document.markdown
    assert text.startswith(
        "# Title\n\nSee [data](https://x.org/nb/data.csv).\n\n```python\nprint('hi')\n```\n\n```text\nhi\n```"
    )
    assert "more characters of output" in text
    assert "| a |" in text
    assert "*(output: an image)*" in text
    assert "ValueError: bad" in text
    assert len(text) < 4000
    assert (document.title, document.metadata.author) == ("Title", "Ada")


def test_error_without_a_name_is_shown_as_an_error() -> None:
    outputs = [{"output_type": "error", "ename": None, "evalue": "bad"}]
    notebook = {"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "outputs": outputs}]}
    assert "Error: bad" in read(json.dumps(notebook), "application/x-ipynb+json").markdown


def test_notebook_sent_as_plain_text_is_recognised() -> None:
    document = read(json.dumps(NOTEBOOK), "text/plain", "https://x.org/a.ipynb")
    assert document.extractor.startswith("notebook@")


def test_old_notebooks_with_worksheets_are_read() -> None:
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "H"},
                    {"cell_type": "code", "input": "x = 1", "outputs": []},
                ]
            }
        ],
    }
    assert read(json.dumps(old), "application/json").markdown == "## H\n\n```python\nx = 1\n```"
