"""Paths to leaves only: everything against the same class as a matrix, by brute force."""

import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scenarios import scenarios

import littlestone as ls
from littlestone.classes import (
    FiniteClass,
    LeafPaths,
    Points,
    Prefixes,
    TreePaths,
    class_from_dict,
    make_tree,
    parse_class,
)
from littlestone.classes.finite import best_dichotomies
from littlestone.classes.leaf_paths import LeafTree
from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.learners.vc1 import leaves_below, most_leaves
from littlestone.source import ExactSource, SeededSource, public_generator


def leaves_of(parents):
    """Return the path to each leaf, from the definition."""
    inner = set(parents.values())
    out = []
    for node in parents:
        if node not in inner:
            path, at = set(), node
            while at is not None:
                path.add(at)
                at = parents[at]
            out.append(path)
    return out


def random_tree(case):
    rng = public_generator(case)
    n = int(rng.integers(1, 12))
    deep = int(rng.integers(1, n + 1))
    above = [None if i == 0 else int(rng.integers(max(-1, i - deep), i)) for i in range(n)]
    return {str(i): None if a is None or a < 0 else str(a) for i, a in enumerate(above)}


def of_prefixes(alphabet, length):
    words = ["".join(w) for k in range(length + 1) for w in product(alphabet, repeat=k)]
    return {w: (w[:-1] if w else None) for w in words}


def small():
    """Yield classes, their points as the class names them, and the sets of their concepts."""
    for case in range(60):
        parents = random_tree(case)
        yield LeafPaths(TreePaths(parents)), list(parents), leaves_of(parents)
    for n in (1, 2, 3, 5):
        yield LeafPaths(Points(4, 3 + n)), list(range(4, 4 + n)), [{4 + i} for i in range(n)]
    for alphabet, length in (("ab", 1), ("ab", 2), ("ab", 3), ("abc", 1), ("abc", 2)):
        concepts = LeafPaths(Prefixes(alphabet, length))
        parse = concepts.paths.notation.parse
        named = of_prefixes(alphabet, length).items()
        parents = {parse(w): None if above is None else parse(above) for w, above in named}
        yield concepts, list(parents), leaves_of(parents)


CASES = list(small())


def array(concepts, points):
    return concepts.domain.store(points)


def matrix(concepts, points, sets):
    return np.array([[int(x in s) for x in points] for s in sets])


def test_concepts_and_dimensions():
    for concepts, points, sets in CASES:
        listed = [h.predict(array(concepts, points)).tolist() for h in concepts.concepts()]
        assert sorted(listed) == sorted(matrix(concepts, points, sets).tolist())
        assert concepts.size == len(sets)
        finite = FiniteClass(matrix(concepts, points, sets))
        assert concepts.vc_dim == finite.vc_dim
        low, high = concepts.littlestone_bounds()
        assert low <= ls.theory.littlestone_dimension(finite) <= high
        if not isinstance(concepts.paths, TreePaths):
            assert low == high
        exact = ls.theory.threshold_dimension(finite)
        assert concepts.threshold_bounds() == (exact, exact)
        assert ls.theory.littlestone_dimension(concepts) == ls.theory.littlestone_dimension(finite)


@pytest.mark.parametrize(("concepts", "points", "sets"), CASES)
def test_the_tree_is_that_of_the_matrix(concepts, points, sets):
    """For the default f and for every other one."""
    table = matrix(concepts, points, sets)
    assert make_tree(concepts).height == MatrixTree(table).height
    for h in [None, *concepts.concepts()]:
        tree = make_tree(concepts, h)
        f = tree.hypothesis(ROOT).predict(array(concepts, points))
        row = int(np.flatnonzero((table == f).all(axis=1))[0])
        assert [tree.f(x) for x in points] == f.tolist()
        other = MatrixTree(table, f=row)
        assert (tree.height, tree.size) == (other.height, other.size)
        assert most_leaves(tree) == most_leaves(other)
        names = {}
        for i, x in enumerate(points):
            mine, theirs = tree.quotient(x), other.quotient(i)
            assert (mine is None) == (theirs is None)
            if mine is not None:
                assert names.setdefault(mine, theirs) == theirs
        assert len(set(names.values())) == len(names) == tree.size
        for mine, theirs in names.items():
            assert tree.depth(mine) == other.depth(theirs)
            assert [names[x] for x in tree.path(mine)] == list(other.path(theirs))
            assert {names[x] for x in tree.children(mine)} == set(other.children(theirs))
            assert tree.child_count(mine) == other.child_count(theirs)
            assert tree.is_proper(mine) == other.is_proper(theirs)
            labels = tree.hypothesis(mine).predict(array(concepts, points))
            assert labels.tolist() == [int(c) for c in other.hypothesis(theirs).labels]
            assert {names[x] for x in leaves_below(tree, mine)} == set(leaves_below(other, theirs))
        order = sorted(names, key=tree.order)
        for i, x in enumerate(order):  # a depth-first order: what is below comes next
            below = [tree.precedes(y, x) for y in order[i:]]
            assert below == sorted(below, reverse=True)
        assert all(tree.eccentricity(x) == other.eccentricity(y) for x, y in names.items())


