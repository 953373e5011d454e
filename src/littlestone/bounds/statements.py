"""The papers' bounds: calculators of those with constants, and what is known of the others.

A formula is that of the paper: it is evaluated exactly, or in balls that are rounded to the safe
side. Where the printed statement is wrong, its note says so, and what holds instead. ``log`` is the
natural logarithm unless the formula says ``log2``; where a paper names no base, this is a reading.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from littlestone.bounds.formulas import evaluate
from littlestone.errors import ParameterError, UnsupportedError, exact_value, parameter_error
from littlestone.privacy.guarantee import lower, upper

if TYPE_CHECKING:
    from collections.abc import Mapping


#: What a value is to its quantity: whatever is not exact is rounded up for "at most" and "enough"
#: (so many are sufficient), and down for "at least".
Side: TypeAlias = Literal["at most", "at least", "enough"]


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter may take: integers, or an interval.

    Examples
    --------
    >>> str(Range(0, 1)), str(Range(0)), str(Range(1, whole=True))
    ('a number in (0, 1)', 'a number in (0, inf)', 'an integer >= 1')
    """

    low: int
    high: int | None = None
    whole: bool = False
    closed: bool = False

    def __str__(self) -> str:
        if self.whole:
            above = f">= {self.low}" if self.high is None else f"from {self.low} to {self.high}"
            return f"an integer {above}"
        left, right = "[]" if self.closed else "()"
        return f"a number in {left}{self.low}, {'inf' if self.high is None else self.high}{right}"

    def check(self, caller: str, name: str, value: Any) -> Fraction:
        """Return the exact value, or refuse it."""
        exact = exact_value(value)
        if exact is not None and not (self.whole and exact.denominator != 1):
            high = math.inf if self.high is None else self.high
            inside = self.low < exact < high
            if inside or ((self.whole or self.closed) and exact in (self.low, high)):
                return exact
        raise parameter_error(caller, name, str(self), value)


_SHARE, _POSITIVE, _COUNT = Range(0, 1), Range(0), Range(1, whole=True)
_RANGES = {
    **dict.fromkeys(("alpha", "beta", "delta", "delta_prime", "gamma", "eta", "p", "q"), _SHARE),
    **dict.fromkeys(("epsilon", "sensitivity", "xi", "mean"), _POSITIVE),
    **dict.fromkeys(("size", "n", "m", "k", "chunks", "steps", "thresholds"), _COUNT),
    "vc_dim": Range(0, 10_000, whole=True),
    "ldim": Range(0, 4_096, whole=True),
}


@dataclass(frozen=True)
class PaperStatement:
    """A numbered statement of a paper, as printed."""

    name: str  # ``paper.statement``, and the part of it, such as ``"alon22.thm23.records"``
    states: str  # what the number is, in words
    formula: str = ""  # in the paper's constants; empty where the paper has an O only
    side: Side = "enough"  # ``"at most"``, ``"at least"``, or ``"enough"``: so many suffice
    ranges: Mapping[str, Range] = field(default_factory=dict)  # the parameters
    requires: str = ""  # a condition between the parameters, or empty
    #: What is wrong with the printed statement, or what is known where it has no constant.
    note: str = ""

    @property
    def explicit(self) -> bool:
        """Whether the paper states the constants."""
        return bool(self.formula)

    @property
    def paper(self) -> str:
        """Authors and title."""
        return _PAPERS[self.name.partition(".")[0]][0]

    @property
    def version(self) -> str:
        """Which version of the paper."""
        return _PAPERS[self.name.partition(".")[0]][1]


@dataclass(frozen=True)
class PaperBound:
    """The value of a statement at some parameters."""

    statement: PaperStatement
    parameters: Mapping[str, Fraction]
    value: int | Fraction | float  # exact, or a float on the safe side of the exact value

    def __str__(self) -> str:
        one = self.statement
        text = f"{one.name}: {one.side} {self.value} ({one.states})"
        return f"{text}. {one.note}" if one.note else text


