"""`littlestone dims`: JSON, text, witnesses, a page, refusals."""

import json
from itertools import product

import numpy as np
import pytest

from littlestone.classes import littlestone_dimension, load

MATRIX = "0,0,0\n0,0,1\n0,1,1\n1,1,1\n"


@pytest.fixture
def matrix(folder):
    (folder / "matrix.csv").write_text(MATRIX)
    return np.array([[int(cell) for cell in line.split(",")] for line in MATRIX.split()])


def test_the_contract(run, matrix):
    done = run("dims --json --class", "finite(matrix.csv)")
    assert done.code == 0
    assert done.json == {"vc": 1, "littlestone": 2, "threshold": 3}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("thresholds(1, 2**1024)", {"vc": 1, "littlestone": 1024, "threshold": 2**1024}),
        ("points()", {"vc": 1, "littlestone": 1, "threshold": 1}),
        ("sparse_sets(7)", {"vc": 7, "littlestone": 7, "threshold": 7}),
        ("conjunctions(30)", {"vc": 30, "littlestone": 31, "threshold": 31}),
        ("conjunctions(30, monotone=True)", {"vc": 30, "littlestone": 30, "threshold": 31}),
        ("affine_subspaces(7, 20, 3)", {"vc": 4, "littlestone": 4, "threshold": 4}),
        ("prefixes(ipv4)", {"vc": 1, "littlestone": 32, "threshold": 33}),
        ("intervals(1, 9)", {"vc": 2, "littlestone": 5, "threshold": 9}),
    ],
)
def test_classes(run, spec, expected):
    assert run("dims --json --class", spec).json == expected


def test_rules_need_their_schema(run):
    done = run("dims --json --schema schema.toml --class", "rules(max_literals=1)")
    assert set(done.json) == {"vc", "littlestone", "threshold"}
    assert run("dims --class", "rules(max_literals=1)").code == 2


def test_undecided_dimensions_are_bounds(run, folder):
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 2, (300, 40)), axis=0)
    (folder / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    done = run("dims --json --max-nodes 3 --class", "finite(m.csv)")
    assert done.code == 0
    lower, upper = (done.json["littlestone"][end] for end in ("lower", "upper"))
    assert 0 <= lower <= littlestone_dimension(rows) <= upper == 8
    words = run("dims --max-nodes 3 --class", "finite(m.csv)").out
    assert f"between {lower} and {upper}" in words
    large = run("dims --json --class", "intervals(1, 2**64)").json
    assert large == {"vc": 2, "littlestone": 126, "threshold": 2**64}  # closed forms


def test_seconds_end_the_search_and_progress_is_told(run, folder):
    rows = np.unique(np.random.default_rng(0).integers(0, 2, (300, 40)), axis=0)
    (folder / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    done = run("dims --json --witness --progress --max-seconds 0 --class", "finite(m.csv)")
    assert done.code == 0
    assert done.json["littlestone"]["upper"] == 8
    assert "log2" in done.json["littlestone"]["reason"]
    assert done.json["witness"]["shattered_tree"]["depth"] <= done.json["littlestone"]["lower"]
    steps = done.json["witness"]["threshold_sequence"]["points"]
    assert len(steps) == done.json["threshold"]["lower"] >= 1
    said = done.err.splitlines()
    assert [line.split(":")[0] for line in said] == [
        "VC dimension", "threshold dimension", "Littlestone dimension",
    ]  # fmt: skip
    assert "between" in said[0]
    quiet = run("dims --json --max-seconds 0 --report p.html --class", "finite(m.csv)")
    assert (quiet.code, quiet.err) == (0, "")
    assert "max-seconds" in run("dims --max-seconds -1 --class", "points()").err


def test_witnesses_are_proofs(run, matrix):
    witness = run("dims --json --witness --class", "finite(matrix.csv)").json["witness"]
    tree = witness["shattered_tree"]
    assert tree["depth"] == 2
    rows = {tuple(row) for row in matrix.tolist()}
    leaves = [load(leaf).predict(np.arange(3)) for leaf in tree["leaves"]]
    for leaf, labels in zip(leaves, product((0, 1), repeat=2), strict=True):
        assert tuple(leaf.tolist()) in rows
        assert leaf[tree["points"][0]] == labels[0]
        assert leaf[tree["points"][1 + labels[0]]] == labels[1]
    shattered = witness["shattered_set"]
    concepts = [load(h).predict(np.arange(3)) for h in shattered["concepts"]]
    assert {tuple(c[shattered["points"]].tolist()) for c in concepts} == {(0,), (1,)}
    steps = witness["threshold_sequence"]
    for i, concept in enumerate(steps["concepts"]):
        labels = load(concept).predict(np.arange(3))
        assert [labels[x] for x in steps["points"]] == [int(i <= j) for j in range(3)]


def test_witnesses_of_large_classes(run):
    witness = run("dims --json --witness --class", "thresholds(1, 2**64)").json["witness"]
    assert witness["shattered_tree"]["depth"] == 6  # the top of a tree of depth 64
    assert "closed forms" in witness["shattered_set"]["missing"]
    text = run("dims --witness --class", "points(1, 3)").out
    assert "shattered tree: {" in text
    assert "threshold sequence: {" in text


def test_the_text(run, matrix):
    lines = run("dims --class", "finite(matrix.csv)").out.split("\n")
    assert [line.split()[-1] for line in lines[:4]] == ["finite(matrix.csv)", "1", "2", "3"]


@pytest.mark.parametrize(
    ("spec", "pictures"),
    [
        ("finite(matrix.csv)", 3),
        ("thresholds(1, 2**64)", 2),
        ("points()", 2),
        ("conjunctions(2)", 2),
        ("affine_subspaces(7, 20, 3)", 1),
        ("intervals(1, 2**64)", 0),
    ],
)
def test_the_page(run, folder, matrix, spec, pictures):
    done = run("dims --report page.html --class", spec)
    assert done.code == 0
    page = (folder / "page.html").read_text()
    assert page.count("<figure") == pictures
    assert "Littlestone dimension" in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,2\n1,0\n", "0 and 1"),
        ("0,1\n0,1\n", "without equal rows"),
        ("", "at least one row"),
        ("\n\n", "at least one row"),
        ("0,1\n0\n", "same length"),
        ("a,b\n", "0 and 1"),
        ("0;1\n", "one digit"),
    ],
)
def test_bad_matrices(run, folder, text, words):
    (folder / "bad.csv").write_text(text)
    done = run("dims --class", "finite(bad.csv)", "--report", "page.html")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("real_thresholds(0, 1)", "infinite"),
        ("halfspaces(2)", "infinite"),
        ("thresholds(0.0, 1.0)", "cannot read"),
        ("finite(absent.csv)", "could not be read"),
        ("affine_subspaces(4, 2, 1)", "a prime"),
        ("nothing(1)", "There is no class"),
    ],
)
def test_bad_classes(run, spec, words):
    done = run("dims --json --class", spec)
    assert done.code == 2
    assert words in done.err
    assert done.json["error"]["exit_code"] == 2


def test_bad_options(run, folder):
    assert "max-nodes" in run("dims --max-nodes -1 --class", "points()").err
    assert "folder does not exist" in run("dims --report no/p.html --class", "points()").err
    kept = run("dims --report schema.toml --schema schema.toml --class", "rules(max_literals=1)")
    assert "overwritten" in kept.err
    assert json.loads(run("dims --json --max-nodes 0 --class", "points()").out)["vc"] == 1
