"""Sums of trees with several labels: votes, points, effects by definition; other programs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest

from littlestone.classes import TreeEnsemble, TreeHypothesis, class_from_dict, load, parse_class
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.boosted_trees.ensemble import HALF, linked
from littlestone.classes.decision_trees import Node
from littlestone.classes.decision_trees.concept_class import Splits
from littlestone.data import RowDomain, Schema, read_points
from littlestone.errors import ParameterError

NAMES = ("it's", "b", "c,d")
SCHEMA = Schema.from_dict(
    {
        "age": {"bins": [20, 30, 45.5], "missing": ["99"]},
        "city": {"categories": ["Bonn", "Rome", "O'Fallon", "7"]},
    }
)
CELLS = {
    "age": ["19", "20", "30.0", " 45.5", "99", "x", "", "1e2", "TRUE", "-inf"],
    "city": ["Bonn", " Rome ", "O'Fallon", "7", "7.0", "?", "", "Paris"],
}


def random_tree(rng, depth):
    if depth == 0:
        return int(rng.integers(3))
    splits = Splits(SCHEMA).literals
    split = splits[rng.integers(len(splits))]
    return Node(split, random_tree(rng, depth - 1), random_tree(rng, depth - 1))


def ensemble(depth, rounds=12, seed=0, start=(0, -2, 1), cap=None):
    rng = np.random.default_rng(seed)
    trees = tuple(TreeHypothesis.of(random_tree(rng, depth), NAMES) for _ in range(rounds))
    return TreeEnsemble((*trees, trees[0]), Fraction(3, 10), start, NAMES, cap)


def rows():
    return np.array(list(product(*map(range, SCHEMA.n_codes))))


@pytest.mark.parametrize("depth", [1, 3])
def test_votes_by_definition(depth):
    sums = ensemble(depth)
    every = rows()
    votes = np.array(
        [
            [start + sum(int(t.predict(row[None])[0]) == k for t in sums.trees) for row in every]
            for k, start in enumerate(sums.start)
        ]
    ).T
    assert (sums.votes(every) == votes).all()
    assert len(set(sums.predict(every).tolist())) > 1
    assert sums.predict(every).tolist() == [row.index(max(row)) for row in votes.tolist()]
    odds = np.exp(0.3 * votes)
    shares = odds / odds.sum(axis=1, keepdims=True)
    assert np.allclose(sums.probability(every), shares)
    assert np.allclose(ensemble(depth, cap=HALF).probability(every), linked(shares, HALF))


def test_points_add_up_to_the_votes():
    sums = ensemble(1, rounds=40)
    base, points = sums.points(SCHEMA)
    for row in rows():
        total = dict(base)
        for j, column in enumerate(SCHEMA):
            cell = points.get(column.name, {}).get(column.describe(row[j]))
            for label, own in (cell or {}).items():
                total[label] += own
        assert list(total.values()) == sums.votes(row[None])[0].tolist()
    least = [min(own[n] for own in cells.values()) for cells in points.values() for n in NAMES]
    assert set(least) == {0}
    with pytest.raises(ValueError, match="depth 1"):
        ensemble(2).points(SCHEMA)


def test_effects_are_means_over_all_public_rows():
    sums = ensemble(2)
    inner = np.array([r for r in rows() if (r >= 2).all()])  # bins and categories
    for k, label in enumerate(NAMES):
        for j, column in enumerate(SCHEMA):
            means = [
                sums.log_odds(np.array([[*r[:j], code, *r[j + 1 :]] for r in inner]))[:, k].mean()
                for code in range(SCHEMA.n_codes[j])
            ]
            found = sums.effects(SCHEMA)[label][column.name]
            for code, mean in enumerate(means):
                expected = mean - np.mean(means[2:])
                assert found[column.describe(code)] == pytest.approx(expected, abs=1e-9)


def test_json_is_read_back_and_checked():
    sums = ensemble(2, cap=HALF)
    good = sums.to_dict()
    assert load(good) == sums
    assert load(good).key == sums.key
    for wrong in (
        {"step": "0"}, {"step": 1}, {"start": [0, 0]}, {"start": [0, 0, 0.5]},
        {"start": [0, 0, 10**9]}, {"start": [True, 0, 0]}, {"trees": [7]}, {"label_names": ["a"]},
        {"label_names": [0, 1]}, {"trees": good["trees"] * 100}, {"label_names": ["a", "b"]},
        {"more": 1}, {"cap": "3/4"}, {"cap": 0.5},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            load(good | wrong)


def test_words():
    constants = tuple(TreeHypothesis.of(k, NAMES) for k in (1, 1, 0))
    always = TreeEnsemble(constants, Fraction(1), (0, 0, 0), NAMES)
    assert always.describe() == "always b"
    assert always.constant == 1
    assert ensemble(1).constant is None
    assert "13 trees of depth 2" in ensemble(2).describe()
    assert "initial votes: 2 for it's, 3 for c,d" in ensemble(2).describe()


@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.more)])
@pytest.mark.parametrize("cap", [None, HALF])
def test_duckdb_and_plain_python_answer_alike(depth, cap, tmp_path, evaluated):
    rng = np.random.default_rng(3)
    cells = {name: rng.choice(own, 1000).tolist() for name, own in CELLS.items()}
    path = tmp_path / "t.parquet"
    columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in cells)
    duckdb.connect().execute(f"COPY (SELECT {columns}) TO '{path}'", list(cells.values()))
    sums = ensemble(depth, seed=depth, cap=cap)
    if cap is not None:
        own = np.random.default_rng(5).integers(-900, 900, (5, 3)).tolist()
        begin = CodePoints((0, 300, -200), ((0, tuple(map(tuple, own))),), 256, 700)
        sums = replace(sums, code_points=begin)
    points, _ = read_points(str(path), domain=RowDomain(SCHEMA), caller="test")
    labels, shares, votes = sums.predict(points), sums.probability(points), sums.votes(points)
    assert len(set(labels.tolist())) > 1
    module = {}
    exec(sums.to_python(SCHEMA), module)
    for i in range(0, 1000, 7):
        record = {name: own[i] for name, own in cells.items()}
        assert module["label"](record) == NAMES[labels[i]]
        assert list(module["votes"](record).values()) == votes[i].tolist()
        assert list(module["probability"](record).values()) == pytest.approx(shares[i].tolist())

    def asked(what, of=None):
        sql = sums.to_sql(SCHEMA, dialect="duckdb", what=what, of=of)
        found = evaluated(sql, f"'{path}'")
        return np.asarray(found)

    assert asked("label").tolist() == [NAMES[code] for code in labels]
    for k, name in enumerate(NAMES):
        assert (asked("votes", name) == votes[:, k]).all()
        assert np.allclose(asked("probability", name), shares[:, k])


def test_standard_sql_of_typed_columns_and_of_no_trees():
    sums = ensemble(2)
    values = "(VALUES (25.0, 'Rome'), (NULL, NULL), (50.0, 'Bonn')) AS t(age, city)"
    found = duckdb.sql(f"SELECT {sums.to_sql(SCHEMA)} FROM {values}").fetchall()
    codes = np.array([[3, 3], [0, 0], [5, 2]])
    assert [v for (v,) in found] == [NAMES[k] for k in sums.predict(codes)]
    nothing = TreeEnsemble((), Fraction(1), (0, 2, 2), NAMES)
    assert duckdb.sql(f"SELECT {nothing.to_sql(SCHEMA)}").fetchall() == [("b",)]


@pytest.mark.parametrize(
    "wrong",
    [{"what": "odds"}, {"of": "b"}, {"what": "votes"}, {"what": "probability", "of": "z"}],
)
def test_a_wrong_export_is_refused(wrong):
    with pytest.raises(ParameterError, match="to_sql"):
        ensemble(1).to_sql(SCHEMA, **wrong)


@pytest.mark.parametrize("text", ["scorecard(rounds=4)", "boosted_trees(depth=1, rounds=4)"])
def test_classes_as_text_and_json(text):
    made = parse_class(text, SCHEMA, ["a", "b", "c"])
    assert made.labels == ("a", "b", "c")
    assert made.spec == text
    assert class_from_dict(made.to_dict()) == made
    assert class_from_dict(made.to_dict()) != parse_class(text, SCHEMA)
    assert "labels=['a', 'b', 'c']" in repr(made)
    assert made.size == (9 * len(Splits(SCHEMA))) ** 4
