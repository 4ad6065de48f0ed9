"""What is said in videos: subtitle files, tracks of a page, transcripts in its data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.extract.reading import read

from mcp_web.errors import ExtractFailed
from mcp_web.fetch.tracks import spoken_tracks
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

pytestmark = pytest.mark.anyio

VTT = """WEBVTT - a talk

NOTE nobody sees this

1
00:00:01.000 --> 00:00:03.000 align:start
<v Ada Hare>Tortoises are <i>slow</i></v>

00:00:03.000 --> 00:00:05.000
and they know it.

00:01:10.000 --> 00:01:12.000
They live &amp; walk.
They walk for long.

00:01:12.000 --> 00:01:14.000
They walk for long.
For a hundred years.
"""
SRT = "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<b>Hello</b>\n\n2\n00:59:59,000 --> 01:00:01,000\nworld\n"
PAGE = f"<title>Talk</title><article><h1>Talk</h1><p>{'A page about a talk that was given. ' * 12}</p>%s</article>"


def test_cues_become_paragraphs_with_their_time_and_voice() -> None:
    assert read(VTT.encode(), "text/vtt", "https://a.example/t.vtt").markdown == (
        "[0:00:01] Ada Hare: Tortoises are slow and they know it.\n\n"
        "[0:01:10] They live & walk. They walk for long. For a hundred years."
    )


@pytest.mark.parametrize("media_type", ["application/x-subrip", "text/plain"])
def test_subrip_is_read_by_its_type_or_its_ending(media_type: str) -> None:
    document = read(SRT.encode(), media_type, "https://a.example/t.srt")
    assert document.markdown == "[0:00:01] Hello\n\n[0:59:59] world"


@pytest.mark.parametrize("body", [b"", b"WEBVTT\n", b"WEBVTT\n\n" + b"00:00:01.000 --> \n" * 1000])
def test_a_file_without_cues_is_an_honest_failure(body: bytes) -> None:
    with pytest.raises(ExtractFailed):
        read(body, "text/vtt", "https://a.example/t.vtt")


def test_hostile_subtitles_stay_bounded() -> None:
    cue = "00:00:01.000 --> 00:00:02.000\n" + "<" * 2000 + "x\n\n"
    document = read((cue * 2000).encode(), "text/vtt", "https://a.example/t.vtt")
    assert len(document.markdown) < 5_000_000


async def test_the_subtitles_of_a_page_follow_its_text(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("talks.example")
    tracks = (
        '<video src=x.mp4><track kind="subtitles" srclang="de" label="Deutsch" src="de.vtt">'
        '<track kind="captions" srclang="en" label="English" src="/subs/en.vtt"><track kind=metadata src=m.vtt></video>'
    )
    url = site.page("/talk/", PAGE % tracks)
    site.page("/subs/en.vtt", VTT, headers={"Content-Type": "text/vtt"})
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    before, _, after = data["content"].partition("## Transcript")
    assert "A page about a talk" in before
    assert "Ada Hare: Tortoises are slow" in after
    assert "https://talks.example/talk/de.vtt" in [link["url"] for link in data["links"]]
    assert [one["text"] for one in data["outline"]][-1] == "Transcript"


async def test_subtitles_that_cannot_be_read_are_a_note(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("talks.example").page("/talk", PAGE % '<video><track src="http://10.0.0.7/x.vtt"></video>')
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    assert "A page about a talk" in data["content"]
    assert any("10.0.0.7/x.vtt could not be read" in note for note in data["notes"])
    assert miniweb.private.reached == []


@pytest.mark.parametrize(("spoken", "shown"), [("Tortoises are slow and old. " * 20, 1), ("Too short.", 0)])
def test_a_transcript_in_the_data_of_a_page_is_added_and_marked(spoken: str, shown: int) -> None:
    data = {"@context": "https://schema.org", "@type": "VideoObject", "name": "Talk", "transcript": spoken}
    html = PAGE % f'<script type="application/ld+json">{json.dumps(data)}</script>'
    document = read(html.encode(), "text/html", "https://a.example/")
    assert document.markdown.count("From the data of the page, which does not show it:") == shown
    assert document.markdown.count("Tortoises are slow") == 20 * shown


def test_a_transcript_that_the_page_shows_is_not_repeated() -> None:
    spoken = "Tortoises are slow and old. " * 20
    data = {"@type": "VideoObject", "transcript": spoken}
    html = PAGE % f'<p>{spoken}</p><script type="application/ld+json">{json.dumps(data)}</script>'
    assert read(html.encode(), "text/html", "https://a.example/").markdown.count("Tortoises are slow") == 20


def test_only_what_is_said_counts_as_a_track() -> None:
    html = b"<track kind=chapters src=c.vtt><TRACK SRC='a.vtt' SRCLANG=fr><track src=\"javascript:x\"><track>"
    assert [track.url for track in spoken_tracks(html, "https://a.example/b/")] == ["https://a.example/b/a.vtt"]
