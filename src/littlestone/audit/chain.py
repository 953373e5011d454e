"""The data sets on which a draw of a learner is looked at, and its laws on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import ceil, comb, lcm
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.audit.mechanism import precision
from littlestone.audit.neighbours import codes_of
from littlestone.audit.verify import RecordCases, TargetCases, UserCases, cases_of, record_kinds
from littlestone.bounds.claims import UNCHECKED, Checked
from littlestone.classes import BoostedTreeClass, DecisionTrees
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError
from littlestone.privacy import Concentrated, Loss
from littlestone.source import ExactSource, Law, SeededSource, ball

if TYPE_CHECKING:
    from littlestone.learners.base import Learner
    from littlestone.source import Exp, Source
    from littlestone.source.sources import Presented


# -- What is known of the privacy of a learner for every n: steps, and what they rest on.


Status = Literal["enumerated", "proved", "tested", "assumed"]


@dataclass(frozen=True)
class Step:
    """One step of the chain.

    Attributes
    ----------
    name : str
    status : {"enumerated", "proved", "tested", "assumed"}
    holds : bool
    detail : str
        What was computed, or what is assumed.
    lemma : str
        The theorem of ``proofs/``, as ``file.theorem``, if it is proved.
    """

    name: str
    status: Status
    holds: bool
    detail: str
    lemma: str = ""


@dataclass(frozen=True, repr=False)
class AllN:
    """What is known about the privacy of a learner for every n; see `all_n`.

    Attributes
    ----------
    learner, concept_class : str
    route : {"sums over records", "candidates beside bottom", "lemmas", "enumerated"}
        "enumerated": no lemma; small data sets only, as `littlestone.audit.verify` does.
    steps : tuple of Step
    """

    learner: str
    concept_class: str
    route: str
    steps: tuple[Step, ...]

    @property
    def holds(self) -> bool:
        """Whether no step failed."""
        return all(step.holds for step in self.steps)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The theorems that the chain rests on."""
        return tuple(dict.fromkeys(step.lemma for step in self.steps if step.lemma))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "learner": self.learner,
            "concept_class": self.concept_class,
            "route": self.route,
            "holds": self.holds,
            "lemmas": list(self.lemmas),
            "steps": [vars(step) for step in self.steps],
        }

    def __repr__(self) -> str:
        return str(self)

    @property
    def _head(self) -> str:
        verdict = "ENUMERATED ONLY" if self.route == "enumerated" else "HOLDS"
        verdict = verdict if self.holds else "FAILS"
        return f"{verdict}: {self.learner} on {self.concept_class}, by {self.route}"

    def __str__(self) -> str:
        lines = [
            f"  {'' if step.holds else 'FAILS: '}{step.status:<10} {step.name}: {step.detail}"
            + f" ({step.lemma})" * bool(step.lemma)
            for step in self.steps
        ]
        return "\n".join([self._head, *lines])


def by_lemmas(name: str, spec: str, known: Mapping[str, Checked | None]) -> AllN:
    """Return what lemmas say, where nothing else is computed.

    Examples
    --------
    >>> from littlestone.bounds.claims import LEMMAS
    >>> print(by_lemmas("votes", "any", {"dp.sum": LEMMAS["dp.sum"], "own": None}))
    ENUMERATED ONLY: votes on any, by enumerated
      proved     dp.sum: for every n (compose.compose_pure)
      proved     dp.sum: for every n (compose.compose_dp)
      proved     dp.sum: for every n (sums.rounds_pure)
      assumed    own: no lemma of proofs/
    """
    steps: list[Step] = []
    for claim, checked in known.items():
        lemmas = () if checked is None else checked.lemmas
        steps += [Step(claim, "proved", True, "for every n", lemma) for lemma in lemmas]
        left = checked.leaves_out if checked else UNCHECKED.get(claim, "no lemma of proofs/")
        steps += [Step(claim, "assumed", True, left)] * bool(left)
    complete = bool(known) and None not in known.values()
    return AllN(name, spec, "lemmas" if complete else "enumerated", tuple(steps))


#: Outcomes of a law that is computed for every single record.
_MOST_OUTCOMES = 4096
#: Points of a domain that are enumerated by themselves.
_MOST_POINTS = 128
_LISTS = 8  # of each size that is tested
_SHORT = 2  # up to this size all lists over a few records are tested
_FEW = 4
#: Records of users that have any number of them.
EACH = 2
_READ = Fraction(1, 2**20)  # how exactly an integer is read off a law
Data = tuple[Any, ...]
#: Logarithms of the probabilities of all outcomes.
Logs = dict[Hashable, arb]


