"""Sums in NumPy's integers, of 64 bits at most: each that stays has a reason why it fits.

A sum is of 64 bits whatever it adds; a product of matrices is as wide as its factors, so each has a
reason of its own, for the function that it is in.
"""

import ast
from pathlib import Path

import numpy as np
import pytest

import littlestone

ROOT = Path(littlestone.__file__).parent
#: Methods and functions of arrays that add up integers in 64 bits.
SUMS = {"cumsum", "sum", "nansum", "reduce", "reduceat", "prod", "cumprod", "trace"}
#: Those that add up products of integers in the width of the factors, as the operator @ does.
PRODUCTS = {"dot", "vdot", "inner", "tensordot", "matmul", "matvec", "vecmat", "vecdot", "einsum"}
PRODUCTS |= {"convolve", "correlate"}


def sums_in(text):
    """(function, line, whether it multiplies) of each sum over an array.

    Python's own sum and math.prod are exact.
    """
    found = []

    def walk(node, function):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".lstrip(".")
        adds = multiplies = False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            name = node.func.attr
            exact = isinstance(of, ast.Name) and of.id in ("math", "pc")
            adds, multiplies = name in SUMS and not exact, name in PRODUCTS
            inner = of.attr if isinstance(of, ast.Attribute) else ""
            adds |= name in ("at", "accumulate") and inner in ("add", "multiply")
        if isinstance(node, ast.BinOp | ast.AugAssign):
            multiplies = isinstance(node.op, ast.MatMult)
        if adds or multiplies:
            found.append((function, node.lineno, multiplies))
        for child in ast.iter_child_nodes(node):
            walk(child, function)

    walk(ast.parse(text), "")
    return found


