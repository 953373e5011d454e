"""Records of releases: every learner's checks offline; what was tampered with is named."""

import copy
import json
import time

import pytest

import littlestone as ls
from littlestone.audit.verify import UserCases
from littlestone.classes import parse_class
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests
from littlestone.learners.running import run
from littlestone.source import SecureSource, SeededSource

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
    assert list(spent)[1:3] == ["counts of columns", "weights of columns"]
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
    part = ls.theory.Subsampled(ls.GenericLearner(LINE, epsilon=1), rate=0.5)
    releases += [part.fit([2, 8, 3, 7], [0, 1, 0, 1]).release_]
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
    forged = changed(record, f"release.{part}", another)
    assert f"release.{part}" in {finding.field for finding in check_record(forged)}


@pytest.mark.parametrize("broken", [None, [], {}, {"format": "littlestone-record-1"}])
def test_what_is_no_record(broken):
    assert [finding.field for finding in check_record(broken)] == ["format"]


def test_a_seeded_release_has_no_record():
    with pytest.raises(ParameterError, match="seeded"):
        released("agnostic", source=SeededSource(1)).record()
