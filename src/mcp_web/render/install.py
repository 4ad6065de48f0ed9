"""Finds what rendering lacks on this machine, and the commands that install it. `mcp-web doctor --fix` runs them."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass

import anyio

from mcp_web.errors import RenderFailed
from mcp_web.extras import install_command
from mcp_web.render.chromium import find_chromium
from mcp_web.render.options import RenderOptions

_INSTALL_SECONDS = 600.0

# The first package manager found is used; all of these come with the system and verify what they install.
_PACKAGES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    (
        "apt-get",
        (("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends", "chromium")),
    ),
    ("dnf", (("dnf", "install", "-y", "chromium"),)),
    ("apk", (("apk", "add", "chromium"),)),
    ("pacman", (("pacman", "-S", "--noconfirm", "chromium"),)),
    ("zypper", (("zypper", "--non-interactive", "install", "chromium"),)),
    ("brew", (("brew", "install", "--cask", "chromium"),)),
)


@dataclass(frozen=True, slots=True)
class InstallStep:
    """One missing part of rendering and the commands that install it; none if it has to be installed by hand."""

    missing: str
    commands: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        commands = " && ".join(shlex.join(command) for command in self.commands)
        return f"`{commands}`" if commands else f"install {self.missing} by hand"


def missing_steps(executable: str = "") -> tuple[InstallStep, ...]:
    """What rendering still needs, with how to install it; empty if nothing. `executable`: the configured browser."""
    steps = []
    if importlib.util.find_spec("playwright") is None or importlib.util.find_spec("publicsuffixlist") is None:
        steps.append(InstallStep("the Python packages of mcp-web[render]", (install_command("render"),)))
    if find_chromium(executable) is None:
        steps.append(InstallStep("Chromium", _chromium_commands()))
    return tuple(steps)


def browser_state(options: RenderOptions) -> tuple[str, str | None]:
    """For the operator: what was found for rendering, and how to install what is missing (None if nothing is)."""
    steps = missing_steps(options.executable)
    if not steps:
        return f"Chromium at {find_chromium(options.executable)}", None
    missing = " and ".join(step.missing for step in steps)
    return f"missing: {missing}", f"Run `mcp-web doctor --fix`, or {', then '.join(map(str, steps))}."


async def install_browser(options: RenderOptions) -> None:
    """Install what is missing, in up to ten minutes for each command; raises RenderFailed."""
    for step in missing_steps(options.executable):
        await anyio.to_thread.run_sync(run_step, step)


def _chromium_commands() -> tuple[tuple[str, ...], ...]:
    """The commands that install Chromium here; empty if there is no known package manager or no right to use it."""
    for manager, commands in _PACKAGES:
        if shutil.which(manager) is None:
            continue
        if manager == "brew" or os.geteuid() == 0:
            return commands
        return tuple(("sudo", "-n", *command) for command in commands) if shutil.which("sudo") else ()
    return ()


def run_step(step: InstallStep) -> None:
    """Run the commands of a step; if one fails, raises RenderFailed with the last line that it printed."""
    if not step.commands:
        raise RenderFailed(f"There is no known way to install {step.missing} here.", suggestion="Install it by hand.")
    for command in step.commands:
        try:
            done = subprocess.run(  # noqa: S603 - a fixed list of our own
                command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RenderFailed(
                f"The command {' '.join(command)} failed: {error}.", suggestion=f"Run {step}."
            ) from error
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
            raise RenderFailed(f"The command {' '.join(command)} failed: {last[0]}.", suggestion=f"Run {step}.")
