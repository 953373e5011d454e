"""Every document states its whole cost: what is nested in it adds up."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import pytest
from scipy.optimize import minimize_scalar

import littlestone as ls
from littlestone.classes import LinearClass
from littlestone.data import Sample
from littlestone.errors import ParameterError, StoppedError, UnsupportedError
from littlestone.learners import record, registry
from littlestone.learners.check_record import check_record
from littlestone.learners.linear import Linear
from littlestone.learners.online.journal import read_public, stream_record
from littlestone.learners.record import digests
from littlestone.learners.release import Release
from littlestone.learners.running import run, score_all
from littlestone.privacy import Guarantee, Neighbours, Part, total
from littlestone.report import page
from littlestone.source import SecureSource

# -- Every document states its whole cost: what is nested in it is composed here once more ---------

REGISTRY = json.loads((Path(__file__).parent / "registry.json").read_text())["deployment"]
TABLE = {"age": [25, 70, 45, 65] * 500, "ill": [0, 1, 0, 1] * 500, "cost": [1, 9, 3, 9] * 500}
TABLE["who"] = [f"u{i // 2}" for i in range(2000)]
PUBLIC = ls.Schema.from_dict({"age": {"bins": [30, 60]}})


# -- The second implementation: it reads JSON, and shares no code with the package.


def guarantees(document, other=False):
    """Yield every guarantee in a document, and whether it is about other records."""
    if isinstance(document, list):
        for part in document:
            yield from guarantees(part, other)
    if not isinstance(document, dict):
        return
    other = other or document.get("about") == "other records"
    for name, part in document.items():
        if name == "guarantee" or (name == "*proposal" and "guarantee" in part):
            found = part if name == "guarantee" else part["guarantee"]
            yield found, other, name
        else:
            yield from guarantees(part, other)


def composed(document):
    """Return (epsilon, delta, seeded) of a model's JSON, from its parts, and check what is nested.

    Whatever was learned privately and stands in it must be one of its parts.
    """
    parts = document.get("parts") or [{"about": "all records", "guarantee": document["guarantee"]}]
    own = [part["guarantee"] for part in parts if part["about"] != "other records"]
    nested = [part["guarantee"] for part in parts]
    for found, _, name in guarantees(document["class"]):
        assert found in nested, f"{name} of the columns is no part of the document"
    assert len({part["neighbours"] for part in own}) == 1
    # of a record that is learned from, and of a held-out one
    learned, held_out = (
        [p["guarantee"] for p in parts if p["about"] in ("all records", side)]
        for side in ("training records", "held-out records")
    )
    epsilon, delta = (
        max(sum(F(part[name]) for part in side) for side in (learned, held_out))
        for name in ("epsilon_exact", "delta_exact")
    )
    return epsilon, delta, any(part["seeded"] for part in nested)


def details(document):
    """Return what the pure parts of ``spent`` sum to, for the records of the last payment."""
    losses = []
    for what, text in document["spent"].items():
        times = int(re.match(r"[0-9]+", what)[0]) if text.endswith(" each") else 1
        for each in text.split(", "):
            _, value, *_ = re.fullmatch(
                r"(epsilon|bounded range) ([0-9/]+)(?: each)?(?: \(([0-9]+) times\))?", each
            ).groups()
            often = re.search(r"\(([0-9]+) times\)", each)
            losses.append((what, F(value) * times * (int(often[1]) if often else 1)))
    apart = {"evaluation", "interval"} if document.get("evaluation", {}).get("held_out") else set()
    apart |= {"interval"} if "interval" in document else set()
    return sum(loss for what, loss in losses if what not in apart)


def documents(release, folder):
    """Yield the model's JSON as every way to write it holds it."""
    yield json.loads(release.to_json())
    release.save(folder / "model.json")
    yield json.loads((folder / "model.json").read_text())
    html = page(release)
    (embedded,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', html, re.S)
    yield json.loads(embedded)
    if not release.guarantee.seeded:
        record = json.loads(json.dumps(release.record()))
        assert check_record(record) == []
        yield record["release"]


CASES = list(
    itertools.product([False, True], [None, "auto"], [None, 0.8], [None, 1], ["ill", "cost"])
)


def made(columns, evaluate, interval, seed, y, ledger=None):
    if columns and seed is not None:  # the columns are seeded, the fit is not
        schema = ls.data.propose(TABLE, columns=["age"], epsilon="1/5", random_state=seed)
        seed = None
    else:
        schema = None if columns else PUBLIC
    more = {"target": "quantity", "high": 10} if y == "cost" else {}
    table = {name: TABLE[name] for name in ("age", y)}
    return ls.fit(
        table, y=y, epsilon=2, schema=schema, evaluate=evaluate, interval=interval,
        random_state=seed, ledger=ledger, **more,
    ).release_  # fmt: skip


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=() if i % 11 == 0 else pytest.mark.more) for i, c in enumerate(CASES)],
    ids=str,
)  # fmt: skip
def test_every_document_states_the_cost_of_all_that_is_in_it(case, tmp_path):
    columns, _, _, seed, _ = case
    release = made(*case)
    promised = release.guarantee
    for document in documents(release, tmp_path):
        epsilon, delta, seeded = composed(document)
        assert (epsilon, delta, seeded) == (promised.epsilon, promised.delta, promised.seeded)
        headline = document["guarantee"]
        assert (F(headline["epsilon_exact"]), headline["seeded"]) == (epsilon, seeded)
        assert epsilon == (F(11, 5) if columns and seed is not None else 2)
        parts = document.get("parts", [document | {"about": "all records"}])
        last = [part for part in parts if part["about"] != "held-out records"][-1]
        assert details(document) == F(last["guarantee"]["epsilon_exact"])
        of_held_out = [part for part in parts if part["about"] == "held-out records"]
        assert bool(of_held_out) == (case[1] is not None or case[2] is not None)
    assert seeded == (seed is not None)
    for text in (repr(release), page(release), ls.plot(release)):
        assert ("NOT PRIVATE" in text) == seeded
    for to in ("sql", "python"):
        assert ("NOT PRIVATE" in release.export(to)) == seeded
    assert json.loads(release.export("json"))["guarantee"] == promised.to_dict()
    if seeded:
        with pytest.raises(ParameterError, match="has no record"):
            release.record()


