"""Scores of records in plain Python: what an exported model runs; it imports nothing of ours.

`programs.as_python` writes functions of this file behind ``MODEL = {...}``. A record is a mapping
from column to cell (a number, a text, a boolean or None), read by the rules of the public schema.
"""

# mypy: ignore-errors

import math
import re
from fractions import Fraction

MODEL = {}  # as `programs.described` has it
WHITE = " \t\n\r\v\f"
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LIMIT = re.compile("([<>]=?|[≤≥])[ \\t\\n\\r\\v\\f]*(" + NUMBER.pattern + ")")
WORDS = {"true": 1, "false": 0} | {
    sign + word: float(sign + word) for sign in ("", "+", "-") for word in ("inf", "infinity")
}


SPACE, SIGN = r"[ \t\n\r\v\f]*", r"(?:[<>]=?|[≤≥])?"
AFTER = rf"([eE][+-]?[0-9]+)?{SPACE}([^0-9.,][^.,]*)?"
BEFORE = rf"{SPACE}{SIGN}{SPACE}[+-]?"
SIGNED = rf"({BEFORE}[0-9]+)%([0-9]*{AFTER})|({BEFORE})%([0-9]+{AFTER})"
COMMA, POINT = re.compile(SIGNED.replace("%", ",")), re.compile(SIGNED.replace("%", r"\."))


def _pointed(written):
    """Return a text with its decimal comma as a point; one with a point is then no number."""
    found = COMMA.fullmatch(written)
    if found is not None:
        whole, after, _, _, sign, parts, *_ = found.groups(default="")
        return f"{whole}{sign}.{after}{parts}"
    return written.replace(".", ",") if POINT.fullmatch(written) else written


def _text(cell):
    """Return how a cell is written, or None where it is missing."""
    if hasattr(cell, "item"):  # a number of NumPy
        cell = cell.item()
    if isinstance(cell, str):
        return cell.strip(WHITE) or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None or cell != cell:
        return None
    if hasattr(cell, "as_integer_ratio") and not isinstance(cell, int):
        cell = float(cell)  # a decimal, too
    if isinstance(cell, float) and not math.isinf(cell) and cell == int(cell):
        return str(int(cell))
    return repr(cell)


def _number(written):
    """Return the number that a text denotes, or None."""
    if not NUMBER.fullmatch(written):
        return WORDS.get(written.lower())
    number = float(written)
    exponent = written.lower().partition("e")[2].lstrip("+-0")
    if abs(number) < 2**53 or len(written) > 4000 or len(exponent) > 6:
        return number
    exact = Fraction(written)  # a double is not exact, or infinite; a whole number is exact
    whole = exact.denominator == 1 and abs(exact) < 10**400_000
    return exact.numerator if whole else number


def _one_of(texts, written):
    """Return which of some texts a cell is, by its text or by its value, or None."""
    lower = written.lower()
    if written in texts or (lower in ("true", "false") and lower in texts):
        return written if written in texts else lower
    number = _number(written)
    equal = [] if number is None else [text for text in texts if _number(text) == number]
    return next((text for text in equal if text == _text(number)), equal[0] if equal else None)


def _cleaned(column, written):  # noqa: PLR0911
    """Return the text that a cell is read as, or None where it is missing."""
    if written is None or "cleaning" not in column:
        return written
    if _one_of(column["missing"], written) is not None:
        return None
    merged, unit, below = column["cleaning"]
    group = _one_of(list(merged), written)
    if group is not None:
        return merged[group]
    if _number(written) is not None or written.lower() == "nan":
        return written
    if unit and written.endswith(unit):
        written = written[: -len(unit)].rstrip(WHITE)
    limit = LIMIT.fullmatch(written) if below else None
    if limit is None:
        return written
    if below == "missing":
        return None
    number = _number(limit[2])
    if below == "limit" or limit[1][0] in ">≥" or number <= 0 or number == math.inf:
        return limit[2]
    half = Fraction(number) / 2
    if half.denominator == 1:
        return str(half.numerator)
    return _text(float(half) if half < 2**1023 else math.inf)


