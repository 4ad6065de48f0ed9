"""Writes small ONNX models: the few protobuf messages that a test needs. Field numbers are those of onnx.proto3."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DATA_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7, "float16": 10}
FLOAT, INT64 = 1, 7

Attribute = int | float | tuple[int, ...]


class Graph:
    """A graph under construction; every method that adds a node returns the name of its output."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []
        self._count = 0

    def constant(self, values: NDArray[np.generic]) -> str:
        name = self._name("c")
        dims = b"".join(_number(1, size) for size in values.shape)
        kind = _number(2, _DATA_TYPES[values.dtype.name])
        self._tensors.append(_bytes(5, dims + kind + _text(8, name) + _bytes(9, values.tobytes())))
        return name

    def node(self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: Attribute) -> str:
        name = output or self._name("n")
        body = b"".join(_text(1, one) for one in inputs) + _text(2, name) + _text(3, name) + _text(4, kind)
        body += b"".join(_bytes(5, _attribute(key, value)) for key, value in attributes.items())
        self._nodes.append(_bytes(1, body + (_text(7, domain) if domain else b"")))
        return name

    def model(self, inputs: dict[str, int], outputs: dict[str, int]) -> bytes:
        """The whole model; names and data types of inputs and outputs, which may have any shape."""
        graph = b"".join(self._nodes) + _text(2, "encoder") + b"".join(self._tensors)
        graph += b"".join(_bytes(11, _tensor_type(name, kind)) for name, kind in inputs.items())
        graph += b"".join(_bytes(12, _tensor_type(name, kind)) for name, kind in outputs.items())
        opsets = _bytes(8, _text(1, "") + _number(2, 20)) + _bytes(8, _text(1, "com.microsoft") + _number(2, 1))
        return _number(1, 10) + _bytes(7, graph) + opsets

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, tuple):
        return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, 7)
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
    return _text(1, name) + _number(3, value) + _number(20, 2)


def _tensor_type(name: str, kind: int) -> bytes:
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind)))


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _number(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value & (1 << 64) - 1)


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def lookup_model(rows: NDArray[np.float32]) -> bytes:
    """The smallest sentence encoder: each token's row, to be averaged."""
    graph = Graph()
    graph.node("Gather", graph.constant(rows), "input_ids", output="hidden")
    return graph.model({"input_ids": INT64}, {"hidden": FLOAT})
