"""predict, plan, audit exact, report, and the program itself."""

import itertools
import json
import re
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from checker import check_all

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import CLASSES
from littlestone.cli import terminal
from littlestone.cli.terminal import COMMON, GROUPS
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners import registry, select
from littlestone.learners.exponential import Generic
from littlestone.learners.running import run
from littlestone.source import SeededSource

# -- predict, plan, audit exact, report, and the program itself ------------------------------------

AGES = [3, 12, 16, 17, 18, 19, 44, 60] * 100
FIT = "fit data.parquet --x age --y adult --epsilon 100 --class thresholds(1,99) --out m.json"


@pytest.mark.parametrize("data", ["data.parquet", "data.csv"])
def test_predictions_are_the_hypothesis_in_the_order_of_rows(run, folder, data):
    release = run(f"{FIT} --json").json
    done = run(f"predict m.json {data}")
    head, *rows = done.out.splitlines()
    assert head == "prediction"
    ages = [3, 12, 16, 17, 18, 19, 44, 60] * 100
    assert rows == [str(int(age > release["hypothesis"]["above"])) for age in ages]


def test_predictions_into_a_file_and_of_rows(run, folder):
    fit = "fit data.csv --schema schema.toml --y adult --epsilon 100 --class rules(max_literals=1)"
    run(f"{fit} --out m.json")
    printed = run("predict m.json data.parquet").out
    done = run("predict m.json data.csv --out y.csv")
    assert done == (0, "", "")
    assert (folder / "y.csv").read_text() == printed
    assert printed.splitlines()[1:9] == list("00001111")


def test_what_is_predicted_is_what_was_estimated(run, folder):
    """Fit, write, read, predict: the errors are those that the release counted (in its order)."""
    fit = "fit data.csv --schema schema.toml --y adult --epsilon 1001 --class rules(max_literals=2)"
    done = run(f"{fit} --evaluate 1000 --out m.json --json")  # hardly any noise
    labels = run("predict m.json data.csv").out.split()[1:]
    truth = [str(int(age > 17)) for age in [3, 12, 16, 17, 18, 19, 44, 60] * 100]
    wrong = sum(a != b for a, b in zip(labels, truth, strict=True))
    assert wrong == round(800 * done.json["quality"]["error"]["value"])


@pytest.mark.parametrize("kind", ["rules(max_literals=1)", "decision_trees(depth=1)", "scorecard"])
def test_a_model_whose_columns_changed_places_is_refused(run, folder, kind):
    fit = f"fit data.csv --schema schema.toml --y adult --epsilon 100 --class {kind}"
    model = run(f"{fit} --json").json
    (folder / "m.json").write_text(json.dumps(model))
    assert run("predict m.json data.csv").code == 0
    model["class"]["schema"].reverse()
    (folder / "m.json").write_text(json.dumps(model))
    done = run("predict m.json data.csv")
    assert done.code == 2
    assert "does not fit its schema" in done.err
    assert done.out == ""


