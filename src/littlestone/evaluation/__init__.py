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

from littlestone.evaluation.histogram import ScoreHistogram as ScoreHistogram
from littlestone.evaluation.histogram import noise_reach as noise_reach
from littlestone.evaluation.histogram import release_histogram as release_histogram
from littlestone.evaluation.measures import Band as Band
from littlestone.evaluation.measures import CalibrationBin as CalibrationBin
from littlestone.evaluation.measures import Evaluation as Evaluation
from littlestone.evaluation.measures import GroupFigures as GroupFigures
from littlestone.evaluation.measures import Quality as Quality
from littlestone.evaluation.measures import quality as quality
from littlestone.evaluation.quantities import Between as Between
from littlestone.evaluation.quantities import ErrorCells as ErrorCells
from littlestone.evaluation.quantities import ErrorSums as ErrorSums
from littlestone.evaluation.quantities import GroupErrors as GroupErrors
from littlestone.evaluation.quantities import PredictedBin as PredictedBin
from littlestone.evaluation.quantities import QuantityEvaluation as QuantityEvaluation
from littlestone.evaluation.quantities import SurvivalEvaluation as SurvivalEvaluation
