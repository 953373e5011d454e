"""Samples in memory, in a store, and looked at when asked: each is what is read by hand."""

import inspect
import io
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scenarios import keep_stored

import littlestone as ls
from littlestone.classes import Thresholds, parse_class
from littlestone.costs import Costs
from littlestone.data import (
    OUTSIDE,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    UserSample,
    read_table,
)
from littlestone.data.domains import Itself
from littlestone.data.read import LARGE, read
from littlestone.data.stored import NO_SPACE, OnLine, Stored, StoredUsers, Unread
from littlestone.data.targets import is_sample
from littlestone.errors import DataError, ParameterError
from littlestone.learners import registry
from littlestone.learners.running import read_sample, run
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.scores import errors_by_user, threshold_errors
from littlestone.papers.li_wang_ye import IntervalMedian
from littlestone.privacy import Ledger
from littlestone.source import (
    ExactSource,
    ReplaySource,
    SecureSource,
    SeededSource,
    public_generator,
)

from .counted import by_hand, multiset, released, users_by_hand, users_of
from .test_stored_rows import SCHEMA as ROWS
from .test_stored_rows import listed_samples, random_samples
from .test_stored_rows import table as rows_table

# -- Every way of reading, and every container, against a reading of one record after the other ----

WAYS = ("all", "batches", "extremes")
TYPES = [pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64(), pa.bool_()]
SMALL, WIDE = IntegerDomain(-5, 7), IntegerDomain(0, 2**61)
DOMAINS = [SMALL, WIDE, IntegerDomain(3, 2**40)]
#: Beyond what a store can sort.
LONG = [IntegerDomain(0, 2**64 - 1), IntegerDomain(3, 2**70), IntegerDomain(-(2**70), -(2**65))]


def column(rng, kind, n):
    """A column with nulls, repeated values, and the bounds of its type."""
    if pa.types.is_boolean(kind):
        return pa.array([[True, False, None][i] for i in rng.integers(0, 3, n)])
    signed = pa.types.is_signed_integer(kind)
    low, high = ((-1 << kind.bit_width - 1) if signed else 0), (1 << kind.bit_width - signed) - 1
    pool = [low, high, 0, 3, 5, 7, 8, None] + ([-1, -5, -6] if signed else [])
    return pa.array([pool[i] for i in rng.integers(0, len(pool), n)], kind)


def outermost(records, most):
    """Return what `extremes` promises of records, by hand."""
    inside = [[x for x, y in records if x is not OUTSIDE and y == label] for label in (0, 1)]
    outside = tuple(sum(x is OUTSIDE and y == label for x, y in records) for label in (0, 1))
    ends = [sorted(inside[0], reverse=True)[:most], sorted(inside[1])[:most]]
    return [*ends, tuple(map(len, inside)), outside]


def same(sample, records, labels=None):
    """Compare a sample with records, with their costs, and with the outermost of them."""
    assert multiset(sample) == Counter(records)
    listed = "" if labels is None else f", labels={len(labels)}"
    assert repr(sample) == f"Sample(n={len(records)}{listed})"
    assert sample.points.tolist() == sorted(sample.points.tolist())
    if labels is None:
        costly = sample.cost_weighted(Costs.of({0: 3, 1: 10}))
        assert multiset(costly) == Counter(records)
        assert costly.positives == 10 * sum(y for _, y in records)
        assert costly.ones.tolist() == (10 * sample.ones).tolist()
        for most in (0, 1, 7, 500) if sample.points.ndim == 1 else ():
            found = sample.extremes(most)
            ends = [found.zeros[:most].tolist(), found.ones[:most].tolist()]
            assert [*ends, found.inside, found.outside] == outermost(records, most)


def check(form, domain, table, *, large=1, **where):
    """Compare all ways of reading; return the type of the sample of each."""
    names = {"y": "y", "domain": domain} | ({} if isinstance(domain, RowDomain) else {"x": "x"})
    records, kinds = by_hand(table, domain, **where), {}
    for need in WAYS:
        sample = read(form, **names | where, need=need, most=7, large=large)
        same(sample, records, where.get("labels"))
        kinds[need] = type(sample)
    return kinds


