"""API descriptions (OpenAPI 3, Swagger 2 in JSON) → Markdown: endpoints, parameters, bodies, schemas.

The JSON is mostly punctuation: as Markdown the same facts take about a tenth of the tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcp_web.extract.assemble import assemble
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.inline import inline_text
from mcp_web.text.json_fields import items, mapping, texts

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_OPERATIONS = 2000
_SCHEMAS = 500
_DEPTH = 3


def read_openapi(value: dict[str, Any], page: Fetched) -> Document:
    """Reads an API description (OpenAPI 3 or Swagger 2) that is already parsed from JSON."""
    info = mapping(value.get("info"))
    title = _line(info.get("title")) or "API"
    parts = [f"# {title}" + (f" {_line(info.get('version'))}" if info.get("version") else "")]
    if about := str(info.get("description") or "").strip()[:4000]:
        parts.append(about.replace("\n#", "\n\\#"))
    servers = ", ".join(_servers(value))
    if servers:
        parts.append(f"Servers: {servers}")
    parts.append("## Endpoints")
    operations = list(_operations(value))
    parts.extend(_operation(value, *each) for each in operations[:_OPERATIONS])
    schemas = mapping(mapping(value.get("components")).get("schemas")) or mapping(value.get("definitions"))
    if schemas:
        parts.append("## Schemas")
        parts.extend(
            f"### {_line(name)}\n\n" + ("\n".join(_schema(mapping(schema), 0)) or "(empty)")
            for name, schema in list(schemas.items())[:_SCHEMAS]
        )
    notes = [f"An API description with {amount(len(operations), 'operation')}; mode=raw shows its JSON."]
    if len(operations) > _OPERATIONS or len(schemas) > _SCHEMAS:
        notes.append(f"Only the first {_OPERATIONS:,} operations and {_SCHEMAS} schemas are shown.")
    metadata = Metadata(description=inline_text(about)[:500] or None)
    text = "\n\n".join(parts)
    return assemble(page, "openapi", text, title=title, kind="documentation", metadata=metadata, notes=notes)


def _operations(value: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The method and path of each operation of an API, and its object, with the parameters of its path added."""
    for path, item in mapping(value.get("paths")).items():
        shared = items(mapping(item).get("parameters"))
        for method in _METHODS:
            operation = mapping(item).get(method)
            if isinstance(operation, dict):
                yield method, str(path), {**operation, "parameters": [*shared, *items(operation.get("parameters"))]}


def _operation(value: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    """One operation as Markdown: its heading, description, parameters, request body and responses. `value` is the whole
    description, to which `$ref` refers."""
    lines = [f"### {method.upper()} {_line(path)}", ""]
    summary = _line(operation.get("summary"))
    about = _line(operation.get("description"))
    lines.extend(text for text in (summary, about if about != summary else "") if text)
    if operation.get("deprecated"):
        lines.append("Deprecated.")
    lines += [_parameter(_resolve(value, parameter)) for parameter in operation["parameters"]]
    body = _resolve(value, operation.get("requestBody"))
    for kind, content in list(mapping(body.get("content")).items())[:3]:
        lines.append(f"- body `{kind}`: {_type(mapping(mapping(content).get('schema')))}")
    for status, response in mapping(operation.get("responses")).items():
        answer = _resolve(value, response)
        content = next(iter(mapping(answer.get("content")).values()), {})
        schema = mapping(mapping(content).get("schema")) or mapping(answer.get("schema"))
        line = f"- {status}: {_line(answer.get('description'))}".rstrip()
        lines.append(line + (f" → {_type(schema)}" if schema else ""))
    return "\n".join(lines)


def _parameter(parameter: dict[str, Any]) -> str:
    """A list item for a parameter: its name, place, type and description."""
    kind = f"{_line(parameter.get('in')) or '?'}, {_type(mapping(parameter.get('schema')) or parameter)}"
    return _item(_line(parameter.get("name")) or "?", kind, parameter, is_required=bool(parameter.get("required")))


def _item(name: str, kind: str, described: dict[str, Any], *, is_required: bool) -> str:
    """A list item for a parameter or property of the type `kind`; `described` may have its description."""
    about = _line(described.get("description"))
    return f"- `{name}` ({kind}{', required' if is_required else ''})" + (f": {about}" if about else "")


def _schema(schema: dict[str, Any], depth: int) -> Iterator[str]:
    """The description of a schema, and a list item for each of its properties; `depth` is 0 for a named schema."""
    required = texts(schema.get("required"))
    if about := _line(schema.get("description")):
        yield about if depth == 0 else ""
    for name, inner in list(mapping(schema.get("properties")).items())[:100]:
        facts = mapping(inner)
        yield "  " * depth + _item(name, _type(facts), facts, is_required=name in required)
        if facts.get("properties") and depth < _DEPTH:
            yield from _schema({"properties": facts["properties"]}, depth + 1)
    if not schema.get("properties") and depth == 0:
        yield f"- {_type(schema)}"


def _type(schema: dict[str, Any]) -> str:
    """A type in a few words: `string (date)`, `list of Pet`, `Pet or Error`, `"a" | null`."""
    if isinstance(schema.get("$ref"), str):
        return _line(schema["$ref"]).rpartition("/")[2]
    for word in ("oneOf", "anyOf", "allOf"):
        if isinstance(schema.get(word), list):
            joint = " and " if word == "allOf" else " or "
            return joint.join(_type(mapping(each)) for each in schema[word][:6])
    if isinstance(schema.get("enum"), list):
        return " | ".join(map(_json, schema["enum"][:12]))
    kind = schema.get("type")
    kind = "/".join(_line(each) or "null" for each in kind) if isinstance(kind, list) else _line(kind) or "any"
    if kind == "array":
        return f"list of {_type(mapping(schema.get('items')))}"
    form = f" ({_line(schema['format'])})" if schema.get("format") else ""
    default = f" = {_json(schema['default'])}" if isinstance(schema.get("default"), (str, int, float)) else ""
    return kind + form + default


def _servers(value: dict[str, Any]) -> Iterator[str]:
    """The base URLs of the API."""
    for server in items(value.get("servers"))[:5]:
        if url := _line(server.get("url")):
            yield url
    if value.get("host"):
        schemes = texts(value.get("schemes")) or ["https"]
        yield f"{schemes[0]}://{_line(value['host'])}{_line(value.get('basePath'))}"


def _resolve(value: dict[str, Any], part: Any) -> dict[str, Any]:
    """The object `part`, or the target of its local `$ref` in the file `value`; {} if that is not an object. One step
    only, so that circular references end."""
    found = mapping(part)
    reference = found.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return found
    target: Any = value
    for step in reference[2:].split("/")[:10]:
        target = mapping(target).get(step.replace("~1", "/").replace("~0", "~"))
    return mapping(target)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: Any) -> str:
    return " ".join(str(text or "").split())[:600]
