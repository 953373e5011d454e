"""``fit --record`` and ``check-record``."""

import json
from pathlib import Path

import pytest

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
    assert record["ledger"]["event"]["purpose"] == "report"
    checked = run("check-record record.json")
    assert checked.code == 0
    assert "agrees" in checked.out
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
        (FIT.replace("--record record.json", "--sign-with key.pem"), "--record"),
        (f"{FIT} --out record.json", "record"),
        ("check-record nowhere.json", "nowhere.json"),
    ],
)
def test_refusals(run, line, said):
    refused = run(line)
    assert refused.code == 2
    assert said in refused.err
    assert not Path("record.json").exists()
