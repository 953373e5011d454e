"""Releases and their records: verified exactly, checked offline, changed files refused."""

import contextlib
import copy
import json
import time
from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit.verify import UserCases
from littlestone.classes import parse_class
from littlestone.cli.main import main
from littlestone.data import Sample
from littlestone.data.stored import Unread
from littlestone.errors import DataError, LittlestoneError, ParameterError, UnsupportedError
from littlestone.evaluation import release_histogram
from littlestone.learners import registry
from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests
from littlestone.learners.release import Release
from littlestone.learners.running import Shares, promise, run, shares_of
from littlestone.learners.select import compare, goal_of
from littlestone.report import page
from littlestone.source import SecureSource, SeededSource

# -- Publishing a hypothesis with a private evaluation of it: the pair, verified exactly -----------

HALF = Fraction(1, 2)


def generic(cls, epsilon=1):
    return registry.make("generic", cls, epsilon=epsilon)


def sample_of(data):
    return Sample.of([x for x, _ in data], [label for _, label in data])


def left_by(learner, evaluate):
    """Return the learner with what an evaluation leaves."""
    return shares_of(learner, evaluate=evaluate).learner(learner)


def loss_of_both(worst_loss, n, extra):
    """Return the largest loss of (hypothesis, histogram): all data sets and neighbours."""
    own = left_by(generic(ls.Thresholds(1, 2)), extra)
    kinds = [(x, y) for x in (1, 2) for y in (0, 1)]
    return worst_loss(own, n, extra, kinds, lambda rule, points: rule.predict(points))


@pytest.mark.first(2)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("extra", [Fraction(1, 10), HALF, Fraction(9, 10)], ids=str)
def test_the_pair_is_private_with_the_learners_epsilon(worst_loss, extra, n):
    claimed = promise(generic(ls.Thresholds(1, 2)), evaluate=extra)
    assert (claimed.epsilon, claimed.delta) == (1, 0)
    assert 0.6 < loss_of_both(worst_loss, n, extra) <= 1


def test_the_learner_must_leave_its_part(worst_loss, monkeypatch):
    """If it spends all of epsilon the claim is false: the test above can fail."""
    monkeypatch.setattr(Shares, "learner", lambda shares, learner: learner)
    assert loss_of_both(worst_loss, 2, HALF) > 1.1


def test_a_release_is_the_hypothesis_and_the_histogram_of_its_labels():
    """What `worst_loss` takes apart is what `run` draws: with one seed they are the same."""
    data, learner = sample_of([(1, 0), (2, 1), (2, 0)] * 9), generic(ls.Thresholds(1, 2))
    for seed in range(5):
        source = SeededSource(seed)
        made = left_by(learner, HALF).draw(data, source)
        cells = np.zeros((2, 2), dtype=int)
        for x, y in [(1, 0), (2, 1), (2, 0)] * 9:
            cells[y, int(made.predict(np.array([x]))[0])] += 1
        told = release_histogram([0, 1], cells, n=27, epsilon=HALF, source=source)
        release = run(learner, data, SeededSource(seed), evaluate=HALF)
        assert (release.hypothesis, release.evaluation) == (made, told)


@pytest.mark.full
def test_everything_that_is_seen_of_a_release_is_private():
    learner = generic(ls.Thresholds(1, 1))
    found = ls.audit.verify(learner, points=[1], n_samples=1, evaluate=HALF, observers=[page])
    assert found.holds
    assert (found.epsilon, found.slack) == (1, 0)


def test_the_evaluation_is_of_the_released_hypothesis():
    data = Sample.of([1, 1, 2, 2, 2], [0, 1, 1, 1, 0])
    data = Sample.binary(data.points, data.zeros, data.ones, (3, 2))
    algorithm = generic(ls.Thresholds(1, 2), epsilon=1001)
    release = run(algorithm, data, SecureSource(), evaluate=1000)  # hardly any noise
    labels = release.hypothesis.predict(data.points)
    wrong = sum(int(data.zeros[i] if label else data.ones[i]) for i, label in enumerate(labels))
    # outside the domain every concept says 0
    assert release.quality.error.value == pytest.approx((wrong + 2) / 10)
    assert release.quality.baseline.value == pytest.approx(0.5)


