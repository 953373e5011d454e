"""The package keeps its own rules: randomness, names, lines, kinds."""

import ast
import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lines import budgets, count

import littlestone as ls

# -- The package keeps its own rules: randomness, public names, true documents ---------------------

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "littlestone"
FILES = sorted(SOURCE.rglob("*.py"))


@functools.cache
def parsed(path):
    """Return the syntax tree of a file, which is read once."""
    return ast.parse(path.read_text())


@functools.cache
def nodes(path):
    """Return all nodes of the syntax tree of a file."""
    return list(ast.walk(parsed(path)))


def test_randomness_enters_through_the_source():
    """No module outside source/ imports a generator or makes one."""
    makers = re.compile(
        r"np\.random\.(?!Generator)|numpy\.random|default_rng|import (random|secrets)\b"
        r"|from (random|secrets) |os\.urandom|uuid4"
    )
    offenders = [
        f"{path.relative_to(SOURCE)}:{i}"
        for path in FILES
        if "source" not in path.relative_to(SOURCE).parts
        for i, line in enumerate(path.read_text().splitlines(), 1)
        if makers.search(line)
    ]
    assert offenders == []


def test_candidates_are_grouped_by_score_in_one_place():
    """Level weights are made by `LeveledChoice`, or by `StreamedRuns`, where few are fetched."""
    found = {
        str(path.relative_to(SOURCE))
        for path in FILES
        if re.search(r"\bLevelWeights\(|ExplicitWeights\(\s*bottom", path.read_text())
    }
    assert found == {"source/leveled.py"}


def test_public_coins_have_reasons():
    """Modules that use public coins are those of the table in docs/source.md, with its reasons."""
    makers = re.compile(r"random\.Generator|public_(generator|rng|salt)|\.default_rng")
    found = {
        str(path.relative_to(SOURCE))
        for path in FILES
        if path.parent != SOURCE / "source" and makers.search(path.read_text())
    }
    page = (ROOT / "docs" / "source.md").read_text().partition("## Public coins")[2]
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert found == set(re.findall(r"`(.*?)`", " ".join(rows)))


