# ruff: noqa: E501 (a page a line)
"""Tabs: every variant is kept under its label."""

from __future__ import annotations

import pytest

EXPECTED = "**npm**\n\n```\na\n```\n\n**Yarn**\n\n```\nb\n```"


@pytest.mark.parametrize(
    "html",
    [
        '<div><div role="tablist"><button role="tab" aria-controls="p1">npm</button><button role="tab" aria-controls="p2">Yarn</button></div><div id="p1" role="tabpanel"><pre>a</pre></div><div id="p2" role="tabpanel" hidden><pre>b</pre></div></div>',
        '<div class="tabs-container"><ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul><div><div role="tabpanel"><pre>a</pre></div><div role="tabpanel" hidden><pre>b</pre></div></div></div>',
        '<div class="sd-tab-set"><input id="a" type="radio" checked><label class="sd-tab-label" for="a">npm</label><div class="sd-tab-content"><pre>a</pre></div><input id="b" type="radio"><label class="sd-tab-label" for="b">Yarn</label><div class="sd-tab-content"><pre>b</pre></div></div>',
        '<div class="tabbed-set"><input type="radio"><input type="radio"><div class="tabbed-labels"><label>npm</label><label>Yarn</label></div><div class="tabbed-content"><div class="tabbed-block"><pre>a</pre></div><div class="tabbed-block"><pre>b</pre></div></div></div>',
        '<div class="vp-code-group"><div class="tabs"><input type="radio"><label>npm</label><input type="radio"><label>Yarn</label></div><div class="blocks"><div class="language-sh active"><pre>a</pre></div><div class="language-sh"><pre>b</pre></div></div></div>',
    ],
)  # fmt: skip
def test_panels_stand_under_their_labels(md, html: str) -> None:
    assert md(html).replace("```sh", "```") == EXPECTED