def test_a_release_without_evaluation_is_the_algorithms():
    algorithm = generic(ls.Thresholds(1, 9))
    data = Sample.of([2, 8] * 200, [0, 1] * 200)
    release = run(algorithm, data, SeededSource(1), columns={"x": ["a"], "y": "b"})
    assert release.hypothesis == algorithm.draw(data, SeededSource(1))
    assert release.guarantee == algorithm.guarantee(seeded=True)
    assert release.evaluation is None
    assert release.quality is None
    assert (release.n, release.required) == (400, algorithm.required_samples())
    assert release.certificate == algorithm.certificate(400)
    assert release.columns == {"x": ["a"], "y": "b"}


@pytest.mark.first(3)
@pytest.mark.parametrize("name", ["generic", "agnostic", "vc1", "users"])
def test_what_is_left_is_a_learner_of_a_smaller_epsilon(name):
    own = {"delta": "1e-6"} if name == "vc1" else {}
    own |= {"samples_per_user": 4} if name == "users" else {}
    whole = registry.make(name, ls.Thresholds(1, 9), epsilon=2, **own)
    left = registry.make(name, ls.Thresholds(1, 9), epsilon="1.8", **own)
    assert left_by(whole, "0.2") == left
    assert left_by(whole, None) is whole
    goal = goal_of("t", epsilon=2, delta=own.get("delta"), alpha="0.1", beta="0.05",
                   samples_per_user=own.get("samples_per_user"), evaluate="0.2")  # fmt: skip
    (planned,) = [
        c for c in compare(ls.Thresholds(1, 9), goal)
        if c.learner == name and not c.options and not c.reads
    ]  # fmt: skip
    assert planned.n == left.required_samples() >= whole.required_samples()
    assert planned.guarantee.epsilon == 2


def test_zcdp_of_what_is_left_and_of_the_histogram_add_up():
    learner = generic(ls.Thresholds(1, 9))
    assert shares_of(learner, evaluate=HALF).loss(learner).rho == HALF**2 / 8 + HALF**2 / 2
    assert shares_of(learner, evaluate=HALF, holdout=HALF).loss(learner) is None


def test_estimators_say_what_was_evaluated():
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=4, random_state=0)
    made.fit([2, 8] * 200, [0, 1] * 200, evaluate=2)
    assert made.guarantee_.epsilon == 4
    assert made.release_.quality.better is True
    assert made.release_.quality.constant is None
    assert made.evaluation_.accuracy().value > 0.9
    with pytest.raises(UnsupportedError, match="no evaluation"):
        _ = made.fit([2, 8], [0, 1]).evaluation_


@pytest.mark.parametrize("evaluate", [0, -1, "nan", "x", float("inf"), 1, 2])
def test_a_wrong_share_is_refused_before_anything_is_drawn(evaluate):
    class Untouched:
        seeded = False

    with pytest.raises(ParameterError, match="evaluate"):
        run(generic(ls.Thresholds(1, 9)), Sample.of([1], [0]), Untouched(), evaluate=evaluate)


def test_an_empty_sample_is_refused_before_anything_is_drawn():
    class Untouched:
        seeded = False

    with pytest.raises(DataError, match="no rows"):
        run(generic(ls.Thresholds(1, 9)), Sample.of([], []), Untouched())


SECRET = "31337"


@pytest.mark.parametrize(
    "sample",
    [
        Sample.of([SECRET, "b"], [0, 1]),
        Sample.of([SECRET, 3], [0, 1]),
        ls.data.UserSample.of([1, 2], [0, 1], [1, 2]),
    ],
    ids=["texts", "mixed", "users"],
)
@pytest.mark.parametrize("name", ["generic", "vc1", "littlestone"])
def test_a_sample_that_cannot_be_read_is_refused_before_it_is_paid(sample, name, tmp_path):
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=10, delta="1e-5")
    extra = {} if name == "generic" else {"delta": "1e-6"}
    learner = registry.make(name, ls.Thresholds(1, 9), epsilon=1, **extra)
    with pytest.raises(ls.errors.LittlestoneError) as refused:
        run(learner, sample, SecureSource(), ledger=ledger)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert ledger.spent()[0] == 0


def test_a_table_that_cannot_be_counted_for_the_evaluation_is_not_paid(tmp_path):
    """The learner looks at extremes only; the evaluation counts all, before it is paid."""

    def count():
        raise DataError

    sample = Unread(100, count, Sample.of([2, 8] * 50, [0, 1] * 50).extremes)
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=2, delta="1e-5")
    learner = registry.make("vc1", ls.Thresholds(1, 9), epsilon=1, delta="1e-6")
    with pytest.raises(DataError):
        run(learner, sample, SecureSource(), ledger=ledger, evaluate="1/10")
    assert ledger.spent()[0] == 0
    assert run(learner, sample, SecureSource(), ledger=ledger).n == 100


