"""The code follows docs/architecture.md: which part imports which, and where each external library is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mcp_web"

GROUND = {"errors", "extras", "file_lock", "model", "lru", "text", "trace"}
ADAPTERS = {"net", "store", "embed", "limit", "sandbox", "audit", "telemetry"}
COMPONENTS = {"search", "fetch", "render", "extract", "read", "index", "archive"}
# What each part may import of ours, besides itself and the ground.
MAY_IMPORT: dict[str, set[str]] = {
    **{part: set() for part in GROUND},
    **{adapter: set() for adapter in ADAPTERS},
    **dict.fromkeys(COMPONENTS, ADAPTERS),
    "settings": set(),
    "process": ADAPTERS | {"fetch", "settings"},
    "app": ADAPTERS | COMPONENTS | {"process", "settings"},
    "tenant": ADAPTERS | COMPONENTS | {"app", "settings"},
    "services": ADAPTERS | COMPONENTS | {"app", "settings"},
    "tools": ADAPTERS | COMPONENTS | {"app", "services", "settings"},
    "contracts": ADAPTERS | COMPONENTS | {"app", "services", "tools", "settings"},
    "web": {"app", "services", "tools", "contracts", "read", "archive"},
    "api": {"tools", "app", "services", "settings", "read", "archive", "net"},
    "server": ADAPTERS | {"app", "tenant", "services", "tools", "contracts", "web", "settings"},
    "cli": ADAPTERS | COMPONENTS | {"app", "services", "tools", "contracts", "server", "settings", "web"},
    "__main__": {"settings", "server", "cli"},
}
# Options are declarations: whoever wires may read them.
ANYONE_MAY_READ = {f"{part}.options" for part in (*ADAPTERS, *COMPONENTS, "tools", "server")}

# A library → the only parts that may import it.
ONLY_IN = {
    "mcp": {"server"},
    "mcp_types": {"server"},
    "playwright": {"render"},
    "sqlite3": {"store"},
    "psycopg": {"store"},
    "asyncpg": {"store"},
    "redis": {"limit"},
    "joserfc": {"server"},
    "opentelemetry": {"server", "telemetry"},
    "onnxruntime": {"embed"},
    "httpx": set(),
    "httpx2": set(),
    "requests": set(),
    "aiohttp": set(),
    "h11": {"net", "server"},
    "ada_url": {"net", "text"},
    "ddgs": {"search"},
    "primp": {"search"},
    "turbohtml": {"extract"},
    "click": {"cli"},
    "rich": {"cli"},
    "starlette": {"server", "web"},
    "uvicorn": {"server"},
}
# Libraries that must not be imported when a module of ours is: the handshake comes first.
LAZY = {"turbohtml", "lxml", "onnxruntime", "numpy", "tokenizers", "playwright", "sqlite3", "ddgs", "redis", "uvicorn",
        "markdown_it", "pypdfium2", "rich"}  # fmt: skip


def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _part(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def _imports(path: Path, *, top_level: bool = False) -> tuple[tuple[str, int], ...]:
    """Every imported module with its line; type-checking blocks count as imports only for the arrows."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[tuple[str, int]] = []
    for node in _top(tree.body) if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.append((node.module, node.lineno))
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
    return tuple(found)


def _all_imports() -> Iterator[tuple[Path, str, int]]:
    for path in _files():
        for module, line in _imports(path):
            yield path, module, line


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _top(node.body)


def test_every_part_is_listed() -> None:
    assert {_part(path) for path in _files()} - {"__init__"} <= set(MAY_IMPORT), "list it here and in the docs"


def test_arrows_point_down() -> None:
    wrong = []
    for path, module, line in _all_imports():
        part, parts = _part(path), module.split(".")
        if part == "__init__" or parts[0] != "mcp_web" or len(parts) < 2 or parts[1] in ("__version__", part):
            continue
        if ".".join(parts[1:3]) in ANYONE_MAY_READ and part in ("settings", "process", "app", "services", "web", "cli"):
            continue
        if parts[1] not in GROUND | MAY_IMPORT[part]:
            wrong.append(f"{part}/{path.name}:{line} imports {module}")
    assert wrong == []


