"""Parameters of learners, each declared once: name, type, check, text, default, option.

A learner is a frozen dataclass whose fields are `declared`. From the fields follow what it refuses
(`Learner`), the arguments and the docstring of its estimator (`complete`), the stub that editors
read, and options of the command line. Nothing here imports scikit-learn.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, make_dataclass, replace
from typing import Any, Literal

import numpy as np

from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error

#: Checks a public parameter: (caller, name, what was typed) -> its value, or a `ParameterError`.
Check = Callable[[str, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: in words, as a check, and as the annotation of an argument.

    ``option`` is its type on the command line, where numbers are read as they are typed.
    """

    words: str
    check: Check | None = None
    annotation: str = "Any"
    option: Any = str


def declared(
    kind: Kind,
    text: str,
    *,
    default: Any = MISSING,
    option: str | None = None,
    kw_only: bool = True,
) -> Any:
    """Declare a public parameter, with its text in the estimator's docstring.

    The default is written as a user types it, and checked like any other value; ``option`` is what
    ``--help`` says, None where the command line does not have it.
    """
    about = {"kind": kind, "text": text, "option": option}
    return field(default=default, kw_only=kw_only, metadata=about)


def number(hint: str = "") -> Kind:
    """Return the kind of a number in (0, inf)."""
    return Kind(
        "float in (0, inf)",
        lambda caller, name, value: check_fraction(caller, name, value, hint=hint),
        "Number",
    )


def share(hint: str = "") -> Kind:
    """Return the kind of a number in (0, 1)."""
    return Kind(
        "float in (0, 1)",
        lambda caller, name, value: check_probability(caller, name, value, hint=hint),
        "Number",
    )


def whole(low: int) -> Kind:
    """Return the kind of an integer, at least ``low``."""
    return Kind(
        f"int >= {low}",
        lambda caller, name, value: check_integer(caller, name, value, low=low),
        "int",
    )


def one_of(*values: str) -> Kind:
    """Return the kind of one of some words."""

    def check(caller: str, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in values:
            raise parameter_error(caller, name, f"one of {', '.join(values)}", value)
        return value

    words = ", ".join(map(json.dumps, values))
    return Kind(f"{{{words}}}", check, f"Literal[{words}]", Literal[values])


def maybe(kind: Kind) -> Kind:
    """Return the kind of a value that may be None."""
    check, annotation = kind.check, kind.annotation
    return replace(
        kind,
        check=lambda caller, name, value: (
            value if value is None or check is None else check(caller, name, value)
        ),
        annotation=annotation if annotation == "Any" else f"{annotation} | None",
    )


def _flag(caller: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise parameter_error(caller, name, "True or False", value)
    return bool(value)


FLAG = Kind("bool", _flag, "bool", bool)


# -- what follows for an estimator ----------------------------------------------------------------

_ATTRIBUTES = {
    "hypothesis_ : Hypothesis": "The private output; may be published.",
    "guarantee_ : Guarantee": "",
    "certificate_ : Certificate": "",
    "classes_ : ndarray of shape (n_classes,)": "",
    "n_features_in_ : int": "",
    "feature_names_in_ : ndarray of str, where ``fit`` met names": "",
}
_RAISES = {
    "ParameterError": "If a public parameter is out of range.",
    "DataError": "If a point or a label is outside the public domain (names column and rule only).",
}
_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def complete(cls: type, parameters: Mapping[str, Field[Any]]) -> None:
    """Give an estimator an ``__init__`` that only stores, and the sections that all have."""
    parameters = dict(sorted(parameters.items(), key=_place))
    arguments = [
        (name, each.metadata["kind"].annotation, field(default=each.default, kw_only=each.kw_only))
        for name, each in parameters.items()
    ]
    storing: Any = make_dataclass(cls.__name__, arguments, repr=False, eq=False)
    storing.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
    storing.__init__.__module__ = cls.__module__
    cls.__init__ = storing.__init__  # type: ignore[misc]
    about, *sections = _HEADING.split(inspect.cleandoc(cls.__doc__ or ""))
    own = dict(zip(sections[::2], sections[1::2], strict=True))
    typed = {_argument(name, each): each.metadata["text"] for name, each in parameters.items()}
    shown = {
        "Parameters": _entries(typed),
        "Attributes": _with_shared(own.pop("Attributes", ""), _ATTRIBUTES),
        "Guarantee": own.pop("Guarantee", ""),
        "Raises": _with_shared(own.pop("Raises", ""), _RAISES),
    } | own
    texts = [f"{name}\n{'-' * len(name)}\n{text.strip()}\n" for name, text in shown.items() if text]
    cls.__doc__ = "\n".join([f"{about.rstrip()}\n", *texts])


def _place(entry: tuple[str, Field[Any]]) -> tuple[bool, bool]:
    """Order positional parameters first, and those without a default."""
    return bool(entry[1].kw_only), entry[1].default is not MISSING


def _argument(name: str, each: Field[Any]) -> str:
    """Return the first line of an argument in a docstring."""
    words = f"{name} : {each.metadata['kind'].words}"
    if each.default is MISSING:
        return words
    if each.default is None:
        return f"{words}, optional"
    typed = json.dumps(each.default) if isinstance(each.default, str) else each.default
    return f"{words}, default {typed}"


def _entries(entries: Mapping[str, str]) -> str:
    """Return entries of a section of a docstring, each with its text below."""
    lines = []
    for entry, text in entries.items():
        lines.append(entry)
        if text:
            lines.append(textwrap.indent(textwrap.fill(text, 92, break_on_hyphens=False), "    "))
    return "\n".join(lines)


def _with_shared(own: str, shared: Mapping[str, str]) -> str:
    """Return the entries of a section, and after them the shared ones that it leaves out."""
    said = {line.partition(" ")[0] for line in own.splitlines()}
    rest = {entry: text for entry, text in shared.items() if entry.split()[0] not in said}
    return f"{own.rstrip()}\n{_entries(rest)}"


def no_argument(caller: str, name: str) -> str:
    """Say what to use instead of an argument that other libraries have."""
    instead = {
        "sample_weight": "Every record counts once: privacy bounds what one of them can change. "
        "Where it is worse to miss one label, AgnosticLearner(..., costs={label: cost}) says so.",
        "class_weight": "AgnosticLearner(..., class_weight={label: weight}) has it as a parameter; "
        "sums of trees give probabilities, for which you choose the threshold.",
    }.get(name, "Parameters of the model are those of its constructor.")
    return f"The fit of {caller} takes no {name!r}. {instead}"
