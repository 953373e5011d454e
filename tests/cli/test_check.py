"""``littlestone check``: the noise beforehand, the report, refusals."""

LINE = "check data.csv --schema schema.toml --y adult --epsilon 1"


def test_a_report_is_printed(run):
    done = run(f"{LINE} --seed 1")
    assert done.code == 0
    for part in ("city", "age", "adult", "NOT PRIVATE (seeded)", "of 800 records"):
        assert part in done.out
    found = run(f"{LINE} --json").json
    assert found["n"] == 800
    assert found["guarantee"]["epsilon"] == 1
    # ages 3, 12, 16, 17 of eight are labelled 0
    band = found["balance"]["0"]
    assert band["high"] - band["low"] < 0.1
    unlabelled = run(f"{LINE} --labels yes,no --json --seed 2").json
    assert unlabelled["label"]["other"]["value"] > 0.9


def test_the_noise_is_said_before(run, folder):
    line = "check --schema schema.toml --epsilon 1 --records"
    found = run(f"{line} 800 --json").json
    assert found["rate"] == "1/6"
    assert run(f"{LINE} --json").json["noise"] == {"rate": "1/6", "reach": found["reach"]}
    said = f"margin of error of each percentage would be 2.2% ({found['reach']:g} of 800 records)"
    assert said in run(f"{line} 800").out
    assert "is refused" in run(f"{line} 30").out
    (folder / "data.csv").unlink()
    assert run(f"{line} 800").code == 0


def test_refusals_spend_nothing(run):
    run("ledger create b.db --epsilon 1")
    for line, code in (
        (f"{LINE} --ledger b.db --epsilon 1/200", 2),  # epsilon twice
        ("check data.csv --schema schema.toml --y adult --epsilon 1/200 --ledger b.db", 3),
        ("check data.csv --schema schema.toml --y adult --epsilon 2 --ledger b.db", 4),
        ("check data.csv --schema schema.toml --epsilon 1 --ledger b.db", 2),
        ("check --schema schema.toml --epsilon 1 --y adult", 2),
        ("check data.csv --records 5 --schema schema.toml --epsilon 1", 2),
        ("check data.csv --schema schema.toml --y sick --epsilon 1 --ledger b.db", 2),
    ):
        done = run(line)
        assert done.code == code, line
        assert done.out == ""
    assert run("ledger show b.db --json").json["spent"]["epsilon"] == 0
    assert run(f"{LINE} --ledger b.db").code == 0
    assert run("ledger show b.db --json").json["spent"]["epsilon"] == 1


def test_refusals_speak_of_options(run):
    done = run(f"{LINE} --seed -1")
    assert done.code == 2
    assert "'--seed' option of check" in done.err
    done = run(f"{LINE} --records 5")
    assert done.code == 2
    assert "a table or --records, not both" in done.err
