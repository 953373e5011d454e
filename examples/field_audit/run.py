"""Audit libraries in environments of their own, and write the table of docs/field-audit.md.

    python examples/field_audit/run.py            # all of them
    python examples/field_audit/run.py opacus     # one; the other rows stay as they are

Each folder has a script of mechanisms with their claims, and requirements: one environment for
each file of them. ``littlestone`` has none, and runs here.
"""

import argparse
import json
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from littlestone.audit import Family, LowerBound, Worker, lower_bound

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "field-audit.md"
RESULTS = HERE / "results.json"
FAMILY = {"at_most": 100, "confidence": 0.99}
ABOUT = "In brackets: the claim, and the lower bound that was found."
SLOWEST = 600  # seconds, of one run of a mechanism


def environments():
    """Return the requirements by name: of a folder, or of a folder and a version."""
    found = {"littlestone": None}
    for path in sorted(HERE.glob("*/requirements*.txt")):
        found[path.parent.name + path.stem.removeprefix("requirements")] = path
    return found


def interpreter(name, requirements, folder):
    """Return the interpreter of an environment, which is made where it is not there yet."""
    if requirements is None:
        return sys.executable
    home = folder / name
    python, made = home / "bin" / "python", home / "made-of.txt"
    if not made.exists() or made.read_text() != requirements.read_text():
        venv.create(home, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", requirements]
        subprocess.run(command, check=True)
        made.write_text(requirements.read_text())
    return python


def audited(name, requirements, python):
    """Yield a row for each mechanism of a library."""
    library = HERE.joinpath(name) if requirements is None else requirements.parent
    each = Family(**FAMILY).each
    with Worker(python, library / "mechanisms.py", seconds=SLOWEST) as worker:
        version = worker.versions.get(library.name, "this version")
        for about in next(worker.call("audits", 0)):
            start = monotonic()
            bound = lower_bound(
                worker.mechanism("run"),
                (about["name"], 0),
                (about["name"], 1),
                delta=about["delta"],
                measure=about["measure"],
                trials=about["trials"],
                confidence=each,
            )
            row = {"environment": name, "library": library.name, "version": version, **about}
            row |= {"bound": bound.to_dict(), "seconds": round(monotonic() - start, 1)}
            row |= {"day": datetime.now(UTC).date().isoformat()}
            print(f"{name}: {about['name']}: claim {about['claim']:.4g}, at least {bound:.4g}")
            yield row


def family(rows):
    """Return the table of audits, whose bounds hold together."""
    found = Family(**FAMILY)
    for row in rows:
        evidence = dict(row["bound"])
        evidence["hits"] = tuple(evidence["hits"])
        bound = LowerBound(evidence.pop("bound"), **evidence)
        title = f"{row['environment']}: {row['name']}"
        found.add(title, bound, claim=row["claim"], control=row["control"])
    return found


def table(rows):
    """Return the rows as text of the page: a table of refuted claims, and a list of controls."""
    refuted, controls = [], {}
    for row in sorted(rows, key=lambda row: -row["bound"]["bound"]):
        measure = "rho " if row["measure"] == "rho" else ""
        claim = f"{measure}{row['claim']:.4g}" + (f", {row['delta']:.2g}" if row["delta"] else "")
        library, bound = f"{row['library']} {row['version']}", f"{row['bound']['bound']:.2f}"
        if row["control"]:
            controls.setdefault(library, []).append(f"{row['name']} ({claim}: {bound})")
            continue
        link = row["known"].rsplit("/", 1)[-1]
        known = f"[#{link}]({row['known']})" if row["known"] else ""
        cells = [library, row["name"], row["neighbours"], claim, bound, known]
        refuted.append("| " + " | ".join(cells) + " |")
    head = ["| library | what | two data sets | claim | at least | known as |"]
    head += ["|---|---|---|--:|--:|---|"]
    listed = [f"* **{library}**: {'; '.join(found)}." for library, found in controls.items()]
    return "\n".join(["## Refuted", "", *head, *refuted, "", "## Controls", "", ABOUT, "", *listed])


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
        new = list(audited(name, known[name], python))
        rows = [row for row in rows if row["environment"] != name] + new
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    alarms, missed = family(rows).judge()
    before, mark, rest = PAGE.read_text().partition("<!-- the table -->\n")
    _, end, after = rest.partition("\n<!-- end of the table -->")
    PAGE.write_text(before + mark + table(rows) + end + after)
    for row in alarms:
        print(f"ALARM of a control: {row.name}: {row.bound!r} above {row.claim:.4g}")
    for row in missed:
        print(f"not refuted: {row.name}: {row.bound!r}, claim {row.claim:.4g}")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
