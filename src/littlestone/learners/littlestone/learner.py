"""The private learner of Littlestone classes: 003's Theorem 3, repaired and shortened.

1. Shuffle the records to teachers, ``chunk`` records each, by a secret permutation.
2. Every teacher lists hypotheses with few errors on its own records (`teachers`).
3. Draw one hypothesis by the number of teachers that list it, against bottom (`votes`).
4. For proper output, pass from the released hypothesis to a concept (`proper`).

The paper's own algorithm, stage by stage with essential hypotheses, is `papers.Theorem3`.

The plan decides, from public parameters, which lists teachers make, how many teachers there are,
and how many records each of them has.

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from littlestone.bounds import CertificateBuilder, least_n
from littlestone.classes import AffineSubspaces, ConceptClass
from littlestone.classes.base import closures
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.learners.base import (
    CLASS,
    DELTA_NEEDED,
    DELTA_TEXT,
    FLAG,
    PROPER,
    ClassLearner,
    Goal,
    Kind,
    Plan,
    declared,
    maybe,
    one_of,
    share,
    whole,
)
from littlestone.learners.littlestone.empirical import empirical_certificate
from littlestone.learners.littlestone.plans import VOTES, ClosedPlan
from littlestone.learners.littlestone.proper import one_concept
from littlestone.learners.littlestone.teachers import (
    MOST_CLOSED,
    ClosedLists,
    draw,
    parts,
)
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

PRIVACY = "littlestone.privacy"


Method = Literal["auto", "closures"]
METHODS = ("closures",)
#: Records of one teacher, and tolerances, as the user set them; None: planned.
Own = tuple[int | None, tuple[int, ...] | None]


@dataclass(frozen=True)
class LittlestonePlan(Plan):
    """The plan of a Littlestone learner: every number of it but n."""

    goal: Goal
    settings: ClosedPlan | None
    required: int

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.settings.method if self.settings else "closures"

    @property
    def chunk(self) -> int:
        """Records of one teacher."""
        return self.settings.chunk if self.settings else 1

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        if self.settings is not None:
            return self.settings.certificate(n)
        cert = CertificateBuilder()
        cert.step("one_concept", "n >= 1", VOTES, n=n)
        return cert.certificate(alpha=self.goal.alpha, beta=self.goal.beta, n=n)


def _tolerances(caller: str, name: str, given: Any) -> tuple[int, ...]:
    """Check falling tolerances, one for each stage."""
    listed = tuple(given) if isinstance(given, Sequence) else ()
    counts = tuple(check_integer(caller, name, c, low=0) for c in listed)
    if not counts or list(counts) != sorted(counts, reverse=True):
        raise parameter_error(caller, name, "decreasing whole numbers, one for each stage", given)
    return counts


@dataclass(frozen=True)
class Littlestone(ClassLearner[LittlestonePlan]):
    """The learner behind `LittlestoneLearner` (003, Theorem 3): teachers list hypotheses and vote.

    (epsilon, delta), replace-one, n public, for every input.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`.",
        kw_only=False,
    )
    delta: Fraction = declared(share(DELTA_NEEDED), DELTA_TEXT)
    proper: bool = declared(
        FLAG,
        "Whether the hypothesis must be a concept of the class (one draw of `make_proper`).",
        default=False,
        option=PROPER,
    )
    method: Method = declared(
        one_of("auto", *METHODS),
        'What each teacher lists. ``"closures"``: closed sets of low error, of sparse sets, '
        'points, affine subspaces, conjunctions; ``"auto"`` is the same.',
        default="auto",
    )
    chunk: int | None = declared(
        maybe(whole(1)),
        "Records of one teacher, instead of the planned number. No privacy depends on it.",
        default=None,
    )
    tolerances: tuple[int, ...] | None = declared(
        maybe(Kind("sequence of int", _tolerances)),
        "Most errors of a listed hypothesis, one number for each stage, instead of the planned "
        "ones. No privacy depends on them.",
        default=None,
    )
    max_nodes: int = declared(
        whole(0),
        "Node budget of one teacher's search. A teacher that exceeds it submits the empty list.",
        default=20_000,
    )

    name = "littlestone"
    estimator = "LittlestoneLearner"
    summary = "votes of teachers; for classes that no exponential mechanism can list"
    claim = PRIVACY
    pure = False
    agnostic = False

    def make_plan(self) -> LittlestonePlan:
        """Return method, teachers and tolerances."""
        if self.concept_class.size == 1:
            return LittlestonePlan(self.goal, None, 1)
        arguments = self.concept_class, self.goal, self.proper
        settings = _settings(*arguments, (self.chunk, self.tolerances))
        gives_up = self.max_nodes < closures(self.concept_class).closed
        if gives_up:
            settings = replace(settings, vote_margin=None)  # nothing is certified
        required = settings.required
        if required is None and (gives_up or (self.chunk, self.tolerances) != (None, None)):
            required = _settings(*arguments, (None, None)).required
        if required is None:
            raise UnsupportedError(
                f"Learning {self.concept_class.spec} this accurately would need more than 10**5 "
                "teachers, or teachers with more than 500,000 records, which is not certified. "
                "Raise epsilon, alpha or beta."
            )
        return LittlestonePlan(self.goal, settings, required)

    @cached_property
    def default(self) -> Hypothesis:
        """What is released for bottom: a public concept."""
        return self.concept_class.version_space().member()

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        return Guarantee(self.epsilon, self.delta, claim=PRIVACY, seeded=seeded)

    def certificate(self, n: int, *, empirical: bool = False) -> Certificate:
        """Return what is promised about accuracy with n records."""
        if not empirical or self.plan.settings is None:
            return super().certificate(n)
        n = check_integer(self.estimator, "n", n, low=1)
        return empirical_certificate(self.plan.settings, n)

    def required_samples(self, *, empirical: bool = False) -> int:
        """Return the least n from which on the certificate always holds."""
        if not empirical:
            return super().required_samples()
        return least_n(lambda n: self.certificate(n, empirical=True).holds, self.plan.required)

    def shuffles(self, n: int) -> bool:
        """Return whether records are split among teachers of several records.

        If not, every record is its own teacher, and the output is a function of the counts alone.
        """
        return self.plan.chunk > 1

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        settings = self.plan.settings
        if settings is None:
            return self.default  # there is one concept only
        teachers = parts(sample, source, self.plan.chunk)  # step 1
        system = closures(self.concept_class)
        lists = ClosedLists(system, settings.tolerances[0], settings.cap, self.max_nodes)
        found = draw(  # step 3
            lists.votes(teachers),  # step 2
            cap=settings.cap,
            epsilon=self.epsilon,
            delta=self.delta,
            source=source,
            default=self.default,
        )
        return one_concept(self.concept_class, found, source) if self.proper else found  # step 4


@lru_cache(maxsize=256)
def _settings(
    concept_class: ConceptClass,
    goal: Goal,
    proper: bool,
    own: Own,
) -> ClosedPlan:
    """Return the numbers of a method, with those that the user set."""
    system = closures(concept_class)
    if system.closed > MOST_CLOSED:
        raise UnsupportedError(
            f"A concept of {concept_class.spec} may hold more than 2**14 closed sets, too many "
            "to be listed by each teacher. Use a smaller class, or the 'generic' learner."
        )
    spread = Fraction(0)
    if proper and isinstance(concept_class, AffineSubspaces):
        spread = Fraction(1, concept_class.q**concept_class.n)
    return ClosedPlan.of(goal, system, *own, spread=spread)
