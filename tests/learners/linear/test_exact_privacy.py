"""Exact verification of linear models: every record and user of tiny schemas, at hostile weights.

And broken variants (``tests/mutants/in_linear.py``), each of which a test here must refuse.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from littlestone.audit import all_n, replay, verify
from littlestone.classes import LinearClass
from littlestone.data import Sample, Schema
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError
from littlestone.learners.linear import Linear, learner
from littlestone.learners.linear.learner import Rows, root, shrunk
from littlestone.privacy import Concentrated, compose
from littlestone.source import SeededSource

CITY = Schema.from_dict({"city": {"categories": ["Bonn"]}})
MIXED = Schema.from_dict(
    {
        "age": {"bins": [30, 60]},
        "city": {"categories": ["Bonn", "Rome"]},
        "pulse": {"bins": [50, 60, 70, 80]},
    }
)
ROWS = np.array(list(product(*map(range, MIXED.n_codes))), dtype=np.int16)
ABC = ("a", "b", "c")
RNG = np.random.default_rng(0)


def linear(schema=MIXED, labels=None, **parameters):
    given = {"epsilon": 1, "delta": "1e-6", **parameters}
    return Linear(LinearClass(schema, labels), **given)


def hostile(shape, size=40):
    """Yield weights: small, large, beyond doubles, no numbers."""
    for trial in range(size):
        scale = 10.0 ** RNG.uniform(-5, 300 if trial % 7 == 0 else 0)
        weights = RNG.normal(size=shape) * scale
        for every, bad in ((11, np.nan), (13, np.inf), (17, -np.inf)):
            if trial % every == 0:
                weights[..., RNG.integers(shape[1])] = bad
        yield weights


def plain_features(row, grain=1024):
    """Return the features of a row by their definition, in integers."""
    found = [grain]
    for code, column in zip(row.tolist(), MIXED.columns, strict=True):
        answers = column.n_codes - 1
        place = max(code - 1, 0)
        one = [int(place == i) for i in range(answers)]
        if column.edges is None:
            weight = 7 * grain // 5
            found += [weight * own - weight // answers for own in one]
            continue
        bins = answers - 1
        angle = math.pi / 2 * (2 * (place - 1) / (bins - 1) - 1)
        found += [round(grain * math.sin(angle)) * (place > 0), grain * (place == 0)]
        if bins > 2:
            found += [round(grain * math.cos(angle)) * (place > 0)]
            found += [grain // 4 * own for own in one[1:]]
    return found


def gradients(made, weights, n):
    """Return the gradient of each single record as integers: features times its residual."""
    rows = Rows([ROWS], made.features, made.plan.settings(n).square, made.shape[0])
    ((at, chances),) = rows.chances(weights)
    x = np.array([plain_features(row) for row in ROWS], dtype=object)
    found = []
    for label in range(max(made.shape[0], 2)):
        residuals = rows.residuals(at, chances, label).astype(object)
        found.append(np.concatenate([x * own[:, None] for own in residuals], axis=1))
    return np.concatenate(found)


def largest_move(moved):
    """Return the largest squared distance of two rows of integers."""
    square = (moved * moved).sum(axis=1)
    return int((square[:, None] + square[None] - 2 * (moved @ moved.T)).max())


@pytest.mark.first(1)
@pytest.mark.parametrize("labels", [None, ABC], ids=["binary", "listed"])
@pytest.mark.parametrize("n", [1, 10**6])
def test_a_replaced_record_moves_a_round_by_at_most_its_bound(labels, n):
    made = linear(labels=labels)
    settings = made.plan.settings(n)
    for trial, weights in enumerate(hostile(made.shape)):
        moved = gradients(made, weights, n)
        assert max((moved * moved).sum(axis=1)) <= settings.square
        if trial < 3:
            far = largest_move(moved[:: 1 + 5 * bool(labels)])
            assert Fraction(far) / (2 * settings.variance) <= settings.rho / settings.rounds
            # the clip of few records is so tight that two labels of one row are opposite
            assert labels or n > 1 or far > Fraction(9, 10) * 4 * settings.square


@pytest.mark.parametrize("y", [0, 1])
def test_a_gradient_is_that_of_the_definition(y):
    made = linear()
    settings = made.plan.settings(1)
    for weights in 10.0 ** RNG.uniform(-5, -2.5, 20)[:, None] * RNG.normal(size=made.shape[1]):
        for row in ROWS[RNG.integers(len(ROWS), size=4)]:
            x = np.array(plain_features(row))
            most = math.isqrt(settings.square // int((x * x).sum()))
            r = 4096 * (1 / (1 + math.exp(-float(x @ weights))) - y)
            (found,) = made.records(Sample.of(row[None], [y])).gradient(weights[None])
            assert abs(found[0] / x[0] - min(max(r, -most), most)) <= 2
            assert (found * x[0] == found[0] * x).all()


def test_features_are_those_of_the_definition():
    made = linear()
    own = [
        table[max(code - 1, 0)] for code, table in zip(ROWS[7], made.features.tables, strict=True)
    ]
    assert [1024, *np.concatenate(own).tolist()] == plain_features(ROWS[7])
    assert made.features.square >= max(sum(x * x for x in plain_features(row)) for row in ROWS)


@pytest.mark.parametrize("labels", [None, ABC], ids=["binary", "listed"])
def test_a_residual_is_that_of_the_row_alone(labels):
    """Wherever the row is, beside whatever others: no product over records decides a last bit."""
    made = linear(labels=labels)
    sums = made.shape[0]
    many = ROWS[RNG.integers(len(ROWS), size=2**16 + 77)]
    for weights in hostile(made.shape, 3):
        alone = [
            next(Rows([row[None]], made.features, 2**50, sums).chances(weights))[1][:, 0].tolist()
            for row in ROWS[:30]
        ]
        for shift in (0, 1, 13, 2**16 - 20):
            table = np.concatenate([many[:shift], ROWS[:30], many[shift:]])
            parts = Rows([table[:100], table[100:]], made.features, 2**50, sums).chances(weights)
            found = np.concatenate([own for _, own in parts], axis=1)
            assert found[:, shift : shift + 30].T.tolist() == alone


@pytest.mark.parametrize("labels", [None, ABC], ids=["binary", "listed"])
def test_gradients_are_sums(labels):
    made = linear(labels=labels)
    listed = None if labels is None else 3
    y = RNG.integers(0, 2 if labels is None else 4, size=60)
    rows = ROWS[RNG.integers(len(ROWS), size=60)]
    for weights in hostile(made.shape, 2):
        whole = made.records(Sample.of(rows, y, labels=listed)).gradient(weights)
        each = [
            made.records(Sample.of(row[None], [label], labels=listed), 60).gradient(weights)
            for row, label in zip(rows, y.tolist(), strict=True)
        ]
        assert (whole == sum(each)).all()
        users = replace(made, unit="users")
        alone = TargetSample.of(rows, y, list(range(60)))
        if made.plan.settings(60).square == users.plan.settings(60).square:
            assert (users.records(alone).gradient(weights) == whole).all()


def one_user(rows, labels, count):
    """Return a user's records, each so many times."""
    sample = TargetSample.of(rows, labels, [0] * len(rows))
    return replace(sample, count=sample.count * count)


