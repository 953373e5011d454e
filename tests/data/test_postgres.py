"""PostgreSQL in a cluster of its own on a socket, and DuckDB, through Ibis."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections import Counter

import duckdb
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import (
    OUTSIDE,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
    read_points,
    read_table,
)
from littlestone.data import containers as databases
from littlestone.errors import DataError, ParameterError

from . import counted, meanings
from .counted import DOMAIN, SCHEMA, base_table, multiset

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning"),  # Ibis's and DuckDB's
]

ODD = [*counted.ODD, "Bonn", "bonn", "b\\x41", "\\", "5 ", "a" * 70_000]


OPEN = []


@pytest.fixture(autouse=True)
def _closed():
    yield
    while OPEN:
        OPEN.pop().close()


def through_ibis(folder, name, database="postgres"):
    """Return a table of Ibis; its connection is closed after the test."""
    import ibis

    OPEN.append(connected(folder, database))
    return ibis.postgres.from_connection(OPEN[-1]).table(name)


def connected(folder, database="postgres"):
    import psycopg

    connection = psycopg.connect(f"host={folder} user=postgres dbname={database}", autocommit=True)
    connection.execute(
        "CREATE COLLATION IF NOT EXISTS nocase "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    return connection


def into_postgres(folder, table, name="t"):
    """Write a table whose texts have a collation without case."""
    with connected(folder) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
        connection.execute(
            f'CREATE TABLE {name} ("x.cell" text COLLATE nocase, num double precision, '
            'label varchar(20) COLLATE nocase, "The User" bigint)'
        )
        with connection.cursor() as cursor:
            rows = zip(*table.to_pydict().values(), strict=True)
            cursor.executemany(f"INSERT INTO {name} VALUES (%s, %s, %s, %s)", list(rows))


def ibis_postgres(folder, table):
    into_postgres(folder, table)
    return through_ibis(folder, "t")


def url_of(folder, table):
    into_postgres(folder, table)
    return f"postgresql://postgres:s3cret@/postgres?host={folder}&table=t"


def duckdb_of(table):
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("SET default_collation = 'nocase'")
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return connection


def ibis_duckdb(folder, table):
    import ibis

    return ibis.duckdb.from_connection(duckdb_of(table)).table("t")


ENGINES = {
    "ibis on postgres": ibis_postgres,
    "postgres by url": url_of,
    "ibis on duckdb": ibis_duckdb,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("domain", [DOMAIN, TextDomain(), RowDomain(SCHEMA)], ids=repr)
def test_every_engine_counts_what_arrow_counts(server, engine, domain):
    """Odd cells, texts that differ in case only, NaN, -0.0, NULL, white space, users."""
    x = None if isinstance(domain, RowDomain) else "x.cell"
    names = {"x": x, "y": "label", "domain": domain}
    for odd in ((), ODD):
        table = base_table(odd)
        given = ENGINES[engine](server, table)
        sample, plain = (Sample.read(t, **names) for t in (given, table))
        assert (sample.n, multiset(sample)) == (40, multiset(plain))
        users, same = (UserSample.read(t, user="The User", **names) for t in (given, table))
        assert (users.n_users, users.count.tolist()) == (same.n_users, same.count.tolist())


@pytest.mark.parametrize("engine", ENGINES)
def test_predictions_need_an_order(server, engine):
    given = ENGINES[engine](server, base_table())
    with pytest.raises(ParameterError, match="have no order in their database"):
        read_points(given, x="x.cell", domain=DOMAIN)


def test_numbers_booleans_and_padding_of_postgres(server):
    with connected(server) as connection:
        connection.execute(
            "DROP TABLE IF EXISTS kinds; CREATE TABLE kinds (a smallint, b int, c bigint, d real, "
            "e boolean, f char(6), g bytea, y int)"
        )
        connection.execute(
            "INSERT INTO kinds VALUES (3, -4, 9223372036854775807, 'infinity', true, 'a', 'z', 1), "
            "(null, null, null, '-0', null, 'A', '\\xff', 0), "
            "(3, 5, 7, 'NaN', false, null, null, 1), (3, 5, 7, 0, false, 'a  ', 'z', 1)"
        )
    kinds = through_ibis(server, "kinds")
    whole = IntegerDomain(-(2**70), 2**70)
    expected = {
        "a": {OUTSIDE: 1, 3: 3}, "b": {-4: 1, OUTSIDE: 1, 5: 2},
        "c": {2**63 - 1: 1, OUTSIDE: 1, 7: 2}, "d": {OUTSIDE: 2, 0: 2},
        "e": {1: 1, OUTSIDE: 1, 0: 2},
    }  # fmt: skip
    for column, counts in expected.items():
        found = multiset(Sample.read(kinds, x=column, y="y", domain=whole))
        assert Counter({k: c for k, c in counts.items()}) == sum(
            (Counter({point: count}) for (point, _), count in found.items()), Counter()
        )
    texts = {"f": {"a": 2, "A": 1, OUTSIDE: 1}, "g": {"z": 2, "\ufffd": 1, OUTSIDE: 1}}
    for column, counts in texts.items():
        found = multiset(Sample.read(kinds, x=column, y="y", domain=TextDomain()))
        assert counts == sum((Counter({p: c}) for (p, _), c in found.items()), Counter())


def test_other_types_are_refused_whatever_they_hold(server):
    """A date ``infinity`` would stop the driver: the type is refused, with an empty table too."""
    with connected(server) as connection:
        connection.execute(
            "DROP TABLE IF EXISTS odd; CREATE TABLE odd (d date, n numeric, u uuid, j jsonb, "
            "l int[], iv interval, y int)"
        )
    odd = through_ibis(server, "odd")
    for column in ("d", "n", "u", "j", "l", "iv"):
        with pytest.raises(DataError, match=f"column '{column}'.*whole numbers, floats"):
            Sample.read(odd, x=column, y="y", domain=TextDomain())
    assert read_table(odd).names == ("d", "n", "u", "j", "l", "iv", "y")


def test_what_cannot_keep_the_rules_is_refused_by_name(server):
    import sqlite3

    import ibis

    with tempfile.TemporaryDirectory() as folder:
        sqlite3.connect(f"{folder}/t.sqlite").execute(
            "CREATE TABLE t (x INTEGER)"
        ).connection.close()
        backend = ibis.sqlite.connect(f"{folder}/t.sqlite")
        with pytest.raises(ParameterError, match=r"Ibis on sqlite.*CSV or Parquet"):
            read_table(backend.table("t"))
        backend.disconnect()
    with pytest.raises(ParameterError, match=r"Ibis on polars.*The supported ones of Ibis are"):
        read_table(ibis.polars.connect({"t": pa.table({"x": [1]})}).table("t"))
    with connected(server) as connection:
        connection.execute("DROP DATABASE IF EXISTS plain")
        connection.execute(
            "CREATE DATABASE plain ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
            "TEMPLATE template0"
        )
    with pytest.raises(ParameterError, match="SQL_ASCII"):
        read_table(f"postgresql://postgres@/plain?host={server}&table=t")


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        ("duckdb", 'ENCODE("t0"."x")'),
        ("postgres", """CONVERT_TO("t0"."x", 'UTF8')"""),
        ("bigquery", "CAST(`t0`.`x` AS BYTES)"),
        ("databricks", "CAST(`t0`.`x` AS BINARY)"),
        ("snowflake", """TO_BINARY("t0"."x", 'UTF-8')"""),
    ],
)
def test_the_sql_of_each_database_compares_bytes(dialect, written):
    """Warehouses cannot be run here: only the text of the SQL is looked at."""
    import ibis

    table = ibis.table({"x": "string"}, name="t")
    keys = table.mutate(k=databases.encoded(table.x, dialect))
    query = ibis.to_sql(keys.group_by("k").agg(n=keys.count()), dialect=dialect)
    assert written in query.replace("\n", " ")
    assert set(databases.IBIS) == {"duckdb", "postgres", "bigquery", "databricks", "snowflake"}


def test_a_url_with_a_password_is_never_repeated(server, tmp_path, capsys):
    """Neither printed nor stored, whether the fit succeeds or not."""
    url = url_of(server, base_table())
    out, ledger = tmp_path / "model.json", tmp_path / "budget.db"
    ls.Ledger(ledger, epsilon=9)
    ask = ["--x", "x.cell", "--y", "label", "--class", "thresholds(1, 99)", "--epsilon", "1"]
    kept = ["--learner", "agnostic", "--out", str(out), "--ledger", str(ledger)]
    kept += ["--report", str(tmp_path / "page.html")]
    assert main(["fit", url, *ask, *kept]) == 0
    for broken in ("table=none", "table=t&port=1", "table=t&sslmode=s3cret"):
        assert main(["fit", url.replace("table=t", broken), *ask, *kept]) != 0
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    for path in tmp_path.iterdir():
        assert b"s3cret" not in path.read_bytes()
    assert ls.Ledger(ledger).remaining().epsilon == 8


SLOW = "CREATE OR REPLACE VIEW slow AS SELECT (1 + (pg_sleep(30) IS NULL)::int)::int AS x, 1 AS y"


def test_an_engine_that_dies_charges_nothing(cluster, tmp_path):
    """A connection that is cut, and a server that is killed with kill -9, while they count."""
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=1)
    with cluster() as folder:
        with connected(folder) as connection:
            connection.execute(SLOW)
        url = f"postgresql://postgres@/postgres?host={folder}&table=slow"

        def counting():
            """The process of the server that runs our query."""
            query = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
            for _ in range(200):
                with connected(folder) as connection:
                    found = connection.execute(query).fetchall()
                if found:
                    return found[0][0]
                time.sleep(0.05)
            raise AssertionError("the query was not seen")

        def cut():
            pid = counting()
            with connected(folder) as connection:
                connection.execute("SELECT pg_terminate_backend(%s)", [pid])

        def kill():
            os.kill(counting(), signal.SIGKILL)

        for ends in (cut, kill):
            model = ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon=1)
            other = threading.Thread(target=ends)
            other.start()
            with pytest.raises(DataError, match="engine stopped") as refused:
                model.fit(url, x="x", y="y", ledger=ledger)
            other.join()
            assert refused.value.__context__ is None
            assert not hasattr(model, "release_")
            assert ledger.remaining().epsilon == 1
    with pytest.raises(DataError, match="cannot be opened"):
        read_table(url)


def test_a_server_whose_disk_is_full_charges_nothing(server, tmp_path):
    """The server may spill 64 kB: as on a full disk, it stops."""
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=1)
    with connected(server) as connection:
        connection.execute("DROP VIEW IF EXISTS wide")
        connection.execute("CREATE VIEW wide AS SELECT x, 1 AS y FROM generate_series(1, 200000) x")
        connection.execute("ALTER ROLE postgres SET temp_file_limit = '64kB'")
        connection.execute("ALTER ROLE postgres SET work_mem = '64kB'")
    try:
        url = f"postgresql://postgres@/postgres?host={server}&table=wide"
        model = ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon=1)
        with pytest.raises(DataError, match="engine stopped"):
            model.fit(url, x="x", y="y", ledger=ledger)
    finally:
        with connected(server) as connection:
            connection.execute("ALTER ROLE postgres RESET ALL")
    assert ledger.remaining().epsilon == 1


def test_one_reading_is_one_statement(server):
    """What is counted is one state of the table, whatever is written meanwhile."""
    into_postgres(server, base_table(), "moving")
    table = through_ibis(server, "moving")
    with connected(server) as connection:
        backend = table.get_backend()
        asked, raw = [], backend.con.cursor
        backend.con.cursor = lambda *a, **k: asked.append(1) or raw(*a, **k)
        sample = Sample.read(table, x="x.cell", y="label", domain=DOMAIN)
        connection.execute("DELETE FROM moving")
    assert sample.n == 40
    assert len(asked) == 1


def test_exports_say_in_postgres_what_models_do(server):
    from tests.classes.test_exports import rows, same

    with connected(server) as connection:
        connection.execute(
            "DROP TABLE IF EXISTS exported; CREATE TABLE exported "
            '(place int, age double precision, "the city" text, x int)'
        )
        with connection.cursor() as cursor:
            cells = [tuple(row.values()) for row in rows().to_pylist()]
            cursor.executemany("INSERT INTO exported VALUES (%s, %s, %s, %s)", cells)
        order = "FROM exported ORDER BY place"
        said = lambda sql: [v for (v,) in connection.execute(f"SELECT {sql} {order}")]  # noqa: E731
        same(said, "standard", exact=False)


#: What PostgreSQL calls the types of `meanings`; the others are refused by their type: a view of
#: texts has them.
POSTGRES = {
    **{"boolean": "boolean", "integer": "bigint", "whole": "smallint", "double": "float8"},
    **{"float32": "real", "text": "text", "texts of dates": "text", "texts of moments": "text"},
}
AS_TEXT = {
    "decimal": "numeric",
    "date": "date",
    "naive us": "timestamp",
    "zoned us America/New_York": "timestamptz",
}


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns"])
@pytest.mark.parametrize("kind", [*POSTGRES, *AS_TEXT])
def test_codes_are_those_of_the_words_of_the_schema(server, kind, zone):
    """As in every other container, whatever the zone of the session that writes a text."""
    rules, cells = meanings.rules_of(kind), meanings.CELLS[kind]
    names = [f"c{j}" for j in range(len(rules))]
    schema = Schema.from_dict(dict(zip(names, rules.values(), strict=True)))
    values = [float(str(x)) if kind == "float32" and x is not None else x for x in cells]
    with connected(server) as connection:
        connection.execute("DROP VIEW IF EXISTS v; DROP TABLE IF EXISTS t")
        connection.execute(f"ALTER ROLE postgres SET timezone = '{zone}'")
        sql = (POSTGRES | AS_TEXT)[kind]
        connection.execute(f"CREATE TABLE t (c {sql}, y int)")
        with connection.cursor() as cursor:
            rows = [(value, i % 2) for i, value in enumerate(values)]
            cursor.executemany("INSERT INTO t VALUES (%s, %s)", rows)
        cast = "::text" if kind in AS_TEXT else ""
        columns = ", ".join(f"c{cast} AS {name}" for name in names)
        connection.execute(f"CREATE VIEW v AS SELECT {columns}, y FROM t")
    codes = [[meanings.reference(cell, rule) for rule in rules.values()] for cell in cells]
    url = f"postgresql://postgres@/postgres?host={server}&table="
    assert meanings.fitted(url + "v", schema) == sorted(codes)
    if kind in AS_TEXT:
        with pytest.raises(DataError, match="Cast it in a view"):
            Sample.read(url + "t", x="c", y="y", domain=TextDomain())
