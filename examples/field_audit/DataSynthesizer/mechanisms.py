"""DataSynthesizer: a description of a table in correlated attribute mode."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import contextlib
import io
import secrets
import tempfile
from multiprocessing.dummy import Pool

import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.lib import PrivBayes
from declared import audit, audits, run  # noqa: F401 - called from outside

PrivBayes.Pool = Pool  # threads, not processes: it is started for each description

ROWS = [(0, 0)] * 97 + [(1, 0), (0, 1)]


FOLDER = tempfile.TemporaryDirectory()
FILES = [str(Path(FOLDER.name) / name) for name in ("0.csv", "1.csv")]
for path, last in zip(FILES, [(0, 0), (1, 1)], strict=True):
    pd.DataFrame([*ROWS, last], columns=["a", "b"]).to_csv(path, index=False)
KINDS = {"a": True, "b": True}


@audit(
    "correlated attribute mode",
    claim=1.0,
    trials=400,
    known="https://github.com/DataResponsibly/DataSynthesizer/issues/34",
)
def pair(side):
    """100 rows of two columns, none of them (1, 1); one. Its released share is looked at."""
    describer = DataDescriber(category_threshold=5)
    with contextlib.redirect_stdout(io.StringIO()):
        describer.describe_dataset_in_correlated_attribute_mode(
            FILES[side], epsilon=1.0, k=1, attribute_to_is_categorical=KINDS,
            seed=secrets.randbelow(2**32),
        )  # fmt: skip
    description = describer.data_description
    ((child, (parent,)),) = description["bayesian_network"]
    shares = description["conditional_probabilities"]
    return shares[parent][1] * list(shares[child].values())[1][1]
