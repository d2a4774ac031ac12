import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio import silero
from annotation.audio.model_file import ModelRefusedError, load_model
from annotation.audio.onnx_weights import onnx_weights
from annotation.audio.silero import CHUNK_SAMPLES, SileroBatch, SileroStream

DEMO = Path(str(files("resources") / "demo"))


def whole_chunks(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    return samples[: len(samples) // CHUNK_SAMPLES * CHUNK_SAMPLES]


def streamed(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    stream = SileroStream()
    return np.array([stream.probability(chunk) for chunk in samples.reshape(-1, CHUNK_SAMPLES)], dtype=np.float32)


def batched(samples: NDArray[np.float32], chunks: int = 128) -> NDArray[np.float32]:
    model, step = SileroBatch(1), chunks * CHUNK_SAMPLES
    return np.concatenate(
        [model.probabilities(samples[np.newaxis, at : at + step])[0] for at in range(0, len(samples), step)]
    )


def sounds() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(5)
    speech = soundfile.read(DEMO / "street_party_ana.flac", frames=16000 * 20, dtype="float32")[0]
    noise = random.standard_normal(16000 * 8).astype(np.float32)
    return {
        "synthetic speech": speech,
        "speech in noise": speech + noise[: len(speech)].repeat(3)[: len(speech)] * np.float32(0.05),
        "white noise": noise * np.float32(0.3),
        "very loud noise": noise * np.float32(100),
        "very quiet noise": noise * np.float32(1e-6),
        "silence": np.zeros(16000 * 4, dtype=np.float32),
        "square wave": np.sign(np.sin(np.arange(16000 * 4) * 0.05)).astype(np.float32),
    }


def assert_same_decisions(found: NDArray[np.float32], reference: NDArray[np.float32]) -> None:
    assert np.abs(found - reference).max() < 1e-4
    assert np.count_nonzero((found >= 0.5) != (reference >= 0.5)) == 0


@pytest.mark.parametrize("name", list(sounds()))
def test_both_forms_are_equal(name: str) -> None:
    samples = whole_chunks(sounds()[name])
    assert_same_decisions(batched(samples), streamed(samples))


def test_both_forms_are_equal_on_recorded_speech(real: Path) -> None:
    samples = whole_chunks(soundfile.read(real / "silero_tests" / "test.wav", dtype="float32")[0])
    found = batched(samples)
    assert_same_decisions(found, streamed(samples))
    assert 0.3 < np.mean(found >= 0.5) < 0.95


def test_channels_side_by_side_have_the_probabilities_they_have_alone() -> None:
    alone = [whole_chunks(sounds()[name])[: 100 * CHUNK_SAMPLES] for name in ("synthetic speech", "white noise")]
    together = SileroBatch(2).probabilities(np.stack(alone))
    for found, samples in zip(together, alone, strict=True):
        assert np.allclose(found, batched(samples), atol=1e-6)


def test_a_channel_goes_on_alone_after_another_has_ended() -> None:
    speech, noise = (whole_chunks(sounds()[name])[: 60 * CHUNK_SAMPLES] for name in ("synthetic speech", "white noise"))
    half = 30 * CHUNK_SAMPLES
    model = SileroBatch(2)
    first = model.probabilities(np.stack((noise[:half], speech[:half])))[1]
    model.keep(np.array([False, True]))
    second = model.probabilities(speech[np.newaxis, half:])[0]
    assert np.allclose(np.concatenate((first, second)), batched(speech), atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_it_does_not_matter_where_a_channel_is_cut_into_calls(lengths: list[int]) -> None:
    samples = sounds()["synthetic speech"][: sum(lengths) * CHUNK_SAMPLES]
    model = SileroBatch(1)
    ends = np.cumsum(lengths) * CHUNK_SAMPLES
    parts = [
        model.probabilities(samples[np.newaxis, end - length * CHUNK_SAMPLES : end])[0]
        for length, end in zip(lengths, ends, strict=True)
    ]
    assert np.allclose(np.concatenate(parts), batched(samples), atol=1e-6)


def test_a_probability_needs_nothing_that_comes_after_its_chunk() -> None:
    samples = whole_chunks(sounds()["synthetic speech"])[: 64 * CHUNK_SAMPLES]
    changed = samples.copy()
    changed[40 * CHUNK_SAMPLES :] = 0.5
    assert np.array_equal(batched(samples)[:40], batched(changed)[:40])


def test_a_model_with_other_layers_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(silero._SHAPES, "model.decoder.attention", (3, 3))
    silero._batch_weights.cache_clear()
    with pytest.raises(ModelRefusedError, match="holds other layers than those this version computes"):
        SileroBatch(1)


def test_a_stream_that_was_reset_begins_anew() -> None:
    chunk = sounds()["white noise"][:CHUNK_SAMPLES]
    stream = SileroStream()
    first = [stream.probability(chunk) for _ in range(3)]
    stream.reset()
    assert [stream.probability(chunk) for _ in range(3)] == first


def test_the_models_first_layer_is_a_hann_window_times_a_dft() -> None:
    basis = onnx_weights(load_model("silero").content)["model.stft.forward_basis_buffer"][:, 0].astype(np.float64)
    places = np.arange(256)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * places / 256)
    dft = np.exp(-2j * np.pi * np.outer(np.arange(129), places) / 256)
    assert np.allclose(basis[:129], dft.real * window, atol=1e-6)
    assert np.allclose(np.abs(basis[129:]), np.abs(dft.imag * window), atol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_official_package_says_the_same() -> None:
    silero_vad = pytest.importorskip("silero_vad", reason="the official package is an extra: silero")
    torch = pytest.importorskip("torch")
    official = silero_vad.load_silero_vad()
    for samples in sounds().values():
        samples = whole_chunks(samples)
        official.reset_states()
        with torch.no_grad():
            reference = [
                official(torch.from_numpy(chunk), 16000).item() for chunk in samples.reshape(-1, CHUNK_SAMPLES)
            ]
        for found in (streamed(samples), batched(samples)):
            assert_same_decisions(found, np.array(reference, dtype=np.float32))


def test_neither_the_runtime_nor_scipy_is_loaded_before_it_is_used() -> None:
    modules = "annotation.audio.speech_activity, annotation.audio.spectrogram_tiles"
    code = f"import sys, {modules}; print(sorted({{'onnxruntime', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
