"""Re-find published privacy bugs of other libraries, each in an environment of its own.

    python examples/neighbours/run.py            # all; in a temporary folder
    python examples/neighbours/run.py opendp     # those whose name holds "opendp"

Each script here takes the other library as it is published, runs it on two neighbouring data sets,
and prints what it claims and what `littlestone.audit.lower_bound` proves, at confidence 0.9999.
Exit 0 if every bug was found again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent

#: Script, and what is installed beside littlestone.
BUGS = {
    "opendp_group_length.py": ["opendp[polars]==0.16.0"],
    "diffprivlib_regression.py": ["diffprivlib==0.6.6", "scikit-learn<1.9"],
    "diffprivlib_floats.py": ["diffprivlib==0.6.6", "scikit-learn<1.9"],
    "interpret_categories.py": ["interpret-core==0.7.8"],
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
            found = json.loads(result.stdout)
            verdict = "FOUND" if found["proved"] > found["claimed"] else "missed"
            missed += verdict == "missed"
            print(
                f"{verdict}: {found['bug']}: claims epsilon = {found['claimed']:.3g}, proved "
                f">= {found['proved']:.3g} ({found['trials']} runs on each side)",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
