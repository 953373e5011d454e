"""Half-planes and rules at public points: dichotomies and dimensions by brute force."""

import random
from fractions import Fraction
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from flint import arb

import littlestone as ls
from littlestone.bounds.representations import PublicPoints
from littlestone.bounds.tails import clopper_pearson, lower_limit
from littlestone.classes import at_public_points, load
from littlestone.classes.dimensions import Bounds
from littlestone.classes.finite import check_dichotomies, listing
from littlestone.classes.finite import dichotomies as found_dichotomies
from littlestone.classes.half_planes import HalfPlaneHypothesis
from littlestone.classes.rules import (
    mistakes_at_most,
    shattered_rows,
    threshold_rows,
    thresholds_at_most,
    vc_at_most,
)
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.exponential import Agnostic
from littlestone.source import ExactSource, SeededSource, public_generator

# -- Half-planes at public points: dichotomies by brute force, scores, laws, the theorem, releases

GRID = ls.theory.HalfPlanes((0, 0), (3, 3))
#: On a grid of side 3 a half-plane has a normal that lies between two differences of points.
NORMALS = [(a, b) for a, b in product(range(-13, 14), repeat=2) if (a, b) != (0, 0)]


def dichotomies(points, *, upper=None):
    """All labels by half-planes {a x + b y >= c}; the upper ones have b > 0."""
    found = set()
    for a, b in NORMALS:
        if upper is None or (b > 0) == upper:
            values = points @ (a, b)
            found |= {tuple((values >= c).astype(int)) for c in (*values, values.max() + 1)}
    return found


def degenerate(rng):
    """A few points of the grid, many of them alike or on a line."""
    points = rng.integers(0, 4, (rng.integers(1, 8), 2))
    if rng.random() < 0.3:
        points[:, rng.integers(2)] = 1
    return points


@pytest.mark.more
@pytest.mark.parametrize("start", [0, *(i for i in range(1, 15))])
def test_all_dichotomies_of_degenerate_sets_and_no_other(start):
    rng = np.random.default_rng(start)
    for _ in range(20):
        points = degenerate(rng)
        found = list(at_public_points(GRID, points).concepts())
        labels = [tuple(h.predict(points)) for h in found]
        assert set(labels) == dichotomies(points)
        half = len(found) // 2  # one upper, one lower candidate for each labelling of the family
        for part, upper in ((labels[:half], True), (labels[half:], False)):
            assert len(set(part)) == len(part) == half
            assert {*part} == {
                row if upper else tuple(1 - label for label in row)
                for row in dichotomies(points, upper=True)
            }


def brute(concepts, rows, labels):
    """Errors of concepts with Python's integers."""
    out = []
    for h in concepts:
        (dx, dy), (px, py) = h.direction, h.point
        wrong = 0
        for (x, y), label in zip(rows, labels, strict=True):
            side = dx * (y - py) - dy * (x - px)
            one = side > 0 or (side == 0 and (x < px if dx else y >= py))
            wrong += (one != h.below) != bool(label)
        out.append(wrong)
    return out


@pytest.mark.parametrize("side", [4, 2**20])
def test_scores_are_errors(side):
    """Also between the steepest and the flattest lines that there are, in exact integers."""
    rng, high = np.random.default_rng(side), side - 1
    plane = ls.theory.HalfPlanes((0, 0), (high, high))
    corners = [(0, 0), (high, high), (high - 1, high), (high, high - 1), (0, 1), (1, 0), (0, high)]
    near = [(high - 2, high - 1), (high - 1, high - 2), (1, 1), (2, 1), (1, 2), (0, high - 1)]
    public = [*rng.integers(0, side, (6, 2)).tolist(), *corners[: 9 if side > 4 else 0]]
    rows = [*rng.integers(0, side, (30, 2)).tolist(), *corners, *near] if side > 4 else [
        *product(range(4), repeat=2), (1, 1), (2, 2)
    ]  # fmt: skip
    labels = rng.integers(0, 2, len(rows))
    found = at_public_points(plane, public)
    choice = found.candidates(Sample.of(np.array(rows), labels))
    concepts = list(found.concepts())
    assert (-choice._choice.scores).tolist() == brute(concepts, rows, labels)
    sample = Sample.of(np.array(rows), labels)
    assert [found.errors(h, sample) for h in concepts] == brute(concepts, rows, labels)


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.more)])
@pytest.mark.parametrize(
    ("plane", "public", "points"),
    [
        (GRID, [(0, 0), (2, 1), (2, 1)], [(0, 1), (2, 1), (3, 0)]),
        (ls.theory.HalfPlanes(0, 9), [3, 7], [2, 3, 8]),
        pytest.param(
            GRID, [(0, 1), (1, 1), (3, 1), (1, 3)], [(0, 0), (2, 1), (1, 3)],
            marks=pytest.mark.more,
        ),
    ],
)  # fmt: skip
def test_all_private_data_sets_for_fixed_public_points(plane, public, points, n):
    learner = Agnostic(plane, epsilon=1, public=public, shift=None)
    result = ls.audit.verify(learner, points=points, n_samples=n)
    assert result.holds, result
    assert result.tightest_epsilon > 0.5


