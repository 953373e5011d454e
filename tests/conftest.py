"""Property tests: the same examples on every machine; new ones on demand.

``pytest`` tries the same examples each time, so that a change is what makes a test fail.
``pytest --hypothesis-profile=new`` tries others.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None, print_blob=True)
settings.load_profile("same")
