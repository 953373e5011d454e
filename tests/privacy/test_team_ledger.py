"""A ledger in a folder that a group may write: who may open it, and what was spent for what."""

import os
import shutil
import stat
import tempfile
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.errors import ParameterError, StoreError
from littlestone.privacy import Ledger, Pure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


def reason(call):
    with pytest.raises(StoreError) as caught:
        call()
    return caught.value.reason


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
def test_mode_and_group_are_those_of_the_folder_whatever_the_umask(tmp_path, mask):
    """Of a new file, after every kind of write, and of what is made beside it for a moment."""
    seen = []
    real = os.link

    def link(old, new):
        seen.append(mode(Path(old)))
        real(old, new)

    folders = {0o700: 0o600, 0o755: 0o600, 0o770: 0o660, 0o2775: 0o660, 0o777: 0o600}
    for bits, wanted in folders.items():
        folder = tmp_path / oct(bits)
        folder.mkdir()
        folder.chmod(bits)
        with umask(mask), pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "link", link)
            where = folder / "budget.db"
            ledger = Ledger(where, epsilon=1)
            assert seen.pop() == wanted
            for _ in range(2):
                ledger.charge(Pure("0.1"))
                assert mode(where) == wanted
                assert where.stat().st_gid == folder.stat().st_gid
            where.write_bytes(where.read_bytes()[:-9])
            ledger.charge(Pure("0.1"))
            assert mode(where) == wanted
        assert [p.name for p in folder.iterdir()] == ["budget.db"]


def test_what_for(path):
    ledger = Ledger(path, epsilon=1, purpose="a first look")
    ledger.charge(Pure("0.1"), what="a")
    ledger.charge(Pure("0.1"), what="b", purpose="the paper")
    Ledger(path).charge(Pure("0.1"))
    purposes = [event.purpose for event in Ledger(path).history()]
    assert purposes == ["a first look", "the paper", ""]
    assert [e["purpose"] for e in ledger.to_dict()["events"]] == purposes
    with pytest.raises(ParameterError, match="purpose"):
        Ledger(path, purpose=7)
    with pytest.raises(ParameterError, match="purpose"):
        ledger.charge(Pure("0.1"), purpose=7)
    assert len(ledger.history()) == 3


def test_a_purpose_is_one_clean_short_line(path):
    ledger = Ledger(path, epsilon=1, purpose="a\x1b[31mred\n" + "z" * 500)
    ledger.charge(Pure("0.1"))
    (event,) = Ledger(path).history()
    assert event.purpose.startswith("a?[31mred?zz")
    assert len(event.purpose) == 200


def test_the_purpose_is_in_the_entry_before_the_draw(path, monkeypatch):
    learner = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon="0.4")
    algorithm = type(learner.to_learner())
    draw, seen = algorithm.draw, []
    monkeypatch.setattr(
        algorithm, "draw", lambda *a: (seen.append(Ledger(path).history()), draw(*a))[1]
    )
    learner.fit([1, 5, 9], [0, 0, 1], ledger=Ledger(path, epsilon=1, purpose="a trial"))
    (((event),),) = seen
    assert event.purpose == "a trial"


def test_a_ledger_that_is_more_open_than_its_folder(path, tmp_path):
    Ledger(path, epsilon=1)
    for bits in (0o660, 0o640, 0o604):
        path.chmod(bits)
        with pytest.raises(StoreError, match="chmod 600") as caught:
            Ledger(path)
        assert caught.value.reason == "permissions"
    tmp_path.chmod(0o770)
    for bits in (0o666, 0o640, 0o664):
        path.chmod(bits)
        with pytest.raises(StoreError, match="chmod 660"):
            Ledger(path)
    for bits in (0o660, 0o600):  # for fewer than it could be
        path.chmod(bits)
        Ledger(path).charge(Pure("0.1"))
    (tmp_path / "link.db").symlink_to(path)
    assert reason(lambda: Ledger(tmp_path / "link.db")) == "not a file"
    os.link(path, tmp_path / "second.db")
    assert reason(lambda: Ledger(path)) == "links"


# ---------------------------------------------------------------------- several real accounts

TEAM, ADA, BOB, EVE = 60100, 60101, 60102, 60103


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
    """A folder that a group may write, away from those of pytest, which are for one account."""
    if os.geteuid() != 0:
        pytest.fail("this test needs root: it becomes other accounts (sudo pytest -m kills)")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chown(folder, ADA, TEAM)
        os.chmod(folder, 0o770)
        yield Path(folder)


@pytest.mark.kills
def test_two_accounts_of_a_group_and_one_outside(office):
    where = office / "budget.db"
    assert not as_account(ADA, [TEAM], lambda: Ledger(where, epsilon=1))
    assert (mode(where), where.stat().st_uid, where.stat().st_gid) == (0o660, ADA, TEAM)

    def charge():
        Ledger(where, purpose="trial").charge(Pure("0.4"))

    for uid in (ADA, BOB):
        assert not as_account(uid, [TEAM], charge)
        assert (mode(where), where.stat().st_uid, where.stat().st_gid) == (0o660, ADA, TEAM)
    assert "epsilon 0.2 is left" in as_account(BOB, [TEAM], charge)
    assert "folder must be open for your account" in as_account(EVE, [], charge)
    office.chmod(0o775)
    assert "write-protected" in as_account(EVE, [], charge)
    assert Ledger(where).spent().epsilon == Fraction(4, 5)
    copied = office / "copy.db"
    assert not as_account(BOB, [TEAM], lambda: shutil.copy2(where, copied))
    assert f"chgrp {TEAM}" in as_account(BOB, [TEAM], lambda: Ledger(copied))


@pytest.mark.kills
def test_an_account_that_is_not_in_the_group_of_the_folder_makes_its_own(office):
    office.chmod(0o775)
    own = office / "own"
    assert not as_account(ADA, [], lambda: (own.mkdir(), os.chmod(own, 0o770)))
    os.chown(own, ADA, TEAM)
    assert not as_account(ADA, [], lambda: Ledger(own / "budget.db", epsilon=1))
    assert mode(own / "budget.db") == 0o600
    assert "must belong to you alone" in as_account(BOB, [TEAM], lambda: Ledger(own / "budget.db"))
