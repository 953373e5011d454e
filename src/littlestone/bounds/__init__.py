"""."""

from littlestone.bounds.certificate import *  # noqa
from littlestone.bounds.exponential import *  # noqa
from littlestone.bounds.claims import *  # noqa
