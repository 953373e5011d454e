"""The ledger: recorded before drawn, never overspent, never refunded, not fooled by its file."""

import contextlib
import hashlib
import json
import multiprocessing
import os
import pickle
import random
import re
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.append_log import AppendLog
from littlestone.errors import BudgetError, ParameterError, StoreError
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    Concentrated,
    Guarantee,
    Ledger,
    Neighbours,
    Pure,
    parallel,
)
from littlestone.privacy.ledger import KIND

F = Fraction
HARNESS = Path(__file__).parents[2] / "benchmarks" / "kill_ledger.py"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


def test_a_budget_is_spent_exactly(path):
    ledger = Ledger(path, epsilon=1, data="clinic")
    for k in range(10):  # a float sum of ten tenths is not 1
        event = ledger.charge(Guarantee(0.1, claim="exp-mech.privacy"), what=f"release {k}")
        assert event.number == k + 1
    assert ledger.spent() == (1, 0, None)
    assert ledger.remaining() == (0, 0, None)
    with pytest.raises(BudgetError, match="needs epsilon 1e-30, but only epsilon 0 is left"):
        ledger.charge(Guarantee("1e-30"))
    again = Ledger(path)
    assert again.history() == ledger.history()
    assert [e.what for e in again.history()] == [f"release {k}" for k in range(10)]
    assert again.data == "clinic"
    assert again.guarantee == Guarantee(1, claim="filter.sum")
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(again.history()[0].day).startswith("20")


def test_a_refusal_spends_nothing(path):
    ledger = Ledger(path, epsilon=1, delta="1e-6")
    ledger.charge(Guarantee("0.5", "6e-7"))
    before = ledger.to_dict()
    for promise in (Guarantee("0.6"), Guarantee("0.1", "5e-7"), Approximate("0.1", "1e-5")):
        for call in (ledger.check, ledger.charge):
            with pytest.raises(BudgetError, match="Nothing was drawn or spent"):
                call(promise)
    with pytest.raises(BudgetError, match="Concentrated"):
        ledger.charge(Concentrated("0.01"))
    with pytest.raises(ParameterError, match="seed"):
        ledger.charge(Guarantee("0.1", seeded=True))
    with pytest.raises(ParameterError, match="user-replace"):
        ledger.charge(Guarantee("0.1", neighbours=Neighbours.USER_REPLACE))
    with pytest.raises(ParameterError, match="a Guarantee or a Loss"):
        ledger.charge(0.1)
    with pytest.raises(ParameterError, match="what"):
        ledger.charge(Guarantee("0.1"), what=7)
    assert ledger.to_dict() == before
    ledger.check(Guarantee("0.5", "4e-7"))
    assert ledger.to_dict() == before


def test_zcdp_counts_small_releases(path):
    ledger = Ledger(path, epsilon=1, delta="1e-6", accounting="zcdp")
    times = 0
    with contextlib.suppress(BudgetError):
        for _ in range(100):
            ledger.charge(Guarantee("0.1"), loss=BoundedRange("0.1"))
            times += 1
    assert times == 18  # sums would allow 10, and the conversion from pure 4
    spent, left = ledger.spent(), ledger.remaining()
    assert spent.epsilon <= 1
    assert spent.rho + left.rho == ledger.filter.limit.cost
    assert Ledger(path).spent() == spent
    ledger.charge(Pure(left.epsilon))
    assert ledger.spent().epsilon <= 1
    assert ledger.guarantee.claim == "filter.zcdp"


def test_a_better_loss_is_only_for_zcdp(path):
    ledger = Ledger(path, epsilon=1)
    ledger.charge(Guarantee("0.1"), loss=Concentrated("1e-9"))
    assert ledger.spent().epsilon == F(1, 10)


def test_a_token_is_charged_once(path):
    ledger = Ledger(path, epsilon=1)
    first = ledger.charge(Guarantee("0.7"), what="stream", token="stream-7")
    assert ledger.charge(Guarantee("0.7"), token="stream-7") == first
    assert len(ledger.history()) == 1
    with pytest.raises(ParameterError, match="another release"):
        ledger.charge(Guarantee("0.1"), token="stream-7")
    for token in ("", "x" * 201, "a\nb", 7):
        with pytest.raises(ParameterError, match="token"):
            ledger.charge(Guarantee("0.1"), token=token)
    with pytest.raises(BudgetError):
        ledger.charge(Guarantee("0.7"), token="stream-8")


