"""Which hypothesis set and score the exponential learner uses: public parameters only.

Three ways, compared by the number of records that their certificates need:

1. a class that can be enumerated or segmented represents itself; the score is the error;
2. an infinite class, or a large one where it pays, is hashed, and the score is the direct error
   over the hashed hypotheses;
3. the same with the paper's surrogate score (agnostic only), whose sensitivity is 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from littlestone import bounds
from littlestone.errors import UnsupportedError

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass, Representation

__all__ = ["Plan", "plan"]

#: Up to this size only the tight certificate is computed: the VC dimension of an explicit class is
#: costly, and pays only when ln(size) is far larger than it.
_EXPLICIT = 2**32

#: Up to this size a class is itself the representation, so that its own concepts are released.
_LISTED = 2**16


@dataclass(frozen=True)
class Plan:
    """A hypothesis set, a score, and what they certify.

    Attributes
    ----------
    representation : Representation
    surrogate : bool
        Whether the score is Theorem 3.4's q instead of the error.
    certify : callable, n -> Certificate
    required : int
        The least n from which on the certificate holds.
    """

    representation: Representation
    surrogate: bool
    certify: Callable[[int], Certificate]
    required: int


@lru_cache(maxsize=256)
def plan(
    concept_class: ConceptClass,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    *,
    agnostic: bool,
) -> Plan:
    """Return the way that needs the fewest records.

    Raises
    ------
    UnsupportedError
        If the class is infinite and cannot be hashed.
    """
    budget: dict[str, Any] = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    if isinstance(concept_class.size, int):
        itself = _itself(concept_class, concept_class.size, budget, agnostic)
        if concept_class.size <= _LISTED or not _can_be_hashed(concept_class):
            return itself
        return min(itself, _hashed(concept_class, budget, agnostic), key=lambda way: way.required)
    direct = _hashed(concept_class, budget, agnostic)
    # The surrogate pays for the class's VC dimension at alpha**-2 even if H had two members.
    if not agnostic or bounds.agnostic_vc(2, concept_class.vc_dim, **budget).n >= direct.required:
        return direct
    surrogate = _surrogate(concept_class, budget)
    return min(direct, surrogate, key=lambda way: way.required)


def _can_be_hashed(concept_class: ConceptClass) -> bool:
    try:
        return concept_class.hashing is not None
    except UnsupportedError:
        return False


def _itself(concept_class: ConceptClass, size: int, budget: dict[str, Any], agnostic: bool) -> Plan:
    vc_dim = concept_class.vc_dim if size > _EXPLICIT else None

    def certify(n: int | None) -> Certificate:
        return bounds.best_finite(size, vc_dim=vc_dim, agnostic=agnostic, n=n, **budget)

    return Plan(concept_class.representation(), False, lru_cache(certify), max(certify(None).n, 1))


def _hashed(concept_class: ConceptClass, budget: dict[str, Any], agnostic: bool) -> Plan:
    found = bounds.best_hashing(concept_class.hashing, agnostic=agnostic, **budget)
    representation = concept_class.hashed(found.copies, found.buckets)
    return Plan(representation, False, lru_cache(found.certificate), found.required_samples())


def _surrogate(concept_class: ConceptClass, budget: dict[str, Any]) -> Plan:
    def size(alpha1: Fraction, beta1: Fraction) -> int:
        return concept_class.representation(alpha1, beta1).size

    def certify(n: int | None) -> Certificate:
        return bounds.surrogate(size, concept_class.vc_dim, n=n, **budget)

    best = certify(None)
    parts = {name: value for step in best.steps for name, value in step.inputs.items()}
    near, share = parts["alpha1"], parts["share_hashing"]
    assert isinstance(near, Fraction)
    assert isinstance(share, Fraction)
    representation = concept_class.representation(near, share * budget["beta"])
    return Plan(representation, True, lru_cache(certify), best.n)
