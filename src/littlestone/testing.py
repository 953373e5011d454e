"""Conformance: what every learner, concept class and mechanism must do, as small named checks.

`check_learner`, `check_class` and `check_mechanism` run all checks of one object, as scikit-learn's
`check_estimator` does; `learner_checks`, `class_checks` and `mechanism_checks` yield them one by
one, so that pytest shows each by its name::

    @pytest.mark.parametrize("check", learner_checks(mine, points=[1, 2]), ids=str)
    def test_my_learner(check):
        check()

A check raises `AssertionError`, with what was wrong. The page: ``docs/extending.md``.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any, TypeVar

import numpy as np
from flint import arb
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from littlestone.audit import verify, verify_mechanism
from littlestone.audit.mechanism import observed
from littlestone.audit.verify import RecordCases, TargetCases, UserCases
from littlestone.classes import ConceptClass, class_from_dict, load, parse_class
from littlestone.combinatorics import Kernel
from littlestone.data import OUTSIDE, Schema
from littlestone.data.targets import TargetSample
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.release import Release, secret_n
from littlestone.learners.running import run
from littlestone.source import ExactSource, SeededSource, ball
from littlestone.types import Hypothesis

__all__ = [
    "Check",
    "check_class",
    "check_learner",
    "check_mechanism",
    "class_checks",
    "learner_checks",
    "mechanism_checks",
]

C = TypeVar("C")

#: What no parameter of a learner may be.
NONSENSE = (object(), -3, "nonsense")
#: What no epsilon of a mechanism may be.
NO_EPSILON = (-1, float("nan"), float("inf"), "much", None)
#: Integers at the edges of words, as points that a class may have or not.
EDGES = sorted(
    sign * 2**k + d for k in (31, 53, 62, 63, 64, 128) for d in (-1, 0, 1) for sign in (1, -1)
)


@dataclass(frozen=True)
class Check:
    """One check of one object: call it; its text is its name."""

    name: str
    run: Callable[[], None]

    def __call__(self) -> None:
        """Raise `AssertionError` if the object does not conform."""
        self.run()

    def __str__(self) -> str:
        return self.name


def _checks(kind: Iterable[Callable[[C], None]], case: C) -> Iterator[Check]:
    for each in kind:
        yield Check(each.__name__, lambda each=each: each(case))  # type: ignore[misc]


def expect(holds: Any, wrong: str) -> None:
    """Raise `AssertionError` unless something holds."""
    if not holds:
        raise AssertionError(wrong)


def refusal(
    call: Callable[..., Any],
    *arguments: Any,
    kind: type[LittlestoneError] = LittlestoneError,
    **named: Any,
) -> str | None:
    """Return the text in which a call is refused, or None if it is not."""
    try:
        call(*arguments, **named)
    except kind as refused:
        return str(refused)
    return None


def pickled(value: C) -> C:
    """Return what pickle reads back; of a class that a doctest defines, a copy."""
    try:
        copied: C = pickle.loads(pickle.dumps(value))  # noqa: S301 - its own
    except pickle.PicklingError as problem:
        if "on __main__ failed" not in str(problem):
            raise
        return copy.deepcopy(value)
    return copied


class Untouched:
    """Records, a source or a ledger that must not be touched."""

    seeded = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AssertionError(f"before the refusal something was read, drawn or paid: {name}")

    def __len__(self) -> int:
        raise AssertionError("before the refusal the records were counted")

    __iter__ = __array__ = __len__


# -- learners --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LearnerCase:
    """A learner, or an estimator around one, and a tiny domain."""

    given: Any
    points: Sequence[Any]
    n_samples: int
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def learner(self) -> Any:
        """The learner itself."""
        return self.given.to_learner() if self.is_estimator else self.given

    @property
    def is_estimator(self) -> bool:
        """Whether it is an estimator, with ``fit``."""
        return hasattr(self.given, "to_learner")

    def sample(self, n: int) -> Any:
        """Return n records (users with one record each) with any points and labels, in turn."""
        learner = self.learner
        domain, labels = learner.concept_class.domain, len(learner.concept_class.labels)
        target = getattr(learner.concept_class, "target", None)
        codes = range(labels if target is None else target.size)
        kinds = list(product(self.points, codes))
        data = [kinds[i % len(kinds)] for i in range(n)]
        if learner.reads is TargetSample:
            users = learner.unit == "users"
            return TargetCases([], users).sample([(each,) for each in data])
        if learner.unit == "users":
            return UserCases([], domain).sample([(i, (each,)) for i, each in enumerate(data)])
        listed = labels if learner.concept_class.lists_labels else None
        return RecordCases([], domain, ordered=False, labels=listed).sample(data)

    @cached_property
    def release(self) -> Release:
        """A seeded release."""
        return run(self.learner, self.sample(12), SeededSource(7))


def private_on_all_small_data(case: LearnerCase) -> None:
    """Verify the guarantee exactly, on all data sets, for everything that is observed."""
    result = verify(case.given, points=case.points, n_samples=case.n_samples, **case.options)
    expect(result.holds, str(result))


#: What asks an estimator for something that needs good parameters.
QUESTIONS: tuple[Callable[[Any], Any], ...] = (
    lambda made: made.fit(Untouched(), Untouched()),
    lambda made: made.plan,
    lambda made: made.certificate(9),
    lambda made: made.required_samples(),
)


def nonsense_is_refused_first(case: LearnerCase) -> None:
    """Refuse what no parameter may be, in the same words everywhere, before records are read."""
    learner = case.learner
    own = {each.name for each in dataclasses.fields(learner)}
    for name, value in product(sorted(own & set(case.given.get_params(deep=False))), NONSENSE):
        words = refusal(dataclasses.replace, learner, kind=ParameterError, **{name: value})
        expect(words is not None, f"{name}={value!r} was not refused by the learner")
        for part in (f"'{name}' parameter", learner.caller):
            expect(part in str(words), f"the refusal does not name the {part}: {words}")
        changed = clone(case.given).set_params(**{name: value})
        for question in QUESTIONS:
            again = refusal(question, changed, kind=ParameterError)
            expect(again == words, f"refused in two ways: {words} / {again}")
        expect(not hasattr(changed, "hypothesis_"), "a refused fit left a hypothesis")


def no_records_are_refused_unpaid(case: LearnerCase) -> None:
    """Without records nothing is drawn and nothing is paid (unless their number is secret)."""
    if secret_n(case.learner.neighbours):
        return
    source: Any = Untouched()
    words = refusal(run, case.learner, case.sample(0), source, ledger=source)
    expect(words is not None, "a table without records was accepted")


def what_cannot_run_is_refused_first(case: LearnerCase) -> None:
    """Ask for what the plan refuses: it is refused everywhere, in the words of the plan."""
    learner, source = case.learner, Untouched()
    why = refusal(lambda: learner.plan)
    if why is not None:
        for call in (
            learner.required_samples,
            lambda: learner.certificate(9),
            lambda: run(learner, case.sample(9), source, ledger=source),  # type: ignore[arg-type]
        ):
            expect(refusal(call) == why, f"promised, and refused by the plan: {why}")


def required_samples_are_accepted(case: LearnerCase) -> None:
    """Fit as many records as are required: the least n that has a certificate."""
    learner = case.learner
    if learner.uncertified:
        for call in (learner.required_samples, lambda: learner.certificate(9)):
            why = refusal(call, kind=UnsupportedError)
            expect(why == learner.uncertified, f"not what it says about certificates: {why}")
        return
    n = learner.required_samples()
    expect(learner.certificate(n).holds, f"no certificate with the required {n}")
    expect(n == 1 or not learner.certificate(n - 1).holds, f"{n - 1} would be enough")
    release = run(learner, case.sample(n), SeededSource(1))
    expect(release.required == n, f"the release says {release.required}, the learner {n}")
    expect(release.certificate == learner.certificate(n), "not the certificate that was promised")


def seeds_reproduce_releases(case: LearnerCase) -> None:
    """Equal seeds draw equal releases, which say that they are not private."""
    again = run(copy.deepcopy(case.learner), case.sample(12), SeededSource(7))
    expect(again.to_json() == case.release.to_json(), "two runs with one seed differ")
    expect(
        again.guarantee.seeded and "NOT PRIVATE" in repr(again), "a seeded release does not say so"
    )
    expect(
        dataclasses.replace(again.guarantee, seeded=False) == case.learner.guarantee(),
        "the release has another guarantee than the learner",
    )


def releases_are_read_back(case: LearnerCase) -> None:
    """JSON and pickle give the same release, with the same answers."""
    release = case.release
    points = case.sample(len(case.points) * 2).points
    text = json.dumps(json.loads(release.to_json()))
    for read in (Release.from_dict(json.loads(text)), pickled(release)):
        expect(read.to_json() == release.to_json(), "a release that was read back differs")
        expect(read.hypothesis == release.hypothesis, "a hypothesis that was read back differs")
        same = read.hypothesis.predict(points) == release.hypothesis.predict(points)
        expect(same.all(), "a release that was read back answers differently")


def parameters_are_stored_and_cloned(case: LearnerCase) -> None:
    """Copy the estimator in all ways; its constructor only stores."""
    made, learner = case.given, case.learner
    params = made.get_params(deep=False)
    expect(vars(made) == params, "the constructor does more than store parameters")
    for same in (
        clone(made),
        pickled(made),
        copy.deepcopy(made),
    ):
        expect(same.to_learner() == learner, "a copy makes another learner")
        expect(repr(same) == repr(made), "a copy is shown differently")
        expect(same.set_params(**params).to_learner() == learner, "set_params changes the learner")


def fits_as_scikit_learn_does(case: LearnerCase) -> None:
    """``fit`` returns self, sets public attributes, changes no parameter; a refused one nothing."""
    made = clone(case.given)
    sample = case.sample(12)
    try:
        made.predict(sample.points)
    except NotFittedError:
        pass
    else:
        raise AssertionError("predict answers before fit")
    before = repr(made)
    expect(made.set_params(random_state=7).fit(sample) is made, "fit does not return self")
    text = made.release_.to_json()
    expect(text == clone(made).fit(sample).release_.to_json(), "a clone with one seed differs")
    expect(made.release_ == pickled(made).release_, "pickling changes it")
    found = made.release_.hypothesis.predict(sample.points)
    expect(len(found) == len(sample.points), "not one label for each point")
    if hasattr(made, "classes_"):
        labels = set(made.classes_[found.astype(int)].tolist())
        expect(labels <= set(made.classes_.tolist()), "labels")
    if not secret_n(case.learner.neighbours):  # else n = 0 is secret, and accepted
        fitted = dict(vars(made))
        expect(refusal(made.fit, case.sample(0)), "a table without records was accepted")
        expect(vars(made) == fitted, "a refused fit changed the estimator")
    expect(repr(made.set_params(random_state=None)) == before, "fit changed a parameter")
    expect(not [name for name in vars(clone(made)) if name.endswith("_")], "a clone is fitted")


LEARNER_CHECKS = (
    private_on_all_small_data,
    no_records_are_refused_unpaid,
    what_cannot_run_is_refused_first,
    required_samples_are_accepted,
    seeds_reproduce_releases,
    releases_are_read_back,
)
ESTIMATOR_CHECKS = (
    nonsense_is_refused_first,
    parameters_are_stored_and_cloned,
    fits_as_scikit_learn_does,
)


def learner_checks(
    learner: Any, *, points: Sequence[Any], n_samples: int = 2, **options: Any
) -> Iterator[Check]:
    """Yield the checks of a learner, or of an estimator; see `check_learner`."""
    case = LearnerCase(learner, points, n_samples, options)
    yield from _checks(LEARNER_CHECKS, case)
    if case.is_estimator:
        yield from _checks(ESTIMATOR_CHECKS, case)


def check_learner(learner: Any, **options: Any) -> None:
    """Check that a learner keeps what every learner promises.

    Parameters
    ----------
    learner : estimator or Learner
        Of a small class. The checks of parameters and of scikit-learn's habits need an estimator.
    points : sequence
        A few points of the domain, as for `littlestone.audit.verify`.
    n_samples : int >= 1, default 2
        Number of records (users) of the data sets whose exact laws are compared.
    **options
        Further arguments of `littlestone.audit.verify`.

    Raises
    ------
    AssertionError
        With the first thing that is wrong.

    Notes
    -----
    That a learner passes is a proof of privacy for ``n_samples`` records at these ``points`` only.

    Examples
    --------
    >>> import littlestone as ls
    >>> check_learner(ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1), points=[1, 2])
    """
    for check in learner_checks(learner, **options):
        check()


# -- classes ---------------------------------------------------------------------------------------

RATES = (Fraction(1, 2), Fraction(2))


@dataclass(frozen=True)
class ClassCase:
    """A small concept class, some of its points, and the schema that its text needs."""

    concept_class: ConceptClass
    points: Sequence[Any]
    n_samples: int
    schema: Schema | None = None
    text: bool = True

    def sample(self, data: Iterable[tuple[Any, int]]) -> Any:
        """Return these records."""
        cls = self.concept_class
        listed = len(cls.labels) if cls.lists_labels else None
        return RecordCases([], cls.domain, ordered=False, labels=listed).sample(list(data))

    @cached_property
    def stored(self) -> Any:
        """The points, in the layout of the domain."""
        return self.concept_class.domain.store(list(self.points))

    @cached_property
    def concepts(self) -> list[Any]:
        """All concepts, or none of an infinite class."""
        finite = isinstance(self.concept_class.size, int)
        return list(self.concept_class.concepts()) if finite else []

    @cached_property
    def matrix(self) -> Any:
        """The label of each point by each concept."""
        return np.array([h.predict(self.stored) for h in self.concepts])

    @property
    def is_whole(self) -> bool:
        """Whether the points are the whole domain."""
        whole = self.concept_class.domain_points()
        return whole is not None and sorted(map(repr, whole)) == sorted(map(repr, self.points))

    def wrong(self, h: Any, data: Iterable[tuple[Any, int]]) -> int:
        """Count errors by definition: what is outside has the first label."""
        return sum(
            (0 if x is OUTSIDE else int(h.predict(self.concept_class.domain.store([x]))[0])) != y
            for x, y in data
        )


def text_and_json_are_read_back(case: ClassCase) -> None:
    """Text, JSON and pickle give an equal class, with an equal hash."""
    cls = case.concept_class
    document = json.loads(json.dumps(cls.to_dict()))
    found = [class_from_dict(document), pickled(cls)]
    if case.text and not cls.lists_labels:
        found.append(parse_class(cls.spec, case.schema))
    for same in found:
        expect(same == cls and hash(same) == hash(cls), f"{cls!r} was read back as {same!r}")
        expect(
            same.spec == cls.spec or not case.text, "a class that was read back has another text"
        )
    changes: list[dict[str, Any]] = [{"unknown": 1}, *({key: {"": []}} for key in document)]
    for change in changes:
        broken = {**document, **change}
        expect(refusal(class_from_dict, broken), f"read in spite of {change}")


def concepts_are_listed_once(case: ClassCase) -> None:
    """List each function once; an infinite class refuses to be listed."""
    cls = case.concept_class
    if not isinstance(cls.size, int):
        expect(refusal(cls.concepts, kind=UnsupportedError), "an infinite class is listed")
        return
    expect(0 < len(case.concepts) <= cls.size, "more concepts than candidates")
    keys = {h.key for h in case.concepts}
    expect(len(keys) == len(case.concepts), "a concept is listed twice")
    expect([h.key for h in cls.concepts()] == [h.key for h in case.concepts], "in another order")
    if case.is_whole:
        functions = {tuple(row) for row in case.matrix.tolist()}
        expect(len(functions) == len(keys), "two keys of one function")


def hypotheses_are_read_back(case: ClassCase) -> None:
    """Hypotheses are values: JSON, pickle, hash, words; labels are codes of the class."""
    for h, row in zip(case.concepts, case.matrix, strict=True):
        expect(isinstance(h, Hypothesis), f"{h!r} must derive from littlestone.types.Hypothesis")
        for same in (load(json.loads(json.dumps(h.to_dict()))), pickled(h)):
            expect(same == h and same.key == h.key and hash(same) == hash(h), f"{h!r}: {same!r}")
            expect((same.predict(case.stored) == row).all(), "read back, it answers differently")
        expect(h.describe(), "a hypothesis without words")
        nothing = h.predict(case.stored[:0])
        expect(nothing.shape == (0,), "labels of no points")
        expect(nothing.dtype == row.dtype, "labels of no points have another type")
        expect(
            set(row.tolist()) <= set(range(len(case.concept_class.labels))), "no code of a label"
        )


def points_beyond_the_domain_are_0(case: ClassCase) -> None:
    """Integers of any size: what is no point has the first label, in 64 bits and beyond."""
    domain = case.concept_class.domain
    if domain.bounds is None:
        return
    low, high = domain.bounds
    beyond = [x for x in (*EDGES, low - 1, high + 1) if not low <= x <= high]
    for h in case.concepts:
        for points in (beyond, [x for x in beyond if -(2**63) <= x < 2**63]):
            try:
                stored = np.array(points, dtype=np.int64)
            except OverflowError:
                stored = np.array(points, dtype=object)
            found = h.predict(stored)
            expect(not found.any(), f"{h!r} is 1 beyond its domain")
        own = [int(x) for x in case.points]
        wide = h.predict(np.array(own, dtype=object)).tolist()
        expect(wide == h.predict(case.stored).tolist(), f"{h!r}: Python's integers differ")


def _kinds(case: ClassCase) -> list[tuple[Any, int]]:
    labels = range(len(case.concept_class.labels))
    outside = [] if hasattr(case.concept_class.domain, "schema") else [OUTSIDE]
    return [(x, y) for x in [*case.points, *outside] for y in labels]


def draws_have_the_exact_law(case: ClassCase) -> None:
    """Each concept is drawn with weight (its representations) * e**(-rate * errors), exactly."""
    cls = case.concept_class
    if not isinstance(cls.size, int):
        expect(refusal(cls.candidates, case.sample([]), kind=UnsupportedError), "candidates")
        return

    def law(data: Sequence[tuple[Any, int]], rate: Fraction) -> dict[Any, arb]:
        choice = cls.candidates(case.sample(data))
        expect(choice.size == cls.size, f"{choice.size} candidates of {cls.size}")
        return dict(ExactSource().law(lambda source: choice.draw(rate, source).key).outcomes)

    counts = {key: p * cls.size for key, p in law([], RATES[0]).items()}
    expect(set(counts) == {h.key for h in case.concepts}, "what is drawn is not what is listed")
    whole = {key: round(float(p.mid())) for key, p in counts.items()}
    expect(all(p.contains(whole[key]) for key, p in counts.items()), "no whole multiplicities")
    for size in range(1, case.n_samples + 1):
        for data in combinations_with_replacement(_kinds(case), size):
            rate = RATES[size % len(RATES)]
            errors = {h.key: case.wrong(h, data) for h in case.concepts}
            weights = {key: whole[key] * (ball(-rate) * n).exp() for key, n in errors.items()}
            total = sum(weights.values(), start=arb(0))
            for key, p in law(data, rate).items():
                expect(p.overlaps(weights[key] / total), f"a wrong probability of {key} on {data}")


def errors_are_counted(case: ClassCase) -> None:
    """Errors are those of the definition, also of records outside the domain."""
    kinds = _kinds(case)
    for data in ([], kinds, kinds[::2] * 3, kinds[1::2] + kinds[:1]):
        sample = case.sample(data)
        for h in case.concepts:
            found = case.concept_class.errors(h, sample)
            expect(found == case.wrong(h, data), f"{found} errors of {h!r}")


def dimensions_are_bounded(case: ClassCase) -> None:
    """Compare what the class says of its dimensions with those of its list of concepts."""
    cls = case.concept_class
    if cls.lists_labels or not case.is_whole or not isinstance(cls.size, int):
        return
    kernel = Kernel(np.unique(case.matrix, axis=0))
    exact = {
        "vc": kernel.vc_dim(),
        "littlestone": kernel.ldim(),
        "threshold": kernel.threshold_dim(),
    }
    expect(cls.vc_dim == exact["vc"] if cls.vc_exact else cls.vc_dim >= exact["vc"], "VC dimension")
    bounds = {"littlestone": cls.littlestone_bounds(), "threshold": cls.threshold_bounds()}
    for name, (low, high) in bounds.items():
        expect(low <= exact[name] <= high, f"{name}: {exact[name]} is not in [{low}, {high}]")
    space = cls.version_space()
    expect(space.littlestone_dim() == exact["littlestone"], "its version space has another one")


CANDIDATE_CHECKS = (
    concepts_are_listed_once,
    hypotheses_are_read_back,
    points_beyond_the_domain_are_0,
    draws_have_the_exact_law,
    errors_are_counted,
    dimensions_are_bounded,
)


def class_checks(
    concept_class: ConceptClass,
    *,
    points: Sequence[Any] | None = None,
    n_samples: int = 2,
    schema: Schema | None = None,
    text: bool = True,
) -> Iterator[Check]:
    """Yield the checks of a concept class; see `check_class`."""
    chosen = list(concept_class.domain_points() or ()) if points is None else points
    case = ClassCase(concept_class, chosen, n_samples, schema, text)
    yield from _checks([text_and_json_are_read_back], case)
    if not concept_class.learned_by:  # else its concepts are not candidates of one draw
        yield from _checks(CANDIDATE_CHECKS, case)


def check_class(concept_class: ConceptClass, **options: Any) -> None:
    """Check that a concept class keeps what learners rely on.

    Parameters
    ----------
    concept_class : ConceptClass
        A small one: its concepts are listed. Of an infinite class, text and JSON are checked.
    points : sequence, optional
        Points of the domain, as for `littlestone.audit.verify`; by default all of them.
    n_samples : int >= 0, default 2
        Draws are compared with the definition on all data sets of at most so many records.
    schema : Schema, optional
        Of a class whose text is read together with a schema.
    text : bool, default True
        Whether the text alone says the class; not where it is read from a file.

    Raises
    ------
    AssertionError
        With the first thing that is wrong.

    Examples
    --------
    >>> import littlestone as ls
    >>> check_class(ls.Thresholds(1, 3))
    """
    for check in class_checks(concept_class, **options):
        check()


# -- mechanisms ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MechanismCase:
    """A mechanism, neighbouring data sets, and what is claimed of it."""

    run: Callable[..., Any]
    pairs: Sequence[tuple[Any, Any]]
    epsilon: Any
    delta: Any
    parameters: Mapping[str, Any]

    def call(self, data: Any, source: Any, **changes: Any) -> Any:
        """Run it with its public parameters, some of them changed."""
        return self.run(data, source=source, **{**self.parameters, **changes})


def private_on_all_pairs(case: MechanismCase) -> None:
    """Verify the claim exactly, for all pairs, both ways."""
    result = verify_mechanism(case.call, case.pairs, epsilon=case.epsilon, delta=case.delta)
    expect(result.holds, str(result))


def all_randomness_comes_from_the_source(case: MechanismCase) -> None:
    """Equal seeds give equal outputs, and the data stay what they were."""
    for data, _ in case.pairs:
        before = copy.deepcopy(data)
        first, second = (observed(case.call(data, SeededSource(3))) for _ in range(2))
        expect(first == second, "two runs with one seed differ")
        expect(observed(data) == observed(before), "the data were changed")


def bad_parameters_are_refused_first(case: MechanismCase) -> None:
    """Give epsilon and delta that are none: refused by name, before anything is drawn."""
    data, source = case.pairs[0][0], Untouched()
    for name, value in product({"epsilon", "delta"} & set(case.parameters), NO_EPSILON):
        words = refusal(case.call, data, source, kind=ParameterError, **{name: value})
        expect(words is not None, f"{name}={value!r} was not refused")
        expect(f"'{name}' parameter" in str(words), f"the refusal does not name {name}: {words}")


MECHANISM_CHECKS = (
    private_on_all_pairs,
    all_randomness_comes_from_the_source,
    bad_parameters_are_refused_first,
)


def mechanism_checks(
    mechanism: Callable[..., Any],
    pairs: Iterable[tuple[Any, Any]],
    *,
    epsilon: Any,
    delta: Any = 0,
    **parameters: Any,
) -> Iterator[Check]:
    """Yield the checks of a mechanism; see `check_mechanism`."""
    claim = {"epsilon": epsilon, "delta": delta}
    own = {name: claim[name] for name in claim if name in inspect.signature(mechanism).parameters}
    case = MechanismCase(mechanism, list(pairs), epsilon, delta, own | parameters)
    return _checks(MECHANISM_CHECKS, case)


def check_mechanism(
    mechanism: Callable[..., Any],
    pairs: Iterable[tuple[Any, Any]],
    *,
    epsilon: Any,
    delta: Any = 0,
    **parameters: Any,
) -> None:
    """Check that a mechanism keeps what it claims.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, source=source, **parameters)`` returns what can be observed.
    pairs : iterable of (data, data)
        Neighbouring data sets; `littlestone.audit.replace_one` lists those of small lists.
    epsilon, delta : number >= 0
        The claim; also given to the mechanism, if it has parameters with these names.
    **parameters
        Its other public parameters.

    Raises
    ------
    AssertionError
        With the first thing that is wrong.

    Examples
    --------
    >>> from littlestone.audit import replace_one
    >>> from littlestone.mechanisms import exponential_mechanism
    >>> from littlestone.source import Explicit
    >>> def vote(bits, *, epsilon, source):
    ...     votes = Explicit([bits.count(0), bits.count(1)])
    ...     return exponential_mechanism(votes, epsilon=epsilon, source=source)
    >>> check_mechanism(vote, replace_one([0, 1], 2), epsilon=1)
    """
    for check in mechanism_checks(mechanism, pairs, epsilon=epsilon, delta=delta, **parameters):
        check()