class BrokenError(Exception):
    """A step of the chain is false."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


@dataclass
class Chain:
    """Data sets of a learner, and the laws of a draw on them."""

    learner: Learner[Any]
    points: Any
    sizes: tuple[int, ...]
    rng: SeededSource

    def __post_init__(self) -> None:
        classes = self.learner.concept_class
        if isinstance(classes, BoostedTreeClass):  # a round draws one tree
            classes = DecisionTrees(classes.asked, classes.depth, classes.labels)
        size = classes.size
        if isinstance(size, int) and size > _MOST_OUTCOMES:
            raise UnsupportedError(
                "audit all-n (audit.all_n) computes the output distribution for every single "
                f"record, and takes at most {_MOST_OUTCOMES:,} concepts; "
                f"{self.learner.concept_class.spec} has more. Check a smaller class of the same "
                "kind, or use audit replay (audit.replay), which takes large ones."
            )

    @cached_property
    def layout(self) -> RecordCases | UserCases | TargetCases:
        """The single records (or users) that are tried."""
        learner: Any = self.learner
        of_targets, codes = learner.reads is TargetSample, codes_of(learner.concept_class)
        records = record_kinds(self.listed, outside=not of_targets, codes=codes)
        if learner.unit != "users" and not of_targets:
            return cases_of(learner, records, most=None)
        each = getattr(learner, "samples_per_user", EACH) if learner.unit == "users" else 1
        if comb(len(records) + each, each) > _MOST_OUTCOMES:
            raise UnsupportedError(
                "audit all-n (audit.all_n) tries every record, or every user with at most "
                f"{each}: at these points there are too many {learner.unit}. Name fewer points, or "
                "take a target of fewer values (for a quantity fewer cells), or a smaller "
                "samples_per_user."
            )
        return cases_of(learner, records, most=each)

    @cached_property
    def listed(self) -> Sequence[Any]:
        """The points."""
        if self.points is not None:
            return list(self.points)
        points = domain_points(self.learner.concept_class.domain)
        if points is None:
            raise UnsupportedError(
                f"The domain of {self.learner.concept_class.spec} has no short list of points. "
                "Name some: points=[...] (--points)."
            )
        return points

    @cached_property
    def complete(self) -> bool:
        """Whether all single records of the domain are tried."""
        points = domain_points(self.learner.concept_class.domain)
        return points is not None and set(points) <= set(self.listed)

    @property
    def known(self) -> Status:
        """How is known what was computed for all single records that are tried."""
        return "enumerated" if self.complete else "tested"

    @cached_property
    def kinds(self) -> list[Any]:
        """The single records, or users."""
        return list(self.layout.kinds)

    def attempt(self, check: Callable[[], list[Step]]) -> list[Step]:
        """Return the steps of a check, or the one that is false."""
        try:
            return check()
        except BrokenError as problem:
            return [Step(problem.name, "tested", False, str(problem))]

    def lists(self) -> Iterator[Data]:
        """Yield data sets to test: all short ones over a few records, and longer ones."""
        few = [self.kinds[i] for i in self.rng.permutation(len(self.kinds))[:_FEW]]
        for n in range(1, _SHORT + 1):
            yield from combinations_with_replacement(few, n)
        for n in self.sizes:
            for _ in range(_LISTS):
                yield self.drawn(self.kinds, n)
            for _ in range(_LISTS):  # one record many times, beside others
                rest = self.rng.below(n + 1)
                yield self.drawn(self.kinds, 1) * (n - rest) + self.drawn(few, rest)

    def drawn(self, kinds: Sequence[Any], n: int) -> Data:
        """Return n records, drawn independently."""
        return tuple(kinds[self.rng.below(len(kinds))] for _ in range(n))

    def bits(self, n: int) -> int:
        """Return a precision at which no outcome of n records is lost, and no loss is rounded."""
        epsilon = self.learner.guarantee().epsilon
        small = (epsilon.denominator // epsilon.numerator).bit_length()
        return precision(epsilon, Fraction(0)) + ceil(4 * epsilon * n) + small

    def law(self, data: Data, run: Callable[[Any, Source], Hashable]) -> Law:
        """Return the law of a run on a data set."""
        sample = self.layout.sample(data)
        return ExactSource(bits=self.bits(len(data))).law(lambda source: run(sample, source))

    def logs(self, data: Data, run: Callable[[Any, Source], Hashable]) -> Logs:
        """Return the logarithms of its probabilities."""
        with ctx.workprec(self.bits(len(data))):
            return {h: p.log() for h, p in self.law(data, run).outcomes.items()}

    def integer(self, value: arb, rate: Fraction, n: int) -> int:
        """Return the integer k of a log-ratio k * rate."""
        with ctx.workprec(self.bits(n)):
            quotient = value / ball(rate)
            k = round(Fraction(float(quotient.mid())))
            if not abs(quotient - k) < ball(_READ):
                raise BrokenError("law", "a log-ratio of two outcomes is no integer times the rate")
            return k


def domain_points(domain: Any) -> list[Any] | None:
    """Return all points of a domain, if there are at most 128; points outside are not among them.

    Examples
    --------
    >>> from littlestone.data.domains import IntegerDomain
    >>> domain_points(IntegerDomain(1, 3))
    [1, 2, 3]
    """
    few = domain.size is not None and domain.size <= _MOST_POINTS
    points = domain.listed() if few else None
    return None if points is None else list(points)


class Listening:
    """A source that counts its draws, and remembers whether bottom was drawn, beside what."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.presented: tuple[Exp, Fraction] | None = None
        self.fell, self.draws = False, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def choose(self, weights: Presented) -> int:
        """Draw, and remember."""
        answer = self._source.choose(weights)
        self.draws += 1
        if getattr(weights, "bottom", None) is not None:
            self.presented = (weights.bottom, weights.rate)  # type: ignore[union-attr]
            self.fell = answer == 0
        return answer


