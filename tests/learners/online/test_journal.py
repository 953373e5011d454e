"""The state of a stream on disk: exact, apart, checked, never continued twice."""

import copy
import json
import os
import pickle
import resource
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.append_log import AppendLog
from littlestone.errors import BudgetError, LittlestoneError, ParameterError, StateError, StoreError
from littlestone.learners.online import journal
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.journal import PUBLIC, Journal, open_stream, read_public
from littlestone.learners.online.plan import plan_online
from littlestone.learners.online.state import OnlineState

AGES = ls.Thresholds(1, 1000)


def learner(state=None, cls=AGES, seed=7, **changes):
    options = {"epsilon": 8, "delta": 1e-6, "horizon": 2000} | changes
    return ls.OnlineLearner(cls, **options, random_state=seed, state=state)


def numbers(n, seed=0):
    x = np.random.default_rng(seed).integers(1, 1001, n)
    return x, (x > 300).astype(np.int8)


def texts(n, seed=0):
    x = np.array([f"w{i}" for i in np.random.default_rng(seed).integers(0, 5, n)], dtype=object)
    return x, np.array([int(w == "w3") for w in x], dtype=np.int8)


STREAMS = {
    "scored": (AGES, {}, numbers),
    "closures": (ls.SparseSets(2), {"epsilon": 50, "delta": 0.5}, texts),
    "huge integers": (ls.Thresholds(1, 2**80), {}, numbers),
    "users": (AGES, {"epsilon": 24, "records_per_user": 3}, numbers),
    "agnostic": (AGES, {"agnostic": True, "epsilon": 1, "horizon": 500}, numbers),
}


@pytest.mark.first(2)
@pytest.mark.parametrize("kind", STREAMS)
def test_taken_up_at_any_point_it_is_the_stream_that_was_never_let_go(tmp_path, kind):
    cls, changes, make = STREAMS[kind]
    x, y = make(900)
    owned = "records_per_user" in changes
    users = [f"u{i % 271}" if owned else None for i in range(900)]
    alone = learner(None, cls, **changes)
    for record in zip(x.tolist(), y.tolist(), users, strict=True):
        alone.learn_one(*record)
    kept = learner(tmp_path / "s", cls, **changes)
    cuts = [0, 1, 2, 3, 250, 251, 500, 760, 900]
    for start, end in pairwise(cuts):
        if end - start < 4:
            for record in zip(x[start:end].tolist(), y[start:end].tolist(), users[start:end],
                              strict=True):  # fmt: skip
                kept.learn_one(*record)
        else:
            kept.learn_many(x[start:end], y[start:end], users[start:end] if owned else None)
        kept.close()
    assert kept.state_ == alone.state_
    assert len(kept.published_) > 1
    kept.close()
    again = learner(tmp_path / "s", cls, **changes)
    assert again.published_ == alone.published_
    assert again.state_ == alone.state_


@pytest.mark.more
def test_a_stream_whose_budget_is_spent_forgets_its_records(tmp_path):
    x = np.tile([10, 990], 4000)
    y = np.tile([1, 0], 4000)
    kept, alone = learner(tmp_path / "s"), learner()
    kept.learn_many(x, y)
    alone.learn_many(x, y)
    assert kept.stopped_
    kept.close()
    assert kept.state_ == alone.state_
    kept.learn_many(x[:10], y[:10])
    kept.close()
    _, *steps = (tmp_path / "s" / "private.db").read_bytes().splitlines()
    assert len(steps) == 2
    assert [json.loads(step[17:])["records"] for step in steps] == [[], []]


