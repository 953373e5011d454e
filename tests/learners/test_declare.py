"""A parameter is declared once: arguments, docstring, stub and checks follow from its field."""

import inspect
import subprocess
import sys
from dataclasses import dataclass, fields

import pytest
import stub
from sklearn.base import clone

import littlestone as ls
from littlestone.errors import ParameterError
from littlestone.learners import base as declare
from littlestone.learners.base import ClassLearner
from littlestone.learners.sklearn_base import PrivateClassifier

ESTIMATORS = stub.estimators()
SECTIONS = ("Parameters", "Attributes", "Guarantee", "Raises", "Notes", "References", "Examples")


@dataclass(frozen=True)
class Toy(ClassLearner):
    """A learner that is only made."""

    name = estimator = "Toy"
    limit: int | None = declare.declared(
        declare.maybe(declare.whole(1)), "Text of the limit.", default=None
    )
    hidden: str = declare.declared(declare.one_of("a", "b"), "Not shown.", default="a")
    make_plan = draw = None


class Plain(PrivateClassifier, learner=Toy, without=("hidden",), defaults={"limit": 3}):
    """Do it.

    Attributes
    ----------
    classes_ : list
        Its own words.

    Raises
    ------
    OSError
        Never.
    """

    extra: int = declare.declared(declare.whole(0), "Of the estimator alone.", default=7)


def test_what_follows_from_a_declaration():
    line = ls.Thresholds(1, 9)
    made = Plain(line, epsilon=1, limit=2)
    assert str(inspect.signature(Plain)).replace("'", "") == (
        "(concept_class: ConceptClass, *, epsilon: Number, alpha: Number = 0.1, "
        "beta: Number = 0.05, limit: int | None = 3, extra: int = 7, classes: Any = None, "
        "random_state: int | None = None) -> None"
    )
    assert vars(made) == made.get_params(deep=False) == clone(made).get_params(deep=False)
    assert not hasattr(Plain, "extra")
    assert repr(made) == f"Plain(concept_class={line!r}, epsilon=1, limit=2)"
    assert made.to_learner() == Toy(line, epsilon=1, limit=2)
    with pytest.raises(ParameterError, match="'limit' parameter of Toy must be an integer >= 1"):
        made.set_params(limit=0).to_learner()
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'epsilon'"):
        Plain(line)
    with pytest.raises(TypeError, match="unexpected keyword argument 'hidden'"):
        Plain(line, epsilon=1, hidden="b")


def test_the_docstring_is_made_once():
    text = Plain.__doc__
    assert text.startswith(
        "Do it.\n\nParameters\n----------\nconcept_class : ConceptClass\n    Pub"
    )
    assert "\nlimit : int >= 1, default 3\n    Text of the limit.\nextra : int >= 0" in text
    assert "classes_ : list\n    Its own words.\nhypothesis_ : Hypothesis\n" in text
    assert "OSError\n    Never.\nParameterError\n" in text
    assert text.count("classes_") == text.count("Raises\n") == 1

    class Derived(Plain):
        """Keeps what it has."""

    assert Derived(1, epsilon=2).get_params() == Plain(1, epsilon=2).get_params()
    assert Derived.__doc__ == "Keeps what it has."


@pytest.mark.parametrize("name", ESTIMATORS)
def test_docstrings_explain_every_argument_and_have_all_sections(name):
    cls = ESTIMATORS[name]
    text = cls.__doc__
    places = [text.index(f"\n{heading}\n{'-' * len(heading)}\n") for heading in SECTIONS]
    assert places == sorted(places)
    arguments = text[places[0] : places[1]]
    for parameter in inspect.signature(cls).parameters.values():
        assert f"\n{parameter.name} : " in arguments
    for each in fields(cls._learner):
        paid_before = each.name == "columns"  # not a parameter: what learned columns cost
        assert paid_before or {"text", "kind"} <= set(each.metadata)
    assert all(len(line) <= 100 for line in text.splitlines() if "{" not in line)


def test_the_stub_is_that_of_the_declarations():
    assert stub.STUB.read_text() == stub.stub(), "run python tools/stub.py"


@pytest.mark.more
def test_learners_and_pages_load_without_scikit_learn():
    """The command line fits and writes pages without a second of imports."""
    code = (
        "import sys, littlestone.learners.registry, littlestone.report, littlestone.planning; "
        "print(sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
