"""Classes as text (``thresholds(1, 2**64)``) and as JSON.

Each class says by `written` how it is written; the command line, release files and error messages
follow.
"""

from __future__ import annotations

import ast
import difflib
import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar

from littlestone.bounds.representations import PublicPoints
from littlestone.classes.base import ConceptClass
from littlestone.classes.hypotheses import evaluate, from_json, parse, to_json
from littlestone.data import Domain, Schema
from littlestone.data.domains import distinct
from littlestone.errors import ParameterError, UnsupportedError, parameter_error
from littlestone.types import Json, Label

# -- Classes at public points: one concept for each way in which a class labels them.
#
# The candidates follow from the public points alone, by a public rule; no record has a part in
# it.


@singledispatch
def at_public_points(concept_class: Any, points: Any) -> ClassAtPoints:
    """Return the concepts that represent a class at public points; see the learners' ``public``.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> found = at_public_points(Thresholds(1, 99), [20, 60, 20])
    >>> found.size, [concept.describe()[:12] for concept in found.concepts()]
    (3, ['1 if x > 19,', '1 if x > 59,', 'always 0 (x '])
    """
    if concept_class.row_schema is not None:
        raise UnsupportedError(
            f"{concept_class.spec} takes public points by its columns: give it a schema of public "
            "rows, Schema.from_public(table), and no public points besides."
        )
    raise UnsupportedError(
        f"The candidates of {concept_class.spec} at public points are not known. Those of "
        "thresholds and intervals are."
    )


class ClassAtPoints(ConceptClass):
    """What these classes share; ``public`` says how near they are to the class itself.

    ``points``: the different public points, in order, at least one.
    """

    def __init__(self, concept_class: Any, points: Any) -> None:
        caller = f"{type(concept_class).__name__} at public points"
        domain = concept_class.domain
        given = domain.array(points, caller)
        self.concept_class, self.number = concept_class, len(given)
        self.points, self._which = distinct(given)
        if not len(self.points):
            raise parameter_error(caller, "public", "at least one point", "none")

    @staticmethod
    @abstractmethod
    def some(concept_class: Any, number: int) -> tuple[Any, list[Any]]:
        """Return points in general position, of the class or of one over a larger domain."""

    @property
    @abstractmethod
    def public(self) -> PublicPoints:
        """How far a concept may be from the one that represents it."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the class."""
        return str(self.concept_class.name)

    @property
    def spec(self) -> str:
        """The class, and how many public points there are."""
        return f"{self.concept_class.spec} at {self.number:,} public points"

    @property
    def domain(self) -> Domain:
        """That of the class."""
        domain: Domain = self.concept_class.domain
        return domain

    def to_dict(self) -> Json:
        """Return plain JSON, with all public points."""
        points = [to_json(_hashable(point)) for point in self.points[self._which].tolist()]
        return {**self.concept_class.to_dict(), "public": points}

    def _identity(self) -> Hashable:
        return (self.concept_class, self.number, *map(_hashable, self.points.tolist()))

    def __repr__(self) -> str:
        return f"<{self.spec}>"


def at_so_many(concept_class: Any, number: int) -> ClassAtPoints:
    """Return a class at so many points that are not known yet, as different as they can be.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> at_so_many(Thresholds(1, 9), 200).size
    10
    """
    kind: Any = at_public_points.dispatch(type(concept_class))
    if kind is at_public_points.dispatch(object):
        return at_public_points(concept_class, [])  # which is refused
    domain, points = kind.some(concept_class, number)
    found: ClassAtPoints = kind(domain, [points[i % len(points)] for i in range(number)])
    found.concept_class = concept_class
    return found


def _hashable(point: Any) -> Hashable:
    return tuple(point) if isinstance(point, list) else point


def read_public(points: Any) -> list[Any]:
    """Return the public points of a file."""
    if not isinstance(points, list):
        raise parameter_error("class", "public", "a list of points", type(points).__name__)
    return [from_json(point) for point in points]


