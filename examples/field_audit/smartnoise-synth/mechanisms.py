"""SmartNoise: the covariance of two columns, whose bounds are public."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from importlib.util import find_spec
from runpy import run_path

import pandas as pd
from declared import audit, audits, installed, run  # noqa: F401 - called from outside

# the file alone: its package imports a module that scikit-learn has no more
FILE = Path(find_spec("snsynth").origin).parent / "models" / "dp_covariance.py"
DPcovariance = run_path(str(FILE))["DPcovariance"]
BOUNDS = {"a": [0.0, 1.0], "b": [0.0, 1.0]}
TABLE = [(0.0, 0.0), (1.0, 1.0)] * 5


def released(last):
    """Return the covariances of eleven rows, with this last one."""
    data = pd.DataFrame([*TABLE, last], columns=["a", "b"])
    return DPcovariance(len(data), ["a", "b"], pd.DataFrame(BOUNDS), 1.0).release(data)


@audit(
    "covariance, a value outside of the bounds",
    claim=1,
    trials=2_000,
    known="https://github.com/opendp/smartnoise-sdk/issues/622",
    control=installed("smartnoise-synth") >= (1, 0, 6),  # mended there
)
def outside(side):
    """Eleven rows in [0, 1] x [0, 1]; in one of them a value of 100."""
    return released(((1.0, 1.0), (100.0, 1.0))[side])


@audit("covariance, values inside of the bounds", claim=1, trials=2_000, control=True)
def inside(side):
    """Eleven rows in [0, 1] x [0, 1], the last one (1, 1); (1, 0)."""
    return released(((1.0, 1.0), (1.0, 0.0))[side])
