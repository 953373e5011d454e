"""The private report of a table: counts by brute force, exact privacy, and broken variants."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.audit import replace_one, verify_mechanism
from littlestone.data import Column, Schema
from littlestone.data.counting import count_codes, count_labels
from littlestone.errors import BudgetError, InfeasibleError, ParameterError
from littlestone.evaluation import histogram
from littlestone.evaluation import measures as data_report
from littlestone.evaluation.measures import check_noise, release_shares
from littlestone.privacy import Pure, compose
from littlestone.source import SeededSource

AGE = Column.bins("age", [30], ["?"])
CITY = Column.of("city", ["Bonn"])
SCHEMA = Schema((AGE, CITY))
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
        assert count_codes(table, AGE, caller="t").tolist() == [
            missing, odd, len(rows) - missing - odd - above, above,
        ]  # fmt: skip
        share = len(rows) // 4
        assert count_codes(table, CITY, caller="t").tolist() == [share, 2 * share, share]
        share = len(rows) // 7
        found = count_labels(table, "ill", ["0", "1"], caller="t").tolist()
        # "true" equals 1, as in fit
        assert found == [2 * share, share, share, 3 * share]


def counted(rows):
    """Return cells of a report of these rows: age missing or other, label 1."""
    ages = [age for age, _ in rows]
    return [[ages.count(""), ages.count("x")], [sum(label == "1" for _, label in rows)]]


#: Every age missing, other or a number; every label the declared one or not.
ROWS = tuple(product(["", "x", "30"], ["0", "1"]))
EPSILON = Fraction(1)


def verification(n=1):
    """Compare the laws of all data sets of n rows with those of their neighbours."""
    noise = check_noise(Schema((AGE,)), epsilon=EPSILON)

    def run(rows, source):
        return data_report.release_shares(counted(rows), n, noise, source)

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
    """Misses are binomial with p <= 1/20: more than 34 of 300 have probability below 1e-5."""
    noise, source, misses = check_noise(SCHEMA, epsilon=1), SeededSource(3), 0
    for _ in range(300):
        (((band,),)) = release_shares([[400]], 1000, noise, source)
        misses += not band.low <= 0.4 <= band.high
        assert 0 <= band.low <= band.value <= band.high <= 1
    assert 0 < misses <= 34


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
