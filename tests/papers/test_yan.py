"""The page of 000 and 001 against a second writing of the text, exact law by exact law."""

import random
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction as F
from functools import cached_property
from itertools import combinations, product

import numpy as np
import pytest
from flint import arb, ctx

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample
from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow, TreeEM
from littlestone.papers import yan
from littlestone.privacy import BoundedRange, Pure, compose
from littlestone.source import ExactSource, SeededSource, exp

from . import reference_yan as text

SEEDS = range(100)
TOTAL = 60  # data sets of each class


def random_class(rng, most=8):
    """A class of 3 to 5 points, 3 to 8 concepts, and VC dimension 1."""
    points = rng.randint(3, 5)
    while True:
        rows = set()
        while len(rows) < 3:  # until no further concept fits, or enough do
            rows = set()
            for row in rng.sample(list(product((0, 1), repeat=points)), 2**points):
                if len(rows) < most and one_dimensional([*rows, row]):
                    rows.add(row)
        return sorted(rng.sample(sorted(rows), rng.randint(3, len(rows))))


def one_dimensional(rows):
    pairs = combinations(range(len(rows[0])), 2)
    return all(len({(row[a], row[b]) for row in rows}) < 4 for a, b in pairs)


def data_sets(rng, points, n, total=TOTAL):
    """All lists of n records where these are few, else some of them."""
    kinds = list(product(range(points), (0, 1)))
    if len(kinds) ** n <= total:
        return list(product(kinds, repeat=n))
    return [tuple(rng.choice(kinds) for _ in range(n)) for _ in range(total)]


def listed(records):
    return OrderedSample.listed([x for x, _ in records], [y for _, y in records])


def check(law, wanted, name=lambda outcome: outcome):
    """Two laws are one, to 25 digits."""
    assert law.slack == 0
    with ctx.workprec(192):
        found = {}
        for outcome, chance in law.outcomes.items():
            key = name(outcome)
            found[key] = found.get(key, arb(0)) + chance
        for key in {*found, *wanted}:
            gap = found.get(key, arb(0)) - arb(str(wanted.get(key, Decimal(0))))
            assert abs(gap) < 1e-25, (key, found, wanted)


def root(node):
    return None if node is ROOT else node


# -- Algorithm 1 ----------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(10))
def test_make_tree_is_the_order_of_definition_13_on_1000_classes(seed):
    rng = random.Random(seed)
    for _ in range(100):
        concepts = random_class(rng)
        f = rng.randrange(len(concepts))
        parents = yan.MakeTree(f)(concepts)
        assert parents == text.make_tree_parents(concepts, concepts[f])
        tree = MatrixTree(concepts, f=f)
        assert parents == {x: root(tree.parent(x)) for x in tree.nodes}


def test_the_example_of_the_paper():
    """Section 1.3.2: h7 is x7 -> x5 -> x1."""
    concepts = [
        [int(str(x) in ones) for x in range(1, 8)]
        for ones in ("1", "2", "3", "14", "15", "156", "157", "")
    ]
    parents = yan.MakeTree(f=7)(concepts)
    assert parents == {0: None, 1: None, 2: None, 3: 0, 4: 0, 5: 4, 6: 4}


# -- Algorithm 2 ----------------------------------------------------------------------------------


def improper(concepts, rng, **more):
    return yan.OPTPrivateLearner(
        ls.theory.FiniteClass(concepts), epsilon=F(rng.randint(1, 6), 2), delta=F(1, 20),
        alpha=F(1, 10), beta=F(1, 10), chunks=rng.randint(1, 4), **more,
    )  # fmt: skip


