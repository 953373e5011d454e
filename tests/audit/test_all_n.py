"""The chain to all n holds for ours, and alone sees where additivity or range is broken."""

import csv
import importlib
import json
import re
from dataclasses import dataclass, replace
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from audit.table import CASES

from littlestone.audit import all_n, verify
from littlestone.audit.all_n import Sums, domain_points
from littlestone.audit.chain import quantile
from littlestone.classes import (
    BoostedTreeClass,
    FiniteClass,
    Points,
    ThresholdHypothesis,
    Thresholds,
    TreeSum,
)
from littlestone.classes.decision_trees.concept_class import WeightedRows
from littlestone.data import Sample, Schema
from littlestone.data.targets import Count, Periods, Quantity
from littlestone.errors import UnsupportedError
from littlestone.evaluation import quantities
from littlestone.evaluation import quantities as observed
from littlestone.evaluation import quantities as survival
from littlestone.learners import registry
from littlestone.learners.boosting import Boosting, Values, values
from littlestone.learners.boosting import learner as boosting
from littlestone.learners.boosting import losses as errors
from littlestone.learners.boosting import losses as starts
from littlestone.learners.boosting import losses as units
from littlestone.learners.boosting import values as intervals
from littlestone.learners.boosting.values import bounds_of
from littlestone.learners.exponential import Generic
from littlestone.learners.littlestone import Littlestone
from littlestone.mechanisms import Conformal
from littlestone.source import Explicit, SeededSource

ROOT = Path(__file__).parents[2]
CITY = Schema.from_dict({"city": {"categories": ["Bonn"]}})
SMALL = [case for case in CASES if not case.full]


def generic(kind=Generic, concepts=None):
    return kind(concepts or Thresholds(1, 5), epsilon=1)


def statuses(report):
    return {step.name.split(", ")[-1]: (step.status, step.holds) for step in report.steps}


def test_sums_over_records():
    report = all_n(generic())
    assert report.holds
    assert report.route == "sums over records"
    assert report.lemmas == ("leveled.leveledE", "additive.additive_pure")
    assert statuses(report)["range"] == ("enumerated", True)
    some = all_n(generic(), points=[1, 4], sizes=(2,))
    assert statuses(some)["range"] == ("tested", True)


def test_the_integers_are_errors():
    """The range that is read off laws is the one of errors, counted here."""
    report = all_n(generic(concepts=Thresholds(1, 3)))
    kinds = [(x, y) for x in (0, 1, 2, 3) for y in (0, 1)]  # 0 stands for a point outside
    wrong = [[int((x >= t) * (x > 0) != y) for t in (1, 2, 3, 4)] for x, y in kinds]
    moved = [[a - b for a, b in zip(p, q, strict=True)] for p in wrong for q in wrong]
    oscillation = max(max(m) - min(m) for m in moved)
    (detail,) = [step.detail for step in report.steps if step.name == "range"]
    assert f"range over at most {oscillation};" in detail
    assert detail.startswith(f"{len(kinds) * (len(kinds) - 1) // 2} pairs")


@dataclass(frozen=True)
class Changed(Generic):
    """Sees a sample that was changed before."""

    def draw(self, sample, source):
        zeros, ones = self.counts(sample.points, sample.zeros, sample.ones)
        return super().draw(Sample.binary(sample.points, zeros, ones, sample.outside), source)


class Often(Changed):
    """What occurs more than four times counts twice: no data set of four records shows it."""

    def counts(self, points, zeros, ones):
        return zeros * (1 + (zeros > 4)), ones * (1 + (ones > 4))


class Point(Changed):
    """The point 5 counts twice: no other points show it."""

    def counts(self, points, zeros, ones):
        return zeros * (1 + (points == 5)), ones


class Pairs(Changed):
    """Three different points together count once more."""

    def counts(self, points, zeros, ones):
        return zeros + (len(points) > 2), ones


class Rate(Generic):
    """The rate doubles if a record at 5 is there."""

    def draw(self, sample, source):
        rate = self.rate(1) * (2 if 5 in sample.points else 1)
        return self.concept_class.candidates(sample).draw(rate, source)


