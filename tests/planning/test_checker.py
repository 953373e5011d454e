"""The independent checker agrees with the maker of certificates, and depends on nothing of it."""

import ast
import json
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import checker
import pytest
from checker import CheckError, check, check_all
from hypothesis import given
from hypothesis import strategies as st

from littlestone.bounds import realizable
from littlestone.bounds.formulas import evaluate

FILE = Path(checker.__file__)

NAMES = {"x": F(3, 7), "k": F(5), "n": F(40)}
LEAVES = st.sampled_from(["x", "k", "n", "0.25", "3", "1/3", "2**10"])


def formulas(inner):
    one = st.sampled_from(["exp({})", "sqrt(2 + ({})**2)", "cosh({})", "log(2 + ({})**2)",
                           "tanh({})", "-({})", "ceil(({}) + 1/7)", "sinh({})"])  # fmt: skip
    two = st.sampled_from(["({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / (1 + ({})**2)",
                           "min({}, {})", "max({}, {})"])  # fmt: skip
    return st.one_of(
        st.builds(lambda f, a: f.format(a), one, inner),
        st.builds(lambda f, a, b: f.format(a, b), two, inner, inner),
    )


@given(st.recursive(LEAVES, formulas, max_leaves=4))
def test_both_evaluators_agree(formula):
    try:
        theirs = evaluate(formula, NAMES)
        value = float(theirs if isinstance(theirs, F) else theirs.mid())
    except Exception:  # not a number, or beyond a float
        return
    if not 1e-200 < abs(value) < 1e200:
        return
    inputs = {name: str(x) for name, x in NAMES.items()}
    step = {"name": "s", "formula": formula, "inputs": inputs, "value": value}
    try:
        found = check({"steps": [step]})
    except CheckError:  # exp(exp(1000)) and the like: refused, never guessed
        found = [] if "exp(" in formula or "cosh(" in formula or "sinh(" in formula else ["?"]
    assert found == []


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("growth(2, 10)", 56),
        ("binomial_above(10, 1/2, 4)", 0.623046875),
        ("comb(7, 3)", 35),
        ("atanh(1/2)", 0.5493061443340549),
        ("floor(-1/2)", -1),
        ("2 >= 1 and 1 <= 2", True),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("0xff + 1", 256),
    ],
)
def test_language(formula, value):
    step = {"name": "s", "formula": formula, "inputs": {}, "value": value}
    assert check({"steps": [step]}) == []
    step["value"] = (not value) if isinstance(value, bool) else value + 1
    assert check({"steps": [step]}) != []


@pytest.mark.parametrize(
    "formula",
    ["", "x", "1 +", "(1", "open(1)", "1; 2", "__import__(1)", "1 if 1 else 2", "f(", "1 2"],
)
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(CheckError):
        check({"steps": [{"name": "s", "formula": formula, "inputs": {}, "value": 1}]})


def test_heads_references_and_verdicts():
    good = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420).to_dict()
    assert check(good) == []
    assert check({**good, "holds": False}) == ["the verdict: the steps give True"]
    assert check({**good, "alpha_exact": "1/5"})
    broken = json.loads(json.dumps(good))
    broken["steps"][1]["inputs"]["decay"] = "@later"
    with pytest.raises(CheckError, match="no earlier step"):
        check(broken)


def test_it_stands_alone(tmp_path):
    """Only the standard library is imported; a copy runs by itself."""
    tree = ast.parse(FILE.read_text())
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names
    copy = tmp_path / "checker.py"
    copy.write_bytes(FILE.read_bytes())
    certificate = realizable(2**64, epsilon=1, alpha=0.1, beta=0.05)
    (tmp_path / "good.json").write_text(json.dumps({"certificate": certificate.to_dict()}))
    forged = certificate.to_dict()
    forged["steps"][1]["value"] = 7
    (tmp_path / "bad.json").write_text(json.dumps({"certificate": forged}))
    for name, code in (("good", 0), ("bad", 1)):
        done = subprocess.run(
            [sys.executable, "-I", str(copy), str(tmp_path / f"{name}.json")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
    assert "all steps agree" not in done.stdout


def test_places():
    inner = {"steps": []}
    assert check_all([{"a": inner}, {"b": [inner]}]) == {"[0].a": [], "[1].b[0]": []}
