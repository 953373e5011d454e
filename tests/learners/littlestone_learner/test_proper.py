"""From an improper hypothesis to concepts: the minimax distribution, and mixtures."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import (
    AlwaysZero,
    MixtureHypothesis,
    PointHypothesis,
    TableHypothesis,
    affine_span,
    load,
    mixture,
    on_points,
)
from littlestone.learners.littlestone import disagreement, one_concept
from littlestone.source import ExactSource, SeededSource

from .small import learner


def game_value(matrix, target):
    """Value of the game, from the other player's side: a distribution over points."""
    from scipy.optimize import linprog

    differs = (matrix != target).astype(float)
    rows, points = differs.shape
    solved = linprog(  # max v with (differs @ q)(h) >= v for every concept h
        np.append(np.zeros(points), -1.0),
        A_ub=np.hstack([-differs, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=[[1.0] * points + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * points + [(0, 1)],
    )
    return -solved.fun


@pytest.mark.more
def test_the_minimax_distribution_has_the_value_of_the_game():
    rng = np.random.default_rng(0)
    improper = 0
    for _ in range(14):
        matrix = np.unique(rng.integers(0, 2, (6, 4)), axis=0)
        cls = ls.theory.FiniteClass(matrix)
        concepts = set(cls.concepts())
        for bits in product("01", repeat=4):
            target = TableHypothesis("".join(bits))
            found = ls.theory.make_proper(cls, target)
            assert {h for h, _ in found.parts} <= concepts
            value = game_value(matrix, np.array(bits, dtype=int))
            reached = disagreement(cls, found, target)
            assert float(reached) == pytest.approx(value, abs=1e-5)
            if target in concepts:
                assert found.parts == ((target, 1),)
            improper += target not in concepts
    assert improper > 60


def test_an_irreducible_soa_is_close_to_a_distribution_over_concepts():
    """m single points: the constant 0 is the SOA, and no concept; the value is 1/m."""
    for m in (4, 9, 30):
        cls = ls.theory.FiniteClass(np.eye(m, dtype=int))
        soa = cls.version_space().soa()
        found = ls.theory.make_proper(cls, soa)
        assert soa not in set(cls.concepts())
        assert disagreement(cls, found, soa) <= F(1, m) + F(1, 10**4)
        # every point is 1 for few of the drawn concepts, so the majority is the SOA itself
        assert found.predict(np.arange(m)).tolist() == [0] * m


@pytest.mark.parametrize(
    ("cls", "concept"),
    [
        (ls.Points(), PointHypothesis("a")),
        (ls.SparseSets(2), on_points(["a", "b"])),
        (ls.SparseSets(1), AlwaysZero()),
        (ls.theory.AffineSubspaces(7, 20, 1), affine_span(7, [(0,) * 20, (1,) * 20])),
        (ls.Thresholds(1, 2**80), ls.Thresholds(1, 2**80).version_space().soa()),
        (ls.theory.Conjunctions(30), AlwaysZero()),
    ],
    ids=str,
)
def test_a_concept_of_a_huge_class_is_itself(cls, concept):
    assert ls.theory.make_proper(cls, concept).parts == ((concept, 1),)


def test_what_is_no_concept_of_a_huge_class_is_refused():
    with pytest.raises(ls.errors.UnsupportedError, match="linear program"):
        ls.theory.make_proper(ls.SparseSets(1), on_points(["a", "b"]))


def test_the_empty_set_becomes_a_uniform_point():
    cls = ls.theory.AffineSubspaces(3, 2, 1)
    law = ExactSource().law(lambda s: one_concept(cls, AlwaysZero(), s))
    assert len(law.outcomes) == 9
    assert all(h.dim == 0 and abs(float(p) - 1 / 9) < 1e-15 for h, p in law.outcomes.items())


def test_proper_outputs_are_concepts_whatever_the_data():
    rng = np.random.default_rng(1)
    cases = [
        (ls.theory.AffineSubspaces(3, 2, 1), None, {"method": "closures", "chunk": 3,
                                             "tolerances": (1,), "alpha": ".9", "beta": ".9"}),
    ]  # fmt: skip
    for cls, points, options in cases:
        made = learner(cls, proper=True, epsilon=20, **options)
        concepts = set(cls.concepts())
        for seed in range(25):
            X = rng.integers(0, 3, (8, 2)) if points is None else rng.choice(list(points), 8)
            sample = ls.data.Sample.from_arrays(X, rng.integers(0, 2, 8), domain=cls.domain)
            assert made.draw(sample, SeededSource(seed)) in concepts


def test_mixtures():
    a, b = PointHypothesis("a"), PointHypothesis("b")
    both = mixture([(a, 2), (b, 2), (a, 2), (AlwaysZero(), 0)])
    assert both.parts == ((a, 2), (b, 1))
    points = np.array(["a", "b", "c"], dtype=object)
    assert both.predict(points).tolist() == [1, 0, 0]
    assert both.probability(points) == [F(2, 3), F(1, 3), F(0)]
    assert mixture([(a, 1), (b, 1)]).predict(points).tolist() == [0, 0, 0]  # a tie is no majority
    law = ExactSource().law(both.draw)
    assert abs(float(law.outcomes[a]) - 2 / 3) < 1e-15
    assert load(both.to_dict()) == both
    assert "2/3: 1 if x = 'a'" in both.describe()
    with pytest.raises(ls.errors.ParameterError):
        mixture([(a, 0)])


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["parts"].clear(),
        lambda d: d["parts"].append(d["parts"][0]),
        lambda d: d["parts"][0].update(weight=0),
        lambda d: d["parts"][0].update(weight="many"),
        lambda d: d["parts"][0].pop("weight"),
        lambda d: d["parts"].__setitem__(0, 7),
        lambda d: d["parts"][0].update(hypothesis={"type": "mixture", "parts": []}),
        lambda d: d.update(extra=1),
    ],
)
def test_a_changed_mixture_is_refused(change):
    document = mixture([(PointHypothesis("a"), 2), (AlwaysZero(), 1)]).to_dict()
    assert isinstance(load(document), MixtureHypothesis)
    change(document)
    with pytest.raises(ls.errors.ParameterError):
        load(document)
