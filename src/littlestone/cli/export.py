"""``littlestone export``: a model for other programs."""

from __future__ import annotations

import sys

from littlestone.cli.options import Model

__all__ = ["export"]


def export(
    model: Model, /, *, to: str = "sql", dialect: str = "duckdb", out: str | None = None
) -> int:
    """Write a tree, a scorecard or boosted trees for another program; costs no privacy.

    Parameters
    ----------
    to:
        sql: one expression, the probability of 1 (of a tree, a rule list or several labels: the
        label); python: a module without dependencies; json: the trees and the schema.
    dialect:
        For sql: duckdb reads cells exactly as this program does; standard is for columns that have
        their proper types.
    out:
        Write here instead of to the standard output; an existing file is replaced.
    """
    from littlestone.cli.files import check_outputs
    from littlestone.learners.release import Release
    from littlestone.safe_io import write_text

    check_outputs("export", model, out=out)
    written = Release.read(model).export(to, dialect=dialect) + "\n"
    if out is None:
        sys.stdout.write(written)
    else:
        write_text(out, written)
    return 0
