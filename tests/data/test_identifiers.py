"""Columns that name people, and free text: not learned from unless somebody names them."""

from __future__ import annotations

import logging
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.data.draft import IDENTIFIERS, draft, identifying
from littlestone.errors import ParameterError

#: Ten tables: what each calls its identifiers and texts, beside columns like them that are none.
TABLES = {
    "hospital": (["Patient No.", "Name", "Arzt"], ["Doctor visits", "Note count"]),
    "titanic": (["PassengerId", "Name"], ["Cabin", "Ticket class"]),
    "loans": (["loan_id", "borrowerEmail", "phone2"], ["paid", "idle", "term"]),
    "survey": (["respondent.id", "Comments"], ["n_comments_read", "named_person"]),
    "cohort": (["UUID", "date-of-birth-dob", "GP_physician"], ["education-num", "bmi"]),
    "school": (["first name", "LASTNAME", "student_nr"], ["grade", "nr_of_siblings"]),
    "claims": (["policyKey", "free_text", "ZIPCode zipcode"], ["amount", "textile"]),
    "shop": (["customer id", "address", "user_ip"], ["basket", "ipad"]),
    "klinik": (["Vorname", "Nachname", "Strasse", "Bemerkung"], ["Alter", "Namenstag"]),
    "staff": (["employeeID", "Remarks", "SSN"], ["salary", "idiom"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_names_say_what_is_an_identifier(name):
    left_out, learned = TABLES[name]
    assert all(map(identifying, left_out))
    assert not any(map(identifying, learned))


@pytest.mark.more
@pytest.mark.parametrize("name", TABLES)
def test_no_page_shows_a_name_an_identifier_or_a_text_unless_it_is_named(name):
    """Each is a frequent text that says the label, or a unique one."""
    left_out, plain = TABLES[name]
    rng, n = np.random.default_rng(len(name)), 1200
    y = rng.random(n) < 0.4
    cells = {
        own: [f"Zq{at}-{int(label) if at % 2 == 0 else row}" for row, label in enumerate(y)]
        for at, own in enumerate(left_out)
    }
    cells |= {own: (rng.integers(0, 60, n) + 20 * y).tolist() for own in plain}
    rows = pa.table(cells | {"died": y.astype(int)})
    how = {"y": "died", "epsilon": 4, "delta": 1e-5, "random_state": 0}
    release = ls.fit(rows, **how).release_
    written = ls.page(release)
    assert release.concept_class.domain.schema.names == tuple(plain)
    assert not re.search(r"Zq\d+-", written + release.to_json())
    assert all(f"<caption>{own}</caption>" not in written for own in left_out)
    named = ls.fit(rows, **how, columns=[left_out[0], *plain]).release_
    assert "Zq0-1" in ls.page(named)
    assert f"<caption>{left_out[0]}</caption>" in ls.page(named)


N = 3000


def table(**more):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, N)
    word = [f"text {i}" for i in range(N)]
    columns = {"age": age, "Patient No.": np.arange(N), "remarks": ["fine"] * N, "story": word}
    columns |= {"city": rng.choice(["Bonn", "Rome"], N), **more}
    return pa.table(columns | {"ill": (rng.random(N) < age / 100).astype(int)})


def learned(**more):
    made = ls.fit(table(), y="ill", epsilon=4, delta=1e-5, random_state=0, **more)
    return made.release_.concept_class.domain.schema


def test_a_fit_learns_from_neither_and_says_so_before_anything_is_drawn(caplog):
    with caplog.at_level(logging.INFO, logger="littlestone"):
        schema = learned()
    assert schema.names == ("age", "city")
    assert schema.left_out == ("Patient No.", "remarks", "story")
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith("Left out: Patient No., remarks: identifiers or free text, judging")
    assert said[1].startswith("Columns: age, story, city: learned from the records")
    assert "fine" not in "".join(said)


@pytest.mark.more
def test_what_is_named_is_learned_from():
    schema = learned(columns=["age", "Patient No.", "remarks"])
    assert schema.names == ("age", "Patient No.", "remarks")
    assert learned(bounds={"Patient No.": (0, 5000)}).names == ("age", "Patient No.", "city")


def test_texts_are_categories_if_these_hold_half_of_the_records():
    """Of others the few frequent ones would say little, and names of people are like that."""
    few = ["a"] * (N // 3) + [f"text {i}" for i in range(N - N // 3)]
    most = ["a"] * (2 * N // 3) + [f"text {i}" for i in range(N - 2 * N // 3)]
    for words, columns, kept in ((few, None, False), (few, ["word"], True), (most, None, True)):
        rows = pa.table({"word": words, "age": np.arange(N) % 90})
        how = {"columns": columns, "epsilon": 4, "delta": 1e-5, "random_state": 0}
        schema = ls.data.propose(rows, **how)
        assert ("word" in schema.names) == kept
        assert ("word" in schema.left_out) != kept


def test_a_table_of_identifiers_alone_is_refused_before_anything_is_paid(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9)
    rows = pa.table({"Name": ["a"] * N, "comment": ["b"] * N, "ill": [0, 1] * (N // 2)})
    with pytest.raises(ParameterError, match=r"all columns .* are identifiers or free text"):
        ls.fit(rows, y="ill", epsilon=1, ledger=ledger)
    texts = pa.table({"city": ["a", "b"] * (N // 2), "ill": [0, 1] * (N // 2)})
    pq.write_table(texts, tmp_path / "t.parquet")
    with pytest.raises(ParameterError, match="need a delta"):
        ls.fit(tmp_path / "t.parquet", y="ill", epsilon=1, ledger=ledger)
    assert ledger.spent().epsilon == 0


def test_a_draft_shows_them():
    written = draft(table(), label="ill")
    assert '# ["Patient No."] is left out: judging by its name, it is an identifier' in written
    assert IDENTIFIERS in written
    assert "[age]\n" in written


def test_columns_of_a_schema_are_chosen_in_python():
    schema = ls.Schema.from_dict({"age": {"bins": [40, 60]}, "city": {"categories": ["Bonn"]}})
    made = ls.fit(
        table(), y="ill", epsilon=4, schema=schema, columns=["age"], by=schema, random_state=0
    )
    assert made.release_.concept_class.domain.schema.names == ("age",)
    assert made.release_.groups[0].name == "age < 40, city is Bonn"
