"""What is held out and composed, as one exact law; chances are private."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.classes import Rules, ScorecardClass
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.data import Sample, proposal, tables
from littlestone.data.histogram import Cell
from littlestone.data.proposal import plan, tally
from littlestone.errors import UnsupportedError
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.evaluation.histogram import held_out_by_rule
from littlestone.learners import fit as front_door
from littlestone.learners import release as releases
from littlestone.learners import running
from littlestone.learners.boosting import learner as boosting
from littlestone.learners.fit import Fit, asked_of
from littlestone.learners.running import _histogram, read_sample
from littlestone.mechanisms import estimate
from littlestone.mechanisms.estimate import truncated
from littlestone.privacy.guarantee import HELD_OUT, LEARNED_FROM
from littlestone.source import ExactSource, SeededSource

from ..exact_noise import table_gaussian

# -- What the front door holds out: before anything is learned, secretly, and paid for once --------

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


def whole_fit(evaluation):
    """Return what draws all that a fit draws: the split, a rule, and the evaluation of it."""
    split = cache(split_by_the_front_door)

    def law(records, source):
        learner, learned, held_out = split(records, source.below(2))
        rule = learner.draw(learned, source)
        return rule.describe(), evaluation(rule, held_out, source)

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


def mistakes(rule, held_out, source):
    """Release how often a rule is wrong, at epsilon 1: the smallest evaluation."""
    wrong = sum((rule.predict(held_out.points) != y) @ held_out.counts[y] for y in (0, 1))
    return min(max(int(wrong) + truncated(F(1), held_out.n, source), 0), held_out.n)


def histogram(rule, held_out, source):
    return _histogram(rule, held_out, source, F(1), held_out=True).counts


@pytest.mark.more
@pytest.mark.parametrize("evaluation", [mistakes, pytest.param(histogram, marks=pytest.mark.full)])
def test_split_fit_and_evaluation_are_one_law(evaluation, monkeypatch):
    """On two tables with different parts, whichever way they are split."""
    monkeypatch.setitem(front_door.MODELS, "rule", lambda schema, labels, size: Rules(schema, 1))
    assert verify_mechanism(whole_fit(evaluation), [(KINDS[:2], KINDS[1:])], epsilon=1).holds


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


@pytest.mark.filterwarnings("ignore:Because of the noise, it is not clear that any record")
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
        assert [len(t) for t in part.stream(["age"], "test").tables()] == [len(piece)]
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


# -- Columns, a fit over them and its evaluation as one law: all tables of one record, exactly -----

EPSILON, DELTA = 12, F(1, 4)
CELLS, LABELS = (None, "0", "1"), ("no", "yes")
LOW, HIGH = Cell(0, 1, 0), Cell(1, 2, 0)


@pytest.fixture
def tiny(monkeypatch):
    """Two cells of numbers, no parts, one tree, one cell of margins, and noise in one draw."""
    for module in (running, releases):
        monkeypatch.setattr(module, "scores_of", lambda model, *_, **__: (max(model.margins),))
    monkeypatch.setattr(proposal, "grid", lambda *, whole: (LOW, HIGH))
    monkeypatch.setattr(proposal, "_DEVIATIONS", 0)
    monkeypatch.setattr(Cell, "parts", lambda cell, *, whole: [])
    monkeypatch.setattr(boosting, "default_rounds", lambda *given, pure: 1)
    monkeypatch.setattr(estimate, "discrete_gaussian", table_gaussian(3))


def decided():
    """Return what the front door decides: the columns' zCDP, the learner, the shares."""
    asked = asked_of(
        "fit",
        {"y": "ill", "labels": list(LABELS), "epsilon": EPSILON, "delta": DELTA, "evaluate": "1",
         "model": "scorecard"},
    )  # fmt: skip
    for seed in range(20):  # until a column is found
        try:
            return asked.plan({"a": ["1"], "ill": ["yes"]}, SeededSource(seed))
        except ls.errors.StoppedError:
            continue
    raise AssertionError("no column was found")


def law_of(record, planned, kept):
    """Return the exact law of columns, trees and histogram on a table of one record."""
    rho, leak = planned.shares.zcdp
    asked = plan([("a", "open")], epsilon=1, delta=DELTA, rho=rho, bins=4, named=())
    assert asked.leak == leak
    cell, label = record

    def columns(source):
        (found,) = proposal.describe(asked, [tally([cell], [1])], 1, source)
        return found

    def learned(column, source):
        schema = ls.Schema((column,))
        learner = planned.shares.learner(
            replace(planned.learner, concept_class=ScorecardClass(schema))
        )
        sample = Sample.of(schema.encode([np.array([cell], dtype=object)]), [label])
        model = learner.draw(sample, source)
        found = _histogram(model, sample, source, planned.shares.evaluation, held_out=False)
        return model.describe(), found.counts

    law = {}
    if cell not in kept:  # whatever the label
        kept[cell] = ExactSource().law(columns).outcomes
    for column, chance in kept[cell].items():
        if column is None:  # what it cost stays spent, and the program says so
            law[None] = float(chance.mid())
            continue
        if (column, record) not in kept:
            after = ExactSource().law(lambda source, column=column: learned(column, source))
            kept[column, record] = after.outcomes
        for outcome, share in kept[column, record].items():
            law[column, outcome] = float((chance * share).mid())
    assert sum(law.values()) == pytest.approx(1)
    return law


