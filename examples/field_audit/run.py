"""Audit libraries in environments of their own, and write docs/field-audit.csv.

    python examples/field_audit/run.py            # all of them
    python examples/field_audit/run.py opacus     # one; the other rows stay as they are

Each folder has a script of mechanisms with their claims, and requirements: one environment for
each file of them. ``littlestone`` has none, and runs here. What has no package has a ``source.txt``
instead, and is left out until somebody has compiled it.
"""

import argparse
import csv
import json
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from worker import Worker

from littlestone.audit import lower_bound

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "docs" / "field-audit.csv"
RESULTS = HERE / "results.json"
MOST, EACH = 100, 0.9999  # of so many audits no bound is wrong, with probability 99 %
SLOWEST = 600  # seconds, of one run of a mechanism


def environments():
    """Return the requirements by name: of a folder, or of a folder and a version."""
    found = {"littlestone": None}
    found |= {path.parent.name: path for path in HERE.glob("*/source.txt")}
    for path in sorted(HERE.glob("*/requirements*.txt")):
        found[path.parent.name + path.stem.removeprefix("requirements")] = path
    return found


def interpreter(name, requirements, folder):
    """Return the interpreter of an environment, made if it can be; None if it cannot."""
    if requirements is None:
        return sys.executable
    home = folder / name
    python, made = home / "bin" / "python", home / "made-of.txt"
    if requirements.name == "source.txt":
        return python if python.exists() else None
    if not made.exists() or made.read_text() != requirements.read_text():
        venv.create(home, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", requirements]
        subprocess.run(command, check=True)
        made.write_text(requirements.read_text())
    return python


def audited(name, requirements, python):
    """Yield a row for each mechanism of a library."""
    library = HERE.joinpath(name) if requirements is None else requirements.parent
    with Worker(python, library / "mechanisms.py", seconds=SLOWEST) as worker:
        version = worker.versions.get(library.name) or requirements.read_text().split()[0]
        for about in next(worker.call("audits", 0)):
            start = monotonic()
            bound = lower_bound(
                worker.mechanism("run"),
                (about["name"], 0),
                (about["name"], 1),
                delta=about["delta"],
                measure=about["measure"],
                trials=about["trials"],
                confidence=EACH,
            )
            row = {"environment": name, "library": library.name, "version": version, **about}
            row |= {"bound": bound.to_dict(), "seconds": round(monotonic() - start, 1)}
            row |= {"day": datetime.now(UTC).date().isoformat()}
            print(f"{name}: {about['name']}: claim {about['claim']:.4g}, at least {bound:.4g}")
            yield row


def judged(rows):
    """Return the rows that are not as known: controls above their claim, others below it."""
    assert len(rows) <= MOST
    assert any(row["control"] for row in rows), "nothing shows that an audit can stay silent"
    assert all(row["bound"]["confidence"] >= EACH for row in rows)
    wrong = [row for row in rows if row["control"] == (row["bound"]["bound"] > row["claim"])]
    return [row for row in wrong if row["control"]], [row for row in wrong if not row["control"]]


def named(row):
    """Say what was audited, and what was found."""
    return f"{row['environment']}: {row['name']}: at least {row['bound']['bound']:.4g}"


def table(rows):
    """Return the rows of the page's table: claims and controls, the largest bounds first."""
    yield "library", "mechanism", "two data sets", "claim", "epsilon at least", "control", "report"
    for row in sorted(rows, key=lambda row: -row["bound"]["bound"]):
        measure = "rho " if row["measure"] == "rho" else ""
        claim = f"{measure}{row['claim']:.4g}" + (f", {row['delta']:.2g}" if row["delta"] else "")
        link = row["known"].rsplit("/", 1)[-1]
        yield (
            f"{row['library']} {row['version']}",
            row["name"],
            row["neighbours"],
            claim,
            f"{row['bound']['bound']:.2f}",
            "yes" if row["control"] else "",
            f"[#{link}]({row['known']})" if row["known"] else "",
        )


def main():
    """Run, judge and write."""
    known = environments()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--environments", type=Path, default=HERE / ".environments")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(f"{', '.join(sorted(unknown))}: not one of {', '.join(known)}")
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for name in asked.names or known:
        python = interpreter(name, known[name], asked.environments)
        if python is None:
            print(f"{name} is left out: {known[name].read_text()}")
            continue
        new = list(audited(name, known[name], python))
        rows = [row for row in rows if row["environment"] != name] + new
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    alarms, missed = judged(rows)
    with TABLE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(table(rows))
    for row in alarms:
        print(f"ALARM of a control: {named(row)} above {row['claim']:.4g}")
    for row in missed:
        print(f"not refuted: {named(row)}, claim {row['claim']:.4g}")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