def test_what_a_ledger_records_is_the_cost_of_the_record(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9, delta="1e-6", data="clinic")
    release = made(True, "auto", None, None, "ill", ledger=ledger)
    record = release.record()
    assert [part.what for part in release.parts[1:]] == ["columns", "learning", "evaluation"]
    # the rest at once, since held-out records do not pay for the columns
    assert [entry["paid"] for entry in record["ledger"]] == [release.parts[0].what, "learning"]
    paid = [F(entry["event"]["loss"].removeprefix("pure ")) for entry in record["ledger"]]
    assert sum(paid) == release.guarantee.epsilon == ledger.spent().epsilon == 2
    assert [entry["spent"] for entry in record["ledger"]] == [
        {"before": "0", "after": str(paid[0])}, {"before": str(paid[0]), "after": "2"}
    ]  # fmt: skip
    assert "ε 2 of 9 spent, including this release (before it: 0)" in page(release)
    assert record["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] == 2
    for part in record["ledger"]:
        forged = json.loads(json.dumps(record))
        forged["ledger"] = [entry for entry in forged["ledger"] if entry != part]
        assert check_record(forged), "an event was left out"


def test_seeded_columns_are_paid_by_no_ledger(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9)
    with pytest.raises(ParameterError, match="seeded"):
        made(True, None, None, 1, "ill", ledger=ledger)
    assert ledger.spent().epsilon == 0


def test_columns_of_records_go_with_no_other_relation():
    schema = ls.data.propose(TABLE, columns=["age"], epsilon="1/5")
    with pytest.raises(ParameterError, match="same neighbours"):
        ls.fit(TABLE, y="ill", user="who", epsilon=1, schema=schema)
    learner = registry.make("generic", ls.Rules(schema, 1), epsilon=1, neighbours="add-remove")
    rows = Sample.from_arrays([[25], [70]], [0, 1], domain=learner.concept_class.domain)
    with pytest.raises(ParameterError, match="same neighbours"):
        run(learner, rows, SecureSource())


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
@pytest.mark.parametrize("seed", [None, 1])
def test_a_stream_states_its_columns_and_its_ledger_pays_for_the_stream_alone(seed, tmp_path):
    table = {name: TABLE[name] for name in ("age", "ill")}
    schema = ls.data.propose(table, y="ill", epsilon=2, random_state=seed)
    ledger = None if seed else ls.Ledger(tmp_path / "b.db", epsilon=1)
    stream = {"epsilon": 1, "horizon": 2000, "state": tmp_path / "s"}
    learner = ls.OnlineLearner(ls.Rules(schema, 1), **stream).start(ledger=ledger)
    learner.learn_many([{"age": age} for age in TABLE["age"][:100]], TABLE["ill"][:100])
    assert (learner.guarantee_.epsilon, learner.guarantee_.seeded) == (3, bool(seed))
    learner.close()
    public = read_public(tmp_path / "s")
    html = page(public)
    (embedded,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', html, re.S)
    found = [public, json.loads(embedded)]
    assert "the columns were learned from 2,000" in html
    assert "pure 3-differential privacy" in html
    assert ("NOT PRIVATE" in html) == bool(seed)
    if seed is None:
        filed = json.loads(json.dumps(stream_record(public)))
        assert check_record(filed) == []
        assert filed["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] == 3
        found.append(filed["stream"])
        assert ledger.spent().epsilon == 1
        before = {"parts": None, "guarantee": public["parts"][-1]["guarantee"]}
        for name, value in before.items():
            forged = json.loads(json.dumps(filed))
            forged["stream"][name] = value
            assert f"stream.{name}" in {finding.field[: len(name) + 7] for finding in
                                        check_record(forged)}  # fmt: skip
    for document in found:
        assert composed({**document, "class": document["stream"]["class"]}) == (3, 0, bool(seed))
        assert F(document["guarantee"]["epsilon_exact"]) == 3
    with pytest.raises(ParameterError, match="same neighbours"):
        _ = ls.OnlineLearner(ls.Rules(schema, 1), **stream, records_per_user=4).plan


@pytest.mark.first(1)
@pytest.mark.parametrize("columns", [False, True])
def test_a_score_is_about_its_own_records_and_names_what_the_model_cost_others(columns, tmp_path):
    release = made(columns, "auto", None, None, "ill")
    points = Sample.from_arrays([[1]] * 90, [0, 1] * 45, domain=release.concept_class.domain)
    for _ in range(2):  # also a score of what was scored
        (release,) = score_all([(release, points)], SecureSource(), epsilon="1/3")
        for document in documents(release, tmp_path):
            assert composed(document)[0] == F(document["guarantee"]["epsilon_exact"]) == F(1, 3)
            others = {
                p["what"]: F(p["guarantee"]["epsilon_exact"])
                for p in document["parts"]
                if p["about"] == "other records"
            }
            count = others["check of the label column"]
            assert others.pop("evaluation") + count == sum(others.values()) == 2
        assert Release.from_dict(json.loads(release.to_json())) == replace(release)
    (seeded,) = score_all(
        [(made(columns, None, None, 1, "ill"), points)], SecureSource(), epsilon=1
    )
    assert "NOT PRIVATE" in str(seeded.guarantee), "the document shows a seeded model"


USERS = list(itertools.product([None, "auto"], [None, 0.5], [None, 1], ["ill", "cost"]))


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=() if i % 7 == 0 else pytest.mark.more) for i, c in enumerate(USERS)],
    ids=str,
)  # fmt: skip
def test_documents_of_users_state_what_a_user_pays(case, tmp_path):
    evaluate, interval, seed, y = case
    budget = None if seed else {"epsilon": 9, "neighbours": "user-replace", "data": "clinic"}
    ledger = budget and ls.Ledger(tmp_path / "b.db", **budget)
    more = {"target": "quantity", "high": 10} if y == "cost" else {}
    release = ls.fit(
        {name: TABLE[name] for name in ("age", "who", y)}, y=y, user="who", epsilon=8,
        schema=PUBLIC, evaluate=evaluate, interval=interval, random_state=seed, ledger=ledger,
        **more,
    ).release_  # fmt: skip
    for document in documents(release, tmp_path):
        assert composed(document) == (8, 0, seed == 1)
        assert document["guarantee"]["neighbours"] == "user-replace"
        assert document["n"] == 1000, "users, not their records"
        assert details(document) == 8
    if ledger is not None:
        record = release.record()
        (entry,) = record["ledger"]
        assert entry["neighbours"] == "user-replace"
        assert entry["event"] == ledger.history()[0].to_dict()
        assert F(entry["event"]["loss"].removeprefix("pure ")) == ledger.spent().epsilon == 8
        assert record["deployment"]["privacy_loss"]["privacy_unit"] == "User"
        assert list(entries(record["deployment"])) == []


