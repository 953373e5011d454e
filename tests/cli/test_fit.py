"""``littlestone fit``: what it prints, writes, records and promises."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import littlestone as ls
from littlestone.classes import ThresholdHypothesis, load, parse_class
from littlestone.data import Schema
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.privacy.guarantee import short_text
from littlestone.report import page, write_folder
from littlestone.report.evaluated import beside_constants, plain
from littlestone.safe_io import replaceable, write_text
from littlestone.source import SeededSource

# -- ``littlestone fit``: what it prints, writes and promises --------------------------------------

ADULT = "fit data.parquet --x age --y adult --epsilon 1 --class"
ROWS = "fit data.parquet --schema schema.toml --y adult --epsilon 1 --class rules(max_literals=1)"


@pytest.mark.parametrize("data", ["data.parquet", "data.csv"])
@pytest.mark.parametrize("learner", ["generic", "agnostic", "auto"])
def test_json_is_one_object_with_the_contract_s_keys(run, data, learner):
    done = run(
        f"fit {data} --x age --y adult --epsilon 1 --learner {learner} --json --class",
        "thresholds(1, 99)",
    )
    assert done.code == 0
    assert done.err == ""
    assert done.out.count("\n") == 1
    release = done.json
    assert {"learner", "class", "hypothesis", "guarantee", "certificate", "n"} <= set(release)
    assert release["learner"] == ("agnostic" if learner == "auto" else learner)
    assert release["class"]["spec"] == "thresholds(1, 99)"
    assert release["n"] == 800
    assert release["hypothesis"]["description"].startswith("1 if x > ")
    promised = release["guarantee"]
    assert (promised["epsilon"], promised["delta"]) == (1, 0)
    assert promised["neighbours"] == "replace-one"
    assert promised["seeded"] is False
    assert release["certificate"]["holds"] is True
    assert release["columns"] == {"x": ["age"], "y": "adult", "positive": "1"}


def test_the_printed_text_says_everything(run):
    own = registry.make("generic", parse_class("thresholds(1, 99)"), epsilon="0.9")
    done = run(f"{ADULT} thresholds(1,99) --learner generic --out m.json --report p.html")
    assert done.code == 0
    assert done.err == ""
    for part in (
        "1 if x > ",
        "x is age; label 1: adult is 1",
        "pure 1-differential privacy, replace-one",
        "by a factor of at most 2.72",
        "an error rate on new records of at most 10%, with probability at least 95%",
        f"{own.required_samples()} records; there are 800",
        "holds",
        "m.json",
        "p.html",
    ):
        assert part in done.out, part


def test_files_are_the_release(run, folder):
    done = run(f"{ADULT} thresholds(1,99) --out m.json --report p.html --json")
    written = (folder / "m.json").read_text()
    assert written == done.out
    release = Release.read("m.json")
    assert (folder / "p.html").read_text() == page(release)
    assert load({k: v for k, v in done.json["hypothesis"].items() if k != "description"})


def test_existing_files_are_replaced_and_keep_their_permissions(run, folder):
    (folder / "m.json").write_text("old")
    (folder / "m.json").chmod(0o640)
    run(f"{ADULT} thresholds(1,99) --out m.json --report p.html")
    assert Release.read("m.json").n == 800
    assert stat.S_IMODE((folder / "m.json").stat().st_mode) == 0o640
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_links_are_followed_and_kept(run, folder):
    (folder / "real.json").write_text("old")
    (folder / "m.json").symlink_to("real.json")
    run(f"{ADULT} thresholds(1,99) --out m.json")
    assert (folder / "m.json").is_symlink()
    assert Release.read("real.json").n == 800


@pytest.mark.parametrize(
    "place", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "/dev/../dev/null"]
)
def test_what_lies_in_dev_is_never_replaced(place):
    assert not replaceable(Path(place))


def test_pipes_are_written_to(folder):
    os.mkfifo("pipe")
    seen = []
    reader = Thread(target=lambda: seen.append(Path("pipe").read_text()))
    reader.start()
    write_text("pipe", "model")
    reader.join()
    assert seen == ["model"]
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


def test_a_seed_repeats_and_says_not_private(run, folder):
    line = f"{ADULT} thresholds(1,99) --seed 5 --report p.html"
    first, second = run(line), run(line)
    assert first == second
    assert "NOT PRIVATE (seeded)" in first.out
    assert "NOT PRIVATE (seeded)" in (folder / "p.html").read_text()
    assert run(f"{line} --json").json["guarantee"]["seeded"] is True


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("more", "part"), [("", "1/10"), ("--evaluate 1/4", "1/4"), ("--holdout 0.5", "1")]
)
def test_the_evaluation_is_a_part_of_epsilon(run, more, part):
    done = run(f"{ADULT} thresholds(1,99) {more} --json")
    assert done.json["guarantee"]["epsilon_exact"] == "1"
    assert done.json["evaluation"]["epsilon"] == part
    if "holdout" not in more:
        left = 1 - Fraction(part)
        assert done.json["spent"] == {
            "learning": f"epsilon {left}",
            "evaluation": f"epsilon {part}",
        }
        own = registry.make("agnostic", parse_class("thresholds(1, 99)"), epsilon=left)
        assert done.json["required_samples"] == own.required_samples()
    assert set(done.json["quality"]) == {
        "error",
        "baseline",
        "majority",
        "constant",
        "balanced_accuracy",
    }
    said = run(f"{ADULT} thresholds(1,99) {more}").out
    assert re.search(r"Error rate +[\d.]+% \(95% CI [\d.]+% to [\d.]+%\)", said)
    assert re.search(r"Majority class +[01], error rate [0-9]", said)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("more", "advice"),
    [
        ("--evaluate 0.01", "another fit with a larger --evaluate would be more precise"),
        ("--evaluate 0.01 --holdout 0.5", "a larger --holdout or --evaluate would be more precise"),
        ("--evaluate 0.5", None),
        ("--no-evaluate", None),
    ],
)
def test_an_error_that_is_known_badly_is_said_to_be(run, more, advice):
    done = run(f"{ADULT} thresholds(1,99) {more} --out m.json --seed 1")
    lines = [line for line in done.out.splitlines() if line.startswith("Precision")]
    assert (len(lines), done.err) == (0 if advice is None else 1, "")
    if advice is not None:
        error = Release.read("m.json").quality.error
        assert max(error.high - error.value, error.value - error.low) > 0.05
        assert advice in lines[0]


def test_a_balanced_accuracy_that_would_be_noise_is_left_out_everywhere(run, folder):
    """Every city is Rome or Bonn: no label is 1."""
    line = "fit data.csv --x age --y city --class thresholds(1,99) --epsilon 4 --positive"
    for positive, rare in (("Paris", True), ("Rome", False)):
        done = run(f"{line} {positive} --out m.json --report p.html --seed 1")
        release = Release.read("m.json")
        if not rare:  # a threshold, or a constant that happens to be one
            assert release.quality.constant is None
        assert (release.quality.balanced_accuracy is None) is rare
        assert (json.loads(release.to_json())["quality"]["balanced_accuracy"] is None) is rare
        for said in (done.out, (folder / "p.html").read_text()):
            assert ("Balanced accuracy" not in said) is rare


def test_without_an_evaluation_all_of_epsilon_is_for_learning(run):
    done = run(f"{ADULT} thresholds(1,99) --no-evaluate --seed 1 --json")
    assert not {"evaluation", "quality", "spent"} & set(done.json)
    own = registry.make("agnostic", parse_class("thresholds(1, 99)"), epsilon=1)
    assert done.json["required_samples"] == own.required_samples()


@pytest.mark.first(1)
@pytest.mark.parametrize(("typed", "exact"), [("0.1", "1/10"), ("1/3", "1/3"), ("1e-2", "1/100")])
def test_numbers_are_the_exact_fractions_that_were_typed(run, typed, exact):
    done = run(
        f"fit data.parquet --x age --y adult --class points() --epsilon {typed} "
        f"--alpha {typed} --beta {typed} --json"
    )
    assert done.json["guarantee"]["epsilon_exact"] == exact
    assert done.json["certificate"]["alpha_exact"] == exact
    assert done.json["certificate"]["beta_exact"] == exact


def test_rows_of_a_schema_need_no_x(run):
    done = run(f"{ROWS} --json")
    assert done.json["columns"]["x"] == ["city", "age"]
    assert "age" in done.json["hypothesis"]["description"]


def test_x_chooses_columns_of_the_schema(run):
    done = run(f"{ROWS} --x age --json")
    assert done.json["columns"]["x"] == ["age"]
    assert "city" not in json.dumps(done.json["class"])


def test_positive_and_negative(run):
    line = "fit data.csv --x age --y city --class thresholds(1,99) --epsilon 1 --positive Rome"
    assert run(f"{line} --json").json["columns"]["positive"] == "Rome"
    assert run(f"{line} --strict --negative Bonn").code == 0


def test_a_positive_label_of_several_spellings(run, folder):
    """Every command reads them as the one spelling that another table has in their place."""
    ages = [3, 12, 16, 17, 18, 19, 44, 60] * 100
    adults = ["ja" if age > 17 and i % 3 else "Ja" if age > 17 else "nein"
              for i, age in enumerate(ages)]  # fmt: skip
    for name, cells in (("two", adults), ("one", [cell.lower() for cell in adults])):
        pacsv.write_csv(pa.table({"age": ages, "adult": cells}), f"{name}.csv")
    (folder / "s.toml").write_text("[age]\nbins = [10, 18, 30]\n")
    of = "--y adult --epsilon 4 --seed 1 --json"
    rule = "--x age --class thresholds(1,99)"
    lines = [
        f"fit T.csv {of} {rule} --out N.json --report N.html",
        f"score N.json T.csv {of}",
        f"check T.csv {of} --schema s.toml",
        f"audit replay --data T.csv --y adult {rule} --learner agnostic --epsilon 1 --pairs 3"
        " --json",
        f"stream T.csv --y adult {rule} --epsilon 4 --delta 1e-6 --horizon 900 --seed 1 --quiet"
        " --state N --out N.out",
    ]
    found = {}
    for name, label in (("one", "ja"), ("two", "ja|Ja")):
        found[name] = [
            run(line.replace("T", name).replace("N", name), "--positive", label) for line in lines
        ]
        assert {each.code for each in found[name]} == {0}
    fits, scores, checks, replays, _ = zip(*found.values(), strict=True)
    for first, second in (scores, replays, fits):
        assert second.out.replace('["ja", "Ja"]', '"ja"') == first.out
    assert fits[1].json["columns"]["positive"] == ["ja", "Ja"]
    assert list(checks[1].json["balance"]) == ["ja or Ja"]
    assert [*checks[1].json["balance"].values()] == [*checks[0].json["balance"].values()]
    assert (folder / "one.out").read_text() == (folder / "two.out").read_text()
    again = run("score two.json two.csv --epsilon 4 --seed 1")
    assert "label 1: adult is ja or Ja; label 0: any other value" in again.out
    page = (folder / "two.html").read_text()
    assert "adult is ja or Ja" in page
    assert "label 1: adult is ja or Ja" in page
    assert run("stream --state two --report two.html --seed 1").code == 0
    assert "adult is ja or Ja" in (folder / "two.html").read_text()
    # in Python, a list; the first spelling is predicted
    schema = ls.Schema.from_toml("s.toml")
    model = ls.fit("two.csv", schema=schema, y="adult", labels=["nein", ["ja", "Ja"]], epsilon=4,
                   random_state=1)  # fmt: skip
    assert model.release_.columns["positive"] == ["ja", "Ja"]
    assert model.release_.labels == ("nein", "ja")
    for odd in ("ja|", "ja|nan"):
        assert run(lines[0], "--positive", odd).code == 2
    with pytest.raises(ParameterError, match="unlike the other labels"):
        ls.fit("two.csv", schema=schema, y="adult", labels=["ja", ["ja", "Ja"]], epsilon=4)


def test_the_certificate_is_required_only_when_asked(run, folder):
    line = f"{ADULT} thresholds(1,99) --alpha 0.001 --out m.json --json"
    refused = run(f"{line} --require-certificate")
    assert refused.code == 3
    assert refused.json["error"]["n_needed"] > 800
    assert f"{refused.json['error']['n_needed']:,} records" in refused.err
    assert not (folder / "m.json").exists()
    assert run(line).code == 0
    enough = refused.json["error"]["n_needed"]
    assert run(f"{line} --require-certificate").json["error"]["n_needed"] == enough


def test_the_certificate_is_about_the_records_that_are_learned_from(run):
    """Of 800 records 400 are held out: enough for 800 is not enough."""
    line = "fit data.parquet --y adult --epsilon 1 --alpha 0.11 --require-certificate --class"
    line += " thresholds(1,99) --x age"
    assert run(f"{line} --no-evaluate").code == 0
    refused = run(f"{line} --holdout 0.5")
    assert refused.code == 3
    assert "there are 400." in refused.err


def test_one_odd_cell_changes_nothing_but_its_record(run, folder):
    text = (folder / "data.csv").read_text()
    (folder / "odd.csv").write_text(text.replace("\n60,1,", '\n"sixty ""x"",1,', 1))
    done = run("fit odd.csv --x age --y adult --class thresholds(1,99) --epsilon 1 --json")
    assert done.code == 0
    assert done.err == ""
    assert done.json["n"] == 800


def test_costs(run):
    line = f"{ADULT} thresholds(1,99) --epsilon 4".replace("--epsilon 1 ", "")
    done = run(f"{line} --costs 0=1,1=9 --json")
    assert done.json["costs"] == {"matrix": [[0, 1], [9, 0]], "unit": "1"}
    assert done.json["learner"] == "agnostic"
    assert done.json["quality"]["cheapest"] == 1
    assert "exp-mech.cost" in done.json["certificate"]["claims"]
    assert "Mean cost" in run(f"{line} --costs 0=1,1=9").out
    assert Release.from_dict(done.json).costs.largest == 9


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--epsilon 1e300", ["epsilon 1e+300 is above 20"]),
        ("--epsilon 20", []),
        ("--epsilon 1 --learner vc1 --delta 0.5", ["delta 0.5 is at least 1/n"]),
        ("--epsilon 1 --learner vc1 --delta 1/800", ["delta 0.00125 is at least 1/n"]),
        ("--epsilon 1 --learner vc1 --delta 1/801", []),
    ],
)
def test_empty_promises_are_said_on_standard_error(run, line, words):
    done = run(f"fit data.parquet --x age --y adult --class thresholds(1,99) --json {line}")
    assert done.code == 0, done.err
    assert done.json["guarantee"]
    assert [word in done.err for word in words] == [True] * len(words)
    assert done.err.count("littlestone: ") == len(words)


# -- ``fit --release DIR``: one folder to be filed, whole or not at all; ``--like``, ``--weights``

FIT = "fit data.parquet --y adult --epsilon 2 --schema schema.toml --model rule"


def test_the_folder_has_all_that_is_filed_with_true_hashes(run, folder):
    (folder / "filed").mkdir()  # empty: allowed
    done = run(f"{FIT} --release filed --out model.json")
    assert done.code == 0, done.err
    assert "filed" in done.out
    files = {path.name: path.read_bytes() for path in (folder / "filed").iterdir()}
    assert set(files) == {"model.json", "page.html", "record.json", "schema.toml", "README.md"}
    said = dict(
        reversed(line.split("  "))
        for line in files["README.md"].decode().splitlines()
        if re.match("[0-9a-f]{64}  ", line)
    )
    true = {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    assert said == {name: digest for name, digest in true.items() if name != "README.md"}
    release = Release.read(folder / "filed" / "model.json")
    assert files["model.json"] == (folder / "model.json").read_bytes()
    assert files["page.html"].decode() == page(release)
    assert check_record(json.loads(files["record.json"])) == []
    assert Schema.from_toml(folder / "filed" / "schema.toml").names == ("city", "age")
    assert str(release.guarantee) in files["README.md"].decode()


def test_a_folder_that_could_not_be_written_is_refused_before_anything_is_read(run, folder):
    (folder / "full").mkdir()
    (folder / "full" / "x").touch()
    (folder / "file").touch()
    (folder / "link").symlink_to(folder / "elsewhere")
    assert run("ledger create budget --epsilon 5").code == 0
    before = run("ledger show budget").out
    for name, why in (("full", "not empty"), ("file", "a file"), ("link", "a link"),
                      ("missing/new", "does not exist")):  # fmt: skip
        done = run(f"{FIT} --ledger budget --release {name}")
        assert done.code == 2
        assert why in done.err
    seeded = run(f"{FIT} --seed 1 --release new")
    assert seeded.code == 2
    assert "seeded release is not private" in seeded.err
    assert run("ledger show budget").out == before
    assert {path.name for path in (folder / "full").iterdir()} == {"x"}
    assert not (folder / "new").exists()


def test_nothing_is_left_of_a_folder_that_breaks_off(run, folder, monkeypatch):
    """And what was drawn is not lost: it is on the standard output."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("littlestone.report.pages._readme", full)
    before = set(folder.iterdir())
    done = run(f"{FIT} --release filed")
    assert done.code == 2
    assert "No space left on device" in done.err
    assert Release.from_dict(json.loads(done.out.splitlines()[-1])).n == 800
    assert set(folder.iterdir()) == before


