"""Takes the pictures in docs/pictures: every view of the page for people, over an archive of this documentation."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
OFFLINE = {"MCP_WEB_SEARCH_EXCLUDE": "ddgs,tavily", "MCP_WEB_EMBEDDINGS": "none"}
COMMAND = [sys.executable, "-m", "mcp_web"]


def main() -> None:
    from playwright.sync_api import sync_playwright

    from mcp_web.render.chromium import find_chromium

    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | OFFLINE | {"DATA_DIR": folder, "XDG_CONFIG_HOME": folder}
        subprocess.run([*COMMAND, "archive", "sync", str(ROOT / "docs"), "--tag", "manual"], env=env, check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen([*COMMAND, "serve", "--http", f"127.0.0.1:{port}"], env=env)
        try:
            base = f"http://127.0.0.1:{port}"
            views = _views(base)
            PICTURES.mkdir(exist_ok=True)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
                page = browser.new_page(color_scheme="light", viewport={"width": 1200, "height": 760})
                for name, path in views.items():
                    page.goto(base + path)
                    page.screenshot(path=PICTURES / f"{name}-light.png")
                browser.close()
        finally:
            server.terminate()
            server.wait(20)


def _views(base: str) -> dict[str, str]:
    for _ in range(100):
        try:
            listed = urllib.request.urlopen(f"{base}/search?q=robots.txt", timeout=10).read().decode()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit("the server did not start")
    found = re.search(r'href="(/archive/[0-9a-f]{64})"', listed)
    assert found is not None
    named = {name: f"/{name}" for name in ("archive", "graph", "figures", "state")}
    return {"home": "/", "search": "/search?q=robots.txt", "reading": found[1]} | named


if __name__ == "__main__":
    main()
