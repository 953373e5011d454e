"""Evaluations by group, reports of data, and what is shown of them."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F
from functools import lru_cache
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.audit import replace_one, verify_mechanism
from littlestone.classes import TreeEnsemble
from littlestone.classes.rules import RuleHypothesis
from littlestone.cli.main import main
from littlestone.data import Column, Sample, Schema
from littlestone.data.counting import count_codes, count_labels
from littlestone.data.histogram import Groups
from littlestone.errors import BudgetError, InfeasibleError, ParameterError
from littlestone.evaluation import (
    Between,
    ErrorSums,
    Evaluation,
    QuantityEvaluation,
    ScoreHistogram,
    SurvivalEvaluation,
    histogram,
)
from littlestone.evaluation import measures as data_report
from littlestone.evaluation.histogram import release_histogram
from littlestone.evaluation.measures import WIDEST, check_noise, release_shares
from littlestone.evaluation.quantities import last_seen, parts_of_epsilon
from littlestone.learners.release import Release
from littlestone.learners.running import _histogram
from littlestone.privacy import Pure, compose
from littlestone.report.evaluated import evaluation_facts, proposal_facts, spent_facts
from littlestone.source import SeededSource

# -- Evaluations by public groups: one histogram, a record in one cell, and what may be said of it

AGE = ls.Schema.from_dict({"age": {"bins": [30]}})
SEX = ls.Schema.from_dict({"sex": {"categories": ["f", "m"]}})
#: Rows of codes: age, and sex, which is not learned from; with a label.
KINDS = [(age, sex, label) for age in (2, 3) for sex in (0, 1, 2, 3) for label in (0, 1)]


def grouping(by=SEX):
    return Groups.parse("test", by, None).over(AGE, "test")


def counted(hypothesis, records, source, by=SEX, epsilon=F(1)):
    """Return the released counts of groups of such records."""
    *points, labels = zip(*records, strict=True)
    sample = Sample.of(np.array(points).T, list(labels))
    how = {"held_out": True, "groups": grouping(by)}
    return _histogram(hypothesis, sample, source, epsilon, **how).groups.counts


def neighbours(kinds, n):
    for records in combinations_with_replacement(kinds, n):
        for new in kinds:
            other = tuple(sorted((*records[1:], new)))
            if other > records:
                yield records, other


def test_a_replaced_record_moves_one_from_one_cell_to_another(monkeypatch):
    """All data sets of two records, all neighbours: group, label and score are of one record."""
    monkeypatch.setattr(histogram, "truncated", lambda rate, reach, source: 0)
    adults = RuleHypothesis(AGE.literals()[:1])
    for kind in KINDS:
        array = np.array(counted(adults, [kind], None))
        assert (array.shape, array.sum(), array.max()) == ((3, 2, 2), 1, 1)
        age, sex, label = kind
        group = {2: 0, 3: 1}.get(sex, 2)
        assert array[group, label, int(age == 3)] == 1
    data = combinations_with_replacement(KINDS, 2)
    found = {records: np.array(counted(adults, records, None)) for records in data}
    for pair in neighbours(KINDS, 2):
        one, other = map(found.__getitem__, pair)
        assert one.sum() == other.sum() == 2
        assert abs(one - other).sum() <= 2


#: Of one cell of scores, and of one category: the law has four cells.
CONSTANT = TreeEnsemble((), F(1), (0, 1))
FEW = [kind for kind in KINDS if kind[0] == 2 and kind[1] in (0, 2)]
WOMEN = ls.Schema.from_dict({"sex": {"categories": ["f"]}})


@pytest.mark.parametrize(
    ("n", "epsilon"),
    [pytest.param(1, F(4), marks=pytest.mark.more), pytest.param(2, F(1), marks=pytest.mark.full)],
)
def test_the_law_of_a_histogram_by_groups(n, epsilon):
    """All data sets and all neighbours: epsilon pays for all groups together, and no less does."""

    def law(records, source):
        return counted(CONSTANT, records, source, WOMEN, epsilon)

    assert verify_mechanism(law, set(neighbours(FEW, n)), epsilon=epsilon).holds
    if n == 1:
        assert not verify_mechanism(law, [(FEW[:1], FEW[-1:])], epsilon=epsilon * F(9, 10)).holds


def test_groups_are_public_few_and_of_other_columns():
    both = ls.Schema.from_dict(
        {"sex": {"categories": ["f", "m"]}, "age": {"bins": [30, 60, 70]}, "site": {"bins": [1]}}
    )
    assert Groups.parse("fit", ["sex", "age"], both).names == (
        "sex is f, age < 30", "sex is f, 30 <= age < 60", "sex is f, 60 <= age < 70",
        "sex is f, age >= 70", "sex is m, age < 30", "sex is m, 30 <= age < 60",
        "sex is m, 60 <= age < 70", "sex is m, age >= 70", "missing or other",
    )  # fmt: skip
    with pytest.raises(ParameterError, match=r"at most 8 groups.*have 2 x 4 x 2"):
        Groups.parse("fit", both, None)
    with pytest.raises(ParameterError, match="no column 'race'"):
        Groups.parse("fit", "race", both)
    with pytest.raises(ParameterError, match="different columns"):
        Groups.parse("fit", ["sex", "sex"], both)
    with pytest.raises(ParameterError, match="needs a schema"):
        Groups.parse("fit", "sex", None)
    with pytest.raises(ParameterError, match="other categories or bins"):
        Groups.parse("fit", ls.Schema.from_dict({"age": {"bins": [9]}}), None).over(AGE, "fit")


N = 3000


def table():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(0, 90, N), rng.choice(["f", "m", "?"], N, p=[0.5, 0.48, 0.02])
    ill = (rng.random(N) < np.where(sex == "f", age / 100, 0.5)).astype(int)
    return {"age": age, "sex": sex, "ill": ill}


class NoDraws:
    """A source that no refused call may reach."""

    seeded = False


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"by": "sex"}, "needs a schema"),
        ({"by": "ill", "schema": AGE}, "no column 'ill'"),
        ({"by": ls.Schema.from_dict({"ill": {"bins": [1]}})}, "other columns than the label"),
        ({"by": SEX, "schema": AGE, "evaluate": None}, "none are held out"),
        ({"by": SEX, "schema": AGE, "epsilon": "1/10"}, "none are held out"),
        ({"by": SEX, "schema": AGE, "model": "rule"}, "none are held out"),
        ({"by": ls.Schema.from_dict({"race": {"bins": [1]}}), "schema": AGE}, "race"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_drawn(more, why):
    from littlestone.learners.fit import Fit

    with pytest.raises(ParameterError, match=why):
        Fit(**{"y": "ill", "epsilon": 1} | more).plan(table(), NoDraws())


def test_groups_by_columns_that_were_learned_are_refused():
    """Which categories there are is then private, and was paid for by columns of a model alone."""
    learned = ls.data.propose(
        {"sex": ["f", "m"] * 500, "y": [0, 1] * 500}, y="y", epsilon=4, delta=1e-3, random_state=0
    )
    with pytest.raises(ParameterError, match="learned from records"):
        ls.fit(table(), y="ill", epsilon=1, schema=learned, by="sex", random_state=0)


@pytest.fixture(scope="module")
def release():
    return ls.fit(table(), y="ill", epsilon=2, schema=AGE, by=SEX, random_state=1).release_


def test_groups_are_part_of_the_document(release):
    document = json.loads(release.to_json())
    assert Release.from_dict(document).to_json() == release.to_json()
    assert [group["name"] for group in document["groups"]][:2] == ["sex is f", "sex is m"]
    assert document["guarantee"]["epsilon"] == 2
    assert "sex" not in release.concept_class.domain.schema.names, "it was not learned from"
    changed = json.loads(release.to_json())
    changed["evaluation"]["groups"]["counts"][0][0][0] += 1
    with pytest.raises(ParameterError, match="has been changed"):
        Release.from_dict(changed)


def test_what_is_said_is_what_a_count_says(release):
    """Each figure from the released counts, without the code under test; the noise is small."""
    found, histogram = release.groups, release.evaluation
    assert np.array_equal(np.sum(histogram.groups.counts, axis=0), histogram.counts)
    women, men, rest = found
    zeros, ones = np.array(histogram.groups.counts[0], dtype=float)
    answer = np.array(histogram.scores) > 0
    total = zeros.sum() + ones.sum()
    assert women.error.value == pytest.approx((zeros[answer].sum() + ones[~answer].sum()) / total)
    assert women.positive.value == pytest.approx((zeros + ones)[answer].sum() / total)
    assert women.share.value == pytest.approx(total / histogram.n)
    assert abs(women.calibration.value) < 0.2
    assert men.calibration is None or abs(men.calibration.value) < 0.2
    assert (rest.error, rest.auroc, rest.calibration, rest.positive) == (None,) * 4
    shown = [getattr(group, name) for group in found for name in
             ("error", "auroc", "calibration", "positive")]  # fmt: skip
    assert all(band.high - band.low < WIDEST for band in shown if band is not None)


def test_the_page_and_the_lines_say_the_same(release):
    from littlestone.report.evaluated import plain

    page, said = ls.page(release), plain(release)
    error = release.groups[0].error
    cell = f"{error.value:.2f} ({error.low:.2f} to {error.high:.2f})"
    assert f"<td>{cell}</td>" in page
    assert "sex is f: proportion of records" in said
    assert f"error rate {cell}" in said
    assert "<td>too imprecise to report</td>" in page
    assert "missing or other: proportion of records" in said
    assert "too imprecise to report: error rate" in said


def test_several_labels_have_an_error_and_a_share():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(0, 90, N), rng.choice(["f", "m"], N)
    kind = np.where(age < 30, "a", np.where(sex == "f", "b", "c"))
    made = ls.fit(
        {"age": age, "sex": sex, "kind": kind}, y="kind", labels=["a", "b", "c"], epsilon=4,
        schema=AGE, by=SEX, random_state=0,
    )  # fmt: skip
    women, men, _ = made.release_.groups
    assert women.error is not None or men.error is not None
    assert (women.auroc, women.calibration, women.positive) == (None,) * 3
    assert 0.4 < women.share.value < 0.6


def test_users_are_in_the_group_of_the_record_that_is_drawn():
    schema = ls.Schema.from_dict({**AGE.to_dict(), **SEX.to_dict()})
    rows = table() | {"who": [f"p{i // 2}" for i in range(N)]}
    made = ls.fit(rows, y="ill", user="who", epsilon=4, schema=schema, by="sex", random_state=0)
    assert made.release_.evaluation.n < N / 2
    assert made.release_.groups[0].share.value == pytest.approx(0.5, abs=0.1)
    with pytest.raises(ParameterError, match="add these columns to the schema"):
        ls.fit(rows, y="ill", user="who", epsilon=4, schema=AGE, by=SEX, random_state=0)


@pytest.mark.parametrize("groups", [None, grouping().groups])
def test_totals_have_the_noise_of_all_groups(groups):
    """Bands of the whole count one noise for each group; coverage of the accuracy says so."""
    counts = np.array([[60, 20], [20, 60]])
    given = counts if groups is None else np.stack([counts, 0 * counts, 0 * counts])
    inside, widths = 0, []
    for seed in range(300):
        how = {"n": 160, "epsilon": F(1, 4), "held_out": False, "groups": groups}
        found = release_histogram([0, 1], given, source=SeededSource(seed), **how)
        n, cells = 160, np.array(found.counts)
        reach = found.reach(4, 0.05) / 2 / n
        inside += abs((n + 2 * np.trace(cells) - cells.sum()) / 2 / n - 0.75) <= reach
        widths.append(Evaluation(found).share_right([0, 1]).half_width)
    assert found.noises == (1 if groups is None else 3)
    assert inside >= 0.9 * 300
    assert inside < 300, "the band is not wider than it must be"


def test_a_changed_histogram_is_refused():
    good = release_histogram(
        [0, 1], np.ones((3, 2, 2), dtype=int), n=12, epsilon=1, source=SeededSource(0),
        groups=grouping().groups,
    ).to_dict()  # fmt: skip
    assert ScoreHistogram.from_dict(good).to_dict() == good
    for wrong in ({"columns": []}, {"counts": good["groups"]["counts"][:2]}, {"more": 1}):
        with pytest.raises(ParameterError):
            ScoreHistogram.from_dict(good | {"groups": good["groups"] | wrong})


# -- The private report of a table: counts by brute force, exact privacy, and broken variants ------

REPORT_AGE = Column.bins("age", [30], ["?"])
CITY = Column.of("city", ["Bonn"])
SCHEMA = Schema((REPORT_AGE, CITY))
CELLS = ["", "?", "x", "29", "30", "nan", " 31 ", "1e400"]
TOWNS = ["Bonn", "bonn", "", "30"]
LABELS = ["0", "1", "1.0", "ill", "", "nan", "true"]

#: By hand: what each cell is.
MISSING = {"", "?", "nan"}
ODD = {"x"}


def test_cells_are_counted(tmp_path):
    rows = list(product(CELLS, TOWNS, LABELS))
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("age", "city", "ill"), *rows])
    frame = {name: [row[i] for row in rows] for i, name in enumerate(("age", "city", "ill"))}
    missing = sum(age in MISSING for age, _, _ in rows)
    odd = sum(age in ODD for age, _, _ in rows)
    above = sum(age in {"30", " 31 ", "1e400"} for age, _, _ in rows)
    for table in (frame, path, pa.table(frame)):
        assert count_codes(table, REPORT_AGE, caller="t").tolist() == [
            missing, odd, len(rows) - missing - odd - above, above,
        ]  # fmt: skip
        share = len(rows) // 4
        assert count_codes(table, CITY, caller="t").tolist() == [share, 2 * share, share]
        share = len(rows) // 7
        found = count_labels(table, "ill", ["0", "1"], caller="t").tolist()
        # "true" equals 1, as in fit
        assert found == [2 * share, share, share, 3 * share]


def report_counted(rows):
    """Return cells of a report of these rows: age missing or other, label 1."""
    ages = [age for age, _ in rows]
    return [[ages.count(""), ages.count("x")], [sum(label == "1" for _, label in rows)]]


#: Every age missing, other or a number; every label the declared one or not.
ROWS = tuple(product(["", "x", "30"], ["0", "1"]))
EPSILON = Fraction(1)


def verification(n=1):
    """Compare the laws of all data sets of n rows with those of their neighbours."""
    noise = check_noise(Schema((REPORT_AGE,)), epsilon=EPSILON)

    def run(rows, source):
        return data_report.release_shares(report_counted(rows), n, noise, source)

    return verify_mechanism(run, replace_one(ROWS, n), epsilon=EPSILON)


def test_one_record_in_all_columns_costs_epsilon():
    found = verification()
    assert found.holds
    assert found.datasets == 6
    # a column of two cells is tight at its half of epsilon, one cell at half of its half
    assert abs(found.tightest_epsilon - 0.75) < 1e-9


@pytest.mark.full
def test_one_record_of_two_costs_epsilon():
    assert verification(n=2).holds


def columns_not_composed(monkeypatch):
    """Each column costs the whole of epsilon."""
    monkeypatch.setattr(data_report, "_each", lambda epsilon, delta, parts: (epsilon, "dp.sum"))


def one_cell_of_a_replaced_record(monkeypatch):
    """A replaced record leaves one cell and enters another: the second is forgotten."""
    monkeypatch.setattr(histogram, "histogram_rate", lambda epsilon, **_: Fraction(epsilon))


def no_noise_where_nothing_is_counted(monkeypatch):
    """Zeros are released as they are, for 'there is nothing to protect'."""
    real = data_report.release_histogram

    def release(scores, counts, **options):
        noisy = real(scores, counts, **options)
        kept = tuple(new if old else 0 for old, new in zip(counts[0], noisy.counts[0], strict=True))
        return replace(noisy, counts=(kept,))

    monkeypatch.setattr(data_report, "release_histogram", release)


def cells_that_occur_only(monkeypatch):
    """A label that nobody has is not in the report."""
    real = data_report.release_shares

    def release(cells, *others):
        drawn = zip(real(cells, *others), cells, strict=True)
        return [
            [band for band, count in zip(bands, column, strict=True) if count]
            for bands, column in drawn
        ]

    monkeypatch.setattr(data_report, "release_shares", release)


def reach_of_the_largest_count(monkeypatch):
    """Noise is cut at the largest true count instead of n."""
    real = data_report.release_histogram

    def release(scores, counts, *, n, **options):
        return real(scores, counts, n=max(counts[0]), **options)

    monkeypatch.setattr(data_report, "release_histogram", release)


@pytest.mark.more
@pytest.mark.parametrize(
    "mutant",
    [
        columns_not_composed,
        one_cell_of_a_replaced_record,
        no_noise_where_nothing_is_counted,
        cells_that_occur_only,
        reach_of_the_largest_count,
    ],
)
def test_broken_variants_are_noticed(mutant, monkeypatch):
    mutant(monkeypatch)
    assert not verification().holds


@pytest.mark.parametrize(("columns", "epsilon", "delta"), [(2, 1, 0), (30, 1, "1e-6"), (9, 3, 0.1)])
def test_columns_compose(columns, epsilon, delta):
    schema = Schema.every_column([0]).bind(columns)
    noise = check_noise(schema, epsilon=epsilon, delta=delta)
    parts = columns + 1
    total, _ = compose({Pure(noise.each): parts}, delta=delta)
    assert total <= epsilon
    assert noise.rate == noise.each / 2
    assert noise.each >= Fraction(epsilon) / parts
    # at most 10 % more would fit
    assert compose({Pure(noise.each * Fraction(11, 10)): parts}, delta=delta)[0] > epsilon


def test_intervals_hold_the_counts():
    """All of a report: misses are binomial with p <= 1/20; P[> 34 of 300] is below 1e-5."""
    noise, source, misses = check_noise(SCHEMA, epsilon=1), SeededSource(3), 0
    cells = [[400, 400]] * len(SCHEMA) + [[400] * 4]
    for _ in range(300):
        bands = [b for part in release_shares(cells, 1000, noise, source) for b in part]
        misses += not all(band.low <= 0.4 <= band.high for band in bands)
        assert all(0 <= band.low <= band.value <= band.high <= 1 for band in bands)
    assert 0 < misses <= 34


def test_a_delta_is_charged_only_where_it_helps(tmp_path):
    table = {f"c{j}": [j % 2] * 3000 for j in range(60)} | {"y": [0, 1] * 1500}
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=2, delta="1e-5")
    for columns, helps in ((2, False), (60, True)):
        schema = Schema.from_dict({f"c{j}": {"bins": [1]} for j in range(columns)})
        noise = check_noise(schema, epsilon=1, delta="1e-6")
        pure = check_noise(schema, epsilon=1)
        report = ls.check(table, schema, y="y", epsilon=1, delta="1e-6", ledger=ledger)
        assert report.noise == noise
        assert (noise.reach < pure.reach) is helps
        assert report.guarantee.delta == noise.delta == Fraction("1e-6") * helps
        assert ledger.spent().delta == noise.delta
        assert helps or noise == pure
    with pytest.raises(ParameterError):
        ls.check(table, schema, y="y", epsilon=1, delta=2, ledger=ledger)


@pytest.mark.parametrize(("columns", "labels", "epsilon"), [(1, 1, 1), (8, 2, "1/10"), (30, 9, 50)])
def test_no_count_is_beyond_the_reach(columns, labels, epsilon):
    """The law is summed term by term; the docs' bound for two labels is close, and not below."""
    schema = Schema.every_column([0]).bind(columns)
    noise = check_noise(schema, epsilon=epsilon, labels=labels)
    p, within, laws = math.exp(-float(noise.rate)), 0.0, []
    for z in range(int(noise.reach) + 1):
        within += (1 - p) / (1 + p) * p**z * (1 if z == 0 else 2)
        laws.append(within ** (2 * columns + 2 + labels))
    assert laws[-1] >= 0.95 > max([*laws[:-1], 0])
    if labels == 2:
        bound = 2 * (columns + 1) / float(Fraction(epsilon)) * math.log(40 * (columns + 2))
        assert 0.98 * bound < noise.reach <= bound


