"""How many records the exponential mechanism needs, tightly; and, to compare, others.

Candidates H are public, the weight of h is e**(-epsilon/2 * errors of h), which is epsilon-DP under
replace-one. The proofs are in ``docs/certificates.md``; most rest on one line: a bad h is released
with probability at most e**(-l * (errors of h - errors of the best)) for every 0 <= l <= epsilon/2,
and the expectation of that over the records is a product. Agnostic certificates of errors are
sharper (`littlestone.bounds.excess`); those of other losses in [0, 1] rest on that line.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.bounds.bound import Bound, enough
from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.excess import Goal, Structure, at, best, least_erm
from littlestone.bounds.excess import erm as excess_erm
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy.guarantee import check_nonnegative

_EXACT, _EXCESS = "exp-mech.tight.realizable", "exp-mech.tight.agnostic"
_FROM, _EXCESS_FROM = "exp-mech.representation.realizable", "exp-mech.representation.agnostic"
# Nobody is bad when there is one candidate: max(...) makes the logarithm 0, and n = 0.
_NEEDED = "ceil(log(max(size - 1, beta)/beta)/decay)"
_NEEDED_FROM = "ceil(log(max(size - 1, (beta - beta1))/(beta - beta1))/decay)"

REALIZABLE = Bound((
    ("decay", "-log(1 - alpha*(1 - exp(-epsilon/2)))", _EXACT),
    ("needed", _NEEDED, _EXACT),
))  # fmt: skip
LOSSES = Bound((
    ("tilt", "min(epsilon/2, atanh(alpha))", _EXCESS),
    ("decay", "-log(cosh(tilt) - alpha*sinh(tilt))", _EXCESS),
    ("needed", _NEEDED, _EXCESS),
))  # fmt: skip
REALIZABLE_FROM = Bound((
    ("tilt", "min(epsilon/2, log(alpha/alpha1)/2)", _FROM),
    ("decay", "-log(1 - alpha*(1 - exp(-tilt)) + alpha1*(exp(tilt) - 1))", _FROM),
    ("needed", _NEEDED_FROM, _FROM),
))  # fmt: skip
LOSSES_FROM = Bound((
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
    return enough(
        REALIZABLE, n, **_checked("realizable", size=size, epsilon=epsilon, alpha=alpha, beta=beta)
    )


def agnostic(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    structure: Structure = None,
    n: int | None = None,
) -> Certificate:
    """Certify error <= (error of the best candidate) + alpha, for any distribution.

    n None: the least.

    Where one of the sharp certificates needs the fewest records it is that one, evaluated at n. The
    ``structure`` of the class, if it has one, replaces the union over its candidates.

    Examples
    --------
    >>> from littlestone.bounds import Line
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> agnostic(2**20 + 1, **goal).n, agnostic(2**20 + 1, **goal, structure=Line()).n
    (2846, 852)
    """
    known = _checked("agnostic", size=size, epsilon=epsilon, alpha=alpha, beta=beta)
    return _sharpest(structure, n, LOSSES, known)


def losses(size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify (mean loss) <= (that of the best candidate) + alpha, for losses in [0, 1].

    From epsilon = 2 artanh alpha on, privacy costs nothing.

    Examples
    --------
    >>> losses(40_000, epsilon=1, alpha=0.1, beta=0.05).n
    2705
    """
    return enough(
        LOSSES, n, **_checked("losses", size=size, epsilon=epsilon, alpha=alpha, beta=beta)
    )


