"""Sums in NumPy's integers, of 64 bits at most: each that stays has a reason why it fits."""

import ast
from pathlib import Path

import pytest

import littlestone

ROOT = Path(littlestone.__file__).parent
WHERE = ("source", "mechanisms", "classes", "learners", "data/targets.py")
#: Methods and functions of arrays that add up, or multiply, integers in their own width.
SUMS = {"cumsum", "sum", "reduceat", "prod", "cumprod", "dot", "matmul", "einsum", "trace"}


def sums_in(text):
    """(function, line) of each sum over an array; Python's own sum and math.prod are exact."""
    found = []

    def walk(node, function):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".lstrip(".")
        adds = False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            name = node.func.attr
            adds = name in SUMS and not (isinstance(of, ast.Name) and of.id == "math")
            adds |= name == "at" and isinstance(of, ast.Attribute) and of.attr == "add"
        adds |= isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult)
        if adds:
            found.append((function, node.lineno))
        for child in ast.iter_child_nodes(node):
            walk(child, function)

    walk(ast.parse(text), "")
    return found


def files():
    for where in WHERE:
        path = ROOT / where
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


RECORDS = (
    "records, or what their mistakes cost: integers of the sample, which was counted in 64 bits"
)
EXACT = "counts that were promoted where they were made (`exact_integers`)"
DOUBLES = "doubles, whose error is bounded where they decide"
ROWS = "no integers of the domain: rows of a table, bits, or a structure that is held in memory"
LINE = "places on a line within -2**62 .. 2**62 (`Line`), and gaps that add up to its length"
#: Why no sum leaves 64 bits: of a function, a file or a folder.
REASONS = {
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
    "classes/sparse_sets.py": RECORDS,
    "classes/thresholds.py": RECORDS,
    "classes/trees.py": ROWS,
    "learners/agnostic.py": RECORDS,
    "learners/boosting": RECORDS,
    "learners/linear": "gradients of all records with their noise: beyond 2**62 they are refused",
    "learners/littlestone.py": RECORDS,
    "learners/online/algorithm.py": RECORDS,
    "learners/running.py": RECORDS,
    "learners/users/scores.py:tail": DOUBLES,
    "learners/users/scores.py:all_tails": DOUBLES,
    "learners/users/scores.py:log_moment": DOUBLES,
    "learners/users/clipped_bounds.py": DOUBLES,
    "learners/users/scores.py": RECORDS,
    "learners/vc1.py": RECORDS,
    "data/targets.py": RECORDS,
}


def reason(file, function):
    """The reason of a function, of what it lies in, of its file or of a folder above."""
    names = [function.rsplit(".", i)[0] for i in range(function.count(".") + 1)]
    keys = [f"{file}:{name}" for name in names]
    keys += [str(folder) for folder in (Path(file), *Path(file).parents)]
    return next((REASONS[key] for key in keys if key in REASONS), None)


@pytest.mark.more
def test_each_sum_in_64_bits_has_a_reason():
    """Of candidates, places and gaps, make Python's integers (`exact_integers`), or say why not."""
    without = [
        f"{file.relative_to(ROOT)}:{line} ({function})"
        for file in files()
        for function, line in sums_in(file.read_text())
        if reason(file.relative_to(ROOT).as_posix(), function) is None
    ]
    assert without == []


def test_sums_are_seen():
    lines = ["class A:", " def f(x):", "  np.cumsum(x); x.sum(); sum(x); math.prod(x)"]
    text = "\n".join([*lines, "  np.add.at(x, i, y)", "  x @ y"])
    assert sums_in(text) == [("A.f", 3), ("A.f", 3), ("A.f", 4), ("A.f", 5)]
    assert reason("classes/points.py", "Points.candidates") is None
