"""Pictures and pages of released objects: post-processing, so they cost no privacy.

``plot(obj)`` returns a figure as HTML, ``page(obj)`` a self-contained HTML page: of a release, a
plan, a stream, the dimensions of a class, an audit. Packages above register how their objects are
drawn with ``plotter``, and their pages with ``page_maker``.

======================  ==========================================================================
`targets`               points and effects of sums of trees; quantities, counts and survival
`evaluated`             what a released evaluation says: in lines, and drawn; a release in lines of
                        name and text: what `littlestone fit` prints
`first`                 the first screen of a release's page
`pages`                 the page of a release; a release in one folder, with hashes
`plans`                 the pages of plans, of streams, of rehearsals
`html`, ``templates/``  what all pages share; hypotheses on a line, as rules, as trees; charts
======================  ==========================================================================
"""

from littlestone.report import plans as _plans  # noqa: F401 - registers pages of plans, rehearsals
from littlestone.report.html import Setting as Setting
from littlestone.report.html import plot as plot
from littlestone.report.html import plotter as plotter
from littlestone.report.pages import check_new_folder as check_new_folder
from littlestone.report.pages import dimensions_page as dimensions_page
from littlestone.report.pages import page as page
from littlestone.report.pages import page_maker as page_maker
from littlestone.report.pages import write_folder as write_folder
