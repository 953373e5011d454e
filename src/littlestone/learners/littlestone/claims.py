"""What is asserted: the registered claims behind guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim
from littlestone.bounds.claims import IID, REALIZABLE

_OWN, _PAGE = "littlestone", "docs/learners/littlestone.md"
_LYU = "Lyu: Private Learning of Littlestone Classes, Revisited"
_V = "2025 (003); corrected in " + _PAGE
_PUBLIC = "class, teachers and tolerances were chosen without looking at the records"
_ALL = (IID, REALIZABLE, _PUBLIC)

PRIVACY = register_claim(
    "littlestone.privacy",
    _LYU,
    f"{_V}, Algorithm 1",
    "One record reaches one teacher; a teacher's list is a function of its own records and of "
    "public numbers, and is cut to a public length; the sparse exponential mechanism over the "
    "lists is (epsilon, delta)-DP when one list is replaced by any other.",
)
VOTES = register_claim(
    "littlestone.votes",
    _OWN,
    _PAGE,
    "If some good hypothesis is listed by each of t independent teachers with probability at "
    "least 1 - miss, and each of at most B bad ones with probability at most wrong, then the "
    "draw returns bottom or a bad one with probability at most Pr[Bin(t, 1 - miss) < votes] + "
    "bottom/(1 + bottom) + B g**t (notation on the page).",
    _ALL,
)
CLOSED = register_claim(
    "littlestone.closed",
    _OWN,
    _PAGE,
    "In an intersection-closed class of rank R, let a teacher list the closed sets spanned by "
    "its positive records that err at most c times on its m records. For every distribution "
    "some closed set of error at most alpha is listed with probability 1 - miss at least.",
    _ALL,
)
EMPIRICAL = register_claim(
    "littlestone.empirical",
    f"{_LYU}; Joag-Dev and Proschan: Negative association of random variables",
    "2025 (003), Theorem 3; 1983; proof in " + _PAGE,
    "For every realizable data set of n records, split among teachers by a uniformly random "
    "permutation, the draw returns a hypothesis of error above alpha on these records with "
    "probability at most beta (notation on the page).",
    (REALIZABLE, _PUBLIC),
)
PROPER = register_claim(
    "littlestone.proper",
    "Ghazi, Golowich, Kumar, Manurangsi: Sample-efficient proper PAC learning with approximate "
    "differential privacy",
    "STOC 2021; 003, remark after Theorem 3; proof in " + _PAGE,
    "For a k-irreducible subclass with SOA f, some distribution over concepts disagrees with f "
    "at every point with probability at most a, if 2 growth(d, 2k) 2**(-a k/2) < 1 and "
    "a k >= 8; it is a function of f alone.",
    _ALL,
)
