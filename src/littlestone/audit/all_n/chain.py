"""The data sets on which a draw of a learner is looked at, and its laws on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import ceil, comb, prod
from typing import TYPE_CHECKING, Any

from flint import arb, ctx

from littlestone.audit.all_n.report import Status, Step
from littlestone.audit.mechanism import precision
from littlestone.audit.verify import RecordCases, TargetCases, UserCases, record_kinds
from littlestone.classes import BoostedTreeClass, DecisionTrees
from littlestone.data import IntegerDomain, RowDomain
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError
from littlestone.source import ExactSource, Law, SeededSource, ball

if TYPE_CHECKING:
    from littlestone.learners.base import Learner
    from littlestone.source import Exp, Source
    from littlestone.source.weights import Presented

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
                f"all_n computes a law for every single record; {self.learner.concept_class.spec} "
                f"has more than {_MOST_OUTCOMES:,} concepts. Check a smaller class of the same "
                "kind; audit.replay looks at large ones."
            )

    @cached_property
    def layout(self) -> RecordCases | UserCases | TargetCases:
        """The single records (or users) that are tried."""
        learner: Any = self.learner
        classes, domain = learner.concept_class, learner.concept_class.domain
        listed = len(classes.labels) if classes.lists_labels else None
        codes = 2 if listed is None else listed + 1  # one for all that are unlisted
        target = getattr(classes, "target", None)
        of_targets = learner.reads is TargetSample
        codes = codes if target is None else target.size
        records = record_kinds(self.listed, outside=not of_targets, codes=codes)
        if learner.unit != "users" and not of_targets:
            return RecordCases(list(records), domain, ordered=False, labels=listed)
        each = getattr(learner, "samples_per_user", EACH) if learner.unit == "users" else 1
        if comb(len(records) + each, each) > _MOST_OUTCOMES:
            raise UnsupportedError(
                f"all_n tries every record, or every user with at most {each}: at these points "
                f"there are too many {learner.unit}. Name fewer points, or take a target of fewer "
                "values (for a quantity fewer cells), or a smaller samples_per_user."
            )
        if of_targets:
            return TargetCases.of(records, learner, each)
        return UserCases.of(records, domain, most=each, names=1, samples_per_user=each)

    @cached_property
    def listed(self) -> Sequence[Any]:
        """The points."""
        if self.points is not None:
            return list(self.points)
        found = domain_points(self.learner.concept_class.domain)
        if found is None:
            raise UnsupportedError(
                f"The domain of {self.learner.concept_class.spec} has no short list of points. "
                "Name some: points=[...] (--points)."
            )
        return found

    @cached_property
    def complete(self) -> bool:
        """Whether all single records of the domain are tried."""
        found = domain_points(self.learner.concept_class.domain)
        return found is not None and set(found) <= set(self.listed)

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
    >>> domain_points(IntegerDomain(1, 3))
    [1, 2, 3]
    """
    if isinstance(domain, IntegerDomain) and domain.high - domain.low < _MOST_POINTS:
        return list(range(domain.low, domain.high + 1))
    if isinstance(domain, RowDomain) and prod(domain.schema.n_codes) <= _MOST_POINTS:
        return list(product(*map(range, domain.schema.n_codes)))
    return None


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
