"""Learner M of 004, Theorem 30: many copies of a globally stable algorithm, and a vote.

1. Deal the records: batches to the copies of algorithm G (`tournament`), the rest to step 4.
2. Run the copies; each submits a hypothesis, or fails.
3. List what many copies submitted, by a stable histogram.
4. Choose from the list by the exponential mechanism, on the rest of the records.

Steps 3 and 4 see disjoint records, so they cost their maximum (the paper adds them). The coins of
the copies are public: privacy holds for each of their values. Statements and proofs:
``docs/learners/stable.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from littlestone.classes import check_class, errors
from littlestone.data.dealing import deal, part
from littlestone.data.domains import OUTSIDE
from littlestone.data.points import canonical
from littlestone.errors import check_integer, parameter_error
from littlestone.learners.goal import Goal, check_budget
from littlestone.learners.stable.claims import PRIVACY
from littlestone.learners.stable.plan import (
    Parameters,
    Plan,
    assumed_plan,
    only_concept,
    theorem_plan,
)
from littlestone.learners.stable.tournament import stable_copy
from littlestone.mechanisms import exponential_mechanism, stable_items
from littlestone.privacy import Guarantee
from littlestone.source import Explicit, public_generator, public_salt

if TYPE_CHECKING:
    import numpy as np

    from littlestone.bounds import Certificate
    from littlestone.bounds.certificate import Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.data.dealing import Kinds
    from littlestone.learners.stable.soa import Example
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Stable"]

_SMALLEST, _LARGEST = Fraction(1, 10**100), Fraction(10**100)


@dataclass(frozen=True)
class Stable:
    """The algorithm behind `StableLearner`; make it with `of`.

    Attributes
    ----------
    concept_class : ConceptClass
    epsilon, delta, alpha, beta : Fraction
    parameters : str or Parameters
        ``"theory"``, ``"practical"``, or those that somebody chose. No privacy depends on them.
    max_nodes : int
        Node budget of each search; a copy that exceeds it fails.
    """

    concept_class: ConceptClass
    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    parameters: str | Parameters = "theory"
    max_nodes: int = 20_000
    name: str = "stable"
    unit: Unit = "records"

    @classmethod
    def of(
        cls,
        concept_class: ConceptClass,
        *,
        epsilon: Any,
        delta: Any,
        alpha: Any,
        beta: Any,
        parameters: Any = "theory",
        max_nodes: Any = 20_000,
        owner: str = "StableLearner",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        concept_class : ConceptClass
            Of finite Littlestone dimension, with version spaces.
        epsilon : number in (0, inf)
        delta : number in (0, 1)
        alpha, beta : number in (0, 1)
        parameters, max_nodes
            See the attributes; parameters may be a mapping.
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        UnsupportedError
            If the class has no version spaces, or its Littlestone dimension is not known.
        InfeasibleError
            For ``"theory"``, if the Littlestone dimension is larger than 7.
        """
        check_class(owner, concept_class)
        hint = "1e-6 is a common choice; zero is not possible: candidates come from the data."
        budget = check_budget(
            owner, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta, hint=hint
        )
        for name, value in zip(("epsilon", "alpha", "beta"), (budget[0], *budget[2:]), strict=True):
            if not _SMALLEST <= value <= _LARGEST:
                raise parameter_error(owner, name, "between 1e-100 and 1e100", value)
        nodes = check_integer(owner, "max_nodes", max_nodes, low=0)
        made = cls(concept_class, *budget, "theory", nodes)
        if isinstance(parameters, str):
            if parameters not in ("theory", "practical"):
                Parameters.read(parameters, 0, owner)  # refuses
            made = cls(concept_class, *budget, parameters, nodes)
        elif made.d:
            own = Parameters.read(parameters, made.d, owner)
            made = cls(concept_class, *budget, own, nodes)
        _ = made.plan, made.default  # refuse what cannot be learned
        return made

    @cached_property
    def d(self) -> int:
        """Littlestone dimension of the class."""
        return self.concept_class.version_space().littlestone_dim()

    @cached_property
    def default(self) -> Hypothesis:
        """What is released when nothing is listed: a public concept."""
        return self.concept_class.version_space().member()

    @cached_property
    def plan(self) -> Plan | None:
        """Rounds, copies, batches: chosen from public parameters only; None for one concept."""
        if not self.d:
            return None
        budget = Goal(self.epsilon, self.delta, self.alpha, self.beta)
        if self.parameters == "theory":
            return theorem_plan(self.d, budget)
        own = self.parameters if isinstance(self.parameters, Parameters) else None
        return assumed_plan(self.d, budget, own)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        return Guarantee(self.epsilon, self.delta, claim=PRIVACY, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        if self.plan is None:
            return only_concept(self.alpha, self.beta, n)
        return self.plan.certificate(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds.

        For parameters of your own that never make it hold: what is required to run them.
        """
        return 1 if self.plan is None else self.plan.required

    def deals(self, n: int) -> bool:
        """Return whether n records are dealt to parts of several records."""
        return self.plan is not None

    def learn(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws.

        Parameters
        ----------
        sample : Sample
            Any sample: privacy does not assume anything.
        source : Source

        Returns
        -------
        Hypothesis
        """
        if self.plan is None:
            return self.default
        dealt = deal(sample, source)  # step 1
        copies, chosen_by = self.plan.parts(sample.n)
        rest = len(dealt) - chosen_by
        found = list(self.submitted(sample, dealt[:rest], copies, public_salt(source)))  # step 2
        listed = stable_items(  # step 3
            (h for h in found if h is not None),
            n=len(found),
            epsilon=self.epsilon,
            delta=self.delta,
            source=source,
        )
        if not listed:
            return self.default
        fresh = part(sample, dealt[rest:])  # step 4
        scores = Explicit([-errors(h, fresh) for h in listed])
        return listed[exponential_mechanism(scores, epsilon=self.epsilon, source=source)]

    def submitted(
        self, sample: Sample, dealt: Kinds, copies: tuple[int, ...], seed: int
    ) -> Iterator[Hypothesis | None]:
        """Yield what each copy of G submits: a function of its own records and of public coins.

        Parameters
        ----------
        sample : Sample
        dealt : ndarray
            Kinds of the records, in the order in which they are dealt.
        copies : tuple of int
            Number of copies for each number of rounds.
        seed : int
            Of the public coins.
        """
        assert self.plan is not None
        own, examples, at = self.plan.parameters, _Examples(sample), 0
        whole = self.concept_class.version_space(max_nodes=self.max_nodes)
        for rounds, (count, batches) in enumerate(zip(copies, own.batches, strict=True)):
            size = (batches + 1) * own.auxiliary
            for copy in range(count):
                mine = dealt[at : at + size]
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
