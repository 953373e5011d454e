"""What is said to a person at a terminal: options, files, numbers, interruptions."""

import os
import signal
import subprocess
import sys
import time

import pytest

from littlestone.cli.main import main

FIT = "fit data.csv --y adult --x age --class points(1,9) --epsilon 1"
NEW = "--y adult --class thresholds(1,99) --epsilon 8 --delta 1e-6 --horizon 9"
STREAM = f"stream data.csv --state s {NEW}"
PYTHON = ("samples_per_user", "records_per_user", "strict=True")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            f"{FIT} --samples-per-user 0 --user person",
            "'--samples-per-user' option",
        ),
        (
            f"{FIT} --strict",
            "without --strict",
        ),
        (
            f"{STREAM} --x height",
            "The file 'data.csv' given to stream has no column 'height'",
        ),
        (
            f"{STREAM} --x age --user person --records-per-user 0",
            "'--records-per-user' option",
        ),
        (
            "check data.csv --schema schema.toml --y adult --epsilon 1 --labels yes,yes",
            "different labels, separated by commas",
        ),
        ("schema new latin.csv --header-is-public", '--csv "encoding=latin-1"'),
        ("schema new nothing.csv", "a file that exists"),
        ("schema new data.parquet --like empty.csv", "has no rows"),
        ("fit table.txt --y adult --x age --class points(1,9) --epsilon 1", '--csv "sep=;"'),
    ],
)
def test_refusals_are_in_the_words_of_the_command_line(run, folder, line, words):
    (folder / "latin.csv").write_bytes("größe,y\n1,1\n".encode("latin-1"))
    (folder / "empty.csv").write_text("age,adult\n")
    (folder / "table.txt").write_text("age;adult\n1;1\n")
    done = run(line)
    assert done.code == 2
    assert words in done.err
    assert not any(word in done.err for word in PYTHON)


def test_one_is_one_record(run):
    done = run("plan --class points(1,1) --epsilon 8 --alpha 0.9 --beta 0.9")
    assert done.code == 0
    assert "1 record" in done.out
    assert "1 records" not in done.out


def test_an_engine_that_is_interrupted_is_an_interruption(run, folder, monkeypatch):
    """Engines raise errors of their own when Ctrl-C is pressed inside them."""

    def engine(*_, **__):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("littlestone.data.counting._count", engine)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as in the back
    done = run("fit data.csv --y adult --x age --class thresholds(1,99) --epsilon 1")
    signal.signal(signal.SIGINT, before)
    assert done.code == 130
    assert "Interrupted" in done.err
    monkeypatch.undo()
    assert main(["--version"]) == 0


@pytest.mark.more
def test_following_ends_with_an_interruption(folder):
    line = [*STREAM.split(), "--x", "age", "--follow", "--out", "o.csv"]
    # programs in the background are begun with interruptions ignored
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{begin}; from littlestone.cli.main import run; run()"
    child = subprocess.Popen([sys.executable, "-c", program, *line], stderr=subprocess.PIPE)
    while not os.path.exists("o.csv"):
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130
