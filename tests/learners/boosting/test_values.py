"""Boosting of quantities, counts and times: exact laws, units, starts, what is released.

A round is compared with the definition, written here with fractions; its range over all units of
at most two records is enumerated. Broken variants show what they should.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.audit import all_n
from littlestone.audit.verify import TargetCases
from littlestone.classes import BoostedTreeClass, TreeEnsemble, TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import RowDomain, Schema
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.evaluation import histogram, quantities
from littlestone.evaluation import quantities as survival
from littlestone.evaluation.quantities import survival_histogram
from littlestone.learners import running
from littlestone.learners.boosting import Boosting, Values, values
from littlestone.learners.boosting import losses as errors
from littlestone.learners.boosting import losses as starts
from littlestone.learners.boosting import losses as units
from littlestone.learners.boosting.losses import (
    Gamma,
    Hazards,
    Huber,
    Logistic,
    Poisson,
    Quantile,
    UnitRecords,
    size_edges,
    sums_within,
)
from littlestone.learners.release import Release
from littlestone.privacy import Pure
from littlestone.source import ExactSource, SeededSource
from littlestone.testing import check_learner

EDGE = Schema.from_dict({"age": {"bins": [30]}})
ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})
HALF = F(1, 2)


# --- costs are those of the definition ------------------------------------------------------------


def gradient(loss, score, y, place):
    """Return the gradient over its bound, exactly where the definition is rational."""
    if isinstance(loss, Huber):
        return F(y * PARTS - min(max(score, 0), (loss.size - 1) * PARTS), loss.cap)
    if isinstance(loss, Quantile):
        q, step = loss.quantile, loss.steps[place]
        error = F(y * PARTS - min(max(score, 0), (loss.size - 1) * PARTS), step)
        return (q - HALF + min(max(error, -1), 1) / 2) / max(q, 1 - q)
    odds = score / PARTS
    if isinstance(loss, Gamma):
        rate = min(math.exp(max(odds, -10)), loss.size - 1)
        return F(min(y / rate - 1, 2) / 2)
    if isinstance(loss, Poisson):
        rate = min(math.exp(max(odds, -10)), loss.size - 1)
        return F((y - rate) * 2**16 / loss.cap)
    return F((y - 1 / (1 + math.exp(-min(max(odds, -10), 10)))) / 0.5)


LOSSES = [
    Huber((700, 300), 5, 8, cap=1500),
    Quantile((700, 300), 5, 8, quantile=F(9, 10)),
    Quantile((2000, 300), 5, 8, quantile=HALF),
    Gamma((700, 300), 5, 8),
    Poisson((700, 300), 5, 8, cap=1 << 16, most=4),
    Hazards((700, 300), 2, 8),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize("place", [0, 1])
def test_costs_are_those_of_the_definition(loss, place):
    scores = np.arange(-12 * PARTS, 12 * PARTS, 331)
    for y in range(loss.size):
        found = loss.costs(scores, np.full(len(scores), y), place)
        assert found.min() >= 0
        assert (found.min(axis=0) == 0).all()
        for score, (lower, raise_) in zip(scores.tolist(), found.T.tolist(), strict=True):
            exact = gradient(loss, score, y, place)
            weight = min(loss.resolution, loss.resolution * abs(exact))
            assert abs((lower or raise_) - math.floor(weight)) <= (not isinstance(exact, F)) or (
                abs((lower or raise_) - weight) < 1
            )
            assert not (lower and exact < 0)
            assert not (raise_ and exact > 0)
        assert (loss.costs(scores, np.full(len(scores), -1), place) == 0).all()


# --- one round, all units of at most two records ------------------------------------------------


def stumps():
    """Return all trees of depth 1 over three codes: below an edge, from it on, missing."""
    at, below = EDGE.literals()
    return [
        TreeHypothesis.of(Node(split, yes, no))
        for split in (at, below)
        for yes, no in product((0, 1), repeat=2)
    ]


def range_of_a_round(loss, codes, start, *, clip=True):
    """Return the largest range of log-likelihood ratios of one round, in shares of its epsilon.

    For all pairs of units of at most two records: rows of three codes, targets of ``codes``.
    """
    records = list(product([(0,), (2,), (3,)], codes))
    held = [u for size in range(3) for u in combinations_with_replacement(records, size)]
    samples = [TargetCases([], users=True).sample([unit]) for unit in held]
    if not clip:
        cases = TargetCases([], users=False)
        samples = [cases.sample([(each,) for each in unit]) for unit in held]
    return range_over(samples, loss, start)


def range_over(samples, loss, start):
    """Return the largest range for all pairs of samples, in shares of the epsilon of the round."""
    costs = []
    for sample in samples:
        points = np.tile(np.array(start).reshape(-1, 1), len(sample.points))
        points = points if isinstance(loss, Logistic) else points[0]
        rows = UnitRecords(sample, start, loss, points).rows(splits(), 1, 0)
        costs.append([of_tree(rows, tree) for tree in stumps()])
    found = np.array(costs)
    moved = found[:, None] - found[None]
    return F(int((moved.max(axis=2) - moved.min(axis=2)).max()), 2 * loss.resolution)


def splits():
    from littlestone.classes.decision_trees.concept_class import Splits

    return Splits(EDGE)


def of_tree(rows, tree):
    """Return what the answers of a tree cost."""
    codes, answers, costs, _ = rows.entries
    return int(costs[tree.predict(codes.T) == answers].sum())


ROUNDS = [
    (Huber((1500,), 5, 4, cap=3 * PARTS), range(5), PARTS),
    (Quantile((1500,), 5, 4, quantile=F(9, 10)), range(5), 2 * PARTS),
    (Gamma((1500,), 5, 4), range(5), 0),
    (Poisson((1500,), 5, 4, cap=3 << 16, most=4), range(5), 0),
    (Hazards((1500,), 2, 4), range(2), 0),
    (Logistic(F(1), 4), range(2), (0, 0)),
    (Logistic(F(1), 4), range(3), (0, 1)),
]
NAMES = ["huber", "quantile", "gamma", "poisson", "hazards", "labels", "unlisted labels"]


@pytest.mark.first(3)
@pytest.mark.parametrize(("loss", "codes", "start"), ROUNDS, ids=NAMES)
def test_a_round_has_its_range_for_all_units_of_two_records(loss, codes, start):
    assert range_of_a_round(loss, codes, start) == 1


@pytest.mark.first(2)
@pytest.mark.parametrize(("loss", "codes", "start"), ROUNDS[:6], ids=NAMES[:6])
def test_a_round_without_clipping_is_noticed(loss, codes, start):
    """Two records then bring up to twice W."""
    assert range_of_a_round(loss, codes, start, clip=False) >= F(3, 2)


def loss_of_two_rounds(*, clip):
    """Return the largest log-ratio of two trees: a user of two equal records beside another."""
    loss, start = Huber((500, 500), 5, 4, cap=PARTS), 2 * PARTS
    logs = []
    for row, y in product([(0,), (2,), (3,)], (0, 4)):
        users = TargetCases([], users=clip)
        both = [((row, y),) * 2, (((2,), 4),) * 2]
        sample = users.sample(both if clip else [(record,) for unit in both for record in unit])

        def log_law(records, place):
            rows = records.rows(splits(), 1, place)
            costs = np.array([of_tree(rows, tree) for tree in stumps()]) / (2 * loss.resolution)
            return -costs - np.log(np.exp(-costs).sum())

        def at_start(sample=sample):
            return UnitRecords(sample, start, loss, np.full(len(sample.points), start))

        first, law = log_law(at_start(), 0), []
        for tree, log in zip(stumps(), first, strict=True):
            records = at_start()
            records.add(tree, 0)
            law.append(log + log_law(records, 1))
        logs.append(np.concatenate(law))
    found = np.array(logs)
    return np.abs(found[:, None] - found[None]).max()


def test_two_rounds_without_clipping_lose_more_than_twice_the_budget_of_one():
    """Of a round with epsilon 1 each."""
    assert loss_of_two_rounds(clip=True) < 1.3
    assert loss_of_two_rounds(clip=False) > 2.8


@pytest.mark.parametrize("kind", ["huber", "quantile", "poisson"])
def test_a_second_round_of_single_records_loses_its_budget(kind):
    """All pairs of records, at all positions to which a first tree leads: the rate fits W.

    Noticed: costs of counts that have no cap.
    """
    target = Count(4) if kind == "poisson" else Quantity(0, 4, 4)
    how = {"loss": "quantile", "quantile": F(9, 10)} if kind == "quantile" else {}
    learner = Values(BoostedTreeClass(EDGE, 1, 2, target=target), epsilon=1, resolution=64, **how)
    steps, cap = (2 * PARTS, PARTS), 4 * PARTS
    loss = {
        "huber": Huber(steps, 5, 64, cap=cap),
        "quantile": Quantile(steps, 5, 64, quantile=F(9, 10)),
        "poisson": Poisson((PARTS, PARTS), 5, 64, cap=2 << 16, most=4),
    }[kind]
    start = 0 if kind == "poisson" else 2 * PARTS
    budget, worst = learner.plan.settings(1).round_epsilon, F(0)
    for first in stumps():
        costs = []
        for row, y in product([(0,), (2,), (3,)], range(5)):
            records = UnitRecords(TargetSample.of([row], [y]), start, loss, np.array([start]))
            records.add(first, 0)
            rows, rate = learner.round(records, 1)
            costs.append([of_tree(rows, tree) for tree in stumps()])
        found = np.array(costs)
        moved = found[:, None] - found[None]
        worst = max(worst, rate * int((moved.max(axis=2) - moved.min(axis=2)).max()))
    assert budget / 2 < worst <= budget


# --- whole transcripts, all data sets of tiny domains ---------------------------------------------


@pytest.fixture(autouse=True)
def _coarse_sums(request, monkeypatch):
    """Where laws are enumerated sums are of whole cells, and of few outcomes."""
    if "data_set" in request.node.name or "free" in request.node.name:
        monkeypatch.setattr(starts, "FINE", 1)
        monkeypatch.setattr(values, "FINE", 1)


def tiny(target, rounds=1, **parameters):
    concepts = BoostedTreeClass(ONE, 1, rounds, target=target)
    return Values(concepts, epsilon=1, resolution=8, **parameters)


def loss_of_transcripts(learner, points, codes, n, most=1, evaluate=None):
    """Return the largest loss of the released sums, over all data sets of n units.

    With an evaluation that of both: its sums, or counts, are drawn given the released model.
    """
    records = [(x, y) for x in points for y in codes]
    cases = TargetCases.of(records, learner, most)
    if evaluate is not None:
        learner = learner.minus_evaluation(evaluate)
    laws = {data: law_of(partial(learner.draw, cases.sample(data))) for data in cases.lists(n)}

    known = {}  # by the exact sums

    @cache
    def of_sums(data, model):
        if isinstance(model.target, Periods):
            asked = {"epsilon": evaluate, "held_out": False}
            return law_of(
                lambda source: (
                    survival_histogram(
                        model, ONE, cases.sample(data), **asked, source=source
                    ).counts
                )
            )

        def sums(epsilon, source):
            reach = int(size_edges(model)[-1])  # each is protected, whatever the sizes choose
            return sums_within(model, cases.sample(data), reach, epsilon, source)

        exact = sums(F(10**9), SeededSource(0))
        if exact not in known:
            known[exact] = law_of(partial(sums, evaluate))
        return known[exact]

    worst = 0.0
    for data, law in laws.items():
        for i, new in product(range(n), cases.kinds):
            other = tuple(sorted((*data[:i], new, *data[i + 1 :]), key=cases.kinds.index))
            for model, p in law.items():
                loss = math.log(p / laws[other][model])
                if evaluate is not None:
                    theirs = of_sums(other, model)
                    loss += max(math.log(q / theirs[x]) for x, q in of_sums(data, model).items())
                worst = max(worst, loss)
    return worst


def law_of(run):
    """Return the exact law of what is drawn, as doubles."""
    law = ExactSource().law(run)
    assert law.slack == 0
    return {outcome: float(p.mid()) for outcome, p in law.outcomes.items()}


TINY = {
    "huber": (Quantity(0, 1, 1), {}, range(2)),
    "quantile": (Quantity(0, 1, 1), {"loss": "quantile", "quantile": 0.8}, range(2)),
    "absolute": (Quantity(0, 1, 1), {"loss": "absolute"}, range(2)),
    "gamma": (Quantity(0, 1, 1), {"loss": "gamma"}, range(2)),
    "poisson": (Count(1), {}, range(2)),
}
LARGE = ("huber", "poisson")  # laws of many outcomes


@pytest.mark.more
@pytest.mark.parametrize(
    "name", ["quantile", *(pytest.param(name, marks=pytest.mark.full) for name in LARGE)]
)
@pytest.mark.parametrize("unit", ["records", "users"])
def test_every_data_set_with_its_evaluation(name, unit, monkeypatch):
    """The start, the trees, what is corrected and the noisy sums, together."""
    monkeypatch.setattr(errors, "_LOSS_PARTS", 1)
    monkeypatch.setattr(starts, "WHOLE", 1)  # of a user with one record
    target, parameters, codes = TINY[name]
    learner = tiny(target, unit=unit, **parameters)
    assert 0.4 < loss_of_transcripts(learner, [(1,)], codes, 1, 1, HALF) <= 1 + 1e-9
    # each sum has the noise of all of it
    monkeypatch.setattr(
        quantities, "sums_rate", lambda epsilon, kind, q, parts: epsilon / q / parts
    )
    assert loss_of_transcripts(learner, [(1,)], codes, 1, 1, F(9, 10)) > 1.2


@pytest.fixture
def coarse(monkeypatch):
    """Make starts of few outcomes: a user is weighed in halves."""
    monkeypatch.setattr(starts, "WHOLE", 2)


#: (points, most records of a unit) of each target and unit; of laws of many outcomes the small
#: ones, and all in group full.
EVERY = [("poisson", "records", 2, 1), ("quantile", "records", 2, 1), ("absolute", "records", 2, 1),
         ("huber", "records", 1, 1), ("gamma", "records", 1, 1),
         ("poisson", "users", 1, 2), ("quantile", "users", 2, 2), ("absolute", "users", 2, 2),
         ("huber", "users", 1, 1), ("gamma", "users", 1, 1)]  # fmt: skip
LARGER = [("huber", "records", 2, 1), ("gamma", "records", 2, 1),
          ("huber", "users", 1, 2), ("gamma", "users", 1, 2)]  # fmt: skip


@pytest.mark.first(1, len(EVERY))
@pytest.mark.parametrize(("name", "unit", "points", "most"), EVERY + LARGER)
def test_every_data_set(name, unit, points, most, monkeypatch):
    """Of one record of a count; in group more of every target."""
    monkeypatch.setattr(starts, "WHOLE", most)  # a record of a user is a whole, or a half
    target, parameters, codes = TINY[name]
    learner = tiny(target, unit=unit, **parameters)
    places = [(1,), (2,)][:points]
    assert 0.05 < loss_of_transcripts(learner, places, codes, 1, most) <= 1 + 1e-9


@pytest.mark.full
def test_every_data_set_of_times_with_its_evaluation(monkeypatch):
    """The life table, a tree and the histogram, together."""
    monkeypatch.setattr(survival, "_ROWS", 2)
    learner = tiny(Periods((1,)))
    assert 0.4 < loss_of_transcripts(learner, [(1,)], (0, 1, 4), 1, 1, HALF) <= 1 + 1e-9
    # each cell has the noise of a person who leaves one, and enters none
    monkeypatch.setattr(histogram, "histogram_rate", lambda epsilon, **_: epsilon)
    assert loss_of_transcripts(learner, [(1,)], (0, 1, 4), 1, 1, F(9, 10)) > 1.2


@pytest.mark.full
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("unit", ["records", "users"])
def test_every_data_set_of_times(unit):
    """Of users with two records: an event early, and a time without one."""
    learner = tiny(Periods((1,)), unit=unit)
    codes, most = ((1, 4), 2) if unit == "users" else (range(6), 1)
    assert 0.1 < loss_of_transcripts(learner, [(1,)], codes, 1, most) <= 1 + 1e-9


@pytest.mark.more
def test_a_loss_of_a_reader_that_costs_more_than_it_says_is_noticed():
    """docs/extending.md has one that does not."""

    class Loose(Quantile):
        def costs(self, position, y, place):
            return 16 * super().costs(position, y, place)

    class LooseValues(Values):
        name = "loose"

        def loss_of(self, steps, size, scale, released=(0, 0)):
            return Loose(steps, size, self.resolution, F(1, 2))

    concepts = BoostedTreeClass(ONE, 1, 1, target=Quantity(0, 1, 1))
    learner = LooseValues(concepts, epsilon=1, resolution=64, loss="absolute")
    with pytest.raises(AssertionError, match="FAILS"):
        check_learner(learner, points=[(1,)], n_samples=1)
    report = all_n(learner, points=[(1,)], sizes=(1,))
    assert [step.name for step in report.steps if not step.holds] == ["round 1, range"]


@pytest.mark.more
def test_a_free_start_is_noticed(monkeypatch):
    """The quantiles are those of the records."""

    def exactly(sample, size, quantile, **_):
        return int(np.median(sample.code)) if len(sample.code) else 0

    monkeypatch.setattr(values, "private_quantile", exactly)
    with pytest.raises(KeyError):  # an outcome of one data set that another never has
        loss_of_transcripts(tiny(Quantity(0, 1, 1)), [(1,)], range(2), 1)


@pytest.mark.more
def test_a_free_mean_is_noticed(monkeypatch):
    """What is left is summed without noise."""

    def exactly(self, records, most, source):
        return [(F(int(self.left(records)[0].clip(-most, most).sum())), 0.0)]

    monkeypatch.setattr(Values, "sums_at", exactly)
    with pytest.raises(KeyError):
        loss_of_transcripts(tiny(Quantity(0, 1, 1)), [(1,)], range(2), 1)


def test_what_is_composed_is_epsilon():
    for target in (Quantity(0, 1), Count(9), Periods((1, 2))):
        for delta in (None, F(1, 10**6)):
            learner = Values(BoostedTreeClass(EDGE, 2, target=target), epsilon=1, delta=delta)
            from littlestone.privacy import compose

            spent = compose(learner.plan.settings(5000).losses, delta=delta or 0)[0]
            assert F(9, 10) < spent <= 1


# --- starts ------------------------------------------------------------------------------------


def test_the_mean_of_a_skewed_target_is_right():
    """Capped gradients alone lead to the median."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(10, 50, 3000), "cost": rng.exponential(40, 3000)})
    made = ls.BoostedTreesRegressor(
        EDGE, high=300, epsilon=4, delta=1e-6, rounds=9, random_state=0
    ).fit(table, "cost")
    assert 0.95 < made.predict(table).mean() / table.cost.mean() < 1.05


