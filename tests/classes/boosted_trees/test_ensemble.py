"""Sums of trees, with one label and with several: by definition, and in other programs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from littlestone.classes import BoostedTreeClass, TreeEnsemble, class_from_dict, load, parse_class
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.boosted_trees.ensemble import linked as of_shares
from littlestone.classes.boosted_trees.export import as_python
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.classes.decision_trees.concept_class import Splits
from littlestone.data import RowDomain, Schema, read_points
from littlestone.data.cells import number
from littlestone.errors import ParameterError, UnsupportedError

# -- Sums of trees: margins, points and effects by definition; JSON; other programs score alike ----

SCHEMA = Schema.from_dict(
    {
        "age": {"bins": [20, 30, 45.5], "missing": ["99"]},
        "city": {"categories": ["Bonn", "Rome", "O'Fallon", "7"], "missing": ["?"]},
        "in come": {"bins": [-1, 0, 1000]},
    }
)


def random_tree(rng, depth, schema, labels=2):
    if depth == 0:
        return int(rng.integers(labels))
    splits = Splits(schema).literals
    below = (random_tree(rng, depth - 1, schema, labels) for _ in range(2))
    return Node(splits[rng.integers(len(splits))], *below)


def ensemble(depth, rounds=12, seed=0, **more):
    rng = np.random.default_rng(seed)
    trees = tuple(TreeHypothesis.of(random_tree(rng, depth, SCHEMA)) for _ in range(rounds))
    return TreeEnsemble(trees, Fraction(3, 20), **more)


def code_points(unit, limit, grain=2, labels=2, seed=4):
    """Return points of the first two columns; of the labels 0 and 1, of the latter only."""
    rng = np.random.default_rng(seed)
    columns = []
    for column in (1, 0):
        own = grain * rng.integers(-3 * unit, 3 * unit, (SCHEMA.n_codes[column] - 1, labels))
        own[:, 0] *= labels > 2
        columns.append((column, tuple(map(tuple, own.tolist()))))
    return CodePoints((0, *[4 * unit] * (labels - 1)), tuple(columns), unit, limit, grain)


def rows(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, k, n) for k in SCHEMA.n_codes]).astype(np.int16)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_margins_by_definition(depth):
    sums, points = ensemble(depth, start=(0, -3)), rows()
    votes = sum(2 * tree.predict(points).astype(int) - 1 for tree in sums.trees)
    assert (sums.margin(points) == votes - 3).all()
    assert (sums.predict(points) == (votes - 3 > 0)).all()
    chance = 1 / (1 + np.exp(-0.15 * (votes - 3)))
    assert sums.probability(points) == pytest.approx(chance)
    assert set(sums.margin(points).tolist()) <= set(sums.margins)


def test_points_of_codes_by_definition():
    for unit, limit in ((1, None), (256, 900), (256, None)):
        begin, points = code_points(unit, limit), rows()
        for row, votes in zip(points[:200], begin.votes(points)[1], strict=False):
            total = sum(own[max(row[column] - 1, 0)][1] for column, own in begin.columns)
            if limit is not None:
                total = max(-limit, min(limit, total))
            assert votes == 2 * math.floor((4 * unit + total) / (2 * unit) + 0.5)
        sums = ensemble(2, start=(0, -3), code_points=begin)
        assert (
            sums.margin(points) == ensemble(2).margin(points) - 3 + begin.votes(points)[1]
        ).all()
        assert set(sums.margin(points).tolist()) <= set(sums.margins)
        assert load(sums.to_dict()) == sums
        words = "the sum of 12 trees of depth 2 (each +1 or -1), plus the points of 2 columns"
        assert sums.describe().endswith(words)
        assert sums.additive == ((unit, limit) == (1, None) and sums.depth == 1)


@pytest.mark.parametrize("begin", [None, code_points(1, None)])
def test_points_add_up_to_the_margin(begin):
    sums, points = ensemble(1, rounds=30, start=(0, 2), code_points=begin), rows()
    base, card = sums.points(SCHEMA)
    for row, margin in zip(points, sums.margin(points), strict=True):
        words = {c.name: c.describe(code) for c, code in zip(SCHEMA, row, strict=True)}
        assert base + sum(own[words[name]] for name, own in card.items()) == margin
    assert all(min(own.values()) == 0 for own in card.values())
    with pytest.raises(ValueError, match="depth 1"):
        ensemble(2).points(SCHEMA)


def test_json_is_read_back_and_checked():
    for sums in (ensemble(2), ensemble(1, start=(0, -4)).with_curve(np.linspace(0, 1, 13))):
        assert load(sums.to_dict()) == sums
        assert hash(load(sums.to_dict())) == hash(sums)
    good = ensemble(1, rounds=2).to_dict()
    for wrong in (
        {"step": "0"}, {"step": "x"}, {"step": 1}, {"start": 1},
        {"start": [0, 10**9]}, {"start": [0, 1.5]},
        {"curve": [0.5]}, {"curve": [0.1, 0.2, 2]}, {"trees": good["trees"] * 600}, {"trees": [7]},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            load(good | wrong)


def test_untrusted_points_are_refused():
    good = ensemble(1, code_points=code_points(256, 900)).to_dict()
    column = good["points"]["columns"][0]
    for wrong in (
        {"unit": 0}, {"grain": 0}, {"limit": -1}, {"limit": 0.5}, {"base": [0]},
        {"base": [0, 10**10]},
        {"columns": [column, column]}, {"columns": [[0, [[0]]]]}, {"columns": [[-1, column[1]]]},
        {"columns": [[0, [[0, 0.5]]]]}, {"columns": [[0, []]]}, {"columns": [7]}, {"unit": 10**6},
        {"columns": [[0, [[0, 10**9]]]], "limit": None},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            load(good | {"points": good["points"] | wrong})
    with pytest.raises(ParameterError, match="schema"):
        load(good).to_sql(
            Schema.from_dict({"age": {"bins": [20, 30, 45.5]}, "city": {"bins": [1]}})
        )


def test_words():
    assert TreeEnsemble((), Fraction(1), (0, 1)).describe() == "always 1"
    assert ensemble(2, start=(0, -2)).describe() == (
        "1 if the score is above 2, otherwise 0; the score is the sum of 12 trees of depth 2 (each "
        "+1 or -1)"
    )


@pytest.mark.parametrize("begin", [None, code_points(1, None)])
@pytest.mark.parametrize("start", [0, -4, 12, 200])
def test_the_words_of_a_scorecard_are_its_rule(begin, start):
    """The points that they ask for are those of the printed card, in its unit."""
    sums, points = ensemble(1, start=(0, start), code_points=begin), rows(500)
    words, labels = sums.describe(), sums.predict(points)
    if words.startswith("always"):
        assert words == f"always {labels[0]}"
        assert len(set(labels.tolist())) == 1
        return
    columns, needed = re.fullmatch(
        r"1 if the points of (\d) columns sum to at least (\d+), otherwise 0", words
    ).groups()
    _, card = sums.points(SCHEMA)
    assert len(card) == int(columns)
    unit = math.gcd(*(points for own in card.values() for points in own.values()))
    total = [
        sum(card[c.name][c.describe(code)] for c, code in zip(SCHEMA, row, strict=True)
            if c.name in card)
        for row in points
    ]  # fmt: skip
    assert [int(sum_ // unit >= int(needed)) for sum_ in total] == labels.tolist()


CELLS = {
    "age": ["19", "20", "30.0", " 45.5", "99", "x", "", "1e2", "TRUE", "-inf", "nan"],
    "city": ["Bonn", " Rome ", "O'Fallon", "7", "7.0", "?", "", "Paris"],
    "in come": ["-1", "0", "999.5", "1e3", "", "y", "-2"],
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return the path of a table of texts, and its cells."""
    rng = np.random.default_rng(3)
    cells = {name: rng.choice(own, 3000).tolist() for name, own in CELLS.items()}
    path = tmp_path_factory.mktemp("texts") / "t.parquet"
    columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in cells)
    duckdb.connect().execute(f"COPY (SELECT {columns}) TO '{path}'", list(cells.values()))
    return path, cells


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("depth", "points"), [(1, None), (3, None), (1, (1, None)), (2, (256, 900))]
)
def test_duckdb_and_plain_python_score_alike(table, depth, points, evaluated):
    path, cells = table
    begin = None if points is None else code_points(*points)
    sums = ensemble(depth, start=(0, 1), seed=depth, code_points=begin)
    sums = sums.with_curve(np.linspace(0.03, 0.97, len(sums.margins)))
    points, inside = read_points(str(path), domain=RowDomain(SCHEMA), caller="test")
    assert inside.all()
    expected = sums.margin(points)
    assert len(set(expected.tolist())) > 3
    for what, values in (
        ("margin", expected), ("probability", sums.probability(points)),
        ("label", sums.predict(points)),
    ):  # fmt: skip
        sql = sums.to_sql(SCHEMA, dialect="duckdb", what=what)
        found = evaluated(sql, f"'{path}'")
        assert (np.asarray(found) == values).all()
    module = {}
    exec(as_python(sums, SCHEMA), module)
    for i in range(len(expected)):
        record = {name: own[i] for name, own in cells.items()}
        assert module["margin"](record) == expected[i]
        assert module["probability"](record) == sums.probability(points[i : i + 1])[0]
        assert module["label"](record) == (expected[i] > 0)