def test_documents_under_add_remove_state_the_cost_and_no_number_of_records(tmp_path):
    learner = registry.make("generic", ls.Rules(PUBLIC, 1), epsilon=2, neighbours="add-remove")
    rows = Sample.from_arrays([[25], [70]] * 77, [0, 1] * 77, domain=learner.concept_class.domain)
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9, neighbours="add-remove")
    release = run(learner, rows, SecureSource(), ledger=ledger)
    for document in documents(release, tmp_path):
        assert composed(document) == (2, 0, False)
        assert document["guarantee"]["neighbours"] == "add-remove"
        assert "n" not in document
        assert F(document["guarantee"]["epsilon_exact"]) == ledger.spent().epsilon
    for text in (release.to_json(), page(release), json.dumps(release.record()), repr(release)):
        assert not re.search(r"\b(154|77)\b", text)


@functools.cache
def learned_columns():
    """A file of a fit over learned columns, which is read as it is."""
    text = made(True, None, None, None, "ill").to_json()
    assert Release.from_dict(json.loads(text))
    return text


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("parts.0.guarantee.epsilon_exact", "1/10"),
        ("parts.0.guarantee.seeded", True),
        ("parts.1.about", "other records"),
        ("parts.1.what", "learning"),
        ("parts.2.guarantee.neighbours", "user-replace"),
        ("guarantee.epsilon_exact", "8/5"),
        ("parts", []),
    ],
)
def test_a_file_whose_parts_do_not_sum_to_its_guarantee_is_refused(where, value):
    document = json.loads(learned_columns())
    *path, last = (int(part) if part.isdigit() else part for part in where.split("."))
    place = document
    for part in path:
        place = place[part]
    place[last] = value
    with pytest.raises(ParameterError, match="file has been changed"):
        Release.from_dict(document)


