"""Scorecards and linear models in order along the bins of a column."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import littlestone as ls
from littlestone.classes.boosted_trees.coefficients import _isotonic
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.boosting import Boosting
from littlestone.learners.linear import Linear
from littlestone.source import SeededSource

RNG = np.random.default_rng(0)
PLAIN = ls.Schema.from_dict(
    {
        "age": {"bins": [20, 30, 40, 50, 60, 70]},
        "seen": {"type": "date", "bins": ["2020-01-01", "2021-01-01", "2022-01-01"]},
        "city": {"categories": ["Bonn", "Rome"]},
        "pulse": {"bins": [60, 80]},
    }
)
SCHEMA = PLAIN.monotone({"age": 1, "seen": -1})
ROWS = np.stack([RNG.integers(0, codes, 400) for codes in PLAIN.n_codes], axis=1).astype(np.int16)
LABELS = RNG.integers(0, 2, 400)


def drawn(kind, schema, seed):
    sample = Sample.of(ROWS, LABELS)
    concepts = ls.Scorecard(schema, epsilon=1).concept_class
    made = Boosting(concepts, epsilon=1, delta="1e-6" if seed % 2 else None)
    if kind == "linear":
        concepts = ls.LinearClassifier(schema, epsilon=1, delta=1e-6).concept_class
        made = Linear(concepts, epsilon=1, delta="1e-6")
    return made.draw(sample, SeededSource(seed))


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        ("linear", 2),
        ("scorecard", 2),
        pytest.param("linear", 30, marks=pytest.mark.more),
        pytest.param("scorecard", 30, marks=pytest.mark.more),
    ],
)
def test_all_neighbouring_bins_are_in_order(kind, fits):
    """On labels that are noise: without the order neighbours often fall."""
    others = 0
    for seed in range(fits):
        _, found = drawn(kind, SCHEMA, seed).points(SCHEMA)
        _, plain = drawn(kind, PLAIN, seed).points(PLAIN)
        for name, sign in (("age", 1), ("seen", -1)):
            bins = list(found.get(name, {}).values())[:-2]
            assert all(sign * (b - a) >= 0 for a, b in pairwise(bins))
            others += any(
                sign * (b - a) < 0 for a, b in pairwise(list(plain.get(name, {}).values())[:-2])
            )
    assert others > fits / 2


@pytest.mark.parametrize("sign", [1, -1])
def test_pooling_is_isotonic_regression(sign):
    for size in (1, 2, 7, 30):
        values = RNG.integers(-50, 50, size)
        known = IsotonicRegression(increasing=sign > 0).fit_transform(np.arange(size), values)
        assert np.allclose(_isotonic(values, sign), known)


def test_what_is_in_order_already_is_as_it_was():
    rows = np.stack([np.arange(4000) % 9, *np.ones((3, 4000), dtype=int)], axis=1)
    sample = Sample.of(rows, (rows[:, 0] > 5).astype(int))
    for schema in (PLAIN, SCHEMA):
        made = Linear(ls.LinearClassifier(schema, epsilon=99, delta=1e-6).concept_class,
                      epsilon=99, delta="1e-6")  # fmt: skip
        found = made.draw(sample, SeededSource(0))
        own = found.points(schema)[1]["age"]
        assert list(own.values())[:-2] == sorted(list(own.values())[:-2])
    assert set(found.margin(ROWS).tolist()) <= set(found.margins)


def test_exports_and_files_keep_the_order():
    made = ls.LinearClassifier(PLAIN, epsilon=1, delta=1e-6, monotonic_cst={"age": 1},
                               random_state=0)  # fmt: skip
    table = {"age": np.arange(400) % 90, "seen": ["2021-05-05"] * 400, "city": ["Bonn"] * 400}
    made = made.fit(table | {"pulse": [70] * 400, "ill": LABELS}, "ill")
    schema = made.release_.concept_class.domain.schema
    assert schema.ordered == ("age",)
    assert ls.Schema.from_dict(schema.to_dict()) == schema
    module = {}
    exec(made.hypothesis_.to_python(schema), module)
    chances = [module["probability"]({"age": age}) for age in (10, 25, 35, 45, 55, 65, 75)]
    assert chances == sorted(chances)


def test_the_schema_file_says_it(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(SCHEMA.to_toml())
    assert ls.Schema.from_toml(path) == SCHEMA
    assert SCHEMA != PLAIN
    assert SCHEMA.columns[1].monotone == "decreasing"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PLAIN.monotone({"city": 1}), "Categories have no order"),
        (lambda: PLAIN.monotone({"agee": 1}), "Did you mean 'age'"),
        (lambda: PLAIN.monotone({"age": 2}), "falling with bmi"),
        (lambda: PLAIN.monotone([1, 0, 0, 0]), "a mapping from names"),
        (
            lambda: ls.Schema.from_dict({"a": {"bins": [1], "monotone": "up"}}),
            "increasing or decreasing",
        ),
        (
            lambda: ls.Scorecard(SCHEMA, epsilon=1, labels=["a", "b", "c"]).plan,
            "cannot be monotone",
        ),
        (lambda: ls.BoostedTrees(SCHEMA, epsilon=1).plan, "--model linear"),
        (
            lambda: ls.fit({"a": [1], "y": [1]}, y="y", epsilon=1, monotonic_cst={"a": 1}),
            "needs a schema",
        ),
    ],
)
def test_what_has_no_order_is_refused(make, words):
    with pytest.raises((ParameterError, UnsupportedError), match=words):
        make()
