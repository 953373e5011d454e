"""Columns, a fit over them and its evaluation, of one epsilon: what they cost adds up in rho."""

from __future__ import annotations

import copy
import json
import math
import re
from fractions import Fraction as F
from functools import cache

import pytest
from scipy.optimize import minimize_scalar

import littlestone as ls
from littlestone.errors import ParameterError
from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests
from littlestone.learners.release import Release

from .test_parts import documents

N = 2000
TABLE = {"age": [25, 70, 45, 65] * (N // 4), "city": ["Bonn", "Rome"] * (N // 2)}
TABLE |= {"ill": [0, 1, 0, 1] * (N // 4), "cost": [1, 9, 3, 9] * (N // 4)}
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
    return ls.fit({n: TABLE[n] for n in names}, epsilon=1, delta=delta, **HOW[case]).release_


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
        {"text": ["a" * 20_000, "b"] * (N // 2), "ill": TABLE["ill"]},
        y="ill", epsilon=1, delta="1e-6", columns=["text"], evaluate=None, random_state=0,
    ).release_  # fmt: skip
    (column,) = release.concept_class.domain.schema
    assert column.categories == ("b",)


def test_a_ledger_pays_for_both_at_once_before_the_columns(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1, delta="1e-6")
    table = {name: TABLE[name] for name in ("age", "city", "ill")}
    release = ls.fit(table, y="ill", epsilon=1, delta="1e-6", ledger=ledger).release_
    assert ledger.spent() == (1, F(1, 10**6), None)
    assert [event.what for event in ledger.history()][1:] == [
        "columns and learning and held-out records"
    ]
    record = release.record()
    assert check_record(record) == []
    assert [entry["paid"] for entry in record["ledger"]][1:] == ["columns and learning"]
