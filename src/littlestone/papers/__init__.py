"""The papers, each on its page: every numbered algorithm as it is printed.

=============  ======================================================================
`yan`          000 and 001 (Yan): classes of VC dimension 1
`li_wang_ye`   002 (Li, Wang, Ye): agnostic learning of users; of records, in
               `li_wang_ye_records`
`lyu`          003 (Lyu): classes of finite Littlestone dimension, batch and online
`alon`         004 (Alon, Bun, Livni, Malliaris, Moran): private and online learning;
               in `alon_reductions` what makes one learner of another, and the attack
`adaptor`      the shell around what learns
=============  ======================================================================

On the pages, algorithms have the paper's symbols and the printed defaults. Here, what learns
is an estimator of scikit-learn: ``papers.Theorem3(concept_class, epsilon=1, delta=1e-6)``.
None of them needs the fewest records: `littlestone.plan` compares those that do. Which step is
where: docs/project/reading.csv; what is not as printed: docs/errata.csv.
"""

from __future__ import annotations

import csv
import importlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.classes import FiniteClass, parse_class
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.classes import ConceptClass
    from littlestone.papers.adaptor import PaperLearner

#: Every name, with its page and what it is called there.
_HOMES = {
    "yan.algorithm1": ("yan", "MakeTree"),
    "yan.algorithm2": ("yan", "OPTPrivateLearner"),
    "yan.algorithm3": ("yan", "MakeSubTree"),
    "yan.algorithm4": ("yan", "ProperLearner"),
    "yan.theorem6": ("yan", "PrivateMedian"),
    "yan.lemma1": ("yan", "ChoosingMechanism"),
    "lwy.theorem3.4": ("li_wang_ye_records", "Theorem34"),
    "lwy.lemma2.4": ("li_wang_ye_records", "Lemma24"),
    "lwy.definition2.3": ("li_wang_ye_records", "RepD"),
    "lwy.lemmaC.1": ("li_wang_ye", "PrivateCompare"),
    "lwy.algorithm2": ("li_wang_ye", "PrivateMinError"),
    "lwy.theorem4.6": ("li_wang_ye", "Theorem46"),
    "lwy.algorithm1": ("li_wang_ye", "PrivateThreshold"),
    "lyu.algorithm1": ("lyu", "PrivateSparseSample"),
    "lyu.algorithm2": ("lyu", "AboveThreshold"),
    "lyu.theorem3": ("lyu", "Theorem3"),
    "lyu.algorithm3": ("lyu", "DPOL"),
    "lyu.algorithm4": ("lyu", "JointTrain"),
    "alon.soa": ("alon", "SOA"),
    "alon.definition11": ("alon", "ExtendedSOA"),
    "alon.Dk": ("alon", "Tournament"),
    "alon.G": ("alon", "G"),
    "alon.hist": ("alon", "Hist"),
    "alon.generic": ("alon", "GenericLearner"),
    "alon.theorem30": ("alon", "M"),
    "alon.lemma15": ("alon_reductions", "Lemma15"),
    "alon.theorem8": ("alon_reductions", "Theorem8"),
    "alon.theorem10": ("alon_reductions", "Theorem10"),
    "alon.lemma31": ("alon_reductions", "Lemma31"),
    "alon.corollary4": ("alon_reductions", "Corollary4"),
    "alon.attack": ("alon_reductions", "Attack"),
}
_NAMES = {python: name for name, (_, python) in _HOMES.items()}
_PAGES = ("yan", "li_wang_ye_records", "li_wang_ye", "lyu", "alon", "alon_reductions", "adaptor")

__all__ = sorted(_NAMES)  # noqa: PLE0605 - built from one table


def names() -> list[str]:
    """Return the names of all algorithms, in the order of the papers.

    Examples
    --------
    >>> names()[13:17]
    ['lyu.algorithm1', 'lyu.algorithm2', 'lyu.theorem3', 'lyu.algorithm3']
    """
    return list(_HOMES)


def page(name: str) -> Any:
    """Return what is on its page under a name: the dataclass, or the function.

    Examples
    --------
    >>> page("lyu.theorem3").NUMBER
    'Theorem 3'
    """
    if name not in _HOMES:
        raise ParameterError(
            f"No algorithm of the papers has the name {name!r}. The names are: {', '.join(_HOMES)}."
        )
    module, python = _HOMES[name]
    return getattr(importlib.import_module(f"{__name__}.{module}"), python)


