"""Sitemaps and llms.txt: what they list, in a time that grows with their size alone."""

from __future__ import annotations

import gzip

import pytest

from mcp_web.archive.sitemap import MOST_LINKS, listed_links, text_links

SITEMAP = b"<urlset><url><loc> https://a.example/x?a=1&amp;b=2 </loc></url><url><loc><![CDATA[https://a.example/y]]></loc></url>"


def test_sitemap_lists_pages_and_an_index_lists_sitemaps() -> None:
    assert listed_links(SITEMAP, True) == (["https://a.example/x?a=1&b=2", "https://a.example/y"], [])
    assert listed_links(gzip.compress(SITEMAP), True)[0] == ["https://a.example/x?a=1&b=2", "https://a.example/y"]
    index = b"<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>"
    assert listed_links(index, True) == ([], ["https://a.example/s.xml"])


def test_text_lists_its_links_once() -> None:
    text = b"- [A](https://a.example/a): x\n- [B](/b)\n- [C](c.md)\n- [D](mailto:x)\nhttps://a.example/a [E](https://a.example/e)"
    assert text_links(text) == ["https://a.example/a", "/b", "c.md", "https://a.example/e"]


@pytest.mark.parametrize(
    "body",
    [
        b"<loc>" + b" " * 2_000_000,
        b"<loc>" * 400_000,
        b"](" * 1_000_000,
        b"](" + b"a" * 2_000_000,
        b"http://" * 300_000,
    ],
    ids=["spaces", "elements", "brackets", "letters", "schemes"],
)
def test_hostile_lists_are_read_without_going_back(body: bytes) -> None:
    """With repetitions without bounds each of these takes minutes."""
    pages, more = listed_links(body, True)
    assert len(pages) + len(more) + len(text_links(body)) <= 2 * MOST_LINKS
