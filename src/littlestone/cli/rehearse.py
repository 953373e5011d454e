"""``littlestone rehearse``: how good a private fit becomes, found on public rows."""

from __future__ import annotations

import json as jsonlib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from littlestone.cli.fit import FitGoal, Further, Targets, parse
from littlestone.cli.options import (
    AsJson,
    Evaluated,
    Page,
    Records,
    Table,
    check_outputs,
    names,
    shared,
    whole,
)
from littlestone.cli.terminal import Public, caution, counting, facts, note, table
from littlestone.errors import ParameterError, check_fraction, check_integer, exact_value

if TYPE_CHECKING:
    from littlestone.planning import Rehearsal


@shared
class Asked(FitGoal):
    """What is to be fitted."""

    epsilon: str | None = None
    """Privacy loss, or several numbers, such as .5,1,2. With --aim and --records it may be left
    out, and is then searched for."""


@shared
class Guesses:
    """A population that is made up, where there is no twin."""

    best: str | None = None
    """Without TWIN: the AUROC (for quantities R2, for times the concordance) of the best model
    without privacy, as far as one can guess."""
    share: str | None = None
    """Without TWIN: the prevalence of label 1, or of events."""
    single: str | None = None
    """Without TWIN: the AUROC (R2, concordance) of the best single column."""
    third: str | None = None
    """Without TWIN: the same measure for the third-best column."""


def rehearse(
    twin: str | None = None,
    /,
    *,
    y: str | None = None,
    goal: Asked = Asked(),
    n: Annotated[str | None, Parameter(name="--records")] = None,
    aim: str | None = None,
    chance: str = "0.8",
    guesses: Guesses = Guesses(),
    records: Records = Records(),
    targets: Targets = Targets(),
    form: Table = Table(),
    open_points: Public = Public(),
    further: Further = Further(),
    evaluated: Evaluated = Evaluated(),
    runs: str = "20",
    jobs: str | None = None,
    seed: int = 0,
    out: str | None = None,
    report: Page = None,
    json: AsJson = False,
) -> int:
    """Estimate how good a fit of given size becomes, by repeated runs on PUBLIC rows.

    Nothing of TWIN is protected: it is a public table like the one to come, such as last year's
    published one. Without it a population is made up over a --schema (--best, --share).

    Parameters
    ----------
    twin:
        A public table: a Parquet or CSV file, or the URL of a table in a database.
    y:
        Column of labels, or of the quantity or count (--target).
    n:
        How many records there will be, or several numbers, such as 1000,5000. Each run draws this
        many rows from four fifths of TWIN (without replacement, as long as there are enough), and
        is evaluated on the remaining fifth. With --aim it may be left out, and is then searched
        for.
    aim:
        What the model should reach, such as "auroc >= .75"; also for log_loss, error, r2, mae,
        concordance and coverage. Whichever of --records and --epsilon is left out is searched for;
        exit 3 if 10,000,000 records are not enough.
    chance:
        Probability with which a fit should reach the --aim.
    runs:
        Number of runs to begin with; more follow until the mean is known to within 0.01, at most
        100.
    jobs:
        Number of parallel processes (by default one per core).
    seed:
        Seed of the rows and the draws, all of which are public.
    out:
        Write the protocol (JSON) here, for `littlestone fit --protocol`.
    """
    from littlestone.planning.rehearsal import rehearsed
    from littlestone.report import page
    from littlestone.safe_io import write_text

    check_outputs("rehearse", twin, records.schema, open_points.public, out=out, report=report)
    if goal.concept_class is not None:
        raise ParameterError(
            "rehearse takes a --model: for a --class, littlestone plan gives a bound before data."
        )
    epsilons = tuple(
        check_fraction("rehearse", "epsilon", text)
        for text in names("rehearse", "epsilon", goal.epsilon, "numbers") or ()
    )
    sizes = tuple(
        whole("rehearse", "records", text)
        for text in names("rehearse", "records", n, "numbers") or ()
    )
    if aim is None and not (epsilons and sizes):
        raise ParameterError(
            "rehearse needs --epsilon and --records, such as --epsilon 1 --records 1000,5000; or "
            "one of the two and an --aim, such as --aim 'auroc >= .75'."
        )
    if twin is None and y is None and targets.time is None:
        y = "label"
    first: Fraction = epsilons[0] if epsilons else Fraction(1)
    fit = parse(
        twin or "-", y=y, goal=replace(goal, epsilon=str(first)), records=records, targets=targets,
        table=form, open_points=open_points, further=further, evaluated=evaluated,
    )  # fmt: skip
    if twin is not None and not json:
        caution([f"{twin} is treated as public: nothing in it is protected."])
    typed = {name: None if v is None else exact_value(v) or v for name, v in vars(guesses).items()}
    with counting("Rehearsing") as progress:
        found = rehearsed(
            fit, twin, epsilons, sizes if aim is None else (),
            runs=whole("rehearse", "runs", runs), guesses=typed,
            n_jobs=None if jobs is None else whole("rehearse", "jobs", jobs),
            random_state=check_integer("rehearse", "seed", seed, low=0), progress=progress,
        )  # fmt: skip
        if aim is not None:
            found = replace(found, records=sizes).aimed(aim, chance)
    if out is not None:
        found.protocol().save(out)
    if report is not None:
        write_text(report, page(found))
    if json:
        print(jsonlib.dumps(found.to_dict(), sort_keys=True))
        return 0
    _show(found)
    if out or report:
        facts([(name, what, "") for name, what in (("Protocol", out), ("Page", report)) if what])
    return 0


def _show(found: Rehearsal) -> None:
    """Print a row for each measure of each size, and what it needs."""
    rows = [
        (
            f"{cell.records:,}", f"{float(cell.epsilon):g}", name.replace("_", " "),
            f"{each.mean:.3g} +- {each.reach:.2g}", f"{each.low:.3g} to {each.high:.3g}",
            f"{cell.free[name].mean:.3g}" if name in cell.free else "-",
            *([cell.population] if cell.population else []),
        )
        for cell in found.cells for name, each in cell.measures.items()
    ]  # fmt: skip
    columns = ("records", "epsilon", "measure", "mean of runs", "10% to 90%", "without privacy")
    more = ("population",) if any(cell.population for cell in found.cells) else ()
    table(found.title, (*columns, *more), rows)
    for line in found.notes:
        note(line)
