"""How many records the exponential mechanism needs, tightly; and, to compare, others.

Candidates H are public, the weight of h is e**(-epsilon/2 * errors of h), which is epsilon-DP under
replace-one. The proofs are in ``docs/certificates.md``; most rest on one line: a bad h is released
with probability at most e**(-l * (errors of h - errors of the best)) for every 0 <= l <= epsilon/2,
and the expectation of that over the records is a product. Agnostic certificates of errors are
sharper (`littlestone.bounds.exponential`); those of other losses in [0, 1] rest on that line.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.bounds.certificate import (
    CERTIFICATES,
    HOPELESS,
    Bound,
    Certificate,
    CertificateBuilder,
    Step,
    enough,
    least_n,
    least_point,
    least_real,
    log_of,
    near_zero,
    softmax,
)
from littlestone.bounds.formulas import LARGEST_WORST, LONGEST_WALK
from littlestone.bounds.tails import at_most_all, log_chance
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy.guarantee import check_nonnegative

# -- How many records agnostic learning by the exponential mechanism needs, without a union bound.
#
# Weights e**(-epsilon/2 * errors), h* a best candidate, D(h) = errors(h) - errors(h*); h is bad
# if its error exceeds that of h* by more than alpha, and then D(h) has mean above alpha n.
#
# * Two candidates (`PAIRS`): Pr[h is released] <= 1/(1 + e**(epsilon D(h)/2)), whose mean is
#   largest for n signs of mean alpha. Over a class the bad candidates are added.
# * If Pr[some bad h has D(h) <= k] <= F(k) for all k, then all together are released with
#   probability at most the sum of (psi(k) - psi(k+1)) min(1, F(k)), psi(k) = 1/(1 + e**(epsilon
#   k/2)/N), N their number. F comes from the structure of the class: a walk that is stopped
#   (`Line`), random signs (`Atoms`), both (`Ranges`). The number of candidates then costs
#   ln(N)/(alpha epsilon) only.
#
# The proofs are in ``docs/excess.md``.


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
    log_goal = float(log_of(goal.left))
    n = least_n(holds, near_zero(lambda n: _log(failure(form, goal, n)) - log_goal, guess))
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


def erm_of_form(form: Form, goal: Goal, n: int) -> Certificate:
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
    fewest, zero = None, np.zeros(1, dtype=np.int64)
    for form in forms(structure, goal) if goal.size > 1 else ():

        def holds(n: int, form: Form = form) -> bool:
            chance = math.exp(min(form.log_times, 700.0)) * float(form.floats(n, zero)[0])
            return chance <= float(goal.left) * _SURE

        most = min(form.most, below - 1)
        if most >= 1 and holds(most):
            n = least_n(holds, max(most // 2, 1))
            most = min(most, n + 64)
            while n <= most and not (
                erm_of_form(form, goal, n).holds and all(holds(n + i) for i in range(1, _NEXT))
            ):
                n += 1
            if n <= most:
                fewest, below = (n, form), n
    return fewest


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
    log_ignored = log_of(goal.left) + math.log(_NEGLIGIBLE) - form.log_times
    high = min(math.ceil((form.log_bad - log_ignored) / tilt), n + 1)
    low = max(math.floor((form.log_bad + log_ignored) / tilt), -n)
    step = max(min(math.floor(0.05 / float(goal.epsilon)), high - low), 1)
    k = np.unique(np.linspace(low, high, 257).astype(np.int64))
    with np.errstate(divide="ignore"):
        rest = np.where(k * tilt < form.log_bad - 30, k * tilt - form.log_bad, 0.0)  # of 1 - psi
        rare = np.log(form.floats(n, k)) + rest < log_ignored
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
    fewest = None
    for form in forms(structure, goal) if goal.size > 1 else ():
        n = least(form, goal, below)
        if n is not None:
            fewest, below = (n, form), n
    return fewest


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
    if not n:
        return (k >= 0).astype(float)
    first, sums = at_most_all(n, (1 + float(a)) / 2, 1e-300)
    return np.append(0.0, sums)[np.clip((n + k) // 2 - first + 1, 0, len(sums))]


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
    """Return about `littlestone.bounds.tails.worst` of x = (n a - k)/2.

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
        CERTIFICATES["realizable"],
        n,
        **_checked("realizable", size=size, epsilon=epsilon, alpha=alpha, beta=beta),
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
    return _sharpest(structure, n, CERTIFICATES["losses"], known)


