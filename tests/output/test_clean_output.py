"""Nothing that a page, document, site or provider chose is taken for our own words, and no secret leaves the process.

The same hostile world is met through every tool, resource, prompt, contract, command, view and API method.
"""

from __future__ import annotations

import inspect
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web import AsyncWeb, trace
from mcp_web.api.async_web import AsyncArchive
from mcp_web.contracts.sets import contract_named
from mcp_web.errors import WebError
from mcp_web.settings import load
from mcp_web.text.untrusted import quoted
from mcp_web.tools.clean_output import META_CHARS, clean_error, clean_text, clean_value, note_lines
from mcp_web.tools.envelope import Envelope
from mcp_web.tools.options import CONTRACTS
from mcp_web.tools.sets import PROFILES
from mcp_web.web.routes import ROUTES
from miniweb import MiniWeb

from . import surfaces
from .hostile_world import KEY, PIECES, WORD, HostileWorld, pieces
from .outputs import Output, faults, strings


@pytest.mark.parametrize("surface", surfaces.SURFACES)
def test_nobody_else_speaks_and_no_secret_leaves(surface: str) -> None:
    pieces = random.Random(surface).sample(PIECES, len(PIECES))  # an order of its own for each surface
    found, met = anyio.run(_faults, surface, pieces)
    assert not found, "\n".join(found[:40])
    assert met, "no hostile text was met at all"


async def _faults(surface: str, pieces: Sequence[str]) -> tuple[list[str], bool]:
    """What is wrong with what a surface returns, and whether it returned anything hostile at all."""
    web, met = MiniWeb(), False
    found: dict[str, None] = {}
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            async for output in surfaces.SURFACES[surface](HostileWorld(web, pieces), web, Path(folder)):
                found |= dict.fromkeys(faults(output))
                met = met or any(WORD in text for text in strings(output.value))
    finally:
        web.close()
    return list(found), met


@given(pieces=pieces, most=st.integers(min_value=10, max_value=200))
def test_every_function_of_clean_output_makes_any_text_safe(pieces: Sequence[str], most: int) -> None:
    trace.configure("error", (KEY,))
    text = WORD + "".join(f"{piece}{WORD}" for piece in pieces)
    envelope = Envelope()
    (note,) = note_lines([f"A sheet {quoted(text, most)} is long."])
    answer = f"{note}\n{envelope.wrap(text)}\nits name: {quoted(text)}"
    error = clean_error(WebError(f"The part {quoted(text)} is broken.", told=text, parts={text: [text]}))
    outputs = (
        Output("answer", clean_text(answer, envelope), "agent"),
        Output("error", f"{error.message} {error.suggestion}", "agent"),
        Output("details", error.details, "facts"),
        Output("facts", clean_value({"value": [text]}, META_CHARS), "facts"),
        Output("data", clean_value({"value": [text]}), "format"),
    )
    assert [fault for output in outputs for fault in faults(output)] == []


# Completeness: what is added to a surface must be met by the first test.


@pytest.fixture
def world(miniweb: MiniWeb) -> HostileWorld:
    return HostileWorld(miniweb, PIECES)


def test_every_tool_is_called(world: HostileWorld) -> None:
    called = {name for name, _ in surfaces.tool_calls(world, "0" * 64)}
    assert called == {name for names in PROFILES.values() for name in names}


def test_every_tool_of_every_contract_is_called(world: HostileWorld) -> None:
    for contract in CONTRACTS:
        called = {name for name, _ in surfaces.contract_calls(contract, world, "0" * 64)}
        assert called == {tool.name for tool in contract_named(contract).tools}


def test_every_command_is_run(world: HostileWorld, tmp_path: Path) -> None:
    run = {name for name, _ in surfaces.command_calls(world, tmp_path)}
    assert run == surfaces.command_names() - {"serve"}  # which is met through tools, resources, prompts and views


def test_every_view_is_requested() -> None:
    made = {(method, path.partition("?")[0]) for method, path, _ in surfaces.view_calls("abc")}
    patterns = [(method, re.compile(re.sub(r"\{\w+\}", "[^/]+", path))) for method, path, _ in ROUTES]
    assert [
        one for one in patterns if not any(one[0] == made_by and one[1].fullmatch(at) for made_by, at in made)
    ] == []


def test_every_method_of_the_python_api_is_called(world: HostileWorld) -> None:
    called = {name for name, _ in surfaces.api_calls(world, AsyncWeb(load(environ={})))}
    assert called == _methods(AsyncWeb) | {f"archive.{name}" for name in _methods(AsyncArchive)}


def _methods(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}