def test_a_file_without_parts_gets_those_of_its_columns():
    """As files were written before: their headline left the columns out."""
    document = json.loads(made(True, None, None, None, "cost").to_json())
    document["guarantee"] = document.pop("parts")[-1]["guarantee"]
    assert F(document["guarantee"]["epsilon_exact"]) == F(8, 5)
    assert Release.from_dict(document).guarantee.epsilon == 2


def test_parts_add():
    parts = [Part("a", Guarantee(1, "1e-3", claim="x")), Part("b", Guarantee("1/2", "1e-3"))]
    found = total([*parts, Part("c", Guarantee(9, seeded=True), "other records")])
    assert (found.epsilon, found.delta, found.claim, found.seeded) == (
        F(3, 2),
        F(2, 1000),
        "dp.sum(x)",
        True,
    )
    learned, held_out = "training records", "held-out records"
    split = [Part("a", Guarantee(1, "1e-3", claim="x"), learned), Part("b", Guarantee(1), learned)]
    for epsilon in (1, 3):  # the larger of both sides counts
        found = total([*split, Part("c", Guarantee(epsilon, claim="y"), held_out), parts[1]])
        assert (found.epsilon, found.delta) == (max(2, epsilon) + F(1, 2), F(2, 1000))
        assert found.claim == "dp.sum(dp.parallel(dp.sum(x), y))"
    with pytest.raises(ParameterError, match="replace-one and add-remove"):
        total([*parts, Part("d", Guarantee(1, neighbours=Neighbours.ADD_REMOVE))])
    with pytest.raises(ParameterError, match="none"):
        total([])


