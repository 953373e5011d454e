"""What all learners share: declared parameters, names of columns, tables and files."""

import inspect
import json
import subprocess
import sys
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import stub
from sklearn.base import clone

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import RowDomain, Sample, UserSample
from littlestone.data.targets import TargetSample
from littlestone.errors import DataError, LittlestoneError, ParameterError
from littlestone.learners import base as declare
from littlestone.learners import registry, select
from littlestone.learners.base import ClassLearner, Feasible, feasible
from littlestone.learners.running import run
from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.source import SeededSource

# -- What all learners share: parameters are checked wherever they come from; promises are kept ----

LINE = ls.Thresholds(1, 9)
# --- promises ------------------------------------------------------------------------------------

CLASSES = {
    "thresholds": (ls.Thresholds(1, 2**64), [1, 5, 2**60]),
    "intervals": (ls.Intervals(1, 9), [1, 5, 9]),
    "flats": (ls.theory.AffineSubspaces(3, 30, 1), np.eye(30, dtype=int)[:3].tolist()),
    "conjunctions": (ls.theory.Conjunctions(40), np.eye(40, dtype=int)[:3].tolist()),
    "prefixes": (ls.Prefixes("ab", 40), ["a" * 40, "ab" * 20, "b" * 40]),
}
RECORDS = [name for name, entry in registry.LEARNERS.items() if entry.unit == "records"]
GOAL = {"epsilon": 1, "alpha": "0.2", "beta": "0.1"}


def made(name, concepts):
    entry = registry.LEARNERS[name]
    goal = GOAL if entry.pure else {**GOAL, "delta": "1e-6"}
    return registry.make(name, concepts, **goal)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", RECORDS)
def test_what_has_a_plan_is_released_and_what_has_none_is_refused_first(name, kind):
    concepts, points = CLASSES[kind]
    X = concepts.domain.array(points, caller="test")
    sample = Sample.from_arrays(points, [0, 1, 1], domain=concepts.domain)

    class Untouched:
        seeded = False

        def __getattr__(self, name):
            raise AssertionError("drew, or charged")

    try:
        learner = made(name, concepts)
        found = feasible(learner)
    except LittlestoneError:
        return  # refused even earlier
    if found.ok:
        assert learner.required_samples() >= 1
        release = run(learner, sample, SeededSource(1))
        assert release.hypothesis.predict(X).shape == (3,)
        return
    assert found.why.endswith(".")
    for call in (
        lambda: learner.plan,
        learner.required_samples,
        lambda: learner.certificate(9),
        lambda: run(learner, sample, Untouched(), ledger=Untouched()),
    ):
        with pytest.raises(LittlestoneError) as refused:
            call()
        assert f"{found.why} {found.next_step}".strip() == str(refused.value)


def test_large_conjunctions_are_not_promised():
    """`plan` chose the agnostic learner, and `fit` refused it."""
    with pytest.raises(ls.errors.UnsupportedError, match="No learner can guarantee this"):
        ls.plan(ls.theory.Conjunctions(40), **GOAL, delta=1e-6)
    with pytest.raises(ls.errors.UnsupportedError, match="n may be at most 14"):
        select.auto(ls.theory.Conjunctions(40), **GOAL)


def test_a_table_without_records_is_refused():
    learner = made("generic", LINE)
    assert feasible(learner, 1) == Feasible(ok=True)
    assert feasible(learner, 0).why == "There are no records."


# -- A parameter is declared once: arguments, docstring, stub and checks follow from its field -----

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


# -- Data frames are matched by the names of their columns; arrays by position ---------------------

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({name: RNG.integers(0, 100, 600) for name in ("age", "dose", "noise")})
ILL = (TABLE.age >= 50).astype(int).to_numpy()
SCHEMA = ls.Schema.from_dict({"age": {"bins": [50]}, "dose": {"bins": [50]}})
FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


def rules():
    return ls.AgnosticLearner(ls.Rules(SCHEMA, 1), epsilon=50, random_state=1)


def trees():
    return ls.BoostedTrees(SCHEMA, epsilon=50, depth=1, rounds=2, random_state=1)


