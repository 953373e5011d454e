"""Certificates: accuracy statements whose every number can be computed again from their text."""

from __future__ import annotations

import ast
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
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
from littlestone.bounds.tails import at_most_floats as at_most
from littlestone.errors import (
    LittlestoneError,
    ParameterError,
    check_integer,
    counted,
    parameter_error,
)
from littlestone.notebooks import Card, Table, rows_of
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

    def __float__(self) -> float:
        return float(self.value)

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
            f"from {counted(self.n, self.unit)}: {self.verdict} [{', '.join(self.claims)}]"
        )

    def __repr__(self) -> str:
        return f"<Certificate: {self}>"

    def _repr_html_(self) -> str:
        lines = [
            ("Promise", f"error <= {float(self.alpha):.6g}"),
            ("Fails with", f"probability {float(self.beta):.6g}"),
            ("From", counted(self.n, self.unit)),
            ("Verdict", self.verdict),
            ("Rests on", ", ".join(self.claims)),
            *(("Assumes" if not i else "", text) for i, text in enumerate(self.assumptions)),
        ]
        steps = rows_of((step.name, step.formula, step.value, step.source) for step in self.steps)
        table = Table(("step", "formula", "value", "claim"), steps, "How it is computed")
        return Card("Certificate", lines, table).html()

    @property
    def verdict(self) -> str:
        """Whether it holds, and under which reservation."""
        verdict = "holds" if self.holds else "does not hold"
        return verdict if self.status == "explicit" else f"{verdict} ({self.status})"

    def to_dict(self) -> Json:
        """Return plain JSON: exact texts beside floats."""
        return {
            "alpha": float(self.alpha),
            "beta": float(self.beta),
            "alpha_exact": str(self.alpha),
            "beta_exact": str(self.beta),
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

    @property
    def holds(self) -> bool:
        """Whether no condition so far is false."""
        return all(step.value is not False for step in self.steps.values())

    @property
    def floats(self) -> dict[str, Any]:
        """The known numbers in floats: what searches by `Bound.function` take."""
        return {name: in_floats(x) for name, x in self.known.items()}

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
    certificate = data if isinstance(data, Certificate) else Certificate.from_dict(data)
    with limited():
        return tuple(_disagreements(certificate))


def _disagreements(stored: Certificate) -> list[str]:
    wrong: list[str] = []
    cert, head = (
        CertificateBuilder(),
        {"alpha": stored.alpha, "beta": stored.beta, "n": Fraction(stored.n)},
    )
    for step in stored.steps:
        for name in head.keys() & step.inputs.keys():
            if step.inputs[name] != head[name]:
                wrong.append(f"step {step.name!r}: its {name} is not the certificate's")
        again = cert.written(step.name, step.formula, step.source, **step.inputs)
        if not _agree(again.value, step.value):
            gives, stated = (_words(value) for value in (again.value, step.value))
            wrong.append(f"step {step.name!r}: the formula gives {gives}, not {stated}")
    derived = cert.certificate(alpha=stored.alpha, beta=stored.beta, n=stored.n, unit=stored.unit)
    wrong += [
        f"{name}: the steps give {getattr(derived, name)}"
        for name in ("holds", "status", "claims", "assumptions")
        if getattr(derived, name) != getattr(stored, name)
    ]
    if stored.holds and not any("n" in step.inputs for step in stored.steps):
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


# -- A bound is written once: its lines are the steps of a certificate, and floats for searches.
#
# What floats find is a proposal: it decides how good a certificate is, never whether it is valid;
# the least n of a certificate is decided exactly. Everything is deterministic, so the same public
# parameters are found again.


#: Name, formula, and the claim that says why.
Line = tuple[str, str, str]


@dataclass(frozen=True)
class Bound:
    """The lines of a bound; a formula names inputs and earlier lines.

    Examples
    --------
    >>> erm = Bound((
    ...     ("decay", "-log(1 - alpha**2)/2", "finite.erm"),
    ...     ("failure", "(size - 1)*exp(-n*decay)", "finite.erm"),
    ...     ("enough", "failure <= beta", "finite.erm"),
    ... ))
    >>> erm.least(2700, size=40_000, alpha=Fraction(1, 10), beta=Fraction(1, 20))
    2705
    >>> round(erm.log("failure", size=2**5000, alpha=0.1, n=10**6), 3)
    -1559.432
    """

    lines: tuple[Line, ...]

    def write(self, cert: CertificateBuilder, *, suffix: str = "", **inputs: Any) -> Step:
        """Write the lines into a certificate, as steps ``name + suffix``; return the last one."""
        for name, formula, source in self.lines:
            inputs[name] = cert.where(**inputs).step(name + suffix, formula, source)
        last: Step = inputs[self.lines[-1][0]]
        return last

    def least(self, guess: int, **inputs: Any) -> int:
        """Return the least n for which all conditions hold, decided exactly."""

        def holds(n: int) -> bool:
            cert = CertificateBuilder(**inputs, n=n)
            self.write(cert)
            return cert.holds

        return least_n(holds, guess)

    def floats(self, line: str, **inputs: Any) -> Any:
        """Return a line in floats, elementwise for arrays; ``size=Log(x)`` means e**x."""
        value = self.function(line, **inputs)()
        return exp(value.log) if isinstance(value, Log) else value

    def log(self, line: str, **inputs: Any) -> Any:
        """Return the logarithm of a line, which itself may be beyond floats."""
        return log(self.function(line, **inputs)())

    def function(self, line: str, *free: str, **known: Any) -> Callable[..., Any]:
        """Return a line, a float or a `Log`, as a function of some inputs, which are floats."""
        fixed = tuple(map(in_floats, known.values()))
        return partial(self._code(line, (*known, *free)), *fixed)

    def _code(self, line: str, inputs: tuple[str, ...]) -> Callable[..., Any]:
        """Compile what a line needs; only our own texts come here."""
        key = (line, *inputs)
        if key not in self._codes:
            formulas = {name: formula for name, formula, _ in self.lines}
            needed, waiting = {line}, [line]
            while waiting:
                used = set(names_in(formulas[waiting.pop()])) & formulas.keys() - needed
                needed |= used - set(inputs)
                waiting += used - set(inputs)
            parts = [
                f"({name} := {_python(formulas[name])})" for name in formulas if name in needed
            ]
            text = f"lambda {', '.join(inputs)}: [{', '.join(parts)}, {line}][-1]"
            code = compile(text, "<bound>", "eval")
            self._codes[key] = eval(code, dict(_NAMES))  # noqa: S307
        return self._codes[key]

    @cached_property
    def _codes(self) -> dict[tuple[str, ...], Callable[..., Any]]:
        return {}


def bounds_beside(module: str) -> dict[str, Bound]:
    """Return the bounds of the ``certificates.toml`` beside a module's file, by name."""
    file = tomllib.loads(Path(module).with_name("certificates.toml").read_text(encoding="utf-8"))
    bounds = {}
    for name, lines in file.items():
        claim = lines.pop("claim")
        both = ((line, (x, claim) if isinstance(x, str) else x) for line, x in lines.items())
        bounds[name] = Bound(tuple((line, formula, source) for line, (formula, source) in both))
    return bounds


#: By name; what is proved of them is in docs/certificates.md.
CERTIFICATES = bounds_beside(__file__)


def enough(
    bound: Bound, n: int | None, *, alpha: Fraction, beta: Fraction, **inputs: Any
) -> Certificate:
    """Certify a bound whose last line is the number that is needed; n None: for that number."""
    cert = CertificateBuilder(alpha=alpha, beta=beta, **inputs)
    needed = bound.write(cert)
    records = int(needed.value) if n is None else check_integer("certificate", "n", n, low=0)
    cert.step("enough", "n >= needed", needed.source, n=records)
    return cert.certificate(alpha=alpha, beta=beta, n=records)


class Log:
    """A positive number of any size, by its logarithm: a float or an array."""

    __slots__ = ("log",)
    __array_ufunc__ = None

    def __init__(self, log: Any) -> None:
        self.log = log

    def __mul__(self, x: Any) -> Log:
        return Log(self.log + log(x))

    def __truediv__(self, x: Any) -> Log:
        return Log(self.log - log(x))

    def __rtruediv__(self, x: Any) -> Log:
        return Log(log(x) - self.log)

    def __add__(self, x: Any) -> Log:
        a, b = self.log, log(x)
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return Log(np.logaddexp(a, b))
        return Log(max(a, b) + math.log1p(math.exp(-abs(a - b)))) if a != b else Log(a + _LN_2)

    __rmul__, __radd__ = __mul__, __add__

    def __sub__(self, x: Any) -> Any:
        if isinstance(self.log, float) and self.log > _LARGEST:
            return Log(self.log + log1p(-exp(log(x) - self.log)))
        return expm1(self.log) - (x - 1)

    def __rsub__(self, x: Any) -> Any:
        return (x - 1) - expm1(self.log)

    def __neg__(self) -> Any:
        return -exp(self.log)

    def __float__(self) -> float:
        return float(exp(self.log))

    def __le__(self, x: Any) -> Any:
        return self.log <= log(x)

    def __ge__(self, x: Any) -> Any:
        return self.log >= log(x)

    __lt__, __gt__ = __le__, __ge__


_LARGEST = 700.0  # of exponents
_LN_2 = math.log(2)


def in_floats(x: Any) -> Any:
    """Return integers and fractions as floats, or by their logarithms."""
    if not isinstance(x, int | Fraction):
        return float(x) if isinstance(x, Step) else x
    try:
        near = float(x)
    except OverflowError:
        return Log(log_of(x))
    return near if not x or 1e-90 < abs(near) < 1e90 else Log(log_of(x))


def _made(name: str, low: float = -math.inf) -> Callable[..., Any]:
    """Return a function of floats and arrays; -inf up to ``low``, inf where it overflows."""
    scalar, whole = getattr(math, name), getattr(np, name)

    def function(x: Any) -> Any:
        try:
            return scalar(x) if x > low else -math.inf
        except OverflowError:
            return math.inf
        except (TypeError, ValueError):  # an array
            with np.errstate(all="ignore"):
                return whole(x)

    return function


exp, expm1 = _made("exp"), _made("expm1")
_log, _log1p = _made("log", 0.0), _made("log1p", -1.0)


def log(x: Any) -> Any:
    """Return the logarithm of a float, an array or a `Log`."""
    return x.log if isinstance(x, Log) else _log(x)


def log1p(x: Any) -> Any:
    """Return the logarithm of 1 + x."""
    return np.logaddexp(0.0, x.log) if isinstance(x, Log) else _log1p(x)


def _extreme(scalar: Any, whole: Any) -> Callable[..., Any]:
    def function(first: Any, *rest: Any) -> Any:
        for x in rest:
            if isinstance(first, Log) or isinstance(x, Log):
                first = Log(function(log(first), log(x)))
            elif isinstance(first, np.ndarray) or isinstance(x, np.ndarray):
                first = whole(first, x)
            else:
                first = scalar(first, x)
        return first

    return function


def _above(t: float, p: float, b: float) -> float:
    return at_most(int(t - b - 1), int(t), 1 - p)


_NAMES: dict[str, Any] = {
    "exp": Log, "expm1": expm1, "log": log, "log1p": log1p, "sqrt": _made("sqrt"),
    "cosh": _made("cosh"), "sinh": _made("sinh"), "atanh": math.atanh,
    "ceil": _made("ceil"), "floor": _made("floor"),
    "min": _extreme(min, np.minimum), "max": _extreme(max, np.maximum),
    "growth": lambda d, n: Log(log_growth(int(d), n)), "binomial_above": _above,
}  # fmt: skip


@cache
def _python(formula: str) -> str:
    """Return a formula for floats: powers by logarithms, log(1 + x) with all digits of x."""
    return ast.unparse(_Accurate().visit(_expression(formula)))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Accurate(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        left, right = node.left, node.right
        if isinstance(node.op, ast.Pow) and not isinstance(right, ast.Constant):
            return self.visit(_expression(f"exp(({ast.unparse(right)})*log({ast.unparse(left)}))"))
        for one, power, sign in ((left, right, "-"), (right, left, "")):
            less = isinstance(node.op, ast.Sub) and ast.unparse(one) == "1"
            if less and isinstance(power, ast.Call) and ast.unparse(power.func) == "exp":
                return _expression(f"{sign}expm1({ast.unparse(power.args[0])})")
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        last: Any = None
        first: Any = node.args[0]
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add | ast.Sub):
            last, first = first, first.left
        if ast.unparse(node.func) == "log" and last is not None:
            start, rest = ast.unparse(first), "0" if ast.unparse(first) == "1" else ""
            if start.startswith("cosh("):
                rest = f"2*sinh({start[5:-1]}/2)**2"
            if rest:
                last.left = _expression(rest)
                node.func = ast.Name("log1p", ast.Load())
        return node


# -- Numerical search for good public parameters, and for the least integer with a property.


def least_n(
    holds: Callable[[int], bool], guess: int = 1, *, low: int = 1, step: int = 1, most: int = 2**256
) -> int:
    """Return the least n >= ``low`` with a monotone property: once it holds, it always does.

    The search walks away from the guess in growing steps, of ``step`` at first; the guess changes
    nothing but the time. No float decides a certificate: its property is decided exactly.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> least_n(lambda n: realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=n).holds)
    420
    """
    high = max(guess, low)
    below = high - 1
    if holds(high):
        while below >= low and holds(below):
            below, high, step = max(below - step, low - 1), below, 2 * step
    else:
        while True:
            if high >= most:
                raise ParameterError(
                    f"No number up to {float(most):.1g} is large enough for these public numbers: "
                    "epsilon, delta, alpha or beta is too small. Take larger ones; 1 is a common "
                    "epsilon."
                )
            below, high, step = high, min(high + step, most), 2 * step
            if holds(high):
                break
    while high - below > 1:
        middle = (below + high) // 2
        below, high = (below, middle) if holds(middle) else (middle, high)
    return high


def near_zero(height: Callable[[int], float], n: int) -> int:
    """Return about where a height that falls like a line is 0, by secants from n on.

    Examples
    --------
    >>> near_zero(lambda n: 70 - n / 2 + math.sqrt(n), 500)
    166
    """
    points = [n, n + n // 8 + 1]
    heights = [height(at) for at in points]
    for _ in range(6):
        fall = (heights[-2] - heights[-1]) / (points[-1] - points[-2])
        far = heights[-1] / fall if fall > 0 else points[-1]
        n = max(points[-1] + math.ceil(min(max(far, -points[-1] / 2), points[-1])), 1)
        if n in points:
            break
        points.append(n)
        heights.append(height(n))
    return n


#: Stands for "no n suffices" in searches (an infinity would make differences undefined).
HOPELESS = 1e30


def least_point(
    height: Callable[[Sequence[float]], float], start: Sequence[float], *, scale: float = 0.7
) -> list[float]:
    """Return where a function of a few numbers is about least.

    ``height``: what shall be small; infinite values count as `HOPELESS`; ``start``: one corner of
    the first simplex; ``scale`` is the length of its edges.

    Notes
    -----
    *Source.* J. Nelder and R. Mead, A simplex method for function minimization, 1965.

    Examples
    --------
    >>> least_point(lambda x: (x[0] - 3) ** 2, [0.0])[0] - 3 < 0.001
    True
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    simplex = [list(start)]
    simplex += [[x + scale * (i == k) for i, x in enumerate(start)] for k in range(len(start))]
    ends = {"xatol": 1e-3, "fatol": 1e-4, "maxfev": 60 * len(start), "initial_simplex": simplex}
    least = minimize(
        lambda x: min(height(x.tolist()), HOPELESS), start, method="Nelder-Mead", options=ends
    )
    return least.x.tolist()  # type: ignore[no-any-return]


def least_real(enough: Callable[[float], bool], first: float = 1.0) -> float:
    """Return about the least n > 0 from which on ``enough`` holds; `HOPELESS` if none is found."""
    low, high = 0.0, max(first, 1.0)
    while not enough(high):
        low, high = high, 2 * high
        if high > HOPELESS:
            return HOPELESS
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def log_growth(vc_dim: int, n: float) -> float:
    """Return ln of the sum of comb(n, i) for i <= vc_dim, in floats.

    Examples
    --------
    >>> round(math.exp(log_growth(2, 10.0)), 9)
    56.0
    """
    if n <= vc_dim:
        return n * math.log(2)
    total = term = 1.0  # from the last term down, in units of it
    for i in range(vc_dim, 0, -1):
        term *= i / (n - i + 1)
        total += term
        if term < 1e-18 * total:
            break
    if vc_dim <= 64 or n > 10**12:  # lgamma of a large number has few digits behind the point
        last = sum(math.log(n - i) - math.log(i + 1) for i in range(vc_dim))
    else:
        last = math.lgamma(n + 1) - math.lgamma(vc_dim + 1) - math.lgamma(n - vc_dim + 1)
    return last + math.log(total)


def log_of(x: Fraction | int) -> float:
    """Return the natural logarithm of an exact positive number, also where it is no float.

    Examples
    --------
    >>> round(log_of(Fraction(2**5000, 3)) - 5000 * log_of(2) + log_of(3), 9)
    0.0
    """
    exact = Fraction(x)
    return math.log(exact.numerator) - math.log(exact.denominator)


def softmax(weights: Sequence[float]) -> list[float]:
    """Return positive shares that sum to one."""
    top = max(weights)
    powers = [math.exp(max(w - top, -20.0)) for w in weights]
    return [p / sum(powers) for p in powers]