# -- The public registry of deployments: its names and words, as of the date in the file.


def entries(deployment, known=REGISTRY, where=""):
    """Yield what the registry's schema refuses."""
    for name, value in deployment.items():
        if name not in known:
            yield f"{where}{name}"
        elif isinstance(known[name], dict):
            yield from entries(value, known[name], f"{where}{name}.")
        elif isinstance(known[name], list):
            if value not in known[name]:
                yield f"{where}{name}: {value}"
        elif not isinstance(
            value, {"string": str, "number": int | float}[known[name].split("/")[0]]
        ):
            yield f"{where}{name}: {type(value)}"


def test_records_use_the_words_of_the_public_registry(tmp_path):
    release = made(False, "auto", None, None, "ill")
    points = Sample.from_arrays([[1]] * 90, [0, 1] * 45, domain=release.concept_class.domain)
    (scored,) = score_all([(release, points)], SecureSource(), epsilon=1)
    for made_of in (release, scored):
        assert list(entries(made_of.record()["deployment"])) == []
    assert list(entries({"basic": {"data_product_type": "Statistics"}, "x": 1})) != []


@pytest.mark.first(1)
@pytest.mark.parametrize(("y", "delta"), [("ill", None), ("ill", "1e-6"), ("cost", "1e-6")])
def test_records_cite_what_their_parts_rest_on(y, delta):
    more = {"target": "quantity", "high": 10} if y == "cost" else {}
    release = ls.fit(TABLE, y=y, epsilon=2, delta=delta, schema=PUBLIC, **more).release_
    record = release.record()
    names = {claim["id"] for claim in record["claims"]}
    assert names >= {"boosting.round", "count.truncated" if y == "ill" else "exp-mech.privacy"} or (
        "boosting.start" in names
    )
    assert ("cks20.prop12" in names) == (delta is not None)
    assert check_record(record) == []
    forged = json.loads(json.dumps(record))
    forged["claims"].pop()
    assert check_record(forged)


CITED = {
    "linear": ({"y": "ill", "model": "linear", "labels": [0, 1], "inference": ["age"]},
               {"linear.moments"}),
    "quantity": ({"y": "cost", "target": "quantity", "high": 10}, {"clip.rank"}),
    "count": ({"y": "cost", "target": "count", "high": 10}, {"clip.rank"}),
    "time": ({"time": "cost", "event": "ill", "periods": [3, 6]}, {"count.truncated"}),
    "boosted": ({"y": "ill", "model": "boosted"}, {"count.truncated"}),
}  # fmt: skip


@pytest.mark.first(1)
@pytest.mark.parametrize("case", CITED)
def test_all_that_is_spent_is_known_to_the_record(case):
    how, cited = CITED[case]
    table = {name: TABLE[name] for name in ("age", "ill", "cost")}
    release = ls.fit(table, epsilon=4, delta="1e-6", schema=PUBLIC, **how).release_
    rounds = r"[0-9,]+ (more )?trees?|[0-9,]+ noisy gradients?|first tree, .*|evaluation"
    unknown = [what for what in release.spent if not re.fullmatch(rounds, what)]
    assert unknown
    assert set(unknown) <= record._MECHANISMS.keys()
    assert cited <= {claim["id"] for claim in release.record()["claims"]}
    assert check_record(release.record()) == []


def test_a_regression_that_is_too_large_is_refused_before_it_is_paid():
    learner = Linear(LinearClass(PUBLIC), epsilon=1, delta="1e-6", inference=["age"])
    assert learner.plan.settings(10**6)
    with pytest.raises(UnsupportedError, match="must stay below"):
        learner.plan.settings(10**14)