RECORDS = (
    "records, or what their mistakes cost: integers of the sample, which was counted in 64 bits"
)
EXACT = "counts that were promoted where they were made (`exact_integers`)"
DOUBLES = "doubles, whose error is bounded where they decide"
ROWS = "no integers of the domain: rows of a table, bits, or a structure that is held in memory"
LINE = "places on a line within -2**62 .. 2**62 (`Line`), and gaps that add up to its length"
#: Why no sum leaves 64 bits: of a function, a file or a folder.
REASONS = {
    "audit": RECORDS,
    "audit/all_n.py": "Python's integers",
    "audit/runs.py:_log_total": EXACT,
    "bounds": DOUBLES,
    "combinatorics/kernel.py": "counts that are below 2**62 together, else Python's integers",
    "evaluation": DOUBLES,
    "evaluation/measures.py:check": RECORDS,
    "evaluation/quantities.py:counted": RECORDS,
    "papers": RECORDS,
    "papers/li_wang_ye_records.py:RepD": DOUBLES,
    "papers/li_wang_ye_records.py:_mixtures": DOUBLES,
    "planning": DOUBLES,
    "planning/population.py:_of_labels": RECORDS,
    "planning/population.py:_of_values": RECORDS,
    "report": DOUBLES,
    "source/leveled.py": EXACT,
    "source/leveled.py:_Sums": DOUBLES,
    "source/leveled.py:exact_integers": DOUBLES,
    "source/leveled.py:_running": RECORDS,
    "mechanisms/estimate.py": RECORDS,
    "classes/base.py": RECORDS,
    "classes/boosted_trees": DOUBLES,
    "classes/conjunctions.py": ROWS,
    "classes/decision_trees": ROWS,
    "classes/finite.py": RECORDS,
    "classes/affine_subspaces.py": ROWS,
    "classes/hashing.py": RECORDS,
    "classes/intervals.py": LINE,
    "classes/intervals.py:StreamedIntervals._left_runs": RECORDS,
    "classes/rules.py": ROWS,
    "classes/thresholds.py": RECORDS,
    "classes/trees.py": ROWS,
    "learners/agnostic.py": RECORDS,
    "learners/boosting": RECORDS,
    "learners/linear": "gradients of all records with their noise: beyond 2**62 they are refused",
    "learners/littlestone.py": RECORDS,
    "learners/online/algorithm.py": RECORDS,
    "learners/running.py": RECORDS,
    "learners/users/scores.py:all_tails": DOUBLES,
    "learners/users/clipped_bounds.py": DOUBLES,
    "learners/users/scores.py": RECORDS,
    "learners/vc1.py": RECORDS,
    "data": RECORDS,
    "data/histogram.py": DOUBLES,
    "data/lines.py": "bytes of a text that is held in memory",
}
WIDE = "records, or what they cost, by integers of 64 bits (`RECORDS`)"
#: Why no product leaves the width of its factors.
OF_PRODUCTS = {
    "audit/chain.py:_largest": "Python's integers, of exact fractions",
    "bounds": DOUBLES,
    "classes/affine_subspaces.py:AffineHypothesis.predict": "64 bits: 2**16 products of 20 bits",
    "classes/boosted_trees": DOUBLES,
    "classes/conjunctions.py:_subcube_sums": "places in a table that is held in memory, in 64 bits",
    "classes/decision_trees": "counts as doubles, which are exact below 2**53 (`CodeTables`)",
    "classes/finite.py:FiniteClass._costs": WIDE,
    "classes/rules.py": "counts as doubles, which are exact below 2**53 (`CodeTables`)",
    "classes/trees.py:_laminar": "bits as integers of 64 bits, as many as concepts in memory",
    "combinatorics/kernel.py:Kernel.errors": "64 bits below 2**62 together, else Python's integers",
    "data/sample.py": WIDE,
    "data/sample.py:CodeTables.sides": "counts as doubles, which are exact below 2**53",
    "evaluation": DOUBLES,
    "learners/boosting/losses.py": "Python's integers",
    "learners/boosting/rounds.py": DOUBLES,
    "learners/linear/learner.py": DOUBLES,
    "learners/linear/learner.py:second_moments": "64 bits, and refused beyond 2**62 (`check_size`)",
    "learners/linear/learner.py:Sums": "64 bits, and refused beyond 2**62 (`check_size`)",
    "learners/users/scores.py:log_moment": DOUBLES,
    "learners/users/scores.py:ListedErrors._count": "in the width that holds all records together",
    "papers/li_wang_ye.py:surrogate_of_users": WIDE,
    "papers/li_wang_ye_records.py:least_cost": WIDE,
    "papers/li_wang_ye_records.py:RepD": DOUBLES,
    "planning": DOUBLES,
    "report": DOUBLES,
}


def reason(file, function, reasons=REASONS):
    """The key of the reason of a function, of what it lies in, of its file or of a folder above."""
    names = [function.rsplit(".", i)[0] for i in range(function.count(".") + 1)]
    keys = [f"{file}:{name}" for name in names]
    keys += [str(folder) for folder in (Path(file), *Path(file).parents)]
    return next((key for key in keys if key in reasons), None)


@pytest.mark.more
@pytest.mark.parametrize(("reasons", "products"), [(REASONS, False), (OF_PRODUCTS, True)])
def test_each_sum_in_64_bits_has_a_reason(reasons, products):
    """Of candidates, places and gaps, make Python's integers (`exact_integers`), or say why not."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for function, line, multiplies in sums_in(path.read_text()):
            if multiplies == products:
                found[f"{file}:{line} ({function})"] = reason(file, function, reasons)
    assert [where for where, key in found.items() if key is None] == []
    assert [key for key in reasons if key not in found.values()] == []


def test_sums_are_seen():
    lines = ["class A:", " def f(x):", "  np.cumsum(x); x.sum(); sum(x); math.prod(x)"]
    text = "\n".join([*lines, "  np.add.at(x, i, y)", "  x @ y", "  x @= y; np.dot(x, y)"])
    seen = [(3, False), (3, False), (4, False), (5, True), (6, True), (6, True)]
    assert sums_in(text) == [("A.f", *where) for where in seen]
    assert reason("classes/points.py", "Points.candidates") is None
    ones = np.ones(200, dtype=np.int8)
    assert (ones.sum(), ones @ ones) == (200, 200 - 256)