def test_plain_python_reads_numbers_booleans_and_nothing():
    split = SCHEMA.literals()[0]  # age >= 20
    module = {}
    exec(
        as_python(TreeEnsemble((TreeHypothesis.of(Node(split, 1, 0)),), Fraction(1)), SCHEMA),
        module,
    )
    cells = [20, 19.9, True, None, float("nan"), 99, 99.0, float("inf"), "99.5"]
    assert [module["label"]({"age": cell}) for cell in cells] == [1, 0, 0, 0, 0, 0, 0, 1, 1]
    assert module["label"]({}) == 0


def test_a_wrong_export_is_refused():
    with pytest.raises(ParameterError, match="what"):
        ensemble(1).to_sql(SCHEMA, what="odds")
    with pytest.raises(ParameterError, match="schema"):
        as_python(ensemble(1, rounds=40), Schema.from_dict({"age": {"bins": [1]}}))


def test_what_the_classes_refuse():
    for arguments in ((SCHEMA, 4), (SCHEMA, 0), (SCHEMA, 2, 0), (SCHEMA, 2, 1001), ("x",)):
        with pytest.raises(ParameterError):
            BoostedTreeClass(*arguments)
    concepts = BoostedTreeClass(SCHEMA)
    for ask in (lambda: concepts.candidates(None), concepts.representation, concepts.version_space):
        with pytest.raises(UnsupportedError, match="boosting"):
            ask()


