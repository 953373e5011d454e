"""Users that are looked at block by block: groups, scores and draws of the plain way."""

from fractions import Fraction
from itertools import pairwise

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.classes import parse_class
from littlestone.data import IntegerDomain, Schema, UserSample
from littlestone.data import stored as store
from littlestone.data.read import LARGE, read
from littlestone.data.stored import StoredUsers
from littlestone.errors import DataError
from littlestone.learners.running import read_sample, run
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.scores import errors_by_user, threshold_errors
from littlestone.papers.li_wang_ye import IntervalMedian
from littlestone.privacy import Ledger
from littlestone.source import SeededSource, public_generator

DOMAIN = IntegerDomain(1, 40)
WHERE = {"user": "who", "x": "x", "y": "y", "domain": DOMAIN}


def table(n=600, seed=0, users=50):
    """Users of very different sizes, points outside the domain, labels that are missing."""
    rng = public_generator(seed)
    who = np.minimum(rng.integers(0, users, n), rng.integers(0, users, n)) - 7
    return pa.table(
        {
            "who": pa.array(who, mask=rng.random(n) < 0.05),
            "x": pa.array(rng.integers(-3, 45, n), mask=rng.random(n) < 0.05),
            "y": pa.array(rng.integers(0, 3, n).astype(np.int8), mask=rng.random(n) < 0.05),
        }
    )


def read_users(table, *, large=LARGE, **where):
    return read(table, need="batches", large=large, **where)


def contents(users):
    names = ("points", "user", "point", "label", "count", "keys", "starts", "records")
    return [getattr(users, name).tolist() for name in names]


@pytest.fixture(
    params=[pytest.param(1, marks=pytest.mark.more), 7, 100, 10**6], ids="batches of {}".format
)
def batches(request, monkeypatch):
    """Users that end anywhere in a batch, and that are in many of them."""
    monkeypatch.setattr(store, "_ROWS", request.param)


@pytest.mark.first(3)
@pytest.mark.parametrize("seed", range(2))
def test_numbers_are_read_as_counting_reads_them(batches, seed, tmp_path):
    data = table(seed=seed)
    pq.write_table(data, tmp_path / "t.parquet")
    connection = duckdb.connect()
    connection.register("t", data)
    plain = UserSample.read(data, **WHERE)
    for form in (tmp_path / "t.parquet", data, pl.from_arrow(data), connection.table("t")):
        found = read_users(form, **WHERE, large=1)
        assert contents(found) == contents(plain)
        assert repr(found) == repr(plain)
    assert isinstance(found, StoredUsers)
    assert contents(found.counted) == contents(plain)
    blocks = list(found.blocks())
    assert sum(block.n_users for block in blocks) == plain.n_users
    for positive in (0, 2, 7):
        both = [f(data, **WHERE, positive=positive) for f in (read_users, UserSample.read)]
        assert contents(both[0]) == contents(both[1])


@pytest.mark.first(1)
def test_other_cells_are_converted_in_batches(batches, tmp_path):
    """Names with white space, texts that are numbers; the engine groups raw cells."""
    rng = public_generator(1)
    names = ["ann", " ann", "Bob", "7", " 7", "007", "", None, "\u00e9", "1e3", "\u0130"]
    cells = ["3", " 3.0", "x", "39", None, "1e1", "41", "-0"]
    labels = ["1", "1.0", "yes", None, "0", " 1 "]
    data = pa.table(
        {
            "who": [names[i] for i in rng.integers(0, len(names), 400)],
            "x": [cells[i] for i in rng.integers(0, len(cells), 400)],
            "y": [labels[i] for i in rng.integers(0, len(labels), 400)],
        }
    )
    data.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    numbers = data.set_column(0, "who", table(400)["who"])
    for form in (data, tmp_path / "t.csv", numbers):
        plain = UserSample.read(form, **WHERE)
        found = read_users(form, **WHERE, large=1)
        assert isinstance(found, StoredUsers)
        assert contents(found) == contents(plain)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.uint64(), pa.bool_()], ids=str)
def test_numbers_of_every_type(kind):
    values = pa.array([0, 1, 1, None, 1, 0]).cast(kind)
    who = pa.array([3, 1, 3, 2, 2, 1], pa.uint32())
    for column in ("x", "y"):
        data = pa.table({"who": who, "x": [1, 2, 3, 4, 5, 6], "y": [0, 1, 1, 0, 1, 1]})
        data = data.set_column(data.column_names.index(column), column, values)
        found = read_users(data, **WHERE, large=1)
        assert isinstance(found, StoredUsers)
        assert contents(found) == contents(UserSample.read(data, **WHERE))


def test_nobody_changes_nobody_elses_key():
    """Names of 19 digits, too: with or without a row that names no user."""
    who = [10**18 + 5, -(2**63), 2**63 - 1, 12]
    both = [
        reading(
            pa.table(
                {"who": pa.array(more, pa.int64()), "x": [1] * len(more), "y": [0] * len(more)}
            )
        )
        for more in (who, [*who, None])
        for reading in (
            lambda t: read_users(t, **WHERE, large=1),
            lambda t: UserSample.read(t, **WHERE),
        )
    ]
    assert [users.keys[:4].tolist() for users in both] == [both[0].keys.tolist()] * 4
    assert [users.n_users for users in both] == [4, 4, 5, 5]


