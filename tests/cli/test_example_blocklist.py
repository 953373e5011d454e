"""examples/blocklist: the made reports, and the command lines of its page."""

import csv
import re
import shlex
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from littlestone.classes import on_points
from littlestone.cli.main import main
from littlestone.learners.release import Release

ROOT = Path(__file__).parents[2]
HERE = ROOT / "examples" / "blocklist"
PAGE = (HERE / "README.md").read_text()
BAD = ["prize-draw.example/claim", "parcel.example/fee?id=7", "bank-login.example"]


def rows():
    with (HERE / "reports.csv").open(encoding="utf-8", newline="") as file:
        return [(row["link"], int(row["bad"])) for row in csv.DictReader(file)]


def test_the_reports():
    table = rows()
    assert len(table) == 8000
    assert {link for link, bad in table if bad} == set(BAD)
    counts = Counter(link for link, _ in table)
    assert sum(count == 1 for count in counts.values()) > 0.9 * len(counts)


def test_the_command_lines_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    littlestone (.*)$", PAGE, re.MULTILINE)
    assert len(lines) == 2
    said = []
    for line in lines:
        tokens = [str(ROOT / t) if t.startswith("examples/") else t for t in shlex.split(line)]
        assert main(tokens) == 0, line
        said.append(capsys.readouterr().out)
    spoken = " ".join(said[0].split())
    for quoted in re.findall(r"^    (Rule .*|Needed .*)$", PAGE, re.MULTILINE):
        assert " ".join(quoted.split()) in spoken
    release = Release.read("blocklist.json")
    assert release.hypothesis == on_points(BAD)
    assert release.certificate.holds
    assert "bank-login.example" in (tmp_path / "blocklist.html").read_text()
    predicted = np.loadtxt("labels.csv", skiprows=1, dtype=int)
    assert np.array_equal(predicted, [bad for _, bad in rows()])


@pytest.mark.more
def test_proper_and_without_delta(capsys):
    base = [
        "fit", str(HERE / "reports.csv"), "--x", "link", "--y", "bad", "--class", "sparse_sets(3)",
        "--learner", "littlestone", "--epsilon", "1",
    ]  # fmt: skip
    assert main([*base, "--delta", "1e-6", "--proper", "--seed", "1", "--json"]) == 0
    assert '"type": "set"' in capsys.readouterr().out
    assert main(base) == 2
    assert "0 is not possible" in " ".join(capsys.readouterr().err.split())
    assert main([*base, "--delta", "1e-6", "--alpha", "0.01", "--require-certificate"]) == 3
