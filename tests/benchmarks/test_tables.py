"""The comparison on real tables: schemas, splits, and a tiny run on a made table."""

from __future__ import annotations

import csv
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from littlestone.classes import DecisionTrees, Rules
from littlestone.data import RowDomain, Sample, Schema

FOLDER = Path(__file__).parents[2] / "benchmarks" / "tables"
TABLES = ("adult", "compas", "german", "census", "caravan", "affairs")


@pytest.fixture
def bench(monkeypatch):
    """The scripts of the comparison, imported as ``python benchmarks/tables/run.py`` does."""
    monkeypatch.syspath_prepend(FOLDER)
    import definitions
    import fetch
    import field
    import ours
    import pages
    import results
    import summary

    return SimpleNamespace(
        definitions=definitions, fetch=fetch, field=field, ours=ours, pages=pages,
        results=results, summary=summary,
    )  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_schema_is_public_and_small_enough_for_every_class(bench, name):
    table = bench.definitions.TABLES[name]
    schema = Schema.from_toml(table.schema)
    assert DecisionTrees(schema, 3).size > DecisionTrees(schema, 2).size > Rules(schema, 2).size
    numeric = {column.name: column.edges for column in schema if column.numeric}
    assert set(table.bounds) == set(numeric)
    for column, edges in numeric.items():
        low, high = table.bounds[column]
        # An edge at the least number tells it from "missing": allowed; beyond the greatest, no use.
        assert low <= edges[0] <= edges[-1] <= high, column
    head = table.schema.read_text(encoding="utf-8").split("[", maxsplit=1)[0]
    assert "documentation" in head or "dictionary" in head or "codebook" in head
    assert "computed" in head


def test_edges_are_round_numbers(bench):
    """Whoever computes bins from rows gets edges such as 38.5 or 2,174; round ones are written."""
    for table in bench.definitions.TABLES.values():
        described = tomllib.loads(table.schema.read_text(encoding="utf-8"))
        for name, column in described.items():
            for edge in column.get("bins", ()):
                assert edge == int(edge)
                assert edge <= 60 or edge % 5 == 0, (name, edge)


def test_no_registry_address_and_pinned_packages(bench):
    for table in bench.definitions.TABLES.values():
        assert table.package.count("==") == 1
    for path in FOLDER.rglob("*.*"):
        if path.suffix in (".py", ".md", ".txt", ".toml"):
            assert "://" not in path.read_text(encoding="utf-8"), path.name


def test_splits_are_fixed(bench):
    """Pinned: a later version of the scripts must not move a row from train to test."""
    by_hash = bench.definitions.by_hash
    assert [row for row in range(30) if by_hash("german", row)] == GERMAN_TEST
    shares = {name: np.mean([by_hash(name, r) for r in range(5000)]) for name in ("compas", "fair")}
    assert all(0.28 < share < 0.32 for share in shares.values())


GERMAN_TEST = [2, 3, 5, 9, 10, 11, 15, 27]

ADULT = """|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, 0, 0, 40, \
United-States, <=50K.
38, ?, 89814, HS-grad, 9, Married-civ-spouse, Farming-fishing, Husband, White, Male, 99999, 0, 50, \
Atlantis, >50K.
"""
GERMAN = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 2\n"


def test_published_formats_are_read(bench):
    """Two made rows in the format of adult.test, one in that of german.data."""
    table = bench.definitions.TABLES["adult"]
    schema = Schema.from_toml(table.schema)
    rows, labels, test = bench.fetch.read(table, ["", ADULT])
    assert labels.tolist() == [0, 1]
    assert test.tolist() == [True, True]
    arrays = bench.fetch.encode(schema, table.bounds, rows)
    for codes, row in zip(arrays["codes"].tolist(), rows, strict=True):
        assert tuple(codes) == RowDomain(schema).cell(row)  # the library's own rules for cells
    country, gain = schema.names.index("native_country"), schema.names.index("capital_gain")
    assert arrays["codes"][1, country] == schema["native_country"].OTHER
    assert arrays["values"][1, gain] == 99_999
    table = bench.definitions.TABLES["german"]
    rows, labels, test = bench.fetch.read(table, [GERMAN * 3])
    assert labels.tolist() == [1, 1, 1]
    assert test.tolist() == [bench.definitions.by_hash("german", i) for i in range(3)]
    assert rows[0]["age"] == "67"


