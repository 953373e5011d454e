"""Sizes of errors and their sums: exact privacy, brute force, and what is released of them."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache, partial
from itertools import combinations, product
from math import floor

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Schema
from littlestone.data.histogram import Groups
from littlestone.data.targets import Count, Quantity, TargetSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation import ErrorSums, QuantityEvaluation
from littlestone.evaluation import quantities as observed
from littlestone.evaluation.quantities import Between
from littlestone.learners.boosting import losses as errors
from littlestone.learners.boosting.losses import error_sums, size_edges
from littlestone.learners.release import Release
from littlestone.report.evaluated import _by_prediction, evaluation_facts
from littlestone.source import SeededSource

EDGE = Schema.from_dict({"age": {"bins": [30]}})
TREE = TreeHypothesis.of(Node(EDGE.literals()[0], 1, 0))
CITY = TreeHypothesis.of(
    Node(Schema.from_dict({"age": {"bins": [30]}, "height": {"bins": [2]}}).literals()[2], 1, 0)
)

#: Sums of counts (six) and of a quantile (three), of one tree.
COUNT = TreeSum((TREE,), (PARTS // 2,), (0,), Count(4))
HIGH = TreeSum((TREE,), (2 * PARTS,), (2 * PARTS,), Quantity(0, 4, 4), F(9, 10))


def model(cells=4, start=2, step=1):
    return TreeSum((TREE,), (step * PARTS,), (start * PARTS,), Quantity(0, cells, cells))


SMALL = model(step=2)  # with two sizes of errors, where they are coarse


def pairs(users, others=False):
    """Return all neighbours of one unit, or two; a user brings one record or two."""
    records = list(product((2, 3), (-1, 0, 4)))
    units = [(one,) for one in records]
    if users:
        units += [(a, b) for a, b in product(records[::3], repeat=2)]
    rests = [(), (units[1],)] if others else [()]
    every = [((a, *rest), (b, *rest)) for a, b in combinations(units, 2) for rest in rests]
    if users:
        every.insert(0, ((units[0], units[1]), (units[-1], units[1])))
    return [*every, (((((3, 2),),), (((2, 4),),)))]  # a unit moves three sums and a half


@cache
def sampled(data, users=False):
    rows = [(row, code, name) for name, unit in enumerate(data) for row, code in unit]
    points, codes, names = zip(*rows, strict=True)
    return TargetSample.of([[p] for p in points], codes, names if users else None)


def sizes(own, users=False):
    return lambda data, source: errors.error_sizes(own, sampled(data, users), F(1), source).counts


#: Rows have one more column, of which a group is one category; others are "missing or other".
BY = Groups.parse("test", Schema.from_dict({"sex": {"categories": ["f"]}}), None)


def sizes_by_group(own):
    """Return the counts by group, of records that are (row, group, code)."""

    def release(data, source):
        rows = [(row, code) for ((row, _, code),) in data]
        group = np.array([of for ((_, of, _),) in data])
        sample = TargetSample(
            np.array([[row] for row, _ in rows]), None, np.arange(len(rows)),
            np.array([code for _, code in rows]), np.ones(len(rows), dtype=np.int64), None,
        )  # fmt: skip
        made = errors.error_sizes(own, sample, F(1), source, (BY, group))
        assert made.groups.total == made.counts
        return made.groups.counts

    return release


def sums(own, reach, users=False):
    return lambda data, source: errors.sums_within(own, sampled(data, users), reach, F(1), source)


def whole(data, source):
    made = error_sums(HIGH, sampled(data), epsilon=F(2), held_out=False, source=source)
    return made.sums, made.sizes, made.reach


def weights_of(sample):
    """The weights of parts of a half, so that laws are small."""
    if sample.user is None:
        return np.where(sample.code < 0, 0, sample.count)
    records = np.bincount(sample.user, sample.count, sample.n).astype(np.int64)
    return np.where(sample.code < 0, 0, 2 // records[sample.user] * sample.count)


@pytest.fixture
def coarse(monkeypatch):
    monkeypatch.setattr(errors, "_LOSS_PARTS", 1)
    monkeypatch.setattr(errors, "_FINEST_SIZE", 1)
    monkeypatch.setattr(errors, "_BETWEEN", 1)
    monkeypatch.setattr(errors, "unit_weight", lambda sample: 1 if sample.user is None else 2)
    monkeypatch.setattr(errors, "weights", weights_of)


@pytest.mark.more
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    ("users", "others", "least"),
    [
        (False, False, 0),
        (True, False, -2),
        pytest.param(True, False, 0, marks=pytest.mark.full),
        pytest.param(True, True, 0, marks=pytest.mark.full),
    ],
)
def test_sizes_of_every_data_set_are_protected(users, others, least):
    """One record, or a user with one or two, of known and of missing targets.

    Of users the last pairs, and all in group full.
    """
    assert [len(size_edges(own)) for own in (SMALL, HIGH, COUNT)] == [2, 2, 1]
    every = pairs(users, others)[least:]
    assert verify_mechanism(sizes(SMALL, users), every, epsilon=1).holds
    assert not verify_mechanism(sizes(SMALL, users), every[-2:], epsilon=F(9, 10)).holds


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    "others",
    [
        pytest.param(False, marks=pytest.mark.more),
        pytest.param(True, marks=pytest.mark.full),
    ],
)
def test_sizes_of_groups_of_every_data_set_are_protected(others):
    """One record, or beside another one: each in one group, of one size or of no target."""
    records = list(product((2,), (0, 1), (-1, 4)))
    rest = ((records[1],),) if others else ()
    every = [(((a,), *rest), ((b,), *rest)) for a, b in combinations(records, 2)]
    assert verify_mechanism(sizes_by_group(COUNT), every, epsilon=1).holds
    assert not verify_mechanism(sizes_by_group(COUNT), every[-1:], epsilon=F(9, 10)).holds


@pytest.mark.more
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    ("own", "number", "users", "least"),
    [
        (HIGH, 3, False, 0),
        (HIGH, 3, True, 0),
        (SMALL, 4, False, 0),
        (SMALL, 4, True, -1),
        pytest.param(SMALL, 4, True, 0, marks=pytest.mark.full),
        (COUNT, 6, False, -1),
        pytest.param(COUNT, 6, False, 0, marks=pytest.mark.full),
    ],
)
def test_sums_of_every_data_set_are_protected(own, number, users, least):
    """Whatever reach the sizes choose; of large laws the last pairs, and all in group full."""
    every = pairs(users)[least:]
    for reach in size_edges(own).tolist():
        seen = sums(own, reach, users)
        assert verify_mechanism(seen, every, epsilon=1).holds
        assert len(seen(every[0][0], SeededSource(0))) == number


@pytest.mark.parametrize("q", [1, 4, 48])
def test_a_unit_moves_all_sums_together_by_no_more(q):
    """Any two units, of all errors and values in steps, or without a target."""
    errors_ = {(k, floor(F(3 * k * (q - k), 2 * q))) for k in range(q + 1)}
    values = {(floor(F(j, 4)), floor(F(j * j, q))) for j in range(-q, q + 1)}
    assert (0, 0) in errors_ & values  # what a unit without a target adds
    moved = sum(
        max(abs(a - c) + abs(b - d) for (a, b), (c, d) in product(terms, repeat=2))
        for terms in (errors_, values)
    )
    assert observed.most_moved("quantity", q) == moved
    assert observed.most_moved("count", q) == moved + 2 * q
    assert F(25, 24) + F(81, 64) <= F(moved + 3, q) <= F(25, 24) + F(81, 64) + F(6, q)


@pytest.mark.full  # minutes; each part for itself is above
@pytest.mark.usefixtures("coarse")
def test_sizes_and_the_sums_that_they_choose_cost_what_is_said():
    far = [((((2, 4),),), (((3, 2),),)), ((((2, 0),),), (((3, -1),),))]
    assert verify_mechanism(whole, far, epsilon=2).holds


def exactly(own, sample, **more):
    """Return an evaluation without noise to speak of."""
    how = {"epsilon": F(10**6), "held_out": True, **more}
    made = error_sums(own, sample, source=SeededSource(0), **how)
    assert ErrorSums.from_dict(made.to_dict()) == made
    return QuantityEvaluation(made)


def drawn(n=300, missing=0.0, seed=1):
    """Return rows and codes, some of which are missing."""
    rng = np.random.default_rng(seed)
    rows, y = rng.integers(2, 4, n), rng.integers(0, 5, n)
    return rows, np.where(rng.random(n) < missing, -1, y)


@pytest.mark.parametrize("missing", [0, 0.6])
def test_deviance_is_that_of_the_definition(missing):
    rows, codes = drawn(missing=missing)
    found = exactly(COUNT, TargetSample.of(rows[:, None], codes))
    y, rate = codes[codes >= 0], COUNT.predict(rows[codes >= 0, None])

    def mean(rate):
        each = 2 * (np.where(y > 0, y * np.log(np.maximum(y, 1) / rate), 0) - y + rate)
        return np.minimum(each, float(found.sums.far)).mean()

    assert found.deviance.value == pytest.approx(mean(rate), rel=2e-3)
    explained = 1 - mean(rate) / mean(1.0)
    assert found.deviance_explained.value == pytest.approx(explained, abs=2e-3)
    assert list(found.bands)[4:] == ["mae", "rmse", "r2", "deviance", "deviance_explained"]
    with pytest.raises(UnsupportedError, match="of a count reports mae"):
        _ = found.pinball


@pytest.mark.parametrize("missing", [0, 0.6])
def test_pinball_loss_and_coverage_are_those_of_the_definition(missing):
    rows, codes = drawn(missing=missing)
    found = exactly(HIGH, TargetSample.of(rows[:, None], codes))
    y, high = codes[codes >= 0], HIGH.predict(rows[codes >= 0, None])

    def mean(high):
        return np.maximum(0.9 * (y - high), 0.1 * (high - y)).mean()

    assert found.pinball.value == pytest.approx(mean(high), rel=2e-3)
    assert found.pinball_explained.value == pytest.approx(1 - mean(high) / mean(2), abs=2e-3)
    assert found.coverage.value == pytest.approx((y <= high).mean(), abs=1e-3)


@pytest.mark.parametrize("missing", [0, 0.1, 0.6])
def test_figures_are_those_of_the_units_with_a_target(missing):
    rows, codes = drawn(2000, missing)
    own = model(step=1)
    found = exactly(own, TargetSample.of(rows[:, None], codes))
    y, error = codes[codes >= 0], np.abs(codes - own.predict(rows[:, None]))[codes >= 0]
    assert found.sums.reach == F(3)  # every error counts
    assert found.with_target.value == pytest.approx(len(y), abs=1)
    assert found.mae.value == pytest.approx(error.mean(), rel=1e-3)
    assert found.rmse.value == pytest.approx(np.sqrt((error**2).mean()), rel=1e-3)
    assert found.r2.value == pytest.approx(1 - (error**2).mean() / y.var(), abs=2e-3)
    assert found.beyond.value == 0
    for q, band in ((0.5, found.median), (0.9, found.ninth_decile)):
        assert band.low <= np.quantile(error, q, method="inverted_cdf") <= band.high


def test_what_is_not_seen_is_between_two_ends():
    """A record in a thousand is off by a hundred times as much, which the noise hides."""
    wide = TreeSum((TREE,), (4 * PARTS,), (500 * PARTS,), Quantity(0, 1000, 1000))
    rows = np.full((4000, 1), 2)
    codes = np.where(np.arange(4000) % 1000, 496 + np.arange(4000) % 9 - 4, 980)
    made = error_sums(wide, TargetSample.of(rows, codes), epsilon=F(1, 2), held_out=True,
                      source=SeededSource(0))  # fmt: skip
    found, error = QuantityEvaluation(made), np.abs(codes - 496)
    assert made.reach < 100
    for band, truth in ((found.mae, error.mean()), (found.rmse, np.sqrt((error**2.0).mean()))):
        assert isinstance(band, Between)
        assert band.low < truth < band.high
    assert found.median.low <= np.median(error) <= found.median.high
    assert found.median.high < 10
    assert found.bands["mae"].to_dict().keys() == {"low", "high", "covers", "beta"}


def test_users_add_the_mean_of_their_records():
    sample = TargetSample.of([[2]] * 5, [0, 4, 4, 2, -1], ["a", "a", "a", "b", "b"])
    found = exactly(model(step=4), sample, epsilon=F(10**9))
    predicted = model(step=4).predict(np.array([[2]]))[0]
    weights_, errors_ = [1 / 3] * 3 + [1 / 2], [abs(y - predicted) for y in (0, 4, 4, 2)]
    assert found.with_target.value == pytest.approx(3 / 2, abs=1e-3)
    assert found.mae.value == pytest.approx(np.average(errors_, weights=weights_), rel=1e-3)


def test_bands_say_what_they_cover():
    sample = TargetSample.of(*(part[:, None] if i == 0 else part for i, part in enumerate(drawn())))
    assert exactly(SMALL, sample).mae.covers == "new records"
    assert exactly(SMALL, sample, held_out=False).mae.covers == "own records"
    assert exactly(SMALL, sample).mae.half_width > 0.05  # sampling, where there is no noise


def test_edges_of_machine_integers():
    """The widest target and reach, and as many records as a count can say."""
    widest = TreeSum((TREE,), (30_000 * PARTS,), (0,), Quantity(0, 1, 30_000))
    assert size_edges(widest)[-1] == 30_000 * PARTS
    sample = TargetSample.of([[2], [3]], [30_000, 0])
    found = error_sums(widest, sample, epsilon=F(10**9), held_out=False, source=SeededSource(0))
    assert found.sums[1] <= 2 * found.resolution
    for own, n in product((widest, HIGH), (2**51, 2**53 - 1)):  # q n = 2**63
        moved = []
        for other in ([[2], [2]], [0, 0]), ([[2], [3]], [0, own.target.size - 1]):
            sample = TargetSample.of(*other)
            sample.count[0] += n - sample.n
            moved.append(errors.sums_within(own, sample, int(size_edges(own)[-1]), F(10**9),
                                            SeededSource(0)))  # fmt: skip
        steps = [abs(a - b) for a, b in zip(*moved, strict=True)]
        assert 0 < max(steps) <= errors._LOSS_PARTS
        assert max(moved[0]) > 2**60
    counts = TreeSum((TREE,), (PARTS,), (0,), Count(30_000))
    assert errors.center_of(counts) == PARTS
    assert [errors.cell_reach(counts, F(size)) for size in (1, 4_000, 10**9)] == [1820, 5461, 8192]


@pytest.mark.first(1)
@pytest.mark.parametrize("loss", ["huber", "poisson"])
@pytest.mark.parametrize("how", [{"evaluate": "1/2"}, {"evaluate": 2, "holdout": "1/4"}])
def test_from_records_to_the_page(loss, how):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 60, (4000, 1))
    y = rng.poisson(np.where(rows[:, 0] >= 30, 9, 2))
    made = ls.BoostedTreesRegressor(
        EDGE, epsilon=2, delta=1e-6, high=30, loss=loss, random_state=1, rounds=20, **how
    ).fit(rows, y)
    release, found = made.release_, made.evaluation_
    assert release.guarantee.epsilon == 2
    assert "error-sums" in release.guarantee.claim
    assert found.sums.n == (1000 if "holdout" in how else 4000)
    assert found.mae.low <= np.abs(y - made.predict(rows)).mean() <= found.mae.high
    assert abs(found.r2.value - made.score(rows, y)) <= 1.5 * found.r2.half_width
    assert found.with_target.low <= found.sums.n <= found.with_target.high
    assert Release.from_dict(release.to_dict()).to_dict() == release.to_dict()
    names = [name for name, _ in evaluation_facts(release)]
    assert {"Records with a numeric target", "Median absolute error", "Mean absolute error"} <= set(
        names
    )
    assert found.mae.covers == ("new records" if "holdout" in how else "own records")


def test_changed_files_are_refused():
    edges = (F(1), F(2), F(4))
    sums = ErrorSums((1, 2, 3, 4), (5, 99, 0, -1), edges, 5, F(1), 100, 1, F(1), F(2), F(4))
    assert ErrorSums.from_dict(sums.to_dict()) == sums
    changes = [("sums", [1, 2, 3]), ("sums", [1, 2, 3, -4]), ("n", 0), ("reach", "4"),
               ("epsilon", "x"), ("held_out", 1), ("more", 1), ("edges", ["1", "1", "4"]),
               ("edges", ["2", "4"]), ("sizes", [1, 2]), ("far", "0"), ("parts", 0)]  # fmt: skip
    for name, value in changes:
        with pytest.raises(ParameterError, match="evaluation of quantities"):
            ErrorSums.from_dict({**sums.to_dict(), name: value})


# --- what was observed where which number was predicted -------------------------------------------


def counted(users):
    """Return the counts of few cells: errors up to 0, or not."""

    def observed(data, source):
        rows = [(row, code, name) for name, unit in enumerate(data) for row, code in unit]
        points, codes, names = zip(*rows, strict=True)
        sample = TargetSample.of([[p] for p in points], codes, names if users else None)
        return errors.error_cells(model(), sample, 64, F(1), source).counts

    return observed


@pytest.fixture
def four(monkeypatch, coarse):
    """Four cells: predictions below the start or not, errors up to 0 or not."""
    monkeypatch.setattr(errors, "_PREDICTIONS", ())
    monkeypatch.setattr(errors, "_ERRORS", ())


@pytest.fixture
def two(monkeypatch, four):
    """One bin of predictions."""
    monkeypatch.setattr(errors, "prediction_edges", lambda model: np.empty(0, dtype=np.int64))


@pytest.mark.usefixtures("two")
def test_counts_of_records_are_protected():
    every = [pair for pair in pairs(users=False) if -1 not in {c for u in pair for ((_, c),) in u}]
    assert verify_mechanism(counted(users=False), every, epsilon=1).holds
    assert not verify_mechanism(counted(users=False), every[:4], epsilon=F(9, 10)).holds


@pytest.mark.usefixtures("two")
def test_counts_of_users_are_protected():
    one, other = ((2, 0), (2, 0)), ((3, 4), (2, 4))  # each in one cell, with all records
    assert verify_mechanism(counted(users=True), [((one,), (other,))], epsilon=1).holds


@pytest.mark.more
@pytest.mark.usefixtures("four")
def test_every_cell_is_protected():
    far = ((((2, 0),),), (((3, 4),),))
    assert verify_mechanism(counted(users=False), [far], epsilon=1).holds


@pytest.mark.parametrize("n", [1, 7, 2_000])
@pytest.mark.parametrize("epsilon", [F(1, 100), F(99, 100), F(1), F(4, 3), F(30)])
def test_sums_and_counts_together_cost_what_is_said(epsilon, n, monkeypatch):
    """Each part is enumerated by itself; here: each is called once, and their epsilons add up."""
    spent = []

    def spied(part, place, *arguments):
        spent.append(arguments[place])
        return part(*arguments)

    for name, place in [("error_sizes", 2), ("sums_within", 3), ("error_cells", 3)]:
        monkeypatch.setattr(errors, name, partial(spied, getattr(errors, name), place))
    sample = TargetSample.of([[2]] * n, [0] * n)
    errors.error_sums(HIGH, sample, epsilon=epsilon, held_out=False, source=SeededSource(0))
    assert len(spent) == (3 if n * epsilon >= 2_000 else 2)
    assert sum(spent) == epsilon
    assert min(spent) > 0


def test_a_quarter_of_epsilon_is_for_counts_where_they_are_of_use():
    sample = TargetSample.of([[2], [3]] * 1000, [0, 4] * 1000)
    few, many = (
        error_sums(model(), sample, epsilon=epsilon, held_out=False, source=SeededSource(0))
        for epsilon in (F(99, 100), F(1))
    )
    assert few.cells is None
    assert QuantityEvaluation(few).predicted_observed == ()
    moved = F(9451)  # 25/24 and 81/64 of 4096, and less than 3 steps by rounding
    assert (few.rate, many.rate) == (F(99, 100) * F(3, 5) / moved, F(9, 20) / moved)
    assert (few.size_rate, many.size_rate) == (F(99, 500), F(3, 20))
    text = _by_prediction(QuantityEvaluation(few), "records")[1]
    assert text == "not reported: at epsilon 0.99, it needs 2,021 records"
    with pytest.raises(ParameterError, match="evaluation of quantities"):
        ErrorSums.from_dict({**many.to_dict(), "cells": None})
    changes = {"edges": [1, 0], "errors": [0.0], "limits": [0, "x"], "counts": [[1]], "parts": 0}
    for name, value in changes.items():
        cells = {**many.to_dict()["cells"], name: value}
        with pytest.raises(ParameterError, match="evaluation of quantities"):
            ErrorSums.from_dict({**many.to_dict(), "cells": cells})


PRICE = TreeSum((TREE, CITY), (8 * PARTS, 3 * PARTS), (20 * PARTS,), Quantity(0, 100, 100))
VISITS = TreeSum((TREE, CITY), (PARTS // 2, PARTS // 4), (PARTS,), Count(40))
TENTH = TreeSum(PRICE.trees, PRICE.steps, PRICE.start, PRICE.target, F(1, 10))


@pytest.mark.parametrize("own", [PRICE, VISITS, TENTH], ids=["price", "visits", "tenth"])
@pytest.mark.parametrize("users", [False, True])
def test_what_was_observed_is_near_what_records_say(own, users):
    """By hand: records by their own prediction; a mean errs by at most the widths of cells."""
    rng = np.random.default_rng(3)
    rows = rng.integers(2, 4, (3000, 2))
    predicted = own.predict(rows)
    y = rng.poisson(predicted * 1.2).clip(0, 40)
    who = np.arange(3000) // (2 if users else 1)
    sample = TargetSample.of(rows, y, who if users else None)
    made = error_sums(own, sample, epsilon=F(10**7), held_out=True, source=SeededSource(0))
    assert ErrorSums.from_dict(made.to_dict()) == made
    edges, errors_ = np.array(made.cells.edges), np.array(made.cells.errors)
    exact = np.zeros((len(edges) + 1, len(errors_) + 1))
    for f, e in zip(predicted, y - predicted, strict=True):
        exact[(edges <= f + 1e-9).sum(), (errors_ < e - 1e-9).sum()] += 1 / (2 if users else 1)
    assert np.abs(np.array(made.cells.counts) / made.cells.parts - exact).max() < 1e-2

    found = QuantityEvaluation(made).predicted_observed
    assert len(found) >= 2
    assert sum(one.units for one in found) == pytest.approx(1500 if users else 3000, abs=0.1)
    for one in found:
        low = -np.inf if one is found[0] else one.low - 1e-9
        here = (low <= predicted) & (predicted < (np.inf if one is found[-1] else one.high - 1e-9))
        missed = (y - predicted)[here]
        assert one.units == pytest.approx(here.sum() / (2 if users else 1), abs=0.1)
        assert one.below.value == pytest.approx((missed <= 0).mean(), abs=1e-3)
        # a record may be anywhere in its cell, and those beyond the last edge are at 3/2 of it
        ends = np.array([2 * errors_[0], *errors_, 2 * errors_[-1]])
        cell = np.searchsorted(errors_, missed)
        off = np.abs((ends[cell] + ends[cell + 1]) / 2 - missed)
        spread = np.ptp(predicted[here]) + abs(one.predicted - predicted[here].mean())
        estimate = one.observed.value - one.predicted
        assert abs(estimate - missed.mean()) <= off.mean() + spread
        for q, value in zip(observed.QUANTILES, one.quantiles, strict=True):
            exact_ = np.quantile(missed, q)
            at = np.searchsorted(errors_, exact_)
            if 0 < at < len(errors_):
                slack = 1e-2 + spread + (own.kind == "count") / 2
                assert ends[at] - slack <= value - one.predicted <= ends[at + 1] + slack


def test_bands_of_means_and_shares_hold_what_is_counted(monkeypatch):
    """At beta .05, by the noise of 100 releases, beside the same bins without noise."""
    rows = np.random.default_rng(1).integers(2, 4, (4000, 2))
    sample = TargetSample.of(rows, np.random.default_rng(2).poisson(PRICE.predict(rows)))
    monkeypatch.setattr(observed, "joined", lambda *given: [(0, 4), (4, 6), (6, 10)])
    source, found = SeededSource(2), []

    def bins(epsilon):
        made = errors.error_cells(PRICE, sample, 16 * PARTS, epsilon, source)
        return made.bins(epsilon, beta=0.05)

    exact = bins(F(10**7))
    for _ in range(100):
        for one, own in zip(bins(F(1)), exact, strict=True):
            moved = one.predicted - own.predicted
            found.append(one.observed.low <= own.observed.value + moved <= one.observed.high)
            found.append(one.below.low <= own.below.value <= one.below.high)
    assert len(found) == 600
    assert np.mean(found) >= 0.93


def test_the_root_of_the_mean_square_is_at_least_the_mean_error():
    """Noise in the sum of squares cannot say less than the sum of errors does."""

    def made(square, values=250):
        return QuantityEvaluation(
            ErrorSums(
                (100, 3 * (100 - square) // 2, 250, values),
                (0, 0, 10, 0),
                (F(1), F(2), F(4)),
                10,
                F(10**9),
                100,
                1,
                F(5),
                F(4),
                F(4),
            )
        )

    found = made(2)
    assert found.rmse.value == pytest.approx(found.mae.value)
    assert found.rmse.low <= found.rmse.value <= found.rmse.high
    assert made(2, 300).r2.value == pytest.approx(made(10, 300).r2.value)


# -- public groups -------------------------------------------------------------------------------

SEXES = {"sex": {"categories": ["f", "m"]}}


@pytest.mark.parametrize("target", [pytest.param("quantity", marks=pytest.mark.more), "count"])
def test_groups_of_numbers_are_those_of_the_table(target):
    """With hardly any noise, medians of a group are between the edges around its own."""
    rng, n = np.random.default_rng(0), 4000
    age, sex = rng.integers(18, 90, n), rng.choice(["f", "m", "x"], n, p=[0.5, 0.45, 0.05])
    y = rng.poisson(np.where(sex == "f", 2, 12))
    table = {"age": age.tolist(), "sex": sex.tolist(), "y": y.tolist()}
    made = ls.fit(
        table, y="y", target=target, high=60, epsilon=90, delta=1e-6, random_state=0, holdout="0.4",
        schema=Schema.from_dict({"age": {"bins": [40, 60]}}), by=Schema.from_dict(SEXES),
    )  # fmt: skip
    release = Release.from_dict(made.release_.to_dict())
    female, male, other = release.groups
    assert (female.name, male.name, other.name) == ("sex is f", "sex is m", "missing or other")
    error = np.abs(y - made.predict(table))
    for name, group in (("f", female), ("m", male)):
        own = error[sex == name]
        assert group.share.low <= (sex == name).mean() <= group.share.high
        assert group.median.low / 1.3 <= np.median(own) <= 1.3 * group.median.high
        assert (
            group.ninth_decile.low / 1.3 <= np.quantile(own, 0.9) <= 1.3 * group.ninth_decile.high
        )
    assert "median absolute error" in ls.page(release)
    assert sum(group.share.value for group in release.groups) == pytest.approx(1, abs=0.01)
    filed = release.evaluation.to_dict()
    filed["groups"]["counts"][0][0][0] += 1
    with pytest.raises(ParameterError, match="evaluation of quantities"):
        ErrorSums.from_dict(filed)


def test_an_evaluation_of_times_is_not_split():
    table = {"t": [1.0, 2.0] * 300, "e": [0, 1] * 300, "sex": ["f", "m"] * 300}
    with pytest.raises(ParameterError, match="of times is not split"):
        ls.fit(
            table, time="t", event="e", high=3, periods=2, epsilon=1,
            schema=Schema.from_dict(SEXES), by="sex",
        )  # fmt: skip


@pytest.mark.more
def test_bands_of_groups_hold():
    """Of units drawn anew, with noise: 95 %, by the upper limit of Clopper and Pearson."""
    rng, source, runs = np.random.default_rng(1), SeededSource(1), 200
    own, grouping = model(cells=200, start=60, step=40), BY.over(EDGE, "test")
    inside, shown = dict.fromkeys(("median", "ninth_decile", "share"), 0), dict.fromkeys(
        ("median", "ninth_decile"), 0
    )  # fmt: skip
    spread = {2: 5.0, 1: 20.0}  # the group, and the others
    many = {of: np.abs(rng.laplace(0, far, 100_000)) for of, far in spread.items()}
    for _ in range(runs):
        of = np.where(rng.random(1500) < 0.3, 2, 1)
        row = rng.integers(2, 4, 1500)
        points = np.stack([row, of], axis=1)
        predicted = own.predict(points[:, :1])
        far = rng.laplace(0, np.where(of == 2, spread[2], spread[1]))
        sample = TargetSample.of(points, np.rint(np.clip(predicted + far, 0, 200)).astype(int))
        made = error_sums(own, sample, epsilon=F(1), held_out=True, source=source, groups=grouping)
        group = QuantityEvaluation(made).groups[0]
        inside["share"] += group.share.low <= 0.3 <= group.share.high
        for name, q in (("median", 0.5), ("ninth_decile", 0.9)):
            band = getattr(group, name)
            if band is not None:
                shown[name] += 1
                truth = float(np.quantile(many[2], q))
                inside[name] += band.low - 0.5 <= truth <= band.high + 0.5
    for name, held in inside.items():
        assert clopper_pearson(held, shown.get(name, runs), 0.999)[1] >= 0.95
    assert min(shown.values()) > runs // 2
