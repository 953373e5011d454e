"""scikit-learn estimator of the user-level learner."""

from __future__ import annotations

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.users.learner import UserAgnostic

__all__ = ["UserAgnosticLearner"]


class UserAgnosticLearner(PrivateClassifier, learner=UserAgnostic):
    r"""Learn nearly the best concept of a class, protecting users with many records each.

    Paper 002, Theorems 4.6 and 5.2, group privacy, and one record of each user: whichever needs the
    fewest users.

    Guarantee
    ---------
    Privacy : epsilon-differential privacy for every input, neighbours replace all records of one
        user, the number of users is public. Claim ``users.privacy``. It does not depend on alpha,
        beta, method or users, nor on how many records users have, which is never released.
    Accuracy : if each user has m independent records of one distribution (labels may be noisy),
        error at most the best concept's plus alpha, with probability at least 1 - beta, for at
        least ``required_samples()`` users.

    Raises
    ------
    DataError
        If users are not given, missing or floats; if a point or a label is outside the public
        domain (names column and rule only).

    Notes
    -----
    Cost: one sweep over the records for each threshold of mistakes that is tried.

    References
    ----------
    .. [1] Li, Wang, Ye 2024, Lemma C.1, Algorithms 1 and 2, Theorems 4.6 and 5.2;
       docs/learners/users.md lists corrections and the certificates, which are our own.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.UserAgnosticLearner(
    ...     ls.Thresholds(1, 99), epsilon=1.0, samples_per_user=2, random_state=0)
    >>> users = [i // 2 for i in range(800)]
    >>> L = L.fit([10, 70, 20, 90] * 200, [0, 1, 0, 1] * 200, groups=users)
    >>> L.predict([5, 95]), L.guarantee_
    (array([0, 1]), <Guarantee: pure 1-differential privacy, user-replace [users.privacy]: ...>)
    """
