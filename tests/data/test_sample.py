"""Samples: extremes, shuffles, histograms and public bins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.bounds.tails import lower_limit
from littlestone.data import (
    OUTSIDE,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    UserSample,
    histogram,
)
from littlestone.data import targets as users
from littlestone.data.histogram import Cell, bins_of, cells_of, grid, smoothed
from littlestone.data.read import read
from littlestone.data.sample import OrderedSample, part, shuffle, sizes
from littlestone.data.schema import PublicBins
from littlestone.errors import DataError, LittlestoneError, ParameterError, UnsupportedError
from littlestone.source import ExactSource, ReplaySource, SeededSource

from .counted import multiset, of_user

# -- Samples of counts, by record and by user, against dictionaries --------------------------------

POINT = st.one_of(
    st.integers(-3, 3),
    st.integers(2**70, 2**70 + 2),
    st.sampled_from("ab"),
    st.tuples(st.integers(0, 1), st.sampled_from("ab")),
)
RECORDS = st.lists(st.tuples(POINT, st.integers(0, 1)), max_size=12)
ROW = st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 9))


@given(RECORDS)
def test_counts(records):
    sample = Sample.of([p for p, _ in records], [y for _, y in records])
    assert multiset(sample) == Counter(records)
    assert sample.n == len(records)
    assert sample.positives == sum(y for _, y in records)
    again = Sample.of([p for p, _ in reversed(records)], [y for _, y in reversed(records)])
    assert again.points.tolist() == sample.points.tolist()


@given(st.lists(st.tuples(ROW, st.integers(0, 1)), min_size=1, max_size=12))
@pytest.mark.parametrize("scale", [1, 2**61])  # packed into one integer, and sorted by columns
def test_counts_of_rows(scale, records):
    rows = np.array([row for row, _ in records], dtype=np.int64) * scale
    sample = Sample.of(rows, [y for _, y in records])
    expected = Counter((tuple(row), y) for row, (_, y) in zip(rows.tolist(), records, strict=True))
    assert multiset(sample) == expected
    assert sample.points.tolist() == sorted(sample.points.tolist())


def test_arrays_are_strict():
    domain = IntegerDomain(1, 9)
    sample = Sample.from_arrays(np.array([[5], [3], [5]]), ["b", "a", "b"], domain, classes="ab")
    assert multiset(sample) == {(5, 1): 2, (3, 0): 1}
    for labels in (["b", "a", "c"], [1, 0, 1], ["b", None, "a"]):
        with pytest.raises(DataError, match="public labels") as refused:
            Sample.from_arrays([5, 3, 5], labels, domain, classes=("a", "b"), caller="fit")
        assert "'c'" not in str(refused.value)
    with pytest.raises(ParameterError, match="'y' parameter of fit must be as long as X"):
        Sample.from_arrays([5, 3], [1], domain, caller="fit")
    with pytest.raises(ParameterError, match="two different labels"):
        Sample.from_arrays([5], [1], domain, classes=(1, 1))
    with pytest.raises(ParameterError, match="of shape"):
        Sample.from_arrays([5], np.zeros((1, 2)), domain)
    assert Sample.from_arrays([5], np.array([[1.0]]), domain).positives == 1


def test_what_is_no_list_is_refused_in_our_words():
    for bad in (5, None, 1.5, [1, [2, 3]], [[1], [2, 3]], object()):
        for call in (
            lambda bad=bad: Sample.of(bad, [0, 1]),
            lambda bad=bad: Sample.of([1, 2], bad),
            lambda bad=bad: Sample.of([1, 2], bad, labels=3),
            lambda bad=bad: UserSample.of(bad, [1, 2], [0, 1]),
            lambda bad=bad: UserSample.of([1, 2], bad, [0, 1]),
            lambda bad=bad: UserSample.of([1, 2], [1, 2], bad),
        ):
            with pytest.raises(LittlestoneError, match=r"Sample\.of"):
                call()


def test_nothing_private_is_shown():
    sample = Sample.of([31337, 5], [0, 1])
    by_user = UserSample.of(["ann", "bob"], [31337, 5], [0, 1])
    assert repr(sample) == str(sample) == "Sample(n=2)"
    assert repr(by_user) == str(by_user) == "UserSample(n=2)"


def of_users(records: list) -> UserSample:
    return UserSample.of(*([list(part) for part in zip(*records, strict=True)] or [[], [], []]))


USER_RECORDS = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", 7, 12]), st.integers(0, 4), st.integers(0, 1)),
    min_size=1,
    max_size=20,
)


@given(USER_RECORDS)
def test_users(records):
    sample = of_users(records)
    names = sorted({u for u, _, _ in records}, key=lambda u: (isinstance(u, str), u))
    assert sample.n == sample.n_users == len(names)
    for i, name in enumerate(names):
        own = [(p, y) for u, p, y in records if u == name]
        assert of_user(sample, i) == Counter(own)
        assert sample.records[i] == len(own)
        assert sample.starts[i + 1] - sample.starts[i] == len(set(own))
    assert multiset(sample.pooled()) == Counter((p, y) for _, p, y in records)
    key = list(zip(sample.user, sample.point, sample.code, strict=True))
    assert key == sorted(set(key))


def test_nobody_and_huge_indices():
    nobody = UserSample.of([], [], [])
    assert (
        nobody.n_users
        == nobody.pooled().n
        == len(nobody.records)
        == len(nobody.bound_contributions(1, salt=0).count)
    )
    with pytest.raises(ParameterError, match="'users'"):
        UserSample.of(["a"], [1, 2], [0, 1])
    with pytest.raises(ParameterError, match="same length"):
        Sample.of([1, 2], [0])
    # Indices that do not fit into one packed key are sorted one after the other.
    user, point = np.array([2**40, 0, 2**40]), np.array([2**40, -1, 2**40])
    groups = user, point, np.array([1, 0, 1]), np.array([2, 3, 4])
    merged = UserSample(np.arange(1), *groups, np.zeros(1, np.uint64)).merged()
    found = [part.tolist() for part in (merged.user, merged.point, merged.code, merged.count)]
    assert found == [[0, 2**40], [-1, 2**40], [0, 1], [3, 6]]
    with pytest.raises(ParameterError, match="of shape"):
        Sample.from_arrays([5], np.zeros((1, 1, 1)), IntegerDomain(1, 9))


def test_users_in_arrays_are_strict():
    points, labels = np.array([5, 3, 5]), np.array([1, 0, 1])
    for names in np.array(["b", "a", "b"]), [2, 1, 2.0]:
        sample = UserSample.from_arrays(points, labels, names, caller="fit")
        assert of_user(sample, 1) == {(5, 1): 2}
    with pytest.raises(DataError, match="must be named"):
        UserSample.from_arrays(points[:2], labels[:2], ["a", None], caller="fit")
    with pytest.raises(ParameterError, match="'groups'"):
        UserSample.from_arrays(points[:2], labels[:2], ["a"], caller="fit")


def test_rows_and_texts_of_users():
    schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    X = np.array([[29, "Bonn"], [30, "Bonn"], [29, "Bonn"]], dtype=object)
    rows = RowDomain(schema).array(X)
    sample = UserSample.from_arrays(rows, np.array([0, 1, 1]), ["a", "b", "b"], caller="fit")
    assert of_user(sample, 1) == {((2, 2), 1): 1, ((3, 2), 1): 1}
    texts = UserSample.of([1, 1, 2], ["p", "q", "p"], [0, 1, 1])
    assert multiset(texts.pooled()) == {("p", 0): 1, ("q", 1): 1, ("p", 1): 1}


@given(USER_RECORDS, USER_RECORDS, st.integers(1, 4), st.integers(0, 2**64))
def test_a_cut_depends_on_one_user_only(records, others, most, salt):
    """Replace everybody but one user: that user's cut stays what it is."""
    mine = [("me", p, y) for _, p, y in records]
    cuts = []
    for rest in (records, others):
        sample = of_users(mine + rest)
        cut = sample.bound_contributions(most, salt=salt)
        assert cut.n_users == sample.n_users
        assert cut.records.tolist() == np.minimum(sample.records, most).tolist()
        me = sample.n_users - 1  # texts come after numbers, and "me" after the others
        cuts.append(of_user(cut, me))
        assert cuts[-1] <= of_user(sample, me)
    assert cuts[0] == cuts[1]


