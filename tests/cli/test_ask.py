"""``littlestone schema new --ask``: questions in a terminal, here a pseudo-terminal."""

import datetime
import os
import pty
import subprocess
import sys
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.data import Schema

KINDS = {
    "age": pa.int64(),
    "city": pa.large_string(),
    "weight": pa.float64(),
    "admitted": pa.date32(),
    "smoker": pa.bool_(),
    "note": pa.large_string(),
    "ill": pa.int64(),
}


@pytest.fixture
def typed(run, folder, monkeypatch):
    """Run a command line whose standard input is a terminal, where answers were typed."""

    def call(line, *answers):
        master, slave = pty.openpty()
        os.write(master, "".join(f"{answer}\n" for answer in answers).encode() + b"\x04")
        with os.fdopen(slave, encoding="utf-8") as terminal, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", terminal)
            done = run(line)
        os.close(master)
        return done

    return call


def hospital(cells):
    """A table of all declared kinds; its three rows hold the cells."""
    return pa.table({name: pa.array(cells[name], kind) for name, kind in KINDS.items()})


ONE = hospital(
    {
        "age": [711, None, 712],
        "city": ["secret", "hidden", None],
        "weight": [71.1, 71.2, 71.3],
        "admitted": [datetime.date(1971, 7, 7)] * 3,
        "smoker": [True, None, False],
        "note": ["private"] * 3,
        "ill": [0, 1, 1],
    }
)
ANSWERS = [
    "ill",  # the label
    *("", "", "18 to 90", "4", "years", "999"),  # age
    *("yes", "categories", 'Bonn, "Rome, Lazio"', "?, unknown"),  # city
    *("", "", "40, 60.5, 80", "", ""),  # weight
    *("", "", "date", "2020-01-01, 2021-07-01", ""),  # admitted
    "",  # smoker
    "no",  # note
]


def test_a_schema_is_asked_for(typed, run, folder):
    pq.write_table(ONE, "one.parquet")
    done = typed("schema new one.parquet --ask --out s.toml", *ANSWERS)
    assert (done.code, done.out) == (0, "")
    written = (folder / "s.toml").read_text()
    assert tomllib.loads(written) == {
        "age": {"bins": [36, 54, 72], "missing": ["999"]},
        "city": {"categories": ["Bonn", "Rome, Lazio"], "missing": ["?", "unknown"]},
        "weight": {"bins": [40, 60.5, 80]},
        "admitted": {"type": "date", "bins": ["2020-01-01", "2021-07-01"]},
        "smoker": {"categories": ["false", "true"]},
    }
    assert "# years\n[age]" in written
    assert "# [note] is not used." in written
    assert "# [ill] is the label." in written
    assert run("schema check s.toml one.parquet").code == 0


def test_questions_are_about_names_and_declared_types_only(typed, folder):
    """Two tables with the same columns and other cells: the same to the last character."""
    other = hospital({name: [] for name in KINDS})
    said = []
    for table in (ONE, other):
        pq.write_table(table, "t.parquet")
        done = typed("schema new t.parquet --ask", *ANSWERS)
        assert done.code == 0
        said.append((done.out, done.err))
    assert said[0] == said[1]
    for cell in ("711", "secret", "hidden", "71.", "1971", "private"):
        assert cell not in said[0][0] + said[0][1]


def test_an_answer_that_is_none_is_asked_for_again_with_the_reason(typed, folder):
    (folder / "people.csv").write_text("age,born,ill\n1,2,3\n")
    wrong = {
        "agee": "Did you mean 'age'?",
        "ill": "",
        "perhaps": "Answer one of: yes, no.",
        "y": "",
        "things": "Answer one of: numbers, categories, dates.",
        "num": "",
        "young to old": "'young' is no number",
        "90 to 18": "must be less than the second",
        "60, 40": "strictly increasing",
        "0 to 1": "",
        "1": "from 2 to 1000",
        "many": "from 2 to 1000",
        "3": "",
        "tab\there": "can be printed",
        "mg/l": "",
        '"a': "A quote is not closed",
        "a, a": "different texts",
        "n/a": "",
        "YES": "",
        "dates": "",
        "%x": "'format'",
        "%d.%m.%Y": "",
        "decade": "Answer one of: date, year",
        "year": "",
        "soon": "'soon' is no number",
        "1950, 2000": "",
        "": "",
    }
    done = typed("schema new people.csv --ask --header-is-public --out s.toml", *wrong)
    assert done.code == 0, done.err
    for answer, reason in wrong.items():
        assert reason in done.err, answer
    schema = Schema.from_toml("s.toml")
    assert schema["age"].edges == (0.333, 0.667)
    assert schema["age"].missing == ("n/a",)
    assert schema["born"].calendar.form == "%d.%m.%Y"
    assert "# mg/l\n" in (folder / "s.toml").read_text()


@pytest.mark.parametrize(
    ("said", "bins", "edges"),
    [
        ("0 to 8", "", tuple(range(1, 8))),
        ("1 to 3", "each", (1, 2, 3)),
        ("18 to 90", "2", (54,)),
        ("0 to 3", "8", tuple(3 * k / 8 for k in range(1, 8))),
        ("-1e6 to 1e6", "4", (-500000, 0, 500000)),
        ("0 to 1e-9", "2", (5e-10,)),
    ],
)
def test_bins_between_bounds(typed, folder, said, bins, edges):
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), "t.parquet")
    done = typed("schema new t.parquet --ask --out s.toml", "", "", "", said, bins, "", "")
    assert done.code == 0, done.err
    assert Schema.from_toml("s.toml")["x"].edges == pytest.approx(edges)


def test_no_terminal_no_questions(run, folder):
    done = run("schema new data.parquet --ask --out s.toml")
    assert done.code == 2
    assert "the standard input is none. Leave out --ask" in done.err
    assert not (folder / "s.toml").exists()


def test_what_is_not_answered_writes_nothing(typed, folder):
    early = typed("schema new data.parquet --y adult --ask --out s.toml", "", "")
    assert early.code == 2
    assert "Not all questions" in early.err
    none = typed("schema new data.parquet --y adult --ask --out s.toml", "no", "no", "no")
    assert none.code == 2
    assert "No column is used" in none.err
    both = typed("schema new data.parquet --ask --like data.csv --out s.toml")
    assert both.code == 2
    assert "not both" in both.err
    assert not (folder / "s.toml").exists()


def test_a_name_cannot_write_on_the_terminal(typed, folder):
    name = "a\x1b[2Jb\n# c"
    pq.write_table(pa.table({name: pa.array([], pa.int64())}), "t.parquet")
    done = typed("schema new t.parquet --ask --out s.toml", "", "", "", "1, 2", "", "")
    assert done.code == 0, done.err
    assert "\x1b" not in done.err
    assert list(tomllib.loads((folder / "s.toml").read_text())) == [name]


def test_in_a_real_terminal(folder):
    """The process is the subject: what it finds as its standard input."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "littlestone", "schema", "new", "data.parquet", "--ask"]
    os.write(master, b"adult\n\n\n1, 2\n\n\nno\nno\n")
    done = subprocess.run(
        command, stdin=slave, capture_output=True, text=True, check=False, timeout=60
    )
    os.close(master)
    os.close(slave)
    assert done.returncode == 0, done.stderr
    assert tomllib.loads(done.stdout) == {"age": {"integers": [1, 2]}}
