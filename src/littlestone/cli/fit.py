"""``littlestone fit``: learn one hypothesis from a table and release it."""

from __future__ import annotations

import json as jsonlib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from littlestone.cli.options import (
    AsJson,
    ClassSpec,
    Evaluated,
    Filed,
    Flag,
    Goal,
    Page,
    Paid,
    Records,
    Settings,
    Table,
    check_outputs,
    covered_share,
    label_list,
    learner_named,
    names,
    needed,
    open_schema,
    read_bounds,
    read_groups,
    read_signs,
    refuse_schema,
    shared,
    whole,
)
from littlestone.cli.terminal import Public, caution, counting, facts, note, table
from littlestone.errors import (
    ParameterError,
    StoreError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.costs import Costs
    from littlestone.data import Schema
    from littlestone.data.cells import CsvFormat
    from littlestone.learners.fit import Fit
    from littlestone.learners.release import Release
    from littlestone.learners.task import Protocol
    from littlestone.planning import Rehearsal
    from littlestone.privacy import Ledger
    from littlestone.types import Json


# -- ``littlestone fit`` where the target is no label: a quantity, a count, a time until an event.


@shared
class Targets:
    """A target that is no label; learned by boosted trees, or a scorecard."""

    target: Literal["quantity", "count"] | None = None
    """What --y contains, if not labels: a quantity in a public range, or a count."""
    low: str | None = None
    """With --target quantity: the lowest value (by default 0). Lower values are set to it.
    Public."""
    high: str | None = None
    """With --target: the highest value. Higher values are set to it. Public: take it from general
    knowledge, not from this table. A range that is ten times too wide costs little."""
    loss: Literal["huber", "gamma", "absolute", "quantile"] | None = None
    """With --target quantity: huber (a robust mean), gamma (a mean of positive amounts), absolute
    (the median) or quantile. By default huber, or gamma if the distribution is skewed (upper
    quartile at least twice the median)."""
    quantile: str | None = None
    """With --target quantity: predict this quantile, for example 0.9."""
    time: str | None = None
    """Column of times, instead of --y: time until the --event, in --periods."""
    event: str | None = None
    """With --time: column of the event indicator, 1 for an observed event and 0 for a censored
    time."""
    event_is: str | None = None
    """With --time: the value of --event that means an event, if it is not 1 (in R often 2)."""
    periods: str | None = None
    """With --time: the public ends of the periods, for example 12,24,36; or, with --high, the
    number of equal periods."""

    def typed(self) -> Json:
        """Return what was typed, as `Fit` takes it."""
        periods: Any = self.periods
        if periods is not None and self.high is None:
            periods = [end.strip() for end in periods.split(",")]
        given = vars(self) | {"periods": periods}
        return {name: value for name, value in given.items() if value is not None}


@shared
class FitGoal(Goal):
    """A goal, for which model or class may be chosen."""

    epsilon: str | None = None  # type: ignore[assignment]
    """Privacy loss, as a number or a fraction. A smaller epsilon protects more; 1 is a common
    choice.
    Required."""
    model: Literal["auto", "rule", "tree", "scorecard", "linear", "boosted"] | None = None
    """The family of models. The default, auto, is boosted or, with a delta and few records, linear.
    Rules and trees have a certificate of accuracy before any data are seen."""
    bounds: str | None = None
    """Without --schema: ranges of numeric columns, from public knowledge, such as
    "age=0:120,income=0:1000000"."""
    inference: str | None = None
    """At most six columns of the --schema, such as age,sex: odds ratios with confidence intervals,
    from a logistic regression beside --model linear, for half of its privacy."""
    monotonic: str | None = None
    """Columns of the --schema in which the risk of a linear model or scorecard must not decrease
    (1) or must not increase (-1), such as "age=1,bmi=-1"."""
    concept_class: ClassSpec | None = None  # type: ignore[assignment]
    """For experts, instead of --model: the concept class, for example "thresholds(1, 99)" or
    "decision_trees(depth=3)"."""


@shared
class Further:
    """Further requirements of a model."""

    samples_per_user: str | None = None
    """With --user: how many records of each user are read, chosen at random. The number is public
    and must not be taken from the data. Boosted trees and scorecards read all records, without this
    option."""
    costs: str | None = None
    """Cost of misclassifying each label, for example "no=1,yes=9": public numbers, never taken from
    these records. The learner (agnostic or generic) then minimizes the mean cost, and alpha is a
    proportion of the largest cost."""
    labels: str | None = None
    """Instead of --positive: the public labels, separated by commas, for example a,b,c. For
    decision trees, boosted trees, scorecards and finite classes. Any other cell counts
    as an error of every model. If there are two labels and no --class, the second is the positive
    one, and any other cell is read as the first."""
    require_certificate: Flag = False
    """Release nothing (exit 3) if there are too few records for alpha and beta."""
    interval: str | None = None
    """Prediction intervals of quantities and counts, or prediction sets of labels, with this
    coverage on new records, for example 90%. They are calibrated on held-out records, by default
    --holdout 0.2. For boosted trees and scorecards."""
    holdout: str | None = None
    """Hold out this proportion of the records, for example 0.2: nothing is learned from them, and
    the model is evaluated on them. The error on new records is then certified. --evaluate is then
    by default all of epsilon, since no record pays twice. By default a public rule decides: the
    proportion is 1000 / (n epsilon), but at least 0.1, at most 0.3, and at most 20,000 records."""
    by: str | None = None
    """Also evaluate at most 8 groups of the held-out records, by columns of the --schema, separated
    by commas (predictors or not), or by a schema of their own (groups.toml). It costs no epsilon,
    but each group has fewer records for the same noise."""
    like: str | None = None
    """Instead of --schema: use the columns of this model (JSON), such as last year's."""


def fit(
    data: str,
    /,
    *,
    y: str | None = None,
    goal: FitGoal = FitGoal(),
    records: Records = Records(),
    targets: Targets = Targets(),
    table: Table = Table(),
    open_points: Public = Public(),
    further: Further = Further(),
    learner: str = "auto",
    settings: Settings = None,
    agnostic: Flag = False,
    evaluated: Evaluated = Evaluated(),
    subsample: str | None = None,
    weights: str | None = None,
    protocol: str | None = None,
    out: str | None = None,
    report: Page = None,
    release: str | None = None,
    filed: Filed = Filed(),
    paid: Paid = Paid(),
    json: AsJson = False,
) -> int:
    """Learn a private model from a table, and release it.

    A table, --y and --epsilon are enough: what is not said is decided by public rules, and printed
    first with what it costs.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database, such
        as postgresql://host/db?table=t.
    y:
        Column of labels, or of the quantity or count (--target).
    learner:
        The algorithm: generic (certified for realizable labels: some concept of the class has no
        errors), agnostic (certified for any labels), vc1 (realizable labels, for huge domains),
        littlestone (realizable labels, for classes that cannot be listed, such as sets of texts),
        or auto: the one that needs the fewest records of those certified for any labels. The others
        may need far fewer: `littlestone plan` compares them. Or an algorithm of the papers, such as
        lyu.theorem3 (`littlestone papers`).
    agnostic:
        Make a learner for realizable labels agnostic: it sees records that were privately
        relabelled by a concept, and its certificate holds for any labels.
    subsample:
        Learn from a secret simple random sample of this proportion of the records, for example
        1/100, so that large tables take less time. Epsilon and delta are for all records: on the
        sample the learner gets more of both. The certificate is that of the sample. Nothing is
        evaluated without --evaluate or --holdout, which read all records.
    weights:
        Not supported: a record of weight w would count w times, and its privacy loss would be w
        times epsilon.
    protocol:
        Run the protocol that `littlestone rehearse --out` wrote. No other option then says what is
        learned, and the record names the protocol's hash.
    out:
        Write the model (JSON) here; an existing file is replaced.
    release:
        Write model, page, record, schema and a README with hashes into this new or empty folder.
    """
    from littlestone.cli.terminal import caution, facts, progress_of
    from littlestone.learners.base import no_argument, weaknesses
    from littlestone.learners.fit import asked_by
    from littlestone.learners.task import Protocol

    if weights is not None:
        raise ParameterError(no_argument("littlestone", "weights"))
    check_outputs(
        "fit", data, records.schema, further.like, open_points.public, paid.ledger, protocol,
        out=out, report=report, record=filed.record,
    )  # fmt: skip
    _check_folder(release, paid)
    source, written = filed.source("fit", paid), None
    if protocol is None:
        asked = parse(
            data, y=y, goal=goal, records=records, targets=targets, table=table,
            open_points=open_points, further=further, evaluated=evaluated, learner=learner,
            settings=settings, agnostic=agnostic, subsample=subsample,
        )  # fmt: skip
    else:
        written = Protocol.read(protocol)
        loose = {"y": y, "settings": settings, "agnostic": agnostic, "subsample": subsample}
        loose |= {"learner": None if learner == "auto" else learner}
        groups = (goal, records, targets, table, open_points, further, evaluated)
        for group in groups:
            usual = vars(type(group)())
            loose |= {name: v for name, v in vars(group).items() if v != usual[name]}
        written.check_alone(name for name, value in loose.items() if value)
        asked = asked_by(written, data)
    budget = paid.budget("fit")

    def say(name: str, text: str) -> None:
        if not json and asked.concepts is None:
            facts([(name, text, "")])

    planned = asked.plan(data, source, ledger=budget, say=say)
    with progress_of("Choosing"):
        released = planned.run(
            source, ledger=budget, said=lambda promised, n: caution(weaknesses(promised, n))
        )
    released = released if written is None else written.signed(released)
    _write(released, out, report, filed, release, written=written)
    _show(
        released, json=json, Model=out, Page=report, Record=filed.record, Folder=release,
        Budget=_left(budget),
    )  # fmt: skip
    return 0


_SUMS = ("auto", "boosted", "scorecard", "linear")


def parse(  # noqa: PLR0912 - each thing that is typed, once
    data: str,
    *,
    y: str | None,
    goal: FitGoal,
    records: Records,
    targets: Targets,
    table: Table,
    open_points: Public,
    further: Further,
    evaluated: Evaluated,
    learner: str = "auto",
    settings: Settings = None,
    agnostic: bool = False,
    subsample: str | None = None,
) -> Fit:
    """Return what was typed, parsed: public things only."""
    from littlestone.learners.fit import Fit
    from littlestone.learners.task import Labels

    user, spec = records.user, goal.concept_class
    options: Json = {}
    samples_per_user, costs, labels = further.samples_per_user, further.costs, further.labels
    needed("fit", "epsilon", goal.epsilon)
    if spec is not None and goal.model is not None:
        raise ParameterError(
            "fit takes --class or --model, not both: a model is a family of classes."
        )
    like = further.like
    columns = records.schema if like is None else _columns_like(like, records.schema, spec)
    chosen = names("fit", "x", records.x)
    target, label = targets.typed(), targets.time if y is None else y
    if label is None:
        raise ParameterError(
            "fit needs --y, for example --y adult: the column of labels. For times use --time and "
            "--event. See littlestone fit --help."
        )
    if target:
        _not_of_targets(
            samples_per_user=samples_per_user, costs=costs, agnostic=agnostic,
            labels=labels, require_certificate=further.require_certificate, subsample=subsample,
            learner=learner != "auto", shift=open_points.shift, positive=records.positive,
            negative=records.negative,
            **({} if spec is None else {"public": open_points.public, "bins": open_points.bins}),
        )  # fmt: skip
    listed = label_list("fit", labels, positive=records.positive or records.negative)
    rule: Any = {} if target or listed is not None else records.label_rule("fit")
    two = Labels(None if listed is None else tuple(listed), **rule)
    if records.positive is None and listed is None and not records.strict:
        two = Labels()  # 1, or what is equal to it
    if costs is not None:
        options["costs"] = _costs(costs, records, listed)
    if listed is not None and len(listed) == 2 and spec is None:  # as in ls.fit
        other = listed[0] if records.strict else None
        two, listed = Labels(None, tuple(listed), listed[1], other), None
    form, concepts = table.written("fit"), None
    if spec is None:
        _for_class(
            learner, set=settings, agnostic=agnostic, subsample=subsample, shift=open_points.shift,
        )  # fmt: skip
        if costs is not None and goal.model not in ("rule", "tree"):
            raise ParameterError(
                "The 'costs' parameter of fit is for the models that minimize costs: rule "
                "and tree. Use --model tree, for example."
            )
        open_points.check(columns)
        public = open_schema(columns, chosen)
    else:
        if goal.inference is not None:
            raise parameter_error("fit", "inference", "left out with a --class", goal.inference)
        if goal.monotonic is not None:
            hint = 'Write it in the schema: monotone = "increasing".'
            raise parameter_error(
                "fit", "monotonic", "left out with a --class", goal.monotonic, hint
            )
        if goal.bounds is not None:
            hint = "A class is about the columns of its --schema."
            raise parameter_error("fit", "bounds", "left out with a --class", goal.bounds, hint)
        concepts, public, of_points = _opened(
            spec, data, open_points, records, target, label, chosen, listed, form
        )
        options |= of_points
    sums = (goal.model or "auto") in _SUMS if concepts is None else bool(concepts.learned_by)
    if not sums:
        _of_records_only(user, labels=labels, costs=costs)
        _users_named(user, samples_per_user, learner)
    return Fit(
        y=y, epsilon=goal.epsilon, delta=goal.delta, target=target, labels=two,
        evaluate=evaluated.asked("fit"), holdout=further.holdout,
        interval=covered_share("fit", further.interval),
        by=read_groups("fit", further.by, open_schema(columns)),
        schema=public, columns=chosen, bounds=read_bounds("fit", goal.bounds),
        public=None if concepts is not None else open_points.public,
        bins=open_points.most_bins, model=goal.model or "auto", concepts=concepts, user=user,
        samples_per_user=None if samples_per_user is None
        else whole("fit", "samples_per_user", samples_per_user),
        learner=learner, options=options, agnostic=agnostic, subsample=subsample,
        alpha=goal.alpha, beta=goal.beta, certified=further.require_certificate,
        strict=records.strict,
        monotonic_cst=read_signs("fit", goal.monotonic),
        inference=names("fit", "inference", goal.inference),
        make=learner_named("fit", learner, settings) if settings or "." in learner else None,
        csv=table.format("fit", data, public),
    )  # fmt: skip


def _check_folder(folder: str | None, paid: Paid) -> None:
    """Refuse a folder that could not be written, or not filed."""
    from littlestone.report.pages import check_new_folder

    if folder is None:
        return
    check_new_folder(folder, caller="fit")
    if paid.seed is not None:
        raise ParameterError(
            "A seeded release is not private, so it is not published: leave out --seed or "
            "--release."
        )


def _columns_like(model: str, schema: str | None, spec: str | None) -> Schema:
    """Return the columns of a model file."""
    from littlestone.learners.release import Release

    if schema is not None or spec is not None:
        raise ParameterError("fit takes --like, --schema or --class, not two of them.")
    columns = Release.read(model).concept_class.row_schema
    if columns is None:
        raise parameter_error("fit", "like", "a model of the columns of a table", model)
    return columns


def _opened(  # noqa: PLR0917
    spec: str, data: str, open_points: Public, records: Records, target: Json, label: str,
    chosen: list[str] | None, listed: list[str] | None, form: CsvFormat | None,
) -> tuple[ConceptClass, Schema | None, Json]:  # fmt: skip
    """Return the class of ``--class``, its schema, and options of its learner."""
    from littlestone.classes import BoostedTreeClass

    if target and records.schema is None:
        raise ParameterError(
            "A --class for a --target needs a public --schema of the columns; `littlestone schema "
            "new TABLE` drafts one. Without --class the columns are learned from the records."
        )
    concepts, public, options = open_points.opened(
        data, spec, records.schema, y=label, user=records.user, x=chosen, labels=listed,
        form=form,
    )  # fmt: skip
    if target and not isinstance(concepts, BoostedTreeClass):
        raise ParameterError(
            "Quantities, counts and times are learned by --model boosted or scorecard, or by "
            "--class boosted_trees(depth=2) or scorecard."
        )
    if concepts.row_schema is None:
        refuse_schema(concepts, public)
        return concepts, None, options
    return concepts, concepts.row_schema, options


def _not_of_targets(**others: object) -> None:
    """Refuse what is for labels."""
    for name, value in others.items():
        if value:
            raise ParameterError(
                f"The {name!r} parameter of fit is for labels: leave it out beside --target or "
                "--time."
            )


def _for_class(learner: str, **others: object) -> None:
    """Refuse, where the model is decided here, what is for those who name a class."""
    for name, value in ({"learner": learner != "auto"} | others).items():
        if value:
            raise ParameterError(
                f"The {name!r} parameter of fit is for a --class. Leave it out, or give a --class "
                "instead of a --model."
            )


def _write(
    release: Release, out: str | None, report: str | None, filed: Filed, folder: str | None,
    *, written: Protocol | None,
) -> None:  # fmt: skip
    """Write what is asked for; what cannot be written is printed."""
    from littlestone.report import page, write_folder
    from littlestone.safe_io import write_text

    try:
        if folder is not None:
            write_folder(release, folder, protocol=None if written is None else written.to_json())
        if out is not None:
            write_text(out, release.to_json() + "\n")
        if report is not None:
            write_text(report, page(release))
        filed.write(release.record)
    except Exception as problem:
        print(release.to_json())  # it was drawn, and paid for: it must not be lost
        if not isinstance(problem, ParameterError):
            raise
        raise ParameterError(
            f"{problem} The model is printed on the standard output instead: save that line. Do "
            "not fit again, since that would spend epsilon again."
        ) from None


def _left(budget: Ledger | None) -> str | None:
    """Say what is left; a ledger that another program keeps busy must not hide the release."""
    try:
        return None if budget is None else f"{budget.remaining()} left in {budget.path}"
    except StoreError:
        return None


def _show(release: Release, *, json: bool, **written: str | None) -> None:
    """Print the release in short, and what was written where; or all of it as JSON."""
    if json:
        print(release.to_json())
        return
    from littlestone.cli.terminal import facts
    from littlestone.report.evaluated import summary

    facts([*summary(release), *((name, what, "") for name, what in written.items() if what)])


def _users_named(user: str | None, samples_per_user: str | None, learner: str) -> None:
    """Refuse a learner of users without their column."""
    from littlestone.learners.registry import LEARNERS

    of_users = learner in LEARNERS and LEARNERS[learner].unit == "users"
    if user is None and samples_per_user is None and of_users:
        raise ParameterError(
            f"The learner {learner!r} protects users: name their column with --user, and state "
            "with --samples-per-user how many records of each are read."
        )


_ONE_RECORD = (
    "leave out --user and give a table with one record of each user; where users have up to m "
    "records, an --epsilon divided by m protects all of a user's records"
)


def _of_records_only(user: str | None, *, labels: str | None, costs: str | None) -> None:
    """Refuse, beside --user, what only learners that protect single records can do."""
    if user is not None and labels is not None:
        raise ParameterError(
            "--labels cannot be combined with the protection of users (--user), which is for two "
            f"labels: name the positive one (--positive). Or {_ONE_RECORD}."
        )
    if user is not None and costs is not None:
        raise ParameterError(
            "--costs cannot be combined with the protection of users (--user): leave one of them "
            "out."
        )


def _costs(text: str, records: Records, labels: list[str] | None) -> Costs:
    """Return the costs of ``--costs "no=1,yes=9"``."""
    from littlestone.costs import Costs

    positive, negative = records.positive or "1", records.negative
    typed = [part.rpartition("=") for part in text.split(",")]
    found = {label.strip(): cost.strip() for label, _, cost in typed}
    if labels is not None:
        if sorted(label.strip() for label, _, _ in typed) != sorted(labels):
            hint = f'For example "{",".join(f"{label}=1" for label in labels)}".'
            raise parameter_error("fit", "costs", "a cost for each label of --labels", text, hint)
        listed = {code: found[label] for code, label in enumerate(labels)}
        return Costs.of(listed, labels=len(labels), caller="fit")
    others = [label for label in found if label != positive]
    known = others == [negative] if negative is not None else len(others) == 1
    if positive not in found or not known or len(typed) != 2:
        rule = (
            f'like "{negative or "other"}=1,{positive}=9", for the label {positive} and the other'
        )
        hint = (
            "--positive names the label that means 1; --labels lists all labels, if there are "
            "more than two."
        )
        raise parameter_error("fit", "costs", rule, text, hint)
    return Costs.of({0: found[others[0]], 1: found[positive]}, caller="fit")


# -- ``littlestone rehearse``: how good a private fit will be, found on public rows.


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
    """Estimate how good a fit of given size will be, by repeated runs on PUBLIC rows.

    Nothing of TWIN is protected: it is a public table like the one to come, such as last year's
    published one. Without it a population is made up over a --schema (--best, --share). Several
    shares, such as --holdout 0.1,0.2, are compared.

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
    holdouts = tuple(
        check_probability("rehearse", "holdout", text)
        for text in names("rehearse", "holdout", further.holdout, "numbers") or ()
    )
    further = replace(further, holdout=str(holdouts[0]) if holdouts else None)
    fit = parse(
        twin or "-", y=y, goal=replace(goal, epsilon=str(first)), records=records, targets=targets,
        table=form, open_points=open_points, further=further, evaluated=evaluated,
    )  # fmt: skip
    if twin is not None and not json:
        caution([f"{twin} is treated as public: nothing in it is protected."])
    typed = {name: None if v is None else exact_value(v) or v for name, v in vars(guesses).items()}
    with counting("Rehearsing") as progress:
        found = rehearsed(
            fit, twin, epsilons, sizes if aim is None else (), holdouts=holdouts,
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
    _show_rehearsal(found)
    if out or report:
        facts([(name, what, "") for name, what in (("Protocol", out), ("Page", report)) if what])
    return 0


def _show_rehearsal(found: Rehearsal) -> None:
    """Print a row for each measure of each size, and what it needs."""
    from littlestone.planning.rehearsal import rounded, words_of

    more = ("variant",) if any(cell.variant for cell in found.cells) else ()
    rows = [
        (
            f"{cell.records:,}", f"{float(cell.epsilon):g}", words_of(name),
            f"{rounded(each.mean)} ± {rounded(each.reach, 2)}",
            f"{rounded(each.low)} to {rounded(each.high)}",
            rounded(cell.free[name].mean) if name in cell.free else "-",
            *([cell.variant] if more else []),
        )
        for cell in found.cells for name, each in cell.measures.items()
    ]  # fmt: skip
    columns = (
        *("records", "epsilon", "measure"),
        *("mean of runs", "10th to 90th percentile", "without privacy"),
    )
    table(found.title, (*columns, *more), rows)
    for line in found.notes:
        note(line)