#: Laid out record by record; by counts; by counts that numpy would refuse, few and many of them.
WAYS = [(1 << 22, 10**9, 4), (8, 10**9, 4), (8, 1, 4), (8, 1, 7)]


@pytest.mark.first(1)
@pytest.mark.parametrize(("block", "limit", "most"), WAYS)
def test_a_cut_is_uniform(monkeypatch, block, limit, most):
    """The kept records follow the multivariate hypergeometric law, over salts."""
    monkeypatch.setattr(users, "_BLOCK", block)
    monkeypatch.setattr(users, "_NUMPY_LIMIT", limit)
    sample = of_users([("a", 1, 0)] * 5 + [("a", 2, 1)] * 3 + [("a", 3, 0)] * 2)
    rounds = 2000
    ones = [of_user(sample.bound_contributions(most, salt=s), 0)[2, 1] for s in range(rounds)]
    expected = rounds * stats.hypergeom(10, 3, most).pmf(np.arange(4))
    assert stats.chisquare(np.bincount(ones, minlength=4), expected).pvalue > 1e-4


def test_a_cut_of_any_number_of_records():
    """numpy refuses to choose among 10**9 or more: that would tell how many records a user has."""
    for total in (10**9 - 1, 10**9, 2**40):
        groups = np.arange(2)
        sample = UserSample(
            groups, 0 * groups, groups, groups, np.array([total - 5, 5]),
            np.array([7], dtype=np.uint64),
        )  # fmt: skip
        cut = sample.bound_contributions(3, salt=1)
        assert cut.records.tolist() == [3]
        assert cut.n_users == 1


