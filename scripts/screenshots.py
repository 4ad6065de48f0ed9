"""Takes pictures of every view of the web interface, over the archive of `sample_archive.py`.

python scripts/screenshots.py            the pictures in docs/pictures
python scripts/screenshots.py FOLDER     every view, light and dark, on a phone and on a desk
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from itertools import product
from pathlib import Path
from typing import Any

import anyio
from sample_archive import write

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
OFFLINE = {"MCP_WEB_SEARCH_EXCLUDE": "ddgs,tavily", "MCP_WEB_EMBEDDINGS": "none"}
COMMAND = [sys.executable, "-m", "mcp_web"]
IN_DOCS = (("light", 1280, 800, "-light"), ("dark", 1280, 800, "-dark"))
EVERY = tuple((scheme, width, 800, f"-{scheme}-{width}") for scheme, width in product(("light", "dark"), (360, 1280)))
DARK_IN_DOCS = ("reading",)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        env = os.environ | OFFLINE | {"XDG_DATA_HOME": data, "XDG_CONFIG_HOME": data}
        anyio.run(write, Path(data) / "mcp-web")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen([*COMMAND, "serve", "--http", f"127.0.0.1:{port}"], env=env)
        try:
            _take(f"http://127.0.0.1:{port}", folder, whole=folder != PICTURES)
        finally:
            server.terminate()
            server.wait(20)


def _take(base: str, folder: Path, *, whole: bool) -> None:
    from playwright.sync_api import sync_playwright

    from mcp_web.render.chromium import find_chromium

    views = _views(base)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for scheme, width, height, ending in EVERY if whole else IN_DOCS:
            chosen: Any = scheme
            tab = browser.new_page(color_scheme=chosen, viewport={"width": width, "height": height})
            for name, path in views.items():
                if whole or scheme == "light" or name in DARK_IN_DOCS:
                    tab.goto(base + path)
                    tab.screenshot(path=folder / f"{name}{ending}.png", full_page=whole)
            tab.close()
        browser.close()


def _views(base: str) -> dict[str, str]:
    for _ in range(100):
        try:
            listed = urllib.request.urlopen(f"{base}/archive", timeout=10).read().decode()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit("the server did not start")
    found = re.search(r'href="(/archive/[0-9a-f]{64})">The Difference Engine<', listed)
    assert found is not None
    reading = found[1]
    named = {name: f"/{name}" for name in ("archive", "watch", "graph", "figures", "state")}
    return {
        "home": "/",
        "search": "/search?q=first+calculator",
        "reading": reading,
        "changes": f"{reading}/diff",
    } | named


if __name__ == "__main__":
    main()
