"""What the front door holds out: before anything is learned, secretly, and paid for once."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.classes import Rules
from littlestone.data import tables
from littlestone.evaluation.histogram import held_out_by_rule
from littlestone.learners import fit as front_door
from littlestone.learners.fit import Fit
from littlestone.learners.running import _histogram, read_sample
from littlestone.mechanisms.estimate import truncated
from littlestone.privacy.guarantee import HELD_OUT, LEARNED_FROM

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})
COLUMNS = {"age": {"bins": [20, 40, 60]}, "city": {"categories": ["Bonn", "Rome"]}}
#: Records: age and label, in the order of sorted tables: neighbours there differ in both.
KINDS = ((10, 0), (20, 1), (50, 0))


class Ordered:
    """A source whose permutation is known."""

    seeded = False

    def __init__(self, order):
        self.order = np.array(order)

    def permutation(self, n, first=None):
        return self.order[:first]


def split_by_the_front_door(records, first):
    """Return who learns, from which sample of a table of two records, and what is held out."""
    ages, labels = zip(*records, strict=True)
    asked = Fit(y="ill", epsilon=1, schema=SCHEMA, model="rule", holdout="1/2")
    table = {"age": list(ages), "ill": list(labels)}
    planned = asked.plan(table, Ordered([first, 1 - first]))
    samples = [
        read_sample(planned.learner, part, y="ill", caller="test")
        for part in (planned.table, planned.apart)
    ]
    assert (planned.learner.epsilon, planned.shares.evaluation) == (1, 1)
    return planned.learner, *samples


def noisy(sample, source):
    """Release the number of ones at epsilon 1."""
    return min(max(sample.positives + truncated(F(1), sample.n, source), 0), sample.n)


def both_parts():
    """Return what releases both parts at epsilon 1 each: no fit or evaluation could tell more."""
    split = cache(split_by_the_front_door)

    def law(records, source):
        _, learned, held_out = split(records, source.below(2))
        return noisy(learned, source), noisy(held_out, source)

    return law


def whole_fit():
    """Return what draws all that a fit draws: the split, a rule, and the evaluation of it."""
    split = cache(split_by_the_front_door)

    def law(records, source):
        learner, learned, held_out = split(records, source.below(2))
        rule = learner.draw(learned, source)
        found = _histogram(rule, held_out, source, F(1), held_out=True)
        return rule.describe(), found.counts

    return law


def neighbours():
    """Tables whose rows are sorted, so that places say what is there."""
    for records in combinations_with_replacement(KINDS, 2):
        for new in KINDS:
            other = tuple(sorted((records[1], new)))
            if other > records:
                yield records, other


def test_no_record_pays_twice_by_the_split_of_the_front_door():
    """By a rule for places, or for contents, both parts would see that a record was replaced."""
    pairs = set(neighbours())
    assert len(pairs) == 8
    assert verify_mechanism(both_parts(), pairs, epsilon=1).holds


@pytest.mark.more
def test_split_fit_and_evaluation_are_one_law(monkeypatch):
    """On two tables with different parts, whichever way they are split."""
    monkeypatch.setitem(front_door.MODELS, "rule", lambda schema, labels, size: Rules(schema, 1))
    assert verify_mechanism(whole_fit(), [(KINDS[:2], KINDS[1:])], epsilon=1).holds


N = 4000


def table_of(seed, held_out=None):
    """Return a table; with ``held_out``, another one in these rows only."""
    rng = np.random.default_rng(seed)
    table = {"age": rng.integers(0, 90, N), "city": rng.choice(["Bonn", "Rome"], N)}
    table["ill"] = (rng.random(N) < table["age"] / 100).astype(int)
    if held_out is not None:
        table["age"][held_out] += 9000
        table["ill"][held_out] = 7
        table["city"][held_out] = "Oslo"
    return table


@cache
def fitted_of(seed):
    """What is released of the table of a seed, over the columns of the next test."""
    return fitted(table_of(seed), schema=ls.Schema.from_dict(COLUMNS)).to_json()


def fitted(table, **more):
    given = {"epsilon": 2, "delta": 1e-6, "random_state": 3} | more
    return ls.fit(table, y="ill", **given).release_


@pytest.mark.filterwarnings("ignore:The noise hides whether any record has the label")
def test_columns_count_and_fit_read_the_learning_part_only(monkeypatch):
    """Another table in the held-out rows: all that was drawn before is the same."""
    masks, drawn = [], front_door.held_out_rows

    def kept(*given):
        masks.append(drawn(*given))
        return masks[-1]

    monkeypatch.setattr(front_door, "held_out_rows", kept)
    first = fitted(table_of(0))
    other = fitted(table_of(0, masks[0]))
    assert (masks[0] == masks[1]).all()
    assert masks[0].sum() == held_out_by_rule(N, 2).units == 500
    assert first.proposal is not None
    assert first.concept_class.domain.schema == other.concept_class.domain.schema
    assert first.hypothesis.trees == other.hypothesis.trees
    assert first.hypothesis.start == other.hypothesis.start
    # and the evaluation reads the rest only: of the other table no cell is a 1
    assert sum(other.evaluation.counts[1]) < 60 < sum(first.evaluation.counts[1])


def test_what_it_cost_is_the_larger_of_both_sides():
    found = fitted(table_of(0))
    sides = {
        side: sum(part.guarantee.epsilon for part in found.parts if part.about == side)
        for side in (LEARNED_FROM, HELD_OUT)
    }
    assert found.guarantee.epsilon == sides[LEARNED_FROM] == 2
    assert sides[HELD_OUT] == found.evaluation.epsilon == 2 - found.parts[0].guarantee.epsilon
    assert found.guarantee.delta == F(1, 10**6)
    assert found.independent, "columns, too, were learned from other records"
    assert found.measured.certificate(0.05) < 1


@pytest.mark.first(1)
@pytest.mark.parametrize("form", ["csv", "parquet", "lazy", "relation"])
def test_every_kind_of_table_is_split(form, tmp_path):
    """The same rows in another container, so the same parts: all that is released is equal."""
    table = table_of(1)
    if form == "csv":
        source = tmp_path / "t.csv"
        pl.DataFrame(table).write_csv(source)
    elif form == "parquet":
        source = tmp_path / "t.parquet"
        pq.write_table(pa.table(table), source)
    elif form == "lazy":
        source = pl.DataFrame(table).lazy()
    else:
        import duckdb

        arrow = pa.table(table)
        source = duckdb.from_arrow(arrow)
    assert fitted(source, schema=ls.Schema.from_dict(COLUMNS)).to_json() == fitted_of(1)


def test_a_part_of_a_table_is_read_in_pieces_and_checked():
    table = tables.read_table({"age": list(range(10)), "x": ["a"] * 10})
    inside = np.array([True, False] * 5)
    first, rest = table.split(inside, ["age"], "test")
    assert (first.rows(), rest.rows()) == (5, 5)
    for part, wanted in ((first, [0, 2, 4, 6, 8]), (rest, [1, 3, 5, 7, 9])):
        (piece,) = part.pieces(["age"], "test")
        assert [int(cell) for cell in piece["c0"].to_pylist()] == wanted
        assert part.frame(["age"], "test").collect()["c0"].to_list() == piece["c0"].to_pylist()
    longer, _ = table.split(np.ones(11, dtype=bool), ["age"], "test")
    with pytest.raises(ls.errors.DataError, match="changed between two readings"):
        list(longer.pieces(["age"], "test"))


@pytest.mark.more
def test_users_are_held_out_by_the_rule_too():
    table = table_of(2) | {"who": [f"u{i // 4}" for i in range(N)]}
    del table["city"]
    found = fitted(table, schema=SCHEMA, user="who")
    assert found.n == 1000
    assert found.evaluation.n == held_out_by_rule(1000, 2).units == 300
    assert found.evaluation.held_out
    assert fitted(table, schema=SCHEMA, user="who", epsilon="1/4").evaluation is None
