"""The vectors of one page's passages: unpacked from the store, compared with a question, packed for the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_web.model.passage import PackedVectors, Passage

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows
    from mcp_web.index.evidence import Scores


@dataclass(frozen=True, slots=True)
class PageVectors:
    """The vectors of a page's passages by one model; `rows` maps the digest (hash) of a passage to its vector."""

    model: str
    dim: int
    rows: dict[str, Rows]

    def with_rows(self, passages: Sequence[Passage], numbers: Sequence[int], rows: Rows) -> PageVectors:
        """These vectors and the new `rows`, which are those of the passages with these `numbers`; only the new ones if
        the length of the model's vectors has changed."""
        added = {passages[number].digest: row for number, row in zip(numbers, rows, strict=True)}
        width = rows.shape[1] if rows.ndim == 2 and rows.shape[1] else self.dim
        return PageVectors(self.model, width, (self.rows if width == self.dim else {}) | added)

    def cosines(self, passages: Sequence[Passage], question: Rows) -> Scores:
        """The cosine of each passage's vector and that of the question; nan for a passage without a vector."""
        import numpy as np

        found = np.full(len(passages), np.nan)
        known = [at for at, passage in enumerate(passages) if passage.digest in self.rows]
        if known:
            found[known] = np.stack([self.rows[passages[at].digest] for at in known]) @ question
        return found


def unpack(packed: PackedVectors | None, model: str, dim: int | None) -> PageVectors:
    """The stored vectors of a page; none if their length is not `dim`, or their number not that of the digests."""
    import numpy as np

    if packed is None or (dim and packed.dim != dim):
        return PageVectors(model, dim or 0, {})
    if not packed.data or len(packed.data) != 4 * packed.dim * len(packed.digests):
        return PageVectors(model, packed.dim, {})
    rows = np.frombuffer(packed.data, "<f4").reshape(-1, packed.dim)
    return PageVectors(model, packed.dim, dict(zip(packed.digests, rows, strict=True)))


def pack(vectors: PageVectors, passages: Sequence[Passage]) -> PackedVectors:
    """For the store: the vectors of those passages that have one, in the order of the passages."""
    import numpy as np

    digests = tuple(dict.fromkeys(one.digest for one in passages if one.digest in vectors.rows))
    data = b"".join(np.asarray(vectors.rows[digest], "<f4").tobytes() for digest in digests)
    return PackedVectors(vectors.model, vectors.dim, digests, data)
