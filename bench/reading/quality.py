"""Does reading find what answers?  python -m bench.reading.quality  (all of the data: some minutes of one core)

Prints hit@1/@3/@8 inside pages (200-word cut, as RETRIEVAL.md; then our passages) and nDCG@10 over collections.
"half" is a fixed half of the questions. Constants were chosen on this data; none of it is held out.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
import numpy as np

from bench.reading import data, measure
from mcp_web.embed.judge import SHA256, Judge
from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.text.markdown import readable

# The best single method of RETRIEVAL.md in each column.
BARS = {
    "policyqa": [0.333, 0.618, 0.869],
    "chunking_eval": [0.669, 0.879, 0.962],
    "cranfield": 0.455,
    "scifact_part": 0.806,
    "cisi": 0.427,
}


class Model:
    """The packaged model, with its vectors kept between runs in the temporary folder."""

    def __init__(self) -> None:
        self.embedder = open_embedder(EmbedOptions(threads=1))
        self.path = Path(tempfile.gettempdir(), "mcp-web-bench", f"{self.embedder.name}.npz")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.known: dict[str, np.ndarray] = {}
        if self.path.exists():
            kept = np.load(self.path)
            self.known = dict(zip(kept["names"].tolist(), kept["rows"], strict=True))

        self.judge = Judge(threads=1)
        self.judge_path = self.path.with_name(f"judge-{SHA256[:8]}.json")
        self.scores: dict[str, float] = json.loads(self.judge_path.read_text()) if self.judge_path.exists() else {}
        self.is_new = False
        atexit.register(self.save)

    def save(self) -> None:
        self.judge_path.write_text(json.dumps(self.scores))
        if self.is_new:
            np.savez(self.path, names=np.array(list(self.known)), rows=np.stack(list(self.known.values())))

    def judged(self, question: str, texts: Sequence[str]) -> list[float]:
        """The judge's scores of passages for a question."""
        names = [hashlib.sha256(f"{question}\0{text}".encode()).hexdigest()[:24] for text in texts]
        new = {name: (question, text) for name, text in zip(names, texts, strict=True) if name not in self.scores}
        if new:
            self.scores |= zip(new, anyio.run(self.judge.scores, list(new.values())), strict=True)
        return [self.scores[name] for name in names]

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        read = [readable(text) for text in texts]
        names = [hashlib.sha256(text.encode()).hexdigest() for text in read]
        new = {name: text for name, text in zip(names, read, strict=True) if name not in self.known}
        if new:
            self.known |= zip(new, anyio.run(self.embedder.embed, list(new.values())), strict=True)
            self.is_new = True
        return np.stack([self.known[name] for name in names])


def main() -> None:
    if not data.available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    model = Model()
    pages = data.reading_pages()
    for name, cut in (("200 words", data.two_hundred_words), ("passages", data.our_passages)):
        for label, only in (("all", None), ("half", True)):
            for source, methods in measure.hits(pages, cut, model, only).items():
                for method, found in methods.items():
                    print(f"{source:14} {name:10} {label:9} {method:8} {found}  bar {BARS[source]}", flush=True)
    for label, only in (("all", None), ("half", True)):
        for source, methods in measure.shown(pages, model.judged, only).items():
            print(
                f"{source:14} {'as shown':10} {label:9} {'both':8} {methods['shown']}  bar {BARS[source]}", flush=True
            )
    for collection in data.collections():
        for label, only in (("all", None), ("half", True)):
            for method, value in measure.ndcg(collection, model, only).items():
                print(
                    f"{collection.name:14} nDCG@10    {label:9} {method:8} {value}  bar {BARS[collection.name]}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