class Fewer(Generic):
    """Where a record at 5 is, one concept is no candidate."""

    def draw(self, sample, source):
        h = super().draw(sample, source)
        gone = 5 in sample.points and h == ThresholdHypothesis(4, 1, 5)
        return ThresholdHypothesis(3, 1, 5) if gone else h


@pytest.mark.more
@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("broken", "step"),
    [(Often, "sums"), (Point, "range"), (Pairs, "sums"), (Rate, "sums"), (Fewer, "public")],
)
def test_broken_sums_are_noticed_by_the_chain_alone(broken, step):
    learner = generic(broken)
    assert verify(learner, points=[1, 2], n_samples=3, outside=True).holds
    report = all_n(learner, sizes=(3, 9))
    assert not report.holds
    assert [s.name for s in report.steps if not s.holds] == [step]
    assert "FAILS" in str(report)


def test_tiny_rates_are_drawn_and_read():
    """At epsilon = 1e-12 draws end, laws are exact, and the integers of the chain are read."""
    learner = Generic(Thresholds(1, 3), epsilon=F(1, 10**12))
    found = verify(learner, points=[1, 2], n_samples=2)
    assert found.holds
    assert 0.5e-12 < found.tightest_epsilon <= 1e-12
    assert all_n(learner, sizes=(2,)).holds
    many = Explicit(np.arange(100_000))
    drawn = {many.draw(F(1, 10**12), SeededSource(i)) for i in range(20)}
    assert min(drawn) < 50_000 < max(drawn)


def littlestone(**settings):
    learner = registry.make("littlestone", Points(1, 3), epsilon=1, delta=F(1, 20))
    return replace(learner, chunk=1, tolerance=1, **settings)


def test_candidates_beside_bottom():
    report = all_n(littlestone())
    assert report.holds
    assert report.route == "candidates beside bottom"
    assert "sparse.sparse_lists_dp" in report.lemmas
    assert statuses(report)["range"] == ("enumerated", True)


