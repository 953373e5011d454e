"""The private learner of Littlestone classes: 003's Theorem 3, repaired and shortened.

1. Shuffle the records to teachers, ``chunk`` records each, by a secret permutation.
2. Every teacher lists hypotheses with few errors on its own records (`teachers`).
3. Draw one hypothesis by the number of teachers that list it, against bottom (`votes`).
   Or, as in the paper, stage by stage: test whether some hypothesis has many votes; if so, draw.
4. For proper output, pass from the released hypothesis to a concept (`proper`).

The paper's algorithm is in the proof of Theorem 3: S_1, ..., S_k are the teachers' records,
H_i^j the concepts within the tolerance of stage j, and their essential hypotheses the lists.

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
from littlestone.classes import AffineSubspaces, ConceptClass, Intervals, Points, Thresholds
from littlestone.classes.base import LISTABLE, closures
from littlestone.errors import LittlestoneError, UnsupportedError, check_integer, parameter_error
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
from littlestone.learners.littlestone.claims import PRIVACY, STAGES_PRIVACY, VOTES
from littlestone.learners.littlestone.empirical import empirical_certificate
from littlestone.learners.littlestone.plans import ClosedPlan
from littlestone.learners.littlestone.proper import check_listed, one_concept
from littlestone.learners.littlestone.stages import Oracles, StagesPlan
from littlestone.learners.littlestone.teachers import (
    MOST_CLOSED,
    ClosedLists,
    EssentialLists,
    Lists,
    Part,
    draw,
    parts,
)
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


Method = Literal["auto", "closures", "stages"]
METHODS = ("closures", "stages")
#: More stages are not planned: planning these takes some seconds.
MOST_STAGES = 500
#: Records of one teacher, and tolerances, as the user set them; None: planned.
Own = tuple[int | None, tuple[int, ...] | None]
Settings = ClosedPlan | StagesPlan


@dataclass(frozen=True)
class LittlestonePlan(Plan):
    """The plan of a Littlestone learner: every number of it but n."""

    goal: Goal
    settings: Settings | None
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
        raise parameter_error(caller, name, "falling whole numbers, one each stage", given)
    return counts


@dataclass(frozen=True)
class Littlestone(ClassLearner[LittlestonePlan]):
    """The learner behind `LittlestoneLearner` (003, Theorem 3): teachers list hypotheses and vote.

    (epsilon, delta), replace-one, n public, for every input.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        'Public: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`; for ``"stages"`` every '
        "class with version spaces.",
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
        'What teachers list. ``"closures"``: closed sets of low error, of sparse sets, points, '
        'affine subspaces, conjunctions; ``"auto"`` is the same. ``"stages"``: essential '
        "hypotheses, tested stage by stage, as in the paper, for any class with oracles; it needs "
        "hundreds of times as many records.",
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
        arguments = self.concept_class, self.goal, self.method, self.proper
        settings = _settings(*arguments, (self.chunk, self.tolerances))
        gives_up = isinstance(settings, ClosedPlan) and (
            self.max_nodes < closures(self.concept_class).closed
        )
        if gives_up and isinstance(settings, ClosedPlan):
            settings = replace(settings, vote_margin=None)  # nothing is certified
        required = settings.required
        if required is None and (gives_up or (self.chunk, self.tolerances) != (None, None)):
            required = _settings(*arguments, (None, None)).required
        if required is None:
            raise UnsupportedError(
                f"Learning {self.concept_class.spec} so well would need more than 10**5 teachers, "
                "or teachers of more than 500,000 records: that is not certified. Raise epsilon, "
                "alpha or beta."
            )
        return LittlestonePlan(self.goal, settings, required)

    @cached_property
    def default(self) -> Hypothesis:
        """What is released for bottom: a public concept."""
        return self.concept_class.version_space().member()

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        claim = STAGES_PRIVACY if isinstance(self.plan.settings, StagesPlan) else PRIVACY
        return Guarantee(self.epsilon, self.delta, claim=claim, seeded=seeded)

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
        return one_concept(self.concept_class, found, source) if self.proper else found  # step 4

    def _stages(
        self, teachers: Sequence[Part], lists: Lists, settings: StagesPlan, source: Source
    ) -> Hypothesis:
        """Draw from the first stage that passes its test (the algorithm in Theorem 3's proof)."""
        count = sum(weight for _, weight in teachers)  # a function of n, which is public
        # AboveThreshold on the most votes of a hypothesis; the paper asks for k/2 of them
        test = settings.test.start(settings.threshold(count), source)
        for stage in range(1, len(settings.tolerances) + 1):  # j
            votes = lists.votes(teachers, stage)
            if test.ask(votes.best):
                return draw(  # Algorithm 1 (PrivateSample), and halt
                    votes,
                    cap=settings.cap,
                    epsilon=settings.draw_epsilon,
                    delta=self.delta,
                    source=source,
                    default=self.default,
                )
        return self.default


def plan_methods(
    concept_class: ConceptClass, goal: Goal, *, proper: bool = False
) -> dict[str, int | None]:
    """Return how many records each method needs; methods that the class lacks are left out."""
    if concept_class.size == 1:
        return dict.fromkeys(METHODS, 1)
    found: dict[str, int | None] = {}
    for method in METHODS:
        try:
            found[method] = _settings(concept_class, goal, method, proper, (None, None)).required
        except LittlestoneError:
            continue
    return found


@lru_cache(maxsize=256)
def _settings(
    concept_class: ConceptClass,
    goal: Goal,
    method: str,
    proper: bool,
    own: Own,
) -> Settings:
    """Return the numbers of a method, with those that the user set."""
    if method != "stages":
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
    known = oracles(concept_class, proper)
    if known.d > MOST_STAGES and own == (None, None):
        raise UnsupportedError(
            f"The class {concept_class.spec} has Littlestone dimension {known.d}, and the method "
            f"'stages' needs a stage for each unit of it; at most {MOST_STAGES} are planned. Give "
            "your own chunk and tolerances (without a certificate)."
        )
    return StagesPlan.of(goal, known, *own)


@lru_cache(maxsize=64)
def oracles(concept_class: ConceptClass, proper: bool) -> Oracles:
    """Return what plans for essential hypotheses need to know of a class."""
    if isinstance(concept_class, Thresholds | Intervals) and concept_class.size > LISTABLE:
        raise UnsupportedError(
            f"Nearly all concepts of {concept_class.spec} that fit are essential, and there are "
            "more than 2**20: too many to be listed. Use the 'generic' learner."
        )
    d = concept_class.version_space().littlestone_dim()
    wanted = 1
    if proper and not isinstance(concept_class, Points | Thresholds):
        wanted = check_listed(concept_class)
    return Oracles(d, concept_class.vc_dim, concept_class.size, wanted)


def teachers_lists(concept_class: ConceptClass, found: LittlestonePlan, max_nodes: int) -> Lists:
    """Return how teachers make their lists."""
    settings: Any = found.settings
    if isinstance(settings, ClosedPlan):
        system = closures(concept_class)
        return ClosedLists(system, settings.tolerances[0], settings.cap, max_nodes)
    stages = range(1, len(settings.tolerances) + 1)
    return EssentialLists(
        concept_class.version_space(max_nodes),
        settings.oracles.d,
        settings.tolerances,
        tuple(settings.p(j) for j in stages),
        tuple(settings.longest(j) for j in stages),
    )
