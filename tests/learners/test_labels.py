"""Several labels: exact privacy with cells outside the list, certificates, one path to the page."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta as beta_law
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import class_from_dict, parse_class
from littlestone.costs import Costs
from littlestone.data import OUTSIDE, Sample
from littlestone.data.sample import OrderedSample
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.evaluation import Evaluation
from littlestone.learners import registry
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.release import Release
from littlestone.learners.running import run, score_all
from littlestone.report import page
from littlestone.report.evaluated import plain
from littlestone.source import SeededSource

ABC = ("a", "b", "c")
THREE = ls.theory.FiniteClass([[0, 0], [0, 1], [2, 1]], labels=ABC)
PAIRS = {(0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 2): 1, (2, 0): 1, (2, 1): "1/2"}
SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
TREES = ls.DecisionTrees(SCHEMA, 1, ABC)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (Agnostic(THREE, epsilon=1), {"outside": True}),
        (Agnostic(THREE, epsilon=1, costs=PAIRS), {}),
        (Generic(THREE, epsilon=1), {"outside": True}),
        (Generic(THREE, epsilon=1, costs={0: 1, 1: 5, 2: 2}), {"outside": True}),
    ],
    ids=["errors", "costs", "realizable", "weights"],
)
def test_exactly_private_with_three_labels(learner, options):
    """All data sets and neighbours, with records outside the list of labels, and their pages."""
    given = {"n_samples": 2, "outside": False} | options
    result = ls.audit.verify(learner, points=[0, 1], **given)
    assert result.holds
    assert result.tightest_epsilon > 0.4
    assert result.refusals == 0


@pytest.mark.more
@pytest.mark.parametrize("more", [{}, {"costs": PAIRS}], ids=str)
def test_trees_with_three_labels_are_exactly_private(more):
    trees = ls.DecisionTrees(ls.Schema.from_dict({"city": {"categories": ["Bonn"]}}), 1, ABC)
    made = Agnostic(trees, epsilon=1, **more)
    result = ls.audit.verify(made, points=[(2,)], n_samples=2, observers=(page, plain))
    assert result.holds
    assert result.tightest_epsilon > 0.4


def test_one_record_moves_two_cells_by_one_at_most():
    nothing = Sample.of(np.zeros((0, 2), dtype=int), [], labels=3)
    drawn = (TREES.candidates(nothing).draw(F(1), SeededSource(seed)) for seed in range(50))
    rule = next(tree for tree in drawn if tree.constant is None)
    kinds = [((2, 2), 0), ((3, 2), 3), ((0, 0), 1), ((3, 1), 2)]
    seen = {}
    for data in product(kinds, repeat=2):
        points, codes = [x for x, _ in data], [y for _, y in data]
        sample = Sample.of(np.array(points), codes, labels=3)
        release = run(Agnostic(TREES, epsilon=2 * 10**4), sample, SeededSource(0), evaluate=10**4)
        assert release.evaluation.unlisted
        fixed = Release(**{**vars(release), "hypothesis": rule})
        (told,) = score_all([(fixed, sample)], SeededSource(0), epsilon=10**4)
        seen[data] = np.array(told.evaluation.counts)
        assert seen[data].sum() == 2
        assert seen[data].shape == (4, 3)
    for left, right in product(seen, repeat=2):
        if sum(a != b for a, b in zip(left, right, strict=True)) == 1:
            assert abs(seen[left] - seen[right]).sum() <= 2


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["agnostic", "realizable", "costs"])
def test_certificates_are_met_at_the_planned_n(kind):
    """Failures at the planned n are at most beta, by Clopper and Pearson; one cell is unlisted."""
    alpha, beta, runs = F(3, 20), F(1, 5), 200
    cls = ls.theory.FiniteClass(list(product(range(3), repeat=2)), labels=ABC)
    costs = {0: 1, 1: 1, 2: 3} if kind == "costs" else None
    learner = Generic if kind == "realizable" else Agnostic
    made = learner(cls, epsilon=1, alpha=alpha, beta=beta, costs=costs)
    n = made.required_samples()
    certificate = made.certificate(n)
    assert certificate.holds
    assert recheck(certificate.to_dict()) == ()
    assert not made.certificate(n - 1).holds
    how = {"epsilon": 1, "alpha": alpha, "beta": beta}
    if kind == "costs":  # losses in [0, 1]
        bound = ls.bounds.losses(9, **how)
    else:
        bound = ls.bounds.best_finite(9, **how, agnostic=kind != "realizable")
    assert n == bound.n  # the number of concepts is all that counts
    law = np.array([[0.45, 0.3, 0.15, 0.1], [0.1, 0.1, 0.75, 0.05]])  # the last one is unlisted
    if kind == "realizable":
        law = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0]])
    mass, price = np.array([0.85, 0.15]), Costs.of(costs, labels=3) if costs else Costs.equal(3)
    each = law @ price.table  # cost of each answer at each point
    scale = float(price.largest * price.unit)
    value = {t: float(mass @ each[[0, 1], list(t)]) for t in product(range(3), repeat=2)}
    rng, failures = np.random.default_rng(5), 0
    for seed in range(runs):
        x = rng.choice(2, n, p=mass)
        y = (rng.random(n)[:, None] > np.cumsum(law, axis=1)[x]).sum(axis=1).clip(max=3)
        drawn = made.draw(Sample.of(x, y, labels=3), SeededSource(seed))
        answer = tuple(drawn.predict(np.array([0, 1])).tolist())
        failures += value[answer] > min(value.values()) + float(alpha) * scale
    assert failures == 0 or beta_law.ppf(0.001, failures, runs - failures + 1) <= float(beta)


def people(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    age, city = rng.integers(10, 60, n), rng.choice(["Bonn", "Ulm"], n)
    y = np.where(age < 30, "a", np.where(city == "Bonn", "b", "c"))
    y[rng.random(n) < 0.1] = "b"
    return pd.DataFrame({"age": age, "city": city}), y


def test_from_fit_to_the_page_and_back(tmp_path):
    X, y = people()
    table = X.assign(y=np.where(np.arange(len(y)) % 50 == 0, "?", y))  # some cells are unlisted
    learner = ls.AgnosticLearner(
        ls.DecisionTrees(SCHEMA, 2, labels=ABC), epsilon=2, evaluate=0.5,
        random_state=0,
    )  # fmt: skip
    learner.fit(table, "y")
    assert learner.classes_.tolist() == list(ABC)
    assert learner.release_.n == len(table)
    assert np.mean(learner.predict(X) == y) > 0.85
    shares = learner.predict_proba(X)
    assert shares.shape == (len(X), 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == learner.release_.predict_codes(X)).mean() > 0.95
    confusion = learner.evaluation_.confusion_matrix(learner.release_.answers)
    assert len(confusion) == 4
    truth = [(table["y"] == label).sum() for label in (*ABC, "?")]
    assert np.abs(np.array(confusion).sum(axis=1) - truth).max() < 60
    learner.save(tmp_path / "model.json")
    again = ls.load(tmp_path / "model.json")
    assert again == learner.release_
    assert (again.predict(X) == learner.predict(X)).all()
    said = plain(again)
    for words in ("then a", "unlisted label", "Majority class", "Balanced accuracy"):
        assert words in said
        assert words in page(again)
    assert "label 1: " not in page(again)
    assert "labels: a, b, c" in page(again)
    document = again.to_dict()
    document["hypothesis"]["label_names"] = ["a", "c", "b"]
    with pytest.raises(ParameterError, match="does not fit its labels"):
        Release.from_dict(document)


def test_the_list_of_the_class_is_the_only_one():
    X, y = people(400)
    for given in ((0, 1), ("a", "b"), ("c", "b", "a")):
        learner = ls.AgnosticLearner(TREES, epsilon=5, classes=given)
        with pytest.raises(ParameterError, match="left out where the class lists"):
            learner.fit(X, y)
    own = ls.AgnosticLearner(TREES, epsilon=5, classes=ABC, random_state=0).fit(X, y)
    assert own.classes_.tolist() == list(ABC)
    with pytest.raises(DataError, match="public") as caught:
        own.fit(X, np.where(y == "a", "a secret label", y))
    assert "secret" not in str(caught.value)
    numbers = ls.AgnosticLearner(ls.DecisionTrees(SCHEMA, 1, [7, 8, 9]), epsilon=5, random_state=0)
    assert set(numbers.fit(X, [7, 8, 9, 7] * 100).predict(X)) <= {7, 8, 9}


def test_costs_by_label():
    X, y = people()
    dear = {"a": 1, "b": 50, "c": 1}
    plain_one, cost = (
        ls.AgnosticLearner(TREES, epsilon=9, random_state=0, **more).fit(X, y)
        for more in ({}, {"costs": dear})
    )
    assert (cost.predict(X) == "b").mean() > (plain_one.predict(X) == "b").mean()
    assert cost.release_.costs.largest == 50
    for broken in ({"a": 1, "b": 2}, "balanced", {"a": 1, "b": 1, "d": 1}):
        with pytest.raises(ParameterError, match="'costs'"):
            ls.AgnosticLearner(TREES, epsilon=9, costs=broken).fit(X, y)
    with pytest.raises(ParameterError, match="for 3 labels"):
        Agnostic(TREES, epsilon=1, costs=Costs.equal(2))


def test_finite_classes_with_labels():
    again = class_from_dict(THREE.to_dict())
    assert again == THREE
    assert again.labels == ABC
    assert ls.theory.FiniteClass([[0, 0], [0, 1]]) != ls.theory.FiniteClass(
        [[0, 0], [0, 1]], labels=["x", "y"]
    )
    h = THREE.hypothesis(2)
    assert h.describe() == "b on the points 1, c on the points 0, otherwise a (points 0 to 1)"
    assert h.predict(np.array([0, 1, 7])).tolist() == [2, 1, 0]
    assert ls.plot(h).count("means") == 3
    learner = ls.GenericLearner(THREE, epsilon=3, random_state=0)
    assert learner.fit([0, 1] * 100, ["c", "b"] * 100).predict([0, 1]).tolist() == ["c", "b"]
    for matrix, labels in (
        ([[0, 3]], ABC),
        ([[0, 1], [0, 1]], ABC),
        ([[0]], [f"l{i}" for i in range(11)]),
    ):
        with pytest.raises(ParameterError):
            ls.theory.FiniteClass(matrix, labels=labels)
    sample = OrderedSample.listed([0, OUTSIDE, 1], [2, 1, 3], labels=3)
    assert [THREE.errors(c, sample) for c in THREE.concepts()] == [3, 3, 2]  # outside is labelled a


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in registry.LEARNERS
        if name not in ("generic", "agnostic", "boosting", "values", "linear")
    ],
)
def test_learners_of_two_labels_say_what_works(name):
    entry = registry.LEARNERS[name]
    options = {"epsilon": 1, "delta": F(1, 1000), "samples_per_user": 2}
    wanted = {key: options[key] for key in options if key == "epsilon" or key in entry.options}
    if not entry.pure:
        wanted["delta"] = options["delta"]
    for cls in (THREE, ls.theory.FiniteClass([[0, 1]], labels=["no", "yes"])):
        learner = registry.make(name, cls, **wanted)
        with pytest.raises(UnsupportedError, match="AgnosticLearner and GenericLearner"):
            _ = learner.plan


@pytest.mark.parametrize("spec", ["thresholds(1, 9)", "intervals(1, 9)", "rules(max_literals=1)"])
def test_classes_of_two_labels_say_what_works(spec):
    with pytest.raises(
        UnsupportedError,
        match=r"decision_trees\(depth=2\), finite\(matrix.csv\), linear and scorecard",
    ):
        parse_class(spec, schema=SCHEMA, labels=ABC)


@pytest.mark.more
def test_scikit_learn(recwarn):
    """The battery with three labels, and one-versus-rest over learners of two."""
    trees = ls.DecisionTrees(ls.Schema.every_column([-1.0, 0.0, 1.0]), 1, labels=[0, 1, 2, 3])
    learner = ls.AgnosticLearner(trees, epsilon=1.0, random_state=0)
    assert learner.__sklearn_tags__().classifier_tags.multi_class
    two = ls.AgnosticLearner(ls.DecisionTrees(SCHEMA, 1), epsilon=1)
    assert not two.__sklearn_tags__().classifier_tags.multi_class
    public = "labels are public, not learned from the data"
    expected = {
        "check_classifiers_classes": public,  # texts
    }
    results = check_estimator(learner, expected_failed_checks=expected, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = np.where(X[:, 0] > 0, 2, np.where(X[:, 1] > 0, 1, 0))
    deeper = ls.DecisionTrees(ls.Schema.every_column([0.0]), 2, labels=[0, 1, 2])
    own = ls.AgnosticLearner(deeper, epsilon=4, random_state=0)
    assert cross_val_score(own, X, y, cv=2).mean() > 0.9
    stumps = ls.DecisionTrees(ls.Schema.every_column([0.0]), 1, labels=[0, 1, 2])
    ranked = ls.AgnosticLearner(stumps, epsilon=4, evaluate=1, random_state=0)
    search = GridSearchCV(ranked, {"concept_class": [stumps, deeper]}, scoring="roc_auc_ovr", cv=2)
    assert search.fit(X, y).best_score_ > 0.9
    assert search.predict_proba(X).shape == (1500, 3)
    assert search.best_estimator_.__sklearn_tags__().classifier_tags.multi_class
    binary = ls.AgnosticLearner(
        ls.DecisionTrees(ls.Schema.every_column([0.0]), 2), epsilon=4, evaluate=1, random_state=0
    )
    rest = OneVsRestClassifier(binary).fit(X, y)
    assert rest.predict_proba(X).shape == (1500, 3)
    assert np.mean(rest.predict(X) == y) > 0.8
    search = GridSearchCV(binary, {"alpha": ["0.1", "0.2"]}, scoring="roc_auc", cv=2)
    assert search.fit(X, (y == 2).astype(int)).best_score_ > 0.9


def test_bands_say_how_far_the_truth_is():
    X, y = people(2000, 1)
    learner = ls.AgnosticLearner(TREES, epsilon=2, evaluate=1, random_state=0).fit(X, y)
    truth = np.mean(learner.predict(X) != y)
    band = learner.release_.quality.error
    assert band.low <= truth <= band.high
    assert isinstance(learner.evaluation_, Evaluation)


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ({"a": 1, "b": 2}, "['a', 'b']"),
        ({("a", "b"): 1}, "[('a', 'b')]"),
        ({"a": 1, "b": 2, "c": 1, "d": 3}, "['a', 'b', 'c', 'd']"),
    ],
)
def test_costs_are_refused_in_labels_not_in_codes(given, got):
    with pytest.raises(ParameterError) as caught:
        ls.AgnosticLearner(TREES, epsilon=1, costs=given).certificate(9)
    words = str(caught.value)
    assert (
        f"each of the labels ['a', 'b', 'c'], or for each (label, other prediction). Got {got}"
        in words
    )
    assert "{'a': 1, 'b': 9, 'c': 1}" in words


def test_a_set_of_labels_is_refused_since_its_order_is_no_order():
    for given in ({"no", "yes"}, frozenset(["no", "yes"]), {"no": 1, "yes": 2}.keys()):
        with pytest.raises(ParameterError, match="a list of 2 to 100 different labels"):
            ls.fit({"age": [1, 2], "y": ["no", "yes"]}, y="y", epsilon=1, labels=given)
