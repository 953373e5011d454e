"""Certificates: accuracy statements whose every number can be computed again from their text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from flint import arb

from littlestone.bounds.claims import PROPOSED, assumptions, claim
from littlestone.bounds.formulas import (
    LONGEST,
    FormulaError,
    Meaning,
    Value,
    decided,
    decode,
    encode,
    evaluate_at,
    limited,
    names_in,
)
from littlestone.errors import LittlestoneError, ParameterError, counted, parameter_error
from littlestone.notebooks import Card, Table, rows_of
from littlestone.privacy.guarantee import exact_text
from littlestone.safe_io import read_exact
from littlestone.types import Json

Unit = Literal["records", "users"]
UNITS = ("records", "users")
Shown = int | float | bool | str
#: From the strongest status to the weakest; a certificate is as weak as its weakest claim.
STATUSES = ("explicit", "reconstruction", "conditional", "order-only")


@dataclass(frozen=True)
class Reference:
    """An input that is the value of an earlier step, at full precision."""

    step: str


@dataclass(frozen=True)
class Step:
    """One line of a certificate."""

    name: str  # unique within its certificate
    formula: str  # in the language of `littlestone.bounds.formulas`, in the names of the inputs
    inputs: Mapping[str, Fraction | Reference]  # exact public numbers, or earlier steps
    #: For readers: a float is the nearest one; a text ("~1.97e+434") where no float is near.
    #: Nothing is computed from it.
    value: Shown
    source: str  # identifier of the claim that says why this formula

    def to_dict(self) -> Json:
        """Return plain JSON; exact numbers as integers or text, references as ``@step``."""
        return {
            "name": self.name,
            "formula": self.formula,
            "inputs": {
                name: f"@{x.step}" if isinstance(x, Reference) else encode(x)
                for name, x in self.inputs.items()
            },
            "value": self.value
            if isinstance(self.value, str | float | bool)
            else encode(self.value),
            "source": self.source,
        }


@dataclass(frozen=True, repr=False)
class Certificate:
    """Error at most ``alpha`` except with probability ``beta``, from ``n`` records or users.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> certificate = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420)
    >>> print(certificate)
    error <= 0.1 except with probability 0.05, from 420 records: holds [exp-mech.tight.realizable]
    >>> recheck(certificate.to_dict())
    ()
    """

    alpha: Fraction  # (Excess) error, and the probability of failing it
    beta: Fraction
    n: int  # number of records or users the statement is about
    unit: Unit
    holds: bool  # whether every condition among the steps is met at this n
    #: How far the statement is proved. "conditional" makes an assumption that cannot be checked;
    #: "order-only" never holds: its constant is unknown.
    status: str
    #: Statements it rests on (`littlestone.bounds.claim`), and what the caller must make true.
    claims: tuple[str, ...]
    assumptions: tuple[str, ...]
    steps: tuple[Step, ...]  # the computation; `recheck` repeats it

    def __getitem__(self, name: str) -> Shown:
        """Return the value of a step."""
        for step in self.steps:
            if step.name == name:
                return step.value
        raise KeyError(name)

    def __str__(self) -> str:
        return (
            f"error <= {float(self.alpha):.6g} except with probability {float(self.beta):.6g}, "
            f"from {counted(self.n, self.unit)}: {self._verdict} [{', '.join(self.claims)}]"
        )

    def __repr__(self) -> str:
        return f"<Certificate: {self}>"

    def _repr_html_(self) -> str:
        lines = [
            ("Promise", f"error <= {float(self.alpha):.6g}"),
            ("Fails with", f"probability {float(self.beta):.6g}"),
            ("From", counted(self.n, self.unit)),
            ("Verdict", self._verdict),
            ("Rests on", ", ".join(self.claims)),
            *(("Assumes" if not i else "", text) for i, text in enumerate(self.assumptions)),
        ]
        steps = rows_of((step.name, step.formula, step.value, step.source) for step in self.steps)
        table = Table(("step", "formula", "value", "claim"), steps, "How it is computed")
        return Card("Certificate", lines, table).html()

    @property
    def _verdict(self) -> str:
        verdict = "holds" if self.holds else "does not hold"
        return verdict if self.status == "explicit" else f"{verdict} ({self.status})"

    def to_dict(self) -> Json:
        """Return plain JSON: exact texts beside floats."""
        return {
            "alpha": float(self.alpha),
            "beta": float(self.beta),
            "alpha_exact": exact_text(self.alpha),
            "beta_exact": exact_text(self.beta),
            "n": encode(self.n),
            "unit": self.unit,
            "holds": self.holds,
            "status": self.status,
            "claims": list(self.claims),
            "assumptions": list(self.assumptions),
            "steps": [{**step, "inputs": {**step["inputs"]}} for step in self._written],
        }

    @cached_property
    def _written(self) -> tuple[Json, ...]:
        return tuple(step.to_dict() for step in self.steps)  # once for all releases at this n

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """Read what `to_dict` wrote; it may be untrusted. `recheck` tells whether it is true."""
        try:
            return _read_certificate(data, cls)
        except LittlestoneError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
            raise ParameterError(
                "A certificate must have the entries that `Certificate.to_dict` writes."
            ) from None


class CertificateBuilder:
    """Where a certificate is computed: formulas in, steps out, so that the two cannot disagree.

    ``known``: public numbers that formulas may name; `where` adds some.

    Notes
    -----
    A name in a formula means, in this order, the input of that name that `step` is given, the
    known number, or the earlier step of that name.

    Examples
    --------
    >>> cert = CertificateBuilder(alpha=Fraction(1, 10))
    >>> decay = cert.step("decay", "-log(1 - alpha)", "finite.consistent")
    >>> cert.step("needed", "ceil(log(size) / decay)", "finite.consistent", size=20).value
    29
    """

    def __init__(self, **known: int | Fraction | Step) -> None:
        self.steps: dict[str, Step] = {}
        self.known: Mapping[str, int | Fraction | Step] = known
        self._cache: dict[tuple[str, int], Value] = {}

    def where(self, **known: int | Fraction | Step) -> CertificateBuilder:
        """Return the same certificate, for formulas that may name these numbers, too."""
        inner = copy(self)  # with the same steps
        inner.known = {**self.known, **known}
        return inner

    def step(
        self, name: str, formula: str, source: str, **inputs: int | Fraction | Reference | Step
    ) -> Step:
        """Compute a formula; inputs are exact numbers or steps, those that their name does not say.

        ``name``: new; ``formula``: in the language of `littlestone.bounds.formulas`; ``source``: a
        registered claim.
        """
        known = {**self.steps, **self.known, **inputs}
        inputs = {used: known[used] for used in names_in(formula) if used in known}
        return self.written(name, formula, source, **inputs)

    def written(
        self, name: str, formula: str, source: str, **inputs: int | Fraction | Reference | Step
    ) -> Step:
        """Compute a formula from these inputs alone, as a certificate has them written out."""
        claim(source)  # refuses sources that nobody registered
        exact = {
            key: Reference(x.name)
            if isinstance(x, Step)
            else x
            if isinstance(x, Reference)
            else x
            if type(x) is Fraction
            else Fraction(x)
            for key, x in inputs.items()
        }
        if name in self.steps:
            raise parameter_error(
                "CertificateBuilder", "name", "new", name, "Steps have unique names."
            )
        value, bits = decided(formula, self._meanings(exact))
        self._cache[name, bits] = value
        self.steps[name] = Step(name, formula, exact, show(value), source)
        return self.steps[name]

    def certificate(
        self, *, alpha: Fraction, beta: Fraction, n: int, unit: Unit = "records"
    ) -> Certificate:
        """Collect the steps; the certificate holds if every comparison among them does."""
        sources = tuple(dict.fromkeys(step.source for step in self.steps.values()))
        return Certificate(
            alpha,
            beta,
            n,
            unit,
            _holds(self.steps.values()),
            _status(sources),
            sources,
            assumptions(sources),
            tuple(self.steps.values()),
        )

    def _meanings(self, inputs: Mapping[str, Fraction | Reference]) -> dict[str, Meaning]:
        return {
            name: x if isinstance(x, Fraction) else self._at_any_precision(x.step)
            for name, x in inputs.items()
        }

    def _at_any_precision(self, name: str) -> Callable[[int], Value]:
        if name not in self.steps:
            raise FormulaError("A step refers to a step that does not come before it.")
        step = self.steps[name]

        def value(bits: int) -> Value:
            if (name, bits) not in self._cache:
                self._cache[name, bits] = evaluate_at(
                    step.formula, self._meanings(step.inputs), bits
                )
            return self._cache[name, bits]

        return value


def without_fixed_class(certificate: Certificate) -> Certificate:
    """Return the certificate of a class that was learned from records: it does not hold.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> fixed = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420)
    >>> found = without_fixed_class(fixed)
    >>> fixed.holds, found.holds, recheck(found)
    (True, False, ())
    """
    cert = CertificateBuilder()
    cert.steps.update({step.name: step for step in certificate.steps})
    cert.step("class_is_fixed", "0 >= proposals", PROPOSED, proposals=1)
    return cert.certificate(
        alpha=certificate.alpha, beta=certificate.beta, n=certificate.n, unit=certificate.unit
    )


def show(value: Value) -> Shown:
    """Return a value for readers: exact integers and truth values, else the nearest float."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    try:
        shown = float(value if isinstance(value, Fraction) else value.mid())
    except OverflowError:
        shown = math.inf
    if math.isfinite(shown):
        return shown
    enclosure = value if isinstance(value, arb) else arb(value.numerator) / value.denominator
    return "~" + str(enclosure.str(15, radius=False))


