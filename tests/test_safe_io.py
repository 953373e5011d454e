"""Untrusted files: nothing runs, nothing hangs, nothing fills memory; the message teaches."""

import contextlib
import errno
import json
import os
import resource
import signal
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.append_log import AppendLog, LogKind
from littlestone.bounds import FormulaError, realizable, recheck
from littlestone.bounds.formulas import evaluate, limited
from littlestone.classes import load, parse_class
from littlestone.data import Schema
from littlestone.errors import LittlestoneError, ParameterError, StoreError
from littlestone.learners.release import Release
from littlestone.privacy import Guarantee
from littlestone.safe_io import (
    OMITTED,
    Wire,
    parse_json,
    private_folder,
    read_exact,
    read_text,
)

SECONDS, MEBIBYTES = 60, 700  # a loaded machine is slow; a hang has no end


@pytest.fixture(autouse=True)
def _limits():
    """Whatever a stranger wrote is refused soon, and in little memory."""

    def too_long(*_):
        raise AssertionError("a hang")

    old = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEBIBYTES * 1024


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from littlestone.learners import registry
    from littlestone.learners.running import run
    from littlestone.source import SeededSource

    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=1, alpha=0.1, beta=0.05)
    sample = ls.data.Sample.of([2, 3, 7, 8] * 9, [0, 0, 1, 1] * 9)
    return run(learner, sample, SeededSource(0), evaluate="1/2").to_dict()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"n": 1, "n": 1}', "'n' is given twice"),
        ('{"a": {"b": 1, "b": 2}}', "'b' is given twice"),
        ("[NaN]", "NaN is no number"),
        ("[-Infinity]", "-Infinity is no number"),
        ("[1e999]", "too large"),
        ("9" * 5000, "enormous integer"),
        ("[" * 10**6, "nested too deeply"),
        ("[" * 300 + "]" * 300, "nested too deeply"),
        ('{"a":' * 10**5, "nested too deeply"),
        ("[" + "[]," * 10**6 + "0]", "more than 2,000,000 values"),
        ("", "a syntax error"),
        ("{]", "a syntax error"),
        ("\ufeff{}", "a syntax error"),
        ('{"a": 1} {"b": 2}', "a syntax error"),
        ('["\\ud800"]', "half a character"),
    ],
)
def test_json_that_is_a_burden_or_ambiguous(text, why):
    with pytest.raises(ParameterError, match=why):
        parse_json(text, "model")


def test_json_that_is_fine():
    document = {"a": [1, 2.5, "x", None, True, {"b": []}], "c": "," * 1000}
    assert parse_json(json.dumps(document), "model") == document
    assert parse_json('["\\ud83d\\ude00"]', "model") == ["😀"]
    assert parse_json("[" * 200 + "]" * 200, "model")


@pytest.mark.parametrize(
    "text",
    [
        *["1e9", "1e999999999", "1/0", "1/00", "1/-2", "+1", " 1", "", "1.5", "１", "9" * 4001, 1],
        *[None, "0x1", "1_0", "1/2/3", "nan", "-", "1/"],
    ],
)
def test_texts_that_are_no_exact_numbers(text):
    with pytest.raises(ValueError, match="exact"):
        read_exact(text)


def test_exact_numbers():
    assert read_exact("-3/6") == Fraction(-1, 2)
    assert read_exact("9" * 4000) == 10**4000 - 1


def test_files_without_an_end(tmp_path):
    for call in (
        lambda: read_text("/dev/zero", "model file", largest=2**20),
        lambda: Schema.from_toml("/dev/zero"),
        lambda: Release.read("/dev/zero"),
        lambda: parse_class("finite(/dev/zero)"),
        lambda: parse_class("tree_paths(/dev/zero)"),
        lambda: Release.read(tmp_path),
        lambda: Release.read(tmp_path / "absent"),
        lambda: Release.read(tmp_path / ("x" * 5000)),
        lambda: Release.read("a\0b"),
    ):
        with pytest.raises(ParameterError):
            call()


def spoilt(model, path, value):
    """Return the model with one entry changed."""
    document = json.loads(json.dumps(model))
    *way, last = path
    node = document
    for key in way:
        node = node[key]
    node[last] = value
    return document


