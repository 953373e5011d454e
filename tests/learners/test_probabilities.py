"""Shares of labels in leaves: leaves are kept apart, their counts are private, probabilities."""

import json
import math
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import littlestone as ls
from littlestone.classes import load
from littlestone.classes.decision_trees import LeafTree, Node, TreeHypothesis
from littlestone.cli.summary import plain
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.learners import running
from littlestone.learners.exponential import Agnostic
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.source import ExactSource, SeededSource

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
TINY = ls.Schema.from_dict({"age": {"bins": [30]}})
AT30, _, AT60, _, BONN, _ = SCHEMA.literals()
ROWS = np.array(list(product(range(5), range(3))))


def any_tree(rng, depth):
    if depth == 0 or rng.random() < 0.1:
        return int(rng.integers(2))
    literal = SCHEMA.literals()[rng.choice([0, 1, 2, 3, 4])]
    return Node(literal, any_tree(rng, depth - 1), any_tree(rng, depth - 1))


def walked(tree, row):
    """Return the label of a row, and the answers on its way: brute force."""
    path = []
    while isinstance(tree, Node):
        code = row[tree.split.column]
        above = code >= tree.split.code
        yes = {">=": above, "<": code >= 2 and not above, "is": code == tree.split.code}
        path.append(yes[tree.split.op])
        tree = tree.yes if path[-1] else tree.no
    return tree, tuple(path)


@pytest.mark.parametrize("seed", range(40))
def test_leaves_are_those_of_the_tree_that_was_drawn(seed):
    tree = any_tree(np.random.default_rng(seed), 3)
    apart = LeafTree.of(tree)
    found = [walked(tree, row) for row in ROWS.tolist()]
    cells = apart.cells(ROWS).tolist()
    assert [apart.labels[cell] for cell in cells] == [label for label, _ in found]
    assert apart.predict(ROWS).tolist() == [label for label, _ in found]
    for (_, one), mine in zip(found, cells, strict=True):
        for (_, other), yours in zip(found, cells, strict=True):
            assert (one == other) == (mine == yours)
    assert set(cells) == set(range(len(apart.labels)))  # no leaf that no row reaches
    assert apart.describe() == TreeHypothesis.of(tree).describe()
    assert load(json.loads(json.dumps(apart.to_dict()))) == apart


@pytest.mark.parametrize(
    "tree",
    [
        {**LeafTree.of(Node(AT30, 0, 1)).to_dict()["tree"], "yes": 2},
        {**LeafTree.of(Node(AT30, 0, 1)).to_dict()["tree"], "no": 99_999},
        TreeHypothesis.of(Node(AT30, 0, 1)).to_dict()["tree"] | {"no": True},
    ],
)
def test_other_numbers_are_refused(tree):
    with pytest.raises(ParameterError):
        load({"type": "leaf_tree", "tree": tree})


def learner(schema=TINY, depth=1, epsilon=1, **more):
    return Agnostic(ls.DecisionTrees(schema, depth), epsilon=epsilon, probabilities=True, **more)


@pytest.mark.parametrize("more", [{}, {"costs": {0: 1, 1: 2}}], ids=str)
def test_the_tree_with_all_its_leaves_is_private(more):
    result = ls.audit.verify(learner(**more), points=[(2,), (3,)], n_samples=3)
    assert result.holds
    assert 0.4 < result.tightest_epsilon <= 1
    law = ExactSource().law(
        lambda source: learner().draw(Sample.of(np.array([[2], [3]]), [0, 1]), source)
    )
    assert {len(h.labels) for h in law.outcomes} == {2}  # constants, too, keep two leaves


def histogram_of(tree, data, epsilon=10**6):
    """Return the evaluation of one tree, with hardly any noise."""
    sample = Sample.of(np.array([row for row, _ in data]), [label for _, label in data])
    found = running._histogram(tree, sample, SeededSource(0), epsilon, held_out=False)
    return np.array(found.counts)


