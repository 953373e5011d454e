"""Private evaluation: one released histogram of scores by label, and all that follows from it.

==============  ==================================================================================
`histogram`     what is held out; the counts that are released, and how far their noise can reach
`measures`      what follows from them at no further cost: accuracy, ROC, calibration. For any
                hypothesis and any number of labels: a score is a margin, or the predicted label
                itself; the error of a rule beside that of a constant; the report of a table,
                before anything is learned
`quantities`    predictions of numbers: a few noisy sums, and what was observed where which number
                was predicted; predictions of risk: again a histogram
==============  ==================================================================================
"""

from littlestone.evaluation.histogram import (
    ScoreHistogram,
    noise_reach,
    release_histogram,
)
from littlestone.evaluation.measures import (
    Band,
    CalibrationBin,
    Evaluation,
    GroupFigures,
    Quality,
    quality,
)
from littlestone.evaluation.quantities import (
    Between,
    ErrorCells,
    ErrorSums,
    GroupErrors,
    PredictedBin,
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
    "GroupErrors",
    "GroupFigures",
    "PredictedBin",
    "Quality",
    "QuantityEvaluation",
    "ScoreHistogram",
    "SurvivalEvaluation",
    "noise_reach",
    "quality",
    "release_histogram",
]
