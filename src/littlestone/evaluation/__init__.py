"""Private evaluation: one released histogram of scores by label, and all that follows from it.

==============  ==================================================================================
`histogram`     what is held out; the counts that are released, and how far their noise can reach
`measures`      what follows from them at no further cost: accuracy, ROC, calibration. For any
                hypothesis and any number of labels: a score is a margin, or the predicted label
                itself
`baseline`      the error of a rule beside that of a constant
`quantities`    predictions of numbers: a few noisy sums, and what was observed where which number
                was predicted
`survival`      predictions of risk: again a histogram
`data_report`   a table, before anything is learned
==============  ==================================================================================
"""

from littlestone.evaluation.baseline import Quality, quality
from littlestone.evaluation.histogram import (
    ScoreHistogram,
    histogram_loss,
    noise_reach,
    release_histogram,
)
from littlestone.evaluation.measures import Band, CalibrationBin, Evaluation, GroupFigures
from littlestone.evaluation.quantities import (
    Between,
    ErrorCells,
    ErrorSums,
    GroupErrors,
    PredictedBin,
    QuantityEvaluation,
)
from littlestone.evaluation.survival import SurvivalEvaluation

__all__ = [
    "Band",
    "Between",
    "CalibrationBin",
    "ErrorCells",
    "ErrorSums",
    "Evaluation",
    "GroupErrors",
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