def test_one_record_moves_two_cells_by_one_at_most():
    tree = LeafTree.of(Node(AT30, Node(BONN, 0, 0), Node(AT60, 0, 1)))
    kinds = list(product([(0, 0), (2, 2), (4, 2), (4, 1)], (0, 1)))
    for data in product(kinds, repeat=2):
        counts = histogram_of(tree, data)
        assert counts.sum() == 2
        for kind in kinds:
            moved = np.abs(counts - histogram_of(tree, (data[0], kind)))
            assert moved.sum() <= 2


def worst_cells(law):
    """Return the largest loss of two cells of which one gains a record and the other loses it."""
    empty, full = law(0), law(1)
    if set(empty) != set(full):
        return math.inf
    up = max(math.log(full[v] / empty[v]) for v in full)
    return up + max(math.log(empty[v] / full[v]) for v in full)


@pytest.mark.parametrize("broken", [False, True])
def test_cells_without_records_have_noise_as_well(broken):
    def law(count):
        sample, tree = Sample.of(np.array([[3]]), [1 - count]), LeafTree.of(0)

        def cell(source):
            counts = running._histogram(tree, sample, source, 2, held_out=False).counts
            return 0 if broken and not count else counts[0][0]  # a mutant: empty cells stay empty

        return {v: float(p.mid()) for v, p in ExactSource().law(cell).outcomes.items()}

    assert (worst_cells(law) <= 2 + 1e-9) is not broken


def made(n=4000, seed=1):
    """Return rows with labels whose probability differs between leaves of one label."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(2, 5, n), rng.integers(1, 3, n)
    chance = np.where(age == 4, np.where(city == 2, 0.9, 0.42), 0.05)
    return np.column_stack([age, city]), (rng.random(n) < chance).astype(int)


def test_probabilities_rank_better_than_labels():
    """Leaves with one label differ."""
    X, y = made()
    sample = Sample.of(X, y)
    release = run(learner(SCHEMA, 2, epsilon=4), sample, SeededSource(3), evaluate=1)
    tree = release.hypothesis
    assert isinstance(tree, LeafTree)
    evaluation = Evaluation(release.evaluation)
    chances = evaluation.shares()[1][tree.cells(X)]
    assert roc_auc_score(y, chances) > roc_auc_score(y, tree.predict(X)) + 0.01
    assert evaluation.ranked().auroc().value == pytest.approx(roc_auc_score(y, chances), abs=0.03)
    for leaf in range(len(tree.labels)):
        rows = tree.cells(X) == leaf
        if rows.sum() > 200:
            assert evaluation.shares()[1][leaf] == pytest.approx(y[rows].mean(), abs=0.1)
    assert release.quality.error.low <= np.mean(tree.predict(X) != y) <= release.quality.error.high
    assert "boosted trees rank better" in plain(release)
    assert "AUROC" in page(release)
    again = Release.from_dict(json.loads(release.to_json()))
    assert again.to_json() == release.to_json()
    seeded, written = release.export("sql").split(" */ ")
    assert seeded == "/* NOT PRIVATE (seeded)"
    assert written == tree.merged.to_sql(SCHEMA, dialect="duckdb")


def test_shares_are_smoothed():
    from fractions import Fraction

    counts = ((-5, 8), (-7, 0))
    found = Evaluation(ScoreHistogram((0, 1), counts, 8, Fraction(1), Fraction(1, 2))).shares()
    assert found.tolist() == [[0.5, 0.9], [0.5, pytest.approx(0.1)]]


CELLS = np.array([["20", "Bonn"], ["70", "Rome"], ["40", "Bonn"], ["10", "x"]] * 60, dtype=object)
LABELS = np.array([0, 1, 1, 0] * 60)


def test_sklearn_ranks_by_them():
    trees = ls.DecisionTrees(SCHEMA, 2)
    own = ls.AgnosticLearner(trees, epsilon=8, probabilities=True, evaluate=4, random_state=0)
    search = GridSearchCV(own, {"alpha": ["0.1", "0.2"]}, scoring="roc_auc", cv=2)
    search.fit(CELLS, LABELS)
    assert search.best_score_ > 0.9
    assert cross_val_score(own, CELLS, LABELS, scoring="roc_auc", cv=2).min() > 0.9
    assert own.fit(CELLS, LABELS).predict_proba(CELLS).shape == (240, 2)
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
