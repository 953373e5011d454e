"""scikit-learn estimator of the learner of classes of VC dimension 1."""

from __future__ import annotations

from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.learners.vc1.learner import VC1

__all__ = ["VC1Learner"]


class VC1Learner(PrivateClassifier, learner=VC1, without=("chunks",)):
    r"""Learn any class of VC dimension 1, with a number of records that hardly grows with it.

    Paper 001, Algorithms 2 to 4, with corrections and own constants. Choose it for very large
    domains: thresholds over more than about 2**86 values, deep *and* broad trees (IPv6 networks).
    Below that `GenericLearner`, which is pure, needs fewer records: see ``littlestone plan``.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``vc1.privacy``. It does not depend on alpha, beta, method or proper.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class, error at most
        alpha with probability at least 1 - beta, for n at least ``required_samples()``. With more
        records the error falls like 1/n.

    Raises
    ------
    UnsupportedError
        If the class has VC dimension 2 or more.

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
