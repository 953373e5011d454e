"""Ways to spoil an input: bytes, texts, JSON trees, command lines. All from a given generator."""

from __future__ import annotations

import copy
import json
import os
from random import Random
from typing import Any

#: What programs choke on, as text.
NASTY = [
    *["", " ", "0", "1", "-1", "2", "00", "+1", "1.", ".5", "1e3", "0x10", "1_000", "１２", "½"],
    *[
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-400",
        "1e999999999",
        "1e-999999999",
        "1/0",
        "0/0",
        "1/3",
        "9" * 5000,
    ],
    *["2**64", "2**2**64", "9**9**9**9", "2**-1", "2**(2**20)", "-2**1024", "1+" * 3000 + "1"],
    *[
        "(" * 500,
        "[" * 500,
        "{" * 500,
        "(" * 500 + ")" * 500,
        "-" * 3000 + "1",
        "~1",
        "1 if 1 else 2",
    ],
    *[
        "thresholds(1, 99)",
        "thresholds()",
        "thresholds(99, 1)",
        "thresholds(0, 2**2**64)",
        "points()",
    ],
    *[
        "sparse_sets(10**9)",
        "conjunctions(10**9)",
        "affine_subspaces(7, 10**9, 2)",
        "prefixes(ipv6)",
    ],
    *[
        "affine_subspaces(2**89 - 1, 3, 1)",
        "intervals(0, 2**1024)",
        "finite(/dev/null)",
        "finite(.)",
    ],
    *[
        "rules(max_literals=99)",
        "decision_trees(depth=99)",
        "auto",
        "tree_paths(m.csv)",
        "conjunctions(4)",
    ],
    *[
        "__import__('os').system('id')",
        "{0.__class__}",
        "%s%n",
        "$(id)",
        "`id`",
        "'; DROP TABLE x",
        '"',
    ],
    *["\0", "a\0b", "\n", "a\nb", "\t", "\r\n", "\x1b[2J", "\ufeff", "\u202e", "\ud800", "é" * 300],
    *[
        "/",
        ".",
        "..",
        "/dev/null",
        "/dev/zero",
        "/no/such/folder/file",
        "no/such/file",
        "~",
    ],
    *[
        "x" * 300,
        "x" * 70000,
        "-",
        "--",
        "--json",
        "--x",
        "-h",
        "--help",
        "=",
        "a=b",
        "--epsilon=1",
    ],
    *[
        "true",
        "null",
        "None",
        "[]",
        "{}",
        "*",
        "*.csv",
        "d.csv",
        "m.json",
        "s.toml",
        "b.db",
        "d.parquet",
    ],
]

#: What honest users write.
PLAUSIBLE = [
    *["0.1", "1/7", "2", "0.5", "1e-6", "3", "age", "city", "x", "y", "user", "x,age", "generic"],
    *["agnostic", "vc1", "auto", "thresholds(1, 50)", "points(1, 60)", "intervals(0, 9)", "o.json"],
    *[
        "sparse_sets(2)",
        "conjunctions(2)",
        "finite(m.csv)",
        "tree_paths(t.csv)",
        "auto",
        "d.parquet",
    ],
    *["--strict", "--json", "--require-certificate", "--seed", "--delta", "--ledger"],
]

#: The same for values of JSON and TOML.
VALUES: list[Any] = [
    *[None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e308, 10**18, 10**30, -(10**400), 2**63, 2**64],
    *[
        "",
        "0",
        "1/2",
        "1/0",
        "1e999999999",
        "2**2**64",
        "2**64",
        "-5",
        "nan",
        "x" * 2000,
        "\0",
        "\x1b[2J",
    ],
    *[[], {}, [[]], [[[[[]]]]], [0] * 50, ["a"] * 50, {"type": "threshold"}, {"type": "points"}],
    *[
        "9" * 4000,
        "1/" + "9" * 4000,
        "9" * 20000,
        "-" + "0" * 300,
        "\ud800",
        "0x" + "f" * 5000,
        "@x",
    ],
    *[
        "10**9",
        "10**20",
        "log(0)",
        "exp(exp(exp(exp(9))))",
        "9**9**9**9",
        "1/(n-n)",
        "ceil(exp(10**9))",
    ],
]
KEYS = ["type", "n", "low", "high", "above", "points", "labels", "", "__class__", "\0", "x" * 300]


def some_bytes(data: bytes, rng: Random) -> bytes:
    """Flip, cut, repeat, insert: a few times."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(8):
            case 0:
                out[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del out[at : at + rng.choice([1, 2, 8, 64, 10**6])]
            case 2:
                out[at:at] = out[at : at + rng.randrange(64)] * rng.choice([1, 2, 20])
            case 3:
                out[at:at] = rng.choice(NASTY).encode("utf-8", "surrogatepass")
            case 4:
                out[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(9)))
            case 5:
                out[at : at + 4] = rng.choice([b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff"])
            case 6:
                out[at:at] = rng.choice([b'"', b",", b"\n", b"\r", b"\0", b"\xef\xbb\xbf", b"''''"])
            case _:
                one, two = sorted((at, rng.randrange(len(out) + 1)))
                out[one:two] = out[one:two][::-1]
    return bytes(out)


def some_json(document: Any, rng: Random) -> Any:
    """Spoil a few nodes of a tree."""
    out = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        places = list(_places(out))
        if not places:
            return rng.choice(VALUES)
        where, key = rng.choice(places)
        match rng.randrange(7):
            case 0 | 1:
                where[key] = _value(rng)
            case 2:
                del where[key]
            case 3:
                other, name = rng.choice(places)
                where[key] = copy.deepcopy(other[name]) if name in _keys(other) else None
            case 4:
                if isinstance(where, dict):
                    where[rng.choice(KEYS)] = _value(rng)
                else:
                    where.insert(rng.randrange(len(where) + 1), _value(rng))
            case 5:
                if isinstance(where, list):
                    where *= rng.choice([2, 40])
                else:
                    where[key] = [where[key]] * rng.choice([1, 3, 300])
            case _:
                if isinstance(where[key], int) and not isinstance(where[key], bool):
                    where[key] += rng.choice([-1, 1, 2**31, 2**63, -(2**70), 10**300])
                elif isinstance(where[key], str):
                    where[key] = some_text(where[key], rng)
    return out


def some_text(text: str, rng: Random) -> str:
    """Spoil a text."""
    return some_bytes(text.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")


def as_json(document: Any, rng: Random) -> bytes:
    """Write JSON, sometimes as no honest program would."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    match rng.randrange(24):
        case 0:
            text = text.replace("{", '{"type": 1, "type": 2, ', 1)
        case 1:
            text = text.replace(
                "0", rng.choice(["NaN", "Infinity", "1e999", "-1e-999", "9" * 5000]), 1
            )
        case 2:
            depth = rng.choice([100, 2000, 100000])
            text = text[:-1] + ', "deep": ' + "[" * depth + "]" * depth + "}"
        case 3:
            text = "\ufeff" + text
        case 4:
            text = text[:-1] + ', "long": [' + "[]," * rng.choice([10**3, 10**5]) + "0]}"
        case 5:
            text = text[: rng.randrange(len(text))]
        case _:
            pass
    return text.encode("utf-8", rng.choice(["surrogatepass", "replace", "ignore"]))


def some_tokens(tokens: list[str], rng: Random) -> list[str]:
    """Spoil a command line."""
    out = list(tokens)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(out)) if out else 0
        match rng.randrange(10):
            case 0 | 1 | 2:
                out[at : at + 1] = [rng.choice(NASTY)]
            case 7 | 8:
                out[at : at + 1] = [rng.choice(PLAUSIBLE)]
            case 9:
                out.insert(at, rng.choice(PLAUSIBLE))
            case 3:
                del out[at : at + 1]
            case 4:
                out.insert(at, rng.choice(NASTY))
            case 5:
                out[at:at] = out[at : at + 2]
            case _:
                if out:
                    out[at] = some_text(out[at], rng)
    return out


#: Paths outside the folder of an input that no command can write into (`inside`).
HARMLESS = ("/", ".", "..", "/dev/null", "/dev/zero", "/no/such/folder/file")


def inside(token: str) -> str:
    """Return a token, unless it may name a file outside the folder in which a command runs.

    An option that writes would replace that file, and fuzzing may run as root.

    >>> inside("o.json"), inside("/dev/null"), inside("/etc/passwd"), inside("--out=../../x")
    ('o.json', '/dev/null', 'no/such/file', '--out=no/such/file')
    """
    name, equals, value = token.partition("=")
    if equals and not _stays(value):
        return f"{name}=no/such/file"
    return token if _stays(token) else "no/such/file"


def _stays(path: str) -> bool:
    if path in HARMLESS:
        return True
    where = os.path.normpath(os.path.join("/a/b", path))
    return where == "/a/b" or where.startswith("/a/b/")


def _value(rng: Random) -> Any:
    return copy.deepcopy(rng.choice(VALUES))


def _keys(where: Any) -> Any:
    return where if isinstance(where, dict) else range(len(where))


def _places(node: Any) -> Any:
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield node, key
        if isinstance(value, dict | list):
            yield from _places(value)