def test_the_bound_of_the_vc_dimension_is_not_below_a_shattered_set():
    """Two trees of depth 1 over one text column shatter at least as much as brute force finds."""
    schema = Schema.from_dict({"c": {"categories": ["a", "b", "d"]}})
    trees = [TreeHypothesis.of(Node(s, yes, no)) for s in Splits(schema).literals
             for yes in (0, 1) for no in (0, 1)]  # fmt: skip
    points = np.arange(5)[:, None]
    votes = np.array([2 * t.predict(points).astype(int) - 1 for t in trees])
    labels = {tuple((votes[i] + votes[j] > 0).tolist()) for i in range(12) for j in range(12)}
    largest = 0
    for mask in range(32):
        chosen = [i for i in range(5) if mask >> i & 1]
        if len({tuple(row[i] for i in chosen) for row in labels}) == 2 ** len(chosen):
            largest = max(largest, len(chosen))
    assert largest >= 2
    assert largest <= BoostedTreeClass(schema, 1, 2).vc_dim


def test_exported_python_reads_numbers_as_the_library_does():
    """Whole numbers beyond doubles are exact, so 1e400 is no infinity; far beyond they are one."""
    schema = Schema.from_dict({"age": {"bins": [30]}})
    tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    module = {}
    exec(as_python(TreeEnsemble((tree,), Fraction(1)), schema), module)
    cells = ["1e400", "-1e400", "1e399999", "1e400000", "1e999999999999", "9007199254740993",
             "9007199254740993.0", "1.5e300", "0.1e401", "12345678901234567890.5", "1e22", "3",
             "0.5", "9" * 400]  # fmt: skip
    for cell in cells:
        assert module["_number"](cell) == number(cell)


# -- Sums of trees with several labels: votes, points, effects by definition; other programs -------

NAMES = ("it's", "b", "c,d")
LISTED_SCHEMA = Schema.from_dict(
    {
        "age": {"bins": [20, 30, 45.5], "missing": ["99"]},
        "city": {"categories": ["Bonn", "Rome", "O'Fallon", "7"]},
    }
)
LISTED_CELLS = {
    "age": ["19", "20", "30.0", " 45.5", "99", "x", "", "1e2", "TRUE", "-inf"],
    "city": ["Bonn", " Rome ", "O'Fallon", "7", "7.0", "?", "", "Paris"],
}


def listed_sum(depth, rounds=12, seed=0, start=(0, -2, 1), linked=False):
    rng = np.random.default_rng(seed)
    trees = tuple(
        TreeHypothesis.of(random_tree(rng, depth, LISTED_SCHEMA, 3), NAMES) for _ in range(rounds)
    )
    return TreeEnsemble((*trees, trees[0]), Fraction(3, 10), start, NAMES, linked)


def listed_rows():
    return np.array(list(product(*map(range, LISTED_SCHEMA.n_codes))))


