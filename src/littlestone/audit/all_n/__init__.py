r"""Is it private for every n? A checked chain from single records to all data sets.

Exact verification enumerates small data sets. What is said here holds for every n, if each step
of a chain does; the report says of each step how it is known:

==========  =====================================================================================
enumerated  computed exactly, for everything that the step speaks of (every pair of records, ...)
proved      a theorem of ``proofs/``, checked by a kernel
tested      computed exactly on some data sets: it may be false on others
assumed     argued on paper, and neither computed here nor checked by a kernel
==========  =====================================================================================

*Sums over records.* The law of a draw is ``mu(h) e**(r sum_i f(z_i, h)) / total``: mu and r
depend on public parameters, n and what was released before. If for every pair of single records
f(z, h) - f(z', h) oscillates over all outcomes h by at most D, the draw has r D-bounded range for
all n (``additive.additive_range``). The integers f are read off exact laws, not off the code: the
log-ratio of two outcomes on two data sets, divided by r, must be one.

*Candidates beside bottom.* The weight of a candidate relative to bottom's is ``e**(r s)``. A
single record adds 1 to at most k scores; bottom has the weight that hides k
(``sparse.sparse_lists_dp``).

*Rounds of boosting* are such sums over units, given any earlier trees; so are what starts, last
corrections and evaluations ask, quantiles and sums with noise.

*Others* name the lemmas of their claims (`littlestone.bounds.claims`), and what these leave out.

===========  =====================================================================================
`chain`      steps, and what they rest on; records and data sets; quantiles and sums
`rounds`     boosting; scores that are sums over records; candidates beside bottom; linear models
===========  =====================================================================================

The page: ``docs/audit.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from littlestone.audit.all_n.chain import AllN, Step, by_lemmas, domain_points
from littlestone.audit.all_n.rounds import Bottom, Sums, gradients, rounds
from littlestone.audit.neighbours import promised
from littlestone.audit.verify import algorithm_of
from littlestone.bounds.claims import LEMMAS
from littlestone.errors import check_integer
from littlestone.learners.agnostic import Subsample
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.linear import Linear
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.littlestone.plans import ClosedPlan
from littlestone.learners.users.learner import RecordsPlan, UserAgnostic
from littlestone.source import SeededSource

__all__ = ["AllN", "Step", "all_n", "by_lemmas", "domain_points"]


def all_n(
    learner: Any,
    *,
    points: Sequence[Any] | None = None,
    sizes: Sequence[int] = (3, 40),
    seed: int = 0,
) -> AllN:
    """Check the chain that proves a learner private for every n.

    Parameters
    ----------
    learner : estimator or Learner
    points : sequence, optional
        The points of single records. By default all points of the domain (at most 128); with fewer,
        the range is *tested*, not *enumerated*.
    sizes : sequence of int
        Sizes of the data sets on which additivity is tested, beside 1 and 2.
    seed : int
        Of the choice of these data sets.

    Returns
    -------
    AllN

    Raises
    ------
    UnsupportedError
        If the law of a draw has too many outcomes to be computed for every record.

    Examples
    --------
    >>> import littlestone as ls
    >>> print(all_n(ls.GenericLearner(ls.Thresholds(1, 4), epsilon=1.0)))
    HOLDS: generic on thresholds(1, 4), by sums over records
      tested     public: 5 outcomes, the same with their multiplicities on ... data sets
      tested     law: log-ratios are integers times the rate 1/2, up to n = 40
      proved     drawing: a level, and then uniformly: the direct law (leveled.leveledE)
      tested     sums: scores are sums over records on 46 lists, with duplicates and points outside
      enumerated range: 45 pairs of single records of the domain: oscillation 2, times the rate
      1 <= 1
      proved     all n: bounded range, so pure privacy, for every n (additive.additive_pure)
    """
    algorithm = algorithm_of("all_n", learner)
    for n in sizes:
        check_integer("all_n", "sizes", n, low=1)
    route, steps = _chain(algorithm, points, tuple(sizes), SeededSource(seed))
    return AllN(algorithm.name, algorithm.concept_class.spec, route, tuple(steps))


def _chain(
    learner: Any, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> tuple[str, list[Step]]:
    if isinstance(learner, Subsample):
        route, steps = _chain(learner.learner, points, sizes, rng)
        part = "a secret part of a fixed size pays 1 + m/n (e**epsilon - 1)"
        return route, [*steps, Step("part", "proved", True, part, "subsample.sampled_pure")]
    if isinstance(learner, Generic | Agnostic):
        epsilon = promised(learner).epsilon
        chain = Sums(learner, lambda n: epsilon, points, sizes, rng)
        costs = learner.mistake_costs
        rate = learner.rate(costs.largest if costs else 1)
        chain.check(lambda n: rate, lambda sample, source: learner.draw(sample, source).key)
        return "sums over records", chain.steps
    if isinstance(learner, UserAgnostic) and isinstance(learner.plan.chosen, RecordsPlan):
        chain = Sums(learner, lambda n: learner.epsilon, points, sizes, rng)
        of_users = learner.plan.chosen.inner.rate(1)
        chain.check(lambda n: of_users, lambda users, source: learner.draw(users, source).key)
        cut = f"more than {learner.samples_per_user} records of a user are cut by themselves"
        chain.steps.append(Step("cut", "assumed", True, cut))
        return "sums over records", chain.steps
    if isinstance(learner, Boosting | Values | Linear):
        check: Any = gradients if isinstance(learner, Linear) else rounds
        return "sums over records", check(learner, points, sizes, rng)
    settings = learner.plan.settings if isinstance(learner, Littlestone) else None
    if isinstance(settings, ClosedPlan) and learner.plan.chunk == 1:
        return "candidates beside bottom", Bottom(learner, points, sizes, rng).check()
    # of each part of a claim, as ``dp.sum(vc1.privacy, score-histogram)``
    parts = re.findall(r"[a-z0-9][a-z0-9.-]*", learner.guarantee().claim)
    found = by_lemmas(learner.name, "", {part: LEMMAS.get(part) for part in parts})
    return found.route, list(found.steps)
