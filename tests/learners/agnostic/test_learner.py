"""Agnostic learners: certificates, placed answers, refusals."""

import json
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cache
from itertools import combinations, product

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import beta as beta_law
from sklearn.base import clone

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.data import IntegerDomain, Sample
from littlestone.data.read import read
from littlestone.data.stored import Unread
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.agnostic import Subsample, TwoSample, amplified, inner_for, rate_for
from littlestone.learners.base import Learner
from littlestone.learners.running import read_sample, run
from littlestone.privacy import Ledger, hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, ExplicitWeights, SeededSource, exp, public_generator

# -- Certificates, sizes, theorem, estimators: what the wrappers promise beyond privacy ------------

FAR = ls.Thresholds(0, 2**65536)


def vc1(concepts, epsilon=1, delta="1e-6"):
    return registry.make("vc1", concepts, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize(
    ("learner", "budget"),
    [
        (vc1(FAR), {"epsilon": 1}),
        (vc1(ls.Points()), {"epsilon": "0.1", "delta": "1e-9"}),
        (vc1(ls.Prefixes("ipv6")), {"epsilon": 4, "alpha": "0.3", "beta": "0.2"}),
        (registry.make("generic", ls.Thresholds(1, 99), epsilon=2), {"epsilon": 1}),
        (registry.make("generic", ls.Points(1, 99), epsilon=2), {"epsilon": "1e-9"}),
        (
            registry.make("generic", ls.theory.FiniteClass([[0, 1], [1, 0]]), epsilon=2),
            {"epsilon": 1},
        ),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_certificates(learner, budget):
    algorithm = TwoSample(learner, **budget)
    n = algorithm.required_samples()
    for size in (1, n // 2, n - 1):
        assert not algorithm.certificate(size).holds
    for size in (n, n + 1, 10 * n):
        certificate = algorithm.certificate(size)
        assert certificate.holds
        assert certificate.status == "explicit"
        assert recheck(json.loads(json.dumps(certificate.to_dict()))) == ()
    promise = algorithm.guarantee()
    assert promise.epsilon == F(budget["epsilon"])
    assert promise.delta <= F(budget.get("delta", learner.guarantee().delta))
    way = algorithm.plan
    # the amplified loss of the first part, in floats
    loss = np.log1p(float(way.rate) * (4 * np.exp(float(way.learner.epsilon)) - 1))
    assert loss <= float(promise.epsilon) * (1 + 1e-9)
    assert way.first <= way.rate * way.pool


def test_a_forged_inner_step_is_noticed():
    algorithm = TwoSample(vc1(FAR), epsilon=1)
    document = algorithm.certificate(algorithm.required_samples()).to_dict()
    names = [step["name"] for step in document["steps"]]
    assert sum(name.startswith("learner.") for name in names) >= 2
    assert sum(name.startswith("dichotomy.") for name in names) >= 2
    for i, name in enumerate(names):
        forged = json.loads(json.dumps(document))
        value = forged["steps"][i]["value"]
        forged["steps"][i]["value"] = not value if isinstance(value, bool) else 7
        assert any(name in line for line in recheck(forged)), name


def test_enormous_domains_cost_hardly_more():
    needs = [TwoSample(vc1(c), epsilon=1).required_samples() for c in (
        ls.Thresholds(0, 2**256), FAR)]  # fmt: skip
    assert needs[0] < needs[1] < 75_000
    assert registry.make("agnostic", FAR, epsilon=1).required_samples() > 900_000


def noisy(name, n, generator):
    """Records whose labels are flipped in 3 of 20 cases, and the best concept."""
    if name == "thresholds":
        best = ThresholdHypothesis(2**19 << 60_000, FAR.low, FAR.high)
        points = np.array([int(x) << 60_000 for x in generator.integers(0, 2**20, n)], dtype=object)
    else:
        best = PointHypothesis(7)
        points = np.where(generator.random(n) < 0.4, 7, generator.integers(8, 10**6, n))
    flips = generator.random(n) < 0.15
    return Sample.of(points, best.predict(points) ^ flips), best


def excess(name, hypothesis):
    """The error above the best concept's, 0.15: exactly, from the distribution."""
    if name == "thresholds":
        at = (hypothesis.above >> 60_000) / 2**20
        return 0.7 * abs(at - 0.5)
    wrong_on_seven = hypothesis.predict(np.array([7]))[0] == 0
    return 0.7 * 0.4 * wrong_on_seven


@pytest.mark.more
@pytest.mark.parametrize("name", ["thresholds", "points"])
def test_theorem_on_noisy_labels(name):
    """Excess error above alpha at most as often as beta (Clopper-Pearson, 99.9 %)."""
    concepts = FAR if name == "thresholds" else ls.Points()
    algorithm = TwoSample(vc1(concepts), epsilon=4, alpha="0.25", beta="0.3")
    n, generator = algorithm.required_samples(), public_generator(11)
    runs, failures = 20, 0
    for seed in range(runs):
        sample, _ = noisy(name, n, generator)
        hypothesis = algorithm.draw(sample, SeededSource(seed))
        failures += excess(name, hypothesis) > 0.25
    assert beta_law.ppf(0.001, failures, runs - failures + 1) <= 0.3 if failures else True


def test_labels_of_the_first_part_do_not_matter():
    """With all labels of the pool flipped, the result is the same, draw by draw."""
    from littlestone.data.sample import OrderedSample
    from littlestone.source import ReplaySource

    algorithm = TwoSample(vc1(ls.Points()), epsilon=4, pool=3)
    points, labels = [1, 2, 3, 1, 2, 1], [1, 0, 1, 1, 0, 1]
    shown = []
    for flip in (0, 1):
        source = ReplaySource([0] * 20)
        given = [y ^ flip for y in labels[:3]] + labels[3:]
        algorithm.draw(OrderedSample.listed(points, given), source)
        shown.append(source.presented)
    assert shown[0] == shown[1]


def test_rates_and_losses_are_inverse():
    for epsilon, inner, factor in [(F(1), F(2), 1), (F(1, 10**9), F(1), 4), (F(90), F(91), 4)]:
        rate = rate_for(epsilon, inner, factor)
        assert 0 < rate < 1
        if factor == 1:
            assert (
                epsilon * (1 - F(1, 10**12))
                <= amplified(inner, rate)
                <= epsilon * (1 + F(1, 10**12))
            )
    assert amplified(F(3), F(1)) == 3
    assert rate_for(F(10**6), F(10**6) + 1) < F(37, 100)
    assert rate_for(F(3), F(1), 4) == 1


def test_extreme_public_parameters():
    for epsilon in ("1e-9", 10**6):
        algorithm = TwoSample(vc1(ls.Points()), epsilon=epsilon)
        assert algorithm.certificate(algorithm.required_samples()).holds
        assert not algorithm.certificate(1).holds
    for delta in (F(1, 10**400), "0.999"):
        algorithm = TwoSample(vc1(ls.Points()), epsilon=1, delta=delta)
        assert 0 < algorithm.guarantee().delta <= F(delta)


# --- estimators -------------------------------------------------------------------------------


def test_estimators_are_scikit_learns():
    realizable = ls.VC1Learner(ls.Thresholds(1, 99), epsilon=1, delta=1e-6)
    learner = clone(ls.theory.AgnosticFromRealizable(realizable, epsilon=30, random_state=0))
    assert learner.get_params()["learner__epsilon"] == 1
    assert "NOT PRIVATE" in repr(learner)
    X = np.tile(np.arange(1, 100), 60)
    y = np.where(X > 40, "yes", "no")
    y[::9] = "no"
    learner.set_params(classes=("no", "yes"))
    assert np.mean(learner.fit(X, y).predict(X) == y) > 0.8
    assert learner.guarantee_.seeded
    part = ls.theory.Subsampled(realizable, rate=0.5, random_state=1).fit(X, (X > 40).astype(int))
    assert part.guarantee_.delta == F(1, 2 * 10**6)
    assert part.certificate_.holds
    assert part.required_samples() == 2 * realizable.required_samples()


def test_mistakes_are_taught():
    realizable = ls.VC1Learner(ls.Thresholds(1, 99), epsilon=1, delta=1e-6)
    pure = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1)
    for wrapper, message in [
        (lambda: ls.theory.AgnosticFromRealizable(3, epsilon=1), "'learner' parameter"),
        (lambda: ls.theory.AgnosticFromRealizable(realizable, epsilon=0), "'epsilon' parameter"),
        (
            lambda: ls.theory.AgnosticFromRealizable(realizable, epsilon=1, delta=2),
            "'delta' parameter",
        ),
        (lambda: ls.theory.AgnosticFromRealizable(pure, epsilon=1, delta=1e-6), "leave delta out"),
        (lambda: ls.theory.Subsampled(realizable, rate=2), "'rate' parameter"),
        (lambda: ls.theory.Subsampled(realizable, rate=0), "'rate' parameter"),
    ]:
        with pytest.raises(ParameterError, match=message):
            wrapper().required_samples()
    rules = ls.theory.AffineSubspaces(7, 20, 2)
    with pytest.raises(UnsupportedError, match="dichotomies"):
        ls.theory.AgnosticFromRealizable(
            ls.GenericLearner(rules, epsilon=1), epsilon=1
        ).certificate(9)


def test_certificate_of_a_part():
    algorithm = Subsample(vc1(FAR), rate="0.3")
    n = algorithm.required_samples()
    assert [algorithm.certificate(k).holds for k in (1, n - 1, n, 2 * n)] == [0, 0, 1, 1]
    assert recheck(algorithm.certificate(n).to_dict()) == ()
    assert (algorithm.name, algorithm.alpha, algorithm.unit) == (
        "subsampled:vc1",
        F(1, 10),
        "records",
    )


def test_tiny_failure_probabilities():
    algorithm = TwoSample(vc1(ls.Points()), epsilon=1, beta=F(1, 10**30))
    assert algorithm.certificate(algorithm.required_samples()).holds


def test_assumptions_are_those_of_the_whole():
    """The learner's records are labelled by a concept: that is no assumption about the data."""
    from littlestone.report.evaluated import accuracy_asked

    for learner in (vc1(FAR), registry.make("generic", ls.Points(), epsilon=1)):
        algorithm = TwoSample(learner, epsilon=1)
        certificate = algorithm.certificate(algorithm.required_samples())
        assert not any("realizable" in text for text in certificate.assumptions)
        assert any("independent" in text for text in certificate.assumptions)
        assert "above that of the best" in accuracy_asked(certificate)
    assert "above" not in accuracy_asked(vc1(FAR).certificate(5000))


# -- Secret parts of tables, read by their places: the law of drawn records, on all tiny tables ----

WHERE = {"x": "x", "y": "y"}
KINDS = list(product((1, 2), (0, 1)))


@dataclass(frozen=True)
class Loud(Learner):
    """Tells each record that it sees, by randomized response: as loud as its epsilon allows."""

    epsilon: F
    delta: F = F(0)

    name = "loud"
    pure, agnostic = False, False
    alpha = beta = F(1, 10)
    claim = None
    concept_class = ls.Thresholds(1, 2)

    def make_plan(self):
        raise AssertionError("a loud learner is not planned")

    def draw(self, sample, source):
        """One record of four kinds."""
        counts = [(x, y, c) for y, cs in enumerate((sample.zeros, sample.ones))
                  for x, c in zip(sample.points.tolist(), cs.tolist(), strict=True)]  # fmt: skip
        seen = sorted(KINDS.index((x, y)) for x, y, c in counts for _ in range(c))
        coin = ExplicitWeights(exp(self.epsilon), 1, 1, 1)
        return tuple((kind + source.choose(coin)) % 4 for kind in seen)


def table(records):
    return pa.table({"x": [x for x, _ in records], "y": [y for _, y in records]})


@cache
def once(read, places):
    return read(np.array(places))


def placed(algorithm, records):
    """The sample of a table; the rows at given places are read once, not on each path of draws."""
    sample = read_sample(algorithm, table(records), **WHERE)
    assert isinstance(sample, Unread)
    return Unread(
        sample.n, lambda: sample.whole, take=lambda at: once(sample.take, tuple(at.tolist()))
    )


def law(algorithm, records):
    sample = placed(algorithm, records)

    def draw(source):
        return algorithm.draw(algorithm.taken(sample, source), source)

    return ExactSource().law(draw).outcomes


@pytest.mark.more
@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 1)])
def test_the_formula_is_kept_on_all_tables_and_attained(n, m):
    """All tables of n records, all neighbours; a little less is not private."""
    algorithm = Subsample(Loud(F(2)), F(m, n))
    promise = algorithm.guarantee()
    laws = {records: law(algorithm, records) for records in product(KINDS, repeat=n)}
    worst = less = F(0)
    for records, found in laws.items():
        for i, new in product(range(n), KINDS):
            other = laws[(*records[:i], new, *records[i + 1 :])]
            worst = max(worst, upper(hockey_stick(found, other, promise.epsilon)))
            less = max(less, upper(hockey_stick(found, other, promise.epsilon - F(1, 50))))
    assert worst <= F(1, 2**60)
    assert less > F(1, 1000)