@pytest.mark.parametrize("start", [-(2**58), 2**31 - 2, 2**53 - 2, 2**58])
def test_edges_of_machine_integers(start):
    """The law is that of small integers, moved."""
    laws = []
    for low in (0, start):
        plane = ls.theory.HalfPlanes((low, low), (low + 3, low + 3))
        move = np.array([low, low])
        found = at_public_points(plane, np.array([(0, 0), (2, 1), (3, 3)]) + move)
        sample = Sample.of(np.array([(0, 1), (1, 1), (3, 2), (2, 0)]) + move, [1, 0, 1, 1])
        law = ExactSource().law(lambda s, f=found, z=sample: f.candidates(z).draw(Fraction(1), s))
        laws.append({
            (h.point[0] - low, h.point[1] - low, h.direction, h.below): float(p.mid())
            for h, p in law.outcomes.items()
        })  # fmt: skip
    assert laws[0] == pytest.approx(laws[1])


def test_half_lines_are_thresholds_and_their_complements():
    found = at_public_points(ls.theory.HalfPlanes(0, 9), [3, 7, 7])
    labels = {tuple(h.predict(np.arange(10))) for h in found.concepts()}
    assert labels == {
        tuple(int((x >= q) != flip) for x in range(10)) for q in (3, 7, 10) for flip in (0, 1)
    }
    assert (found.size, found.public) == (6, PublicPoints(3, 1))
    sample = Sample.of([1, 3, 5, 7, 9, 12], [1, 0, 1, 1, 0, 1])
    law = ExactSource().law(lambda s: found.candidates(sample).draw(Fraction(1, 2), s).key)
    weights = {h.key: np.exp(-found.errors(h, sample) / 2) for h in found.concepts()}
    got = {key: float(p.mid()) for key, p in law.outcomes.items()}
    total = sum(weights.values())
    assert got == pytest.approx({key: w / total for key, w in weights.items()})


# -- the theorem: off as rarely as the second of m uniform numbers is large ----------------------


def disc(rng, n):
    """A law with a density, as far as a grid has one."""
    return rng.integers(0, 2**18, (n, 2))