def containers(table, folder):
    """Yield a table in every container; those of texts have been converted by nobody."""
    pq.write_table(table, folder / "t.parquet")
    texts = pd.DataFrame(
        {name: map(written, table[name].to_pylist()) for name in table.schema.names}
    )
    texts.to_csv(folder / "t.csv", index=False)  # its rows are known when it has been read
    connection = duckdb.connect()
    connection.register("t", table)
    polars = pl.from_arrow(table)
    yield from (table, folder / "t.parquet", folder / "t.csv", polars, polars.lazy())
    yield from (connection.table("t"), read_table(table), texts)


def written(cell):
    if cell is None:
        return ""
    return cell.decode(errors="replace") if isinstance(cell, bytes) else cell


@pytest.mark.first(2)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_integers_of_every_type(kind):
    rng = np.random.default_rng(7)
    for (n, labels), domain in product(
        ((1, pa.int8()), (60, pa.bool_()), (200, pa.uint64())), DOMAINS + LONG
    ):
        y = pa.array([[0, 1, None][i] for i in rng.integers(0, 3, n)], pa.int8()).cast(labels)
        table = pa.table({"x": column(rng, kind, n), "y": y})
        kinds = check(table, domain, table.to_pydict())
        assert (kinds["batches"] is Stored) == (domain not in LONG)
        assert (kinds["extremes"] is Unread) == (not pa.types.is_boolean(kind))


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32()], ids=str
)
def test_codes_of_numbers_of_every_type(kind):
    schema = Schema.from_dict({"code": {"bins": [-1, 1.5, 100], "missing": []}})
    values = [0, 1, 2, 100, 101, 127, None] + ([] if "uint" in str(kind) else [-1, -128])
    table = pa.table({"code": pa.array(values, pa.float64()).cast(kind), "y": [0] * len(values)})
    assert check(table, RowDomain(schema), table.to_pydict())["batches"] is Stored


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "positive", [0, 1, True, "1.0", "true", 2, "x", 2.5, "1e400", 300, [2, "x"], 2**62]
)
def test_labels(positive):
    table = pa.table({"x": [1, 2, 3], "y": pa.array([0, 1, 2], pa.int8())})
    kinds = check(table, IntegerDomain(1, 9), table.to_pydict(), positive=positive)
    assert kinds == {"all": Sample, "batches": Stored, "extremes": Unread}


ODD = ["3", " 5", "5.0", "1e1", "x", "", None, "7", 3, 3.5, -0.0, 4.0, 2**62, "9" * 400, True]
CELLS = {"x": ODD * 3, "y": [1, 0, "1", None, "true"] * 9}
NETWORKS = ["10.0.0.0/8", "10.1.2.3/8", "1.2.3.4", "0.0.0.0/0", "x", None, "::1", "10.0.0.1/33"]


@pytest.mark.more
@pytest.mark.parametrize(
    ("table", "domain"),
    [
        (CELLS, IntegerDomain(0, 9)),
        (CELLS, IntegerDomain(-(2**61), 2**61)),
        (CELLS, ls.Prefixes("0123456789", 3).domain),
        ({"x": NETWORKS * 2, "y": [1, 0, 1] * 5 + [1]}, ls.Prefixes("ipv4").domain),
    ],
)
def test_odd_cells(table, domain, tmp_path, monkeypatch):
    monkeypatch.setattr("littlestone.data.stored._COUNTS", 3)
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    texts = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False).to_dict("list")
    forms = ((table, table), (tmp_path / "t.csv", texts))
    for (form, cells), positive in product(forms, (1, "true")):
        records = by_hand(cells, domain, positive=positive)
        where = {"x": "x", "y": "y", "domain": domain, "positive": positive, "large": 1}
        for need in ("batches", "extremes"):
            sample = read(form, **where, need=need, most=2)
            assert isinstance(sample, Stored)
            assert multiset(sample) == multiset(read(form, **where)) == Counter(records)
    for long in (ls.Prefixes("ipv6").domain, IntegerDomain(0, 2**70)):  # beyond 64 bits
        assert not isinstance(read(form, **where | {"domain": long}, need="batches"), Stored)


@pytest.mark.first(1)
@pytest.mark.parametrize("rows", [False, True], ids=["integers", "rows"])
def test_what_is_stored_follows_from_public_things(rows, tmp_path):
    """Types, the number of rows and the domain; never how many points are different."""
    numbers = pa.table({"x": [3, 9, None, 5], "y": [0, 1, 1, 1]})
    table, domain = (rows_table(40), RowDomain(ROWS)) if rows else (numbers, IntegerDomain(1, 9))
    n = table.num_rows
    for form in containers(table, tmp_path):
        for large in (n, n + 1):
            kinds = check(form, domain, table.to_pydict(), large=large)
            assert (kinds["batches"] is Stored) == (large == n)
    small = table.slice(0, 2)
    names = {"x": None if rows else "x", "y": "y", "domain": domain, "need": "batches"}
    if not rows:
        assert not isinstance(read(table, **names, large=10), Stored)  # a smaller domain
        assert not isinstance(read(small, **names, large=1, strict=True), Stored)
    assert read(table.slice(0, 0), **names, large=0).n == 0


