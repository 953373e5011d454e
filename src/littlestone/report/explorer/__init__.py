"""The explorer: one interactive page about what every learner needs, made from the certificates.

=============  ==================================================================
`series`       one curve: a formula, translated from certificates, or a grid of plans
`page`         all of it in one file
=============  ==================================================================
"""

from littlestone.report.explorer.page import CATALOGUE, START, explorer_page
from littlestone.report.explorer.series import Axes

__all__ = ["CATALOGUE", "START", "Axes", "explorer_page"]
