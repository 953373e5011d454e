"""The example data set: complete, read without anything odd, and what its public schema can say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from littlestone.data import RowDomain, Sample, Schema

ADULT = Path(__file__).parents[2] / "examples" / "adult"


def test_the_file_is_the_published_data_set():
    table = pq.read_table(ADULT / "adult.parquet")
    assert table.num_rows == 48_842
    split = np.array(table["split"].to_pylist())
    label = table["over_50k"].to_numpy()
    assert ((split == "train").sum(), (split == "test").sum()) == (32_561, 16_281)
    # Class distribution as printed in the data set's own documentation: 23.93 % over 50K.
    assert round(100 * label.mean(), 2) == 23.93
    assert (ADULT / "adult.parquet").stat().st_size < 300_000


@pytest.mark.more
def test_the_best_rule_of_two_literals():
    """Brute force over all conjunctions of at most two literals, on raw columns."""
    schema = Schema.from_toml(ADULT / "schema.toml")
    frame = pq.read_table(ADULT / "adult.parquet").to_pandas()
    label = frame["over_50k"].to_numpy()
    literals = schema.literals()
    assert len(literals) == 260
    holds = []
    for literal in literals:
        column = schema.columns[literal.column]
        values = frame[column.name].to_numpy()
        if column.numeric:
            edge = column.edges[literal.code - column.FIRST - 1]
            holds.append(values >= edge if literal.op == ">=" else values < edge)
        else:
            same = values == column.categories[literal.code - column.FIRST]
            holds.append(same if literal.op == "is" else ~same)
    true = np.array([np.ones(len(label), bool), *holds], dtype=np.float32)
    gain = (true * (2.0 * label - 1).astype(np.float32)) @ true.T  # hits minus false alarms
    i, j = np.unravel_index(np.argmax(gain), gain.shape)
    accuracy = (gain[i, j] + (label == 0).sum()) / len(label)
    texts = ["(true)", *(literal.text for literal in literals)]
    assert {texts[i], texts[j]} == {"marital_status is Married-civ-spouse", "education_num >= 12"}
    assert round(float(accuracy), 4) == 0.8205

    # The library's own counts give the same figure.
    sample = Sample.read(ADULT / "adult.parquet", y="over_50k", domain=RowDomain(schema))
    assert sample.n == 48_842
    assert sample.outside == (0, 0)
    assert not (sample.points == 1).any()  # no cell is "other"
    chosen = [literal for literal in literals if literal.text in (texts[i], texts[j])]
    predicted = np.logical_and(
        *(lit.accepts(schema.n_codes[lit.column])[sample.points[:, lit.column]] for lit in chosen)
    )
    correct = sample.ones[predicted].sum() + sample.zeros[~predicted].sum()
    assert correct / sample.n == accuracy


def test_a_data_frame_of_the_example_passes_strictly():
    schema = Schema.from_toml(ADULT / "schema.toml")
    frame = pq.read_table(ADULT / "adult.parquet").to_pandas().head(500)
    strict = Sample.from_arrays(frame, frame["over_50k"], RowDomain(schema))
    read = Sample.read(frame, y="over_50k", domain=RowDomain(schema), strict=True)
    assert (strict.points == read.points).all()
    assert (strict.ones == read.ones).all()
