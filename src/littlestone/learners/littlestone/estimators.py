"""scikit-learn estimator of the learner of Littlestone classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.learners.littlestone.learner import Littlestone
from littlestone.learners.sklearn_base import PrivateClassifier

if TYPE_CHECKING:
    from littlestone.bounds import Certificate


class LittlestoneLearner(PrivateClassifier, learner=Littlestone):
    r"""Learn any class of finite Littlestone dimension: teachers list hypotheses and vote.

    Paper 003, Theorem 3, with corrections and own constants. Choose it for classes that no
    exponential mechanism can list: sets of texts, affine subspaces over a large field. Where the
    class can be listed, `GenericLearner` is pure and needs fewer records.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``littlestone.privacy``. It does not
        depend on any other parameter.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class, error at most
        alpha with probability at least 1 - beta, for n at least ``required_samples()``.

    Raises
    ------
    UnsupportedError
        If the class lacks what the method needs, or more than 10**5 teachers would be needed.

    Notes
    -----
    Cost: one pass of counting; one short search for each teacher, n / chunk of them; one draw.

    References
    ----------
    .. [1] Lyu 2025, Theorem 3 (docs/learners/littlestone.md lists the corrections).

    Examples
    --------
    >>> import littlestone as ls
    >>> learner = LittlestoneLearner(ls.SparseSets(2), epsilon=1.0, delta=1e-6, random_state=0)
    >>> X = ["rain", "sun", "snow", "fog"] * 1000
    >>> y = [int(x in ("rain", "snow")) for x in X]
    >>> learner.fit(X, y).hypothesis_.describe()
    "1 on the points 'rain', 'snow', otherwise 0"
    """

    def certificate(self, n: int, *, empirical: bool = False) -> Certificate:
        """Return the accuracy certificate for n records, without any data.

        Parameters
        ----------
        n : int >= 1
        empirical : bool, default False
            False: the error on the distribution that independent records come from. True: the
            error on the records themselves, for *every* data set that some concept labels
            correctly (paper 003, Theorem 3).

        Examples
        --------
        >>> import littlestone as ls
        >>> learner = LittlestoneLearner(ls.Points(), epsilon=1.0, delta=1e-6)
        >>> learner.required_samples(), learner.required_samples(empirical=True)
        (1606, 1716)
        """
        return self._made().certificate(n, empirical=empirical)

    def required_samples(self, *, empirical: bool = False) -> int:
        """Return the least n from which on the certificate always holds."""
        return self._made().required_samples(empirical=empirical)

    def _made(self) -> Littlestone:
        made = self.to_learner()
        assert isinstance(made, Littlestone)
        return made
