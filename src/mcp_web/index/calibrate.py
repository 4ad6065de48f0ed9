"""Calibration of embedding models: which cosine means "related" for a model, and which "unrelated".

Models differ: with one, a cosine of .6 is a good match, with another, every two sentences have it. A handful of
questions with their answers is embedded once per model, which gives the mean cosine of related and of unrelated texts.
The result is stored under the model's name, so that a threshold means the same with any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_web.embed.embedder import Calibration, Embedder, TextKind
from mcp_web.store.protocol import Store

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

# Question, then a passage that answers it. Short and everyday, so that no model has an advantage.
PROBES = (
    (
        "How long can I return a product?",
        "Items may be sent back within thirty days of delivery. Refunds reach your account in about a week once the "
        "warehouse has checked the parcel.",
    ),
    (
        "which command starts the server",
        "To run the service locally, type serve in the project folder. It listens on port 8080 and reloads when a "
        "source file is saved.",
    ),
    (
        "What causes the seasons on Earth?",
        "Because the planet's axis is tilted, each hemisphere receives more direct sunlight for half of the year, "
        "which makes summers warm and winters cold.",
    ),
    (
        "side effects of the medicine",
        "Patients most often reported headache and nausea in the first days of treatment; serious reactions were "
        "rare and mostly involved the skin.",
    ),
    (
        "who may see my personal data",
        "We share information about you only with the companies that process payments for us and, where the law "
        "demands it, with public authorities.",
    ),
    (
        "When was the bridge built?",
        "Construction of the crossing began in 1927 and it was opened to traffic four years later, after the towers "
        "had been finished and the cables spun.",
    ),
    (
        "How are annual earnings taxed?",
        "Income above the allowance is charged at the basic rate up to the first limit; every euro beyond that falls "
        "under the higher rate of the tax.",
    ),
)

_RECORDS = "calibration"

# Measured once for the models in the package, so that the first read embeds only the page.
PACKAGED = {
    "granite-embedding-30m-english-int8@9b5b0964": Calibration(unrelated=0.4765, related=0.7137),
    "static-multilingual@1": Calibration(unrelated=0.3151, related=0.4964),
    "use-multilingual-3@0.2.1": Calibration(unrelated=0.1, related=0.34),  # between languages
}


def probe_texts() -> tuple[list[str], list[TextKind]]:
    """The texts that a model embeds to be calibrated (all questions of PROBES, then all answers), and their kinds."""
    texts = [question for question, _ in PROBES] + [answer for _, answer in PROBES]
    return texts, kinds(len(PROBES), len(PROBES))


def kinds(questions: int, passages: int) -> list[TextKind]:
    """A list of text kinds: `questions` times "query", then `passages` times "passage"."""
    question: TextKind = "query"
    passage: TextKind = "passage"
    return [question] * questions + [passage] * passages


def calibration_of(rows: Rows) -> Calibration:
    """The calibration of a model, from `rows`, its vectors of `probe_texts`: the mean cosine of the questions with
    their own answers, and with all other answers."""
    import numpy as np

    count = len(PROBES)
    near = rows[:count] @ rows[count:].T
    apart = near[~np.eye(count, dtype=bool)]
    return Calibration(unrelated=float(apart.mean()), related=float(np.diag(near).mean()))


async def stored_calibration(store: Store, embedder: Embedder) -> Calibration | None:
    """The calibration of a model (what its cosines mean): for a packaged model a constant, for others as it was stored.
    None if none was stored, or if the length of the model's vectors has changed."""
    if (packaged := PACKAGED.get(embedder.name)) is not None:
        return packaged
    kept: Any = await store.record(_RECORDS, embedder.name)
    if not isinstance(kept, dict) or (embedder.dim and kept["dim"] != embedder.dim):
        return None
    return Calibration(float(kept["unrelated"]), float(kept["related"]))


async def store_calibration(store: Store, model: str, dim: int, calibration: Calibration) -> None:
    """Store the calibration of the model of this name, whose vectors have `dim` numbers."""
    facts = {"dim": dim, "unrelated": calibration.unrelated, "related": calibration.related}
    await store.keep_record(_RECORDS, model, facts)
