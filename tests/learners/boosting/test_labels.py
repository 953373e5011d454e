"""Boosting with several labels: exact privacy, the law of the rounds, broken variants, one path."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone.audit import all_n, verify
from littlestone.classes import BoostedTreeClass, ScorecardClass
from littlestone.classes.boosted_trees.ensemble import linked
from littlestone.data import Sample, Schema
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation import histogram
from littlestone.learners import running
from littlestone.learners.boosting import Boosting, learner, rounds
from littlestone.learners.boosting.losses import Logistic, Votes
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.report.evaluated import plain
from littlestone.source import ExactSource, SeededSource

ABC = ("a", "b", "c")
ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
WIDE = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
BONN, OTHER = (2,), (1,)
EPSILON = F(3, 2)
HALF = F(1, 2)


def boosting(schema=ONE, depth=1, rounds=2, names=ABC, **parameters):
    """Return a learner with a loud step, so that costs differ after one round."""
    parameters = {"epsilon": EPSILON, "step": 2, **parameters}
    return Boosting(BoostedTreeClass(schema, depth, rounds, names), **parameters)


# --- exact privacy --------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(
    ("points", "n", "options"),
    [
        ([BONN], 1, {}),
        ([BONN, OTHER], 1, {}),
        ([BONN], 2, {}),
        ([BONN], 2, {"delta": F(1, 100)}),
        ([BONN], 1, {"rounds": 1, "depth": 2}),
        pytest.param([BONN], 1, {"rounds": 3}, marks=pytest.mark.full),
        pytest.param([BONN, OTHER], 2, {}, marks=pytest.mark.full),
        pytest.param([BONN, OTHER], 3, {}, marks=pytest.mark.full),
    ],
    ids=str,
)
def test_every_data_set_with_three_labels(points, n, options):
    """All data sets and neighbours; a cell outside the list of labels is one of the labels."""
    result = verify(boosting(**options), points=points, n_samples=n)
    assert result.holds
    assert result.slack == 0
    assert 0.3 < result.tightest_epsilon <= EPSILON


def test_pages_of_three_labels_tell_no_more():
    made = boosting(rounds=1)
    assert verify(made, points=[BONN], n_samples=1, observers=(page, plain)).holds


def test_the_counts_of_labels_are_paid(monkeypatch):
    """They are one histogram of all labels, and of unlisted cells, for a part of epsilon."""
    asked = []
    true = learner.release_histogram

    def heard(scores, counts, **own):
        asked.append((np.asarray(counts).tolist(), own["epsilon"]))
        return true(scores, counts, **own)

    monkeypatch.setattr(learner, "release_histogram", heard)
    sample = Sample.of(np.full((1200, 1), 2), np.arange(1200) % 4, labels=3)
    made = boosting(epsilon=2)
    made.draw(sample, SeededSource(0))
    settings = made.plan.settings(1200)
    assert asked == [([[300]] * 4, settings.count_epsilon)]
    assert settings.count_epsilon + 2 * settings.round_epsilon == 2
    assert "counts of labels" in made.spending(1200)


def of_trees_and_histogram(worst_loss, n, evaluate, points=(BONN,)):
    """Return the largest loss of (trees, histogram), with cells outside the list of labels."""
    own = running.shares_of(boosting(), evaluate=evaluate).learner(boosting())
    kinds = [(point, label) for point in points for label in range(4)]
    return worst_loss(own, n, evaluate, kinds, lambda trees, points: trees.predict(points))


@pytest.mark.more
@pytest.mark.parametrize(
    ("n", "evaluate", "points"),
    [
        (1, HALF, (BONN,)),
        (2, F(1), (BONN,)),
        pytest.param(2, HALF, (BONN, OTHER), marks=pytest.mark.full),
    ],
)
def test_trees_and_histogram_of_three_labels_together(worst_loss, n, evaluate, points):
    """All data sets, two rounds and the evaluation: the loss is at most epsilon, and not far."""
    loss = of_trees_and_histogram(worst_loss, n, evaluate, points)
    assert 0.5 * EPSILON < loss <= EPSILON


@pytest.mark.more
def test_an_unpaid_evaluation_is_noticed(worst_loss, monkeypatch):
    true = histogram.histogram_rate
    monkeypatch.setattr(running.Shares, "learner", lambda shares, learner: learner)
    monkeypatch.setattr(histogram, "histogram_rate", lambda *a, **k: 2 * true(*a, **k))
    assert of_trees_and_histogram(worst_loss, 1, F(1)) > EPSILON


@pytest.mark.more
def test_the_chain_for_every_n():
    found = all_n(boosting(rounds=2), points=[BONN, OTHER])
    assert found.holds
    assert any(step.name == "rounds" for step in found.steps)


# --- the law --------------------------------------------------------------------------------------


def brute_costs(votes, y, *, step, resolution):
    """Cost of each answer, by the formula of the page."""
    if y == len(votes):
        return [resolution] * len(votes)
    powers = [math.exp(-step * (max(votes) - v)) for v in votes]
    shares = [power / sum(powers) for power in powers]
    return [
        0 if k == y else round(resolution * min(1, share + 1 - shares[y]))
        for k, share in enumerate(shares)
    ]


def representations(schema):
    """All trees of depth 1, as functions on all rows of codes of one column."""
    rows = range(schema.n_codes[0])
    out = []
    for literal in schema.literals():
        if literal.text.find(" is not ") >= 0:
            continue
        accepts = literal.accepts(schema.n_codes[0])
        for yes, no in product(range(3), repeat=2):
            out.append(tuple(yes if accepts[row] else no for row in rows))
    return out


@pytest.mark.more
def test_two_rounds_have_the_law_of_all_pairs_of_trees():
    """Enumerate all pairs of trees, with costs by the definition."""
    records = [(2, 0), (2, 0), (3, 1), (3, 2), (0, 3)]
    step = 2
    made = boosting(EDGE, step=step)
    sample = Sample.of(np.array([[x] for x, _ in records]), [y for _, y in records],
                                 labels=3)  # fmt: skip
    rows = np.arange(EDGE.n_codes[0]).reshape(-1, 1)
    found = ExactSource().law(
        lambda source: (
            SimpleNamespace(
                key=tuple(tuple(t.predict(rows).tolist()) for t in made.draw(sample, source).trees)
            ).key
        )
    )
    assert found.slack == 0
    settings = made.plan.settings(5)

    def law(votes):
        rate = float(settings.round_epsilon) / 2 / settings.loss.resolution
        own = {"step": step, "resolution": 1024}
        costs = [(x, brute_costs(votes[x], y, **own)) for x, y in records]
        weights = Counter()
        for tree in representations(EDGE):
            weights[tree] += math.exp(-rate * sum(cost[tree[x]] for x, cost in costs))
        total = sum(weights.values())
        return {tree: weight / total for tree, weight in weights.items()}

    expected = {}
    for first, p in law([[0, 0, 0] for _ in rows]).items():
        votes = [[int(k == first[x]) for k in range(3)] for x in range(len(rows))]
        for second, q in law(votes).items():
            expected[first, second] = p * q
    assert set(found.outcomes) == set(expected)
    assert all(
        float(ball.mid()) == pytest.approx(expected[key], rel=1e-9)
        for key, ball in found.outcomes.items()
    )


def loss_of(step, resolution=1024):
    return Logistic(F(step), resolution)


def test_costs_are_those_of_the_gradient():
    """For random votes and steps; never more than W, never less than 0."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        k, step = int(rng.integers(2, 9)), F(int(rng.integers(1, 30)), 10)
        votes = rng.integers(-9, 9, size=(k, 3))
        y = int(rng.integers(k))
        found = loss_of(step).of_label(votes, y)
        p = np.exp(float(step) * (votes - votes.max(axis=0)))
        p /= p.sum(axis=0)
        exact = np.minimum(1024, 1024 * (p + 1 - p[y]))
        exact[y] = 0
        assert abs(found - exact).max() <= 0.5 + 1e-9
        assert found.min() >= 0
        assert found.max() <= 1024


