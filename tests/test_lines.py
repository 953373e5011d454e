"""The budget of the package: lines of code for each part, the number of files, their length."""

from pathlib import Path

import pytest
from lines import budgets, count

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "littlestone"
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