@pytest.mark.more
@pytest.mark.parametrize("seed", range(3))
def test_lists_of_labels(seed, tmp_path):
    """Odd labels: missing ones, NaN, -0.0, white space, numbers as texts, and none of the list."""
    domain, data = RowDomain(ROWS), rows_table(400, seed)
    rng = np.random.default_rng(seed)
    texts = ["a", " b ", "B", "", None, "NaN", "0", "0.0", "-0", "\u00e9", "c"]
    floats = [0.0, -0.0, float("nan"), None, 1.0, float("inf"), 2.5]
    for cells, lists in (
        (pa.array([texts[i] for i in rng.integers(0, len(texts), 400)]), (("a", "b"), (0, 1, 2))),
        (pa.array([floats[i] for i in rng.integers(0, len(floats), 400)]), ((1, 0), ("x", "0"))),
        (pa.array(rng.integers(0, 9, 400), pa.int8()), ((7, 0, 3), ("3", "4", "5"))),
    ):
        odd = data.set_column(5, "y", cells)
        pq.write_table(odd, tmp_path / "t.parquet")
        for labels, form in product(lists, (odd, tmp_path / "t.parquet", pl.from_arrow(odd))):
            assert check(form, domain, odd.to_pydict(), labels=labels)["batches"] is Stored
    age = RowDomain(Schema(ROWS.columns[:1]))
    where = {"y": "y", "need": "batches", "large": 1}
    with pytest.raises(DataError, match="one of the public labels"):
        read({"age": [1], "y": ["c"]}, domain=age, labels=("?", "!"), strict=True, **where)


