"""Data frames are matched by the names of their columns; arrays by position."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.errors import ParameterError

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({name: RNG.integers(0, 100, 600) for name in ("age", "dose", "noise")})
ILL = (TABLE.age >= 50).astype(int).to_numpy()
SCHEMA = ls.Schema.from_dict({"age": {"bins": [50]}, "dose": {"bins": [50]}})
FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


def rules():
    return ls.AgnosticLearner(ls.Rules(SCHEMA, 1), epsilon=50, random_state=1)


def trees():
    return ls.BoostedTrees(SCHEMA, epsilon=50, depth=1, rounds=2, random_state=1)


@pytest.mark.first(1)
@pytest.mark.parametrize("made", [rules, trees])
@pytest.mark.parametrize("kind", FRAMES)
def test_the_order_of_columns_and_foreign_ones_change_nothing(kind, made):
    of = FRAMES[kind]
    first = made().fit(TABLE[["age", "dose"]].to_numpy(), ILL)
    for columns in (["age", "dose"], ["dose", "age"], ["noise", "dose", "age"]):
        frame = of(TABLE[columns])
        learner = made().fit(frame, ILL)
        assert learner.release_.to_json() == first.release_.to_json()
        assert learner.feature_names_in_.tolist() == ["age", "dose"]
        assert learner.n_features_in_ == 2
        assert learner.score(frame, ILL) == first.score(TABLE[["age", "dose"]].to_numpy(), ILL)
        for other in FRAMES.values():
            reordered = other(TABLE[["dose", "noise", "age"]])
            assert (learner.predict(reordered) == first.predict(TABLE[["age", "dose"]])).all()
            assert (learner.release_.predict(reordered) == learner.predict(reordered)).all()


@pytest.mark.parametrize("kind", FRAMES)
def test_missing_names_are_refused_before_anything_is_drawn(kind, monkeypatch):
    frame = FRAMES[kind](TABLE[["age", "noise"]])
    fitted = rules().fit(TABLE, ILL)

    def nothing_is_drawn(*_):
        raise AssertionError("drew from the source")

    monkeypatch.setattr("littlestone.source.sources.BitSource.choose", nothing_is_drawn)
    unfitted = rules()
    for call in (
        lambda: unfitted.fit(frame, ILL),
        lambda: fitted.fit(frame, ILL),
        lambda: fitted.predict(frame),
        lambda: fitted.score(frame, ILL),
        lambda: fitted.release_.predict(frame),
        lambda: ls.data.Sample.from_arrays(frame, ILL, ls.Rules(SCHEMA, 1).domain),
    ):
        with pytest.raises(ParameterError, match="no column 'dose'"):
            call()
    assert not hasattr(unfitted, "feature_names_in_")
    assert fitted.feature_names_in_.tolist() == ["age", "dose"]


@pytest.mark.parametrize("double", ["age", "noise"])
def test_doubled_names_are_refused(double):
    frame = pd.concat([TABLE, TABLE[[double]]], axis=1)
    fitted = rules().fit(TABLE, ILL)
    every = ls.Rules(ls.Schema.every_column([50.0]), 1)
    for call in (
        lambda: rules().fit(frame, ILL),
        lambda: fitted.predict(frame),
        lambda: ls.AgnosticLearner(every, epsilon=1).fit(frame, ILL),
        lambda: ls.data.Sample.from_arrays(frame, ILL, ls.Rules(SCHEMA, 1).domain),
    ):
        with pytest.raises(ParameterError, match="different names"):
            call()


def test_arrays_and_frames_without_names_go_by_position():
    first = rules().fit(TABLE[["age", "dose"]].to_numpy(), ILL)
    assert not hasattr(first, "feature_names_in_")
    numbered = TABLE[["age", "dose"]].set_axis([0, 1], axis=1)
    again = rules().fit(numbered, ILL)
    assert again.release_.to_json() == first.release_.to_json()
    assert not hasattr(again, "feature_names_in_")
    named = rules().fit(TABLE, ILL)
    with pytest.warns(UserWarning, match="does not have valid feature names"):  # scikit-learn's
        named.predict(TABLE[["age", "dose"]].to_numpy())
    named.fit(numbered, ILL)  # the names of the first fit are forgotten
    assert not hasattr(named, "feature_names_in_")


@pytest.mark.parametrize("kind", FRAMES)
def test_a_schema_of_every_column_takes_the_names_of_the_fit(kind):
    of = FRAMES[kind]
    every = ls.Rules(ls.Schema.every_column([50.0]), 1)
    learner = ls.AgnosticLearner(every, epsilon=50, random_state=1).fit(of(TABLE), ILL)
    assert learner.feature_names_in_.tolist() == ["age", "dose", "noise"]
    assert learner.score(of(TABLE), ILL) > 0.9
    for columns in (["dose", "age", "noise"], ["age", "dose"]):
        with pytest.raises(ValueError, match="feature names should match"):
            learner.predict(of(TABLE[columns]))


@pytest.mark.parametrize("kind", FRAMES)
def test_one_column_of_points(kind):
    of = FRAMES[kind]
    learner = ls.GenericLearner(ls.Thresholds(0, 99), epsilon=50, random_state=1)
    learner.fit(of(TABLE[["age"]]), ILL)
    assert learner.feature_names_in_.tolist() == ["age"]
    assert (learner.predict(of(TABLE)) == learner.predict(TABLE.age.to_numpy())).all()
    with pytest.raises(ParameterError, match="no column 'age'"):
        learner.predict(of(TABLE[["dose"]]))
    by_table = ls.GenericLearner(ls.Thresholds(0, 99), epsilon=50, random_state=1)
    by_table.fit(of(TABLE.assign(ill=ILL)), "ill", x="age")
    assert by_table.hypothesis_ == learner.hypothesis_
    assert by_table.feature_names_in_.tolist() == ["age"]
    by_table.fit(ls.data.Sample.of([1, 70] * 300, [0, 1] * 300))
    assert not hasattr(by_table, "feature_names_in_")


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_vectors(kind):
    of = FRAMES[kind]
    bits = pd.DataFrame({name: RNG.integers(0, 2, 400) for name in "abc"})
    label = (bits.a & bits.c).to_numpy()
    learner = ls.AgnosticLearner(ls.theory.Conjunctions(3), epsilon=50, random_state=1)
    learner.fit(of(bits), label)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert learner.n_features_in_ == 3
    assert (learner.predict(of(bits[["c", "b", "a"]])) == label).all()
