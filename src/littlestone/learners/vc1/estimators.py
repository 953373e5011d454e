"""scikit-learn estimator of the learner of classes of VC dimension 1."""

from __future__ import annotations

from typing import Any

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.vc1.learner import VC1

__all__ = ["VC1Learner"]


class VC1Learner(PrivateClassifier, learner=VC1):
    r"""Learn any class of VC dimension 1, with a number of records that hardly grows with it.

    Paper 001, Algorithms 2 to 4, with corrections and own constants. Choose it for very large
    domains: thresholds over more than about 2**86 values, deep *and* broad trees (IPv6 networks).
    Below that `GenericLearner`, which is pure, needs fewer records: see ``littlestone plan``.

    Parameters
    ----------
    concept_class : ConceptClass
        Public, of VC dimension at most 1: `Thresholds`, `Points`, `TreePaths`, `Prefixes`, or a
        `FiniteClass`.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``. No default.
    delta : float in (0, 1)
        Probability with which it may be exceeded. No default.
    alpha : float in (0, 1), default 0.1
        Error that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    proper : bool, default False
        Whether the hypothesis must be a concept of the class. It always is for the structured
        classes above; for a `FiniteClass` it may need more records.
    method : {"auto", "one-shot", "median-exponential", "median-tree"}, default "auto"
        "auto" takes the one whose certificate needs the fewest records.
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
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``vc1.privacy``. It does not depend on alpha, beta, method or proper.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class, error at most
        alpha with probability at least 1 - beta, for n at least ``required_samples()``. With more
        records the error falls like 1/n.

    Raises
    ------
    ParameterError
        If a public parameter is out of range.
    UnsupportedError
        If the class has VC dimension 2 or more.
    DataError
        If a point or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: one pass of counting; up to 8192 chunks; one draw over runs of tree nodes. Nothing of the
    size of the domain.

    References
    ----------
    .. [1] Yan 2025, second version, Algorithms 1-4 (docs/learners/vc1.md lists the corrections).

    Examples
    --------
    >>> import numpy as np
    >>> import littlestone as ls
    >>> far = ls.Thresholds(0, 2**256)
    >>> learner = VC1Learner(far, epsilon=1.0, delta=1e-6, random_state=0)
    >>> learner.required_samples()
    1620
    >>> X = [2**255 + (i - 1000) * 2**240 for i in range(2000)]
    >>> y = [int(x > 2**255) for x in X]
    >>> float(np.mean(learner.fit(X, y).predict(X) == y)) > 0.9
    True
    """

    def __init__(
        self,
        concept_class: Any,
        *,
        epsilon: Any,
        delta: Any,
        alpha: Any = 0.1,
        beta: Any = 0.05,
        proper: bool = False,
        method: str = "auto",
        classes: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.beta = beta
        self.proper = proper
        self.method = method
        self.classes = classes
        self.random_state = random_state
