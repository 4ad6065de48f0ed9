"""Decides by drawing whether a person sees the text of a page: two texts of the same width, and any pixel that differs.

    python -m security.draw SEED COUNT OUT     (in tests/; needs Chromium and Pillow)

writes a row for each page of `generate.variants` of which the drawing leaves no doubt.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

from security.cases import PAYLOAD, hidden_page
from security.generate import Variant, variants

_SAME_WIDTH = " ".join(word[::-1] for word in PAYLOAD.split())
_NO_PAIRS = "<style>*{font-kerning:none!important;font-variant-ligatures:none!important}</style>"
_INVISIBLE, _PLAIN = 12, 70  # the most that a channel of a pixel changes, of 255
_WIDEST, _HIGHEST = 3840, 5000  # pixels; nobody scrolls three screens to the right of a page
# A page is drawn at once, instead of the one before it for a while.
_ARGUMENTS = ["--no-sandbox", "--disable-features=PaintHolding"]
_FEW = 40  # pixels; a text that is read changes more


def label(page: Any, session: Any, variant: Variant) -> bool | None:
    """Whether the text is seen; None where the drawing leaves a doubt."""
    first, second = (_drawn(page, session, variant, text) for text in (PAYLOAD, _SAME_WIDTH))
    return _compared(first, second) if first != second else False


def _drawn(page: Any, session: Any, variant: Variant, text: str) -> bytes:
    html = hidden_page(variant.row(True), text).replace("<title>", f"{_NO_PAIRS}<title>")
    # A new document each time: one that is written over keeps the ground of the one before.
    page.goto(f"data:text/html;charset=utf-8;base64,{b64encode(html.encode()).decode()}")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return _shot(session)


def _shot(session: Any) -> bytes:
    size = session.send("Page.getLayoutMetrics")["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": min(size["width"], _WIDEST), "height": min(size["height"], _HIGHEST), "scale": 1}
    options = {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": True, "clip": clip}
    return b64decode(session.send("Page.captureScreenshot", options)["data"])


def _compared(first: bytes, second: bytes) -> bool | None:
    from PIL import Image, ImageChops

    pictures = [Image.open(BytesIO(each)).convert("RGB") for each in (first, second)]
    if pictures[0].size != pictures[1].size:
        return None
    apart = ImageChops.difference(*pictures)
    most = max(high for _, high in apart.getextrema())
    if most <= _INVISIBLE:
        return False
    changed = sum(apart.convert("L").histogram()[_INVISIBLE + 1 :])
    return True if most >= _PLAIN and changed >= _FEW else None


def main(seed: int, count: int, out: Path) -> None:
    from playwright.sync_api import sync_playwright

    visible: list[bool] = []
    with out.open("w", encoding="utf-8") as file, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/lib/chromium/chromium", args=_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        session = page.context.new_cdp_session(page)
        for variant in variants(seed, count):
            seen = label(page, session, variant)
            if seen is not None:
                visible.append(seen)
                file.write(json.dumps(variant.row(seen), ensure_ascii=False) + "\n")
                file.flush()
        browser.close()
    shown, hidden = visible.count(True), visible.count(False)
    print(f"{count} pages: {hidden} hide their text, {shown} show it, {count - len(visible)} in doubt")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
