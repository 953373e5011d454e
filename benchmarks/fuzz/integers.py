"""Fit at random at the edges of 64 bits, and compare each law with Python's integers.

Domains begin and end around 2**k, for k from 7 to 4096; few or many records lie at their ends,
around their centre and at edges of words. What each class, mechanism and user-level score presents
to its source is compared, by group, with the references in ``tests/edges``; whole fits of each
learner are compared draw by draw, and with the same records elsewhere on the line. An exception
that is no documented refusal, or a difference, is a failure.

    python benchmarks/fuzz/integers.py --fits 50000 --log integers.json
    python benchmarks/fuzz/integers.py --only 4711       # one of them again
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from edges.cases import KINDS, LEARNERS, POWERS, RATES, SHAPES, case_of, learner

from littlestone.errors import LittlestoneError

#: One fit in so many is a whole one: they cost as much as a hundred draws.
WHOLE = 100
#: These are tried twice as often.
CHEAP = sorted(KINDS.keys() - {"users", "prefixes"})
SIZES = (0, 1, 2, 2, 3, 3, 4, 6, 12)


def fit(number: int, seed: int) -> tuple[str, int, str]:
    """Return what was fitted, at which power, and "ok", a refusal or a failure."""
    random = Random(f"{seed} {number}")
    whole = random.randrange(WHOLE) == 0
    name = random.choice([*(LEARNERS if whole else KINDS), *(() if whole else CHEAP)])
    powers = [p for p in POWERS if p < 4096] if random.randrange(8) else POWERS
    picks = [(random.getrandbits(40), random.getrandbits(1)) for _ in range(random.choice(SIZES))]
    case = case_of(random.choice(powers), random.choice(SHAPES), picks, random.choice(RATES))
    try:
        if whole:
            learner(name, case, number)
        else:
            KINDS[name](case)
    except LittlestoneError as refusal:
        return name, case.power, f"refused: {type(refusal).__name__}: {refusal}"
    except Exception as failure:
        at = traceback.extract_tb(failure.__traceback__)[-1]
        place = f"{Path(at.filename).name}:{at.lineno}"
        return name, case.power, f"FAILED: {type(failure).__name__}: {failure} ({place})"
    return name, case.power, "ok"


def main() -> int:
    """Run, print, and write the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    numbers = range(given.fits) if given.only is None else [given.only]
    by_name: Counter[str] = Counter()
    by_power: Counter[int] = Counter()
    refusals: Counter[str] = Counter()
    failures: list[dict[str, Any]] = []
    start = time.process_time()
    for number in numbers:
        name, power, said = fit(number, given.seed)
        by_name[name] += 1
        by_power[power] += 1
        if said.startswith("FAILED"):
            failures.append({"number": number, "name": name, "power": power, "said": said})
        elif said != "ok":
            refusals[f"{name}: {said}"] += 1
    report = {
        "fits": len(numbers),
        "seed": given.seed,
        "failures": failures,
        "refusals": dict(sorted(refusals.items())),
        "fits of each": dict(sorted(by_name.items())),
        "fits at 2**k": dict(sorted(by_power.items())),
        "seconds of CPU": round(time.process_time() - start),
    }
    text = json.dumps(report, indent=1)
    print(text)
    if given.log is not None:
        given.log.write_text(text + "\n")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