@pytest.mark.more
def test_the_law_is_the_mean_over_all_parts():
    inner = registry.make("generic", ls.Thresholds(1, 2), epsilon=2, alpha="0.1", beta="0.1")
    algorithm = Subsample(inner, F(2, 3))
    for records in product(KINDS, repeat=3):
        found = law(algorithm, records)
        expected = dict.fromkeys(found, 0.0)
        for pair in combinations(records, 2):
            each = ExactSource().law(
                lambda s, p=pair: inner.draw(Sample.of(*zip(*p, strict=True)), s)
            )
            for outcome, chance in each.outcomes.items():
                expected[outcome] += float(chance) / 3
        assert {k: float(v) for k, v in found.items()} == pytest.approx(expected, rel=1e-12)


def test_the_rows_are_those_at_their_places(tmp_path):
    """Through each kind of table whose rows come in batches; odd cells included."""
    x, y = [3, 9, None, 5, 12, 0] * 20, [0, 1, 1, None, 1, 0] * 20
    made = pa.table({"y": pa.array(y, pa.int8()), "x": x, "other": ["text"] * 120})
    pq.write_table(made, tmp_path / "t.parquet", row_group_size=7)
    connection = duckdb.connect()
    connection.register("t", made)
    polars = pl.from_arrow(made)
    forms = [made, made.to_pandas(), polars, polars.lazy(), tmp_path / "t.parquet"]
    places = np.array([119, 3, 0, 64, 65, 66])
    expected = Sample.read(made.take(np.sort(places)), **WHERE, domain=IntegerDomain(1, 9))
    for form in (*forms, connection.table("t")):
        sample = read(form, need="places", **WHERE, domain=IntegerDomain(1, 9))
        assert isinstance(sample, Unread)
        found = sample.take(places)
        for name in ("points", "zeros", "ones"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()
        assert (found.outside, found.n, sample.n) == (expected.outside, 6, 120)
    made.to_pandas().to_csv(tmp_path / "t.csv", index=False)  # how many rows is not known
    found = read(tmp_path / "t.csv", need="places", **WHERE, domain=IntegerDomain(1, 9))
    assert not isinstance(found, Unread)
    assert read(made.slice(0, 0), **WHERE, domain=IntegerDomain(1, 9), need="places").n == 0


def learner(**more):
    inner = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=inner_for(F(1), F(1, 10)))
    return ls.theory.Subsampled(inner, rate=F(1, 10), **more)