@pytest.mark.parametrize("kind", ["scored", "users"])
def test_a_state_that_has_grown_is_written_anew(tmp_path, monkeypatch, kind):
    """As one line that holds all; the file that it replaces is overwritten."""
    cls, changes, make = STREAMS[kind]
    monkeypatch.setattr(journal, "_GROWN", 0)
    x, y = make(300)
    users = [f"u{i % 71}" for i in range(300)] if kind == "users" else None
    kept, alone = learner(tmp_path / "s", cls, **changes), learner(None, cls, **changes)
    private, sizes = tmp_path / "s" / "private.db", []
    for start in range(0, 300, 10):
        part = slice(start, start + 10)
        for one in (kept, alone):
            one.learn_many(x[part], y[part], users and users[part])
            if users is None:
                one.observe(x[start])
                one.reveal(3, 1) if start == 200 else None
        sizes.append(len(private.read_bytes().splitlines()))
    assert 2 in sizes
    assert max(sizes) > 2
    assert not (tmp_path / "s" / "private.db.new").exists()
    public = read_public(tmp_path / "s")
    kept.close()
    assert kept.state_ == alone.state_
    assert public["published"] == read_public(tmp_path / "s")["published"]
    kept.close()
    handle, size = os.open(private, os.O_RDONLY), private.stat().st_size
    (tmp_path / "s" / "private.db.new").write_text("records of a process that was killed")
    with Journal.open(tmp_path / "s") as opened:
        opened._log.rewrite("{}", erase=True)
    assert os.read(handle, size + 1) == bytes(size)
    os.close(handle)
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == ["private.db", "public.db"]


def test_what_a_killed_process_left_beside_a_state_is_removed(tmp_path):
    folder = saved(tmp_path)
    (folder / "private.db.new").write_text("records")
    Journal.open(folder).close()
    assert sorted(p.name for p in folder.iterdir()) == ["private.db", "public.db"]


