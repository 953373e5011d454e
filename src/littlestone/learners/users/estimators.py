"""scikit-learn shells of the user-level learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.users.agnostic import UserAgnostic
from littlestone.learners.users.threshold import UserThreshold

if TYPE_CHECKING:
    pass

__all__ = ["UserAgnosticLearner", "UserThresholdLearner"]


class _UserClassifier(PrivateClassifier):
    """What both learners share: records come with the name of their user."""

    def required_users(self) -> int:
        """Return the least number of users from which on the certificate always holds."""
        return self.to_learner().required_samples()


class UserAgnosticLearner(_UserClassifier):
    r"""Learn nearly the best concept of a class, protecting users who hold many records each.

    Paper 002, Theorem 4.6, and group privacy, whichever needs fewer users.

    Parameters
    ----------
    concept_class : ConceptClass
        Public. Any class of `AgnosticLearner`; user-level errors are computed for thresholds,
        points, paths, and classes of at most 2**20 hypotheses.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``, for a user with all records. No default.
    samples_per_user : int >= 1
        m: at most so many records of each user are looked at, chosen by a public random cut
        inside the user. Users with fewer are taken as they are. The certificate is about users
        with m records; privacy holds for any.
    alpha : float in (0, 1), default 0.1
        Error above the best concept of the class that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    method : {"auto", "group-privacy", "user-level", "binary-search"}, default "auto"
        Count all mistakes with epsilon/m; count users with many mistakes (our search, or that of
        the paper, "binary-search"). "auto" compares certificates, which are public.
    classes : (negative, positive), default (0, 1)
        Public labels; never learned from the data.
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

    Guarantee
    ---------
    Privacy : epsilon-differential privacy for every input, neighbours replace all records of one
        user, the number of users is public. Claim ``users.privacy``. It does not depend on alpha,
        beta or method, nor on how many records users have. Numbers of records are never released.
    Accuracy : if each user has m independent records of one distribution (labels may be noisy),
        error at most the best concept's plus alpha, with probability at least 1 - beta, for at
        least ``required_users()`` users.

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
    .. [1] Li, Wang, Ye 2024, Lemma C.1, Algorithm 2, Theorem 4.6; docs/learners/users.md lists
       corrections and the certificates, which are our own.

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
        classes: Any = (0, 1),
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.samples_per_user = samples_per_user
        self.alpha = alpha
        self.beta = beta
        self.method = method
        self.classes = classes
        self.random_state = random_state

    def to_learner(self) -> Any:
        """Return the algorithm that ``fit`` runs, after checking all public parameters."""
        return UserAgnostic.of(
            self._bound_class(),
            epsilon=self.epsilon,
            alpha=self.alpha,
            beta=self.beta,
            samples_per_user=self.samples_per_user,
            method=self.method,
            owner=type(self).__name__,
        )


class UserThresholdLearner(_UserClassifier):
    r"""Learn a threshold by Algorithm 1 of paper 002, protecting users with many records each.

    Its number of users grows with ``ln |X| / (m alpha)`` instead of ``ln |X| / (sqrt(m) alpha)``;
    its constants are larger, and at every size in docs/learners/users.md `UserAgnosticLearner`
    needs fewer users. It is here because it is the paper's, exactly verified.

    Parameters
    ----------
    concept_class : Thresholds
    epsilon, samples_per_user, alpha, beta, classes, random_state
        As for `UserAgnosticLearner`.

    Attributes
    ----------
    hypothesis_, guarantee_, certificate_, classes_, n_features_in_
        As for `UserAgnosticLearner`.

    Guarantee
    ---------
    Privacy and accuracy as for `UserAgnosticLearner`.

    Raises
    ------
    ParameterError, DataError
        As for `UserAgnosticLearner`.
    UnsupportedError
        If the class is not one of thresholds.

    References
    ----------
    .. [1] Li, Wang, Ye 2024, Algorithm 1, Lemma 5.1, Theorem 5.2.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.UserThresholdLearner(
    ...     ls.Thresholds(1, 99), epsilon=8.0, samples_per_user=2, random_state=0)
    >>> users = [i // 2 for i in range(4000)]
    >>> L.fit([10, 70, 20, 90] * 1000, [0, 1, 0, 1] * 1000, groups=users).predict([5, 95])
    array([0, 1])
    """

    def __init__(
        self,
        concept_class: Any,
        *,
        epsilon: Any,
        samples_per_user: Any,
        alpha: Any = 0.1,
        beta: Any = 0.05,
        classes: Any = (0, 1),
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.samples_per_user = samples_per_user
        self.alpha = alpha
        self.beta = beta
        self.classes = classes
        self.random_state = random_state

    def to_learner(self) -> Any:
        """Return the algorithm that ``fit`` runs, after checking all public parameters."""
        return UserThreshold.of(
            self._bound_class(),
            epsilon=self.epsilon,
            alpha=self.alpha,
            beta=self.beta,
            samples_per_user=self.samples_per_user,
            owner=type(self).__name__,
        )
