"""Metrics, and logs that keep secrets."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from mcp_web import trace


@pytest.fixture(autouse=True)
def _quiet_again() -> object:
    yield
    trace.configure("error")


def test_a_log_line_is_one_json_object_with_its_facts(capsys: pytest.CaptureFixture[str]) -> None:
    trace.configure("info")
    with trace.step("fetch", url="https://example.org/a?token=abcdef&x=1") as facts:
        facts["status"] = 200
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "fetch"
    assert line["status"] == 200
    assert line["url"] == "https://example.org/a?token=…&x=1"
    assert line["ms"] >= 0


def test_configured_secrets_never_reach_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    trace.configure("info", ("s3cr3t-value",))
    trace.log("info", "x", detail="key is s3cr3t-value")
    assert "s3cr3t-value" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@example.org/", "https://example.org/"),
        ("https://example.org/?id=eyJhbGciOiJIUzI1NiJ9abc1", "https://example.org/?id=…"),
        ("https://example.org/?q=plain+words&mail=a", "https://example.org/?q=…&mail=…"),
        ("https://example.org/?part=plain+words", "https://example.org/?part=plain+words"),
        ("https://example.org/#access_token=abc", "https://example.org/"),
        ("http://[::1", "(unreadable url)"),
        ("https://example.org/?part=\ud800", "(unreadable url)"),
    ],
)
def test_token_like_parts_of_urls_are_redacted(url: str, shown: str) -> None:
    assert trace.redact_url(url) == shown


def test_a_failed_step_is_logged_with_its_code_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    from mcp_web.errors import FetchTimeout

    figures_before = dict(trace.metrics.counters)
    trace.configure("info")
    with pytest.raises(FetchTimeout), trace.step("probe"):
        raise FetchTimeout("too slow")
    assert json.loads(capsys.readouterr().err)["error_code"] == "FETCH_TIMEOUT"
    key = ("probe_total", (("outcome", "FETCH_TIMEOUT"),))
    assert trace.metrics.counters[key] == figures_before.get(key, 0) + 1


def test_drained_figures_add_up_to_the_totals() -> None:
    figures = trace.Metrics()
    figures.count("a", kind="x")
    figures.observe("b_ms", 3)
    first = figures.drain()
    figures.count("a", 2, kind="x")
    figures.observe("b_ms", 70)
    second = figures.drain()
    assert [row[2] for row in first["counters"] + second["counters"]] == [1, 2]
    assert figures.totals()["counters"] == [["a", {"kind": "x"}, 3.0]]
    total = figures.totals()["histograms"][0][2]
    assert total == [one + two for one, two in zip(first["histograms"][0][2], second["histograms"][0][2], strict=True)]
    assert figures.drain() == {"counters": [], "histograms": []}


def test_figures_are_prometheus_text() -> None:
    from mcp_web.web.metrics import prometheus

    figures = trace.Metrics()
    figures.count("cache_total", state='h"it')
    figures.observe("fetch_ms", 7)
    text = prometheus(figures.totals())
    assert 'mcp_web_cache_total{state="h\\"it"} 1' in text
    assert 'mcp_web_fetch_ms_bucket{le="5"} 0' in text
    assert 'mcp_web_fetch_ms_bucket{le="10"} 1' in text
    assert 'mcp_web_fetch_ms_bucket{le="+Inf"} 1' in text
    assert "mcp_web_fetch_ms_count 1" in text


def test_by_default_only_defects_are_logged(capsys: pytest.CaptureFixture[str]) -> None:
    from mcp_web.errors import FetchTimeout

    with trace.step("fine"):
        pass
    with pytest.raises(FetchTimeout), trace.step("late"):
        raise FetchTimeout("too slow")
    assert capsys.readouterr().err == ""
    with pytest.raises(KeyError), trace.step("broken"):
        raise KeyError("x")
    assert json.loads(capsys.readouterr().err)["event"] == "broken"


def test_a_log_that_nobody_reads_any_more_does_not_end_a_step() -> None:
    program = """
import os, sys
from mcp_web import trace
read, write = os.pipe()
os.dup2(write, 2)
os.close(read), os.close(write)
trace.configure("info")
with trace.step("fetch"):
    print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n")
