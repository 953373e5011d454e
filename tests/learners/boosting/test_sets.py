"""Sets of labels: exact laws, brute force, coverage, what is released."""

from __future__ import annotations

import json
from fractions import Fraction as F
from itertools import combinations, combinations_with_replacement, product

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.classes import ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Sample, Schema
from littlestone.data.targets import TargetSample
from littlestone.errors import InfeasibleError, ParameterError, UnsupportedError
from littlestone.learners import running
from littlestone.learners.boosting import Boosting
from littlestone.learners.boosting import values as intervals
from littlestone.learners.boosting.values import bounds_of, planned, with_width
from littlestone.learners.check_record import check_record
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.mechanisms import Conformal
from littlestone.report.evaluated import evaluation_facts
from littlestone.source import ExactSource, SeededSource

EDGE = Schema.from_dict({"age": {"bins": [30]}})
ABC = ("a", "b", "c")
TREE = TreeHypothesis.of(Node(EDGE.literals()[0], 2, 0), ABC)
MODEL = TreeEnsemble((TREE,) * 2, F(1, 2), (0, 1, 0), ABC)  # votes 2, 1, 0, or 0, 1, 2
LABELS = 4  # of three, and one that is not listed


@pytest.fixture
def coarse(monkeypatch):
    """Bounds at 0, 1 and 256, and the last one, so that laws are small."""
    monkeypatch.setattr(intervals, "_DOUBLING", 1 / 8)


# --- exact laws -----------------------------------------------------------------------------------

RECORDS = list(product((2, 3), range(LABELS)))


def neighbours(users):
    """Return pairs of data sets of two units; a user brings one record or two."""
    units = [(one,) for one in RECORDS]
    if users:
        units += combinations(RECORDS, 2)
    return [((a, rest), (b, rest)) for a, b in combinations(units, 2) for rest in units[::9]]


def sample_of(data, *, users=False, labels=3):
    rows = [(row, code, name) for name, unit in enumerate(data) for row, code in unit]
    points, codes, names = zip(*rows, strict=True)
    if users:
        return TargetSample.of([[p] for p in points], codes, names)
    return Sample.of(np.array(points)[:, None], codes, labels=labels)


def width_of(users):
    plan = Conformal(2, len(bounds_of(None)), F(1, 2), F(1))

    def observed(data, source):
        return with_width(MODEL, sample_of(data, users=users), plan, source).width

    return observed


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("users", [False, pytest.param(True, marks=pytest.mark.more)])
def test_every_data_set_is_protected(users):
    pairs = neighbours(users)
    assert verify_mechanism(width_of(users), pairs, epsilon=1).holds
    assert not verify_mechanism(width_of(users), pairs, epsilon=F(1, 3)).holds


def whole_release(monkeypatch, *, learned_too=False):
    """Return the largest loss of trees and width together, whichever of two records is held out."""
    few = Conformal(1, len(bounds_of(None)), F(1, 2), F(1))
    vars(few)["rank"] = 1  # whatever it covers
    monkeypatch.setattr(running, "planned", lambda *given, **more: few)
    learner = Boosting(ScorecardClass(EDGE, 1, ABC), epsilon=1, step=1, resolution=4)

    def observed(data, source):
        out, rest = sample_of(data[:1]), sample_of(data[:1] if learned_too else data[1:])
        monkeypatch.setattr(running, "split_units", lambda *given: (out, rest))
        made = run(learner, sample_of(data), source, holdout=F(1, 2), interval=F(1, 2))
        return made.hypothesis.trees, made.hypothesis.width

    other, new = ((2, 0),), ((2, 1),)
    pairs = [((other, other), (other, new)), ((other, other), (new, other))]
    return verify_mechanism(observed, pairs, epsilon=1).tightest_epsilon


@pytest.mark.more
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("learned_too", [False, True])
def test_a_record_pays_for_the_trees_or_for_the_width(monkeypatch, learned_too):
    """Here trees alone lose .5; one that is learned from and held out pays for both."""
    loss = whole_release(monkeypatch, learned_too=learned_too)
    assert loss > 0.8 if learned_too else loss <= 0.5 + 1e-9


def worst_coverage(plan):
    """Return the least chance that a set holds the label, over all multisets of m + 1 records.

    Each of them is equally likely the new one; of the widths the exact law is taken.
    """
    laws = {}
    for others in combinations_with_replacement(RECORDS[:-1:2], plan.m):
        data = tuple((one,) for one in others)
        law = ExactSource().law(
            lambda source, data=data: with_width(MODEL, sample_of(data), plan, source).width
        )
        laws[others] = {width: float(p.mid()) for width, p in law.outcomes.items()}
    worst = 1.0
    for records in combinations_with_replacement(RECORDS[:-1:2], plan.m + 1):
        covered = 0.0
        for i, (row, code) in enumerate(records):
            votes = MODEL.votes(np.array([[row]]))[0]
            needed = max(votes) - votes[code]
            law = laws[records[:i] + records[i + 1 :]]
            covered += sum(p for width, p in law.items() if width >= needed)
        worst = min(worst, covered / len(records))
    return worst


