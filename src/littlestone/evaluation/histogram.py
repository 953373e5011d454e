"""The histogram of scores by label, released with two-sided geometric noise in every cell.

The cells are public: every label with every score that any record could have, also where no
record has it. Replacing one record takes 1 from one cell and adds 1 to another (L1 distance 2);
adding or removing one moves one cell by 1.

*Proof.* With L1 sensitivity D and independent noises of law ``Pr[z] ~ e**(-r |z|)``,
``r = epsilon / D``, the probability of any histogram changes by at most ``e**(r D)``, by the
triangle inequality in the exponent. Limiting each noisy count to [-n, 2n] is post-processing. []

The true counts are secret; the released ones, and everything in `measures`, are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Claim, register
from littlestone.errors import ParameterError, check_fraction, check_integer
from littlestone.mechanisms.estimate import truncated
from littlestone.privacy import Neighbours, Pure
from littlestone.safe_io import read_exact
from littlestone.source import Source
from littlestone.types import Json

Counts = npt.NDArray[np.int64]

HISTOGRAM = register(
    Claim(
        "score-histogram",
        "Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity; Ghosh, Roughgarden, "
        "Sundararajan",
        "2006, 2009",
        "Counts of public cells, which one record changes by at most D altogether, each with "
        "independent two-sided geometric noise of rate epsilon/D, are epsilon-DP.",
    )
)
_MOST_CELLS = 1_000_000
_MOST = 10**18
_FINEST = 1e-9  # smaller tails than this are bounded, not computed
_LONGEST = 2.0**22


@dataclass(frozen=True)
class ScoreHistogram:
    """A released histogram of scores by label."""

    scores: tuple[int, ...]  # public, increasing
    counts: tuple[tuple[int, ...], ...]  # a row for each label: noisy, perhaps negative
    n: int  # of records that were counted: public under replace-one, else a public bound
    epsilon: Fraction  # what it cost
    rate: Fraction  # of its noise: Pr[z] ~ e**(-rate |z|) in each cell
    held_out: bool = False  # whether the hypothesis was learned from other records
    unlisted: bool = False  # whether the last row counts cells outside a list of labels

    @property
    def labels(self) -> int:
        """Number of labels that can be answered."""
        return len(self.counts) - self.unlisted

    @property
    def size(self) -> float:
        """What rules of thumb go by: n epsilon."""
        return float(self.epsilon) * self.n

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The counts, of shape (labels, scores); one row more where some are unlisted."""
        return np.array(self.counts, dtype=np.float64)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        unlisted = {"unlisted": True} if self.unlisted else {}
        return unlisted | {
            "scores": list(self.scores),
            "counts": [list(row) for row in self.counts],
            "n": self.n,
            "epsilon": str(self.epsilon),
            "rate": str(self.rate),
            "held_out": self.held_out,
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        try:
            scores = tuple(_integer(score) for score in _list(data["scores"]))
            counts = tuple(
                tuple(_integer(count) for count in _list(row)) for row in _list(data["counts"])
            )
            epsilon, rate = (read_exact(data[name]) for name in ("epsilon", "rate"))
            n, held_out = _integer(data["n"]), data["held_out"]
            unlisted = data.get("unlisted", False)
            increasing = all(a < b for a, b in pairwise(scores))
            fits = len(counts) >= 2 + bool(unlisted) and all(
                len(row) == len(scores) for row in counts
            )
            positive = epsilon > 0 and rate > 0 and n >= 0 and isinstance(held_out, bool)
            positive = positive and isinstance(unlisted, bool)
            if not (scores and increasing and fits and positive):
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(
                "An evaluation must have the entries that `ScoreHistogram.to_dict` writes."
            ) from None
        return cls(scores, counts, n, epsilon, rate, held_out, unlisted)


def histogram_rate(
    epsilon: Any, *, neighbours: Neighbours = Neighbours.REPLACE_ONE, records: int = 1
) -> Fraction:
    """Return the rate of the noise that costs ``epsilon``; a neighbour changes ``records`` counts.

    Examples
    --------
    >>> histogram_rate(1), histogram_rate(1, neighbours=Neighbours.ADD_REMOVE)
    (Fraction(1, 2), Fraction(1, 1))
    """
    exact: Fraction = check_fraction("evaluate", "epsilon", epsilon)
    cells = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    return exact / (cells * check_integer("evaluate", "records", records, low=1))


def histogram_loss(epsilon: Any) -> Pure:
    """Return what `release_histogram` promises: the item for `littlestone.privacy.compose`."""
    return Pure(check_fraction("evaluate", "epsilon", epsilon))


def release_histogram(
    scores: Sequence[int],
    counts: npt.ArrayLike,
    *,
    n: int,
    epsilon: Any,
    source: Source,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    records: int = 1,
    held_out: bool = False,
    unlisted: bool = False,
) -> ScoreHistogram:
    """Release how many records have each score and label.

    ``scores`` are all that a record could have, increasing (public); ``counts`` has the shape
    (labels, scores), and is private; n is public, or a public bound.

    Guarantee
    ---------
    Pure epsilon-DP for every input (claim ``score-histogram``; proof at the top of the module).

    Notes
    -----
    Cost: at most ``3 + log2(n)`` coins for each cell.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> released = release_histogram(
    ...     [-1, 1], [[40, 9], [7, 44]], n=100, epsilon=2, source=SeededSource(1))
    >>> len(released.counts), released.rate
    (2, Fraction(1, 1))
    """
    array = np.asarray(counts)
    n = check_integer("evaluate", "n", n, low=0)
    if array.ndim != 2 or array.shape[1] != len(scores) or array.dtype.kind not in "iu":
        raise ValueError("counts must be integers of shape (labels, scores).")
    rate = histogram_rate(epsilon, neighbours=neighbours, records=records)
    reach = max(2 * n, 1)  # beyond it, only the limits matter
    noisy = tuple(
        tuple(min(max(count + truncated(rate, reach, source), -n), 2 * n) for count in row)
        for row in array.tolist()
    )
    exact = check_fraction("evaluate", "epsilon", epsilon)
    return ScoreHistogram(tuple(map(int, scores)), noisy, n, exact, rate, held_out, unlisted)


@lru_cache(maxsize=1024)
def noise_reach(rate: Fraction, cells: int, beta: float) -> float:
    """Return a with ``Pr[|sum of the noises of all cells| > a] <= beta``.

    Notes
    -----
    The law of the sum is the inverse Fourier transform of ``((1 - p)**2 / |1 - p e**(i t)|**2)**m``
    for m cells, p = e**-rate; on a circle four times as long as the tail bound of Chernoff, with
    1e-12 for rounding. Where that would be too fine or too long, the tail bound itself is taken:
    ``2 M(s)**m e**(-s a)`` for the best s < rate of a grid,
    ``M(s) = (1 - p)**2 / ((1 - p e**s) (1 - p e**-s))``.

    Examples
    --------
    >>> noise_reach(Fraction(1, 2), 1, 0.05), noise_reach(Fraction(1, 2), 100, 0.05)
    (6.0, 55.0)
    """
    r = float(rate)
    s = r * np.linspace(0.002, 0.998, 499)
    # ln M, written so that nothing cancels: 1 - p e**s = -expm1(s - r)
    log_m = 2 * np.log(-np.expm1(-r)) - np.log(-np.expm1(s - r)) - np.log(-np.expm1(-s - r))
    far = float(np.min((cells * log_m + np.log(2 / beta)) / s) * (1 + 1e-9))
    if beta < _FINEST or far > _LONGEST:
        return far
    size = 1 << (8 + 4 * int(far)).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    # |1 - p e**(it)|**2 = (1 - p)**2 + 4 p sin(t/2)**2
    ratio = 4 * np.exp(-r) * np.sin(angle / 2) ** 2 / np.expm1(-r) ** 2
    law = np.fft.irfft((1 + ratio) ** -float(cells), size)
    inside = law[0] + 2 * np.cumsum(law[1 : size // 2])  # Pr[|sum| <= 1], <= 2, ...
    return float(np.argmax(np.append(inside, 2.0) >= 1 - beta + 1e-12) + 1)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
        raise TypeError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_CELLS:
        raise TypeError
    return value