def test_a_date_that_is_not_asked_for_does_not_hinder_an_export():
    schema = ls.Schema.from_dict(
        {"day": {"type": "date", "bins": ["2020-07-01"]}, "age": {"bins": [30]}}
    )
    table = {"age": [20, 40] * 100, "day": ["2020-01-01", "2021-01-01"] * 100, "ill": [0, 1] * 100}
    written = {}
    for name in ("age", "day"):
        halves = table | {other: ["", ""] * 100 for other in {"age", "day"} - {name}}
        learner = ls.AgnosticLearner(ls.Rules(schema, 1), epsilon=9, random_state=0)
        written[name] = learner.fit(halves, y="ill").release_
    module = {}
    exec(written["age"].export("python"), module)
    assert [module["label"]({"age": cell}) for cell in (20, 40)] == [0, 1]
    assert '"age"' in written["age"].export("sql")
    with pytest.raises(ls.errors.UnsupportedError, match=r"over dates \(day\)"):
        written["day"].export("sql")


# -- Records of releases: every learner's checks offline; what was tampered with is named ----------

LINE = ls.Thresholds(1, 9)
CITY = ls.Schema.from_dict({"city": {"categories": ["Bonn"]}})


def released(name, concepts=LINE, source=None, evaluate="1/10", ledger=None, **options):
    if name == "values":  # its evaluation is another one
        made = ls.BoostedTreesRegressor(CITY, epsilon=1, high=9, cells=9, depth=1, rounds=3)
        return made.fit([["Bonn"], ["Rome"]] * 20, [2, 8] * 20).release_
    entry = registry.LEARNERS[name]
    if name == "boosting":
        concepts = parse_class("boosted_trees(depth=1, rounds=3)", schema=CITY)
    if name == "linear":
        concepts = parse_class("linear", schema=CITY)
    if name == "users":
        options = {"samples_per_user": 1}
    if not entry.pure and name != "boosting":
        options["delta"] = "1e-6"
    if "littlestone" in name:
        concepts = ls.Points(1, 9)
    learner = registry.make(name, concepts, epsilon=1, **options)
    if entry.unit == "users":
        sample = UserCases([], LINE.domain).sample([(i, ((i + 1, i % 2),)) for i in range(4)])
    elif name in ("boosting", "linear"):
        sample = Sample.from_arrays([[1], [0], [1], [0]], [1, 0, 1, 0], domain=concepts.domain)
    else:
        sample = Sample.of([2, 3, 7, 8], [0, 0, 1, 1])
    return run(learner, sample, source or SecureSource(), evaluate=evaluate, ledger=ledger)


@pytest.mark.parametrize("name", registry.LEARNERS)
@pytest.mark.parametrize("evaluate", [None, "1/10"])
def test_the_record_of_every_learner_is_checked_in_seconds(name, evaluate):
    text = json.dumps(released(name, evaluate=evaluate).record())
    start = time.monotonic()
    assert check_record(json.loads(text)) == []
    assert time.monotonic() - start < 10


def test_the_record_of_a_start_from_all_columns_is_checked():
    made = ls.BoostedTrees(CITY, epsilon=2, delta=1e-6, depth=1, rounds=2, evaluate="1/10")
    record = made.fit([["Bonn"], ["Rome"]] * 400, [0, 1] * 400).release_.record()
    spent = record["release"]["spent"]
    assert list(spent)[1] == "counts of columns"
    assert check_record(record) == []
    spent["counts of columns"] = "zCDP 1"
    assert "release.spent: the total is" in "".join(map(str, check_record(record)))


