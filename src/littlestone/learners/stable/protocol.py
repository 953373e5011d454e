"""Global stability of any algorithm: estimated, and made private (004, Definition 6, Theorem 30).

An *algorithm* is a function from a `Sample` to a hypothesis: of the reader's own, not private. It
is (n, eta)-globally stable for a distribution if on n of its records one hypothesis is the output
with probability at least eta. Then copies of it on disjoint records can vote:

1. Shuffle the records: n to each copy, the rest to step 4.
2. Run the algorithm on each copy's records; what it submits is kept as text (JSON).
3. List what many copies submitted, by a stable histogram.
4. Choose from the list by the exponential mechanism, on the rest of the records.

Steps 3 and 4 are those of `StableLearner`. Statements and proofs: ``docs/learners/stable.md``.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.bounds.tails import lower_limit, upper_limit
from littlestone.classes import AlwaysZero, errors, load
from littlestone.data import Sample
from littlestone.data.cells import BINARY
from littlestone.data.sample import part, shuffle
from littlestone.errors import check_integer, check_probability, parameter_error
from littlestone.learners.base import (
    CLASS,
    DELTA_NEEDED,
    DELTA_TEXT,
    ClassLearner,
    Kind,
    declared,
    maybe,
    share,
    whole,
)
from littlestone.learners.stable.learner import check_extremes, listed_and_chosen
from littlestone.learners.stable.plan import PRIVACY, ProtocolPlan, protocol_plan
from littlestone.source import public_generator

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: Of the reader's own: a pure function, that may also answer None for "nothing".
Algorithm = Callable[[Sample], "Hypothesis | None"]


@dataclass(frozen=True)
class Stability:
    """How often an algorithm's most frequent hypothesis is its output."""

    #: The most frequent output of the runs that choose; None if nothing was submitted.
    hypothesis: Hypothesis | None
    found: int  # how often it was the output of the fresh runs
    runs: int
    #: Clopper-Pearson: the algorithm is (n, low)-globally stable, and not (n, eta) for an eta
    #: above high, together with probability at least ``confidence``.
    low: float
    high: float
    confidence: float


