"""Intervals around quantities and counts: exact laws, brute force, coverage, what is released."""

from __future__ import annotations

import json
from fractions import Fraction as F
from itertools import combinations, permutations, product
from math import factorial

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.classes import ScorecardClass, TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Schema
from littlestone.data.targets import Count, Quantity, TargetSample
from littlestone.errors import InfeasibleError, ParameterError, UnsupportedError
from littlestone.learners import running
from littlestone.learners.boosting import Values
from littlestone.learners.boosting import values as intervals
from littlestone.learners.boosting.values import bounds_of, planned, with_width
from littlestone.learners.check_record import check_record
from littlestone.learners.release import Release
from littlestone.learners.running import promise, run
from littlestone.mechanisms import Conformal
from littlestone.report.evaluated import evaluation_facts
from littlestone.source import SecureSource, SeededSource

EDGE = Schema.from_dict({"age": {"bins": [30]}})
TREE = TreeHypothesis.of(Node(EDGE.literals()[0], 1, 0))


def model(cells=2, start=1):
    return TreeSum((TREE,), (PARTS // 2,), (start * PARTS,), Quantity(0, cells, cells))


@pytest.fixture
def coarse(monkeypatch):
    """Bounds at 128, 512 and so on, so that laws are small."""
    monkeypatch.setattr(intervals, "_DOUBLING", 0.5)


# --- exact laws -----------------------------------------------------------------------------------


def neighbours(users):
    """Return all pairs of data sets of two units; a user brings one record or two."""
    records = list(product((2, 3), (-1, 0, 2)))
    units = [(one,) for one in records]
    if users:
        units += combinations(records, 2)
    return [((a, rest), (b, rest)) for a, b in combinations(units, 2) for rest in units[::3]]


def sample_of(data, *, users):
    rows = [(row, code, name) for name, unit in enumerate(data) for row, code in unit]
    points, codes, names = zip(*rows, strict=True)
    return TargetSample.of([[p] for p in points], codes, names if users else None)


def width_of(users):
    plan = Conformal(2, len(bounds_of(Quantity(0, 2, 2))), F(1, 2), F(1))

    def observed(data, source):
        return with_width(model(), sample_of(data, users=users), plan, source).width

    return observed


@pytest.mark.usefixtures("coarse")
def test_every_data_set_is_protected():
    pairs = neighbours(users=False)
    assert verify_mechanism(width_of(users=False), pairs, epsilon=1).holds
    assert not verify_mechanism(width_of(users=False), pairs, epsilon=F(1, 3)).holds


@pytest.mark.more
@pytest.mark.usefixtures("coarse")
def test_all_records_of_a_user_are_protected(monkeypatch):
    some, half = neighbours(users=True)[::97], F(1, 2)  # these are too few units to show all of 1
    assert verify_mechanism(width_of(users=True), some, epsilon=half).holds
    # with all scores of each user the width shows twice as much
    monkeypatch.setattr(TargetSample, "one_of_each", lambda self, source: self)
    monkeypatch.setattr(Conformal, "draw", _of_any_number)
    assert not verify_mechanism(width_of(users=True), some, epsilon=half).holds


@pytest.mark.more
@pytest.mark.usefixtures("coarse")
def test_every_data_set_of_users_is_protected():
    assert verify_mechanism(width_of(users=True), neighbours(users=True), epsilon=1).holds


def _of_any_number(self, counts, source, draw=Conformal.draw):
    return draw(Conformal(int(counts.sum()), self.cells, self.alpha, self.epsilon), counts, source)


def split_by_draw(self, source, first):
    """Split as the program does, by a permutation that is enumerated."""
    orders = list(permutations(range(self.n)))
    order = np.array(orders[source.below(factorial(self.n))])
    if self.user is not None:
        return self._of_users(order[:first]), self._of_users(order[first:])
    group = np.repeat(np.arange(len(self.count)), self.count)[order]
    return self._part(group[:first]), self._part(group[first:])


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    "users",
    [pytest.param(False, marks=pytest.mark.more), pytest.param(True, marks=pytest.mark.full)],
)
def test_start_rounds_and_width_together(users, monkeypatch):
    """The whole release: one unit is learned from, and one is held out, as a permutation says."""
    unit = "users" if users else "records"
    monkeypatch.setattr(TargetSample, "split", split_by_draw)
    few = Conformal(1, len(bounds_of(Quantity(0, 1, 1))), F(1, 2), F(1), unit)
    monkeypatch.setattr(running, "planned", lambda *given, **more: few)
    concepts = ScorecardClass(EDGE, 1, target=Quantity(0, 1, 1))
    learner = Values(concepts, epsilon=1, loss="absolute", unit=unit, resolution=4)

    def observed(data, source):
        made = run(learner, sample_of(data, users=users), source, holdout=F(1, 2), interval=F(1, 2))
        found = made.hypothesis
        return found.trees, found.steps, found.start, found.width

    pairs = [pair for pair in neighbours(users) if all(row[1] < 2 for row in sum(pair[0], ()))]
    pairs = [pair for pair in pairs if all(row[1] < 2 for row in sum(pair[1], ()))]
    assert verify_mechanism(observed, pairs, epsilon=1).holds


# --- what is drawn is what the definition says ----------------------------------------------------


def test_units_without_a_target_do_not_make_intervals_wider():
    """Of 6,000 units 60 % have no target: at epsilon 50 the width is that of the others alone."""
    own, rng = model(cells=400, start=200), np.random.default_rng(0)
    rows = rng.integers(2, 4, (6000, 1))
    codes = np.clip(200 + rng.normal(0, 40, 6000).round().astype(int), 0, 400)
    widths = {}
    for name, missing in (("all", 0.0), ("some", 0.6)):
        hidden = np.where(rng.random(6000) < missing, -1, codes)
        plan = Conformal(6000, len(bounds_of(own.target)), F(1, 10), F(50))
        made = with_width(own, TargetSample.of(rows, hidden), plan, SeededSource(0))
        error = np.abs(codes - own.in_parts(rows) / PARTS)[hidden >= 0]
        widths[name] = made.width / PARTS
        assert 0.88 <= (error <= widths[name]).mean() <= 0.93
    assert widths["some"] == pytest.approx(widths["all"], rel=0.1)


def test_scores_are_those_of_the_definition():
    target, rng = Quantity(0, 50, 50), np.random.default_rng(0)
    rows, codes = rng.integers(2, 4, (200, 1)), rng.integers(-1, 51, 200)
    found, sample = model(50, 25), TargetSample.of(rows, codes)
    bounds = bounds_of(target)
    assert (np.diff(bounds) > 0).all()
    assert bounds[-1] == 50 * PARTS  # the largest possible error is covered
    at = intervals.scores(found, sample.points, sample.point, sample.code)
    for group, place in enumerate(at):
        row = sample.points[sample.point[group]]
        code = sample.code[group]
        error = abs(code - found.predict(row[None])[0]) * PARTS if code >= 0 else 50 * PARTS
        assert error <= bounds[place]
        assert place == 0 or error > bounds[place - 1]


def test_the_largest_error_is_covered():
    """Every record is as far off as possible: the width is the range, not a cell less."""
    sample = TargetSample.of([[2]] * 400, [50] * 400)
    plan = planned(Quantity(0, 50, 50), "0.9", m=400, epsilon=F(8), unit="records")
    far = TreeSum((), (), (0,), Quantity(0, 50, 50))
    drawn = with_width(far, sample, plan, SeededSource(0))
    assert drawn.interval(np.array([[2]])).tolist() == [[0.0, 50.0]]


def test_a_value_between_the_cells_is_within_the_interval():
    price = Quantity(0, 10, 5)
    exact = TreeSum((), (), (2 * PARTS,), price, None, PARTS // 2)  # all errors are 0
    low, high = exact.interval(np.array([[2]]))[0]
    inside = np.linspace(3.001, 4.999, 50)
    assert set(price.codes(inside).tolist()) == {2}
    assert ((low <= inside) & (inside <= high)).all()


def test_one_record_of_each_user_is_drawn_with_equal_chances():
    users = ["a"] * 4 + ["b"]
    sample = TargetSample.of([[2]] * 5, [0, 0, 0, 1, 7], users)
    source = SeededSource(0)
    drawn = [sample.one_of_each(source) for _ in range(2000)]
    assert {one.n for one in drawn} == {2}
    share = np.mean([0 in one.code for one in drawn])
    assert stats.binomtest(int(share * 2000), 2000, 0.75).pvalue > 1e-4
    assert all(7 in one.code for one in drawn)


def test_users_are_held_out_with_all_their_records():
    users = [f"u{i // 3}" for i in range(30)]
    codes = [i // 3 for i in range(30)]
    sample = TargetSample.of([[2 + i % 2] for i in range(30)], codes, users)
    out, rest = sample.split(SeededSource(1), 4)
    assert (out.n, rest.n) == (4, 6)
    assert not set(out.code) & set(rest.code)
    assert set(out.code) | set(rest.code) == set(range(10))
    assert out.count.sum() + rest.count.sum() == 30
    assert sorted(set(out.user)) == list(range(4))


# --- coverage -------------------------------------------------------------------------------------

DISTRIBUTIONS = {
    "heavy": lambda rng, n: 500 + 5 * rng.standard_t(1.5, n),
    "atoms": lambda rng, n: rng.choice([500, 500, 503, 520], n),
    "normal": lambda rng, n: rng.normal(500, 30, n),
}
_PRICE = Quantity(0, 1000)


def coverage(name, releases, m=1000):
    """Return the mean coverage of new values, its error, and mean width over that of the ideal."""
    rng, source = np.random.default_rng(7), SeededSource(7)
    constant = TreeSum((), (), (5000 * PARTS,), _PRICE)
    plan = planned(_PRICE, "0.9", m=m, epsilon=F(1), unit="records")
    fresh = DISTRIBUTIONS[name](rng, 200_000).clip(0, 1000)
    errors = np.sort(np.abs(fresh - 500))
    covered, widths = [], []
    for _ in range(releases):
        codes = _PRICE.codes(DISTRIBUTIONS[name](rng, m))
        made = with_width(constant, TargetSample.of([[2]] * m, codes), plan, source)
        width = made.width * float(_PRICE.width) / PARTS
        covered.append(np.searchsorted(errors, width, side="right") / len(errors))
        widths.append(width)
    ideal = errors[int(0.9 * len(errors))]
    return np.mean(covered), np.std(covered) / np.sqrt(releases), np.mean(widths) / ideal


@pytest.mark.parametrize(
    "releases", [20, pytest.param(1500, marks=pytest.mark.more)], ids=["few", "1500"]
)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_coverage_is_at_least_nominal_and_widths_near_ideal(name, releases):
    mean, error, ratio = coverage(name, releases)
    assert mean >= 0.9 - 3 * error
    assert ratio <= 1.2


# --- what is released -----------------------------------------------------------------------------

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Ulm"]}})
N = 2000
TABLE = {
    "age": [(7 * i) % 90 for i in range(N)],
    "city": [("Bonn", "Ulm", None)[i % 3] for i in range(N)],
    "cost": [20.0 + (7 * i) % 90 + i % 11 for i in range(N)],
    "visits": [(i * i) % 7 for i in range(N)],
    "who": [i // 2 for i in range(N)],
}


def regressor(**given):
    given = {"epsilon": 2, "rounds": 8, "high": 300, "interval": 0.9} | given
    return ls.BoostedTreesRegressor(SCHEMA, **given)


@pytest.mark.parametrize("user", [None, "who"])
def test_a_release_says_what_it_covers_and_its_record_agrees(user):
    made = regressor(evaluate="1/2").fit(TABLE, "cost", user=user).release_
    units = N if user is None else N // 2
    assert (made.n, made.interval.m, made.evaluation.n) == (units, units // 5, units // 5)
    assert made.guarantee.claim.endswith(", dp.sum(error-sums, exp-mech.privacy))")
    assert made.guarantee.epsilon == 2
    assert (made.spent["evaluation"], made.spent["interval"]) == ("epsilon 1/2", "epsilon 3/2")
    again = Release.from_dict(json.loads(made.to_json()))
    assert again.to_dict() == made.to_dict()
    shown = dict(evaluation_facts(made))["Prediction interval"]
    assert f"{made.interval.m} held-out {'users' if user else 'records'}" in shown
    record = made.record()
    assert check_record(record) == []
    claims = {claim["id"] for claim in record["claims"]}
    assert {"conformal.marginal", "conformal.training", "exp-mech.privacy"} <= claims


def test_a_changed_interval_is_noticed():
    record = regressor(evaluate="1/2").fit(TABLE, "cost").release_.record()
    for part, change, field in [
        ("interval", {"epsilon": "2"}, "release.interval.epsilon"),
        ("interval", {"m": 399}, "release.interval.m"),
        ("interval", {"alpha": "1/20"}, "release.interval.certificate"),
        ("interval", {"cells": 2.5}, "release"),
        ("spent", {"interval": "epsilon 1"}, "release.spent.interval"),
        ("hypothesis", {"width": None}, "release"),
        ("hypothesis", {"width": -1}, "release"),
    ]:
        changed = json.loads(json.dumps(record))
        changed["release"][part] |= change
        assert any(found.field.startswith(field) for found in check_record(changed))


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["quantity", "count"])
def test_exports_say_the_same_ends_of_all_rows(kind):
    y = "cost" if kind == "quantity" else "visits"
    made = regressor(loss="huber" if kind == "quantity" else "poisson").fit(TABLE, y).release_
    cells = {name: TABLE[name] for name in SCHEMA.names}
    points = np.array(list(zip(*cells.values(), strict=True)), dtype=object)
    rows = made.concept_class.domain.array(points, caller="test")
    expected = made.hypothesis.interval(rows)
    middle = made.hypothesis.predict(rows)
    assert ((expected[:, 0] <= middle) & (middle <= expected[:, 1])).all()
    module = {}
    exec(made.export("python"), module)  # generated, of public things
    records = [dict(zip(cells, row, strict=True)) for row in points]
    assert [module["interval"](record) for record in records] == [*map(tuple, expected.tolist())]

    query = made.export("sql", table="frame")
    found = duckdb.query_df(
        pd.DataFrame(cells), "frame", f"SELECT low, high FROM ({query})"
    ).fetchnumpy()
    ends = np.column_stack([found["low"], found["high"]])
    assert np.sort(ends, axis=0) == pytest.approx(np.sort(expected, axis=0), rel=1e-12, abs=1e-9)
    assert json.loads(made.export("json"))["hypothesis"]["width"] == made.hypothesis.width


class Untouched(SecureSource):
    """A source that may not be drawn from."""

    def _bits(self, k):
        raise AssertionError("drawn")


def test_too_few_are_refused_with_the_number_that_is_needed_and_nothing_is_drawn():
    learner = Values(ScorecardClass(SCHEMA, 2, target=Count(9)), epsilon=1)
    sample = TargetSample.of([[2, 2]] * 500, [1] * 500)
    needed = Conformal.least(cells=len(bounds_of(Count(9))), alpha="1/10", epsilon=1)
    with pytest.raises(
        InfeasibleError, match=f"need {needed} held-out records, not 100"
    ) as refused:
        run(learner, sample, Untouched(), holdout="1/5", interval="0.9")
    assert refused.value.n_needed == needed


def test_what_is_refused():
    learner = Values(ScorecardClass(SCHEMA, 2, target=Count(9)), epsilon=1)
    assert promise(learner, holdout="1/5", interval="0.9").claim == (
        "dp.parallel(boosting.round, exp-mech.privacy)"
    )
    assert promise(learner, interval="0.9") == promise(learner, holdout="1/5", interval="0.9")
    with pytest.raises(ParameterError, match="smaller than epsilon"):
        promise(learner, interval="0.9", holdout="1/5", evaluate=1)
    with pytest.raises(ParameterError, match=r"in \(0, 1\)"):
        regressor(interval=90).fit(TABLE, "cost")
    with pytest.raises(UnsupportedError, match="has no intervals"):
        regressor(interval=None).fit(TABLE, "cost").predict_interval(TABLE)


def test_fit_of_a_table_takes_an_interval():
    with pytest.raises(InfeasibleError, match="held-out"):
        ls.fit({name: cells[:200] for name, cells in TABLE.items()}, y="cost", target="quantity",
               high=300, epsilon=1, interval=0.9, random_state=0)  # fmt: skip
    made = ls.fit(TABLE, y="cost", target="quantity", high=300, epsilon=2, interval=0.9,
                  schema=SCHEMA, random_state=0)  # fmt: skip
    assert made.predict_interval(TABLE).shape == (N, 2)
    assert made.evaluation_.sums.epsilon == F(1, 2)
