"""The house keeps its own rules: style, types, layers, public names, true documents."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone as ls

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "littlestone"
FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["lint-imports"],
    ],
    ids=" ".join,
)
def test_tools_are_content(command):
    program = Path(sys.executable).parent / command[0]
    done = subprocess.run(
        [str(program), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


#: Lists of lines that somebody might write: this rule is one of those that they break.
BUGS = set((SOURCE / "audit" / "controls").glob("in_*.py"))


def test_randomness_enters_through_one_door():
    """No module outside source/ imports a generator or makes one."""
    makers = re.compile(
        r"np\.random\.(?!Generator)|numpy\.random|default_rng|import (random|secrets)\b"
        r"|from (random|secrets) |os\.urandom|uuid4"
    )
    offenders = [
        f"{path.relative_to(SOURCE)}:{i}"
        for path in FILES
        if "source" not in path.relative_to(SOURCE).parts
        and path not in BUGS  # texts of bugs, never run in this process
        for i, line in enumerate(path.read_text().splitlines(), 1)
        if makers.search(line)
    ]
    assert offenders == []


def test_no_module_outgrows_its_room():
    too_long = {
        str(path.relative_to(SOURCE)): n
        for path in FILES
        if (n := len(path.read_text().splitlines())) > 400
    }
    assert too_long == {}


def test_every_public_name_exists_and_is_documented():
    for name in ls.__all__:
        if name != "__version__":
            assert getattr(ls, name).__doc__, name
    for path in FILES:
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[-1] in ("__init__", "__main__"):
            parts = parts[:-1]
        module = importlib.import_module(".".join(("littlestone", *parts)))
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{module.__name__}.{name}"


def test_importing_the_library_is_light():
    """No heavy package is loaded by ``import littlestone``."""
    code = (
        "import sys, littlestone; heavy = {'sklearn', 'scipy', 'duckdb', 'pyarrow', 'pandas'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_map_names_every_room_and_every_link_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rooms = {p.name for p in SOURCE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert {room for room in rooms if f"{room}/" not in text} == set()
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if not target.startswith(("http", "mailto")):
                assert (page.parent / target).exists(), f"{page.name} -> {target}"


def test_no_guarantee_hides_behind_a_default():
    """``epsilon`` and ``delta`` never have a default in the learners."""
    for path in (SOURCE / "learners").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                for argument, default in pairs:
                    if argument.arg in ("epsilon", "delta"):
                        value = getattr(default, "value", default)
                        assert default is None or value is None, f"{path.name}:{node.lineno}"
