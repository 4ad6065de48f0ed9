"""What does a fact from a manual cost?  python -m bench.reading.manuals FOLDER

One factual question to each of ten manual pages (Python 3.11 and Git, as the Debian packages python3.11-doc and git-doc
install them under /usr/share/doc), read with `web_read` over HTTP: tokens of the answer, as estimated and as counted
by a tokenizer, and whether the fact is in it.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio

from bench.scorecard.tokens import NAME, count
from mcp_web.app import App
from mcp_web.settings import load
from mcp_web.text.sizes import estimate_tokens
from mcp_web.tools.call import Call
from mcp_web.tools.calling import call_tool
from mcp_web.tools.sets import tool_named

# Page, question, and what the answer says.
QUESTIONS = (
    ("library/json.html", "What happens to repeated names within a JSON object?", "all but the last name-value pair"),
    ("library/argparse.html", "Which action counts how often an option occurs?", "counts the number of times"),
    ("library/heapq.html", "How long does heapify take?", "in linear time"),
    ("library/asyncio-task.html", "What does wait_for do if timeout is None?", "block until the future completes"),
    (
        "library/sqlite3.html",
        "How many seconds does a connection wait by default when a table is locked?",
        "Default five seconds",
    ),
    ("library/pathlib.html", "What does unlink raise if the path does not exist?", "FileNotFoundError"),
    ("library/re.html", "Which flag makes the dot match a newline?", "DOTALL"),
    ("git-rebase.html", "Which option restarts the rebase after a conflict was resolved?", "--continue"),
    ("git-log.html", "How do I limit the number of commits shown?", "--max-count"),
    ("git-config.html", "What is the default of core.bigFileThreshold?", "512 MiB"),
)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    folder = Path(sys.argv[1])
    pages = [next(folder.rglob(name), None) for name, _, _ in QUESTIONS]
    if missing := [name for (name, _, _), page in zip(QUESTIONS, pages, strict=True) if page is None]:
        sys.exit(f"{folder} lacks {', '.join(missing)}.")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        paths = [page.relative_to(folder).as_posix() for page in pages if page]
        anyio.run(measure, [f"http://127.0.0.1:{server.server_port}/{path}" for path in paths])
        server.shutdown()


async def measure(urls: list[str]) -> None:
    whole, counted, right = 0, 0, 0
    with tempfile.TemporaryDirectory() as data:
        settings = load(environ={"MCP_WEB_DATA_DIR": data, "MCP_WEB_ALLOW_PRIVATE": "127.0.0.1"})
        async with App(settings) as app:
            for url, (name, question, fact) in zip(urls, QUESTIONS, strict=True):
                call = Call(app, deadline=anyio.current_time() + 60)
                given = {"url": url, "query": question}
                text = (await call_tool(tool_named("web_read"), call, given, structured=False)).text
                tokens, found = estimate_tokens(text), fact in " ".join(text.split())
                whole, counted, right = whole + tokens, counted + count(text), right + found
                print(f"{name:26} {tokens:6,} {count(text):6,} {'yes' if found else 'no':4} {question}", flush=True)
    print(f"{'all':26} {whole:6,} {counted:6,} {right} of {len(QUESTIONS)}; counted by {NAME}")


if __name__ == "__main__":
    main()