def test_a_cut_of_many_users_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    who, points = rng.integers(0, 300, 5000), rng.integers(0, 9, 5000)
    sample = UserSample.of(who, points, points > 4)
    whole = sample.bound_contributions(7, salt=1)
    monkeypatch.setattr(users, "_BLOCK", 100)
    blocks = sample.bound_contributions(7, salt=1)
    assert (whole.count == blocks.count).all()
    assert (whole.records == np.minimum(sample.records, 7)).all()
    with pytest.raises(ParameterError, match="'most'"):
        sample.bound_contributions(0, salt=1)


# -- Extremes of samples, in one pass over columns in any order ------------------------------------


@pytest.mark.parametrize("order", ["up", "down", "mixed", "equal"])
def test_any_order_of_rows(order, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 10**6, 30_000)
    x = {"up": np.sort(x), "down": np.sort(x)[::-1], "mixed": x, "equal": x * 0 + 7}[order]
    y = rng.random(len(x)) < 0.4
    for most in (1, 50, 3000, 40_000):
        monkeypatch.setattr("littlestone.data.tables._ROWS", 999)
        table = {"x": x, "y": y.astype(np.int8)}
        sample = read(
            table, x="x", y="y", domain=IntegerDomain(0, 10**6), need="extremes", most=most
        )
        found = sample.extremes(most)
        assert found.zeros[:most].tolist() == np.sort(x[~y])[::-1][:most].tolist()
        assert found.ones[:most].tolist() == np.sort(x[y])[:most].tolist()
        assert (found.inside, found.n) == (((~y).sum(), y.sum()), len(x))


# -- Shuffling records to parts: positions, multiplicities, and a uniform permutation --------------


def listed(rng, n):
    pool = [3, 5, 2**70, -1, OUTSIDE]
    return [
        (pool[i], int(y)) for i, y in zip(rng.integers(0, 5, n), rng.integers(0, 2, n), strict=True)
    ]


def test_an_ordered_sample_counts_like_any_other():
    rng = np.random.default_rng(0)
    for n in (0, 1, 7, 40):
        data = listed(rng, n)
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        assert sample.n == n
        assert multiset(sample) == Counter(data)