HUGE = ["1e999999999", "9" * 5000, "1/" + "9" * 5000, "2**2**64", 10**5000, -1, None, [], {}, "x"]


@pytest.mark.parametrize(
    "path",
    [
        ("guarantee", "epsilon_exact"),
        ("guarantee", "delta_exact"),
        ("certificate", "alpha_exact"),
        ("certificate", "n"),
        ("certificate", "steps"),
        ("certificate", "unit"),
        ("certificate", "holds"),
        ("certificate", "steps", 0, "inputs"),
        ("class", "high"),
        ("hypothesis", "above"),
        ("hypothesis", "type"),
        ("columns",),
        ("evaluation",),
        ("evaluation", "counts"),
        ("evaluation", "rate"),
        ("n",),
        ("required_samples",),
    ],
)
def test_models_with_enormous_or_wrong_entries(model, path):
    for value in HUGE:
        if path == ("certificate", "steps") and value == []:
            continue  # no steps: it promises nothing, and says so
        if path in (("certificate", "n"), ("class", "high")) and value == 10**5000:
            continue  # no more than a large number
        if path == ("certificate", "steps", 0, "inputs") and value == {}:
            continue  # a formula without inputs is only wrong: recheck says so
        if path in (("columns",), ("evaluation",)) and value is None:
            continue  # there is none
        if path == ("columns",) and value == {}:
            continue
        with pytest.raises(ParameterError):
            Release.from_dict(spoilt(model, path, value))


def test_a_class_that_is_too_big_to_be_written_out():
    for spec in ("thresholds(0, 2**2**64)", "thresholds(0, 9**9**9**9)", "points(1, 2**-1)"):
        with pytest.raises(ParameterError):
            parse_class(spec)
    assert len(load({"type": "set", "points": list(range(10**5))}).points) == 10**5
    same = [k * (2**61 - 1) for k in range(10**5)]  # all with the hash 0
    with pytest.raises(ParameterError, match="different hashes"):
        load({"type": "set", "points": same})
    with pytest.raises(ParameterError):
        load({"type": "table", "labels": list(range(10**6))})


BOMBS = [
    "9**9**9**9",
    "(3**1000000 + 1) / (7**700000 + 1)",
    "ceil(exp(10**12))",
    "exp(exp(exp(exp(99))))",
    "comb(2**256, 10000)",
    " + ".join(["growth(1000000, 2**200)"] * 500),
    " + ".join(["comb(2**256 - 1, 10000)"] * 500),
    " + ".join(["binomial_above(1000000, 0.5, 3)"] * 300),
    "(" * 3000 + "1" + ")" * 3000,
    "-" * 15000 + "1",
    "+".join(["1"] * 9999),
    "1/(1 - 1)",
    "__import__('os').system('true')",
    "(lambda: 1)()",
    "[x for x in (1,)]",
    "n.__class__",
]


@pytest.mark.parametrize("formula", BOMBS, ids=lambda text: text[:30])
def test_formulas_that_would_run_for_ever(formula):
    honest = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420).to_dict()
    honest["steps"][0]["formula"] = formula
    with contextlib.suppress(FormulaError):
        assert recheck(honest)  # it has a value, and that is not the one that was stated
    # Such a text as an exact number: refused the same way.
    honest["steps"][0]["inputs"] = {"n": formula}
    with pytest.raises(LittlestoneError):
        recheck(honest)


def test_an_honest_certificate_is_far_below_the_limit():
    certificate = realizable(2**1000, epsilon="1e-6", alpha="1e-6", beta="1e-9", n=10**9)
    assert recheck(certificate.to_dict()) == ()
    with pytest.raises(FormulaError, match="takes too long"), limited(100):
        evaluate("growth(1000, 2000)", {})
    assert evaluate("growth(1000, 2000)", {}) > 0