def paper_bounds() -> tuple[PaperStatement, ...]:
    """List the statements of the papers, those without explicit constants included.

    Returns
    -------
    tuple of PaperStatement
        In the order of the papers.

    Examples
    --------
    >>> [one.name for one in paper_bounds() if one.explicit and one.name.startswith("yan25v1")][:3]
    ['yan25v1.thm2', 'yan25v1.thm3.lower', 'yan25v1.thm3.upper']
    """
    return tuple(_STATEMENTS.values())


def paper_bound(name: str, /, **parameters: Any) -> PaperBound:
    """Compute the number that a statement of the papers gives.

    Parameters
    ----------
    name : str
        Such as ``"lwy24.lemma3.1"``; all names: `paper_bounds`.
    **parameters
        The symbols of the formula, each in its range.

    Returns
    -------
    PaperBound

    Raises
    ------
    UnsupportedError
        The paper states no constant, only an order; the message says what is known.
    ParameterError
        Unknown name; a parameter is missing, unknown or out of its range.

    Notes
    -----
    These are comparisons. What a learner of the library certifies is in its certificate.

    Examples
    --------
    >>> print(paper_bound("lwy24.lemma3.1", vc_dim=1, alpha=0.1, beta=0.05).value)
    522731
    >>> print(paper_bound("alon22.lemma15", m=100))
    alon22.lemma15: enough 900 (records of the empirical learner made of a learner with m)
    """
    caller = "paper_bound"
    if name not in _STATEMENTS:
        raise parameter_error(caller, "name", "a statement", name, "See paper_bounds().")
    one = _STATEMENTS[name]
    if not one.explicit:
        raise UnsupportedError(
            f"{name} has no explicit constant in the paper: {one.states}. {one.note}".rstrip()
        )
    if parameters.keys() != one.ranges.keys():
        needed = ", ".join(one.ranges)
        raise ParameterError(f"The parameters of {name} are: {needed}. Give exactly these.")
    exact = {key: span.check(caller, key, parameters[key]) for key, span in one.ranges.items()}
    if one.requires and not evaluate(one.requires, exact):
        raise ParameterError(f"{name} is stated for {one.requires} only.")
    if one.formula.startswith("floor(log2("):
        return PaperBound(one, exact, int(next(iter(exact.values()))).bit_length() - 1)
    value = evaluate(_evaluable(one, exact), exact)
    if isinstance(value, Fraction):
        return PaperBound(one, exact, int(value) if value.denominator == 1 else value)
    up = one.side != "at least"
    return PaperBound(one, exact, _rounded(upper(value) if up else lower(value), up=up))


def _evaluable(one: PaperStatement, exact: Mapping[str, Fraction]) -> str:
    """Return the formula without the shorthands: binary logarithms, an iterated one."""
    text = one.formula
    if "iterated_log2" in text:
        inner = "size"
        for _ in range(int(exact["m"])):  # a logarithm that is not positive makes the bound 0
            inner = f"log(max(1, {inner}))/log(2)"
        text = text.replace("iterated_log2(m, size)", inner)
    return text.replace("log2(m)", "(log(m)/log(2))").replace("log2(q)", "(log(q)/log(2))")


def _rounded(exact: Fraction, *, up: bool) -> int | float:
    """Return the nearest float on the safe side; an integer beyond the floats."""
    try:
        shown = float(exact)
    except OverflowError:
        return math.ceil(exact) if up else math.floor(exact)
    if up and Fraction(shown) < exact:
        return math.nextafter(shown, math.inf)
    if not up and Fraction(shown) > exact:
        return math.nextafter(shown, -math.inf)
    return shown