def test_a_ledger_of_zcdp_is_asked_for_the_sum_of_both_prices(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=2, delta="2e-6", accounting="zcdp")
    table = {name: TABLE[name] for name in ("age", "ill")}
    fit = {
        "y": "ill",
        "epsilon": 1,
        "delta": "1e-6",
        "schema": PUBLIC,
        "model": "linear",
        "evaluate": None,
    }
    ls.fit(table, ledger=ledger, **fit)
    assert len(ledger.history()) == 2


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
def test_a_seeded_refusal_says_that_it_is_not_private():
    table = {"age": TABLE["age"], "ill": [5, 7] * 1000}
    with pytest.raises(StoppedError, match=r"NOT PRIVATE \(seeded\)"):
        ls.fit(table, y="ill", epsilon=4, schema=PUBLIC, random_state=1)


# -- Columns, a fit over them and its evaluation, of one epsilon: what they cost adds up in rho ----

N = 2000
WHOLE_TABLE = {"age": [25, 70, 45, 65] * (N // 4), "city": ["Bonn", "Rome"] * (N // 2)}
WHOLE_TABLE |= {"ill": [0, 1, 0, 1] * (N // 4), "cost": [1, 9, 3, 9] * (N // 4)}
HOW = {
    "boosted": {"y": "ill", "model": "boosted", "evaluate": None},
    "boosted, measured": {"y": "ill", "model": "boosted", "evaluate": "1/4"},
    "linear": {"y": "ill", "model": "linear", "evaluate": None},
    "linear, measured": {"y": "ill", "model": "linear", "evaluate": "1/4"},
    "held out": {"y": "ill", "model": "scorecard"},
    "quantity": {"y": "cost", "target": "quantity", "high": 10, "evaluate": None},
}


@cache
def released(case, delta="1e-6"):
    names = ("age", "city", HOW[case]["y"])
    return ls.fit({n: WHOLE_TABLE[n] for n in names}, epsilon=1, delta=delta, **HOW[case]).release_


# -- The second implementation of the sum: from the text of a document, in floats.


def rho_of(text, times):
    """Return the zCDP of what is spent on one thing, its delta, and what is pure of it."""
    rho = delta = pure = 0.0
    for each in text.split(", "):
        kind, value, _ = re.fullmatch(r"([a-zA-Z ]+) ([0-9/]+)(.*)", each).groups()
        often = re.search(r"\(([0-9]+) times\)", each)
        many = times if each.endswith(" each") else int(often[1]) if often else 1
        size = float(F(value))
        delta += size * (kind == "delta")
        pure += size * many * (kind == "epsilon")
        costs = {"epsilon": size**2 / 2, "bounded range": size**2 / 8, "zCDP": size, "delta": 0}
        rho += many * costs[kind]
    return rho, delta, pure


def converted(rho, delta):
    """Return the least epsilon of Canonne, Kamath and Steinke 2020, Proposition 12."""

    def epsilon(log):
        a = 1 + math.exp(log)
        return rho * a + math.log(1 / (a * delta)) / (a - 1) + math.log(1 - 1 / a)

    return minimize_scalar(epsilon, bounds=(-3, 12), method="bounded").fun


def spent_epsilon(document, delta):
    """Return what a document says that one record paid for columns, learning and evaluation."""
    apart = {"evaluation"} if document.get("evaluation", {}).get("held_out") else set()
    rho = leak = pure = rest = 0.0
    for what, text in document["spent"].items():
        if what not in apart:
            times = re.match(r"([0-9,]+) ", what)
            own, lost, alone = rho_of(text, int(times[1].replace(",", "")) if times else 1)
            rho, leak, pure = rho + own, leak + lost, pure + alone
            rest += 0 if alone else own
    return min(converted(rho, delta - leak), pure + converted(rest, delta - leak))


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning", "ignore:This is not")
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=() if c == "boosted, measured" else pytest.mark.more) for c in HOW],
)
def test_every_document_states_the_whole_cost_and_what_adds_up_to_it(case, tmp_path):
    release = released.__wrapped__(case)  # a mutant may stand in the package
    assert (release.guarantee.epsilon, release.guarantee.delta) == (1, F(1, 10**6))
    assert release.proposal.zcdp is not None
    part = next(part for part in release.parts if part.what == "columns and learning")
    for document in documents(release, tmp_path):
        assert document["parts"][-1 if case != "held out" else -2]["what"] == part.what
        found = spent_epsilon(document, 1e-6)
        assert 0.97 < found / float(part.guarantee.epsilon) <= 1 + 1e-6
        rho, leak = map(str, release.proposal.zcdp)
        assert document["spent"]["columns"] == f"zCDP {rho}, delta {leak}"
        assert Release.from_dict(document).guarantee == release.guarantee
    assert check_record(release.record()) == []


@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning", "ignore:This is not")
@pytest.mark.parametrize(
    ("change", "found"),
    [
        # less was spent on columns than the schema says, or more than epsilon in all
        ({"columns": "zCDP 1/5000, delta 1/10000000"}, "changed"),
        ({"columns": None}, "changed"),
        ({"36 trees": "bounded range 1/10 each"}, "the total is"),
    ],
)
def test_a_document_whose_parts_do_not_add_up_is_found(change, found):
    document = json.loads(released("boosted, measured").to_json())
    if "36 trees" in change:
        (trees,) = (what for what in document["spent"] if "trees" in what)
        change = {trees: change["36 trees"]}
    document["spent"] |= change
    document["spent"] = {what: text for what, text in document["spent"].items() if text}
    if found == "changed":
        with pytest.raises(ParameterError, match="file has been changed"):
            Release.from_dict(document)
        return
    record = Release.from_dict(document).record()
    assert any(found in finding.problem for finding in check_record(record))


def changed(change, case="boosted, measured"):
    """Return what is found in a record that was changed, with the sums of its files made anew."""
    record = copy.deepcopy(released(case).record())
    change(record["release"], record["release"]["class"]["schema"][-1])
    record["sha256"] = digests(record)
    return [(finding.field, finding.problem) for finding in check_record(record)]


def test_numbers_of_one_record_that_contradict_each_other_are_found():
    def less_delta(release, proposal):
        for part in [release, *release["parts"][1:]]:
            part["guarantee"] |= {"delta": 1e-8, "delta_exact": "1/100000000"}

    def less_epsilon(release, proposal):  # than the zCDP beside it gives
        proposal["guarantee"] |= {"epsilon": 0.001, "epsilon_exact": "1/1000"}

    def no_columns(release, proposal):
        release["class"]["schema"].pop()
        release["spent"].pop("columns")
        release["parts"][1]["what"] = "learning"

    assert changed(lambda release, proposal: None) == []
    assert "release.spent" in dict(changed(less_delta))
    assert "release" in changed(less_epsilon)[0][0]
    assert "release.guarantee.claim" in dict(changed(no_columns))


def test_long_texts_are_no_categories():
    """A model file has at most 10,000 characters of a text, and a page fewer."""
    release = ls.fit(
        {"text": ["a" * 20_000, "b"] * (N // 2), "ill": WHOLE_TABLE["ill"]},
        y="ill", epsilon=1, delta="1e-6", columns=["text"], evaluate=None, random_state=0,
    ).release_  # fmt: skip
    (column,) = release.concept_class.domain.schema
    assert column.categories == ("b",)


def test_a_ledger_pays_for_both_at_once_before_the_columns(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1, delta="1e-6")
    table = {name: WHOLE_TABLE[name] for name in ("age", "city", "ill")}
    release = ls.fit(table, y="ill", epsilon=1, delta="1e-6", ledger=ledger).release_
    assert ledger.spent() == (1, F(1, 10**6), None)
    assert [event.what for event in ledger.history()][1:] == [
        "columns and learning and held-out records"
    ]
    record = release.record()
    assert check_record(record) == []
    assert [entry["paid"] for entry in record["ledger"]][1:] == ["columns and learning"]