def _yes(record, name, test, value):
    """Return whether the cell of a column passes a test."""
    column, cell = MODEL["columns"][name], record.get(name)
    written = _text(cell)
    if column.get("comma") and isinstance(cell, str) and written is not None:
        written = _pointed(written)
    written = _cleaned(column, written)
    if written is None or _one_of(column["missing"], written) is not None:
        return False
    if test == "is":
        by_value = column["by_value"]
        return value == (_one_of(column["categories"], written) if by_value else written)
    number = _number(written)
    if number is None:
        return False
    return number >= value if test == ">=" else number < value


def _answer(record, tree):
    """Return the leaf of a tree [column, test, value, yes, no]."""
    while isinstance(tree, list):
        *test, yes, no = tree
        tree = yes if _yes(record, *test) else no
    return tree


def _votes(record):
    """Return the votes of each label."""
    votes = list(MODEL["start"])
    points = MODEL.get("points")
    if points is not None:  # before any tree
        total = [0] * len(votes)
        for column in points["columns"]:
            true = (i for i, test in enumerate(column["tests"]) if _yes(record, *test))
            total = [a + b for a, b in zip(total, column["points"][next(true, -1) + 1])]
        limit, each = points["limit"], points["each"]
        for at, (base, own) in enumerate(zip(points["base"], total)):
            limited = min(limit, max(-limit, own))
            votes[at] += points["grain"] * ((2 * (base + limited) + each) // (2 * each))
    for times, tree in MODEL["trees"]:
        votes[_answer(record, tree)] += times
    return votes


def label(record):
    """Return the label with the most votes; of equals, the first."""
    found = _votes(record)
    return MODEL["labels"][found.index(max(found))]


def label_set(record):
    """Return the labels of its set: not too many votes fewer than the most."""
    found = _votes(record)
    near = (votes >= max(found) - MODEL["width"] for votes in found)
    return [name for name, inside in zip(MODEL["labels"], near) if inside]


def margin(record):
    """Return the votes of 1 less those of 0."""
    zero, one = _votes(record)
    return one - zero


def votes(record):
    """Return the votes of each label."""
    return dict(zip(MODEL["labels"], _votes(record)))


def probability(record):
    """Return the probability of label 1, or of each label."""
    found = _votes(record)
    if "probabilities" in MODEL:  # by margin
        return MODEL["probabilities"][(found[1] - found[0] - MODEL["first"]) // 2]
    odds = [math.exp(MODEL["step"] * (own - max(found))) for own in found]
    shares = [own / sum(odds) for own in odds]
    if MODEL["linked"]:  # what such shares mean after boosting with capped gradients
        parts = [1.0] * len(shares)
        for _ in shares[1:]:
            parts = [
                1 - sum(part * max(share - own, 0) for part, share in zip(parts, shares))
                for own in shares
            ]
        shares = [part / sum(parts) for part in parts]
    return dict(zip(MODEL["labels"], shares))


def _score(record, period=0):
    """Return the score of a record, of a time that in a period."""
    found = MODEL["start"][period]
    for step, tree in MODEL["trees"][period]:
        found += step if _answer(record, tree) else -step
    low, high = MODEL["limits"]
    return min(high, max(low, found))


def value(record):
    """Return the quantity, or the expected count."""
    score = _score(record)
    cells = score if MODEL["kind"] == "linear" else math.exp(score / MODEL["parts"])
    return MODEL["low"] + cells * MODEL["unit"]


def interval(record):
    """Return the two ends of the interval."""
    (first, unit, most), score = MODEL["scale"], _score(record)
    if MODEL["kind"] != "linear":
        score = round(MODEL["parts"] * math.exp(score / MODEL["parts"]))
    ends = (min(most, max(0, score + far)) for far in (-MODEL["width"], MODEL["width"]))
    return tuple(first + end * unit for end in ends)


def survival(record):
    """Return the probability that nothing has happened at the end of each period."""
    found, risk = [], 0.0
    for period in range(len(MODEL["ends"])):
        power = math.exp(_score(record, period) / MODEL["parts"])
        risk += math.log1p(min(1, 2 / (1 + 1 / power)) * max(1, (1 + power) / 2))
        found.append(math.exp(-risk))
    return found


def risk(record):
    """Return the cumulative hazard of all periods."""
    return -math.log(survival(record)[-1])
