"""``littlestone ledger`` and ``fit --ledger``: paid first, exit 4 when the budget is used up."""

import pytest

from littlestone.privacy import Ledger

CREATE = "ledger create b.db --epsilon 1 --json"


@pytest.fixture
def fit(run):
    def call(epsilon, *more, data="data.parquet"):
        line = f"fit {data} --x age --y adult --epsilon {epsilon} --ledger b.db"
        return run(line, "--class", "thresholds(1, 99)", *more)

    return call


def test_a_budget_from_its_creation_to_its_end(run, fit, folder):
    created = run("ledger create b.db --epsilon 1", "--data", "clinic 2026")
    assert created.code == 0
    assert "clinic 2026" in created.out
    done = fit("0.7", "--out", "m.json")
    assert done.code == 0
    assert "epsilon 0.3 left in b.db" in done.out
    assert fit("0.4", "--out", "n.json").code == 4
    refused = fit("0.4", "--json")
    assert refused.code == 4
    assert refused.json["error"]["kind"] == "BudgetError"
    assert refused.err.count("\n") == 1
    assert not (folder / "n.json").exists()
    shown = run("ledger show b.db")
    assert shown.code == 0
    for part in ("clinic 2026", "epsilon 0.7", "epsilon 0.3", "agnostic on thresholds(1, 99)"):
        assert part in shown.out
    document = run("ledger show b.db --json").json
    assert [e["loss"] for e in document["events"]] == ["pure 7/10"]
    assert document["remaining"]["epsilon_exact"] == "3/10"


def test_the_whole_release_is_paid_for(run, fit):
    run("ledger create b.db --epsilon 3 --delta 1e-6 --accounting zcdp")
    fit("0.6", "--evaluate", "0.2")
    (event,) = Ledger("b.db").history()
    assert event.cost == event.loss.rho
    assert float(event.cost) == pytest.approx(0.4**2 / 8 + 0.2**2 / 2)
    run("ledger create c.db --epsilon 1")
    done = run(
        "fit data.parquet --x age --y adult --epsilon 0.6 --evaluate 0.2 --ledger c.db",
        "--class",
        "thresholds(1, 99)",
    )
    assert done.code == 0
    assert str(Ledger("c.db").spent().epsilon) == "3/5"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--seed", "1"], 2),
        (["--alpha", "2"], 2),
        (["--positive", "x", "--strict"], 2),
        (["--out", "no/m.json"], 2),
        (["--out", "b.db"], 2),
        (["--require-certificate", "--alpha", "1e-6"], 3),
        (["--strict", "--positive", "7", "--negative", "8"], 2),
        (["--y", "absent"], 2),
    ],
)
def test_what_is_refused_costs_nothing(run, fit, more, code):
    assert run(CREATE).code == 0
    assert fit("0.5", *more).code == code
    assert Ledger("b.db").history() == ()


def test_a_table_without_records_costs_nothing(run, fit, folder):
    run(CREATE)
    (folder / "empty.csv").write_text("age,adult\n")
    assert fit("0.5", data="empty.csv").code == 2
    assert fit("0.5", data="absent.csv").code == 2
    assert Ledger("b.db").history() == ()


def test_the_budget_is_asked_before_the_table_is_read(run, fit):
    run(CREATE)
    assert fit("2", data="absent.csv").code == 4


def test_files_that_are_no_ledger(run, fit, folder):
    assert fit("0.5").code == 2  # absent
    (folder / "b.db").write_text("age,adult\n18,1\n")
    assert "chmod 600" in fit("0.5").err
    (folder / "b.db").chmod(0o600)
    for done in (fit("0.5"), run("ledger show b.db"), run(CREATE)):
        assert done.code == 2
        assert done.err.count("\n") == 1
        assert "18,1" not in done.err
    assert (folder / "b.db").read_text() == "age,adult\n18,1\n"


SPENDING = {
    "fit": "fit data.parquet --x age --y adult --class thresholds(1,99) --epsilon 0.1",
    "check": "check data.parquet --schema schema.toml --y adult --epsilon 2 --delta 1e-6",
    "propose": "schema propose data.parquet --epsilon 6 --delta 1e-6 --out p.toml",
    "score": "score m.json data.parquet --epsilon 0.1",
    "compare": "compare data.parquet m.json m.json --epsilon 0.1",
    "stream": "stream rows.csv --state s --class thresholds(1,99) --epsilon 0.1 --delta 1e-6 "
    "--horizon 100 --quiet --x age --y adult",
}


@pytest.mark.first(2)
@pytest.mark.parametrize("name", SPENDING)
def test_what_was_spent_for_which_purpose(run, folder, name):
    """Every command that spends records it; without a ledger it is refused, not forgotten."""
    assert run(SPENDING["fit"] + " --out m.json").code == 0
    (folder / "rows.csv").write_text("age,adult\n3,0\n")
    run("ledger create b.db --epsilon 9 --delta 1e-3")
    refused = run(SPENDING[name], "--purpose", "a trial")
    assert refused.code == 2
    assert "also give --ledger" in refused.err.replace("\n", " ")
    assert run(SPENDING[name] + " --ledger b.db", "--purpose", "a trial").code == 0
    (event,) = run("ledger show b.db --json").json["events"]
    assert event["purpose"] == "a trial"
    shown = run("ledger show b.db").out
    assert "purpose" in shown
    assert "a trial" in shown


def test_a_stream_keeps_its_purpose(run, folder):
    (folder / "rows.csv").write_text("age,adult\n3,0\n")
    run("ledger create b.db --epsilon 9 --delta 1e-3")
    line = SPENDING["stream"] + " --ledger b.db --resume from-start"
    assert run(line, "--purpose", "a trial").code == 0
    assert run(line).code == 0
    other = run(line, "--purpose", "another")
    assert other.code == 2
    assert "begun for another purpose" in other.err
    assert len(Ledger("b.db").history()) == 1