def test_a_fork_does_not_write_to_its_parents_state(tmp_path):
    saved(tmp_path)
    with Journal.open(tmp_path / "s") as opened:
        child = os.fork()
        if child == 0:
            try:
                opened.save(opened.state)
            except StoreError as problem:
                opened.close()
                os._exit(7 if problem.reason == "forked" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        with pytest.raises(StoreError, match="in use"):
            Journal.open(tmp_path / "s")
    with pytest.raises(StoreError, match="'power' or 'kill'"):
        Journal.open(tmp_path / "s", durability="yes")


def test_late_labels_are_waited_for_across_restarts(tmp_path):
    kept, alone = learner(tmp_path / "s"), learner()
    x, y = numbers(60)
    for one in (kept, alone):
        tickets = [one.observe(a) for a in x.tolist()]
        for ticket in tickets[::-3]:
            one.reveal(ticket, y[ticket])
    kept.close()
    assert kept.state_ == alone.state_
    assert len(kept.state_.pending) == 40
    for one in (kept, alone):
        one.reveal(0, y[0]) if 0 in one.state_.pending else one.reveal(1, y[1])
    kept.close()
    assert kept.state_ == alone.state_


def test_private_and_public_are_apart_and_for_the_owner_only(tmp_path):
    words = ["the-canary-word", *[f"w{i}" for i in range(9)]]
    kept = learner(tmp_path / "s", ls.Points(), epsilon=0.1, delta=1e-6)
    for word in words:
        kept.learn_one(word, 1)
    kept.observe("a-second-canary")
    made = {p.name: p.stat().st_mode & 0o777 for p in (tmp_path / "s").iterdir()}
    assert {"private.db", "public.db"} <= set(made)
    assert set(made.values()) == {0o600}
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    public = json.dumps(read_public(tmp_path / "s"))
    kept.close()
    assert b"canary" in (tmp_path / "s" / "private.db").read_bytes()
    assert b"canary" not in (tmp_path / "s" / "public.db").read_bytes()
    assert "canary" not in public
    (tmp_path / "s").chmod(0o755)
    with pytest.raises(StoreError, match="chmod 700"):
        assert learner(tmp_path / "s", ls.Points(), epsilon=0.1, delta=1e-6).hypothesis_


def test_the_public_record_is_a_function_of_the_transcript(tmp_path):
    """Streams with other records but one transcript leave the same public files, byte for byte."""
    x, y = numbers(400)
    documents, files = [], []
    for k, (points, labels) in enumerate([(x, y), (x[::-1], y[::-1]), (x, 1 - y)]):
        kept = learner(tmp_path / str(k), epsilon=0.01, seed=3)  # nothing is published so early
        kept.learn_many(points, labels)
        documents.append(kept.state_.private())
        kept.close()
        files.append((tmp_path / str(k) / "public.db").read_bytes())
        documents[-1] = json.dumps(documents[-1])
    assert len(set(documents)) == 3
    assert len(set(files)) == 1
    # and it says no more than the transcript
    kept = learner(tmp_path / "s")
    kept.learn_many(x, y)
    public = read_public(tmp_path / "s")
    assert [(p["rows"], p["hypothesis"]) for p in public["published"]] == [
        (t, h.to_dict()) for t, h in kept.published_
    ]
    assert set(public) == {
        "format", "stream", "about", "guarantee", "planned_batches",
        "rows", "batches", "stopped", "published",
    }  # fmt: skip
    assert public["rows"] == 400
    assert public["guarantee"]["seeded"] is True
    kept.close()


def test_the_public_record_does_not_say_in_which_groups_rows_arrived(tmp_path):
    """Groups end where bytes do: neighbours with longer cells arrive in others."""
    x, y = numbers(600)
    files = []
    for k, cuts in enumerate([(600,), (7, 200, 201, 590, 600), range(1, 601)]):
        kept, first = learner(tmp_path / str(k)), 0
        for cut in cuts:
            kept.learn_many(x[first:cut], y[first:cut])
            first = cut
        assert len(kept.published_) > 2
        kept.close()
        files.append((tmp_path / str(k) / "public.db").read_bytes())
        kept.learn_many(x[:1], y[:1])  # and when it is opened again
        kept.close()
        files[-1] += (tmp_path / str(k) / "public.db").read_bytes()
    assert files[0] == files[1] == files[2]


@pytest.mark.more
def test_one_process_at_a_time(tmp_path):
    kept = learner(tmp_path / "s")
    kept.learn_one(5, 1)
    code = (
        "import littlestone as ls, sys\n"
        "try: ls.OnlineLearner(ls.Thresholds(1, 1000), epsilon=8, delta=1e-6, horizon=2000,"
        " random_state=7, state=sys.argv[1]).hypothesis_\n"
        "except ls.errors.StoreError as problem: print(problem.reason)"
    )
    said = subprocess.run(
        [sys.executable, "-c", f"import littlestone.errors\n{code}", str(tmp_path / "s")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout == "locked\n"
    with pytest.raises(StoreError, match="in use"):
        learner(tmp_path / "s").learn_one(6, 1)
    assert read_public(tmp_path / "s")["rows"] == 1  # what is public may be read meanwhile
    kept.close()
    assert learner(tmp_path / "s").state_.time == 1


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 9}, {"delta": 1e-5}, {"horizon": 2001}, {"beta": 0.1},
        {"constants": "theory"}, {"seed": 8}, {"seed": None},
        {"cls": ls.Thresholds(1, 1001)},
    ],
    ids=str,
)  # fmt: skip
def test_what_a_stream_was_begun_with_cannot_change(tmp_path, change):
    kept = learner(tmp_path / "s")
    kept.learn_one(5, 1)
    kept.close()
    before = (tmp_path / "s" / "private.db").read_bytes()
    with pytest.raises(ParameterError, match="was begun with"):
        learner(tmp_path / "s", **change).learn_one(6, 1)
    assert (tmp_path / "s" / "private.db").read_bytes() == before


def saved(tmp_path):
    kept = learner(tmp_path / "s")
    kept.learn_many(*numbers(700))
    kept.observe(17)
    kept.close()
    return tmp_path / "s"


TAMPERED = {
    "budget reset": lambda text: text.replace(b'"batches":', b'"batches":0'),
    "event moved": lambda text: text.replace(b'"event":', b'"event":9'),
    "nonsense": lambda text: text.replace(b"{", b"[", 3),
    "record moved": lambda text: text.replace(b'"records":[[0,[[', b'"records":[[0,[[1'),
    "record moved to another epoch": lambda text: text.replace(b'"records":[[0', b'"records":[[1'),
    "hypothesis changed": lambda text: text.replace(b'"above"', b'"abov"'),
    "waiting point removed": lambda text: text.replace(b'"waiting":[[0,17,0]]', b'"waiting":[]'),
    "setting changed": lambda text: text.replace(b'"seed":"7"', b'"seed":""'),
    "step removed": lambda text: b"".join(np.delete(text.splitlines(True), -2)),
    "steps exchanged": lambda text: b"".join((lines := text.splitlines(True))[:-2] + lines[:-3:-1]),
    "step added": lambda text: text + text.splitlines(True)[-1],
}


