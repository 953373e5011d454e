"""What this room asserts: the registered claims behind its guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import Claim, register

__all__ = ["ACCURACY", "PRIVACY", "SUBSAMPLING"]

_OWN, _PAGE = "littlestone", "docs/learners/agnostic.md"

SUBSAMPLING = register(
    Claim(
        "subsampling.without-replacement",
        "Balle, Barthe, Gaboardi: Privacy Amplification by Subsampling",
        "2018; proof in " + _PAGE,
        "An (epsilon, delta)-DP mechanism on a secret uniform part of m of n records is "
        "(ln(1 + g (e**epsilon - 1)), g delta)-DP under replace-one, g = m/n.",
    )
).id
PRIVACY = register(
    Claim(
        "agnostic.two-sample.privacy",
        _OWN,
        _PAGE,
        "Relabel the first part by a dichotomy drawn at rate epsilon/2 by its errors on the second "
        "part, then run an (e, d)-DP learner: one record of the second part costs epsilon, one of "
        "the first (e + ln 4, d), less by secret subsampling; disjoint parts cost the maximum.",
    )
).id
ACCURACY = register(
    Claim(
        "agnostic.two-sample.accuracy",
        _OWN,
        _PAGE,
        "A learner with error at most a except with probability b on m records, for every "
        "realizable distribution, is wrong about no dichotomy of k m**2 ghost points (beyond a) "
        "except with probability b growth(d, k m**2)/(1 - 1/(2k)); the ghosts outside the sample "
        "carry that over to the distribution.",
        (
            "records are independent draws from one distribution",
            "the split was chosen without looking at the records",
        ),
        # the learner's records are labelled by a dichotomy, so some concept explains them
        makes_true=("(realizable)", "target"),
    )
).id
