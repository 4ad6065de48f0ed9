"""Every way out of the process: each surface gives what it returns for a hostile world, with who reads it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import click

from application import application
from contracts_seeds.contract_caller import contract_caller
from mcp_web import AsyncWeb
from mcp_web.app import App
from mcp_web.cli import main as command_line
from mcp_web.contracts.sets import contract_named
from mcp_web.errors import WebError
from mcp_web.server import prompts, resources
from mcp_web.server.http import http_app
from mcp_web.settings import load
from mcp_web.tools.call import Call, Progress
from mcp_web.tools.calling import call_tool
from mcp_web.tools.options import CONTRACTS
from mcp_web.tools.sets import tool_named
from mcp_web.tools.tool import Answer
from mcp_web.web.csrf import COOKIE, FIELD
from miniweb import MiniWeb
from surface.command import run_command

from .hostile_world import KEY, WORD, HostileWorld, html_page
from .outputs import Output, Reader, parsed

Arguments = dict[str, Any]
_FORMATS = ("search", "fetch")  # tools in the format of another system


# Tools, resources and prompts of our own


def tool_calls(world: HostileWorld, snapshot: str) -> Iterator[tuple[str, Arguments]]:
    """Every tool with every source of hostile text."""
    urls = world.urls()
    for url in urls:
        yield "web_open", {"url": url}
        yield "web_read", {"url": url, "query": "valves"}
    yield "web_open", {"url": urls[0], "selector": "#nothing"}
    yield "web_open", {"url": urls[0], "section": WORD}
    yield "web_open", {"url": urls[0], "mode": "raw", "max_chars": 400}
    yield "web_open", {"url": urls[0], "mode": "rendered"}
    yield "web_batch_open", {"urls": urls}
    yield "web_read", {"url": urls, "query": ["valves", "nothing like it"]}
    yield "verify_quotes", {"source": urls[0], "quotes": ["Plain sentences about valves.", "not there"]}
    yield "archive_add", {"content": urls[0], "tags": ["kept"]}
    yield "archive_add", {"content": urls[2]}
    yield "cache_get", {"snapshot": snapshot}
    yield "cache_get", {"snapshot": snapshot, "diff": "previous"}
    yield "archive_search", {"query": WORD}
    yield "archive_search", {"query": "valves", "include_citations": True}
    yield "archive_search", {"similar": snapshot}
    yield "web_extract", {"html": html_page(world.texts), "max_chars": 300}
    yield "web_crawl", {"url": urls[0], "max_pages": 5}
    yield "web_watch", {"url": urls, "query": ["valves"]}
    yield "cache_purge", {"domain": "hostile.example"}
    yield "web_search", {"query": ["valves", "nothing"], "provider": "searxng"}
    yield "web_search", {"query": "nothing", "provider": "searxng"}
    yield "web_search", {"query": "valves", "provider": "brave"}
    yield "web_search", {"query": ["valves", "nothing"]}
    yield "web_search", {"query": "valves", "provider": "searxng", "fetch_content": True}
    yield "search", {"query": "valves"}
    yield "fetch", {"id": urls[0]}
    yield "fetch", {"id": urls[2]}


async def tools(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    async with _application(world, web, folder) as app:
        for url in world.urls()[:2]:
            await _called(app, "web_open", {"url": url})
        for name, arguments in tool_calls(world, await _hash_of_page(app)):
            for structured in (False, True):
                result, progress = await _called(app, name, arguments, structured=structured)
                for output in _answered(f"{name}({arguments})"[:200], result, own=name not in _FORMATS):
                    yield output
                yield Output(f"progress of {name}", progress, "message")


async def resources_and_prompts(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    async with _application(world, web, folder) as app:
        for url in world.urls():
            await _called(app, "web_open", {"url": url})
        for listed in await resources.list_resources(app):
            yield Output("resources/list", f"{listed.title}\n{listed.description}", "agent")
            yield Output("resources/list", listed.name, "facts")
            for kind in ("cache", "meta", "picture"):
                uri = str(listed.uri).replace("cache", kind)
                yield Output(f"resources/read {kind}", *(await _read(app, uri)))
        for prompt in prompts.PROMPTS:
            got = await prompts.get_prompt(app, None, prompt.name, {prompt.argument: world.urls()[0]})
            yield Output(f"prompt {prompt.name}", got.model_dump(mode="json"), "agent")


async def _read(app: App, uri: str) -> tuple[Any, Any]:
    try:
        (found,) = (await resources.read_resource(app, uri)).contents
    except Exception as error:  # noqa: BLE001 - the protocol's own error, which a client shows
        return str(error), "agent"
    text = found.text  # type: ignore[union-attr]
    return (parsed(text), "facts") if found.mime_type == "application/json" else (text, "agent")


# Contracts


def contract_calls(contract: str, world: HostileWorld, key: str) -> Iterator[tuple[str, Arguments]]:
    """Every tool of a contract, its required parameters filled with hostile sources."""
    for tool in contract_named(contract).tools:
        needed = set(tool.schema.get("required", ())) | ({"url"} & set(tool.schema["properties"]))
        for arguments in _filled(needed, world, key):
            yield tool.name, arguments


def _filled(needed: set[str], world: HostileWorld, key: str) -> Iterator[Arguments]:
    urls, html = world.urls(), html_page(world.texts)
    if "url" in needed:
        yield from ({"url": url} | ({"query": ["valves"]} if "query" in needed else {}) for url in urls)
    elif "query" in needed:
        yield {"query": "valves"}
    elif "urls" in needed:
        yield {"urls": urls}
    elif "html" in needed:
        yield {"html": html}
    elif "hash" in needed:
        yield from ({"hash": one} for one in (key, "0" * 64))
    else:
        yield {"domain": "hostile.example", "dry_run": True}


async def contracts(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    for contract in CONTRACTS:
        env = world.settings() | {"MCP_WEB_PROFILE": "standard"}
        async with contract_caller(web, folder / contract, contract, **env) as caller:
            await _called(caller.app, "web_open", {"url": world.urls()[0]})
            key = (await (await caller.app.store()).browse(1))[0][0].key
            for name, arguments in contract_calls(contract, world, key):
                result = await caller.call(name, **arguments)
                for output in _answered(f"{contract} {name}({arguments})"[:200], result, own=False):
                    yield output
            offered = contract_named(contract)
            for prompt in offered.prompts:
                for url in world.urls():
                    got = await prompts.get_prompt(caller.app, offered, prompt.name, {prompt.argument: url})
                    yield Output(f"{contract} prompt {prompt.name} {url}", got.model_dump(mode="json"), "format")


# Commands


def command_names() -> set[str]:
    """Every command that can be run, `archive search` for a command of a group."""
    found = set()
    context = click.Context(command_line.cli)
    for name in command_line.COMMANDS:
        command = command_line.cli.get_command(context, name)
        inside = command.commands if isinstance(command, click.Group) else {}
        found |= {f"{name} {each}" for each in inside} or {name}
    return found


def command_calls(world: HostileWorld, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Every command with hostile sources; `serve` is met through the tools, resources and prompts."""
    urls = world.urls(loopback=True)
    page, config = folder / "page.html", folder / "site.toml"
    page.write_text(html_page(world.texts), "utf-8", "replace")
    config.write_text('[[site]]\nid = "hostile"\nversion = 1\ndomains = ["hostile.example"]\nbody = ["main"]\n')
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "n.md").write_text(f"# {world.texts.next()}\n\n{world.texts.long()}", "utf-8", "replace")
    yield "open", urls
    yield "open", [urls[0], "--json"]
    yield "read", [urls[0], "valves"]
    yield "read", [urls[2], "valves", "--json"]
    yield "verify", [urls[0], "Plain sentences about valves.", "not there"]
    yield "cite", urls[:4]
    yield "cite", [*urls[:4], "--bibtex"]
    yield "cite", [*urls[:4], "--json"]
    yield "extract", [str(page), "--front-matter", "--explain"]
    yield "archive add", [urls[0], "--tag", "kept"]
    for provider in ("brave", "searxng"):
        yield "search", ["valves", "--provider", provider]
        yield "search", ["valves", "--provider", provider, "--json"]
    yield "archive sync", [str(notes)]
    yield "archive crawl", [urls[0], "--max-pages", "3"]
    yield "archive search", [WORD, "--citations"]
    yield "archive search", ["valves", "--json"]
    yield "archive search", [KEY, "--json"]
    yield "open", [f"{urls[0]}/{KEY}"]
    yield "archive list", []
    yield "archive list", ["--json"]
    yield "archive show", [urls[0]]
    yield "archive collections", []
    yield "archive graph", ["valves"]
    yield "archive export", [str(folder / "out.bib")]
    yield "archive export", [str(folder / "out")]
    yield "archive import", [str(folder / "out")]
    yield "archive reindex", []
    yield "archive remove", [urls[0]]
    yield "cache list", []
    yield "cache get", [urls[0]]
    yield "cache diff", [urls[0]]
    yield "cache purge", ["--domain", "127.0.0.1"]
    yield "watch", [*urls[:4], "--feed", str(folder / "feed.xml")]
    yield "watch", ["--list"]
    yield "history", []
    yield "stats", []
    yield "doctor", []
    yield "doctor", ["--json"]
    yield "config", []
    yield "config", ["--json"]
    yield "siteconfig list", []
    yield "siteconfig test", [str(config), str(page)]
    yield "store check", []
    yield "store copy", [str(folder / "data" / "cache.db"), str(folder / "copy.db")]
    yield "token list", []
    yield "token add", ["someone"]
    yield "token revoke", ["someone"]
    yield "tenant list", []
    yield "tenant erase", ["someone"]
    yield "tenant share", ["default", "kept", "--all"]
    yield "tenant shares", []
    yield "tenant unshare", ["default", "kept"]
    yield "audit verify", []
    yield "client", ["cursor"]
    yield "completion", ["bash"]


