"""A mutant is a broken variant of the library, written as code, with the detectors of it.

    @mutant("half noise", "mechanisms.select:selection_rate", "exponential_mechanism")
    def half_the_noise_of_a_selection(original, epsilon, **options):
        \"""The factor 2 of the exponential mechanism is forgotten.\"""
        return original(epsilon, **options | {"monotone": True})

While a mutant is planted, the function stands where the target was; its first argument is what
stood there. A target that does not exist is an error, never a mutant that survives.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["MUTANTS", "Mutant", "NoTarget", "mutant", "patched", "planted", "same_as"]

Broken = Callable[..., Any]
_ABSENT = object()


class NoTarget(BaseException):
    """What a mutant replaces does not exist; never taken for a refusal of the code under test."""


@dataclass(frozen=True)
class Mutant:
    """A broken variant.

    Attributes
    ----------
    name, story : str
        What is wrong, in short; what leaks by it.
    cause : str
        The root cause; several mutants may share one.
    targets : tuple of str
        What is replaced, as ``module:name`` or ``module:Class.name`` below ``littlestone``.
    broken : callable
        Called in place of the target, with what stood there as its first argument.
    detectors : tuple of str
        Names of tests (``file::function`` where several have one) or keys of `DETECTORS`, tried
        one after the other: one of them must notice.
    kind : {"call", "value"}
        "value": ``broken(original)`` is the replacement itself.
    """

    name: str
    cause: str
    story: str
    targets: tuple[str, ...]
    broken: Broken
    detectors: tuple[str, ...]
    kind: str = "call"


MUTANTS: dict[str, Mutant] = {}


def mutant(
    cause: str, targets: str | tuple[str, ...], *detectors: str, kind: str = "call"
) -> Callable[[Broken], Broken]:
    """Register the decorated function as a mutant: its name and its docstring say what is wrong."""

    def register(broken: Broken) -> Broken:
        name = broken.__name__.replace("_", " ")
        assert name not in MUTANTS, name
        assert broken.__doc__, name
        story = " ".join(broken.__doc__.split())
        places = (targets,) if isinstance(targets, str) else targets
        MUTANTS[name] = Mutant(name, cause, story, places, broken, detectors, kind)
        return broken

    return register


def same_as(known: Broken, name: str, cause: str, story: str) -> None:
    """Register a known mutant under the name that somebody else gave it."""
    first = MUTANTS[known.__name__.replace("_", " ")]
    MUTANTS[name] = Mutant(
        name, cause, story, first.targets, first.broken, first.detectors, first.kind
    )


@contextmanager
def planted(variant: Mutant) -> Iterator[None]:
    """Break the library as a mutant says."""
    with ExitStack() as stack:
        for target in variant.targets:
            stack.enter_context(patched(target, variant.broken, kind=variant.kind))
        yield


@contextmanager
def patched(target: str, broken: Broken, *, kind: str = "call") -> Iterator[None]:
    """Replace what a target names by ``broken(original, ...)``.

    A function is replaced in every module that imported it from the module that defines it. Named
    by a module that only imported it, it is replaced there alone. A property, cached property,
    class or static method stays one. An inherited method is replaced for the named class only, and
    a builtin for the named module only.
    """
    place, _, path = target.partition(":")
    *outer, name = path.split(".")
    try:
        caller: Any = importlib.import_module(f"littlestone.{place}")
        for part in outer:
            caller = getattr(caller, part)
    except (ImportError, AttributeError) as problem:
        raise NoTarget(target) from problem
    found = vars(caller).get(name, _ABSENT)
    stands = found
    if found is _ABSENT:  # inherited, or a builtin
        stands = inspect.getattr_static(caller if outer else builtins, name, _ABSENT)
    if stands is _ABSENT:
        raise NoTarget(target)
    new = broken(stands) if kind == "value" else _like(stands, broken)
    if isinstance(new, functools.cached_property):
        new.__set_name__(caller, name)
    places = [(caller, name)]
    if not outer and found is not _ABSENT and _defined_in(found, caller.__name__):
        places += [
            (module, key)
            for module in list(sys.modules.values())
            for key, value in list(getattr(module, "__dict__", {}).items())
            if value is found and (module, key) != (caller, name)
        ]
    for where, key in places:
        setattr(where, key, new)
    try:
        yield
    finally:
        for where, key in places:
            delattr(where, key) if found is _ABSENT else setattr(where, key, found)


def _defined_in(found: Any, module: str) -> bool:
    return getattr(found, "__module__", None) == module


def _like(found: Any, broken: Broken) -> Any:
    """Return a replacement of the same kind as what stands there."""
    if isinstance(found, property):
        assert found.fget is not None
        return property(functools.partial(broken, found.fget))
    if isinstance(found, functools.cached_property):
        return functools.cached_property(functools.partial(broken, found.func))
    if isinstance(found, classmethod | staticmethod):
        inner = found.__func__

        @functools.wraps(inner)
        def within(*args: Any, **options: Any) -> Any:
            return broken(inner, *args, **options)

        return type(found)(within)
    if not callable(found):
        raise TypeError("A mutant replaces a value only with kind='value'.")

    @functools.wraps(found)
    def replacement(*args: Any, **options: Any) -> Any:
        return broken(found, *args, **options)

    return replacement