@pytest.mark.more
def test_survival_is_right_on_the_mean():
    """Beside Kaplan-Meier, where half of all leave early; without the move it is .07 off."""
    rng, periods = np.random.default_rng(0), Periods((2, 5, 10, 15, 20, 30))
    rows = rng.integers(0, 5, (5000, 2))
    times = rng.exponential(20 / np.exp((rows[:, 0] - 2) * 0.5 + (rows[:, 1] > 2) * 0.6))
    ends = rng.uniform(2, 30, 5000)
    codes = 2 * periods.codes(np.minimum(times, ends)) + (times <= ends)
    schema = Schema.from_dict({name: {"bins": [1, 2, 3, 4]} for name in "ab"})
    learner = Values(BoostedTreeClass(schema, 2, target=periods), epsilon=4, delta=F(1, 10**6))
    model = learner.draw(TargetSample.of(rows + 2, codes), SeededSource(0))
    at_risk, event = periods.at_risk(codes)
    hazards = [(event == k).sum() / (at_risk > k).sum() for k in range(6)]
    gap = model.survival(rows + 2).mean(axis=0) - np.cumprod(1 - np.array(hazards))
    assert np.abs(gap).max() < 0.025


def test_rare_counts_are_right_on_the_mean_or_hidden():
    rng = np.random.default_rng(0)
    y = rng.poisson(0.05, 6000)
    for epsilon, hidden in ((4, False), (F(1, 20), True)):
        learner = Values(
            BoostedTreeClass(EDGE, 1, 9, target=Count(9)), epsilon=epsilon, delta=F(1, 10**6)
        )
        rows = 2 + rng.integers(0, 2, (6000, 1))
        model = learner.draw(TargetSample.of(rows, y), SeededSource(0))
        assert (model.hidden is not None) == hidden
        assert ("hidden by noise" in model.describe()) == hidden
        assert TreeSum.from_dict(model.to_dict()) == model
        if hidden:
            assert model.hidden > y.sum() - 600
        else:
            assert 0.9 < model.predict(rows).mean() / y.mean() < 1.1


