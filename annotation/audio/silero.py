"""Silero's speech probability of each 512 samples at 16 kHz: chunk by chunk, and many chunks of many channels at once.

Conventions: float32 samples of one channel at 16 kHz; a chunk is 512 samples and the 64 before it (zeros before the
first). Its probability needs nothing after it, so both forms are causal. The model is silero-vad's own ONNX file.

`SileroStream` runs that file in onnxruntime, chunk after chunk: the reference. `SileroBatch` computes the same with
numpy. All before the model's LSTM is stateless, and its first layer is a Hann window times a DFT: so an FFT and four
matrix products take some hundred chunks at once, and only the LSTM goes step by step, with the channels as its batch.
A test holds both equal on speech and noise. The weights come out of the same checked file.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from annotation.audio.model_file import ModelFile, ModelRefusedError, load_model
from annotation.audio.onnx_weights import onnx_weights

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]

SAMPLE_RATE_HZ = 16_000
CHUNK_SAMPLES = 512
CONTEXT_SAMPLES = 64
_STATE = 128
_WINDOW, _HOP, _BANDS = 256, 128, 129
_CHUNK_WITH_CONTEXT = CONTEXT_SAMPLES + CHUNK_SAMPLES
_FRAMES = 4
"""Windows in a chunk with its context and 64 samples mirrored at its end."""

_SHAPES = {
    "model.stft.forward_basis_buffer": (2 * _BANDS, 1, _WINDOW),
    "model.encoder.0.reparam_conv.weight": (128, _BANDS, 3),
    "model.encoder.0.reparam_conv.bias": (128,),
    "model.encoder.1.reparam_conv.weight": (64, 128, 3),
    "model.encoder.1.reparam_conv.bias": (64,),
    "model.encoder.2.reparam_conv.weight": (64, 64, 3),
    "model.encoder.2.reparam_conv.bias": (64,),
    "model.encoder.3.reparam_conv.weight": (128, 64, 3),
    "model.encoder.3.reparam_conv.bias": (128,),
    "model.decoder.rnn.weight_ih": (4 * _STATE, 128),
    "model.decoder.rnn.weight_hh": (4 * _STATE, _STATE),
    "model.decoder.rnn.bias_ih": (4 * _STATE,),
    "model.decoder.rnn.bias_hh": (4 * _STATE,),
    "model.decoder.decoder.2.weight": (1, _STATE, 1),
    "model.decoder.decoder.2.bias": (1,),
}


class SileroStream:
    """One channel, chunk by chunk, in onnxruntime on one thread; what the batched form is measured against.

    Raises
    ------
    ModelRefusedError
        If the model file is missing or damaged, or onnxruntime is missing or does not take it.
    """

    def __init__(self) -> None:
        model = load_model("silero")
        self.model_id = model.id
        self._session = _session(model)
        self._rate = np.array(SAMPLE_RATE_HZ, dtype=np.int64)
        self._chunk = np.zeros((1, _CHUNK_WITH_CONTEXT), dtype=np.float32)
        self._state = np.zeros((2, 1, _STATE), dtype=np.float32)

    def probability(self, samples: NDArray[np.float32]) -> float:
        """Return the probability that there is speech in the next samples ``(512,)``."""
        self._chunk[0, :CONTEXT_SAMPLES] = self._chunk[0, -CONTEXT_SAMPLES:]
        self._chunk[0, CONTEXT_SAMPLES:] = samples
        inputs = {"input": self._chunk, "state": self._state, "sr": self._rate}
        probability, self._state = self._session.run(None, inputs)
        return float(probability[0, 0])

    def reset(self) -> None:
        """Begin anew, as with the first chunk of a channel."""
        self._chunk[:] = 0
        self._state = np.zeros((2, 1, _STATE), dtype=np.float32)


def _session(model: ModelFile) -> "onnxruntime.InferenceSession":
    try:
        import onnxruntime
    except ImportError as fault:
        raise ModelRefusedError(
            f"onnxruntime cannot be loaded: {fault}.", remedy="Install Floorscope again; labelling works without it."
        ) from fault
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model.content, options, providers=["CPUExecutionProvider"])


class _Layer(NamedTuple):
    """What rows are multiplied by, and what is added then."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


