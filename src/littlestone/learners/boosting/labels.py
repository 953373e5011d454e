"""What an answer costs a record in a round of boosting with several labels.

After t rounds label k has v_k votes at a row: a public start, and one for each of the t released
trees that answers k there. With p = softmax(step v), the loss of a record of label y moves by
``p_k - [k = y]`` when label k gains a little, so that answering k instead of y costs
``p_k + 1 - p_y``, a number in [0, 2]. Half of it is capped, as gradients are for two labels:

    cost = min(W, (W / cap) (p_k + 1 - p_y) / 2), rounded down, for k != y; 0 for k = y.

For two labels this is the weight of a wrong answer of `learner`, where p_y = sigma(step m).

*Privacy.* A cost is an integer in [0, W], and a function of the record, of the released trees and
of public numbers only: the powers of e are integers of one public table, and all that follows is
arithmetic of integers, so the costs of a record do not depend on which records stand beside it. A
cell outside the list of labels costs W, whatever is answered. So replacing a record moves the cost
of every tree by an amount in [-W, W], as for two labels.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.evaluation import release_histogram

if TYPE_CHECKING:
    from littlestone.data import MulticlassSample
    from littlestone.data.code_tables import Entries
    from littlestone.source import Source

__all__ = ["answer_costs", "entry_costs", "private_start", "record_costs"]

Counts = npt.NDArray[np.int64]

_BITS = 20  # of the powers of e
_MOST = 1 << 35  # of W / cap: then no product leaves 63 bits, for 100 labels and W at most 2**20


@lru_cache(maxsize=16)
def _powers(step: Fraction, last: int) -> Counts:
    """Return round(2**20 e**(-step u)) for u = 0 .. last."""
    powers = [round(math.exp(-float(step) * u) * 2**_BITS) for u in range(last + 1)]
    return np.array(powers, dtype=np.int64)


def record_costs(
    votes: Counts, y: int, *, step: Fraction, cap: Fraction, resolution: int
) -> Counts:
    """Return what each answer costs a record of label y.

    Parameters
    ----------
    votes : int64 array of shape (labels, rows)
    y : int
        A code.
    step : Fraction > 0
    cap : Fraction in (0, 1]
    resolution : int
        W, at most 2**20.

    Returns
    -------
    int64 array of shape (labels, rows), in 0 .. W

    Examples
    --------
    >>> votes = np.array([[0, 0], [0, 3], [0, 0]])
    >>> half = Fraction(1, 2)
    >>> record_costs(votes, 1, step=Fraction(1), cap=half, resolution=100).tolist()
    [[100, 13], [0, 0], [100, 13]]
    >>> record_costs(votes, 0, step=Fraction(1), cap=Fraction(1), resolution=100).tolist()
    [[0, 0], [50, 93], [50, 50]]
    """
    below = votes.max(axis=0) - votes
    powers = _powers(step, int(below.max(initial=0)))[below]
    total = powers.sum(axis=0)
    scale = min(round(resolution / cap), _MOST)
    costs: Counts = scale * (powers + total - powers[y]) // (2 * total)
    costs = np.minimum(costs, resolution)
    costs[y] = 0
    return costs


def answer_costs(
    sample: MulticlassSample, votes: Counts, *, step: Fraction, cap: Fraction, resolution: int
) -> Counts:
    """Return what each answer costs all records of a point together, of shape (labels, points)."""
    costs = np.tile(resolution * sample.counts[-1], (sample.labels, 1))  # outside the list
    for y, counts in enumerate(sample.counts[:-1]):
        here = np.flatnonzero(counts)
        own = record_costs(votes[:, here], y, step=step, cap=cap, resolution=resolution)
        costs[:, here] += counts[here] * own
    return costs


def entry_costs(
    part: Entries, votes: Counts, *, step: Fraction, cap: Fraction, resolution: int
) -> Counts:
    """Return what each answer costs the records of each entry, of shape (labels, entries).

    Examples
    --------
    >>> from littlestone.data.code_tables import Entries
    >>> part = Entries(np.array([[2, 2]]), np.array([1, 3]), np.array([5, 2]))
    >>> half = Fraction(1, 2)
    >>> votes = np.zeros((3, 2), dtype=np.int64)
    >>> entry_costs(part, votes, step=Fraction(1), cap=half, resolution=100).tolist()
    [[500, 200], [0, 200], [500, 200]]
    """
    costs = np.tile(resolution * part.weights, (len(votes), 1))  # outside the list
    for y in range(len(votes)):
        here = np.flatnonzero(part.labels == y)
        own = record_costs(votes[:, here], y, step=step, cap=cap, resolution=resolution)
        costs[:, here] = part.weights[here] * own
    return costs


def private_start(
    sample: MulticlassSample, *, epsilon: Fraction, step: Fraction, furthest: int, source: Source
) -> tuple[int, ...]:
    """Return votes of each label to begin with: log-shares of private counts, in steps.

    The counts are one histogram of labels, so replacing a record moves two of them by 1 (claim
    ``score-histogram``).
    """
    totals = sample.by_label[:, None]
    released = release_histogram([0], totals, n=sample.n, epsilon=epsilon, source=source)
    doubt = 4 / float(epsilon)  # about the noise's size: pulls the shares towards each other
    logs = [math.log(max(count, 0) + doubt) for (count,) in released.counts[:-1]]
    return tuple(max(-furthest, round((own - max(logs)) / float(step))) for own in logs)
