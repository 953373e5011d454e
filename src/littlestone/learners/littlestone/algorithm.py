"""The private learner of Littlestone classes: 003's Theorem 3, repaired and shortened.

1. Deal the records to teachers, ``chunk`` records each, by a secret permutation.
2. Every teacher lists hypotheses that err rarely on its own records (`teachers`).
3. Draw one hypothesis by the number of teachers that list it, against bottom (`votes`).
   Or, as in the paper, stage by stage: test whether some hypothesis has many votes; if so, draw.
4. For proper output, pass from the released hypothesis to a concept (`proper`).

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from littlestone.classes import check_class
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.learners.goal import Goal, check_budget
from littlestone.learners.littlestone.claims import PRIVACY, STAGES_PRIVACY
from littlestone.learners.littlestone.plan_all import AllPlan
from littlestone.learners.littlestone.plan_essential import StagesPlan
from littlestone.learners.littlestone.planner import METHODS, Plan, plan, teachers_lists
from littlestone.learners.littlestone.proper import one_concept
from littlestone.learners.littlestone.teachers import AllLists, Part, parts
from littlestone.learners.littlestone.votes import draw
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.bounds.certificate import Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.learners.littlestone.teachers import Lists
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Littlestone", "Method"]

Method = Literal["auto", "all", "closures", "essential", "stages"]


@dataclass(frozen=True)
class Littlestone:
    """The algorithm behind `LittlestoneLearner`; make it with `of`.

    Attributes
    ----------
    concept_class : ConceptClass
    epsilon, delta, alpha, beta : Fraction
    proper : bool
        Whether the hypothesis must be a concept of the class.
    method : str
        ``"auto"``, ``"all"``, ``"closures"``, ``"essential"`` or ``"stages"``.
    chunk : int or None
        Records of one teacher; None takes the planned number. No privacy depends on it.
    tolerances : tuple of int or None
        Most errors of a listed hypothesis, for each stage; None takes the planned ones.
    max_nodes : int
        Node budget of one teacher's search; a teacher that exceeds it submits the empty list.
    """

    concept_class: ConceptClass
    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    proper: bool = False
    method: Method = "auto"
    chunk: int | None = None
    tolerances: tuple[int, ...] | None = None
    max_nodes: int = 20_000
    name: str = "littlestone"
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
        proper: bool = False,
        method: Any = "auto",
        chunk: Any = None,
        tolerances: Any = None,
        max_nodes: Any = 20_000,
        owner: str = "LittlestoneLearner",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        concept_class : ConceptClass
            Of finite Littlestone dimension, with the oracles that the method needs.
        epsilon : number in (0, inf)
        delta : number in (0, 1)
        alpha, beta : number in (0, 1)
        proper, method, chunk, tolerances, max_nodes
            See the attributes.
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        UnsupportedError
            If the class lacks what the method needs, or more than 10**5 teachers would be needed.
        """
        check_class(owner, concept_class)
        if method not in ("auto", *METHODS):
            raise parameter_error(owner, "method", f"one of auto, {', '.join(METHODS)}", method)
        if not isinstance(proper, bool | np.bool_):
            raise parameter_error(owner, "proper", "True or False", proper)
        if chunk is not None:
            chunk = check_integer(owner, "chunk", chunk, low=1)
        if tolerances is not None:
            tolerances = _tolerances(owner, tolerances)
        hint = "1e-6 is a common choice; it must be far below one over the number of records."
        made = cls(
            concept_class,
            *check_budget(owner, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta, hint=hint),
            bool(proper),
            method,
            chunk,
            tolerances,
            check_integer(owner, "max_nodes", max_nodes, low=0),
        )
        made.required_samples()  # refuses what cannot be learned or certified
        return made

    @cached_property
    def plan(self) -> Plan:
        """Method, teachers, tolerances: chosen from public parameters only."""
        return self._plan(self.chunk, self.tolerances)

    def _plan(self, chunk: int | None, tolerances: tuple[int, ...] | None) -> Plan:
        budget = Goal(self.epsilon, self.delta, self.alpha, self.beta)
        return plan(
            self.concept_class,
            budget,
            method=self.method,
            proper=self.proper,
            own=(chunk, tolerances),
        )

    @cached_property
    def default(self) -> Hypothesis:
        """What is released for bottom: a public concept."""
        if isinstance(self.plan.settings, AllPlan):
            return AllLists(self.concept_class, 0).first
        return self.concept_class.version_space().member()

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        claim = STAGES_PRIVACY if isinstance(self.plan.settings, StagesPlan) else PRIVACY
        return Guarantee(self.epsilon, self.delta, claim=claim, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self.plan.certificate(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds.

        With a chunk or tolerances of your own that cannot be certified: that of the planned ones.
        """
        own = self.plan.required
        if own is None and (self.chunk, self.tolerances) != (None, None):
            own = self._plan(None, None).required
        if own is None:
            raise UnsupportedError(
                f"Learning {self.concept_class.spec} so well would need more than 10**5 teachers, "
                "or teachers of more than 500,000 records: that is not certified. Raise epsilon, "
                "alpha or beta."
            )
        return own

    def deals(self, n: int) -> bool:
        """Return whether records are dealt to teachers of several records.

        If not, every record is its own teacher, and the output is a function of the counts alone.
        """
        return self.plan.chunk > 1

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
        if self.plan.settings is None:
            return self.default  # there is one concept only
        teachers = parts(sample, source, self.plan.chunk)  # step 1
        lists = teachers_lists(self.concept_class, self.plan, self.max_nodes)
        if isinstance(self.plan.settings, StagesPlan):
            found = self._stages(teachers, lists, self.plan.settings, source)
        else:
            votes = lists.votes(teachers)  # step 2
            found = draw(  # step 3
                votes,
                cap=self.plan.settings.cap,
                epsilon=self.epsilon,
                delta=self.delta,
                source=source,
                default=self.default,
            )
        if not self.proper or isinstance(self.plan.settings, AllPlan):
            return found  # lists of concepts: it is one
        return one_concept(self.concept_class, found, source)  # step 4

    def _stages(
        self, teachers: Sequence[Part], lists: Lists, settings: StagesPlan, source: Source
    ) -> Hypothesis:
        """Theorem 3: test each stage; draw from the first one that passes."""
        count = sum(weight for _, weight in teachers)  # a function of n, which is public
        test = settings.test.start(settings.threshold(count), source)
        for stage in range(1, len(settings.tolerances) + 1):
            votes = lists.votes(teachers, stage)
            if test.ask(votes.best):
                return draw(
                    votes,
                    cap=settings.cap,
                    epsilon=settings.draw_epsilon,
                    delta=self.delta,
                    source=source,
                    default=self.default,
                )
        return self.default


def _tolerances(owner: str, given: Any) -> tuple[int, ...]:
    """Return falling tolerances."""
    listed = tuple(given) if isinstance(given, Sequence) else ()
    counts = tuple(check_integer(owner, "tolerances", c, low=0) for c in listed)
    if not counts or list(counts) != sorted(counts, reverse=True):
        raise parameter_error(owner, "tolerances", "falling whole numbers, one each stage", given)
    return counts
