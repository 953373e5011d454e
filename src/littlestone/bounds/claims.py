"""The registry of claims; their lemmas; the papers' statements: TOML files beside this one.

A claim is a statement that a guarantee or a certificate rests on. It is *asserted*, with its source
and version; a certificate is a number that can be computed again. The claims of the library are in
``claims.toml``; others are added by `register`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from littlestone.bounds.formulas import evaluate
from littlestone.errors import ParameterError, UnsupportedError, exact_value, parameter_error
from littlestone.privacy.guarantee import lower, upper
from littlestone.safe_io import OMITTED, Plain

if TYPE_CHECKING:
    from collections.abc import Mapping


Status = Literal["explicit", "imported", "reconstruction", "conditional", "order-only"]
#: What each status means, for readers.
STATUS_WORDS: dict[Status, str] = {
    "explicit": "proved, with all constants",
    "imported": "quoted from its source",
    "reconstruction": "our proof, with constants that the source does not state",
    "conditional": "under an assumption on the distribution that nothing here can check",
    "order-only": "constants are unknown",
}


@dataclass(frozen=True)
class Claim(Plain):
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
    makes_true: tuple[str, ...] = field(default=(), metadata=OMITTED)

    @property
    def proved(self) -> str:
        """How far it is proved, in words."""
        return STATUS_WORDS[self.status]


_REGISTRY: dict[str, Claim] = {}


def register(new: Claim) -> Claim:
    """Add a claim; the same claim may be registered again, another with its identifier may not."""
    if _REGISTRY.setdefault(new.id, new) != new:
        raise parameter_error("register", "id", "a new identifier", new.id, "Choose another.")
    return new


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
    supplied = {word for one in cited for word in one.makes_true}
    needed = (text for one in cited for text in one.assumptions)
    return tuple(dict.fromkeys(t for t in needed if not any(word in t for word in supplied)))


def claims() -> tuple[Claim, ...]:
    """Return all registered claims, sorted by identifier."""
    return tuple(sorted(_REGISTRY.values(), key=lambda c: c.id))


def _read_claims() -> dict[str, str]:
    """Register the claims of ``claims.toml``; return the assumptions that several share."""
    file = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
    shared: dict[str, str] = file["assumptions"]
    for identifier, entry in file["claims"].items():
        assumed = tuple(shared.get(text, text) for text in entry.pop("assumptions", ()))
        true = tuple(entry.pop("makes_true", ()))
        register(Claim(identifier, **entry, assumptions=assumed, makes_true=true))
    return shared


_SHARED = _read_claims()
IID, REALIZABLE = _SHARED["iid"], _SHARED["realizable"]
PROPOSED = "class.proposed"


# -- Which lemmas a proof kernel has checked for a claim, and what they leave out.
#
# The lemmas are those of ``proofs/`` (Coq). Of a claim with lemmas this may be said: *the privacy
# of the law is machine-checked; that the program has this law is tested.* Every claim of privacy is
# in `LEMMAS`, or in `UNCHECKED` with the reason, which a test checks.


@dataclass(frozen=True)
class Checked:
    """Lemmas that a kernel has checked, as ``file.theorem``, and what is not in their model."""

    lemmas: tuple[str, ...]
    leaves_out: str = ""


#: Outside of every model.
NEVER_MODELLED = (
    "enclosures and lazy sampling, float filters, seeds, overflow, infinite candidate sets; that "
    "the program has the law"
)

_LEMMAS_FILE = tomllib.loads(Path(__file__).with_name("lemmas.toml").read_text(encoding="utf-8"))
#: Claim to lemmas.
LEMMAS = {
    identifier: Checked(tuple(entry["lemmas"]), entry.get("leaves_out", ""))
    for identifier, entry in _LEMMAS_FILE["lemmas"].items()
}
#: Claims of privacy without a checked lemma, and why: proved on paper, their laws enumerated.
UNCHECKED: dict[str, str] = _LEMMAS_FILE["unchecked"]


# -- The papers' bounds: calculators of those with constants, and what is known of the others.
#
# A formula is that of the paper: it is evaluated exactly, or in balls that are rounded to the safe
# side. Where the printed statement is wrong, its note says so, and what holds instead. ``log`` is
# the natural logarithm unless the formula says ``log2``; where a paper names no base, this is a
# reading.


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


def _read_statements() -> dict[str, PaperStatement]:
    """Return the statements of ``statements.toml``, by name."""
    file = tomllib.loads(Path(__file__).with_name("statements.toml").read_text(encoding="utf-8"))
    statements = {}
    for name, entry in file.items():
        limits_of = {symbol: Range(**limits) for symbol, limits in entry.pop("ranges", {}).items()}
        symbols = entry.pop("symbols", "").split()
        ranges = {symbol: limits_of.get(symbol) or _RANGES[symbol] for symbol in symbols}
        statements[name] = PaperStatement(name, **entry, ranges=ranges)
    return statements


_STATEMENTS = _read_statements()
