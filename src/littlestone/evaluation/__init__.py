"""Private evaluation: one released histogram of scores by label, and all that follows from it.

`measures` releases the counts, says how far their noise can reach, and computes accuracy, ROC,
calibration and the like from them, at no further cost; it sets the error beside that of a
constant (`quality`). For any hypothesis and any number of labels: a score is a margin, or the
predicted label itself. `targets` is about predictions of numbers: a few noisy sums, and what
was observed where which number was predicted; and of risk, again a histogram. `data_report` is
about a table, before anything is learned.
"""

from littlestone.evaluation.measures import (
    Band,
    CalibrationBin,
    ErrorCells,
    Evaluation,
    GroupFigures,
    PredictedBin,
    Quality,
    ScoreHistogram,
    histogram_loss,
    noise_reach,
    quality,
    release_histogram,
)
from littlestone.evaluation.targets import (
    Between,
    ErrorSums,
    QuantityEvaluation,
    SurvivalEvaluation,
)

__all__ = [
    "Band",
    "Between",
    "CalibrationBin",
    "ErrorCells",
    "ErrorSums",
    "Evaluation",
    "GroupFigures",
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
