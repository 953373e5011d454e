"""Re-find published privacy bugs of other libraries, each in an environment of its own.

    python examples/neighbours/run.py            # all; in a temporary folder
    python examples/neighbours/run.py opendp     # those whose name holds "opendp"

Each script here takes the other library as it is published, runs it on two neighbouring data sets,
and prints what it claims and what `littlestone.audit.lower_bound` proves, at confidence 0.9999.
`correct.py` is the other half: mechanisms that are right, none of which may be accused. Exit 0 if
every bug was found again, and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent

#: Script, and what is installed beside littlestone.
BUGS = {
    "opendp_group_length.py": ["opendp[polars]==0.16.0"],
    "diffprivlib_regression.py": ["diffprivlib==0.6.6", "scikit-learn<1.9"],
    "diffprivlib_floats.py": ["diffprivlib==0.6.6", "scikit-learn<1.9"],
    "diffprivlib_ranges.py": ["diffprivlib==0.6.6", "scikit-learn<1.9"],
    "interpret_categories.py": ["interpret-core==0.7.8"],
    "correct.py": ["diffprivlib==0.6.6", "scikit-learn<1.9", "opendp==0.16.0"],
}


def main(wanted: str = "") -> int:
    """Run the scripts whose names hold ``wanted``."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for script, packages in BUGS.items():
            if wanted not in script:
                continue
            place = Path(folder) / script.removesuffix(".py")
            venv.create(place, with_pip=True)
            python = str(place / "bin" / "python")
            install = [python, "-m", "pip", "install", "--quiet", str(PROJECT), *packages]
            subprocess.run(install, check=True)
            result = subprocess.run(
                [python, str(HERE / script)], check=True, capture_output=True, text=True
            )
            for line in result.stdout.splitlines():
                missed += not told(json.loads(line))
    return 1 if missed else 0


def told(found: dict[str, Any]) -> bool:
    """Print what a script found; return whether it is what should be found."""
    if "correct" in found:
        count, alarms = found["correct"], found["alarms"]
        print(f"{len(alarms)} alarms on {count} correct mechanisms: {alarms}", flush=True)
        return not alarms
    right = bool(found["proved"] > found["claimed"])
    print(
        f"{'FOUND' if right else 'missed'}: {found['bug']}: claims epsilon = "
        f"{found['claimed']:.3g}, proved >= {found['proved']:.3g} ({found['trials']} runs on each "
        "side)",
        flush=True,
    )
    return right


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