def made(bench, tmp_path, n=600):
    """A made COMPAS table: the label follows the number of prior counts, with noise."""
    table = bench.definitions.TABLES["compas"]
    schema = Schema.from_toml(table.schema)
    rng = np.random.default_rng(3)
    priors = rng.integers(0, 12, n)
    labels = ((priors >= 5) ^ (rng.random(n) < 0.1)).astype(np.int8)
    fixed = {column.name: "Male" if column.name == "sex" else "0" for column in schema}
    rows = [{**fixed, "age": str(a), "priors_count": str(p)}
            for a, p in zip(rng.integers(18, 70, n), priors, strict=True)]  # fmt: skip
    path = tmp_path / "compas.npz"
    arrays = bench.fetch.facts(schema, table.bounds)
    arrays |= bench.fetch.encode(schema, table.bounds, rows)
    np.savez(path, labels=labels, test=np.arange(n) % 3 == 0, **arrays)
    return table, path


def test_tiny_run_resumes_and_makes_the_pages(bench, tmp_path):
    table, path = made(bench, tmp_path)
    log = tmp_path / "ours.jsonl"
    bench.ours.run(table, path, bench.results.Cache(log), [1.0], range(2))
    runs = bench.results.load([log])
    # Three classes and the majority, twice each at epsilon 1, and once without.
    assert len(runs) == 4 * 2 + 4
    bench.ours.run(table, path, bench.results.Cache(log), [1.0], range(3))
    assert len(bench.results.load([log])) == 4 * 3 + 4  # only the third seed was run
    cells = bench.summary.Cells(runs)
    best = cells.get("compas", "rules", None)
    assert best is not None
    assert best.mean > 0.85
    assert cells.get("compas", "tree depth 2", 1.0).mean > 0.8
    assert 0.35 < cells.get("compas", "majority", 1.0).mean < 0.65

    stump = bench.field.METHODS["OpenDP stump"](bench.field.Arrays(path), "bins", 1.0, 0)
    truth = bench.field.Arrays(path).y[bench.field.Arrays(path).test]
    other = bench.results.score("compas", "OpenDP stump", "bins", 1.0, 0, lambda: stump, truth)
    assert other.accuracy > 0.8
    written = bench.pages.write([*runs, other], {"compas": path}, tmp_path)
    assert [p.name for p in written] == ["comparison.csv", "comparison.svg", "comparison.md"]
    ET.fromstring(written[1].read_text(encoding="utf-8"))
    page = written[2].read_text(encoding="utf-8")
    assert "<!--" not in page
    assert "not independent" in page
    assert "knows" in page
    with written[0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["method"] for row in rows} == {run.method for run in [*runs, other]}


def test_stump_counts_the_errors_of_every_rule_of_one_literal(bench, tmp_path):
    """Against the class Rules(schema, 1) of the library, concept by concept."""
    table, path = made(bench, tmp_path, n=90)
    arrays = bench.field.Arrays(path)
    train, _ = arrays.split(arrays.codes)
    labels = arrays.y[~arrays.test]
    errors = bench.field.stump_errors(train, labels, arrays.numeric, arrays.n_codes)
    concepts = Rules(Schema.from_toml(table.schema), 1)
    assert len(errors) == concepts.size
    sample = Sample.of(train, labels)
    least = min(
        int(((c.predict(sample.points) != 0) * sample.zeros).sum())
        + int(((c.predict(sample.points) != 1) * sample.ones).sum())
        for c in concepts.concepts()
    )
    assert errors.min() == least
    assert sorted(errors[:2].tolist()) == sorted([labels.sum(), len(labels) - labels.sum()])


def test_features_of_the_field_lie_in_their_public_bounds(bench, tmp_path):
    _, path = made(bench, tmp_path, n=60)
    arrays = bench.field.Arrays(path)
    for encoding in bench.field.ENCODINGS:
        X = arrays.indicators(encoding)
        assert X.min() >= 0
        assert X.max() <= 1
        # data_norm of the logistic regression: each column of the table adds at most 1.
        assert np.sqrt((X.astype(float) ** 2).sum(axis=1)).max() <= np.sqrt(len(arrays.numeric))


def test_who_is_first(bench):
    def cell(mean, sd, runs=10):
        return bench.summary.Cell("adult", "x", "bins", 1.0, mean, sd, 0.5, runs, 0.0)

    verdict = bench.summary.verdict
    assert verdict(cell(0.84, 0.001), cell(0.80, 0.01)) == "first"
    assert verdict(cell(0.80, 0.01), cell(0.84, 0.001)) == "behind"
    assert verdict(cell(0.80, 0.02), cell(0.81, 0.02)) == "level"
    assert verdict(cell(0.9405, 0), cell(0.9410, 0)) == "level"