@pytest.mark.more
def test_more_records_are_checked(tmp_path):
    ledgers = [
        ls.Ledger(tmp_path / "pure", epsilon=2, data="clinic", purpose="report"),
        ls.Ledger(tmp_path / "both", epsilon=9, delta=1e-5),
        ls.Ledger(tmp_path / "zcdp", epsilon=9, delta=1e-5, accounting="zcdp"),
    ]
    releases = [released("agnostic", ledger=ledger) for ledger in ledgers]
    releases += [released("vc1", ledger=ledger) for ledger in ledgers[1:]]
    releases += [released("boosting", ledger=ledgers[2])]
    own = ls.AgnosticLearner(LINE, epsilon=1, neighbours="add-remove")
    hidden = own.fit(Sample.of([2, 8], [0, 1]), ledger=ls.Ledger(tmp_path / "more", epsilon=2))
    releases += [hidden.release_]
    learner = registry.make("agnostic", LINE, epsilon=1)
    four = Sample.of([2, 3, 7, 8], [0, 0, 1, 1])
    releases += [run(learner, four, SecureSource(), evaluate=1, holdout="1/4")]
    boosted = ls.BoostedTrees(CITY, epsilon=1, delta=1e-6, depth=1, rounds=40, evaluate="1/10")
    releases += [boosted.fit([["Bonn"], ["Rome"]] * 200, [0, 1] * 200).release_]
    for options in ({"loss": "poisson"}, {"delta": 1e-6}, {"loss": "quantile", "quantile": "1/2"}):
        own = ls.BoostedTreesRegressor(
            CITY, epsilon=1, high=9, cells=9, depth=1, rounds=3, **options
        )
        releases += [own.fit([["Bonn"], ["Rome"]] * 20, [2, 8] * 20).release_]
    for release in releases:
        assert check_record(release.record()) == [], release.learner
    basic = releases[0].record()["deployment"]["basic"]
    assert basic["intended_use"] == "report"
    assert len(basic["publication_date"]) == 10
    assert check_record(ls.load(saved(releases[0], tmp_path)).record()) == []


def saved(release, folder):
    release.save(folder / "model.json")
    return folder / "model.json"


# --- tampered records --------------------------------------------------------------------------

#: Where something is changed, to what, and the field that is named although all hashes were made
#: anew by whoever changed it.
FORGED = [
    ("format", "littlestone-record-2", "format"),
    ("software.version", "0.1.0", "software.version"),
    ("software.name", "other", "software.name"),
    ("release.format", "littlestone-release-0", "release"),
    ("release.learner", "generic", "deployment.basic.name"),
    ("release.learner", "users", "release.guarantee.neighbours"),
    ("release.n", 5, "release.n"),
    ("release.n", -1, "release"),
    ("release.required_samples", 4, "release.required_samples"),
    ("release.class.spec", "thresholds(1, 8)", "release.class.spec"),
    ("release.class.high", 8, "release.class.spec"),
    ("release.hypothesis.description", "always 1", "release.hypothesis.description"),
    ("release.guarantee.epsilon_exact", "1/2", "release.guarantee.epsilon"),
    ("release.guarantee.epsilon_exact", "-1", "release.guarantee"),
    ("release.guarantee.epsilon", 0.5, "release.guarantee.epsilon"),
    ("release.guarantee.delta_exact", "1/1000", "release.guarantee.delta"),
    ("release.guarantee.neighbours", "user-replace", "release.certificate.unit"),
    ("release.guarantee.neighbours", "add-remove", "release.n"),
    ("release.guarantee.claim", "exp-mech.privacy", "ledger.0.event.claim"),
    ("release.guarantee.claim", "dp.sum(nothing.known)", "ledger.0.event.claim"),
    ("release.guarantee.seeded", True, "release.guarantee.seeded"),
    ("release.spent.evaluation", "epsilon 1/20", "release.spent.evaluation"),
    ("release.spent.learning", "epsilon 1/2", "release.spent"),
    ("release.spent.learning", "nothing", "release.spent.learning"),
    ("release.evaluation.epsilon", "1/20", "release.evaluation.rate"),
    ("release.evaluation.rate", "1/10", "release.evaluation.rate"),
    ("release.evaluation.n", 100, "release.evaluation.n"),
    ("release.evaluation.scores", [1, 2], "release"),
    ("release.quality.error.value", 0.01, "release.quality.error.value"),
    ("release.certificate.holds", True, "release.certificate"),
    ("release.certificate.n", 10**6, "release.certificate"),
    ("release.certificate.alpha", 0.01, "release.certificate.alpha"),
    ("release.certificate.alpha_exact", "1/100", "release.certificate"),
    ("release.certificate.beta_exact", "1/100", "release.certificate"),
    ("release.certificate.unit", "users", "release.certificate.unit"),
    ("release.certificate.status", "conditional", "release.certificate"),
    ("release.certificate.claims", [], "release.certificate"),
    ("release.certificate.assumptions", [], "release.certificate"),
    ("release.certificate.steps.2.value", 4, "release.certificate"),
    ("release.certificate.steps.2.formula", "beta", "release.certificate"),
    ("release.certificate.steps.0.source", "made.up", "release.certificate"),
    ("ledger.0.accounting", "pure", "ledger.0.budget"),
    ("ledger.0.neighbours", "user-replace", "ledger.0.neighbours"),
    ("ledger.0.budget.epsilon", "1/2", "ledger.0.budget"),
    ("ledger.0.event.number", "one", "ledger.0.event"),
    ("ledger.0.event.day", "yesterday", "ledger.0.event"),
    ("ledger.0.event.day", "2001-01-01", "deployment.basic.publication_date"),
    ("ledger.0.event.purpose", "another", "deployment.basic.intended_use"),
    ("ledger.0.event.loss", "pure 1/2", "ledger.0.event.loss"),
    ("ledger.0.event.claim", "other", "ledger.0.event.claim"),
    ("ledger.0.event.cost", "1/2", "ledger.0.event.cost"),
    ("ledger.0.spent.before", "1/2", "ledger.0.spent"),
    ("ledger.0.spent", None, "ledger.0.spent"),
    ("ledger.0.event.leak", "1/1000", "ledger.0.event.leak"),
    ("deployment.basic.name", "other", "deployment.basic.name"),
    ("deployment.dp_variant.variant_name", "Zero-concentrated DP",
     "deployment.dp_variant.variant_name"),
    ("deployment.privacy_loss.privacy_unit", "User", "deployment.privacy_loss.privacy_unit"),
    ("deployment.privacy_loss.privacy_parameters.epsilon", 0.1,
     "deployment.privacy_loss.privacy_parameters.epsilon"),
    ("deployment.accounting.composition", "parallel", "deployment.accounting.composition"),
    ("claims.0.statement", "All is private.", "claims"),
    ("claims", [], "claims"),
    ("approved_by", "nobody", "approved_by"),
]  # fmt: skip


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "budget"
    ledger = ls.Ledger(path, epsilon=2, delta=1e-6, data="clinic", purpose="report")
    return released("agnostic", ledger=ledger).record()


