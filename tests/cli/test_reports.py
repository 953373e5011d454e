"""Commands that write pages: where, when, and what they refuse."""

import json

import pytest

PLAN = "plan --class thresholds(1,99) --epsilon 1 --alpha 0.1 --beta 0.05"


def embedded(path):
    text = path.read_text()
    return json.loads(
        text.split('<script type="application/json"')[1].split(">", 1)[1].split("<")[0]
    )


def test_plan_report(run, folder):
    done = run(f"{PLAN} --report page.html --json")
    assert done.code == 0
    inside = embedded(folder / "page.html")
    assert inside == done.json
    assert "page.html" in run(f"{PLAN} --report page.html").out


@pytest.mark.parametrize(
    "line",
    [
        "plan --epsilon 1 --alpha 0.1 --beta 0.05",  # no class
        f"{PLAN} --report none/page.html",
        "plan --class points(1,9) --solve alpha --n 900 --epsilon 1 --beta 0.1 --report p.html",
        "audit exact --class points(1,2) --learner generic --epsilon 1 --points 1 --report no/p",
        "stream --state missing --report page.html",
    ],
)
def test_refusals_write_nothing(run, folder, line):
    before = sorted(folder.iterdir())
    done = run(line)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_audit_report(run, folder):
    line = "audit exact --class thresholds(1,2) --learner generic --epsilon 1 --points 1,2 --n 2"
    done = run(f"{line} --report page.html --json")
    assert done.code == 0
    assert embedded(folder / "page.html") == done.json


def test_stream_report(run, folder):
    line = "--class thresholds(1,99) --epsilon 1 --delta 1e-6 --horizon 900 --x age --y adult"
    assert run(f"stream data.csv --state s {line} --out o.csv --quiet").code == 0
    done = run("stream --state s --report page.html --export p.json")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert embedded(folder / "page.html") == json.loads((folder / "p.json").read_text())
