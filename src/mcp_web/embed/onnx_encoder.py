"""A sentence encoder in an ONNX file. Needs the extra `onnx`. Blocking; `local.py` runs it in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp_web.embed.embedder import batches
from mcp_web.embed.folder import ModelFolder
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows


class OnnxEncoder:
    """A sentence encoder of a folder; `threads` are those of one run."""

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
        """One row per text, not normalised."""
        import numpy as np

        coded = [one.ids or [0] for one in self._tokenizer.encode_batch(list(texts))]
        rows: list[Any] = [None] * len(coded)
        for batch in batches([len(ids) for ids in coded]):
            found = self._run([coded[at] for at in batch])
            for at, row in zip(batch, found, strict=True):
                rows[at] = row
        return np.asarray(rows, dtype=np.float32)

    def _run(self, coded: Sequence[Sequence[int]]) -> Rows:
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
    """onnxruntime and tokenizers; raises EMBEDDING_ERROR naming the extra that installs them."""
    try:
        import onnxruntime  # type: ignore[import-untyped]  # ships no types
        import tokenizers
    except ImportError as error:
        raise EmbeddingError(
            f"A model folder needs the package {error.name}, which is not installed.",
            suggestion="Run `pip install 'mcp-web[onnx]'`, or unset MCP_WEB_EMBEDDING_MODEL_FOLDER.",
        ) from error
    return onnxruntime, tokenizers
