"""The command `mcp-web`: the stdio server on a pipe, the command line otherwise."""

from __future__ import annotations

import sys


def main() -> None:
    """Serve on stdio when stdin is a pipe; everything else goes through the command line."""
    try:
        if len(sys.argv) == 1 and sys.stdin is not None and not sys.stdin.isatty():
            _serve_stdio()
        else:
            from mcp_web.cli.main import run

            run()
    except KeyboardInterrupt:  # Ctrl-C while modules are still being imported
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
    except KeyboardInterrupt:  # before the server waits for signals
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