def _sharpest(
    structure: Structure, n: int | None, chernoff: Bound, known: dict[str, Fraction]
) -> Certificate:
    plain = enough(chernoff, None, **known)
    goal = Goal(**known | {"size": int(known["size"])})  # type: ignore[arg-type]
    sharpest = best(structure, goal, plain.n)
    if sharpest is not None:
        needed, form = sharpest
        sharp = at(
            structure,
            goal,
            form,
            needed if n is None else check_integer("certificate", "n", n, low=0),
        )
        if sharp is not None:
            return sharp
    return plain if n is None else enough(chernoff, n, **known)


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
    caller = "realizable_from"
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _near(caller, alpha1, beta1, **_checked(caller, **goal))
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
    1959
    """
    caller = "agnostic_from"
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _near(caller, alpha1, beta1, **_checked(caller, **goal))
    return _sharpest(None, n, LOSSES_FROM, known)


# -- for comparison: without privacy, and the papers' sizes ---------------------------------------

# Lemma 29 of Alon et al. and Theorem 3.4 of Li, Wang and Ye state orders only; the constants here
# are those that their proofs need. The certificates above and those of `uniform` prove the same
# releases with fewer records.

CONSISTENT = Bound((
    ("decay", "-log(1 - alpha)", "finite.consistent"),
    ("needed", _NEEDED, "finite.consistent"),
))  # fmt: skip
ERM = Bound((
    ("decay", "-log(1 - alpha**2)/2", "finite.erm"),
    ("needed", _NEEDED, "finite.erm"),
))  # fmt: skip
CONSISTENT_VC = Bound((
    ("large", "n >= 8/alpha", "vc.consistent"),
    ("enough", "log(2*growth(vc_dim, 2*n)) - alpha*n/2*log(2) <= log(beta)", "vc.consistent"),
))  # fmt: skip
UNIFORM_VC = Bound((
    ("enough", "sqrt(2*log(2*growth(vc_dim, n))/n) + sqrt(log(1/beta)/(2*n)) <= alpha",
     "vc.uniform"),
))  # fmt: skip
ERM_VC = Bound((
    ("enough", "sqrt(2*log(growth(vc_dim, n))/n) + 2*sqrt(log(2/beta)/(2*n)) <= alpha",
     "vc.uniform"),
))  # fmt: skip
_ALON = "alon22.lemma29"
#: With the paper's 2 alpha read as our alpha: a bad candidate's empirical error is above 5/6 of its
#: error (Chernoff), the good one's is below 4/3 of it, the released one is within alpha/6 of the
#: best.
ALON22_LEMMA29 = Bound((
    ("release", "12*log(2*size/beta)/(alpha*epsilon)", _ALON),
    ("bad_look_bad", "72*log(4*size/beta)/alpha", _ALON),
    ("good_looks_good", "54*log(4/beta)/alpha", _ALON),
    ("needed", "ceil(max(release, bad_look_bad, good_looks_good))", _ALON),
))  # fmt: skip
_LWY = "lwy24.thm3.4"
LWY24_THEOREM34 = Bound((
    ("release", "n >= 72*log(5*size/beta)/(alpha*epsilon)", _LWY),
    ("deviation",
     "sqrt(2*log(2*growth(vc_dim, n))/n) + sqrt(log(5/beta)/(2*n)) <= alpha/18", "vc.uniform"),
    ("spread", "(log(growth(vc_dim, 2*n)) + log(size) + log(20/beta))/n", "vc.relative"),
    ("pairs", "2*sqrt(alpha*spread/3) + 4*spread <= alpha/3", "vc.relative"),
    ("near", "n >= 54*log(5/beta)/alpha", _LWY),
))  # fmt: skip
_YAN = "yan25.thm11"


def consistent(size: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent one of ``size`` candidates; n None: the least.

    The limit of `exponential.realizable` for large epsilon.

    Examples
    --------
    >>> consistent(2**20, alpha=0.1, beta=0.05).n
    161
    """
    return enough(CONSISTENT, n, **_checked("finite.consistent", size=size, alpha=alpha, beta=beta))