# -- What is asked of records beside the rounds: quantiles, and sums with two-sided geometric
# noise.
#
# A source without randomness hears what a draw is made from: the scores of a choice and its rate,
# or the rate or the variance of noise that it leaves out. So sums are read exactly, as they are
# released, and by noise of one in what steps they are released.


Vector = npt.NDArray[Any]


class _Fixed:
    """A source whose noise is 0, 1 or -1 (``sign`` 0, 1, 2), and that remembers what it is.

    Of noise that is the rate r of a geometric number, or of a discrete Gaussian the variance v, as
    the pairs (1, r) and (2, 1 / (2 v)): it costs r or 1 / (2 v) times a move to this power.
    """

    seeded = True

    def __init__(self, sign: int = 0) -> None:
        self.sign = sign
        self.choices: list[tuple[Vector, Fraction]] = []  # scores, and their rate
        self.noises: list[tuple[int, Fraction]] = []

    def choose(self, weights: Any) -> int:
        choice = getattr(weights, "choice", weights)
        if hasattr(choice, "scores"):
            self.choices.append((choice.scores, weights.rate))
        elif hasattr(weights, "variance"):  # a number from geometric noise is kept
            self.noises[-1] = 2, 1 / (2 * weights.variance)
            return 1
        elif len(weights) == 3:  # noise that is 0, above or below it: 1 - p, p, p for p = e**-rate
            ((power, _),) = weights.weights[1].terms
            self.noises.append((1, -power))
            return self.sign
        return 0

    def below(self, m: int) -> int:
        return 0


def noisy_sums(
    chain: Chain,
    ask: Callable[[Any, Source], Sequence[Any]],
    budget: Callable[[int], Loss],
    draw: Callable[[Any, Source], object] | None = None,
) -> list[Step]:
    """Check that what is released, but for noise, is sums over units, and what one unit moves.

    ``draw`` is what asks it, if that returns something else: it must have the same noise.
    """
    public: dict[int, tuple[list[tuple[int, Fraction]], Vector]] = {}

    def heard(sample: Any, sign: int = 0) -> tuple[list[tuple[int, Fraction]], Vector]:
        source: Any = _Fixed(sign)
        released = ask(sample, source)
        return source.noises, np.array([Fraction(value) for value in released], dtype=object)

    def sums(data: Data) -> Vector:
        """Return the sums of a data set, each in steps of its noise."""
        sample = chain.layout.sample(data)
        noises, found = heard(sample)
        if len(data) not in public:  # what is at an end of the range moves one way only
            up, down = (abs(heard(sample, sign)[1] - found) for sign in (1, 2))
            public[len(data)] = noises, np.maximum(up, down)
        claimed, steps = public[len(data)]
        if draw is not None:
            drawn: Any = _Fixed()
            draw(sample, drawn)
            noises = drawn.noises
        if claimed != noises:
            raise BrokenError("noise", "it is another, or not a function of n")
        counted: Vector = found / steps
        return counted

    moved, lists = _added(chain, sums)
    costs, allowed = dict[int, Fraction](), dict[int, Fraction]()
    for n, units in moved.items():
        powers, rates = zip(*public[n][0], strict=True)
        loss, (power,) = budget(n), set(powers)
        gaussian = isinstance(loss, Concentrated)
        if gaussian != (power == 2):
            raise BrokenError("noise", "the noise is of another kind than what is composed")
        allowed[n] = loss.rho if isinstance(loss, Concentrated) else loss.reach or Fraction(0)
        each = np.array(rates, dtype=object)
        whole = lcm(*(rate.denominator for rate in rates))
        weighed = np.array([int(rate * whole) for rate in each], dtype=object)
        costs[n] = _largest(units, weighed, power) / whole
    said, holds = _within(chain, costs, allowed.__getitem__)
    kind, lemma, unit = "two-sided geometric", "noise.counts_pure", chain.learner.unit
    if gaussian:
        kind, lemma = "discrete Gaussian", ""
    return [
        Step("sums", "tested", True, f"before noise, sums over {unit}, on {lists} lists"),
        Step("noise", chain.known, holds, f"{kind}; {said}", lemma),
    ]


