"""The scikit-learn estimators of the learners of classes; others are beside their learners."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from littlestone.errors import exact_value, parameter_error
from littlestone.learners.agnostic import TwoSample, learner_of_records
from littlestone.learners.base import Kind, declared
from littlestone.learners.boosting import estimators as of_trees
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.linear import estimators as of_linear
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.release import both, is_table
from littlestone.learners.sklearn_base import PrivateClassifier, UnpaidError
from littlestone.learners.users.learner import UserAgnostic
from littlestone.learners.vc1 import VC1

if TYPE_CHECKING:
    from littlestone.learners.release import Release
    from littlestone.learners.running import Planned
    from littlestone.learners.sklearn_base import PrivateEstimator

__all__ = [
    "AgnosticFromRealizable", "AgnosticLearner", "GenericLearner", "LittlestoneLearner",
    "UserAgnosticLearner", "VC1Learner",
]  # fmt: skip


def _evaluated(made: Any) -> bool:
    """Return that an estimator has probabilities, or will have them; else say what it needs."""
    released = getattr(made, "release_", None)
    if made.evaluate is None and getattr(released, "evaluation", None) is None:
        raise UnpaidError(
            f"This {type(made).__name__} has no probabilities: fit it with evaluate=E, a part of "
            "epsilon, or use a Scorecard or BoostedTrees."
        )
    return True


class _ExponentialClassifier(PrivateClassifier):
    """What both estimators share."""

    evaluate: Any = declared(
        Kind("float", annotation="Number | None"),
        "Amount of epsilon to spend on a private evaluation: `evaluation_`, ``predict_proba``.",
        default=None,
    )

    def _bound(self) -> dict[str, Any]:
        classes = self._public_classes().tolist()
        caller = type(self).__name__
        return super()._bound() | {"costs": _encoded(caller, self.costs, classes)}

    def _extra(self) -> dict[str, Any]:
        return {"evaluate": self.evaluate}

    @available_if(_evaluated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class where a point belongs, by the evaluation."""
        check_is_fitted(self, "release_")
        if self.release_.columns is not None and is_table(X):
            return self.release_.predict_proba(X)
        return both(self.release_.chances(self._codes(X)))


def _encoded(caller: str, costs: Any, classes: list[Any]) -> Any:
    """Return costs whose keys are codes, where they are among the public classes."""
    if not isinstance(costs, Mapping):
        return costs

    def code(label: Any) -> Any:
        return classes.index(label) if label in classes else label

    by_code = {
        tuple(map(code, key)) if isinstance(key, tuple) else code(key): cost
        for key, cost in costs.items()
    }
    codes = range(len(classes))
    if set(by_code) not in ({*codes}, {(y, k) for y in codes for k in codes if y != k}):
        example = ", ".join(f"{label!r}: {1 + 8 * (i == 1)}" for i, label in enumerate(classes))
        raise parameter_error(
            caller,
            "costs",
            f"a cost for each of the labels {classes}, or for each (label, other prediction)",
            list(costs),
            f"For example {{{example}}}: misclassifying {classes[1]!r} costs nine times as much.",
        )
    return by_code


class GenericLearner(_ExponentialClassifier, learner=Generic):
    r"""Learn a concept from realizable data, with pure differential privacy.

    Releases h with probability proportional to ``exp(-epsilon * errors(h) / 2)``. Choose it when
    some concept of the class is (nearly) right on all records; `AgnosticLearner` is the same
    mechanism, with the certificate for noisy data.

    Guarantee
    ---------
    Privacy : epsilon-differential privacy for every input, under ``neighbours``; n is public
        under "replace-one" only. Claim ``exp-mech.privacy``. It does not depend on alpha and beta.
    Accuracy : if the records are i.i.d. and labelled by a concept of the class, error at most
        alpha with probability at least 1 - beta, for n at least ``required_samples()``.

    Notes
    -----
    Cost: one pass of counting, then the cost of scoring the class (see docs/classes.md).

    References
    ----------
    .. [1] Alon, Bun, Livni, Malliaris, Moran 2022, Lemma 29 (GenericLearner).
    .. [2] The certificate is our own: docs/certificates.md, ``exp-mech.tight.realizable``.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1.0, random_state=0)
    >>> L = L.fit([[10], [20], [70], [90]] * 100, [0, 0, 1, 1] * 100)
    >>> L.predict([[5], [95]])
    array([0, 1])
    """


