"""The registry of claims: every statement that a guarantee or a certificate rests on.

A claim is *asserted*, with its source and version; a certificate is a number that can be computed
again. Packages above register the claims of their own algorithms with `register`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

from littlestone.errors import parameter_error
from littlestone.types import Json

#: explicit: proved with constants; imported: quoted from its source; reconstruction: our proof
#: of a statement whose original was not at hand; conditional: under an
#: assumption on the distribution that nothing here can check; order-only: constants are unknown.
Status = Literal["explicit", "imported", "reconstruction", "conditional", "order-only"]


@dataclass(frozen=True)
class Claim:
    """A statement with its source."""

    id: str  # stable identifier, ``paper.statement``
    #: Where it is stated, and in which version; "littlestone" for our own (proof in ``docs/``).
    paper: str
    version: str
    statement: str  # in one sentence, with its constants
    assumptions: tuple[str, ...] = ()  # what the caller must make true; privacy claims have none
    status: Status = "explicit"  # how far it is proved, see `Status`
    #: Assumptions of *other* claims in the same certificate that hold by construction: those that
    #: contain one of these words. A learner for realizable labels may run on records that were
    #: labelled by a concept.
    makes_true: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out = {**asdict(self), "assumptions": list(self.assumptions)}
        return {key: value for key, value in out.items() if key != "makes_true" or value}


_REGISTRY: dict[str, Claim] = {}


def register(new: Claim) -> Claim:
    """Add a claim; the same claim may be registered again, another with its identifier may not."""
    if _REGISTRY.setdefault(new.id, new) != new:
        raise parameter_error("register", "id", "a new identifier", new.id, "Choose another.")
    return new


def register_claim(
    identifier: str,
    paper: str,
    version: str,
    statement: str,
    assumptions: tuple[str, ...] = (),
    *,
    status: Status = "explicit",
    makes_true: tuple[str, ...] = (),
) -> str:
    """Register the `Claim` with these parts, and return its identifier."""
    return register(
        Claim(identifier, paper, version, statement, assumptions, status, makes_true)
    ).id


def claim(identifier: str) -> Claim:
    """Return a registered claim.

    Examples
    --------
    >>> claim("exp-mech.privacy").status
    'explicit'
    """
    if identifier not in _REGISTRY:
        raise parameter_error(
            "claim", "identifier", "a registered claim", identifier, "See claims()."
        )
    return _REGISTRY[identifier]


def assumptions(identifiers: Iterable[str]) -> tuple[str, ...]:
    """Return what the caller must make true for several claims together, each thing once.

    Examples
    --------
    >>> [text[:12] for text in assumptions(["exp-mech.tight.agnostic", "exp-mech.privacy"])]
    ['records are ', 'the candidat']
    """
    cited = [claim(identifier) for identifier in identifiers]
    given = {word for one in cited for word in one.makes_true}
    needed = (text for one in cited for text in one.assumptions)
    return tuple(dict.fromkeys(t for t in needed if not any(word in t for word in given)))


def claims() -> tuple[Claim, ...]:
    """Return all registered claims, sorted by identifier."""
    return tuple(sorted(_REGISTRY.values(), key=lambda c: c.id))


IID = "records are drawn independently from one distribution"
TARGET = "some candidate has error 0 (realizable)"
REALIZABLE = "some concept of the class labels every record correctly (realizable)"
NEAR = "with probability 1 - beta1 some candidate is within alpha1 of the target (best concept)"
HASH = "the hash functions of one copy collide as rarely as stated; copies are independent"
PUBLIC = "the candidates were chosen without looking at the records"
PROPOSED = "class.proposed"
_OWN, _V = "littlestone", "docs/certificates.md"
_LWY = ("Li, Wang, Ye: Improved Bounds for Pure Private Agnostic Learning", "2024")
_ALON = ("Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability are Equivalent",
         "28 January 2022")  # fmt: skip
_BLL = ("Boucheron, Bousquet, Lugosi: Theory of Classification", "2005")

for _claim in (
    # ------------------------------------------------------------------ privacy
    Claim("dp.sum", "Dwork, McSherry, Nissim, Smith; Dwork, Lei", "2006, 2009",
          "Adaptive composition adds epsilons and deltas."),
    Claim("filter.sum", "Rogers, Roth, Ullman, Vadhan: Privacy Odometers and Filters", "2016",
          "Releases chosen adaptively, parameters included, satisfy (epsilon, delta)-DP if their "
          "sums are kept under a fixed epsilon and delta."),
    Claim("filter.zcdp", _OWN, "docs/ledger.md",
          "Releases chosen adaptively satisfy (epsilon, delta)-DP if the sums of rho and of leaks "
          "are kept under a fixed rho and delta/2, and rho-zCDP gives (epsilon, delta/2)-DP."),
    Claim("dp.replace", _OWN, "docs/ledger.md",
          "(epsilon, delta)-DP when a record is added or removed is (2 epsilon, "
          "(1 + e**epsilon) delta)-DP when one is replaced."),
    Claim(PROPOSED, _OWN, "docs/proposals.md",
          "Where the class was learned from the same records, its size bounds no error."),
    Claim("dp.parallel", _OWN, "docs/ledger.md",
          "Mechanisms on disjoint parts of a public split cost their maximum under replace-one."),
    Claim("kov15.thm3.3", "Kairouz, Oh, Viswanath: The Composition Theorem for DP", "2015",
          "Products of dominating pairs bound adaptive composition; the optimum for "
          "(epsilon, delta)-DP."),
    Claim("cks20.prop12", "Canonne, Kamath, Steinke: The Discrete Gaussian", "2020",
          "Rényi divergence R of order a gives epsilon = R + ln(1/(a delta))/(a-1) + ln(1-1/a).",
          status="imported"),
    Claim("mironov17.prop3", "Mironov: Rényi Differential Privacy", "2017",
          "Rényi divergence R of order a gives epsilon = R + ln(1/delta)/(a-1).",
          status="imported"),
    Claim("cr21.bounded-range", "Cesar, Rogers: Bounding, Concentrating, and Truncating", "2021",
          "eta-bounded range implies eta**2/8-zCDP.", status="imported"),
    Claim("charged-tests.renyi", _OWN, "docs/ledger.md",
          "Adaptive epsilon-DP binary tests stopped after K charged outcomes have Rényi divergence "
          "at most K c(a)/(a-1) of every order 1 < a < ln(1+e**epsilon)/epsilon."),
    Claim("exp-mech.privacy", "McSherry, Talwar: Mechanism Design via DP", "2007",
          "Weights e**(-rate * errors) are 2*rate-bounded range, so 2*rate-DP, under replace-one."),
    # ------------------------------------------------------------------ exponential mechanism
    Claim("exp-mech.tight.realizable", _OWN, _V,
          "Pr[error > alpha] <= (|H|-1) (1 - alpha(1 - e**(-epsilon/2)))**n.",
          (IID, PUBLIC, TARGET)),
    Claim("exp-mech.tight.agnostic", _OWN, _V,
          "Pr[error > best + alpha] <= (|H|-1) (cosh l - alpha sinh l)**n for every "
          "0 <= l <= epsilon/2.", (IID, PUBLIC)),
    Claim("exp-mech.representation.realizable", _OWN, _V,
          "If the best candidate has error at most a, Pr[error > alpha] <= "
          "(|H|-1) (1 - alpha(1-e**-l) + a(e**l - 1))**n for every 0 <= l <= epsilon/2.",
          (IID, PUBLIC, NEAR)),
    Claim("exp-mech.representation.agnostic", _OWN, _V,
          "If a candidate is within a of the best concept, Pr[error > best + alpha] <= "
          "(|H|-1) (cosh l - (alpha-a) sinh l)**n for every 0 <= l <= epsilon/2.",
          (IID, PUBLIC, NEAR)),
    Claim("exp-mech.empirical", "McSherry, Talwar: Mechanism Design via DP", "2007",
          "Weights e**(-rate * cost): Pr[cost > best cost + k] <= |H| e**(-rate * k)."),
    Claim("representation.hashing", _OWN, _V,
          "The best of t independent copies, each with expected disagreement at most c, is off by "
          "more than a with probability at most (c/a)**t; the layers are summed.",
          (IID, PUBLIC, HASH)),
    # ------------------------------------------------------------------ the papers
    Claim("lwy24.thm3.4", *_LWY,
          "Item-level agnostic learning with RepD/(alpha epsilon) + VC/alpha**2 records; here with "
          "the constants of its proof (Appendix B).", (IID, PUBLIC, NEAR), "reconstruction"),
    Claim("alon22.lemma29", *_ALON,
          "Best error alpha/2 gives error alpha with n >= max(12 ln(2|H|/beta)/(alpha epsilon), "
          "72 ln(4|H|/beta)/alpha): the constants of its proof.", (IID, PUBLIC), "reconstruction"),
    Claim("yan25.thm11", "Yan: An Optimal Differentially Private PAC Learner for VC Dimension 1",
          "2025, second version, Theorem 11",
          "t * 48/alpha (10 ln(48 e/alpha) + ln(5/beta)) records; the constant of the median is "
          "not stated, so t counts the choosing mechanism alone.",
          (IID, "some concept of the class labels every record correctly (realizable)",
           "class, tree and split were chosen without looking at the records"),
          status="order-only"),
    # ------------------------------------------------------------------ without privacy
    Claim("finite.consistent", "Blumer, Ehrenfeucht, Haussler, Warmuth: Occam's Razor", "1987",
          "A consistent hypothesis has error > alpha with probability at most (|H|-1)(1-alpha)**n.",
          (IID, TARGET)),
    Claim("finite.erm", _OWN, _V,
          "The least empirical error exceeds best + alpha with probability at most "
          "(|H|-1)(1-alpha**2)**(n/2).", (IID,)),
    Claim("vc.consistent", "Blumer, Ehrenfeucht, Haussler, Warmuth: Learnability and VC", "1989",
          "Pr[a consistent concept has error > alpha] <= 2 growth(d, 2n) 2**(-alpha n/2), "
          "n >= 8/alpha.", (IID, TARGET), "imported"),
    Claim("vc.uniform", _OWN, _V,
          "No error exceeds its estimate by more than sqrt(2 ln growth(d,n)/n) + "
          "sqrt(ln(1/beta)/(2n)); for both sides at once 2 growth (symmetrization, Massart's lemma "
          "for centred losses, McDiarmid).", (IID,)),
    Claim("vc.growth", _OWN, _V,
          "Weights e**(-epsilon/2 * errors), |H| candidates of VC dimension d: Pr[error > best + "
          "alpha] <= (|H|-1)**s sqrt(2 growth(d, (r+1) n)) (cosh l - a sinh l)**n with "
          "l = s epsilon/2, a = alpha - (1 + 1/n)/(r+1), for all 0 <= s <= 1 and integers r >= 1.",
          (IID, PUBLIC)),
    Claim("hoeffding", "Hoeffding: Probability Inequalities for Sums", "1963",
          "A mean of n variables in [0, 1] exceeds its expectation by sqrt(ln(1/beta)/(2n)) with "
          "probability at most beta."),
    Claim("vc.relative", *_BLL,
          "error <= e + 2 sqrt(e L) + 4 L, e the empirical error, L = ln(4 growth(2n)/beta)/n "
          "(relative deviations).", (IID,), "imported"),
    Claim("bernstein", "Bernstein", "1946",
          "A mean of n coins of bias r exceeds r by L/(3n) + sqrt((L/(3n))**2 + 2 r L/n) with "
          "probability at most e**-L."),
):  # fmt: skip
    register(_claim)