@pytest.mark.usefixtures("coarse")
def test_coverage_of_every_data_set():
    given = {"cells": len(bounds_of(None)), "alpha": F(1, 2), "epsilon": F(4)}
    plan = Conformal.of(m=Conformal.least(**given), **given)
    assert worst_coverage(plan) >= 1 / 2


# --- what is drawn is what the definition says ----------------------------------------------------


@pytest.mark.parametrize("users", [False, True])
def test_scores_are_those_of_the_definition(users):
    """A score is the least of the bounds at which a set holds the label; unlisted: the last."""
    found = []

    class Plan:
        alpha = F(1, 2)

        def draw(self, counts, source):
            found.append(counts)
            return 0

    data = tuple((record,) for record in RECORDS * 2)
    with_width(MODEL, sample_of(data, users=users), Plan(), SeededSource(0))
    expected = np.zeros(len(bounds_of(None)), dtype=int)
    for row, code in RECORDS * 2:
        votes = [2, 1, 0] if row == 3 else [0, 1, 2]
        behind = max(votes) - votes[code] if code < 3 else bounds_of(None)[-1]
        expected[bounds_of(None).tolist().index(behind)] += 1
    assert found[0].tolist() == expected.tolist()


def test_sets_hold_what_is_predicted_and_grow_with_the_width():
    points = np.array([[2], [3], [0]])
    before = np.zeros((3, 3), dtype=bool)
    for width in range(3):
        model = TreeEnsemble(MODEL.trees, MODEL.step, MODEL.start, ABC, width=width)
        inside = model.sets(points)
        assert inside[np.arange(3), model.predict(points)].all()
        assert (inside >= before).all()
        before = inside
    assert before.all()
    with pytest.raises(UnsupportedError, match="no sets of labels"):
        MODEL.sets(points)


# --- coverage -------------------------------------------------------------------------------------


def law_of(name):
    """Return a model, and how rows and labels are drawn: of 2 labels, of several, of few scores."""
    schema = Schema.from_dict({"x": {"bins": list(range(1, 20))}})
    at = schema.literals()[::2]
    if name == "two labels":
        trees = tuple(TreeHypothesis.of(Node(split, 1, 0)) for split in at)
        odds = 0.3 * (2 * np.arange(20) - 19)
        return TreeEnsemble(trees, F(3, 10)), np.stack([np.zeros(20), odds], axis=1)
    if name == "several labels":
        trees = tuple(
            TreeHypothesis.of(Node(split, i % 4, (i + 1) % 4), range(4))
            for i, split in enumerate(at)
        )
        model = TreeEnsemble(trees, F(1, 5), (0, 2, 0, 1), tuple(range(4)))
        return model, np.random.default_rng(0).normal(0, 1, (20, 4))
    trees = (TreeHypothesis.of(Node(at[9], 1, 0), range(3)),)  # two rows, and votes that are equal
    return TreeEnsemble(trees, F(1), (0, 0, 1), (0, 1, 2)), np.zeros((20, 3))


@pytest.mark.parametrize(
    "releases", [60, pytest.param(1500, marks=pytest.mark.more)], ids=["few", "1500"]
)
@pytest.mark.parametrize("name", ["two labels", "several labels", "ties"])
def test_coverage_is_at_least_nominal(name, releases):
    """The label of one new record of each release: Clopper-Pearson; and a share of all, given m."""
    (model, odds), m = law_of(name), 500
    shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    rng, source = np.random.default_rng(3), SeededSource(3)
    plan = planned(None, "0.8", m=m, epsilon=F(1), unit="records")
    rows = np.arange(20)[:, None] + 2
    hits, too_few = 0, 0
    for _ in range(releases):
        x = rng.integers(0, 20, m + 1)
        y = (shares[x].cumsum(axis=1) < rng.random((m + 1, 1))).sum(axis=1)
        sample = Sample.of(rows[x[1:]], y[1:], labels=shares.shape[1])
        inside = with_width(model, sample, plan, source).sets(rows)
        hits += inside[x[0], y[0]]
        too_few += (shares * inside).sum() / 20 < plan.share("1/20")
    for missed, most in ((releases - hits, 0.2), (too_few, 0.05)):
        assert stats.beta.ppf(0.001, max(missed, 1), releases - missed + 1) <= most