@pytest.mark.first(6)
@pytest.mark.parametrize("how", TAMPERED)
def test_a_changed_state_is_refused(tmp_path, how):
    folder = saved(tmp_path)
    before = (folder / "private.db").read_bytes()
    changed = TAMPERED[how](before)
    assert changed != before
    (folder / "private.db").write_bytes(changed)
    with pytest.raises(StoreError) as caught:
        assert learner(folder).hypothesis_
    assert caught.value.reason == "damaged"
    assert (folder / "private.db").read_bytes() == changed
    assert len(read_public(folder)["published"]) > 1  # what was published is still there


def test_a_truncated_state_is_refused_wherever_it_was_cut(tmp_path):
    """In the midst of a line it is as if that had not been acknowledged, but it was published."""
    folder = saved(tmp_path)
    whole = (folder / "private.db").read_bytes()
    steps = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    for size in (0, 1, 50, 99, *steps[:-1], steps[-2] + 20, len(whole) // 2, len(whole) - 2):
        (folder / "private.db").write_bytes(whole[:size])
        with pytest.raises(StoreError) as caught:
            assert learner(folder).hypothesis_
        assert caught.value.reason == ("old" if size >= steps[0] else "kind")
    for content in (whole[:-1], whole, whole + b"0123456789abcdef {"):
        (folder / "private.db").write_bytes(content)
        again = learner(folder)
        assert again.state_.time == 700
        again.close()


def test_documents_of_a_state_are_refused_when_they_were_changed():
    one = learner()
    one.learn_many(*numbers(300))
    public, private = one.state_.public(), one.state_.private()
    assert OnlineState.from_json(public, private) == one.state_
    for document in (public, private):
        for name in document:
            for value in (None, "x", [[]], {"a": 1}):
                if name in ("stopped", "fires", "terms") or (name, value) in (
                    ("epochs", [[]]),
                    ("contributions", {"a": 1}),
                ):
                    continue  # truths, a text, an epoch without mistakes, a user
                changed = {**document, name: value}
                pair = (changed, private) if document is public else (public, changed)
                with pytest.raises(LittlestoneError):
                    OnlineState.from_json(*pair)
            if name == "terms":
                continue
            less = {k: v for k, v in document.items() if k != name}
            with pytest.raises(ParameterError, match="incomplete or were changed"):
                OnlineState.from_json(*((less, private) if document is public else (public, less)))


def test_an_old_copy_is_not_continued(tmp_path):
    kept = learner(tmp_path / "s")
    kept.learn_many(*numbers(300))
    kept.close()
    copy_of = (tmp_path / "s" / "private.db").read_bytes()
    kept.learn_many(*numbers(300, 1))
    kept.close()
    (tmp_path / "s" / "private.db").write_bytes(copy_of)
    with pytest.raises(StoreError) as caught:
        assert learner(tmp_path / "s").hypothesis_
    assert caught.value.reason == "old"
    (tmp_path / "s" / "public.db").unlink()  # whoever insists can: the owner is trusted
    assert learner(tmp_path / "s").state_.time == 300


def test_the_public_record_catches_up_and_is_made_again(tmp_path):
    folder = saved(tmp_path)
    want = read_public(folder)
    path = folder / "public.db"
    path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:2]))
    Journal.open(folder).close()  # as after a kill between the two files
    assert read_public(folder) == want
    path.unlink()
    Journal.open(folder).close()
    assert read_public(folder) == want
    path.write_bytes(path.read_bytes().replace(b"700", b"600"))
    with pytest.raises(StoreError, match="delete it"):
        read_public(folder)


def test_a_full_disk_loses_nothing(tmp_path):
    """While files may not grow the call is refused, and then it goes on."""
    one = learner(tmp_path / "s", ls.Points(), epsilon=0.1, delta=1e-6)
    acknowledged, limits = [], resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill():
        for i in range(200):
            one.learn_one(f"{i}" * 2000, 1)
            acknowledged.append(i)

    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(StoreError) as refused:
            fill()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert refused.value.reason in ("full", "input/output")
    done = len(acknowledged)
    assert one.state_.time == done > 1  # opened again by itself
    one.learn_one("b", 1)
    one.close()
    again = learner(tmp_path / "s", ls.Points(), epsilon=0.1, delta=1e-6)
    assert again.state_.time == done + 1
    again.close()


