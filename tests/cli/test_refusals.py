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


def fit(run, changes):
    options = GOOD | changes
    line = ["fit", options.pop("data")]
    for flag, value in options.items():
        if value is not None:
            line += [flag] if value is True else [flag, value]
    return run("", *line)


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


RULES = {"--class": "rules(max_literals=1)", "--schema": "schema.toml"}
#: What is changed of a good call, and what the message has.
CHANGES = [
    *(
        ({"--epsilon": e}, "'--epsilon'", "a number in (0, inf)")
        for e in ["0", "-1", "nan", "inf", "one"]
    ),
    ({"--epsilon": ""}, "'--epsilon'", "a number in (0, inf)"),
    *(({"--alpha": value}, "'--alpha'", "(0, 1)") for value in ["0", "1", "nan", "2", "x"]),
    *(({"--beta": value}, "'--beta'", "(0, 1)") for value in ["0", "1", "nan", "2", "x"]),
    *(({"--delta": value}, "'--delta'", "(0, 1)") for value in ["2", "1", "nan"]),
    *(({"--evaluate": value}, "'--evaluate'") for value in ["0", "nan", "-1"]),
    ({"--delta": "1e-6", "--learner": "generic"}, "delta", "leave delta out"),
    ({"--seed": "-1"}, "'--seed'"),
    ({"--seed": "x"}, "--seed"),
    ({"--x": "agee"}, "no column 'agee'", "Did you mean 'age'?"),
    ({"--y": "adlt"}, "no column 'adlt'", "Did you mean 'adult'?", "The table given to fit has"),
    ({"--x": None}, "'--x'", "--x"),
    ({"--x": "age,city"}, "one column"),
    ({"--x": "age,,city"}, "separated by commas"),
    ({"--class": "treshold(1, 9)"}, "Did you mean thresholds(1, 99)?"),
    ({"--class": "nonsense"}, "thresholds(1, 99)"),
    ({"--class": "thresholds(9, 1)"}, "low"),
    ({"--class": "finite(none.csv)"}, "none.csv"),
    ({"--class": "rules(max_literals=1)"}, "--schema"),
    ({"--schema": "schema.toml"}, "Leave out --schema", "decision_trees"),
    (RULES | {"--x": "agee"}, "no column 'agee'", "Did you mean 'age'?"),
    (RULES | {"--schema": "none.toml"}, "none.toml"),
    (RULES | {"--schema": "bad.toml"}, "age"),
    ({"--learner": "agnostik"}, "Did you mean 'agnostic'?"),
    ({"data": "none.parquet"}, "argument of fit must", "none.parquet"),
    ({"data": "noise.parquet"}, "noise.parquet"),
    ({"data": "table.xls"}, "table.xls"),
    ({"data": "."}, "DATA argument"),
    ({"data": "empty.csv"}, "no rows"),
    ({"data": "nothing.csv"}, "nothing.csv"),
    ({"--strict": True, "--positive": "yes"}, "--negative"),
    ({"--negative": "0"}, "--strict"),
    ({"--out": "no/such/m.json"}, "'--out'", "folder does not exist"),
    ({"--report": "no/such/p.html"}, "'--report'", "folder does not exist"),
    ({"--out": "."}, "'--out'", "is a folder"),
    ({"--out": "both", "--report": "./both"}, "'--report'", "a file other than"),
    ({"--out": "./data.parquet"}, "'--out'", "would be overwritten"),
    ({"--epsilonn": "1"}, "--epsilonn"),
    ({"data": "--x"}, ""),
]


def test_changes_of_a_good_call(run, folder):
    files = {"bad.toml": "age = 3", "noise.parquet": "PAR1 secret-name nonsense", "table.xls": "x"}
    for name, text in (files | {"empty.csv": "age,adult\n", "nothing.csv": ""}).items():
        (folder / name).write_text(text)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for changes, *parts in CHANGES:
        done = fit(run, changes)
        refused(folder, done, *parts)
        assert "secret-name" not in done.err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_strict_refuses_cells_outside_of_domain_and_labels(run, folder):
    text = (folder / "data.csv").read_text()
    for cell in ("100", "0", "2.5", "abc-secret", ""):
        (folder / "odd.csv").write_text(text.replace("\n60,", f"\n{cell},", 1))
        done = fit(run, {"data": "odd.csv", "--strict": True})
        refused(folder, done, "'age'", "an integer in [1, 99]")
        assert "secret" not in done.err
        assert "2.5" not in done.err
    for cell in ("2", "maybe", ""):
        (folder / "odd.csv").write_text(text.replace("\n60,1,", f"\n60,{cell},", 1))
        done = fit(run, {"data": "odd.csv", "--strict": True})
        refused(folder, done, "'adult'")
        assert "maybe" not in done.err