def large():
    x = np.arange(5000) % 99 + 1
    return {"x": x, "y": (x > 50).astype(np.int8)}


def test_only_the_part_is_counted(monkeypatch):
    """And each release has a part of its own: their losses add up only then."""
    sample = read_sample(learner().to_learner(), large(), **WHERE)
    monkeypatch.setattr(Unread, "whole", None)
    taken = []
    real = Unread.take
    monkeypatch.setattr(Unread, "take", lambda s, places: taken.append(places) or real(s, places))
    source = SeededSource(0)
    for _ in range(2):
        released = run(learner().to_learner(), sample, source)
    assert [len(set(places.tolist())) for places in taken] == [500, 500]
    assert set(taken[0].tolist()) != set(taken[1].tolist())
    assert (released.n, released.guarantee.epsilon) == (5000, 1)
    assert released.certificate.holds
    assert abs(released.hypothesis.above - 50) < 5


def test_an_evaluation_looks_at_all_records():
    made = learner(random_state=0).fit(large(), "y", x="x", evaluate="1/10")
    assert made.guarantee_.epsilon == 1
    assert made.release_.spent == {"learning": "epsilon 9/10", "evaluation": "epsilon 1/10"}
    assert made.release_.quality.better


def test_a_table_that_changes_is_refused_and_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "budget.db", epsilon=1)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range % 99 + 1 x, 1 y FROM range(1000)")
    algorithm = learner().to_learner()
    sample = read_sample(algorithm, connection.table("t"), **WHERE)
    connection.execute("DELETE FROM t WHERE x = 3")
    with pytest.raises(DataError, match="changed between"):
        run(algorithm, sample, SeededSource(0), ledger=ledger)
    connection.execute("DROP TABLE t")
    with pytest.raises(DataError, match="engine stopped"):
        run(algorithm, sample, SeededSource(0), ledger=ledger)
    assert ledger.remaining().epsilon == 1


