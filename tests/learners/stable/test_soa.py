"""The extended SOA against Definition 11; corrected hypotheses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from littlestone.classes import FiniteClass, Points, SparseSets, Thresholds, load
from littlestone.classes.hypotheses import PatchedHypothesis, patched
from littlestone.data.domains import OUTSIDE
from littlestone.errors import ParameterError
from littlestone.learners.stable.tournament import (
    Run,
    Undecided,
    _Fail,
    distinguishing,
    extended_soa,
    tournament,
)
from littlestone.source import public_generator

from . import brute


def table(hypothesis, points):
    return tuple(hypothesis.predict(np.arange(points)).tolist())


def some_classes(points, how_many, seed):
    rng = public_generator(seed)
    for _ in range(how_many):
        size = int(rng.integers(1, 2**points + 1))
        rows = rng.permutation(2**points)[:size]
        yield [[int(r) >> x & 1 for x in range(points)] for r in rows]


def check(rows, points, sequences):
    space = FiniteClass(rows).version_space()
    concepts = frozenset(map(tuple, rows))
    runs = []
    for examples in sequences:
        run = Run(space).then(examples)
        expected = brute.extended_soa(concepts, points, examples)
        assert table(run.prediction, points) == expected
        assert run.realizable == any(all(c[x] == y for x, y in examples) for c in concepts)
        last = dict(examples)
        assert all(expected[x] == y for x, y in last.items()), "Observation 24 (ii)"
        runs.append((run, expected))
    return runs


def test_definition_11_on_all_classes_of_two_points():
    examples = list(product(range(2), range(2)))
    sequences = [s for k in range(5) for s in product(examples, repeat=k)]
    for labels in range(1, 16):
        rows = [r for i, r in enumerate(product((0, 1), repeat=2)) if labels >> i & 1]
        check(rows, 2, sequences)


def test_definition_11_and_differences_on_random_classes():
    rng = public_generator(1)
    for rows in some_classes(4, 40, 2):
        sequences = [
            [(int(k) // 2, int(k) % 2) for k in rng.integers(8, size=5)] for _ in range(12)
        ]
        runs = check(rows, 4, sequences)
        for (run, h), (other, g) in product(runs, repeat=2):
            point = distinguishing(run, other)  # never undecided: the domain is listed
            assert (point is None) == (h == g)
            assert point is None or h[point] != g[point]


def test_one_example_at_a_time_or_all_at_once():
    space = Thresholds(1, 31).version_space()
    examples = [(20, 1), (4, 0), (2, 1), (9, 0), (9, 1)]
    run = Run(space)
    for example in examples:
        run = run.then([example])
    assert run.prediction == extended_soa(space, examples)
    assert run.prediction.predict(np.array([2, 4, 9, 20])).tolist() == [1, 0, 1, 1]


def test_points_outside_the_domain_are_labelled_0():
    space = Thresholds(1, 31).version_space()
    assert Run(space).then([(OUTSIDE, 0)]).realizable
    wrong = Run(space).then([(9, 1), (OUTSIDE, 1), (3, 0)])
    assert not wrong.realizable
    assert wrong.prediction.predict(np.array([3, 9])).tolist() == [0, 1]


def test_infinite_domains():
    run = Run(SparseSets(2).version_space()).then([("a", 1), ("b", 1), ("c", 1), ("d", 0)])
    assert run.prediction.describe() == ("1 on the points 'a', 'b', otherwise 0; but 1 on 'c'")
    other = Run(SparseSets(2).version_space()).then([("a", 1), ("b", 1)])
    assert distinguishing(run, other) == "c"


def test_an_undecided_difference():
    """Both are corrected at the only point that the oracle names."""
    space = Points().version_space()
    one = Run(space).then([("a", 1), ("b", 1), ("a", 0)])
    other = Run(space).then([("b", 1), ("a", 0), ("b", 1), ("c", 1), ("c", 0)])
    assert [r.prediction.predict(np.array(["a", "b"], dtype=object)).tolist() for r in (one, other)]
    with pytest.raises(Undecided):
        distinguishing(one, other)


def test_a_listed_domain_is_searched_up_to_its_limit():
    """Two thresholds that differ on [a + 1, a + 2]; both are corrected at a + 1, the oracle's."""

    def runs(a):
        space = Thresholds(1, 2**17).version_space()
        pair = [extended_soa(space.restrict(c, 0).restrict(c + 1, 1), []) for c in (a, a + 2)]
        return [Run(space, base, {a + 1: 0}) for base in pair]

    for a in (1, 2**12 - 2, 2**12 - 1, 2**16 - 2):
        assert distinguishing(*runs(a)) == a + 2
    with pytest.raises(Undecided):
        distinguishing(*runs(2**16 - 1))


def test_tournaments_of_listed_classes_are_never_undecided():
    """Any records: none of 300 tournaments of finite classes ends for want of a point."""
    rng, ended = public_generator(1), 0
    for rows in some_classes(5, 60, 3):
        space = FiniteClass(rows).version_space()

        def batches():
            for _ in range(200):
                yield list(zip(*(rng.integers(k, size=3).tolist() for k in (5, 2)), strict=True))

        for _ in range(5):
            try:
                tournament(Run(space), 2, batches(), coin=lambda: int(rng.integers(2)))
            except _Fail:
                ended += 1
    assert ended < 250, "batches do not end everywhere"


def test_corrected_hypotheses_are_plain_data():
    base = extended_soa(Thresholds(1, 9).version_space(), [(4, 1)])
    h = patched(base, {5: 0, 2: 1, 6: 1})
    assert load(h.to_dict()) == h
    assert "but 0 on 5" in h.describe()
    assert patched(base, {9: 1}) == base
    assert len({h, load(h.to_dict())}) == 1
    rows = PatchedHypothesis(base, ((("a", 1), 1), (2**80, 1)))
    assert load(rows.to_dict()) == rows
    for wrong in (
        {**h.to_dict(), "base": h.to_dict()},
        {**h.to_dict(), "flipped": []},
        {**h.to_dict(), "flipped": [[5, 2]]},
        {**h.to_dict(), "flipped": [[5]]},
        {**h.to_dict(), "flipped": 3},
    ):
        with pytest.raises(ParameterError, match="entry"):
            load(wrong)
