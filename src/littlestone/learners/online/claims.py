"""What this room asserts: the registered claims behind its guarantees and mistake bounds."""

from __future__ import annotations

from littlestone.bounds import Claim, register

__all__ = ["ALARM", "BALLOT", "EPOCHS", "LYU", "PRIVACY", "SOA", "TEACHERS"]

_OWN, _PAGE = "littlestone", "docs/learners/online.md"
_OBLIVIOUS = "the stream was fixed before the learner drew anything (oblivious)"
_TARGET = "some concept of the class labels every record correctly (realizable)"
_LYU = "Lyu: Private Learning of Littlestone Classes, Revisited"

PRIVACY = register(
    Claim(
        "online.privacy",
        _LYU,
        f"2025 (003), Algorithms 3-4; corrected in {_PAGE}",
        "All alarms together are pure; each draw of a hypothesis is bounded range (and leaks a "
        "little, for teachers), since a record is in the hands of one teacher; so the published "
        "transcript of the whole stream is private by adaptive composition.",
    )
).id
ALARM = register(
    Claim(
        "online.alarm",
        _OWN,
        _PAGE,
        "An alarm that rings with probability e**(-e max(gap, 0)) at each step, gap = limit + "
        "patience - count, patience geometric of rate e, is e-DP over a whole stream of alarms; "
        "also when records are chosen by somebody who reads what is published.",
    )
).id
EPOCHS = register(
    Claim(
        "online.epochs",
        _OWN,
        _PAGE,
        "Among n steps some alarm rings with fewer than limit + 1 - ceil(ln(n/b)/e) mistakes with "
        "probability at most b; some of m alarms comes after limit + ceil(ln(m/b)/e) mistakes or "
        "more with probability at most b.",
    )
).id
BALLOT = register(
    Claim(
        "online.ballot",
        _OWN,
        _PAGE,
        "Where the vote of R draws errs, at least a share s of the weight errs, except with "
        "probability e**(-R KL(1/2, s)); so an epoch of m mistakes multiplies the total weight by "
        "at most 1 - s (1 - e**(-rate m)), while the target's weight stays 1.",
        (_OBLIVIOUS, _TARGET),
    )
).id
TEACHERS = register(
    Claim(
        "online.teachers",
        _LYU,
        f"2025 (003), Claims 6.1-6.4; corrected in {_PAGE}",
        "Within a stage an epoch removes a fifth of the weight of all listed hypotheses; a stage "
        "that fails lowers every teacher's decomposition dimension.",
        (_OBLIVIOUS, _TARGET),
    )
).id
LYU = register(
    Claim(
        "lyu25.thm1",
        _LYU,
        "2025 (003), Theorem 1",
        "O~(d**9.5 log(T) log(1/delta) / epsilon) mistakes.",
        (_OBLIVIOUS, _TARGET),
        "order-only",
    )
).id
SOA = register(
    Claim(
        "littlestone.soa",
        "Littlestone: Learning Quickly When Irrelevant Attributes Abound",
        "1988",
        "Without privacy: Littlestone dimension many mistakes, and no fewer.",
        (_TARGET,),
    )
).id