@pytest.mark.parametrize("labels", [None, ABC], ids=["binary", "listed"])
def test_all_records_of_a_user_move_a_round_by_at_most_its_bound(labels):
    """With two records, with thousands, and with so many that 64 bits would wrap."""
    made = linear(labels=labels, unit="users")
    settings = made.plan.settings(1)
    tried = 2 if labels is None else 4
    for weights in hostile(made.shape, 12):
        moved = []
        for count in (1, 3, 200, 2**20, 2**33, 2**45):
            rows = ROWS[RNG.integers(len(ROWS), size=3)]
            user = one_user(rows, RNG.integers(0, tried, size=3), count)
            moved.append(made.records(user, 1).gradient(weights).ravel().astype(object))
            user = one_user(rows[:1], [0], count)
            moved.append(made.records(user, 1).gradient(weights).ravel().astype(object))
        units = np.array(moved, dtype=object)
        assert max((units * units).sum(axis=1)) <= settings.square
        far = largest_move(units)
        assert Fraction(far) / (2 * settings.variance) <= settings.rho / settings.rounds


def test_users_count_by_themselves():
    made = linear(unit="users")
    rows, y = ROWS[RNG.integers(len(ROWS), size=300)], RNG.integers(0, 2, size=300)
    who = RNG.integers(0, 20, size=300)
    weights = RNG.normal(size=made.shape) * 1e-3
    whole = made.records(TargetSample.of(rows, y, who.tolist()), 20).gradient(weights)
    each = [
        made.records(TargetSample.of(rows[who == u], y[who == u], [0] * sum(who == u)), 20)
        for u in np.unique(who)
    ]
    assert (whole == sum(own.gradient(weights) for own in each)).all()


