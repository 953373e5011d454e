"""From log-odds to probabilities: the minimiser of the capped loss, which boosting fits.

Let q be the softmax of the votes times the step. Answering k costs a record of label y the share
``min(1, (q_k + 1 - q_y) / (2 cap))`` of the most that it can cost, and nothing if k = y. Where a
share p_y of the records of a row has label y, another tree would leave the votes there as they are
if all answers cost alike. So p, not q, is what votes q say about these records:

* Two labels: answering 1 costs ``p_0 min(1, q_1 / cap)`` and answering 0 ``p_1 min(1, q_0 / cap)``.
  They are equal for ``p_1 / p_0 = min(1, q_1 / cap) / min(1, q_0 / cap)``. Below a cap of 1/2 both
  minima are 1 on an interval around q = 1/2, where p says nothing: no link is taken there.
* A cap of 1/2, any number of labels: the cost is 1 where ``q_k >= q_y``, else ``1 - (q_y - q_k)``.
  So answering k costs ``1 - p_k - sum of p_y (q_y - q_k) over q_y > q_k``, and all are equal where
  p is proportional to u with ``u_k = 1 - sum over y of u_y max(q_y - q_k, 0)``. By falling q each
  u_k follows from those before it: so putting the last u into the right side, from u = 1 on, is
  exact after as many steps as there are labels less one.
* A cap of 1: p = q, for any number of labels.

The link keeps the order of labels and, of two labels, of rows.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

HALF = Fraction(1, 2)


def has_link(cap: Fraction, *, binary: bool) -> bool:
    """Return whether there is a link for a cap; ``binary`` says that the labels are 0 and 1.

    Examples
    --------
    >>> has_link(HALF, binary=False), has_link(Fraction(3, 4), binary=True)
    (True, True)
    >>> has_link(Fraction(3, 4), binary=False), has_link(Fraction(1, 4), binary=True)
    (False, False)
    """
    return cap == HALF or (binary and HALF < cap <= 1)


def linked(shares: Doubles, cap: Fraction) -> Doubles:
    """Return the probabilities of labels (columns) whose votes have these shares.

    Examples
    --------
    >>> linked(np.array([[0.25, 0.75], [0.5, 0.5]]), HALF).round(3).tolist()
    [[0.333, 0.667], [0.5, 0.5]]
    >>> linked(np.array([[0.5, 0.3, 0.2]]), HALF).round(3).tolist()
    [[0.413, 0.331, 0.256]]
    """
    if cap == HALF:
        found = np.ones_like(shares)
        for _ in range(shares.shape[1] - 1):
            sums = [(found * np.maximum(shares - own[:, None], 0)).sum(axis=1) for own in shares.T]
            found = 1 - np.stack(sums, axis=1)
    else:
        found = np.minimum(1, shares / float(cap))
    probabilities: Doubles = found / found.sum(axis=1, keepdims=True)
    return probabilities
