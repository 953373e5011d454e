"""Pictures and pages of released objects: post-processing, so they cost no privacy.

``draw(obj)`` returns an SVG, ``page(release)`` a self-contained HTML page. Rooms above register
how their objects are drawn with ``drawer``.
"""

from littlestone.report import paths as _paths  # noqa: F401 - registers how paths are drawn
from littlestone.report import streams as _streams  # noqa: F401 - registers online simulations
from littlestone.report import trees as _trees  # noqa: F401 - registers how trees are drawn
from littlestone.report import trees_drawn as _trees_drawn  # noqa: F401 - registers its drawers
from littlestone.report import users as _users  # noqa: F401 - registers how errors are drawn
from littlestone.report import votes as _votes  # noqa: F401 - registers how votes are drawn
from littlestone.report.dimensions import dimensions_page
from littlestone.report.page import page
from littlestone.report.pictures import Setting, draw, drawer

__all__ = ["Setting", "dimensions_page", "draw", "drawer", "page"]
