"""When waiting ends, decided without a browser."""

from __future__ import annotations

from dataclasses import replace

from mcp_web.render.settle import PageState, verdict

_QUIET = PageState(
    ready="complete",
    url="",
    scripts=True,
    chars=5000,
    still=1000,
    timers=0,
    busy=0,
    beats=0,
    blind=True,
    lazy=False,
    height=900,
)


def judge(
    state: PageState, *, open_requests: int = 0, quiet: float = 1000, data: bool = False, elapsed: float = 1500
) -> str | None:
    return verdict(state, open_requests=open_requests, quiet=quiet, data=data, elapsed=elapsed)


def test_page_without_scripts_is_done_when_loaded() -> None:
    assert judge(replace(_QUIET, scripts=False, still=0), quiet=0) == "settled"


def test_page_still_loading_is_waited_for() -> None:
    assert judge(replace(_QUIET, ready="interactive")) is None


def test_text_that_changed_just_now_is_waited_for() -> None:
    assert judge(replace(_QUIET, still=30)) is None
    assert judge(replace(_QUIET, still=120)) == "settled"


def test_data_asked_for_by_a_script_earns_a_longer_quiet() -> None:
    assert judge(replace(_QUIET, still=150), data=True) is None
    assert judge(replace(_QUIET, still=250), data=True) == "settled"


def test_shell_gets_the_patience_of_network_idle() -> None:
    assert judge(replace(_QUIET, chars=10, still=400)) is None
    assert judge(replace(_QUIET, chars=10, still=600)) == "settled"


def test_page_that_has_nothing_left_to_do_is_done_after_a_few_turns_of_its_loop() -> None:
    known = replace(_QUIET, blind=False, beats=2, still=40)

    assert judge(known, data=True) == "settled"
    assert judge(replace(known, beats=1), data=True) is None
    assert judge(replace(known, blind=True), data=True) is None
    assert judge(replace(known, busy=1), data=True) is None


def test_shell_that_says_something_and_has_nothing_left_to_do_is_a_page() -> None:
    known = replace(_QUIET, blind=False, beats=2, chars=10)

    assert judge(replace(known, still=120)) == "settled"
    assert judge(replace(known, still=120, chars=0)) is None


def test_open_request_or_timer_is_waited_for_until_nothing_moves() -> None:
    assert judge(_QUIET, open_requests=1) is None
    assert judge(replace(_QUIET, timers=1)) is None
    assert judge(replace(_QUIET, still=4000), open_requests=1, quiet=4000, elapsed=4500) == "waiting"


def test_text_that_never_rests_ends_the_waiting() -> None:
    assert judge(replace(_QUIET, still=5), elapsed=5000) is None
    assert judge(replace(_QUIET, still=5), elapsed=6500) == "restless"
