"""``littlestone schema``: first schemas, and all mistakes at once."""

import tomllib

import pytest

WRONG = """
[age]
bin = [1, 2]

[city]
categories = ["Bonn", "Bonn"]
missing = "?"

[level]
integers = [3, 1]

[stay]
bins = [3]
categories = ["a"]
missing = [""]
"""


def test_all_mistakes_of_a_schema_at_once(run, folder):
    (folder / "wrong.toml").write_text(WRONG)
    done = run("schema check wrong.toml")
    assert (done.code, done.out) == (2, "")
    for part in (
        "6 mistakes",
        "unknown key 'bin'. Did you mean 'bins'?",
        "'categories' parameter of column 'city' must be a list of different texts",
        "'missing' parameter of column 'city'",
        "'integers' parameter of column 'level'",
        "Got bins and categories. Numbers have bins",
        "'missing' parameter of column 'stay'",
    ):
        assert part in done.err
    assert done.err.count("\n- ") == 6


def test_a_schema_is_shown(run):
    done = run("schema check schema.toml data.csv")
    assert done.code == 0
    rows = [[cell.strip() for cell in line.split("│")] for line in done.out.splitlines()]
    assert ["city", "categories", "4"] in rows
    assert ["age", "bins", "6"] in rows
    assert ["rules(max_literals=1)", "12"] in rows  # 2 * 3 + 2 * 2 literals, always, never
    shown = run("schema check schema.toml --json").json
    assert shown["columns"][0] == {"name": "city", "kind": "categories", "codes": 4}
    assert shown["classes"]["decision_trees(depth=1)"] == 4 * (2 * 3 + 2)
    # a split is >= or < at an edge, or a category; two leaves have a label each


def test_a_schema_beside_a_table(run, folder):
    (folder / "other.toml").write_text("[agee]\nbins = [1]\n[town]\ncategories = ['a']\n")
    for table in ("data.csv", "data.parquet"):
        done = run(f"schema check other.toml {table}")
        assert done.code == 2
        assert "2 columns of the schema" in done.err
        assert "'agee'" in done.err
        assert "person" not in done.err  # a name that stands only in the table
    (folder / "every.toml").write_text('["*"]\nbins = [0]\n')
    every = run("schema check every.toml data.csv")
    assert every.code == 0
    assert "rules" not in every.out


def test_a_first_schema_is_written(run, folder):
    assert run("schema new data.parquet --y adult --out first.toml").out == ""
    text = (folder / "first.toml").read_text()
    assert set(tomllib.loads(text)) == {"age", "city", "person"}
    assert run("schema new data.parquet --y adult").out == text
    incomplete = run("schema check first.toml")
    assert incomplete.code == 2
    assert "3 mistakes" in incomplete.err
    refused = run("schema new data.csv")
    assert refused.code == 2
    assert "--header-is-public" in refused.err
    assert run("schema new data.parquet --out data.parquet").code == 2


def test_a_schema_of_a_codebook(run, folder):
    (folder / "book.csv").write_text("name,low,high,unit\nage,18,90,\nweight,40,160,kg\n")
    done = run("schema new --codebook book.csv --y adult --out book.toml")
    assert (done.code, done.out) == (0, "")
    assert run("schema check book.toml").code == 0
    beside = run("schema new data.parquet --codebook book.csv --y adult").out
    assert set(tomllib.loads(beside)) == {"age", "city", "person"}
    assert "# The table has no column of these lines of the codebook:\n#   weight\n" in beside
    assert run("schema new --y adult").code == 2
    refused = run("schema new --codebook book.csv --out book.csv")
    assert refused.code == 2
    assert run("schema new --codebook none.csv").code == 2


def test_what_needs_a_schema_points_to_the_command(run):
    done = run("plan --class rules(max_literals=1) --epsilon 1 --alpha 0.1 --beta 0.05")
    assert "littlestone schema new" in done.err


def test_a_column_without_a_name_is_left_out(run, folder):
    (folder / "unnamed.csv").write_text("age,,adult\n30,1,1\n")
    done = run("schema new unnamed.csv --y adult --header-is-public --out s.toml")
    assert done.code == 0
    assert "without a name: left out" in (folder / "s.toml").read_text()


