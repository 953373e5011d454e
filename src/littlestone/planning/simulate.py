"""Measured plans: the least n that works in practice, on public synthetic distributions.

Certificates hold for every distribution; a learner often needs far fewer records on the one at
hand. Here it is run again and again on worst-case and typical distributions. What comes out is a
measurement, with a confidence interval: it certifies nothing about other distributions.
"""

from __future__ import annotations

import json
import math
import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.bounds.binomial import clopper_pearson
from littlestone.classes import class_from_dict
from littlestone.errors import ParameterError, check_integer
from littlestone.learners import registry
from littlestone.planning.scenarios import scenarios
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.planning.plans import Plans
    from littlestone.types import Json

__all__ = ["Measured", "simulate"]

_FORMAT = "littlestone-measured-plans-1"
_STEPS = 4  # sizes tried per factor of two
_NOISE = 0.1  # of the labels, for learners that certify any labels


@dataclass(frozen=True)
class Measured:
    """What was measured for one learner on one distribution.

    Attributes
    ----------
    learner, scenario, kind : str
        ``kind`` is ``"worst-case"`` or ``"typical"``.
    certified : int
        Records, or users, that the certificate asks for.
    n : int
        The least size tried at which failure with probability above beta can be excluded, at 95 %.
    failures, runs : int
        At n.
    low, high : float
        95 % interval of the failure probability at n (Clopper and Pearson).
    noise : float
        Share of labels that were flipped.
    """

    learner: str
    scenario: str
    kind: str
    certified: int
    n: int
    failures: int
    runs: int
    low: float
    high: float
    noise: float

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return asdict(self)


def simulate(
    plans: Plans,
    *,
    learners: Iterable[str] | None = None,
    runs: int | None = None,
    file: str | Path | None = None,
    workers: int = 2,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Measured]:
    """Measure the learners of a plan on public synthetic distributions.

    Parameters
    ----------
    plans : Plans
        Learners as they are: ways in which a learner of records reads users are left out, and
        so are options.
    learners : iterable of str, optional
        Names; by default all that can learn the class.
    runs : int >= 1, optional
        For each size. Default: 6 / beta, so that beta can be excluded if about beta/6 fail.
    file : path, optional
        JSON of results: those that it holds are not measured again, new ones are added as they
        come. So an interrupted simulation goes on where it was.
    workers : int, default 2
        Processes; 1 stays in this one.
    progress : callable, (done, total) -> None

    Returns
    -------
    list of Measured
        Reproducible: every run has its own public seed.

    Raises
    ------
    UnsupportedError
        If no distributions are known for the class.
    ParameterError
        If the file holds something else.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.planning import plan
    >>> plans = plan(Thresholds(1, 99), epsilon=1, beta="0.2")
    >>> worst, typical = simulate(plans, learners=["generic"], workers=1)
    >>> worst.kind, typical.n < worst.n <= worst.certified
    ('worst-case', True)
    """
    budget = plans.budget
    runs = (
        math.ceil(6 / budget.beta)
        if runs is None
        else check_integer("simulate", "runs", runs, low=1)
    )
    wanted = None if learners is None else set(learners)
    chosen = [
        c
        for c in plans
        if c.reads is None and not c.options and (wanted is None or c.learner in wanted)
    ]
    tasks: list[Json] = []
    for candidate in chosen:
        noise = _NOISE if candidate.agnostic else 0.0
        each = budget.samples_per_user if candidate.unit == "users" else None
        for place, scenario in enumerate(scenarios(plans.concept_class, budget.alpha, noise=noise)):
            numbers = {"epsilon": budget.epsilon, "alpha": budget.alpha, "beta": budget.beta}
            if candidate.guarantee is not None and candidate.guarantee.delta:
                numbers["delta"] = budget.delta or Fraction(0)
            tasks.append(
                {
                    "class": plans.concept_class.to_dict(),
                    "learner": candidate.learner,
                    "numbers": {k: str(v) for k, v in numbers.items()},
                    "place": place,
                    "scenario": scenario.name,
                    "noise": noise,
                    "runs": runs,
                    **({} if each is None else {"samples_per_user": each}),
                }
            )
    store = _Store(file)
    keys = [json.dumps(task, sort_keys=True) for task in tasks]
    missing = [(key, task) for key, task in zip(keys, tasks, strict=True) if key not in store.found]
    progress(len(tasks) - len(missing), len(tasks))
    for key, result in _run(missing, workers):
        store.add(key, result)
        progress(sum(key in store.found for key in keys), len(tasks))
    return [Measured(**store.found[key]) for key in keys]