@pytest.mark.first(1)
@pytest.mark.parametrize("made", [rules, trees])
@pytest.mark.parametrize("kind", FRAMES)
def test_the_order_of_columns_and_foreign_ones_change_nothing(kind, made):
    of = FRAMES[kind]
    first = made().fit(TABLE[["age", "dose"]].to_numpy(), ILL)
    for columns in (["age", "dose"], ["dose", "age"], ["noise", "dose", "age"]):
        frame = of(TABLE[columns])
        learner = made().fit(frame, ILL)
        assert learner.release_.to_json() == first.release_.to_json()
        assert learner.feature_names_in_.tolist() == ["age", "dose"]
        assert learner.n_features_in_ == 2
        assert learner.score(frame, ILL) == first.score(TABLE[["age", "dose"]].to_numpy(), ILL)
        for other in FRAMES.values():
            reordered = other(TABLE[["dose", "noise", "age"]])
            assert (learner.predict(reordered) == first.predict(TABLE[["age", "dose"]])).all()
            assert (learner.release_.predict(reordered) == learner.predict(reordered)).all()


@pytest.mark.parametrize("kind", FRAMES)
def test_missing_names_are_refused_before_anything_is_drawn(kind, monkeypatch):
    frame = FRAMES[kind](TABLE[["age", "noise"]])
    fitted = rules().fit(TABLE, ILL)

    def nothing_is_drawn(*_):
        raise AssertionError("drew from the source")

    monkeypatch.setattr("littlestone.source.sources.BitSource.choose", nothing_is_drawn)
    unfitted = rules()
    for call in (
        lambda: unfitted.fit(frame, ILL),
        lambda: fitted.fit(frame, ILL),
        lambda: fitted.predict(frame),
        lambda: fitted.score(frame, ILL),
        lambda: fitted.release_.predict(frame),
        lambda: ls.data.Sample.from_arrays(frame, ILL, ls.Rules(SCHEMA, 1).domain),
    ):
        with pytest.raises(ParameterError, match="no column 'dose'"):
            call()
    assert not hasattr(unfitted, "feature_names_in_")
    assert fitted.feature_names_in_.tolist() == ["age", "dose"]


@pytest.mark.parametrize("double", ["age", "noise"])
def test_doubled_names_are_refused(double):
    frame = pd.concat([TABLE, TABLE[[double]]], axis=1)
    fitted = rules().fit(TABLE, ILL)
    every = ls.Rules(ls.Schema.every_column([50.0]), 1)
    for call in (
        lambda: rules().fit(frame, ILL),
        lambda: fitted.predict(frame),
        lambda: ls.AgnosticLearner(every, epsilon=1).fit(frame, ILL),
        lambda: ls.data.Sample.from_arrays(frame, ILL, ls.Rules(SCHEMA, 1).domain),
    ):
        with pytest.raises(ParameterError, match="different names"):
            call()


def test_arrays_and_frames_without_names_go_by_position():
    first = rules().fit(TABLE[["age", "dose"]].to_numpy(), ILL)
    assert not hasattr(first, "feature_names_in_")
    numbered = TABLE[["age", "dose"]].set_axis([0, 1], axis=1)
    again = rules().fit(numbered, ILL)
    assert again.release_.to_json() == first.release_.to_json()
    assert not hasattr(again, "feature_names_in_")
    named = rules().fit(TABLE, ILL)
    with pytest.warns(UserWarning, match="does not have valid feature names"):  # scikit-learn's
        named.predict(TABLE[["age", "dose"]].to_numpy())
    named.fit(numbered, ILL)  # the names of the first fit are forgotten
    assert not hasattr(named, "feature_names_in_")


@pytest.mark.parametrize("kind", FRAMES)
def test_a_schema_of_every_column_takes_the_names_of_the_fit(kind):
    of = FRAMES[kind]
    every = ls.Rules(ls.Schema.every_column([50.0]), 1)
    learner = ls.AgnosticLearner(every, epsilon=50, random_state=1).fit(of(TABLE), ILL)
    assert learner.feature_names_in_.tolist() == ["age", "dose", "noise"]
    assert learner.score(of(TABLE), ILL) > 0.9
    for columns in (["dose", "age", "noise"], ["age", "dose"]):
        with pytest.raises(ValueError, match="feature names should match"):
            learner.predict(of(TABLE[columns]))