class _Weights(NamedTuple):
    """Arrays ready for rows; the three taps of a convolution lie one below the other."""

    window: NDArray[np.float32]
    encoder: tuple[_Layer, ...]
    input: _Layer
    recurrent: NDArray[np.float32]
    output: _Layer


class SileroBatch:
    """Several channels side by side, many chunks a call; belongs to one thread.

    Parameters
    ----------
    channels
        How many.

    Raises
    ------
    ModelRefusedError
        If the model file is missing, damaged, or of another shape.
    """

    def __init__(self, channels: int) -> None:
        self._weights = _batch_weights()
        self._context = np.zeros((channels, CONTEXT_SAMPLES), dtype=np.float32)
        self._hidden = np.zeros((channels, _STATE), dtype=np.float32)
        self._cell = np.zeros((channels, _STATE), dtype=np.float32)

    def probabilities(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities ``(channels, n)`` of the next samples ``(channels, n * 512)``."""
        stream = np.concatenate((self._context, samples), axis=1)
        self._context = stream[:, -CONTEXT_SAMPLES:].copy()
        gates = _gates(_magnitudes(stream, self._weights.window), self._weights)
        hidden = self._recurred(gates)
        logits = np.maximum(hidden, 0) @ self._weights.output.weight + self._weights.output.bias
        # A large negative logit overflows the exponential to infinity, whose inverse is the right probability.
        with np.errstate(over="ignore"):
            probabilities = 1 / (1 + np.exp(-logits))
        return np.ascontiguousarray(probabilities.T, dtype=np.float32)

    def keep(self, channels: NDArray[np.bool_]) -> None:
        """Go on with those channels only that are marked."""
        self._context, self._hidden, self._cell = (
            state[channels] for state in (self._context, self._hidden, self._cell)
        )

    def _recurred(self, gates: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the LSTM's outputs ``(n, channels, 128)`` for its inputs ``(n, channels, 512)``.

        The gates are input, forget, output and candidate. The first three were halved with the weights, since
        sigmoid(x) is 1/2 + tanh(x / 2) / 2: so one tanh serves all four, and whole rows are scaled and shifted, which
        costs less than three quarters of each.
        """
        recurrent, cell, hidden = self._weights.recurrent, self._cell, self._hidden
        outputs = np.empty((*gates.shape[:2], _STATE), dtype=np.float32)
        product = np.empty(gates.shape[1:], dtype=np.float32)
        update = np.empty_like(cell)
        scale = np.empty_like(product)
        scale[:] = np.repeat(np.array([0.5, 0.5, 0.5, 1], dtype=np.float32), _STATE)
        shift = 1 - scale
        enter, forget, leave, candidate = (product[:, n * _STATE : (n + 1) * _STATE] for n in range(4))
        for gate, output in zip(gates, outputs, strict=True):
            np.dot(hidden, recurrent, out=product)
            np.add(product, gate, out=product)
            np.tanh(product, out=product)
            np.multiply(product, scale, out=product)
            np.add(product, shift, out=product)
            np.multiply(enter, candidate, out=update)
            np.multiply(cell, forget, out=cell)
            np.add(cell, update, out=cell)
            np.tanh(cell, out=update)
            np.multiply(update, leave, out=output)
            hidden = output
        self._hidden = hidden.copy()
        return outputs


def _magnitudes(stream: NDArray[np.float32], window: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the spectra ``(n, channels, 4, 129)`` of the chunks in a stream ``(channels, 64 + n * 512)``."""
    from scipy.fft import rfft  # type: ignore[import-untyped]

    chunks = np.lib.stride_tricks.sliding_window_view(stream, _CHUNK_WITH_CONTEXT, axis=1)[:, ::CHUNK_SAMPLES]
    chunks = chunks.swapaxes(0, 1)
    frames = np.empty((*chunks.shape[:2], _FRAMES, _WINDOW), dtype=np.float32)
    for number in range(_FRAMES - 1):
        onset = number * _HOP
        np.multiply(chunks[:, :, onset : onset + _WINDOW], window, out=frames[:, :, number])
    # The last window reaches over the end, where the chunk is mirrored without its last sample.
    present = _CHUNK_WITH_CONTEXT - (_FRAMES - 1) * _HOP
    np.multiply(chunks[:, :, -present:], window[:present], out=frames[:, :, -1, :present])
    mirrored = chunks[:, :, -2 : -2 - (_WINDOW - present) : -1]
    np.multiply(mirrored, window[present:], out=frames[:, :, -1, present:])
    spectra = rfft(frames, axis=-1, overwrite_x=True)
    return cast("NDArray[np.float32]", np.abs(spectra))


def _gates(magnitudes: NDArray[np.float32], weights: _Weights) -> NDArray[np.float32]:
    """Return what enters the LSTM's gates, ``(n, channels, 512)``: four convolutions as products of whole rows.

    A row holds the frames of one chunk one after the other, so that a convolution's window is a slice of it; taps
    that would meet the padding are left out.
    """
    one, two, three, four = weights.encoder
    rows = magnitudes.reshape(-1, _FRAMES * _BANDS)
    count = len(rows)
    first = np.empty((count, _FRAMES, 128), dtype=np.float32)
    np.matmul(rows[:, : 2 * _BANDS], one.weight[_BANDS:], out=first[:, 0])
    np.matmul(rows[:, : 3 * _BANDS], one.weight, out=first[:, 1])
    np.matmul(rows[:, _BANDS:], one.weight, out=first[:, 2])
    np.matmul(rows[:, 2 * _BANDS :], one.weight[: 2 * _BANDS], out=first[:, 3])
    rows = _rectified(first, one.bias).reshape(count, -1)
    second = np.empty((count, 2, 64), dtype=np.float32)
    np.matmul(rows[:, : 2 * 128], two.weight[128:], out=second[:, 0])
    np.matmul(rows[:, 128:], two.weight, out=second[:, 1])
    rows = _rectified(second, two.bias).reshape(count, -1)
    third = _rectified(rows @ three.weight[64:], three.bias)
    fourth = _rectified(third @ four.weight[64 : 2 * 64], four.bias)
    gates = fourth @ weights.input.weight
    gates += weights.input.bias
    return gates.reshape(*magnitudes.shape[:2], -1)


def _rectified(values: NDArray[np.float32], bias: NDArray[np.float32]) -> NDArray[np.float32]:
    values += bias
    return np.maximum(values, 0, out=values)


@cache
def _batch_weights() -> _Weights:
    model = load_model("silero")
    found = onnx_weights(model.content)
    if {name: found[name].shape for name in _SHAPES if name in found} != _SHAPES:
        raise ModelRefusedError(
            "The model file holds other layers than those this version computes.", where=model.id, remedy="Update both."
        )
    # PyTorch's gates are input, forget, candidate, output; the candidate goes last, and the others are halved.
    order = np.r_[: 2 * _STATE, 3 * _STATE : 4 * _STATE, 2 * _STATE : 3 * _STATE]
    scale = np.repeat(np.array([0.5, 0.5, 0.5, 1], dtype=np.float32), _STATE)
    bias = found["model.decoder.rnn.bias_ih"] + found["model.decoder.rnn.bias_hh"]
    return _Weights(
        # The basis is window × cosine first; the cosine of band 0 is one.
        window=found["model.stft.forward_basis_buffer"][0, 0],
        encoder=tuple(_convolution(found, f"model.encoder.{number}.reparam_conv") for number in range(4)),
        input=_Layer(np.ascontiguousarray(found["model.decoder.rnn.weight_ih"][order].T * scale), bias[order] * scale),
        recurrent=np.ascontiguousarray(found["model.decoder.rnn.weight_hh"][order].T * scale),
        output=_Layer(found["model.decoder.decoder.2.weight"][0, :, 0], found["model.decoder.decoder.2.bias"]),
    )


def _convolution(found: dict[str, NDArray[np.float32]], name: str) -> _Layer:
    weight = found[f"{name}.weight"]
    return _Layer(np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(-1, weight.shape[0])), found[f"{name}.bias"])
