"""Measured plans: the least n that works in practice, on public synthetic distributions.

Certificates hold for every distribution; a learner often needs far fewer records on the one at
hand. Here it is run again and again on worst-case and typical distributions. What comes out is a
measurement, with a confidence interval: it certifies nothing about other distributions.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import class_from_dict
from littlestone.errors import LittlestoneError, ParameterError, check_integer
from littlestone.learners import registry
from littlestone.learners.select import ALL_RECORDS, ONE_RECORD, per_record, shown_name
from littlestone.planning.scenarios import scenarios
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.learners.base import Goal
    from littlestone.learners.select import Candidate
    from littlestone.planning.plans import Plans
    from littlestone.types import Json


_FORMAT = "littlestone-measured-plans-1"
_STEPS = 4  # sizes tried per factor of two
_NOISE = 0.1  # of the labels, for learners that certify any labels
_MOST = 10**7  # records that are written out one by one, in each run
_LONGEST = 4000  # characters of a key


@dataclass(frozen=True)
class Measured:
    """What was measured for one learner on one distribution."""

    learner: str  # ``kind`` is ``"worst-case"`` or ``"typical"``
    scenario: str
    kind: str
    certified: int  # records, or users, that the certificate asks for
    #: The least size tried at which failure with probability above beta can be excluded, at 95 %.
    #: None: not measured.
    n: int | None
    failures: int  # at n
    runs: int
    low: float  # 95 % interval of the failure probability at n (Clopper and Pearson)
    high: float
    noise: float  # share of labels that were flipped
    options: Json = field(default_factory=dict)  # public options of the learner, such as ``proper``
    reads: str | None = None  # how a learner that protects records was made to protect users
    problem: str = ""  # why nothing was measured; otherwise empty

    @property
    def shown(self) -> str:
        """Its name in tables and on pages."""
        return shown_name(self.learner, self.options, self.reads)

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

    ``plans``: every learner that has a number there is measured, with its options and, where users
    are protected, in each way in which it reads them; ``learners``: names; by default all that can
    learn the class; ``runs``: for each size. Default: 6 / beta, so that beta can be excluded if
    about beta/6 fail; ``file``: JSON of results: those that it holds are not measured again, new
    ones are added as they come. So an interrupted simulation continues where it was; ``workers``:
    Processes; 1 stays in this one.

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
    # of the methods of one learner, the one that it takes
    own = [c for c in plans if "method" not in c.options]
    chosen = [c for c in own if wanted is None or c.learner in wanted]
    document = plans.concept_class.to_dict()
    tasks: list[Json] = []
    for candidate in chosen:
        noise = _NOISE if candidate.agnostic else 0.0
        asked = _asked(candidate, budget)
        for place, scenario in enumerate(scenarios(plans.concept_class, budget.alpha, noise=noise)):
            where = {"place": place, "scenario": scenario.name, "noise": noise, "runs": runs}
            tasks.append({"class": document, "learner": candidate.learner, **asked, **where})
    store = _Store(file)
    keys = [_key(task) for task in tasks]
    missing = [(key, task) for key, task in zip(keys, tasks, strict=True) if key not in store.found]
    progress(len(tasks) - len(missing), len(tasks))
    for key, result in _run(missing, workers):
        store.add(key, result)
        progress(sum(key in store.found for key in keys), len(tasks))
    return [Measured(**store.found[key]) for key in keys]


def _asked(candidate: Candidate, budget: Goal) -> Json:
    """Return what a candidate is made with, as JSON; short where it is the plain learner."""
    own = per_record(budget) if candidate.reads == ALL_RECORDS else budget
    numbers = {"epsilon": own.left, "alpha": own.alpha, "beta": own.beta}
    if candidate.guarantee is not None and candidate.guarantee.delta:
        numbers["delta"] = own.delta
    out: Json = {"numbers": {k: str(v) for k, v in numbers.items()}}
    if candidate.options:
        out["options"] = candidate.options
    if candidate.reads is not None:
        out["reads"] = candidate.reads
    if candidate.unit == "users" and candidate.reads != ONE_RECORD:
        out["samples_per_user"] = budget.samples_per_user
    return out


def _key(task: Json) -> str:
    """Return the text under which a result is kept; a large class is named by its digest."""
    text = json.dumps(task, sort_keys=True)
    if len(text) <= _LONGEST:
        return text
    whole = json.dumps(task["class"], sort_keys=True).encode("utf-8")
    return json.dumps({**task, "class": hashlib.sha256(whole).hexdigest()}, sort_keys=True)


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
    m, reads, options = task.get("samples_per_user"), task.get("reads"), task.get("options", {})
    per_user = {} if m is None or reads is not None else {"samples_per_user": m}
    algorithm = registry.make(task["learner"], concepts, **numbers, **options, **per_user)
    scenario = scenarios(concepts, numbers["alpha"], noise=task["noise"])[task["place"]]
    each = 1 if m is None else int(m)
    certified = algorithm.required_samples()
    if reads == ALL_RECORDS:
        certified = math.ceil(Fraction(certified, each))
    blank = Measured(
        *(algorithm.name, scenario.name, scenario.kind, certified, None, 0, 0, 0.0, 1.0),
        noise=task["noise"],
        options=options,
        reads=reads,
    )
    if (hasattr(algorithm, "shuffles") or per_user) and certified * each > _MOST:
        problem = f"Its certificate asks for more than the {_MOST:,} records that are made here."
        return replace(blank, problem=problem).to_dict()

    def fails(n: int, run: int) -> bool:
        generator = public_generator(task["place"], n, run)
        sample: Any = (
            scenario.draw_users(n, each, generator)
            if per_user
            else scenario.draw(n * each, generator)
        )
        hypothesis = algorithm.draw(sample, SeededSource(run))
        return scenario.excess(hypothesis) > float(numbers["alpha"])

    try:
        n, failed = _least(fails, certified, float(numbers["beta"]), int(task["runs"]))
    except LittlestoneError as refusal:  # it certifies the class, but cannot run on it
        return replace(blank, problem=str(refusal)).to_dict()
    low, high = clopper_pearson(failed, int(task["runs"]))
    return replace(
        blank, n=n, failures=failed, runs=int(task["runs"]), low=low, high=high
    ).to_dict()


def _least(
    fails: Callable[[int, int], bool], certified: int, beta: float, runs: int
) -> tuple[int, int]:
    """Return the least size that works, and how many runs fail there."""
    allowed = max((k for k in range(runs) if clopper_pearson(k, runs, 0.9)[1] <= beta), default=-1)
    counted: dict[int, int] = {}  # failures in all runs; more than allowed if not all were needed

    def works(step: int) -> bool:
        """Run until all runs are done, or too many have failed."""
        n = _size(certified, step)
        if n not in counted:
            counted[n] = 0
            for run in range(runs):
                counted[n] += fails(n, run)
                if counted[n] > allowed:
                    break
        return counted[n] <= allowed

    low = 0  # steps down from the certified size; it is taken to work
    high = _STEPS
    while _size(certified, high) > 1 and works(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if works(middle) else (low, middle)
    n = _size(certified, low)
    failed = counted.get(n, runs)
    return n, failed if failed <= allowed else sum(fails(n, run) for run in range(runs))


def _size(certified: int, step: int) -> int:
    """Return the certified size, lowered by a number of quarter octaves."""
    return max(math.ceil(certified / 2 ** (step / _STEPS)), 1)


class _Store:
    """Results in a JSON file, written after each one, whole or not at all."""

    def __init__(self, file: str | Path | None) -> None:
        self.path = None if file is None else Path(file)
        self.found: dict[str, Any] = {}
        if self.path is None or not os.path.exists(self.path):
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