_PAPERS = {
    "yan25v1": ("Yan: An Optimal Differentially Private PAC Learner for VC Dimension 1",
                "first version, 13 May 2025"),
    "yan25v2": ("Yan: An Optimal Differentially Private PAC Learner for VC Dimension 1",
                "second version"),
    "lwy24": ("Li, Wang, Ye: Improved Bounds for Pure Private Agnostic Learning", "2024"),
    "lyu25": ("Lyu: Private Learning of Littlestone Classes, Revisited", "2025"),
    "alon22": ("Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability are Equivalent",
               "28 January 2022"),
}  # fmt: skip
_STATEMENTS: dict[str, PaperStatement] = {}


def _add(
    name: str,
    states: str,
    formula: str,
    symbols: str,
    side: Side = "enough",
    *,
    requires: str = "",
    note: str = "",
    **ranges: Range,
) -> None:
    spans = {symbol: ranges.get(symbol) or _RANGES[symbol] for symbol in symbols.split()}
    _STATEMENTS[name] = PaperStatement(name, states, formula, side, spans, requires, note)


def _order(name: str, states: str, known: str = "") -> None:
    _STATEMENTS[name] = PaperStatement(name, states, note=known)


# fmt: off
# ---------------------------------------------------------------- papers 000 and 001
_CHUNKS = "The constants that are stated: littlestone.bounds.yan25_theorem11."
for _v, _thm in (("yan25v1", "2 3 1 7 8 6 4"), ("yan25v2", "3 4 1 10 11 9 5")):
    _vc, _td, _main, _dp, _size, _median, _ = _thm.split()
    _order(f"{_v}.thm{_main}", "records of an improper learner of VC dimension 1: an order, with "
           "log* of the Littlestone dimension", _CHUNKS)
    if _v == "yan25v2":
        _order("yan25v2.thm2", "records of a proper learner of VC dimension 1: an order")
    _add(f"{_v}.thm{_vc}", "records after which every pair of concepts at empirical distance "
         "alpha/10 is at distance alpha", "ceil(48/alpha*(10*vc_dim*log(48*exp(1)/alpha) + "
         "log(5/beta)))", "vc_dim alpha beta",
         note="The paper names no base of log; the natural one is read.")
    _add(f"{_v}.thm{_td}.lower", "threshold dimension of a class of this Littlestone dimension",
         "floor(log2(ldim))", "ldim", "at least", ldim=_COUNT,
         note="The first version prints a ceiling; the second and the proof have a floor."
         if _v == "yan25v1" else "")
    _add(f"{_v}.thm{_td}.upper", "threshold dimension of a class of this Littlestone dimension",
         "2**(ldim + 1)", "ldim", "at most")
    _order(f"{_v}.thm{_median}", "records of a private median: an order, with log* of the domain",
           "A median with a certificate: docs/median.md.")
    _add(f"{_v}.lemma1", "score lost by the choosing mechanism on n records, but with probability "
         "beta", "16/epsilon*log(4*k*n/(beta*epsilon*delta))", "epsilon delta beta k n", "at most",
         epsilon=Range(0, 2))
    if _v == "yan25v2":
        _add("yan25v2.thm7", "epsilon of k mechanisms, with k delta + delta_prime",
             "sqrt(2*k*log(1/delta_prime))*epsilon", "epsilon k delta_prime", "at most",
             note="Not true as printed: k epsilon (e**epsilon - 1) must be added.")
    _doubled = (
        "The printed algorithm is not this private where a chunk is not realizable; the "
        "library's is corrected (docs/learners/vc1.md)."
    )
    _add(f"{_v}.thm{_dp}.epsilon", "epsilon of OPTPrivateLearner", "2*epsilon", "epsilon",
         "at most", note=_doubled)
    _add(f"{_v}.thm{_dp}.delta", "delta of OPTPrivateLearner", "2*delta", "delta", "at most",
         note=_doubled)
    _add(f"{_v}.lemma7", "probability that some chunk has a bad hypothesis", "chunks*beta",
         "chunks beta", "at most")
    _add(f"{_v}.cor2", "probability that OPTPrivateLearner fails", "(chunks + 2)*beta",
         "chunks beta", "at most")
    _order(f"{_v}.thm{_size}", "records of an improper learner of VC dimension 1: an order, with "
           "log* of the Littlestone dimension", _CHUNKS)
