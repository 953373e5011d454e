"""The inputs: for each number, a command line and the files that it reads. Nothing is random twice.

The tables hold canaries: texts and numbers that occur nowhere else. A command that fails must not
print one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import mutate

from littlestone.cli.main import main

CANARIES = ("zqcanary", "83472910")
TABLE = "x,user,y,city,age,note\n" + "".join(
    f"{x},{u},{y},{city},{age},{note}\n"
    for x, u, y, city, age, note in [
        (3, 1, 0, "Bonn", 20, "zqcanary1"),
        (12, 1, 0, "Rome", 35, "zqcanary2"),
        (44, 2, 1, "zqcanary3", 61, ""),
        (60, 2, 1, "Bonn", 83472910, "a"),
        (83472910, 3, "zqcanary4", "", "", "b"),
        ("zqcanary5", 3, 1, "Rome", "zqcanary6", "c"),
    ]
    * 3
)
SCHEMA = """[city]
categories = ["Bonn", "Rome"]
missing = ["?"]

[age]
bins = [30, 60]

[user]
integers = [1, 9]
"""
MATRIX = "0,0,0\n0,0,1\n0,1,1\n1,1,1\n"
TAXONOMY = "node,parent\nanimal,\ncat,animal\ndog,animal\nlion,cat\n"
FIT = ["fit", "d.csv", "--x", "x", "--y", "y", "--epsilon", "1"]
MODELS = {
    "thresholds": [*FIT, "--class", "thresholds(1, 99)"],
    "big": [*FIT, "--class", "thresholds(0, 2**128)"],
    "intervals": [*FIT, "--class", "intervals(1, 60)"],
    "points": [*FIT, "--class", "points(1, 99)"],
    "sparse": [*FIT, "--class", "sparse_sets(2, 1, 20)"],
    "finite": [*FIT, "--class", "finite(m.csv)"],
    "paths": [*FIT, "--class", "tree_paths(t.csv)"],
    "prefixes": [*FIT, "--class", "prefixes(ipv4)", "--learner", "vc1", "--delta", "1e-6"],
    "conjunctions": [*FIT, "--class", "conjunctions(3)"],
    "subspaces": [*FIT, "--class", "affine_subspaces(2, 3, 1)"],
    "rules": [*FIT[:2], *FIT[4:], "--schema", "s.toml", "--class", "rules(max_literals=2)"],
    "trees": [*FIT[:2], *FIT[4:], "--schema", "s.toml", "--class", "decision_trees(depth=2)"],
    "vc1": [*FIT, "--class", "thresholds(1, 99)", "--learner", "vc1", "--delta", "1e-6"],
    "counted": [*FIT, "--class", "thresholds(1, 99)", "--evaluate", "1/2"],
}
ASK = ["--epsilon", "1/3", "--alpha", "0.1", "--beta", "0.05"]
AUDIT = ["--learner", "generic", "--epsilon", "1", "--points", "1,2", "--n", "1"]
PLAN_ROWS = ["plan", "--class", "rules(max_literals=2)", "--schema", "s.toml", *ASK, "--json"]
DIMS = ["dims", "--class", "finite(m.csv)", "--json", "--max-nodes", "1000"]
STATE = ["--state", "s"]
STREAM = [
    *["stream", "d.csv", "--epsilon", "1", "--delta", "1e-6", "--horizon", "100"],
    *["--class", "thresholds(1, 99)"],
]
SHOWN = [
    ["stream", *STATE, "--status"],
    ["stream", *STATE, "--status", "--json"],
    ["stream", *STATE, "--export", "o.json"],
    ["stream", *STATE, "--report", "o.html"],
    ["stream", "d.csv", *STATE, "--resume", "from-start"],
    ["stream", "d.csv", *STATE, "--resume", "new-rows", "--out", "n.csv"],
]
COMMANDS = [
    *MODELS.values(),
    [*FIT, "--class", "thresholds(1, 99)", "--ledger", "b.db"],
    [*FIT, "--class", "thresholds(1, 99)", "--strict", "--negative", "0", "--positive", "1"],
    [*FIT, "--class", "thresholds(1, 99)", "--out", "o.json", "--report", "o.html", "--json"],
    [*FIT, "--class", "thresholds(1, 99)", "--require-certificate", "--seed", "7"],
    [*FIT, "--class", "thresholds(1, 99)", "--user", "user", "--samples-per-user", "2"],
    ["predict", "model.json", "d.csv", "--x", "x"],
    ["predict", "model.json", "d.csv", "--x", "x", "--out", "p.csv"],
    ["report", "model.json", "--out", "o.html"],
    ["plan", "--class", "thresholds(1, 99)", *ASK],
    PLAN_ROWS,
    ["dims", "--class", "conjunctions(3)", "--witness", "--report", "o.html"],
    DIMS,
    ["audit", "exact", "--class", "thresholds(1, 2)", *AUDIT],
    ["ledger", "create", "new.db", "--epsilon", "1", "--delta", "1e-6", "--data", "x"],
    ["ledger", "show", "b.db"],
    ["ledger", "show", "b.db", "--json"],
    [*STREAM, "--state", "new", "--out", "new.csv", "--ledger", "z.db"],
    [*STREAM, "--state", "new", "--quiet", "--group", "3", "--seed", "5"],
    [*STREAM, "--state", "new", "--constants", "theory", "--x", "x", "--y", "y"],
    *SHOWN,
    ["audit", "exact", "--class", "thresholds(1, 2)", *AUDIT, "--report", "o.html", "--json"],
    ["audit", "statistical", "--class", "thresholds(1, 99)", *AUDIT, "--trials", "20"],
]


class Inputs:
    """All inputs of one run.

    Parameters
    ----------
    home : Path
        Where the unspoilt files are made, once.
    seed : int
    """

    def __init__(self, home: Path, seed: int) -> None:
        self.home, self.seed = home, seed
        self.kinds: dict[str, tuple[int, Callable[[Random], Any]]] = {
            "arguments": (30, self._arguments),
            "csv": (20, self._csv),
            "parquet": (4, self._parquet),
            "schema": (10, self._schema),
            "model": (20, self._model),
            "class file": (5, self._class_file),
            "certificate": (6, self._certificate),
            "ledger": (5, self._ledger),
            "state": (6, self._state),
            "rows": (6, self._rows),
        }

    def make(self) -> None:
        """Write the unspoilt files, with the command line itself."""
        import os

        import pyarrow.csv as pacsv
        import pyarrow.parquet as pq

        os.chdir(self.home)
        for name, text in [
            ("d.csv", TABLE),
            ("s.toml", SCHEMA),
            ("m.csv", MATRIX),
            ("t.csv", TAXONOMY),
        ]:
            Path(name).write_text(text)
        pq.write_table(pacsv.read_csv("d.csv"), "d.parquet")
        for name, line in MODELS.items():
            code = main([*line, "--out", f"{name}.json", "--seed", "1", "--json"])
            if code != 0:
                print(f"no model for {name}")
        shutil.copy("thresholds.json", "model.json")
        main(["ledger", "create", "b.db", "--epsilon", "1000", "--data", "zq"])
        budget = ["--epsilon", "9", "--delta", "1e-4", "--accounting", "zcdp"]
        main(["ledger", "create", "z.db", *budget])
        for _ in range(3):
            main([*MODELS["thresholds"], "--ledger", "b.db"])
        main([*STREAM, *STATE, "--out", "a.csv", "--quiet"])

    def case(self, number: int) -> tuple[str, list[str], dict[str, bytes], Any]:
        """Return (kind, command line, spoilt files, certificate to check or None)."""
        rng = Random(f"{self.seed}/{number}")
        names = list(self.kinds)
        kind = rng.choices(names, [self.kinds[name][0] for name in names])[0]
        tokens, files, certificate = self.kinds[kind][1](rng)
        return kind, [mutate.inside(token) for token in tokens], files, certificate

    def _read(self, name: str) -> bytes:
        return (self.home / name).read_bytes()

    def _arguments(self, rng: Random) -> Any:
        return mutate.some_tokens(rng.choice(COMMANDS), rng), {}, None

    def _csv(self, rng: Random) -> Any:
        line = rng.choice([*MODELS.values(), ["predict", "model.json", "d.csv"]])
        if rng.random() < 0.3 and line[0] == "fit":
            line = [*line, "--strict"]
        data = self._read("d.csv")
        match rng.randrange(8):
            case 0:
                data = data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\0"]))
            case 1:
                data = data.replace(
                    b"zqcanary1", b'"zqcanary1' + b"z" * rng.choice([10, 70000, 10**6])
                )
            case 2:
                data = data.decode().encode(rng.choice(["utf-16", "utf-32", "utf-8-sig", "utf-7"]))
            case 3:
                data = b"\n".join(data.splitlines()[: rng.randrange(4)])
            case _:
                data = mutate.some_bytes(data, rng)
        return line, {"d.csv": data}, None

    def _parquet(self, rng: Random) -> Any:
        line = [t.replace("d.csv", "d.parquet") for t in rng.choice(list(MODELS.values()))]
        return line, {"d.parquet": mutate.some_bytes(self._read("d.parquet"), rng)}, None

    def _schema(self, rng: Random) -> Any:
        line = rng.choice([MODELS["rules"], MODELS["trees"], PLAN_ROWS])
        if rng.random() < 0.5:
            return line, {"s.toml": mutate.some_bytes(SCHEMA.encode(), rng)}, None
        import tomllib

        spoilt = mutate.some_json(tomllib.loads(SCHEMA), rng)
        text = _toml(spoilt) if isinstance(spoilt, dict) else str(spoilt)
        if rng.random() < 0.05:
            text += "a." * rng.choice([10, 5000]) + "b = 1\nc = " + "[" * rng.choice([9, 5000])
        return line, {"s.toml": text.encode("utf-8", "replace")}, None

    def _model(self, rng: Random) -> Any:
        name = rng.choice([name for name in MODELS if (self.home / f"{name}.json").exists()])
        data = self._read(f"{name}.json")
        if rng.random() < 0.3:
            data = mutate.some_bytes(data, rng)
        else:
            data = mutate.as_json(mutate.some_json(json.loads(data), rng), rng)
        line = rng.choice(
            [["predict", "model.json", "d.csv"], ["report", "model.json", "--out", "o.html"]]
        )
        return line, {"model.json": data}, None

    def _class_file(self, rng: Random) -> Any:
        line, name = rng.choice(
            [(MODELS["finite"], "m.csv"), (MODELS["paths"], "t.csv"), (DIMS, "m.csv")]
        )
        return line, {name: mutate.some_bytes(self._read(name), rng)}, None

    def _certificate(self, rng: Random) -> Any:
        name = rng.choice([name for name in MODELS if (self.home / f"{name}.json").exists()])
        document = json.loads(self._read(f"{name}.json"))["certificate"]
        return [], {}, mutate.some_json(document, rng)

    def _state(self, rng: Random) -> Any:
        name = rng.choice(["s/private.db", "s/public.db"])
        data = self._read(name)
        return (
            rng.choice(SHOWN),
            {
                name: mutate.some_bytes(data, rng)
                if rng.random() < 0.5
                else _edited_lines(data, rng)
            },
            None,
        )

    def _rows(self, rng: Random) -> Any:
        line = [*STREAM, "--state", "new", "--group", rng.choice(["1", "2", "16384"])]
        if rng.random() < 0.3:
            line = [*line, "--strict"]
        if rng.random() < 0.3:
            line = ["stream", "d.csv", *STATE, "--resume", rng.choice(["from-start", "new-rows"])]
        if rng.random() < 0.5:
            answers = mutate.some_bytes(self._read("a.csv"), rng)
            return [*line, "--out", "a.csv"], {"a.csv": answers}, None
        return line, {"d.csv": mutate.some_bytes(self._read("d.csv"), rng)}, None

    def _ledger(self, rng: Random) -> Any:
        name = rng.choice(["b.db", "z.db"])
        line = rng.choice([["ledger", "show", name], [*MODELS["thresholds"], "--ledger", name]])
        data = self._read(name)
        files = {name: data}
        if rng.random() < 0.5:
            files[name] = mutate.some_bytes(data, rng)
        else:
            files[name] = _edited_lines(data, rng)
        return line, files, None


def _edited_lines(data: bytes, rng: Random) -> bytes:
    """Change lines of a log and make its checksums fit, as somebody with an editor would."""
    lines = [line.partition(b" ")[2].decode() for line in data.splitlines()]
    text = rng.choice(mutate.VALUES)
    for _ in range(rng.choice([1, 2])):
        at = rng.randrange(len(lines))
        start, brace, rest = lines[at].partition("{")
        try:
            entry = json.loads(brace + rest)
        except ValueError:
            continue
        one = rng.choice(["UPDATE", "UPDATE", "INSERT", "DELETE", "BYTES"])
        if one == "UPDATE":
            entry[rng.choice([*entry, "token", "new"])] = text
        elif one == "INSERT":
            entry["number"] = rng.choice([0, 4, 9, -1, 2**63 - 1, 1.0, True])
            lines.append(json.dumps(entry))
        elif one == "DELETE" and len(lines) > 1:
            del lines[at]
            continue
        lines[at] = start + (rest if one == "BYTES" else json.dumps(entry))
    digest, out = "", b""
    for line in lines:
        digest = hashlib.sha256(f"{digest} {line}".encode()).hexdigest()[:16]
        out += f"{digest} {line}\n".encode()
    return out


def _toml(document: dict[str, Any]) -> str:
    lines = []
    for name, entry in document.items():
        if isinstance(entry, dict):
            lines.append(f"[{json.dumps(name)}]")
            lines += [f"{json.dumps(k)} = {_toml_value(v)}" for k, v in entry.items()]
        else:
            lines.insert(0, f"{json.dumps(name)} = {_toml_value(entry)}")
    return "\n".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(k)} = {_toml_value(v)}" for k, v in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(v) for v in value)}]"
    return "nan" if value is None else json.dumps(value)
