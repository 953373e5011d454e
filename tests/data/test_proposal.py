"""Schemas that are proposed: exact privacy of small tables, broken variants, and what they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

import littlestone as ls
from littlestone.audit import replace_one, verify_mechanism
from littlestone.bounds import recheck
from littlestone.data import Sample, Schema, counting, proposal, read_table
from littlestone.data.proposal import Cell, plan, prepare, propose, tally
from littlestone.errors import BudgetError, InfeasibleError, ParameterError, StoppedError
from littlestone.mechanisms import estimate as counts
from littlestone.privacy import zcdp_to_dp
from littlestone.report.evaluated import plain
from littlestone.source import ExactSource, SeededSource

from ..exact_noise import table_gaussian, table_geometric

#: Of a column that is decided: nothing, numbers with other sizes and digits, texts.
CELLS = (None, "0", "1", "12", "7.5", "x", "y")
ONE = [("12", "12", "12", "y"), *[("12", "12", "12", "x")] * 5]
TWO = [("0", "12", "1", "y"), *[("0", "12", "1", "x")] * 5]
HALF = [(None,) * 4] * 2 + [("12", "12", "12", "x")] * 4
MISSING = [(None,) * 4] * 3 + [("12", "12", "12", "x")] * 3
#: A record that is replaced within a cell that has most of a column's, leaves it, or was decisive.
PLANNED = [
    (ONE, ("13", "13", "13", "y")), (ONE, ("x", "13", "13", "y")), (ONE, ("x", "1", "13", "y")),
    (TWO, ("1", "13", "0", "y")), (TWO, ("y", "0", "7.5", None)),
    (HALF, (None,) * 4), (HALF, ("1", "1", "1", "x")), (MISSING, (None,) * 4),
]  # fmt: skip


def described(monkeypatch, asked, rows, answers, listed):
    """Describe rows where every noisy count is as answered; return what was counted, and columns.

    Given all noisy counts, a proposal may depend on nothing else. Of texts those are kept that are
    in ``listed``.
    """
    calls = []

    def cells(found, noise, source):
        calls.append((noise, list(found)))
        return [answers(len(calls), place, count) for place, count in enumerate(calls[-1][1])]

    def items(found, noise, tau, source):
        calls.append((noise, [found.get(item, 0) for item in listed]))
        return {item: tau for item in listed if answers(len(calls), 0, 0) > 0}

    monkeypatch.setattr(proposal, "noisy_counts", cells)
    monkeypatch.setattr(proposal, "noisy_items", items)
    columns = map(Counter, zip(*rows, strict=True))
    tallies = [proposal.tally(list(column), list(column.values())) for column in columns]
    return calls, proposal.describe(asked, tallies, len(rows), SeededSource(0))


def pairs_of(tables):
    """Yield neighbouring tables, and what noisy counts of both are, by call, place and count."""
    random = np.random.default_rng(0)

    def drawn():
        table = random.choice([-9, 900], (40, 200), p=[0.8, 0.2]).tolist()
        return lambda call, place, count: table[call % 40][place]

    for rows, record in PLANNED:
        known = {}  # as the first table has it, without noise
        as_counted = lambda *at, known=known: known.setdefault(at[:2], 900 * at[2])  # noqa: E731
        for answers in (as_counted, lambda call, place, count: 900 * (place > 0), drawn()):
            yield rows, [*rows[:-1], record], answers
    for _ in range(tables):
        rows = [tuple(random.choice(np.array(CELLS, object), 4)) for _ in range(6)]
        yield rows, [*rows[:-1], tuple(random.choice(np.array(CELLS, object), 4))], drawn()


def check(monkeypatch, *, delta):
    """Compare neighbouring tables, for all kinds of columns; return what one record cost at most.

    In pure privacy the loss at given noisy counts is at most the sum of rates times moves; else it
    is that of Gaussians, whose rho is the sum of squares of moves over twice the variance.
    """
    most = F(0)
    kinds = [("a", "open"), ("b", "whole"), ("c", "number"), ("d", "text")]
    bounds = {name: (0, 99) for name in "abc"}  # few sizes
    asked = plan(kinds, epsilon=3, delta=delta, bins=2, bounds=bounds)
    for rows, other, answers in pairs_of(10 if delta else 130):
        listed = sorted({"x", "y"} & {c for r in rows for c in r} & {c for r in other for c in r})
        (calls, one), (others, two) = (
            described(monkeypatch, asked, table, answers, listed) for table in (rows, other)
        )
        assert one == two
        assert [(noise, len(found)) for noise, found in calls] == [
            (noise, len(found)) for noise, found in others
        ]
        cost = F(0)
        for (noise, found), (_, counted) in zip(calls, others, strict=True):
            moves = [abs(x - y) for x, y in zip(found, counted, strict=True)]
            if delta:
                cost += F(sum(move**2 for move in moves)) / (2 * noise.variance)
            else:
                cost += noise.rate * sum(moves)
        most = max(most, cost)
    assert most <= (asked.rho if delta else asked.epsilon)
    return most / (asked.rho if delta else asked.epsilon)


@pytest.mark.first(1)
@pytest.mark.parametrize("delta", [0, F(1, 10**6)])
def test_given_its_noisy_counts_a_proposal_costs_what_it_says(delta, monkeypatch):
    """At most the whole, and not much less: it is also what is paid for, of all rounds."""
    assert check(monkeypatch, delta=delta) > (F(3, 4) if delta else F(3, 5))


def test_texts_leak_a_tenth_of_delta():
    for kinds in (["text"], ["open", "text", "whole"]):
        asked = plan([(str(i), k) for i, k in enumerate(kinds)], epsilon=1, delta=F(1, 10**4))
        leak = 0.0
        for column in asked.columns:
            noise = asked.histogram(column)
            if column.kind != "whole":
                beyond = asked.text_from(column, 0) - noise.least - 1
                leak += stats.norm.sf(beyond, scale=float(noise.variance) ** 0.5)
        assert 5e-6 < leak <= 1e-5  # a whole number of records
        assert asked.leak == F(1, 10**5)
        assert zcdp_to_dp(asked.rho, F(9, 10**5)) <= 1


@pytest.fixture(params=[0, F(1, 4)])
def two_rounds(request, monkeypatch):
    """Two cells, of which one has two parts, and noise in one draw: the mechanism, its privacy."""
    low, high, first, second = Cell(0, 1, 0), Cell(1, 3, 0), Cell(1, 2, 0), Cell(2, 3, 0)
    monkeypatch.setattr(proposal, "grid", lambda *, whole: (low, high))
    monkeypatch.setattr(proposal, "_DEVIATIONS", 0)
    monkeypatch.setattr(
        Cell, "parts", lambda cell, *, whole: [first, second] if cell == high else []
    )
    monkeypatch.setattr(counts, "discrete_gaussian", table_gaussian(1))
    epsilon, delta = 8, request.param
    if not delta:  # such noise ends at its reach: only whether a count is positive may tell
        monkeypatch.setattr(counts, "two_sided", table_geometric(2))
        positive = lambda counts, *_, **__: [float(c > 0) for c in counts]  # noqa: E731
        monkeypatch.setattr(proposal, "_smoothed", positive)
    asked = plan([("a", "number")], epsilon=epsilon, delta=delta, bins=4)

    def run(cells, source):
        tally = proposal.tally(cells, [1] * len(cells))
        return [c and c.to_dict() for c in proposal.describe(asked, [tally], len(cells), source)]

    return run, {"epsilon": epsilon, "delta": delta}


def exactly(run, promised, *, of_two=False):
    """Return the verdict of all tables of one record, with a delta also of two; all neighbours."""
    pairs = [*replace_one((None, "0", "1", "2"), 1)]
    if of_two or promised["delta"]:
        pairs += replace_one(("0", "1", "2"), 2)
    return verify_mechanism(run, pairs, **promised)


@pytest.mark.more
def test_the_law_of_both_rounds_on_all_tables(two_rounds):
    """Which cell is counted in parts, and its parts: by enumeration."""
    run, promised = two_rounds
    outcomes = ExactSource().law(lambda source: str(run(["2"], source))).outcomes
    assert any("[1, 2]" in outcome for outcome in outcomes)  # an edge within the larger cell
    assert exactly(run, promised).holds


@pytest.mark.full
def test_the_law_of_both_rounds_on_all_tables_of_two_records(two_rounds):
    assert exactly(*two_rounds, of_two=True).holds


@pytest.mark.more
def test_a_second_round_without_noise_is_noticed(two_rounds, monkeypatch):
    real = proposal.noisy_counts

    def noisy(found, noise, source):
        return real(found, noise, source) if len(found) == 3 else [9 * count for count in found]

    monkeypatch.setattr(proposal, "noisy_counts", noisy)
    assert not exactly(*two_rounds).holds


def columns_not_composed(patch):
    """Each column has the noise of one."""
    real = proposal.Plan.histogram
    patch.setattr(
        proposal.Plan, "histogram", lambda plan, own: real(replace(plan, columns=(own,)), own)
    )


def rounds_not_composed(patch):
    """Each round has the whole."""
    for name in ("histogram", "parts"):
        real = getattr(proposal.Plan, name)

        def noise(plan, asked, real=real, first=name == "histogram"):
            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(proposal.Plan, "first", F(int(first)))
                return real(plan, asked)

        patch.setattr(proposal.Plan, name, noise)


def missing_is_counted_exactly(patch):
    """A column that is missing in most records, by the true count, is left out."""
    real = proposal._histogram

    def histogram(asked, column, own, n, source):
        told = real(asked, column, own, n, source)
        return told if 2 * (own.counts.sum() + own.texts.total()) >= n else []

    patch.setattr(proposal, "_histogram", histogram)


def a_record_in_two_cells(patch):
    """The cells of sizes overlap."""
    real = proposal.grid
    patch.setattr(proposal, "grid", lambda *, whole: 3 * real(whole=whole))


def weights_not_composed(patch):
    """A column of weight 3 has a third of the noise, and others no more for it."""

    def histogram(plan, column):
        share = proposal._WEIGHT[column.kind] * plan.first * plan.rho
        return counts.Noise(variance=len(plan.paying) / share)

    patch.setattr(proposal.Plan, "histogram", histogram)


def parts_by_the_true_count(patch):
    """Cells are counted in parts where they have most records, without noise."""
    real = proposal._histogram

    def histogram(asked, column, own, n, source):
        told = real(asked, column, own, n, source)
        if not isinstance(told, dict):
            return told
        true = dict(zip(told, own.among(list(told), column.bounds), strict=True))
        return {cell: mass * (1 + 999 * (2 * true[cell] > n)) for cell, mass in told.items()}

    patch.setattr(proposal, "_histogram", histogram)


def second_rounds_not_composed(patch):
    """Each column that is counted in parts has the whole second round."""
    real = proposal.Plan.parts
    patch.setattr(proposal.Plan, "parts", lambda plan, columns: real(plan, 1))


@pytest.mark.more
@pytest.mark.parametrize(
    ("mutant", "delta"),
    [
        (columns_not_composed, 0),
        (rounds_not_composed, 0),
        (missing_is_counted_exactly, 0),
        (a_record_in_two_cells, 0),
        (a_record_in_two_cells, F(1, 10**6)),
        (weights_not_composed, F(1, 10**6)),
        (rounds_not_composed, F(1, 10**6)),
        (second_rounds_not_composed, F(1, 10**6)),
        (second_rounds_not_composed, 0),
        (parts_by_the_true_count, F(1, 10**6)),
        (parts_by_the_true_count, 0),
    ],
)
def test_broken_variants_are_noticed(mutant, delta, monkeypatch):
    mutant(monkeypatch)
    with pytest.raises(AssertionError):
        check(monkeypatch, delta=delta)


def numbers_of_all_kinds(n=12_000):
    draw = np.random.default_rng(0)
    return {
        "age": draw.integers(17, 90, n).astype(np.int16),
        "rate": draw.normal(0.02, 0.004, n),
        "gain": np.where(draw.random(n) < 0.9, 0, draw.integers(1000, 20_000, n)),
        "flag": draw.random(n) < 0.5,
        "one": np.full(n, 7),
        "city": np.array([["Rome", "Bonn", "Ülm", "Bonn"][i % 4] for i in range(n)]),
        "who": np.array([f"person {i}" for i in range(n)]),
        "written": np.array([["31", " 47.0", "x", "58", ""][i % 5] for i in range(n)]),
        "day": pa.array([date(2020, 1, 1)] * n),
        "ill": draw.integers(0, 2, n),
    }


def test_what_is_proposed():
    table = numbers_of_all_kinds()
    schema = propose(table, epsilon=8, delta=1e-6, y="ill", random_state=0)
    assert schema.names == ("age", "rate", "gain", "flag", "city", "written", "day")
    assert schema.proposal.left_out == ("one", "who")  # one value, no frequent category
    for name, values in (("age", table["age"]), ("rate", table["rate"])):
        edges = schema[name].edges
        bins = np.bincount(np.searchsorted(edges, values, "right"), minlength=len(edges) + 1)
        assert len(bins) <= 17
        assert bins.max() < 3 * 12_000 / 8
        assert all(len(f"{edge:e}".split("e")[0].rstrip("0")) <= 5 for edge in edges)  # 4 digits
    assert all(isinstance(edge, int) for edge in schema["age"].edges)
    # what is one value for nine of ten is cut off, and the rest is parted
    assert 0 < schema["gain"].edges[0] <= 2000
    assert any(3000 <= edge <= 18_000 for edge in schema["gain"].edges)
    assert schema["city"].categories == ("Bonn", "Rome", "Ülm")
    assert schema["flag"].categories == ("false", "true")
    assert schema["day"].categories == ("2020-01-01",)
    assert set(schema["written"].edges) <= set(range(32, 59))  # three of four are whole numbers


@pytest.mark.more
def test_bounds_are_public_knowledge():
    """Cuts lie within them, at few records too; what is beyond counts as the nearer end."""
    table = {"flag": [0, 1] * 500, "rate": np.linspace(-9, 9, 1000), "x": ["1", "y"] * 500}
    bounds = {"flag": (0, 1), "rate": (-1.0, 1.5), "x": (0, 5)}
    for seed in range(20):
        schema = propose(table, epsilon=1, bounds=bounds, random_state=seed)
        for column in schema:
            low, high = bounds[column.name]
            assert all(low < edge <= high for edge in column.edges)
        assert schema["flag"].edges == (1,)
        assert schema.proposal.declared == ("flag", "rate", "x")


def test_columns_are_counted_together_as_each_alone(tmp_path, monkeypatch):
    table = {"a": ["7", "07", "7"], "b": ["ü", "", "x"], "c": ["1", "2", "3"], "d": ["", "", ""]}
    lines = [",".join(table), *map(",".join, zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("latin-1"))
    for most in (2**22, 6, 1):
        monkeypatch.setattr(counting, "_MOST_CELLS", most)
        opened = read_table(tmp_path / "t.csv")
        found = counting.count_columns(opened, list(table), caller="test")
        for (raw, times), cells in zip(found, table.values(), strict=True):
            numbers = [float(cell) for cell in cells if cell.isdecimal()]
            known = tally(*proposal._grouped(raw, times))
            assert np.repeat(known.values, known.counts).tolist() == sorted(numbers)
            assert known.texts.total() + len(numbers) == sum(cell != "" for cell in cells)


def test_a_column_of_which_nothing_is_seen_has_equal_parts_of_its_bounds():
    table = {"rare": ["7"] + [None] * 999, "rate": [1.5] * 1000, "age": np.arange(1000) % 90}
    known = {"rare": (0, 16), "rate": (0, 0.8)}
    schema = propose(table, epsilon=3, bounds=known, random_state=0)
    assert schema["rare"].edges == (2, 4, 6, 8, 10, 12, 14)
    assert schema["rate"].edges == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert schema.proposal.left_out == ()
    assert "rare" in propose(table, epsilon=3, random_state=0).proposal.left_out


def test_declared_texts_take_nothing_from_others_without_a_delta(tmp_path):
    pq.write_table(pa.table({"city": ["7"] * 900, "age": range(900)}), tmp_path / "t.parquet")
    ready = prepare(tmp_path / "t.parquet", epsilon=1)
    assert [asked.name for asked in ready.asked.paying] == ["age"]
    assert propose(tmp_path / "t.parquet", epsilon=1).proposal.declared == ("city", "age")
    ready = prepare(tmp_path / "t.parquet", epsilon=1, kinds={"city": "open"})
    assert [asked.name for asked in ready.asked.paying] == ["city", "age"]


@pytest.mark.more
def test_zeros_and_ones_have_one_cut():
    """A bin for each of them, whatever numbers the column might have held."""
    table = {"flag": [0, 1] * 10_000}
    found = [propose(table, epsilon="0.5", random_state=i)["flag"].edges for i in range(5)]
    assert sum(edges == (1,) for edges in found) >= 4


@pytest.mark.more
def test_without_a_delta_texts_are_left_out():
    table, known = numbers_of_all_kinds(), {"day": "text", "flag": "flag"}
    schema = propose(table, epsilon=8, y="ill", kinds=known, random_state=0)
    assert schema.proposal.left_out == ("one", "city", "who", "day")
    assert schema.proposal.declared == ("flag", "day")
    assert schema.guarantee.pure
    with pytest.raises(ParameterError, match="need a delta"):
        propose(table, epsilon=8, columns=["day", "flag"], kinds=known, random_state=0)
    with pytest.raises(StoppedError, match=r"is paid for .pure 8-.*text columns need a delta"):
        propose(table, epsilon=8, columns=["city"], random_state=0)


class Unused(SeededSource):
    """A source that nobody may draw from."""

    def choose(self, weights):
        raise AssertionError("drawn from")


def test_checked_then_charged_then_drawn(tmp_path):
    table = {"age": list(range(900)), "city": ["Bonn"] * 900}
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=2, delta=1e-5)
    for options, error in (
        ({"ledger": ledger}, ParameterError),  # a seeded release is not paid
        ({"epsilon": "1/500"}, InfeasibleError),
        ({"epsilon": 0}, ParameterError),
        ({"delta": 1}, ParameterError),
        ({"bins": 1}, ParameterError),
        ({"y": "ill"}, ParameterError),
        ({"columns": "age"}, ParameterError),
        ({"columns": ["age", "age"]}, ParameterError),
        ({"kinds": {"age": "int64"}}, ParameterError),
        ({"kinds": {"agee": "whole"}}, ParameterError),
        ({"kinds": {"city": "text"}, "columns": ["age"]}, ParameterError),
        ({"kinds": "whole"}, ParameterError),
        ({"bounds": "age"}, ParameterError),
        ({"bounds": {"agee": (0, 9)}}, ParameterError),
        ({"bounds": {"age": (9, 0)}}, ParameterError),
        ({"bounds": {"age": (0, True)}}, ParameterError),
        ({"bounds": {"city": (0, 9)}, "kinds": {"city": "text"}}, ParameterError),
    ):
        with pytest.raises(error):
            propose(table, **{"epsilon": 1, "random_state": Unused(0)} | options)
    (tmp_path / "t.csv").write_text("ann,7\n")
    with pytest.raises(ParameterError, match="is a record"):
        propose(tmp_path / "t.csv", epsilon=1)
    with pytest.raises(BudgetError):
        propose(table, epsilon=3, ledger=ledger)
    assert ledger.spent().epsilon == 0
    schema = propose(table, epsilon=2, delta=1e-6, ledger=ledger)
    assert ledger.spent().epsilon == 2
    assert schema.guarantee.epsilon == 2
    assert not schema.guarantee.seeded


def test_equal_records_in_another_order_give_the_same():
    table = {"a": ["x"] * 400 + ["y"] * 500 + ["3"] * 100, "b": list(range(1000))}
    reverse = {name: cells[::-1] for name, cells in table.items()}
    found = [
        propose(pa.table(cells), epsilon=8, delta=1e-4, random_state=3)
        for cells in (table, reverse)
    ]
    assert found[0] == found[1]
    assert found[0]["a"].categories == ("x", "y")


def test_cells_are_read_as_elsewhere(tmp_path):
    """Every cell that counts as a number has a bin, and every category is read as itself."""
    cells = ["7", " 7.0", "7e0", "1e400", "-inf", "true", "nan", "", None, "x", "9" * 400, "0x1"]
    found = tally(cells, [1] * len(cells))
    assert (found.counts.sum(), found.texts.total()) == (6, 3)
    column = ls.data.Column.bins("c", [5])
    largest = np.nextafter(1e12, 0)
    assert found.values.tolist() == [-1e12, 7, 7, 7, largest, largest]
    assert [column.code(c) for c in cells[:5]] == [3, 3, 3, 3, 2]
    assert set(found.texts) == {"true", "x", "0x1"}


@pytest.fixture(scope="module")
def proposed():
    table = {"age": np.arange(6000) % 60, "city": np.array(["Bonn", "Rome"] * 3000)}
    table["ill"] = (np.arange(6000) % 60 >= 30).astype(int)
    return table, propose(table, y="ill", epsilon=1, delta=1e-6, random_state=0)


def test_the_file_keeps_what_it_cost(proposed, tmp_path):
    schema, path = proposed[1], tmp_path / "s.toml"
    path.write_text(schema.to_toml())
    for read in (
        Schema.from_toml(path),
        Schema.from_dict(schema.to_dict()),
        Schema.from_list(schema.to_list()),
    ):
        assert read == schema
        assert read.guarantee == schema.guarantee
        assert read.proposal.n == 6000
    assert "no certificate of accuracy" in path.read_text()
    for broken in (
        {"n": -1},
        {"left_out": [1]},
        {"declared": [1]},
        {"zcdp": 3},
        {"zcdp": ["1/2"]},
        {"zcdp": ["0", "0"]},
        {"zcdp": ["1", "1"]},
        {"guarantee": {}},
    ):
        with pytest.raises(ParameterError, match="must have the entries"):
            Schema.from_dict(
                schema.to_dict() | {"*proposal": proposed[1].proposal.to_dict() | broken}
            )
    assert Schema.from_dict({"age": {"bins": [1]}}).guarantee is None


def test_releases_say_that_the_class_depends_on_the_sample(proposed, tmp_path):
    table, schema = proposed
    by_hand = replace(schema, proposal=None)
    made = {
        name: ls.AgnosticLearner(ls.DecisionTrees(own, depth=1), epsilon=2, random_state=0).fit(
            table, "ill"
        )
        for name, own in (("proposed", schema), ("by hand", by_hand))
    }
    release = made["proposed"].release_
    assert made["by hand"].certificate_.holds
    assert not made["proposed"].certificate_.holds
    assert recheck(release.certificate) == ()
    assert made["proposed"].hypothesis_ == made["by hand"].hypothesis_  # nothing else has changed
    assert not made["proposed"].certificate(10**9).holds
    assert (release.guarantee.epsilon, release.guarantee.delta) == (3, F(1, 10**6))
    for text in (plain(release), ls.page(release)):
        assert (
            "certificate of accuracy does not hold" in text.lower() or "does not hold: the" in text
        )
        assert "the class depends on" in text
        assert "(3, 1e-06)" in text
    assert made["by hand"].release_.guarantee.epsilon == 2
    release.save(tmp_path / "m.json")
    again = ls.load(tmp_path / "m.json")
    assert again.proposal == schema.proposal
    assert again.to_json() == release.to_json()
    assert "*proposal" not in release.export("json")


def test_decimal_commas_are_declared(tmp_path):
    """Numbers are read with the declared sign, categories as they are written."""
    path = tmp_path / "t.csv"
    rows = (f"{20 + i % 40},{i % 10};{'1,5' if i % 2 else 'Köln'}x\n" for i in range(6000))
    path.write_text("warm;code\n" + "".join(rows), encoding="latin-1")
    form = "sep=;, decimal=comma, encoding=latin-1, header=public"
    schema = propose(path, epsilon=8, delta=1e-6, csv=form, random_state=0)
    assert 7 <= len(schema["warm"].edges) <= 16
    assert all(20 < edge < 60 for edge in schema["warm"].edges)
    assert schema["code"].categories == ("1,5x", "Kölnx")
    assert schema.csv.decimal == "comma"
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert Schema.from_toml(tmp_path / "s.toml").csv == schema.csv
    undeclared = propose(
        path, epsilon=8, delta=1e-6, random_state=0, csv=form.replace("decimal=comma, ", "")
    )
    assert not undeclared["warm"].numeric


def test_the_number_of_records_is_not_told_under_add_remove():
    """There it is secret; a proposal, under replace-one, does not hide it, so it is refused."""
    table = pa.table({"z": range(1800), "y": [0, 1] * 900})
    proposed = propose(table, y="y", epsilon=9, random_state=0)
    rules = ls.Rules(proposed, max_literals=1)
    sample = Sample.read(table, y="y", domain=rules.domain)
    learner = ls.AgnosticLearner(rules, epsilon=9, random_state=0)
    assert "1,800" in plain(learner.fit(sample).release_)
    with pytest.raises(ParameterError, match="replace-one and add-remove") as refused:
        learner.set_params(neighbours="add-remove").fit(sample)
    assert "1,800" not in str(refused.value)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("spellings", "declared", "found"),
    [
        ((["True", "TRUE", "true"], ["False", "false"]), ["true", "false"], ["false", "true"]),
        (
            (["2020-01-01", "2020-01-01 00:00:00", "2020-01-01T00:00"], ["2021-07-01"]),
            [date(2020, 1, 1), date(2021, 7, 1)],
            ["2020-01-01", "2021-07-01"],
        ),
        (
            (["2020-01-01 02:00:00+02", "2020-01-01T00:00:00.0Z"], ["2021-07-01 00:30:00 UTC"]),
            pa.array([1_577_836_800, 1_625_099_400], pa.timestamp("s", "Asia/Kolkata")),
            ["2020-01-01 00:00:00+00:00", "2021-07-01 00:30:00+00:00"],
        ),
    ],
)
def test_spellings_of_one_value_are_one_category(spellings, declared, found, tmp_path):
    """In a file of texts and in one of types alike, as labels are."""
    sides = [[side[i % len(side)] for i in range(600)] for side in spellings]
    (tmp_path / "t.csv").write_text("\n".join(["c", *sides[0], *sides[1]]) + "\n")
    cells = pa.array(declared).take(pa.array([0] * 600 + [1] * 600))
    pq.write_table(pa.table({"c": cells}), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        made = propose(
            tmp_path / name, epsilon=4, delta=1e-6, random_state=0, header_is_public=True
        )
        assert list(made["c"].categories) == found
