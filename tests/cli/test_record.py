"""``fit --record`` and ``check-record``."""

import json
from pathlib import Path

import pytest

from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests

FIT = (
    "fit data.parquet --x age --y adult --class thresholds(1,99) --learner agnostic --epsilon 1 "
    "--record record.json"
)


def test_a_record_is_written_and_checked(run):
    assert run("ledger create budget --epsilon 2 --data clinic").code == 0
    fitted = run(f"{FIT} --out model.json --ledger budget --purpose report")
    assert fitted.code == 0
    assert "record.json" in fitted.out
    record = json.loads(Path("record.json").read_text())
    assert record["release"] == json.loads(Path("model.json").read_text())
    assert record["ledger"][-1]["event"]["purpose"] == "report"
    checked = run("check-record record.json")
    assert checked.code == 0
    assert "is consistent" in checked.out
    assert run("check-record record.json --json").json == {"ok": True, "wrong": []}


def test_a_changed_record_is_refused_and_the_field_is_named(run):
    assert run(FIT).code == 0
    text = Path("record.json").read_text()
    Path("record.json").write_text(text.replace('"epsilon_exact": "1"', '"epsilon_exact": "1/2"'))
    checked = run("check-record record.json")
    assert checked.code == 1
    assert "release.guarantee.epsilon" in checked.out
    found = run("check-record record.json --json").json
    assert "release.spent" in {wrong["field"] for wrong in found["wrong"]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{FIT} --seed 1", "seeded"),
        (f"{FIT} --out record.json", "record"),
        ("check-record nowhere.json", "nowhere.json"),
    ],
)
def test_refusals(run, line, said):
    refused = run(line)
    assert refused.code == 2
    assert said in refused.err
    assert not Path("record.json").exists()


def changed(record, field, value):
    """Return a copy in which one field has another value."""
    other = json.loads(json.dumps(record))
    *path, last = field.split(".")
    part = other
    for name in path:
        part = part[int(name) if name.isdecimal() else name]
    part[last] = value
    return other


@pytest.mark.first(1)
@pytest.mark.parametrize("more", ["--delta 1e-6", "--agnostic"])
def test_the_record_of_a_stream(run, folder, more):
    line = "stream data.csv --state s --x age --y adult --class thresholds(1,99) --epsilon 9"
    assert run(f"{line} --horizon 1000 {more} --out o.csv").code == 0
    assert run("stream --state s --record r.json --export e.json").code == 0
    checked = run("check-record r.json")
    assert checked.code == 0
    assert "(9, 1e-06)" in checked.out or "pure 9-diff" in checked.out
    record, public = (json.loads(Path(name).read_text()) for name in ("r.json", "e.json"))
    assert {name: record["stream"][name] for name in public} == public
    last = f"published.{len(public['published']) - 1}"
    for field, value in {
        "guarantee.epsilon_exact": "1/2",
        "guarantee.seeded": True,
        "stream.horizon": 999,
        "planned_batches": 10**6,
        "batches": 10**6,
        f"{last}.rows": 801,
        f"{last}.hypothesis.above": "many",
        "certificate.holds": None,
    }.items():
        other = changed(record, f"stream.{field}", value)
        other["sha256"] = digests(other)
        assert check_record(other), field
    assert check_record(changed(record, "software.name", "x"))
    assert check_record(record | {"more": 1})


def test_a_stream_with_a_seed_has_no_record(run, folder):
    line = "stream data.csv --state s --x age --y adult --class thresholds(1,99) --epsilon 1"
    assert run(f"{line} --delta 1e-6 --horizon 1000 --out o.csv --seed 1").code == 0
    refused = run("stream --state s --record r.json")
    assert refused.code == 2
    assert "it has no record" in refused.err