def erm(
    size: int, *, alpha: Any, beta: Any, structure: Structure = None, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha of the candidate with the least empirical error.

    The limit of `exponential.agnostic` for large epsilon.

    Examples
    --------
    >>> erm(40_000, alpha=0.1, beta=0.05).n
    2225
    >>> from littlestone.bounds import Line
    >>> erm(2**20 + 1, alpha=0.1, beta=0.05, structure=Line()).n
    401
    """
    known = _checked("finite.erm", size=size, alpha=alpha, beta=beta)
    plain = enough(ERM, n, **known)
    goal = Goal(size, Fraction(1), known["alpha"], known["beta"])  # its epsilon is not looked at
    sharpest = least_erm(structure, goal, int(plain["needed"]))
    records = sharpest[0] if sharpest is not None and n is None else plain.n
    if sharpest is None or records > sharpest[1].most:
        return plain
    return excess_erm(sharpest[1], goal, records)


def consistent_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent concept of a class of this VC dimension.

    Examples
    --------
    >>> consistent_vc(1, alpha=0.1, beta=0.05).n, consistent_vc(5, alpha=0.1, beta=0.05).n
    (291, 1076)
    """
    return _least(CONSISTENT_VC, n, "vc.consistent", vc_dim=vc_dim, alpha=alpha, beta=beta)


def uniform_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify that *all* errors are estimated within alpha.

    Examples
    --------
    >>> uniform_vc(1, alpha=0.1, beta=0.05).n, uniform_vc(5, alpha=0.1, beta=0.05).n
    (2903, 10879)
    """
    return _least(UNIFORM_VC, n, "vc.uniform", vc_dim=vc_dim, alpha=alpha, beta=beta)


def erm_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= best + alpha of the least empirical error in a class.

    Examples
    --------
    >>> erm_vc(1, alpha=0.1, beta=0.05).n
    4661
    """
    return _least(ERM_VC, n, "vc.uniform", vc_dim=vc_dim, alpha=alpha, beta=beta)


def alon22_lemma29(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some candidate has error <= alpha/2 (GenericLearner).

    Examples
    --------
    >>> alon22_lemma29(2**20, epsilon=1, alpha=0.1, beta=0.05).n
    13137
    """
    known = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    return enough(ALON22_LEMMA29, n, **_checked("alon22_lemma29", **known))


def lwy24_theorem34(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha by Theorem 3.4 with the budgets of its proof.

    ``size`` is that of an (alpha/18, beta/5)-representation of a class of this VC dimension.

    Examples
    --------
    >>> lwy24_theorem34(2**20, 1, epsilon=1, alpha=0.1, beta=0.05).n
    1582500
    """
    known = {"size": size, "vc_dim": vc_dim, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    return _least(LWY24_THEOREM34, n, "lwy24_theorem34", **known)


def yan25_theorem11(*, epsilon: Any, delta: Any, alpha: Any, beta: Any) -> Certificate:
    """Return a lower bound of Theorem 11's number of records, with all constants that are stated.

    The median's constant is hidden in an O, so the number of chunks counts Algorithm 2's choosing
    mechanism alone: t/6 >= 16/epsilon' ln(4 t/(beta' epsilon' delta')), with epsilon' = epsilon/2,
    delta' = delta/2, beta' = beta/(t+2). So the true size is larger, and depends on the class. The
    certificate's status is "order-only", and it never holds.

    Examples
    --------
    >>> certificate = yan25_theorem11(epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
    >>> certificate.n, certificate.holds
    (293296494, False)
    """
    known = _checked("yan25_theorem11", epsilon=epsilon, delta=delta, beta=beta, alpha=alpha)
    chunks = 1
    while True:  # the right-hand side grows with ln t only: this ends at the least fixed point
        cert = CertificateBuilder(**known, t=chunks)
        formula = "ceil(6*32/epsilon*log(4*t*(t + 2)/(beta*(epsilon/2)*(delta/2))))"
        needed = int(cert.step("chunks", formula, _YAN).value)
        if needed <= chunks:
            break
        chunks = needed
    cert.step("chunk", "48/alpha*(10*log(48*exp(1)/alpha) + log(5*(t + 2)/beta))", _YAN)
    total = cert.step("needed", "ceil(t*chunk)", _YAN)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=int(total.value))


def _checked(caller: str, **given: Any) -> dict[str, Fraction]:
    low, out = {"size": 1, "vc_dim": 0}, {}
    for name, x in given.items():
        if name in low:
            out[name] = Fraction(check_integer(caller, name, x, low=low[name]))
        else:
            check = check_fraction if name == "epsilon" else check_probability
            out[name] = check(caller, name, x)
    return out


def _near(caller: str, alpha1: Any, beta1: Any, **known: Fraction) -> dict[str, Fraction]:
    near = {
        "alpha1": check_nonnegative(caller, "alpha1", alpha1),
        "beta1": check_nonnegative(caller, "beta1", beta1),
    }
    if near["alpha1"] >= known["alpha"]:
        raise parameter_error(caller, "alpha1", "in [0, alpha)", alpha1, "Use a finer one.")
    if near["beta1"] >= known["beta"]:
        raise parameter_error(caller, "beta1", "in [0, beta)", beta1, "Use a surer one.")
    return known | near


def _least(bound: Bound, n: int | None, caller: str, **given: Any) -> Certificate:
    known = _checked(caller, **given)
    if n is None:
        n = bound.least(1, **known)
    cert = CertificateBuilder(**known, n=check_integer(caller, "n", n, low=1))
    bound.write(cert)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=n)
