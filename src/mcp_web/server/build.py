"""Builds the MCP server: lists and calls tools, with progress, deadlines, cancellation and tool errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mcp_web import __version__
from mcp_web.app import App
from mcp_web.audit.log import AuditLog
from mcp_web.contracts import sets as contracts
from mcp_web.errors import FetchTimeout
from mcp_web.server import handshake, prompts, resources
from mcp_web.server.access import caller_in, tenant_of
from mcp_web.server.auth import Caller
from mcp_web.server.listing import listed_tools
from mcp_web.server.measure import measure
from mcp_web.server.result import add_extra_fields, to_mcp
from mcp_web.server.scopes import allows, scope_of
from mcp_web.tenant import Tenants
from mcp_web.text.untrusted import quoted
from mcp_web.tools.call import Call, Progress
from mcp_web.tools.calling import call_tool, failure_answer
from mcp_web.tools.tool import Answer, Tool

Context = ServerRequestContext[None]
PROGRESS_EVERY = 1.0  # seconds; the first report comes after one
_LESS = "Ask for less at once, or try again later."
ANSWERS = "mcp-web/answers"  # in the `_meta` of a call: "text" or "structured", whatever the configuration says


def build_server(
    app: App,
    tools: Mapping[str, Tool] | None = None,
    *,
    tenants: Tenants | None = None,
    audit: AuditLog | None = None,
) -> Server[None]:
    """The MCP server of an app, with the configured tools or the given ones; the caller chooses the transport. With
    `tenants` each request is served with the app of its caller's tenant; with `audit` every call is logged."""
    handlers = _Handlers(
        app, tenants or Tenants(app), contracts.tools_offered(app.tools) if tools is None else tools, audit
    )
    server = Server[None](
        handshake.NAME,
        version=__version__,
        title=handshake.TITLE,
        instructions=handshake.instructions_for(app.tools.profile, app.tools.contract),
        cache_hints={"tools/list": CacheHint(ttl_ms=handshake.TOOLS_TTL_MS, scope="private")},
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    server.middleware.append(measure)
    if handlers.contract is not None:
        server.middleware.append(add_extra_fields)
    return server


class _Handlers:
    """The handlers of MCP requests: one method for each kind."""

    def __init__(self, app: App, tenants: Tenants, tools: Mapping[str, Tool], audit: AuditLog | None) -> None:
        self.contract = contracts.contract_offered(app.tools.contract, tools) if app.tools.contract else None
        self._tenants = tenants
        self._audit = audit
        self._deadline = app.tools.deadline
        self._answers = app.tools.answers
        self._tools = contracts.with_plain_names(tools)
        self._listed = [types.Tool.model_validate(facts) for facts in listed_tools(app, tools)]
        # Calls that wait for the web do not hold up those that need no network.
        self._slots = {open_world: anyio.Semaphore(app.tools.concurrency) for open_world in (True, False)}

    async def list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:
        caller = _caller(ctx)
        if caller is None or caller.from_issuer:  # a token from an issuer can be exchanged for one with more scopes
            return types.ListToolsResult(tools=self._listed)
        usable = [tool for tool in self._listed if allows(caller.scopes, scope_of(self._tools[tool.name]))]
        return types.ListToolsResult(tools=usable)

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {quoted(params.name)}")
        _require(ctx, scope_of(tool))
        async with self._app_of(ctx) as app, _audited(self._audit, _caller(ctx), tool.name) as noted:
            result = await self._run(ctx, app, tool, params)
            error = (result.meta or {}).get("error") or {}
            noted["outcome"] = str(error.get("code", "error")) if result.is_error else "ok"
            return result

    async def _run(
        self, ctx: Context, app: App, tool: Tool, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Run a tool when a slot is free, within the deadline, and report its progress; its error is a result too."""
        deadline = anyio.current_time() + self._deadline
        asked = (ctx.meta or {}).get(ANSWERS)
        structured = (asked if asked in ("text", "structured") else self._answers) == "structured"
        call = Call(app, deadline, client=_client(ctx), wants_data=structured)
        answer: Answer | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_report, ctx, call.progress)
            # The deadline includes the time in the queue, because the client waits for it too.
            # A tool that is late because the machine is busy may still finish; its answer is worth more than an error.
            # With the default of 50 s that is before clients give up, after 60 s.
            with anyio.move_on_after(self._deadline + min(5.0, self._deadline / 4 + 1)):
                async with self._slots[tool.open_world]:
                    answer = await call_tool(tool, call, params.arguments, structured=structured)
            tasks.cancel_scope.cancel()
        if answer is None:  # the tool has to keep to the deadline itself
            late = FetchTimeout(f"{tool.name} did not finish within {self._deadline:g} s.", suggestion=_LESS)
            answer = failure_answer(late, call)
        return to_mcp(answer, structured=structured)

    async def list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:
        _require(ctx, "archive:read")
        async with self._app_of(ctx) as app:
            return types.ListResourcesResult(resources=await resources.list_resources(app))

    async def list_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        _require(ctx, "archive:read")
        async with self._app_of(ctx) as app:
            return await resources.read_resource(app, params.uri)

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        _require(ctx, "archive:read")
        async with self._app_of(ctx) as app:
            return await resources.complete(app, params)

    async def list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts.list_prompts(self.contract))

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        tool = self._tools.get(params.name)  # a contract's prompt that opens pages as the tool of its name does
        if tool is not None:
            _require(ctx, scope_of(tool))
        audit = self._audit if tool is not None else None
        async with self._app_of(ctx) as app, _audited(audit, _caller(ctx), params.name) as noted:
            result = await prompts.get_prompt(app, self.contract, params.name, params.arguments)
            noted["outcome"] = "ok"
            return result

    def _app_of(self, ctx: Context) -> AbstractAsyncContextManager[App]:
        """Context manager: the app of the caller's tenant."""
        return self._tenants.using(tenant_of(_caller(ctx)))


def _caller(ctx: Context) -> Caller | None:
    """The authenticated caller of the request; None on stdio and where no token is needed."""
    return caller_in(ctx.request.scope) if ctx.request is not None else None


def _client(ctx: Context) -> str:
    """The client program (by its client info, else its user agent) and the name of its token, as "program · token"."""
    caller, introduced = _caller(ctx), ctx.session.client_params
    agent = ctx.request.headers.get("user-agent", "") if ctx.request is not None else ""
    program = introduced.client_info.name if introduced is not None else agent.partition("/")[0]
    return " · ".join(name[:100] for name in (program, caller.name if caller else "") if name)


@asynccontextmanager
async def _audited(log: AuditLog | None, caller: Caller | None, tool: str) -> AsyncIterator[dict[str, str]]:
    """Context manager: writes one audit line for a call, also if it fails; its body sets "outcome" in the dict."""
    noted = {"outcome": "cancelled"}
    begun = anyio.current_time()
    try:
        yield noted
    finally:
        if log is not None:
            who = {"tenant": tenant_of(caller)} | ({"caller": caller.name} if caller else {})
            ms = round((anyio.current_time() - begun) * 1000)
            with anyio.CancelScope(shield=True):
                await log.write("call", **who, tool=tool, **noted, ms=ms)


def _require(ctx: Context, scope: str) -> None:
    """Raise MCPError if the caller lacks a scope; does not rely on what the middleware read in the body."""
    caller = _caller(ctx)
    if caller is not None and not allows(caller.scopes, scope):
        raise MCPError(types.INVALID_REQUEST, f"The token lacks the scope {scope!r}.")


async def _report(ctx: Context, progress: Progress) -> None:
    """Send progress notifications about once a second until cancelled, if the client requested them."""
    if ctx.meta is None or "progress_token" not in ctx.meta:
        return
    sent = 0.0
    while True:
        await anyio.sleep(PROGRESS_EVERY)
        # The protocol requires progress to increase with every notification.
        sent = max(sent + 0.01, progress.done)
        await ctx.session.report_progress(sent, progress.total, progress.message or "working")