def test_few_records_in_a_wide_range_are_a_constant():
    y = np.random.default_rng(0).normal(500, 100, 500)
    target = Quantity(0, 100_000)
    learner = Values(BoostedTreeClass(EDGE, 1, 9, target=target), epsilon=1, delta=F(1, 10**6))
    model = learner.draw(TargetSample.of([[2], [3]] * 250, target.codes(y)), SeededSource(0))
    assert model.trees == ()
    assert "a constant" in model.describe()
    assert TreeSum.from_dict(model.to_dict()) == model


def test_users_weigh_as_much_as_each_other():
    """One user with many large values moves a median no more than another."""
    codes = [10] * 300 + [90] * 5000
    users = [*range(300), *([300] * 5000)]
    sample = TargetSample.of([[2]] * len(codes), codes, users)
    found = starts.private_quantile(sample, 101, HALF, epsilon=F(1), source=SeededSource(0))
    assert found == 10
    assert starts.weights(sample).sum() <= 301 * starts.unit_weight(sample)
    total = starts.private_sum(sample, sample.code, 100, loss=Pure(F(100)), source=SeededSource(0))
    assert abs(total - (300 * 10 + 90)) < 10


def test_unknown_targets_say_nothing():
    known = TargetSample.of([[2]] * 100, [7] * 100)
    more = TargetSample.of([[2]] * 200, [7] * 100 + [-1] * 100)
    for quantile in (F(1, 10), F(9, 10)):
        laws = [
            starts.private_quantile(s, 20, quantile, epsilon=F(1), source=SeededSource(3))
            for s in (known, more)
        ]
        assert laws[0] == laws[1]


