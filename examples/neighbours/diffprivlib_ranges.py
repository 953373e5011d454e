"""diffprivlib 0.6.6: ranges that are not given are taken from the records.

Its documentation says so: without ``bounds``, ``range`` or ``classes`` it raises a
`PrivacyLeakWarning`, "this will result in additional privacy leakage". Here is how much: epsilon 1
is claimed, and one record of ten is replaced by an extreme one.
"""

import json
import warnings

import numpy as np
from diffprivlib import models, tools

from littlestone.audit import lower_bound

EPSILON, TRIALS = 1.0, 1000
NEAR = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
FAR = np.array([*NEAR[:-1], 1e6])
LABELS = np.array([0, 1] * 5)
NEW_LABEL = np.array([0, 1] * 4 + [0, 2])


def mean(xs):
    """Return the mean of values without bounds."""
    return float(tools.mean(xs, epsilon=EPSILON))


def histogram(xs):
    """Return an edge of a histogram without a range."""
    return float(tools.histogram(xs, epsilon=EPSILON, bins=2)[1][-1])


def scaler(xs):
    """Return the scale of a column without bounds."""
    return float(models.StandardScaler(epsilon=EPSILON).fit(xs.reshape(-1, 1)).var_[0])


def bayes(xs):
    """Return a mean of a class of a naive Bayes classifier without bounds."""
    model = models.GaussianNB(epsilon=EPSILON).fit(xs.reshape(-1, 1), LABELS)
    return float(abs(model.theta_).max())


def clusters(xs):
    """Return a center of k-means without bounds."""
    model = models.KMeans(n_clusters=2, epsilon=EPSILON).fit(xs.reshape(-1, 1))
    return float(abs(model.cluster_centers_).max())


def forest(labels):
    """Count the classes of a random forest without classes."""
    model = models.RandomForestClassifier(
        n_estimators=1, epsilon=EPSILON, bounds=(0, 1), max_depth=1
    )
    return len(model.fit(NEAR.reshape(-1, 1), labels).classes_)


warnings.simplefilter("ignore")  # the library warns of what is measured here
for name, run, data, neighbour in (
    ("mean without bounds", mean, FAR, NEAR),
    ("histogram without a range", histogram, FAR, NEAR),
    ("StandardScaler without bounds", scaler, FAR, NEAR),
    ("GaussianNB without bounds", bayes, FAR, NEAR),
    ("KMeans without bounds", clusters, FAR, NEAR),
    ("RandomForestClassifier without classes", forest, NEW_LABEL, LABELS),
):
    bound = lower_bound(run, data, neighbour, delta=0, trials=TRIALS)
    print(
        json.dumps(
            {
                "bug": f"diffprivlib 0.6.6, {name} (documented)",
                "claimed": EPSILON,
                "proved": float(bound),
                "trials": bound.trials,
            }
        )
    )