@pytest.mark.parametrize(
    "toml",
    [
        "a = " + "[" * 10**5,
        "a = " + "{b=" * 10**5,
        "[" + "a." * 10**4 + "b]\nc = 1",
        "[age]\nbins = [" + "9" * 5000 + "]",
        "[age]\nbins = [1e999]",
        "[age]\nbins = [nan]",
        "[age]\nintegers = [0, 99999999999]",
        "[age]\nintegers = [1, 0]",
        "[age]\nbins = [1, 2]\n[age]\nbins = [3]",
        "[age]\nbins = [1979-05-27]",
        "[a]\ncategories = ['\\u0000']",
        "x" * (5 * 2**20),
        "\x00",
    ],
    ids=lambda text: text[:24],
)
def test_schemas_that_are_bombs(tmp_path, toml):
    path = tmp_path / "s.toml"
    path.write_text(toml)
    try:
        Schema.from_toml(path)
    except ParameterError as problem:
        shown = str(problem)
        assert len(shown) < 1000


def test_a_guarantee_reads_only_what_it_writes():
    written = Guarantee("1/3", "1e-6", claim="exp-mech.privacy").to_dict()
    assert Guarantee.from_dict(written).to_dict() == written
    for name in ("epsilon_exact", "delta_exact", "neighbours", "claim", "seeded"):
        for value in (None, 1, "1e9", "-1", [], "x" * 20_000):
            if name == "claim" and value in ("1e9", "-1"):
                continue  # any short text
            with pytest.raises(ParameterError):
                Guarantee.from_dict(written | {name: value})
        with pytest.raises(ParameterError):
            Guarantee.from_dict({k: v for k, v in written.items() if k != name})


def test_taxonomies_that_are_wide_deep_or_circular(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{i}" for i in range(20_000)) + "\n" + "x\n" * 20_000)
    with pytest.raises(ParameterError, match="header"):
        parse_class(f"tree_paths({path})")
    path.write_text("node,parent\n" + "".join(f"{i + 1},{i}\n" for i in range(20_000)) + "0,\n")
    assert parse_class(f"tree_paths({path})").size > 20_000
    path.write_text("node,parent\na,b\nb,a\n")
    with pytest.raises(ParameterError):
        parse_class(f"tree_paths({path})")


@dataclass(frozen=True)
class Part(Wire):
    """What is inside of a document."""

    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Document(Wire):
    """One field of each type."""

    rate: Fraction
    ends: tuple[float, float]
    part: Part | None
    whole: bool = False
    name: str = field(default="", metadata=OMITTED)

    def _fits(self) -> bool:
        return self.ends[0] <= self.ends[1]


WRITTEN = {"rate": "1/3", "ends": [0.5, 2.0], "part": {"rows": [[1, -2], []]}, "whole": True}


def test_a_document_is_read_back_by_its_types():
    document = Document(Fraction(1, 3), (0.5, 2.0), Part(((1, -2), ())), whole=True)
    assert document.to_dict() == WRITTEN
    assert Document.from_dict(json.loads(json.dumps(WRITTEN))) == document
    named = Document(Fraction(2), (1.0, 1.0), None, name="a")
    assert named.to_dict()["name"] == "a"
    assert Document.from_dict(named.to_dict()) == named
    assert Document.from_dict(WRITTEN | {"ends": [1, 2]}).ends == (1.0, 2.0)


@pytest.mark.parametrize(
    "changed",
    [
        {"rate": 1}, {"rate": "1/0"}, {"rate": "1e9"}, {"ends": [2.0, 1.0]}, {"ends": [1.0]},
        {"ends": [1.0, 2.0, 3.0]}, {"ends": [0.0, float("nan")]}, {"ends": [0.0, float("inf")]},
        {"ends": (1.0, 2.0)}, {"part": []}, {"part": {"rows": [[True]]}}, {"whole": None},
        {"part": {"rows": [[10**31]]}}, {"part": {"rows": [], "more": 1}}, {"whole": 1},
        {"name": 3}, {"more": 1}, {"to_dict": 1},
    ],
)  # fmt: skip
def test_a_document_of_other_types_is_refused(changed):
    with pytest.raises(ParameterError, match="entries"):
        Document.from_dict(WRITTEN | changed)


def test_a_document_lacks_nothing():
    for name in WRITTEN:
        with pytest.raises(ParameterError, match="entries"):
            Document.from_dict({k: v for k, v in WRITTEN.items() if k != name})
    for no_object in (None, [], "rate", 3):
        with pytest.raises(ParameterError, match="entries"):
            Document.from_dict(no_object)


# -- private files: whole or not at all, for one owner ---------------------------------------------

KIND = LogKind("diary", "diary 1")


def test_a_private_folder_is_its_owners(tmp_path):
    folder = private_folder(tmp_path / "state")
    assert private_folder(folder).stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "file").touch()
    for name, why in {
        "state": "chmod 700", "file": "must be a folder", "link": "not a link",
        "no/state": "could not be created",
    }.items():  # fmt: skip
        with pytest.raises(StoreError, match=why):
            private_folder(tmp_path / name)


