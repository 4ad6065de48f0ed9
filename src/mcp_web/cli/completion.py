"""`mcp-web completion`."""

from __future__ import annotations

import click

from mcp_web.cli.output import echo


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell: eval "$(mcp-web completion bash)"."""
    from click.shell_completion import get_completion_class

    from mcp_web.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    echo(kind(cli, {}, "mcp-web", "_MCP_WEB_COMPLETE").source())
