"""An ONNX sentence encoder: session, tokenizer, batches of bounded size. Blocking; `local.py` runs it in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

Pooling = Literal["none", "cls", "mean"]

# Tokens of one run of the model, padding included. Attention's memory grows with length squared times batch:
# 2,048 keeps a run of full-length texts below 60 MB and costs no speed (measured: 80 texts/s at 4, 73 at 16).
BATCH_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class EncoderPlan:
    """How a model wants to be asked."""

    pooling: Pooling = "none"  # none: the model's output is already one row per text
    max_tokens: int = 512
    threads: int = 1


class OnnxEncoder:
    def __init__(self, model: bytes | Path, tokenizer: str, plan: EncoderPlan) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # ships no types
        from tokenizers import Tokenizer

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = plan.threads
        settings.inter_op_num_threads = 1
        # Its own spinning would keep cores busy between calls; stdout and stderr belong to the server.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        settings.log_severity_level = 4
        source = model if isinstance(model, bytes) else str(model)
        self._session = onnxruntime.InferenceSession(source, settings, providers=["CPUExecutionProvider"])
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._tokenizer: Any = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(plan.max_tokens)
        self._plan = plan

    def encode(self, texts: Sequence[str]) -> Rows:
        """One row per text, not normalised."""
        import numpy as np

        coded = [one.ids or [0] for one in self._tokenizer.encode_batch(list(texts))]
        rows: list[Any] = [None] * len(coded)
        for batch in _batches([len(ids) for ids in coded]):
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
        if out.ndim == 3 and self._plan.pooling != "cls":
            share = mask[:, :, None].astype(np.float32)
            out = (out * share).sum(axis=1) / share.sum(axis=1)
        elif out.ndim == 3:
            out = out[:, 0]
        return np.asarray(out, dtype=np.float32)


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Texts of like length together, as many as the token budget holds."""
    batches: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if batches and (len(batches[-1]) + 1) * lengths[at] <= BATCH_TOKENS:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches
