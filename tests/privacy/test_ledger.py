"""The ledger: recorded before drawn, never overspent, never refunded, not fooled by its file."""

import contextlib
import json
import multiprocessing
import pickle
import random
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

import littlestone as ls
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

F = Fraction
HARNESS = Path(__file__).parents[2] / "benchmarks" / "kill_ledger.py"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


def test_a_budget_is_spent_exactly(path):
    ledger = Ledger(path, epsilon=1, about="clinic")
    for k in range(10):  # a float sum of ten tenths is not 1
        event = ledger.charge(Guarantee(0.1, claim="exp-mech.privacy"), what=f"release {k}")
        assert event.number == k + 1
    assert ledger.spent() == (1, 0, None)
    assert ledger.remaining() == (0, 0, None)
    with pytest.raises(BudgetError, match="asks for epsilon 1e-30, and epsilon 0 is left"):
        ledger.charge(Guarantee("1e-30"))
    again = Ledger(path)
    assert again.history() == ledger.history()
    assert [e.what for e in again.history()] == [f"release {k}" for k in range(10)]
    assert again.about == "clinic"
    assert again.guarantee == Guarantee(1, claim="filter.sum")
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(again.history()[0].day).startswith("20")


def test_a_refusal_spends_nothing(path):
    ledger = Ledger(path, epsilon=1, delta="1e-6")
    ledger.charge(Guarantee("0.5", "6e-7"))
    before = ledger.to_dict()
    for promise in (Guarantee("0.6"), Guarantee("0.1", "5e-7"), Approximate("0.1", "1e-5")):
        for call in (ledger.check, ledger.charge):
            with pytest.raises(BudgetError, match="nothing was spent"):
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


def test_one_event_may_be_made_of_disjoint_parts(path):
    ledger = Ledger(path, epsilon=1)
    ledger.charge(parallel(Guarantee("0.4"), Guarantee("0.6"), Guarantee("0.5")))
    assert ledger.spent().epsilon == F(3, 5)
    ledger.charge(Guarantee("0.4"))  # apart, it adds
    assert ledger.remaining().epsilon == 0


def test_zcdp_counts_small_releases(path):
    ledger = Ledger(path, epsilon=1, delta="1e-6", currency="zcdp")
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
    with pytest.raises(StoreError, match="Create the budget ledger first"):
        Ledger(path)
    for options in ({"delta": "1e-6"}, {"currency": "pure"}, {"about": "x"}):
        with pytest.raises(ParameterError, match="Give 'epsilon' to create"):
            Ledger(path, **options)
    for epsilon in (0, -1, "nan", "1e9999", True, "one"):
        with pytest.raises(ParameterError, match="epsilon"):
            Ledger(path, epsilon=epsilon)
    for options in (
        {"delta": 1},
        {"delta": 0},
        {"delta": "1e-6", "currency": "pure"},
        {"currency": "zcdp"},
        {"currency": "euro"},
        {"neighbours": "friends"},
        {"about": 3},
    ):
        with pytest.raises(ParameterError):
            Ledger(path, epsilon=1, **options)
    assert not path.exists()
    Ledger(path, epsilon=1)
    with pytest.raises(StoreError, match="exists already"):
        Ledger(path, epsilon=2)
    assert Ledger(path).guarantee.epsilon == 1


def test_extreme_budgets(path, tmp_path):
    ledger = Ledger(path, epsilon=F(1, 10**400), delta=F(1, 10**500))
    ledger.charge(Guarantee(F(1, 3 * 10**400), F(1, 10**501)))
    assert 0 < ledger.spent().epsilon - F(1, 3 * 10**400) < F(1, 10**414)
    with pytest.raises(BudgetError):
        ledger.charge(Guarantee(F(1, 10**400)))
    with pytest.raises(ParameterError, match="digits"):
        Ledger(tmp_path / "b.db", epsilon=F(1, 10**3000))
    with pytest.raises(ParameterError, match="digits"):
        Ledger(tmp_path / "b.db", epsilon=1).charge(Guarantee(F(1, 10**3000)))
    huge = Ledger(tmp_path / "c.db", epsilon=10**6)
    huge.charge(Guarantee(F(1, 2**6500)))  # too long to keep exactly: rounded up
    assert F(1, 2**6500) < huge.spent().epsilon


def test_labels_are_one_clean_short_line(path):
    ledger = Ledger(path, epsilon=1, about="a\x1b[31mred\n")
    ledger.charge(Guarantee("0.1"), what="x\ny" + "z" * 500)
    what = Ledger(path).history()[0].what
    assert what.startswith("x?yzz")
    assert len(what) == 200
    assert Ledger(path).about == "a?[31mred?"


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


def test_many_events_are_quick(path):
    ledger = Ledger(path, epsilon=10**6)
    rows = [
        (k, "2026-01-01", "x", "pure 1", "", f"1/{k % 900 + 1}", "0", None) for k in range(1, 10001)
    ]
    edited(path, many=rows)
    event = ledger.charge(Pure(1))
    assert event.number == 10001
    assert ledger.spent().epsilon == 1 + sum(F(1, k % 900 + 1) for k in range(1, 10001))


