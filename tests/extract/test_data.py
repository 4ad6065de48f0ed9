"""JSON, CSV and XML."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.extract.reading import read

from mcp_web.extract.formats.data import lay_out


def test_minified_json_is_laid_out_with_its_numbers_untouched() -> None:
    document = read('{"a":[1.10,1e400,12345678901234567890],"b":{},"c":"x,y:{z}"}', "application/json")
    assert document.markdown == (
        '```json\n{\n  "a": [\n    1.10,\n    1e400,\n    12345678901234567890\n  ],\n'
        '  "b": {},\n  "c": "x,y:{z}"\n}\n```'
    )
    assert document.kind == "data"


@pytest.mark.parametrize("value", [[], {}, [[]], [{}], "a", 1, None, [1, [2, {"a": []}]], {"a": {"b": [1, '\\"']}}])
def test_laid_out_json_is_the_same_json(value: object) -> None:
    assert json.loads(lay_out(json.dumps(value))) == value


def test_all_members_of_a_gzip_file_are_read() -> None:
    body = gzip.compress(b"name,teeth\nwheel,10\n") + gzip.compress(b"frame,0\n") + b"\0" * 20
    document = read(body, "application/gzip", "https://example.org/parts.csv.gz")
    assert "| wheel | 10 |" in document.markdown
    assert "| frame | 0 |" in document.markdown
    assert not document.notes
    hidden = read(gzip.compress("a\u2062\u2062b".encode()), "application/gzip", "https://example.org/a.txt.gz")
    assert len(hidden.notes) == 1


def test_json_that_has_lines_is_left_as_it_is() -> None:
    text = json.dumps({"k": list(range(5))}, indent=4)
    assert text in read(text, "application/vnd.api+json").markdown


def test_broken_json_is_shown_with_a_note() -> None:
    document = read('{"a": ', "application/json")
    assert '{"a":' in document.markdown
    assert "not valid JSON" in document.notes[0]


def test_deeply_nested_json_does_not_fail() -> None:
    assert read("[" * 50_000 + "]" * 50_000, "application/json").notes


def test_large_json_begins_with_an_outline() -> None:
    document = read(json.dumps({"rows": [{"id": at, "name": "x" * 50} for at in range(6000)]}), "application/json")
    assert document.markdown.startswith(
        "Outline:\n\n- object with 1 key\n  - `rows`: list of 6000\n    - `[0]`: object with 2"
    )


def test_csv_is_a_table_with_its_own_delimiter() -> None:
    document = read('name;note\n"A|B";"two\nlines"\nC;d\n', "text/csv")
    assert document.markdown == "| name | note |\n| --- | --- |\n| A\\|B | two lines |\n| C | d |"


def test_long_csv_is_cut_with_the_number_of_rows() -> None:
    document = read("a,b\n" + "1,2\n" * 10_000, "text/csv")
    assert document.markdown.count("\n") == 3000
    assert "10,001 rows" in document.notes[0]


def test_csv_field_beyond_every_limit_keeps_what_came_before() -> None:
    assert "| a | b |" in read('a,b\n1,2\n"' + "x" * 300_000, "text/csv").markdown


def test_xml_is_fenced_and_entity_bombs_stay_text() -> None:
    bomb = '<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><l>&b;</l>'
    assert read(bomb, "application/xml").markdown.startswith("```xml\n<!DOCTYPE l")


def test_sitemap_is_a_list_of_links() -> None:
    document = read(
        "<urlset><url><loc>https://x.org/a?b=1&amp;c=2</loc><lastmod>2024-01-01</lastmod></url>"
        "<url><loc>https://x.org/d</loc></url></urlset>",
        "text/xml",
    )
    assert document.markdown == "- <https://x.org/a?b=1&c=2> (2024-01-01)\n- <https://x.org/d>"
    assert len(document.links) == 2


def test_sitemap_with_a_line_for_each_tag_lists_the_last_changed_first() -> None:
    entry = "<url>\n  <loc>{}</loc>\n  <lastmod>{}</lastmod>\n</url>\n"
    old, new = entry.format("https://x.org/a", "2024-01-01"), entry.format("<![CDATA[https://x.org/b]]>", "2025-01-01")
    document = read(f"<urlset>\n{old}{new}</urlset>", "text/xml")
    assert document.markdown == "- <https://x.org/b> (2025-01-01)\n- <https://x.org/a> (2024-01-01)"


def test_table_with_the_line_ends_of_old_computers_is_read() -> None:
    assert read("a,b\r1,2\r", "text/csv").markdown == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_table_with_a_quotation_mark_that_nothing_closes_says_what_is_missing() -> None:
    document = read('a,b\n1,2\n3,"x\n' + "row,1\n" * 40_000, "text/csv")
    assert document.notes[0].startswith("The rows after the first 2 could not be read")
    assert "… |" in read('a,b\n3,"x\n' + "row," * 400, "text/csv").markdown


def test_table_of_the_most_columns_is_shown_without_a_note() -> None:
    assert read(",".join(["x"] * 60), "text/csv").notes == ()
    assert read(",".join(["x"] * 61), "text/csv").notes == ("Only the first 60 columns are shown.",)


def test_rdf_that_is_no_feed_is_shown_as_xml() -> None:
    head = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
    assert "<Person>Ada" in read(f"{head}><Person>Ada</Person></rdf:RDF>", "application/rdf+xml").markdown
    item = "<item><title>One</title><link>https://x.org/1</link></item>"
    feed = read(f"{head} xmlns='http://purl.org/rss/1.0/'>{item}</rdf:RDF>", "application/rdf+xml")
    assert "## [One](https://x.org/1)" in feed.markdown
