"""``--class auto``: the largest class of rows that n records can certify.

The classes are nested: a rule of two literals is a tree of depth 2, and that one of depth 3. A
richer class has a better best concept, and needs more records. Which one is taken depends on
public parameters only: the schema, n, epsilon, alpha and beta. The data play no part, so the
choice costs no privacy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from littlestone.classes import DecisionTrees, Rules
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Schema
    from littlestone.learners.algorithm import Algorithm

__all__ = ["largest_certifiable", "nested_classes"]


def nested_classes(schema: Schema) -> tuple[ConceptClass, ...]:
    """Return the classes that ``auto`` chooses from, each one contained in the next.

    Parameters
    ----------
    schema : Schema
        Public. Classes that would be too large for it are left out.

    Returns
    -------
    tuple of ConceptClass
        Rules of two literals (of one, if two are too many), trees of depth 2, trees of depth 3.

    Raises
    ------
    ParameterError
        If the schema is too large for all of them.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> [c.spec for c in nested_classes(Schema.from_dict({"age": {"bins": [30, 60]}}))]
    ['rules(max_literals=2)', 'decision_trees(depth=2)', 'decision_trees(depth=3)']
    """
    makers: tuple[Callable[[], ConceptClass], ...] = (
        lambda: Rules(schema, 2),
        lambda: DecisionTrees(schema, 2),
        lambda: DecisionTrees(schema, 3),
    )
    classes = [concept_class for make in makers if (concept_class := _possible(make)) is not None]
    return tuple(classes) or (Rules(schema, 1),)


def largest_certifiable(
    schema: Schema, n: int, make: Callable[[ConceptClass], Algorithm]
) -> Algorithm:
    """Return the learner of the largest_certifiable class whose certificate holds with n records.

    Parameters
    ----------
    schema : Schema
    n : int
        Number of records: public under replace-one.
    make : callable, concept class -> Algorithm
        Makes the learner, with its public epsilon, alpha and beta.

    Returns
    -------
    Algorithm
        If no certificate holds, that of the poorest class, which needs the fewest records.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> from littlestone.learners import registry
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> def make(concept_class):
    ...     return registry.make("agnostic", concept_class, epsilon=1)
    >>> [largest_certifiable(schema, n, make).concept_class.spec for n in (1_500, 2_500, 4_000)]
    ['rules(max_literals=2)', 'decision_trees(depth=2)', 'decision_trees(depth=3)']
    """
    learners = [make(concept_class) for concept_class in nested_classes(schema)]
    certified = [learner for learner in learners if n >= 1 and learner.certificate(n).holds]
    return certified[-1] if certified else learners[0]


def _possible(make: Callable[[], ConceptClass]) -> ConceptClass | None:
    try:
        return make()
    except ParameterError:
        return None
