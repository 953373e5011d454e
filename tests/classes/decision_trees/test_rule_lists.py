"""Rule lists: the law by enumeration, words by reading them, privacy, certificates, the census."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_law

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import class_from_dict, conjunction, load, parse_class
from littlestone.classes.decision_trees.concept_class import Splits, WeightedRows, error_bound
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.classes.rule_lists import ListCandidates, ListHypothesis, ListRoots
from littlestone.costs import Costs
from littlestone.data import RowDomain, Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.report import page
from littlestone.report.evaluated import plain
from littlestone.source import SecureSource, SeededSource

ADULT = Path(__file__).parents[3] / "examples" / "adult"
ONE = ls.Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = ls.Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
TWO = ls.Schema.from_dict({"a": {"categories": ["x"]}, "b": {"categories": ["y"]}})
WIDE = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
LARGE = ls.Schema.from_dict(
    {"a": {"bins": [1, 2, 3, 4]}, "b": {"categories": ["x", "y", "z"]}, "c": {"bins": [0]}}
)
AB, ABC = ("a", "b"), ("a", "b", "c")
PRICES = Costs.of({(0, 1): 2, (0, 2): 5, (1, 0): 1, (1, 2): 3, (2, 0): 4, (2, 1): 1}, labels=3)


def listed_functions(brute, schema, length, k):
    """Return all representations as functions (a label for each row), and how often each is one."""
    rows = range(len(brute.domain(schema)))
    below = {(label,) * len(rows): 1 for label in range(k)}
    for step in range(length):
        out = Counter()
        for mask, label, (rest, times) in product(brute.splits(schema), range(k), below.items()):
            out[tuple(label if mask >> i & 1 else rest[i] for i in rows)] += times
            if step:  # of the last split both sides end
                out[tuple(rest[i] if mask >> i & 1 else label for i in rows)] += times
        below = out
    return below


def cost(function, records, brute, schema, price):
    place = {tuple(row): i for i, row in enumerate(brute.domain(schema).tolist())}
    worst = max(map(max, price))
    return sum(price[y][function[place[row]]] if y < len(price) else worst for row, y in records)


class ByFunction:
    """Draws, compared as functions on all rows."""

    def __init__(self, candidates, rows):
        self.candidates, self.rows, self.size = candidates, rows, candidates.size

    def draw(self, rate, source):
        found = self.candidates.draw(rate, source)
        return SimpleNamespace(key=tuple(found.predict(self.rows).tolist()))


def records(schema, k):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    return st.lists(st.tuples(row, st.integers(0, k)), max_size=6)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("schema", "length", "costs"),
    [
        (WIDE, 1, PRICES),
        (ONE, 3, Costs.of({0: 1, 1: 3})),
        (TWO, 2, Costs.equal(3)),
        (EDGE, 2, PRICES),
        (EDGE, 3, Costs.equal(2)),
        (WIDE, 2, Costs.of({0: 1, 1: 3})),
        (TWO, 3, Costs.equal(2)),
        (ONE, 3, Costs.equal(3)),
    ],
    ids=["wide-1", "one-3", "two-2", "edge-2", "edge-3", "wide-2", "two-3", "one-3-labels"],
)
def test_law_against_enumeration(oracle, brute, schema, length, costs):
    k = len(costs.matrix)
    functions = listed_functions(brute, schema, length, k)

    @settings(max_examples=2 if length < 3 or (k == 2 and len(schema) == 1) else 1)
    @given(records(schema, k), st.sampled_from((Fraction(1, 40), Fraction(2, 7))), st.booleans())
    def check(listed, rate, fast):
        points = np.array([row for row, _ in listed], dtype=np.int16).reshape(-1, len(schema))
        sample = Sample.of(points, np.array([y for _, y in listed], int), labels=k)
        weighted = sample.cost_weighted(costs)
        found = ListCandidates(Splits(schema), length, weighted, ABC[:k], fast=fast)
        expected = [
            (f, cost(f, listed, brute, schema, costs.matrix))
            for f, times in functions.items()
            for _ in range(times)
        ]
        oracle.assert_same_law(ByFunction(found, brute.domain(schema)), expected, rate)

    check()


def test_labels_0_and_1_have_the_law_of_two_listed_labels(oracle, brute):
    rows, y = np.array([[2], [3], [3], [0]], dtype=np.int16), [0, 1, 1, 0]
    plain_ones = ls.RuleLists(EDGE, 2).candidates(Sample.of(rows, y))
    several = ls.RuleLists(EDGE, 2, AB).candidates(Sample.of(rows, y, labels=2))
    laws = [
        oracle.exact_law(ByFunction(c, brute.domain(EDGE)), Fraction(1, 3))
        for c in (plain_ones, several)
    ]
    assert set(laws[0]) == set(laws[1])
    assert all(p.overlaps(laws[1][key]) for key, p in laws[0].items())


@pytest.mark.first(2)
@pytest.mark.parametrize("length", [3, 2, 1])
@pytest.mark.parametrize("rate", [Fraction(2, 7), Fraction(1, 5000)])
def test_error_bound_against_high_precision(length, rate):
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.integers(0, n, 20_000) for n in LARGE.n_codes])
    codes = (points[:, 0] + (points[:, 1] == 2) + (rng.random(20_000) < 0.2)) % 6
    sample = Sample.of(points, codes, labels=5)
    rows = WeightedRows.of(Splits(LARGE), sample.points, sample.answer_costs)
    with ctx.workprec(200):
        fast = ListRoots(rows, length, rate, fast=True).enclose(96)
        truth = ListRoots(rows, length, rate, fast=False).enclose(192)
        worst = max(
            float(abs(arb(f.mid()) / t - 1).upper()) for f, t in zip(fast, truth, strict=True)
        )
    assert worst < error_bound(length, len(truth), 5) / 2


@pytest.mark.parametrize(("schema", "length", "k"), [(WIDE, 2, 2), (EDGE, 3, 2), (TWO, 2, 3)])
def test_the_class_has_these_functions(brute, schema, length, k):
    lists = ls.RuleLists(schema, length, ABC[:k] if k > 2 else None)
    functions = listed_functions(brute, schema, length, k)
    assert lists.size == sum(functions.values())
    rows = brute.domain(schema)
    listed = {tuple(h.predict(rows).tolist()) for h in lists.concepts()}
    assert listed == set(functions)
    if k == 2:
        for rule in combinations(schema.literals(), length):
            assert tuple(conjunction(rule).predict(rows).tolist()) in listed


def test_dimensions_are_bounded():
    lists = ls.RuleLists(TWO, 2)
    found = ls.theory.dimensions(lists)
    assert found.vc <= lists.vc_dim
    assert found.littlestone <= lists.littlestone_bounds()[1]
    wide = ls.RuleLists(ls.Schema.from_toml(ADULT / "schema.toml"), 3)
    assert wide.vc_dim < wide.ln_size / np.log(2)
    assert ls.theory.multiclass_littlestone_dimension(
        [h.predict(np.array([[0], [2]])) for h in ls.RuleLists(ONE, 1, ABC).concepts()]
    ) == 2  # fmt: skip


def holds(when, words):
    """Say whether a rule is taken by a row of cells in words, from what the rule says."""
    if when == "":
        return True
    when, odd = when.removesuffix(", missing or other"), when.endswith(", missing or other")
    name, _, test = when.partition(" ")
    cell = words[name]
    missing = cell.endswith((" is missing", " is other"))
    if test == "is missing or other":
        return missing
    if test.startswith("is not "):
        return cell != f"{name} is {test[7:]}"
    if test.startswith("is "):
        return cell == f"{name} is {test[3:]}"
    if missing:
        return odd
    low, high = -np.inf, np.inf
    parts = cell.split(" ")
    if cell.startswith(name):
        low, high = (float(parts[2]), high) if parts[1] == ">=" else (low, float(parts[2]))
    else:
        low, high = float(parts[0]), float(parts[-1])
    edge = float(test.split()[1])
    return low >= edge if test.startswith(">=") else high <= edge


@pytest.mark.parametrize("seed", range(12))
def test_words_read_from_the_top_say_the_function(brute, seed):
    found = drawn(seed, length=3)
    rules = found.rules
    assert rules[-1][0] == ""
    assert all(when in found.describe() for when, _ in rules)
    for row, label in zip(brute.domain(WIDE), found.predict(brute.domain(WIDE)), strict=True):
        words = {c.name: c.describe(code) for c, code in zip(WIDE, row, strict=True)}
        assert next(code for when, code in rules if holds(when, words)) == label


def drawn(seed=0, *, length=2):
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.integers(0, n, 300) for n in WIDE.n_codes])
    codes = (points[:, 0] * (points[:, 1] > 1) + (rng.random(300) < 0.3)).astype(int) % 3
    found = ls.RuleLists(WIDE, length, ABC).candidates(Sample.of(points, codes, labels=3))
    return found.draw(Fraction(1, 20), SeededSource(seed))


def test_lists_are_written_and_read():
    for seed in range(5):
        found = drawn(seed, length=3)
        again = load(found.to_dict())
        assert again == found
        assert type(again) is type(found)
        assert again.key == found.key
        assert again.describe() == found.describe()
    at, below = EDGE.literals()
    full = ls.classes.TreeHypothesis.of(
        Node(WIDE.literals()[4], Node(at, 0, 1), Node(below, 2, 1)), ABC
    )
    with pytest.raises(ParameterError, match="one side of every split"):
        load(full.to_dict() | {"type": ListHypothesis.TYPE})


def test_the_class_is_written_and_read():
    lists = parse_class("rule_lists(length=3)", schema=WIDE, labels=["c", "a"])
    assert lists == class_from_dict(lists.to_dict()) == ls.RuleLists(WIDE, 3, ["c", "a"])
    assert lists != ls.RuleLists(WIDE, 3)
    assert lists.spec == "rule_lists(length=3)"
    assert ls.RuleLists(WIDE).labels == (0, 1)
    assert ls.RuleLists(ls.Schema.every_column([0.0]), 1, ABC).bind(2).labels == ABC


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: ls.RuleLists(WIDE, 4), "1, 2 or 3"),
        (lambda: ls.RuleLists(WIDE, 0), "length"),
        (lambda: ls.RuleLists({"age": [3]}), "a Schema"),
        (lambda: ls.RuleLists(WIDE, 2, "abc"), "'labels' parameter of RuleLists"),
        (lambda: ls.RuleLists(ls.Schema.every_column(list(range(2000))).bind(1)), "at most 3000"),
        (lambda: parse_class("rule_lists(length=2)"), "--schema"),
    ],
)
def test_other_parameters_are_refused(made, why):
    with pytest.raises(ParameterError, match=why):
        made()


def test_what_is_for_0_and_1_is_refused_with_what_works():
    lists = ls.RuleLists(ONE, 1, ABC)
    for asked in (lambda: lists.vc_dim, lists.version_space, lambda: ls.theory.soa(lists)):
        with pytest.raises(UnsupportedError, match="multiclass_littlestone_dimension"):
            asked()


@pytest.mark.more
@pytest.mark.parametrize(
    ("schema", "options", "points", "n"),
    [
        (ONE, {}, [(0,), (2,)], 2),
        (ONE, {"labels": ABC, "costs": PRICES}, [(2,), (0,)], 1),
        (ONE, {"labels": ABC}, [(2,), (0,)], 2),
        (EDGE, {}, [(0,), (3,)], 2),
        (EDGE, {"labels": ABC}, [(0,), (3,)], 1),
        (TWO, {}, [(2, 2), (0, 1)], 2),
        (TWO, {"costs": {0: 1, 1: 3}}, [(2, 2), (0, 1)], 2),
    ],
    ids=["one", "costs", "labels", "two", "three", "columns", "two-costs"],
)
def test_exactly_private(schema, options, points, n):
    """All data sets, all neighbours (cells outside the list among the labels), and the page."""
    options = dict(options)
    lists = ls.RuleLists(schema, 2, options.pop("labels", None))
    learner = registry.make("agnostic", lists, epsilon=1, **options)
    observers = (page, plain) if schema is EDGE and n == 1 else ()
    result = ls.audit.verify(learner, points=points, n_samples=n, observers=observers)
    assert result.holds, str(result)
    assert result.slack == result.refusals == 0
    assert result.tightest_epsilon > 0.4


def without_a_draw(original, self, source):
    """The first split and its end are the best ones, as in a greedy search."""
    if self._depth == 1:
        return original(self, source)
    weights = [float(weight.mid()) for weight in self.enclose(64)]

    class Best:
        def choose(self, options):
            return int(np.argmax(weights))

        def below(self, m):
            return source.below(m)

    return original(self, Best())


def twice_the_rate(original, self, rate, source):
    """Both the splits and the ends are drawn at twice the rate."""
    return original(self, 2 * rate, source)


@pytest.mark.more
@pytest.mark.parametrize(
    ("caller", "name", "broken", "schema", "n"),
    [
        (ListRoots, "drawn", without_a_draw, EDGE, 1),
        (ListCandidates, "draw", twice_the_rate, ONE, 2),
    ],
    ids=["greedy", "rate"],
)
def test_broken_variants_are_noticed(caller, name, broken, schema, n, monkeypatch):
    original = getattr(caller, name)
    monkeypatch.setattr(caller, name, lambda self, *given: broken(original, self, *given))
    learner = registry.make("agnostic", ls.RuleLists(schema, 2), epsilon=1)
    result = ls.audit.verify(learner, points=[(0,), (2,)], n_samples=n)
    assert not result.holds
    assert result.tightest_epsilon > 1.05


@pytest.mark.more
@pytest.mark.parametrize("kind", ["costs", "agnostic", "realizable"])
def test_certificates_are_met_at_the_planned_n(kind):
    """Failures at the planned n are at most beta, by Clopper and Pearson.

    A list of three rules over three labels, noisy but where it is realizable; with costs the
    best list is another one.
    """
    alpha, beta, runs = Fraction(1, 5), Fraction(1, 10), 100
    costs = {0: 1, 1: 1, 2: 4} if kind == "costs" else None
    name = "generic" if kind == "realizable" else "agnostic"
    lists = ls.RuleLists(WIDE, 3, ABC)
    learner = registry.make(name, lists, epsilon=1, alpha=alpha, beta=beta, costs=costs)
    n = learner.required_samples()
    certificate = learner.certificate(n)
    assert certificate.holds
    assert not learner.certificate(n - 1).holds
    assert recheck(certificate.to_dict()) == ()
    agnostic = kind != "realizable"
    size, how = 6 * 9 * 36**2, {"epsilon": 1, "alpha": alpha, "beta": beta}
    if kind == "costs":  # losses in [0, 1]
        plan = ls.bounds.losses(size, **how)
    else:
        plan = ls.bounds.best_finite(size, **how, agnostic=agnostic)
    assert n == plan.n  # the number of lists is all that counts
    cells = np.array(list(np.ndindex(3, 2))) + 2
    truth = np.where(cells[:, 0] == 4, 2, np.where(cells[:, 1] == 2, 0, 1))
    noise = 0.3 if agnostic else 0.0
    law = (1 - noise) * np.eye(3)[truth] + noise / 3
    price = Costs.of(costs, labels=3) if costs else Costs.equal(3)
    each = law @ price.array / price.largest  # cost of each answer in each cell
    best = each.min(axis=1).mean()  # at most the best list's
    rng, failures = np.random.default_rng(5), 0
    for seed in range(runs):
        x = rng.integers(0, len(cells), n)
        y = (rng.random(n)[:, None] > np.cumsum(law, axis=1)[x]).sum(axis=1).clip(max=2)
        found = learner.draw(Sample.of(cells[x], y, labels=3), SeededSource(seed))
        value = each[np.arange(len(cells)), found.predict(cells)].mean()
        failures += value > best + float(alpha)
    assert beta_law.ppf(0.99, failures + 1, runs - failures) <= beta, (failures, n)


def test_from_fit_to_the_page_and_back(tmp_path, evaluated):
    rng = np.random.default_rng(0)
    X = {"age": rng.integers(10, 90, 3000).tolist(), "city": rng.choice(["Bonn", "Ulm"], 3000)}
    y = np.where(np.array(X["age"]) < 30, "a", np.where(X["city"] == "Bonn", "c", "b"))
    import pandas as pd

    table = pd.DataFrame(X)
    learner = ls.AgnosticLearner(
        ls.RuleLists(WIDE, 2, ABC), epsilon=2, evaluate=0.5, random_state=0
    ).fit(table, y)
    assert (learner.predict(table) == y).mean() > 0.95
    assert learner.predict_proba(table).shape == (3000, 3)
    released = learner.release_
    learner.save(tmp_path / "model.json")
    again = ls.load(tmp_path / "model.json")
    assert again == released
    for said in (page(again), plain(again)):
        assert "; otherwise, if " in said or "; otherwise, if " in said.replace("\n", " ")
    assert ls.plot(learner).count(">Otherwise, if<") == ls.plot(learner).count(">Otherwise<") == 1
    assert "A rule list" in ls.plot(learner)
    assert json.loads(released.export("json"))["hypothesis"]["type"] == "rule_list"
    query = (
        "SELECT unnest([10, 45, 70, NULL]) AS age, unnest(['Bonn', 'Bonn', 'Ulm', 'Ulm']) AS city"
    )
    told = evaluated(released.export("sql"), f"({query})")
    cells = pd.DataFrame({"age": [10, 45, 70, None], "city": ["Bonn", "Bonn", "Ulm", "Ulm"]})
    assert told == learner.predict(cells).tolist()
    exec(released.export("python"), module := {})
    records = cells.replace({np.nan: None}).to_dict("records")
    assert [module["label"](record) for record in records] == told
    assert not {"probability", "votes", "margin"} & set(module)


@pytest.mark.first(1)
@pytest.mark.parametrize(("length", "least"), [(2, 0.82), (3, 0.84)])
def test_adult_accuracy(length, least):
    """Trained on adult.data, tested on adult.test; the mean of two private draws."""
    schema = ls.Schema.from_toml(ADULT / "schema.toml")
    file = str(ADULT / "adult.parquet")
    with duckdb.connect() as connection:
        train, test = (
            Sample.read(
                connection.sql(f"SELECT * FROM '{file}' WHERE split = '{split}'"),
                y="over_50k", domain=RowDomain(schema),
            )
            for split in ("train", "test")
        )  # fmt: skip
    lists = ls.RuleLists(schema, length)
    candidates, source = lists.candidates(train), SecureSource()
    wrong = [lists.errors(candidates.draw(Fraction(1, 2), source), test) for _ in range(2)]
    assert 1 - np.mean(wrong) / test.n >= least
