"""A user's own sentence encoder: an ONNX file in a folder with the layout of model hubs. Needs the extra `onnx`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp_web.embed.embedder import batches
from mcp_web.errors import ConfigError, EmbeddingError

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

# How the vectors of the tokens become the vector of a text: that of the first token, or the mean.
Pooling = Literal["cls", "mean"]

# In order of preference: smaller and faster first.
MODEL_FILES = (
    "model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
)


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The files and settings of a user's own embedding model (a sentence encoder)."""

    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    name: str  # folder name and a hash of the weights: another file is another model


def read_folder(place: str) -> ModelFolder:
    """The files and settings of the model in a folder; raises ConfigError naming what is missing."""
    folder = Path(place).expanduser()
    model = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if model is None or not tokenizer.is_file():
        missing = "tokenizer.json" if model else "an ONNX file (" + ", ".join(MODEL_FILES) + ")"
        raise ConfigError(
            f"MCP_WEB_EMBEDDING_MODEL_FOLDER={place} contains no {missing}.",
            suggestion="Point it to a folder with model.onnx and tokenizer.json of a sentence encoder.",
        )
    with model.open("rb") as opened:
        version = hashlib.file_digest(opened, "sha256").hexdigest()[:12]
    limits = [_json(folder / name) for name in ("sentence_bert_config.json", "tokenizer_config.json", "config.json")]
    named = [
        limits[0].get("max_seq_length"),
        limits[1].get("model_max_length"),
        limits[2].get("max_position_embeddings"),
    ]
    tokens = min([one for one in named if isinstance(one, int) and 0 < one <= 8192], default=512)
    return ModelFolder(model, tokenizer, _pooling(folder), tokens, f"{folder.name}@{version}")


def _pooling(folder: Path) -> Pooling:
    """How the vectors of tokens become that of a text, as the folder's configuration says; their mean by default."""
    facts = _json(folder / "1_Pooling" / "config.json")
    return "cls" if facts.get("pooling_mode_cls_token") else "mean"


def _json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if there is no file or it holds something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


class OnnxEncoder:
    """A user's own model: texts → vectors, with `threads` processor threads. Blocking; `local.py` runs it in a
    thread."""

    def __init__(self, folder: ModelFolder, threads: int) -> None:
        onnxruntime, tokenizers = _packages()
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        settings.inter_op_num_threads = 1
        # Spinning threads would keep cores busy between calls; stdout and stderr belong to the server.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        settings.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(str(folder.model), settings, providers=["CPUExecutionProvider"])
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._tokenizer: Any = tokenizers.Tokenizer.from_str(folder.tokenizer.read_text(encoding="utf-8"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(folder.max_tokens)
        self._pooling = folder.pooling

    def encode(self, texts: Sequence[str]) -> Rows:
        """One vector per text, as rows that are not scaled to length one."""
        import numpy as np

        coded = [one.ids or [0] for one in self._tokenizer.encode_batch(list(texts))]
        rows: list[Any] = [None] * len(coded)
        for batch in batches([len(ids) for ids in coded]):
            found = self._run([coded[at] for at in batch])
            for at, row in zip(batch, found, strict=True):
                rows[at] = row
        return np.asarray(rows, dtype=np.float32)

    def _run(self, coded: Sequence[Sequence[int]]) -> Rows:
        """The vectors of one batch of tokenized texts."""
        import numpy as np

        width = max(len(ids) for ids in coded)
        tokens = np.zeros((len(coded), width), np.int64)
        mask = np.zeros((len(coded), width), np.int64)
        for at, ids in enumerate(coded):
            tokens[at, : len(ids)] = ids
            mask[at, : len(ids)] = 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        out: Any = self._session.run(None, {name: given[name] for name in given if name in self._inputs})[0]
        if out.ndim == 3 and self._pooling != "cls":
            share = mask[:, :, None].astype(np.float32)
            out = (out * share).sum(axis=1) / share.sum(axis=1)
        elif out.ndim == 3:
            out = out[:, 0]
        return np.asarray(out, dtype=np.float32)


def _packages() -> tuple[Any, Any]:
    """The modules onnxruntime and tokenizers; raises EmbeddingError naming the extra that installs them."""
    try:
        import onnxruntime  # type: ignore[import-untyped]  # ships no types
        import tokenizers
    except ImportError as error:
        raise EmbeddingError(
            f"A model folder needs the package {error.name}, which is not installed.",
            suggestion="Run `pip install 'mcp-web[onnx]'`, or unset MCP_WEB_EMBEDDING_MODEL_FOLDER.",
        ) from error
    return onnxruntime, tokenizers
