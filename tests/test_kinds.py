"""What a domain, target, hypothesis or sample does is its method: few ask which kind it is."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "littlestone"
ROOTS = {
    "Domain", "Target", "Hypothesis", "Sample", "UserSample", "TargetSample", "Labels", "Quantity",
    "Count", "Periods", "TreeEnsemble", "TreeSum", "AlwaysZero",
}  # fmt: skip
#: Today's number; to come to: 60.
MOST = 38


def kinds(trees):
    """Return the names of all classes that are, or derive from, one of the roots."""
    parents = {
        node.name: {ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = ROOTS | {name for name in parents if name.endswith(("Domain", "Hypothesis"))}
    while more := {name for name, bases in parents.items() if bases & found} - found:
        found |= more
    return found


def asked(tree, names):
    """Return how often a piece of source asks whether something is one of these kinds."""
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            count += ast.unparse(node.cls).split(".")[-1] in names
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            count += not names.isdisjoint(
                ast.unparse(part).split(".")[-1]
                for part in ast.walk(node.args[1])
                if isinstance(part, ast.Name | ast.Attribute)
            )
    return count


def test_few_ask_for_a_kind():
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    names = kinds(trees)
    assert sum(asked(tree, names) for tree in trees) <= MOST


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("isinstance(x, RowDomain)", 1),
        ("isinstance(x, types.Quantity | int)", 1),
        ("isinstance(x, Mapping)", 0),
        ("match x:\n case PointHypothesis():\n  pass\n case int():\n  pass", 1),
    ],
)
def test_questions_are_seen(text, number):
    names = kinds([ast.parse("class RowDomain(Domain): pass\nclass PointHypothesis(Frozen): pass")])
    assert asked(ast.parse(text), names) == number
