"""API descriptions are written out as endpoints."""

from __future__ import annotations

import json

from tests.extract.reading import read

PETS = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1.2", "description": "All about pets."},
    "servers": [{"url": "https://api.example.org/v1"}],
    "paths": {
        "/pets/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer", "format": "int64"}}
            ],
            "get": {
                "summary": "One pet",
                "parameters": [{"$ref": "#/components/parameters/Fields"}],
                "responses": {
                    "200": {
                        "description": "The pet",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                    },
                    "404": {"description": "No such pet"},
                },
            },
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/x/Pet"}}}}
                },
                "responses": {},
            },
        }
    },
    "components": {
        "parameters": {
            "Fields": {
                "name": "fields",
                "in": "query",
                "schema": {"enum": ["name", "all"]},
                "description": "What to send",
            }
        },
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "self": {"$ref": "#/components/schemas/Pet"}},
            }
        },
    },
}


def test_operations_parameters_and_schemas_are_written_out() -> None:
    document = read(json.dumps(PETS), "application/json", "https://x.org/openapi.json")
    assert document.kind == "documentation"
    assert document.title == "Pets"
    assert document.markdown == (
        "# Pets 1.2\n\nAll about pets.\n\nServers: https://api.example.org/v1\n\n## Endpoints\n\n"
        "### GET /pets/{id}\n\nOne pet\n- `id` (path, integer (int64), required)\n"
        '- `fields` (query, "name" | "all"): What to send\n- 200: The pet → Pet\n- 404: No such pet\n\n'
        "### POST /pets/{id}\n\n- `id` (path, integer (int64), required)\n- body `application/json`: list of Pet\n\n"
        "## Schemas\n\n### Pet\n\n- `name` (string, required)\n- `self` (Pet)"
    )
    assert "GET /pets/{id}" in [heading.text for heading in document.headings]


def test_swagger_two_names_its_host_and_definitions() -> None:
    old = {
        "swagger": "2.0",
        "info": {"title": "Old"},
        "host": "api.example.org",
        "basePath": "/v2",
        "paths": {"/a": {"get": {"responses": {"200": {"description": "ok", "schema": {"type": "string"}}}}}},
        "definitions": {"A": {"type": "string", "description": "A word"}},
    }
    text = read(json.dumps(old), "application/json").markdown
    assert "Servers: https://api.example.org/v2" in text
    assert "- 200: ok → string" in text
    assert "### A\n\nA word\n- string" in text


def test_values_are_written_as_json() -> None:
    properties = {
        "a": {"enum": ["é", 'a"b', None, True, 1.5, {"x": [False]}]},
        "b": {"type": "boolean", "default": False},
        "c": {"type": "string", "default": "on\n# off"},
    }
    pets = {**PETS, "components": {"schemas": {"Pet": {"type": "object", "properties": properties}}}}
    text = read(json.dumps(pets), "application/json").markdown
    assert r'- `a` ("é" | "a\"b" | null | true | 1.5 | {"x": [false]})' in text
    assert "- `b` (boolean = false)" in text
    assert r'- `c` (string = "on\n# off")' in text


def test_fields_that_are_null_count_as_missing() -> None:
    parameters = [
        {"name": None, "in": None, "type": None, "format": None, "description": None},
        {"name": "a", "in": "query", "schema": {"$ref": None, "type": ["string", None], "items": None}},
    ]
    operation = {"summary": None, "parameters": parameters, "responses": {"200": {"description": None}}}
    old = {
        "swagger": "2.0",
        "info": {"title": None, "version": None},
        "host": "api.example.org",
        "basePath": None,
        "schemes": None,
        "paths": {"/a": {"parameters": None, "get": operation}},
        "definitions": {"A": None},
    }
    text = read(json.dumps(old), "application/json").markdown
    assert text == (
        "# API\n\nServers: https://api.example.org\n\n## Endpoints\n\n"
        "### GET /a\n\n- `?` (?, any)\n- `a` (query, string/null)\n- 200:\n\n## Schemas\n\n### A\n\n- any"
    )


def test_malformed_description_does_not_fail() -> None:
    odd = {
        "openapi": 3,
        "info": [],
        "paths": {"/a": None, "/b": {"get": {"parameters": {}, "responses": [], "requestBody": 1}}},
    }
    assert "### GET /b" in read(json.dumps(odd), "application/json").markdown


def test_longer_description_says_what_is_not_shown() -> None:
    schemas = {f"S{at}": {"type": "string"} for at in range(501)}
    long = {"openapi": "3.0.0", "info": {"title": "A"}, "paths": {}, "components": {"schemas": schemas}}
    assert "500 schemas" in read(json.dumps(long), "application/json").notes[1]