def test_extreme_settings_overflow_nothing():
    votes = np.zeros((100, 2), dtype=np.int64)
    votes[3] = 1040
    found = loss_of(10, 2**20).of_label(votes, 5)
    assert found[3].tolist() == [2**20] * 2
    assert 0 <= found.min() <= found.max() <= 2**20


def test_costs_of_a_record_do_not_depend_on_who_stands_beside_it():
    rng = np.random.default_rng(1)
    for k in (5, 20):
        votes = rng.integers(0, 40, size=(k, 200))
        loss = loss_of(F(1, 7), resolution=2**20)
        whole = loss.of_label(votes, 2)
        alone = [loss.of_label(votes[:, i : i + 1], 2) for i in range(200)]
        assert (whole == np.hstack(alone)).all()


def test_two_listed_labels_have_the_law_of_0_and_1():
    X, y = np.array([[2], [2], [3], [0]]), [0, 1, 1, 0]
    laws = []
    for names, sample in (
        (None, Sample.of(X, y)),
        (["no", "yes"], Sample.of(X, y, labels=2)),
    ):
        made = boosting(EDGE, names=names, step=F(2))
        law = ExactSource().law(
            lambda source, made=made, sample=sample: tuple(
                tree.tree for tree in made.draw(sample, source).trees
            )
        )
        laws.append(law.outcomes)
    assert set(laws[0]) == set(laws[1])
    assert all(p.overlaps(laws[1][key]) for key, p in laws[0].items())


