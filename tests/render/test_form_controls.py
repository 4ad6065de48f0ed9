"""A form's controls hide its properties of their names from scripts (`form.id`); ours read the form all the same."""

from __future__ import annotations

import pytest

from mcp_web.render.chromium import Chromium
from mcp_web.render.rendered import Rendered
from miniweb import MiniWeb

pytestmark = pytest.mark.anyio

# Puts COUNT hidden controls named after each property of a form into each form, and pictures named after each property
# of a document into the page.
_NAMES = """<script>
const namesOf = (object) => {
  const found = new Set();
  for (let type = Object.getPrototypeOf(object); type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const name of Object.getOwnPropertyNames(type)) found.add(name);
  }
  return [...found];
};
const [create, append] = [document.createElement.bind(document), Element.prototype.append];
const put = (place, tag, name) => {
  const element = create(tag);
  element.hidden = true;
  element.setAttribute(ATTRIBUTE, name);
  append.call(place, element);
};
const [root, body, forms] = [document.documentElement, document.body, [...document.forms]];
const [ofForms, ofDocuments] = [namesOf(create("form")), namesOf(document)];
for (const form of forms) for (const name of ofForms) for (let n = 0; n < COUNT; n += 1) put(form, "input", name);
for (const name of ofDocuments) put(body, "img", name);
</script>"""
_PAGES = {
    "text": """<form id=target lang=en class="one two" action=/search><p>First.</p><p hidden>Gone.</p>
        <form-part>Second.</form-part><table><tr><td>Third.</table></form>
        <p style="clip-path:url(#target)">Fourth.</p>""",
    "hidden text": """<form style="display:none">Gone.</form><form style="text-indent:-5000px">Gone.</form>
        <form style="position:fixed;right:0">Fixed.</form><form class=cookie-consent role=dialog>Gone.</form>
        <form style="content-visibility:hidden">Gone.</form><form style="backface-visibility:hidden">First.</form>
        <p style="position:absolute;top:400px">Gone.</p>
        <form style="position:absolute;top:390px;width:600px;height:90px;background:#333"></form>
        <form class=katex-mathml>Gone.</form>""",
    "around the text": """<form style="position:relative"><p>First.</p><p style="backface-visibility:hidden">Second.</p>
        <p style="text-indent:30px">Third.</p><p style="color:white">Gone.</p><b style="position:absolute">Fourth.</b>
        <p style="z-index:-1;position:relative">Fifth.</p><span>Sixth.</span></form>""",
    "a consent banner": """<p id=answer>Not asked.</p><form id=didomi-notice-disagree-button
        onclick="answer.textContent = 'Declined.'">Disagree</form>""",
    "the whole document": """<script>addEventListener("load", () => root.replaceWith(forms[0]))</script>
        <form>First.</form>""",
}


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", _PAGES)
async def test_form_reads_the_same_whatever_its_controls_are_called(
    name: str, count: int, renderer: Chromium, web: MiniWeb
) -> None:
    site = web.site("forms.example")

    async def read(attribute: str) -> Rendered:
        names = _NAMES.replace("ATTRIBUTE", f"'{attribute}'").replace("COUNT", str(count))
        return await renderer.render(site.page("/", f"<!doctype html><title>F</title><body>{_PAGES[name]}{names}"))

    plain, clobbered = await read("data-name"), await read("name")

    assert clobbered.body == plain.body
    assert (clobbered.notes, clobbered.hidden) == (plain.notes, plain.hidden)
    assert b"Gone." not in plain.body
