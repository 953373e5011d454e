"""The histogram of risk, periods and events: exact privacy, brute force, coverage, releases."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.bounds.tails import lower_limit
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Schema
from littlestone.data.targets import Periods, TargetSample
from littlestone.errors import ParameterError
from littlestone.evaluation import ScoreHistogram, SurvivalEvaluation
from littlestone.evaluation import quantities as survival
from littlestone.evaluation.quantities import counted, risk_bins, survival_histogram
from littlestone.learners.release import Release
from littlestone.report.evaluated import evaluation_facts
from littlestone.source import SeededSource

EDGE = Schema.from_dict({"age": {"bins": [30]}})
AGE = TreeHypothesis.of(Node(EDGE.literals()[0], 1, 0))
FINE = Schema.from_dict({"age": {"bins": [20, 30, 40, 50, 60, 70, 80]}})
AGES = tuple(TreeHypothesis.of(Node(FINE.literals()[i], 1, 0)) for i in range(0, 14, 2))


def model(ends=(1,), trees=(AGE,)):
    """A sum that raises the risk, by half at each edge."""
    return TreeSum(trees, (PARTS // 2,) * len(trees), (-2 * PARTS,) * len(ends), Periods(ends))


def release(own, schema, sample, epsilon, source, **how):
    how = {"held_out": False, **how}
    return survival_histogram(own, schema, sample, epsilon=F(epsilon), source=source, **how)


# --- privacy: all data sets of tiny domains -------------------------------------------------------


def pairs(rows, codes, users):
    """Return all neighbours of one unit; a user brings one record or two."""
    records = list(product(rows, codes))
    units = [(one,) for one in records]
    if users:
        units = [*units[::2], *((a, b) for a, b in combinations(records, 2))]
    return [((a,), (b,)) for a, b in combinations(units, 2)]


def observed(own, users=False):
    def run(data, source):
        rows = [(row, code, name) for name, unit in enumerate(data) for row, code in unit]
        points, codes, names = zip(*rows, strict=True)
        sample = TargetSample.of([[p] for p in points], codes, names if users else None)
        return release(own, EDGE, sample, 2, source).counts

    return run


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(survival, "_ROWS", 2)  # laws draw the bins again for each outcome


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("users", [False, pytest.param(True, marks=pytest.mark.more)])
def test_every_data_set_is_protected(users):
    """One period and one bin; more cells are the same law."""
    every = pairs((2,), (-1, 1, 4), users)
    assert verify_mechanism(observed(model((1,), ()), users), every, epsilon=2).holds


def test_a_person_is_in_one_cell():
    own = model((1, 2), AGES)
    bins = risk_bins(own, FINE, 10**6)
    cells = set()
    for row, code in product(range(10), range(-1, own.target.size)):
        found = counted(own, TargetSample.of([[row]], [code]), bins)
        assert (found.min(), found.sum()) == (0, 1)
        cells.add(int(found.argmax()))
    assert len(cells) == 5 * len(bins)


def test_bins_are_made_of_the_model_alone():
    """As many as public numbers say; a record's own risk is the same wherever it lies."""
    own = model((1, 2), AGES)
    bins = [len(risk_bins(own, FINE, size)) for size in (10, 1500, 10**6)]
    assert bins[0] < bins[1] <= bins[2] == 8  # no more than there are risks
    rows = np.arange(2, 10)[:, None]
    risk = own.risk_in_parts(rows)
    assert np.allclose(risk / 2**20, own.predict(rows), atol=1e-5)
    for size in (1, 3, 8):
        assert (own.risk_in_parts(np.resize(rows, (size, 1))) == np.resize(risk, size)).all()
    assert risk_bins(model((1,), ()), EDGE, 1e6) == (0,)


# --- brute force ----------------------------------------------------------------------------------


def people(n, ends=(1, 2, 3, 4), seed=0):
    """Return a sample of rows of FINE with risks that rise with age, and its times and events."""
    rng = np.random.default_rng(seed)
    ages = rng.integers(2, 10, n)
    time = rng.exponential(12 / ages)
    seen = rng.uniform(0, 6, n)
    codes = Periods(ends).codes(np.minimum(time, seen)) * 2 + (time <= seen)
    return TargetSample.of(ages[:, None], codes), ages, codes


