"""How many records agnostic learning by the exponential mechanism needs, without a union bound.

Weights e**(-epsilon/2 * errors), h* a best candidate, D(h) = errors(h) - errors(h*); h is bad if
its error exceeds that of h* by more than alpha, and then D(h) has mean above alpha n.

* Two candidates (`PAIRS`): Pr[h is released] <= 1/(1 + e**(epsilon D(h)/2)), whose mean is largest
  for n signs of mean alpha. Over a class the bad candidates are added.
* If Pr[some bad h has D(h) <= k] <= F(k) for all k, then all together are released with probability
  at most the sum of (psi(k) - psi(k+1)) min(1, F(k)), psi(k) = 1/(1 + e**(epsilon k/2)/N), N their
  number. F comes from the structure of the class: a walk that is stopped (`Line`), random signs
  (`Atoms`), both (`Ranges`). The number of candidates then costs ln(N)/(alpha epsilon) only.

The proofs are in ``docs/excess.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.bounds.bound import least_n, log_of, near_zero
from littlestone.bounds.certificate import Certificate, CertificateBuilder, Step
from littlestone.bounds.formulas import LARGEST_WORST, LONGEST_WALK
from littlestone.bounds.tails import log_chance

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TWO = "exp-mech.exact.agnostic"
LINE = "exp-mech.line"
ATOMS = "exp-mech.atoms"
CHAINS = "exp-mech.ranges.chains"
CELLS = "exp-mech.ranges.cells"


@dataclass(frozen=True)
class Line:
    """A class whose concepts are cuts of a line of cells, in the order of the cells.

    From every concept those to its right differ on growing regions, and so do those to its left, on
    disjoint ones. ``chains_from_best``: how many chains of growing regions there are in all; cuts
    in both orientations have two more.
    """

    chains_from_best: int = 2


@dataclass(frozen=True)
class Atoms:
    """A class of sets of at most ``atoms`` points, each of which may be in or out."""

    atoms: int = 1


@dataclass(frozen=True)
class Ranges:
    """A class of intervals over a line of so many ``cells``; None if one may be listed twice."""

    cells: int | None = None


#: What a class says of itself, beside its size.
Structure: TypeAlias = "Line | Atoms | Ranges | None"

#: With more records the walks of a line are bounded by one of signs.
_LAZY = 60_000
#: With more candidates a sum over binomials gains nothing beside Chernoff's bound.
_LARGEST_LOG = 100.0
#: With more records no sum is computed.
_MOST = LONGEST_WALK // 10
#: Columns of a table of random signs: with more records they are taken several at a time.
_COLUMNS = 10_000
#: Where the sum over k ends: what is left out, as a share of beta.
_NEGLIGIBLE = 1e-5
#: The grid of a line is 1/2, this, 1; a finer one gains 1 record in 300.
_CUT = Fraction(4, 5)
#: How many disagreement masses fit into alpha, for intervals: the best of these is taken.
_PARTS = (6, 8, 10, 12, 16, 20, 30, 45)
#: Floats must say that a failure is this much below beta: then few bits decide it.
_SURE = 1 - 1e-9
#: After the least n so many more are tried: certificates were monotone in n wherever we looked.
_NEXT = 6

_PSI = "1/(1 + exp(tilt*(low + step*{i}))/{bad})"
_RELEASED = (
    "{times}((1 - {first})*min(1, {below})"
    " + sum(i, 0, cells - 1, ({here} - {next})*min(1, {above})) + {last})"
)


@dataclass(frozen=True)
class Goal:
    """What a certificate is asked for."""

    size: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    #: Of a representation: some candidate is within alpha1 of the best concept, but for beta1.
    alpha1: Fraction = Fraction(0)
    beta1: Fraction = Fraction(0)

    @property
    def gap(self) -> Fraction:
        """How much worse than the best candidate a bad one is."""
        return self.alpha - self.alpha1

    @property
    def left(self) -> Fraction:
        """What the records may fail with."""
        return self.beta - self.beta1


@dataclass(frozen=True)
class Form:
    """One bound F of how probably a bad candidate looks good, as text and in floats."""

    claim: str
    chance: str  # F(k) in the language of certificates, with {k} and {alpha} in the places of both
    floats: Callable[[int, Ints], Floats] = field(compare=False)  # F at increasing k, from n
    times: str = ""  # what the sum is multiplied by: "(size - 1)*"
    log_times: float = 0.0
    bad: str = "1"  # N
    log_bad: float = 0.0
    own: tuple[tuple[str, Fraction], ...] = ()  # further public numbers in the formulas
    most: int = _MOST  # records


@lru_cache(maxsize=1024)
def certificate(form: Form, goal: Goal, n: int) -> Certificate:
    """Write what a form certifies of n records."""
    known = {name: x for name, x in vars(goal).items() if x or name in ("size", "alpha", "beta")}
    cert = CertificateBuilder(**known, n=n)
    write(cert, form, goal, n)
    left = "beta - beta1" if goal.beta1 else "beta"
    cert.step("enough", f"failure <= {left}", form.claim)
    return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)


def write(cert: CertificateBuilder, form: Form, goal: Goal, n: int, suffix: str = "") -> Step:
    """Write a form's failure into a certificate that knows the goal's numbers."""
    low, step, cells = _range(form, goal, n)
    width = {"width": _width(n)} if form.claim == ATOMS else {}
    inner = cert.where(**dict(form.own), **width, low=low, step=step, cells=cells)
    tilt = inner.step(f"tilt{suffix}", "epsilon/2", form.claim)
    alpha = "(alpha - alpha1)" if goal.alpha1 else "alpha"
    below, above = (
        form.chance.format(k=k, alpha=alpha) for k in ("low - 1", "low + step*(i + 1) - 1")
    )
    places = {"first": "0", "here": "i", "next": "(i + 1)", "last": "cells"}
    psi = {name: _PSI.format(i=i, bad=form.bad) for name, i in places.items()}
    text = _RELEASED.format(times=form.times, below=below, above=above, **psi)
    return inner.step(f"failure{suffix}", text, form.claim, tilt=tilt)


def least(form: Form, goal: Goal, below: int | None = None) -> int | None:
    """Return the least n that a form certifies, found in floats, decided exactly.

    None if it is not below ``below``, or more than the form is good for.
    """
    most = form.most if below is None else min(form.most, below - 1)

    def holds(n: int) -> bool:
        return failure(form, goal, n) <= float(goal.left) * _SURE

    if most < 1 or (below is not None and not holds(most)):
        return None
    gap, epsilon = max(float(goal.gap), 1e-9), max(float(goal.epsilon), 1e-9)
    about = 2 * log_of(4 / goal.left) / gap**2 + 2 * form.log_bad / (epsilon * gap)
    guess = math.ceil(min(about, most))
    if below is None and guess == most and not holds(most):
        return None
    wanted = float(log_of(goal.left))
    n = least_n(holds, near_zero(lambda n: _log(failure(form, goal, n)) - wanted, guess))
    while n <= most and not all(holds(n + i) for i in range(1, _NEXT)):
        n += 1
    if n > most:
        return None
    last = min(most, n + 64)  # floats are not as far off, unless no precision decides
    if not certificate(form, goal, n).holds and not certificate(form, goal, last).holds:
        return None
    while not certificate(form, goal, n).holds:
        n += 1
    return n


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -750.0


def erm(form: Form, goal: Goal, n: int) -> Certificate:
    """Write what a form certifies of a candidate with the least empirical error: F(0) <= beta."""
    width = {"width": _width(n)} if form.claim == ATOMS else {}
    cert = CertificateBuilder(
        size=goal.size, alpha=goal.alpha, beta=goal.beta, **dict(form.own), **width, n=n
    )
    text = form.chance.format(k="0", alpha="alpha")
    cert.step("failure", f"{form.times}{text}", form.claim)
    cert.step("enough", "failure <= beta", form.claim)
    return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)


def least_erm(structure: Structure, goal: Goal, below: int) -> tuple[int, Form] | None:
    """Return the least n below ``below`` for which some form certifies that, and the form."""
    found, zero = None, np.zeros(1, dtype=np.int64)
    for form in forms(structure, goal) if goal.size > 1 else ():

        def holds(n: int, form: Form = form) -> bool:
            chance = math.exp(min(form.log_times, 700.0)) * float(form.floats(n, zero)[0])
            return chance <= float(goal.left) * _SURE

        most = min(form.most, below - 1)
        if most >= 1 and holds(most):
            n = least_n(holds, max(most // 2, 1))
            most = min(most, n + 64)
            while n <= most and not (
                erm(form, goal, n).holds and all(holds(n + i) for i in range(1, _NEXT))
            ):
                n += 1
            if n <= most:
                found, below = (n, form), n
    return found


def failure(form: Form, goal: Goal, n: int) -> float:
    """Return what `certificate` bounds by beta, in floats."""
    low, step, cells = _range(form, goal, n)
    k = low + step * np.arange(cells + 1)
    psi = _psi(form, goal, k)
    chances = np.minimum(1, form.floats(n, np.append(low - 1, k[1:] - 1)))
    total = (1 - psi[0]) * chances[0] + psi[-1] + ((psi[:-1] - psi[1:]) * chances[1:]).sum()
    return float(total) * math.exp(min(form.log_times, 700.0))


def _psi(form: Form, goal: Goal, k: Ints) -> Floats:
    with np.errstate(over="ignore"):
        psi: Floats = 1 / (1 + np.exp(float(goal.epsilon) / 2 * k - form.log_bad))
    return psi


@lru_cache(maxsize=4096)
def _range(form: Form, goal: Goal, n: int) -> tuple[int, int, int]:
    """Return where the sum over k begins, its step, and the number of steps: public, by floats.

    Before the first k at most 1 - psi counts, or F; behind the last psi: both are negligible.
    """
    tilt = float(goal.epsilon) / 2
    wanted = log_of(goal.left) + math.log(_NEGLIGIBLE) - form.log_times
    high = min(math.ceil((form.log_bad - wanted) / tilt), n + 1)
    low = max(math.floor((form.log_bad + wanted) / tilt), -n)
    step = max(min(math.floor(0.05 / float(goal.epsilon)), high - low), 1)
    k = np.unique(np.linspace(low, high, 257).astype(np.int64))
    with np.errstate(divide="ignore"):
        rest = np.where(k * tilt < form.log_bad - 30, k * tilt - form.log_bad, 0.0)  # of 1 - psi
        rare = np.log(form.floats(n, k)) + rest < wanted
    low = int(k[max(int(np.argmin(rare)) - 1, 0)]) if not rare.all() else high - 1
    return low, step, max(-(-(high - low) // step), 1)


# The forms ----------------------------------------------------------------------------------------


def forms(structure: Structure, goal: Goal) -> Iterator[Form]:
    """Yield all that is known of a class of this structure; none beats the others everywhere."""
    gap, log_bad = goal.gap, log_of(max(goal.size - 1, 1))
    whole: dict[str, Any] = {"bad": "(size - 1)", "log_bad": log_bad}
    if log_bad <= _LARGEST_LOG:
        yield Form(
            TWO, "walk(n, 1, {alpha}, {k})", lambda n, k: signs_at_most(n, gap, k),
            times="(size - 1)*", log_times=log_bad,
        )  # fmt: skip
    match structure:
        case Line(chains_from_best=chains):
            yield _lazy(gap, chains - 2, whole)
            yield Form(
                LINE, f"{2 * chains}*walk(n, 1, {{alpha}}, {{k}})",
                lambda n, k: 2 * chains * signs_at_most(n, gap, k), **whole,
            )  # fmt: skip
        case Atoms(atoms=atoms):
            factor = 4 if atoms == 1 else 2 ** (2 * atoms + 1)
            yield Form(
                ATOMS, f"{factor}*worst(n, (n*{{alpha}} - ({{k}}))/2, width)",
                lambda n, k: factor * worst_at_most(n, gap, k), most=LARGEST_WORST // 2, **whole,
            )  # fmt: skip
        case Ranges(cells=cells):
            if cells is not None:
                log_cells = log_of(cells)
                yield Form(
                    CHAINS, "2*walk(n, 1, {alpha}, {k})", lambda n, k: 2 * signs_at_most(n, gap, k),
                    times="3*points*", log_times=log_cells + math.log(3), bad="points",
                    log_bad=log_cells, own=(("points", Fraction(cells)),),
                )  # fmt: skip
            for parts in _PARTS:
                yield _ranges(gap, parts, whole)


@lru_cache(maxsize=1024)
def best(structure: Structure, goal: Goal, below: int) -> tuple[int, Form] | None:
    """Return the least n below ``below`` that some form certifies, and the form."""
    found = None
    for form in forms(structure, goal) if goal.size > 1 else ():
        n = least(form, goal, below)
        if n is not None:
            found, below = (n, form), n
    return found


def at(structure: Structure, goal: Goal, form: Form, n: int) -> Certificate | None:
    """Return what is certified of n records, by a form that is good for so many; None if none is.

    ``form``: the one that needs the fewest records.
    """
    rest = (other for other in forms(structure, goal) if other.claim == form.claim)
    fit = next((each for each in (form, *rest) if n <= 2 * each.most), None)
    return None if fit is None else certificate(fit, goal, n)


def _lazy(gap: Fraction, others: int, whole: dict[str, Any]) -> Form:
    """Cells [1/2, cut], [cut, 1] of the grid: a chance of moving that is too large only helps."""
    pairs = [(_CUT, 1 - Fraction(1, 2)), (Fraction(1), 1 - _CUT)]
    sums = [[p for p in pair if p > gap] for pair in pairs]
    sums = [each for each in sums if each]
    words = [" + ".join(f"2*walk(n, {p}, {{alpha}}, {{k}})" for p in each) for each in sums]
    text = f"max({', '.join(words)})" if len(words) > 1 else words[0]
    more = f" + {2 * others}*walk(n, 1, {{alpha}}, {{k}})" if others else ""

    def floats(n: int, k: Ints) -> Floats:
        each = [np.sum([walk_at_most(n, p, gap, k) for p in one], axis=0) for one in sums]
        chance: Floats = 2 * np.max(each, axis=0) + 2 * others * signs_at_most(n, gap, k)
        return chance

    return Form(LINE, f"({text}{more})", floats, most=_LAZY, **whole)


# *Cells* (`exp-mech.ranges.cells`). For r > 2 cut the left ends (by the law, in the proof only)
# into at most r/alpha + 3 runs, ends in one run being at most alpha/r apart in mass. Intervals
# whose right end lies beyond the run: D is the sum of a walk of left ends and one of right ends,
# on disjoint records; with a the least mean of the left walk in the run, the right one must have
# alpha(1-1/r) - a: flip and stop both, at levels a and b: of each run at most 12 (left of h*), 8
# (inside), 4 (right of it) times Pr[S' <= k], S' of mean alpha(1-1/r); in all (8r/alpha + 36),
# where the line is reflected so that the left of h* has no more mass than the right. (If b < 0,
# b' = max(b, the least mean of the right walk) and a' = alpha(1-1/r) - b' <= a take their place.
# The 4 for a pair: stop the left walk given all records of the right one, then the right one.)
# Right end in the run: D >= O - n_c, O the records outside the run, n_c those in it, a walk of
# mean at least alpha(1-2/r): filled up with fair signs it is S'', so twice Pr[S'' <= k], for each
# run. F(k) = (8r/alpha + 36) Pr[S' <= k] + 2(r/alpha + 3) Pr[S'' <= k].


def _ranges(gap: Fraction, parts: int, whole: dict[str, Any]) -> Form:
    large, small = gap * (1 - Fraction(1, parts)), gap * (1 - Fraction(2, parts))
    first, second = 8 * parts / float(gap) + 36, 2 * (parts / float(gap) + 3)
    text = (
        "((8*parts/{alpha} + 36)*walk(n, 1, {alpha}*(1 - 1/parts), {k})"
        " + 2*(parts/{alpha} + 3)*walk(n, 1, {alpha}*(1 - 2/parts), {k}))"
    )

    def floats(n: int, k: Ints) -> Floats:
        return first * signs_at_most(n, large, k) + second * signs_at_most(n, small, k)

    return Form(CELLS, text, floats, own=(("parts", Fraction(parts)),), **whole)


# The same tails in floats: they decide which n are tried, never whether a certificate holds -------


def signs_at_most(n: int, a: Fraction, k: Ints) -> Floats:
    """Return Pr[S <= k], S a sum of n signs of mean a.

    Examples
    --------
    >>> signs_at_most(2, Fraction(1, 2), np.array([-2, -1, 0, 2])).round(12).tolist()
    [0.0625, 0.0625, 0.4375, 1.0]
    """
    j = (n + k) // 2
    if not n:
        return (k >= 0).astype(float)
    p = (1 + float(a)) / 2
    wide = math.ceil(math.sqrt(n * 400.0))  # Hoeffding: e**-800 lies beyond
    first = max(math.floor(n * p) - wide, 0)
    last = min(math.ceil(n * p) + wide, n)
    grid = np.arange(first, last)
    grows = np.log((n - grid) / (grid + 1)) + (math.log(p) - math.log1p(-p))
    logs = log_chance(n, p, first) + np.concatenate([[0.0], np.cumsum(grows)])
    sums = np.append(0.0, np.minimum(np.cumsum(np.exp(logs)), 1.0))
    return sums[np.clip(j - first + 1, 0, len(sums) - 1)]


def walk_at_most(n: int, p: Fraction, a: Fraction, k: Ints) -> Floats:
    """Return the same for steps that are nonzero with probability p.

    Examples
    --------
    >>> walk_at_most(2, Fraction(1, 2), Fraction(1, 4), np.array([-2, -1, 0, 2])).round(12).tolist()
    [0.015625, 0.140625, 0.484375, 1.0]
    """
    return signs_at_most(n, a, k) if p == 1 else _walks(n, p, a)[np.clip(k + n + 1, 0, 2 * n + 1)]


@lru_cache(maxsize=16)
def _walks(n: int, p: Fraction, a: Fraction) -> Floats:
    move, mean = float(p), float(a)
    length = 1 << (2 * n + 1).bit_length()
    turn = np.exp(2j * np.pi * np.arange(length) / length)
    transform = ((move + mean) / 2 * turn + (move - mean) / 2 / turn + (1 - move)) ** n
    chances = np.maximum(np.fft.fft(transform).real / length, 0)
    sums = np.cumsum(np.concatenate([chances[length - n :], chances[: n + 1]]))
    return np.append(0.0, np.minimum(sums, 1.0))


def worst_at_most(n: int, a: Fraction, k: Ints) -> Floats:
    """Return about `littlestone.bounds.walks.worst` of x = (n a - k)/2.

    Of all j those about the middle are tried, where the largest one is.

    Examples
    --------
    >>> worst_at_most(747, Fraction(1, 10), np.array([4, 80])).round(4).tolist()
    [0.0054, 1.0]
    """
    x = (n * float(a) - k) / 2
    down = np.floor(x + 1e-9).astype(int) - _width(n) + 1
    out = np.ones(len(k))
    parts = np.round(np.mod(x, 1), 9)
    for part in np.unique(parts):
        here = (parts == part) & (x > 0) & (down >= 0)
        if here.any():
            largest = _about_worst(n, float(part), float(a))
            out[here] = largest[np.minimum(down[here], len(largest) - 1)]
    return out


def _width(n: int) -> int:
    """Return how many columns of a table of random signs are taken at a time."""
    return max(-(-n // _COLUMNS), 1)


@lru_cache(maxsize=16)
def _about_worst(n: int, part: float, a: float) -> Floats:
    middle, wide = 0.5 + a / 4, min(0.3, 0.5 - a / 4)
    i = np.unique(np.round(n * np.linspace(middle - wide, middle + wide, 49)).astype(int))
    i = i[(i > 0) & (i + part < n)]
    if not len(i):
        return np.ones(1)
    rows = min(n, 6 * math.isqrt(n) + 40) + 1
    odds = (n - i - part) / (i + part)
    j = np.maximum(i - np.arange(rows - 1)[:, None], 0)
    starts = [math.exp(log_chance(n, (at + part) / n, int(at))) for at in i]
    chances = np.vstack([starts, j / (n - j + 1) * odds])
    sums = np.cumsum(np.cumprod(chances, axis=0)[::-1], axis=0)[::-1]
    return np.asarray(sums.max(axis=1))
