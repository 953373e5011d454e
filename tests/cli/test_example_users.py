"""examples/users: the published flights, and the command lines of its page."""

import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from littlestone.classes import parse_class
from littlestone.cli.main import main
from littlestone.data import Sample, Schema, UserSample
from littlestone.learners.release import Release

ROOT = Path(__file__).parents[2]
HERE = ROOT / "examples" / "users"
PAGE = (HERE / "README.md").read_text()
FLIGHTS = HERE / "flights.parquet"


def test_the_file_is_the_published_table():
    table = pq.read_table(FLIGHTS)
    assert table.num_rows == 336_776
    sizes = np.array([c["counts"] for c in table["plane"].drop_null().value_counts().to_pylist()])
    assert (len(sizes), sizes.min(), np.median(sizes), sizes.max()) == (4043, 1, 54, 575)
    assert table["plane"].null_count == 2_512
    assert table["dep_delay"].null_count == 8_255  # cancelled
    assert FLIGHTS.stat().st_size < 700_000
    assert parse_class("rules(max_literals=2)", schema=Schema.from_toml(HERE / "schema.toml"))


def test_figures_of_the_page():
    thresholds = parse_class("thresholds(-60, 1439)")
    sample = Sample.read(FLIGHTS, x="dep_delay", y="late", domain=thresholds.domain)
    wrong = {h.above: thresholds.errors(h, sample) / sample.n for h in thresholds.concepts()}
    best = min(wrong, key=wrong.get)
    assert (best, round(wrong[best], 3)) == (21, 0.103)
    assert round(wrong[1439], 3) == 0.238
    columns = {"x": "dep_delay", "y": "late", "user": "plane"}
    users = UserSample.read(FLIGHTS, **columns, domain=thresholds.domain)
    assert users.n_users == 4_044


@pytest.mark.more
def test_the_command_lines_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    littlestone (.*)$", PAGE, re.MULTILINE)
    assert len(lines) == 3
    said = []
    for line in lines:
        tokens = [str(ROOT / t) if t.startswith("examples/") else t for t in shlex.split(line)]
        assert main(tokens) == 0, line
        said.append(capsys.readouterr().out)
    assert "group privacy" in said[0]
    for part in ("user-replace", "Needed 196 users; there are 4,044", "holds (explicit)"):
        assert part in " ".join(said[1].split())
        assert part in " ".join(PAGE.split())
    release = Release.read("flights.json")
    assert release.certificate.unit == "users"
    assert (tmp_path / "flights.html").exists()
    predicted = np.loadtxt("predictions.csv", skiprows=1, dtype=int)
    late = pq.read_table(FLIGHTS)["late"].to_numpy()
    assert len(predicted) == len(late)
    assert (predicted != late).mean() < 0.15


@pytest.mark.more
def test_the_learner_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = f"fit {FLIGHTS} --x dep_delay --y late --user plane --samples-per-user 4 --epsilon 8"
    assert main([*line.split(), "--class", "thresholds(-60, 1439)", "--learner", "users"]) == 0
    assert "there are 4,044" in capsys.readouterr().out