def test_creating_and_opening_are_different_calls(path):
    with pytest.raises(StoreError, match="Create the ledger first: littlestone ledger create"):
        Ledger(path)
    for options in ({"delta": "1e-6"}, {"accounting": "pure"}, {"data": "x"}):
        with pytest.raises(ParameterError, match="Give 'epsilon' to create"):
            Ledger(path, **options)
    for epsilon in (0, -1, "nan", "1e9999", True, "one"):
        with pytest.raises(ParameterError, match="epsilon"):
            Ledger(path, epsilon=epsilon)
    for options in (
        {"delta": 1},
        {"delta": "1e-6", "accounting": "pure"},
        {"accounting": "zcdp"},
        {"accounting": "euro"},
        {"neighbours": "friends"},
        {"data": 3},
    ):
        with pytest.raises(ParameterError):
            Ledger(path, epsilon=1, **options)
    assert not path.exists()
    Ledger(path, epsilon=1)
    with pytest.raises(StoreError, match="exists already"):
        Ledger(path, epsilon=2)
    assert Ledger(path).guarantee.epsilon == 1


def test_extreme_budgets(path, tmp_path):
    ledger = Ledger(path, epsilon=F(1, 10**300), delta=F(1, 10**500))
    ledger.charge(Guarantee(F(1, 3 * 10**300), F(1, 10**501)))
    assert 0 < ledger.spent().epsilon - F(1, 3 * 10**300) < F(1, 10**314)
    with pytest.raises(BudgetError):
        ledger.charge(Guarantee(F(1, 10**300)))
    with pytest.raises(ParameterError, match="at least 1e-300"):
        Ledger(tmp_path / "b.db", epsilon=F(1, 10**3000))
    with pytest.raises(ParameterError, match="digits"):
        Ledger(tmp_path / "b.db", epsilon=1).charge(Guarantee(F(1, 10**3000)))
    huge = Ledger(tmp_path / "c.db", epsilon=10**6)
    huge.charge(Guarantee(F(1, 2**6500)))  # too long to keep exactly: rounded up
    assert F(1, 2**6500) < huge.spent().epsilon


def test_labels_are_one_clean_short_line(path):
    ledger = Ledger(path, epsilon=1, data="a\x1b[31mred\n")
    ledger.charge(Guarantee("0.1"), what="x\ny" + "z" * 500)
    what = Ledger(path).history()[0].what
    assert what.startswith("x?yzz")
    assert len(what) == 200
    assert Ledger(path).data == "a?[31mred?"


def test_a_ledger_can_be_pickled_forked_and_shared(path):
    ledger = Ledger(path, epsilon=1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: pickle.loads(pickle.dumps(ledger)).charge(Pure("0.1")), range(5)))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(_charge, [ledger] * 4)
    assert ledger.spent().epsilon == F(9, 10)
    assert repr(ledger) == f"<Ledger {str(path)!r}: pure, {ledger.guarantee}>"


def _charge(ledger):
    ledger.charge(Pure("0.1"))


# ---------------------------------------------------------------------- the file is not trusted


def rewritten(path, change):
    """Change the settings and events of a file; the checksums are made to fit again."""
    first, *rest = path.read_text().splitlines()
    start, _, header = first[17:].partition(" {")
    entries = [json.loads("{" + header), *(json.loads(line[17:]) for line in rest)]
    change(entries)
    digest, out = "", ""
    for i, entry in enumerate(entries):
        line = entry if isinstance(entry, str) else json.dumps(entry)
        line = line if i else f"{start} {line}"
        digest = hashlib.sha256(f"{digest} {line}".encode()).hexdigest()[:16]
        out += f"{digest} {line}\n"
    path.write_text(out)


NUMBERS = [
    "-1/2",
    "1e5",
    "1/0",
    "",
    "0x1",
    "1/2/3",
    " 1",
    "１",
    "nan",
    "9" * 4001,
    "1/" + "9" * 4001,
]


def setting(i, name, value):
    def change(entries):
        entries[i][name] = value

    return change


