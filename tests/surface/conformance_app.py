"""The product's server with the fixtures that the conformance suite calls by name, built with our own machinery.

Run: python -m surface.conformance_app PORT DATA_DIR (from tests/).
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import uvicorn

from mcp_web.app import App
from mcp_web.errors import InvalidInput
from mcp_web.server import prompts, resources
from mcp_web.server.build import build_server
from mcp_web.server.http import http_app
from mcp_web.settings import load
from mcp_web.tools.call import Call
from mcp_web.tools.sets import offered
from mcp_web.tools.tool import Answer, Screenshot, Tool


async def _text(call: Call, args: dict[str, Any]) -> Answer:
    return Answer({}, "This is a simple text response for testing.")


async def _error(call: Call, args: dict[str, Any]) -> Answer:
    raise InvalidInput("This tool intentionally returns an error for testing.")


async def _progress(call: Call, args: dict[str, Any]) -> Answer:
    for done in (0, 50, 100):
        call.report(f"{done} of 100", done, 100)
        await anyio.sleep(1.2)  # progress is reported about once a second
    return Answer({}, "done")


async def _embedded(call: Call, args: dict[str, Any]) -> Answer:
    return Answer({}, "A text and an embedded resource.", screenshot=Screenshot("test://picture", len(PIXEL), PIXEL))


async def add_image(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """The image that the scenario of mixed content wants beside our text and resource."""
    result = await call_next(ctx)
    content = result.get("content") if isinstance(result, dict) else None
    if content and content[0].get("text") == MIXED:
        image = {"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"}
        return result | {"content": [*content, image]}
    return result


async def _mixed(call: Call, args: dict[str, Any]) -> Answer:
    return Answer({}, MIXED, screenshot=Screenshot("test://picture", len(PIXEL), PIXEL))


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
MIXED = "A text, an image and an embedded resource."
FIXTURES = {
    "test_simple_text": _text,
    "test_error_handling": _error,
    "test_tool_with_progress": _progress,
    "test_embedded_resource": _embedded,
    "test_multiple_content_types": _mixed,
}
STATIC = "test://static-text"
BINARY = "test://static-binary"
TEMPLATE = "test://template/{id}/data"


async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
    static = types.Resource(name="static", uri=STATIC, mime_type="text/plain")
    binary = types.Resource(name="binary", uri=BINARY, mime_type="image/png")
    return types.ListResourcesResult(resources=[static, binary])


async def list_templates(ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
    made = types.ResourceTemplate(name="template", uri_template=TEMPLATE, mime_type="application/json")
    return types.ListResourceTemplatesResult(resource_templates=[*resources.TEMPLATES, made])


async def list_prompts(ctx: Any, params: Any) -> types.ListPromptsResult:
    arguments = [types.PromptArgument(name=name, required=True, description=name) for name in ("arg1", "arg2")]
    made = [
        types.Prompt(name="test_simple_prompt", description="simple"),
        types.Prompt(name="test_prompt_with_arguments", description="two", arguments=arguments),
    ]
    return types.ListPromptsResult(prompts=[*prompts.list_prompts(), *made])


async def get_prompt(app: App, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    texts = {
        "test_simple_prompt": "This is a simple prompt for testing.",
        "test_prompt_with_arguments": f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'",
    }
    if params.name not in texts:
        return await prompts.get_prompt(app, None, params.name, params.arguments)
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=texts[params.name]))
    return types.GetPromptResult(messages=[message])


async def main(port: int, data_dir: str) -> None:
    async with App(load(environ={"DATA_DIR": data_dir})) as app:
        fixtures = {name: Tool(name, name, f"Fixture {name}.", (), run) for name, run in FIXTURES.items()}
        server = build_server(app, offered(app.tools) | fixtures)

        async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
            if params.uri == BINARY:
                blob = base64.b64encode(PIXEL).decode()
                picture = types.BlobResourceContents(uri=BINARY, mime_type="image/png", blob=blob)
                return types.ReadResourceResult(contents=[picture])
            texts = {STATIC: ("text/plain", "This is the content of the static text resource.")}
            if params.uri.startswith("test://template/"):
                facts = {"id": params.uri.split("/")[3], "templateTest": True, "data": "Data for the template"}
                texts[params.uri] = ("application/json", json.dumps(facts))
            if params.uri not in texts:
                return await resources.read_resource(app, params.uri)
            kind, text = texts[params.uri]
            made = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
            return types.ReadResourceResult(contents=[made])

        async def prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
            return await get_prompt(app, params)

        server.middleware.append(add_image)
        page = types.PaginatedRequestParams
        server.add_request_handler("resources/list", page, list_resources)
        server.add_request_handler("resources/templates/list", page, list_templates)
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)
        server.add_request_handler("prompts/list", page, list_prompts)
        server.add_request_handler("prompts/get", types.GetPromptRequestParams, prompt)
        config = uvicorn.Config(http_app(app, port, server), host="127.0.0.1", port=port, log_level="warning")
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]), sys.argv[2])
