"""diffprivlib: mechanisms on one number; a clustering and a regression."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import warnings

import numpy as np
from declared import audit, audits, right, run  # noqa: F401 - called from outside
from diffprivlib import mechanisms as m
from diffprivlib.models import KMeans, LinearRegression

warnings.simplefilter("ignore")
ISSUES = "https://github.com/IBM/differential-privacy-library/issues"
one = {"epsilon": 1.0, "sensitivity": 1.0}
both = {"epsilon": 0.9, "delta": 1e-5, "sensitivity": 1.0}

# --- the last bits of floats ---------------------------------------------------------------------

for name, mechanism, delta in (
    ("Laplace", m.Laplace(**one), 0.0),
    ("LaplaceTruncated", m.LaplaceTruncated(**one, lower=-8, upper=8), 0.0),
    ("LaplaceFolded", m.LaplaceFolded(**one, lower=-8, upper=8), 0.0),
    ("LaplaceBoundedDomain", m.LaplaceBoundedDomain(**one, lower=0, upper=1), 0.0),
    ("Staircase", m.Staircase(**one, gamma=0.5), 0.0),
    ("Gaussian", m.Gaussian(**both), 1e-5),
    ("GaussianAnalytic", m.GaussianAnalytic(**both), 1e-5),
):

    def number(side, mechanism=mechanism):
        """The number 0; 1."""
        return mechanism.randomise(float(side))

    audit(
        f"{name}: last bits", claim=mechanism.epsilon, delta=delta, trials=20_000,
        known=f"{ISSUES}/94",
    )(number)  # fmt: skip

for name, mechanism, data, delta in (
    ("Uniform", m.Uniform(delta=0.25, sensitivity=1.0), (0.0, 1.0), 0.25),
    ("Snapping", m.Snapping(**one, lower=-8, upper=8), (0.0, 1.0), 0.0),
    ("Geometric", m.Geometric(epsilon=1.0, sensitivity=1), (0, 1), 0.0),
    ("GeometricTruncated", m.GeometricTruncated(epsilon=1.0, sensitivity=1, lower=-4, upper=4),
     (0, 1), 0.0),
    ("GaussianDiscrete", m.GaussianDiscrete(epsilon=0.9, delta=1e-2, sensitivity=1), (0, 1), 1e-2),
    ("Binary", m.Binary(epsilon=1.0, value0="no", value1="yes"), ("no", "yes"), 0.0),
    ("PermuteAndFlip", m.PermuteAndFlip(epsilon=1.0, sensitivity=1, utility=[0, 1, 2]), None, 0.0),
):  # fmt: skip
    if data is not None:
        right(name, mechanism.randomise, *data, claim=mechanism.epsilon, delta=delta, trials=20_000)

flips = [m.PermuteAndFlip(epsilon=1.0, sensitivity=1, utility=u) for u in ([0, 0], [1, -1])]


@audit("PermuteAndFlip", claim=1.0, trials=20_000, control=True)
def permute_and_flip(side):
    """Utilities 0, 0; 1, -1."""
    return flips[side].randomise()


# --- models --------------------------------------------------------------------------------------

zeros = np.zeros((1_000, 1))
with_one = np.vstack([zeros[1:], [[1.0]]])


@audit("KMeans: a cluster without records", claim=1.0, trials=2_000)
def centers(side):
    """1,000 zeros; one of them is 1. The centers are released, in increasing order."""
    model = KMeans(n_clusters=2, epsilon=1.0, bounds=(0, 1)).fit((zeros, with_one)[side])
    return sorted(model.cluster_centers_.ravel().tolist())


def regression(name, low, **how):
    """Declare a regression through the origin of ten points, one of which is replaced."""
    X = np.full((10, 1), 0.5)
    Z = np.vstack([X[1:], [[1.0]]])
    y = np.full(10, 0.5)

    def squares(side):
        """Ten points (0.5, 0.5); one of them is (1, 0.5). The noisy sum of squares is looked at."""
        model = LinearRegression(
            epsilon=1.0, bounds_X=(low, 1), bounds_y=(-1, 1), fit_intercept=False
        ).fit((X, Z)[side], y)
        return float(model._obj_coefs[2][0, 0])

    audit(name, claim=1.0, trials=2_000, **how)(squares)


regression("LinearRegression, bounds from 0 to 1", 0, known=f"{ISSUES}/105")
regression("LinearRegression, bounds from -1 to 1", -1, control=True)
