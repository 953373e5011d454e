"""User-level errors of all hypotheses in one sweep: how many users see more than t mistakes.

For a hypothesis h and a number t, the user-level error count is the number of users on whose
records h makes more than t mistakes (Li, Wang, Ye 2024, Section 4: n times ``err_z^t(h)``).
Replacing one user changes it by at most 1, whatever that user holds. `errors_by_user` returns an
object that knows it for *every* candidate of a class, and for every t:

=========================== ============================================ =========================
class                       how                                          cost
=========================== ============================================ =========================
thresholds, any domain      candidates lie in a line; a user's mistakes  O(N log N) once, then
points, hashed points       change only at places of that user's own     O(N) for each t
paths of trees              points (`littlestone.learners.users.lines`)
other classes of at most    64 hypotheses in each machine word           O(N size / 64), once for
2**20 concepts; rules                                                    all t
=========================== ============================================ =========================

N is the number of groups of the sample. All counts are exact integers. A user without records
makes no mistakes and is counted in no score.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from littlestone.classes import FiniteClass, Points, Prefixes, Thresholds, TreePaths
from littlestone.classes.base import LISTABLE, IdentityRepresentation
from littlestone.classes.hashing import HashedPointSet
from littlestone.errors import check_integer
from littlestone.learners.users.sweeps_finite import ListedErrors, listing
from littlestone.learners.users.sweeps_lines import (
    ThresholdErrors,
    bucket_errors,
    path_errors,
    point_errors,
)

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.classes.base import HypothesisSet
    from littlestone.data import UserSample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["UserErrors", "errors_by_user", "sweepable"]


class UserErrors(Protocol):
    """The user-level error counts of all candidates of a class.

    Attributes
    ----------
    size : int
        Number of candidates (public).
    """

    @property
    def size(self) -> int:
        """Number of candidates (public)."""

    def least(self, t: int) -> int:
        """Return the least number of users with more than t mistakes, over all candidates."""

    def draw(self, t: int, rate: Fraction, source: Source) -> Hypothesis:
        """Return a hypothesis with probability proportional to ``e**(-rate * users)``, exactly."""


def sweepable(hypotheses: ConceptClass | HypothesisSet) -> bool:
    """Return whether `errors_by_user` can sweep these hypotheses; public.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> sweepable(Thresholds(1, 2**64)), sweepable(Intervals(1, 2**64))
    (True, False)
    """
    if isinstance(hypotheses, IdentityRepresentation):
        hypotheses = hypotheses.concept_class
    in_a_line = isinstance(hypotheses, Thresholds | TreePaths | Prefixes | HashedPointSet)
    bounded = isinstance(hypotheses, Points) and hypotheses.bounds is not None
    return (
        in_a_line or bounded or isinstance(hypotheses, FiniteClass) or hypotheses.size <= LISTABLE
    )


def errors_by_user(
    hypotheses: ConceptClass | HypothesisSet, users: UserSample, m: int
) -> UserErrors:
    """Count for all hypotheses at once the users with more than t mistakes, for every t.

    Parameters
    ----------
    hypotheses : ConceptClass or HypothesisSet
        Thresholds and points of any domain (points over an infinite domain through a drawn
        representation), and whatever has at most 2**20 listed candidates.
    users : UserSample
        Each user's records, cut to at most m (`UserSample.capped`).
    m : int >= 1
        The public number of records that each user has at most.

    Returns
    -------
    UserErrors
        ``least(t)`` and ``draw(t, rate, source)``, for t >= 0. Asking again for another t is cheap.

    Raises
    ------
    UnsupportedError
        If there are too many candidates, and no sweep for their class.

    Notes
    -----
    *Sensitivity.* Replacing one user changes each count by at most 1.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b", "b"], [2, 7, 3, 8], [0, 1, 1, 1])
    >>> sweep = errors_by_user(Thresholds(1, 9), users, m=2)
    >>> sweep.least(0), sweep.scores(0).scores.tolist()
    (0, [1, 0, 1, 2])
    """
    check_integer("errors_by_user", "m", m, low=1)
    if isinstance(hypotheses, IdentityRepresentation):
        hypotheses = hypotheses.concept_class
    if isinstance(hypotheses, Thresholds):
        return ThresholdErrors(hypotheses.low, hypotheses.high, users)
    if isinstance(hypotheses, Points) and hypotheses.bounds is not None:
        return point_errors(hypotheses.bounds, users)
    if isinstance(hypotheses, TreePaths | Prefixes):
        return path_errors(hypotheses, users)
    if isinstance(hypotheses, HashedPointSet):
        return bucket_errors(hypotheses, users)
    return ListedErrors(listing(hypotheses), users, m)
