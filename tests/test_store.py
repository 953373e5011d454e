"""Durable files: whole or not at all, for one owner, checked before they are used."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
import sys

import pytest

from littlestone.errors import StoreError
from littlestone.safe_io import private_folder
from littlestone.store import Kind, Store

TABLE = "CREATE TABLE hits (n INTEGER NOT NULL UNIQUE, word TEXT) STRICT"
KIND = Kind("counter", 0x4C530000, 3, (TABLE,))
INSERT = "INSERT INTO hits VALUES (?, ?)"
NOBODY = 65534


@pytest.fixture
def path(tmp_path):
    where = tmp_path / "hits.db"
    Store.create(where, KIND, [("INSERT INTO hits VALUES (?, ?)", (1, "canary"))])
    return where


def add(path, n, **options):
    with Store.open(path, KIND, **options) as store, store.transaction() as sql:
        sql.execute("INSERT INTO hits VALUES (?, 'x')", (n,))


def numbers(path):
    with Store.open(path, KIND) as store:
        return [n for (n,) in store.read("SELECT n FROM hits ORDER BY n")]


def refused(path, reason, **options):
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as caught:
        Store.open(path, KIND, **options).close()
    assert caught.value.reason == reason, caught.value
    assert str(path) in str(caught.value)
    assert "canary" not in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before
    return str(caught.value)


def python(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize("durability", ["power", "kill"])
def test_a_transaction_is_kept_whole_or_not_at_all(path, durability):
    add(path, 2, durability=durability)
    with Store.open(path, KIND, durability=durability) as store:
        with contextlib.suppress(KeyError), store.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (3, 'x')")
            raise KeyError
        with store.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (4, 'x')")
        (mode,) = store.read("PRAGMA synchronous")[0]
        assert mode == {"power": 2, "kill": 0}[durability]
        assert store.read("PRAGMA journal_mode") == [("persist",)]
    assert numbers(path) == [1, 2, 4]


def test_only_the_owner_can_enter(path, tmp_path):
    with Store.open(path, KIND) as store, store.transaction() as sql:
        sql.execute("INSERT INTO hits VALUES (2, 'x')")
        made = sorted(p.name for p in tmp_path.iterdir())
        assert made == ["hits.db", "hits.db-journal"]
        assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o600}
    for mode in (0o640, 0o604, 0o620):
        path.chmod(mode)
        assert "chmod 600" in refused(path, "permissions")
    folder = private_folder(tmp_path / "state")
    assert private_folder(folder).stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(StoreError, match="chmod 700"):
        private_folder(folder)
    with pytest.raises(StoreError, match="must be a folder"):
        private_folder(path)
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(StoreError, match="not a link"):
        private_folder(tmp_path / "link")
    with pytest.raises(StoreError, match="could not be created"):
        private_folder(tmp_path / "no" / "state")


def test_creation_never_replaces_a_file(path, tmp_path):
    for name in ("hits.db", "folder", "dangling"):
        where = tmp_path / name
        if name == "folder":
            where.mkdir()
        if name == "dangling":
            where.symlink_to("nowhere")
        with pytest.raises(StoreError) as caught:
            Store.create(where, KIND)
        assert caught.value.reason == "exists"
    with pytest.raises(StoreError, match="create it first"):
        Store.create(tmp_path / "no" / "hits.db", KIND)
    with pytest.raises(StoreError, match="could not be created"):
        Store.create(tmp_path / ("n" * 300), KIND)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "folder", "hits.db"]
    assert numbers(path) == [1]


def test_a_second_name_is_refused(path, tmp_path):
    os.link(path, tmp_path / "other.db")
    for name in (path, tmp_path / "other.db"):
        assert "hard links" in refused(name, "links")
    (tmp_path / "other.db").unlink()
    assert numbers(path) == [1]
    # what a kill in the middle of a creation leaves is forgotten
    os.link(path, tmp_path / ".hits.db.x1y2z3_4")
    assert numbers(path) == [1]
    assert [p.name for p in tmp_path.iterdir()] == ["hits.db"]


@pytest.mark.parametrize("durability", ["power", "kill"])
def test_the_file_alone_holds_what_was_acknowledged(path, tmp_path, durability):
    with Store.open(path, KIND, durability=durability) as store, Store.open(path, KIND):
        for n in range(2, 60):
            with store.transaction() as sql:
                sql.execute("INSERT INTO hits VALUES (?, ?)", (n, "w" * 200))
            copy = tmp_path / f"copy{n}.db"
            shutil.copy2(path, copy)
            assert numbers(copy) == list(range(1, n + 1))


def test_a_creation_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(StoreError):
        Store.create(tmp_path / "a.db", KIND, [("INSERT INTO hits VALUES (?, 'x')", (None,))])
    assert list(tmp_path.iterdir()) == []


def test_of_many_creators_one_wins(tmp_path):
    code = """if True:
        import sys
        from littlestone.store import Kind, Store
        from littlestone.errors import StoreError
        try:
            Store.create(sys.argv[1], Kind("counter", 7, 1, ("CREATE TABLE t (n INTEGER)",)))
            print("made")
        except StoreError as problem:
            print(problem.reason)
    """
    runs = [python(code, tmp_path / "a.db") for _ in range(4)]
    said = sorted(run.communicate()[0].strip() for run in runs)
    assert said == ["exists", "exists", "exists", "made"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.db"]


def test_what_is_not_an_ordinary_file(path, tmp_path):
    refused(tmp_path / "absent.db", "missing")
    refused(path / "below.db", "missing")
    refused(tmp_path, "not a file")
    (tmp_path / "link.db").symlink_to(path)
    refused(tmp_path / "link.db", "not a file")
    os.mkfifo(tmp_path / "pipe.db", 0o600)
    refused(tmp_path / "pipe.db", "not a file")
    (tmp_path / "hits.db-wal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match=r"-wal is a link"):
        Store.open(path, KIND)
    assert not (tmp_path / "elsewhere").exists()


def edited(path, *statements):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as sql:
        for statement in statements:
            sql.execute(statement)


def test_another_kind_another_version_other_tables(path, tmp_path):
    foreign = tmp_path / "foreign.db"
    edited(foreign, TABLE)
    foreign.chmod(0o600)
    assert "not a counter" in refused(foreign, "kind")
    (tmp_path / "empty.db").touch(0o600)
    refused(tmp_path / "empty.db", "kind")
    edited(path, "PRAGMA user_version = 4")
    assert "format 4" in refused(path, "version")
    edited(path, "PRAGMA user_version = 3", "CREATE TRIGGER t AFTER INSERT ON hits BEGIN "
           "DELETE FROM hits; END")  # fmt: skip
    refused(path, "damaged")
    edited(path, "DROP TRIGGER t", "ALTER TABLE hits RENAME COLUMN word TO other")
    refused(path, "damaged")


def test_a_truncated_or_overwritten_file(path, tmp_path):
    with Store.open(path, KIND) as store, store.transaction() as sql:
        sql.executemany(INSERT, [(n, "w" * 50) for n in range(2, 400)])
    whole = path.read_bytes()
    bad = tmp_path / "bad.db"
    for content in (
        whole[: len(whole) // 2],
        whole[:5000],
        whole[:70],
        b"n,word\n1,canary\n",
        whole[:8192] + bytes(4096) + whole[12288:],
        whole[:4096] + b"\xff" * 4096 + whole[8192:],
    ):
        bad.write_bytes(content)
        bad.chmod(0o600)
        with pytest.raises(StoreError) as caught:
            Store.open(bad, KIND)
        assert caught.value.reason in {"damaged", "kind"}
        assert bad.read_bytes() == content
    bad.write_bytes(whole)
    assert len(numbers(bad)) == 399


def test_a_table_whose_name_is_not_text(path):
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"CREATE TABLE hits", b"CREATE TABLE h\xffts"))
    refused(path, "damaged")


def test_a_huge_file_is_not_read(path):
    os.truncate(path, 2**31)  # sparse
    with pytest.raises(StoreError, match="too large"):
        Store.open(path, KIND)


def test_a_cell_that_is_too_long_or_not_text(path):
    edited(path, "INSERT INTO hits VALUES (9, CAST(x'ff00fe' AS TEXT))")
    with Store.open(path, KIND) as store:
        with pytest.raises(StoreError) as caught:
            store.read("SELECT word FROM hits")
        assert caught.value.reason == "damaged"
        with pytest.raises(StoreError), store.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (10, ?)", ("x" * 2**21,))
    edited(path, "DELETE FROM hits WHERE n = 9", f"INSERT INTO hits VALUES (9, '{'x' * 2**21}')")
    with pytest.raises(StoreError), Store.open(path, KIND) as store:
        store.read("SELECT word FROM hits")


HOLD = """if True:
    import sys
    sys.path.insert(0, sys.argv[2])
    from test_store import KIND, Store
    store = Store.open(sys.argv[1], KIND, exclusive=True)
    print("open", flush=True)
    sys.stdin.read()
