"""What ``littlestone stream`` shows without reading rows: the public record of a stream."""

from __future__ import annotations

import json as jsonlib

from littlestone.errors import StoreError

__all__ = ["show_status", "write_public"]


def write_public(folder: str, *, export: str | None, report: str | None) -> None:
    """Write what was published as JSON and as a page; the private part is not shown."""
    import contextlib

    from littlestone.cli.files import check_outputs
    from littlestone.learners.online.journal import Journal
    from littlestone.learners.online.public_record import read_public
    from littlestone.safe_io import write_text

    if export is None and report is None:
        return
    check_outputs("stream", export=export, report=report)
    # Bring it up to date, unless the stream runs, or its private part is lost.
    with contextlib.suppress(StoreError):
        Journal.open(folder).close()
    public = read_public(folder)
    if export is not None:
        write_text(export, jsonlib.dumps(public, indent=1) + "\n")
    if report is not None:
        from littlestone.report import page

        write_text(report, page(public))


def show_status(folder: str, *, json: bool) -> None:
    """Print where a stream stands."""
    from littlestone.classes import class_from_dict, load
    from littlestone.cli.terminal import facts
    from littlestone.learners.online.journal import Journal
    from littlestone.learners.online.public_record import read_public
    from littlestone.learners.release import proposal_of
    from littlestone.privacy import Guarantee

    running = False
    try:
        Journal.open(folder).close()
    except StoreError as problem:
        if problem.reason != "locked":
            raise
        running = True
    public = read_public(folder)
    transcript = public.pop("published")
    rule = load(transcript[-1]["hypothesis"]) if transcript else None
    public |= {
        "running": running,
        "hypothesis": len(transcript) - 1,
        "description": None if rule is None else rule.describe(),
    }
    if json:
        print(jsonlib.dumps(public))
        return
    columns = proposal_of(class_from_dict(public["stream"]["class"]))
    learned: list[tuple[str, str, str]] = []
    if columns is not None:
        told = "on top, for rows among them; the number of mistakes is proved for other rows only"
        learned.append(("Columns", f"learned from {columns.n:,} records: {columns.guarantee}", ""))
        learned.append(("", told, ""))
    spent = f"{public['batches']} of {public['planned_batches']} updates"
    facts(
        [
            ("Rows", f"{public['rows']:,}", "bold"),
            ("Rule", public["description"] or "none yet", ""),
            ("Hypothesis", str(public["hypothesis"]), ""),
            ("Budget", spent + (", spent: the last rule stays" if public["stopped"] else ""), ""),
            ("Guarantee", str(Guarantee.from_dict(public["guarantee"])), ""),
            *learned,
            ("Running", "yes" if running else "no", ""),
        ]
    )
