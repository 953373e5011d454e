"""Tournaments: the Monte-Carlo distributions D_k, and one copy of algorithm G (004, 5.2.3).

A sample of D_k is made of k rounds. In each, two independent samples of D_(k-1), each followed by
fresh records, predict by the SOA; where the predictions differ, a fair coin labels a point of
difference, and the sample that erred there survives, with that example. So each round forces one
mistake on the SOA; if all coins agree with the target, d rounds identify it.

A copy that draws more than its batches of records, or whose oracles give up, *fails*: it submits
nothing. That is a fixed answer, decided by this copy's records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from littlestone.errors import SearchLimitError, UnsupportedError
from littlestone.learners.stable.soa import Example, Run, Undecided, tell_apart

if TYPE_CHECKING:
    from littlestone.classes import VersionSpace
    from littlestone.types import Hypothesis

__all__ = ["Batches", "stable_copy", "tournament"]

#: The records of one copy, a batch at a time.
Batches = Iterator[list[Example]]


class _Fail(Exception):  # noqa: N818 - the paper's word
    """More batches were asked for than there are."""


def stable_copy(
    space: VersionSpace, rounds: int, batches: Batches, last: list[Example], coin: Callable[[], int]
) -> Hypothesis | None:
    """Return the hypothesis of one copy of algorithm G; None is the paper's "Fail".

    Parameters
    ----------
    space : VersionSpace
        Of the class; without memory (`VersionSpace.fresh`).
    rounds : int >= 0
        The paper's k.
    batches : iterator of lists of examples
        The auxiliary samples for the rounds; when they end, the copy fails.
    last : list of examples
        The auxiliary sample after the rounds.
    coin : callable
        Returns fair labels.

    Notes
    -----
    *Source.* Paper 004, Algorithm G with k = ``rounds``, and the distributions of Section 5.2.3.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> seen = [("a", 1), ("b", 0)]
    >>> stable_copy(Points().version_space(), 0, iter([]), seen, coin=lambda: 0).describe()
    "1 if x = 'a', otherwise 0"
    >>> stable_copy(Points().version_space(), 1, iter([seen]), seen, coin=lambda: 0) is None
    True
    """
    try:
        # Algorithm G, step 3, for one k (its step 2 draws k; here each k has copies of its own)
        sample = tournament(Run(space), rounds, batches, coin)
        return sample.then(last).prediction
    except (_Fail, Undecided, SearchLimitError, UnsupportedError):
        return None


def tournament(start: Run, rounds: int, batches: Batches, coin: Callable[[], int]) -> Run:
    """Return the SOA's run on a sample of D_k, k = ``rounds``.

    Parameters
    ----------
    start : Run
        Without examples.
    rounds, batches, coin
        As for `stable_copy`.

    Raises
    ------
    Exception
        When the batches end: the paper's "Fail", which `stable_copy` answers by submitting nothing.
    """
    if not rounds:
        return start  # D_0: no examples
    while True:
        # 5.2.3, steps (i) and (ii): two samples of D_(k-1), a fresh batch after each
        one, other = (_followed(start, rounds - 1, batches, coin) for _ in range(2))
        point = tell_apart(one, other)
        if point is None:
            continue  # step (iii): draw both again
        label = coin()  # step (iv)
        # step (v): the sample that erred survives
        errs = int(one.prediction.predict(one.store([point]))[0]) != label
        return (one if errs else other).then([(point, label)])


def _followed(start: Run, rounds: int, batches: Batches, coin: Callable[[], int]) -> Run:
    """Return the run on S followed by T: a sample of D_k, and a fresh batch."""
    sample = tournament(start, rounds, batches, coin)
    for batch in batches:
        return sample.then(batch)
    raise _Fail