class AgnosticLearner(_ExponentialClassifier, learner=Agnostic):
    r"""Learn nearly the best concept of a class from any data, with pure differential privacy.

    Paper 002, Theorem 3.4: sample hypotheses from a representation of the class with public
    coins, then release h with probability proportional to ``exp(-epsilon * score(h) / 2)``.

    Guarantee
    ---------
    Privacy : epsilon-differential privacy for every input, under ``neighbours``; n is public
        under "replace-one" only. Claim ``exp-mech.privacy``. It does not depend on alpha and beta.
    Accuracy : if the records are i.i.d. (labels may be noisy), error at most the best concept's
        plus alpha, with probability at least 1 - beta, for n at least ``required_samples()``.

    Notes
    -----
    Cost: one pass of counting, then the cost of scoring the class (see docs/classes.md).
    Deviation from the paper: when the representation is part of the class, the surrogate score
    equals the empirical error, so that is used, with sensitivity 1 instead of 2.

    References
    ----------
    .. [1] Li, Wang, Ye 2024, Theorem 3.4.
    .. [2] The certificate is our own: docs/excess.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.AgnosticLearner(ls.theory.FiniteClass([[0, 0], [0, 1]]), epsilon=1.0, random_state=0)
    >>> L.fit([0, 1] * 50, [0, 1] * 50).predict([0, 1])
    array([0, 1])
    """


# -- The scikit-learn estimators of the wrappers: learners made from learners ----------------------


class AgnosticFromRealizable(
    PrivateClassifier, learner=TwoSample, without=("learner_epsilon", "pool")
):
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
    (56915, 930031)
    """

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


# -- scikit-learn estimator of the learner of Littlestone classes ----------------------------------


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


class UserAgnosticLearner(PrivateClassifier, learner=UserAgnostic):
    r"""Learn nearly the best concept of a class, protecting users with many records each.

    Paper 002, Theorems 4.6 and 5.2, group privacy, and one record of each user: whichever needs the
    fewest users.

    Guarantee
    ---------
    Privacy : epsilon-differential privacy for every input, neighbours replace all records of one
        user, the number of users is public. Claim ``users.privacy``. It does not depend on alpha,
        beta, method or users, nor on how many records users have, which is never released.
    Accuracy : if each user has m independent records of one distribution (labels may be noisy),
        error at most the best concept's plus alpha, with probability at least 1 - beta, for at
        least ``required_samples()`` users.

    Raises
    ------
    DataError
        If users are not given, missing or floats; if a point or a label is outside the public
        domain (names column and rule only).

    Notes
    -----
    Cost: one sweep over the records for each threshold of mistakes that is tried.

    References
    ----------
    .. [1] Li, Wang, Ye 2024, Lemma C.1, Algorithms 1 and 2, Theorems 4.6 and 5.2;
       docs/learners/users.md lists corrections and the certificates, which are our own.

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


def fitted(plan: Planned, release: Release, random_state: Any = None) -> PrivateEstimator:
    """Return the fitted estimator of a release: its parameters are those of the learner."""
    learner, shares, target = plan.learner, plan.shares, plan.fit.task.target
    concepts = learner.concept_class
    parameters = {
        "random_state": random_state, "holdout": shares.holdout,
        "evaluate": shares.evaluation and min(shares.evaluation, learner.epsilon),
        "interval": shares.covered, "classes": getattr(target, "names", None), "rounds": "auto",
        "labels": concepts.labels if concepts.lists_labels else None,
        "periods": list(getattr(target, "ends", ())), "concept_class": concepts,
    }  # fmt: skip
    if target.loss is not None:
        parameters["loss"] = target.loss
    homes = (globals(), vars(of_trees), vars(of_linear))
    kind = next(home[learner.caller] for home in homes if learner.caller in home)
    for source in (learner, concepts, target):
        for name in inspect.signature(kind).parameters.keys() - parameters.keys():
            if hasattr(source, name):
                parameters[name] = getattr(source, name)
    accepted = parameters.keys() & inspect.signature(kind).parameters.keys()
    fitted: PrivateEstimator = kind(**{name: _decimal(parameters[name]) for name in accepted})
    assert release.columns is not None
    return fitted.keep(release, release.columns["x"])


def _decimal(value: Any) -> Any:
    """Return a fraction as the number that a person would type, if that is exact."""
    if isinstance(value, list):
        return [_decimal(each) for each in value]
    if not isinstance(value, Fraction):
        return value
    typed = int(value) if value.denominator == 1 else float(value)
    return typed if exact_value(typed) == value else value
