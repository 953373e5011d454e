"""Doctests of one module see the registries that the whole package fills: import it first."""

import littlestone.classes
import littlestone.report  # noqa: F401
