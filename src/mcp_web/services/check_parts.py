"""Check every part of an installation by using it, each within its own deadline."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import anyio
import anyio.to_thread

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.model.page import ExtractRequest
from mcp_web.render.options import RenderOptions
from mcp_web.services.embed_documents import coverage
from mcp_web.text.amounts import amount

if TYPE_CHECKING:
    from mcp_web.search.probe import ProviderState

SECONDS = 20.0  # for one part


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one part, and how to fix it."""

    part: str
    state: Literal["ok", "off", "broken"]
    finding: str
    fix: str | None = None


async def check_parts(app: App, *, fix: bool = False) -> list[Check]:
    """Check each part by using it, the basic parts first; returns one or more findings for each, also for one that
    fails. With `fix`, a missing browser is installed first, if rendering is on."""
    checks: list[Check] = []
    for part, check in _PARTS.items():
        try:
            if fix and part == "browser" and app.can_render:
                from mcp_web.render.install import install_browser

                await install_browser(app.settings.of(RenderOptions))  # takes minutes
            with anyio.fail_after(SECONDS):
                checks += await check(app)
        except WebError as error:
            advice = error.suggestion.replace(" with `mcp-web doctor`", "")
            checks.append(Check(part, "broken", error.message, advice))
        except TimeoutError:
            finding = f"no answer within {SECONDS:g} s"
            checks.append(Check(part, "broken", finding, "Check the network, proxy and firewall."))
    return checks


async def _settings(app: App) -> list[Check]:
    set_here = [row for row in app.settings.rows if row.origin != "default"]
    changed = f"{amount(len(set_here), 'setting')} changed from the default"
    return [
        Check("settings", "ok", f"Python {sys.version.split()[0]}, {changed}"),
        *(Check("settings", "broken", f"unknown setting {name}", "Correct the name.") for name in app.settings.unknown),
    ]


async def _proxy(app: App) -> list[Check]:
    seen = [name for name in app.settings.proxy_variables if name != "NO_PROXY"]
    proxies = app.process.proxies
    used = {f"{proxy.scheme}://{proxy.host}:{proxy.port}" for proxy in (proxies.http, proxies.https) if proxy}
    if used:
        who = "the proxy resolves names" if proxies.resolves else "names are resolved here"
        return [Check("proxy", "ok", f"{' and '.join(sorted(used))}; {who}")]
    if seen:
        finding = f"{', '.join(seen)} is set in the environment and ignored: connections are direct"
        return [Check("proxy", "off", finding, "Set MCP_WEB_PROXY=environment to use it.")]
    return [Check("proxy", "ok", "none: connections are direct")]


async def _store(app: App) -> list[Check]:
    await app.require_kept_store()
    size = await (await app.store()).size()
    finding = f"{amount(size.pages, 'page')}, {amount(size.snapshots, 'version')}, {size.disk_bytes:,} bytes"
    return [Check("store", "ok", finding)]


async def _extract(app: App) -> list[Check]:
    from mcp_web.extract.options import ExtractOptions
    from mcp_web.extract.sites import unusable
    from mcp_web.services.extract_html import extract_html

    document = await extract_html(app, _SAMPLE, "https://example.org/", ExtractRequest())
    if "measured twice" not in document.markdown:
        return [Check("extract", "broken", "the sample page was not read", "Reinstall mcp-web.")]
    problems = unusable(app.settings.of(ExtractOptions).site_configs)
    return [
        Check("extract", "ok", f"{document.extractor} in a worker process"),
        *(Check("site configs", "broken", problem, "Correct or remove the file.") for problem in problems),
    ]


async def _ocr(app: App) -> list[Check]:
    from mcp_web.extract.ocr import INSTALL, find_tesseract
    from mcp_web.extract.options import ExtractOptions

    languages = app.settings.of(ExtractOptions).ocr
    found = find_tesseract(languages)
    if found is not None:
        return [Check("ocr", "ok", f"{found.program}, languages {languages}")]
    if languages in ("", "off"):
        return [Check("ocr", "off", "switched off", "Set MCP_WEB_OCR=eng.")]
    return [Check("ocr", "off", "scans and pictures are not read: no Tesseract was found", INSTALL)]


async def _model(app: App) -> list[Check]:
    """The findings about the embedding model, which is loaded, and about vectors; raises EmbeddingError."""
    from mcp_web.embed.static import static_vectors

    await anyio.to_thread.run_sync(static_vectors)
    embedder = app.process.embedder
    if embedder.dim == 0:
        off = "no embedding model: pages are ranked by words and the static signal"
        found = [Check("model", "off", off, "Set MCP_WEB_EMBEDDINGS=local.")]
    else:
        rows = await embedder.embed(["Is the model awake?"], "query")
        found = [Check("model", "ok", f"{embedder.name}, {len(rows[0])} dimensions")]
    for one in await coverage(app):
        fix = "A running server does it in the background, `mcp-web archive reindex` now." if one.lacking else None
        found.append(Check("vectors", "ok", f"{one.model}: {one.covered:,} of {one.documents:,} documents", fix))
    return found


async def _search(app: App) -> list[Check]:
    """The findings about the search providers: one for all that cannot be reached, one for all that are left out."""
    searcher = await app.searcher()
    states = await searcher.probe()
    unreachable = [state for state in states if state.reachable is False]
    together = unreachable if len(unreachable) > 1 else []
    left_out = [state for state in states if state.left_out]
    found = [_provider_check(state) for state in states if state not in together and state not in left_out]
    if together:  # the cause is the network, not the providers
        asked = sum(state.configured for state in states)
        names = ", ".join(state.name for state in together)
        finding = f"{len(together)} of {asked} providers could not be reached: {names}"
        if len(together) == asked:
            finding = f"none of the {asked} providers could be reached: this machine seems to be offline"
        found.append(Check("search", "broken", finding, together[0].fix))
    if left_out:
        names = ", ".join(state.name for state in left_out)
        found.append(Check("search", "off", f"{left_out[0].detail}: {names}", left_out[0].fix))
    if not any(state.configured for state in states):
        found.append(Check("search", "off", "no provider is set up: the web cannot be searched"))
    return found


def _provider_check(state: ProviderState) -> Check:
    """The finding about one search provider."""
    part = f"search:{state.name}"
    if not state.configured:
        return Check(part, "off", state.detail or "not configured", state.fix)
    sound = state.reachable is not False and state.authorised is not False
    facts = [
        state.detail.rstrip("."),
        f"quota left {state.quota_left}" if state.quota_left else "",
        f"{state.ms:.0f} ms" if state.ms is not None else "",
    ]
    finding = ", ".join(fact for fact in facts if fact) or "answers"
    return Check(part, "ok" if sound else "broken", finding, None if sound else state.fix)


async def _browser(app: App) -> list[Check]:
    from mcp_web.render.install import browser_state

    finding, fix = browser_state(app.settings.of(RenderOptions))
    if not app.can_render:
        how = "Set MCP_WEB_RENDER_ENABLED=true." + (f" {fix}" if fix else "")
        return [Check("browser", "off", f"rendering is off; {finding}", how)]
    return [Check("browser", "broken" if fix else "ok", finding, fix)]


_SAMPLE = "<title>Sample</title><main><h1>Sample</h1><p>Every claim on this page was measured twice.</p></main>"

_PARTS = {
    "settings": _settings,
    "proxy": _proxy,
    "store": _store,
    "extract": _extract,
    "ocr": _ocr,
    "model": _model,
    "search": _search,
    "browser": _browser,
}