CHANGES = [
    *(setting(1, "cost", text) for text in NUMBERS),
    *(setting(1, "loss", text) for text in ("pure", "approximate 1 2", "free 1", 7, None)),
    *(setting(1, "what", text) for text in ("\x1b[2J", "a\nb")),
    setting(1, "why", "x"),
    *(setting(1, "purpose", text) for text in ("x" * 201, None)),
    setting(1, "what", ["x"]),
    setting(1, "day", "yesterday"),
    setting(1, "number", -1),
    setting(1, "number", "1"),
    setting(2, "number", 9),
    setting(1, "new", 1),
    setting(0, "epsilon", "0"),
    setting(0, "delta", "1/2"),
    setting(0, "accounting", "zcdp"),
    setting(0, "rho", "9"),
    setting(0, "neighbours", "all"),
    lambda entries: entries.pop(1),
    lambda entries: entries[0].pop("epsilon"),
    lambda entries: entries[1].pop("cost"),
    lambda entries: entries.insert(1, "[]"),
    lambda entries: entries.insert(1, "no JSON"),
    lambda entries: entries.insert(1, '{"number": 1, "number": 1}'),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_refused(path, change):
    Ledger(path, epsilon=1)
    for _ in range(2):
        Ledger(path).charge(Guarantee("0.1"))
    rewritten(path, change)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Ledger(path).to_dict()
    assert caught.value.reason == "damaged"
    assert path.read_bytes() == before


def test_every_changed_byte_is_noticed(path):
    """A flipped bit anywhere; the last line feed alone may be damaged without any loss."""
    Ledger(path, epsilon=1, data="clinic").charge(Guarantee("0.1"), what="first")
    whole = path.read_bytes()
    for i in range(len(whole) - 1):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])
        with pytest.raises(StoreError) as caught:
            Ledger(path).charge(Guarantee("0.1"))
        assert caught.value.reason in {"damaged", "kind", "version"}
    for end in (b"", b"\x0b", b"\n"):
        path.write_bytes(whole[:-1] + end)
        assert Ledger(path).spent().epsilon == F(1, 10)
        Ledger(path).charge(Guarantee("0.1"))
        assert [event.number for event in Ledger(path).history()] == [1, 2]


def test_a_deleted_last_event_is_seen_by_nobody(path):
    """What the file's owner can do, and the documentation says so: the owner is trusted."""
    ledger = Ledger(path, epsilon=1)
    ledger.charge(Guarantee(1))
    rewritten(path, lambda entries: entries.pop())
    assert Ledger(path).remaining().epsilon == 1


# ---------------------------------------------------------------------- other files, other names


def reason(call):
    with pytest.raises(StoreError) as caught:
        call()
    return caught.value.reason


def test_what_is_no_ledger(path, tmp_path):
    Ledger(path, epsilon=1)
    path.chmod(0o644)
    assert reason(lambda: Ledger(path)) == "permissions"
    path.chmod(0o600)
    (tmp_path / "link.db").symlink_to(path)
    assert reason(lambda: Ledger(tmp_path / "link.db")) == "not a file"
    assert reason(lambda: Ledger(tmp_path)) == "not a file"
    other = tmp_path / "other.db"
    whole = path.read_bytes()
    newer = whole.replace(b"ledger 5", b"ledger 6")
    for content, why in {b"": "kind", whole[:60]: "kind", whole[:9]: "kind",
                         b"n,word\n": "kind", newer: "version"}.items():  # fmt: skip
        other.write_bytes(content)
        other.chmod(0o600)
        assert reason(lambda: Ledger(other)) == why
        assert reason(lambda: Ledger(other, epsilon=1)) == "exists"
        assert other.read_bytes() == content
    os.truncate(other, 2**29)  # sparse
    assert reason(lambda: Ledger(other)) == "large"


def test_what_is_checked_is_the_file_that_is_opened(path, tmp_path, monkeypatch):
    """Between the check of the name and its opening another file gets the name."""
    Ledger(path, epsilon=1)
    other, opening = tmp_path / "other.db", os.open

    def link():
        other.symlink_to(path)

    def of_everybody():
        shutil.copy(path, other)
        other.chmod(0o666)

    def huge():
        shutil.copy(path, other)
        other.chmod(0o600)
        os.truncate(other, 2**29)

    def pipe():
        os.mkfifo(other, 0o600)

    others = {link: "not a file", pipe: "not a file", of_everybody: "permissions", huge: "large"}
    for make, why in [*others.items(), (None, "missing")]:
        where = tmp_path / "replaced.db"
        shutil.copy(path, where)
        where.chmod(0o600)
        if make:
            make()

        def replaced(name, *given, make=make, where=where):
            if Path(name) == where:
                other.replace(where) if make else where.unlink()
            return opening(name, *given)

        monkeypatch.setattr("littlestone.append_log.os.open", replaced)
        assert reason(lambda where=where: Ledger(where).charge(Pure("0.1"))) == why
        monkeypatch.setattr("littlestone.append_log.os.open", opening)
        where.unlink(missing_ok=True)
    assert Ledger(path).spent().epsilon == 0