def worst(planned):
    """Return the largest hockey-stick divergence of neighbouring tables at epsilon."""
    records, kept = [(cell, label) for cell in CELLS for label in (0, 1)], {}
    laws = [law_of(record, planned, kept) for record in records]
    assert any(set(law) - {None} for law in laws), "columns are learned in some outcome"
    factor = math.exp(EPSILON)
    return max(
        sum(max(0.0, p - factor * other.get(outcome, 0.0)) for outcome, p in one.items())
        for one in laws
        for other in laws
    )


@pytest.mark.more
def test_columns_fit_and_evaluation_are_one_private_law(tiny):
    planned = decided()
    assert planned.learner.columns == planned.shares.zcdp[0]
    assert planned.learner.delta + planned.shares.zcdp[1] == DELTA
    assert worst(planned) <= DELTA


def noiseless_columns(patch):
    patch.setattr(proposal, "noisy_counts", lambda counts, noise, source: [9 * c for c in counts])


@pytest.mark.more
def test_columns_without_noise_are_noticed(tiny, monkeypatch):
    planned = decided()
    noiseless_columns(monkeypatch)
    assert worst(planned) > DELTA


# -- Shares of labels among equal answers: their counts are private, and give probabilities --------

ODDS_SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})


def worst_cells(law):
    """Return the largest loss of two cells of which one gains a record and the other loses it."""
    empty, full = law(0), law(1)
    if set(empty) != set(full):
        return math.inf
    up = max(math.log(full[v] / empty[v]) for v in full)
    return up + max(math.log(empty[v] / full[v]) for v in full)


@pytest.mark.more
def test_cells_without_records_have_noise_as_well():
    def law(count):
        sample, tree = Sample.of(np.array([[3]]), [1 - count]), TreeHypothesis.of(0)

        def cell(source):
            return running._histogram(tree, sample, source, 8, held_out=False).counts[0][0]

        return {v: float(p.mid()) for v, p in ExactSource().law(cell).outcomes.items()}

    laws = [law(0), law(1)]
    assert worst_cells(lambda count: laws[count]) <= 8 + 1e-9
    laws[0] = {0: 1.0}  # a mutant: empty cells stay empty
    assert worst_cells(lambda count: laws[count]) > 8 + 1e-9


def test_shares_are_smoothed():
    from fractions import Fraction

    counts = ((-5, 8), (-7, 0))
    found = Evaluation(ScoreHistogram((0, 1), counts, 8, Fraction(1), Fraction(1, 2))).shares()
    assert found.tolist() == [[0.5, 0.9], [0.5, pytest.approx(0.1)]]


ODDS_CELLS = np.array(
    [["20", "Bonn"], ["70", "Rome"], ["40", "Bonn"], ["10", "x"]] * 60, dtype=object
)
ODDS_LABELS = np.array([0, 1, 1, 0] * 60)


def test_sklearn_ranks_by_them():
    trees = ls.DecisionTrees(ODDS_SCHEMA, 2)
    own = ls.AgnosticLearner(trees, epsilon=8, evaluate=4, random_state=0)
    search = GridSearchCV(own, {"alpha": ["0.1", "0.2"]}, scoring="roc_auc", cv=2)
    search.fit(ODDS_CELLS, ODDS_LABELS)
    assert search.best_score_ > 0.9
    assert cross_val_score(own, ODDS_CELLS, ODDS_LABELS, scoring="roc_auc", cv=2).min() > 0.9
    assert own.fit(ODDS_CELLS, ODDS_LABELS).predict_proba(ODDS_CELLS).shape == (240, 2)
    assert own.evaluation_.histogram.n == 240


def test_rules_and_thresholds_have_the_shares_of_their_answers():
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=8, random_state=0)
    assert not hasattr(learner, "predict_proba")
    learner.fit([2, 8] * 100, [0, 1] * 100)
    assert not hasattr(learner, "predict_proba")
    with pytest.raises(UnsupportedError, match="labels, not probabilities"):
        learner.release_.predict_proba([2])
    learner.fit([2, 8] * 100, [0, 1] * 100, evaluate=4)
    low, high = learner.predict_proba([2, 8])[:, 1]
    assert low < 0.1
    assert high > 0.9