def test_parts_are_disjoint_and_complete():
    rng = np.random.default_rng(1)
    data = listed(rng, 50)
    ordered = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
    plain = Sample.binary(ordered.points, ordered.zeros, ordered.ones, ordered.outside)
    for sample in (ordered, plain):
        shuffled = shuffle(sample, SeededSource(3))
        cuts = np.cumsum([0, *sizes(50, 7)])
        parts = [part(sample, shuffled[a:b]) for a, b in pairwise(cuts)]
        assert [p.n for p in parts] == sizes(50, 7)
        assert sum((multiset(p) for p in parts), Counter()) == Counter(data)


def test_positions_are_kept_under_the_identity():
    data = [(5, 1), (3, 0), (OUTSIDE, 1), (5, 0)]
    sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
    shuffled = shuffle(sample, ReplaySource([]))
    for i, record in enumerate(data):
        assert multiset(part(sample, shuffled[i : i + 1])) == Counter([record])
    law = ExactSource().law(lambda source: tuple(shuffle(sample, source).tolist()))
    assert list(law.outcomes) == [tuple(sample.kinds.tolist())]


def test_one_record_changes_one_position():
    rng = np.random.default_rng(2)
    for _ in range(50):
        data = listed(rng, 9)
        i, new = int(rng.integers(9)), listed(rng, 1)[0]
        other = [*data[:i], new, *data[i + 1 :]]
        mine, theirs = (
            OrderedSample.listed([x for x, _ in d], [y for _, y in d]) for d in (data, other)
        )
        for k in range(9):
            one, two = (multiset(part(own, own.kinds[k : k + 1])) for own in (mine, theirs))
            assert one == two or k == i


def test_a_secret_permutation_is_uniform():
    """Which of four records comes first, 4000 times: a chi-squared test with fixed seeds."""
    sample = Sample.of([1, 2, 3, 4], [0, 0, 0, 0])
    first = Counter(int(shuffle(sample, SeededSource(seed))[0]) for seed in range(4000))
    assert sum((c - 1000) ** 2 / 1000 for c in first.values()) < 16.3  # 99.9 percent


def test_refusals_and_sizes():
    with pytest.raises(ParameterError, match="same length"):
        OrderedSample.listed([1, 2], [0])
    assert sizes(2, 5) == [1, 1, 0, 0, 0]
    assert part(Sample.of([], []), np.zeros(0, dtype=np.int64)).n == 0


# -- Histograms of numbers: cells that share out all numbers, runs by brute force, and bins --------

NUMBERS = (0.0, 1e-9, -1e-9, 7.0, -7.0, 0.07, -1999.5, 1955.0, 123456.0, np.nextafter(1e12, 0))


@pytest.mark.parametrize("whole", [True, False])
def test_cells_share_out_all_numbers_and_parts_a_cell(whole):
    cells = grid(whole=whole)
    assert all(one.end == other.start for one, other in pairwise(cells))
    for x in NUMBERS:
        (own,) = (cell for cell in cells if cell.start <= x < cell.end)
        parts = own.parts(whole=whole)
        assert len(parts) <= 10
        if parts:
            assert (parts[0].start, parts[-1].end) == (own.start, own.end)
            assert sum(part.start <= x < part.end for part in parts) == 1
            assert not whole or all(part.start == int(part.start) for part in parts)
    assert Cell(-20, -15, 2).parts(whole=False)[0].start == -2000
    for few in range(11):  # each whole number alone
        assert sum(few <= cell.start < few + 1 for cell in grid(whole=True)) == 1


def best_by_brute_force(counts, deviation):
    """Return the means of the set of disjoint runs with the largest gain; and of one the most."""
    size, penalty = len(counts), 3 * np.log(len(counts)) * deviation**2
    runs = [(a, b) for a, b in combinations(range(size + 1), 2) if sum(counts[a:b]) > 0]
    gain = {(a, b): sum(counts[a:b]) ** 2 / (b - a) - penalty for a, b in runs}
    best = (0.0, ())
    for many in range(1, size + 1):
        for chosen in combinations(runs, many):
            if all(one[1] <= other[0] for one, other in pairwise(chosen)):
                best = max(best, (sum(gain[run] for run in chosen), chosen))
    found = [0.0] * size
    for a, b in best[1]:
        found[a:b] = [sum(counts[a:b]) / (b - a)] * (b - a)
    return found, max(gain.values(), default=0) + penalty


