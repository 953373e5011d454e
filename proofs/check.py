"""Compile the lemmas; compare their statements, definitions and assumptions with the snapshot.

``python check.py`` needs Coq and MathComp. ``--write`` writes ``snapshot.json`` and ``golden.json``
anew: a change of either is a change of what is proved, to be read line by line.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parent
THEORIES = HOME / "theories"
#: In the order in which they need each other. `reals` rests on MathComp-Analysis and its axioms.
FILES = [
    "law",
    "exp_mech",
    "range",
    "level_draw",
    "leveled",
    "sensitivity",
    "sums",
    "additive",
    "tree_draw",
    "sparse",
    "entering",
    "compose",
    "product",
    "deal",
    "subsample",
    "threshold",
    "noise",
    "stream",
    "histogram",
    "golden",
    "reals",
]
FLAGS = ("-w", "-notation-overridden,-ambiguous-paths,-deprecated", "-R", ".", "DP")
NOTATIONS = ("From mathcomp Require Import all_ssreflect all_algebra.", "Open Scope ring_scope.")
GAPS = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b")


def coqc(name: str) -> str:
    """Compile a file and return what it prints."""
    done = subprocess.run(
        ["coqc", *FLAGS, f"{name}.v"], cwd=THEORIES, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{name}.v does not compile:\n{done.stderr}")
    return done.stdout


def asked(lines: list[str]) -> str:
    """Compile a file of questions and return the answers."""
    head = [*NOTATIONS, *(f"From DP Require {name}." for name in FILES)]
    path = THEORIES / "probe.v"
    path.write_text("\n".join([*head, "Set Printing Width 100.", *lines]) + "\n", encoding="utf-8")
    try:
        return coqc("probe")
    finally:
        for file in THEORIES.glob("*probe.*"):
            file.unlink()


def answers(questions: list[str]) -> list[str]:
    """Return one answer for each question."""
    marked = [part for q in questions for part in ('Eval compute in "mark"%string.', q)]
    text = asked(["From Coq Require Import String.", *marked])
    return [part.strip() for part in re.split(r'= "mark"(?:%string)?\s*: string', text)[1:]]


def named(kind: str, name: str) -> list[str]:
    """Return the full names of what a file states or defines, outside of proofs."""
    text = (THEORIES / f"{name}.v").read_text(encoding="utf-8")
    return [f"{name}.{found}" for found in re.findall(rf"^(?:{kind}) (\w+)", text, re.MULTILINE)]


def snapshot() -> dict[str, object]:
    """Return every theorem's type and assumptions, and every definition, as Coq prints them."""
    theorems = [t for name in FILES for t in named("Theorem", name)]
    defined = [d for name in FILES for d in named("Definition|Fixpoint|Inductive", name)]
    types = answers([f"Check {name}." for name in theorems])
    rests = answers([f"Print Assumptions {name}." for name in theorems])
    meanings = answers([f"Print {name}." for name in defined])
    return {
        "theorems": {
            name: {"type": kind, "assumptions": rest}
            for name, kind, rest in zip(theorems, types, rests, strict=True)
        },
        "definitions": dict(zip(defined, meanings, strict=True)),
    }


def golden() -> dict[str, object]:
    """Return what Coq presents for fixed inputs: pairs of a multiplicity and an exponent."""
    rng = random.Random(0)
    scores = [[rng.randint(0, 7) for _ in range(rng.randint(1, 12))] for _ in range(20)]
    lists = [
        [sorted(rng.sample(range(6), rng.randint(0, 2))) for _ in range(rng.randint(0, 9))]
        for _ in range(30)
    ]
    load = ["Import golden.", "Open Scope nat_scope."]
    evaluated = [f"Eval vm_compute in levels {_list(s)}." for s in scores]
    evaluated += [f"Eval vm_compute in sparse_levels 6 {_list(map(_list, one))}." for one in lists]
    blocks = re.findall(r"= (.*?)\n\s*: seq", asked([*load, *evaluated]), re.DOTALL)
    found = [[list(map(int, p)) for p in re.findall(r"\((\d+), (\d+)\)", b)] for b in blocks]
    assert len(found) == len(evaluated)
    return {
        "levels": [{"scores": s, "levels": f} for s, f in zip(scores, found, strict=False)],
        "sparse_levels": [
            {"lists": s, "levels": f} for s, f in zip(lists, found[len(scores) :], strict=True)
        ],
    }


def _list(items: object) -> str:
    texts = [str(item) for item in items]  # type: ignore[attr-defined]
    return f"[:: {'; '.join(texts)}]" if texts else "[::]"


def main() -> None:
    """Compile, look for gaps, and compare or write."""
    for name in FILES:
        gap = GAPS.search((THEORIES / f"{name}.v").read_text(encoding="utf-8"))
        if gap:
            raise SystemExit(f"{name}.v has a gap: {gap[0]}")
        coqc(name)
    for file, made in (("snapshot.json", snapshot()), ("golden.json", golden())):
        text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        if "--write" in sys.argv:
            (HOME / file).write_text(text, encoding="utf-8")
        elif (HOME / file).read_text(encoding="utf-8") != text:
            raise SystemExit(
                f"{file} is not what the theories say: read `check.py --write`'s diff."
            )
    print(f"{len(FILES)} files compile; statements, definitions and assumptions are as recorded")


if __name__ == "__main__":
    main()