@pytest.mark.parametrize("rate", ["1/1000000", "1/100", "1/3", "0.999", 1], ids=str)
@pytest.mark.parametrize("epsilon", ["1/1000", "1/3", 1, 5, "12.3456789"], ids=str)
def test_the_inner_epsilon_is_nearly_the_largest(epsilon, rate):
    epsilon, rate = F(epsilon), F(rate)
    inner = inner_for(epsilon, rate)
    assert amplified(inner, rate) <= epsilon
    assert float(inner) == pytest.approx(np.log1p(np.expm1(float(epsilon)) / float(rate)), rel=1e-9)


def test_what_has_no_certificate_and_shares_its_epsilon_is_refused():
    """Boosting composes with an evaluation inside its epsilon, so that would not be amplified."""
    schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    trees = ls.BoostedTrees(schema, epsilon=1, delta="1e-6")
    for made in (ls.theory.Subsampled(trees, rate="1/2"),):
        with pytest.raises(UnsupportedError, match="no certificate before data"):
            made.fit([[3], [40]], [0, 1])
    with pytest.raises(UnsupportedError, match="no certificate before data"):
        Subsample(trees.to_learner(), rate=F(1, 2))


@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_what_an_evaluation_leaves_is_amplified(delta):
    """The epsilon of the smaller part, amplified, and that of the evaluation are at most all."""
    name = "agnostic" if delta is None else "vc1"
    inner = registry.make(name, ls.Thresholds(1, 99), epsilon=inner_for(F(1), F(1, 10)),
                          delta=delta, alpha="0.1", beta="0.05")  # fmt: skip
    learner = Subsample(inner, rate=F(1, 10))
    for evaluation in (F(1, 100), F(1, 2), F(99, 100)):
        left = learner.minus_evaluation(evaluation)
        assert left.delta == learner.delta
        assert amplified(left.learner.guarantee().epsilon, left.rate) + evaluation <= 1