def make(
    name: str,
    concept_class: ConceptClass,
    *,
    settings: Sequence[str] = (),
    caller: str = "make",
    **arguments: Any,
) -> PaperLearner:
    """Return the learner of a name, after checking all public parameters.

    ``settings``: texts ``NAME=VALUE``, as ``--set`` has them.

    Examples
    --------
    >>> import littlestone as ls
    >>> learner = make("lyu.theorem3", ls.Points(), epsilon=1, delta="1e-6", settings=["k=80"])
    >>> print(learner.guarantee())
    (1, 1e-06)-differential privacy, replace-one [lyu.theorem3.privacy]
    """
    from littlestone.papers.adaptor import learner_of, read_settings  # noqa: PLC0415 - slow

    algorithm = page(name)
    if algorithm.KIND != "learner" or algorithm.UNIT == "stream":
        raise ParameterError(
            f"{name} does not learn from records or users; use it from Python, "
            f"littlestone.papers.{algorithm.__name__}."
        )
    if algorithm.PURE:
        delta = arguments.pop("delta", None)
        if delta is not None:
            raise ParameterError(
                f"The 'delta' parameter must not be given to {name}. Got {delta!r}. It is purely "
                "epsilon-private: leave delta out."
            )
    of_users = arguments.get("samples_per_user") is not None
    if of_users != (algorithm.UNIT == "users"):
        raise ParameterError(
            f"{name} protects {algorithm.UNIT}: "
            + ("leave samples_per_user out." if of_users else "give samples_per_user, too.")
        )
    others = arguments.keys() - {"epsilon", "delta", "alpha", "beta", "samples_per_user"}
    known = read_settings(caller, algorithm, settings)
    if unknown := sorted(others - set(learner_of(algorithm).__dataclass_fields__)):
        raise ParameterError(
            f"The {unknown[0]!r} parameter must not be given to {name}. --set has its own."
        )
    learner_class: Any = learner_of(algorithm)
    learner: PaperLearner = learner_class(concept_class, **arguments, **known)
    return learner


# -- What the algorithms need, certified and in simulation: experiments/papers_needed.py writes
# needed.csv, a test certifies each row again; docs/papers.md and ``littlestone papers`` show it.

NEEDED = Path(__file__).with_name("needed.csv")


class Needed(NamedTuple):
    """One algorithm with parameters; epsilon = 1, delta = 1e-6, alpha = beta = 1/10."""

    row: str  # a name of the list, and what tells it from others of that name
    concept_class: str
    samples_per_user: int | None
    certified_with: str  # as --set has it, separated by blanks; "" is as printed
    certified: int | None  # records or users
    simulated_with: str
    simulated: int | None  # the least n of a grid whose failures are within beta
    worst: str  # distribution
    failures: int | None  # of 200 runs at this n, on the worst distribution

    @property
    def name(self) -> str:
        """The algorithm's name on the list."""
        return self.row.partition(",")[0]


@lru_cache(maxsize=1)
def needed() -> tuple[Needed, ...]:
    """Return all rows, in the order of the papers.

    Examples
    --------
    >>> print(*sorted({row.name for row in needed()} & {"lyu.theorem3", "alon.corollary4"}))
    alon.corollary4 lyu.theorem3
    """
    counts = {2, 4, 6, 8}
    with NEEDED.open(encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    return tuple(
        Needed(*((int(cell) if cell else None) if i in counts else cell
                 for i, cell in enumerate(line)))  # type: ignore[arg-type]
        for line in lines
    )  # fmt: skip


def within_goal(row: Needed, settings: str) -> PaperLearner:
    """Return the learner of a row, with its ``certified_with`` or its ``simulated_with``."""
    goal: dict[str, Any] = {"epsilon": 1, "alpha": "1/10", "beta": "1/10"}
    if not page(row.name).PURE:
        goal["delta"] = "1e-6"
    if row.samples_per_user is not None:
        goal["samples_per_user"] = row.samples_per_user
    concepts = _leaves() if row.name == "yan.algorithm4" else parse_class(row.concept_class)
    return make(row.name, concepts, settings=settings.split(), **goal)


def _leaves() -> ConceptClass:
    """Return the paths to the leaves of a binary tree of depth 8, numbered as a heap from 1 on."""
    paths = np.arange(256, 512)[:, None] >> np.arange(9)
    matrix = np.zeros((256, 512), dtype=np.uint8)
    np.put_along_axis(matrix, paths, 1, axis=1)
    return FiniteClass(matrix, name="256 leaves of a binary tree")


def __getattr__(name: str) -> Any:
    if name in _PAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from littlestone.papers.adaptor import estimator_of  # noqa: PLC0415

    algorithm = page(_NAMES[name])
    learns = algorithm.KIND == "learner" and algorithm.UNIT != "stream"
    return estimator_of(algorithm) if learns else algorithm


def __dir__() -> list[str]:
    return [*__all__, *_PAGES]