def changed(record, where, value):
    """Return a record that differs in one place."""
    forged = copy.deepcopy(record)
    *path, last = (int(part) if part.isdigit() else part for part in where.split("."))
    place = forged
    for part in path:
        place = place[part]
    place[last] = value
    return forged


@pytest.mark.first(20)
@pytest.mark.parametrize(("where", "value", "named"), FORGED)
def test_what_was_tampered_with_is_named(record, where, value, named):
    forged = changed(record, where, value)
    part = ".".join(where.split(".")[: 2 if where.startswith("release.") else 1])
    assert part in {finding.field for finding in check_record(forged)}, "by its hash"
    forged["sha256"] = digests(forged)
    assert named in {finding.field for finding in check_record(forged)}, "by what it contradicts"


@pytest.mark.parametrize("part", ["hypothesis", "evaluation"])
def test_what_follows_from_nothing_is_named_by_its_hash(record, part):
    another = released("agnostic").record()["release"][part]
    if part == "hypothesis":
        another["above"] = (record["release"][part]["above"] + 1) % 10
    else:
        another["counts"][0][0] = record["release"][part]["counts"][0][0] + 1
    forged = changed(record, f"release.{part}", another)
    assert f"release.{part}" in {finding.field for finding in check_record(forged)}


@pytest.mark.parametrize("broken", [None, [], {}, {"format": "littlestone-record-1"}])
def test_what_is_no_record(broken):
    assert [finding.field for finding in check_record(broken)] == ["format"]


def test_a_seeded_release_has_no_record():
    with pytest.raises(ParameterError, match="seeded"):
        released("agnostic", source=SeededSource(1)).record()


# -- Model files whose parts are of different models, or were changed: refused when they are read --

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


@pytest.mark.parametrize("form", ["patched", "majority"])
def test_what_is_inside_of_a_hypothesis_speaks_of_the_schema_too(documents, form):
    other = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"bins": [1]}})
    model = ls.AgnosticLearner(ls.DecisionTrees(other, 1), epsilon=9, random_state=0)
    strange = model.fit({"age": [1] * 60, "city": [0, 2] * 30, "y": [0, 1] * 30}, y="y").release_
    assert "city" in strange.hypothesis.describe()
    inner = strange.hypothesis.to_dict()
    made = {
        "patched": {"type": "patched", "base": inner, "flipped": [[[2, 2], 1]]},
        "majority": {"type": "majority", "parts": [inner]},
    }[form]
    with pytest.raises(ParameterError, match="does not fit its schema"):
        Release.from_dict(documents["rule"] | {"hypothesis": made})