@at_public_points.register
def _(concept_class: ClassAtPoints, points: Any) -> ClassAtPoints:
    return at_public_points(concept_class.concept_class, points)


C = TypeVar("C", bound=type[ConceptClass])


@dataclass(frozen=True)
class Entry:
    """How one class is written and made."""

    usage: str
    build: Callable[..., ConceptClass]
    from_dict: Callable[[Any], ConceptClass]
    from_spec: Callable[[str], ConceptClass] | None
    from_csv: Callable[..., ConceptClass] | None
    names: tuple[str, ...]
    required: int
    schema: bool
    labels: bool


_ENTRIES: dict[str, Entry] = {}

#: What may be written, by name (public, for help texts).
CLASSES: dict[str, str] = {}


def written(usage: str) -> Callable[[C], C]:
    """Make `parse_class` and `class_from_dict` know a class, by its ``name``.

    Notes
    -----
    Its arguments are the parameters of its constructor: integers, True and False, and perhaps
    ``schema`` and ``labels``. A class with another text has a classmethod ``from_spec``, which gets
    the text between the parentheses, or ``from_csv``, which gets the path of a public
    file.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> @written("singletons(1, 9)")
    ... class Singletons(Points):
    ...     name = "singletons"
    >>> parse_class("singletons(1, 2**8)")
    Singletons(1, 256)
    """

    def register(kind: C) -> C:
        made: Any = kind
        text, file = getattr(kind, "from_spec", None), getattr(kind, "from_csv", None)
        own = signature(kind).parameters
        names = tuple(name for name in own if name not in ("schema", "labels", "target"))
        required = sum(own[name].default is Parameter.empty for name in names)
        _ENTRIES[kind.name] = Entry(
            usage, made, made.from_dict, text, file, names, required,
            schema="schema" in own, labels="labels" in own,
        )  # fmt: skip
        CLASSES[kind.name] = usage
        return kind

    return register


_NO_ORDER = (
    "Their Littlestone dimension is infinite (already thresholds on the real line answer binary "
    "search forever), so no private learner exists for them (Alon et al. 2022, Theorem 1). "
)
#: Classes that people ask for and that cannot be learned privately: why, and what to use instead.
_INFINITE: dict[str, str] = {
    "real_thresholds": _NO_ORDER
    + "Use a public grid: thresholds(low, high), also of 2**64 or more points.",
    "real_intervals": _NO_ORDER + "Use a public grid: intervals(low, high).",
    "halfspaces": _NO_ORDER
    + "Use a linear model (fit --model linear), or public bins of each column: "
    "rules(max_literals=2) or decision_trees(depth=2). On a small finite grid, list them: "
    "finite(matrix.csv).",
}
_INFINITE["linear_separators"] = _INFINITE["linear_classifiers"] = _INFINITE["halfspaces"]