def test_parquet_with_odd_names(tmp_path):
    """Wildcards in a path, names that differ in case only, odd names of columns."""
    for number, (name, (x, y)) in enumerate(
        [("t[1]", ("x", "y")), ("t", ("X", "x")), ("t", ('a "b"', "x,y")), ("{a,b}", ("x", "y"))]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        table = pa.table([[3, 9, None, 5], [0, 1, 1, 1]], names=[x, y])
        pq.write_table(table, folder / f"{name}.parquet")
        check(folder / f"{name}.parquet", IntegerDomain(1, 9), table.to_pydict(), x=x, y=y)


def test_wrong_statistics_of_a_parquet_file_change_nothing(tmp_path):
    """A file says of a column of 1, 2, 3 and 77777 that its largest value is 3."""
    path, big, small = tmp_path / "t.parquet", *(n.to_bytes(8, "little") for n in (77777, 3))
    cells = {"x": pa.array([1, 2, 3, 77777, 2, 2]), "y": pa.array([0, 1, 1, 1, 0, 0])}
    pq.write_table(pa.table(cells), path, compression="none", use_dictionary=False)
    raw = path.read_bytes()
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    assert raw[footer:].count(big) == 2
    path.write_bytes(raw[:footer] + raw[footer:].replace(big, small))
    assert pq.read_metadata(path).row_group(0).column(0).statistics.max == 3
    check(path, IntegerDomain(-5, 2**40), pa.table(cells).to_pydict())


@pytest.mark.parametrize("need", WAYS)
def test_refusals_are_those_of_reading(need):
    where = {"y": "y", "domain": IntegerDomain(1, 9), "need": need, "large": 1}
    table = pa.table({"x": [1, 10], "y": [0, 1]})
    for more, error, words in (
        ({"x": "z"}, ParameterError, "no column 'z'"),
        ({"x": "x", "strict": True}, DataError, r"in \[1, 9\]"),
        ({"x": "x", "positive": None}, ParameterError, "positive"),
    ):
        with pytest.raises(error, match=words):
            read(table, **where, **more)


def shuffled_table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = pa.array(rng.integers(-2, 60, n), mask=rng.random(n) < 0.1)
    return pa.table({"x": x, "y": (rng.random(n) < 0.3).astype(np.int8)})


def read_batches(table, *, large=1, **where):
    return read(table, need="batches", large=large, **where)


@pytest.mark.parametrize("rows", [pytest.param(1, marks=pytest.mark.more), 7, 1 << 20])
def test_held_out_records_are_those_of_the_plain_dealing(rows, monkeypatch):
    """Each part, points outside included, for sizes at both ends, and for parts of any length."""
    monkeypatch.setattr("littlestone.data.stored._COUNTS", rows)
    where = {"x": "x", "y": "y", "domain": IntegerDomain(3, 50)}
    forms = (shuffled_table(), shuffled_table().to_pandas())
    samples = [(Sample.read(form, **where), read_batches(form, **where)) for form in forms]
    samples += [*random_samples(ROWS, 130), *listed_samples(ROWS, 3, 130)]
    for plain, streamed in samples:
        assert isinstance(streamed, Stored)
        for first in (1, 64, 65, plain.n - 1):
            one, other = SeededSource(first), SeededSource(first)
            here, there = streamed.split(one, first), plain.split(other, first)
            assert [part.n for part in here] == [first, plain.n - first]
            for part, same in zip(here, there, strict=True):
                assert multiset(part) == multiset(same)
                assert part.costs == same.costs
                batches = list(part.batches())
                assert np.concatenate([b.points for b in batches]).tolist() == same.points.tolist()
                assert sum(b.counts.sum() for b in batches) + sum(part.outside) == same.n
            assert one.below(2**60) == other.below(2**60)
            again = [part.split(SeededSource(3), 1)[0] for part in (here[0], there[0])]
            assert multiset(again[0]) == multiset(again[1])


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "name", ["thresholds(3, 50)", "points(3, 50)", "intervals(3, 50)", 'prefixes("ipv4")']
)
def test_evaluations_and_held_out_records_are_streamed(name, monkeypatch):
    """Equal seeds release equal models; of classes over integers nothing is brought together."""
    monkeypatch.setattr("littlestone.data.stored._COUNTS", 16)
    cls, table = parse_class(name), shuffled_table()
    if "prefixes" in name:
        networks = [f"10.{i % 7}.0.0/{8 + i % 20}" if i % 9 else "x" for i in range(400)]
        table = table.set_column(0, "x", pa.array(networks))
    learner = registry.make("agnostic", cls, epsilon=2)
    where = {"x": "x", "y": "y", "domain": cls.domain}
    plain = Sample.read(table, **where)
    for seed, extra in enumerate(({"evaluate": "1/10"}, {"evaluate": 2, "holdout": "1/4"})):
        streamed = read_batches(table, **where)
        released(learner, (streamed, plain), seed, **extra)
        if "prefixes" not in name:
            assert "counted" not in vars(streamed)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["thresholds(3, 50)", "points(3, 50)", "intervals(3, 50)"])
def test_parts_of_the_file_without_records_of_the_dealt_part(name):
    """Most parts hold no record that is learned from (or none that is held out)."""
    cls, records = parse_class(name), [(x, int(x > 20)) for x in range(3, 51, 4)]
    learner = registry.make("agnostic", cls, epsilon=2)
    for seed, share in enumerate(("1/12", "1/2", "11/12") * 2):
        streamed = stored(records, 50)
        released(learner, (streamed, streamed.counted), seed, evaluate=2, holdout=share)
        for part in streamed.split(SeededSource(seed), 1):
            assert all(len(points) for points, _ in part.batches())
            assert part.extremes(2).n == part.n


def test_a_full_disk_while_places_are_drawn_costs_nothing(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "budget.db", epsilon=1)
    streamed = read_batches(shuffled_table(), x="x", y="y", domain=IntegerDomain(3, 50))
    learner = registry.make("agnostic", Thresholds(3, 50), epsilon=1)

    def full(*_, **__):
        raise DataError(NO_SPACE)

    monkeypatch.setattr("littlestone.data.stored._PIECE", 1)  # few records are drawn in memory
    monkeypatch.setattr("littlestone.data.stored.Store.keep", full)
    extra = {"evaluate": "1", "holdout": "1/4", "ledger": ledger}
    with pytest.raises(DataError, match="free space"):
        run(learner, streamed, SecureSource(), **extra)
    assert ledger.remaining().epsilon == 1
    monkeypatch.undo()
    run(learner, streamed, SecureSource(), **extra)
    assert ledger.remaining().epsilon == 0