def test_codes_that_no_label_has_are_refused_before_they_are_paid_for(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=4, neighbours="user-replace")
    trees = ls.BoostedTrees(EDGE, epsilon=4, rounds=3, evaluate=0.1)
    with pytest.raises(ParameterError, match="codes of the target"):
        trees.fit(TargetSample.of([[2]] * 8, [0, -1] * 4, [*"abcdefgh"]), None, ledger=ledger)
    assert ledger.spent().epsilon == 0


# --- secret numbers of records ------------------------------------------------------------------


def test_the_number_of_records_of_users_changes_nothing_public():
    """One user with a row, and with thousands: plans, guarantees and printed texts are equal."""
    learner = tiny(Quantity(0, 1, 1), unit="users")
    shown = []
    for rows in (1, 3000):
        users = [*range(20), *([20] * rows)]
        sample = TargetSample.of([[2]] * len(users), [1] * len(users), users)
        assert sample.n == 21
        settings = learner.plan.settings(sample.n)
        shown.append((settings, repr(sample), learner.spending(sample.n)))
    assert shown[0] == shown[1]


def test_enormous_users_overflow_nothing():
    count = np.array([2**45, 1])
    sample = TargetSample(
        np.array([[2], [3]], dtype=np.int16), np.array([0, 0]), np.array([0, 1]), np.array([4, 0]),
        count, np.zeros(1, dtype=np.uint64),
    )  # fmt: skip
    loss = Huber((PARTS,), 5, 2**20, cap=PARTS)
    rows = UnitRecords(sample, 0, loss, np.zeros(2, dtype=np.int64)).rows(splits(), 1, 0)
    assert 0 <= rows.totals.min() <= rows.totals.max() <= 2**20