def test_each_external_library_is_used_in_one_part() -> None:
    wrong = []
    for path, module, line in _all_imports():
        allowed = ONLY_IN.get(module.split(".")[0])
        if allowed is not None and _part(path) not in allowed:
            wrong.append(f"{path.name}:{line}: {module} belongs to {sorted(allowed) or 'nobody'}")
    assert wrong == []


def test_heavy_libraries_are_imported_when_first_used() -> None:
    """What importing app.py and the tools brings in, followed through our own modules, holds nothing heavy."""
    seen: set[Path] = set()
    heavy: list[str] = []

    def follow(path: Path) -> None:
        if path in seen or not path.exists():
            return
        seen.add(path)
        for module, line in _imports(path, top_level=True):
            if module.split(".")[0] in LAZY:
                heavy.append(f"{path.relative_to(SOURCE)}:{line} {module}")
            if module.startswith("mcp_web."):
                place = SOURCE.joinpath(*module.split(".")[1:])
                follow(place.with_suffix(".py"))
                follow(place / "__init__.py")

    for path in (SOURCE / "app.py", SOURCE / "server" / "build.py", *sorted((SOURCE / "tools").glob("*.py"))):
        follow(path)
    assert heavy == []


def test_a_tool_imports_its_service_when_it_is_called() -> None:
    """`tools/list` is answered before the services are needed; importing them would be most of its time."""
    early = [
        f"{path.name}:{line} {module}"
        for path in sorted((SOURCE / "tools").glob("*.py"))
        for module, line in _imports(path, top_level=True)
        if module.startswith("mcp_web.services")
    ]
    assert early == []


def test_only_settings_reads_the_environment() -> None:
    readers = [path.name for path in _files() if re.search(r"os\.environ|getenv", path.read_text(encoding="utf-8"))]
    assert readers == ["settings.py"]


def test_commands_print_through_one_function() -> None:
    """`cli.output.echo` escapes control characters for a terminal; what bypasses it could control one."""
    printing = re.compile(r"\bclick\.(?:echo|secho|style)\b|(?<![\w.])print\(")
    for path in (SOURCE / "cli").glob("*.py"):
        if path.name != "output.py":
            assert not printing.search(path.read_text(encoding="utf-8")), path.name


def test_there_are_no_import_cycles_between_parts() -> None:
    seen: dict[str, int] = {}

    def visit(part: str, trail: tuple[str, ...]) -> None:
        assert part not in trail, " → ".join((*trail, part))
        if seen.get(part):
            return
        for other in sorted(MAY_IMPORT[part]):
            visit(other, (*trail, part))
        seen[part] = 1

    for part in MAY_IMPORT:
        visit(part, ())


def test_scripts_benches_and_examples_import_what_exists() -> None:
    missing = []
    for path in (path for folder in ("scripts", "bench", "examples") for path in sorted((ROOT / folder).rglob("*.py"))):
        for module, line in _imports(path):
            if module.split(".")[0] == "mcp_web" and not _exists(module):
                missing.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not missing


def _exists(module: str) -> bool:
    """Whether a dotted name is a package, a module or a name in one."""
    place = SOURCE.parent.joinpath(*module.split("."))
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    files = (place.parent.with_suffix(".py"), place.parent / "__init__.py")
    return any(re.search(rf"\b{place.name}\b", file.read_text("utf-8")) for file in files if file.is_file())


def test_files_and_functions_stay_small() -> None:
    """Limits on size; a change that exceeds one reconsiders before it raises the limit."""
    lines = sorted(
        len(path.read_text(encoding="utf-8").splitlines()) for path in _files() if path.name != "__init__.py"
    )
    assert lines[len(lines) // 2] <= 150
    assert lines[-1] <= 400, [path.name for path in _files() if len(path.read_text().splitlines()) > 400]
    sizes = sorted(
        (node.end_lineno or 0) - node.lineno + 1
        for path in _files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert sizes[len(sizes) // 2] <= 12
    assert sizes[int(len(sizes) * 0.95)] <= 40
