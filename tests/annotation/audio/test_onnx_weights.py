import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.audio.model_file import load_model
from annotation.audio.onnx_weights import OnnxRefusedError, onnx_weights

MODEL = load_model("silero").content


def varint(number: int) -> bytes:
    content = b""
    while number >= 0x80:
        content += bytes([number & 0x7F | 0x80])
        number >>= 7
    return content + bytes([number])


def field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(value)) + value


def model_with(tensor: bytes) -> bytes:
    return field(7, field(5, tensor))


def test_every_weight_of_the_model_is_read_in_its_shape() -> None:
    weights = onnx_weights(MODEL)
    assert len(weights) == 15
    assert weights["model.decoder.rnn.weight_ih"].shape == (512, 128)
    assert sum(weight.size for weight in weights.values()) == 309_633


def test_a_tensor_made_by_hand_is_read() -> None:
    values = np.arange(6, dtype="<f4")
    tensor = field(1, varint(2) + varint(3)) + b"\x10\x01" + field(8, b"six") + field(9, values.tobytes())
    weights = onnx_weights(model_with(tensor))
    assert np.array_equal(weights["six"], values.reshape(2, 3))
    assert not weights["six"].flags.writeable


def test_tensors_of_another_type_are_passed_over() -> None:
    assert onnx_weights(model_with(b"\x08\x01\x10\x07" + field(8, b"long") + field(9, bytes(8)))) == {}


def test_data_that_do_not_fill_their_shape_are_refused() -> None:
    tensor = b"\x08\x03\x10\x01" + field(8, b"short") + field(9, bytes(8))
    with pytest.raises(OnnxRefusedError, match=r"“short” do not fill their shape \[3\]"):
        onnx_weights(model_with(tensor))


def test_a_shape_of_absurd_size_allocates_nothing() -> None:
    tensor = b"\x08" + varint(1 << 62) + b"\x10\x01" + field(9, bytes(8))
    with pytest.raises(OnnxRefusedError, match="do not fill their shape"):
        onnx_weights(model_with(tensor))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=64))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        onnx_weights(content)
    except OnnxRefusedError:
        return


@settings(max_examples=50, deadline=None)
@given(st.integers(1, len(MODEL) - 1))
def test_a_model_cut_anywhere_is_refused_or_holds_fewer_weights(length: int) -> None:
    try:
        assert len(onnx_weights(MODEL[:length])) <= 15
    except OnnxRefusedError:
        return