def test_runs_are_those_of_brute_force():
    random, seen = np.random.default_rng(0), 0
    for _ in range(60):
        truth = random.choice([0, 0, 5, 40], 5)
        counts = [int(c) for c in truth + np.rint(random.normal(0, 6, 5))]
        found, largest = best_by_brute_force(counts, 6.0)
        unit = np.log(5) * 36
        seen += largest >= 4 * unit
        assert smoothed(counts, 3 * unit, 3 * unit) == pytest.approx(found)
        there = found if largest >= 4 * unit else [0] * 5
        assert smoothed(counts, 3 * unit, 4 * unit) == pytest.approx(there)
    assert 20 < seen < 60


def test_bins_have_equal_masses_begin_at_cells_and_are_not_many():
    random = np.random.default_rng(0)
    for bins in (2, 4, 8):
        for whole in (True, False):
            cells = grid(whole=whole)
            places = random.choice(len(cells), 30, replace=False)
            masses = {cells[i]: float(m) for i, m in zip(places, random.pareto(1, 30), strict=True)}
            edges = bins_of(masses, bins, whole=whole)
            starts = {c.start for cell in cells for c in [cell, *cell.parts(whole=whole)]}
            assert set(edges) <= starts
            assert len(edges) <= 2 * bins
    equal = {cell: 10.0 for cell in cells_of([*map(histogram.Decimal, range(41))])[1:]}
    assert bins_of(equal, 4, whole=True) == [11, 21, 31]


