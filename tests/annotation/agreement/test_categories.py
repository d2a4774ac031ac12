import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.categories import (
    ONE_CATEGORY,
    Counts,
    agreement_sums,
    category_kappa,
    cohen_kappa,
    counts_from_labels,
    fleiss_kappa,
    krippendorff_alpha,
    majority,
    observed_agreement,
    unanimous,
)
from annotation.errors import InvalidValueError


def kappa(rows: Sequence[Sequence[int]]) -> float | None:
    return fleiss_kappa(agreement_sums(np.array(rows, dtype=np.int64))).value


def expected(real: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((real / "agreement_tables" / "expected.json").read_text())
    return found


def table(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def counts_by_coder(path: Path) -> Counts:
    columns = list(zip(*[row[1:] for row in table(path)[1:]], strict=True))
    labels = [[label for label in column if label] for column in columns]
    return counts_from_labels(labels, sorted({label for row in labels for label in row}))


def test_the_worked_tables_of_the_field_come_out() -> None:
    assert kappa([[3, 0], [0, 3], [2, 1]]) == pytest.approx(0.55)
    assert kappa([[3, 0, 0], [0, 3, 0], [2, 1, 0]]) == pytest.approx(0.55)
    assert kappa([[3, 0, 0], [0, 2, 1], [1, 1, 1], [0, 0, 3]]) == pytest.approx(0.3617, abs=5e-5)
    assert kappa([[3, 0], [0, 3]]) == 1.0
    assert kappa([[1, 1, 1], [1, 1, 1]]) == pytest.approx(-0.5)


def test_high_observed_agreement_on_one_category_gives_a_kappa_near_nought() -> None:
    sums = agreement_sums(np.array([[3, 0]] * 97 + [[2, 1]] * 3, dtype=np.int64))
    assert observed_agreement(sums).value == pytest.approx(0.98)
    assert fleiss_kappa(sums).value == pytest.approx(-0.0101, abs=5e-5)


@pytest.mark.parametrize("rows", [[[7, 0], [7, 0]], [[3, 0], [3, 0]]])
def test_one_category_alone_is_undefined_in_words(rows: list[list[int]]) -> None:
    counts = np.array(rows, dtype=np.int64)
    for figure in (fleiss_kappa(agreement_sums(counts)), krippendorff_alpha(counts)):
        assert (figure.value, figure.n, figure.reason) == (None, 2, ONE_CATEGORY)
    assert observed_agreement(agreement_sums(counts)).value == 1.0


def test_no_items_and_one_annotator_are_undefined_in_words() -> None:
    nothing = np.zeros((0, 2), dtype=np.int64)
    assert "No item" in fleiss_kappa(agreement_sums(nothing)).reason
    assert "two annotators" in fleiss_kappa(agreement_sums(np.array([[1, 0], [0, 1]], dtype=np.int64))).reason
    assert "two labels" in krippendorff_alpha(np.array([[1, 0]], dtype=np.int64)).reason
    assert "both times" in cohen_kappa([]).reason
    assert "complete items" in unanimous(nothing).reason


def test_incomplete_rows_never_enter_kappa_in_silence() -> None:
    with pytest.raises(InvalidValueError, match="same number of labels"):
        agreement_sums(np.array([[3, 0], [1, 1]], dtype=np.int64))


def test_fleiss_and_wikipedia_tables_have_their_published_kappa(real: Path) -> None:
    folder = real / "agreement_tables"
    name = "fleiss1971_diagnoses_30subjects_6raters.csv"
    labels = [row[1:] for row in table(folder / name)[1:]]
    counts = counts_from_labels(labels, sorted({label for row in labels for label in row}))
    published = expected(real)
    assert fleiss_kappa(agreement_sums(counts)).value == pytest.approx(published[name]["fleiss_kappa"], abs=1e-12)
    name = "fleiss_wikipedia_10x5_counts.csv"
    rows = np.array([[int(cell) for cell in row[1:]] for row in table(folder / name)[1:]], dtype=np.int64)
    assert fleiss_kappa(agreement_sums(rows)).value == pytest.approx(published[name]["fleiss_kappa"], abs=1e-12)


def test_alpha_with_missing_labels_has_its_published_value(real: Path) -> None:
    for name in (
        "krippendorff2011_C_4coders_12units_missing.csv",
        "krippendorff_wikipedia_3coders_15units_missing.csv",
    ):
        found = krippendorff_alpha(counts_by_coder(real / "agreement_tables" / name)).value
        assert found == pytest.approx(expected(real)[name]["alpha_nominal"], abs=1e-12)


def test_cohen_kappa_has_its_published_value(real: Path) -> None:
    rows = [[int(cell) for cell in row] for row in table(real / "agreement_tables" / "cohen_sas_3x3.csv")]
    pairs = [(str(i), str(j)) for i, row in enumerate(rows) for j, count in enumerate(row) for _ in range(count)]
    assert cohen_kappa(pairs).value == pytest.approx(expected(real)["cohen_sas_3x3.csv"]["kappa"], abs=5e-5)


def test_kappa_of_a_category_worked_by_hand() -> None:
    # Three items, two annotators: AA, AB, BB. p_A = 1/2; split pairs of A: 1 of 3 items; 1 - 1 / (3 * 0.5) = 1/3.
    sums = agreement_sums(np.array([[2, 0], [1, 1], [0, 2]], dtype=np.int64))
    assert category_kappa(sums, 0).value == pytest.approx(1 / 3)
    assert category_kappa(sums, 1).value == pytest.approx(1 / 3)
    assert category_kappa(sums, 0).n == 3


def test_consensus_is_unanimity_with_the_majority_beside_it() -> None:
    counts = np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [0, 3, 0]], dtype=np.int64)
    assert (unanimous(counts).value, majority(counts).value) == (0.5, 0.75)


@st.composite
def complete_counts(draw: st.DrawFn) -> Counts:
    raters, categories = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    rows = draw(
        st.lists(st.lists(st.integers(0, categories - 1), min_size=raters, max_size=raters), min_size=1, max_size=30)
    )
    counts = np.zeros((len(rows), categories), dtype=np.int64)
    for number, row in enumerate(rows):
        np.add.at(counts[number], row, 1)
    return counts


@given(complete_counts(), st.randoms())
def test_kappa_knows_neither_order_nor_names(counts: Counts, random: Any) -> None:
    items, categories = list(range(counts.shape[0])), list(range(counts.shape[1]))
    random.shuffle(items)
    random.shuffle(categories)
    shuffled = counts[items][:, categories]
    assert fleiss_kappa(agreement_sums(shuffled)) == fleiss_kappa(agreement_sums(counts))
    assert krippendorff_alpha(shuffled) == krippendorff_alpha(counts)


@given(complete_counts())
def test_kappa_is_at_most_one_and_the_categories_average_to_it(counts: Counts) -> None:
    sums = agreement_sums(counts)
    whole = fleiss_kappa(sums).value
    if whole is None:
        return
    assert whole <= 1.0
    parts = [category_kappa(sums, number).value for number in range(counts.shape[1])]
    labels = sums.items * sums.raters
    weights = [total * (labels - total) for total in sums.totals]
    weighted = sum(weight * part for weight, part in zip(weights, parts, strict=True) if part is not None)
    assert weighted / sum(weights) == pytest.approx(whole)