def recheck(data: Mapping[str, Any] | Certificate) -> tuple[str, ...]:
    """Compute every step of a certificate again from its own text; return what disagrees.

    The formulas are evaluated from the exact inputs by the evaluator of `formulas`, which runs no
    code. Beside the values it checks that inputs named ``alpha``, ``beta`` and ``n`` are those of
    the head, that references point backwards, that the claims are registered, and that ``holds``,
    ``status`` and ``assumptions`` follow from the steps.

    ``data``: a certificate, usually as read from JSON.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> forged = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420).to_dict()
    >>> forged["steps"][1]["value"] = 400
    >>> recheck(forged)
    ("step 'needed': the formula gives 420, not 400",)
    """
    given = data if isinstance(data, Certificate) else Certificate.from_dict(data)
    with limited():
        return tuple(_disagreements(given))


def _disagreements(given: Certificate) -> list[str]:
    wrong: list[str] = []
    cert, head = (
        CertificateBuilder(),
        {"alpha": given.alpha, "beta": given.beta, "n": Fraction(given.n)},
    )
    for step in given.steps:
        for name in head.keys() & step.inputs.keys():
            if step.inputs[name] != head[name]:
                wrong.append(f"step {step.name!r}: its {name} is not the certificate's")
        again = cert.written(step.name, step.formula, step.source, **step.inputs)
        if not _agree(again.value, step.value):
            gives, stated = (_words(value) for value in (again.value, step.value))
            wrong.append(f"step {step.name!r}: the formula gives {gives}, not {stated}")
    derived = cert.certificate(alpha=given.alpha, beta=given.beta, n=given.n, unit=given.unit)
    wrong += [
        f"{name}: the steps give {getattr(derived, name)}"
        for name in ("holds", "status", "claims", "assumptions")
        if getattr(derived, name) != getattr(given, name)
    ]
    if given.holds and not any("n" in step.inputs for step in given.steps):
        wrong.append("no step mentions n")
    return wrong


