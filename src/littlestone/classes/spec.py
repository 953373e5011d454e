"""Classes as text (``thresholds(1, 2**64)``) and as JSON.

Each class says by `written` how it is written; the command line, release files and error messages
follow.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar

from littlestone.classes.base import ConceptClass
from littlestone.classes.encoding import evaluate, parse
from littlestone.classes.public_points import at_public_points, read_public
from littlestone.data import Schema
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.types import Label

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
    Its arguments are the parameters of its constructor: integers, and perhaps ``schema`` and
    ``labels``. A class of which the text is no list of integers has a classmethod ``from_spec``,
    which gets the text between the parentheses, or ``from_csv``, which gets the path of a public
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
    + "Use public points in the plane: half_planes(0, 0, 1023, 1023) with --public; or public bins "
    "of each column: rules(max_literals=2) or decision_trees(depth=2). On a small finite grid, "
    "list them: finite(matrix.csv).",
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
            f"The class {name} has the labels 0 and 1. {', '.join(first)} and {last} have any "
            "list of labels; for two labels say which one means 1 (--positive)."
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
            "schema.toml, or Schema.from_toml. `littlestone schema new TABLE` writes a first one."
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
    """Return the integer arguments by name."""
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
        out[str(name)] = evaluate(node, ast.unparse(node)[:60], caller)
    missing = set(entry.names[: entry.required]) - set(out)
    if len(call.args) > len(entry.names) or missing:
        raise ParameterError(
            f"{caller} takes {' and '.join(entry.names) or 'no arguments'}. Write {entry.usage}."
        )
    return out