@pytest.mark.parametrize("kind", FRAMES)
def test_one_column_of_points(kind):
    of = FRAMES[kind]
    learner = ls.GenericLearner(ls.Thresholds(0, 99), epsilon=50, random_state=1)
    learner.fit(of(TABLE[["age"]]), ILL)
    assert learner.feature_names_in_.tolist() == ["age"]
    assert (learner.predict(of(TABLE)) == learner.predict(TABLE.age.to_numpy())).all()
    with pytest.raises(ParameterError, match="no column 'age'"):
        learner.predict(of(TABLE[["dose"]]))
    by_table = ls.GenericLearner(ls.Thresholds(0, 99), epsilon=50, random_state=1)
    by_table.fit(of(TABLE.assign(ill=ILL)), "ill", x="age")
    assert by_table.hypothesis_ == learner.hypothesis_
    assert by_table.feature_names_in_.tolist() == ["age"]
    by_table.fit(ls.data.Sample.of([1, 70] * 300, [0, 1] * 300))
    assert not hasattr(by_table, "feature_names_in_")


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_vectors(kind):
    of = FRAMES[kind]
    bits = pd.DataFrame({name: RNG.integers(0, 2, 400) for name in "abc"})
    label = (bits.a & bits.c).to_numpy()
    learner = ls.AgnosticLearner(ls.theory.Conjunctions(3), epsilon=50, random_state=1)
    learner.fit(of(bits), label)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert learner.n_features_in_ == 3
    assert (learner.predict(of(bits[["c", "b", "a"]])) == label).all()


# -- Python and the command line meet: tables, samples, model files, pages -------------------------

FRAME = pd.DataFrame(
    {
        "dose": [1, 5, 7, 9, None, 200] * 50,
        "ill": [0, 0, 1, 1, 1, 0] * 50,
        "who": np.arange(300) // 3,
        "city": ["a", "b", "unseen", None, "a", "b"] * 50,
    }
)
FILES_SCHEMA = {"dose": {"bins": [3, 6]}, "city": {"categories": ["a", "b"]}}
TOML = '[dose]\nbins = [3, 6]\n[city]\ncategories = ["a", "b"]\n'
TABLES = {
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "lazy": lambda folder: pl.from_pandas(FRAME).lazy(),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "path": lambda folder: folder / "data.csv",
    "text": lambda folder: str(folder / "data.csv"),
    "glob": lambda folder: str(folder / "part-*.parquet"),
    "relation": lambda folder: pytest.importorskip("duckdb").from_arrow(
        pa.Table.from_pandas(FRAME)
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("data.csv", index=False)
    FRAME[:100].to_parquet("part-1.parquet")
    FRAME[100:].to_parquet("part-2.parquet")
    (tmp_path / "schema.toml").write_text(TOML)
    return tmp_path


def by_command(line):
    assert main(f"fit data.csv --y ill --epsilon 1 --seed 5 --out m.json {line}".split()) == 0
    with open("m.json", encoding="utf-8") as file:
        return file.read()


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", TABLES)
def test_every_table_gives_what_the_command_line_writes(kind, folder):
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5)
    made.fit(TABLES[kind](folder), y="ill", x="dose").save("e.json")
    written = by_command("--x dose --class thresholds(1,9) --learner generic --no-evaluate")
    assert (folder / "e.json").read_text() == written
    assert made.release_.to_json() + "\n" == written


def test_rows_and_an_evaluation(folder):
    rules = ls.Rules(ls.Schema.from_dict(FILES_SCHEMA), 1)
    made = ls.AgnosticLearner(rules, epsilon=1, random_state=5)
    made.fit(FRAME, "ill", evaluate="1/2").save("e.json")
    line = "--schema schema.toml --class rules(max_literals=1) --learner agnostic"
    written = by_command(f"{line} --evaluate 1/2")
    assert (folder / "e.json").read_text() == written
    assert json.loads(written)["guarantee"]["epsilon"] == 1
    assert made.n_features_in_ == 2


def test_users(folder):
    made = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2, random_state=5)
    made.fit(FRAME, "ill", x="dose", user="who").save("e.json")
    line = "--x dose --class thresholds(1,9) --learner users --user who --samples-per-user 2"
    assert (folder / "e.json").read_text() == by_command(f"{line} --no-evaluate")
    with pytest.raises(ParameterError, match="give user="):
        made.fit(FRAME, "ill", x="dose")


