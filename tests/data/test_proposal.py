"""Schemas that are proposed: exact privacy of small tables, broken variants, and what they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction as F
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.audit import replace_one, verify_mechanism
from littlestone.bounds import recheck
from littlestone.cli.summary import plain
from littlestone.data import Sample, Schema, proposal
from littlestone.data.cells import number
from littlestone.data.proposal import grid, plan, tally
from littlestone.errors import BudgetError, DataError, InfeasibleError, ParameterError
from littlestone.privacy import Approximate, Pure, compose
from littlestone.source import SeededSource

#: Of a column that is decided: nothing, a fraction, a whole number, two texts.
CELLS = (None, "2.5", "1", "x", "y")
EPSILON, DELTA = F(8), F(1, 5)


@pytest.fixture
def tiny(monkeypatch):
    """So few numbers may be cuts that all data sets can be enumerated."""
    few = {True: (0.0, 1.0, 2.0), False: (0.0, 2.0, 2.5)}
    monkeypatch.setattr(proposal, "grid", lambda digits, *, whole: few[whole])
    monkeypatch.setattr(proposal, "_weight", lambda number: 2 if number == 2 else 1)
    proposal.slots.cache_clear()
    yield
    proposal.slots.cache_clear()


def release(columns, kinds, source, epsilon=EPSILON, delta=DELTA):
    """Return what a proposal of these columns of cells shows: all descriptions together."""
    names = [(f"c{j}", kind) for j, kind in enumerate(kinds)]
    asked = proposal.plan(names, epsilon=epsilon, delta=delta, bins=2)
    told = []
    for column, cells in zip(asked.columns, columns, strict=True):
        counted = Counter(cells)
        found = proposal.tally(list(counted), list(counted.values()))
        drawn = proposal.draw_column(column, found, len(cells), asked, source)
        told.append(None if drawn is None else repr(drawn.to_dict()))
    return tuple(told)


def verified(pairs, kinds, epsilon, delta):
    def run(rows, source):
        columns = [[row[j] for row in rows] for j in range(len(kinds))]
        return release(columns, kinds, source, epsilon, delta)

    return verify_mechanism(run, pairs, epsilon=epsilon, delta=delta)


def verification(cells=CELLS, kinds=("open",), n=2, epsilon=EPSILON, delta=DELTA):
    """Compare the laws of all tables of n records; a record has a cell in every column."""
    records = tuple(product(cells, repeat=len(kinds)))
    return verified(replace_one(records, n), kinds, epsilon, delta)


def near(kinds, delta, *cells):
    """Compare two tables in which one record decides as much as it can; equal cells in a row."""
    pair = [tuple((cell,) * len(kinds) for cell in column) for column in cells]
    return verified([pair], kinds, F(20), delta)


#: Numbers and texts are about as frequent, and a number more moves the cut.
NUMBER_OR_TEXT = ["0", "0", "1", "1"] + ["x"] * 6, ["0", "0", "1", "1", "2"] + ["x"] * 5
#: Four times as many whole numbers as others, and one that changes moves the cut.
WHOLE_OR_NOT = (
    ["0"] * 3 + ["1"] * 3 + ["2"] * 2 + ["2.5"] * 2,
    ["0"] * 2 + ["1"] * 3 + ["2"] * 2 + ["2.5"] * 3,
)
TWO_TEXTS = ["x"] * 3 + ["y"] * 2, ["x"] * 2 + ["y"] * 3
NUMBERS = ["0"] * 3 + ["1"] * 3 + ["2"] * 4, ["0"] * 2 + ["1"] * 3 + ["2"] * 5


@pytest.mark.usefixtures("tiny")
@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("cells", "kinds", "n", "delta"),
    [
        (CELLS, ("open",), 2, DELTA),
        ((None, "1", "x"), ("open", "open"), 1, DELTA),
        (CELLS, ("open",), 3, DELTA),
        (CELLS, ("open",), 2, 0),
        ((None, "0", "2"), ("whole", "number"), 2, 0),
        ((None, "x", "y"), ("text", "open"), 1, DELTA),
    ],
)
def test_a_replaced_record_costs_epsilon_and_delta(cells, kinds, n, delta):
    found = verification(cells, kinds, n, delta=delta)
    assert found.holds
    assert found.datasets == len(cells) ** (len(kinds) * n)


def sorted_by_true_count(monkeypatch):
    """Categories stand in the order of their true counts."""
    real = proposal.stable_items

    def items(texts, **options):
        return sorted(real(texts, **options), key=lambda kept: -texts[kept])

    monkeypatch.setattr(proposal, "stable_items", items)
    monkeypatch.setattr(proposal, "sorted", lambda found, key: list(found), raising=False)


def cost_of_the_branch_that_is_taken(monkeypatch):
    """What the other branch would have cost is spent again: all on cuts, all on the histogram."""
    monkeypatch.setattr(proposal.Asked, "cuts", property(lambda asked: 2 * asked.epsilon))
    monkeypatch.setattr(proposal.Asked, "categories", property(lambda asked: 2 * asked.epsilon))


def share_of_true_counts(monkeypatch):
    """Numeric or not by the true counts: no noise where most cells agree anyway."""
    monkeypatch.setattr(proposal, "_decide", lambda gap, *others: gap >= 0)


def omitted_ones_are_counted(monkeypatch):
    """A comment says how many categories were too rare."""
    real = proposal.stable_items

    def items(texts, **options):
        kept = real(texts, **options)
        return [*kept, f"and {len(texts) - len(kept)} others"]

    monkeypatch.setattr(proposal, "stable_items", items)


def columns_not_composed(monkeypatch):
    """Each column costs the whole of epsilon."""
    real = proposal.plan

    def alone(columns, **options):
        parts = [real([column], **options).columns[0] for column in columns]
        return replace(real(columns, **options), columns=tuple(parts))

    monkeypatch.setattr(proposal, "plan", alone)


def decisions_for_nothing(monkeypatch):
    """The decisions of type cost nothing extra: they are made with all of epsilon again."""
    monkeypatch.setattr(proposal, "_DECISION", F(1))
    monkeypatch.setattr(proposal.Asked, "cuts", property(lambda asked: asked.epsilon))
    monkeypatch.setattr(proposal.Asked, "categories", property(lambda asked: asked.epsilon))


def five_times_for_one(monkeypatch):
    """A whole number that becomes another one moves the second gap by 5, not by 1."""
    real = proposal._decide
    monkeypatch.setattr(proposal, "_decide", lambda gap, by, *others: real(gap, 1, *others))


def sizes_are_public(monkeypatch):
    """Where there is no number nothing is cut, for 'there is nothing to protect'."""
    real = proposal._bins

    def bins(asked, found, *others):
        return real(asked, found, *others) if found.counts.sum() else None

    monkeypatch.setattr(proposal, "_bins", bins)


NEAR = (
    (("open",), 0, *NUMBER_OR_TEXT),
    (("open",), 0, *WHOLE_OR_NOT),
    (("text",), DELTA, *TWO_TEXTS),
    (("whole", "whole"), 0, *NUMBERS),
)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("case", NEAR, ids=["number", "whole", "texts", "columns"])
def test_where_one_record_decides_much(case):
    assert near(*case).holds


@pytest.mark.first(3)
@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    "mutant",
    [
        sorted_by_true_count,
        cost_of_the_branch_that_is_taken,
        share_of_true_counts,
        omitted_ones_are_counted,
        columns_not_composed,
        decisions_for_nothing,
        five_times_for_one,
        sizes_are_public,
    ],
)
def test_broken_variants_are_noticed(mutant, monkeypatch):
    mutant(monkeypatch)
    assert not all(found.holds for found in (verification(), *(near(*one) for one in NEAR)))


def numbers_of_all_kinds(n=12_000):
    draw = np.random.default_rng(0)
    return {
        "age": draw.integers(17, 90, n).astype(np.int16),
        "rate": draw.normal(0.02, 0.004, n),
        "gain": np.where(draw.random(n) < 0.9, 0, draw.integers(1000, 20_000, n)),
        "flag": draw.random(n) < 0.5,
        "one": np.full(n, 7),
        "city": np.array([["Rome", "Bonn", "Ülm", "Bonn"][i % 4] for i in range(n)]),
        "name": np.array([f"person {i}" for i in range(n)]),
        "text": np.array([["31", " 47.0", "x", "58", ""][i % 5] for i in range(n)]),
        "day": pa.array([date(2020, 1, 1)] * n),
        "ill": draw.integers(0, 2, n),
    }


def test_what_is_proposed():
    table = numbers_of_all_kinds()
    schema = Schema.propose(table, epsilon=8, delta=1e-6, y="ill", random_state=0)
    assert schema.names == ("age", "rate", "gain", "flag", "city", "text", "day")
    assert schema.proposal.left_out == ("one", "name")  # one value, no frequent category
    for name, values in (("age", table["age"]), ("rate", table["rate"])):
        edges = schema[name].edges
        bins = np.bincount(np.searchsorted(edges, values, "right"), minlength=len(edges) + 1)
        assert len(bins) == 8
        assert bins.max() < 2 * 12_000 / 8
        assert all(len(f"{edge:e}".split("e")[0].rstrip("0")) <= 4 for edge in edges)  # 3 digits
    assert all(isinstance(edge, int) for edge in schema["age"].edges)
    # what is one value for nine of ten is cut off, and the rest is parted
    assert 0 < schema["gain"].edges[0] <= 2000
    assert any(3000 <= edge <= 18_000 for edge in schema["gain"].edges)
    assert schema["city"].categories == ("Bonn", "Rome", "Ülm")
    assert schema["flag"].categories == ("false", "true")
    assert schema["day"].categories == ("2020-01-01",)
    assert set(schema["text"].edges) <= set(range(32, 59))  # three of four are whole numbers


def test_bounds_are_public_knowledge():
    """Cuts lie within them, at few records too; what is beyond counts as the nearer end."""
    table = {"flag": [0, 1] * 500, "rate": np.linspace(-9, 9, 1000), "x": ["1", "y"] * 500}
    bounds = {"flag": (0, 1), "rate": (-1.0, 1.5), "x": (0, 5)}
    for seed in range(20):
        schema = Schema.propose(table, epsilon=1, bounds=bounds, random_state=seed)
        for column in schema:
            low, high = bounds[column.name]
            assert all(low < edge <= high for edge in column.edges)
        assert schema["flag"].edges == (1,)
        assert schema.proposal.declared == ("flag", "rate", "x")


def test_zeros_and_ones_have_one_cut():
    """A part with one value is left alone, whatever numbers the column might have held."""
    table = {"flag": [0, 1] * 10_000}
    found = [Schema.propose(table, epsilon="0.1", random_state=i)["flag"].edges for i in range(40)]
    assert sum(edges == (1,) for edges in found) >= 36


def test_without_a_delta_texts_are_left_out():
    table, known = numbers_of_all_kinds(), {"day": "text", "flag": "flag"}
    schema = Schema.propose(table, epsilon=8, y="ill", kinds=known, random_state=0)
    assert schema.proposal.left_out == ("one", "city", "name", "day")
    assert schema.proposal.declared == ("flag", "day")
    assert schema.guarantee.pure
    with pytest.raises(ParameterError, match="need a delta"):
        Schema.propose(table, epsilon=8, columns=["day", "flag"], kinds=known, random_state=0)
    with pytest.raises(DataError, match="stays spent"):
        Schema.propose(table, epsilon=8, columns=["city"], random_state=0)


@pytest.mark.parametrize("columns", [3, pytest.param(30, marks=pytest.mark.more)])
def test_columns_compose(columns):
    """The losses of all columns, each at its dearest, compose to what was given."""
    kinds = (["open", "whole", "text"] * columns)[:columns]
    asked = plan([(str(i), k) for i, k in enumerate(kinds)], epsilon=1, delta=1e-6)
    losses = Counter()
    for column, kind in zip(asked.columns, kinds, strict=True):
        part = Pure(column.epsilon) if kind == "whole" else None
        losses[part or Approximate(column.epsilon, column.delta)] += 1
    assert sum(column.delta for column in asked.columns) <= F(1, 10**6)
    if columns == 3:
        assert compose(losses, delta=F(1, 10**6))[0] == 1
    else:  # cuts are of bounded range: by them alone, and as pure losses that is more
        assert compose(losses, delta=F(1, 10**6))[0] < 2
        assert asked.columns[0].epsilon > F(1, 40)


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
        ({"bins": 6}, ParameterError),
        ({"digits": 9}, ParameterError),
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
        ({"bounds": {"age": (0.11, 0.12)}, "digits": 1}, ParameterError),
        ({"bounds": {"city": (0, 9)}, "kinds": {"city": "text"}}, ParameterError),
    ):
        with pytest.raises(error):
            Schema.propose(table, **{"epsilon": 1, "random_state": Unused(0)} | options)
    (tmp_path / "t.csv").write_text("ann,7\n")
    with pytest.raises(ParameterError, match="is a record"):
        Schema.propose(tmp_path / "t.csv", epsilon=1)
    with pytest.raises(BudgetError):
        Schema.propose(table, epsilon=3, ledger=ledger)
    assert ledger.spent().epsilon == 0
    schema = Schema.propose(table, epsilon=2, delta=1e-6, ledger=ledger)
    assert ledger.spent().epsilon == 2
    assert schema.guarantee.epsilon == 2
    assert not schema.guarantee.seeded


def test_equal_records_in_another_order_give_the_same():
    table = {"a": ["x"] * 400 + ["y"] * 500 + ["3"] * 100, "b": list(range(1000))}
    reverse = {name: cells[::-1] for name, cells in table.items()}
    found = [
        Schema.propose(pa.table(cells), epsilon=8, delta=1e-4, random_state=3)
        for cells in (table, reverse)
    ]
    assert found[0] == found[1]
    assert found[0]["a"].categories == ("3", "x", "y")


def test_cells_are_read_as_elsewhere(tmp_path):
    """Every cell that counts as a number has a bin, and every category is read as itself."""
    cells = ["7", " 7.0", "7e0", "1e400", "-inf", "true", "nan", "", None, "x", "9" * 400, "0x1"]
    found = tally(cells, [1] * len(cells))
    assert (found.counts.sum(), found.whole, found.words) == (6, 5, 3)
    column = ls.data.Column.bins("c", [5])
    assert found.values.tolist() == [7, 7, 7, np.inf, -np.inf, np.inf]
    assert [column.code(c) for c in cells[:5]] == [3, 3, 3, 3, 2]
    assert set(found.texts) == {"7", "7.0", "7e0", "1e400", "-inf", "true", "x", "9" * 400, "0x1"}
    assert all(number(str(cut)) == cut for cut in grid(1, whole=False))


@pytest.fixture(scope="module")
def proposed():
    table = {"age": np.arange(6000) % 60, "city": np.array(["Bonn", "Rome"] * 3000)}
    table["ill"] = (np.arange(6000) % 60 >= 30).astype(int)
    return table, Schema.propose(table, y="ill", epsilon=1, delta=1e-6, random_state=0)


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
    assert "does not hold" in path.read_text()
    for broken in (
        {"n": -1},
        {"left_out": [1]},
        {"declared": [1]},
        {"guarantee": {}},
        {"reach": "many"},
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
    assert release.together.epsilon == 3
    assert release.together.delta == F(1, 10**6)
    for text in (plain(release), ls.page(release)):
        assert (
            "certificate of accuracy does not hold" in text.lower() or "does not hold: the" in text
        )
        assert "the class depends on" in text
        assert "(3, 1e-06)" in text
    assert made["by hand"].release_.together is None
    assert "Together" not in plain(made["by hand"].release_)
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
    schema = Schema.propose(path, epsilon=8, delta=1e-6, csv=form, random_state=0)
    assert len(schema["warm"].edges) == 7
    assert all(20 < edge < 60 for edge in schema["warm"].edges)
    assert schema["code"].categories == ("1,5x", "Kölnx")
    assert schema.csv.decimal == "comma"
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert Schema.from_toml(tmp_path / "s.toml").csv == schema.csv
    undeclared = Schema.propose(
        path, epsilon=8, delta=1e-6, random_state=0, csv=form.replace("decimal=comma, ", "")
    )
    assert not undeclared["warm"].numeric


def test_the_number_of_records_is_not_told_under_add_remove():
    """There it is secret; the proposal, under replace-one, does not hide it: that is said."""
    table = pa.table({"z": range(1800), "y": [0, 1] * 900})
    proposed = Schema.propose(table, y="y", epsilon=9, random_state=0)
    for neighbours, tells in (("add-remove", False), ("replace-one", True)):
        learner = ls.AgnosticLearner(
            ls.Rules(proposed, max_literals=1), epsilon=9, neighbours=neighbours, random_state=0
        )
        domain = learner.concept_class.domain
        said = plain(learner.fit(Sample.read(table, y="y", domain=domain)).release_)
        assert ("1,800" in said) == tells
        assert ("protects the records, not how many there are" in said) != tells
