"""A ledger of a group: who may open its file, whatever the umask, and who spent what for what."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

import littlestone as ls
from littlestone import accounts
from littlestone.errors import BudgetError, ParameterError, StoreError
from littlestone.privacy import Ledger, Pure

HARNESS = Path(__file__).parents[2] / "benchmarks" / "kill_ledger.py"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


def reason(call):
    with pytest.raises(StoreError) as caught:
        call()
    return caught.value.reason


@pytest.fixture
def team():
    """The name of the group that this program runs with."""
    return accounts.group_name(os.getegid())


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o027, 0o077, 0o777])
def test_mode_and_group_whatever_the_umask(tmp_path, team, mask):
    """Of a new file, after every kind of write, and of what is made beside it for a moment."""
    seen = []
    real = os.link

    def link(old, new):
        seen.append(mode(Path(old)))
        real(old, new)

    with umask(mask), pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", link)
        for name, group, wanted in (("own.db", None, 0o600), ("team.db", team, 0o660)):
            where = tmp_path / name
            ledger = Ledger(where, epsilon=1, group=group)
            assert seen.pop() == wanted
            for _ in range(2):
                ledger.charge(Pure("0.1"))
                assert mode(where) == wanted
                assert where.stat().st_gid == os.getegid()
            torn = where.read_bytes()[:-9]
            where.write_bytes(torn)
            ledger.charge(Pure("0.1"))
            assert mode(where) == wanted
        shared = Ledger.share(tmp_path / "own.db", team)
        assert seen.pop() == mode(tmp_path / "own.db") == 0o660
    assert shared.group == Ledger(tmp_path / "team.db").group == team
    assert sorted(p.name for p in tmp_path.iterdir()) == ["own.db", "team.db"]


def test_who_and_what_for(path):
    account = accounts.account_name()
    ledger = Ledger(path, epsilon=1, purpose="a first look")
    ledger.charge(Pure("0.1"), what="a")
    ledger.charge(Pure("0.1"), what="b", purpose="the paper")
    Ledger(path, who="Ada").charge(Pure("0.1"))
    signed = [(event.who, event.purpose) for event in Ledger(path).history()]
    assert signed == [
        (account, "a first look"),
        (account, "the paper"),
        (f"Ada (account {account})", ""),
    ]
    assert [e["purpose"] for e in ledger.to_dict()["events"]] == ["a first look", "the paper", ""]
    for options in ({"who": "x" * 101}, {"who": 7}, {"purpose": 7}):
        with pytest.raises(ParameterError):
            Ledger(path, **options)
    with pytest.raises(ParameterError, match="purpose"):
        ledger.charge(Pure("0.1"), purpose=7)
    assert len(ledger.history()) == 3


def test_the_account_is_the_systems_not_a_variables(path, monkeypatch):
    for name in ("USER", "LOGNAME", "LNAME", "USERNAME", "SUDO_USER"):
        monkeypatch.setenv(name, "somebody")
    assert Ledger(path, epsilon=1).charge(Pure(1)).who == accounts.account_name() != "somebody"
    assert accounts.account_name(2**31 - 7) == str(2**31 - 7)  # it has no name


def test_a_purpose_is_one_clean_short_line(path):
    ledger = Ledger(path, epsilon=1, purpose="a\x1b[31mred\n" + "z" * 500)
    ledger.charge(Pure("0.1"))
    (event,) = Ledger(path).history()
    assert event.purpose.startswith("a?[31mred?zz")
    assert len(event.purpose) == 200


def test_the_purpose_is_in_the_entry_before_the_draw(path, monkeypatch):
    learner = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon="0.4")
    algorithm = type(learner.to_learner())
    learn, seen = algorithm.learn, []
    monkeypatch.setattr(
        algorithm, "learn", lambda *a: (seen.append(Ledger(path).history()), learn(*a))[1]
    )
    learner.fit([1, 5, 9], [0, 0, 1], ledger=Ledger(path, epsilon=1, purpose="a trial"))
    (((event),),) = seen
    assert (event.who, event.purpose) == (accounts.account_name(), "a trial")


def test_a_ledger_that_is_open_for_others_than_it_says(path, team, tmp_path):
    Ledger(path, epsilon=1)
    for bits, fix in ((0o660, "chmod 600"), (0o640, "chmod 600"), (0o604, "open to every account")):
        path.chmod(bits)
        with pytest.raises(StoreError, match=fix) as caught:
            Ledger(path)
        assert caught.value.reason == "permissions"
    shared = tmp_path / "team.db"
    ledger = Ledger(shared, epsilon=1, group=team)
    shared.chmod(0o666)
    with pytest.raises(StoreError, match="chmod 660, if it is for a group"):
        ledger.charge(Pure("0.1"))
    shared.chmod(0o600)  # for fewer than it says
    ledger.charge(Pure("0.1"))


def test_a_file_of_another_group_is_refused(path, team, monkeypatch):
    Ledger(path, epsilon=1, group=team)
    monkeypatch.setattr("littlestone.privacy.ledger.group_number", lambda _: 60123)
    with pytest.raises(StoreError, match="Run: chgrp 60123"):
        Ledger(path)


def test_groups_that_are_not(path, team, monkeypatch):
    for name in ("no such group", 7, "", "-1", str(2**40)):
        with pytest.raises(ParameterError, match="groupadd"):
            Ledger(path, epsilon=1, group=name)
    with pytest.raises(ParameterError, match="Give 'epsilon'"):
        Ledger(path, group=team)
    assert not path.exists()
    Ledger(path, epsilon=1)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="groupadd"):
        Ledger.share(path, "no such group")

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "chown", refused)
    with pytest.raises(StoreError, match="usermod -aG"):
        Ledger.share(path, team)
    with pytest.raises(StoreError, match="usermod -aG"):
        Ledger(path.with_name("new.db"), epsilon=1, group=team)
    assert [p.name for p in path.parent.iterdir()] == ["budget.db"]
    assert path.read_bytes() == before


def test_sharing_keeps_all_and_does_not_surprise(path, team):
    ledger = Ledger(path, epsilon=1, about="clinic")
    ledger.charge(Pure("0.4"), what="first", token="t")
    shared = Ledger.share(path, team)
    assert (shared.about, shared.group) == ("clinic", team)
    assert [e.what for e in shared.history()] == ["first"]
    assert shared.charge(Pure("0.4"), token="t").number == 1
    with pytest.raises(StoreError, match="Open it again"):
        ledger.charge(Pure("0.1"))  # it was opened as a ledger for one account
    assert shared.to_dict() == Ledger.share(path, team).to_dict()
    again = Ledger(path)
    with pytest.raises(BudgetError):
        again.charge(Pure("0.7"))


def test_links_of_a_ledger_of_a_group_are_refused(path, team, tmp_path):
    Ledger(path, epsilon=1, group=team)
    (tmp_path / "link.db").symlink_to(path)
    assert reason(lambda: Ledger(tmp_path / "link.db")) == "not a file"
    os.link(path, tmp_path / "second.db")
    assert reason(lambda: Ledger(path)) == "links"


# ---------------------------------------------------------------------- several real accounts

TEAM, ADA, BOB, EVE = 60100, 60101, 60102, 60103


def needs_root():
    if os.geteuid() != 0:
        pytest.fail("this test needs root: it becomes other accounts (sudo pytest -m kills)")


def as_account(uid, groups, act):
    """Do something in a process of another account; return the message of what it raised."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups(groups)
            os.setgid(uid)
            os.setuid(uid)
            os.umask(0o077)
            act()
        except BaseException as problem:
            os.write(write, f"{type(problem).__name__}: {problem}".encode())
        finally:
            os._exit(0)
    os.close(write)
    said = os.read(read, 65536).decode()
    os.close(read)
    os.waitpid(pid, 0)
    return said


