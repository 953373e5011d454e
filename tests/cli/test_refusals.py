"""Bad input: one clear message, the right exit code, nothing drawn, nothing written."""

import os

import pytest

from littlestone.cli.main import _EXAMPLES
from littlestone.errors import ParameterError
from littlestone.safe_io import write_text
from littlestone.source import SecureSource, SeededSource

GOOD = {
    "data": "data.parquet",
    "--x": "age",
    "--y": "adult",
    "--class": "thresholds(1, 99)",
    "--epsilon": "1",
    "--out": "m.json",
    "--report": "p.html",
}


@pytest.fixture(autouse=True)
def _nothing_is_drawn(monkeypatch):
    def drawn(*_, **__):
        raise AssertionError("something was drawn")

    for source in (SecureSource, SeededSource):
        for method in ("choose", "below", "permutation"):
            monkeypatch.setattr(source, method, drawn)


def tokens(**changes):
    options = {**GOOD, **{k.replace("_", "-"): v for k, v in changes.items()}}
    line = ["fit", options.pop("data")]
    for name, value in options.items():
        if value is not None:
            flag = name if name.startswith("--") else f"--{name}"
            line += [flag] if value is True else [flag, value]
    return line


def fit(run, **changes):
    named = {k if k == "data" else f"--{k.replace('_', '-')}": v for k, v in changes.items()}
    return run("", *tokens(**named))


def refused(folder, done, *parts, code=2):
    assert done.code == code
    assert done.err.startswith("littlestone: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    for part in parts:
        assert part in done.err, done.err
    assert done.out == "" or "error" in done.json
    assert not (folder / "m.json").exists()
    assert not (folder / "p.html").exists()


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "one", ""])
def test_epsilon(run, folder, epsilon):
    refused(folder, fit(run, epsilon=epsilon), "'--epsilon'", "a number in (0, inf)")


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("value", ["0", "1", "nan", "2", "x"])
def test_alpha_and_beta(run, folder, name, value):
    refused(folder, fit(run, **{name: value}), f"'--{name}'", "(0, 1)")


def test_delta_for_a_pure_learner(run, folder):
    refused(folder, fit(run, delta="1e-6", learner="generic"), "delta", "leave delta out")


@pytest.mark.parametrize("delta", ["2", "1", "nan"])
def test_delta_out_of_range(run, folder, delta):
    refused(folder, fit(run, delta=delta), "'--delta'", "(0, 1)")


@pytest.mark.parametrize("value", ["0", "nan", "-1"])
def test_evaluate(run, folder, value):
    refused(folder, fit(run, evaluate=value), "'--evaluate'")


def test_seed(run, folder):
    refused(folder, fit(run, seed="-1"), "'--seed'")
    refused(folder, fit(run, seed="x"), "--seed")


def test_missing_column(run, folder):
    refused(folder, fit(run, x="agee"), "no column 'agee'", "Did you mean 'age'?")
    refused(folder, fit(run, y="adlt"), "no column 'adlt'", "Did you mean 'adult'?")
    refused(folder, fit(run, y="adlt"), "The table given to fit has")


def test_one_column_is_needed(run, folder):
    refused(folder, fit(run, x=None), "'--x'", "--x")
    refused(folder, fit(run, x="age,city"), "one column")
    refused(folder, fit(run, x="age,,city"), "separated by commas")


def test_unknown_class(run, folder):
    refused(folder, fit(run, **{"class": "treshold(1, 9)"}), "Did you mean thresholds(1, 99)?")
    refused(folder, fit(run, **{"class": "nonsense"}), "thresholds(1, 99)")
    refused(folder, fit(run, **{"class": "thresholds(9, 1)"}), "low")
    refused(folder, fit(run, **{"class": "finite(none.csv)"}), "none.csv")


def test_rules_need_a_schema_and_other_classes_refuse_one(run, folder):
    refused(folder, fit(run, **{"class": "rules(max_literals=1)"}), "--schema")
    refused(folder, fit(run, schema="schema.toml"), "Leave out --schema", "decision_trees")
    rules = {"class": "rules(max_literals=1)", "schema": "schema.toml"}
    refused(folder, fit(run, **rules, x="agee"), "no column 'agee'", "Did you mean 'age'?")
    refused(folder, fit(run, **{**rules, "schema": "none.toml"}), "none.toml")
    (folder / "bad.toml").write_text("age = 3")
    refused(folder, fit(run, **{**rules, "schema": "bad.toml"}), "age")


def test_unknown_learner(run, folder):
    refused(folder, fit(run, learner="agnostik"), "Did you mean 'agnostic'?")


def test_unreadable_files(run, folder):
    refused(folder, fit(run, data="none.parquet"), "parameter of fit must", "none.parquet")
    (folder / "noise.parquet").write_bytes(b"PAR1 secret-name nonsense")
    done = fit(run, data="noise.parquet")
    refused(folder, done, "noise.parquet")
    assert "secret-name" not in done.err
    (folder / "table.xls").write_text("x")
    refused(folder, fit(run, data="table.xls"), "table.xls")
    refused(folder, fit(run, data="."), "'table'")


def test_empty_tables(run, folder):
    (folder / "empty.csv").write_text("age,adult\n")
    refused(folder, fit(run, data="empty.csv"), "no rows")
    (folder / "nothing.csv").write_text("")
    refused(folder, fit(run, data="nothing.csv"), "nothing.csv")


@pytest.mark.parametrize("cell", ["100", "0", "2.5", "abc-secret", ""])
def test_strict_refuses_points_outside_the_domain(run, folder, cell):
    text = (folder / "data.csv").read_text()
    (folder / "odd.csv").write_text(text.replace("\n60,", f"\n{cell},", 1))
    done = fit(run, data="odd.csv", strict=True)
    refused(folder, done, "'age'", "an integer in [1, 99]")
    assert "secret" not in done.err
    assert "2.5" not in done.err