def learner(name="agnostic", cls=None, **more):
    cls = Thresholds(1, 2**40) if cls is None else cls
    return registry.make(name, cls, epsilon=1, alpha="0.1", beta="0.05", **more)


@pytest.mark.more
def test_learners_of_thresholds_ask_for_it():
    """However few points are different: 2**20 rows, and one row less."""
    x = np.arange(LARGE) % 100
    table = {"x": x, "y": (x > 50).astype(np.int8)}
    for name in ("agnostic", "generic"):
        assert isinstance(read_sample(learner(name), table, x="x", y="y"), Stored)
    short = {key: column[1:] for key, column in table.items()}
    assert not isinstance(read_sample(learner(), short, x="x", y="y"), Stored)
    small = learner(cls=Thresholds(1, 2**20 - 1))
    assert not isinstance(read_sample(small, table, x="x", y="y"), Stored)
    points = learner("generic", ls.Points(1, 2**40))
    assert not isinstance(read_sample(points, table, x="x", y="y"), Stored)
    model = ls.AgnosticLearner(Thresholds(1, 2**40), epsilon=1, random_state=3)
    released = model.fit(table, x="x", y="y").release_
    assert (released.n, released.hypothesis.above) == (LARGE, 50)


@pytest.mark.more
def test_equal_seeds_learn_equal_hypotheses():
    """Whole releases: labels that are realizable, with as many levels as points; and by chance."""
    rng, agnostic = np.random.default_rng(1), learner()
    x = rng.integers(1, 2**40, 3000)
    for y in (x > 2**39, rng.random(3000) < 0.4):
        where = {"x": "x", "y": "y", "domain": agnostic.concept_class.domain}
        table = {"x": x, "y": y.astype(np.int8)}
        samples = read_batches(table, **where), Sample.read(table, **where)
        for seed in range(10):
            released(agnostic, samples, seed)
        released(agnostic, samples, 5, evaluate="1/10")
        released(agnostic, samples, 5, evaluate="1/10", holdout="1/4")
        released(learner(costs={0: 1, 1: 7}), samples, 5)


def stored(records, high):
    """The sample of a list of records; what is beyond high is outside."""
    inside = [(x, y) for x, y in records if x <= high]
    plain = Sample.of([x for x, _ in inside], [y for _, y in inside])
    outside = tuple(sum(x > high and y == label for x, y in records) for label in (0, 1))
    return kept(Sample.binary(plain.points, plain.zeros, plain.ones, outside))


def kept(sample):
    return keep_stored(sample, OnLine(Itself(2**62)))


@pytest.mark.first(1)
@pytest.mark.parametrize(("high", "n"), [(1, 3), (2, 2), (3, 2)])
def test_the_law_on_all_data_sets_is_the_one_by_hand(high, n):
    """Brute force: a weight for each threshold, from its errors on the records."""
    cls, rate = Thresholds(1, high), Fraction(1, 2)
    kinds = list(product(range(1, high + 2), (0, 1)))
    for records in combinations_with_replacement(kinds, n):
        sample = stored(list(records), high)
        law = ExactSource().law(lambda s, t=sample: cls.candidates(t).draw(rate, s).above)
        errors = [sum(int(u < x <= high) != y for x, y in records) for u in range(high + 1)]
        weights = np.exp(-float(rate) * np.array(errors))
        found = [float(law.outcomes[u]) for u in range(high + 1)]
        assert found == pytest.approx(weights / weights.sum(), rel=1e-12)
        assert law.slack.is_zero()