def test_what_is_streamed(tmp_path):
    data, schema = table(), Schema.from_dict({"x": {"bins": [3]}})
    # however few records there are: their number is private
    for rows in (data, data.slice(0, 1), data.slice(0, 0)):
        assert isinstance(read_users(rows, **WHERE), StoredUsers)
    for users in (
        read_users(data, **WHERE | {"domain": IntegerDomain(1, 2**70)}, large=1),
        read_users(data, **WHERE | {"domain": ls.Rules(schema).domain, "x": None}, large=1),
        read_users(pa.table({"who": [1], "x": [1], "y": [1]}), **WHERE, strict=True, large=1),
    ):
        assert not isinstance(users, StoredUsers)
    assert read_users(data.slice(0, 0), **WHERE).n_users == 0


@pytest.mark.first(4)
@pytest.mark.parametrize("most", [1, 3, 11, 1000])
def test_the_same_records_are_kept(batches, most):
    data = table(1500, users=9)
    plain = UserSample.read(data, **WHERE)
    found = read_users(data, **WHERE, large=1)
    for salt in (0, 1):
        cut, same = (users.bound_contributions(most, salt=salt) for users in (found, plain))
        assert contents(cut) == contents(same)
        again, twice = (users.bound_contributions(2, salt=5) for users in (cut, same))
        assert contents(again) == contents(twice)
        for pair in ((cut, same), (again, twice)):
            one, other = (users.pooled() for users in pair)
            for name in ("points", "zeros", "ones"):
                assert getattr(one, name).tolist() == getattr(other, name).tolist()
            assert (one.outside, one.n) == (other.outside, other.n)


CLASSES = [
    "thresholds(1, 40)",
    "thresholds(-5, 60)",
    "points(1, 40)",
    "points(5, 9)",
    "intervals(1, 9)",
]


@pytest.mark.first(5)
@pytest.mark.parametrize("name", CLASSES)
def test_scores_of_blocks_add_up(batches, name):
    """For every t and width: the same runs, also where changes of two blocks cancel."""
    hypotheses = parse_class(name)
    data = table(800, users=20)
    where = WHERE | {"domain": hypotheses.domain}
    plain, found = UserSample.read(data, **where), read_users(data, **where, large=1)
    here, there = (errors_by_user(hypotheses, users, 1000) for users in (found, plain))
    assert here.size == there.size
    for t in (0, 1, 5, 60):
        for width in (1, 3):
            assert here.least(t, width=width) == there.least(t, width=width)
            one, other = (
                errors.draw(t, 1, SeededSource(t), width=width) for errors in (here, there)
            )
            assert one.key == other.key
            if name != "intervals(1, 9)":
                runs, same = (errors.scores(t, width=width) for errors in (here, there))
                assert runs.starts.tolist() == same.starts.tolist()
                assert runs.scores.tolist() == same.scores.tolist()
                assert runs.end == same.end
    for low, high in pairwise((1, 5, 20, 40)):
        runs, same = (threshold_errors(low, high, u).scores(1) for u in (found, plain))
        assert runs.starts.tolist() == same.starts.tolist()
        median = IntervalMedian(9, Fraction(1), Fraction(1))
        runs, same = (median.scores(users, low - 1, high) for users in (found, plain))
        assert runs.starts.tolist() == same.starts.tolist()
        assert runs.scores.tolist() == same.scores.tolist()


@pytest.mark.first(1)
@pytest.mark.parametrize("method", ["user-level", "one-record", "group-privacy"])
def test_equal_seeds_learn_equal_hypotheses(method, monkeypatch):
    """Whole releases, with an evaluation; the groups are never brought together."""
    monkeypatch.setattr(store, "_ROWS", 64)
    budget = {"epsilon": 8, "alpha": "0.2", "beta": "0.1", "samples_per_user": 6}
    learner = UserAgnostic(ls.Thresholds(1, 40), method=method, **budget)
    data = table(3000, users=300)
    plain = UserSample.read(data, **WHERE)
    for seed in range(3):
        for extra in ({}, {"evaluate": 1}):
            found = read_users(data, **WHERE, large=1)
            same = [run(learner, s, SeededSource(seed), **extra).to_json() for s in (found, plain)]
            assert same[0] == same[1]
            assert "counted" not in vars(found)


def test_learners_ask_for_it(monkeypatch):
    data = {"who": np.arange(99) % 9, "x": np.arange(99) % 40, "y": np.arange(99) % 2}
    learner = UserAgnostic(
        ls.Thresholds(1, 40), epsilon=1, alpha="0.1", beta="0.1", samples_per_user=5
    )
    where = {"user": "who", "x": "x", "y": "y"}
    assert isinstance(read_sample(learner, data, **where), StoredUsers)


def test_a_full_disk_is_an_error_before_anything_is_paid(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "budget.db", epsilon=1, neighbours="user-replace")
    monkeypatch.setitem(read.__kwdefaults__, "large", 1)

    def full(*_, **__):
        raise OSError(28, "No free space on device: JANE ROE")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    model = ls.UserAgnosticLearner(
        ls.Thresholds(1, 40), epsilon=1, alpha=0.2, beta=0.1, samples_per_user=6
    )
    with pytest.raises(DataError, match="free space") as refused:
        model.fit(table(), x="x", y="y", user="who", ledger=ledger)
    assert refused.value.__context__ is None
    assert ledger.remaining().epsilon == 1