def test_a_sample_is_taken_as_it_is():
    sample = ls.data.Sample.read(FRAME, x="dose", y="ill", domain=LINE.domain)
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5)
    same = made.fit(FRAME, y="ill", x="dose").hypothesis_
    assert made.fit(sample).hypothesis_ == same
    assert made.release_.n == 300
    with pytest.raises(ParameterError, match="give fit a Sample"):
        made.fit(sample, [0] * 300)
    users = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2)
    with pytest.raises(ParameterError, match="give fit a UserSample"):
        users.fit(sample)


@pytest.mark.parametrize("evaluate", [None, "1/2"])
@pytest.mark.parametrize("name", ["BoostedTrees", "Scorecard", "LinearClassifier"])
def test_users_read_before_give_the_fit_of_their_table(name, evaluate):
    """Whether they were read as users with labels, or as records of users with codes."""
    schema = ls.Schema.from_dict(FILES_SCHEMA)
    more = {"delta": "1e-6"} if name == "LinearClassifier" else {"rounds": 2}
    made = getattr(ls, name)(schema, epsilon=2, random_state=5, **more)
    of_table = made.fit(FRAME, "ill", user="who", evaluate=evaluate).release_.to_dict()
    assert of_table.pop("columns")
    assert of_table["hypothesis"] != made.fit(FRAME, "ill").hypothesis_.to_dict()
    for kind in (UserSample, TargetSample):
        users = kind.read(FRAME, y="ill", user="who", domain=RowDomain(schema))
        assert made.fit(users, evaluate=evaluate).release_.to_dict() == of_table


def test_predictions_by_column_names(folder):
    made = ls.GenericLearner(LINE, epsilon=9, classes=("no", "yes"), random_state=5)
    table = FRAME.assign(ill=FRAME.ill.map({0: "no", 1: "yes"}))
    made.fit(table, "ill", x="dose").save("e.json")
    shuffled = FRAME[["who", "dose"]][:6]
    assert made.predict(shuffled).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    release = ls.load("e.json")
    assert release == made.release_
    assert release.predict(shuffled).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    again = release.predict(shuffled.rename(columns={"dose": "x"}), x="x")
    assert again.tolist().count("yes") == 2
    assert release.predict([1, 9]).tolist() == ["no", "yes"]
    lazy = pl.from_pandas(shuffled).lazy()  # and no warning of its library
    assert release.predict(lazy).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    assert main(["predict", "e.json", "data.csv", "--out", "p.csv"]) == 0
    assert (folder / "p.csv").read_text().split()[1:7] == ["no", "no", "yes", "yes", "no", "no"]


def test_cells_of_a_schema_are_never_refused_in_arrays():
    """Missing and unseen cells have public codes, as in a table."""
    rules = ls.Rules(ls.Schema.from_dict(FILES_SCHEMA), 1)
    made = ls.AgnosticLearner(rules, epsilon=1, random_state=5)
    rows = [[None if np.isnan(d) else d, c] for d, c in FRAME[["dose", "city"]].values.tolist()]
    by_table = made.fit(FRAME, "ill").hypothesis_
    assert made.fit(FRAME[["dose", "city"]], FRAME.ill).hypothesis_ == by_table
    assert made.fit(rows, FRAME.ill).hypothesis_ == by_table
    assert made.predict([[float("nan"), "never seen"], [7, "a"]]).shape == (2,)
    with pytest.raises(DataError, match="public classes"):
        made.fit(rows, [2] * 300)


def test_pages_and_pictures_of_estimators(folder):
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5).fit(FRAME, "ill", x="dose")
    text = ls.page(made, "page.html")
    assert text == (folder / "page.html").read_text() == ls.page(made.release_)
    assert ls.plot(made) == ls.plot(made.release_)
    assert "NOT PRIVATE" in ls.plot(made)


def test_the_public_surface():
    assert len(ls.__all__) <= 30
    for name in ls.__all__:
        assert getattr(ls, name) is not None
    assert {"audit", "theory"} <= set(ls.__all__)
