"""The command `mcp-web`: the stdio server on a pipe, the command line otherwise."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the MCP server on stdio if there are no arguments, terminal or word to complete, else the command line."""
    try:
        import os
        import signal

        is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_default:  # while modules are imported an exception can be lost, or printed by the interpreter
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        from mcp_web.settings import is_completing

        if len(sys.argv) == 1 and sys.stdin is not None and not (sys.stdin.isatty() or is_completing()):
            _serve_stdio()
            return
        from mcp_web.cli.main import run

        if is_default:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _serve_stdio() -> None:
    from mcp_web.errors import ConfigError
    from mcp_web.server.stdio import run
    from mcp_web.settings import load, load_section

    try:
        run(load_section("tools"), load)
    except ConfigError as error:
        sys.stderr.write(f"mcp-web: {error.message} {error.suggestion}\n")
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