@pytest.mark.first(1)
@pytest.mark.parametrize(("loss", "codes", "start"), ROUNDS, ids=NAMES)
def test_a_round_has_its_range_for_users_of_any_size(loss, codes, start):
    """Two groups of equal records each, as many as a count can say: at the edges of integers."""
    samples, many = [], (1, 2**21 - 1, 2**21, 2**43, 2**62)
    groups = list(product([2, 3], sorted({codes[0], codes[1], codes[-1]})))
    loss = replace(loss, resolution=2**20)
    for both, counts in product(combinations(groups, 2), product(many, repeat=2)):
        sample = TargetSample.of([[row] for row, _ in both], [code for _, code in both], [0, 0])
        samples.append(replace(sample, count=np.array(counts)))
    assert F(99, 100) < range_over(samples, loss, start) <= 1


@pytest.mark.parametrize(("loss", "codes", "start"), ROUNDS, ids=NAMES)
@pytest.mark.parametrize("resolution", [1, 1024])
def test_a_round_has_its_range_among_as_many_records_as_there_can_be(
    loss, codes, start, resolution
):
    """The resolution times n is below 2**53: costs are exact, so one record moves them by W."""
    loss, n = replace(loss, resolution=resolution), 2**53 // resolution - 1
    groups = list(product([2, 3], (codes[0], codes[-1])))
    full = TargetSample.of([[row] for row, _ in groups], [code for _, code in groups])
    samples = []
    for one in range(len(groups)):
        count = np.full(len(groups), n // len(groups))
        count[0] += n % len(groups) - 1
        count[one] += 1
        samples.append(replace(full, count=count))
    assert 0 < range_over(samples, loss, start) <= 1


def test_quantiles_among_as_many_records_as_there_can_be():
    sample = TargetSample.of([[2]] * 2, [0, 3])
    sample = replace(sample, count=np.array([2**52, 2**52 - 1]))
    for q in (F(1, 1000), F(999, 1000), F(487, 1000)):
        below, upto = [0, 2**52, 2**52, 2**52], [2**52] * 3 + [2**53 - 1]
        a, b = q.as_integer_ratio()
        wanted = [[b * w - a * sample.n for w in below], [a * sample.n - b * w for w in upto]]
        assert starts.quantile_sums(sample, 4, q).tolist() == wanted


def test_sums_beyond_64_bits_are_exact():
    count, groups = 2**45, 40
    codes, place = np.full(groups, 2**14), np.arange(groups)
    sample = TargetSample(
        np.array([[2]], dtype=np.int16), None, 0 * place, codes, np.full(groups, count), None
    )
    for most in (2**14, 2**13):
        noisy = starts.private_sum(sample, codes, most, loss=Pure(F(2**30)), source=SeededSource(0))
        assert noisy == groups * count * most > 2**63 // 2


def test_clipping_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(100):
        user = np.sort(rng.integers(0, 4, 9))
        costs, count = rng.integers(0, 9, (2, 9)), rng.integers(1, 4, 9)
        found = units.clipped(costs, count, user, 12)
        for u in set(user.tolist()):
            own = user == u
            whole = int((costs[:, own].max(axis=0) * count[own]).sum())
            expected = costs[:, own] * 12 // whole if whole > 12 else costs[:, own]
            assert (found[:, own] == expected).all()
            assert (found[:, own].max(axis=0) * count[own]).sum() <= 12


# --- labels of users ------------------------------------------------------------------------------


def test_labels_of_users():
    rng = np.random.default_rng(0)
    who = rng.integers(0, 400, 2000)
    X = np.column_stack([rng.integers(10, 60, 2000)])
    y = (X[:, 0] >= 30).astype(int)
    made = ls.BoostedTrees(EDGE, epsilon=4, rounds=10, random_state=0).fit(X, y, groups=who)
    assert made.release_.n == len(np.unique(who))
    assert made.release_.guarantee.neighbours.value == "user-replace"
    assert made.score(X, y) > 0.95
    table = pd.DataFrame({"age": X[:, 0], "ill": y, "who": who})
    again = ls.BoostedTrees(EDGE, epsilon=4, rounds=10, random_state=0)
    again.fit(table, "ill", user="who")
    assert again.hypothesis_ == made.hypothesis_
    assert again.release_.columns["user"] == "who"
    for more in ({}, {"holdout": 0.2}, {"labels": [0, 1, 2]}):
        made = ls.BoostedTrees(EDGE, epsilon=4, rounds=10, random_state=0, evaluate=1, **more)
        counted = made.fit(X, y, groups=who).evaluation_.histogram
        assert counted.n == (len(np.unique(who)) if "holdout" not in more else 79)
        assert made.release_.quality.error.value < 0.3


def transcripts(monkeypatch, **more):
    """Return the largest loss of trees and evaluation: two users of up to two records, all pairs.

    The law of (trees, exact counts) is enumerated; the noise of each cell is that of the claim.
    """
    monkeypatch.setattr(running, "release_histogram", lambda _, counts, **__: counts)
    learner = Boosting(BoostedTreeClass(ONE, 1, 1), epsilon=2, unit="users", resolution=2, step=1)
    cases = TargetCases.of([((2,), 0), ((2,), 1)], learner, 2)
    laws, noise = {}, np.arange(-3, 4)
    for data in cases.lists(2):

        def released(source, data=data):
            made = running.run(learner, cases.sample(data), source, evaluate=1, **more)
            return made.hypothesis.trees, made.evaluation.tobytes(), made.evaluation.shape

        found = {}
        for (trees, counts, shape), p in ExactSource().law(released).outcomes.items():
            cells = np.frombuffer(counts, dtype=np.int64)
            density = float(p.mid())  # at all noisy values, by e**(-E / 2) for each step from them
            for cell in cells:
                density = np.multiply.outer(density, np.exp(-np.abs(noise - cell) / 2))
            found[trees, shape] = found.get((trees, shape), 0) + density
        laws[data] = found
    pairs = [(a, b) for a in laws for b in laws if (Counter(a) - Counter(b)).total() == 1]
    return max(np.log(p / laws[b][key]).max() for a, b in pairs for key, p in laws[a].items())


@pytest.mark.more
def test_trees_and_evaluation_of_users_together(monkeypatch):
    monkeypatch.setattr(TreeEnsemble, "with_curve", lambda self, _: self)
    monkeypatch.setattr(running, "evaluation_of", lambda *_: SimpleNamespace(recalibrated=list))
    assert 1.5 < transcripts(monkeypatch) <= 2 + 1e-9
    monkeypatch.setattr(TargetSample, "one_of_each", all_of_each)
    assert transcripts(monkeypatch) > 2.5


def all_of_each(sample, _):
    """Broken: all records of a user are counted."""
    point, code = (np.repeat(each, sample.count) for each in (sample.point, sample.code))
    return replace(sample, point=point, code=code, count=np.ones_like(code), user=None)


# --- one path -------------------------------------------------------------------------------------

WIDE = Schema.from_dict({
    "age": {"bins": [20, 30, 40, 50, 60, 70]}, "city": {"categories": ["Bonn", "Rome"]},
})  # fmt: skip


def people(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"age": rng.integers(10, 90, n), "city": rng.choice(["Bonn", "Rome"], n)})
    mean = table.age / 10 + 3 * (table.city == "Bonn")
    table["cost"] = 10 * mean + rng.normal(0, 5, n)
    table["visits"] = rng.poisson(mean / 4)
    times = rng.exponential(60 / mean)
    ends = rng.uniform(5, 40, n)
    table["died"], table["months"] = (times <= ends).astype(int), np.minimum(times, ends)
    return table


