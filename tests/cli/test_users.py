"""``littlestone fit --user``, and the examples with users."""

import csv
import json
import re
import shlex
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.classes import on_points, parse_class
from littlestone.cli.main import main
from littlestone.data import Sample, Schema, UserSample
from littlestone.learners.release import Release
from littlestone.report import page
from littlestone.source import public_generator

# -- ``littlestone fit --user``: many records of one person count as one ---------------------------

N, M = 600, 8
FIT = "fit people.parquet --x dose --y ill --user who --samples-per-user 8 --epsilon 2 --class"


@pytest.fixture
def people(folder):
    """600 people with 8 records each, one with 9, shuffled; ill above a dose of 30, mostly."""
    rng = public_generator(1)
    dose = rng.integers(1, 100, N * M + 1)
    ill = (dose > 30) ^ (rng.random(N * M + 1) < 0.1)
    order = rng.permutation(N * M + 1)
    who = np.append(np.repeat(np.arange(N), M), 0)[order]
    table = {"who": [f"p{i}" for i in who], "dose": dose[order], "ill": ill[order].astype(int)}
    pq.write_table(pa.table(table), "people.parquet")
    return table


@pytest.mark.parametrize("learner", ["auto", "users"])
def test_users_are_counted_and_protected(run, people, learner):
    done = run(f"{FIT} thresholds(1,99) --learner {learner} --json --out m.json --report p.html")
    assert done.code == 0, done.err
    release = done.json
    assert release["n"] == N
    assert release["learner"] == "users"
    assert release["certificate"]["unit"] == "users"
    assert release["guarantee"]["neighbours"] == "user-replace"
    assert (release["guarantee"]["epsilon"], release["guarantee"]["delta"]) == (2, 0)
    assert release["columns"] == {
        "x": ["dose"], "y": "ill", "positive": "1", "user": "who", "samples_per_user": 8,
    }  # fmt: skip
    assert str(N * M + 1) not in done.out  # the number of records is private; n m is public
    written = Path("p.html").read_text()
    assert written == page(Release.read("m.json"))
    assert "who (of each user, at most 8 records were read)" in written
    # a model of users labels records like any other
    predicted = run("predict m.json people.parquet")
    labels = [int(line) for line in predicted.out.split()[1:]]
    assert len(labels) == N * M + 1
    wrong = np.mean(np.array(labels) != people["ill"])
    assert wrong < 0.4


@pytest.mark.more
def test_the_printed_text_speaks_of_users(run, people):
    done = run(f"{FIT} thresholds(1,99) --evaluate 1")
    assert done.code == 0
    assert "users; there are 600" in done.out
    assert "one user" in done.out
    assert "600 records of this fit, one of each user" in done.out


@pytest.mark.more
def test_an_evaluation_is_a_part_of_the_users_epsilon(run, people):
    done = run(f"{FIT.replace('--epsilon 2', '--epsilon 6')} thresholds(1,99) --evaluate 4 --json")
    assert done.json["guarantee"]["epsilon"] == 6
    assert done.json["evaluation"]["n"] == N
    error = done.json["quality"]["error"]
    assert error["low"] - 0.05 <= 0.1 <= error["high"] + 0.05


@pytest.mark.more
def test_records_without_a_user_are_one_user(run, folder):
    table = pa.table({"who": ["a", None, None, "b"], "dose": [1, 2, 3, 4], "ill": [0, 0, 1, 1]})
    pq.write_table(table, "people.parquet")
    assert run(f"{FIT} thresholds(1,9) --json").json["n"] == 3
    strict = run(f"{FIT} thresholds(1,9) --strict")
    assert strict.code == 2
    assert "'who'" in strict.err
    assert "the name of a user" in strict.err
    assert "fit" in strict.err