_add("yan25v2.thm12", "epsilon of the proper learner's second stage, T = steps",
     "sqrt(2*steps*log(1/delta_prime))*2*epsilon", "epsilon steps delta_prime", "at most",
     note="Not true as printed: it rests on Theorem 7.")
_add("yan25v2.claim1", "probability of more than 2 alpha n points below the good node",
     "exp(-alpha*n/3)", "alpha n", "at most")
_order("yan25v2.claim6", "the proper learner is (O(alpha), O(beta/alpha))-PAC")
_order("yan25v2.thm13", "records of a proper learner of VC dimension 1: an order, with log* of "
       "the Littlestone dimension and alpha**-2.5",
       "A size with constants: the certificate of VC1Learner(proper=True).")

# ---------------------------------------------------------------- paper 002
_order("lwy24.lemma2.4", "log2 of the size of a boosted representation: an order",
       "Representations with stated sizes: docs/certificates.md.")
_add("lwy24.lemma2.5", "absolute Laplace noise, but with probability beta",
     "log(1/beta)*sensitivity/epsilon", "epsilon sensitivity beta", "at most")
_add("lwy24.lemma2.6", "score lost by the exponential mechanism, but with probability beta",
     "2*sensitivity/epsilon*log(size/beta)", "size epsilon sensitivity beta",
     "at most")
_add("lwy24.lemma3.1", "records after which all errors are estimated within alpha",
     "ceil(576/alpha**2*(4*vc_dim + log(8/beta)))", "vc_dim alpha beta")
_add("lwy24.lemma3.2", "records after which every pair of concepts at empirical distance alpha/2 "
     "is at distance alpha", "ceil(96/alpha*(2*vc_dim*log(384/alpha) + log(4/beta)))",
     "vc_dim alpha beta")
_order("lwy24.lemma3.3", "VC dimension of a union: an order",
       "It is at most d1 + d2 + 1.")
_order("lwy24.thm3.4", "records of a pure agnostic learner: an order",
       "With the constants of its proof: littlestone.bounds.lwy24_theorem34.")
_K = "min(m*max(p - q, q - p), sqrt(m)*max(p - q, q - p)/sqrt(p*(1 - p)), 1)"
_add("lwy24.lemma4.1.lower", "total variation distance of Bin(m, p) and Bin(m, q)",
     f"{_K}/700", "m p q", "at least")
_add("lwy24.lemma4.1.upper", "total variation distance of Bin(m, p) and Bin(m, q)", _K, "m p q",
     "at most")
_add("lwy24.lemma4.2", "probability that some error exceeds (1 + gamma) its estimate + xi",
     "4*growth(vc_dim, 2*n)*exp(-gamma*xi*n/(4*(gamma + 1)))", "vc_dim gamma xi n", "at most",
     note="The growth function is bounded by Sauer's lemma, before its (en/d)**d.")
_add("lwy24.lemma4.3", "users of m records after which all user-level errors are estimated within "
     "alpha", "ceil(64/alpha**2*(vc_dim*log(128*m/alpha**2) + log(8/beta)))",
     "vc_dim alpha beta m")
_add("lwy24.lemma4.4", "users of m records after which every pair of concepts at empirical "
     "user-level distance alpha/2 is at distance alpha",
     "ceil(96/alpha*(2*vc_dim*log(384*m/alpha) + log(4/beta)))", "vc_dim alpha beta m")
_USERS = "A size with constants: the certificate of UserAgnosticLearner."
_order("lwy24.lemma4.5", "users after which the least error is estimated: an order", _USERS)
_order("lwy24.thm4.6", "users of a pure agnostic learner: an order", _USERS)
_order("lwy24.lemma5.1", "users of a private median: an order",
       "Its proof divides by 6302: the hidden constant is about 10**8.")
