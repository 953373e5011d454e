"""A small table in two formats, and a command line that is run in this process."""

import json
from copy import deepcopy
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from cyclopts import App

from littlestone.cli.main import main

AGES = [3, 12, 16, 17, 18, 19, 44, 60] * 100
ROWS = {
    "age": AGES,
    "adult": [int(age > 17) for age in AGES],
    "city": ["Bonn", "Rome"] * 400,
    "person": [i // 4 for i in range(800)],
}
# not in the order of the alphabet, as a program that sorts keys would like it
SCHEMA = """
[city]
categories = ["Bonn", "Rome"]

[age]
bins = [10, 18, 30]
"""


class Run(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(autouse=True, scope="session")
def options_are_read_once():
    """A command's options are read off its signature once, not for each of thousands of lines."""
    assemble, commands = App.assemble_argument_collection, {}

    def copied(self, **how):
        key = id(self), *how.items()
        if key not in commands:
            commands[key] = assemble(self, **how)
        return deepcopy(commands[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "assemble_argument_collection", copied)
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with data.parquet, data.csv and schema.toml."""
    monkeypatch.chdir(tmp_path)
    table = pa.table(ROWS)
    pq.write_table(table, "data.parquet")
    pacsv.write_csv(table, "data.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


@pytest.fixture
def run(folder, capfd):
    """Run a command line, written as one text."""

    def call(line, *more):
        code = main([*line.split(), *more])
        out, err = capfd.readouterr()
        return Run(code, out, err)

    return call