def test_a_read_only_folder_is_refused_in_words(tmp_path):
    tmp_path.chmod(0o755)
    folder = tmp_path / "home"
    folder.mkdir()
    administrator = os.geteuid() == 0  # to whom nothing is read-only: become somebody else
    if administrator:
        os.chown(folder, 65534, 65534)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if administrator:
                for parent in list(tmp_path.parents)[:3]:
                    parent.chmod(parent.stat().st_mode | 0o011)
                os.setuid(65534)
            one = learner(folder / "s")
            one.learn_one(5, 1)
            one.close()
            (folder / "s").chmod(0o500)
            folder.chmod(0o500)
            reasons = []
            for where in (folder / "s", folder / "t"):
                try:
                    learner(where).learn_one(6, 1)
                except StoreError as problem:
                    reasons.append(problem.reason)
            folder.chmod(0o700)
            (folder / "s").chmod(0o700)
            code = 0 if (reasons, learner(folder / "s").state_.time) == (
                ["readonly", "folder"], 1
            ) else 2  # fmt: skip
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_ledger_pays_once_for_the_whole_life(tmp_path, monkeypatch):
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=10, delta=1e-5)
    one = learner(tmp_path / "s", seed=None).start(ledger=ledger)
    one.learn_many(*numbers(200))
    one.close()
    one.learn_many(*numbers(200))
    one.close()
    assert len(ledger.history()) == 1
    assert ledger.remaining().epsilon == 2
    assert "stream on thresholds(1, 1000)" in ledger.history()[0].what
    with pytest.raises(BudgetError):
        learner(tmp_path / "t", seed=None).start(ledger=ledger)
    with pytest.raises(ParameterError, match="seeded"):
        learner(tmp_path / "t").start(ledger=ledger)
    assert not (tmp_path / "t").exists()
    # killed after the charge and before the first draw: charged once
    monkeypatch.setattr(OnlineAlgorithm, "start", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        learner(tmp_path / "u", seed=None, epsilon=1).start(ledger=ledger)
    monkeypatch.undo()
    assert len(ledger.history()) == 2
    assert learner(tmp_path / "u", seed=None, epsilon=1).state_.time == 0  # it knows its ledger
    assert len(ledger.history()) == 2
    other = ls.Ledger(tmp_path / "other.db", epsilon=10, delta=1e-5)
    with pytest.raises(ParameterError, match="not begun with this ledger"):
        learner(tmp_path / "u", seed=None, epsilon=1).start(ledger=other)


def test_an_interrupted_call_is_forgotten(tmp_path, monkeypatch):
    kept = learner(tmp_path / "s")
    x, y = numbers(500)
    kept.learn_many(x[:100], y[:100])

    def interrupted(self, state, *arguments):
        state.time += 55
        raise KeyboardInterrupt

    monkeypatch.setattr(OnlineAlgorithm, "step_many", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.learn_many(x[100:], y[100:])
    monkeypatch.undo()
    assert kept.state_.time == 100
    kept.learn_many(x[100:], y[100:])
    alone = learner()
    alone.learn_many(x, y)
    assert kept.state_ == alone.state_


def test_answers_are_kept_until_they_are_acknowledged(tmp_path):
    plan = plan_online(AGES, epsilon=8, delta=1e-6, horizon=2000)
    x, y = numbers(900)
    alone, want = learner(), []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        want.append(alone.predict_one(a))
        alone.learn_one(a, b)
    inside = np.ones(900, dtype=bool)

    def opened():
        return open_stream(tmp_path / "s", OnlineAlgorithm(AGES, plan), seed=7, durability="power")

    stream, got = opened(), []
    for start in range(0, 900, 300):
        part = slice(start, start + 300)
        got += stream.answer(x[part], inside[part], y[part]).tolist()
        stream.close()
        stream = opened()
        assert stream.journal.answers == (start, "".join(map(str, got[start:])))
    assert got == want
    stream.acknowledge()
    stream.close()
    stream = opened()
    assert stream.journal.answers == (0, "")
    assert stream.state == alone.state_


def test_a_durable_learner_is_not_copied(tmp_path):
    kept = learner(tmp_path / "s")
    kept.learn_one(5, 1)
    for duplicate in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied"):
            duplicate(kept)
    with pytest.raises(StateError, match="before its first use"):
        kept.start()
    with pytest.raises(StateError, match="state folder"):
        learner().start()
    learner().close()


@pytest.mark.parametrize(
    "change",
    [
        {"planned_batches": None}, {"rows": 7}, {"planned_batches": "x"}, {"planned_batches": True},
        {"guarantee": {}}, {"stream": float("nan")}, {"stream": []},
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_the_public_file_that_were_changed(tmp_path, change):
    """Also where its checksums fit."""
    one = learner(tmp_path / "s")
    one.learn_many([1, 2], [0, 1])
    one.close()
    path = tmp_path / "s" / "public.db"
    with AppendLog.opened(path, PUBLIC) as log:
        changed = {k: v for k, v in (json.loads(log.header) | change).items() if v is not None}
    path.unlink()
    AppendLog.create(path, PUBLIC, json.dumps(changed))
    with pytest.raises(StoreError, match=r"public record .* was changed"):
        read_public(tmp_path / "s")


# -- kills ----------------------------------------------------------------------------------------

HARNESS = Path(__file__).parents[3] / "benchmarks" / "kill_state.py"


def harness(*options):
    return subprocess.run(
        [sys.executable, str(HARNESS), "--json", *options],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.mark.kills
def test_kills_lose_nothing_under_any_name():
    seed = int.from_bytes(os.urandom(3), "big")
    done = harness("--kills", "40", "--seed", str(seed))
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    assert json.loads(done.stdout)["kills"] == 40


@pytest.mark.kills
def test_kills_at_system_calls():
    done = harness("--matrix")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    names = ("beginning", "group", "rewriting", "recovery")
    assert min(counts[f"killed in a {name}"] for name in names) > 10
    assert counts["opened, private.db copied"] > 40


@pytest.mark.kills
@pytest.mark.parametrize(
    ("broken", "how", "why"),
    [
        ("later", ("--kills", "300"), "acknowledged rows are lost"),
        ("in place", ("--matrix",), "damaged"),
        ("public first", ("--matrix",), "in place: old"),
        ("links", ("--matrix", "--every", "20"), "a state with two names was opened"),
    ],
)
def test_the_kills_find_states_that_are_broken(broken, how, why):
    done = harness(*how, "--broken", broken)
    assert done.returncode == 1
    assert why in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("how", [("--kills", "2000"), ("--matrix",)], ids=["kills", "matrix"])
def test_thousands_of_kills(how):
    done = harness(*how)
    assert done.returncode == 0, done.stderr


@pytest.mark.more
def test_flipped_bits_are_refused_or_change_nothing(tmp_path):
    folder = saved(tmp_path)
    whole = (folder / "private.db").read_bytes()
    good = learner(folder)
    want = OnlineState.from_json(good.state_.public(), good.state_.private())
    good.close()
    rng, refusals = np.random.default_rng(1), 0
    for at in rng.integers(0, len(whole), 60).tolist():
        shutil.rmtree(folder)
        folder.mkdir(mode=0o700)
        broken = bytearray(whole)
        broken[at] ^= 1 << int(rng.integers(8))
        path = folder / "private.db"
        path.touch(0o600)
        path.write_bytes(broken)
        one = learner(folder)
        try:
            assert one.state_ == want
        except LittlestoneError:
            refusals += 1
        finally:
            one.close()
    assert refusals > 50


def test_documents_keep_the_names_of_their_fields():
    """What an earlier version wrote is read as long as the format is the same."""
    state, private = learner().state_, "buffer contributions draws epochs event fires limit pending"
    assert sorted(state.private()) == private.split()
    assert sorted(state.public()) == [
        "batches",
        "format",
        "published",
        "stopped",
        "terms",
        "tickets",
        "time",
    ]
