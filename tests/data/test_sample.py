"""Samples of counts, by record and by user, against dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from littlestone.data import IntegerDomain, RowDomain, Sample, Schema, TextDomain, UserSample
from littlestone.data import targets as users
from littlestone.errors import DataError, LittlestoneError, ParameterError

POINT = st.one_of(
    st.integers(-3, 3),
    st.integers(2**70, 2**70 + 2),
    st.sampled_from("ab"),
    st.tuples(st.integers(0, 1), st.sampled_from("ab")),
)
RECORDS = st.lists(st.tuples(POINT, st.integers(0, 1)), max_size=12)
ROW = st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 9))


def multiset(sample: Sample) -> Counter:
    points = [tuple(p) if isinstance(p, list) else p for p in sample.points.tolist()]
    found: Counter = Counter()
    for point, zeros, ones in zip(points, sample.zeros, sample.ones, strict=True):
        found[point, 0] += int(zeros)
        found[point, 1] += int(ones)
    return +found


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
        with pytest.raises(DataError, match="public classes") as refused:
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
    assert repr(by_user) == str(by_user) == "UserSample(n_users=2)"


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
        assert multiset(sample.of_user(i)) == Counter(own)
        assert sample.records[i] == len(own)
        assert sample.starts[i + 1] - sample.starts[i] == len(set(own))
    assert multiset(sample.pooled()) == Counter((p, y) for _, p, y in records)
    key = list(zip(sample.user, sample.point, sample.label, strict=True))
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
    merged = users.merge(user, point, np.array([1, 0, 1], np.int8), np.array([2, 3, 4]))
    assert [part.tolist() for part in merged] == [[0, 2**40], [-1, 2**40], [0, 1], [3, 6]]
    with pytest.raises(ParameterError, match="of shape"):
        Sample.from_arrays([5], np.zeros((1, 1, 1)), IntegerDomain(1, 9))


def test_users_in_arrays_are_strict():
    domain = IntegerDomain(1, 9)
    sample = UserSample.from_arrays([5, 3, 5], [1, 0, 1], np.array(["b", "a", "b"]), domain)
    assert multiset(sample.of_user(1)) == {(5, 1): 2}
    again = UserSample.from_arrays([5, 3, 5], [1, 0, 1], [2, 1, 2.0], domain)
    assert multiset(again.of_user(1)) == {(5, 1): 2}
    with pytest.raises(DataError, match="must be named"):
        UserSample.from_arrays([5, 3], [1, 0], ["a", None], domain)
    with pytest.raises(ParameterError, match="'groups'"):
        UserSample.from_arrays([5, 3], [1, 0], ["a"], domain)
    with pytest.raises(DataError, match="integer in"):
        UserSample.from_arrays([5, 31], [1, 0], ["a", "b"], domain)


def test_rows_and_texts_of_users():
    schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    X = np.array([[29, "Bonn"], [30, "Bonn"], [29, "Bonn"]], dtype=object)
    sample = UserSample.from_arrays(X, [0, 1, 1], ["a", "b", "b"], RowDomain(schema))
    assert multiset(sample.of_user(1)) == {((2, 2), 1): 1, ((3, 2), 1): 1}
    texts = UserSample.from_arrays(["p", "q", "p"], [0, 1, 1], [1, 1, 2], TextDomain())
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
        cuts.append(multiset(cut.of_user(me)))
        assert cuts[-1] <= multiset(sample.of_user(me))
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
    ones = [
        int(sample.bound_contributions(most, salt=s).of_user(0).positives) for s in range(rounds)
    ]
    expected = rounds * stats.hypergeom(10, 3, most).pmf(np.arange(4))
    assert stats.chisquare(np.bincount(ones, minlength=4), expected).pvalue > 1e-4


def test_a_cut_of_any_number_of_records():
    """numpy refuses to choose among 10**9 or more: that would tell how many records a user has."""
    for total in (10**9 - 1, 10**9, 2**40):
        groups = np.arange(2)
        sample = UserSample(
            groups, 0 * groups, groups, groups.astype(np.int8), np.array([total - 5, 5]),
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
