"""scikit-learn estimators of learning by global stability."""

from __future__ import annotations

from typing import Any

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.stable.learner import Stable
from littlestone.learners.stable.protocol import StableProtocol

__all__ = ["GloballyStable", "StableLearner"]


class StableLearner(PrivateClassifier, learner=Stable):
    r"""Learn any class of finite Littlestone dimension: copies of a stable algorithm vote.

    Paper 004, Theorem 3 (that private learning is possible at all), with corrections and own
    constants. Choose it for sets of points and flats over domains that cannot be listed, when a
    short list of candidates is wanted; `LittlestoneLearner` and `GenericLearner` mostly need fewer
    records: see ``littlestone plan``.

    Parameters
    ----------
    concept_class : ConceptClass
        Public, with version spaces: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`,
        `Thresholds`, and every class that can be listed.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``. No default.
    delta : float in (0, 1)
        Probability with which it may be exceeded. No default; zero is not possible.
    alpha : float in (0, 1), default 0.1
        Error that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    constants : {"practical", "theory"} or mapping, default "practical"
        "theory": those of the theorem; the certificate assumes nothing about the distribution, and
        the number of records is doubly exponential in the Littlestone dimension. "practical":
        copies without tournaments; the certificate *assumes* that one hypothesis is submitted by a
        copy with probability 1/4. Or a mapping with ``auxiliary``, ``copies``, and perhaps
        ``batches`` and ``stability``. No privacy depends on them.
    max_nodes : int, default 20_000
        Node budget of each search. A copy that exceeds it submits nothing.
    classes : (negative, positive), optional
        Public labels, by default those of the class, (0, 1); never learned from the data.
    random_state : None or int, default None
        None draws from the operating system. An int is reproducible and NOT private.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output; may be published. Not always a concept of the class.
    guarantee_ : Guarantee
    certificate_ : Certificate
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where ``fit`` met names

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``stable.privacy``. It does not depend on any other parameter.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class (and, except for
        "theory", the assumption holds), error at most alpha with probability at least 1 - beta,
        for n at least ``required_samples()``.

    Raises
    ------
    ParameterError
        If a public parameter is out of range.
    UnsupportedError
        If the class has no version spaces.
    InfeasibleError
        For "theory", if the Littlestone dimension is larger than 7.
    DataError
        If a point or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: one pass of counting, a few version spaces for each copy.

    References
    ----------
    .. [1] Alon, Bun, Livni, Malliaris and Moran 2022, Theorems 3, 23 and 30
       (docs/learners/stable.md lists the corrections).

    Examples
    --------
    >>> import littlestone as ls
    >>> learner = StableLearner(ls.SparseSets(2), epsilon=1.0, delta=1e-6, random_state=0)
    >>> X = ["rain", "sun", "snow", "fog"] * 2000
    >>> y = [int(x in ("rain", "snow")) for x in X]
    >>> learner.fit(X, y).hypothesis_.describe()
    "1 on the points 'rain', 'snow', otherwise 0"
    """

    def __init__(
        self,
        concept_class: Any,
        *,
        epsilon: Any,
        delta: Any,
        alpha: Any = 0.1,
        beta: Any = 0.05,
        constants: Any = "practical",
        max_nodes: int = 20_000,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.beta = beta
        self.constants = constants
        self.max_nodes = max_nodes
        self.classes = classes
        self.random_state = random_state


class GloballyStable(PrivateClassifier, learner=StableProtocol):
    r"""Make a globally stable algorithm of your own private: its copies vote.

    Paper 004, Definition 6 and Theorem 30. The algorithm is any function from a `Sample` to a
    hypothesis; nothing about it needs to be private. `theory.estimate_stability` says how stable it
    is.

    Parameters
    ----------
    algorithm : callable
        ``algorithm(sample)`` returns a hypothesis of this library (``littlestone.classes``), or
        None. It must be a function of its argument alone: it keeps, prints and draws nothing.
    concept_class : ConceptClass
        Public. Says what the points are; hypotheses need not be concepts.
    n : int
        Records of one copy.
    eta : float in (0, 1)
        How often one hypothesis is the output on n records, for the certificate: it *assumes* this.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``. No default.
    delta : float in (0, 1)
        Probability with which it may be exceeded. No default; zero is not possible.
    error : float in (0, 1), optional
        Largest error of that hypothesis, assumed by the certificate. Default: what Proposition 7
        proves if the algorithm is consistent, ``(1 - error)**n = eta``.
    alpha : float in (0, 1), default 0.1
        Error that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    copies : int, optional
        Number of copies, instead of the planned one.
    classes : (negative, positive), default (0, 1)
        Public labels; never learned from the data.
    random_state : None or int, default None
        None draws from the operating system. An int is reproducible and NOT private.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output; "always 0" if no hypothesis is frequent.
    guarantee_ : Guarantee
    certificate_ : Certificate
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where ``fit`` met names

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and every algorithm that is a
        function of its argument, neighbours replace one record, n public. Claim
        ``stable.privacy``. It does not depend on n, eta, error, alpha, beta.
    Accuracy : if the records are i.i.d. and the algorithm is as stable as stated (and consistent,
        with labels by a concept, or its frequent hypothesis as good as stated), error at most alpha
        with probability at least 1 - beta, for at least ``required_samples()`` records.

    Raises
    ------
    ParameterError
        If a public parameter is out of range, or the frequent hypothesis may be bad.
    DataError
        If a point or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: one pass of dealing, and one call of the algorithm for each copy. A copy whose call fails
    submits nothing.

    References
    ----------
    .. [1] Alon, Bun, Livni, Malliaris and Moran 2022, Definition 6, Proposition 7, Theorem 30
       (docs/learners/stable.md).

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import TableHypothesis
    >>> def majority(sample):
    ...     return TableHypothesis(str(int(sample.ones.sum() > sample.zeros.sum())) * 3)
    >>> learner = GloballyStable(
    ...     majority, ls.FiniteClass([[0, 0, 0], [1, 1, 1]]), n=25, eta=0.9, error=0.05,
    ...     epsilon=1.0, delta=1e-6, random_state=0)
    >>> learner.required_samples()
    1965
    >>> learner.fit([0, 1, 2] * 700, [1] * 2100).hypothesis_.describe()
    'always 1 (points 0 to 2)'
    """

    def __init__(
        self,
        algorithm: Any,
        concept_class: Any,
        *,
        n: int,
        eta: Any,
        epsilon: Any,
        delta: Any,
        error: Any = None,
        alpha: Any = 0.1,
        beta: Any = 0.05,
        copies: int | None = None,
        classes: Any = (0, 1),
        random_state: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.concept_class = concept_class
        self.n = n
        self.eta = eta
        self.epsilon = epsilon
        self.delta = delta
        self.error = error
        self.alpha = alpha
        self.beta = beta
        self.copies = copies
        self.classes = classes
        self.random_state = random_state
