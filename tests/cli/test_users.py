"""``littlestone fit --user``: many records of one person count as one."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.learners.release import Release
from littlestone.report import page
from littlestone.source import public_generator

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
    assert "who (at most 8 records of each are read)" in written
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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--user who", "for example 16"),
        ("--samples-per-user 3", "the column that names them"),
        ("--user who --samples-per-user 0", "must be an integer >= 1"),
        ("--user who --samples-per-user 2.5", "must be an integer >= 1. Got '2.5'"),
        ("--user who --samples-per-user many", "must be an integer >= 1. Got 'many'"),
        ("--user nobody --samples-per-user 3", "no column 'nobody'"),
        ("--user who --samples-per-user 3 --learner generic", "It is for: users"),
        ("--learner users", "name their column with --user"),
        ("--user who --samples-per-user 3 --delta 1e-6 --learner users", "purely"),
    ],
)
def test_refusals_teach(run, people, line, message):
    done = run("fit people.parquet --x dose --y ill --epsilon 1 --class thresholds(1,99) " + line)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") <= 12
    assert done.out == ""


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


def test_options_of_learners_that_protect_records(run, people):
    done = run(f"{FIT} thresholds(1,99) --costs 0=1,1=9")
    assert done.code == 2
    assert "--costs cannot be combined with the protection of users" in done.err


def test_numbers_are_said_as_they_are_typed(run, people):
    done = run(f"{FIT} thresholds(1,99) --evaluate 5/2")
    assert done.code == 2
    assert "Got '5/2'." in done.err