@pytest.fixture
def office():
    """A folder that a group may enter, away from those of pytest, which are for one account."""
    needs_root()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chown(folder, ADA, TEAM)
        os.chmod(folder, 0o750)
        yield Path(folder)


@pytest.mark.kills
def test_two_accounts_of_a_group_and_one_outside(office):
    where = office / "budget.db"
    assert not as_account(ADA, [TEAM], lambda: Ledger(where, epsilon=1, group=str(TEAM)))
    assert (mode(where), where.stat().st_uid, where.stat().st_gid) == (0o660, ADA, TEAM)

    def charge():
        Ledger(where, purpose="trial").charge(Pure("0.4"))

    for uid in (ADA, BOB):
        assert not as_account(uid, [TEAM], charge)
        assert (mode(where), where.stat().st_uid, where.stat().st_gid) == (0o660, ADA, TEAM)
    events = Ledger(where).history()
    assert [(e.who, e.purpose) for e in events] == [(str(ADA), "trial"), (str(BOB), "trial")]
    assert "epsilon 0.2 is left" in as_account(BOB, [TEAM], charge)
    office.chmod(0o755)
    outside = as_account(EVE, [], charge)
    assert f"your account {EVE} is not in it" in outside
    assert f"usermod -aG {TEAM} {EVE}" in outside
    office.chmod(0o750)
    assert "folder must be open for your account" in as_account(EVE, [], charge)
    assert Ledger(where).spent().epsilon == Fraction(4, 5)