def made_of(kind, table, **more):
    """Fit an estimator of each kind on a table."""
    how = {"epsilon": 4, "delta": 1e-6, "random_state": 0, "rounds": 30, **more}
    if kind == "time":
        made = ls.BoostedTreesSurvival(WIDE, [5, 10, 20, 30], **how)
        return made.fit(table, time="months", event="died")
    if kind == "count":
        made = ls.BoostedTreesRegressor(WIDE, loss="poisson", high=30, **how)
        return made.fit(table, "visits")
    if kind == "amount":
        how |= {"interval": 0.9, "loss": "gamma"}
        return ls.BoostedTreesRegressor(WIDE, low=10, high=300, **how).fit(table, "cost")
    if kind == "card":
        return ls.ScorecardRegressor(WIDE, high=300, **how).fit(table, "cost")
    return ls.BoostedTreesRegressor(WIDE, high=300, **how).fit(table, "cost")


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["amount", "quantity", "card", "count", "time"])
def test_from_records_to_exports(kind, tmp_path, evaluated):
    table = people()
    made = made_of(kind, table)
    found = made.predict(table)
    assert found.shape == (len(table),)
    assert (found == made.release_.predict(table)).all()
    if kind in ("quantity", "card"):
        assert made.score(table[["age", "city"]], table["cost"]) > 0.8
    if kind == "count":
        assert 0.9 < found.mean() / table.visits.mean() < 1.1
    made.save(tmp_path / "m.json")
    read = Release.read(tmp_path / "m.json")
    assert read.to_json() == made.release_.to_json()
    assert (read.predict(table) == found).all()
    module: dict = {}
    exec(read.export("python"), module)
    own = module["risk" if kind == "time" else "value"]
    records = table[["age", "city"]].to_dict("records")
    assert np.allclose([own(record) for record in records], found, rtol=1e-12)
    told = evaluated(read.export("sql"), table)
    assert np.allclose(told, found, rtol=1e-12)
    if kind == "quantity":
        assert (np.array(told) == found).all()
    if kind == "amount":
        assert read.hypothesis.log
        assert 0.9 < found.mean() / table.cost.mean() < 1.1
        ends = made.predict_interval(table)
        assert np.allclose([module["interval"](record) for record in records], ends)
        for what, own in zip(("low", "high"), ends.T, strict=True):
            sql = read.hypothesis.to_sql(WIDE, dialect="duckdb", what=what)
            assert np.allclose(evaluated(sql, table), own)
    if kind == "time":
        survival = made.predict_survival_function(table, return_array=True)
        assert survival.shape == (len(table), 4)
        assert (np.diff(survival, axis=1) <= 0).all()
        assert np.allclose([module["survival"](record) for record in records[:50]], survival[:50])
        sql = read.hypothesis.to_sql(WIDE, dialect="duckdb", what="survival", of=2)
        told = evaluated(sql, table)
        assert np.allclose(told, survival[:, 1], rtol=1e-12)
        assert made.unique_times_.tolist() == [5, 10, 20, 30]


