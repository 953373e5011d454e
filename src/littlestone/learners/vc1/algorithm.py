"""The private learner of a class of VC dimension 1: Yan's Algorithms 2 to 4, repaired.

1. Build the tree of the class under a public concept f (Algorithm 1); relabel records by f.
2. Deal the records to chunks (one record each, as long as there are not very many).
3. Each chunk forces one path, whatever its records are (`parts`).
4-7. Choose a node by the paths: in one draw (`one_shot`), or by a median depth and a choice
   (`two_step`).
8-9. Release f, flipped on the path of that node.

For proper output, a second part of the records leads from an improper node down to a proper one
(`proper`). Statements and proofs: ``docs/learners/vc1.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.classes import check_class
from littlestone.classes.trees import ROOT, Node, PathsTree
from littlestone.data.dealing import OrderedSample, deal, part
from littlestone.errors import check_integer, parameter_error
from littlestone.learners.goal import check_budget
from littlestone.learners.vc1.claims import PRIVACY
from littlestone.learners.vc1.dealing import dealt_extremes, first_look
from littlestone.learners.vc1.parts import chunk_ends, extreme_ends, is_chain
from littlestone.learners.vc1.planner import METHODS, Method, Plan, plan
from littlestone.learners.vc1.proper import Down
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.bounds.certificate import Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["VC1"]


@dataclass(frozen=True)
class VC1:
    """The algorithm behind `VC1Learner`; make it with `of`.

    Attributes
    ----------
    concept_class : ConceptClass
    epsilon, delta, alpha, beta : Fraction
    proper : bool
        Whether the hypothesis must be a concept of the class.
    method : str
        ``"auto"``, ``"one-shot"``, ``"median-exponential"`` or ``"median-tree"``.
    down : str
        Proper output of trees with improper nodes: ``"auto"``, ``"leaves"`` or ``"descent"``
        (Algorithm 4).
    chunks : int or None
        Number of chunks; None takes the best. No privacy depends on it.
    """

    concept_class: ConceptClass
    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    proper: bool = False
    method: Method = "auto"
    down: Down = "auto"
    chunks: int | None = None
    name: str = "vc1"
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
        down: Any = "auto",
        chunks: Any = None,
        owner: str = "VC1Learner",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        concept_class : ConceptClass
            Of VC dimension at most 1.
        epsilon : number in (0, inf)
        delta : number in (0, 1)
        alpha, beta : number in (0, 1)
        proper, method, down, chunks
            See the attributes.
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        UnsupportedError
            If the class has no tree.
        """
        check_class(owner, concept_class)
        if method not in ("auto", *METHODS):
            raise parameter_error(owner, "method", f"one of auto, {', '.join(METHODS)}", method)
        if down not in ("auto", "leaves", "descent"):
            raise parameter_error(owner, "down", "one of auto, leaves, descent", down)
        if not isinstance(proper, bool | np.bool_):
            raise parameter_error(owner, "proper", "True or False", proper)
        if chunks is not None:
            chunks = check_integer(owner, "chunks", chunks, low=1)
        hint = "1e-6 is a common choice; it must be far below one over the number of records."
        made = cls(
            concept_class,
            *check_budget(owner, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta, hint=hint),
            bool(proper),
            method,
            down,
            chunks,
        )
        _ = made.plan  # refuses a class without a tree
        return made

    @property
    def plan(self) -> Plan:
        """Tree, method, parts: chosen from public parameters only."""
        return plan(
            self.concept_class,
            self.epsilon,
            self.delta,
            self.alpha,
            self.beta,
            method=self.method,
            proper=self.proper,
            down=self.down,
            chunks=self.chunks,
        )

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        return Guarantee(self.epsilon, self.delta, claim=PRIVACY, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self.plan.certificate(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
        return self.plan.required

    def deals(self, n: int) -> bool:
        """Return whether n records are dealt to parts of several records.

        If not, every record is its own chunk, and the output is a function of the counts alone.
        """
        return self.plan.down is not None or self.plan.chunk_count(n) != n

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
        way, n = self.plan, sample.n
        if way.chooser is None:
            return way.tree.hypothesis(ROOT)
        if self._by_tails and not isinstance(sample, OrderedSample):
            assert isinstance(way.tree, PathsTree)
            extremes = dealt_extremes(sample, way.chunk_count(n), source)
            return way.tree.hypothesis(self._choose(extreme_ends(extremes, way.tree), source))
        dealt = deal(sample, source)  # step 2
        first, _ = way.parts(n)
        ends = chunk_ends(way.tree, sample, dealt[:first], way.chunk_count(first))  # step 3
        node = self._choose(ends, source)
        if way.down is not None and not way.tree.is_proper(node) and node is not ROOT:
            node = way.down.go_down(node, way.tree, part(sample, dealt[first:]), source)
        return way.tree.hypothesis(node)  # steps 8 and 9

    @property
    def tails(self) -> int | None:
        """How many of the outermost records are looked at, if these are all that matters."""
        return first_look(self.plan.chunk_count(2**62)) if self._by_tails else None

    @property
    def _by_tails(self) -> bool:
        return self.plan.down is None and is_chain(self.plan.tree)

    def _choose(self, ends: Sequence[Node], source: Source) -> Node:
        """Return the node of steps 4 to 7; bottom becomes f itself."""
        chooser = self.plan.chooser
        assert chooser is not None
        node = chooser.choose(ends, self.plan.tree, source)
        return ROOT if node is None else node