@pytest.mark.parametrize("cell", ["2", "maybe", ""])
def test_strict_refuses_unknown_labels(run, folder, cell):
    text = (folder / "data.csv").read_text()
    (folder / "odd.csv").write_text(text.replace("\n60,1,", f"\n60,{cell},", 1))
    done = fit(run, data="odd.csv", strict=True)
    refused(folder, done, "'adult'")
    assert "maybe" not in done.err


def test_the_public_labels_of_strict_reading(run, folder):
    refused(folder, fit(run, strict=True, positive="yes"), "--negative")
    refused(folder, fit(run, negative="0"), "--strict")


def test_outputs_are_checked_first(run, folder):
    refused(folder, fit(run, out="no/such/m.json"), "'--out'", "folder does not exist")
    refused(folder, fit(run, report="no/such/p.html"), "'--report'", "folder does not exist")
    refused(folder, fit(run, out="."), "'--out'", "is a folder")
    refused(folder, fit(run, out="both", report="./both"), "'--report'", "a file other than")
    assert not (folder / "both").exists()


def test_write_protected_folders_and_files(run, folder, monkeypatch):
    (folder / "kept.json").write_text("kept")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    refused(folder, fit(run), "'--out'", "Its folder is write-protected")
    refused(folder, fit(run, out="kept.json"), "'--out'", "It is write-protected")
    assert (folder / "kept.json").read_text() == "kept"


def test_a_disk_that_fills_up_keeps_the_old_file(folder, monkeypatch):
    (folder / "kept.json").write_text("kept")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ParameterError, match="No space left"):
        write_text("kept.json", "new")
    assert (folder / "kept.json").read_text() == "kept"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_inputs_are_never_overwritten(run, folder):
    before = (folder / "data.parquet").read_bytes()
    refused(folder, fit(run, out="./data.parquet"), "'--out'", "would be overwritten")
    assert (folder / "data.parquet").read_bytes() == before


def test_too_few_records_for_the_required_certificate(run, folder):
    done = fit(run, require_certificate=True, alpha="0.001")
    refused(folder, done, "there are 800", "needs", code=3)


def test_usage(run, folder):
    refused(folder, run("fitt data.csv"), 'Did you mean "fit"?')
    refused(folder, run("fit data.parquet --y adult --class points()"), "--epsilon")
    refused(folder, run("plan --clas x"), "--clas", "Did you mean --class?")
    refused(folder, fit(run, epsilonn="1"), "--epsilonn")
    refused(folder, fit(run, data="--x"), "")


@pytest.mark.parametrize(
    ("line", "lesson"),
    [
        ("dims", 'dims needs --class, for example --class "thresholds(1, 99)".'),
        ("fit", "fit needs DATA, for example people.csv."),
        (
            "fit data.csv --x age --epsilon 1",
            "fit needs --y, for example --y adult: the column of labels. For times use --time and "
            "--event.",
        ),
        ("plan --class points()", "plan needs --epsilon, for example --epsilon 1."),
        ("predict m.json", "predict needs DATA, for example people.csv."),
        ("report m.json", "report needs --out, for example --out page.html."),
        (
            "schema propose t.csv --epsilon 1",
            "schema propose needs --out, for example --out schema.toml.",
        ),
        ("audit exact", 'audit exact needs --class, for example --class "thresholds(1, 99)".'),
    ],
)
def test_what_is_missing_is_shown_by_an_example(run, folder, line, lesson):
    command = lesson.split(" needs ")[0]
    done = run(line)
    refused(folder, done)
    assert done.err == f"littlestone: {lesson} See littlestone {command} --help.\n"


def test_every_required_parameter_has_an_example(run):
    for command in ("fit", "predict", "report", "dims", "audit statistical"):
        lines = run(f"{command} --help").out.splitlines()
        required = [line.split()[2] for line in lines if line.startswith("│ *")]
        assert required
        assert set(required) <= set(_EXAMPLES)


def test_errors_as_json(run, folder):
    done = fit(run, epsilon="0", json=True)
    refused(folder, done)
    assert done.json["error"]["kind"] == "ParameterError"
    assert done.json["error"]["exit_code"] == 2
    assert "'--epsilon'" in done.json["error"]["message"]
    usage = fit(run, epsilonn="0", json=True)
    assert usage.json["error"]["kind"] == "UsageError"
    assert usage.code == 2


def test_a_defect_shows_its_type_only(run, folder, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("row 17: Jane Roe")

    monkeypatch.setattr("littlestone.learners.fit.run", broken)
    done = fit(run)
    refused(folder, done, "RuntimeError", code=1)
    assert "Jane" not in done.err


@pytest.mark.parametrize(
    ("more", "code", "part"),
    [
        (["--alpha", "0"], 2, "'--alpha' option of fit must be a float in (0, 1)"),
        (["--model", "rule", "--beta", "1.5"], 2, "'--beta' option of fit"),
        (["--model", "rule", "--ledger", "b.db"], 4, "asks for epsilon 1"),
        (["--model", "rule", "--require-certificate", "--alpha", "0.001"], 3, "certificate"),
        (["--strict", "--positive", "yes", "--negative", "no", "--model", "tree"], 2, "adult"),
    ],
)
def test_what_is_refused_is_not_announced(more, code, part, folder, run):
    """No line of a fit stands on standard output above a refusal that cost nothing."""
    (folder / "s.toml").write_text("[age]\nbins = [30, 60]\n")
    run("ledger create b.db --epsilon 0.5")
    line = ["fit", "data.parquet", "--y", "adult", "--epsilon", "1", "--schema", "s.toml"]
    refused(folder, run("", *line, *more), part, code=code)