def estimate_stability(
    algorithm: Algorithm,
    records: Sample | Callable[[np.random.Generator], Sample],
    *,
    n: int,
    runs: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Stability:
    """Estimate how globally stable an algorithm is, from public or simulated records.

    Parameters
    ----------
    algorithm : callable
        ``algorithm(sample)`` returns a hypothesis, or None.
    records : Sample, or callable
        The distribution: public records, of which n are drawn with replacement for each run; or a
        function that returns n fresh ones, ``records(generator)``. Never private ones: what is
        estimated here is not protected.
    n : int >= 1
        Records of one run.
    runs : int >= 1, default 1000
        Runs that choose a hypothesis, and as many fresh ones that count it.
    confidence : float in (0, 1), default 0.95
    seed : int, default 0
        Of the runs' records.

    Returns
    -------
    Stability

    Notes
    -----
    *Method.* The hypothesis is chosen before the runs that count it, so its count is binomial: the
    lower limit is one for it, and so for the most frequent one. The most frequent hypothesis, which
    may be another, is counted at most as often as the largest count: that one's upper limit holds.

    *Source.* Paper 004, Definition 6; Clopper and Pearson, Biometrika 1934.

    Examples
    --------
    >>> from littlestone.classes import TableHypothesis
    >>> def majority(sample):
    ...     return TableHypothesis(str(int(sample.ones.sum() > sample.zeros.sum())) * 2)
    >>> coin = Sample.of([0, 0, 1], [1, 1, 0])  # label 1 with probability 2/3
    >>> found = estimate_stability(majority, coin, n=25)
    >>> found.hypothesis.labels, 0.92 < found.low < found.high < 0.98  # exactly: 0.956
    ('11', True)
    """
    caller = "estimate_stability"
    n, runs = check_integer(caller, "n", n, low=1), check_integer(caller, "runs", runs, low=1)
    risk = (1 - float(check_probability(caller, "confidence", confidence))) / 2
    rng = public_generator(check_integer(caller, "seed", seed, low=0))
    _callable(caller, "algorithm", algorithm)
    law: Any = records  # a function, or a sample
    draw: Any = _drawing(law, n) if hasattr(law, "counts") else law
    if not callable(draw):
        hint = "For example Sample.of([0, 1], [0, 1])."
        raise parameter_error(caller, "records", "a Sample, or a function", draw, hint)

    def counted() -> Counter[str]:
        submitted = (_text(algorithm(draw(rng))) for _ in range(runs))
        return Counter(text for text in submitted if text is not None)

    first, second = counted(), counted()
    chosen = max(first, key=lambda text: (first[text], text), default=None)
    found = 0 if chosen is None else second[chosen]
    return Stability(
        None if chosen is None else load(json.loads(chosen)),
        found,
        runs,
        float(lower_limit(found, runs, risk)),
        float(upper_limit(max(second.values(), default=0), runs, risk)),
        float(confidence),
    )


def _drawing(law: Sample, n: int) -> Callable[[np.random.Generator], Sample]:
    """Return the draw of n records of a sample, with replacement."""
    weights = np.append(law.counts.T.ravel(), law.outside)
    shares = weights / weights.sum()
    return lambda rng: part(law, rng.choice(len(shares), size=n, p=shares))


def _text(hypothesis: Hypothesis | None) -> str | None:
    """Return a hypothesis as canonical text: two are one if they are written alike."""
    if hypothesis is None:
        return None
    read = load(hypothesis.to_dict())
    if getattr(read, "label_names", BINARY) != BINARY:
        return None  # votes are counted for the labels 0 and 1
    return json.dumps(read.to_dict(), sort_keys=True)


def _callable(caller: str, name: str, value: Any) -> Algorithm:
    if not callable(value):
        hint = "For example lambda sample: AlwaysZero()."
        raise parameter_error(caller, name, "a function from a Sample to a hypothesis", value, hint)
    return value  # type: ignore[no-any-return]


@dataclass(frozen=True)
class StableProtocol(ClassLearner[ProtocolPlan]):
    """The learner behind `GloballyStable`: copies of the reader's algorithm vote.

    (epsilon, delta), replace-one, n public, for every input and every algorithm that is a function
    of its sample.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public. Says what the points are; hypotheses need not be concepts.",
        kw_only=False,
    )
    algorithm: Algorithm = declared(
        Kind("callable", _callable),
        "``algorithm(sample)`` returns a hypothesis of this library (``littlestone.classes``), or "
        "None. It must be a function of its argument alone: it keeps, prints and draws nothing.",
    )
    n: int = declared(whole(1), "Records of one copy.")
    eta: Fraction = declared(
        share("estimate_stability(...).low is one."),
        "How often one hypothesis is the output on n records, for the certificate: it *assumes* "
        "this.",
    )
    delta: Fraction = declared(share(DELTA_NEEDED), DELTA_TEXT)
    error: Fraction | None = declared(
        maybe(share()),
        "Largest error of that hypothesis, assumed by the certificate. Default: what Proposition 7 "
        "proves if the algorithm is consistent, ``(1 - error)**n = eta``.",
        default=None,
    )
    copies: int | None = declared(
        maybe(whole(1)), "Number of copies, instead of the planned one.", default=None
    )

    name = "globally-stable"
    estimator = "GloballyStable"
    summary = "copies of the reader's own algorithm vote"
    claim = PRIVACY
    pure = False
    agnostic = False

    def check(self) -> None:
        """Refuse extreme numbers."""
        check_extremes(self)

    def make_plan(self) -> ProtocolPlan:
        """Return how many copies there are."""
        return protocol_plan(self.goal, self.n, self.eta, self.error, self.copies)

    def shuffles(self, n: int) -> bool:
        """Return True: records are split among copies."""
        return True

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        shuffled = shuffle(sample, source)  # step 1
        copies, chosen_by = self.plan.parts(sample.n)
        rest = len(shuffled) - chosen_by
        found = [  # step 2
            self.submitted(part(sample, shuffled[i * self.n : (i + 1) * self.n]))
            for i in range(copies[0])
        ]
        fresh = part(sample, shuffled[rest:])
        text = listed_and_chosen(  # steps 3 and 4
            found,
            lambda item: _errors(load(json.loads(item)), fresh),
            epsilon=self.epsilon,
            delta=self.delta,
            source=source,
        )
        return AlwaysZero() if text is None else load(json.loads(text))

    def submitted(self, records: Sample) -> str | None:
        """Return what a copy submits, as text; whatever goes wrong in it submits nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the copy's records
                return _text(self.algorithm(records))
        except Exception:  # a fixed answer: an error would tell of the records
            return None


def _errors(hypothesis: Hypothesis, sample: Sample) -> int:
    """Count errors, record by record; one whose point a hypothesis cannot label is an error.

    Whatever another record makes of a hypothesis, each record counts what it counts alone.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the records
        try:
            return errors(hypothesis, sample)
        except Exception:
            wrong = int(sample.outside[1])
            for i in range(len(sample.points)):
                try:
                    one = bool(hypothesis.predict(sample.points[i : i + 1])[0] == 1)
                    wrong += int((sample.zeros if one else sample.ones)[i])
                except Exception:
                    wrong += int(sample.ones[i] + sample.zeros[i])
            return wrong
