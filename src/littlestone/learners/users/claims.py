"""What is asserted: the registered claims behind guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim

_OWN, _PAGE = "littlestone", "docs/learners/users.md"
_LWY = "Li, Wang, Ye: Improved Bounds for Pure Private Agnostic Learning"
_V = "2024 (002); corrected in " + _PAGE
_IID = "each user holds samples_per_user records, all independent draws from one distribution"
_PUBLIC = "class, samples_per_user and all other parameters were chosen without looking at the data"
_ALL = (_IID, _PUBLIC)

PRIVACY = register_claim(
    "users.privacy",
    _LWY,
    f"{_V}, Lemma C.1, Algorithms 1-2, Theorem 4.6",
    "Every score is a sum over users of a number between 0 and its sensitivity, after a public "
    "cut inside each user, so replacing one user moves it by at most the sensitivity; each "
    "comparison, median, step and choice is pure, and their epsilons add.",
)
COMPARE = register_claim(
    "users.compare",
    _LWY,
    f"{_V}, Lemmas C.1 and 4.5 with Algorithm 2",
    "A comparison with a midpoint of separation (p0, p1) and cut c is wrong with probability at "
    "most (e**(-l c) (1 + p0 (e**l - 1)))**n below, and |H| (e**(l c) (1 - p1 (1 - e**-l)))**n "
    "above, for every 0 <= l <= its epsilon, or with 2 growth(d, (r+1)nm) e**((m-1)/(2r)) for "
    "|H| and a bad error smaller by 2/(r+1); as long as none is wrong, the search visits one of at "
    "most 1 + gap 2**(k-1) midpoints (rounded up) in step k.",
    _ALL,
)
SELECT = register_claim(
    "users.select",
    _LWY,
    f"{_V}, Theorem 4.6 with s = 0",
    "If users err more than t times with probabilities at least g apart, the exponential "
    "mechanism releases a hypothesis of excess error above alpha with probability at most "
    "(|H|-1) (cosh l - g sinh l)**n, for every 0 <= l <= epsilon/2, or, l = s epsilon/2, "
    "(|H|-1)**s sqrt(2 growth(d, (r+1)nm) e**((m-1)/(2r))) (cosh l - g sinh l)**n with g for "
    "an excess smaller by 2/(r+1); g is least at an end of the interval of the best error.",
    _ALL,
)
CLIPPED = register_claim(
    "users.clipped",
    _OWN,
    f"{_PAGE}; for width 1 Li, Wang, Ye 2024 (002), Theorem 4.6 with s = 0",
    "A window (t, t+w] is chosen by the exponential mechanism among public ones, where the "
    "least clipped score crosses a level, then a hypothesis by its clipped score; the "
    "probability of an excess error above alpha is at most the sum over the windows of bounds "
    "of exponential moments, by a union over |H| or over growth(d, (r+1)nm) patterns; a margin "
    "of the right window sharpens them all, for the probability that it is not there.",
    _ALL,
)
RECORDS = register_claim(
    "users.group-privacy.records",
    _OWN,
    _PAGE,
    "The item-level exponential mechanism with epsilon/m, on at most m records of each of n "
    "users: the item-level certificate for n m records.",
    _ALL,
)
ONE_RECORD = register_claim(
    "users.one-record",
    _OWN,
    _PAGE,
    "One record of each user, chosen uniformly with public coins: n independent records from "
    "the average of a user's records, and the item-level certificate for n records.",
    (
        "users are independent draws from one law of bundles of records, each with a record",
        _PUBLIC,
    ),
)
GROUP = register_claim(
    "users.group-privacy.laws",
    _OWN,
    _PAGE,
    "Users with laws of their own: weights e**(-epsilon/(2m) * errors) over the m records of "
    "each of n users release a hypothesis of excess error above alpha with probability at most "
    "(|H|-1) (cosh(l m) - alpha sinh(l m))**n, for every 0 <= l <= epsilon/(2m).",
    (
        "users are independent draws from one law of bundles of samples_per_user records",
        _PUBLIC,
    ),
)
UNIFORM = register_claim(
    "users.uniform",
    _OWN,
    f"{_PAGE}; bounds of docs/certificates.md, vc.uniform and Hoeffding",
    "All thresholds' shares of users with more than t errors, for all t at once, are within "
    "min(sqrt(ln(2m|H|/b)/(2n)), sqrt((1+1/r)(1+1/(rn)) ln(2m((r+1)nm+1)/b)/(2n))) "
    "of their probabilities, except with probability b: (r+1)n users split thresholds in "
    "(r+1)nm + 1 ways.",
    _ALL,
)
MEDIAN = register_claim(
    "users.median",
    _LWY,
    f"{_V}, Lemma 5.1",
    "In an interval of mass at most a, a given point with more than 2a/3 on one side is drawn "
    "with probability at most 2 (1 - (u+g) (1 - e**-l) + u (e**l - 1))**n, for every 0 <= l <= "
    "epsilon/2: g = p1 - p0, u = min(p0, 1 - p1), where a user has more than s records in a "
    "set of mass a/2 and 2a/3 with probability p0 and p1.",
    _ALL,
)
WALK = register_claim(
    "users.walk",
    _LWY,
    f"{_V}, Algorithm 1 and Theorem 5.2",
    "Each step chooses among the middle and both sides by the exponential mechanism on their "
    "least scores: it loses g users or more with probability at most 2 e**(-epsilon g/2).",
    _ALL,
)