def test_write_protected_folders_and_files(run, folder, monkeypatch):
    (folder / "kept.json").write_text("kept")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    refused(folder, fit(run, {}), "'--out'", "Its folder is write-protected")
    refused(folder, fit(run, {"--out": "kept.json"}), "'--out'", "It is write-protected")
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


def test_too_few_records_for_the_required_certificate(run, folder):
    done = fit(run, {"--require-certificate": True, "--alpha": "0.001"})
    refused(folder, done, "there are 800", "needs", code=3)


def test_usage(run, folder):
    refused(folder, run("fitt data.csv"), 'Did you mean "fit"?')
    refused(folder, run("fit data.parquet --y adult --class points()"), "--epsilon")
    refused(folder, run("plan --clas x"), "--clas", "Did you mean --class?")
    refused(folder, run("plan --page x.html"), "--page", "Did you mean --report?")
    refused(folder, run("plan --interval 90%"), "Unknown option: --interval. See littlestone")


#: A line that lacks something, and the example that is shown.
LESSONS = {
    "dims": 'dims needs --class, for example --class "thresholds(1, 99)".',
    "fit": "fit needs DATA, for example people.csv.",
    "fit data.csv --x age --epsilon 1": "fit needs --y, for example --y adult: the column of "
    "labels. For times, use --time and --event.",
    "plan --class points()": "plan needs --epsilon, for example --epsilon 1.",
    "predict m.json": "predict needs DATA, for example people.csv.",
    "report m.json": "report needs --out, for example --out page.html.",
    "schema propose t.csv --epsilon 1": "schema propose needs --out, for example --out "
    "schema.toml.",
    "audit exact": 'audit exact needs --class, for example --class "thresholds(1, 99)".',
}


def test_what_is_missing_is_shown_by_an_example(run, folder):
    for line, lesson in LESSONS.items():
        done = run(line)
        refused(folder, done)
        command = lesson.split(" needs ")[0]
        assert done.err == f"littlestone: {lesson} See littlestone {command} --help.\n"


def test_every_required_parameter_has_an_example(run):
    for command in ("fit", "predict", "report", "dims"):
        lines = run(f"{command} --help").out.splitlines()
        required = [line.split()[2] for line in lines if line.startswith("│ *")]
        assert required
        assert set(required) <= set(_EXAMPLES)


def test_errors_as_json(run, folder):
    done = fit(run, {"--epsilon": "0", "--json": True})
    refused(folder, done)
    assert done.json["error"]["kind"] == "ParameterError"
    assert done.json["error"]["exit_code"] == 2
    assert "'--epsilon'" in done.json["error"]["message"]
    usage = fit(run, {"--epsilonn": "0", "--json": True})
    assert usage.json["error"]["kind"] == "UsageError"
    assert usage.code == 2


def test_a_defect_shows_its_type_only(run, folder, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("row 17: Jane Roe")

    monkeypatch.setattr("littlestone.learners.running.run", broken)
    done = fit(run, {})
    refused(folder, done, "RuntimeError", code=1)
    assert "Jane" not in done.err


def test_what_is_refused_is_not_announced(folder, run):
    """No line of a fit stands on standard output above a refusal that cost nothing."""
    (folder / "s.toml").write_text("[age]\nbins = [30, 60]\n")
    run("ledger create b.db --epsilon 0.5")
    for more, code, part in (
        ("--alpha 0", 2, "'--alpha' option of fit must be a number in (0, 1)"),
        ("--model rule --beta 1.5", 2, "'--beta' option of fit"),
        ("--model rule --ledger b.db", 4, "asks for epsilon 1"),
        ("--model rule --require-certificate --alpha 0.001", 3, "certificate"),
        ("--strict --positive yes --negative no --model tree", 2, "adult"),
    ):
        done = run(f"fit data.parquet --y adult --epsilon 1 --schema s.toml {more}")
        refused(folder, done, part, code=code)