def test_a_ledger_goes_on_under_another_name(path, tmp_path):
    Ledger(path, epsilon=1).charge(Pure("0.4"))
    moved = path.rename(tmp_path / "moved.db")
    Ledger(moved).charge(Pure("0.4"))
    copied = Path(shutil.copy2(moved, tmp_path / "copied.db"))
    for where in (moved, copied):
        with pytest.raises(BudgetError):
            Ledger(where).charge(Pure("0.4"))
    os.link(moved, path)
    for where in (moved, path):
        assert reason(lambda where=where: Ledger(where)) == "links"
    moved.unlink()
    assert Ledger(path).spent().epsilon == F(4, 5)


def test_a_read_only_folder_is_enough(path, tmp_path):
    ledger = Ledger(path, epsilon=1)
    tmp_path.chmod(0o500)
    try:
        ledger.charge(Pure("0.4"))  # nothing is made beside the file
    finally:
        tmp_path.chmod(0o700)
    assert [p.name for p in tmp_path.iterdir()] == ["budget.db"]


def test_a_torn_line_was_never_acknowledged(path):
    ledger = Ledger(path, epsilon=1)
    ledger.charge(Pure("0.4"))
    whole = path.read_bytes()
    ledger.charge(Pure("0.4"))
    longer = path.read_bytes()
    for end in range(len(whole), len(longer)):
        path.write_bytes(longer[:end])
        if end == len(longer) - 1:  # all but the line feed: it counts
            assert ledger.spent().epsilon == F(4, 5)
            continue
        assert ledger.spent().epsilon == F(2, 5)
        ledger.charge(Pure("0.5"), what="instead")
        assert [event.cost for event in ledger.history()] == [F(2, 5), F(1, 2)]


def test_a_disk_that_is_full(path):
    ledger = Ledger(path, epsilon=1)
    ledger.charge(Pure("0.1"))
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, limits[1]))
    try:
        assert reason(lambda: ledger.charge(Pure("0.1"))) == "full"
        assert reason(lambda: Ledger(path.parent / "new.db", epsilon=1, data="x" * 199)) == "full"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.stat().st_size == size
    assert [p.name for p in path.parent.iterdir()] == ["budget.db"]
    ledger.charge(Pure("0.9"))


def test_a_charge_waits_for_its_turn(path):
    ledger = Ledger(path, epsilon=1)
    with AppendLog.opened(path, KIND):
        with AppendLog.opened(path, KIND, timeout=0):
            pass  # readers do not wait for each other
        with pytest.raises(StoreError, match="another process"):
            AppendLog.opened(path, KIND, write=True, timeout=0.05).__enter__()
    ledger.charge(Pure(1))


# ---------------------------------------------------------------------- neighbours


def test_a_ledger_under_replace_one_pays_for_add_remove(path, tmp_path):
    ledger = Ledger(path, epsilon=2, delta="1e-5")
    event = ledger.charge(
        Guarantee("0.5", "1e-6", Neighbours.ADD_REMOVE, claim="histogram"), loss=BoundedRange("0.1")
    )
    assert event.cost == 1
    exact = (1 + Decimal("0.5").exp()) / 10**6
    leak = Decimal(event.leak.numerator) / event.leak.denominator
    assert exact <= leak <= exact * (1 + Decimal("1e-12"))
    assert event.claim == "dp.replace(histogram)"
    removed = Ledger(tmp_path / "b.db", epsilon=2, neighbours="add-remove")
    removed.charge(Guarantee(1, neighbours="add-remove"))
    for relation in ("replace-one", "user-replace"):
        with pytest.raises(ParameterError, match="implies nothing under add-remove"):
            removed.charge(Guarantee("0.1", neighbours=relation))
    assert removed.spent().epsilon == 1


# ---------------------------------------------------------------------- fits pay


def learner(**options):
    return ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon="0.4", **options)


X, Y = [1, 5, 9, 9], [0, 0, 1, 1]


def test_a_fit_pays_before_it_draws(path, monkeypatch):
    ledger = Ledger(path, epsilon=1, purpose="a trial")
    seen = []
    algorithm = type(learner().to_learner())
    draw = algorithm.draw
    monkeypatch.setattr(
        algorithm, "draw", lambda *a: (seen.append(Ledger(path).history()), draw(*a))[1]
    )
    first = learner().fit(X, Y, ledger=ledger)
    assert [[event.purpose for event in events] for events in seen] == [["a trial"]]
    assert first.guarantee_.epsilon == ledger.spent().epsilon
    assert ledger.history()[0].what == "agnostic on thresholds(1, 9)"
    learner().fit(X, Y, ledger=ledger)
    third = learner()
    with pytest.raises(BudgetError):
        third.fit(X, Y, ledger=ledger)
    assert [len(events) for events in seen] == [1, 2]
    assert not hasattr(third, "hypothesis_")
    assert "ledger" not in third.get_params()


