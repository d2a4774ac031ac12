import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from annotation.audio.model_file import ModelRefusedError, load_model

SHIPPED = Path(str(files("resources") / "models"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(SHIPPED, tmp_path / "models")


def test_the_shipped_model_is_the_official_file_of_silero_vad_6_2_3() -> None:
    model = load_model("silero")
    assert model.id == "silero-6.2.3"
    assert model.sha256 == "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49"
    assert model.licence == "MIT"


def test_the_licence_lies_beside_the_model() -> None:
    assert "Copyright (c) 2020-present Silero Team" in (SHIPPED / "silero_vad.LICENSE").read_text(encoding="utf-8")


def test_a_model_with_one_other_bit_is_refused_with_a_sentence(folder: Path) -> None:
    file = folder / "silero_vad_16k_op15.onnx"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelRefusedError, match=r"silero_vad_16k_op15.onnx: The model file is damaged .* not used"):
        load_model("silero", folder)


def test_a_missing_model_is_refused_with_a_sentence(folder: Path) -> None:
    (folder / "silero_vad_16k_op15.onnx").unlink()
    with pytest.raises(ModelRefusedError, match="cannot be read: No such file"):
        load_model("silero", folder)


@pytest.mark.parametrize("record", ["", "silero = 3", "[silero]\nid = 'x'", "[silero", "\xff"])
def test_a_record_that_says_nothing_is_refused_with_a_sentence(folder: Path, record: str) -> None:
    (folder / "models.toml").write_bytes(record.encode("latin-1"))
    with pytest.raises(ModelRefusedError, match="The record of the model “silero” cannot be read"):
        load_model("silero", folder)
