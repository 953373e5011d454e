"""``littlestone audit statistical`` and ``audit attack``: lower bounds by sampling."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Any

from littlestone.cli.audit import check_protects_records, data_text, read_points
from littlestone.cli.options import AsJson, Claim, open_learner
from littlestone.errors import (
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def statistical(
    *,
    claim: Claim = Claim(),
    points: str,
    n: int = 3,
    trials: int = 10_000,
    confidence: str = "0.9999",
    workers: int = 1,
    json: AsJson = False,
) -> int:
    """Bound the epsilon of a learner from below, by running it often on neighbouring data sets.

    For domains that are too large for exact verification. A bound above the claim refutes it (exit
    1); a bound below proves nothing.

    Parameters
    ----------
    points:
        Points at which neighbouring data sets are made, written as for audit exact.
    n:
        Number of records of each data set.
    trials:
        Runs on each side of each pair.
    confidence:
        Probability with which all printed bounds together are right.
    workers:
        Processes at a time.
    """
    from littlestone.audit.statistical import audit_learner
    from littlestone.cli.terminal import counting, note, table

    concepts, _, learner, goal = claim.opened("audit statistical")
    check_protects_records(learner)
    algorithm = open_learner("audit", learner, concepts, goal)
    sure = check_probability("audit", "confidence", confidence)
    check_integer("audit", "n", n, low=1)
    with counting("Runs") as progress:
        found = audit_learner(
            algorithm,
            points=read_points(points, concepts),
            n_samples=n,
            trials=trials,
            confidence=sure,
            workers=workers,
            progress=progress,
        )
    if json:
        print(jsonlib.dumps(found.to_dict(), sort_keys=True))
        return 1 if found.refuted else 0
    rows = [(data_text(pair[0]), data_text(pair[1]), f"{float(b):.4f}") for pair, b in found.pairs]
    table("", ("records", "neighbour", "epsilon at least"), rows)
    verdict = "REFUTED" if found.refuted else "not refuted"
    note(
        f"{verdict}: {found.learner} on {found.concept_class} claims epsilon "
        f"{float(found.epsilon):g}; at confidence {float(sure):g} it is at least "
        f"{float(found.best):.4f}"
    )
    return 1 if found.refuted else 0


def attack(
    *,
    claim: Claim = Claim(),
    n: int = 4,
    places: int = 64,
    runs: int = 100,
    subsets: int = 8,
    copies: int = 1,
    trials: int = 1000,
    confidence: str = "0.9999",
    seed: int = 0,
    json: AsJson = False,
) -> int:
    """Look for one record in the votes of a learner of thresholds: its epsilon from below.

    The attack of paper 004, Section 4: on points where the learner behaves alike everywhere, one
    record is moved inside the gap over which the votes jump, and searched for in what is released.
    A bound above the claim refutes it (exit 1); a bound below proves nothing. The class is one of
    thresholds. The learner may be a function of your own, FILE.py:NAME, from a
    littlestone.data.Sample to a hypothesis: the file is run, and --delta is what is claimed of it.

    Parameters
    ----------
    n:
        Number of records of each data set; even.
    places:
        Number of points, evenly spaced in the domain, among which the set is looked for.
    runs:
        Runs on each data set while the set is looked for; 1 for a learner that draws nothing.
    subsets:
        Data sets that are tried in each round of that search.
    copies:
        Hypotheses that each search for the record may see.
    trials:
        How often the record is hidden and searched for.
    confidence:
        Probability with which the printed bound is right.
    seed:
        Of the public choices: which data sets, and where the record is hidden.
    """
    from dataclasses import asdict

    from littlestone.audit import attack as room
    from littlestone.classes import Thresholds
    from littlestone.cli.terminal import note, progress_of
    from littlestone.source import SecureSource

    concepts, _, learner, goal = claim.opened("audit attack")
    if not isinstance(concepts, Thresholds):
        hint = "The attack is on learners of thresholds, for example thresholds(1, 2**40)."
        raise parameter_error("audit attack", "--class", "thresholds", goal.concept_class, hint)
    claimed = check_fraction("audit attack", "epsilon", goal.epsilon)
    delta = goal.delta
    leak = 0 if delta is None else check_probability("audit attack", "delta", delta)
    sure = float(check_probability("audit attack", "confidence", confidence))
    if check_integer("audit attack", "n", n, low=2) % 2:
        raise parameter_error("audit attack", "n", "even", n, "Half of the records have label 1.")
    count = check_integer("audit attack", "places", places, low=n + 1)
    for name, value in {
        "runs": runs,
        "subsets": subsets,
        "copies": copies,
        "trials": trials,
    }.items():
        check_integer("audit attack", name, value, low=1)
    check_integer("audit attack", "seed", seed, low=0)
    low, high = concepts.domain.low, concepts.domain.high
    if high - low < n:
        raise parameter_error(
            "audit attack", "--class", f"thresholds of at least {n + 1} points", goal.concept_class,
            "Or take fewer records: --n.",
        )  # fmt: skip
    if ".py:" in learner:
        mechanism = _function(learner)
    else:
        _check_known(learner)
        check_protects_records(learner)
        algorithm = open_learner("audit", learner, concepts, goal)
        source = SecureSource()
        mechanism = lambda sample: algorithm.draw(sample, source)  # noqa: E731
    spread = [low + i * (high - low) // (count - 1) for i in range(count)]
    with progress_of("Attacking"):
        found = room.homogeneous_set(
            mechanism, spread, n_samples=n, runs=runs, subsets=subsets, seed=seed
        )
        result = room.identify(
            mechanism, found,
            delta=float(leak), trials=trials, copies=copies, confidence=sure, seed=seed,
        )  # fmt: skip
    refuted = result.epsilon > claimed
    if json:
        told = {"gap": found.gap, "deviation": found.deviation, "tolerance": found.tolerance}
        told |= {"claimed": float(claimed), "refuted": refuted, **asdict(result)}
        print(jsonlib.dumps({"learner": learner, "class": concepts.spec, **told}, sort_keys=True))
        return 1 if refuted else 0
    note(
        f"{len(found.points)} points; the votes jump by {found.gap:.3f} over one record of {n}; "
        f"they differ by {found.deviation:.3f} from one list (allowed: {found.tolerance:.3f})."
    )
    note(
        f"Found {result.found:,} times of {result.trials:,} among {result.places:,} places, from "
        f"{'one hypothesis' if copies == 1 else f'{copies} hypotheses'} each time."
    )
    verdict = "REFUTED" if refuted else "not refuted"
    note(
        f"{verdict}: {learner} on {concepts.spec} claims epsilon {float(claimed):g}; at confidence "
        f"{sure:g} it is at least {result.epsilon:.4f}"
    )
    return 1 if refuted else 0


def _check_known(learner: str) -> None:
    """Refuse the name of no learner, before it is taken for one."""
    from littlestone.learners.registry import LEARNERS

    if learner not in LEARNERS:
        known = f"one of {', '.join(LEARNERS)}, or FILE.py:NAME"
        raise parameter_error("audit attack", "learner", known, learner)


def _function(text: str) -> Any:
    """Return the function NAME of FILE.py, which is run."""
    import runpy

    path, _, name = text.rpartition(":")
    try:
        found = runpy.run_path(path).get(name)
    except OSError:
        hint = "Is the path right?"
        raise parameter_error(
            "audit attack", "learner", "FILE.py:NAME, a file that can be read", text, hint
        ) from None
    if not callable(found):
        hint = "Define it at the top level: def NAME(sample): ..."
        raise parameter_error("audit attack", "learner", "the name of a function", text, hint)
    function: Callable[[Any], Any] = found

    def checked(sample: Any) -> Any:
        """Run it on made records."""
        try:
            made = function(sample)
        except Exception as problem:
            raise ParameterError(
                f"The function {name} of {path} raised {type(problem).__name__} on {sample.n} made "
                "records. It must take any sample and return a hypothesis."
            ) from None
        if not callable(getattr(made, "predict", None)):
            raise ParameterError(
                f"The function {name} of {path} returned no hypothesis, but an object of type "
                f"{type(made).__name__}. It must have a method predict(points)."
            )
        return made

    return checked
