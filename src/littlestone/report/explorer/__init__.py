"""The explorer: one interactive page about what every learner needs, made from the certificates.

=============  ==================================================================
`javascript`   the formulas of certificates, translated; nothing is typed again
`series`       one curve: a formula where there is one, else a grid of plans
`axes`         the public numbers that a reader moves
`page`         all of it in one file
=============  ==================================================================
"""

from littlestone.report.explorer.axes import Axes
from littlestone.report.explorer.page import CATALOGUE, START, explorer_page

__all__ = ["CATALOGUE", "START", "Axes", "explorer_page"]