@pytest.mark.parametrize("kind", ["thresholds(1,99) --x age", "scorecard --schema schema.toml"])
def test_a_key_stays_beside_its_prediction(run, folder, kind):
    run(f"fit data.parquet --y adult --epsilon 100 --out m.json --class {kind}")
    plain = run("predict m.json data.csv").out.splitlines()
    cells = ['"a, ""b"""', "007", "", "z"] * 200
    table = [f"{cell},{age}" for cell, age in zip(cells, AGES, strict=True)]
    (folder / "k.csv").write_text("\n".join(["no,age", *table]) + "\n")
    done = run("predict m.json k.csv --key no") if "age" in kind else run(
        "predict m.json data.csv --key age --proba"
    )  # fmt: skip
    lines = done.out.splitlines()
    if "age" in kind:
        assert lines == [
            f"{key},{answer}" for key, answer in zip(["no", *cells], plain, strict=True)
        ]
    else:  # also a column that is learned from, and in Parquet
        head, *rows = (folder / "data.csv").read_text().splitlines()
        numbered = [f"no,{head}", *(f"{at},{row}" for at, row in enumerate(rows))]
        (folder / "n.csv").write_text("\n".join(numbered) + "\n")
        beside = run("predict m.json n.csv --key no").out.splitlines()
        assert beside == [
            f"{at},{own}" for at, own in zip(["no", *range(len(rows))], plain, strict=True)
        ]
        assert [line.split(",")[:2] for line in lines[1:]] == [
            [str(age), answer] for age, answer in zip(AGES, plain[1:], strict=True)
        ]
        assert lines[0] == "age,prediction,probability"
        run("predict m.json data.csv --key age --proba --out p.parquet")
        assert pq.read_table("p.parquet")["age"].to_pylist() == list(map(str, AGES))
    done = run("predict m.json k.csv --key none --x age")
    assert (done.code, done.out) == (2, "")
    assert "prediction" in run("predict m.json data.csv --key prediction").err


def test_odd_rows_are_predicted_too(run, folder):
    run(FIT)
    cells = ["60", "17.0", '" 60 "', "abc", "", "1e9", "60.5", '"6""0"']
    (folder / "odd.csv").write_text(
        "\n".join(["city,age", *(f"x,{cell}" for cell in cells)]) + "\n"
    )
    assert run("predict m.json odd.csv").out.split()[1:] == list("10100000")


def test_predictions_for_another_column_name(run, folder):
    run(FIT)
    (folder / "new.csv").write_text("years\n5\n50\n")
    assert run("predict m.json new.csv").code == 2
    assert run("predict m.json new.csv --x years").out == "prediction\n0\n1\n"