_order("lwy24.thm5.2", "users for thresholds: an order", _USERS)
_add("lwy24.lemmaA.2", "labelings of n points, n >= vc_dim", "(exp(1)*n/vc_dim)**vc_dim",
     "vc_dim n", "at most", requires="n >= vc_dim",
     vc_dim=Range(1, 10_000, whole=True))
_order("lwy24.lemmaC.1", "users after which two errors are compared: an order", _USERS)
_add("lwy24.corD.1", "separation of Bin(m, alpha/2) and Bin(m, 2 alpha/3), m <= 1/alpha",
     "m*alpha/4200", "m alpha", "at least", requires="m <= 1/alpha")

# ---------------------------------------------------------------- paper 003
_ONLINE = "A bound with constants: the plan of OnlineLearner."
_LITTLE = "A size with constants: the certificate of LittlestoneLearner."
_order("lyu25.thm1", "mistakes of a private online learner: an order", _ONLINE)
_order("lyu25.thm2", "records of a private learner: an order", _LITTLE)
_add("lyu25.prop1", "probability that a sum of independent bits with this mean is off by more than "
     "delta times its mean", "exp(-delta**2*mean/3)", "delta mean", "at most",
     note="Not true as printed: both sides together need a factor 2.")
_add("lyu25.prop2", "probability that a mean of n of the bits, drawn without replacement, is off "
     "by more than delta times their mean, which is p", "2*exp(-delta**2*n*p/3)", "delta n p",
     "at most")
_add("lyu25.lemma3.1", "parameter B of sparse sampling from lists of at most size elements, for "
     "(2 epsilon, delta)-DP", "10*log(size/delta)/epsilon", "size epsilon delta")
_order("lyu25.lemma3.2", "epsilon of AboveThreshold with K charges: an order",
       "With constants: docs/ledger.md.")
for _name, _what in (("lemma4.1", "leaves of a (p, d)-decomposition"),
                     ("cor4.1", "(p, d)-essential hypotheses")):
    _add(f"lyu25.{_name}", _what, "p**ldim*2**(ldim**2)", "ldim p", "at most",
         ldim=Range(0, 64, whole=True), p=Range(1, 2**64, whole=True))
_order("lyu25.thm3", "records of private empirical risk minimization: an order", _LITTLE)
_order("lyu25.cor5.1", "records of a private learner: an order", _LITTLE)
_order("lyu25.lemma6.1", "calls of JointTrain: O(d**3)", "K_budget of papers.DPOL.")
_order("lyu25.claim6.4", "p(u) is at least 2**-O(d**2)",
       "Not true as printed: docs/papers.md.")
_order("lyu25.lemma6.2", "mistakes of a private online learner: an order", _ONLINE)

# ---------------------------------------------------------------- paper 004
_DEEP = Range(1, 11, whole=True)  # a value of d = 12 has more digits than Python writes
_STAR = "Lower bounds with constants: littlestone.planning.lower_bounds."
_order("alon22.thm1", "records for thresholds: order log* of the domain", _STAR)
_order("alon22.thm2", "records for Littlestone dimension d: order log* d", _STAR)
_order("alon22.thm3", "records of a private learner: an order, doubly exponential in d",
       "The stability that its proof takes from Theorem 23: alon22.thm3.stability.")
_add("alon22.thm3.stability", "probability of the frequent hypothesis, as its proof uses it",
     "1/((ldim + 1)*2**(2**(ldim + 2) + 1))", "ldim", "at least", ldim=_DEEP)
_order("alon22.cor4", "records of a private agnostic learner: an order",
       "A size with constants: the certificate of AgnosticLearner.")
_add("alon22.prop7", "error of the frequent hypothesis of a consistent (n, eta)-globally stable "
     "learner", "log(1/eta)/n", "eta n", "at most")