@pytest.mark.parametrize("depth", [1, 3])
def test_votes_by_definition(depth):
    sums = listed_sum(depth)
    every = listed_rows()
    votes = np.array(
        [
            [start + sum(int(t.predict(row[None])[0]) == k for t in sums.trees) for row in every]
            for k, start in enumerate(sums.start)
        ]
    ).T
    assert (sums.votes(every) == votes).all()
    assert len(set(sums.predict(every).tolist())) > 1
    assert sums.predict(every).tolist() == [row.index(max(row)) for row in votes.tolist()]
    odds = np.exp(0.3 * votes)
    shares = odds / odds.sum(axis=1, keepdims=True)
    assert np.allclose(sums.probability(every), shares)
    assert np.allclose(listed_sum(depth, linked=True).probability(every), of_shares(shares))


def test_points_add_up_to_the_votes():
    sums = listed_sum(1, rounds=40)
    base, points = sums.points(LISTED_SCHEMA)
    for row in listed_rows():
        total = dict(base)
        for j, column in enumerate(LISTED_SCHEMA):
            cell = points.get(column.name, {}).get(column.describe(row[j]))
            for label, own in (cell or {}).items():
                total[label] += own
        assert list(total.values()) == sums.votes(row[None])[0].tolist()
    least = [min(own[n] for own in cells.values()) for cells in points.values() for n in NAMES]
    assert set(least) == {0}
    with pytest.raises(ValueError, match="depth 1"):
        listed_sum(2).points(LISTED_SCHEMA)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("listed", [False, True])
def test_effects_are_means_over_all_public_rows(depth, listed):
    sums, schema, named = ensemble(depth, 5, code_points=code_points(1, None)), SCHEMA, [1]
    if listed:
        sums, schema, named = listed_sum(depth), LISTED_SCHEMA, list(NAMES)
    every = np.array(list(np.ndindex(*schema.n_codes)), dtype=np.int16)
    log_odds = sums.log_odds(every).reshape(len(every), -1)
    effects = sums.effects(schema)
    assert list(effects) == named
    for at, label in enumerate(named):
        for name, effect in effects[label].items():
            j = schema.names.index(name)
            regular = (np.delete(every, j, axis=1) >= 2).all(axis=1)  # bins and categories
            by_code = [regular & (every[:, j] == code) for code in range(schema.n_codes[j])]
            means = [log_odds[rows, at].mean() for rows in by_code]
            for code, mean in enumerate(means):
                expected = mean - np.mean(means[2:])
                found = effect[schema.columns[j].describe(code)]
                assert found == pytest.approx(expected, abs=1e-9)


def test_listed_json_is_read_back_and_checked():
    sums = listed_sum(2, linked=True)
    good = sums.to_dict()
    assert load(good) == sums
    assert load(good).key == sums.key
    for wrong in (
        {"step": "0"}, {"step": 1}, {"start": [0, 0]}, {"start": [0, 0, 0.5]},
        {"start": [0, 0, 10**9]}, {"start": [True, 0, 0]}, {"trees": [7]}, {"label_names": ["a"]},
        {"label_names": [0, 1]}, {"trees": good["trees"] * 100}, {"label_names": ["a", "b"]},
        {"more": 1}, {"linked": "yes"},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            load(good | wrong)


def test_listed_words():
    constants = tuple(TreeHypothesis.of(k, NAMES) for k in (1, 1, 0))
    always = TreeEnsemble(constants, Fraction(1), (0, 0, 0), NAMES)
    assert always.describe() == "always b"
    assert always.constant == 1
    assert listed_sum(1).constant is None
    trees = (TreeHypothesis.of(Node(Splits(SCHEMA).literals[0], 1, 0)),) * 3  # one vote each
    for first, second, constant in ((3, 0, 0), (2, 0, None), (0, 3, None), (0, 4, 1)):
        assert TreeEnsemble(trees, Fraction(1), (first, second)).constant == constant
    assert "13 trees of depth 2" in listed_sum(2).describe()
    assert "initial votes: 2 for it's, 3 for c,d" in listed_sum(2).describe()


@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.more)])
@pytest.mark.parametrize("linked", [False, True])
def test_duckdb_and_plain_python_answer_alike(depth, linked, tmp_path, evaluated):
    rng = np.random.default_rng(3)
    cells = {name: rng.choice(own, 1000).tolist() for name, own in LISTED_CELLS.items()}
    path = tmp_path / "t.parquet"
    columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in cells)
    duckdb.connect().execute(f"COPY (SELECT {columns}) TO '{path}'", list(cells.values()))
    sums = listed_sum(depth, seed=depth, linked=linked)
    if linked:
        own = np.random.default_rng(5).integers(-900, 900, (5, 3)).tolist()
        begin = CodePoints((0, 300, -200), ((0, tuple(map(tuple, own))),), 256, 700)
        sums = replace(sums, code_points=begin)
    points, _ = read_points(str(path), domain=RowDomain(LISTED_SCHEMA), caller="test")
    labels, shares, votes = sums.predict(points), sums.probability(points), sums.votes(points)
    assert len(set(labels.tolist())) > 1
    module = {}
    exec(as_python(sums, LISTED_SCHEMA), module)
    for i in range(0, 1000, 7):
        record = {name: own[i] for name, own in cells.items()}
        assert module["label"](record) == NAMES[labels[i]]
        assert list(module["votes"](record).values()) == votes[i].tolist()
        assert list(module["probability"](record).values()) == pytest.approx(shares[i].tolist())

    def asked(what, of=None):
        sql = sums.to_sql(LISTED_SCHEMA, dialect="duckdb", what=what, of=of)
        found = evaluated(sql, f"'{path}'")
        return np.asarray(found)

    assert asked("label").tolist() == [NAMES[code] for code in labels]
    for k, name in enumerate(NAMES):
        assert (asked("votes", name) == votes[:, k]).all()
        assert np.allclose(asked("probability", name), shares[:, k])


