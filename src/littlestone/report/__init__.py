"""Pictures and pages of released objects: post-processing, so they cost no privacy.

``draw(obj)`` returns an SVG, ``page(obj)`` a self-contained HTML page: of a release, a plan, a
stream, the dimensions of a class, an audit. ``explorer_page`` is interactive. Rooms above register
how their objects are drawn with ``drawer``, and their pages with ``pager``.
"""

from littlestone.report import audits as _audits  # noqa: F401 - registers pages of audits
from littlestone.report import paths as _paths  # noqa: F401 - registers how paths are drawn
from littlestone.report import plans as _plans  # noqa: F401 - registers the page of a plan
from littlestone.report import streams as _streams  # noqa: F401 - registers online simulations
from littlestone.report import transcripts as _transcripts  # noqa: F401 - registers streams' page
from littlestone.report import trees as _trees  # noqa: F401 - registers how trees are drawn
from littlestone.report import trees_drawn as _trees_drawn  # noqa: F401 - registers its drawers
from littlestone.report import users as _users  # noqa: F401 - registers how errors are drawn
from littlestone.report.dimensions import dimensions_page
from littlestone.report.page import page, pager
from littlestone.report.pictures import Setting, draw, drawer

__all__ = ["Setting", "dimensions_page", "draw", "drawer", "page", "pager"]
