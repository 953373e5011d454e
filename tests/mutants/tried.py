"""A test of the suite as a detector: it is run in this process, and notices if it fails."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .detectors import NOTICED

TESTS = Path(__file__).parents[1]
_NOTICED = (AssertionError, pytest.fail.Exception, *NOTICED)
# what an assertion compared is not explained: nobody reads it, and long lists take minutes
_OPTIONS = ["-n0", "-q", "--assert=plain", "--maxfail=20", "-p", "no:cacheprovider", "-m"]
_OPTIONS += ["not (browser or site or spark or postgres or proofs or kills or mutants or full)"]


class _Failures:
    """Why tests failed."""

    def __init__(self) -> None:
        self.found: list[pytest.ExceptionInfo[BaseException]] = []

    def pytest_exception_interact(self, call: Any) -> None:
        self.found.append(call.excinfo)


@cache
def _places() -> dict[str, str]:
    """Return the file of each test; "" if several have one of this name."""
    found: dict[str, str] = {}
    for path in TESTS.rglob("test_*.py"):
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.M):
            found[name] = "" if name in found else str(path.relative_to(TESTS))
    return found


def placed(test: str) -> str:
    """Return ``file::function`` of a test that is named so, or by its function alone."""
    return test if "::" in test else f"{_places()[test.partition('[')[0]] or 'nowhere'}::{test}"


def tried(test: str) -> str | None:
    """Return why a test fails; an error that is no assertion is raised."""
    failures = _Failures()
    code = pytest.main([f"{TESTS}/{placed(test)}", *_OPTIONS], plugins=[failures])
    for why in failures.found:
        if why.errisinstance(_NOTICED):
            return f"{test}: {why.exconly()}"
    if failures.found:
        raise failures.found[0].value
    if code:
        raise RuntimeError(f"{test} was not run")
    return None
