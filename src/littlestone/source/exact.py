"""The source of verification: every path of draws, and so the exact output law."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.errors import LittlestoneError
from littlestone.source.sampler import Source, presented
from littlestone.source.weights import (
    Presented,
    TabulatedWeights,
    Weights,
    as_weights,
    ball,
    probabilities,
)

_ENUMERABLE = 1 << 20
_FIRST = 96  # bits at which a release first looks at weights (`BitSource`)


class HiddenStateError(LittlestoneError):
    """The same draws led to different weights: the run depends on something it does not draw."""


@dataclass(frozen=True)
class Law:
    """The exact output distribution of a randomized run."""

    outcomes: dict[Hashable, arb]
    slack: arb
    paths: int
    public_coins: bool = False


class _Cut(BaseException):
    """The path is less likely than the cut. Not an Exception, so that no run can catch it."""


@dataclass
class _Draw:
    """One draw on the current path: what was presented, and which outcome is being tried."""

    presented: tuple[object, ...]
    options: list[tuple[int, arb]]
    reached: arb  # probability of reaching this draw
    tried: int = 0

    @property
    def answer(self) -> int:
        return self.options[self.tried][0]

    @property
    def after(self) -> arb:
        return self.reached * self.options[self.tried][1]


def _agreed(weights: Weights, bits: int) -> list[arb]:
    """Return the probabilities, if a release would see the same ones.

    A `BitSource` decides most draws by enclosures of few bits or by cached thresholds, and the law
    is computed with many: what is verified must be what is released.
    """
    fine = probabilities(weights, bits)
    with ctx.workprec(bits):
        agree = all(
            a.overlaps(b) for a, b in zip(fine, probabilities(weights, _FIRST), strict=True)
        )
        if isinstance(weights, TabulatedWeights):
            sums = (total * 2**64 for total in accumulate(fine[:-1]))
            agree &= all(
                not (s < low or s > high)
                for s, (low, high) in zip(sums, weights.thresholds(), strict=True)
            )
    if not agree:
        raise HiddenStateError(
            "Enclosures of one draw's weights at two precisions exclude each other: the weights "
            "that would be released are not the ones that are verified."
        )
    return fine


@dataclass
class _Path:
    """A `Source` that replays the draws of one path, and extends it by first outcomes."""

    draws: list[_Draw]
    cut: arb
    public_seed: int
    bits: int
    follow: int
    seeded: bool = True
    public_coins: bool = False
    _position: int = 0

    @cached_property
    def _streams(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.public_seed)

    def choose(self, weights: Presented) -> int:
        known = as_weights(weights)
        return self._draw(presented(known), lambda: list(enumerate(_agreed(known, self.bits))))

    def below(self, m: int) -> int:
        if m > _ENUMERABLE:
            raise ValueError(
                f"ExactSource cannot enumerate a uniform choice of more than {_ENUMERABLE} "
                "outcomes; verify on a smaller domain."
            )
        return self._draw(("below", m), lambda: [(i, ball(Fraction(1, m))) for i in range(m)])

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        # A data set under ExactSource is an ordered list: privacy must hold for each shuffling.
        return np.arange(n, dtype=np.int64)[:first]

    def public_rng(self) -> np.random.Generator:
        # Privacy must hold for every public seed: verification repeats for several.
        self.public_coins = True
        return np.random.default_rng(self._streams.spawn(1)[0])

    def _draw(self, view: tuple[object, ...], options: Callable[[], list[tuple[int, arb]]]) -> int:
        if self._position == len(self.draws):
            reached = self.draws[-1].after if self.draws else arb(1)
            possible = [(i, p) for i, p in options() if not p.is_zero()]
            self.draws.append(_Draw(view, possible, reached))
        draw = self.draws[self._position]
        if draw.presented != view:
            raise HiddenStateError(
                "Equal draws met different weights. The run depends on hidden state: the order of "
                "a hash table, a clock, an ordinary random generator, or an earlier run."
            )
        self._position += 1
        if self._position > self.follow and draw.after < self.cut:
            raise _Cut
        return draw.answer


class ExactSource:
    """Run a learner once for every path of draws; return its exact output law.

    Parameters
    ----------
    cut : Fraction, default 2**-80
        Long paths that are less likely than this are not followed; their probability is the
        law's ``slack``. Needed only for loops that have no bound.
    public_seed : int, default 0
        Seed of the public coins, on which privacy must not rest.
    bits : int, default 192
        Precision of the probabilities.
    follow : int, default 32
        Number of draws that are followed however unlikely they are. To cut a single unlikely draw
        would make a law look unlike its neighbour at a large epsilon.

    Examples
    --------
    >>> from littlestone.source import ExplicitWeights, exp
    >>> law = ExactSource().law(lambda source: source.choose(ExplicitWeights(1, exp(0), 2)))
    >>> [round(float(p), 3) for p in law.outcomes.values()], law.paths
    ([0.25, 0.25, 0.5], 3)
    """

    def __init__(
        self,
        cut: Fraction = Fraction(1, 2**80),
        public_seed: int = 0,
        *,
        bits: int = 192,
        follow: int = 32,
    ) -> None:
        self._cut = Fraction(cut)
        self._public_seed = public_seed
        self._bits = bits
        self._follow = follow

    def law(self, run: Callable[[Source], Hashable]) -> Law:
        """Return the law of ``run(source)``, which must be a function of its draws only.

        Raises
        ------
        HiddenStateError
            If equal draws meet different weights.
        """
        outcomes: dict[Hashable, arb] = {}
        draws: list[_Draw] = []
        slack, paths, public_coins = arb(0), 0, False
        first: list[Hashable] = []
        with ctx.workprec(self._bits):
            cut = ball(self._cut)
            while True:
                path = _Path(draws, cut, self._public_seed, self._bits, self._follow)
                paths += 1
                try:
                    output = run(path)
                except _Cut:
                    del draws[path._position :]
                    slack += draws[-1].after
                else:
                    if path._position != len(draws):
                        raise HiddenStateError(
                            "Equal draws led to a run that ended early: the run depends on "
                            "hidden state."
                        )
                    chance = draws[-1].after if draws else arb(1)
                    outcomes[output] = outcomes.get(output, arb(0)) + chance
                    if paths == 1:
                        first.append(output)
                public_coins |= path.public_coins
                while draws and draws[-1].tried + 1 == len(draws[-1].options):
                    draws.pop()
                if not draws:
                    break
                draws[-1].tried += 1
            self._repeat(run, first, cut)
            return Law(outcomes, slack, paths, public_coins)

    def _repeat(self, run: Callable[[Source], Hashable], first: list[Hashable], cut: arb) -> None:
        """Run the first path once more: it must give the same output."""
        try:
            again = run(_Path([], cut, self._public_seed, self._bits, self._follow))
        except _Cut:
            return
        if [again] != first:
            raise HiddenStateError(
                "Equal draws led to different outputs. The run depends on hidden state: the order "
                "of a hash table, a clock, an ordinary random generator, or an earlier run."
            )
