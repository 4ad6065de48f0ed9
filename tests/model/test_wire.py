"""A document as JSON."""

from __future__ import annotations

import json

from mcp_web.model.page import Document, Heading, Link, Metadata
from mcp_web.model.wire import document_from_json, document_to_json, facts_to_json

FULL = Document(
    title="T",
    markdown="# T\n\ntext",
    extractor="x@1",
    kind="article",
    metadata=Metadata(author="A", page_title="T | Site", structured_data=({"@type": "Thing", "tags": ["a", "b"]},)),
    headings=(Heading(1, "T", 0), Heading(2, "U", 4, "u")),
    links=(Link("l", "https://a.example/"),),
    images=(Link("", "https://a.example/i.png"),),
    hidden=2,
    notes=("n",),
    explain={"why": ("because",)},
)


def test_a_document_survives_json_with_every_field() -> None:
    again = document_from_json(json.loads(json.dumps(document_to_json(FULL))))
    assert again.explain == {"why": ["because"]}
    assert document_to_json(again) == document_to_json(FULL)
    assert (again.metadata, again.headings, again.links, again.images) == (
        FULL.metadata,
        FULL.headings,
        FULL.links,
        FULL.images,
    )


def test_facts_leave_out_the_text_and_what_belongs_to_one_call() -> None:
    facts = facts_to_json(FULL)
    assert "markdown" not in facts
    assert "explain" not in facts
    assert document_from_json(facts, FULL.markdown).markdown == FULL.markdown


def test_facts_as_earlier_versions_wrote_them_are_read() -> None:
    facts = {
        "title": "T",
        "headings": [[1, "T", 0, None]],
        "links": [["l", "https://a.example/"]],
        "structured": [{"@type": "Thing"}],
        "metadata": {"author": "A"},
        "unknown": 1,
    }
    read = document_from_json(facts, "text")
    assert read.headings == (Heading(1, "T", 0),)
    assert read.links == (Link("l", "https://a.example/"),)
    assert read.metadata == Metadata(author="A", structured_data=({"@type": "Thing"},))
