"""The benchmark of counts runs, at a small size, and its ways agree."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "counts.py"


def test_all_ways_of_the_benchmark_agree(tmp_path):
    counts = runpy.run_path(str(BENCHMARK))
    for csv in (False, True):
        counts["make"](tmp_path, 5000, csv=csv)
    parquet, csv_path = str(tmp_path / "table.parquet"), str(tmp_path / "table.csv")
    found = {counts[way](parquet) for way in ("sql", "sql_users", "read", "read_users")}
    found |= {counts["read"](csv_path), counts["read_users"](csv_path)}
    assert len(found) == 1
    assert found.pop()[0] == 5000


@pytest.mark.more
def test_the_benchmark_of_large_tables_runs(tmp_path):
    """At a size that is streamed, with as many points as rows, and few points; its ways agree."""
    scale = runpy.run_path(str(BENCHMARK.with_name("scale.py")))
    for random, distinct in ((False, 1 << 20), (True, 10)):
        scale["make"](tmp_path, 1 << 20, distinct, random=random)
        parts = f"{tmp_path}/part-*.parquet"
        assert scale["group_by"](parts) == scale["release"](parts) == 1 << 20