_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_class(
    spec: str, schema: Schema | None = None, labels: Sequence[Label] | None = None
) -> ConceptClass:
    """Return the class that a text such as ``thresholds(0, 2**64 - 1)`` describes.

    Examples
    --------
    >>> parse_class("thresholds(1, 2**64 - 1)")
    Thresholds(1, 2**64 - 1)
    >>> parse_class("treshold(1, 9)")
    Traceback (most recent call last):
    ...
    littlestone.errors.ParameterError: There is no class 'treshold'. Did you mean thresholds(1, 99)?
    """
    form = _FORM.fullmatch(spec) if isinstance(spec, str) else None
    if form is None:
        raise ParameterError(
            f"A class is written as a name with arguments, one of: {_usages()}. "
            f"Got {str(spec)[:60]!r}."
        )
    name, inside = form.groups(default="")
    entry = _ENTRIES.get(name) or _ENTRIES.get(name.lower())
    if entry is None and name.lower() in _INFINITE:
        raise UnsupportedError(f"{name} cannot be learned privately. {_INFINITE[name.lower()]}")
    if entry is None:
        raise ParameterError(f"There is no class {name[:60]!r}.{_suggestion(name)}")
    if labels is not None and not entry.labels:
        *first, last = (e.usage for _, e in sorted(_ENTRIES.items()) if e.labels)
        raise UnsupportedError(
            f"The class {name} has the labels 0 and 1. {', '.join(first)} and {last} take any list "
            "of labels; for two labels name the positive one (--positive)."
        )
    listed: dict[str, Any] = {} if labels is None else {"labels": labels}
    if entry.from_csv is not None:
        return entry.from_csv(_path(inside, entry), **listed)
    if entry.from_spec is not None:
        return entry.from_spec(inside.strip())
    arguments = _arguments(inside, entry, f"{name}(...)")
    if not entry.schema:
        return entry.build(**arguments, **listed)
    if schema is None:
        raise ParameterError(
            f"The class {entry.usage} needs a public schema of the columns: --schema "
            "schema.toml, or Schema.from_toml. `littlestone schema new TABLE` writes a draft."
        )
    return entry.build(schema, **arguments, **listed)


def needs_schema(spec: str) -> bool:
    """Return whether a text is a class over the columns of a schema, or auto.

    Examples
    --------
    >>> needs_schema("rules(max_literals=2)"), needs_schema("thresholds(1, 9)")
    (True, False)
    """
    name = spec.partition("(")[0].strip().lower()
    return name == "auto" or (name in _ENTRIES and _ENTRIES[name].schema)


def class_from_dict(data: Any) -> ConceptClass:
    """Read a class from the JSON that its ``to_dict`` wrote; nothing is executed.

    Examples
    --------
    >>> class_from_dict({"type": "points"})
    Points()
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _ENTRIES:
        known = ", ".join(sorted(_ENTRIES))
        raise ParameterError(f"The 'type' entry of a class must be one of: {known}.")
    if "public" not in data:
        return _ENTRIES[kind].from_dict(data)
    whole = _ENTRIES[kind].from_dict({k: v for k, v in data.items() if k != "public"})
    return at_public_points(whole, read_public(data["public"]))


def _usages() -> str:
    return ", ".join(CLASSES[name] for name in sorted(CLASSES))


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name.lower(), CLASSES, n=1)
    return f" Did you mean {CLASSES[close[0]]}?" if close else f" Write one of: {_usages()}."


def _path(inside: str, entry: Entry) -> Path:
    path = inside.strip()
    if len(path) > 1 and path[0] == path[-1] and path[0] in "'\"":
        path = path[1:-1]
    if not path or "\0" in path:
        raise ParameterError(f"The class {entry.usage} needs the path of a file.")
    return Path(path)


def _arguments(inside: str, entry: Entry, caller: str) -> dict[str, int]:
    """Return the arguments by name: integers, True and False."""
    call = parse(f"f({inside})", caller)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ParameterError(f"The arguments of {caller} cannot be read. Write {entry.usage}.")
    given: list[tuple[str | None, ast.expr]] = list(zip(entry.names, call.args, strict=False)) + [
        (keyword.arg, keyword.value) for keyword in call.keywords
    ]
    out: dict[str, int] = {}
    for name, node in given:
        if name not in entry.names or name in out:
            raise ParameterError(
                f"The argument {str(name)[:60]!r} of {caller} is unknown or given twice. "
                f"Write {entry.usage}."
            )
        flag = getattr(node, "value", None)
        if not isinstance(flag, bool):
            flag = evaluate(node, ast.unparse(node)[:60], caller)
        out[str(name)] = flag
    missing = set(entry.names[: entry.required]) - set(out)
    if len(call.args) > len(entry.names) or missing:
        raise ParameterError(
            f"{caller} takes {' and '.join(entry.names) or 'no arguments'}. Write {entry.usage}."
        )
    return out
