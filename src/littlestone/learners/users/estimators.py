"""scikit-learn estimator of the user-level learner."""

from __future__ import annotations

from typing import Any

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.users.learner import UserAgnostic

__all__ = ["UserAgnosticLearner"]


class UserAgnosticLearner(PrivateClassifier, learner=UserAgnostic):
    r"""Learn nearly the best concept of a class, protecting users who hold many records each.

    Paper 002, Theorems 4.6 and 5.2, group privacy, and one record of each user: whichever needs the
    fewest users.

    Parameters
    ----------
    concept_class : ConceptClass
        Public. Any class of `AgnosticLearner`; user-level errors are computed for thresholds,
        points, paths, and classes of at most 2**20 hypotheses.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``, for a user with all records. No default.
    samples_per_user : int >= 1
        m: at most m records of each user are looked at, chosen by a public random choice
        inside the user. Users with fewer are taken as they are. The certificate is about users
        with m records; privacy holds for any.
    alpha : float in (0, 1), default 0.1
        Error above the best concept of the class that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    method : str, default "auto"
        "auto" takes the one whose certificate needs the fewest users, before any data are seen:
        "one-record" (of each user), "group-privacy" (all records, with epsilon/m), "user-level"
        (clipped errors of users), "binary-search" (users with many mistakes, after the paper's
        Algorithm 2), "threshold" (the paper's Algorithm 1, thresholds only).
    users : {"iid-records", "iid-users"}, default "iid-records"
        What the certificate assumes: all records of all users are independent, from one law; or
        users are independent and may differ, each with a law of their own. The second is certified
        for "one-record" and "group-privacy" only. Privacy does not depend on it.
    classes : (negative, positive), optional
        Public labels, by default those of the class, (0, 1); never learned from the data.
    random_state : None or int, default None
        None draws from the operating system. An int is reproducible and NOT private.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output; may be published.
    guarantee_ : Guarantee
    certificate_ : Certificate
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where ``fit`` met names

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
    ParameterError
        If a public parameter is out of range.
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

    def __init__(
        self,
        concept_class: Any,
        *,
        epsilon: Any,
        samples_per_user: Any,
        alpha: Any = 0.1,
        beta: Any = 0.05,
        method: Any = "auto",
        users: Any = "iid-records",
        classes: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.samples_per_user = samples_per_user
        self.alpha = alpha
        self.beta = beta
        self.method = method
        self.users = users
        self.classes = classes
        self.random_state = random_state
