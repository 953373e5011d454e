"""The page of all statements: what it names exists, and no number of a paper is left out."""

from __future__ import annotations

import csv
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.bounds import claims
from littlestone.bounds.claims import paper_bounds

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "statements.md").read_text()
TABLES = sorted((ROOT / "docs" / "statements").glob("*.csv"))
LATER = ("work", "statement", "here", "claims", "tests")
FIELDS = ("statement", "what it is about", "file", "claim", "calculator", "tests")
FILE, CLAIM, CALCULATOR, TESTS = range(2, 6)


def upto(last, chapter=""):
    """Return the numbers 1, ..., last, of a chapter if one is given."""
    return [f"{chapter}{number}" for number in range(1, last + 1)]


#: What each paper numbers, counted by hand.
NUMBERED = {
    "000": {
        "Definition": upto(17),
        "Theorem": upto(8),
        "Lemma": upto(9),
        "Corollary": upto(2),
        "Assumption": upto(2),
        "Algorithm": upto(2),
        "Fact": ["1"],
        "Observation": ["1"],
        "Example": ["1"],
    },
    "001": {
        "Definition": upto(20),
        "Theorem": upto(13),
        "Lemma": upto(9),
        "Corollary": upto(2),
        "Claim": upto(6),
        "Assumption": upto(2),
        "Algorithm": upto(4),
        "Fact": ["1"],
        "Observation": ["1"],
        "Example": ["1"],
    },
    "002": {
        "Definition": [*upto(3, "2."), "A.1"],
        "Lemma": ["2.4", "2.5", "2.6", *upto(3, "3."), *upto(5, "4."), "5.1", "A.2", "C.1"],
        "Theorem": ["3.4", "4.6", "5.2"],
        "Corollary": ["D.1"],
        "Algorithm": upto(2),
    },
    "003": {
        "Theorem": upto(3),
        "Proposition": upto(2),
        "Fact": ["4"],
        "Algorithm": upto(4),
        "Definition": upto(3, "4."),
        "Lemma": [*upto(2, "3."), *upto(3, "4."), *upto(2, "6.")],
        "Claim": ["4.1", *upto(4, "6.")],
        "Corollary": ["4.1", "5.1"],
    },
    "004": {  # one count for all kinds
        "Theorem": ["1", "2", "3", "5", "8", "10", "19", "23", "30"],
        "Corollary": ["4"],
        "Definition": ["6", "9", "11", "12", "14", "16"],
        "Proposition": ["7"],
        "Lemma": ["13", "15", "17", "18", "20", "21", *map(str, range(25, 30)), "31"],
        "Claim": ["22"],
        "Observation": ["24"],
    },
}
#: Algorithms, remarks and examples without a number, and one table.
UNNUMBERED = {
    "000": ["Section 1.2.1"],
    "001": ["Section 1.3.2"],
    "002": ["Table 1"],
    "003": [
        "Remark (Section 2)",
        "Remark (after Lemma 3.2)",
        "Remark (after Corollary 5.1)",
        "Remark (in the proof of Claim 6.4)",
        "Remark (after Lemma 6.2)",
    ],
    "004": ["SOA (Section 3.2)", "D_k (Section 5.2)", "Algorithm G", "Algorithm M"],
}
CALCULATORS = {
    "000": "yan25v1",
    "001": "yan25v2",
    "002": "lwy24",
    "003": "lyu25",
    "004": "alon22",
}
KINDS = {"thm": "Theorem", "lemma": "Lemma", "cor": "Corollary", "prop": "Proposition"}


