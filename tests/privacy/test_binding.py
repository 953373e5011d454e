"""Who may open a ledger, what it knows of its data and its past."""

import json
import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.errors import BudgetError, ParameterError, StoreError
from littlestone.privacy import Guarantee, Ledger, Pure

# -- A ledger knows its data, and its own past -----------------------------------------------------

TABLE = "dose,ill\n" + "2,0\n8,1\n" * 20
SECRET = "717273"


@pytest.fixture
def tables(tmp_path):
    right, wrong = tmp_path / "right.csv", tmp_path / "wrong.csv"
    right.write_text(TABLE)
    wrong.write_text(TABLE.replace("8,1", f"{SECRET},1"))
    return right, wrong


@pytest.fixture
def ledger(tmp_path, tables):
    return Ledger(tmp_path / "budget", epsilon=2, data="trial", fingerprint=tables[0])


def fitted(table, ledger):
    learner = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1)
    return learner.fit(table, y="ill", x="dose", ledger=ledger)


def test_the_right_table_is_paid(ledger, tables):
    release = fitted(tables[0], Ledger(ledger.path)).release_
    assert len(ledger.history()) == 1
    key = (ledger.path.parent / "budget.key").read_text().strip()
    kept = json.dumps([release.record(), ledger.to_dict()])
    assert len(key) == 64
    assert key not in kept
    assert ledger._fingerprint not in kept


def test_the_wrong_table_is_refused_before_anything_is_drawn(ledger, tables, monkeypatch):
    monkeypatch.setattr("littlestone.learners.exponential.Agnostic.draw", None)
    monkeypatch.setattr("littlestone.learners.sklearn_base.read_sample", None)  # nor read
    with pytest.raises(BudgetError, match="another table") as refused:
        fitted(tables[1], Ledger(ledger.path))
    assert SECRET not in str(refused.value)
    assert "wrong.csv" not in str(refused.value)
    assert ledger.history() == ()


def test_a_changed_table_is_another_one(ledger, tables):
    with tables[0].open("a") as file:
        file.write("9,1\n")
    with pytest.raises(BudgetError, match="another version"):
        fitted(tables[0], ledger)


@pytest.mark.parametrize("table", [{"dose": [2], "ill": [0]}, "postgresql://host/db?table=t"])
def test_what_is_no_file_cannot_be_compared(ledger, table):
    with pytest.raises(ParameterError, match="one file"):
        ledger.check_data(table)


def test_nothing_is_charged_that_was_not_compared(ledger, tables):
    with pytest.raises(ParameterError, match="check_data"):
        ledger.charge(Guarantee(1))
    ledger.check_data(tables[0])
    assert ledger.charge(Guarantee(1)).number == 1


def test_without_a_key_nothing_is_paid(ledger, tables):
    (ledger.path.parent / "budget.key").unlink()
    with pytest.raises(StoreError, match="key"):
        ledger.check_data(tables[0])


def test_two_keys_give_two_fingerprints(tmp_path, tables):
    ledgers = [Ledger(tmp_path / name, epsilon=1, fingerprint=tables[0]) for name in "ab"]
    assert ledgers[0]._fingerprint != ledgers[1]._fingerprint
    assert (tmp_path / "a.key").stat().st_mode & 0o777 == 0o600


def test_a_ledger_that_could_not_be_made_leaves_nothing(tmp_path, tables):
    with pytest.raises(ParameterError, match="one file"):
        Ledger(tmp_path / "budget", epsilon=1, fingerprint=tmp_path / "no.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"right.csv", "wrong.csv"}
    made = Ledger(tmp_path / "budget", epsilon=1, fingerprint=tables[0])
    with pytest.raises(StoreError, match="exists"):
        Ledger(tmp_path / "budget", epsilon=1, fingerprint=tables[0])
    made.check_data(tables[0])  # its key is still there


def test_the_command_line(tmp_path, tables, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    create = "ledger create b --epsilon 2 --data trial --fingerprint right.csv"
    assert main(create.split()) == 0
    fit = "fit {} --x dose --y ill --class thresholds(1,9) --epsilon 1 --ledger b --record r.json"
    assert main(fit.format("wrong.csv").split()) == 4
    said = capsys.readouterr()
    assert SECRET not in said.err
    assert not (tmp_path / "r.json").exists()
    assert main(fit.format("right.csv").split()) == 0
    assert json.loads((tmp_path / "r.json").read_text())["ledger"][0]["data"] == "trial"


# -- Who may open a ledger, and what was spent for what --------------------------------------------


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
