"""What this room asserts: the registered claims behind its guarantees and certificates."""

from __future__ import annotations

from littlestone.bounds import register_claim

_OWN, _PAGE = "littlestone", "docs/learners/agnostic.md"

SUBSAMPLING = register_claim(
    "subsampling.without-replacement",
    "Balle, Barthe, Gaboardi: Privacy Amplification by Subsampling",
    "2018; proof in " + _PAGE,
    "An (epsilon, delta)-DP mechanism on a secret uniform part of m of n records is "
    "(ln(1 + g (e**epsilon - 1)), g delta)-DP under replace-one, g = m/n.",
)
BOOSTED_PRIVACY = register_claim(
    "boosted.privacy",
    _OWN,
    _PAGE,
    "Rounds on disjoint records, each an (epsilon, delta)-DP learner on slots of which one "
    "record fills at most one, by released hypotheses and its own coins: together they are "
    "(epsilon, delta)-DP under replace-one.",
)
BOOSTED = register_claim(
    "boosted.accuracy",
    "Freund: Boosting a Weak Learning Algorithm by Majority; Alon, Bun, Livni, Malliaris, "
    "Moran (004), Section 2.4",
    "1995, 2022; proof in " + _PAGE,
    "The majority of T hypotheses, each of error at most a < 1/2 on the examples of slots of B "
    "records, has error at most Pr[Bin(T, 1 - a) < T/2] + (1 - a) (1 - (1 - a)**(1/B)) P, P "
    "the sum over t < T of the largest probability of a value of Bin(t, 1 - a).",
)
EMPIRICAL_PRIVACY = register_claim(
    "empirical.privacy",
    "Bun, Nissim, Stemmer, Vadhan: Differentially Private Release and Learning of Threshold "
    "Functions, Lemma 5.9; constants: littlestone",
    "2015 (004, Lemma 15); proof in " + _PAGE,
    "An (epsilon, delta)-DP mechanism on m records drawn with replacement from n is "
    "(e, delta (exp(e) - 1)/(exp(epsilon) - 1))-DP under replace-one, "
    "e = (m/n) (exp(epsilon) - 1), if e <= epsilon.",
)
EMPIRICAL = register_claim(
    "empirical.accuracy",
    "Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability Are Equivalent",
    "2022 (004), Lemma 15",
    "A learner with error at most alpha except with probability beta on m independent records "
    "of any distribution has, on m records drawn with replacement from the n ones that are "
    "given, error at most alpha on these n records except with probability beta.",
    makes_true=("independent draws", "drawn independently"),
)
PRIVACY = register_claim(
    "agnostic.two-sample.privacy",
    _OWN,
    _PAGE,
    "Relabel the first part by a dichotomy drawn at rate epsilon/2 by its errors on the second "
    "part, then run an (e, d)-DP learner: one record of the second part costs epsilon, one of "
    "the first (e + ln 4, d), less by secret subsampling; disjoint parts cost the maximum.",
)
ACCURACY = register_claim(
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
