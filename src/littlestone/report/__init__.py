"""Pictures and pages of released objects: post-processing, so they cost no privacy.

``plot(obj)`` returns an SVG, ``page(obj)`` a self-contained HTML page: of a release, a plan, a
stream, the dimensions of a class, an audit. Packages above register how their objects are drawn
with ``plotter``, and their pages with ``page_maker``.

======================  ==========================================================================
`pictures`, `trees`     hypotheses on a line, as rules, as paths; trees and sums of trees
`targets`               points, effects, ROC; quantities, counts and survival
`pages`, `plans`        the page of a release; of a plan, and of a stream
`rehearsal`             of a rehearsal, with its curves
`html`, ``templates/``  what all pages share
======================  ==========================================================================
"""

from littlestone.report import plans as _plans  # noqa: F401 - registers pages of plans, streams
from littlestone.report import rehearsal as _rehearsal  # noqa: F401 - and of rehearsals
from littlestone.report import trees as _trees  # noqa: F401 - registers how trees are drawn
from littlestone.report.pages import dimensions_page, page, page_maker
from littlestone.report.pictures import Setting, plot, plotter

__all__ = ["Setting", "dimensions_page", "page", "page_maker", "plot", "plotter"]
