"""The other side of ``worker.py``: runs functions of a script, and answers in JSON.

It is started by another interpreter, which need not have this package: nothing but the standard
library is imported. One request a line (``name``, ``arguments``, ``times``), one output a line.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple


class Raised(NamedTuple):
    """An exception as an output."""

    type: str
    message: str


def encoded(value: Any) -> Any:
    """Return what JSON can hold: numbers as they are, other plain values in one-entry objects."""
    if hasattr(value, "tolist"):  # arrays and scalars of numpy and torch
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Raised):
        return {"raised": list(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, list | tuple):
        return [encoded(part) for part in value]
    if isinstance(value, dict):
        return {"dict": [[encoded(key), encoded(part)] for key, part in value.items()]}
    return {"repr": repr(value)}


def decoded(value: Any, raised: Any = Raised) -> Any:
    """Return a value from what `encoded` made of it; lists are tuples, other objects their text."""
    if isinstance(value, list):
        return tuple(decoded(part, raised) for part in value)
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "raised":
        return raised(*inner)
    if kind == "dict":
        return {decoded(key, raised): decoded(part, raised) for key, part in inner}
    return bytes.fromhex(inner) if kind == "bytes" else inner


def output(run: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call returned or raised: a refusal is an output too."""
    try:
        return run(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as refusal:  # panics of Rust libraries are no Exception
        return Raised(type(refusal).__name__, str(refusal))


def main(script: str, *arguments: str) -> None:
    """Load the script, say which versions are installed, and answer until input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)  # what libraries print goes elsewhere
    os.dup2(2, 1)
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    names = run_path(script)
    versions = {each.metadata["Name"]: each.version for each in distributions()}
    print(json.dumps(versions), file=answers)
    for line in sys.stdin:
        name, given, times = json.loads(line)
        for _ in range(times):
            print(json.dumps(encoded(output(names[name], *map(decoded, given)))), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