def _run(tasks: list[tuple[str, Json]], workers: int) -> Iterable[tuple[str, Json]]:
    if workers <= 1 or len(tasks) <= 1:
        for key, task in tasks:
            yield key, measure(task)
        return
    # "spawn": a forked child would share threads and locks of ours
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting = {pool.submit(measure, task): key for key, task in tasks}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def measure(task: Json) -> Json:
    """Find the least size that works for one learner on one distribution (in any process)."""
    concepts = class_from_dict(dict(task["class"]))
    numbers = {name: Fraction(text) for name, text in task["numbers"].items()}
    m = task.get("samples_per_user")
    options = {} if m is None else {"samples_per_user": m}
    algorithm = registry.make(task["learner"], concepts, **numbers, **options)
    scenario = scenarios(concepts, numbers["alpha"], noise=task["noise"])[task["place"]]
    alpha, beta, runs = float(numbers["alpha"]), float(numbers["beta"]), int(task["runs"])
    certified = algorithm.required_samples()
    allowed = max((k for k in range(runs) if clopper_pearson(k, runs, 0.9)[1] <= beta), default=-1)
    counted: dict[int, int] = {}

    def failures(n: int) -> int:
        """Run until all runs are done, or too many have failed."""
        if n not in counted:
            counted[n] = 0
            for run in range(runs):
                generator = public_generator(task["place"], n, run)
                sample: Any = (
                    scenario.draw(n, generator)
                    if m is None
                    else scenario.draw_users(n, m, generator)
                )
                hypothesis = algorithm.learn(sample, SeededSource(run))
                counted[n] += scenario.excess(hypothesis) > alpha
                if counted[n] > max(allowed, 0):
                    break
        return counted[n]

    def works(step: int) -> bool:
        return failures(_size(certified, step)) <= allowed

    low = 0  # steps down from the certified size; it is taken to work
    high = _STEPS
    while _size(certified, high) > 1 and works(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if works(middle) else (low, middle)
    n = _size(certified, low)
    failed = failures(n)
    interval = clopper_pearson(failed, runs)
    found = (algorithm.name, scenario.name, scenario.kind, certified, n, failed, runs, *interval)
    return Measured(*found, noise=task["noise"]).to_dict()


def _size(certified: int, step: int) -> int:
    """Return the size so many quarter octaves below the certified one."""
    return max(math.ceil(certified / 2 ** (step / _STEPS)), 1)


class _Store:
    """Results in a JSON file, written after each one, whole or not at all."""

    def __init__(self, file: str | Path | None) -> None:
        self.path = None if file is None else Path(file)
        self.found: dict[str, Any] = {}
        if self.path is None or not self.path.exists():
            return
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            if document["format"] != _FORMAT:
                raise ValueError
            self.found = dict(document["measured"])
        except (OSError, ValueError, KeyError, TypeError):
            raise ParameterError(
                f"The file {self.path} holds no measured plans. Name another one, or remove it."
            ) from None

    def add(self, key: str, result: Json) -> None:
        self.found[key] = result
        if self.path is None:
            return
        document = {"format": _FORMAT, "measured": self.found}
        beside = self.path.with_name(self.path.name + ".new")
        try:
            beside.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", "utf-8")
            beside.replace(self.path)
        except OSError as problem:
            raise ParameterError(
                f"The file {self.path} could not be written ({problem.strerror})."
            ) from None