def rows(paper, fields=FIELDS):
    """Return the rows of a paper's table, as lists of cells."""
    with (ROOT / "docs" / "statements" / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        head, *table = csv.reader(file)
    assert tuple(head) == fields
    assert {len(row) for row in table} == {len(fields)}
    return table


def code(cell):
    """Return what a cell names in code."""
    return re.findall(r"`([^`]+)`", cell)


def software(row):
    return not row[FILE].startswith("not software: ")


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_statement_has_one_row(paper):
    wanted = [f"{kind} {n}" for kind, numbers in NUMBERED[paper].items() for n in numbers]
    assert sorted(row[0] for row in rows(paper)) == sorted(wanted + UNNUMBERED[paper])


def test_paper_004_counts_all_kinds_together():
    assert sorted(int(n) for ns in NUMBERED["004"].values() for n in ns) == list(range(1, 32))


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_file_exists(paper):
    for row in rows(paper):
        if software(row):
            assert code(row[FILE]), row
            assert code(row[TESTS]), row
            for file in code(row[FILE]):
                assert (ROOT / "src" / "littlestone" / file).is_file(), row
        else:
            assert len(row[FILE]) > len("not software: used in"), row
        for test in code(row[TESTS]):
            assert (ROOT / "tests" / test).is_file(), row
            assert "def test_" in (ROOT / "tests" / test).read_text(), row


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_claim_is_registered(paper):
    for module in pkgutil.walk_packages(ls.__path__, "littlestone."):
        if not module.name.endswith(("__main__", ".fast")):
            importlib.import_module(module.name)
    known = {claim.id for claim in claims()}
    for row in rows(paper):
        named = code(row[CLAIM])
        if not software(row):  # a sentence may name a claim; files and code are in other columns
            named += code(row[FILE])
        assert set(named) <= known, row


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_calculator_is_in_the_row_of_its_statement(paper):
    """``yan25v2.thm4.lower`` is in the row of Theorem 4, and so on; none is left out."""
    short = CALCULATORS[paper]
    listed = {name: row[0] for row in rows(paper) for name in code(row[CALCULATOR])}
    names = [one.name for one in paper_bounds() if one.name.startswith(f"{short}.")]
    assert sorted(listed) == sorted(names)
    for name, label in listed.items():
        kind, number = re.match(r"\w+\.([a-z]+)([A-D\d]\S*)", name).groups()
        at = f"{KINDS.get(kind, kind.capitalize())} {number}"
        assert at == label or at.startswith(f"{label}."), name


def test_no_statement_is_only_copied():
    """A formula that is compared with the printed one is tried somewhere else, too."""
    for row in (row for paper in NUMBERED for row in rows(paper)):
        assert code(row[TESTS]) != ["bounds/test_statements.py"], row


@pytest.mark.parametrize(
    ("paper", "statement", "column", "wrong", "right"),
    [
        ("004", "Theorem 1", CLAIM, "alon22.thm2", "alon22.thm1"),
        ("004", "Theorem 8", CLAIM, "alon.section2.4.privacy", "alon.theorem30.privacy"),
    ],
)
def test_claims_are_about_their_statement(paper, statement, column, wrong, right):
    """Theorem 1 is about thresholds; boosting does not lower delta, as Theorem 8 does."""
    (row,) = (row for row in rows(paper) if row[0] == statement)
    assert wrong not in code(row[column])
    assert right in code(row[column])


def test_what_papers_leave_out_or_misprint_is_said():
    """Boosting has no construction in 002; misprints of 000, 001 and 003; later work."""
    for file in ("docs/classes.md", "src/littlestone/classes/finite.py"):
        text = (ROOT / file).read_text()
        assert "prints no construction" in text
        assert not re.search(r"\bAND\b", text)
    misprints = (ROOT / "docs" / "paper-bounds.md").read_text().partition("## Misprints")[2]
    for named in ("Fact 1", "Definition 17", "Claim 2", "Claim 5", "Claim 6.3"):
        assert named in misprints
    assert "2510.00574" in (ROOT / "docs" / "learners" / "online.md").read_text()


def test_the_numbers_at_the_top_are_true():
    everything = [row for paper in NUMBERED for row in rows(paper)]
    said = re.search(r"(\d+) rows, of which (\d+)\s+are not software", PAGE)
    assert len(everything) == int(said[1])
    assert sum(not software(row) for row in everything) == int(said[2])


def test_links_lead_to_pages_and_every_table_is_shown():
    texts = [PAGE, *(path.read_text("utf-8") for path in TABLES)]
    for target in (t for text in texts for t in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)):
        assert (ROOT / "docs" / target).is_file(), target
    for path in TABLES:
        assert f":file: statements/{path.name}" in PAGE


def test_what_came_after_names_what_exists():
    """Files, claims and tests after the five documents; every claim about public points."""
    table = rows("later", LATER)
    known = {claim.id for claim in claims()}
    for row in table:
        for file in re.findall(r"`([\w/]+\.py)`", row[2]):
            assert (ROOT / "src" / "littlestone" / file).is_file(), row
        assert set(code(row[3])) <= known, row
        for test in code(row[4]):
            assert (ROOT / "tests" / test).is_file(), row
    named = {name for row in table for name in code(row[3])}
    assert {name for name in known if name.startswith("public.")} <= named
