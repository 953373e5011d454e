"""The scikit-learn estimators of the wrappers: learners made from learners."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from littlestone.learners.agnostic.subsample import Subsample, learner_of_records
from littlestone.learners.agnostic.two_sample import TwoSample
from littlestone.learners.sklearn_base import PrivateClassifier

__all__ = ["AgnosticFromRealizable", "Subsampled"]


class _Wrapper(PrivateClassifier):
    """A learner around a learner; the class is the inner one's."""

    learner: Any

    @property
    def concept_class(self) -> Any:
        """The class of the inner learner."""
        if isinstance(self.learner, PrivateClassifier):
            return self.learner.concept_class
        return learner_of_records(self._learner.estimator, "learner", self.learner).concept_class

    def _bound(self) -> dict[str, Any]:
        """Return the inner learner, given how many columns ``fit`` has met."""
        width = getattr(self, "n_features_in_", None)
        if width is None or not isinstance(self.learner, PrivateClassifier):
            return {}
        inner = clone(self.learner)  # what the user gave is never changed
        inner.n_features_in_ = width
        return {"learner": inner}


class AgnosticFromRealizable(_Wrapper, learner=TwoSample, without=("learner_epsilon", "pool")):
    r"""Learn nearly the best concept from any labels, by a learner for realizable ones.

    Paper 004, Corollary 4, in a two-sample form that needs 1/epsilon times fewer of the
    alpha**-2 records. Choose it where `AgnosticLearner` needs too many records, because the class
    is enormous: thresholds over more than about 2**3600 values, classes that cannot be listed or
    hashed. ``littlestone plan --agnostic`` compares them.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input, neighbours replace one record,
        n public. Claim ``agnostic.two-sample.privacy``. It does not depend on alpha and beta.
    Accuracy : if the records are i.i.d. (labels may be noisy), error at most the best concept's
        plus alpha, with probability at least 1 - beta, for n at least ``required_samples()``.

    Raises
    ------
    UnsupportedError
        If the class's dichotomies cannot be drawn.

    Notes
    -----
    Cost: one pass that splits the records, the dichotomies of the first part, and the learner.

    References
    ----------
    .. [1] Alon, Bun, Livni, Malliaris, Moran 2022, Corollary 4; docs/learners/agnostic.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> far = ls.Thresholds(0, 2**65536)
    >>> realizable = ls.VC1Learner(far, epsilon=1.0, delta=1e-6)
    >>> learner = AgnosticFromRealizable(realizable, epsilon=1.0, random_state=0)
    >>> learner.required_samples(), ls.AgnosticLearner(far, epsilon=1.0).required_samples()
    (58921, 930031)
    """


class Subsampled(_Wrapper, learner=Subsample):
    r"""Run a learner on a secret random part of the records: less privacy loss, from more records.

    Guarantee
    ---------
    Privacy : (ln(1 + rate (e**epsilon - 1)), rate * delta)-differential privacy for every input,
        with the learner's epsilon and delta; neighbours replace one record, n public. Claim
        ``subsampling.without-replacement``.
    Accuracy : the learner's, from ceil(its records / rate) records.

    Notes
    -----
    Cost: about a microsecond for each drawn record, the learner, and one pass: over all records in
    memory, or over a table whose rows come in batches (Parquet, data frames, DuckDB), of which only
    the drawn rows are kept. An evaluation looks at all records.

    References
    ----------
    .. [1] Balle, Barthe, Gaboardi 2018, Theorem 11; docs/learners/agnostic.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> full = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1.0)
    >>> part = Subsampled(full, rate=0.1)
    >>> full.required_samples(), part.required_samples(), float(part.to_learner().epsilon)
    (190, 1900, 0.158565...)
    """