"""


def test_the_second_process_is_refused(path):
    holder = python(HOLD, path, os.path.dirname(__file__))
    try:
        assert holder.stdout.readline() == "open\n"
        for exclusive in (True, False):
            assert "another process" in refused(path, "locked", exclusive=exclusive, timeout=0.1)
    finally:
        holder.kill()  # not even asked
        holder.communicate()
    add(path, 2, exclusive=True)
    assert numbers(path) == [1, 2]


def test_the_second_store_in_one_process_is_refused(path):
    with Store.open(path, KIND, exclusive=True):
        refused(path, "locked", exclusive=True, timeout=0)
    with Store.open(path, KIND) as store, store.transaction():
        refused(path, "locked", exclusive=True, timeout=0)


def test_writers_wait_for_each_other(path):
    with Store.open(path, KIND) as first, Store.open(path, KIND, timeout=0.1) as second:
        with first.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (2, 'x')")
            assert second.read("SELECT count(*) FROM hits") == [(1,)]
            with pytest.raises(StoreError, match="another process"), second.transaction():
                pass
        with second.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (3, 'x')")
    assert numbers(path) == [1, 2, 3]


def test_a_full_disk(path):
    with Store.open(path, KIND) as store:
        store.read("PRAGMA max_page_count = 4")
        with pytest.raises(StoreError, match="disk is full") as caught, store.transaction() as sql:
            sql.executemany(
                "INSERT INTO hits VALUES (?, ?)", [(n, "w" * 99) for n in range(2, 999)]
            )
        assert caught.value.reason == "full"
        store.read("PRAGMA max_page_count = 99")
        with store.transaction() as sql:
            sql.execute("INSERT INTO hits VALUES (5, 'x')")
    assert numbers(path) == [1, 5]


def test_a_disk_that_refuses_to_write(path):
    with Store.open(path, KIND) as store:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
        try:
            with pytest.raises(StoreError) as caught, store.transaction() as sql:
                sql.executemany(INSERT, [(n, "w" * 99) for n in range(2, 9999)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert caught.value.reason in {"input/output", "full"}
    assert numbers(path) == [1]


def as_nobody(call):
    """Return the reason of the refusal that an ordinary user meets (root may do everything)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            call()
            os.write(write, b"opened")
        except StoreError as problem:
            os.write(write, problem.reason.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as said:
        return said.read()


def test_a_read_only_folder(path, tmp_path):
    where = tmp_path / "kept"
    where.mkdir()
    mine = where / "hits.db"
    shutil.copy(path, mine)
    if os.geteuid() == 0:
        for item in (where, mine):
            os.chown(item, NOBODY, NOBODY)
        for folder in (tmp_path, *tmp_path.parents[:3]):
            folder.chmod(0o755)
    assert as_nobody(lambda: Store.open(mine, KIND)) == "opened"
    where.chmod(0o500)
    assert as_nobody(lambda: Store.open(mine, KIND)) == "readonly"
    assert as_nobody(lambda: Store.create(where / "new.db", KIND)) == "readonly"
    where.chmod(0o700)
    mine.chmod(0o400)
    assert as_nobody(lambda: Store.open(mine, KIND)) == "readonly"
    where.chmod(0o000)
    assert as_nobody(lambda: Store.open(mine, KIND)) in {"missing", "folder", "readonly"}
    where.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(mine, 0, 0)
        mine.chmod(0o600)
        assert as_nobody(lambda: Store.open(mine, KIND)) == "permissions"


def test_a_fork_does_not_touch_its_parents_file(path):
    with Store.open(path, KIND, exclusive=True) as store:
        child = os.fork()
        if child == 0:
            try:
                store.read("SELECT 1")
            except StoreError as problem:
                store.close()
                os._exit(7 if problem.reason == "forked" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        refused(path, "locked", exclusive=True, timeout=0)


def test_misuse_is_said_as_such(path):
    with pytest.raises(StoreError, match="'power' or 'kill'"):
        Store.open(path, KIND, durability="yes")
    with (
        Store.open(path, KIND) as store,
        pytest.raises(StoreError) as caught,
        store.transaction() as sql,
    ):
        sql.execute(INSERT, (1, "again"))
    assert caught.value.reason == "constraint"
    with pytest.raises(sqlite3.ProgrammingError):
        store.read("SELECT 1")


def test_a_row_that_is_too_long_is_no_damage(tmp_path):
    path = tmp_path / "long.db"
    kind = Kind("list", 7, 1, ("CREATE TABLE texts (t TEXT NOT NULL) STRICT",), longest=2000)
    Store.create(path, kind)
    with Store.open(path, kind) as store:
        with pytest.raises(StoreError, match="too long"), store.transaction() as sql:
            sql.execute("INSERT INTO texts VALUES (?)", ("x" * 2001,))
        with store.transaction() as sql:
            sql.execute("INSERT INTO texts VALUES (?)", ("x" * 5,))
        assert store.read("SELECT * FROM texts") == [("xxxxx",)]
