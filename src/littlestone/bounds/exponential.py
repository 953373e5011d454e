"""How many records the exponential mechanism needs: tight certificates.

Candidates H are public, the weight of h is e**(-epsilon/2 * errors of h), which is epsilon-DP under
replace-one. The proofs are in ``docs/certificates.md``; all rest on one line: a bad h is released
with probability at most e**(-l * (errors of h - errors of the best)) for every 0 <= l <= epsilon/2,
and the expectation of that over the records is a product.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.bounds.bound import Bound, enough
from littlestone.bounds.certificate import Certificate
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy.rounding import check_nonnegative

_EXACT, _EXCESS = "exp-mech.tight.realizable", "exp-mech.tight.agnostic"
_FROM, _EXCESS_FROM = "exp-mech.representation.realizable", "exp-mech.representation.agnostic"
# Nobody is bad when there is one candidate: max(...) makes the logarithm 0, and n = 0.
_NEEDED = "ceil(log(max(size - 1, beta)/beta)/decay)"
_NEEDED_FROM = "ceil(log(max(size - 1, (beta - beta1))/(beta - beta1))/decay)"

REALIZABLE = Bound((
    ("decay", "-log(1 - alpha*(1 - exp(-epsilon/2)))", _EXACT),
    ("needed", _NEEDED, _EXACT),
))  # fmt: skip
AGNOSTIC = Bound((
    ("tilt", "min(epsilon/2, atanh(alpha))", _EXCESS),
    ("decay", "-log(cosh(tilt) - alpha*sinh(tilt))", _EXCESS),
    ("needed", _NEEDED, _EXCESS),
))  # fmt: skip
REALIZABLE_FROM = Bound((
    ("tilt", "min(epsilon/2, log(alpha/alpha1)/2)", _FROM),
    ("decay", "-log(1 - alpha*(1 - exp(-tilt)) + alpha1*(exp(tilt) - 1))", _FROM),
    ("needed", _NEEDED_FROM, _FROM),
))  # fmt: skip
AGNOSTIC_FROM = Bound((
    ("gap", "alpha - alpha1", _EXCESS_FROM),
    ("tilt", "min(epsilon/2, atanh(gap))", _EXCESS_FROM),
    ("decay", "-log(cosh(tilt) - gap*sinh(tilt))", _EXCESS_FROM),
    ("needed", _NEEDED_FROM, _EXCESS_FROM),
))  # fmt: skip


def realizable(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some of ``size`` candidates has error 0; n None: the least.

    At most size-1 candidates are bad, hence the -1.

    Examples
    --------
    >>> realizable(2**20 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> realizable(2**1024 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    17757
    """
    return enough(REALIZABLE, n, **_checked("realizable", size, epsilon, alpha, beta))


def agnostic(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= (error of the best candidate) + alpha, for any distribution.

    From epsilon = 2 artanh alpha on, privacy costs nothing.

    Examples
    --------
    >>> agnostic(40_000, epsilon=1, alpha=0.1, beta=0.05).n
    2705
    """
    return enough(AGNOSTIC, n, **_checked("agnostic", size, epsilon, alpha, beta))


def realizable_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= alpha from a representation that need not contain the target.

    With probability 1 - beta1, beta1 < beta, over the at most ``size`` (public, data-independent)
    candidates, one of them is within alpha1 < alpha of the target.

    Examples
    --------
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> realizable_from(2501, **goal, alpha1="1/200", beta1="1/60").n
    306
    """
    owner = "realizable_from"
    known = _checked(owner, size, epsilon, alpha, beta) | _near(owner, alpha, beta, alpha1, beta1)
    if known["alpha1"]:
        return enough(REALIZABLE_FROM, n, **known)
    whole = Bound((("tilt", "epsilon/2", _FROM), *REALIZABLE_FROM.lines[1:]))
    return enough(whole, n, **known)


def agnostic_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= (best concept) + alpha from a representation, as in `realizable_from`.

    Examples
    --------
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> agnostic_from(2501, **goal, alpha1="1/200", beta1="1/60").n
    2477
    """
    owner = "agnostic_from"
    known = _checked(owner, size, epsilon, alpha, beta) | _near(owner, alpha, beta, alpha1, beta1)
    return enough(AGNOSTIC_FROM, n, **known)


def _checked(owner: str, size: int, epsilon: Any, alpha: Any, beta: Any) -> dict[str, Any]:
    return {
        "size": check_integer(owner, "size", size, low=1),
        "epsilon": check_fraction(owner, "epsilon", epsilon),
        "alpha": check_probability(owner, "alpha", alpha),
        "beta": check_probability(owner, "beta", beta),
    }


def _near(owner: str, alpha: Any, beta: Any, alpha1: Any, beta1: Any) -> dict[str, Fraction]:
    known = {
        "alpha1": check_nonnegative(owner, "alpha1", alpha1),
        "beta1": check_nonnegative(owner, "beta1", beta1),
    }
    if known["alpha1"] >= check_probability(owner, "alpha", alpha):
        raise parameter_error(owner, "alpha1", "in [0, alpha)", alpha1, "Use a finer one.")
    if known["beta1"] >= check_probability(owner, "beta", beta):
        raise parameter_error(owner, "beta1", "in [0, beta)", beta1, "Use a surer one.")
    return known