def test_a_protocol_is_filed_with_it_and_seeded_releases_are_not(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    release = Release.read(folder / "model.json")
    write_folder(release, folder / "a", protocol='{"planned": 800}\n')
    assert (folder / "a" / "protocol.json").read_text() == '{"planned": 800}\n'
    assert "`protocol.json`" in (folder / "a" / "README.md").read_text()
    with pytest.raises(ParameterError, match="not empty"):
        write_folder(release, folder / "a")
    part = release.parts[0]
    seeded = replace(
        release, parts=(replace(part, guarantee=replace(part.guarantee, seeded=True)),)
    )
    with pytest.raises(ParameterError, match="seeded"):
        write_folder(seeded, folder / "b")
    assert not (folder / "b").exists()


def test_names_cannot_write_lines_of_the_readme(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    release = Release.read(folder / "model.json")
    name = "y\n" + "0" * 64 + "  model.json\n<script>"
    write_folder(replace(release, columns=release.columns | {"y": name}), folder / "a")
    text = (folder / "a" / "README.md").read_text()
    assert "\n0000" not in text
    assert "<script>" not in text


def test_the_columns_of_last_year_s_model(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    done = run("fit data.csv --y adult --epsilon 2 --model rule --like model.json --json")
    assert done.code == 0, done.err
    old = json.loads((folder / "model.json").read_text())
    assert done.json["class"]["schema"] == old["class"]["schema"]
    for more in ("--schema schema.toml", "--class thresholds(1,99)"):
        refused = run(f"fit data.csv --y adult --epsilon 2 --like model.json {more}")
        assert refused.code == 2
        assert "only one of --like, --schema and --class" in refused.err
    assert run("fit data.csv --x age --y adult --epsilon 1 --out t.json --class",
               "thresholds(1, 99)").code == 0  # fmt: skip
    refused = run("fit data.csv --y adult --epsilon 2 --like t.json")
    assert "a model of the columns of a table" in refused.err


def test_weights_are_refused_with_a_sentence():
    with pytest.raises(ParameterError, match="a record would count w times"):
        ls.fit({"age": [1]}, y="age", epsilon=1, weights="age")


# -- ``fit --record`` and ``check-record`` ---------------------------------------------------------

RECORD_FIT = (
    "fit data.parquet --x age --y adult --class thresholds(1,99) --learner agnostic --epsilon 1 "
    "--record record.json"
)


def test_a_record_is_written_and_checked(run):
    assert run("ledger create budget --epsilon 2 --data clinic").code == 0
    fitted = run(f"{RECORD_FIT} --out model.json --ledger budget --purpose report")
    assert fitted.code == 0
    assert "record.json" in fitted.out
    record = json.loads(Path("record.json").read_text())
    assert record["release"] == json.loads(Path("model.json").read_text())
    assert record["ledger"][-1]["event"]["purpose"] == "report"
    checked = run("check-record record.json")
    assert checked.code == 0
    assert "is consistent" in checked.out
    assert run("check-record record.json --json").json == {"ok": True, "wrong": []}


@pytest.mark.parametrize("accounting", ["pure", "zcdp --delta 1e-6"])
def test_a_page_says_what_the_ledger_recorded(run, accounting):
    made = f"ledger create budget --epsilon 9 --data <clinic> --accounting {accounting}"
    assert run(made).code == 0
    for i in range(2):
        line = f"{RECORD_FIT} --ledger budget --purpose a&b --report page{i}.html"
        assert run(line).code == 0
    ledger = ls.Ledger("budget")
    first, second = (unescape(Path(f"page{i}.html").read_text()) for i in range(2))
    day, spent = ledger.history()[1].day, short_text(ledger.spent().epsilon)
    assert f"Records: <clinic>; Purpose: a&b; Released (UTC): {day}; " in second
    half = re.search(r"ε (\S+) of 9 spent, including this release \(before it: 0\)", first)[1]
    assert f"ε {spent} of 9 spent, including this release (before it: {half})" in second
    assert run(f"{RECORD_FIT} --report page.html").code == 0
    assert "Released (UTC)" not in Path("page.html").read_text()


def test_a_changed_record_is_refused_and_the_field_is_named(run):
    assert run(RECORD_FIT).code == 0
    text = Path("record.json").read_text()
    Path("record.json").write_text(text.replace('"epsilon_exact": "1"', '"epsilon_exact": "1/2"'))
    checked = run("check-record record.json")
    assert checked.code == 1
    assert "release.guarantee.epsilon" in checked.out
    found = run("check-record record.json --json").json
    assert "release.spent" in {wrong["field"] for wrong in found["wrong"]}


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
    assert "has no record" in refused.err


# -- The lines that `littlestone fit` prints about a release ---------------------------------------


def test_the_interval_around_an_error_covers_a_clamped_one():
    """At 0 % with the interval [0 %, 15 %], plus or minus half of it would promise too much."""
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=3)
    sample = ls.data.Sample.of([2, 8] * 10, [0, 1] * 10)
    release = run(learner, sample, SeededSource(0), evaluate=1)
    counts = ((10, 0), (0, 10))
    release = replace(release, evaluation=replace(release.evaluation, counts=counts))
    found = release.quality
    assert found.error.value == 0
    high = f"{100 * found.error.high:.1f}"
    assert f"0.0% (95% CI 0.0% to {high}%" in plain(release)


def said_of(counts, hypothesis, alpha="0.1"):
    """Return what is printed where an evaluation found these counts."""
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=2, alpha=alpha)
    n = sum(map(sum, counts))
    sample = ls.data.Sample.of([2, 8] * (n // 2), [0, 1] * (n // 2))
    release = run(learner, sample, SeededSource(0), evaluate=1)
    made = replace(release.evaluation, counts=counts, n=n)
    release = replace(release, evaluation=made, hypothesis=hypothesis)
    assert beside_constants(release) in page(release)
    return plain(release)


ABOVE_4, ALWAYS_0 = ThresholdHypothesis(4, 1, 9), ThresholdHypothesis(9, 1, 9)


def test_a_rare_label_that_is_never_answered_is_not_called_learned():
    """Nine in ten are 0: a certificate for alpha = 0.1 holds of always answering 0."""
    said = said_of(((3600, 0), (400, 0)), ALWAYS_0)
    assert "Certificate: holds" in said
    assert "The rule is a constant: it always predicts 0." in said
    assert "does not imply that the columns help" in said


@pytest.mark.parametrize(
    ("counts", "words", "trivial"),
    [
        (
            ((3000, 600), (100, 300)),
            "does not have a lower error rate than always predicting 0",
            True,
        ),
        (
            ((3590, 10), (20, 380)),
            "has a lower error rate than always predicting 0",
            True,
        ),  # 10 % <= alpha
        (((1990, 10), (20, 1980)), "has a lower error rate than always predicting 0", False),
        (
            ((10, 1990), (1980, 20)),
            "does not have a lower error rate than always predicting 0",
            True,
        ),
        (((1000, 1000), (999, 1001)), "is not clear that the rule has a lower error rate", False),
    ],
)
def test_a_rule_is_compared_with_the_best_constant(counts, words, trivial):
    said = said_of(counts, ABOVE_4)
    assert words in said
    assert ("also seems to satisfy the certificate" in said) is trivial


def test_without_an_evaluation_only_a_constant_is_known_to_be_one():
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=2)
    release = run(learner, ls.data.Sample.of([2, 8] * 2000, [0, 1] * 2000), SeededSource(0))
    assert beside_constants(release) == ""
    release = replace(release, hypothesis=ALWAYS_0)
    assert "always predicts 0" in beside_constants(release)
    assert "always predicts 0" in plain(release)


def test_what_an_epsilon_means_is_said_of_all_of_it():
    """Where columns were learned from the same records, both cost."""
    table = {"age": [25, 70, 45, 65] * 2500, "ill": [0, 1, 0, 1] * 2500}
    release = ls.fit(table, y="ill", epsilon=1, random_state=0).release_
    parts = [replace(p, guarantee=replace(p.guarantee, seeded=False)) for p in release.parts]
    said = plain(replace(release, parts=tuple(parts))).splitlines()
    (line,) = (i for i, words in enumerate(said) if "the odds of any statement" in words)
    assert "by a factor of at most 2.72" in said[line]
    assert said[line - 1].startswith("Guarantee: pure 1-differential")