def _read_certificate(data: Mapping[str, Any], make: Callable[..., Certificate]) -> Certificate:
    """Read a certificate; whatever is wrong raises one of the usual exceptions."""
    alpha, beta = read_exact(data["alpha_exact"]), read_exact(data["beta_exact"])
    n = decode(data["n"])
    if not (0 <= alpha <= 1 and 0 <= beta <= 1 and n >= 0 and n.denominator == 1):
        raise ValueError
    if data["unit"] not in UNITS or data["status"] not in STATUSES:
        raise ValueError
    if not isinstance(data["holds"], bool):
        raise TypeError
    texts = [tuple(map(_text, _list(data[name], 1000))) for name in ("claims", "assumptions")]
    steps = tuple(_read_step(step) for step in _list(data["steps"], 1000))
    known: set[str] = set()
    for step in steps:
        for x in step.inputs.values():
            if isinstance(x, Reference) and x.step not in known:
                raise FormulaError("A step refers to a step that does not come before it.")
        known.add(step.name)
    return make(alpha, beta, int(n), data["unit"], data["holds"], data["status"], *texts, steps)


def _text(value: Any, most: int = 10_000) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise TypeError
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise TypeError
    return value


def _read_step(data: Mapping[str, Any]) -> Step:
    inputs: dict[str, Fraction | Reference] = {}
    for name, x in data["inputs"].items():
        is_step = isinstance(x, str) and x.startswith("@")
        inputs[name] = Reference(x[1:]) if is_step else decode(x)
    value = data["value"]
    if isinstance(value, str) and not value.startswith("~"):
        value = int(decode(value))
    if not isinstance(value, int | float | str) or len(inputs) > 1000:
        raise TypeError
    name, formula, source = (_text(data[key], LONGEST) for key in ("name", "formula", "source"))
    return Step(name, formula, inputs, value, source)


def _holds(steps: Any) -> bool:
    conditions = [step.value for step in steps if isinstance(step.value, bool)]
    return bool(conditions) and all(conditions)


def _status(sources: tuple[str, ...]) -> str:
    levels = [claim(source).status for source in sources]
    return max(
        ("explicit" if level == "imported" else level for level in levels),
        key=STATUSES.index,
        default="order-only",
    )


def _words(value: Shown) -> str:
    """Write a value for a message; Python refuses to print enormous integers."""
    if isinstance(value, int) and value.bit_length() > 4096:
        return f"an integer of {value.bit_length()} bits"
    return str(value)[:1000]


def _agree(a: Shown, b: Shown) -> bool:
    if isinstance(a, float) and isinstance(b, float | int) and not isinstance(b, bool):
        return abs(b) < 1e308 and math.isclose(a, b, rel_tol=1e-12)
    return type(a) is type(b) and a == b
