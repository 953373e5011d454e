"""The scikit-learn estimators of the wrappers: learners made from learners."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from littlestone.learners.agnostic.boosted import Boosted
from littlestone.learners.agnostic.empirical import Empirical
from littlestone.learners.agnostic.subsample import Subsample, learner_of_records
from littlestone.learners.agnostic.two_sample import TwoSample
from littlestone.learners.sklearn_base import PrivateClassifier

__all__ = ["AgnosticFromRealizable", "BoostedPrivate", "EmpiricalFromPAC", "Subsampled"]


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


class EmpiricalFromPAC(_Wrapper, learner=Empirical):
    r"""Learn with a small error on the records themselves, whatever they are.

    Paper 004, Lemma 15: the learner sees records that are drawn from the given ones with
    replacement. Its certificate for independent records is then one for *every* data set whose
    labels some concept explains (every data set, if the learner is agnostic): the error is the
    share of the given records that are labelled wrongly.

    Attributes
    ----------
    certificate_ : Certificate
        Its error is that on the given records.

    Guarantee
    ---------
    Privacy : (e, delta (exp(e) - 1)/(exp(epsilon) - 1))-differential privacy for every input, with
        the learner's epsilon and delta and e = rate (exp(epsilon) - 1); neighbours replace one
        record, n public. Claim ``empirical.privacy``.
    Accuracy : for every data set of n records that satisfies what the learner assumes besides
        independence, error on these records at most the learner's alpha except with probability
        its beta, from ceil(its records / rate) records.

    Notes
    -----
    Cost: one pass of counting, about a microsecond for each drawn record, and the learner.

    References
    ----------
    .. [1] Bun, Nissim, Stemmer, Vadhan 2015, Lemma 5.9; docs/learners/agnostic.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> pac = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1.0)
    >>> empirical = EmpiricalFromPAC(pac)
    >>> pac.required_samples(), empirical.required_samples(), float(empirical.to_learner().epsilon)
    (190, 1710, 0.190920...)
    >>> EmpiricalFromPAC(pac, rate=0.58).required_samples()  # epsilon 0.997
    328
    """


class BoostedPrivate(_Wrapper, learner=Boosted, without=("block",)):
    r"""Make a learner of low accuracy accurate: a majority over rounds on filtered records.

    Paper 004, Section 2.4. The rounds have records of their own, so the majority costs what one
    round costs, also with a delta. Choose it for a learner whose error cannot be chosen; a learner
    of this library is asked for a smaller alpha with far fewer records.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        The private output, with all its parts; may be published.

    Guarantee
    ---------
    Privacy : the learner's epsilon and delta, for every input, neighbours replace one record, n
        public. Claim ``boosted.privacy``.
    Accuracy : under what the learner assumes, error at most alpha with probability at least
        1 - beta, for n at least ``required_samples()``. Claim ``boosted.accuracy``.

    Raises
    ------
    ParameterError
        If a public parameter is out of range, or so few rounds cannot reach alpha.
    UnsupportedError
        If the learner has no beta of its own.

    Notes
    -----
    Cost: one pass that splits the records, some microseconds for each record, and the learner in
    each round.

    References
    ----------
    .. [1] Freund 1995; Alon, Bun, Livni, Malliaris, Moran 2022, Section 2.4;
       docs/learners/agnostic.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> weak = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1.0, alpha=0.25)
    >>> boosted = BoostedPrivate(weak, rounds=9, alpha=0.1)
    >>> weak.required_samples(), boosted.required_samples(), float(boosted.to_learner().epsilon)
    (74, 16245, 1.0)
    """
