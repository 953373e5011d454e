"""Pictures and pages of released objects: post-processing, so they cost no privacy.

``plot(obj)`` returns a figure as HTML, ``page(obj)`` a self-contained HTML page: of a release, a
plan, a stream, the dimensions of a class, an audit. Packages above register how their objects are
drawn with ``plotter``, and their pages with ``page_maker``.

======================  ==========================================================================
`figures`               hypotheses on a line, as rules, as trees; charts
`targets`               points, effects, ROC; quantities, counts and survival
`first`                 the first screen of a release's page
`pages`, `plans`        the page of a release; of a plan, and of a stream
`folder`                a release in one folder, with hashes
`rehearsal`             of a rehearsal, with its curves
`html`, ``templates/``  what all pages share
======================  ==========================================================================
"""

from littlestone.report import plans as _plans  # noqa: F401 - registers pages of plans, streams
from littlestone.report import rehearsal as _rehearsal  # noqa: F401 - and of rehearsals
from littlestone.report.figures import Setting, plot, plotter
from littlestone.report.folder import check_new_folder, write_folder
from littlestone.report.pages import dimensions_page, page, page_maker

__all__ = [
    "Setting",
    "check_new_folder",
    "dimensions_page",
    "page",
    "page_maker",
    "plot",
    "plotter",
    "write_folder",
]
