"""Exact verification of any function that draws through a source: all given pairs, both orders.

`verify_mechanism` verifies a claim; `verified` turns a mechanism into a test that does; `observed`
is how outputs are compared.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, isnan, nextafter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from flint import arb

from littlestone.errors import LittlestoneError, ParameterError, check_integer, parameter_error
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.privacy import hockey_stick, tightest_epsilon
from littlestone.privacy.guarantee import check_nonnegative, float_up, upper
from littlestone.source import ExactSource, HiddenStateError, Law, Source, ball

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.data.targets import TargetSample
    from littlestone.learners.base import Learner


D = TypeVar("D")

_LARGEST = 100_000  # the largest epsilon whose laws are compared


@dataclass(frozen=True, repr=False)
class MechanismVerification:
    """The result of an exact verification of one mechanism; see `verify_mechanism`.

    Attributes
    ----------
    datasets, pairs, paths : int
        Data sets whose law was computed, ordered pairs that were compared, paths of draws.
    epsilon, delta : Fraction
        The claim.
    worst_delta, tightest_epsilon : float
        As in `littlestone.audit.Verification`.
    slack : float
        Largest probability that cut paths may have contributed to a divergence.
    worst_pair : tuple or None
    holds : bool
    """

    datasets: int
    pairs: int
    paths: int
    epsilon: Fraction
    delta: Fraction
    worst_delta: float
    tightest_epsilon: float
    slack: float
    worst_pair: tuple[Any, Any] | None
    holds: bool

    @property
    def of(self) -> str:
        """What was verified."""
        return "a mechanism"

    @property
    def data(self) -> str:
        """What was enumerated."""
        return "data sets"

    @property
    def least(self) -> float:
        """The tightest epsilon; rounding upwards leaves a trace of a float where it is 0."""
        return self.tightest_epsilon if self.tightest_epsilon > 1e-300 else 0.0

    @property
    def verdict(self) -> str:
        """What was found, in words."""
        return (
            f"{self.datasets} {self.data}, {self.pairs} neighbour pairs, {self.paths} "
            f"sequences of draws; claim: epsilon {float_up(self.epsilon):g}, delta "
            f"{float_up(self.delta):g}; worst delta {self.worst_delta:.3g}, tightest epsilon "
            f"{self.least:.6g}, probability left out {self.slack:.3g}"
        )

    def __str__(self) -> str:
        if self.holds:
            return f"HOLDS: {self.verdict}"
        return f"FAILS: {self.verdict}; worst pair {self.worst_pair}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        out = {**vars(self), "worst_pair": repr(self.worst_pair)}
        for name in ("epsilon", "delta"):
            exact = getattr(self, name)
            out[name], out[f"{name}_exact"] = float_up(exact), str(exact)
        return out


def verify_mechanism(
    run: Callable[[D, Source], Any],
    pairs: Iterable[tuple[D, D]],
    *,
    epsilon: Any,
    delta: Any = 0,
    cut: Fraction = Fraction(1, 2**80),
    follow: int = 32,
) -> MechanismVerification:
    """Compute the exact output law on both sides of every pair, and compare them both ways.

    Parameters
    ----------
    run : callable
        ``run(data, source)`` returns everything that can be observed; all its randomness comes
        from ``source``: ``source.choose([3, 1])`` is 0 with probability 3/4, ``source.below(6)``
        throws a die. Weights are integers, fractions, decimals, or exact reals such as
        ``littlestone.source.exp(1)``. Outputs are compared as `observed` says.
    pairs : iterable of (data, data)
        The neighbouring data sets; `replace_one` lists all of them for small lists. They are not
        changed by ``run``.
    epsilon : number >= 0
        The claim.
    delta : number >= 0, default 0
    cut, follow
        As for `littlestone.source.ExactSource`: paths that are less likely are reported as slack.

    Returns
    -------
    MechanismVerification

    Raises
    ------
    ParameterError
        If ``run`` raises TypeError or AttributeError on a data set that is a tuple.

    Examples
    --------
    >>> from littlestone.audit import replace_one, verify_mechanism
    >>> def randomized_response(bits, source):
    ...     return [bit ^ source.choose([3, 1]) for bit in bits]
    >>> print(verify_mechanism(randomized_response, replace_one([0, 1], 2), epsilon="1.1"))
    HOLDS: 4 data sets, 8 neighbour pairs, 16 sequences of draws; claim: epsilon 1.1, delta
    0; worst delta 0, tightest epsilon 1.09861, probability left out 0
    """
    caller = "verify_mechanism"
    exact_epsilon = check_nonnegative(caller, "epsilon", epsilon)
    exact_delta = check_nonnegative(caller, "delta", delta)
    bits = precision(exact_epsilon, exact_delta)
    laws: dict[Hashable, Law] = {}

    def law(data: D) -> Law:
        known = observed(data)
        if known not in laws:
            source = ExactSource(cut=cut, follow=follow, bits=bits)
            laws[known] = source.law(lambda drawn: observed(_called(run, data, drawn)))
        return laws[known]

    ordered = ((p, q) for one, other in pairs for p, q in ((one, other), (other, one)))
    found = compared(ordered, law, exact_epsilon, exact_delta)
    return MechanismVerification(
        datasets=len(laws),
        paths=sum(each.paths for each in laws.values()),
        epsilon=exact_epsilon,
        delta=exact_delta,
        **found,
    )


def compared(
    pairs: Iterable[tuple[D, D]], law: Callable[[D], Law], epsilon: Fraction, delta: Fraction
) -> dict[str, Any]:
    """Compare the laws of ordered pairs of data sets: what a verification says of them."""
    worst, worst_pair, tight, cut_away, holds, count = Fraction(0), None, 0.0, Fraction(0), True, 0
    factor, bits = ball(epsilon).exp(), precision(epsilon, delta) + 64
    known: dict[int, Hashable] = {}
    seen: set[Hashable] = set()
    for pair in pairs:
        p, q = map(law, pair)
        count += 1
        worst_pair = worst_pair or pair
        both = tuple(known.setdefault(id(one), signature(one)) for one in (p, q))
        # What was cut on the right counts e**epsilon times: there q may be larger than seen.
        slack = upper(p.slack) + (upper(q.slack) and upper(q.slack * factor))
        if both in seen or (both[0] == both[1] and not slack):  # other data, but the same two laws
            continue
        seen.add(both)
        divergence = hockey_stick(p.outcomes, q.outcomes, epsilon, bits=bits)
        found = upper(divergence) + upper(p.slack)
        holds &= found <= delta + slack + rounding(delta)
        cut_away = max(cut_away, slack)
        if found > worst:
            worst, worst_pair = found, pair
        least = tightest_epsilon(p.outcomes, q.outcomes, delta, bits=bits)
        tight = max(tight, nextafter(float(least.upper()), inf))
    return {
        "pairs": count, "worst_delta": float_up(worst), "tightest_epsilon": tight,
        "slack": float_up(cut_away), "worst_pair": worst_pair, "holds": holds,
    }  # fmt: skip


def signature(law: Law) -> Hashable:
    """Return what a comparison of laws depends on: every enclosure, exactly."""

    def exactly(p: arb) -> Hashable:
        return tuple(int(x) for part in (p.mid(), p.rad()) for x in part.man_exp())

    return frozenset((o, exactly(p)) for o, p in law.outcomes.items()), exactly(law.slack)


def _called(run: Callable[[D, Source], Any], data: D, source: Source) -> Any:
    """Return the output; a mechanism that cannot read a tuple learns that it was passed one."""
    try:
        return run(data, source)
    except (TypeError, AttributeError) as problem:
        if isinstance(problem, LittlestoneError) or not isinstance(data, tuple):
            raise
        raise ParameterError(
            f"The mechanism raised {type(problem).__name__}: {problem}. It is called as "
            "run(data, source), and data sets are passed as tuples of records, as in the pairs of "
            "replace_one: if it reads an array or a list, begin with np.array(data) or list(data)."
        ) from problem


def verified(
    pairs: Iterable[tuple[D, D]], *, epsilon: Any, delta: Any = 0, **options: Any
) -> Callable[[Callable[[D, Source], Any]], Callable[[], None]]:
    """Turn a mechanism into a test that verifies its claim: a decorator, for pytest.

    Parameters
    ----------
    pairs, epsilon, delta, **options
        As for `verify_mechanism`.

    Returns
    -------
    callable
        Decorates ``run(data, source)``; the result takes nothing, and raises AssertionError with
        the worst pair if the claim fails.

    Examples
    --------
    >>> @verified(replace_one([0, 1], 2), epsilon="1.1")
    ... def test_randomized_response(bits, source):
    ...     return [bit ^ source.choose([3, 1]) for bit in bits]
    >>> test_randomized_response()
    """
    listed = list(pairs)

    def decorate(run: Callable[[D, Source], Any]) -> Callable[[], None]:
        def test() -> None:
            result = verify_mechanism(run, listed, epsilon=epsilon, delta=delta, **options)
            if not result.holds:
                raise AssertionError(str(result))

        # not functools.wraps: pytest would take the parameters of ``run`` for fixtures
        test.__name__, test.__doc__, test.__module__ = run.__name__, run.__doc__, run.__module__
        test.__qualname__ = run.__qualname__
        return test

    return decorate


def observed(output: Any) -> Hashable:
    """Return something hashable that is equal for equal outputs, and for no others.

    What is hashable stays as it is. Lists, tuples, dicts (in their order), sets and arrays
    are taken apart; there a NaN equals every NaN.

    Examples
    --------
    >>> observed([1, {"a": [2]}]) == observed([1, {"a": [2]}])
    True
    >>> observed(np.array([[1, 2]])) == observed(np.array([1, 2]))
    False
    """
    if isinstance(output, float) and isnan(output):
        return (float, "nan")
    if isinstance(output, np.ndarray):
        parts = tuple(observed(part) for part in output.ravel().tolist())
        return (np.ndarray, output.dtype.str, output.shape, parts)
    try:
        hash(output)
    except TypeError:
        kind = type(output)
    else:
        return output  # type: ignore[no-any-return]
    if isinstance(output, list | tuple):
        return (kind, *map(observed, output))
    if isinstance(output, dict):
        return (kind, *((observed(k), observed(v)) for k, v in output.items()))
    if isinstance(output, set):
        return (kind, frozenset(output))
    raise ParameterError(
        f"The mechanism returned a {kind.__name__}, which cannot be compared exactly. Return what "
        "can be observed of it: numbers, texts, tuples, lists, dicts or arrays."
    )


def replace_one(values: Sequence[D], n: int) -> Iterator[tuple[tuple[D, ...], tuple[D, ...]]]:
    """Yield every pair of lists of length n that differ in one entry, each pair once.

    Parameters
    ----------
    values : sequence
        All different: what an entry may be.
    n : int >= 1

    Examples
    --------
    >>> len(list(replace_one("abc", 2)))
    18
    """
    check_integer("replace_one", "n", n, low=1)
    for data in product(values, repeat=n):
        for i, old in enumerate(data):
            for new in values[values.index(old) + 1 :]:
                yield data, (*data[:i], new, *data[i + 1 :])


def rounding(delta: Fraction) -> Fraction:
    """Return what rounding alone may add to a worst delta that is exactly the claim."""
    return min(Fraction(1, 2**100), delta / 2**40) if delta else Fraction(1, 2**100)


def precision(epsilon: Fraction, delta: Fraction) -> int:
    """Return the bits at which laws that differ by e**epsilon, or by delta, can be compared."""
    if epsilon > _LARGEST:
        hint = (
            "A larger epsilon protects nobody, and its probabilities would need too many bits to "
            "be compared."
        )
        raise parameter_error("audit", "epsilon", f"at most {_LARGEST:,}", epsilon, hint)
    small = (delta.denominator // max(delta.numerator, 1)).bit_length()
    return 192 + -int(-3 * epsilon // 1) + small


# -- Everything that an observer gets from one run of a learner, as one comparable value.
#
# Returned: the hypothesis (its key, and all that the object carries), the canonical JSON, the
# repr (as HTML, too), each further view (a page, a printed line). Printed: standard output and
# error, warnings, log lines. A refusal: its type, message, notes, attributes, and the causes that
# a traceback would show.


Observer = Callable[[Release], str]
REFUSED = "refused"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_DEEPEST = 12


def observe(
    algorithm: Learner[Any],
    sample: Sample | TargetSample,
    source: Source,
    *,
    observers: Sequence[Observer] = (),
    evaluate: Any = None,
    holdout: Any = None,
) -> Hashable:
    """Run one release and return all that can be seen of it."""
    with _listening() as heard:
        try:
            release = run(
                algorithm,
                sample,
                source,
                evaluate=evaluate,
                holdout=holdout,
            )
            shown = (repr(release), release._repr_html_(), repr(vars(release)))
            views = (release.to_json(), *shown, *(view(release) for view in observers))
        except HiddenStateError:
            raise
        except Exception as refusal:  # a refusal, and even a crash, is an output too
            seen: tuple[Hashable, ...] = (REFUSED, *_refusal(refusal))
        else:
            seen = ("released", release.hypothesis.key, contents(release.hypothesis), *views)
    return (*seen, *heard())


@contextlib.contextmanager
def _listening() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Catch what is printed, warned and logged."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    handler, root = logging.StreamHandler(log), logging.getLogger()
    root.addHandler(handler)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            yield lambda: (
                out.getvalue(),
                err.getvalue(),
                log.getvalue(),
                *(f"{w.category.__name__}: {w.message}" for w in warned),
            )
    finally:
        root.removeHandler(handler)


def _refusal(refusal: BaseException) -> tuple[str, ...]:
    """Return what the exception object carries, and what a traceback of it would print."""
    printed = traceback.TracebackException.from_exception(refusal, limit=0)
    return (
        type(refusal).__name__,
        str(refusal),
        repr(refusal.args),
        contents({k: v for k, v in vars(refusal).items() if k != "__notes__"}),
        *getattr(refusal, "__notes__", ()),
        *printed.format(chain=True),
    )


def contents(value: Any, depth: int = 0) -> str:
    """Return all that an object carries, as text: attributes, arrays, nested objects.

    Examples
    --------
    >>> contents({"b": [1, 2.5], "a": None})
    "{'a': None, 'b': [1, 2.5]}"
    """
    if depth > _DEEPEST or isinstance(value, str | int | float | bytes | type | None):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {value.tolist()})"
    if isinstance(value, Mapping):
        items = sorted((contents(k, depth + 1), contents(v, depth + 1)) for k, v in value.items())
        return "{" + ", ".join(f"{k}: {v}" for k, v in items) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        inside = [contents(v, depth + 1) for v in value]
        return f"[{', '.join(inside if isinstance(value, list | tuple) else sorted(inside))}]"
    carried = getattr(value, "__dict__", None)
    if carried:
        return f"{type(value).__name__}{contents(carried, depth + 1)}"
    return _ADDRESS.sub("at an address", repr(value))