@pytest.mark.parametrize(("concepts", "points", "sets"), CASES[::3])
def test_law_of_draws(concepts, points, sets, request):
    rng = public_generator(len(sets))
    places = rng.integers(0, len(points), 8)
    labels = rng.integers(0, 2, 8)
    data = Sample.of([points[i] for i in places], labels)
    errors = [
        sum(int((points[i] in s) != y) for i, y in zip(places, labels, strict=True)) for s in sets
    ]
    rate, found = Fraction(1, 3), concepts.candidates(data)
    assert found.size == len(sets)
    law = ExactSource().law(lambda source: found.draw(rate, source))
    chances = {}
    for h, chance in law.outcomes.items():
        ones = h.predict(array(concepts, points)) == 1
        chances[frozenset(x for x, one in zip(points, ones, strict=True) if one)] = float(chance)
    weights = {frozenset(s): math.exp(-rate * e) for s, e in zip(sets, errors, strict=True)}
    total = sum(weights.values())
    assert chances == pytest.approx({s: w / total for s, w in weights.items()}, rel=1e-12)


def test_dichotomies():
    for concepts, points, sets in CASES:
        rng = public_generator(len(points), 1)
        given = [points[i] for i in sorted(set(rng.integers(0, len(points), 4).tolist()))]
        places, labels = rng.integers(0, len(points), 9), rng.integers(0, 2, 9)
        data = Sample.of([points[i] for i in places], labels)
        expected = {}
        for s in sets:
            cost = sum(int((points[i] in s) != y) for i, y in zip(places, labels, strict=True))
            key = tuple(int(x in s) for x in given)
            expected[key] = min(cost, expected.get(key, cost))
        found = best_dichotomies(concepts, array(concepts, given), data)
        drawn = {tuple(found._labels(k).tolist()): -int(s) for k, s in enumerate(found._scores)}
        assert drawn == expected


def test_an_infinite_star():
    star = LeafPaths(Points())
    assert (star.size, star.vc_dim) == (math.inf, 1)
    tree = make_tree(star)
    assert (tree.height, most_leaves(tree)) == (2, math.inf)
    with pytest.raises(UnsupportedError, match="representation"):
        star.candidates(Sample.of([1], [1]))
    # among infinitely many others, one gains nothing
    data = Sample.of(["a", "b"], [1, 0])
    found = best_dichotomies(star, np.array(["a", "c"], dtype=object), data)
    drawn = {tuple(found._labels(k).tolist()): -int(s) for k, s in enumerate(found._scores)}
    assert drawn == {(1, 0): 0, (0, 1): 1, (0, 0): 1}
    space = star.version_space().restrict("a", 0)
    assert (space.littlestone_dim(), space.restrict("b", 1).littlestone_dim()) == (1, 0)
    assert make_tree(star, ls.classes.PointHypothesis("x")).f("x") == 1


