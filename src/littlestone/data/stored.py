"""Samples that are not in memory: batches in order from a `Store`, or a table not yet read.

Every pass is over the same private copy of the records, whatever happens to the table. Records
that are held out are drawn as they are in memory: by their places among all records in canonical
order; each part is the same copy, with how many records of each entry belong to it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.costs import Costs
from littlestone.data.containers import connect, run_engine
from littlestone.data.domains import Itself, check_same, distinct, totals, user_index
from littlestone.data.sample import Batch, Counts, Extremes, Sample
from littlestone.data.targets import TargetSample, UserSample
from littlestone.errors import DataError
from littlestone.source import BitSource
from littlestone.types import Points

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    from littlestone.data.domains import Keys, Line
    from littlestone.source import Source


# -- What does not fit into memory: tables of one reading, in a DuckDB file that has no name.
#
# The file loses its name as soon as it is open, so the system frees it with the process, however
# that ends. Grouping and sorting are DuckDB's, which spills beyond its memory (`engine.py`).


NO_SPACE = (
    "The private copy of the records could not be written; check the free space in the folder of "
    "temporary files. Nothing is released."
)
DAMAGED = "The private copy of the records is damaged. Nothing is released; read them again."

_ROWS = 1 << 18  # of a batch
_NUMBERS = count()


class _Table(NamedTuple):
    keys: tuple[str, ...]
    rows: int


class Store:
    """Sorted tables, each written once and read again and again.

    Examples
    --------
    >>> import pyarrow as pa
    >>> store = Store()
    >>> given = pa.table({"key": [5, 3, 5], "n": [1, 2, 3]})
    >>> store.keep("points", given.schema, given.to_batches(), "key", add="n")
    >>> [batch.to_pydict() for batch in store.batches("points")]
    [{'key': [3, 5], 'n': [2, 4]}]
    """

    def __init__(self) -> None:
        self._connection = connect()
        self._name = f"store{next(_NUMBERS)}"
        self._tables: dict[str, _Table] = {}
        run_engine(self._open, NO_SPACE)
        weakref.finalize(self, _close, self._connection, self._name)

    def _open(self) -> None:
        folder = tempfile.mkdtemp(prefix="littlestone-")
        path = str(Path(folder) / "s.db").replace("'", "''")
        try:
            self._connection.execute(
                f"ATTACH '{path}' AS {self._name} (RECOVERY_MODE no_wal_writes)"
            )
        finally:
            if os.name == "nt":  # an open file keeps its name there
                atexit.register(shutil.rmtree, folder, ignore_errors=True)
            else:
                shutil.rmtree(folder)

    def keep(
        self,
        table: str,
        schema: pa.Schema,
        given: Iterable[pa.RecordBatch],
        keys: str = "",
        *,
        add: str = "",
    ) -> None:
        """Write batches, grouped and sorted by their keys; without keys as they come.

        ``add`` is the column that is added up over equal keys; where batches lack it, rows count.
        """
        import pyarrow as pa  # noqa: PLC0415 - loaded when something is read

        failed: list[BaseException] = []

        def watched() -> Iterator[pa.RecordBatch]:
            try:
                yield from given
            except BaseException as error:  # which DuckDB would hide
                failed.append(error)
                raise

        def write() -> int:
            reader = pa.RecordBatchReader.from_batches(schema, watched())
            self._connection.register("given", reader)
            sql = f"CREATE TABLE {self._name}.{table} AS SELECT "
            times = f"CAST(sum({add}) AS BIGINT)" if add in schema.names else "count(*)"
            sql += f"{keys}, {times} AS {add}" if add else "*"
            sql += " FROM given"
            sql += f" GROUP BY {keys}" if add else ""
            sql += f" ORDER BY {keys}" if keys else ""
            try:
                ((rows,),) = self._connection.execute(sql).fetchall()
            finally:
                self._connection.unregister("given")
            return int(rows)

        rows, stopped = 0, None
        try:
            rows = run_engine(write, NO_SPACE)
        except DataError as error:
            stopped = error
        if failed or stopped:
            raise failed[0] if failed else stopped  # type: ignore[misc]
        self._tables[table] = _Table(tuple(keys.split(", ")) if keys else (), rows)

    def batches(self, table: str, size: int = _ROWS) -> Iterator[pa.RecordBatch]:
        """Yield a table in order of its keys, the same each time."""
        keys, rows = self._tables[table]
        cursor = self._connection.cursor()
        reader = run_engine(
            lambda: cursor.sql(f"FROM {self._name}.{table}").to_arrow_reader(size), DAMAGED
        )
        last: pa.RecordBatch | None = None
        while (batch := run_engine(lambda: next(reader, None), DAMAGED)) is not None:
            columns = [batch.column(name).to_numpy() for name in keys]
            before = [] if last is None else [last.column(name)[-1].as_py() for name in keys]
            if columns and batch.num_rows and not _rises(columns, before):
                raise DataError(DAMAGED)
            rows -= batch.num_rows
            last = batch if batch.num_rows else last
            yield batch
        if rows:
            raise DataError(DAMAGED)


def _rises(columns: Sequence[npt.NDArray[Any]], before: Sequence[int]) -> bool:
    """Return whether rows are in strictly increasing order, and behind the row before."""
    rising = np.zeros(len(columns[0]) - 1, dtype=bool)
    for column in reversed(columns):
        rising = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & rising)
    first = [int(column[0]) for column in columns]
    return bool(rising.all()) and (not before or first > list(before))


def _close(connection: DuckDBPyConnection, name: str) -> None:
    connection.execute(f"DETACH {name}")


Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_PIECE = 1 << 20  # keys that are drawn at a time
_MOST = 1 << 25  # keys that are sorted at a time, about
_TOP = 16  # bits of a key that say which range it is in


# Two parts of the records need no order inside a part. `BitSource.permutation` is the order of n
# random keys, so its first m entries, as a set, are the places of the m smallest keys. The keys are
# stored as they are drawn, and sorted a range after the other.


class Places:
    """A set of places in range(n).

    Examples
    --------
    >>> chosen = Places.of(np.array([0, 2, 70]), 80)
    >>> chosen.before(np.array([0, 1, 3, 64, 71])).tolist()
    [0, 1, 2, 2, 3]
    """

    def __init__(self, words: Words) -> None:
        self._words = np.append(words, np.uint64(0))  # for the end of the last place
        upto = np.cumsum(np.bitwise_count(words), dtype=np.int64)
        self._upto = np.concatenate([[0], upto])

    @classmethod
    def of(cls, places: Ints, n: int) -> Places:
        """Return the set of some places in range(n)."""
        chosen = np.zeros(-(-n // 64) * 64, dtype=bool)
        chosen[places] = True
        return cls(_packed(chosen))

    def before(self, ends: Ints) -> Ints:
        """Return how many places of the set are smaller than each number."""
        word = ends >> 6
        below = (np.uint64(1) << (ends & 63).astype(np.uint64)) - np.uint64(1)
        found: Ints = self._upto[word] + np.bitwise_count(self._words[word] & below)
        return found


def first_places(source: Source, n: int, first: int) -> Places:
    """Return the set ``source.permutation(n)[:first]``, 1 <= first <= n; draws what that draws.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> one, other = SeededSource(3), SeededSource(3)
    >>> chosen = first_places(one, 10, 4).before(np.arange(11))
    >>> np.flatnonzero(np.diff(chosen)).tolist() == sorted(other.permutation(10)[:4].tolist())
    True
    """
    if n <= _PIECE or not isinstance(source, BitSource):
        return Places.of(source.permutation(n)[:first], n)
    found = None
    while found is None:  # where two keys are equal, all are drawn anew
        found = _smallest(source.random_bytes, n, first)
    return Places(found)


def _smallest(draw: Callable[[int], bytes], n: int, first: int, most: int = _MOST) -> Words | None:
    """Return the places of the smallest keys, as bits; None where two keys are equal."""
    schema = pa.schema([("key", pa.uint64())])
    sizes = np.zeros(1 << _TOP, dtype=np.int64)  # of ranges of keys

    def drawn() -> Iterator[pa.RecordBatch]:
        for start in range(0, n, _PIECE):
            keys = np.frombuffer(draw(8 * min(_PIECE, n - start)), dtype=np.uint64)
            np.add.at(sizes, _range(keys), 1)
            yield pa.record_batch([keys], schema=schema)

    store = Store()
    store.keep("places", schema, drawn())

    def keys() -> Iterator[Words]:
        return (batch.column(0).to_numpy() for batch in store.batches("places", _PIECE))

    limit, low, upto = np.uint64(0), 0, np.cumsum(sizes)
    while low < len(sizes):  # sort some ranges after the other
        done = int(upto[low - 1]) if low else 0
        high = max(int(np.searchsorted(upto, done + most, side="right")), low + 1)
        found = np.concatenate([k[(low <= _range(k)) & (_range(k) < high)] for k in keys()])
        found.sort()
        if (found[1:] == found[:-1]).any():
            return None
        if done < first <= done + len(found):
            limit = found[first - 1 - done]
        low = high
    return _packed(np.concatenate([k <= limit for k in keys()]))


def _range(keys: Words) -> Ints:
    return (keys >> np.uint64(64 - _TOP)).astype(np.int64)


def _packed(chosen: npt.NDArray[np.bool_]) -> Words:
    spare = np.zeros(-len(chosen) % 64, dtype=bool)
    bits = np.packbits(np.concatenate([chosen, spare]), bitorder="little")
    return bits.view("<u8").astype(np.uint64)


_NONE = np.zeros(0, dtype=np.int64)
_COUNTS = 1 << 22  # of a batch, at most about


class OnLine:
    """Points by their numbers on a line."""

    names = ("key",)

    def __init__(self, line: Line) -> None:
        self.line = line
        self.ordered = isinstance(line, Itself)

    def words(self, points: Points) -> list[Ints]:
        """Return the numbers of points."""
        return [self.line.keys(points)]

    def points(self, words: Sequence[Ints]) -> Points:
        """Return the points of numbers."""
        return self.line.points(words[0])


class Encoded:
    """Rows of a schema as bit fields, ordered as the codes are.

    Examples
    --------
    >>> layout = Encoded([4, 3])
    >>> words = layout.words(np.array([[2, 1], [3, 2]]))
    >>> [word.tolist() for word in words], layout.points(words).tolist()
    ([[9, 14]], [[2, 1], [3, 2]])
    """

    ordered = True

    def __init__(self, n_codes: Sequence[int]) -> None:
        self.n_codes = tuple(n_codes)
        self._bits: list[list[int]] = [[]]  # of the columns of each word
        for codes in self.n_codes:
            bits = max(1, (codes - 1).bit_length())
            if sum(self._bits[-1]) + bits > 62:
                self._bits.append([])
            self._bits[-1].append(bits)
        self.names = tuple(f"w{i}" for i in range(len(self._bits)))

    def words(self, points: Points) -> list[Ints]:
        """Return the words of rows of codes."""
        columns, out = iter(points.T), []
        for fields in self._bits:
            word = np.zeros(len(points), dtype=np.int64)
            for bits in fields:
                word <<= bits
                word |= next(columns)
            out.append(word)
        return out

    def points(self, words: Sequence[Ints]) -> Points:
        """Return the codes, a row for each row."""
        codes = np.empty((len(self.n_codes), len(words[0])), dtype=np.int16)
        j = 0
        for word, fields in zip(words, self._bits, strict=True):
            shift = sum(fields)
            for bits in fields:
                shift -= bits
                codes[j] = (word >> shift) & ((1 << bits) - 1)
                j += 1
        return codes.T


def whole(batches: Iterator[pa.RecordBatch], keys: int) -> Iterator[list[npt.NDArray[Any]]]:
    """Yield the columns of sorted batches, so that no key (of the first columns) is in two."""
    kept: list[list[npt.NDArray[Any]]] = []
    for batch in batches:
        columns = [column.to_numpy() for column in batch.columns]
        if not len(columns[0]):
            continue
        if kept and all(kept[-1][k][-1] == columns[k][0] for k in range(keys)):
            starts = np.flatnonzero(_starts(columns[:keys]))
            cut = int(starts[1]) if len(starts) > 1 else len(columns[0])
            kept.append([column[:cut] for column in columns])
            columns = [column[cut:] for column in columns]
            if not len(columns[0]):
                continue
        if kept:
            yield _joined(kept)
        kept = [columns]
    if kept:
        yield _joined(kept)


def _starts(words: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    """Return where a row differs from the one before."""
    new = np.ones(len(words[0]), dtype=bool)
    new[1:] = words[0][1:] != words[0][:-1]
    for word in words[1:]:
        new[1:] |= word[1:] != word[:-1]
    return new


def _joined(kept: list[list[npt.NDArray[Any]]]) -> list[npt.NDArray[Any]]:
    return kept[0] if len(kept) == 1 else [np.concatenate(c) for c in zip(*kept, strict=True)]


class _NotInMemory(Sample):
    """What samples have in common that are brought to memory only if needed."""

    in_memory = False

    @cached_property
    def points(self) -> Points:
        """Distinct points; brings them together."""
        return self.counted.points

    @cached_property
    def counts(self) -> Counts:
        """Records with each label at each point; brings the points together."""
        return self.counted.counts

    def within(self, low: int, high: int) -> Sample:
        """Return the sample itself: it was read by the bounds of its domain."""
        return self


class Stored(_NotInMemory):
    """A sample in a store that is read in batches, or one of two parts of it.

    Examples
    --------
    >>> given = pa.record_batch([[3, 5], [0, 1], [1, 2]], names=["key", "label", "n"])
    >>> stored = Stored.keep(
    ...     OnLine(Itself(9)), given.schema, [given], Costs.equal(2), np.zeros(2, dtype=np.int64))
    >>> stored, stored.points.tolist(), stored.zeros.tolist(), stored.ones.tolist()
    (Sample(n=3), [3, 5], [1, 0], [0, 2])
    """

    store: Store
    layout: OnLine | Encoded
    inside: Counts  # records inside the domain, by label
    #: Of one of two parts: the places of the first one among all records in order; which it is.
    places: Places | None = None
    first: bool = True

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)  # a sample is frozen

    def _with(self, **changed: Any) -> Stored:
        names = ("store", "layout", "inside", "outside", "costs", "places", "first")
        return Stored(**{name: getattr(self, name) for name in names} | changed)

    @classmethod
    def keep(
        cls,
        layout: OnLine | Encoded,
        schema: pa.Schema,
        given: Iterable[pa.RecordBatch],
        costs: Costs,
        outside: Counts,
    ) -> Stored:
        """Write batches of keys, labels and perhaps counts; ``outside`` is filled as they come."""
        store, inside = Store(), np.zeros_like(outside)

        def counted() -> Iterator[pa.RecordBatch]:
            for batch in given:
                label = batch.column("label").to_numpy()
                n = batch.column("n").to_numpy() if "n" in schema.names else np.ones_like(label)
                inside[:] += totals(label, n.astype(np.int64), len(inside))
                yield batch

        store.keep("records", schema, counted(), ", ".join([*layout.names, "label"]), add="n")
        beyond = tuple(outside.tolist())
        return cls(store=store, layout=layout, inside=inside, outside=beyond, costs=costs)

    @property
    def by_label(self) -> Counts:
        """Number of records with each label (private)."""
        return self.inside + np.array(self.outside, dtype=np.int64)

    def batches(self, line: Line | None = None) -> Iterator[Batch]:
        """Yield the points, or their numbers on the line by which they are stored."""
        width, labels, start = len(self.layout.names), len(self.inside), 0
        size = max(_COUNTS // labels, 1)
        for columns in whole(self.store.batches("records", size), width):
            if self.places is not None:
                n = columns[-1]
                columns[-1] = self._of_part(n, start)
                start += int(n.sum())
                some = columns[-1] > 0
                columns[:] = [column[some] for column in columns]
            *words, label, n = columns
            if not len(n):
                continue
            new = _starts(words)
            counts = np.zeros((labels, int(new.sum())), dtype=np.int64)
            counts[label, np.cumsum(new) - 1] = n
            first = [word[new] for word in words]
            yield Batch(first[0] if line is not None else self.layout.points(first), counts)

    @cached_property
    def counted(self) -> Sample:
        """The sample in memory."""
        batches = list(self.batches())
        none = self.layout.points([_NONE] * len(self.layout.names))
        points = np.concatenate([none, *(batch.points for batch in batches)])
        nothing = np.zeros((len(self.outside), 0), dtype=np.int64)
        counts = np.concatenate([nothing, *(batch.counts for batch in batches)], axis=1)
        if not self.layout.ordered:
            order = np.argsort(points, kind="stable")
            points, counts = points[order], counts[:, order]
        return Sample(points, counts, self.outside, self.costs)

    def cost_weighted(self, costs: Costs) -> Stored:
        """Return the sample with these costs of mistakes."""
        return self._with(costs=costs)

    def split(self, source: Source, first: int) -> tuple[Sample, Sample]:
        """Draw so many records, and return these, and the others; as in memory."""
        if not self.layout.ordered or self.places is not None:
            return self.counted.split(source, first)
        places = first_places(source, self.n, first)
        return self._part(places, first=True), self._part(places, first=False)

    def _part(self, places: Places, *, first: bool) -> Stored:
        part = self._with(places=places, first=first)
        inside = sum((batch.counts.sum(axis=1) for batch in part.batches()), 0 * self.inside)
        outside = part._of_part(np.array(self.outside), int(self.inside.sum()))
        return part._with(inside=inside, outside=tuple(outside.tolist()))

    def _of_part(self, n: Counts, start: int) -> Counts:
        """Return how many records of entries belong to the part; they are at start and behind."""
        assert self.places is not None
        ends = start + np.concatenate([[0], np.cumsum(n)])
        here = np.diff(self.places.before(ends))
        return here if self.first else n - here


class Unread(_NotInMemory):
    """A table of which the extreme records are read; all only if needed.

    Examples
    --------
    >>> whole = Sample.of([3, 5, 5], [0, 1, 1])
    >>> sample = Unread(3, lambda: whole, whole.extremes)
    >>> sample.n, sample.extremes(1).ones, sample.points
    (3, array([5]), array([3, 5]))
    """

    unlisted = False  # it is read for two labels
    costs = Costs.equal(2)
    #: Number of records: public under replace-one.
    n: int = 0

    def __init__(
        self,
        n: int,
        whole: Callable[[], Sample],
        extremes: Callable[[int], Extremes],
        *,
        known: tuple[int, Extremes] | None = None,
    ) -> None:
        self.__dict__.update(n=n, _whole=whole, _extremes=extremes, _known=known)

    _whole: Callable[[], Sample]
    _extremes: Callable[[int], Extremes]
    _known: tuple[int, Extremes] | None

    def extremes(self, most: int) -> Extremes:
        """Return at least ``most`` outermost records of each label, or all that there are."""
        if self._known is None or most > self._known[0]:
            self.__dict__["_known"] = most, self._extremes(most)
        found = cast("tuple[int, Extremes]", self._known)[1]
        check_same([self.n, found.n])
        return found

    def complete(self) -> None:
        """Read all records."""
        _ = self.whole

    @cached_property
    def whole(self) -> Sample:
        """The sample of all records: a reading of the whole table."""
        sample = self._whole()
        check_same([self.n, sample.n])
        return sample

    # All else is that of all records, which are read first.
    counted: Any = property(lambda self: self.whole.counted)
    by_label: Any = property(lambda self: self.whole.by_label)
    outside: Any = property(lambda self: self.whole.outside)
    batches: Any = property(lambda self: self.whole.batches)
    cost_weighted: Any = property(lambda self: self.whole.cost_weighted)
    split: Any = property(lambda self: self.whole.split)


_NOBODY = UserSample.of([], [], [])


class StoredUsers(UserSample):
    """Users that are looked at block by block; they are brought to memory only if needed.

    Examples
    --------
    >>> made = [UserSample.of([name] * 3, [3, 5, 3], [0, 1, 0]) for name in ("ann", "bob")]
    >>> keys = np.concatenate([block.keys for block in made])
    >>> users = StoredUsers(keys, lambda: iter(made))
    >>> users, users.point.tolist(), users.bound_contributions(1, salt=0).records.tolist()
    (UserSample(n=2), [0, 1, 0, 1], [1, 1])
    """

    in_memory = False

    def __init__(self, keys: Keys, blocks: Callable[[], Iterator[UserSample]]) -> None:
        self.__dict__.update(keys=keys, _blocks=blocks)  # a sample is frozen

    @classmethod
    def sorted(cls, store: Store, table: str, low: int, ranked: Keys | None = None) -> StoredUsers:
        """Return the users of a table (nobody, user, key, label, n); a key below low is outside.

        Users are numbers that name them, or, with keys, their ranks.
        """
        keys = [np.zeros(0, dtype=np.uint64)]
        for nobody, user, *_ in whole(store.batches(table), 2):
            new = _starts([nobody, user])
            named = user[new & (nobody == 0)]
            keys.append(user_index(named)[1] if ranked is None else ranked[named])
            if nobody[-1]:
                keys.append(user_index([None])[1])
        known = np.concatenate(keys)

        def blocks() -> Iterator[UserSample]:
            seen = 0
            for nobody, user, key, label, n in whole(store.batches(table), 2):
                index = np.cumsum(_starts([nobody, user])) - 1
                own = known[seen : seen + int(index[-1]) + 1]
                seen += len(own)
                inside = key >= low
                points, where = distinct(key[inside])
                point = np.full(len(key), -1, dtype=np.int64)
                point[inside] = where
                yield UserSample(points, index, point, label.astype(np.int64), n, own)

        return cls(known, blocks)

    def blocks(self) -> Iterator[UserSample]:
        """Yield samples of some users each, in their order."""
        made: Callable[[], Iterator[UserSample]] = self.__dict__["_blocks"]
        return made()

    def bound_contributions(self, most: int, *, salt: int) -> UserSample:
        """Keep at most ``most`` records of each user; see `UserSample.bound_contributions`.

        Of a block in which some user has more it is remembered how many records of each group are
        kept: a byte for each group where these are less than 256.
        """
        kept: list[npt.NDArray[Any] | None] = []
        for block in self.blocks():
            some = block.kept(most, salt=salt)
            same = np.array_equal(some, block.count)
            kept.append(None if same else some.astype(np.min_scalar_type(int(some.max()))))

        def cut() -> Iterator[UserSample]:
            for block, some in zip(self.blocks(), kept, strict=True):
                yield block if some is None else block.keeping(some.astype(np.int64))

        return StoredUsers(self.keys, cut)

    def pooled(self, labels: int | None = None) -> Sample:
        """Return all records together: their points are brought together, users are not."""
        anonymous = [replace(b, user=None, keys=None).merged() for b in [_NOBODY, *self.blocks()]]  # type: ignore[arg-type]
        return TargetSample.joined(anonymous).pooled(labels)

    @cached_property
    def counted(self) -> UserSample:
        """Bring all users together."""
        return UserSample.joined([_NOBODY, *self.blocks()])

    # These are of all users together, who are brought to memory first.
    groups_at: Any = property(lambda self: self.counted.groups_at)
    keeping: Any = property(lambda self: self.counted.keeping)
    merged: Any = property(lambda self: self.counted.merged)
    one_of_each: Any = property(lambda self: self.counted.one_of_each)
    split: Any = property(lambda self: self.counted.split)

    def __getattr__(self, name: str) -> Any:
        """Return a field of all users together."""
        if name not in ("points", "user", "point", "code", "count"):
            raise AttributeError(name)
        return getattr(self.counted, name)