@pytest.mark.more
def test_what_is_private_to_a_module_stays_there():
    """No module imports a name with an underscore from another one, or reaches for one in it."""
    # methods of named tuples; leaving without clean-up; what notebooks ask for
    of_python = {"_asdict", "_fields", "_replace", "_exit", "_repr_html_"}
    offenders = []
    for path in FILES:
        attributes = [node for node in nodes(path) if isinstance(node, ast.Attribute)]
        own = {
            node.name for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        own |= {node.attr for node in attributes if _is_self(node.value)}
        own |= {node.id for node in nodes(path) if isinstance(node, ast.Name)} | of_python  # fields
        found = [
            (node.lineno, node.attr)
            for node in attributes
            if _private(node.attr) and node.attr not in own
        ]
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                found += [(node.lineno, word) for word in words if _private(word)]
        offenders += [f"{path.relative_to(SOURCE)}:{line} {name}" for line, name in found]
    assert offenders == []


def _private(name):
    return name.startswith("_") and not name.startswith("__")


def _is_self(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


@pytest.mark.more
def test_no_circles_among_imports():
    """No module imports itself by way of others; imports for type checkers do not count."""
    graph = _imports(FILES)
    assert {module for module in graph if _reaches(graph, module, module)} == set()


def test_the_circle_finder_finds_circles(tmp_path):
    for name, text in {
        "a": "from littlestone.b import x",
        "b": "def f():\n    import littlestone.c",
        "c": "from littlestone import a, d",
        "d": "if TYPE_CHECKING:\n    import littlestone.c",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    graph = _imports(sorted(tmp_path.glob("*.py")), tmp_path)
    found = {m.rpartition(".")[2] for m in graph if _reaches(graph, m, m)}
    assert found == {"a", "b", "c"}


def _imports(files, root=SOURCE):
    """Return the module graph: also imports inside functions, but none for type checkers."""
    names = {}
    for path in files:
        parts = path.relative_to(root).with_suffix("").parts
        names[".".join(("littlestone", *parts)).removesuffix(".__init__")] = path
    graph = {}
    for module, path in names.items():
        graph[module] = needs = set()
        waiting = [parsed(path)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                waiting += node.orelse
                continue
            waiting += (n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr))
            if isinstance(node, ast.Import):
                needs |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                needs |= {name if name in names else node.module for name in inner}
        needs.intersection_update(names)
        needs.discard(module)
    return graph


def _reaches(graph, start, goal):
    """Say whether a path of at least one import leads from one module to another."""
    seen, waiting = set(), [start]
    while waiting:
        for other in graph[waiting.pop()]:
            if other == goal:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def test_every_public_name_exists_and_is_documented():
    for name in ls.__all__:
        if name != "__version__":
            assert getattr(ls, name).__doc__, name
    for path in SOURCE.rglob("__init__.py"):  # only packages list names
        parts = path.parent.relative_to(SOURCE).parts
        module = importlib.import_module(".".join(("littlestone", *parts)))
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{module.__name__}.{name}"


def test_tables_of_modules_are_complete():
    """Where the docstring of a package has a table of its modules, each of them is in it."""
    missing = []
    for path in SOURCE.rglob("__init__.py"):
        text = ast.get_docstring(parsed(path)) or ""
        if "\n=====" in text:
            names = {p.stem for p in path.parent.glob("[a-z]*.py")}
            missing += [f"{path.parent.name}.{name}" for name in names if f"`{name}`" not in text]
    assert missing == []


def test_importing_the_library_is_light():
    """No heavy package is loaded by ``import littlestone``."""
    code = (
        "import sys, littlestone; heavy = {'sklearn', 'scipy', 'duckdb', 'pyarrow', 'pandas'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_map_names_every_package_and_pages_are_linked():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = {p.name for p in SOURCE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert {package for package in packages if f"{package}/" not in text} == set()
    rows = (ROOT / "docs" / "project" / "map.csv").read_text().splitlines()
    files = [path for folder in (SOURCE, ROOT / "examples") for path in folder.rglob("*.py")]
    for line in [*text.splitlines(), *rows]:
        for name in re.findall(r"[\w/]+\.py\b", line):
            assert any(f"{path}".endswith(f"/{name}") for path in files), f"{name} in: {line}"
    pages, linked = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], {ROOT / "README.md"}
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if not target.startswith(("http", "mailto")):
                assert (page.parent / target).exists(), f"{page.name} -> {target}"
                linked.add((page.parent / target).resolve())
    assert [page.name for page in pages if page.resolve() not in linked] == []


def test_no_guarantee_hides_behind_a_default():
    """``epsilon`` and ``delta`` have no default in the learners, or 0 for delta: pure privacy."""
    for path in (SOURCE / "learners").rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                for argument, default in pairs:
                    if argument.arg in ("epsilon", "delta"):
                        value = getattr(default, "value", default)
                        pure = argument.arg == "delta" and value == 0
                        assert default is None or value is None or pure, (
                            f"{path.name}:{node.lineno}"
                        )


def test_actions_are_pinned_by_hash():
    uses = [
        line.split("uses:")[1].split()[0]
        for file in (ROOT / ".github/workflows").glob("*.yml")
        for line in file.read_text().splitlines()
        if "uses:" in line
    ]
    assert len(uses) >= 4
    assert [action for action in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


# -- The budget of the package: lines of code for each part, the number of files, their length -----

TABLE = ROOT / "tools" / "lines.csv"
MOST_FILES, LONGEST = 160, 700


@pytest.mark.more
def test_parts_stay_below_their_ceilings():
    assert [row for row in budgets(SOURCE, TABLE) if row.code > row.ceiling] == []


def test_files_are_few_and_not_long():
    codes = {path: count(path.read_text()).code for path in SOURCE.rglob("*.py")}
    assert len(codes) <= MOST_FILES
    assert [str(path) for path, code in codes.items() if code > LONGEST] == []


def test_a_file_belongs_to_the_first_part_that_names_it(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name, text in {
        "a/x.py": "x = 1\n",
        "a/b/y.py": '"""No code."""\ny = 1\n',
        "z.py": "",
    }.items():
        (tmp_path / name).write_text(text)
    table = tmp_path / "lines.csv"
    table.write_text("part,ceiling,end\na/b,1,1\na,5,1\n*.py,0,0\nall,9,2\n")
    assert [row.code for row in budgets(tmp_path, table)] == [1, 1, 0, 2]
    table.write_text("part,ceiling,end\na,5,1\nall,9,2\n")
    with pytest.raises(ValueError, match="No budget"):
        budgets(tmp_path, table)


# -- What a domain, target, hypothesis or sample does is its method: few ask which kind it is ------

ROOTS = {
    "Domain", "Target", "Hypothesis", "Sample", "UserSample", "TargetSample", "Labels", "Quantity",
    "Count", "Periods", "TreeEnsemble", "TreeSum", "AlwaysZero",
}  # fmt: skip
MOST = 39


def kinds(trees):
    """Return the names of all classes that are, or derive from, one of the roots."""
    parents = {
        node.name: {ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = ROOTS | {name for name in parents if name.endswith(("Domain", "Hypothesis"))}
    while more := {name for name, bases in parents.items() if bases & found} - found:
        found |= more
    return found


def asked(tree, names):
    """Return how often a piece of source asks whether something is one of these kinds."""
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            count += ast.unparse(node.cls).split(".")[-1] in names
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            count += not names.isdisjoint(
                ast.unparse(part).split(".")[-1]
                for part in ast.walk(node.args[1])
                if isinstance(part, ast.Name | ast.Attribute)
            )
    return count


def test_few_ask_for_a_kind():
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    names = kinds(trees)
    assert sum(asked(tree, names) for tree in trees) <= MOST


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("isinstance(x, RowDomain)", 1),
        ("isinstance(x, types.Quantity | int)", 1),
        ("isinstance(x, Mapping)", 0),
        ("match x:\n case PointHypothesis():\n  pass\n case int():\n  pass", 1),
    ],
)
def test_questions_are_seen(text, number):
    names = kinds([ast.parse("class RowDomain(Domain): pass\nclass PointHypothesis(Frozen): pass")])
    assert asked(ast.parse(text), names) == number
