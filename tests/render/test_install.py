"""What `doctor --fix` would do for rendering."""

from __future__ import annotations

import sys

import pytest

from mcp_web.errors import RenderFailed
from mcp_web.render.chromium import find_chromium
from mcp_web.render.install import InstallStep, browser_state, missing_steps, run_step
from mcp_web.render.options import RenderOptions


def test_machine_that_has_everything_needs_nothing() -> None:
    pytest.importorskip("playwright")
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")

    assert missing_steps() == ()
    assert browser_state(RenderOptions())[1] is None


def test_missing_browser_is_named_with_the_command_that_brings_it() -> None:
    (step,) = [step for step in missing_steps("/nonexistent/chromium") if step.missing == "Chromium"]

    finding, fix = browser_state(RenderOptions(executable="/nonexistent/chromium"))

    assert "chromium" in str(step).lower()
    assert "Chromium" in finding
    assert fix is not None
    assert "doctor --fix" in fix


def test_command_that_fails_says_why() -> None:
    step = InstallStep("a thing", ((sys.executable, "-c", "import sys; sys.exit('the mirror is down')"),))

    with pytest.raises(RenderFailed, match="the mirror is down"):
        run_step(step)


def test_command_that_works_is_silent() -> None:
    run_step(InstallStep("a thing", ((sys.executable, "-c", "print('done')"),)))


def test_thing_nobody_can_install_says_so() -> None:
    with pytest.raises(RenderFailed, match="no known way"):
        run_step(InstallStep("a thing", ()))