def test_standard_sql_of_typed_columns_and_of_no_trees():
    sums = listed_sum(2)
    values = "(VALUES (25.0, 'Rome'), (NULL, NULL), (50.0, 'Bonn')) AS t(age, city)"
    found = duckdb.sql(f"SELECT {sums.to_sql(LISTED_SCHEMA)} FROM {values}").fetchall()
    codes = np.array([[3, 3], [0, 0], [5, 2]])
    assert [v for (v,) in found] == [NAMES[k] for k in sums.predict(codes)]
    nothing = TreeEnsemble((), Fraction(1), (0, 2, 2), NAMES)
    assert duckdb.sql(f"SELECT {nothing.to_sql(LISTED_SCHEMA)}").fetchall() == [("b",)]


@pytest.mark.parametrize(
    "wrong",
    [{"what": "odds"}, {"of": "b"}, {"what": "votes"}, {"what": "probability", "of": "z"}],
)
def test_listed_a_wrong_export_is_refused(wrong):
    with pytest.raises(ParameterError, match="to_sql"):
        listed_sum(1).to_sql(LISTED_SCHEMA, **wrong)


@pytest.mark.parametrize("text", ["scorecard(rounds=4)", "boosted_trees(depth=1, rounds=4)"])
def test_classes_as_text_and_json(text):
    made = parse_class(text, LISTED_SCHEMA, ["a", "b", "c"])
    assert made.labels == ("a", "b", "c")
    assert made.spec == text
    assert class_from_dict(made.to_dict()) == made
    assert class_from_dict(made.to_dict()) != parse_class(text, LISTED_SCHEMA)
    assert "labels=['a', 'b', 'c']" in repr(made)
    assert made.size == (9 * len(Splits(LISTED_SCHEMA))) ** 4


# -- The link, against a numerical minimiser of the capped loss, and against equal costs -----------


def capped(odds):
    """Return the loss whose slope is -min(1, 2 sigma(-odds))."""
    return 2 * np.log1p(np.exp(-max(odds, 0))) + max(-odds, 0)


@pytest.mark.parametrize("share", [0.03, 0.3, 0.62, 0.95])
def test_two_labels_against_a_minimiser(share):
    def loss(odds):
        return share * capped(odds) + (1 - share) * capped(-odds)

    odds = minimize_scalar(loss, bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}).x
    one = 1 / (1 + np.exp(-odds))
    assert of_shares(np.array([[1 - one, one]]))[0, 1] == pytest.approx(share, abs=1e-4)


@pytest.mark.parametrize("labels", [2, 3, 5, 9])
def test_all_answers_cost_alike(labels):
    rng = np.random.default_rng(labels)
    shares = rng.dirichlet(np.full(labels, 0.7), size=300)
    shares[:20] = np.round(shares[:20], 1)  # ties, and labels of no share
    shares /= shares.sum(axis=1, keepdims=True)
    found = of_shares(shares)
    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(1)
    for q, p in zip(shares, found, strict=True):
        costs = np.minimum(1, q[None, :] + 1 - q[:, None])  # of label, answer
        np.fill_diagonal(costs, 0)
        assert np.ptp(p @ costs) < 1e-12
        assert (np.diff(p[np.argsort(q, kind="stable")]) >= -1e-12).all()