@pytest.mark.more
def test_classes_over_rows(run, folder):
    table = pa.table({
        "city": ["Bonn", "Rome"] * 300, "age": [12, 40] * 300, "ill": [0, 1] * 300,
        "who": [i // 4 for i in range(600)],
    })  # fmt: skip
    pq.write_table(table, "people.parquet")
    fit = "fit people.parquet --schema schema.toml --y ill --user who --samples-per-user 4"
    done = run(f"{fit} --epsilon 5 --class rules(max_literals=1) --json")
    assert done.code == 0, done.err
    assert done.json["n"] == 150
    assert run(f"{fit} --epsilon 5 --model tree --json").code == 0


@pytest.mark.more
def test_too_few_users(run, people):
    done = run(f"{FIT} thresholds(1,99) --alpha 0.03 --require-certificate --json")
    assert done.code == 3
    assert done.json["error"]["n_needed"] > N
    assert "users; there are 600" in done.err


@pytest.mark.more
def test_plan_puts_the_ways_side_by_side(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --samples-per-user 16 --class"
    assert run(f"{line.replace('16', '1.6')} thresholds(1,9)").code == 2
    done = run(f"{line} thresholds(1,2**20) --json")
    plans = done.json["plans"]
    assert {p["unit"] for p in plans if "n" in p} == {"users"}
    routes = {p["options"]["method"]: p["n"] for p in plans if "method" in p.get("options", {})}
    assert set(routes) == {"one-record", "group-privacy", "user-level"}
    chosen = next(p for p in plans if p["learner"] == "users" and "options" not in p)
    assert chosen["n"] == min(routes.values())
    assert done.json["chosen"] == "users"
    assert "'user-level'" in done.json["why"]
    assert json.dumps(done.json)


# -- examples/users: the published flights, and the command lines of its page ----------------------

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
    for part in ("user-replace", "Needed 196 users; there are 4,044", "holds"):
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


# -- examples/blocklist: the made reports, and the command lines of its page -----------------------

LISTS = ROOT / "examples" / "blocklist"
LIST_PAGE = (LISTS / "README.md").read_text()
BAD = ["prize-draw.example/claim", "parcel.example/fee?id=7", "bank-login.example"]


def rows():
    with (LISTS / "reports.csv").open(encoding="utf-8", newline="") as file:
        return [(row["link"], int(row["bad"])) for row in csv.DictReader(file)]


def test_the_reports():
    table = rows()
    assert len(table) == 8000
    assert {link for link, bad in table if bad} == set(BAD)
    counts = Counter(link for link, _ in table)
    assert sum(count == 1 for count in counts.values()) > 0.9 * len(counts)


def test_list_the_command_lines_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    littlestone (.*)$", LIST_PAGE, re.MULTILINE)
    assert len(lines) == 2
    said = []
    for line in lines:
        tokens = [str(ROOT / t) if t.startswith("examples/") else t for t in shlex.split(line)]
        assert main(tokens) == 0, line
        said.append(capsys.readouterr().out)
    spoken = " ".join(said[0].split())
    for quoted in re.findall(r"^    (Rule .*|Needed .*)$", LIST_PAGE, re.MULTILINE):
        assert " ".join(quoted.split()) in spoken
    release = Release.read("blocklist.json")
    assert release.hypothesis == on_points(BAD)
    assert release.certificate.holds
    assert "bank-login.example" in (tmp_path / "blocklist.html").read_text()
    predicted = np.loadtxt("labels.csv", skiprows=1, dtype=int)
    assert np.array_equal(predicted, [bad for _, bad in rows()])


@pytest.mark.more
def test_with_and_without_delta(capsys):
    base = [
        "fit", str(LISTS / "reports.csv"), "--x", "link", "--y", "bad", "--class", "sparse_sets(3)",
        "--learner", "littlestone", "--epsilon", "1",
    ]  # fmt: skip
    assert main([*base, "--delta", "1e-6", "--seed", "1", "--json"]) == 0
    assert '"type": "set"' in capsys.readouterr().out
    assert main(base) == 2
    assert "0 is not possible" in " ".join(capsys.readouterr().err.split())
    assert main([*base, "--delta", "1e-6", "--alpha", "0.01", "--require-certificate"]) == 3