def brute(own, bins, ages, codes):
    """Return the concordance of bins, and events by period, predicted and observed; by pairs."""
    place = np.searchsorted(bins, own.risk_in_parts(ages[:, None]), side="right")
    rows = np.repeat(np.arange(2, 10), 128)[:, None]  # the public rows, as each code is as frequent
    of_row = np.searchsorted(bins, own.risk_in_parts(rows), side="right")
    hazards = own.worth(own.scores(rows))
    last, right, total = len(own.target.ends), 0.0, 0
    predicted, observed = np.zeros(last), np.zeros(last)
    periods = []  # of each person, True where the event was
    for code in codes.tolist():
        half, event = divmod(code, 2)
        if event and half < 2 * last:
            periods.append([False] * (half // 2) + [True])
        else:
            periods.append([False] * min((half + 1) // 2, last))
    for i, own_periods in enumerate(periods):
        for at, happened in enumerate(own_periods):
            predicted[at] += hazards[of_row == place[i], at].mean()
            observed[at] += happened
            if happened:
                for j, others in enumerate(periods):
                    if len(others) > at and not others[at]:
                        total += 1
                        right += (place[j] < place[i]) + (place[j] == place[i]) / 2
    return right / total, predicted, observed


def test_concordance_and_calibration_are_those_of_the_definition():
    own = model((1, 2, 3, 4), AGES)
    sample, ages, codes = people(150)
    made = release(own, FINE, sample, 10**6, SeededSource(0))
    found = SurvivalEvaluation.of(made, own, FINE)
    value, predicted, happened = brute(own, made.scores, ages, codes)
    assert found.concordance.value == pytest.approx(value, abs=1e-12)
    assert [p.observed.value for p in found.calibration] == happened.tolist()
    assert [p.predicted.value for p in found.calibration] == pytest.approx(predicted.tolist())
    assert made.labels == 9
    assert sum(map(sum, made.counts)) == 150


def test_groups_have_the_estimate_of_kaplan_and_meier():
    own = model((1, 2, 3, 4), AGES)
    sample, ages, codes = people(3000)
    made = release(own, FINE, sample, 10**6, SeededSource(0))
    found = SurvivalEvaluation.of(made, own, FINE)
    place = np.searchsorted(made.scores, own.risk_in_parts(ages[:, None]), side="right") - 1
    assert len(found.groups) == 3
    for group, bins in zip(found.groups, np.array_split(range(len(made.scores)), 3), strict=True):
        at_risk, event = own.target.at_risk(codes[np.isin(place, bins)])
        left = 1.0
        for period, band in enumerate(group.observed):
            left *= 1 - (event == period).sum() / (at_risk > period).sum()
            assert band.value == pytest.approx(left)
        assert len(group.observed) == 4
        assert sorted(group.predicted, reverse=True) == list(group.predicted)
    assert found.groups[0].observed[-1].value > found.groups[2].observed[-1].value + 0.1


def test_what_the_noise_hides_is_not_said():
    counts = ((0, 0), (3, -2), (1, 4), (-1, 2), (2, 1))
    made = ScoreHistogram((0, 9), counts, 20, F(1, 50), F(1, 100))
    found = SurvivalEvaluation(made, [[0.1, 0.1], [0.3, 0.3]], (1.0, 2.0))
    assert (found.concordance.low, found.concordance.high) == (0, 1)
    assert all(group.observed == () for group in found.groups)
    nobody = ScoreHistogram((0,), ((0,), (0,), (0,)), 1, F(1), F(1, 2))
    assert SurvivalEvaluation(nobody, [[0.1]], (1.0,)).concordance.value == 0.5


# --- bands ----------------------------------------------------------------------------------------


def missed(own, sample, epsilon, releases, seed=0):
    """Return how often bands miss what the records say: concordance, one period, one group."""
    counts = replace(release(own, FINE, sample, epsilon, _NoNoise()), rate=F(10**6))
    exact = SurvivalEvaluation.of(counts, own, FINE)
    source, found = SeededSource(seed), np.zeros(4, dtype=int)
    for _ in range(releases):
        noisy = SurvivalEvaluation.of(release(own, FINE, sample, epsilon, source), own, FINE)
        bands = [(exact.concordance, noisy.concordance)]
        bands += [
            (getattr(exact.calibration[1], name), getattr(noisy.calibration[1], name))
            for name in ("predicted", "observed")
        ]
        observed = noisy.groups[1].observed[1:2]
        bands += [(exact.groups[1].observed[1], band) for band in observed]
        found += [not b.low <= true.value <= b.high for true, b in bands] + [0] * (4 - len(bands))
    return found


class _NoNoise(SeededSource):
    """The same bins without noise: the true counts."""

    def __init__(self):
        super().__init__(0)

    def choose(self, *_, **__):
        return 0


@pytest.mark.more
@pytest.mark.parametrize(("n", "epsilon"), [(2000, 1), (2000, F(1, 10))])
def test_bands_hold_what_they_say(n, epsilon):
    """At beta .05, over the noise; also where it hides nearly all (n epsilon = 200)."""
    sample, _, _ = people(n, seed=n)
    for count in missed(model((1, 2, 3, 4), AGES), sample, epsilon, 200).tolist():
        assert lower_limit(count, 200, 1e-3) <= 0.05, count


@pytest.mark.more
def test_bands_for_new_records_hold_the_concordance_of_many():
    own = model((1, 2, 3, 4), AGES)
    many, _, _ = people(200_000, seed=1)
    bins = SurvivalEvaluation.of(release(own, FINE, many, F(3, 500), _NoNoise()), own, FINE)
    count = 0
    for seed in range(200):
        sample, _, _ = people(600, seed=seed + 2)
        made = release(own, FINE, sample, 2, SeededSource(seed), held_out=True)
        assert made.scores == bins.histogram.scores
        band = SurvivalEvaluation.of(made, own, FINE).concordance
        count += not band.low <= bins.concordance.value <= band.high
    assert lower_limit(count, 200, 1e-3) <= 0.05


def test_a_band_holds_in_one_release():
    own = model((1, 2, 3, 4), AGES)
    sample, _, _ = people(3000)
    assert missed(own, sample, 1, 4).tolist() == [0, 0, 0, 0]


# --- from records to the page ---------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("how", [{"evaluate": "1/2"}, {"evaluate": 2, "holdout": "1/4"}])
def test_from_records_to_the_page(how):
    rng = np.random.default_rng(0)
    ages = rng.integers(10, 90, (2000, 1))
    time = rng.exponential(100 / ages[:, 0])
    y = np.array([(t <= 5, min(t, 5)) for t in time], dtype=[("died", bool), ("years", float)])
    made = ls.BoostedTreesSurvival(
        FINE, [1, 2, 3, 4], epsilon=2, delta=1e-6, random_state=0, rounds=10, **how
    ).fit(ages, y)
    found, written = made.evaluation_, made.release_.to_dict()
    assert made.release_.guarantee.epsilon == 2
    assert "score-histogram" in made.release_.guarantee.claim
    assert found.histogram.n == (500 if "holdout" in how else 2000)
    assert 0.5 < found.concordance.low < found.concordance.value < found.concordance.high
    assert Release.from_dict(written).to_dict() == written
    assert written["quality"]["concordance"]["value"] == found.concordance.value
    assert [period["end"] for period in written["quality"]["calibration"]] == [1, 2, 3, 4]
    names = [name for name, _ in evaluation_facts(made.release_)]
    assert "Concordance" in names
    assert found.concordance.covers == ("new records" if "holdout" in how else "own records")
    histogram = written["evaluation"]
    for name, value in (
        ("scores", [score + 1 for score in histogram["scores"]]),
        ("counts", histogram["counts"][1:]),
        ("n", 10**9),
    ):
        with pytest.raises(ParameterError, match="evaluation"):
            Release.from_dict({**written, "evaluation": {**histogram, name: value}})


def test_of_a_user_one_person_is_counted():
    own = model((1, 2), ())
    sample = TargetSample.of([[2]] * 5, [1, 1, 7, 7, 7], ["a", "a", "a", "b", "b"])
    found = release(own, EDGE, sample, 10**6, SeededSource(0))
    assert (found.n, sum(map(sum, found.counts))) == (2, 2)
    assert math.isclose(float(found.rate), 500_000)
