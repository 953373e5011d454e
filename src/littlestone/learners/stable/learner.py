"""Learner M of 004, Theorem 30: many copies of a globally stable algorithm, and a vote.

1. Shuffle the records: batches to the copies of algorithm G (`tournament`), the rest to step 4.
2. Run the copies; each submits a hypothesis, or fails.
3. List what many copies submitted, by a stable histogram.
4. Choose from the list by the exponential mechanism, on the rest of the records.

In the paper's numbers: 1 and 2 are step 1 of M, 3 is step 2 (Hist), 4 is step 4 (GenericLearner).
Its step 3, which removes rare members from the list, is left out: the threshold of step 3 here is
the only one.

Steps 3 and 4 see disjoint records, so they cost their maximum (the paper adds them). The coins of
the copies are public: privacy holds for each of their values. Statements and proofs:
``docs/learners/stable.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from littlestone.classes import errors
from littlestone.data.domains import OUTSIDE, canonical
from littlestone.data.sample import part, shuffle
from littlestone.errors import parameter_error
from littlestone.learners.base import (
    CLASS,
    DELTA_NEEDED,
    DELTA_TEXT,
    ClassLearner,
    declared,
    one_of,
    share,
    whole,
)
from littlestone.learners.stable.plan import (
    PRIVACY,
    Constants,
    OneConcept,
    StablePlan,
    assumed_plan,
    theorem_plan,
)
from littlestone.learners.stable.tournament import stable_copy
from littlestone.mechanisms import exponential_mechanism, stable_items
from littlestone.source import Explicit, public_generator, public_salt

if TYPE_CHECKING:
    import numpy as np

    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.data.sample import Kinds
    from littlestone.learners.stable.tournament import Example
    from littlestone.source import Source
    from littlestone.types import Hypothesis


T = TypeVar("T", bound=Hashable)

_SMALLEST, _LARGEST = Fraction(1, 10**100), Fraction(10**100)


def _constants(caller: str, _: str, given: Any) -> str | Constants:
    """Check the constants of algorithm G, or the name of a rule for them."""
    if isinstance(given, Constants) or given in ("theory", "practical"):
        return given  # type: ignore[no-any-return]
    return Constants.read(given, caller)


@dataclass(frozen=True)
class Stable(ClassLearner["StablePlan | OneConcept"]):
    """Learner M (004, Theorem 30), behind `StableLearner`: copies of algorithm G vote.

    (epsilon, delta), replace-one, n public, for every input and all public coins.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public, with version spaces: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`, "
        "`Thresholds`, and every class that can be listed.",
        kw_only=False,
    )
    delta: Fraction = declared(share(DELTA_NEEDED), DELTA_TEXT)
    constants: Any = declared(
        replace(one_of("practical", "theory"), check=_constants, annotation="Any"),
        '``"theory"``: those of the theorem; the certificate assumes nothing about the '
        "distribution, and the number of records is doubly exponential in the Littlestone "
        'dimension. ``"practical"``: copies without tournaments; the certificate *assumes* that '
        "one hypothesis is submitted by a copy with probability 1/4. Or a mapping with "
        "``auxiliary``, ``copies``, and perhaps ``batches`` and ``stability``. No privacy depends "
        "on them.",
        default="theory",
        option="Theory (certified, and mostly far too many records), or practical, whose "
        "certificate makes an assumption about the records",
    )
    max_nodes: int = declared(
        whole(0),
        "Node budget of each search. A copy that exceeds it submits nothing.",
        default=20_000,
    )

    name = "stable"
    estimator = "StableLearner"
    summary = "copies of a globally stable algorithm vote; mostly of theoretical interest"
    claim = PRIVACY
    pure = False
    agnostic = False

    def check(self) -> None:
        """Refuse extreme numbers, and constants for another dimension."""
        check_extremes(self)
        if isinstance(self.constants, Constants) and self.d:
            self.constants.check(self.d, self.estimator)

    @cached_property
    def d(self) -> int:
        """Littlestone dimension of the class."""
        return self.concept_class.version_space().littlestone_dim()

    @cached_property
    def default(self) -> Hypothesis:
        """What is released when nothing is listed: a public concept."""
        return self.concept_class.version_space().member()

    def make_plan(self) -> StablePlan | OneConcept:
        """Return rounds, copies and batches."""
        if not self.d:
            return OneConcept(self.goal)
        if self.constants == "theory":
            return theorem_plan(self.d, self.goal)
        return assumed_plan(
            self.d, self.goal, self.constants if isinstance(self.constants, Constants) else None
        )

    def shuffles(self, n: int) -> bool:
        """Return whether n records are split into parts of several records."""
        return isinstance(self.plan, StablePlan)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        plan = self.plan
        if isinstance(plan, OneConcept):
            return self.default
        shuffled = shuffle(sample, source)  # step 1
        copies, chosen_by = plan.parts(sample.n)
        rest = len(shuffled) - chosen_by
        found = list(self.submitted(sample, shuffled[:rest], copies, public_salt(source)))  # step 2
        fresh = part(sample, shuffled[rest:])
        chosen = listed_and_chosen(
            found,
            lambda h: errors(h, fresh),
            epsilon=self.epsilon,
            delta=self.delta,
            source=source,
        )
        return self.default if chosen is None else chosen

    def submitted(
        self, sample: Sample, shuffled: Kinds, copies: tuple[int, ...], seed: int
    ) -> Iterator[Hypothesis | None]:
        """Yield what each copy of G submits: a function of its own records and of public coins.

        The h_1, ..., h_k of M, step 1.
        """
        plan = self.plan
        assert isinstance(plan, StablePlan)
        own, examples, at = plan.constants, _Examples(sample), 0
        whole = self.concept_class.version_space(max_nodes=self.max_nodes)
        for rounds, (count, batches) in enumerate(zip(copies, own.batches, strict=True)):
            size = (batches + 1) * own.auxiliary
            for copy in range(count):
                mine = shuffled[at : at + size]
                at += size
                pieces = (
                    examples.of(mine[i : i + own.auxiliary])
                    for i in range(0, size - own.auxiliary, own.auxiliary)
                )
                yield stable_copy(
                    whole.fresh(),  # what one copy's searches remember must not help another's
                    rounds,
                    pieces,
                    examples.of(mine[size - own.auxiliary :]),
                    _Coins((seed, rounds, copy)),
                )


def check_extremes(learner: ClassLearner[Any]) -> None:
    """Refuse numbers that the searches for plans, in floats, cannot hold."""
    for name in ("epsilon", "alpha", "beta"):
        value = getattr(learner, name)
        if not _SMALLEST <= value <= _LARGEST:
            raise parameter_error(learner.estimator, name, "between 1e-100 and 1e100", value)


def listed_and_chosen(
    found: Sequence[T | None],
    errors_of: Callable[[T], int],
    *,
    epsilon: Fraction,
    delta: Fraction,
    source: Source,
) -> T | None:
    """Return one of the items that many copies submitted: steps 3 and 4."""
    listed = stable_items(  # step 3
        (item for item in found if item is not None),
        n=len(found),
        epsilon=epsilon,
        delta=delta,
        source=source,
    )
    if not listed:
        return None
    scores = Explicit([-errors_of(item) for item in listed])  # step 4
    return listed[exponential_mechanism(scores, epsilon=epsilon, source=source)]


class _Examples:
    """Kinds of records as examples."""

    def __init__(self, sample: Sample) -> None:
        rows = sample.points.tolist()
        points = map(tuple, rows) if sample.points.ndim == 2 else rows
        self._points = [canonical(point) for point in points]

    def of(self, kinds: Kinds) -> list[Example]:
        """Return the examples, each kind once: an example twice tells nothing new."""
        return [self._example(kind) for kind in dict.fromkeys(kinds.tolist())]

    def _example(self, kind: int) -> Example:
        index, label = divmod(kind, 2)
        outside = index == len(self._points)
        return (OUTSIDE if outside else self._points[index]), label


class _Coins:
    """Fair public labels that belong to one copy."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._numbers = numbers

    @cached_property
    def _generator(self) -> np.random.Generator:
        return public_generator(*self._numbers)

    def __call__(self) -> int:
        return int(self._generator.integers(2))
