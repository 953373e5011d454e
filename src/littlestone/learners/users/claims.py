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
    f"{_V}, Theorem 4.6",
    "Every score is a sum over users of a number between 0 and its sensitivity, after a public "
    "cut inside each user, so replacing one user moves it by at most the sensitivity; the "
    "choices of a window and of a hypothesis are pure, and their epsilons add.",
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