def test_few_values_are_kept():
    """Each has a bin; so have 0 and what follows it, however rare."""
    for values in ((0, 1), (0, 1, 2), (1, 2, 3, 4, 5), (2, 7)):
        masses = {c: 100.0 * (c.start in values) for c in grid(whole=True)}
        assert bins_of(masses, 8, whole=True) == list(values[1:])
    far = {c: {0: 600.0, 1: 400.0, 1e9: 30.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(far, 4, whole=True) == [1], "noise, a thousand times as large as most"
    apart = {c: {0: 600.0, 50: 400.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(apart, 1, whole=True) == [1], "of what lies between nothing is known"
    rare = {c: {0: 980.0, 1: 20.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(rare, 4, whole=True) == [1]
    assert bins_of({Cell(0, 1, 0): 980.0}, 4, whole=True) == [1]
    assert bins_of({Cell(7, 8, 0): 980.0}, 4, whole=True) == [], "one value says nothing"


# -- Bins of public rows: edges by rank, what is left out, what they cost, and how they are kept ---

RNG = np.random.default_rng(0)
TABLE = {
    "x": np.append(RNG.normal(size=97), [np.nan, np.inf, -np.inf]),
    "kind": ["a"] * 40 + ["b"] * 57 + ["c"] * 3,
    "name": [f"n{i}" for i in range(100)],
    "empty": [None] * 100,
}


def test_fewer_than_rank_rows_lie_between_a_number_and_its_edge():
    schema = ls.Schema.from_public(TABLE, bins=8)
    assert schema.public == PublicBins(100, 13)
    assert schema.names == ("x", "kind")
    assert schema["kind"].categories == ("a", "b")
    seen = np.sort(TABLE["x"][:97])
    for t in (*seen, -9, 9, -np.inf, np.inf):
        edge = min((e for e in schema["x"].edges if e >= t), default=np.inf)
        inside = ((TABLE["x"] >= t) & (TABLE["x"] < edge)).sum() + (edge == np.inf) * 0
        assert inside < 13
    assert len(schema["x"].edges) < 8


@pytest.mark.parametrize("bins", [2, 5, 99, 100, 500])
def test_at_most_so_many_bins(bins):
    schema = ls.Schema.from_public({"x": range(100)}, bins=bins)
    assert len(schema["x"].edges) == min(bins - 1, 100 // (100 // bins + 1))


def test_all_values_are_edges_where_there_are_bins_enough():
    schema = ls.Schema.from_public({"x": [3, 1, 1, 2]}, bins=9)
    assert (schema["x"].edges, schema.public) == ((1, 2, 3), PublicBins(4, 1))


def test_toml(tmp_path):
    schema = ls.Schema.from_public(TABLE, bins=8)
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert ls.Schema.from_toml(tmp_path / "s.toml") == schema
    broken = schema.to_toml().replace("rank = 13", "rank = 0")
    (tmp_path / "s.toml").write_text(broken)
    with pytest.raises(ParameterError, match="rank"):
        ls.Schema.from_toml(tmp_path / "s.toml")


def test_the_cost_of_bins_is_certified():
    schema = ls.Schema.from_public({"x": range(400)}, bins=20)
    costs = [schema.binning_error(s).alpha for s in (1, 2, 3)]
    assert costs == sorted(costs)
    assert costs[0] < 0.08
    finer = ls.Schema.from_public({"x": range(400)}, bins=400)
    found = finer.binning_error(1, shift=(2, "0.01"))
    assert recheck(found.to_dict()) == ()
    assert found.status == "conditional"
    assert finer.binning_error(1).alpha < found.alpha < costs[0]
    with pytest.raises(UnsupportedError, match="more bins"):
        schema.binning_error(40)
    with pytest.raises(UnsupportedError, match="from_public"):
        ls.Schema.from_dict({"x": {"bins": [1]}}).binning_error(1)


@pytest.mark.more
def test_bins_cost_no_more_than_is_certified():
    """The rule x >= t and z < u, over binned columns that depend on each other."""
    rng, far, trials = np.random.default_rng(5), 0, 100
    fresh = rng.normal(size=(4000, 2)) @ [[1, 0.7], [0, 0.7]]
    rule = (fresh[:, 0] >= 0.2) & (fresh[:, 1] < 0.5)
    for _ in range(trials):
        rows = rng.normal(size=(120, 2)) @ [[1, 0.7], [0, 0.7]]
        schema = ls.Schema.from_public({"x": rows[:, 0], "z": rows[:, 1]}, bins=30)
        low = min([e for e in schema["x"].edges if e >= 0.2], default=np.inf)
        high = min([e for e in schema["z"].edges if e >= 0.5], default=np.inf)
        certified = float(schema.binning_error(2).alpha)
        binned = (fresh[:, 0] >= low) & (fresh[:, 1] < high)
        far += (rule != binned).mean() > certified + 0.005
    assert lower_limit(far, trials, 1e-3) <= 0.05


def test_classes_count_their_comparisons():
    schema = ls.Schema.from_public({"x": range(400)}, bins=200)
    kinds = (ls.Rules(schema, 2), ls.DecisionTrees(schema, 2))
    assert [kind.public.basis // schema.public.rank for kind in kinds] == [2, 3]
    assert ls.DecisionTrees(ls.Schema.from_dict({"x": {"bins": [1]}}), 2).public is None
    made = ls.AgnosticLearner(ls.Rules(schema, 2), epsilon=1)
    here, listed = made.required_samples(), made.set_params(shift=None).required_samples()
    assert listed < here < 2 * listed


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"x": []}, {}, "at least one row"),
        ({"x": [1]}, {"bins": 1}, "bins"),
        ({"x": [1]}, {"columns": ["y"]}, "no column"),
        ({"name": ["a", "b", "c"] * 9 + ["d"]}, {"bins": 2}, "equal"),
    ],
)
def test_refusals(table, options, words):
    with pytest.raises(ParameterError, match=words):
        ls.Schema.from_public(table, **options)


def test_who_reads_users_names_their_column():
    where = {"x": "x", "y": "y", "domain": IntegerDomain(1, 9)}
    table = {"x": [3, 5], "y": [0, 1], "who": ["a", "a"]}
    with pytest.raises(ParameterError, match="'user'"):
        UserSample.read(table, **where)
    assert Sample.read(table, **where, user="who").unit == "users"
