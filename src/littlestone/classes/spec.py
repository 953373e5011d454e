"""Classes as text (``thresholds(1, 2**64)``) and as JSON: one table of all classes.

A new class is one entry in ``_ENTRIES``; the command line, release files and error messages
follow.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlestone.classes.affine_subspaces import AffineSubspaces
from littlestone.classes.base import ConceptClass
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.decision_trees import DecisionTrees
from littlestone.classes.finite import FiniteClass
from littlestone.classes.integers import evaluate, parse
from littlestone.classes.intervals import Intervals
from littlestone.classes.points import Points
from littlestone.classes.rules import Rules
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.tree_paths import Prefixes, TreePaths
from littlestone.data import Schema
from littlestone.errors import ParameterError, UnsupportedError

__all__ = ["CLASSES", "class_from_dict", "parse_class"]


@dataclass(frozen=True)
class Entry:
    """How one class is written and made.

    Attributes
    ----------
    usage : str
        What an error message shows.
    build : callable
        Makes the class from its integer arguments (or the file's path, or the schema and them).
    from_dict : callable
    names : tuple of str
        Names of the integer arguments, in order.
    required : int
        How many of them must be given.
    file : bool
        The one argument is the path of a public file, with or without quotes.
    text : bool
        ``build`` reads the text between the parentheses itself.
    schema : bool
        The first argument of ``build`` is the schema, which is not part of the text.
    """

    usage: str
    build: Callable[..., ConceptClass]
    from_dict: Callable[[Any], ConceptClass]
    names: tuple[str, ...] = ()
    required: int = 0
    file: bool = False
    text: bool = False
    schema: bool = False


_BOUNDS = ("low", "high")
_ENTRIES: dict[str, Entry] = {
    Thresholds.name: Entry("thresholds(1, 99)", Thresholds, Thresholds.from_dict, _BOUNDS, 2),
    Intervals.name: Entry("intervals(1, 99)", Intervals, Intervals.from_dict, _BOUNDS, 2),
    Points.name: Entry("points() or points(1, 99)", Points, Points.from_dict, _BOUNDS),
    SparseSets.name: Entry(
        "sparse_sets(5) or sparse_sets(5, 1, 99)",
        SparseSets,
        SparseSets.from_dict,
        ("k", *_BOUNDS),
        1,
    ),
    Conjunctions.name: Entry(
        "conjunctions(8, monotone=True)", Conjunctions.from_spec, Conjunctions.from_dict, text=True
    ),
    AffineSubspaces.name: Entry(
        "affine_subspaces(7, 20, 2)",
        AffineSubspaces,
        AffineSubspaces.from_dict,
        ("q", "n", "dim"),
        3,
    ),
    FiniteClass.name: Entry(
        "finite(matrix.csv)", FiniteClass.from_csv, FiniteClass.from_dict, file=True
    ),
    TreePaths.name: Entry(
        "tree_paths(taxonomy.csv)", TreePaths.from_csv, TreePaths.from_dict, file=True
    ),
    Prefixes.name: Entry("prefixes(ipv4)", Prefixes.from_spec, Prefixes.from_dict, text=True),
    Rules.name: Entry(
        "rules(max_literals=2)", Rules, Rules.from_dict, ("max_literals",), schema=True
    ),
    DecisionTrees.name: Entry(
        "decision_trees(depth=2)", DecisionTrees, DecisionTrees.from_dict, ("depth",), schema=True
    ),
}

#: What may be written, by name (public, for help texts).
CLASSES: dict[str, str] = {name: entry.usage for name, entry in _ENTRIES.items()}

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
    + "Use public bins of each column: rules(max_literals=2) or decision_trees(depth=2).",
}
_INFINITE["linear_separators"] = _INFINITE["linear_classifiers"] = _INFINITE["halfspaces"]

_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)


def parse_class(spec: str, schema: Schema | None = None) -> ConceptClass:
    """Return the class that a text such as ``thresholds(0, 2**64 - 1)`` describes.

    Parameters
    ----------
    spec : str
        A name with arguments in parentheses. Integers may be expressions with ``+ - * **``;
        nothing else is ever evaluated. A file may be written with or without quotes.
    schema : Schema, optional
        Needed by ``rules``.

    Returns
    -------
    ConceptClass

    Raises
    ------
    ParameterError
        If the text is not a class; proposes the nearest name.
    UnsupportedError
        If it is a class of infinite Littlestone dimension: says why, and what to use instead.

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
    name, inside = form.groups()
    entry = _ENTRIES.get(name) or _ENTRIES.get(name.lower())
    if entry is None and name.lower() in _INFINITE:
        raise UnsupportedError(f"{name} cannot be learned privately. {_INFINITE[name.lower()]}")
    if entry is None:
        raise ParameterError(f"There is no class {name[:60]!r}.{_suggestion(name)}")
    if entry.file:
        return entry.build(_path(inside, entry))
    if entry.text:
        return entry.build(inside.strip())
    arguments = _arguments(inside, entry, f"{name}(...)")
    if not entry.schema:
        return entry.build(**arguments)
    if schema is None:
        raise ParameterError(
            f"The class {entry.usage} needs a public schema of the columns. Write one as TOML "
            "(--schema schema.toml, or Schema.from_toml)."
        )
    return entry.build(schema, **arguments)


def class_from_dict(data: Any) -> ConceptClass:
    """Read a class from the JSON that its ``to_dict`` wrote; nothing is executed.

    Raises
    ------
    ParameterError
        If the JSON is not a class.

    Examples
    --------
    >>> class_from_dict({"type": "points"})
    Points()
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _ENTRIES:
        known = ", ".join(sorted(_ENTRIES))
        raise ParameterError(f"The 'type' entry of a class must be one of: {known}.")
    return _ENTRIES[kind].from_dict(data)


def _usages() -> str:
    return ", ".join(CLASSES.values())


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


def _arguments(inside: str, entry: Entry, owner: str) -> dict[str, int]:
    """Return the integer arguments by name."""
    call = parse(f"f({inside})", owner)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ParameterError(f"The arguments of {owner} cannot be read. Write {entry.usage}.")
    given: list[tuple[str | None, ast.expr]] = list(zip(entry.names, call.args, strict=False)) + [
        (keyword.arg, keyword.value) for keyword in call.keywords
    ]
    out: dict[str, int] = {}
    for name, node in given:
        if name not in entry.names or name in out:
            raise ParameterError(
                f"The argument {str(name)[:60]!r} of {owner} is unknown or given twice. "
                f"Write {entry.usage}."
            )
        out[str(name)] = evaluate(node, ast.unparse(node)[:60], owner)
    missing = set(entry.names[: entry.required]) - set(out)
    if len(call.args) > len(entry.names) or missing:
        raise ParameterError(
            f"{owner} takes {' and '.join(entry.names) or 'no arguments'}. Write {entry.usage}."
        )
    return out
