"""The weights that stand in an ONNX file, read without the onnx package.

An ONNX file is a protobuf message: ModelProto.graph (field 7) holds GraphProto.initializer (field 5), each a
TensorProto with dims (1), data_type (2), name (8) and raw_data (9). Only float32 tensors with raw data are taken;
whatever else the file holds is passed over. Nothing is allocated by a length that the file does not have.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from annotation.errors import FloorscopeError

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
_FLOAT = 1
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_MOST_DIMENSIONS = 8
_FIXED_WIDTHS = {_FIXED_64: 8, _FIXED_32: 4}


class OnnxRefusedError(FloorscopeError):
    """Bytes that are no ONNX model, or one cut short."""

    code = "onnx-refused"


def onnx_weights(content: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the float32 initialisers of a model by name, read-only, in their own shapes.

    Raises
    ------
    OnnxRefusedError
        If the content is no protobuf message, or a tensor's data do not fill its shape.
    """
    weights: dict[str, NDArray[np.float32]] = {}
    for graph in _messages(memoryview(content), _GRAPH):
        for tensor in _messages(graph, _INITIALIZER):
            name, values = _tensor(tensor)
            if values is not None:
                weights[name] = values
    return weights


def _tensor(message: memoryview) -> tuple[str, NDArray[np.float32] | None]:
    name, data_type, raw = "", 0, None
    shape: list[int] = []
    for number, value in _fields(message):
        if isinstance(value, int):
            if number == _DIMS:
                shape.append(value)
            elif number == _DATA_TYPE:
                data_type = value
        elif number == _DIMS:
            shape += _packed(value)
        elif number == _NAME:
            name = bytes(value).decode("utf-8", errors="replace")
        elif number == _RAW_DATA:
            raw = value
    if raw is None or data_type != _FLOAT:
        return name, None
    if len(shape) > _MOST_DIMENSIONS or math.prod(shape) * 4 != len(raw):
        raise OnnxRefusedError(f"The weights “{name}” do not fill their shape {shape}.")
    return name, np.frombuffer(raw, dtype="<f4").reshape(shape)


def _messages(message: memoryview, wanted: int) -> Iterator[memoryview]:
    for number, value in _fields(message):
        if number == wanted and not isinstance(value, int):
            yield value


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield each field's number and its value: a whole number, or the bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if wire_type == _BYTES:
            length, place = _varint(message, place)
        elif wire_type in _FIXED_WIDTHS:
            length = _FIXED_WIDTHS[wire_type]
        else:
            raise OnnxRefusedError(f"This is no ONNX model: wire type {wire_type} at byte {place:,}.")
        if length > len(message) - place:
            raise OnnxRefusedError(f"The model is cut short: {length:,} bytes are missing from byte {place:,}.")
        yield number, message[place : place + length]
        place += length


def _packed(message: memoryview) -> list[int]:
    place = 0
    values: list[int] = []
    while place < len(message) and len(values) <= _MOST_DIMENSIONS:
        value, place = _varint(message, place)
        values.append(value)
    return values


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """Return the number at `place` and where it ends; seven bits a byte, the lowest first."""
    value = 0
    for shift in range(0, 64, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise OnnxRefusedError(f"The model is cut short in a number that ends at byte {place:,}.")
