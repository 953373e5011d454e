"""``littlestone report``: the page of a model."""

from __future__ import annotations

from littlestone.cli.options import Model

__all__ = ["report"]


def report(model: Model, /, *, out: str) -> int:
    """Write the page of a model: the rule, what is promised, and why.

    Parameters
    ----------
    out:
        Write the page (HTML) here; an existing file is replaced.
    """
    from littlestone.cli.files import check_outputs
    from littlestone.cli.terminal import facts
    from littlestone.learners.release import Release
    from littlestone.report import page
    from littlestone.safe_io import write_text

    check_outputs("report", model, out=out)
    write_text(out, page(Release.read(model)))
    facts([("Page", out, "")])
    return 0
