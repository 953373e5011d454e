"""scikit-learn estimators of learning by global stability."""

from __future__ import annotations

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.stable.learner import Stable
from littlestone.learners.stable.protocol import StableProtocol


class StableLearner(PrivateClassifier, learner=Stable, defaults={"constants": "practical"}):
    r"""Learn any class of finite Littlestone dimension: copies of a stable algorithm vote.

    Paper 004, Theorem 3 (that private learning is possible at all), with corrections and own
    constants. Choose it for sets of points and affine subspaces over domains that cannot be listed,
    when a short list of candidates is wanted; `LittlestoneLearner` and `GenericLearner` mostly need
    fewer records: see ``littlestone plan``.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output; may be published. Not always a concept of the class.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``stable.privacy``. It does not depend on any other parameter.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class (and, except for
        "theory", the assumption holds), error at most alpha with probability at least 1 - beta,
        for n at least ``required_samples()``.

    Raises
    ------
    UnsupportedError
        If the class has no version spaces.
    InfeasibleError
        For "theory", if the Littlestone dimension is larger than 7.

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


class GloballyStable(PrivateClassifier, learner=StableProtocol):
    r"""Make a globally stable algorithm of your own private: its copies vote.

    Paper 004, Definition 6 and Theorem 30. The algorithm is any function from a `Sample` to a
    hypothesis; nothing about it needs to be private. `theory.estimate_stability` says how stable it
    is.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output; "always 0" if no hypothesis is frequent.

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

    Notes
    -----
    Cost: one pass that splits the records, and one call of the algorithm for each copy. A copy
    whose call fails submits nothing.

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
    ...     ls.theory.FiniteClass([[0, 0, 0], [1, 1, 1]]), algorithm=majority, n=25, eta=0.9,
    ...     error=0.05, epsilon=1.0, delta=1e-6, random_state=0)
    >>> learner.required_samples()
    1965
    >>> learner.fit([0, 1, 2] * 700, [1] * 2100).hypothesis_.describe()
    'always 1 (points 0 to 2)'
    """
