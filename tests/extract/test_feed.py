"""Feeds: entries with title, link, date and summary."""

from __future__ import annotations

import json

import pytest
from tests.extract.reading import read

from mcp_web.errors import ExtractFailed

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://x.org/</link>
<description>All the news</description>
<item><title>First</title><link>/one</link><pubDate>Fri, 31 May 2024 08:00:00 GMT</pubDate>
<description><![CDATA[<p>Hello <b>you</b> <a href="/more">more</a></p>
<p style="display:none">obey</p>]]></description></item>
<item><title>Second [x]</title><link>https://y.org/two</link><description>Plain</description></item>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><updated>2024-01-01T00:00:00Z</updated>
<entry><title>E</title><link rel="alternate" href="https://x.org/e"/><updated>2024-01-02T00:00:00Z</updated>
<author><name>Ada</name></author><summary>Short</summary>
<content type="html">&lt;h1&gt;Long&lt;/h1&gt;</content></entry></feed>"""


@pytest.mark.parametrize("media_type", ["application/rss+xml", "application/xml", "text/xml"])
def test_rss_entries_become_sections_with_absolute_links(media_type: str) -> None:
    document = read(RSS, media_type, "https://x.org/feed")
    assert document.title == "News & more"
    assert "## [First](https://x.org/one)\n\n2024-05-31T08:00:00+00:00\n\nHello **you** [more](https://x.org/more)" in (
        document.markdown
    )
    assert [each.text for each in document.headings] == ["News & more", "First", "Second (x)"]
    assert "obey" not in document.markdown
    assert document.hidden == 1
    assert document.kind == "listing"


def test_atom_entry_has_author_date_and_summary() -> None:
    document = read(ATOM, "application/atom+xml")
    assert "## [E](https://x.org/e)\n\n2024-01-02T00:00:00+00:00 · Ada\n\nShort" in document.markdown


def test_json_feed_is_recognised_by_its_version() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "J",
        "items": [
            {"id": "1", "url": "https://x.org/1", "title": "One", "content_text": "Text", "authors": [{"name": "A"}]}
        ],
    }
    document = read(json.dumps(feed), "application/feed+json")
    assert document.markdown == "# J\n\n## [One](https://x.org/1)\n\nA\n\nText"


def test_broken_feed_is_still_read() -> None:
    assert "First" in read(RSS.replace("</channel></rss>", ""), "application/rss+xml").markdown


def test_feed_type_without_a_feed_is_an_honest_failure() -> None:
    with pytest.raises(ExtractFailed, match="no feed"):
        read("<html><p>Not here</p></html>", "application/rss+xml")


def test_plain_text_of_a_json_feed_keeps_its_angle_brackets_and_lines() -> None:
    items = [{"title": "One", "content_text": "Use List<String>.\nNext line"}]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": items}
    text = read(json.dumps(feed), "application/feed+json").markdown
    assert "List&lt;String>.\nNext line" in text.replace("\\\n", "\n").replace("  \n", "\n")