def test_long_gradients_are_shrunk_and_others_are_not():
    for scale in (10, 10**4, 10**9, 10**17):
        rows = RNG.integers(-scale, scale + 1, size=(50, 5))
        exact = rows.astype(object)
        square = int(RNG.integers(1, min(scale, 2**20)) ** 2)
        found = shrunk(rows, square).astype(object)
        norms, after = (exact * exact).sum(axis=1), (found * found).sum(axis=1)
        assert (after <= square).all()
        assert (found[norms <= square] == exact[norms <= square]).all()
        assert all(abs(f) <= abs(e) for f, e in zip(found.ravel(), exact.ravel(), strict=True))
    assert root(np.array([2**62 - 1, 2**60, 2**60 - 1])).tolist() == [2147483647, 2**30, 2**30 - 1]


@pytest.mark.parametrize("epsilon", ["0.01", 1, 8])
def test_all_rounds_together_are_epsilon(epsilon):
    made = linear(epsilon=epsilon)
    settings = made.plan.settings(5_000)
    each = Fraction(4 * settings.square) / (2 * settings.variance)
    assert each == settings.rho / settings.rounds
    cost = compose({Concentrated(each): settings.rounds}, delta=made.delta)[0]
    assert Fraction(99, 100) * made.epsilon < cost <= made.epsilon


def coarse(exact, most, variance, source):
    """Release only the sign of each noisy number; a noise of normal law."""
    deviation = math.sqrt(float(variance))
    found = []
    for value in np.ravel(exact).tolist():
        below = Fraction((1 + math.erf(-value / deviation / 2**0.5)) / 2)
        found.append((-deviation, deviation)[source.choose([below, 1 - below])])
    return np.array(found).reshape(np.shape(exact))


@pytest.mark.parametrize(
    ("labels", "unit", "rounds"),
    [
        (None, "records", 2),
        pytest.param(None, "users", 1, marks=pytest.mark.more),
        pytest.param(None, "records", 4, marks=pytest.mark.more),
        pytest.param(ABC, "records", 1, marks=pytest.mark.more),
        pytest.param(ABC, "records", 2, marks=pytest.mark.full),
    ],
)
def test_whole_transcripts_on_every_data_set(monkeypatch, labels, unit, rounds):
    monkeypatch.setattr(learner, "noisy", coarse)
    made = linear(CITY, labels, epsilon=4, delta="0.01", rounds=rounds, unit=unit)
    how = {"records_per_user": 2} if unit == "users" else {}
    result = verify(made, points=[(1,), (2,)], n_samples=1, **how)
    assert result.holds
    assert result.tightest_epsilon > 0.3


@pytest.mark.more
def test_a_coarse_round_on_every_data_set():
    """With the releasing noise: one draw of few numbers."""
    made = linear(CITY, epsilon=20, delta="0.05", rounds=1, resolution=1)
    result = verify(made, points=[(1,), (2,)], n_samples=1)
    assert result.holds
    assert 0.01 < result.worst_delta <= 0.05


@pytest.mark.parametrize("unit", ["records", "users"])
@pytest.mark.parametrize("labels", [None, pytest.param(ABC, marks=pytest.mark.more)])
def test_audits_know_the_rounds(unit, labels):
    made = linear(labels=labels, unit=unit, rounds=3)
    found = all_n(made, points=[(1, 2, 2), (0, 3, 6)], sizes=(2,))
    assert found.holds
    assert {"sums", "noise", "rounds"} <= {step.name for step in found.steps}
    rows, y = ROWS[RNG.integers(len(ROWS), size=60)], RNG.integers(0, 2, size=60)
    sample = Sample.of(rows, y, labels=labels and 3)
    if unit == "users":
        sample = TargetSample.of(rows, y, RNG.integers(0, 20, size=60).tolist())
    told = replay(made, sample, pairs=12)
    assert told.holds
    assert len(told.draws) == 3
    assert 0 < max(cost for cost, _ in told.draws) <= told.draws[0][1]


def test_too_large_sums_are_refused():
    made = linear()
    assert made.plan.settings(10**9).rounds == 128
    with pytest.raises(UnsupportedError, match=r"below 2\*\*62"):
        made.plan.settings(2**40)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_draw_of_few_records_or_none_beside_cells_outside(n):
    sample = Sample.of(ROWS[:n], [3] * n, labels=3)
    made = linear(labels=ABC)
    weights = np.ones(made.shape) * 1e-3
    assert not made.records(sample, 1).gradient(weights).any()
    if n:
        assert made.draw(sample, SeededSource(0)).predict(ROWS).max() <= 2
