"""Every draw over integers at the edges of words, by group, against Python's integers."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from . import reference
from .cases import KINDS, LEARNERS, POWERS, RATES, SHAPES, case_of, learner

#: By default, each at the edges of these powers and shapes; two shapes of each power are in the
#: group more, and all others in full.
FIRST = ((63, "from zero"), (64, "from one"))
MORE = [(p, s) for i, p in enumerate(POWERS) for s in SHAPES[i % 3 :: 3] if (p, s) not in FIRST]
AT = [*FIRST, *MORE, *((p, s) for p in POWERS for s in SHAPES if (p, s) not in (*FIRST, *MORE))]
DEFAULT = ("generic", "vc1", "users user-level")
NAMES = sorted(LEARNERS, key=lambda name: name not in DEFAULT)


def picks(seed, n):
    random = Random(seed)
    return [(random.getrandbits(40), random.getrandbits(1)) for _ in range(n)]


@pytest.mark.first(len(FIRST) * len(KINDS), (len(FIRST) + len(MORE)) * len(KINDS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("power", "shape"), AT)
def test_few_and_many_records(kind, power, shape):
    for n in (0, 2, 9):
        KINDS[kind](case_of(power, shape, picks(power + n, n), RATES[n % 3]))


@pytest.mark.first(len(DEFAULT))
@pytest.mark.parametrize(
    ("power", "shape"),
    [(64, "from one"), (53, "around"), (62, "both sides"), (63, "from zero"), (128, "far")],
)
@pytest.mark.parametrize("name", NAMES)
def test_whole_fits(name, power, shape):
    """What is drawn by level is compared inside; and where the domain lies makes no difference."""
    learner(name, case_of(power, shape, picks(power, 4), RATES[0]))


cases = st.builds(
    case_of,
    st.sampled_from(POWERS[:-1]),
    st.sampled_from(SHAPES),
    st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 1)), max_size=12),
    st.sampled_from(RATES),
)


@pytest.mark.more
@settings(max_examples=settings.default.max_examples)
@given(st.sampled_from(sorted(KINDS)), cases)
def test_any_records_at_the_edges(kind, case):
    KINDS[kind](case)


def test_the_reference_by_hand():
    assert reference.thresholds(1, 9, [(3, 0), (5, 1)]) == [(0, 2, -1), (3, 4, 0), (5, 9, -1)]
    assert reference.prefixes(2, 1, [([1], 1)]) == [(0, 1, -1), (2, 2, 0), (3, 3, -1)]
    assert [reference.node(2, 2, i) for i in range(4)] == [[], [0], [0, 0], [0, 1]]
    assert reference.chain([1, 3], 0) == [(0, 0, 0), (1, 1, 1), (2, 2, 1), (3, 3, 1)]
    assert reference.at([(5, 6), (9, 9)], 2) == 9
    assert abs(reference.power(Fraction(1), 1) - Fraction(2718281828459045, 10**15)) < 1e-15