@pytest.mark.more
def test_quantiles_and_medians():
    table = people(6000)
    X, y = table[["age", "city"]], table["cost"]
    for q in (0.1, 0.9):
        made = ls.BoostedTreesRegressor(
            WIDE, high=300, loss="quantile", quantile=q, epsilon=4, delta=1e-6, random_state=0
        ).fit(X, y)
        assert abs((y <= made.predict(X)).mean() - q) < 0.04
    made = ls.BoostedTreesRegressor(
        WIDE, high=300, loss="absolute", epsilon=4, delta=1e-6, random_state=0
    ).fit(X, y)
    assert abs((y <= made.predict(X)).mean() - 0.5) < 0.05


def test_effects_of_a_scorecard_are_its_predictions():
    table = people()
    made = made_of("card", table)
    effects = made.effects_
    rows = table.head(50)
    cells = [
        sum(
            effects[name][WIDE[name].describe(WIDE[name].code(value))]
            for name, value in zip(("age", "city"), (age, city), strict=True)
        )
        for age, city in zip(rows.age, rows.city, strict=True)
    ]
    inside = made.predict(rows)
    assert np.ptp(inside - np.array(cells)) < 1e-9 or inside.min() in (0.0, 300.0)


def test_what_is_refused():
    table = people(50)
    with pytest.raises(ParameterError, match="high"):
        ls.BoostedTreesRegressor(WIDE, low=5, high=5, epsilon=1).fit(table, "cost")
    with pytest.raises(ParameterError, match=r"'loss'.*quantity"):
        Values(BoostedTreeClass(WIDE, 2, target=Quantity(0, 1)), epsilon=1, loss="poisson")
    with pytest.raises(ParameterError, match="'quantile'"):
        ls.BoostedTreesRegressor(WIDE, high=5, epsilon=1, loss="quantile").fit(table, "cost")
    with pytest.raises(ParameterError, match="periods"):
        ls.BoostedTreesSurvival(WIDE, [5, 2], epsilon=1).fit(table, time="months", event="died")
    with pytest.raises(ParameterError, match="time="):
        ls.BoostedTreesSurvival(WIDE, [5], epsilon=1).fit(table, time="months")
    with pytest.raises(DataError, match="structured"):
        ls.BoostedTreesSurvival(WIDE, [5], epsilon=1).fit(table[["age", "city"]], table["cost"])
    with pytest.raises(DataError, match="finite"):
        ls.BoostedTreesRegressor(WIDE, high=5, epsilon=1).fit(table[["age", "city"]], [np.nan] * 50)
    with pytest.raises(UnsupportedError, match="target"):
        Values(BoostedTreeClass(WIDE, 2), epsilon=1)
    with pytest.raises(UnsupportedError):
        Boosting(BoostedTreeClass(WIDE, 2, target=Quantity(0, 1)), epsilon=1)
    made = ls.BoostedTreesRegressor(WIDE, high=5, epsilon=1)
    for ask in (lambda: made.certificate(9), made.required_samples):
        with pytest.raises(UnsupportedError, match="no error bound"):
            ask()


