"""scikit-learn estimator of the learner of Littlestone classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.learners.littlestone.learner import Littlestone
from littlestone.learners.sklearn_base import PrivateClassifier

if TYPE_CHECKING:
    from littlestone.bounds import Certificate

__all__ = ["LittlestoneLearner"]


class LittlestoneLearner(PrivateClassifier, learner=Littlestone):
    r"""Learn any class of finite Littlestone dimension: teachers list hypotheses and vote.

    Paper 003, Theorem 3, with corrections and own constants. Choose it for classes that no
    exponential mechanism can list: sets of texts, affine subspaces over a large field. Where the
    class can be listed, `GenericLearner` is pure and needs no more records: see
    ``littlestone plan``.

    Parameters
    ----------
    concept_class : ConceptClass
        Public, with version spaces: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`,
        `Thresholds`, `Intervals`, and every class that can be listed.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``. No default.
    delta : float in (0, 1)
        Probability with which it may be exceeded. No default; zero is not possible.
    alpha : float in (0, 1), default 0.1
        Error that the certificate promises not to exceed.
    beta : float in (0, 1), default 0.05
        Probability with which it may.
    proper : bool, default False
        Whether the hypothesis must be a concept of the class (one draw of `make_proper`).
    method : {"auto", "all", "closures", "essential", "stages"}, default "auto"
        What teachers list. "all": every concept of low error, of classes that can be listed, and
        of thresholds. "closures": closed sets of low error, of sparse sets, points, flats,
        conjunctions. "essential": essential hypotheses, for any class with oracles. "stages": the
        same, tested stage by stage, as in the paper. "auto": the fewest records.
    chunk : int, optional
        Records of one teacher, instead of the planned number. No privacy depends on it.
    tolerances : sequence of int, optional
        Most errors of a listed hypothesis, one number for each stage, instead of the planned ones.
        No privacy depends on them.
    max_nodes : int, default 20_000
        Node budget of one teacher's search. A teacher that exceeds it submits the empty list.
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
        n public. Claim ``littlestone.privacy`` (``littlestone.stages.privacy``). It does not
        depend on any other parameter.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class, error at most
        alpha with probability at least 1 - beta, for n at least ``required_samples()``.

    Raises
    ------
    ParameterError
        If a public parameter is out of range.
    UnsupportedError
        If the class lacks what the method needs, or more than 10**5 teachers would be needed.
    DataError
        If a point or a label is outside the public domain (names column and rule only).

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
        chunk: int | None = None,
        tolerances: Any = None,
        max_nodes: int = 20_000,
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
        self.chunk = chunk
        self.tolerances = tolerances
        self.max_nodes = max_nodes
        self.classes = classes
        self.random_state = random_state

    def certificate(self, n: int, *, empirical: bool = False) -> Certificate:
        """Return the accuracy certificate for n records, without any data.

        Parameters
        ----------
        n : int >= 1
        empirical : bool, default False
            False: the error on the distribution that independent records come from. True: the
            error on the records themselves, for *every* data set that some concept labels
            correctly (paper 003, Theorem 3).

        Raises
        ------
        UnsupportedError
            For ``empirical`` with the methods "essential" and "stages": see `EmpiricalFromPAC`.

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