_order("alon22.thm8", "records of a boosted private learner: a constant of the class")
_add("alon22.thm10.1", "thresholds in a class of this Littlestone dimension", "floor(log2(ldim))",
     "ldim", "at least", ldim=_COUNT)
_add("alon22.thm10.2", "Littlestone dimension of a class with these thresholds",
     "floor(log2(thresholds))", "thresholds", "at least")
_add("alon22.lemma13.epsilon", "epsilon of k-fold products", "k*epsilon", "k epsilon", "at most")
_add("alon22.lemma13.delta", "delta of k-fold products", "k*delta", "k delta", "at most")
_add("alon22.lemma15", "records of the empirical learner made of a learner with m", "9*m", "m")
_add("alon22.lemma17", "points of a homogeneous set, of size in the domain, as in the proof",
     "iterated_log2(m, size)/(3*(100*m + 1)**(m + 1)*(m + 1)*log(100*m + 1)/log(2))",
     "m size", "at least", note="The statement has an O in the exponent. The numbers are tiny: "
     "with m = 1 it takes a domain of 2**407,523 points to get 1. No base of log is named; 2 is "
     "read.",
     m=Range(1, 6, whole=True))
_order("alon22.lemma18", "points of a homogeneous set that can be learned: an order",
       "See alon22.lemma18.delta and alon22.lemma21.")
_add("alon22.lemma18.delta", "1/delta of the algorithm, as printed", "1000*m**2*log2(m)", "m",
     m=Range(2, whole=True),
     note="Not enough for its proof: Lemma 21 needs 2/3 - D delta >= 1/2, and with this delta "
     "D delta = log2(T)/(10 log2(m)) > 1/5. With 10000 in the place of 1000 it holds.")
_add("alon22.thm19", "x for which a universe of size twr_t(x) has a homogeneous subset of size k "
     "under every coloring by q colors of the subsets of t < k elements", "3*k*q*log2(q)", "k q",
     q=Range(2, whole=True), k=Range(3, whole=True))
_add("alon22.lemma20", "gap of the distributions to both sides of r", "1/(10*m)", "m", "at least")
_add("alon22.lemma21", "log2 of the number of distributions in the family",
     "1000*m**2*log2(m)**2", "m", "at most", m=Range(2, whole=True),
     note="Not proved with the printed delta: see alon22.lemma18.delta. It holds for a delta of at "
     "most 1/(10000*m**2*log2(m)).")
_add("alon22.claim22", "largest step of the probabilities-list", "1/(4*m)", "m", "at least")
_add("alon22.thm23.records", "records m of the globally stable learner G",
     "2**(2**(ldim + 2) + 1)*4**(ldim + 1)*ceil(2**(ldim + 2)/alpha)", "ldim alpha",
     note="The proof needs n = ceil(2**(d+2)/alpha) records more.", ldim=_DEEP)
_add("alon22.thm23.stability", "probability of the frequent hypothesis, as printed",
     "1/((ldim + 1)*2**(2**(ldim + 1)))", "ldim", "at least",
     note="The proof gives alon22.thm3.stability, which is smaller.", ldim=_DEEP)
_add("alon22.lemma25", "probability of the frequent hypothesis under some D_k",
     "1/2**(2**(ldim + 2))", "ldim", "at least", ldim=_DEEP)
_add("alon22.lemma26", "error of a hypothesis that frequent", "2**(ldim + 2)/n", "ldim n",
     "at most")
_add("alon22.lemma27", "expected records for one sample of D_k, with auxiliary samples of n",
     "4**(k + 1)*n", "k n", "at most", k=Range(0, 4_096, whole=True))
_order("alon22.lemma28", "size of a stable histogram: an order",
       "With constants: docs/mechanisms.md.")
_order("alon22.lemma29", "records of the generic private learner: an order",
       "With the constants of its proof: littlestone.bounds.alon22_lemma29.")
_order("alon22.thm30", "records of the learner of a globally stable algorithm: an order",
       "A size with constants: the certificate of papers.M.")
# fmt: on