def test_creation_never_replaces_a_file(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("folder", "file", "dangling"):
        with pytest.raises(StoreError) as caught:
            AppendLog.create(tmp_path / name, KIND, "")
        assert caught.value.reason == "exists"
    for name, why in {"no/diary": "create it first", "n" * 300: "could not be created"}.items():
        with pytest.raises(StoreError, match=why):
            AppendLog.create(tmp_path / name, KIND, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "file", "folder"]
    assert (tmp_path / "file").read_text() == "mine"


def test_what_a_kill_in_a_creation_leaves_is_forgotten(tmp_path):
    AppendLog.create(tmp_path / "diary", KIND, "")
    os.link(tmp_path / "diary", tmp_path / ".diary.x1y2z3_4")
    with AppendLog.opened(tmp_path / "diary", KIND) as log:
        assert log.lines == []
    assert [p.name for p in tmp_path.iterdir()] == ["diary"]


def test_of_many_creators_one_wins(tmp_path):
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            try:
                AppendLog.create(tmp_path / "diary", KIND, "")
                os._exit(0)
            except StoreError as problem:
                os._exit(7 if problem.reason == "exists" else 1)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, 7, 7, 7]
    assert [p.name for p in tmp_path.iterdir()] == ["diary"]


def test_a_log_is_read_while_it_is_written_and_written_anew(tmp_path):
    path = tmp_path / "diary"
    AppendLog.create(path, KIND, "of 2026")
    with AppendLog.opened(path, KIND, write=True, synced=False) as log:
        for day in range(3):
            log.append(f"day {day}")
            with AppendLog.opened(path, KIND, write=None) as beside:
                assert beside.lines == [f"day {k}" for k in range(day + 1)]
        log.rewrite("three days")
        assert log.size == path.stat().st_size
        log.append("day 3")
        with pytest.raises(StoreError, match="in use"), AppendLog.opened(path, KIND, timeout=0):
            pass  # the lock is that of the new file
    with AppendLog.opened(path, KIND) as log:
        assert (log.header, log.lines) == ("of 2026", ["three days", "day 3"])
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_anew_stays(tmp_path, monkeypatch):
    path = tmp_path / "diary"
    AppendLog.create(path, KIND, "")
    with AppendLog.opened(path, KIND, write=True) as log:
        log.append("rain")
        with monkeypatch.context() as patched:
            patched.setattr("littlestone.append_log.os.rename", full)
            with pytest.raises(StoreError) as caught:
                log.rewrite("sun")
        assert caught.value.reason == "full"
        log.append("snow")
    with AppendLog.opened(path, KIND) as log:
        assert log.lines == ["rain", "snow"]
    assert [p.name for p in tmp_path.iterdir()] == ["diary"]


@pytest.mark.parametrize("synced", [True, False])
def test_a_log_written_anew_says_if_it_might_not_survive_a_power_cut(tmp_path, monkeypatch, synced):
    path = tmp_path / "diary"
    AppendLog.create(path, KIND, "")
    with AppendLog.opened(path, KIND, write=True, synced=synced) as log:
        log.append("rain")
        monkeypatch.setattr("littlestone.append_log.sync_folder", full)
        if synced:
            with pytest.raises(StoreError) as caught:
                log.rewrite("sun", erase=True)
            assert caught.value.reason == "full"
        else:
            log.rewrite("sun", erase=True)
    with AppendLog.opened(path, KIND) as log:
        assert log.lines == ["sun"]


def full(*_):
    raise OSError(errno.ENOSPC, "full")
