"""Secret parts of tables, read by their places: the law of drawn records, on all tiny tables."""

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

import littlestone as ls
from littlestone.data import IntegerDomain, Sample
from littlestone.data.read import read
from littlestone.data.stored import Unread
from littlestone.errors import DataError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.agnostic import Subsample, amplified, inner_for
from littlestone.learners.base import Learner
from littlestone.learners.running import read_sample, run
from littlestone.privacy import Ledger, hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, ExplicitWeights, SeededSource, exp

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
    forms = [made, made.to_pandas(), pl.from_arrow(made), tmp_path / "t.parquet"]
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
    for form in (tmp_path / "t.csv", pl.from_arrow(made).lazy()):
        assert not isinstance(
            read(form, need="places", **WHERE, domain=IntegerDomain(1, 9)), Unread
        )
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