def test_a_fit_that_fails_after_paying_is_not_refunded(path, monkeypatch):
    ledger = Ledger(path, epsilon=1)
    algorithm = type(learner().to_learner())

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(algorithm, "draw", dies)
    with pytest.raises(KeyboardInterrupt):
        learner().fit(X, Y, ledger=ledger)
    assert ledger.spent().epsilon == F(2, 5)


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({"random_state": 1}, (X, Y)),
        ({"alpha": 2}, (X, Y)),
        ({}, ([1, 99], [0, 1])),
        ({}, ([], [])),
        ({}, ([1, 2], [0, 5])),
        ({"ledger": "budget.db"}, (X, Y)),
    ],
)
def test_what_is_refused_costs_nothing(path, options, data):
    ledger = Ledger(path, epsilon=1)
    options = dict(options)
    paid = options.pop("ledger", ledger)
    with pytest.raises(ValueError):
        learner(**options).fit(*data, ledger=paid)
    assert ledger.history() == ()


def test_zcdp_pays_for_an_exponential_mechanism_by_its_range(path):
    ledger = Ledger(path, epsilon=2, delta="1e-6", accounting="zcdp")
    learner().fit(X, Y, ledger=ledger)
    assert ledger.spent().rho == F(4, 10) ** 2 / 8
    assert ledger.history()[0].promised == "concentrated 0.02"


# ---------------------------------------------------------------------- kills


def harness(*options):
    command = [sys.executable, str(HARNESS), "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


@pytest.mark.kills
def test_fifty_kills_lose_and_overspend_nothing():
    seed = random.SystemRandom().randrange(10**6)
    done = harness("--kills", "50", "--seed", str(seed))
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    counts = json.loads(done.stdout)
    early = counts.get("killed before there was a ledger", 0)
    assert counts["kills"] == counts["copies of the file alone"] + early == 50
    assert early < 25
    assert counts["used up"] == counts["ledgers"]


@pytest.mark.kills
@pytest.mark.parametrize(
    ("broken", "why"),
    [("two-steps", "overspent|changed"), ("later", "lost"), ("beside", "lost in a copy")],
)
def test_the_kills_find_ledgers_that_are_broken(broken, why):
    done = harness("--kills", "400", "--broken", broken)
    assert done.returncode != 0
    assert re.search(why, done.stderr)


@pytest.mark.kills
def test_kills_at_system_calls():
    done = harness("--matrix", "--every", "17")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] > 100


@pytest.mark.full
def test_kills_at_every_system_call_and_every_byte():
    done = harness("--matrix")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] > 1500


@pytest.mark.full
def test_two_thousand_kills():
    done = harness("--kills", "2000")
    assert done.returncode == 0, done.stderr


def test_a_ledger_is_the_file_that_was_opened(tmp_path, monkeypatch):
    """Another ledger under the same name is not charged by who opened the first one."""
    where = tmp_path / "budget.db"
    first = Ledger(where, epsilon=10, delta="1e-6", accounting="zcdp")
    where.rename(tmp_path / "old.db")
    second = Ledger(where, epsilon=1)
    with pytest.raises(StoreError, match="no longer the budget ledger"):
        first.charge(Guarantee(F(1)))
    assert second.spent()[0] == 0
    monkeypatch.chdir(tmp_path)
    here = Ledger("own.db", epsilon=1)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    here.charge(Guarantee(F(1)))
    assert Ledger(tmp_path / "own.db").spent()[0] == 1


def test_one_event_may_be_made_of_disjoint_parts(path):
    ledger = Ledger(path, epsilon=1)
    ledger.charge(parallel(Guarantee("0.4"), Guarantee("0.6"), Guarantee("0.5")))
    assert ledger.spent().epsilon == F(3, 5)
    ledger.charge(Guarantee("0.4"))  # apart, it adds
    assert ledger.remaining().epsilon == 0


def test_zero_delta_means_pure(path):
    ledger = Ledger(path, epsilon=1, delta=0)
    assert ledger.filter.accounting == "pure"
    assert ledger.guarantee.pure