def quantile(
    chain: Chain,
    sums_of: Callable[[Any], Vector],
    draw: Callable[[Any, Source], object],
    place: int,
    budget: Callable[[int], Fraction],
) -> list[Step]:
    """Check a choice where a score is less the largest of two sums over units, and 0."""
    public: dict[int, Fraction] = {}

    def sums(data: Data) -> Vector:
        sample: Any = chain.layout.sample(data)
        heard: Any = _Fixed()
        draw(sample, heard)
        scores, rate = heard.choices[place]
        if public.setdefault(len(data), rate) != rate:
            raise BrokenError("public", "the rate is not a function of n")
        found = sums_of(sample)
        if (scores != -np.maximum(found.max(axis=0), 0)).any():
            raise BrokenError("law", "a score is not minus the largest of two sums and 0")
        return found.ravel().astype(object)

    moved, lists = _added(chain, sums)
    costs = {n: 2 * public[n] * _largest(units) for n, units in moved.items()}
    said, holds = _within(chain, costs, budget)
    return [
        Step("sums", "tested", True, f"scores are minus the larger of two sums, on {lists} lists"),
        Step("range", chain.known, holds, f"bounded; {said}", "range.law_range"),
    ]


def _within(
    chain: Chain, costs: dict[int, Fraction], budget: Callable[[int], Fraction]
) -> tuple[str, bool]:
    """Say what replacing a unit costs, and whether it is within the budget."""
    worst = max(costs, key=lambda n: costs[n] / budget(n))
    holds = costs[worst] <= budget(worst)
    compared = f"{float(costs[worst]):.4g} {'<=' if holds else '>'} {float(budget(worst)):.4g}"
    unit = chain.learner.unit.removesuffix("s")
    return f"replacing a {unit} by any other costs {compared}, for every n", holds


def _added(chain: Chain, sums: Callable[[Data], Vector]) -> tuple[dict[int, Vector], int]:
    """Return what each unit adds among n of them, by n, and on how many lists this was tested."""
    zero, lists = chain.kinds[0], list(chain.lists())
    base, moved = dict[int, Vector](), dict[int, dict[Any, Vector]]()
    for n in sorted({1, *map(len, lists)}):
        base[n] = sums((zero,) * n)
        moved[n] = {kind: sums((kind,) + (zero,) * (n - 1)) - base[n] for kind in chain.kinds}
    for data in lists:
        added = sum((moved[len(data)][kind] for kind in data), base[len(data)])
        if (sums(data) != added).any():
            raise BrokenError("sums", f"what {len(data)} {chain.learner.unit} add is no sum")
    return {n: np.array(list(units.values())) for n, units in moved.items()}, len(lists)


def _largest(units: Vector, weights: Vector | None = None, power: int = 1) -> Fraction:
    """Return the largest entry of a difference of two rows, or weighed sum of powers of entries."""
    whole = lcm(*(Fraction(x).denominator for x in units.ravel()))
    rows = np.array([[int(x * whole) for x in row] for row in units], dtype=object)
    most = 0
    for row in rows:
        moved = abs(rows - row) ** power
        most = max(most, int((moved.max(axis=1) if weights is None else moved @ weights).max()))
    return Fraction(most, whole**power)
