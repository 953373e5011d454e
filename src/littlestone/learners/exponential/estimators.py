"""scikit-learn estimators of the exponential-mechanism learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from littlestone.errors import parameter_error
from littlestone.learners.base import Kind, declared
from littlestone.learners.exponential.learner import Agnostic, Generic
from littlestone.learners.release import both, is_table
from littlestone.learners.sklearn_base import PrivateClassifier, UnpaidError

__all__ = ["AgnosticLearner", "GenericLearner"]


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
        by_code = {
            name: _encoded(caller, name, getattr(self, name), classes)
            for name in ("costs", "class_weight")
        }
        return super()._bound() | by_code

    def _extra(self) -> dict[str, Any]:
        return {"evaluate": self.evaluate}

    @available_if(_evaluated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class where a point belongs, by the evaluation."""
        check_is_fitted(self, "release_")
        if self.release_.columns is not None and is_table(X):
            return self.release_.predict_proba(X)
        return both(self.release_.chances(self._codes(X)))


def _encoded(caller: str, name: str, costs: Any, classes: list[Any]) -> Any:
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
            name,
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