class Unused(SeededSource):
    """A source that nobody may draw from."""

    def choose(self, weights):
        raise AssertionError("drawn from")


def test_checked_then_charged_then_drawn(tmp_path):
    table = {"age": ["25"] * 500, "city": ["Bonn"] * 500, "ill": [0, 1] * 250}
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1)
    unused = Unused(0)
    for options, error in (
        ({"epsilon": 2, "ledger": ledger}, ParameterError),  # a seeded release is not paid
        ({"epsilon": "1/500"}, InfeasibleError),
        ({"epsilon": 0}, ParameterError),
        ({"epsilon": 1, "delta": 1}, ParameterError),
        ({"epsilon": 1, "labels": (1, "1.0")}, ParameterError),
        ({"epsilon": 1, "labels": "01"}, ParameterError),
        ({"epsilon": 1, "labels": ()}, ParameterError),
    ):
        with pytest.raises(error):
            ls.check(table, SCHEMA, y="ill", random_state=unused, **options)
    for schema in ({"age": {"bins": [1]}}, Schema.every_column([0])):
        with pytest.raises(ParameterError, match="schema new"):
            ls.check(table, schema, y="ill", epsilon=1)
    with pytest.raises(ParameterError, match="no column 'sick'"):
        ls.check(table, SCHEMA, y="sick", epsilon=1)
    with pytest.raises(BudgetError):
        ls.check(table, SCHEMA, y="ill", epsilon=2, ledger=ledger)
    with pytest.raises(InfeasibleError) as refused:
        ls.check(table, SCHEMA, y="ill", epsilon="1/500", ledger=ledger)
    assert refused.value.n_needed > 500
    assert ledger.spent().epsilon == 0
    report = ls.check(table, SCHEMA, y="ill", epsilon=1, ledger=ledger)
    assert ledger.spent().epsilon == 1
    assert report.guarantee.epsilon == 1
    assert not report.guarantee.seeded