def test_a_bottom_that_is_too_light(monkeypatch):
    """Bottom hides half of what one record lists."""
    from littlestone.mechanisms import select as votes

    honest = votes.removal_bottom
    monkeypatch.setattr(
        votes, "removal_bottom", lambda *, k, **numbers: honest(k=k // 2, **numbers)
    )
    report = all_n(littlestone())
    assert [s.name for s in report.steps if not s.holds] == ["range"]
    assert "does not hide" in str(report)


@pytest.mark.more
def test_rounds_of_boosting(monkeypatch):
    learner = Boosting(BoostedTreeClass(CITY, 1, 2), epsilon=1)
    report = all_n(learner, sizes=(2,))
    assert report.holds
    assert {"tree_draw.drawE", "additive.additive_pure", "sums.rounds_pure"} == set(report.lemmas)
    honest = Boosting.round

    def half(self, votes, place):
        rows, rate = honest(self, votes, place)
        return rows, rate * (1 + (place == 1))

    monkeypatch.setattr(Boosting, "round", half)
    report = all_n(learner, sizes=(2,))
    assert [s.name for s in report.steps if not s.holds] == ["round 2, range"]
    monkeypatch.setattr(Boosting, "round", honest)

    def normalised(self, votes, place):  # a weight by what others weigh
        rows, rate = honest(self, votes, place)
        weights = rows.entries.weights // max(len(rows.entries.weights), 1)
        return WeightedRows(rows.splits, rows.entries._replace(weights=weights)), rate

    monkeypatch.setattr(Boosting, "round", normalised)
    report = all_n(learner, sizes=(2,))
    assert "round 1, sums" in [s.name for s in report.steps if not s.holds]


@pytest.mark.more
@pytest.mark.parametrize("delta", [None, F(1, 100)])
def test_budgets_of_boosting_that_are_too_large_together(delta, monkeypatch):
    """Each round keeps its own budget; a learner that forgets one of them spends too much."""
    learner = Boosting(BoostedTreeClass(CITY, 1, 2), epsilon=1, delta=delta)
    report = all_n(learner, sizes=(2,))
    assert report.holds
    assert ("sums.rounds_pure" in report.lemmas) == (delta is None)
    honest = boosting.largest_round
    monkeypatch.setattr(
        boosting, "largest_round", lambda *numbers: honest(*numbers[:2], 1, *numbers[3:])
    )
    boosting._settings.cache_clear()
    report = all_n(learner, sizes=(2,))
    assert not report.holds
    assert "rounds" in [s.name for s in report.steps if not s.holds]
    assert "more than 1" in str(report)
    boosting._settings.cache_clear()
    evaluated = replace(learner, evaluation=F(1, 2))  # nor the evaluation
    monkeypatch.setattr(boosting, "largest_round", lambda *numbers: honest(*numbers[:3]))
    assert not all_n(evaluated, sizes=(2,)).holds
    boosting._settings.cache_clear()


# -- quantities, counts, times, and users of all of them --

HALF = F(1, 2)


@pytest.fixture
def _moved(monkeypatch):
    """Periods of a time are moved however few records there are."""
    monkeypatch.setattr(values, "_MOVED_FROM", 0)
    values._settings.cache_clear()
    yield
    values._settings.cache_clear()


def boosted(target, unit="records", **how):
    """Return the learner of a target, with an evaluation on the same records."""
    if target is None:
        return Boosting(BoostedTreeClass(CITY, 1, 2), epsilon=1, unit=unit, resolution=4)
    concepts = BoostedTreeClass(CITY, 1, 2, target=target)
    return Values(concepts, epsilon=1, unit=unit, resolution=4, evaluation=HALF, **how)


NUMBER, COUNT, TIME = Quantity(0, 1, 1), Count(1), Periods((1,))
SIZES = "evaluation, sizes"
LEFT = "the mean of the residuals up to 1 cells"
PARTS = {
    "means": (NUMBER, {}, ["quantile 1/4", "quantile 3/4", "where to clip", LEFT]),
    "amounts": (Quantity(0, 4, 4), {"loss": "gamma"}, ["where to clip", LEFT]),
    "medians": (NUMBER, {"loss": "absolute"}, ["quantile 1/2", "quantile 3/4", SIZES]),
    "quantiles": (NUMBER, {"loss": "quantile", "quantile": F(9, 10)}, ["quantile 9/10"]),
    "counts": (Count(4), {}, ["where to clip", "counts", "last factor", SIZES]),
    "times": (TIME, {}, ["life table", "predicted survival", "evaluation"]),
    "labels": (None, {}, []),
}
EACH = [(name, unit) for unit in ("records", "users") for name in PARTS]


@pytest.mark.more
@pytest.mark.usefixtures("_moved")
@pytest.mark.parametrize(("name", "unit"), EACH[:6] + EACH[7:])
def test_every_target_and_unit(name, unit):
    """All records of a row, or all users of two of them; start, rounds, correction, evaluation."""
    target, how, parts = PARTS[name]
    report = all_n(boosted(target, unit, **how), points=[(2,)], sizes=(2,))
    assert report.holds, report
    found = {step.name.rpartition(", ")[0] for step in report.steps}
    assert {"round 1", "round 2", *parts} <= found
    assert {"additive.additive_pure", "sums.rounds_pure"} <= set(report.lemmas)


@pytest.mark.more
def test_the_whole_domain_is_enumerated():
    report = all_n(boosted(NUMBER, "users"), sizes=(2,))
    known = statuses(report)
    assert known["range"] == known["noise"] == ("enumerated", True)
    assert "1,485 pairs of single users" in str(report)  # 10 codes, 55 users
    assert known["more records"][0] == "assumed"


def by_records(original):
    """Users with more records weigh more."""
    return lambda sample: sample.count * starts.unit_weight(sample)


def louder(original):
    """Twice the epsilon."""
    return lambda *given, epsilon, **how: original(*given, epsilon=2 * epsilon, **how)


def louder_sum(original):
    """Twice the loss."""
    return lambda *given, loss, **how: original(*given, loss=starts.part_of(loss, 2), **how)


def nearly_exact(original):
    """Noise at a hundred times the loss."""
    return lambda *given, loss, **how: original(*given, loss=starts.part_of(loss, 100), **how)


def twice_eta(original):
    """The factor 2 of the exponential mechanism is forgotten."""
    return lambda *given, eta, **how: original(*given, eta=2 * eta, **how)


def without_the_low_end(original):
    """Noise for what is above 0 only."""

    def summed(sample, numbers, most, *, least=0, loss, source):
        loss = starts.part_of(loss, F(most - least, most))
        return original(sample, numbers, most, least=least, loss=loss, source=source)

    return summed


def whole_epsilon(original):
    """The rounds have all of epsilon."""
    return lambda epsilon, delta, rounds, *others: original(epsilon, delta, rounds)


def parts_of_the_data(original):
    """What is left is clipped at the largest that there is."""

    def sums_at(self, records, most, source):
        largest = 1 + int(records.sample.code.max(initial=0))
        return [(largest * own, noise) for own, noise in original(self, records, most, source)]

    return sums_at


BROKEN = [
    ("labels users", units, "clipped", lambda _: lambda costs, *_: costs, "round 1"),
    ("means users", starts, "weights", by_records, "quantile 1/4"),
    ("means users", errors, "weights", by_records, "evaluation"),
    ("counts users", starts, "weights", by_records, "counts"),
    ("amounts users", starts, "weights", by_records, LEFT),
    ("times users", starts, "weights", by_records, "life table"),
    ("medians records", values, "private_quantile", louder, "quantile 3/4"),
    ("counts records", values, "private_sum", louder_sum, "last factor"),
    ("counts records", values, "private_sum", louder_sum, "counts"),
    ("counts records", values, "draw_edge", twice_eta, "where to clip"),
    ("amounts records", values, "draw_edge", twice_eta, "where to clip"),
    ("amounts records", values, "private_sum", without_the_low_end, LEFT),
    ("means records", Values, "sums_at", parts_of_the_data, LEFT),
    ("times records", starts, "private_counts", louder_sum, "life table"),
    ("times records", values, "private_falls", nearly_exact, "predicted survival"),
    ("counts records", quantities, "sums_rate", lambda of: lambda *k: 2 * of(*k), "evaluation"),
    ("means records", values, "largest_round", whole_epsilon, "rounds"),
    ("times records", survival, "release_histogram", louder, "evaluation"),
]


@pytest.mark.more
@pytest.mark.usefixtures("_moved")
@pytest.mark.parametrize(("of", "where", "name", "how", "step"), BROKEN)
def test_broken_values_are_noticed(of, where, name, how, step, monkeypatch):
    monkeypatch.setattr(where, name, how(getattr(where, name)))
    target, unit = of.split()
    target, more, _ = PARTS[target]
    report = all_n(boosted(target, unit, **more), points=[(2,)], sizes=(2,))
    assert step in [found.name.split(", ")[0] for found in report.steps if not found.holds], report


@pytest.mark.more
def test_counts_of_labels_of_users(monkeypatch):
    monkeypatch.setattr(boosting, "_COUNT_FROM", 0)
    boosting._settings.cache_clear()
    asked = {"points": [(2,)], "sizes": (2,)}
    report = all_n(boosted(None, "users"), **asked)
    assert report.holds
    assert "counts of labels, noise" in [step.name for step in report.steps]
    monkeypatch.setattr(boosting, "private_counts", louder_sum(starts.private_counts))
    report = all_n(boosted(None, "users"), **asked)
    boosting._settings.cache_clear()
    assert [s.name for s in report.steps if not s.holds] == ["counts of labels, noise"]


@pytest.mark.parametrize("unit", ["records", "users"])
def test_widths_of_intervals(unit):
    """Of held-out units, of which each has one score: of users without records the largest."""
    model, size = TreeSum((), (), (0,), NUMBER), len(bounds_of(NUMBER))

    def plan(n):
        return Conformal(n, size, HALF, F(1), unit)

    def sums(sample):
        first = {} if unit == "records" else {"count": np.diff(sample.user, prepend=-1) > 0}
        one = replace(sample, **first)
        at = intervals.scores(model, one.points, one.point, one.code)
        own = np.bincount(at, one.count, size).astype(int)
        own[-1] += sample.n - own.sum()
        upto, rank = np.cumsum(own), plan(sample.n).rank
        return np.stack([rank - upto, upto - own - rank])

    def drawn(sample, source):
        intervals.with_width(model, sample, plan(sample.n), source)

    chain = Sums(boosted(NUMBER, unit), lambda n: F(1), [(2,)], (2,), SeededSource(0))
    _, known = chain.attempt(lambda: quantile(chain, sums, drawn, 0, lambda n: F(1)))
    assert known.holds
    assert "costs 1 <= 1" in known.detail
    (broken,) = chain.attempt(
        lambda: quantile(chain, lambda sample: 2 * sums(sample), drawn, 0, lambda n: F(1))
    )
    assert not broken.holds


@pytest.mark.more
@pytest.mark.parametrize("unit", ["records", "users"])
def test_counts_of_an_evaluation_are_checked(unit, monkeypatch):
    def steps():
        report = all_n(boosted(NUMBER, unit), points=[(2,)], sizes=(2,))
        return {found.name.split(", ")[0] for found in report.steps if not found.holds}

    monkeypatch.setattr(observed, "_LEAST", 0)
    assert steps() == set()
    rounds = importlib.import_module("littlestone.audit.all_n")  # a function has its name
    counted = rounds.error_cells
    monkeypatch.setattr(
        rounds, "error_cells", lambda *given: counted(*given[:3], 4 * given[3], given[4])
    )
    assert steps() == {"evaluation"}


@pytest.mark.more
def test_users_are_single_records():
    learner = registry.make(
        "users", Thresholds(1, 3), epsilon=1, samples_per_user=2, method="group-privacy"
    )
    report = all_n(learner, points=[1, 3], sizes=(3,))
    assert report.holds
    assert statuses(report)["range"][0] == "tested"
    assert "range over at most 4;" in str(report)
    with pytest.raises(UnsupportedError, match="too many users"):
        all_n(replace(learner, samples_per_user=9))


def test_others_name_their_lemmas_and_what_they_leave_out():
    learner = registry.make("vc1", Thresholds(1, 9), epsilon=1, delta=F(1, 20))
    report = all_n(learner)
    assert report.route == "lemmas"
    assert set(report.lemmas) == {
        "deal.dealt_dp",
        "exp_mech.exp_mech_pure",
        "entering.entering_dp",
    }
    assert any(step.status == "assumed" for step in report.steps)
    assert isinstance(littlestone(), Littlestone)
    stable = registry.make("agnostic:vc1", Thresholds(1, 2), epsilon=3, delta=F(1, 20))
    assert all_n(stable).route == "enumerated"
    assert str(all_n(stable)).startswith("ENUMERATED ONLY")


def test_refusals_teach():
    with pytest.raises(UnsupportedError, match="smaller class of the same kind"):
        all_n(generic(concepts=Thresholds(1, 2**20)))
    with pytest.raises(UnsupportedError, match=r"points=\[...\]"):
        all_n(generic(concepts=Points(1, 200)))
    assert domain_points(Points().domain) is None


def test_a_class_over_rows_is_enumerated():
    assert all_n(generic(concepts=FiniteClass(np.eye(3, dtype=int))), sizes=(4,)).holds


COLUMN = "all n"


def described(report, case):
    """Return the cell of the table in the docs."""
    if report.route == "enumerated":
        return f"enumerated: {case.domain}"
    return ", ".join(report.lemmas)


def published():
    """Return what the table of the docs says of each line for every n."""
    path = ROOT / "docs" / "appendix" / "audit-table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {row["verified"]: row[COLUMN] for row in csv.DictReader(file)}


def test_the_table_of_the_docs_names_lemmas_for_at_least_80_percent():
    cells = published()
    assert len(set(cells) & {case.name for case in SMALL}) > 70  # the table is of one day
    snapshot = json.loads((ROOT / "proofs" / "snapshot.json").read_text(encoding="utf-8"))
    proved = {name: cell for name, cell in cells.items() if not cell.startswith("enumerated")}
    assert len(proved) >= 0.8 * len(cells)
    for cell in proved.values():
        assert set(re.findall(r"[\w.]+", cell)) <= set(snapshot["theorems"])


@pytest.mark.full
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_the_table_of_the_docs_is_true(case):
    report = case.all_n()
    assert report.holds
    if case.name in (cells := published()):
        assert cells[case.name] == described(report, case)


@pytest.mark.first(1)
@pytest.mark.parametrize("epsilon", [F(1, 10**300), F(50)])
def test_rounding_breaks_no_chain(epsilon):
    learner = registry.make(
        "agnostic", Thresholds(1, 2), epsilon=epsilon, alpha=F(1, 10), beta=F(1, 20)
    )
    assert all_n(learner).holds