def losses(size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify (mean loss) <= (that of the best candidate) + alpha, for losses in [0, 1].

    From epsilon = 2 artanh alpha on, privacy costs nothing.

    Examples
    --------
    >>> losses(40_000, epsilon=1, alpha=0.1, beta=0.05).n
    2705
    """
    return enough(
        CERTIFICATES["losses"],
        n,
        **_checked("losses", size=size, epsilon=epsilon, alpha=alpha, beta=beta),
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
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _checked("realizable_from", **goal, alpha1=alpha1, beta1=beta1)
    bound = CERTIFICATES["realizable-from"]
    if not known["alpha1"]:
        (tilt, _, claim), *others = bound.lines
        bound = Bound(((tilt, "epsilon/2", claim), *others))
    return enough(bound, n, **known)


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
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _checked("agnostic_from", **goal, alpha1=alpha1, beta1=beta1)
    return _sharpest(None, n, CERTIFICATES["losses-from"], known)


# -- for comparison: without privacy, and the papers' sizes ---------------------------------------

# Lemma 29 of Alon et al. and Theorem 3.4 of Li, Wang and Ye state orders only; the constants here
# are those that their proofs need. The certificates above and those below prove the same
# releases with fewer records.

_YAN = "yan25.thm11"


def consistent(size: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent one of ``size`` candidates; n None: the least.

    The limit of `realizable` for large epsilon.

    Examples
    --------
    >>> consistent(2**20, alpha=0.1, beta=0.05).n
    161
    """
    known = _checked("finite.consistent", size=size, alpha=alpha, beta=beta)
    return enough(CERTIFICATES["consistent"], n, **known)


def erm(
    size: int, *, alpha: Any, beta: Any, structure: Structure = None, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha of the candidate with the least empirical error.

    The limit of `agnostic` for large epsilon.

    Examples
    --------
    >>> erm(40_000, alpha=0.1, beta=0.05).n
    2225
    >>> from littlestone.bounds import Line
    >>> erm(2**20 + 1, alpha=0.1, beta=0.05, structure=Line()).n
    401
    """
    known = _checked("finite.erm", size=size, alpha=alpha, beta=beta)
    plain = enough(CERTIFICATES["erm"], n, **known)
    goal = Goal(size, Fraction(1), known["alpha"], known["beta"])  # its epsilon is not looked at
    sharpest = least_erm(structure, goal, int(plain["needed"]))
    records = sharpest[0] if sharpest is not None and n is None else plain.n
    if sharpest is None or records > sharpest[1].most:
        return plain
    return erm_of_form(sharpest[1], goal, records)


def consistent_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent concept of a class of this VC dimension.

    Examples
    --------
    >>> consistent_vc(1, alpha=0.1, beta=0.05).n, consistent_vc(5, alpha=0.1, beta=0.05).n
    (291, 1076)
    """
    return _least("consistent-vc", n, "vc.consistent", vc_dim=vc_dim, alpha=alpha, beta=beta)


def erm_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= best + alpha of the least empirical error in a class.

    Examples
    --------
    >>> erm_vc(1, alpha=0.1, beta=0.05).n
    4661
    """
    return _least("erm-vc", n, "vc.uniform", vc_dim=vc_dim, alpha=alpha, beta=beta)


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
    return enough(CERTIFICATES["alon22.lemma29"], n, **_checked("alon22_lemma29", **known))


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
    return _least("lwy24.theorem34", n, "lwy24_theorem34", **known)


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


def _checked(caller: str, **numbers: Any) -> dict[str, Fraction]:
    low, out = {"size": 1, "vc_dim": 0}, {}
    for name, x in numbers.items():
        if name in low:
            out[name] = Fraction(check_integer(caller, name, x, low=low[name]))
        elif name.endswith("1"):  # of a representation, below alpha or beta
            out[name] = check_nonnegative(caller, name, x)
            if out[name] >= out[name[:-1]]:
                hint = "Use a finer representation."
                raise parameter_error(caller, name, f"in [0, {name[:-1]})", x, hint)
        else:
            check = check_fraction if name == "epsilon" else check_probability
            out[name] = check(caller, name, x)
    return out


def _least(name: str, n: int | None, caller: str, **goal: Any) -> Certificate:
    bound, known = CERTIFICATES[name], _checked(caller, **goal)
    if n is None:
        n = bound.least(1, **known)
    cert = CertificateBuilder(**known, n=check_integer(caller, "n", n, low=1))
    bound.write(cert)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=n)


# -- by uniform convergence: for candidate sets far larger than the class is complex ---------------
#
# The certificates above pay ln|H|/alpha**2 (agnostic) or ln|H|/alpha (realizable) for the records
# *and* for privacy. When ln|H| is huge and the VC dimension small, it is cheaper to pay ln|H| for
# privacy only, and the VC dimension for the records. The failure probability is shared among
# several events; the shares are found numerically, and are public inputs of the certificate.


# *Proof of `vc.growth`* (docs/certificates.md). Let D(h) = errors(h) - errors(h*). A bad h is
# released with probability at most e^{-epsilon D(h)/2}; all bad ones together with at most min(1,
# (|H|-1) max e^{-epsilon D/2}) <= (|H|-1)^s max e^{-lD}. By Cauchy-Schwarz, E max e^{-lD} <= (E
# max e^{-2l errors(h)})^{1/2} (E e^{2l errors(h*)})^{1/2}, the maximum over bad h. *First
# factor.* Let eta = error(h*), q = eta + alpha. Draw rn further records, the ghosts. Given the
# sample, the maximum is attained at some bad h, which is wrong on at least floor(rnq) ghosts with
# probability at least 1/2 (a median of a binomial is at least its mean rounded down). So E max <=
# 2 E max over the h with that many errors on the ghosts. Exchange sample and ghosts at random:
# there are at most Pi((r+1)n) vectors of errors on all of them, and one with K >= floor(rnq)
# errors has in the sample a hypergeometric number of them, for which (Hoeffding 1963, Theorem 4)
# the expectation is at most that of a binomial of bias K/((r+1)n) >= q - (q + 1/n)/(r+1) >= eta +
# a. So the factor is at most 2 Pi (1 - (eta+a)u)^n, u = 1 - e^{-2l}. *Second factor:* (1 +
# eta v)^n, v = e^{2l} - 1. Over all eta, (1 - (eta+a)u)(1 + eta v) is largest at eta = (1-a)/2,
# where it is (cosh l - a sinh l)^2.


def agnostic_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha for candidates of a small VC dimension; n None: the least.

    Weights e**(-epsilon/2 * errors), as for `agnostic`: the same release, another
    proof, smaller when ln(size) is much larger than the VC dimension. Claim ``vc.growth``.

    Examples
    --------
    >>> agnostic_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 970_000
    True
    """
    numbers = {"size": size, "vc_dim": vc_dim, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    goal = _checked("agnostic_vc", **numbers)
    return _certified(n, goal, *_least_growth(**goal))


def realizable_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha for candidates of small VC dimension, one of which has error 0.

    Examples
    --------
    >>> realizable_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 940_000
    True
    """
    numbers = {"size": size, "vc_dim": vc_dim, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    goal = _checked("realizable_vc", **numbers)
    return _certified(n, goal, *_least_shares(**goal))


_TIGHT = realizable, agnostic


def best_finite(
    size: int,
    *,
    vc_dim: int | None = None,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
    structure: Structure = None,
    n: int | None = None,
) -> Certificate:
    """Return the better certificate of one release: tight, or by uniform convergence.

    Both speak about the exponential mechanism with weights e**(-epsilon/2 * errors) over ``size``
    public candidates. Which one is chosen follows from public parameters alone; without the
    candidates' ``vc_dim`` it is the tight one, which an agnostic ``structure`` makes tighter.

    Examples
    --------
    >>> best_finite(2**20 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> best_finite(2**64 + 1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n
    8807
    >>> best_finite(2**64 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n < 6700
    True
    """
    goal = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    tight: Any = partial(_TIGHT[1], structure=structure) if agnostic else _TIGHT[0]
    least: Certificate = tight(size, **goal)
    if vc_dim is not None and size > 1:
        other = agnostic_vc if agnostic else realizable_vc
        uniform = other(size, vc_dim, **goal)
        if uniform.n < least.n:
            return uniform if n is None else other(size, vc_dim, **goal, n=n)
    if n is None:
        return least
    certificate: Certificate = tight(size, **goal, n=n)
    return certificate


#: A proof with the public choices that need the fewest records, and that number.
_Found = tuple[Bound, dict[str, Any], int]


def _certified(
    n: int | None, goal: dict[str, Fraction], bound: Bound, choices: dict[str, Any], least: int
) -> Certificate:
    records = least if n is None else check_integer("certificate", "n", n, low=1)
    cert = CertificateBuilder(**goal | choices, n=records)
    bound.write(cert)
    return cert.certificate(alpha=goal["alpha"], beta=goal["beta"], n=records)


def _about(enough: Callable[[float], bool], epsilon: Fraction) -> float:
    """Return about the least n, or refuse."""
    about = least_real(enough, 64)
    if about >= HOPELESS:
        allowed = "large enough for fewer than 10**30 records"
        hint = "Raise epsilon or alpha."
        raise parameter_error("certificate", "epsilon", allowed, float(epsilon), hint)
    return about


@functools.lru_cache(maxsize=256)
def _least_growth(**goal: Fraction) -> _Found:
    bound = CERTIFICATES["growth"]
    epsilon, alpha = goal["epsilon"], goal["alpha"]
    log_goal, price = (
        log_of(goal["beta"]),
        2 * log_of(max(goal["size"] - 1, Fraction(1))) / float(epsilon),
    )
    known = {**goal, "epsilon": float(epsilon)}
    gap_of = bound.function("gap", "n", "ghosts", alpha=alpha)
    failure_of = bound.function("failure", "n", "ghosts", "share", **known)

    def share(n: float, ghosts: int) -> float | None:
        """Return the best share; none if no share is good."""
        gap: float = gap_of(n, ghosts)
        if gap <= 0 or price >= n * gap:
            return None
        # the decay's derivative is tanh(artanh(gap) - tilt); it is worth ``price`` / n
        tilt = math.atanh(gap) - math.atanh(price / n)
        return min(2 * tilt / float(epsilon), 1.0)

    def failure(n: float, ghosts: int) -> float:
        part = share(n, ghosts)
        return math.inf if part is None else failure_of(n, ghosts, part).log

    ghosts = first = 8 * math.ceil(1 / alpha)
    for _ in range(2):
        about = _about(lambda n, r=ghosts: failure(n, r) <= log_goal, epsilon)  # type: ignore[misc]
        ghosts = min((first * 2**k // 4 for k in range(14)), key=lambda r: failure(about, r))
    about = _about(lambda n: failure(n, ghosts) <= log_goal, epsilon)
    part = Fraction(share(about, ghosts) or 0).limit_denominator(10**9)
    choices = {"share": min(part, Fraction(1)), "ghosts": ghosts}
    return bound, choices, bound.least(math.ceil(about), **goal, **choices)


@functools.lru_cache(maxsize=256)
def _least_shares(**goal: Fraction) -> _Found:
    """Find good public shares of beta in floats, then the least n with them."""
    bound, target = CERTIFICATES["realizable-vc"], float(goal["alpha"])
    known = {name: goal[name] for name in ("vc_dim", "beta")} | {"epsilon": float(goal["epsilon"])}

    def point(x: Sequence[float]) -> dict[str, Any]:
        shares = [_short(share) for share in softmax([*x, 0.0])]
        return {"size": goal["size"], "share_release": shares[0], "share_spread": shares[1]}

    def excess(choices: dict[str, Any]) -> Callable[[float], float]:
        at = bound.function("excess", "n", **known, **choices)
        return lambda n: float(at(float(max(round(n), 1))))

    def needed(x: Sequence[float]) -> float:
        at = excess(point(x))
        return _about(lambda n: at(n) <= target, goal["epsilon"])

    def excess_at(n: float) -> Callable[[Sequence[float]], float]:
        return lambda x: excess(point(x))(n)

    best = [0.0]
    for _ in range(2):  # the best shares depend on n only through logarithms
        best = least_point(excess_at(needed(best)), best)
    choices = point(best)
    at = excess(choices)
    guess = least_n(lambda n: at(n) <= target, math.ceil(needed(best)))
    return bound, choices, bound.least(guess, **goal | choices)


def _short(share: float) -> Fraction:
    """Round a share of beta down to a few digits: the rest is simply not used."""
    return Fraction(max(int(share * 10_000), 1), 10_010)