@pytest.mark.kills
def test_only_its_owner_gives_a_ledger_to_a_group_it_is_in(office):
    where = office / "budget.db"
    assert not as_account(ADA, [TEAM], lambda: Ledger(where, epsilon=1))
    before = where.read_bytes()
    alone = as_account(BOB, [TEAM], lambda: Ledger(where))
    assert f"for the account {ADA} alone" in alone
    assert "ledger share PATH --group" in alone
    assert "usermod -aG" in as_account(ADA, [TEAM], lambda: Ledger.share(where, str(EVE)))
    assert where.read_bytes() == before
    assert [p.name for p in office.iterdir()] == ["budget.db"]
    assert not as_account(ADA, [TEAM], lambda: Ledger.share(where, str(TEAM)))
    assert not as_account(BOB, [TEAM], lambda: Ledger(where).charge(Pure("0.4")))
    office.chmod(0o770)
    again = as_account(BOB, [TEAM], lambda: Ledger.share(where, str(TEAM)))
    assert f"the account {ADA}'s" in again
    copied = office / "copy.db"
    assert not as_account(BOB, [TEAM], lambda: shutil.copy2(where, copied))
    assert f"Run: chgrp {TEAM}" in as_account(BOB, [TEAM], lambda: Ledger(copied))


@pytest.mark.kills
def test_an_administrator_shares_a_ledger_for_its_owner(office):
    where = office / "budget.db"
    assert not as_account(ADA, [], lambda: Ledger(where, epsilon=1))
    Ledger.share(where, str(TEAM))
    assert (mode(where), where.stat().st_uid, where.stat().st_gid) == (0o660, ADA, TEAM)
    for groups in ([], [TEAM]):
        assert not as_account(ADA, groups, lambda: Ledger(where).charge(Pure("0.4")))


@pytest.mark.kills
def test_a_creation_that_was_killed_where_another_account_may_not_tidy_up(office):
    """Its second name stays, and the ledger is refused until its owner opens it."""
    where = office / "budget.db"
    assert not as_account(ADA, [TEAM], lambda: Ledger(where, epsilon=1, group=str(TEAM)))
    os.link(where, office / ".budget.db.abcdefgh")
    assert "2 names (hard links)" in as_account(BOB, [TEAM], lambda: Ledger(where))
    assert not as_account(ADA, [TEAM], lambda: Ledger(where))
    assert not as_account(BOB, [TEAM], lambda: Ledger(where))


@pytest.mark.kills
def test_accounts_of_a_group_are_killed():
    """As `test_fifty_kills_lose_and_overspend_nothing`, each process as another account."""
    needs_root()
    command = [sys.executable, str(HARNESS), "--json", "--kills", "50", "--accounts"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] == 50
    assert counts["accounts that spent"] > 1
