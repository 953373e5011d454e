"""Everything that an observer gets from one run of a learner, as one comparable value.

Returned: the hypothesis (its key, and all that the object carries), the canonical JSON, the repr
(as HTML, too), each further view (a page, a printed line). Printed: standard output and error,
warnings, log lines. A refusal: its type, message, notes, attributes, and the causes that a
traceback would show.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.source import HiddenStateError

if TYPE_CHECKING:
    from littlestone.data import Sample, UserSample
    from littlestone.data.targets import TargetSample
    from littlestone.learners.base import Learner
    from littlestone.source import Source


Observer = Callable[[Release], str]
REFUSED = "refused"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_DEEPEST = 12


def observe(
    algorithm: Learner[Any],
    sample: Sample | UserSample | TargetSample,
    source: Source,
    *,
    observers: Sequence[Observer] = (),
    evaluate: Any = None,
    holdout: Any = None,
) -> Hashable:
    """Run one release and return all that can be seen of it."""
    with _listening() as heard:
        try:
            release = run(
                algorithm,
                sample,
                source,
                evaluate=evaluate,
                holdout=holdout,
            )
            shown = (repr(release), release._repr_html_(), repr(vars(release)))
            views = (release.to_json(), *shown, *(view(release) for view in observers))
        except HiddenStateError:
            raise
        except Exception as refusal:  # a refusal, and even a crash, is an output too
            seen: tuple[Hashable, ...] = (REFUSED, *_refusal(refusal))
        else:
            seen = ("released", release.hypothesis.key, contents(release.hypothesis), *views)
    return (*seen, *heard())


@contextlib.contextmanager
def _listening() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Catch what is printed, warned and logged."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    handler, root = logging.StreamHandler(log), logging.getLogger()
    root.addHandler(handler)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            yield lambda: (
                out.getvalue(),
                err.getvalue(),
                log.getvalue(),
                *(f"{w.category.__name__}: {w.message}" for w in warned),
            )
    finally:
        root.removeHandler(handler)


def _refusal(refusal: BaseException) -> tuple[str, ...]:
    """Return what the exception object carries, and what a traceback of it would print."""
    printed = traceback.TracebackException.from_exception(refusal, limit=0)
    return (
        type(refusal).__name__,
        str(refusal),
        repr(refusal.args),
        contents({k: v for k, v in vars(refusal).items() if k != "__notes__"}),
        *getattr(refusal, "__notes__", ()),
        *printed.format(chain=True),
    )


def contents(value: Any, depth: int = 0) -> str:
    """Return all that an object carries, as text: attributes, arrays, nested objects.

    Examples
    --------
    >>> contents({"b": [1, 2.5], "a": None})
    "{'a': None, 'b': [1, 2.5]}"
    """
    if depth > _DEEPEST or isinstance(value, str | int | float | bytes | type | None):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {value.tolist()})"
    if isinstance(value, Mapping):
        items = sorted((contents(k, depth + 1), contents(v, depth + 1)) for k, v in value.items())
        return "{" + ", ".join(f"{k}: {v}" for k, v in items) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        inside = [contents(v, depth + 1) for v in value]
        return f"[{', '.join(inside if isinstance(value, list | tuple) else sorted(inside))}]"
    carried = getattr(value, "__dict__", None)
    if carried:
        return f"{type(value).__name__}{contents(carried, depth + 1)}"
    return _ADDRESS.sub("at an address", repr(value))