def test_changed_files_are_refused():
    document = made_of("quantity", people(200)).release_.to_dict()
    for path, value in (
        (("hypothesis", "steps"), [1]),
        (("hypothesis", "start"), [1, 2]),
        (("hypothesis", "start"), ["x"]),
        (("hypothesis", "target"), {"type": "quantity", "low": "0", "high": "200"}),
        (("hypothesis", "target"), {"type": "count", "high": 9}),
        (("class", "target"), {"type": "quantity", "low": "0", "high": "x"}),
    ):
        changed = {**document, path[0]: {**document[path[0]], path[1]: value}}
        with pytest.raises(ParameterError):
            Release.from_dict(changed)


def test_cells_of_tables_are_total():
    """What is no number is not known; what is outside the range is at its end."""
    table = pd.DataFrame({"age": [25] * 6, "cost": ["3", "x", "", "-4", "1e9", "2.4"]})
    schema = Schema.from_dict({"age": {"bins": [30]}})
    sample = TargetSample.read(table, y="cost", domain=RowDomain(schema), target=Quantity(0, 9, 9))
    found = Counter(np.repeat(sample.code, sample.count).tolist())
    assert found == {3: 1, -1: 2, 0: 1, 9: 1, 2: 1}


def test_quantiles_are_near_those_of_the_records():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 500, 4000)
    sample = TargetSample.of([[2]] * 4000, codes)
    for q in (F(1, 10), HALF, F(9, 10)):
        found = starts.private_quantile(sample, 501, q, epsilon=F(1), source=SeededSource(1))
        assert abs((codes <= found).mean() - q) < 0.02


@pytest.mark.more
def test_arrays_and_tables_are_read_alike():
    table = people(400)
    tabled = made_of("quantity", table)
    listed = ls.BoostedTreesRegressor(
        WIDE, high=300, epsilon=4, delta=1e-6, random_state=0, rounds=30
    ).fit(table[["age", "city"]], table["cost"])
    assert listed.hypothesis_ == tabled.hypothesis_
    y = np.array(
        list(zip(table.died == 1, table.months, strict=True)), dtype=[("e", bool), ("t", float)]
    )
    times = ls.BoostedTreesSurvival(
        WIDE, [5, 10, 20, 30], epsilon=4, delta=1e-6, random_state=0, rounds=30
    ).fit(table[["age", "city"]], y)
    assert times.hypothesis_ == made_of("time", table).hypothesis_