@pytest.mark.parametrize("parts", [1, 2, 100])
def test_batches_do_not_matter(parts, monkeypatch):
    """What is presented, and what is outermost, is the same however the points are cut."""
    rng, cls = np.random.default_rng(3), Thresholds(1, 50)
    plain = Sample.of(rng.integers(1, 51, 300), rng.integers(0, 2, 300))
    often = rng.integers(1, 10**9, len(plain.points))
    plain = Sample.binary(plain.points, plain.zeros, plain.ones * often, (2, 1))
    monkeypatch.setattr("littlestone.data.stored._COUNTS", 200 // parts)
    sources, stored = [], kept(plain)
    for sample in (stored, plain):
        sources.append(ReplaySource([3, 0]))
        sources[-1].hypothesis = cls.candidates(sample).draw(Fraction(1, 7), sources[-1])
    assert sources[0].presented == sources[1].presented
    assert sources[0].hypothesis == sources[1].hypothesis
    for most in (1, 9, 10_000):
        one, other = stored.extremes(most), plain.extremes(most)
        assert (one.n, one.inside, one.outside) == (other.n, other.inside, other.outside)
        assert one.zeros[:most].tolist() == other.zeros[:most].tolist()
        assert one.ones[:most].tolist() == other.ones[:most].tolist()
    assert "counted" not in vars(stored)


def test_the_table_is_read_once():
    """What another program does to the table afterwards changes nothing."""
    connection = duckdb.connect()
    connection.execute("create table t as select range x, (range > 50)::int y from range(100)")
    table, domain = connection.table("t"), IntegerDomain(0, 999)
    sample = read_batches(table, x="x", y="y", domain=domain)
    connection.execute("delete from t where x < 90")
    assert [batch.points.tolist() for batch in sample.batches()] == [list(range(100))]
    connection.execute("drop table t")
    assert sample.points.tolist() == list(range(100))
    assert (sample.n, sample.positives) == (100, 49)


@pytest.mark.more
def test_a_full_disk_is_an_error_before_anything_is_paid(tmp_path):
    """A file system of two megabytes: what does not fit there is refused, and costs nothing."""
    code = """
import resource, sys
import numpy as np
import littlestone as ls
from littlestone.errors import DataError
ledger = ls.Ledger(sys.argv[1], epsilon=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 21, 1 << 21))
x = np.random.default_rng(0).integers(1, 2**40, 1 << 20)
model = ls.AgnosticLearner(ls.Thresholds(1, 2**40), epsilon=1)
try:
    model.fit({"x": x, "y": (x > 50).astype(np.int8)}, x="x", y="y", ledger=ledger)
except DataError as error:
    print(error.__context__, ledger.remaining().epsilon, hasattr(model, "release_"), error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "budget.db"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout.startswith("None 1 False The private copy of the records could not be")


DAMAGES = ("UPDATE {} SET key = 7 WHERE key = 3", "DELETE FROM {} WHERE key = 3", "DROP TABLE {}")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_copy_is_noticed(damage):
    sample = read_batches(shuffled_table(), x="x", y="y", domain=IntegerDomain(3, 50))
    sample.store._connection.execute(damage.format(f"{sample.store._name}.records"))
    with pytest.raises(DataError, match="damaged") as refused:
        _ = sample.points
    assert refused.value.__context__ is None


# -- Users that are looked at block by block -------------------------------------------------------


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


@pytest.fixture(
    params=[pytest.param(1, marks=pytest.mark.more), 7, 100, 10**6], ids="batches of {}".format
)
def batches(request, monkeypatch):
    """Users that end anywhere in a batch, and that are in many of them."""
    monkeypatch.setattr("littlestone.data.stored._ROWS", request.param)


def check_users(form, table, **where):
    """Compare users in a store, all together and in blocks, with a reading by hand."""
    found = read_batches(form, **WHERE, **where)
    assert isinstance(found, StoredUsers)
    wanted = users_by_hand(table["who"], by_hand(table, DOMAIN, **where))
    assert [user for block in found.blocks() for user in users_of(block)] == wanted
    plain = UserSample.read(form, **WHERE, **where)
    assert users_of(found.counted) == users_of(plain) == wanted
    assert found.keys.tolist() == plain.keys.tolist()
    assert repr(found) == repr(plain) == f"UserSample(n={len(wanted)})"


@pytest.mark.first(3)
@pytest.mark.parametrize("seed", range(2))
def test_numbers_of_users(batches, seed, tmp_path):
    data = table(seed=seed)
    for form in containers(data, tmp_path):
        check_users(form, data.to_pydict())
    for positive in (0, 2, 7):
        check_users(data, data.to_pydict(), positive=positive)


@pytest.mark.first(1)
def test_other_cells_of_users(batches, tmp_path):
    """Names with white space, texts that are numbers; the engine groups raw cells."""
    rng = public_generator(1)
    names = ["ann", " ann", "Bob", "7", " 7", "007", "", None, "\u00e9", "1e3", "\u0130"]
    cells = ["3", " 3.0", "x", "39", None, "1e1", "41", "-0"]
    labels = ["1", "1.0", "yes", None, "0", " 1 "]
    pools = {"who": names, "x": cells, "y": labels}
    data = pa.table(
        {name: [pool[i] for i in rng.integers(0, len(pool), 400)] for name, pool in pools.items()}
    )
    data.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    numbers = data.set_column(0, "who", table(400)["who"])
    for form, known in ((data, data), (tmp_path / "t.csv", data), (numbers, numbers)):
        check_users(form, known.to_pydict())


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.uint64(), pa.bool_()], ids=str)
@pytest.mark.parametrize("column", ["x", "y"])
def test_numbers_of_users_of_every_type(kind, column):
    values = pa.array([0, 1, 1, None, 1, 0]).cast(kind)
    who = pa.array([3, 1, 3, 2, 2, 1], pa.uint32())
    data = pa.table({"who": who} | {"x": range(1, 7), "y": [0, 1, 1, 0, 1, 1]} | {column: values})
    check_users(data, data.to_pydict())


def test_nobody_changes_nobody_elses_key():
    """Names of 19 digits, too: with or without a row that names no user."""
    who, keys = [10**18 + 5, -(2**63), 2**63 - 1, 12], []
    for more in (who, [*who, None]):
        data = {"who": pa.array(more, pa.int64()), "x": [1] * len(more), "y": [0] * len(more)}
        check_users(pa.table(data), data | {"who": more})
        keys.append(read_batches(pa.table(data), **WHERE).keys.tolist())
    assert keys[1][:4] == keys[0]


def test_which_users_are_stored():
    data, schema = table(), Schema.from_dict({"x": {"bins": [3]}})
    # however few records there are: their number is private
    for rows in (data, data.slice(0, 1), data.slice(0, 0)):
        assert isinstance(read_batches(rows, **WHERE, large=LARGE), StoredUsers)
    for users in (
        read_batches(data, **WHERE | {"domain": IntegerDomain(1, 2**70)}),
        read_batches(data, **WHERE | {"domain": ls.Rules(schema).domain, "x": None}),
        read_batches(pa.table({"who": [1], "x": [1], "y": [1]}), **WHERE, strict=True),
    ):
        assert not isinstance(users, StoredUsers)
    assert read_batches(data.slice(0, 0), **WHERE).n_users == 0


#: Each method that users in a store have, and what it says.
METHODS = {
    "blocks": lambda users: [user for block in users.blocks() for user in users_of(block)],
    "bound_contributions": lambda users: users.bound_contributions(3, salt=4),
    "complete": lambda users: users.complete(),
    "groups_at": lambda users: users.groups_at(np.arange(0, len(users.count), 3)),
    "kept": lambda users: users.kept(2, salt=1),
    "keeping": lambda users: users.keeping(users.count // 2),
    "merged": lambda users: users.merged(),
    "one_of_each": lambda users: users.one_of_each(SeededSource(5)),
    "pooled": lambda users: users.pooled(),
    "split": lambda users: users.split(SeededSource(6), 13),
}


def written_out(said):
    """Return samples and arrays as lists."""
    if isinstance(said, tuple):
        return [written_out(part) for part in said]
    if is_sample(said):
        fields = ("points", "user", "point", "code", "count", "counts", "keys", "outside")
        return [written_out(getattr(said, name, None)) for name in fields]
    return said.tolist() if isinstance(said, np.ndarray) else said


def test_users_in_a_store_have_the_methods_of_others(batches):
    given = inspect.getmembers(UserSample, inspect.isfunction)
    assert {name for name, _ in given if not name.startswith("_")} == {*METHODS}
    data = table()
    plain, found = UserSample.read(data, **WHERE), read_batches(data, **WHERE)
    for name, call in METHODS.items():
        assert written_out(call(found)) == written_out(call(plain)), name


@pytest.mark.first(4)
@pytest.mark.parametrize("most", [1, 3, 11, 1000])
def test_the_same_records_are_kept(batches, most):
    data = table(1500, users=9)
    plain, found = UserSample.read(data, **WHERE), read_batches(data, **WHERE)
    for salt in (0, 1):
        cut, same = (users.bound_contributions(most, salt=salt) for users in (found, plain))
        again, twice = (users.bound_contributions(2, salt=5) for users in (cut, same))
        for one, other in ((cut, same), (again, twice)):
            for name in ("points", "user", "point", "code", "count", "keys"):
                assert getattr(one, name).tolist() == getattr(other, name).tolist()
            assert multiset(one.pooled()) == multiset(other.pooled())


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
    plain, found = UserSample.read(data, **where), read_batches(data, **where)
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
def test_users_equal_seeds_learn_equal_hypotheses(method, monkeypatch):
    """Whole releases, with an evaluation; the groups are never brought together."""
    monkeypatch.setattr("littlestone.data.stored._ROWS", 64)
    budget = {"epsilon": 8, "alpha": "0.2", "beta": "0.1", "samples_per_user": 6}
    learner = UserAgnostic(ls.Thresholds(1, 40), method=method, **budget)
    data = table(3000, users=300)
    plain = UserSample.read(data, **WHERE)
    for seed in range(3):
        for extra in ({}, {"evaluate": 1}):
            found = read_batches(data, **WHERE)
            released(learner, (found, plain), seed, **extra)
            assert "counted" not in vars(found)


def test_learners_ask_for_it():
    data = {"who": np.arange(99) % 9, "x": np.arange(99) % 40, "y": np.arange(99) % 2}
    learner = UserAgnostic(
        ls.Thresholds(1, 40), epsilon=1, alpha="0.1", beta="0.1", samples_per_user=5
    )
    where = {"user": "who", "x": "x", "y": "y"}
    assert isinstance(read_sample(learner, data, **where), StoredUsers)


def test_users_a_full_disk_is_an_error_before_anything_is_paid(tmp_path, monkeypatch):
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


# -- Users are named by integers or texts: floats are refused by type, in tables as in arrays ------


LINE = ls.Thresholds(1, 9)
NAMED = {"user": "who", "x": "x", "y": "y", "domain": LINE.domain}
#: 40 users whose names a float cannot tell apart, and one who is not named.
NAMES = [2**53 + i for i in range(40)]
CSV = "who,x,y\n" + "".join(f"{who},3,1\n" for who in NAMES)
INFERRED = pd.read_csv(io.StringIO(CSV + ",3,1\n"))


def test_the_frame_of_the_example():
    """One missing name, and pandas makes floats of all others."""
    assert pd.read_csv(io.StringIO(CSV)).who.dtype == "int64"
    assert INFERRED.who.dtype == "float64"
    assert INFERRED.who.nunique() < 40


@pytest.mark.parametrize(
    "table",
    [
        INFERRED,
        INFERRED.astype({"who": "float32"}),
        INFERRED.astype({"who": "Float64"}),
        pl.from_pandas(INFERRED),
        pl.from_pandas(INFERRED).lazy(),
        pa.Table.from_pandas(INFERRED),
        pa.Table.from_pandas(INFERRED.assign(who=np.float16(1))),
        duckdb.from_arrow(pa.Table.from_pandas(INFERRED)),
        {name: column.to_numpy() for name, column in INFERRED.items()},
        INFERRED.to_records(index=False),
    ],
    ids=["pandas", "short", "nullable", "polars", "lazy", "Arrow", "half", "DuckDB", "dict", "rec"],
)
def test_floats_are_refused(table):
    learner = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2)
    for call in (
        lambda: ls.data.UserSample.read(table, **NAMED),
        lambda: read(table, **NAMED, need="batches", large=1),
        lambda: learner.fit(table, "y", x="x", user="who"),
    ):
        with pytest.raises(DataError, match=r"column 'who' given to .* floats") as refused:
            call()
        assert "Int64" in str(refused.value)
        assert str(2**53) not in str(refused.value)
    with pytest.raises(DataError) as array:
        learner.fit(INFERRED.x, INFERRED.y, groups=INFERRED.who)
    words = "must be integers or texts. They are floats"
    assert str(array.value).partition(words)[2] == str(refused.value).partition(words)[2]


@pytest.mark.parametrize("kind", ["Int64", str, "int64[pyarrow]"])
def test_the_next_step_keeps_users_apart(kind):
    frame = pd.read_csv(io.StringIO(CSV + ",3,1\n"), dtype={"who": kind})
    assert ls.data.UserSample.read(frame, **NAMED).n_users == 41
    assert ls.data.UserSample.read(pl.from_pandas(frame), **NAMED).n_users == 41


def test_each_cell_of_python_objects_is_read_alone(tmp_path):
    """Of these nothing was inferred: 7, 7.0 and "7" name one user."""
    table = {"who": [7, 7.0, "7", None, 8], "x": [1] * 5, "y": [0] * 5}
    assert ls.data.UserSample.read(table, **NAMED).n_users == 3
    (tmp_path / "t.csv").write_text("who,x,y\n7,1,0\n 7,1,0\n8,1,0\n,1,0\n")
    assert ls.data.UserSample.read(tmp_path / "t.csv", **NAMED).n_users == 3
    assert np.isnan(INFERRED.who).sum() == 1
