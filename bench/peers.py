"""The servers we measure against, each in a place of its own under .cache/peers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "peers"

BARE_PYTHON = '''
import anyio
import mcp_types as types
from mcp.server import MCPServer

mcp = MCPServer("bare", version="1", log_level="ERROR")

@mcp.tool(structured_output=False)
async def empty(text: str = "") -> str:
    """Gives back nothing much."""
    return "ok"

mcp.run()
'''

BARE_TYPESCRIPT = """
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
const server = new McpServer({ name: "bare", version: "1" });
server.registerTool("empty", { description: "Gives back nothing much.", inputSchema: { text: z.string().optional() } },
  async () => ({ content: [{ type: "text", text: "ok" }] }));
await server.connect(new StdioServerTransport());
"""


def ours() -> list[str]:
    return [str(ROOT / ".venv" / "bin" / "mcp-web")]


def bare_python() -> list[str]:
    """A one-tool server on the Python SDK we use."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / "bare.py"
    path.write_text(BARE_PYTHON)
    return [sys.executable, str(path)]


def bare_typescript() -> list[str]:
    """A one-tool server on the TypeScript SDK."""
    folder = CACHE / "typescript"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules" / "@modelcontextprotocol").exists():
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "@modelcontextprotocol/sdk@1", "zod@3"],
            cwd=folder,
            check=True,
        )
    path = folder / "bare.mjs"
    path.write_text(BARE_TYPESCRIPT)
    return ["node", str(path)]


def python_peer(package: str, command: str) -> list[str]:
    """A peer from the package registry, in its own virtual environment."""
    venv = CACHE / package
    script = venv / "bin" / command
    if not script.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(venv / "bin" / "pip"), "install", "-qq", package], check=True)
    return [str(script)]
