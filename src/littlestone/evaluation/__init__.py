"""Private evaluation: one released histogram of scores by label, and all that follows from it.

`histogram` releases the counts and says how far their noise can reach; `measures` computes
accuracy, ROC, calibration and the like from a released histogram, at no further cost, and sets
the error beside that of a constant (`quality`). For any hypothesis and any number of labels: a
score is a margin, or the predicted label itself. `quantities` is about predictions
of numbers: a few noisy sums, and what was observed where which number was predicted
(`observed`); `survival` of risk, again a histogram. `data_report` is about a table,
before anything is learned.
"""

from littlestone.evaluation.histogram import (
    ScoreHistogram,
    histogram_loss,
    noise_reach,
    release_histogram,
)
from littlestone.evaluation.measures import Band, CalibrationBin, Evaluation, Quality, quality
from littlestone.evaluation.observed import ErrorCells, PredictedBin
from littlestone.evaluation.quantities import ErrorSums, QuantityEvaluation
from littlestone.evaluation.survival import SurvivalEvaluation

__all__ = [
    "Band",
    "CalibrationBin",
    "ErrorCells",
    "ErrorSums",
    "Evaluation",
    "PredictedBin",
    "Quality",
    "QuantityEvaluation",
    "ScoreHistogram",
    "SurvivalEvaluation",
    "histogram_loss",
    "noise_reach",
    "quality",
    "release_histogram",
]
