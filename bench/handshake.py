"""From process start to the first answers, beside a bare one-tool server on each SDK, in turns.

Limits: the first answer no slower than the bare TypeScript server; tools/list at most 1.15 × the bare Python server.
"""

from __future__ import annotations

from statistics import median

from bench.peers import bare_python, bare_typescript, ours
from bench.wire import Peer

ROUNDS = 12


def main() -> None:
    servers = {"mcp-web": ours(), "bare Python SDK": bare_python(), "bare TypeScript SDK": bare_typescript()}
    first: dict[str, list[float]] = {name: [] for name in servers}
    tools: dict[str, list[float]] = {name: [] for name in servers}
    for turn in range(ROUNDS + 1):
        for name, command in servers.items():
            peer = Peer(command)
            hello, listed = peer.hello(), peer.tools()
            peer.close()
            if turn:  # the first round fills the file caches
                first[name].append(hello)
                tools[name].append(listed)
    print("| server | first answer ms | tools/list ms | first ÷ TypeScript | tools/list ÷ Python |")
    print("|---|--:|--:|--:|--:|")
    limit_first, limit_tools = median(first["bare TypeScript SDK"]), median(tools["bare Python SDK"])
    for name in servers:
        one, two = median(first[name]), median(tools[name])
        print(f"| {name} | {one * 1000:.0f} | {two * 1000:.0f} | {one / limit_first:.2f} | {two / limit_tools:.2f} |")
    print("\nlimits: first ÷ TypeScript ≤ 1.00, tools/list ÷ Python ≤ 1.15")


if __name__ == "__main__":
    main()
