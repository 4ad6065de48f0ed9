"""A user's own sentence encoder: a folder with the layout of model hubs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp_web.errors import ConfigError

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
    """The files and settings of a sentence encoder."""

    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    name: str  # folder name and a hash of the weights: another file is another model


def read_folder(place: str) -> ModelFolder:
    """The model files in a folder; raises CONFIG_ERROR naming what is missing."""
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
    asked = [
        limits[0].get("max_seq_length"),
        limits[1].get("model_max_length"),
        limits[2].get("max_position_embeddings"),
    ]
    tokens = min([one for one in asked if isinstance(one, int) and 0 < one <= 8192], default=512)
    return ModelFolder(model, tokenizer, _pooling(folder), tokens, f"{folder.name}@{version}")


def _pooling(folder: Path) -> Pooling:
    facts = _json(folder / "1_Pooling" / "config.json")
    return "cls" if facts.get("pooling_mode_cls_token") else "mean"


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
