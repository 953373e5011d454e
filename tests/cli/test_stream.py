"""``littlestone stream`` and ``ledger``: rows in, predictions out, a state that goes on."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.cli import stream as stream_module
from littlestone.cli.main import main
from littlestone.data.cells import user_name
from littlestone.data.read import line_groups
from littlestone.learners.online.journal import Journal
from littlestone.privacy import Ledger

# -- ``littlestone stream``: rows in, predictions out, a state that goes on ------------------------

NEW = "--class thresholds(1,99) --epsilon 8 --delta 1e-6 --horizon 1000 --state s --seed 4"
ROWS = [(1 + i * 37 % 99, int(i * 37 % 99 > 40)) for i in range(900)]


def write(name, rows, names="x,y"):
    Path(name).write_text(names + "\n" + "".join(f"{x},{y}\n" for x, y in rows))


@pytest.fixture
def rows(folder):
    write("rows.csv", ROWS)
    learner = ls.OnlineLearner(
        ls.Thresholds(1, 99), epsilon=8, delta="1e-6", horizon=1000, random_state=4
    )
    lines = ["t,prediction"]
    for t, (x, y) in enumerate(ROWS):
        lines.append(f"{t},{learner.predict_one(x)}")
        learner.learn_one(x, y)
    return "\n".join(lines) + "\n", learner


@pytest.mark.first(2)
@pytest.mark.parametrize("group", ["7", "16384", "1"])
def test_predictions_are_those_of_the_learner_however_rows_are_grouped(run, rows, group):
    want, learner = rows
    done = run(f"stream rows.csv {NEW} --group {group}")
    assert (done.code, done.out) == (0, want)
    last = done.err.splitlines()[-1]
    assert len(set(done.err.splitlines())) == len(done.err.splitlines())
    assert last == f"rows 900 | hypothesis number {len(learner.published_) - 1} | budget: " + (
        f"{learner.state_.batches} of {learner.plan.batches} updates used"
    )
    assert "mistake" not in done.err
    public = run("stream --state s --status --json").json
    assert public["rows"] == 900
    assert public["hypothesis"] == len(learner.published_) - 1 > 0
    assert public["description"] == learner.hypothesis_.describe()
    assert public["running"] is False
    assert run("stream --state s --export public.json").code == 0
    exported = json.loads(Path("public.json").read_text())
    assert [(p["rows"], p["hypothesis"]) for p in exported["published"]] == [
        (t, h.to_dict()) for t, h in learner.published_
    ]
    assert "Guarantee   (8, 1e-06)" in run("stream --state s --status").out


@pytest.mark.more
def test_from_a_pipe_and_new_rows(rows, folder):
    want, _ = rows
    program = [sys.executable, "-m", "littlestone", "stream", *NEW.split()]
    head, tail = ROWS[:400], ROWS[400:]
    out = b""
    for part, more in ((head, []), (tail, ["--resume", "new-rows"])):
        write("part.csv", part)
        with open("part.csv", "rb") as file:
            done = subprocess.run([*program, *more], stdin=file, capture_output=True, check=True)
        out += done.stdout if not more else done.stdout.removeprefix(b"t,prediction\n")
    assert out.decode() == want


def test_the_same_line_again_needs_to_say_what_the_input_is(run, rows):
    want, _ = rows
    write("head.csv", ROWS[:400])
    assert run(f"stream head.csv {NEW} --out p.csv").code == 0
    again = run(f"stream rows.csv {NEW} --out q.csv")
    assert again.code == 2
    assert "holds a stream of 400 rows" in again.err
    assert "--resume from-start" in again.err
    assert run("stream rows.csv --state s --resume from-start --out q.csv").code == 2  # no seed
    resumed = "--state s --seed 4 --resume from-start --out"
    full = run(f"stream rows.csv {resumed} p.csv")
    assert full.code == 2
    assert "must be a new file" in full.err
    done = run(f"stream rows.csv {resumed} q.csv")
    assert (done.code, done.out) == (0, "")
    head, more = Path("p.csv").read_text(), Path("q.csv").read_text()
    assert head + more.removeprefix("t,prediction\n") == want
    short = run(f"stream head.csv {resumed} r.csv")
    assert short.code == 2
    assert "fewer rows than the stream has learned" in short.err
    assert Path("p.csv").read_text() == head


def test_answers_that_a_kill_held_back_are_written_by_the_next_run(run, rows, monkeypatch):
    """Killed after a group was saved, before any of its answers was written."""
    want, _ = rows

    def killed(self, first, labels):
        if labels:
            raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(stream_module.Answers, "write", killed)
        assert run(f"stream rows.csv {NEW} --out p.csv --group 200").code == 1
    done = run("stream rows.csv --state s --seed 4 --resume from-start --out q.csv")
    assert done.code == 0, done.err
    assert Path("p.csv").read_text() == ""
    assert Path("q.csv").read_text() == want


@pytest.mark.more
def test_a_full_disk_for_answers_loses_nothing(rows, folder):
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from littlestone.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    long = "x,y\n" + "".join(f"{x},{y}\n" for x, y in ROWS * 30)
    Path("long.csv").write_text(long)
    line = ["stream", "long.csv", *NEW.split(), "--out", "p.csv", "--group", "1000"]
    done = subprocess.run(
        [sys.executable, "-c", code, *line], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "could not be written" in done.stderr
    assert "Nothing is lost" in done.stderr
    resumed = ["more.csv" if word == "p.csv" else word for word in line]
    assert main([*resumed, "--resume", "from-start", "--quiet"]) == 0
    assert main(["stream", "long.csv", *NEW.replace("-state s", "-state t").split(), "--out",
                 "q.csv", "--quiet"]) == 0  # fmt: skip
    first, more, alone = (Path(f"{name}.csv").read_text() for name in ("p", "more", "q"))
    said = first.split("\n")[:-1] + more.split("\n")[1:-1]
    assert list(dict.fromkeys(said)) == alone.split("\n")[:-1]  # of the last group some come twice


def test_odd_cells_are_converted_by_public_rules_or_refused(run, folder):
    odd = [
        "7,1",
        "7.0,1",
        " 7 ,maybe",
        "seven,1",
        ",",
        "",
        "1000,1",
        '"7","1"',
        'a"b,1',
        "7,1,9",
        "7",
    ]
    Path("odd.csv").write_text("x,y\n" + "\n".join(odd * 3))
    done = run(f"stream odd.csv {NEW}")
    assert done.code == 0
    assert done.out.count("\n") == 1 + len(odd) * 3
    for cell in odd[2:]:
        Path("one.csv").write_text(f"x,y\n{cell}\n")
        strict = run(f"stream one.csv {NEW.replace('-state s', '-state t')} --strict --group 1")
        assert strict.code == 2 or cell == '"7","1"', cell
        assert "seven" not in strict.err
        assert "maybe" not in strict.err


def test_rows_of_a_schema(run, folder):
    line = "stream data.csv --class rules(max_literals=1) --schema schema.toml --y adult "
    line += "--epsilon 20 --delta 0 --horizon 800 --state s --seed 1"
    done = run(line)
    assert done.code == 0, done.err
    assert done.out.count("\n") == 801
    again = run("stream data.csv --state s --seed 1 --resume new-rows --out more.csv")
    assert again.code == 0, again.err
    assert Path("more.csv").read_text().split("\n")[1].startswith("800,")
    refused = run(line.replace("--state s", "--state data.csv"))
    assert (refused.code, refused.out) == (2, "")
    assert "folder" in refused.err


def test_rows_of_users(run, folder):
    """The first two rows of each user are learned, all are predicted; 007 and 7 are one user."""
    names = [
        "7",
        "007",
        "canary",
        "",
        "NA",
        " canary",
        "b,ob",
        *(f"u{i % 200}" for i in range(893)),
    ]
    found = map(user_name, names)
    Path("rows.csv").write_text("person,x,y\n" + "".join(
        f'"{u}",{x},{y}\n' for u, (x, y) in zip(names, ROWS, strict=True)))  # fmt: skip
    learner = ls.OnlineLearner(
        ls.Thresholds(1, 99), epsilon=80, delta="1e-6", horizon=1000, random_state=4,
        records_per_user=2,
    )  # fmt: skip
    want = ["t,prediction"]
    for t, ((x, y), user) in enumerate(zip(ROWS, found, strict=True)):
        want.append(f"{t},{learner.predict_one(x)}")
        learner.learn_one(x, y, user=json.dumps(user))
    new = NEW.replace("--epsilon 8", "--epsilon 80") + " --user person --records-per-user 2"
    assert run(f"stream rows.csv {new} --group 64 --out p.csv").code == 0
    assert Path("p.csv").read_text().splitlines() == want
    with Journal.open("s") as journal:
        assert journal.state == learner.state_
        assert set(journal.state.contributions.values()) == {1, 2}
    assert run("stream --state s --export public.json --report page.html").code == 0
    public = Path("public.json").read_text()
    assert json.loads(public)["stream"]["records_per_user"] == 2
    assert "canary" not in public
    assert "Rows of each user that are learned" in Path("page.html").read_text()
    # taken up again, the column and the number are known
    for t, (line, more) in enumerate([("u1,5,1", 0), ("new,5,1", 1)]):
        Path("more.csv").write_text(f"person,x,y\n{line}\n")
        assert run("stream more.csv --state s --seed 4 --resume new-rows").code == 0
        with Journal.open("s") as journal:
            assert journal.state.time == 901 + t
            known = journal.state.contributions
            assert len(known) == len(learner.state_.contributions) + more
    new = new.replace("--state s", "--state t")
    for line, code in (
        (f"rows.csv {NEW.replace('-state s', '-state t')} --user person", 2),
        (f"rows.csv {NEW.replace('-state s', '-state t')} --records-per-user 2", 2),
        (f"rows.csv {new.replace('person', 'nobody')}", 2),
        (f"rows.csv {new.replace('user 2', 'user 0')}", 2),
        ("more.csv --state s --seed 4 --resume new-rows --records-per-user 3", 2),
        (f"rows.csv {new} --strict", 2),
    ):
        assert run(f"stream {line}").code == code, line


@pytest.mark.more
def test_following_a_file_that_grows(rows, folder):
    want, _ = rows
    write("growing.csv", ROWS[:300])
    program = [sys.executable, "-m", "littlestone", "stream", "growing.csv", *NEW.split()]
    child = subprocess.Popen([*program, "--follow", "--out", "p.csv"], stderr=subprocess.PIPE)

    def until(n):
        end = time.monotonic() + 60
        while not Path("p.csv").exists() or Path("p.csv").read_text().count("\n") < n + 1:
            assert time.monotonic() < end
            assert child.poll() is None
            time.sleep(0.02)

    until(300)
    with open("growing.csv", "a") as file:
        file.write("".join(f"{x},{y}\n" for x, y in ROWS[300:]) + "50")  # and half a line
    until(900)
    assert main(["stream", "--state", "s", "--status", "--json"]) == 0  # while it runs
    assert main(["stream", "growing.csv", *NEW.split(), "--resume", "from-start"]) == 2
    child.kill()
    child.communicate()
    assert Path("p.csv").read_text() == want


def test_the_ledger_pays_once(run, rows):
    line = NEW.replace(" --seed 4", "")
    assert run("ledger create budget.db --epsilon 8 --delta 1e-5").code == 0
    assert run(f"stream rows.csv {line} --ledger budget.db").code == 0
    again = run(f"stream rows.csv {line} --ledger budget.db --resume new-rows")
    assert again.code == 0
    assert again.out.split("\n")[1].startswith("900,")
    spent = run("ledger show budget.db --json").json
    assert len(spent["events"]) == 1
    assert spent["events"][0]["what"] == "stream on thresholds(1, 99)"
    other = line.replace("-state s", "-state t")
    assert run(f"stream rows.csv {other} --ledger budget.db").code == 4
    assert not Path("t").exists()
    assert (
        run(f"stream rows.csv {NEW.replace('-state s', '-state u')} --ledger budget.db").code == 2
    )


def test_appending_to_a_file_writes_no_second_line_of_names(tmp_path):
    with open(tmp_path / "p.csv", "w") as file:
        assert not stream_module._appended(file)
        file.write("t,prediction\n")
        file.flush()
        assert stream_module._appended(file)
    assert not stream_module._appended(io.StringIO())


def kill_stream(*options):
    script = Path(__file__).parents[2] / "benchmarks" / "kill_stream.py"
    return subprocess.run(
        [sys.executable, str(script), "--json", *options],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.mark.kills
@pytest.mark.parametrize("where", [[], ["--users"]], ids=["records", "users"])
def test_killed_again_and_again_it_is_the_run_that_was_left_alone(where):
    kills, rows = ("5", "3000") if where else ("8", "5000")
    done = kill_stream("--kills", kills, "--rows", rows, *where)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] == int(kills)


#: A lost row is seen by the experiment, or by the program when it goes on: whoever is first.
LOST = ("acknowledged row is lost", "answers are missing", "after a power cut")


@pytest.mark.kills
@pytest.mark.parametrize("broken", ["early", "forget"])
def test_broken_controls_are_caught(broken):
    done = kill_stream("--kills", "100", "--rows", "5000", "--broken", broken)
    assert done.returncode == 1
    assert any(said in done.stderr for said in LOST)


@pytest.mark.full
@pytest.mark.parametrize("where", [[], ["--users"]], ids=["records", "users"])
def test_killed_two_hundred_times(where):
    done = kill_stream("--kills", "200", *where)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] == 200


@pytest.mark.more
def test_empty_promises_are_said_before_the_stream_begins(run, rows):
    """epsilon above 20, delta of at least 1/T; --quiet says nothing."""
    new = "stream rows.csv --class thresholds(1,99) --horizon 1000 --state"
    said = run(f"{new} a --epsilon 30 --delta 1e-3").err
    assert "epsilon 30 is above 20" in said
    assert "delta 0.001 is at least 1/n" in said
    assert "littlestone: " not in run(f"{new} b --epsilon 20 --delta 1e-6").err
    assert run(f"{new} c --epsilon 30 --delta 1e-3 --quiet").err == ""


# -- ``littlestone ledger`` and ``fit --ledger``: paid first, exit 4 when the budget is used up ----

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


def test_groups_of_rows_do_not_say_how_long_rows_are():
    """Where the input is there, groups end where their number of rows says."""
    short = [b"%d,note\n" % k for k in range(300_000)]
    for at, length in ((7, 5_000), (150_000, 3 << 20), (299_999, 1)):
        lines = [*short]
        lines[at] = b"%d,%s\n" % (at, b"x" * length)
        groups = list(line_groups(io.BytesIO(b"".join(lines)).read, 9_999, lambda: False))
        assert [group.count(b"\n") for group in groups] == [9_999] * 30 + [30]
        assert b"".join(groups) == b"".join(lines)
    arriving = iter([b"a\nb\nc", b"\n", b""])  # what is there so far is handed out
    assert list(line_groups(lambda _: next(arriving), 9, lambda: False)) == [b"a\nb\n", b"c\n"]


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