def test_a_report_says_what_is_wrong():
    """Labels that are spelt otherwise, a decimal comma: nothing stops, and the report shows it."""
    n = 2000
    table = {
        "age": ["25,5", "40,1", "", "40"] * (n // 4),
        "city": ["Bonn"] * n,
        "ill": ["Yes", "no", "maybe", None] * (n // 4),
    }
    report = ls.check(table, SCHEMA, y="ill", epsilon=1, labels=("yes", "no"), random_state=0)
    age, city = report.columns
    for band, truth in (
        (age.missing, 0.25), (age.other, 0.5), (city.other, 0), (city.missing, 0),
        (report.label.missing, 0.25), (report.label.other, 0.5),
        (report.balance["yes"], 0), (report.balance["no"], 0.25),
    ):  # fmt: skip
        assert band.low <= truth <= band.high
        assert band.high - band.low < 0.04
    assert report.guarantee.seeded
    plain = report.to_dict()
    assert plain["n"] == n
    assert plain["columns"][0]["name"] == "age"
    assert plain["label"]["other"]["covers"] == "noise"


# -- Evaluations as they are shown: short tables, doubts about the column that is predicted --------

SHOWN_SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
TABLE = {"age": [25, 70] * 500, "ill": [0, 1] * 500, "cost": [1.0, 9.0] * 500}
TABLE |= {"time": [30, 5, 15, 5] * 250, "died": [0, 1] * 500, "few": [0, *[1] * 24] * 40}
TABLE |= {"price": ["$1"] * 1000}
TARGETS = {
    "labels": {"y": "ill"},
    "quantity": {"y": "cost", "target": "quantity", "high": 10},
    "time": {"time": "time", "event": "died", "periods": [10, 20]},
}


def fitted(seed=0, **how):
    return ls.fit(TABLE, epsilon=4, schema=SHOWN_SCHEMA, random_state=seed, **how)


@lru_cache
def of(target, seed=0):
    return fitted(seed, **TARGETS[target])


@pytest.mark.first(1)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
def test_an_evaluation_is_a_short_table_that_says_when_it_is_not_private(target):
    made = of(target)
    evaluation = made.evaluation_
    shown = str(evaluation)
    assert shown == repr(evaluation) == evaluation.summary()
    assert "NOT PRIVATE (seeded)" in shown
    assert "0x" not in shown
    assert 3 < shown.count("\n") + 1 <= 14
    frame = evaluation.to_frame().set_index("figure")
    assert list(frame.columns) == ["value", "low", "high"]
    for name, figure in evaluation.figures.items():
        if isinstance(figure, Between):
            assert tuple(frame.loc[name])[1:] == (figure.low, figure.high)
        elif figure is not None:
            assert frame.loc[name, "value"] == getattr(figure, "value", figure)
    if target != "labels":
        assert next(iter(evaluation.figures)) in str(made)
    if target == "labels":
        assert "NOT PRIVATE" not in str(of(target, None).evaluation_)


def test_of_three_labels_the_accuracy_is_shown():
    histogram = ScoreHistogram((0, 1, 2), ((90, 5, 5), (0, 99, 1), (8, 0, 92)), 300, F(1), F(1, 2))
    (name,), (band,) = zip(*Evaluation(histogram).figures.items(), strict=True)
    assert (name, round(band.value, 2)) == ("accuracy", 0.94)


def test_where_no_cell_is_a_number_nothing_is_said_of_errors_but_a_doubt(tmp_path, capsys):
    how = {"target": "quantity", "high": 100}
    with pytest.warns(UserWarning, match=r"not clear that any record has a number.*\$12"):
        made = fitted(y="price", **how)
    found = made.evaluation_.bands
    assert found.pop("with_target").low == 0
    assert set(found.values()) == {None}
    (tmp_path / "t.csv").write_text("age,price\n" + "25,$1\n70,$9\n" * 500)
    (tmp_path / "s.toml").write_text(SHOWN_SCHEMA.to_toml())
    asked = ["fit", str(tmp_path / "t.csv"), "--y", "price", "--target", "quantity", "--high"]
    asked += ["100", "--epsilon", "4", "--schema", str(tmp_path / "s.toml"), "--seed", "0"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert shown.index("Caution") < shown.index("Prediction ") < shown.index("hidden by noise")


def test_noise_alone_turns_no_band_around():
    """Also where the noisy counts contradict each other; no error is beyond the public range."""
    edges = tuple(F(2) ** i for i in range(-3, 4))
    rng, epsilon, n = np.random.default_rng(0), F(1, 10), 5000
    for _ in range(200):
        noise = np.rint(rng.laplace(0, 80, 8)).astype(int)
        sizes = (*noise[:-1].tolist(), n + int(noise[-1]))
        place = last_seen(sizes, parts_of_epsilon(epsilon, n)[0], 1)
        sums = tuple(abs(int(x)) for x in rng.laplace(0, 60_000, 4))
        found = QuantityEvaluation(
            ErrorSums(sums, sizes, edges, n, epsilon, 100, 1, F(4), edges[place], F(8))
        )
        for band in (found.median, found.ninth_decile):
            assert band.low <= band.value <= band.high
        for mean in (found.mae, found.rmse):
            assert mean.low <= getattr(mean, "value", mean.low) <= mean.high <= max(8, mean.low)


def rmse(errors, squares):
    """Return the RMSE of 5,000 units at epsilon .1, of two noisy sums in hundredths of a reach."""
    edges = tuple(F(2) ** i for i in range(-3, 4))
    curve = 3 * (errors - squares) // 2
    sums, sizes = (errors, curve, 60_000, 30_000), (4000, 990, 0, 0, 0, 0, 10, 0)
    return QuantityEvaluation(
        ErrorSums(sums, sizes, edges, 5000, F(1, 10), 100, 1, F(4), F(8), F(8))
    ).rmse


@pytest.mark.parametrize(("squares", "most"), [(-3000, 78_000), (0, 88_000), (2000, 92_000)])
def test_a_root_mean_square_is_projected_on_its_band(squares, most):
    """Large mean errors raise the estimate and the lower end, and neither widens the band."""
    first, *others = [rmse(errors, squares) for errors in (0, 50_000, 70_000, most)]
    for larger in others:
        assert larger.high == pytest.approx(first.high)
        assert larger.low <= larger.value <= larger.high
    assert max(each.value for each in others) == pytest.approx(first.high)
    contradicting = rmse(150_000, squares)
    assert contradicting.low == pytest.approx(first.high)
    assert contradicting.value == contradicting.high < 2.4  # 8 * .3, the mean error


def survival(events, others):
    """Return what is said of two bins of risk and two periods, without noise to speak of."""
    histogram = ScoreHistogram((0, 9), (*others, *events), 4000, F(99), F(50))
    return SurvivalEvaluation(histogram, np.full((2, 2), 0.1), (12.0, 24.0))


@pytest.mark.parametrize(
    ("events", "others", "words"),
    [
        (((100, 300), (100, 200)), ((50, 50), (50, 50), (1900, 1200)), ""),
        (((300, 100), (200, 100)), ((50, 50), (50, 50), (1200, 1900)), "below 0.5"),
        (((900, 1000), (900, 1010)), ((10, 9), (10, 9), (80, 72)), "nearly all records have"),
        (((0, 1), (0, 0)), ((0, 0), (0, 0), (1999, 2000)), ""),
        (((1000, 1000), (1000, 1000)), ((0, 0), (0, 0), (0, 0)), ""),  # nothing is censored
    ],
)
def test_events_that_are_coded_otherwise_are_doubted(events, others, words):
    found = survival(events, others)
    assert words in found.doubt
    assert bool(words) == bool(found.doubt)
    assert ("--event-is" in found.doubt) == bool(words)


def test_a_fit_of_times_says_its_doubt():
    with pytest.warns(
        UserWarning,
        match=r"Nearly all records have the event\. Check the code.*event_is=",
    ):
        fitted(time="time", event="few", periods=[10, 40])


def test_periods_have_two_ends():
    facts = [text for _, text in evaluation_facts(of("time").release_)]
    assert any(text.startswith("0 to 10: ") for text in facts)
    assert any(text.startswith("10 to 20: ") for text in facts)
    assert not [text for text in facts if "until" in text]


def test_the_width_of_an_interval_is_not_said_of_each_tree():
    made = fitted(y="cost", target="quantity", high=10, interval=0.8)
    width = made.hypothesis_.width * made.hypothesis_.parts[1]
    assert f"prediction intervals extend {width:.4g} to either side" in str(made)
    assert "each ±" not in str(made)


def test_where_label_and_probability_part_is_said():
    """Recalibrated probabilities may cross .5 elsewhere than the sum crosses 0."""
    schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    made = ls.Scorecard(schema, epsilon=8, evaluate=4, rounds=6, random_state=0)
    release = made.fit([[20], [45], [70]] * 200, [0, 0, 1] * 200).release_
    model = release.hypothesis
    side = np.array(model.margins) > 0
    for curve, said in [
        (np.where(side, 0.8, 0.2), ""),
        (np.where(side, 0.8, 0.6), "0.600"),
        (np.where(side, 0.4, 0.2), "0.400"),
    ]:
        shown = dict(evaluation_facts(replace(release, hypothesis=model.with_curve(curve))))
        words = f"where the probability is {said}, the less probable label is predicted"
        assert words in shown["Recalibration"] if said else "Recalibration" not in shown


def test_each_part_of_a_document_is_listed_once():
    """With a first count, held-out records and trees; the trees are those of learning."""
    release = of("labels").release_
    names = [name for name, _ in proposal_facts(release.parts, release.proposal)]
    assert names == [part.what.capitalize() for part in release.parts]
    assert len(names) == 3
    inside = [name for name, _ in spent_facts(release)]
    assert inside
    assert all(name.startswith("Learning, ") and "evaluation" not in name for name in inside)