async def commands(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    env = (
        dict(os.environ)
        | world.settings()
        | {
            "DATA_DIR": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "MCP_WEB_ALLOW_PRIVATE": world.site.exemption,
            "MCP_WEB_SEARCH_HISTORY": "true",
            "MCP_WEB_RENDER_ENABLED": "false",
            "HOME": str(folder),
        }
    )
    for name, arguments in command_calls(world, folder):
        done = await anyio.to_thread.run_sync(run_command, [*name.split(), *arguments], env)
        call = f"mcp-web {name} {' '.join(arguments)}"[:200]
        yield Output(call, parsed(done.stdout), "person")
        yield Output(f"stderr of {call}", done.stderr, "message")


# The web interface


def view_calls(snapshot: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Every view: method, address, form."""
    kept = f"/archive/{snapshot}"
    asked = ("/search?q=valves&web=1", f"/search?q={WORD}", f"/archive?q={WORD}", f"{kept}?quote=Plain+sentences")
    plain = ("/", "/activity", "/archive", "/graph", "/watch", "/figures", "/figures/now", "/state", "/archive/nothing")
    of_page = (kept, f"{kept}/diff", f"{kept}/picture", f"/graph?focus={snapshot}")
    for path in (*plain, *asked, *of_page, "/metrics", "/readyz"):
        yield "GET", path, {}
    for form in ("md", "bib", "json", "nothing"):
        yield "GET", f"{kept}/export/{form}", {}
    yield "POST", "/watch", {"url": "https://hostile.example/page"}
    yield "POST", f"{kept}/tags", {"tags": "one, two"}
    yield "GET", "/watch", {}
    yield "GET", "/watch/feed.atom", {}
    yield "POST", f"{kept}/readings/remove", {}
    yield "GET", "/space?days=7", {}
    yield "POST", "/space", {"sure": "no"}
    yield "POST", f"{kept}/remove", {"sure": "no"}


async def views(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    async with _application(world, web, folder) as app:
        for url in world.urls():
            await _called(app, "web_open", {"url": url})
        await _called(app, "web_search", {"query": "valves", "provider": "brave"})
        served = http_app(app, 80)
        for method, path, form in view_calls(await _hash_of_page(app)):
            reader: Reader = "person" if "/export/" in path else "html"
            yield Output(f"{method} {path}", await _requested(served, method, path, form), reader)


async def _requested(served: Any, method: str, target: str, form: dict[str, str]) -> str:
    path, _, query = target.partition("?")
    body = "&".join(f"{name}={value}" for name, value in ({FIELD: "t"} | form).items()).encode()
    headers = [
        (b"host", b"127.0.0.1:80"),
        (b"cookie", f"{COOKIE}=t".encode()),
        (b"content-type", b"application/x-www-form-urlencoded"),
        (b"content-length", str(len(body)).encode()),
    ]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "http_version": "1.1",
             "headers": headers, "scheme": "http", "server": ("127.0.0.1", 80), "root_path": ""}  # fmt: skip
    sent: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body if method == "POST" else b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.extend(value for _, value in message.get("headers", ()))
        sent.append(message.get("body", b""))

    await served(scope, receive, send)
    return b"\n".join(sent).decode("utf-8", "replace")


# The Python API


def api_calls(world: HostileWorld, web: AsyncWeb) -> Iterator[tuple[str, Any]]:
    """Every method of the API, as a function without parameters."""
    for url in world.urls():
        yield "open", lambda url=url: web.open(url)
        yield "archive.add", lambda url=url: web.archive.add(url)
    yield "read", lambda: web.read(world.urls(), "valves")
    yield "read", lambda: web.read(world.urls()[2], "valves")
    yield "extract", lambda: web.extract(html_page(world.texts))
    yield "cite", lambda: web.cite(world.urls()[0])
    yield "verify", lambda: web.verify(world.urls()[0], ["Plain sentences about valves.", "not there"])
    for style in ("text", "bibtex", "csl"):
        yield "cite", lambda style=style: web.cite(world.urls()[0], style=style)
    for provider in ("searxng", "brave"):
        yield "search", lambda provider=provider: web.search("valves", provider=provider)
        yield "search", lambda provider=provider: web.search("nothing", provider=provider)
    yield "archive.search", lambda: web.archive.search("valves")
    yield "archive.crawl", lambda: web.archive.crawl(world.urls()[0], max_pages=3)


async def python_api(world: HostileWorld, web: MiniWeb, folder: Path) -> AsyncIterator[Output]:
    settings = load(environ=_environ(world, folder))
    async with AsyncWeb(settings, dialer=web.dialer()) as api:
        for name, call in api_calls(world, api):
            try:
                made = await call()
            except WebError as error:
                yield Output(f"error of {name}", f"{error.message} {error.suggestion}", "message")
                yield Output(f"error of {name}", error.as_dict() | {"details": error.details}, "facts")
                continue
            if isinstance(made, str):
                yield Output(name, made, "person")
                continue
            results = made if isinstance(made, list) else [made]
            shown = [one if isinstance(one, str) else dataclasses.asdict(one) for one in results]
            yield Output(name, shown, "person")
            yield Output(f"notes of {name}", [note for one in results for note in getattr(one, "notes", ())], "message")
            yield Output(f"repr of {name}", [repr(one) for one in results], "person")


SURFACES = {
    "tools": tools,
    "resources and prompts": resources_and_prompts,
    "contracts": contracts,
    "commands": commands,
    "views": views,
    "python api": python_api,
}


# What they share


def _environ(world: HostileWorld, folder: Path) -> dict[str, str]:
    return {"DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder / "config")} | world.settings()


def _application(world: HostileWorld, web: MiniWeb, folder: Path) -> AbstractAsyncContextManager[App]:
    return application(load(environ=_environ(world, folder)), web)


async def _hash_of_page(app: App) -> str:
    found, _ = await (await app.store()).browse(30)
    return next(one.hash for one in found if one.url.endswith("/page"))


async def _called(app: App, name: str, arguments: Arguments, *, structured: bool = False) -> tuple[Answer, list[str]]:
    said: list[str] = []

    def note(progress: Progress) -> None:
        said.append(progress.message)

    call = Call(app, deadline=anyio.current_time() + 50, on_progress=note, wants_data=structured)
    return await call_tool(tool_named(name), call, arguments, structured=structured), said


def _answered(call: str, result: Answer, *, own: bool) -> Iterator[Output]:
    """The parts of an answer. An error is ours whatever the format; other formats have no envelope."""
    if own or result.is_error:
        yield Output(call, [parsed(text) for text in (result.text, *result.more)], "agent")
    else:
        yield Output(call, [parsed(text) for text in (result.text, *result.more)], "format")
    yield Output(f"_meta of {call}", result.meta, "facts")
    yield Output(f"data of {call}", [result.data, result.extra], "format")
