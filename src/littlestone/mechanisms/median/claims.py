"""What this room asserts: the registered claims behind its guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim

_OWN, _PAGE = "littlestone", "docs/median.md"
_PUBLIC = "domain and window were chosen without looking at the records"
_BNS = "after Beimel, Nissim and Stemmer 2013 (choosing mechanism)"

EXPONENTIAL = register_claim(
    "median.exponential",
    "McSherry, Talwar: Mechanism Design via DP; Smith",
    "2007, 2011",
    "Weights e**(epsilon/2 * rank margin) over a domain of M points are epsilon-DP under "
    "replace-one, and miss the window with odds at most (M-1) e**(-epsilon/2 (top+1)), "
    "top = floor((n+1-left-right)/2).",
    (_PUBLIC,),
)
TREE = register_claim(
    "median.tree",
    _OWN,
    f"{_PAGE}, {_BNS}",
    "Weights over the tree nodes that hold a record, with a bottom of weight "
    "h e**(epsilon/2) (1-delta)/delta, are (epsilon, delta)-DP under replace-one, and miss the "
    "window with odds at most (bottom + 1 + n h) e**(-epsilon/2 top), "
    "top = floor((n+4-left-right)/3).",
    (_PUBLIC,),
)
TREE_LOG = register_claim(
    "median.tree-log",
    "Cohen, Lyu, Nelson, Sarlos, Stemmer: Optimal Differentially Private Learning of "
    "Thresholds and Quasi-Concave Optimization",
    "2023; reconstructed with basic composition, docs/median.md",
    "Recursion on the depth at which records leave the heavy path reduces a domain of size M "
    "to one of size log M.",
    (_PUBLIC,),
    status="reconstruction",
)
PATHS = register_claim(
    "median.paths",
    _OWN,
    f"{_PAGE}, {_BNS}",
    "One draw over the nodes of t paths of length at most d, with a bottom of weight "
    "d e**(epsilon/2) (1-delta)/delta, is (epsilon, delta)-DP when one path is replaced by any "
    "other.",
)
