"""Who may open a ledger, and what was spent for what."""

import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.errors import ParameterError
from littlestone.privacy import Ledger, Pure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


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
def test_the_file_is_for_its_owner_whatever_the_umask_and_the_folder(tmp_path, mask):
    """Of a new file, after every kind of write, and of what is made beside it for a moment."""
    seen = []
    real = os.link

    def link(old, new):
        seen.append(mode(Path(old)))
        real(old, new)

    for bits in (0o700, 0o755, 0o770, 0o2775, 0o777):
        folder = tmp_path / oct(bits)
        folder.mkdir()
        folder.chmod(bits)
        with umask(mask), pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "link", link)
            where = folder / "budget.db"
            ledger = Ledger(where, epsilon=1)
            assert seen.pop() == 0o600
            for _ in range(2):
                ledger.charge(Pure("0.1"))
                assert mode(where) == 0o600
            where.write_bytes(where.read_bytes()[:-9])
            ledger.charge(Pure("0.1"))
            assert mode(where) == 0o600
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


@pytest.mark.parametrize("purpose", ["a\x1b[31mred", "a\nb", "z" * 201])
def test_a_purpose_is_one_short_line_or_refused(path, purpose):
    """It is filed as it was typed, or not at all."""
    for call in (
        lambda: Ledger(path, epsilon=1, purpose=purpose),
        lambda: Ledger(path, epsilon=1).charge(Pure("0.1"), purpose=purpose),
    ):
        with pytest.raises(ParameterError, match=r"'purpose' .* one printable line"):
            call()
    assert not Ledger(path).history()


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
