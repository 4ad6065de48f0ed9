"""What a model's cosines mean, and which model the kept vectors belong to.

Models differ: for one .6 is a good match, for another every pair of sentences is that near. A handful of questions
with their answers, embedded once per model, tells how near related and unrelated texts are; the result is kept
beside the model's name and dimensions, so that a threshold means the same with any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_web.embed.embedder import Embedder, Kind
from mcp_web.errors import EmbeddingError
from mcp_web.index.rank import Calibration
from mcp_web.store.protocol import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

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

RECORD = ("embedding", "model")

# Measured once for the packaged model, so that its first read embeds nothing but the page.
KNOWN = {"granite-embedding-30m-english-int8@9b5b0964": Calibration(unrelated=0.4765, related=0.7137)}


def probe_texts() -> tuple[list[str], list[Kind]]:
    """What to embed to get to know a model."""
    texts = [question for question, _ in PROBES] + [answer for _, answer in PROBES]
    return texts, kinds(len(PROBES), len(PROBES))


def kinds(questions: int, passages: int) -> list[Kind]:
    """So many questions, then so many passages."""
    question: Kind = "query"
    passage: Kind = "passage"
    return [question] * questions + [passage] * passages


def calibration_of(rows: Rows) -> Calibration:
    """From the vectors of `probe_texts`: pairs that belong together, and all the others."""
    import numpy as np

    count = len(PROBES)
    near = rows[:count] @ rows[count:].T
    apart = near[~np.eye(count, dtype=bool)]
    return Calibration(unrelated=float(apart.mean()), related=float(np.diag(near).mean()))


@dataclass(frozen=True, slots=True)
class Mark:
    """Which model the kept vectors belong to."""

    model: str
    dim: int
    calibration: Calibration


async def read_mark(store: Store, embedder: Embedder) -> Mark | None:
    """The mark of the store, None when there is none yet; EMBEDDING_ERROR when it names another model."""
    kept: Any = await store.record(*RECORD)
    if not isinstance(kept, dict):
        return None
    calibration = Calibration(float(kept["unrelated"]), float(kept["related"]))
    mark = Mark(str(kept["model"]), int(kept["dim"]), calibration)
    if mark.model != embedder.name:
        raise changed(embedder.name, embedder.dim, mark)
    check_dim(mark, embedder.dim)
    return mark


def check_dim(mark: Mark | None, dim: int | None) -> None:
    """EMBEDDING_ERROR when vectors are not as long as the kept ones."""
    if mark and dim and mark.dim != dim:
        raise changed(mark.model, dim, mark)


def changed(model: str, dim: int | None, mark: Mark) -> EmbeddingError:
    """The failure that names the way out."""
    now = f"{model} with {dim} dimensions" if dim else model
    return EmbeddingError(
        f"The kept vectors were made by {mark.model} with {mark.dim} dimensions, but the configured model is {now}.",
        suggestion="Run `mcp-web archive reindex` to adopt the new model, or configure the former one again.",
        mismatch=True,
    )


async def keep_mark(store: Store, mark: Mark) -> None:
    """Say which model the vectors belong to from now on; `archive reindex` drops the mark first."""
    scale = mark.calibration
    facts = {"model": mark.model, "dim": mark.dim, "unrelated": scale.unrelated, "related": scale.related}
    await store.add_records(RECORD[0], {RECORD[1]: facts})


async def forget_mark(store: Store) -> None:
    """Let the configured model take over: the first step of a reindex."""
    await store.remove_records(RECORD[0])
