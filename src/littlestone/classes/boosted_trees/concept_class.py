"""The classes of all sums of trees of one depth over a public schema."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from littlestone.classes.base import SchemaClass
from littlestone.classes.boosted_trees.coefficients import FURTHEST
from littlestone.classes.boosted_trees.ensemble import MAX_ROUNDS
from littlestone.classes.decision_trees.concept_class import DecisionTrees
from littlestone.classes.spec import written
from littlestone.data import Column, Sample, Schema
from littlestone.data.cells import check_labels
from littlestone.data.sample import fit_memory
from littlestone.data.targets import Target
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice
from littlestone.types import Hypothesis

if TYPE_CHECKING:
    from fractions import Fraction

    from littlestone.classes.base import Representation, VersionSpace

_DEPTHS = (1, 2, 3)


@written("boosted_trees(depth=2)")
class BoostedTreeClass(SchemaClass):
    """Sums of decision trees of one depth, each voting +1 or -1; 1 where the sum is positive.

    With a list of labels each tree votes for one of them, and the most votes are answered.

    Learned by boosting (`littlestone.BoostedTrees`), tree by tree, not by one draw: the class is
    far too large for the exponential mechanism over its members.

    Notes
    -----
    ``vc_dim`` is an upper bound: with s(m) different splits on m points, T trees label them in at
    most N(s(m))**T ways, and shattering needs 2**m.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> BoostedTreeClass(schema, depth=2, rounds=3).spec
    'boosted_trees(depth=2, rounds=3)'
    >>> BoostedTreeClass(schema, depth=1, rounds=3).size
    8000
    """

    name: ClassVar[str] = "boosted_trees"
    vc_exact = False
    learned_by = "boosting"
    #: Its estimator, which errors name.
    estimator: str = "BoostedTrees"

    def __init__(
        self,
        schema: Schema,
        depth: int = 2,
        rounds: int | Literal["auto"] | None = None,
        labels: Any = None,
        target: Target | None = None,
    ) -> None:
        if target is not None:
            # of times one estimator, of any depth
            self.estimator = "BoostedTreesSurvival" if target.ends else f"{self.estimator}Regressor"
        caller = self.estimator
        if labels is not None:
            self.labels = check_labels(caller, labels)
        if target is not None:
            self.learned_by = "values"
            if labels is not None:
                raise parameter_error(caller, "labels", "left out with a target", labels)
        self.target = target
        super().__init__(schema)
        if schema.ordered and (depth != 1 or labels is not None or target is not None):
            raise UnsupportedError(
                f"{caller} cannot be monotone in {', '.join(schema.ordered)}; linear models and "
                "scorecards of the labels 0 and 1 can (--model linear, --model scorecard). Use "
                "one of these, or leave monotone out of the schema (monotonic_cst, --monotonic)."
            )
        self.depth = check_integer(caller, "depth", depth, low=1)
        if self.depth not in _DEPTHS:
            raise parameter_error(caller, "depth", "1, 2 or 3", self.depth)
        if isinstance(rounds, str) and rounds == "auto":
            rounds = None
        if rounds is not None:
            rounds = check_integer(caller, "rounds", rounds, low=1)
            if rounds > MAX_ROUNDS:
                raise parameter_error(caller, "rounds", f"at most {MAX_ROUNDS}", rounds)
        self.rounds = rounds
        self.trees = DecisionTrees(self.asked, self.depth, self.labels)  # refuses too many splits

    @property
    def caller(self) -> str:
        """Its estimator."""
        return self.estimator

    def of_target(self, target: Target) -> BoostedTreeClass:
        """Return the class of such sums that predict a target."""
        return self.changed(target=target)

    @cached_property
    def asked(self) -> Schema:
        """The columns that its trees may ask: of a time also the period, as the last one."""
        ends = () if self.target is None else self.target.ends[:-1]
        if not ends or not self.schema.bound:
            return self.schema
        if "time" in self.schema.names:
            raise parameter_error(
                self.estimator, "schema", "one without a column 'time', which is the period", "one"
            )
        return Schema((*self.schema.columns, Column.bins("time", [_plain(end) for end in ends])))

    @property
    def uses_marginals(self) -> bool:
        """Whether the counts of sets of columns are enough for each tree, and not too many."""
        listed = len(self.labels) + 1 if self.lists_labels else 2
        return fit_memory(self.asked, self.depth, listed)

    @property
    def _most(self) -> int:
        return self.rounds or MAX_ROUNDS

    @property
    def size(self) -> int:
        """Number of sequences of ``rounds`` trees (of the most rounds, if it is not fixed)."""
        size: int = self.trees.size**self._most
        return size

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of sums."""
        return self._most * math.log(self.trees.size)

    @cached_property
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension, for the labels 0 and 1."""
        self.check_binary("The VC dimension")
        return self.trees.shatter_bound(self._most)

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Refuse: the class is learned tree by tree."""
        raise self._refusal()

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Refuse: the class is learned tree by tree."""
        raise self._refusal()

    def version_space(self, max_nodes: int | None = None) -> VersionSpace:
        """Refuse: the class is too large to be searched."""
        raise self._refusal()

    def _concepts(self) -> Iterator[Hypothesis]:
        raise self._refusal()

    def _refusal(self) -> UnsupportedError:
        return UnsupportedError(
            f"The class {self.spec} is learned tree by tree, not by a single draw or a search. Use "
            "the learner 'boosting' (BoostedTrees, Scorecard)."
        )


@written("scorecard")
class ScorecardClass(BoostedTreeClass):
    """Sums of trees of depth 1, which add up to points for each bin and category.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> ScorecardClass(schema).spec, ScorecardClass(schema, rounds=20)
    ('scorecard', ScorecardClass(Schema(age), rounds=20))
    """

    name: ClassVar[str] = "scorecard"
    estimator = "Scorecard"

    def __init__(
        self,
        schema: Schema,
        rounds: int | Literal["auto"] | None = None,
        labels: Any = None,
        target: Target | None = None,
    ) -> None:
        super().__init__(schema, 1, rounds, labels, target)


@written("linear")
class LinearClass(ScorecardClass):
    """Sums of one number for each cell, which single columns add: linear in bins and categories.

    Learned by noisy gradients (`littlestone.LinearClassifier`); a member is a scorecard.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> LinearClass(schema).spec, LinearClass(schema).vc_dim
    ('linear', 5)
    """

    name: ClassVar[str] = "linear"
    learned_by = "linear"
    estimator = "LinearClassifier"

    def __init__(self, schema: Schema, labels: Any = None, target: Target | None = None) -> None:
        if target is not None:
            raise UnsupportedError(
                f"Linear models predict labels, not a {target.kind}: use boosted trees or a "
                "scorecard (--model boosted, --model scorecard)."
            )
        super().__init__(schema, None, labels)

    uses_marginals = True

    @property
    def size(self) -> int:
        """Number of tables of points, which are whole numbers."""
        size: int = (2 * FURTHEST + 1) ** self._free
        return size

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of tables."""
        return self._free * math.log(2 * FURTHEST + 1)

    @cached_property
    def vc_dim(self) -> int:
        """The dimension of affine functions of the answers of all columns."""
        self.check_binary("The VC dimension")
        return self._free

    @property
    def _free(self) -> int:
        """Number of free numbers of the tables of all labels but one."""
        return (len(self.labels) - 1) * (1 + sum(k - Column.FIRST for k in self.bound.n_codes))

    def _refusal(self) -> UnsupportedError:
        return UnsupportedError(
            "The class linear is learned by noisy gradients, not by a single draw or a search. "
            "Use the learner 'linear' (LinearClassifier)."
        )


def _plain(end: Fraction) -> int | float:
    return int(end) if end.denominator == 1 else float(end)
