"""`AsyncWeb`: search, open, read, verify and remember from an async program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, get_args, overload

import anyio

from mcp_web import trace
from mcp_web.api.checks import as_tuple, check_choice, check_least, check_text
from mcp_web.api.clean_output import clean_output
from mcp_web.api.results import (
    ArchiveHit,
    ArchiveResults,
    Page,
    Passage,
    QuoteCheck,
    Reading,
    SearchHit,
    SearchResults,
)
from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.model.page import Document, ExtractRequest, Mode
from mcp_web.settings import Settings, load

if TYPE_CHECKING:
    from mcp_web.archive.answer import ArchiveResult, SearchedSource, SearchMode
    from mcp_web.archive.exchange.cite import Style
    from mcp_web.model.search import Category, SafeSearch
    from mcp_web.net.dial import Dialer
    from mcp_web.services.crawl_site import CrawlReport

TIMEOUT = 60.0
Urls = list[str] | tuple[str, ...]


class AsyncWeb:
    """The web for a program: the same engine, settings and archive as the MCP server and the command line.

    Use it as an async context manager. `settings` are those of the environment and the configuration file unless given;
    `timeout` is the longest time, in seconds, that one call may take, except for a crawl. Every failure is a
    `WebError`.
    """

    def __init__(
        self, settings: Settings | None = None, *, timeout: float = TIMEOUT, dialer: Dialer | None = None
    ) -> None:
        """`dialer` replaces the one that checks every address, for tests that serve their own pages."""
        self._app = App(settings or load(), dialer=dialer)
        self._timeout = timeout
        self.archive = AsyncArchive(self)

    async def __aenter__(self) -> Self:
        trace.interactive = True  # failures are raised: a log is written only where it is configured
        await self._app.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._app.__aexit__(*error)

    @clean_output
    async def search(
        self,
        query: str,
        *,
        count: int = 10,
        page: int = 0,
        provider: str | Sequence[str] = "auto",
        category: Category = "general",
        language: str | None = None,
        country: str | None = None,
        freshness: str | None = None,
        safe_search: SafeSearch = "moderate",
        include_domains: Sequence[str] = (),
        exclude_domains: Sequence[str] = (),
    ) -> SearchResults:
        """Search the web with the configured providers, or with those that need no key.

        `count` is how many hits are asked for; `page` counts from 0. `provider` is a name, several to ask together, or
        "auto". `language` is "en" or "en-US", `country` "US". `freshness` is day, week, month, year or
        YYYY-MM-DD..YYYY-MM-DD.
        """
        from mcp_web.model.search import CATEGORIES, SafeSearch, SearchQuery
        from mcp_web.services.search_web import search_web

        check_text("query", query)
        check_least("count", count, 1)
        check_least("page", page, 0)
        check_choice("category", category, CATEGORIES)
        check_choice("safe_search", safe_search, get_args(SafeSearch))
        wanted = SearchQuery(
            query,
            count=count,
            page=page,
            category=category,
            language=language,
            country=country,
            freshness=freshness,
            safe_search=safe_search,
            include_domains=as_tuple(include_domains),
            exclude_domains=as_tuple(exclude_domains),
        )
        (answer,) = await search_web(self._app, [wanted], provider, deadline=self._deadline())
        if isinstance(answer, WebError):
            raise answer
        found = answer.found
        hits = tuple(
            SearchHit(rank, hit.title, hit.url, hit.snippet, hit.published, hit.engines)
            for rank, hit in enumerate(found.hits, start=1)
        )
        return SearchResults(query, found.provider, hits, found.answers, (*answer.notes, *found.notes))

    @clean_output
    async def open(
        self,
        url: str,
        *,
        mode: Mode = "auto",
        selector: str | None = None,
        include_images: bool = False,
        max_age: float | None = None,
        at: str | None = None,
    ) -> Page:
        """Open a page as Markdown and keep it in the archive.

        `mode` "auto" renders the page in a browser only if needed; "raw" gives its source. `selector` is a CSS selector
        of the part to show. `max_age` is the most seconds a kept copy may be old: 0 fetches the page again. `at` opens
        the copy of the Internet Archive nearest to a day, as "2024-05-01", or the "latest".
        """
        from mcp_web.services.open_page import OpenRequest, open_page

        check_choice("mode", mode, get_args(Mode))
        request = OpenRequest(url, mode, selector, include_images, max_age=max_age, at=at)
        opened = await open_page(self._app, request, deadline=self._deadline())
        kept = opened.snapshot
        return _page(kept.final_url, kept.document, kept.hash, opened.cache, opened.notes)

    @overload
    async def read(self, url: str, question: str, *, max_results: int | None = None, min_score: float | None = None,
                   max_age: float | None = None) -> Reading: ...  # fmt: skip
    @overload
    async def read(self, url: Urls, question: str, *, max_results: int | None = None, min_score: float | None = None,
                   max_age: float | None = None) -> list[Reading]: ...  # fmt: skip
    @clean_output
    async def read(
        self,
        url: str | Urls,
        question: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        max_age: float | None = None,
    ) -> Reading | list[Reading]:
        """The passages of a page that answer a question, best first; of several pages, one reading each, in order.

        The passages end where the question is answered, unless `max_results` asks for up to that many of each page.
        `min_score` (0 to 1) leaves out those with a lower score, by default those that are hardly worth their tokens.
        `max_age` is that of `open`. With several pages, one that cannot be opened gives a reading without passages and
        the reason in its notes.
        """
        from mcp_web.services.read_page import read_pages

        check_text("question", question)
        if max_results is not None:
            check_least("max_results", max_results, 1)
        urls = as_tuple(url)
        pages = await read_pages(
            self._app,
            urls,
            [question],
            max_results=max_results,
            min_score=min_score if min_score is not None else self._app.similarity_threshold,
            max_age=max_age,
            deadline=self._deadline(),
        )
        if isinstance(url, str) and isinstance(pages[0], WebError):
            raise pages[0]
        found = [
            _reading(one, question, page, all_passages=max_results is not None)
            for one, page in zip(urls, pages, strict=True)
        ]
        return found[0] if isinstance(url, str) else found

    @clean_output
    async def extract(
        self, source: str | bytes, base_url: str = "", *, selector: str | None = None, include_images: bool = False
    ) -> Page:
        """Turn HTML into Markdown without any network; `base_url` makes links absolute. The page is not kept."""
        from mcp_web.services.extract_html import extract_html

        request = ExtractRequest(selector=selector, include_images=include_images)
        with anyio.fail_after(self._timeout):
            document = await extract_html(self._app, source, base_url, request)
        return _page(base_url, document)

    @clean_output
    async def verify(self, source: str, quotes: str | Sequence[str]) -> list[QuoteCheck]:
        """Check whether quotes appear in a source, one result each: a URL, a snapshot hash or an archive id.

        The kept copy is checked; a page that is not kept is opened first.
        """
        from mcp_web.read.fragment import quote_url
        from mcp_web.services.verify_quotes import verify_quotes

        kept, checks = await verify_quotes(self._app, source, as_tuple(quotes), deadline=self._deadline())
        made = []
        for one in checks:
            link = ""
            if one.start is not None and one.end is not None:
                link = quote_url(kept.final_url, kept.document.markdown, one.start, one.end)
            differences = tuple((each.quoted, each.found) for each in one.differences)
            made.append(QuoteCheck(one.quote, one.verdict, one.found, one.section_path, link, differences))
        return made

    @clean_output
    async def cite(self, source: str, *, style: Style = "text") -> str:
        """A citation of a source (a URL, a snapshot hash or an archive id), with the day on which it was read.

        The kept copy is cited; a page that is not kept is opened first. `csl` is CSL-JSON.
        """
        from mcp_web.archive.exchange.cite import Style, cite
        from mcp_web.archive.exchange.references import reference_of
        from mcp_web.services.find_snapshot import find_or_open

        check_choice("style", style, get_args(Style))
        return cite([reference_of(await find_or_open(self._app, source, self._deadline()))], style)

    def _deadline(self) -> float:
        return anyio.current_time() + self._timeout


class AsyncArchive:
    """Everything that was opened or saved; reached as `web.archive`."""

    def __init__(self, web: AsyncWeb) -> None:
        self._web = web

    @clean_output
    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        mode: SearchMode = "hybrid",
        source: SearchedSource = "all",
        collection: str | None = None,
        since: str | None = None,
        until: str | None = None,
        fuzzy: bool = True,
    ) -> ArchiveResults:
        """Search what is kept, by words and by meaning, at most `limit` documents.

        `mode` "text" is by words alone, "semantic" by meaning alone. `collection` is a tag or the name of a synced
        folder; `since` and `until` are days, as "2024-05-01". `fuzzy` corrects typos of the query.
        """
        from mcp_web.archive.answer import ArchiveQuery, SearchedSource, SearchMode
        from mcp_web.services.search_archive import search_archive

        check_text("query", query)
        check_least("limit", limit, 1)
        check_choice("mode", mode, get_args(SearchMode))
        check_choice("source", source, get_args(SearchedSource))
        wanted = ArchiveQuery(
            query, fuzzy=fuzzy, limit=limit, source=source, since=since, until=until, collection=collection, mode=mode
        )
        with anyio.fail_after(self._web._timeout):
            answer = await search_archive(self._web._app, wanted)
        hits = tuple(_archive_hit(result) for result in answer.results)
        return ArchiveResults(query, hits, answer.corrected_query, answer.notes)

    @clean_output
    async def add(
        self, content: str, *, title: str | None = None, date: str | None = None, tags: Sequence[str] = ()
    ) -> Page:
        """Save a page (its URL) or a text with a title as research, which no purge of the archive deletes.

        Raises InvalidInput for a text without a title. `date` is that of the document, as "2024-05-01".
        """
        from mcp_web.services.add_document import add_document

        check_text("content", content)
        kept = await add_document(
            self._web._app, content, title=title, day=date, tags=as_tuple(tags), deadline=self._web._deadline()
        )
        return _page(kept.final_url, kept.document, kept.hash)

    @clean_output
    async def crawl(
        self, url: str, *, prefix: str | None = None, max_pages: int = 200, max_depth: int = 4, tags: Sequence[str] = ()
    ) -> CrawlReport:
        """Add the pages of a site below `prefix` to the archive; a second crawl fetches only what changed.

        `prefix` is by default the folder of `url`; `max_depth` is how many links are followed from there. The timeout
        of a call does not apply; a crawl that was cancelled is continued by the next one.
        """
        from mcp_web.services.crawl_site import crawl_site

        return await crawl_site(
            self._web._app, url, prefix=prefix, max_pages=max_pages, max_depth=max_depth, tags=as_tuple(tags)
        )


def _page(url: str, document: Document, snapshot: str = "", cache: Any = "none", notes: tuple[str, ...] = ()) -> Page:
    return Page(
        url,
        document.title,
        document.markdown,
        snapshot,
        cache,
        document.metadata,
        document.headings,
        document.links,
        document.wall is None,
        (*notes, *document.notes),
    )


def _reading(url: str, question: str, page: Any, *, all_passages: bool) -> Reading:
    """The reading of one page, with all its ranked passages or as many as are worth their tokens; without passages and
    with a note if `page` is the error of a page that failed."""
    from mcp_web.read.fragment import quote_url

    if isinstance(page, WebError):
        return Reading(question, url, "", False, (), (page.message,))
    kept, (ranked,) = page.opened.snapshot, page.ranked
    passages = tuple(
        Passage(
            f"{kept.hash[:16]}#{one.passage.number}",
            one.passage.text,
            one.score,
            one.passage.section_path,
            one.passage.start,
            one.passage.end,
            quote_url(kept.final_url, kept.document.markdown, one.passage.start, one.passage.end),
        )
        for one in ranked.passages[: None if all_passages else ranked.enough]
    )
    return Reading(question, kept.final_url, kept.document.title, ranked.answered, passages, page.notes)


def _archive_hit(result: ArchiveResult) -> ArchiveHit:
    document = result.document
    snippets = tuple(
        snippet.text for highlight in result.highlights if highlight.field != "title" for snippet in highlight.snippets
    )
    return ArchiveHit(
        document.id,
        document.title,
        document.url,
        document.date,
        document.score,
        document.source,
        document.snapshot,
        snippets,
        document.path,
        document.tags,
    )