@pytest.mark.first(3, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_algorithm_2(seed):
    rng = random.Random(seed)
    concepts = random_class(rng)
    A = improper(concepts, rng, median="exponential")
    tree = text.Tree(concepts, tuple(A.tree.f(x) for x in range(len(concepts[0]))))
    need = -(-A.t // 6)

    def median(depths, size):
        return text.rank_exponential(depths, size, A.epsilon, need)

    domain = np.arange(len(concepts[0]))
    for records in data_sets(rng, len(concepts[0]), rng.randint(2, 4), 12):
        wanted = text.algorithm2(tree, records, A.t, A.epsilon, A.delta, median)
        law = ExactSource().law(lambda source, records=records: A.node(listed(records), source))
        check(law, wanted, root)
        law = ExactSource().law(lambda source, records=records: A.draw(listed(records), source))
        wanted = text.then(wanted, lambda x: {tree.hypothesis(x): Decimal(1)})
        check(law, wanted, lambda h: tuple(h.predict(domain).tolist()))


def test_the_median_may_be_any():
    concepts = random_class(random.Random(5))
    kinds = {"log*": yan.PrivateMedian, "tree": TreeEM, "exponential": RankExponential}
    for name, kind in kinds.items():
        A = replace(improper(concepts, random.Random(5)), median=name)
        assert isinstance(A.private_median, kind)
        assert A.guarantee().epsilon == 2 * A.epsilon
        assert A.guarantee().delta == A.delta + A.private_median.delta
        assert A.draw(listed([(0, 1), (1, 0)]), SeededSource(1)).predict(np.arange(3)).shape == (3,)


class Recorder:
    """A median that keeps what it was given and what it gave."""

    def __init__(self, median):
        self.median, self.delta, self.ranks = median, median.delta, []

    def draw(self, values, source):
        z = self.median.draw(values, source)
        below, above = values.ends[values.points <= z][-1:], values.before[values.points >= z][:1]
        at_most = int(below[0]) if len(below) else 0
        at_least = values.n - int(above[0]) if len(above) else 0
        self.ranks.append(min(at_most, at_least) / values.n)
        return z


@pytest.mark.more
def test_log_star_on_a_domain_of_two_to_the_65536():
    """The headline order: a tree of 2**65535 nodes; 15 medians of 15 are in the middle 2/3."""
    A = yan.OPTPrivateLearner.printed(
        ls.Thresholds(1, 2**65536), epsilon=F(2), delta=F(1, 10**6), alpha=F(1, 10),
        beta=F(1, 10), n=1,
    )  # fmt: skip
    assert A.t < 900
    recorder = A.__dict__["private_median"] = Recorder(A.private_median)
    near, rng = 2**65535 + 2**60000, random.Random(0)
    points = [near + rng.randint(-(2**59000), 2**59000) for _ in range(3 * A.t)]
    sample = Sample.of(points, [int(x > near) for x in points])
    node = A.node(sample, SeededSource(0))
    assert abs(A.tree.vertex(node) - near) < 2**59000
    height = A.tree.height
    families = [
        lambda: rng.randrange(height),
        lambda: rng.choice([height // 3, height // 3 + 1]),
        lambda: height >> rng.randrange(65535),
        lambda: rng.choice([5, height - 5]),
        lambda: height // 2 + rng.randrange(2**100),
    ]
    for i in range(14):
        depths = [families[i % 5]() for _ in range(A.t)]
        recorder.draw(Ordered.of(depths, height + 1), SeededSource(i))
    assert len(recorder.ranks) == 15
    assert min(recorder.ranks) >= 1 / 6


# -- Theorem 6: PrivateMedian ---------------------------------------------------------------------


@dataclass(frozen=True)
class Shallow(yan.PrivateMedian):
    """A median whose next level is pure, on small domains."""

    @cached_property
    def inner(self):
        return RankExponential(self.height + 1, RankWindow.of((0, 1)), 2 * self.each)


@pytest.mark.first(3, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_level_of_the_log_star_median(seed):
    rng = random.Random(seed)
    size = rng.randint(3, 8)
    median = Shallow(size, epsilon=F(rng.randint(5, 40), 5), delta=F(1, 10))
    budget = dict.fromkeys(("test", "stay", "last"), median.each) | {"heavy": median.heavy}
    for _ in range(8):
        n = rng.randint(2, 6)
        values = [rng.randrange(size) for _ in range(n)]
        weight = rng.randint(1, 3)
        at = yan.Thresholds(
            trim=rng.randint(0, (n - 1) // 2), least=rng.randint(1, 2), theta=rng.randint(0, 3),
            bottom=exp(0, times=weight),
            drop=rng.randint(0, 1), stable=rng.randint(0, 3), rest=1,
        )  # fmt: skip
        if n - 2 * at.trim - at.drop < 1:
            continue
        thresholds = at._asdict() | {"bottom": Decimal(weight)}
        wanted = text.private_median_level(
            values, size, median.height, budget, thresholds,
            lambda depths, count: text.rank_exponential(depths, count, 2 * median.each, 1),
        )  # fmt: skip
        law = ExactSource().law(
            lambda source, values=values, at=at: median.run(Ordered.of(values, size), at, source)
        )
        check(law, wanted)


@pytest.mark.first(1)
@pytest.mark.parametrize("alpha", [F(1, 3), F(1, 4)])
@pytest.mark.parametrize("levels", [1, 2])
def test_thresholds_are_those_of_the_certificate(alpha, levels):
    for bits, epsilon in product((10, 64, 2**16), (F(1), F(1, 2))):
        median = yan.PrivateMedian(
            2**bits, epsilon, F(1, 10**6), alpha=alpha, levels=levels
        )  # fmt: skip
        n = median.required_samples()
        for records in (n - 1, n):
            cert = median.failure(records)
            at = median.thresholds(records)
            assert cert.steps["rest_0"].value == at.rest
            assert cert.steps["drop_0"].value == at.drop
            holds = all(step.value is not False for step in cert.steps.values())
            assert holds == median.certified(records) == (records == n)


# -- Lemma 1 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_lemma_1(seed):
    rng = random.Random(seed)
    quality = {x: rng.randint(0, 9) for x in range(rng.randint(0, 5))}
    choose = yan.ChoosingMechanism(F(rng.randint(1, 8), 2), F(1, 100), k=rng.randint(1, 3))
    law = ExactSource().law(lambda source: choose.draw(quality, source))
    check(law, text.choosing(quality, choose.k, choose.epsilon, choose.delta))


# -- 001, Algorithms 3 and 4 ----------------------------------------------------------------------


def leafy_class(rng):
    """Paths to the leaves of a random tree of 4 to 8 points, some others, and the empty one."""
    parents = [None] + [rng.randrange(i) for i in range(1, rng.randint(4, 8))]
    paths = {(0,) * len(parents)}
    for x in range(len(parents)):
        if x not in parents or rng.random() < 0.2:
            path, at = [0] * len(parents), x
            while at is not None:
                path[at], at = 1, parents[at]
            paths.add(tuple(path))
    return sorted(paths)


def improper_nodes(tree):
    return [x for x in tree.X if not tree.proper(x)]


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(10))
def test_make_sub_tree_on_1000_classes(seed):
    rng = random.Random(seed)
    found = 0
    while found < 100:
        concepts = random_class(rng)
        f = rng.randrange(len(concepts))
        tree = text.Tree(concepts, concepts[f])
        for x_good in tree.X:
            T_good = yan.MakeSubTree(MatrixTree(concepts, f=f), x_good)
            nodes = text.subtree(tree, x_good)
            reached, waiting = set(), [x_good]
            while waiting:
                x = waiting.pop()
                reached.add(x)
                waiting += T_good.children(x)
            assert reached == nodes
            assert all(tree.proper(leaf) for leaf in T_good.leaves(x_good))
            found += 1


@pytest.mark.first(3, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_algorithm_4(seed):
    rng = random.Random(seed)
    while True:  # a class with an improper node
        concepts = leafy_class(rng)
        A = yan.ProperLearner(
            ls.theory.FiniteClass(concepts), epsilon=F(1), delta=F(1, 20),
            epsilon_rounds=F(rng.randint(1, 12), 4), delta_rounds=F(0),
            alpha=F(rng.choice([5, 9, 10])), beta=F(1, 10),
        )  # fmt: skip
        own = A.improper.tree
        f = tuple(own.f(x) for x in range(len(concepts[0])))
        tree = text.Tree(concepts, f, order=own.nodes)
        if improper_nodes(tree):
            break
    for records in data_sets(rng, len(concepts[0]), rng.randint(2, 4), 12):
        x_good = rng.choice(improper_nodes(tree))
        wanted = text.algorithm4(
            tree,
            x_good,
            records,
            -(-10 // A.alpha),
            -(-(A.a * len(records)) // 1),
            A.each,
            A.each / 2,
        )
        S_2 = listed(records)
        law = ExactSource().law(lambda source, x=x_good, S=S_2: A.descend(x, S, source))
        check(law, wanted)


@pytest.mark.more
@pytest.mark.first(1)
@pytest.mark.parametrize("bits", [4, 8, 16])
def test_the_rounds_cost_no_more_than_they_may(bits):
    A = yan.ProperLearner.printed(
        ls.theory.LeafPaths(ls.Prefixes("01", bits)), epsilon=F(1), delta=F(1, 10**6),
        alpha=F(1, 10), beta=F(1, 10), n=1,
    )  # fmt: skip
    spent = compose({BoundedRange(A.each): A.rounds, Pure(A.each / 2): A.rounds},
                    delta=A.delta_rounds)[0]  # fmt: skip
    assert F(95, 100) < spent <= 1
    assert A.guarantee().epsilon == 1
    assert A.guarantee().delta == F(1, 10**6)


@dataclass(frozen=True)
class Halved(yan.ProperLearner):
    """Algorithm 4 with half of the records in either part."""

    def first(self, n):
        return n // 2


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(20))
def test_both_parts_of_algorithm_4(seed):
    rng = random.Random(seed)
    nodes = []
    while not nodes:
        concepts = leafy_class(rng)
        A = Halved(
            ls.theory.FiniteClass(concepts), epsilon=F(6), delta=F(1, 3), epsilon_rounds=F(2),
            delta_rounds=F(0), alpha=F(5), beta=F(1, 10), chunks=2, median="exponential",
        )  # fmt: skip
        own, domain = A.improper.tree, np.arange(len(concepts[0]))
        tree = text.Tree(concepts, tuple(own.f(x) for x in domain.tolist()), order=own.nodes)
        nodes = improper_nodes(tree)

    def median(depths, size):
        return text.rank_exponential(depths, size, A.epsilon, 1)

    path = tree.hypothesis(rng.choice(nodes))
    for _ in range(6):
        points = [rng.randrange(len(path)) for _ in range(6)]
        records = [(x, path[x] ^ (rng.random() < 0.2)) for x in points]
        S_1, S_2 = records[:3], records[3:]
        threshold = -(-(A.a * 3) // 1)
        wanted = text.then(
            text.algorithm2(tree, S_1, 2, A.epsilon, A.delta, median),
            lambda x, S=S_2, k=threshold: text.algorithm4(tree, x, S, A.T, k, A.each, A.each / 2),
        )
        wanted = text.then(wanted, lambda x: {tree.hypothesis(x): Decimal(1)})
        sample = listed(records)
        law = ExactSource().law(lambda source, S=sample: A.draw(S, source))
        check(law, wanted, lambda h: tuple(h.predict(domain).tolist()))


def holds(A, n):
    cert = A.failure(n).certificate(alpha=A.alpha, beta=A.beta, n=n)
    assert not recheck(cert.to_dict())
    return cert.holds


GOAL = {"epsilon": F(1), "delta": F(1, 10**6), "alpha": F(1, 10), "beta": F(1, 10), "n": 1}


@pytest.mark.parametrize("median", ["log*", "tree"])
def test_algorithm_2_is_certified(median):
    A = replace(yan.OPTPrivateLearner.printed(ls.Thresholds(1, 2**20), **GOAL), median=median)
    n = A.required_samples()
    assert n <= {"log*": 24_000, "tree": 8_500}[median]
    assert holds(A, n)
    assert not holds(A, n - 1)
    assert replace(A, chunks=20).failure(10**9) is None  # too few for their median
    one = yan.OPTPrivateLearner.printed(ls.theory.FiniteClass([[1, 0]]), **GOAL)
    assert one.required_samples() == 1


@pytest.mark.more
def test_algorithm_4_is_certified_for_60000_records():
    A = yan.ProperLearner.printed(ls.theory.LeafPaths(ls.Prefixes("01", 8)), **GOAL)
    n = A.required_samples()
    assert n <= 60_000
    assert holds(A, n)
    assert not holds(A, n - 3000)


@pytest.mark.more
def test_algorithm_4_is_certified_on_deep_trees():
    deep = yan.ProperLearner.printed(ls.theory.LeafPaths(ls.Prefixes("01", 128)), **GOAL)
    assert deep.rounds == deep.T  # a last step may be cut off
    assert holds(deep, deep.required_samples())