def lines(rng, n):
    """Atoms on a few lines, one of them the boundary of the concept."""
    x = rng.integers(0, 12, n)
    return np.stack([x, np.choose(rng.integers(0, 3, n), [x // 2, 3 + 0 * x, 11 - x])], axis=1)


LAWS = {
    "density": (disc, lambda p: 2 * p[:, 1] >= p[:, 0] + 2**16),
    "lines": (lines, lambda p: 3 * p[:, 1] >= p[:, 0] + 3),
    "steep": (lines, lambda p: p[:, 1] >= 40 - 7 * p[:, 0]),
    "one line": (lambda rng, n: np.stack([rng.integers(0, 30, n), np.full(n, 3)], axis=1),
                 lambda p: 5 * p[:, 1] >= p[:, 0]),
}  # fmt: skip


@pytest.mark.more
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("name", sorted(LAWS, reverse=True))
def test_representatives_are_off_as_rarely_as_stated(name, below):
    draw, concept = LAWS[name]
    rng, m, mass, trials = np.random.default_rng(1), 15, 0.2, 100
    fresh = draw(rng, 3000)
    plane, far = ls.theory.HalfPlanes((0, 0), (2**18, 2**18)), 0
    truth = concept(fresh) != below
    for _ in range(trials):
        public = draw(rng, m)
        found = at_public_points(plane, public)
        half, wanted = found.size // 2, concept(public) != below
        numbers = range(half, 2 * half) if below else range(half)
        (h,) = (h for h in map(found._concept, numbers) if (h.predict(public) == wanted).all())
        far += (h.predict(fresh) != truth).mean() > mass + 0.01
    assert lower_limit(far, trials, 1e-3) <= PublicPoints(m, 2).off(mass)


# -- releases ------------------------------------------------------------------------------------

SIDE = 2**20


def labelled(rng, n):
    """Coins, but for a strip of mass 0.1005 on each side of the line, where labels are certain."""
    points = rng.integers(0, SIDE, (n, 2))
    above = points[:, 1] - SIDE / 2
    truth = above >= 0
    certain = abs(above) < 0.1005 * SIDE
    return points, np.where(certain, truth, rng.random(n) < 0.5).astype(int), certain, truth


def failures(n, epsilon, trials, m=200):
    rng, bad = np.random.default_rng(7), 0
    plane = ls.theory.HalfPlanes((0, 0), (SIDE - 1, SIDE - 1))
    fresh, _, certain, truth = labelled(rng, 20_000)
    for trial in range(trials):
        learner = Agnostic(plane, epsilon=epsilon, public=labelled(rng, m)[0])
        points, labels, *_ = labelled(rng, n)
        h = learner.draw(Sample.of(points, labels), SeededSource(trial))
        bad += ((h.predict(fresh) != truth) & certain).mean() > 0.1  # coins are wrong half the time
    return bad


def test_one_release_at_the_certified_number():
    plane = ls.theory.HalfPlanes((0, 0), (SIDE - 1, SIDE - 1))
    public = labelled(np.random.default_rng(1), 200)[0]
    assert Agnostic(plane, epsilon=1, public=public).required_samples() == pytest.approx(
        4068, rel=0.02
    )
    assert failures(4104, 1, 1) == 0


@pytest.mark.full  # `benchmarks.public` has as many in group more
def test_a_hundred_releases_and_an_eighth_of_the_records():
    assert clopper_pearson(failures(4104, 1, 100), 100)[1] < 0.05
    few = failures(4730 // 8, "1/10", 60)
    assert clopper_pearson(few, 60)[0] > 0.05


def test_files():
    plane = ls.theory.HalfPlanes((-5, -5), (9, 9))
    made = ls.AgnosticLearner(
        plane, epsilon=1, public=[(-5, 3), (2, 2), (7, -1)] * 20, random_state=0
    ).fit([(0, 0), (5, 5)] * 20, [0, 1] * 20)
    again = type(made.release_).from_dict(made.release_.to_dict())
    assert again.concept_class == made.release_.concept_class
    assert again.hypothesis == made.hypothesis_
    for h in at_public_points(plane, [(-5, 3), (2, 2)]).concepts():
        assert load(h.to_dict()) == h
    forged = HalfPlaneHypothesis((1, 1), (2, 1), False, (0, 0), (9, 9)).to_dict()
    for change in ({"direction": [2, 2]}, {"direction": [0, 1]}, {"below": 1}, {"point": [1]}):
        with pytest.raises(ParameterError):
            load(forged | change)


def test_refusals():
    with pytest.raises(UnsupportedError, match="at public points only"):
        ls.AgnosticLearner(GRID, epsilon=1).required_samples()
    with pytest.raises(ParameterError, match="a pair of integers"):
        ls.AgnosticLearner(GRID, epsilon=1, public=[(4, 0)]).fit([(0, 0)], [1])
    with pytest.raises(ParameterError, match="less than 2"):
        ls.theory.HalfPlanes((0, 0), (2**20, 1))
    with pytest.raises(ParameterError, match="integers, or pairs"):
        ls.theory.HalfPlanes((0, 0, 0), (1, 1, 1))


def test_points_beyond_the_domain_are_labelled_0():
    rule = HalfPlaneHypothesis((1, 1), (2, 1), True, (0, 0), (9, 9))
    assert rule.predict(np.array([[5, 0], [5, -1], [2**62, -(2**62)]])).tolist() == [1, 0, 0]


def test_the_text_of_a_class():
    for plane in (GRID, ls.theory.HalfPlanes(0, 2**64)):
        assert ls.classes.parse_class(plane.spec) == plane


# -- Dichotomies with the costs of their best concepts, against brute force over the whole class ---

RATE = F(1, 2)
MATRIX = [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
TREE = {"a": None, "b": "a", "c": "b", "d": "a", "e": None, "f": "e", "g": "c"}
CLASSES = [
    ls.Thresholds(2, 7),
    ls.Points(2, 7),
    ls.SparseSets(0, 2, 7),
    ls.SparseSets(2, 2, 7),
    ls.SparseSets(3, 2, 7),
    ls.Intervals(2, 7),
    ls.theory.TreePaths(TREE),
    ls.Prefixes("ab", 2),
    ls.theory.FiniteClass(MATRIX),
    ls.theory.Conjunctions(2),
    ls.theory.AffineSubspaces(2, 2, 1),
]


def everything(concepts):
    """Return all points of the domain, and one outside it."""
    if isinstance(concepts, ls.theory.TreePaths):
        return [*TREE, "other"]
    if isinstance(concepts, ls.Prefixes):
        return ["", "a", "b", "aa", "ab", "ba", "bb", "c"]
    if isinstance(concepts, ls.theory.Conjunctions | ls.theory.AffineSubspaces):
        return list(product((0, 1), repeat=2))
    if isinstance(concepts, ls.theory.FiniteClass):
        return [0, 1, 2, 3, 9]
    return list(range(1, 9))


def array(points):
    out = np.empty(len(points), dtype=object)
    out[:] = points
    return out if points and not isinstance(points[0], int) else np.array(points, dtype=np.int64)


def brute_dichotomies(concepts, points, second):
    """Return the probability of each labelling, from the list of all concepts."""
    cost = {}
    for concept in concepts.concepts():
        seen = tuple(concept.predict(points).tolist()) if len(points) else ()
        errors = concepts.errors(concept, second)
        cost[seen] = min(errors, cost.get(seen, errors))
    weights = {seen: (arb(-1) / 2 * c).exp() for seen, c in cost.items()}
    total = sum(weights.values(), arb(0))
    return {seen: weight / total for seen, weight in weights.items()}


@pytest.mark.parametrize("concepts", CLASSES, ids=lambda c: c.spec)
def test_laws_are_those_of_brute_force(concepts):
    generator = public_generator(7)
    domain = everything(concepts)
    for trial in range(25):
        k = int(generator.integers(0, min(5, len(domain)) + 1))
        points = array([domain[i] for i in generator.permutation(len(domain))[:k].tolist()])
        n = int(generator.integers(0, 7))
        drawn = [domain[i] for i in generator.integers(0, len(domain), n).tolist()]
        second = Sample.of(array(drawn), generator.integers(0, 2, n))
        found = found_dichotomies(concepts, points, second)
        expected = brute_dichotomies(concepts, points, second)
        law = ExactSource().law(lambda s: tuple(found.draw(RATE, s).tolist()))  # noqa: B023
        assert found.size == len(expected)
        assert law.outcomes.keys() == expected.keys(), trial
        assert all(law.outcomes[seen].overlaps(expected[seen]) for seen in expected)


def test_infinite_domains():
    """The best point may lie outside the first part: then the dichotomy is "none of them"."""
    second = Sample.of(["x", "x", "y", "z"], [1, 1, 1, 0])
    points = array(["y", "w"])
    law = ExactSource().law(
        lambda s: tuple(found_dichotomies(ls.Points(), points, second).draw(RATE, s).tolist())
    )
    # none: best is x, one error; y: two errors; w: three
    weights = {(0, 0): -1, (1, 0): -2, (0, 1): -3}
    total = sum((arb(w) / 2).exp() for w in weights.values())
    for seen, w in weights.items():
        assert law.outcomes[seen].overlaps((arb(w) / 2).exp() / total)
    pairs = found_dichotomies(ls.SparseSets(2), points, second)
    assert pairs.size == 4
    assert pairs.draw(F(100), SeededSource(0)).tolist() in ([1, 0], [0, 0])


def test_big_integers_and_many_points():
    far = ls.Thresholds(0, 2**4096)
    points = np.array([k << 4000 for k in range(1, 3000)], dtype=object)
    second = Sample.of(points, (np.arange(1, 3000) > 1500).astype(int))
    found = found_dichotomies(far, points, second)
    assert found.size == 3000
    assert found.draw(F(50), SeededSource(0)).sum() == 1499
    sets = found_dichotomies(ls.SparseSets(3), np.arange(1000), Sample.of([5, 7, 9], [1, 1, 1]))
    assert np.flatnonzero(sets.draw(F(50), SeededSource(0))).tolist() == [5, 7, 9]


def test_classes_too_large_to_list_are_refused():
    with pytest.raises(UnsupportedError, match=r"2\*\*16"):
        check_dichotomies(ls.theory.AffineSubspaces(7, 20, 2))


# -- Dimensions of rules without a matrix: bounds against exact search, witnesses by definition ----

WORDS = "abcdefghijklmnop"


def schema(columns):
    def column(kind, m):
        return {"bins": list(range(m))} if kind == "n" else {"categories": list(WORDS[:m])}

    return ls.Schema.from_dict({f"c{i}": column(*each) for i, each in enumerate(columns)})


def accepted(literals, row):
    """The definition of a literal, of one cell: codes 0 and 1 are missing and other."""
    for lit in literals:
        code = row[lit.column]
        if not {">=": code >= lit.code, "<": 2 <= code < lit.code, "is": code == lit.code,
                "is not": code != lit.code}[lit.op]:  # fmt: skip
            return False
    return True


def check_witnesses(columns, k):
    """Every subset is accepted by just its rule of at most k literals; thresholds likewise."""
    own = schema(columns)
    size = ls.Rules(own, k).size
    found = shattered_rows(own, k, vc_at_most(own, k, size))
    assert len(found.rules) == 2 ** len(found.rows)
    for subset, rule in enumerate(found.rules):
        assert rule is None or len(rule) <= k
        labels = [rule is not None and accepted(rule, row) for row in found.rows]
        assert labels == [bool(subset >> i & 1) for i in range(len(found.rows))]
    steps = threshold_rows(own, k)
    assert len(steps.rules) == len(steps.rows)
    for i, rule in enumerate(steps.rules):
        assert len(rule) <= k
        assert [accepted(rule, row) for row in steps.rows] == [
            i <= j for j in range(len(steps.rows))
        ]
    return len(found.rows), len(steps.rows)


SMALL = [
    ([("n", 1)], 1), ([("n", 3)], 1), ([("n", 3)], 2), ([("c", 1)], 2), ([("c", 2)], 1),
    ([("c", 3)], 2), ([("c", 4)], 2), ([("n", 1), ("n", 1)], 1), ([("n", 2), ("c", 2)], 1),
    ([("n", 1), ("c", 1)], 2), ([("c", 2), ("c", 2)], 1), ([("c", 5)], 3),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "k"), SMALL)
def test_bounds_hold_the_exact_dimensions(columns, k):
    own = schema(columns)
    rules = ls.Rules(own, k)
    kernel = listing(rules, None).kernel
    low_vc, low_steps = check_witnesses(columns, k)
    assert low_vc <= kernel.vc_dim() <= vc_at_most(own, k, rules.size)
    assert low_steps <= kernel.threshold_dim() <= thresholds_at_most(own, k)
    assert kernel.ldim() <= mistakes_at_most(own, k, rules.size)
    for name, bounds in rules.witnessed().items():
        exact = {"vc": kernel.vc_dim, "littlestone": kernel.ldim, "threshold": kernel.threshold_dim}
        assert bounds.lower <= exact[name]() <= bounds.upper


ADULT = ls.Schema.from_toml("examples/adult/schema.toml")
LARGE = [
    schema([("n", 3)] * 5), schema([("c", 3)] * 5), schema([("n", 1)] * 5),
    schema([("n", 8), ("c", 8), ("n", 2), ("c", 2), ("c", 4)]), schema([("c", 16)] * 2),
    schema([("n", 500), ("c", 16)]), schema([("c", 16)]), schema([("c", 1)] * 12), ADULT,
]  # fmt: skip


def near(value):
    return isinstance(value, int) or value.lower <= value.upper <= 2 * value.lower


@pytest.mark.more
@pytest.mark.parametrize("own", LARGE[::-1], ids=lambda s: f"{len(list(s))} columns")
def test_an_answer_or_bounds_within_a_factor_of_two(own):
    found = ls.theory.dimensions(ls.Rules(own, 2))
    for value in vars(found).values():
        assert near(value), found
        if isinstance(value, Bounds):
            assert value.reason
            assert value.witness()


@pytest.mark.more
def test_written_witnesses_are_read_back():
    found = ls.theory.dimensions(ls.Rules(ADULT, 2))
    said = found.vc.witness()
    rows, rules = np.array(said["points"]), [load(each) for each in said["concepts"]]
    patterns = {tuple(rule.predict(rows).tolist()) for rule in rules}
    assert len(patterns) == len(rules) == 2 ** len(rows) == 2**found.vc.lower
    steps = found.threshold.witness()
    rows, rules = np.array(steps["points"]), [load(each) for each in steps["concepts"]]
    table = np.array([rule.predict(rows) for rule in rules])
    assert (table == np.triu(np.ones_like(table))).all()
    assert len(rows) == found.threshold.lower
    assert found.littlestone.witness()["depth"] == 8


@pytest.mark.first(0, 20)
@pytest.mark.parametrize("case", range(60))
def test_random_schemas(case):
    rng = random.Random(case)
    columns = [(rng.choice("nc"), rng.choice([1, 2, 3, 6, 12])) for _ in range(rng.randint(1, 8))]
    k = rng.choice([1, 2, 2, 3])
    check_witnesses(columns, k)
    known = ls.Rules(schema(columns), k).witnessed()
    if k == 2:
        assert all(bounds.upper <= 2 * bounds.lower for bounds in known.values()), (columns, known)
