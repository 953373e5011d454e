"""A few hundred corrupted inputs in each run; a full run has a hundred thousand."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

FUZZ = Path(__file__).parents[2] / "benchmarks" / "fuzz"


def fuzz(*options, program=("run.py", "--json"), timeout=600):
    done = subprocess.run(
        [sys.executable, str(FUZZ / program[0]), *program[1:], *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout), done.returncode


@pytest.mark.more
def test_spoilt_inputs_never_show_more_than_a_message():
    report, code = fuzz("--inputs", "150", "--seed", "20")
    assert report["failures"] == []
    assert code == 0
    assert report["inputs"] == 150
    assert len(report["kinds"]) == 10  # arguments, tables, schemas, models, states, ...
    assert all(kind.get("exit 2") for kind in report["kinds"].values())
    assert sum(kind.get("exit 0", 0) for kind in report["kinds"].values()) > 8


@pytest.mark.more
def test_the_fuzzer_sees_what_must_not_happen(tmp_path):
    """A control: commands that crash, hang, show data or a traceback, or exit oddly."""
    code = f"""if True:
        import sys, os, time
        sys.path.insert(0, {str(FUZZ)!r})
        import run
        said = run.Said()
        run.LIMIT = 0.3
        run.signal.signal(run.signal.SIGALRM, run._too_long)
        def shown(text, code):
            def command(tokens):
                print(text, file=sys.stderr)
                return code
            return command
        def raising(problem):
            def command(tokens):
                raise problem
            return command
        commands = [
            shown("littlestone: bad", 2), shown("", 0), shown("littlestone: zqcanary3", 2),
            shown("Traceback (most recent call last)", 2), shown("x.py:1: SyntaxWarning: y", 2),
            shown("littlestone: A defect of this program (KeyError). x", 1),
            shown("littlestone: x", 7), shown("nothing", 2), raising(KeyError()),
            raising(MemoryError()), lambda tokens: time.sleep(9), raising(SystemExit(3)),
        ]
        for run.command in commands:
            print(run.attempt(("csv", ["fit"], {{}}, None), said)[0])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "",
        "",
        "a data value was shown",
        "traceback",
        "warning",
        "defect: KeyError",
        "exit code 7",
        "no message",
        "escaped: KeyError",
        "out of memory",
        "hang",
        "exit 3",
    ]


@pytest.mark.parametrize(
    ("token", "safe"),
    [
        ("o.json", True),
        ("1/3", True),
        ("s/private.db", True),
        ("..", True),
        ("/dev/null", True),
        ("thresholds(1, 99)", True),
        ("a/../b", True),
        ("/etc/passwd", False),
        ("--out=/etc/passwd", False),
        ("../o.json", False),
        ("a/../../o.json", False),
        ("//etc/passwd", False),
        ("/dev/sda", False),
        ("--report=../x", False),
    ],
)
def test_no_option_names_a_file_outside(token, safe, monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    import mutate

    assert (mutate.inside(token) == token) is safe


@pytest.mark.full
def test_a_hundred_thousand_inputs():
    report, _ = fuzz("--inputs", "100000", "--seed", str(Random().randrange(10**6)), timeout=9000)
    assert report["failures"] == []


@pytest.mark.more
def test_random_fits_at_the_edges_of_64_bits():
    report, code = fuzz("--fits", "100", "--seed", "5", program=("integers.py",))
    assert (report["fits"], report["failures"], code) == (100, [], 0)
