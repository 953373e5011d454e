"""What this room asserts: the registered claims behind its guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim

_PAGE = "docs/learners/stable.md"
_ALON = ("Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability Are Equivalent",)
_V = "2022 (004); constants: " + _PAGE
_IID = "records are independent draws from one distribution"
_TARGET = "some concept of the class labels every record correctly (realizable)"
_PUBLIC = "class and parameters were chosen without looking at the records"

PRIVACY = register_claim(
    "stable.privacy",
    *_ALON,
    f"{_V}, Theorem 30",
    "One record reaches one copy or the choice: the stable histogram over the copies is "
    "(epsilon, delta)-DP, the exponential mechanism over its list is epsilon-DP, and they see "
    "disjoint records.",
)
FREQUENT = register_claim(
    "stable.frequent",
    *_ALON,
    f"{_V}, Theorem 23, Lemmas 25-27",
    "With rho_0 = 1 and rho_k = (rho_(k-1)**2 - theta)/(2 (1 - theta)), if rho_d >= theta then "
    "for some k <= d one hypothesis of error at most alpha1, (1 - alpha1)**auxiliary <= theta, "
    "is the output of a copy with k rounds and B batches with probability at least "
    "theta - E_k/(B + 1), E_0 = 0 and E_k = (2 E_(k-1) + 2)/(1 - theta).",
    (_IID, _TARGET),
)
ASSUMED = register_claim(
    "stable.assumed",
    *_ALON,
    f"{_V}, Proposition 7, Lemma 26",
    "A hypothesis that a copy of realizable records outputs with probability at least "
    "`stability` has error at most alpha1 if (1 - alpha1)**auxiliary <= stability.",
    (
        _IID,
        _TARGET,
        "assumed, not proved: for this distribution, some hypothesis is the output of a copy "
        "with probability at least `stability` (see the page for where that is so)",
    ),
    status="conditional",
)
_STABLE = (
    "assumed or estimated, not proved: on records of this distribution one hypothesis is the "
    "algorithm's output with probability at least eta"
)
PROTOCOL = register_claim(
    "stable.protocol",
    *_ALON,
    f"{_V}, Definition 6, Proposition 7",
    "A hypothesis that a consistent algorithm outputs on m records with probability at least "
    "eta has error at most alpha1 if (1 - alpha1)**m <= eta.",
    (
        _IID,
        _TARGET,
        _STABLE,
        "the algorithm is consistent: on realizable records its output makes no error on them",
    ),
    status="conditional",
)
STATED = register_claim(
    "stable.stated",
    *_ALON,
    f"{_V}, Definition 6, Theorem 30",
    "K copies of an (m, eta)-globally stable algorithm submit its frequent hypothesis "
    "independently, each with probability at least eta.",
    (_IID, _STABLE, "stated, not proved: that hypothesis has error at most alpha1"),
    status="conditional",
)
LISTED = register_claim(
    "stable.listed",
    "littlestone",
    _PAGE,
    "A hypothesis that each of K copies submits with probability at least q is not listed with "
    "probability at most e**(l (tau - 1)) (1 - q (1 - e**-l))**K E[e**(-l Z)], Z the noise.",
    (_IID, _PUBLIC),
)
CHOICE = register_claim(
    "stable.choice",
    "littlestone",
    f"{_PAGE}; docs/certificates.md",
    "Weights e**(-(epsilon/2) errors) over a list of at most K hypotheses, one of error at "
    "most alpha1, that does not depend on these n records: Pr[error > alpha] <= "
    "(K - 1) (1 - alpha (1 - e**-l) + alpha1 (e**l - 1))**n for 0 <= l <= epsilon/2.",
    (_IID,),
)