def test_text_and_json(tmp_path):
    (tmp_path / "kinds.csv").write_text("node,parent\na,\nb,a\nc,a\n")
    for spec in (
        f"leaf_paths(tree_paths({tmp_path / 'kinds.csv'}))",
        "leaf_paths(points(1, 2**64))",
        "leaf_paths(points())",
        "leaf_paths(prefixes(ipv6))",
    ):
        concepts = parse_class(spec)
        assert concepts.spec == spec
        assert class_from_dict(json.loads(json.dumps(concepts.to_dict()))) == concepts
    with pytest.raises(ParameterError, match="tree_paths, prefixes or points"):
        parse_class("leaf_paths(thresholds(1, 9))")
    with pytest.raises(ParameterError, match="'f' parameter"):
        make_tree(LeafPaths(Points(1, 9)), ls.classes.AlwaysZero())
    inner = TreePaths({"a": None, "b": "a"})
    with pytest.raises(ParameterError, match="'f' parameter"):
        make_tree(LeafPaths(inner), ls.classes.PathHypothesis(("a",)))


def test_addresses_of_any_size():
    """Nothing is listed: 2**128 leaves, their tree of height 255, and what a sample forces."""
    tree = make_tree(LeafPaths(Prefixes("ipv6")))
    assert (tree.height, most_leaves(tree)) == (255, math.inf)
    parse = Prefixes("ipv6").notation.parse
    site = parse("2001:db8::/32")
    assert not tree.is_proper(tree.quotient(site))
    assert tree.is_proper(tree.quotient(parse("2001:db8::1")))
    assert tree.quotient(parse("::/0")) is None
    assert tree.quotient(parse("::/1")) == tree.quotient(parse("8000::/1"))
    data = Sample.of([site, parse("4000::/2")], [1, 0])
    assert tree.deterministic(data) == site


# --- learned by the VC-1 learner -----------------------------------------------------------------

STAR = LeafPaths(Points(1, 300))
KINDS = LeafPaths(TreePaths({"a": None, "b": "a", "c": "a", "d": "b", "e": "b", "f": "b"}))
GOAL = {"epsilon": 1, "delta": "1e-6"}


def needed(concepts, **options):
    return registry.make("vc1", concepts, **GOAL, **options).required_samples()


@pytest.mark.more
def test_the_price_of_proper_output_is_that_of_the_matrix():
    listed = FiniteClass(np.eye(300, dtype=int))
    assert needed(STAR) == needed(listed)
    assert needed(STAR, proper=True) == needed(listed, proper=True)
    # one draw among the leaves needs ln of their number; infinitely many need Algorithm 4
    endless = LeafPaths(Points())
    assert needed(endless) == needed(STAR) < needed(STAR, proper=True)
    with pytest.raises(UnsupportedError, match=r"yan\.algorithm4"):
        needed(endless, proper=True)


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("concepts", "proper"),
    [(STAR, False), (STAR, True), (KINDS, False), (KINDS, True), (LeafPaths(Points()), False)],
    ids=str,
)
def test_it_is_learned(concepts, proper):
    options = {**GOAL, "alpha": "0.2", "proper": proper}
    learner = registry.make("vc1", concepts, **options)
    for case, scenario in enumerate(scenarios(concepts, Fraction(1, 5))):
        sample = scenario.draw(learner.required_samples(), public_generator(case))
        found = run(learner, sample, SeededSource(case)).hypothesis
        assert scenario.excess(found) <= 0.2
        assert not proper or concepts._end(found) in concepts._whole


@pytest.mark.more
@pytest.mark.parametrize(
    ("concepts", "points", "proper"),
    [
        (LeafPaths(Points(1, 3)), [1, 2, 3], True),
        (KINDS, ["b", "c", "d"], False),
        (LeafPaths(Points()), ["x", 0], False),
        (KINDS, ["b", "c", "d"], True),
    ],
    ids=str,
)
def test_it_is_private(concepts, points, proper):
    learner = registry.make(
        "vc1", concepts, epsilon=1, delta="0.1", alpha="0.9", beta="0.9", proper=proper
    )
    assert ls.audit.verify(learner, points=points, n_samples=2).holds


def test_a_tree_that_calls_inner_nodes_proper_is_noticed(monkeypatch):
    """The check that proper output is a concept has power."""
    monkeypatch.setattr(LeafTree, "is_proper", lambda self, node: True)
    learner = registry.make("vc1", STAR, **GOAL, proper=True)
    data = Sample.of([1] * 800, [0] * 800)  # not the f of the tree
    found = {type(run(learner, data, SeededSource(i)).hypothesis) for i in range(3)}
    assert found == {ls.classes.AlwaysZero}  # the path to the centre, and no concept
