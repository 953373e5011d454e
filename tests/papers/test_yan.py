"""The pages of 000 and 001 against a second writing of the text."""

import math
import random
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction as F
from functools import cached_property
from itertools import combinations, combinations_with_replacement, count, product

import numpy as np
import pytest
from flint import arb, ctx

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample
from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow, TreeEM
from littlestone.mechanisms.select import entering_bottom
from littlestone.papers import yan
from littlestone.papers.yan import PrivateMedian, Thresholds
from littlestone.privacy import BoundedRange, Pure, compose, hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, Exp, SeededSource, exp

from . import reference_yan as text

# -- The page of 000 and 001 against a second writing of the text, exact law by exact law ----------

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
def test_thresholds_are_the_least_that_do(alpha, levels):
    """Each is decided exactly, from the law of the noise and the odds of a draw."""
    for bits, epsilon in product((10, 64, 2**16), (F(1), F(1, 2))):
        median = yan.PrivateMedian(2**bits, epsilon, F(1, 10**6), alpha=alpha, levels=levels)
        n, beta, half = median.required_samples(), F(1, 20), F(1, 2 * 10**6)
        assert not median.failure(n - 1).holds
        at, each, heavy = median.thresholds(n), epsilon / 5, epsilon * 4 / 5
        least = -(-2 // heavy)
        middle = n - 2 * at.trim
        least = 1 if middle // least - 1 >= bits else least
        entering = min(bits, middle // least - 1)
        bottom = entering_bottom(entering=entering, score=least, rate=heavy / 2, delta=half)
        assert (at.least, at.bottom.terms) == (least, bottom.terms)
        bad = 2 * (4 - beta) / beta
        spare = at.trim - max(1, math.ceil((F(1, 2) - alpha) * n)) + 1
        assert [(exp(each / 2 * k) - bad).sign() for k in (spare, spare + 1)] == [-1, 1]
        noise, leak = least_tail(each, beta / 8), least_tail(each, half)
        sure, odds = at.theta + 1 - noise, bottom * ((1 - beta) / beta)
        assert [(exp(heavy / 2 * k) - odds).sign() for k in (sure - 1, sure)] == [-1, 1]
        calm = at.theta - 1 + leak
        assert at.stable == calm + 1 + leak
        assert at.drop == max(calm + 1, calm + leak + noise - 1)
        assert at.rest == middle - at.drop


def least_tail(rate, chance):
    """Return the least k >= 1 with Pr[Z >= k] <= chance, for two-sided geometric Z; exactly."""
    return next(k for k in count(1) if (chance * (1 + exp(-rate)) - exp(-rate * k)).sign() >= 0)


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


GOAL = {"epsilon": F(1), "delta": F(1, 10**6), "alpha": F(1, 10), "beta": F(1, 10), "n": 1}


def comb(teeth):
    """The paths to the leaves of a comb: a chain of inner nodes, each with a leaf beside it."""
    down = np.tri(teeth, k=-1, dtype=int)  # leaf i is below the inner nodes before i
    return ls.theory.FiniteClass(np.concatenate([down, np.eye(teeth, dtype=int)], axis=1))


@pytest.mark.more
@pytest.mark.first(1)
@pytest.mark.parametrize("teeth", [8, 16, 32])
def test_the_rounds_cost_no_more_than_they_may(teeth):
    A = yan.ProperLearner.printed(comb(teeth), **GOAL)
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
    A = yan.ProperLearner.printed(comb(30), **GOAL)
    n = A.required_samples()
    assert n <= 60_000
    assert holds(A, n)
    assert not holds(A, n - 3000)


@pytest.mark.more
def test_algorithm_4_is_certified_on_deep_trees():
    deep = yan.ProperLearner.printed(comb(256), **GOAL)
    assert deep.rounds == deep.T  # a last step may be cut off
    assert holds(deep, deep.required_samples())


# -- PrivateMedian of order log*: exact laws of whole runs on all small data, and broken controls --


class Small(Shallow):
    """Nothing is trimmed, theta is given, and what privacy needs is derived."""

    def at(self, n, theta=1, **change):
        half = self.delta / 2
        least, entering = 1, min(self.height, n - 1)
        bottom = entering_bottom(entering=entering, score=least, rate=self.heavy / 2, delta=half)
        calm = theta - 1 + least_tail(self.each, half)
        own = {
            "trim": 0, "least": least, "bottom": bottom, "theta": theta, "drop": calm + 1,
            "stable": calm + 1 + least_tail(self.each, half), "rest": n - calm - 1,
        }  # fmt: skip
        assert own["rest"] >= 1, "else nothing is verified"
        return Thresholds(**own | change)


def worst(size, n, **change):
    """Return the largest divergence of all neighbours, in units of delta."""
    median = Small(size, F(5), F(1, 50))
    at = median.at(n, **change)
    data_sets = list(combinations_with_replacement(range(size), n))
    values = [Ordered.of(data, size) for data in data_sets]
    laws = {
        data: ExactSource().law(lambda s, v=v: median.run(v, at, s))
        for data, v in zip(data_sets, values, strict=True)
    }
    found = F(0)
    for data, law in laws.items():
        for i, new in ((i, new) for i in range(n) for new in range(size)):
            other = laws[tuple(sorted((*data[:i], new, *data[i + 1 :])))]
            divergence = hockey_stick(law.outcomes, other.outcomes, median.epsilon)
            found = max(found, upper(divergence) + upper(law.slack))
    return found / median.delta


@pytest.mark.first(1)
@pytest.mark.parametrize(("size", "n"), [(2, 7), (3, 7), (4, 7)])
def test_a_whole_run_is_private(size, n):
    assert worst(size, n) <= 1


@pytest.mark.more
@pytest.mark.parametrize("share", [F(0), F(1, 20)])
def test_a_low_bottom_is_noticed(share):
    at = Small(3, F(5), F(1, 50)).at(7)
    assert worst(3, 7, bottom=at.bottom * share if share else Exp({})) > 1


def test_degenerate_domains_and_too_few_records():
    source, goal = ExactSource(), {"epsilon": F(1), "delta": F(1, 10**6)}
    for values, size, answer in (([0, 0], 1, 0), ([0, 5], 8, None), ([], 8, None)):
        median = PrivateMedian(size, **goal)
        law = source.law(lambda s, m=median, v=values, k=size: m.draw(Ordered.of(v, k), s))
        assert set(law.outcomes) == {answer}


# -- the lemmas of its privacy, by counting --------------------------------------------------------


def height(size):
    return (size - 1).bit_length()


def multisets(size, n):
    return combinations_with_replacement(range(size), n)


def neighbours(data, size):
    for i, old in enumerate(data):
        if not i or data[i - 1] != old:
            for new in range(size):
                if new != old:
                    yield tuple(sorted((*data[:i], new, *data[i + 1 :])))


def balance(data, h):
    """The heaviest lighter child of any node, by counting under every node."""
    worst = 0
    for t in range(1, h + 1):
        for node in {x >> t for x in data}:
            left = sum(x >> (t - 1) == 2 * node for x in data)
            right = sum(x >> (t - 1) == 2 * node + 1 for x in data)
            worst = max(worst, min(left, right))
    return worst


def depths(data, h):
    """The depths by walking down to the heavier child (the left one if equal)."""
    out = [0] * len(data)
    node = 0
    for depth in range(1, h + 1):
        left = sum(x >> (h - depth) == 2 * node for x in data)
        right = sum(x >> (h - depth) == 2 * node + 1 for x in data)
        node = 2 * node + (right > left)
        for i, x in enumerate(data):
            out[i] = depth if x >> (h - depth) == node else out[i]
    return sorted(out)


def one_replaced(a, b):
    """Whether two sorted lists differ by replacing at most one element."""
    counts = {v: a.count(v) - b.count(v) for v in {*a, *b}}
    return sum(c for c in counts.values() if c > 0) <= 1


def lipschitz_failures(size, n, calm, drop):
    h, failures, pairs = height(size), 0, 0
    calm_sets = {d: depths(d, h) for d in multisets(size, n) if balance(d, h) <= calm}
    for data, mine in calm_sets.items():
        for other in neighbours(data, size):
            if other in calm_sets:
                kept = max(n - drop, 0)
                failures += not one_replaced(mine[:kept], calm_sets[other][:kept])
                pairs += 1
    return failures, pairs


@pytest.mark.parametrize(("size", "n", "calm"), [(8, 5, 2), (8, 6, 2), (16, 4, 1), (4, 8, 2)])
def test_the_depths_without_the_deepest_are_lipschitz(size, n, calm):
    failures, pairs = lipschitz_failures(size, n, calm, calm + 1)
    assert (failures, pairs > 100) == (0, True)


def test_dropping_fewer_depths_is_caught():
    for drop in (0, 1):
        assert lipschitz_failures(8, 5, 2, drop)[0] == 672


@pytest.mark.first(1)
@pytest.mark.parametrize(("size", "n"), [(8, 4), (16, 3)])
def test_balance_moves_by_one_and_a_changed_node_is_light(size, n):
    h = height(size)
    of = {data: balance(data, h) for data in multisets(size, n)}
    for data, own in of.items():
        for other in neighbours(data, size):
            assert abs(own - of[other]) <= 1
            calm = max(own, of[other])
            for depth in range(h + 1):
                (a, weight), (b, same) = (fullest(d, h, depth) for d in (data, other))
                assert a == b or max(weight, same) <= calm + 1


def fullest(data, h, depth):
    nodes = [x >> (h - depth) for x in data]
    best = min(set(nodes), key=lambda v: (-nodes.count(v), v))
    return best, nodes.count(best)


class Seen:
    """In the place of the next level: what it is given."""

    def draw(self, depths, source):
        self.depths = np.repeat(depths.points, np.diff(depths.ends, prepend=0)).tolist()


def test_the_next_level_gets_the_depths_of_the_definition():
    rng = np.random.default_rng(5)
    for _ in range(60):
        size, seen = int(rng.integers(2, 40)), Seen()
        data = sorted(rng.integers(0, size, rng.integers(1, 12)).tolist())
        median = Small(size, F(5), F(1, 50))
        vars(median)["inner"] = seen
        at = Thresholds(0, 1, Exp({}), theta=10**6, drop=0, stable=0, rest=1)
        assert median.run(Ordered.of(data, size), at, SeededSource(0)) is None
        assert seen.depths == depths(data, median.height)


# -- its path branch, where the lemmas send neighbours ---------------------------------------------


def worst_of_paths(size, n, calm, **change):
    """Return the pairs, and the largest divergence of calm neighbours in units of delta/2."""
    median = Small(size, F(5), F(1, 50))
    hidden = least_tail(median.each, median.delta / 2)
    at = Thresholds(0, 1, Exp({}), 10**6, calm + 1, calm + 1 + hidden, n - calm - 1)
    at = at._replace(**change)  # of so high a theta that the heavy branch is never taken
    laws = {}
    for data in multisets(size, n):
        if balance(data, median.height) <= calm:
            values = Ordered.of(data, size)
            laws[data] = ExactSource().law(lambda s, v=values: median.run(v, at, s))
    pairs = [(data, other) for data in laws for other in neighbours(data, size) if other in laws]
    most = max(
        upper(hockey_stick(laws[a].outcomes, laws[b].outcomes, median.heavy)) for a, b in pairs
    )
    return len(pairs), most / (median.delta / 2)


@pytest.mark.parametrize(
    ("size", "n", "calm"),
    [
        pytest.param(6, 4, 1, marks=pytest.mark.more),
        pytest.param(8, 3, 1, marks=pytest.mark.full),
        pytest.param(8, 6, 2, marks=pytest.mark.full),
        pytest.param(16, 4, 1, marks=pytest.mark.full),
    ],
)
def test_the_path_branch_is_private(size, n, calm):
    pairs, most = worst_of_paths(size, n, calm)
    assert pairs > 400
    assert most <= 1


@pytest.mark.more
def test_an_unstable_release_is_noticed():
    assert worst_of_paths(5, 4, 1, stable=0)[1] > 1


def test_the_example_of_the_paper():
    """Section 1.3.2: h7 is x7 -> x5 -> x1."""
    concepts = [
        [int(str(x) in ones) for x in range(1, 8)]
        for ones in ("1", "2", "3", "14", "15", "156", "157", "")
    ]
    parents = yan.MakeTree(f=7)(concepts)
    assert parents == {0: None, 1: None, 2: None, 3: 0, 4: 0, 5: 4, 6: 4}


def test_privacy_does_not_depend_on_beta():
    """beta moves thresholds, and every threshold that privacy needs moves along."""
    for beta in (F(1, 1000), F(1, 20), F(9, 10)):
        median = PrivateMedian(2**64, F(1), F(1, 10**6), beta=beta)
        at, hidden = median.thresholds(900), least_tail(median.each, median.delta / 2)
        calm = at.theta - 1 + hidden
        assert at.drop >= calm + 1
        assert at.stable == calm + 1 + hidden