# ---------------------------------------------------------------------- the file is not trusted


def edited(path, *statements, many=()):
    with contextlib.closing(sqlite3.connect(path)) as sql, sql:
        for statement in statements:
            sql.execute(statement)
        if many:
            sql.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", many)


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


@pytest.mark.parametrize(
    "statement",
    [
        *(f"UPDATE events SET cost = '{text}' WHERE number = 1" for text in NUMBERS),
        "UPDATE events SET loss = 'pure' WHERE number = 1",
        "UPDATE events SET loss = 'approximate 1 2' WHERE number = 1",
        "UPDATE events SET loss = 'free 1' WHERE number = 1",
        "UPDATE events SET what = char(27) || '[2J' WHERE number = 1",
        "UPDATE events SET day = 'yesterday' WHERE number = 1",
        "UPDATE events SET number = -1 WHERE number = 1",
        "UPDATE events SET number = 0 WHERE number = 1",
        "UPDATE events SET number = 9223372036854775807 WHERE number = 2",
        "DELETE FROM events WHERE number = 1",
        "UPDATE budget SET value = '0' WHERE name = 'epsilon'",
        "UPDATE budget SET value = '1/2' WHERE name = 'delta'",
        "UPDATE budget SET value = 'zcdp' WHERE name = 'currency'",
        "UPDATE budget SET value = '9' WHERE name = 'rho'",
        "UPDATE budget SET value = 'all' WHERE name = 'neighbours'",
        "DELETE FROM budget WHERE name = 'epsilon'",
        "UPDATE events SET what = CAST(x'ff' AS TEXT) WHERE number = 1",
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE events",
    ],
)
def test_a_changed_file_is_refused(path, statement):
    Ledger(path, epsilon=1)
    for _ in range(2):
        Ledger(path).charge(Guarantee("0.1"))
    edited(path, statement)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Ledger(path).to_dict()
    assert caught.value.reason == "damaged"
    assert path.read_bytes() == before


def test_a_deleted_last_event_is_seen_by_nobody(path):
    """What the file's owner can do, and the documentation says so: the owner is trusted."""
    ledger = Ledger(path, epsilon=1)
    ledger.charge(Guarantee(1))
    edited(path, "DELETE FROM events")
    assert ledger.remaining().epsilon == 1


# ---------------------------------------------------------------------- fits pay


def learner(**options):
    return ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon="0.4", **options)


X, Y = [1, 5, 9, 9], [0, 0, 1, 1]


def test_a_fit_pays_before_it_draws(path, monkeypatch):
    ledger = Ledger(path, epsilon=1)
    seen = []
    algorithm = type(learner().to_learner())
    learn = algorithm.learn
    monkeypatch.setattr(
        algorithm, "learn", lambda *a: (seen.append(len(Ledger(path).history())), learn(*a))[1]
    )
    first = learner().fit(X, Y, ledger=ledger)
    assert seen == [1]
    assert first.guarantee_.epsilon == ledger.spent().epsilon
    assert ledger.history()[0].what == "agnostic on thresholds(1, 9)"
    learner().fit(X, Y, ledger=ledger)
    third = learner()
    with pytest.raises(BudgetError):
        third.fit(X, Y, ledger=ledger)
    assert seen == [1, 2]
    assert not hasattr(third, "hypothesis_")
    assert "ledger" not in third.get_params()


def test_a_fit_that_fails_after_paying_is_not_refunded(path, monkeypatch):
    ledger = Ledger(path, epsilon=1)
    algorithm = type(learner().to_learner())

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(algorithm, "learn", dies)
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
    ledger = Ledger(path, epsilon=2, delta="1e-6", currency="zcdp")
    learner().fit(X, Y, ledger=ledger)
    assert ledger.spent().rho == F(4, 10) ** 2 / 8
    assert ledger.history()[0].promised == "concentrated 0.02"


# ---------------------------------------------------------------------- kills


def harness(*options):
    command = [sys.executable, str(HARNESS), "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.kills
def test_fifty_kills_lose_and_overspend_nothing():
    seed = random.SystemRandom().randrange(10**6)
    done = harness("--kills", "50", "--seed", str(seed))
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    counts = json.loads(done.stdout)
    assert counts["kills"] == 50
    assert counts["used up"] == counts["ledgers"]


@pytest.mark.kills
@pytest.mark.parametrize(("broken", "why"), [("two-steps", "overspent|changed"), ("later", "lost")])
def test_the_kills_find_ledgers_that_are_broken(broken, why):
    done = harness("--kills", "400", "--broken", broken)
    assert done.returncode != 0
    assert re.search(why, done.stderr)


@pytest.mark.full
def test_five_hundred_kills():
    done = harness("--kills", "500")
    assert done.returncode == 0, done.stderr
