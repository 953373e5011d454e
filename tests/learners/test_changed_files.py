"""Model files whose parts are of different models, or were changed: refused when they are read."""

import contextlib
import copy
import json

import numpy as np
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.learners.release import Release
from littlestone.report import page

ABC = ("a", "b's", "<b>")
SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Ulm"]}})
AGES = np.arange(60) * 3 % 80 + 1
CELLS = {"age": AGES, "city": ["Bonn", "Ulm", "x"] * 20}
TWO, THREE = CELLS | {"y": (AGES > 40) * 1}, CELLS | {"y": list(ABC) * 20}

OTHER = {"type": "table", "labels": "02", "label_names": list(ABC)}


@pytest.fixture(scope="module")
def documents():
    given = {"epsilon": 2, "evaluate": 0.5, "random_state": 0}
    trees, rows = (ls.DecisionTrees(SCHEMA, 1, labels) for labels in (None, ABC))
    price = {label: i + 1 for i, label in enumerate(ABC)}
    releases = {
        "card": ls.Scorecard(SCHEMA, rounds=3, **given).fit(TWO, y="y"),
        "tree": ls.AgnosticLearner(trees, **given).fit(TWO, y="y"),
        "rule": ls.AgnosticLearner(ls.Rules(SCHEMA, max_literals=1), **given).fit(TWO, y="y"),
        "three cards": ls.Scorecard(SCHEMA, labels=ABC, rounds=3, **given).fit(THREE, y="y"),
        "three": ls.AgnosticLearner(rows, costs=price, **given).fit(THREE, y="y"),
        "line": ls.AgnosticLearner(ls.Thresholds(1, 99), **given).fit(AGES, TWO["y"]),
    }
    return {name: json.loads(made.release_.to_json()) for name, made in releases.items()}


def used(document):
    """Read a model, and use all of it; nothing but our own errors may be raised."""
    release = Release.from_dict(json.loads(json.dumps(document)))
    points = CELLS if release.concept_class.spec != "thresholds(1, 99)" else AGES
    repr(release), release.to_json(), page(release)
    for call in (
        lambda: release.predict(points),
        lambda: release.predict_proba(points),
        *(lambda to=to: release.export(to) for to in ("sql", "python", "json")),
    ):
        with contextlib.suppress(LittlestoneError):
            call()


@pytest.mark.first(1)
@pytest.mark.parametrize("part", ["hypothesis", "class", "evaluation", "costs"])
def test_parts_of_two_models_are_no_model(documents, part):
    refused = 0
    for one in documents.values():
        used(one)
        for other in documents.values():
            mixed = copy.copy(one)
            mixed.pop(part, None)
            if part in other:
                mixed[part] = other[part]
            try:
                used(mixed)
            except ParameterError:
                refused += 1
    # a binary tree may stand for a rule, and leaves of one tree for those of another
    assert refused >= {"hypothesis": 22, "class": 20, "evaluation": 20, "costs": 3}[part]


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("three", lambda d: d["evaluation"]["counts"].pop(), "evaluation"),
        ("three", lambda d: d["evaluation"].pop("unlisted"), "evaluation"),
        ("tree", lambda d: d["evaluation"].update(scores=[-1, 0]), "evaluation"),
        ("card", lambda d: d["hypothesis"].update(start=[0, 7]), "evaluation"),
        ("tree", lambda d: d["evaluation"]["counts"].append([1, 2]), "evaluation"),
        ("line", lambda d: d.update(hypothesis=OTHER), "hypothesis"),
    ],
)
def test_changes_are_named(documents, name, change, what, tmp_path, capsys):
    changed = copy.deepcopy(documents[name])
    change(changed)
    with pytest.raises(ParameterError, match=f"The {what} of the model does not fit"):
        Release.from_dict(changed)
    (tmp_path / "m.json").write_text(json.dumps(changed))
    for command in (["report", "--out", str(tmp_path / "p.html")], ["export"]):
        assert main([command[0], str(tmp_path / "m.json"), *command[1:]]) == 2
        assert "has been changed" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["patched", "majority", "mixture"])
def test_what_is_inside_of_a_hypothesis_speaks_of_the_schema_too(documents, form):
    other = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"bins": [1]}})
    model = ls.AgnosticLearner(ls.DecisionTrees(other, 1), epsilon=9, random_state=0)
    strange = model.fit({"age": [1] * 60, "city": [0, 2] * 30, "y": [0, 1] * 30}, y="y").release_
    assert "city" in strange.hypothesis.describe()
    inner = strange.hypothesis.to_dict()
    made = {
        "patched": {"type": "patched", "base": inner, "flipped": [[[2, 2], 1]]},
        "majority": {"type": "majority", "parts": [inner]},
        "mixture": {"type": "mixture", "parts": [{"hypothesis": inner, "weight": 1}]},
    }[form]
    with pytest.raises(ParameterError, match="does not fit its schema"):
        Release.from_dict(documents["rule"] | {"hypothesis": made})