def test_votes_begin_at_the_shares_of_labels():
    counts = [700, 2000, 300]
    sample = Sample.of(np.full((3000, 1), 2), np.repeat([0, 1, 2], counts), labels=3)
    found = boosting(epsilon=200, step=F(1, 10)).draw(sample, SeededSource(0)).start
    expected = [round(10 * math.log(c / 2000)) for c in counts]
    assert found[1] == 0
    assert all(abs(a - b) <= 1 for a, b in zip(found, expected, strict=True))


# --- one path -------------------------------------------------------------------------------------


def three(n=600, seed=0):
    """Return rows of cells and labels: the old are a, the others b in Bonn, and c elsewhere."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(10, 90, n), rng.choice(["Bonn", "Rome"], n)
    y = np.where(age >= 60, "a", np.where(city == "Bonn", "b", "c"))
    return pd.DataFrame({"age": age, "city": city}), y


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", [ls.BoostedTrees, ls.Scorecard])
def test_from_records_to_the_file(kind, tmp_path):
    X, y = three()
    made = kind(WIDE, labels=list(ABC), epsilon=6, delta=1e-6, evaluate=1, random_state=0)
    made.fit(X, y)
    assert made.classes_.tolist() == list(ABC)
    assert made.score(X, y) > 0.9
    shares = made.predict_proba(X)
    assert shares.shape == (600, 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (made.classes_[shares.argmax(axis=1)] == made.predict(X)).all()
    odds = made.decision_function(X)
    softmax = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    assert np.allclose(shares, linked(softmax))  # n epsilon is above 1,500
    assert made.release_.labels == ABC
    assert {"counts of columns", "evaluation"} <= set(made.release_.spent)
    told = made.evaluation_.confusion_matrix(made.release_.answers)
    assert len(told) == 4
    error = made.release_.quality.error
    assert error.low <= 1 - made.score(X, y) <= error.high
    assert made.release_.quality.baseline.value > 0.4
    made.save(tmp_path / "m.json")
    read = Release.read(tmp_path / "m.json")
    assert read.to_json() == made.release_.to_json()
    assert (read.predict(X) == made.predict(X)).all()
    assert (read.predict_proba(X) == shares).all()
    html = page(read)
    assert html == page(made.release_)
    assert "unlisted label" in html
    assert ("The scorecard" in html) == (kind is ls.Scorecard)


def test_cells_outside_the_list_are_counted_and_cost_everybody():
    X, y = three(900)
    y = np.where(np.arange(900) % 9 == 0, "?", y)
    table = X.assign(kind=y)
    made = ls.BoostedTrees(WIDE, labels=ABC, epsilon=6, evaluate=1, random_state=1)
    made.fit(table, "kind")
    assert made.release_.n == 900
    found = np.array(made.evaluation_.confusion_matrix(made.release_.answers))
    assert abs(found[3].sum() - 100) < 40
    assert made.release_.quality.error.value > 0.08


def test_certificates_are_refused_and_point_to_an_evaluation():
    made = ls.BoostedTrees(WIDE, labels=ABC, epsilon=1)
    for ask in (lambda: made.certificate(1000), made.required_samples):
        with pytest.raises(UnsupportedError, match="evaluate"):
            ask()
    X, y = three()
    sure = made.set_params(evaluate=1, holdout=0.3, random_state=0).fit(X, y)
    assert 0 < sure.evaluation_.error_certificate(sure.release_.answers, 0.05) <= 1


def test_what_the_classes_refuse():
    with pytest.raises(ParameterError, match="labels"):
        BoostedTreeClass(WIDE, 2, labels=["a"])
    with pytest.raises(ParameterError, match="left out where the class lists"):
        ls.BoostedTrees(WIDE, labels=ABC, classes=("a", "b"), epsilon=1).fit(*three())
    with pytest.raises(UnsupportedError, match="labels 0 and 1"):
        _ = ScorecardClass(WIDE, labels=ABC).vc_dim
    with pytest.raises(UnsupportedError, match="resolution"):
        boosting(resolution=1024).plan.settings(2**43 // 2)


def test_only_public_labels_are_learned():
    X, y = three()
    with pytest.raises(ls.errors.DataError, match="public classes"):
        ls.Scorecard(WIDE, labels=["a", "b"], epsilon=1).fit(X, y)


# --- scikit-learn ---------------------------------------------------------------------------------

EVERY = Schema.every_column([0.25, 0.5, 0.75])


@pytest.mark.more
@pytest.mark.parametrize("kind", [ls.BoostedTrees, ls.Scorecard])
def test_scikit_learn_accepts_three_labels(kind):
    """Its battery for several labels gives 0, 1, 2: they are the list."""
    made = kind(EVERY, labels=[0, 1, 2], epsilon=1, rounds=2, random_state=0)
    assert made.__sklearn_tags__().classifier_tags.multi_class
    assert not kind(EVERY, epsilon=1).__sklearn_tags__().classifier_tags.multi_class
    failed = {
        result["check_name"]: result["exception"]
        for result in check_estimator(made, on_fail=None, on_skip=None)
        if result["status"] == "failed"
    }
    # what gives labels that are not on the list, or two of the three
    failed.pop("check_classifiers_train")
    assert all("must be among the public classes" in str(why) for why in failed.values()), failed


def test_one_versus_rest_and_cross_validation():
    X, y = three(900)
    codes = np.column_stack([X["age"] / 100, X["city"] == "Bonn"])
    single = ls.BoostedTrees(EVERY, epsilon=10, rounds=10, random_state=0)
    rest = OneVsRestClassifier(single).fit(codes, y)
    assert rest.score(codes, y) > 0.7
    several = ls.BoostedTrees(EVERY, labels=list(ABC), epsilon=10, rounds=10, random_state=0)
    found = cross_val_score(several, codes, y, cv=2, scoring="roc_auc_ovr")
    assert found.min() > 0.9


# --- broken variants ------------------------------------------------------------------------------

LOUD = 20  # then one record nearly spends all of epsilon


def loss_of_one_pair(n=6):
    """Return the exact loss where one of n records of label a is replaced by one of label b."""
    made = Boosting(ScorecardClass(ONE, 2, ABC), epsilon=LOUD, step=4)
    laws = []
    for odd in (0, 1):
        sample = Sample.of(np.array([BONN] * n), [0] * (n - 1) + [odd], labels=3)
        law = ExactSource().law(lambda source, sample=sample: made.draw(sample, source).key)
        laws.append({h: float(p.mid()) for h, p in law.outcomes.items()})
    if set(laws[0]) != set(laws[1]):
        return math.inf
    return max(abs(math.log(laws[0][h] / laws[1][h])) for h in laws[0])


@pytest.mark.more
def test_a_pair_of_neighbours_nearly_spends_epsilon():
    assert 0.7 * LOUD < loss_of_one_pair() <= LOUD


def rounds_of_one_label_paid(monkeypatch):
    """Several labels share one tree, so its rounds are taken for one."""
    true = learner.largest_round
    monkeypatch.setattr(
        learner, "largest_round", lambda epsilon, delta, rounds, others, **how: true(
            epsilon, delta, 1, others, **how
        )
    )  # fmt: skip


def whole_gradient(monkeypatch):
    """Costs are gradients in [0, 2], neither halved nor capped."""
    true = Logistic.of_label

    def costs(self, votes, y):
        return true(replace(self, resolution=2 * self.resolution), votes, y)

    monkeypatch.setattr(Logistic, "of_label", costs)


def labels_of_the_table(monkeypatch):
    """Only labels that occur in the table may be voted for."""
    true = Votes.costs

    def costs(self, *given):
        unseen = self.sample.counts[:-1].sum(axis=1) == 0
        return true(self, *given) + 5000 * unseen[:, None]

    monkeypatch.setattr(Votes, "costs", costs)


def start_of_the_table(monkeypatch):
    """The votes begin at the labels of the records, without noise."""
    monkeypatch.setattr(
        Boosting, "_start",
        lambda self, sample, *rest: tuple(sample.counts[:-1].sum(axis=1).tolist()),
    )  # fmt: skip


def twice_the_rate(monkeypatch):
    """The rate of scores that move one way only."""
    true = rounds.draw_tree
    monkeypatch.setattr(
        rounds, "draw_tree",
        lambda rows, depth, rate, source: true(rows, depth, 2 * rate, source),
    )  # fmt: skip


@pytest.mark.more
@pytest.mark.parametrize(
    "variant",
    [
        rounds_of_one_label_paid, whole_gradient, labels_of_the_table, start_of_the_table,
        twice_the_rate,
    ],
    ids=lambda variant: variant.__name__,
)  # fmt: skip
def test_broken_variants_with_three_labels_are_noticed(monkeypatch, variant):
    learner._settings.cache_clear()
    variant(monkeypatch)
    assert loss_of_one_pair() > LOUD
    learner._settings.cache_clear()


def test_a_sample_of_two_labels_is_refused_by_three():
    with pytest.raises(ParameterError, match="3 labels"):
        run(boosting(), Sample.of(np.array([[2]]), [1], labels=2), SeededSource(0))
