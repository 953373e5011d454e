"""scikit-learn estimator of the learner by global stability."""

from __future__ import annotations

from typing import Any

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.stable.learner import Stable

__all__ = ["StableLearner"]


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
    classes : (negative, positive), default (0, 1)
        Public labels; never learned from the data.
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
        classes: Any = (0, 1),
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