@pytest.mark.more
def test_big_integers_and_texts(run, folder):
    (folder / "big.csv").write_text(f"x,y\n{2**80},1\n{2**90},1\n5,0\n" * 50)
    run("fit big.csv --x x --y y --epsilon 100 --class thresholds(1,2**100) --out m.json")
    assert run("predict m.json big.csv").out.split()[1:4] == list("110")
    (folder / "text.csv").write_text("x,y\nrome,1\nbonn,0\n" * 300)
    run("fit text.csv --x x --y y --epsilon 100 --class points() --out m.json")
    assert run("predict m.json text.csv").out.split()[1:3] == list("10")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": "littlestone-release-1"}', "\ud800"]
)
def test_models_that_are_none(run, folder, text):
    (folder / "m.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    for line in ("predict m.json data.csv", "report m.json --out p.html"):
        done = run(line)
        assert done.code == 2
        assert done.err.count("\n") == 1
    assert not (folder / "p.html").exists()


def test_report_is_the_page_of_fit(run, folder):
    run(f"{FIT} --report p.html --evaluate 1/2")
    assert run("report m.json --out again.html").code == 0
    assert (folder / "again.html").read_bytes() == (folder / "p.html").read_bytes()


def test_plan_agrees_with_the_learners(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --json --no-evaluate --class"
    done = run(line, "thresholds(1, 2**20 - 1)")
    assert done.code == 0
    plans = {plan["learner"]: plan for plan in done.json["plans"]}
    records = [
        name
        for name, entry in registry.LEARNERS.items()
        if entry.unit == "records" and entry.certified
    ]
    assert list(plans) == records
    assert plans["generic"]["n"] == 420
    assert done.json["chosen"] == select.auto(ls.Thresholds(1, 2**20 - 1), epsilon=1).name
    assert done.json["cheaper"] == "generic"
    assert isinstance(done.json["lower_bounds"], list)
    assert "delta" in plans["vc1"]["reason"]
    for name, plan in plans.items():
        if not registry.LEARNERS[name].pure:
            continue  # they need a delta
        algorithm = registry.make(name, ls.Thresholds(1, 2**20 - 1), epsilon=1)
        assert plan["n"] == algorithm.required_samples()
        assert plan["certificate"]["holds"]
        assert not algorithm.certificate(plan["n"] - 1).holds
        assert recheck(plan["certificate"]) == ()
        assert plan["unit"] == "records"
        assert plan["guarantee"]["epsilon"] == 1


@pytest.mark.more
def test_plan_for_any_labels_and_with_a_delta(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --class points() --json --no-evaluate"
    any_labels = run(f"{line} --agnostic").json
    assert (any_labels["chosen"], any_labels["cheaper"]) == ("agnostic", None)
    with_delta = run(f"{line} --delta 1e-6").json
    assert (with_delta["chosen"], with_delta["cheaper"]) == ("agnostic", "generic")
    assert {plan["learner"]: plan.get("n") for plan in with_delta["plans"]}["vc1"] == 583
    vast = run(
        "plan --epsilon 1 --alpha 0.1 --beta 0.05 --delta 1e-6 --json --class prefixes(ipv6)"
    )
    assert (vast.json["chosen"], vast.json["cheaper"]) == ("agnostic", "vc1")


@pytest.mark.more
def test_plan_for_users(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --class points() --samples-per-user 8"
    done = run(f"{line} --delta 1e-6 --json")
    for plan in done.json["plans"]:
        assert plan.get("unit", "users") == "users"  # no unit where the class does not suit
    assert done.json["chosen"] == "users"
    assert "one record of each user" in run(line).out


@pytest.mark.more
def test_plan_compares_users_with_group_privacy(run):
    public = ["--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--json", "--no-evaluate"]
    thresholds = ["--class", "thresholds(1, 2**20)", "--samples-per-user", "256"]
    plans = run("plan", *public, *thresholds).json["plans"]
    own = [p for p in plans if "n" in p and "method" not in p.get("options", {})]
    needed = {(p["learner"], p.get("epsilon_of_a_record")): p["n"] for p in own}
    # the same mechanism, certified for n * 256 records with epsilon/256
    assert needed["agnostic", "epsilon/256"] == 341
    assert needed["agnostic", None] == 852
    assert needed["users", None] == 117
    for plan in plans:
        if "n" in plan and plan["learner"] != "agnostic" and plan["learner"] != "generic":
            assert plan["guarantee"]["neighbours"] == "user-replace"


def test_plan_as_a_table(run):
    done = run("plan --epsilon 1 --alpha 0.1 --beta 0.05 --class", "thresholds(1, 2**20 - 1)")
    assert "agnostic (chosen)" in done.out
    own = registry.make("generic", ls.Thresholds(1, 2**20 - 1), epsilon="0.9")
    assert f"{own.required_samples()} records" in done.out
    assert (
        "Fewer records are enough, if some concept of the class has no errors: --learner generic\n"
        in done.out
    )
    lines = done.out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert not any(line.startswith("vc1 ") for line in lines)  # one line names what needs a delta
    assert "above that of the best concept of the class" in done.out
    lacking = next(line for line in lines if line.startswith("Planned only with a delta"))
    assert "vc1, littlestone, agnostic:vc1" in lacking
    assert lines.count("explicit: proved, with all constants.") == 1  # a word of the table


@pytest.mark.first(1)
@pytest.mark.parametrize("spec", ["thresholds(1, 99)", "prefixes(ipv4)"])
@pytest.mark.parametrize("delta", [[], ["--delta", "1e-6"]])
def test_plan_chooses_what_fit_takes(run, spec, delta):
    public = ["--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--class", spec, "--json"]
    planned = run("plan", *public, *delta)
    fitted = run("fit data.csv --x age --y adult", *public, *delta)
    assert planned.json["chosen"] == fitted.json["learner"]
    needed = {plan["learner"]: plan.get("n") for plan in planned.json["plans"]}
    assert needed[planned.json["chosen"]] == fitted.json["required_samples"]


def test_plan_when_fit_takes_nothing(run, monkeypatch):
    """Only a learner that must be named suits the class."""
    real = registry.make

    def make(name, *arguments, **options):
        if name in ("auto", "agnostic"):
            raise ParameterError("Not for this class.")
        return real(name, *arguments, **options)

    monkeypatch.setattr(registry, "make", make)
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --class points()"
    assert run(f"{line} --json").json["chosen"] is None
    done = run(line)
    assert "(chosen)" not in done.out
    assert "name one with --learner" in done.out
    assert (
        "Fewest records, if some concept of the class has no errors: --learner generic\n"
        in done.out
    )
    assert "agnostic: Not for this class.\n" in done.out


AUDIT = "audit exact --epsilon 1 --n 2"


@pytest.mark.first(1)
@pytest.mark.parametrize("learner", ["generic", "agnostic"])
@pytest.mark.parametrize(
    "line", ["--points 1,2,3 --class thresholds(1,3)", "--points 1,2 --class points(1,2) --outside"]
)
def test_audit_holds_and_prints_sizes(run, learner, line):
    done = run(f"{AUDIT} --learner {learner} {line}")
    assert done.code == 0, done.err
    assert done.out.startswith("HOLDS: ")
    for part in ("data sets", "neighbour pairs", "sequences of draws", "probability left out"):
        assert part in done.out


def test_large_audits_are_announced_or_refused(run):
    line = f"{AUDIT} --learner generic --points 1,2,3 --class thresholds(1,3)"
    done = run(f"{line} --max-datasets 20")
    assert done.code == 2
    assert "would enumerate 21 data sets, more than 20" in done.err
    assert run(f"{line} --max-datasets 21").code == 0


def test_audit_as_json(run):
    done = run(f"{AUDIT} --learner generic --points 1,2 --class thresholds(1,2) --json")
    assert done.json["holds"] is True
    assert done.json["datasets"] == 16
    assert done.json["pairs"] == 96


@pytest.mark.more
def test_audit_of_rows(run, folder):
    line = f"{AUDIT} --learner agnostic --class rules(max_literals=1) --schema schema.toml"
    done = run(line, "--points", "Bonn,5; Rome,40")
    assert done.code == 0, done.err
    assert "HOLDS" in done.out


def test_audit_of_a_broken_learner_fails(run, monkeypatch):
    claimed = registry.make("generic", ls.Thresholds(1, 2), epsilon=1)

    class Broken(Generic):
        """Half the noise of what it claims."""

        def guarantee(self, *, seeded=False):
            return claimed.guarantee(seeded=seeded)

    broken = Broken(ls.Thresholds(1, 2), epsilon=2)
    monkeypatch.setattr(registry, "make", lambda *_, **__: broken)
    done = run(f"{AUDIT} --learner generic --points 1,2 --class thresholds(1,2)")
    assert done.code == 1
    assert done.out.startswith("FAILS: ")
    assert "data sets" in done.out


USERS = "audit exact --class thresholds(1,1) --points 1 --epsilon 1 --learner users --n 2"


@pytest.mark.more
@pytest.mark.parametrize(
    ("cls", "more"),
    [
        ("thresholds(1,1)", "--samples-per-user 1 --json"),
        ("thresholds(1,1)", "--samples-per-user 1 --records-per-user 1 --json"),
        ("points(1,1)", "--samples-per-user 2 --method user-level --records-per-user 1 --json"),
        ("sparse_sets(1,1,1)", "--samples-per-user 2 --records-per-user 1 --json"),
        ("intervals(1,1)", "--samples-per-user 2 --records-per-user 1 --json"),
    ],
)
def test_audit_of_users(run, cls, more):
    """Users with none, one, ... records; by default up to one more than is looked at."""
    done = run(f"{USERS.replace('thresholds(1,1)', cls)} {more}")
    assert done.code == 0, done.err
    assert done.json["holds"] is True
    assert done.json["unit"] == "users"
    kinds = 3 if "records" in more else 6  # two records: none, one of them, any two of them
    assert done.json["datasets"] == kinds**2
    assert 0 < done.json["tightest_epsilon"] <= 1


@pytest.mark.more
def test_audit_of_a_broken_learner_of_users_fails(run, monkeypatch):
    sound = registry.make("users", ls.Thresholds(1, 1), epsilon=1, samples_per_user=2)

    class Broken(type(sound)):
        """Protects a record, and claims to protect a user with two."""

        def guarantee(self, *, seeded=False):
            return sound.guarantee(seeded=seeded)

    broken = Broken(ls.Thresholds(1, 1), epsilon=2, samples_per_user=2, method="group-privacy")
    monkeypatch.setattr(registry, "make", lambda *_, **__: broken)
    done = run(f"{USERS} --samples-per-user 2 --records-per-user 2")
    assert done.code == 1
    assert done.out.startswith("FAILS: ")


def test_the_printed_text_is_a_function_of_the_release():
    """What fit prints depends on data only through the released values."""
    from littlestone.report.evaluated import plain

    learner = registry.make("generic", ls.Thresholds(1, 3), epsilon=1)
    seen = {}
    for labels in np.ndindex(2, 2, 2):
        release = run(learner, Sample.of([1, 2, 3], labels), SeededSource(3), evaluate="1/2")
        key = (release.hypothesis.key, release.evaluation)
        assert seen.setdefault(key, plain(release)) == plain(release)
    assert len(seen) > 1


def test_help_names_every_command(run):
    done = run("--help")
    assert done.code == 0
    assert "Exit codes" in done.out
    lines = [line[2:] for line in done.out.splitlines() if line.startswith("│ ")]
    listed = [line.strip("│ ").split(maxsplit=1) for line in lines if line[0] != " "]
    names = [line[0] for line in listed if not line[0].startswith("--")]
    assert names == [
        "schema", "plan", "check", "rehearse", "fit", "predict", "score", "report",
        "export", "check-record", "stream", "dims", "papers", "audit", "ledger",
    ]  # fmt: skip
    assert all(len(line) == 2 for line in listed)
    assert re.search(r"exact +Verify privacy exactly", run("audit --help").out)


def test_help_names_every_class(run):
    for command in ("plan", "fit", "dims", "stream"):
        shown = " ".join(run(f"{command} --help").out.split()).partition("Classes: ")[2]
        bounded = command in ("plan", "stream")  # which no sum of trees or linear model has
        for name, usage in CLASSES.items():
            learned = name in ("boosted_trees", "scorecard", "linear")
            assert (usage in shown) == (not (bounded and learned)), (command, name)


def test_help_breaks_lines_where_the_terminal_ends(run):
    lines = run("fit --help-all").out.splitlines()
    rows = [line for line in lines if line.startswith("│")]
    for row, below in itertools.pairwise(rows):
        words, more = row.strip("│ "), below.strip("│ ").split(" ")[0]
        if below.startswith("│" + " " * 20) and not words.endswith("]"):
            room = len(row) - len(row.rstrip("│ ")) - 3
            assert room <= len(more), row


def test_help_of_a_command_says_all_of_its_description(run):
    assert "The exit code is 0 if the claim" in run("audit exact --help").out
    assert "--learner auto" in run("plan --help").out


def test_the_ten_common_options_come_first(run):
    """The rest is in groups, each option in one; what costs epsilon says so."""
    lines = run("fit --help").out.splitlines()
    names = [m[1] for line in lines if (m := re.match(r"│ (?:[* ]  )?(--[\w-]+)", line))]
    assert names == [f"--{name}" for name in COMMON["fit"].split()]
    assert len(names) == 10
    shown = run("fit --help-all").out
    titles = re.findall(r"^╭─ (\w+) ─", shown, re.MULTILINE)
    assert titles == ["Arguments", *GROUPS]
    assert "[epsilon: its amount, taken from --epsilon]" in " ".join(re.sub("│", "", shown).split())
    named = [name for names in GROUPS.values() for name in names.split()]
    assert len(named) == len(set(named))


def python(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "littlestone", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.more
def test_as_a_program(folder):
    assert python("--version").stdout.strip() == ls.__version__
    fit = ["--x=age", "--y=adult", "--epsilon=1", "--json", "--class=points()"]
    done = python("fit", "data.csv", *fit)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["n"] == 800
    bad = python("fit", "none.csv", *fit)
    assert bad.returncode == 2
    assert "error" in json.loads(bad.stdout)


def test_version_loads_no_heavy_room():
    code = (
        "import sys; from littlestone.cli.main import main; main(['--version']); main(['--help']);"
        "heavy = {'numpy', 'sklearn', 'duckdb', 'pyarrow', 'flint', 'jinja2', 'narwhals'};"
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.more
def test_a_reader_that_goes_away_is_no_error(run, folder):
    run(FIT)
    done = subprocess.run(
        f"{sys.executable} -m littlestone predict m.json data.csv | head -1",
        shell=True,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "prediction\n"
    assert done.stderr == ""


def test_a_tree_predicts_what_it_says(run, folder):
    """Columns of the schema are not in alphabetical order; the model file sorts its keys."""
    (folder / "trees.toml").write_text("[zeal]\nbins = [5]\n\n[age]\nbins = [30, 60]\n")
    rows = [(z, a) for z in range(10) for a in range(0, 90, 10)] * 5
    lines = [f"{z},{a},{int(z >= 5 or a >= 60)}" for z, a in rows]
    (folder / "trees.csv").write_text("\n".join(["zeal,age,y", *lines]))
    fit = "fit trees.csv --schema trees.toml --y y --epsilon 50 --class decision_trees(depth=2)"
    run(f"{fit} --seed 1 --out tree.json")
    done = run("predict tree.json trees.csv")
    assert done.out.split() == ["prediction", *(line.rsplit(",", 1)[1] for line in lines)]


# -- littlestone plan beyond the table: solve, models; fit --agnostic ------------------------------

PUBLIC = "--beta 0.05 --class thresholds(1,99)"


def test_json_is_checked_by_the_independent_checker(run):
    done = run(f"plan --epsilon 1 --alpha 0.1 --delta 1e-6 --json {PUBLIC}").json
    found = check_all(done)
    assert len(found) >= 7
    assert not any(found.values())
    assert {"plans", "chosen", "why", "cheaper", "lower_bounds", "non_private"} <= set(done)
    explicit = [b for b in done["lower_bounds"] if b["status"] == "explicit"]
    assert explicit
    needed = {plan["learner"]: plan.get("n", 10**9) for plan in done["plans"]}
    for bound in explicit:
        if bound["setting"] == "realizable":
            assert bound["n"] <= min(needed.values())
        else:
            assert bound["n"] <= needed["agnostic"]
    unknown = [b for b in done["lower_bounds"] if b["constant"] == "unknown"]
    assert [b["n"] for b in unknown] == [None] * len(unknown)


@pytest.mark.more
def test_streams_beside_what_no_learner_can_do_better(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --delta 1e-6 --class points() --horizon"
    found = run(f"{line} 100000 --json").json
    assert not any(check_all(found).values())
    stream = found["stream"]
    assert stream["bound"]["holds"]
    assert stream["bound"]["adaptive"]
    known = {b["order"]: (b["mistakes"], b["constant"]) for b in stream["lower_bounds"]}
    assert known["Omega(d)"] == (0.5, "explicit")
    assert known["Omega(log T)"] == (None, "unknown")
    said = run(f"{line} 100000 --report page.html").out
    assert f"at most {stream['bound']['mistakes']} mistakes" in " ".join(said.split())
    assert "Omega(log T): constant unknown" in " ".join(said.split())
    assert "the stream is too short" in " ".join(run(f"{line} 20").out.split())
    assert run(f"{line} 0").code == 2
    assert run(f"{line} 9 --solve epsilon --n 9").code == 2
    refused = run(
        "plan --epsilon 1 --alpha 0.1 --beta 0.05 --delta 1e-6 --horizon 99 "
        "--class conjunctions(40)"
    )
    assert refused.code == 2
    said = " ".join(refused.err.split())
    assert "No learner can guarantee this for conjunctions(40)" in said
    assert "on some stream: Omega(d): at least 20.5" in said  # half of the Littlestone dimension
    pure = run(line.replace(" --delta 1e-6", "").replace("points()", "thresholds(1,99)") + " 99999")
    assert "In a stream of 99,999 rows, littlestone stream makes at most" in pure.out


@pytest.mark.more
def test_solve(run):
    done = run(f"plan --solve epsilon --n 400 --alpha 0.1 --json {PUBLIC}").json
    best = done["solutions"][0]
    assert best["learner"] == "generic"
    again = run(f"plan --epsilon {best['value']} --alpha 0.1 --json {PUBLIC}").json
    needed = {plan["learner"]: plan.get("n") for plan in again["plans"]}
    assert needed["generic"] <= 400
    assert "0." in run(f"plan --solve alpha --n 2000 --epsilon 1 {PUBLIC}").out
    users = run(f"plan --solve alpha --n 200 --epsilon 1 --samples-per-user 4 {PUBLIC}")
    assert "200 users" in users.out


@pytest.mark.first(1)
@pytest.mark.parametrize("learner", ["vc1", "littlestone"])
def test_fit_agnostic(run, folder, learner):
    concepts = "thresholds" if learner == "vc1" else "points"
    line = f"fit data.csv --x age --y adult --epsilon 60 --class {concepts}(1,99) --delta 1e-6"
    done = run(f"{line} --alpha 0.4 --beta 0.4 --learner {learner} --agnostic --json").json
    assert done["learner"] == f"agnostic:{learner}"
    assert done["guarantee"]["claim"].startswith("dp.sum(agnostic.two-sample.privacy(")
    named = run(f"{line} --alpha 0.4 --beta 0.4 --learner agnostic:{learner} --json").json
    assert named["required_samples"] == done["required_samples"]
    assert run(f"{line.replace(' --delta 1e-6', '')} --learner generic --agnostic --json").json[
        "learner"
    ] == "agnostic"  # fmt: skip


@pytest.mark.more
def test_plan_says_when_privacy_is_not_the_bottleneck(run):
    line = "plan --alpha 0.1 --beta 0.05 --class points() --epsilon"
    assert "Privacy is not the bottleneck" in run(f"{line} 2").out
    assert "Privacy is not the bottleneck" not in run(f"{line} 1/20").out


def test_elsewhere_than_on_a_terminal_progress_is_a_line_every_half_minute(monkeypatch, capsys):
    times = iter([0, 29, 31, 31, 60, 62, 62])
    monkeypatch.setattr(terminal, "monotonic", lambda: next(times))
    with terminal.counting("Rehearsing") as progress:
        for done in (1, 2000, 3, 4):
            progress(done, 9)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"littlestone: Rehearsing: {n} runs are done." for n in ("2,000", "4")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("papers x", "Unexpected on the command line: 'x'. See littlestone papers --help."),
        ("fit a.csv --out", "--out needs a value, for example --out model.json."),
        ("audit replay --learner generic --epsilon 1", "audit replay needs --data, for example"),
        (
            "rehearse none.csv --y a --epsilon 1 --records 9",
            "The TWIN argument of rehearse must be",
        ),
        (
            "ledger create x.db --epsilon 1 --accounting rdp",
            "one of pure, approximate, zcdp. Got 'rdp'",
        ),
    ],
)
def test_errors_name_what_was_typed(run, line, said):
    assert said in run(line).err
