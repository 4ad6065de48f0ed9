"""Add the transcript of a page's video, from the subtitles that the page offers."""

from __future__ import annotations

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.extract.append import append
from mcp_web.fetch.tracks import spoken_tracks
from mcp_web.model.page import Document, Fetched


async def add_transcript(
    app: App, page: Fetched, document: Document, *, deadline: float | None
) -> tuple[Document, tuple[str, ...]]:
    """(the document with the transcript of the page's video appended, notes). It is unchanged if the page has no
    subtitles, or if they cannot be read, which a note says."""
    has_tracks = b"<track" in page.body.lower() and not page.archived_url
    if not has_tracks or not (tracks := spoken_tracks(page.body, page.final_url)):
        return document, ()
    track = tracks[0]
    try:
        file = await (await app.fetcher()).get(track.url, deadline=deadline)
        spoken = await app.extract(file)
    except WebError as error:
        return document, (f"The subtitles at {track.url} could not be read: {error.message}",)
    others = ", ".join(f"[{one.label}]({one.url})" for one in tracks[1:10])
    more = f" Also: {others}." if others else ""
    return append(document, spoken, "Transcript", f"Subtitles of the video ({track.label}).{more}"), ()
