"""Every block of code in the pages is run by some test, or says why not."""

import re
from pathlib import Path

import littlestone as ls

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/*.md")]
    if "gallery" not in path.parts
]
#: Pages whose command lines tests run as they stand there: tests/cli, test_readme.py.
RUN = {
    "README.md",
    "docs/cli.md",
    "docs/guide/choosing.md",
    "docs/guide/pitfalls.md",
    "docs/start/analyse.md",
    "examples/blocklist/README.md",
    "examples/users/README.md",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n)+)")
COMMAND = re.compile(r"\s*(littlestone|python|pip|pytest|ruff|@\w+$|def |class |import |from )")


def not_run(name, text):
    """Return the first lines of the blocks that nothing runs and that do not say why."""
    found = []
    bare = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    blocks = [(m.start(), m[1], m[2]) for m in FENCE.finditer(text)]
    blocks += [(m.start(), "", m[1]) for m in INDENTED.finditer(bare)]
    for start, language, body in blocks:
        before = (text if language or text.startswith("```", start) else bare)[:start].rstrip()
        said = re.search(r"<!-- not run here: .{5,} -->$", before)
        code = language in ("python", "pycon", "py", "sh") or (not language and COMMAND.match(body))
        commands = language in ("", "sh") and name in RUN
        if code and ">>>" not in body and not commands and not said:
            found.append(body.strip().splitlines()[0])
    return found


def test_every_block_is_run_or_says_why_not():
    for path in PAGES:
        assert not_run(path.relative_to(ROOT).as_posix(), path.read_text()) == [], path


def test_a_block_that_is_not_run_is_noticed():
    assert not_run("page.md", "Text.\n\n```sh\nlittlestone plan\n```\n") == ["littlestone plan"]
    assert not_run("page.md", "Text.\n\n    littlestone plan\n") == ["littlestone plan"]
    said = "<!-- not run here: it takes hours -->\n"
    assert not_run("page.md", f"Text.\n{said}```python\nx = 1\n```\n") == []
    assert not_run("page.md", f"{said}\n```python\nx = 1\n```\n```python\ny = 2\n```\n") == [
        "y = 2"
    ]


SOURCE = ROOT / "src/littlestone"
FILES = [
    f"/{path.relative_to(ROOT).as_posix()}"
    for folder in ("src", "tests", "tools", "benchmarks", "experiments", "examples")
    for path in (ROOT / folder).rglob("*.py")
]


def absent(text):
    """Return the files and packages of code that a page names, and that do not exist."""
    named = re.findall(r"`([\w/]+\.py)\b", FENCE.sub("", text))
    packages = re.findall(r"`(\w+)/(\w+)/?`", text)
    return [name for name in named if not any(path.endswith(f"/{name}") for path in FILES)] + [
        f"{first}/{second}"
        for first, second in packages
        if (SOURCE / first).is_dir() and not (SOURCE / first / second).is_dir()
    ]


def test_pages_name_files_that_exist():
    for path in PAGES:
        assert absent(path.read_text()) == [], path
    page = "See `mechanisms/select.py`, `learners/users`, `learners/agnostic`, `no.py`."
    assert absent(page) == ["no.py", "learners/agnostic"]


def test_the_table_of_people_needed_is_what_plan_computes():
    page = (ROOT / "docs/guide/choosing.md").read_text()
    rules = ls.Rules(ls.Schema.from_toml(ROOT / "examples/adult/schema.toml"), max_literals=2)
    rows = re.findall(r"^\| ([\d.]+)((?: \| [\d,]+){4}) \|$", page, re.MULTILINE)
    for (epsilon, row), column, alpha in zip(rows, (0, 1, 3), ("0.2", "0.1", "0.02"), strict=True):
        budget = {"epsilon": epsilon, "evaluate": float(epsilon) / 10}
        chosen = ls.plan(rules, **budget, alpha=alpha, beta="0.05").chosen
        assert row.split(" | ")[1:][column] == f"{chosen.n:,}"