# --- what is released -----------------------------------------------------------------------------

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Ulm"]}})
N = 2000
TABLE = {
    "age": [(7 * i) % 90 for i in range(N)],
    "city": [("Bonn", "Ulm", None)[i % 3] for i in range(N)],
    "ill": [int((7 * i) % 90 + i % 31 > 60) for i in range(N)],
    "how": [("well", "ill", 'it\'s "so"')[((7 * i) % 90 + i % 41) // 45] for i in range(N)],
    "who": [i // 2 for i in range(N)],
}
NAMES = ("well", "ill", 'it\'s "so"')


def trees(labels=None, **given):
    given = {"epsilon": 2, "rounds": 8, "interval": 0.9, "random_state": 0} | given
    return ls.BoostedTrees(SCHEMA, labels=labels, **given)


@pytest.mark.parametrize("user", [None, "who"])
def test_a_release_says_what_it_covers_and_its_record_agrees(user):
    made = trees(NAMES, random_state=None).fit(TABLE, "how", user=user).release_
    units = N if user is None else N // 2
    assert (made.n, made.interval.m) == (units, units // 5)
    assert made.guarantee.claim.endswith(", exp-mech.privacy)")
    again = Release.from_dict(json.loads(made.to_json()))
    assert again.to_dict() == made.to_dict()
    shown = dict(evaluation_facts(made))["Prediction set"]
    assert f"{made.interval.m} held-out {'users' if user else 'records'}" in shown
    record = made.record()
    assert check_record(record) == []
    claims = {claim["id"] for claim in record["claims"]}
    assert {"conformal.marginal", "conformal.training", "exp-mech.privacy"} <= claims
    for part, change in [("interval", {"m": 399}), ("hypothesis", {"width": -1})]:
        changed = json.loads(json.dumps(record))
        changed["release"][part] |= change
        assert check_record(changed)


@pytest.mark.first(1)
@pytest.mark.parametrize("y", ["ill", "how"])
def test_exports_say_the_same_sets_of_all_rows(y):
    model = trees(NAMES if y == "how" else None, evaluate="1/2").fit(TABLE, y)
    made = model.release_
    cells = {name: TABLE[name] for name in SCHEMA.names}
    expected = model.predict_set(pd.DataFrame(cells))
    assert (expected.sum(axis=1) > 1).any()
    assert not expected.all()
    pieces = [beside for _, beside, _ in made.predict_pieces(cells, proba=True)]
    assert (np.concatenate(pieces)[:, -expected.shape[1] :] == expected).all()
    assert made.predict_proba(cells).shape == expected.shape
    module = {}
    exec(made.export("python"), module)  # generated, of public things
    records = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    names = np.array(made.labels, dtype=object)
    assert [module["label_set"](record) for record in records] == [
        names[inside].tolist() for inside in expected
    ]
    for dialect in ("duckdb", "standard"):
        query = made.export("sql", dialect=dialect, table="frame")
        found = duckdb.query_df(pd.DataFrame(cells), "frame", query).fetchdf()
        asked = found[["age", "city", *made.set_columns]].drop_duplicates().dropna()
        wanted = pd.DataFrame(cells | dict(zip(made.set_columns, expected.T, strict=True)))
        wanted = wanted.drop_duplicates().dropna()
        both = asked.merge(wanted, on=["age", "city"])
        assert len(both) == len(wanted) == len(asked)
        for name in made.set_columns:
            assert (both[f"{name}_x"] == both[f"{name}_y"]).all()
    assert json.loads(made.export("json"))["hypothesis"]["width"] == made.hypothesis.width


def test_what_is_refused():
    with pytest.raises(InfeasibleError, match=r"need [0-9]+ held-out records, not 20") as refused:
        trees().fit({name: cells[:100] for name, cells in TABLE.items()}, "ill")
    given = {"cells": len(bounds_of(None)), "alpha": "1/10", "epsilon": 2}
    assert refused.value.n_needed == Conformal.least(**given)
    with pytest.raises(UnsupportedError, match="Leave out 'interval'"):
        running.promise(
            ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1).to_learner(), interval=0.9
        )
    with pytest.raises(ParameterError, match="for boosted trees and scorecards"):
        ls.fit(TABLE, y="ill", epsilon=1, model="tree", schema=SCHEMA, interval=0.9)


def test_fit_of_a_table_takes_an_interval():
    made = ls.fit(TABLE, y="how", labels=NAMES, epsilon=2, interval=0.9, schema=SCHEMA,
                  random_state=0)  # fmt: skip
    assert made.predict_set(pd.DataFrame(TABLE)[list(SCHEMA.names)]).shape == (N, 3)
    assert made.evaluation_.histogram.epsilon == F(1, 2)
