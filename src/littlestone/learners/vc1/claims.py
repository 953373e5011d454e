"""What is asserted: the registered claims behind guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim
from littlestone.bounds.claims import IID, REALIZABLE

_OWN, _PAGE = "littlestone", "docs/learners/vc1.md"
_YAN = "Yan: An Optimal Differentially Private PAC Learner for Concept Classes with VC Dimension 1"
_V = "2025, second version (001); corrected in " + _PAGE
_PUBLIC = "class, tree and split were chosen without looking at the records"
_ALL = (IID, REALIZABLE, _PUBLIC)

PRIVACY = register_claim(
    "vc1.privacy",
    _YAN,
    f"{_V}, Algorithms 2-4",
    "One record reaches one part; every chunk of it forces one path of the quotiented tree "
    "(at most one node at each depth) for every input; the draws over these paths, and those "
    "on the second part, are (epsilon, delta)-DP; disjoint parts cost their maximum.",
)
CHUNKS = register_claim(
    "vc1.chunks",
    _YAN,
    f"{_V}, Lemma 7",
    "A chunk of m records misses more than alpha of its concept's path with probability at "
    "most (1 - alpha)**m; the chunks are independent, so more than b of t are bad with "
    "probability at most that of a binomial law.",
    _ALL,
)
ONE_SHOT = register_claim(
    "vc1.one-shot",
    _OWN,
    _PAGE,
    "With at most b bad chunks, one draw over the nodes of t paths of length at most d, scored "
    "with a reserve r <= b, returns bottom or a node of error above alpha with odds at most "
    "(bottom + d e**(epsilon/2 (b-r))) e**(-epsilon/2 best), best = floor((t+1-r)/2) > b-r.",
    _ALL,
)
CHAIN_MEDIAN = register_claim(
    "vc1.chain-median",
    _YAN,
    f"{_V}, Algorithm 2, step 4, Lemmas 8-9, on a tree that is one path",
    "A depth with more than b ends at it or above it, and one at it or below it, is that of a "
    "node of error at most alpha with at most b bad chunks: so except when the median misses.",
    _ALL,
)
LEAVES = register_claim(
    "vc1.proper.leaves",
    _OWN,
    _PAGE,
    "Below a node of error at most a, the exponential mechanism over the at most L first "
    "proper nodes releases one of error above alpha with probability at most "
    "(L-1) (1 - (alpha-a)(1 - e**(-epsilon/2)))**m.",
    _ALL,
)