def test_a_schema_is_proposed(run, folder):
    rows = "".join(f"{20 + i % 60},{'Rome' if i % 3 else 'Bonn'},{i % 2}\n" for i in range(6000))
    (folder / "people.csv").write_text(f"age,city,ill\n{rows}")
    command = (
        "schema propose people.csv --y ill --epsilon 2 --delta 1e-6 --seed 0 --out learned.toml"
    )
    done = run(command)
    assert done.code == 2
    assert "--header-is-public" in done.err
    done = run(f"{command} --header-is-public --ledger nothing.db")
    assert done.code == 2
    assert not (folder / "learned.toml").exists()
    done = run(f"{command} --header-is-public")
    assert done.code == 0
    rows = [[cell.strip() for cell in line.split("│")] for line in done.out.splitlines()]
    assert ["age", "bins", "6"] in rows
    assert ["city", "categories", "2"] in rows
    assert "NOT PRIVATE (seeded)" in done.out
    assert "has no certificate of accuracy" in done.out
    written = tomllib.loads((folder / "learned.toml").read_text())
    assert written["city"]["categories"] == ["Bonn", "Rome"]
    assert written["*proposal"]["guarantee"]["epsilon_exact"] == "2"
    assert run(f"{command} --header-is-public --json").json == written
    done = run("schema check learned.toml people.csv")
    assert done.code == 0
    fit = "fit people.csv --schema learned.toml --y ill --epsilon 1 --class rules(max_literals=1)"
    done = run(f"{fit} --seed 0")
    assert "does not hold: the columns were learned from records" in done.out
    assert "(3, 1e-06)" in done.out
    done = run("plan --schema learned.toml --class rules(max_literals=1) --epsilon 1 --alpha 0.1 "
               "--beta 0.05")  # fmt: skip
    assert "does not hold" in done.out
    assert "explicit" not in done.out
    assert "It guarantees" not in done.out
    assert "learned from 6,000 records: (2, 1e-06)" in done.out
    assert "no certificate holds" in done.out
    line = "plan --schema learned.toml --epsilon 1 --beta 0.05"
    line = f"{line} --class rules(max_literals=1) --solve alpha --n 999"
    assert "no certificate holds" in run(line).out
    assert run(f"{line} --json").json["proposal"]["certificates_hold"] is False
    done = run(
        f"{fit} --user age --samples-per-user 2 --seed 0".replace("--epsilon 1", "--epsilon 5")
    )
    assert "protect single records" in done.err
    stream = (
        "stream people.csv --state st --schema learned.toml --class rules(max_literals=1) "
        "--epsilon 1 --delta 0 --horizon 99 --y ill --quiet --out p.csv"
    )
    assert run(stream).code == 0
    status = run("stream --state st --status").out
    assert "columns were learned from 6,000" in status
    assert "(3, 1e-06)" in status
    assert "proved for rows from which the columns were not learned" in status
    done = run(f"{fit} --require-certificate")
    assert done.code == 2
    assert "cannot be met" in done.err


def test_a_proposal_that_would_say_nothing_is_refused(run, folder):
    (folder / "few.csv").write_text("age\n1\n2\n")
    done = run("schema propose few.csv --epsilon 1 --out learned.toml --header-is-public")
    assert done.code == 3
    assert "from 2 records" in done.err
    assert not (folder / "learned.toml").exists()


@pytest.mark.more
def test_a_proposal_is_known_where_columns_are_chosen(run, folder):
    (folder / "people.csv").write_text("age,ill\n" + "".join(f"{i},{i % 2}\n" for i in range(400)))
    done = run(
        "schema propose people.csv --y ill --epsilon 2 --seed 0 --out learned.toml "
        "--header-is-public"
    )
    assert done.code == 0
    fit = "fit people.csv --schema learned.toml --y ill --class rules(max_literals=1) --epsilon 1"
    for columns in ("", " --x age"):
        done = run(fit + columns)
        assert "NOT PRIVATE" in done.out + done.err  # the proposal had a seed
        assert "does not hold" in done.out
    done = run(
        "stream people.csv --schema learned.toml --y ill --class rules(max_literals=1) "
        "--epsilon 4 --delta 1e-6 --horizon 1000 --state state --out labels.csv"
    )
    assert done.code == 0
    assert "learned from records" in done.err
    assert "NOT PRIVATE" in run("stream --state state --status").out


@pytest.mark.parametrize("name", ["parts", "p*.csv", "table.txt"])
def test_the_first_line_of_a_table_is_not_shown(run, folder, name):
    (folder / "parts").mkdir()
    for path in ("parts/one.csv", "p1.csv", "table.txt"):
        (folder / path).write_text("Jane Roe,44\nJohn Doe,45\n")
    form = " --csv sep=," if name == "table.txt" else ""
    for command in (f"schema new {name}", f"schema propose {name} --epsilon 1 --out s.toml"):
        done = run(command + form)
        assert done.code == 2
        assert "Jane" not in done.out + done.err
        assert "--header-is-public" in done.err


@pytest.mark.parametrize(
    "line",
    [
        "fit data.csv --y age --x age --class thresholds(1,99) --epsilon 1",
        "fit data.csv --schema schema.toml --y age --class rules(max_literals=1) --epsilon 1",
        "stream data.csv --y age --x age --class thresholds(1,99) --epsilon 1 --horizon 9 "
        "--delta 1e-6 --state s",
    ],
)
def test_a_label_is_not_learned_from(run, line):
    done = run(line)
    assert done.code == 2
    assert "is among its predictors" in done.err
