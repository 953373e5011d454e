"""``littlestone fit``: learn one hypothesis from a table and release it."""

from __future__ import annotations

import json as jsonlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

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
    check_label,
    check_outputs,
    check_positive,
    covered_share,
    is_auto,
    label_list,
    learner_options,
    names,
    needed,
    open_class,
    open_learner,
    open_schema,
    read_bounds,
    read_signs,
    refuse_schema,
    shared,
    whole,
)
from littlestone.cli.terminal import Public
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    StoreError,
    check_fraction,
    check_probability,
    counted,
    parameter_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from littlestone.classes import BoostedTreeClass, ConceptClass
    from littlestone.costs import Costs
    from littlestone.data import Schema
    from littlestone.data.cells import CsvFormat
    from littlestone.learners.base import Learner
    from littlestone.learners.models import Wanted
    from littlestone.learners.release import Release
    from littlestone.privacy import Guarantee, Ledger
    from littlestone.types import Json


# -- ``littlestone fit`` where the target is no label: a quantity, a count, a time until an event.


@shared
class Targets:
    """A target that is no label; learned by boosted trees, or a scorecard."""

    target: Literal["quantity", "count"] | None = None
    """What --y is, if not a label: a quantity in a public range, or a count."""
    low: str | None = None
    """With --target quantity: the lowest value (by default 0); lower ones count as it. Public."""
    high: str | None = None
    """With --target: the highest value; higher ones count as it. Public: take it from general
    knowledge, not from this table. A range ten times too wide costs little."""
    loss: Literal["huber", "gamma", "absolute", "quantile"] | None = None
    """With --target quantity: huber (means, far errors capped), gamma (means of amounts), absolute
    (medians) or quantile. By default huber, or gamma where the upper quartile is far out."""
    quantile: str | None = None
    """With --target quantity: predict this quantile, for example 0.9."""
    time: str | None = None
    """Column of times, instead of --y: survival until the --event, in --periods."""
    event: str | None = None
    """With --time: column that is 1 where the event ended the time, and 0 where it was not
    observed."""
    event_is: str | None = None
    """With --time: the cell of --event that means an event, if it is not 1 (in R often 2)."""
    periods: str | None = None
    """With --time: the public ends of the periods, for example 12,24,36; or with --high their
    number, all equal."""

    def wanted(self, y: str | None) -> Wanted | None:
        """Return the target; None for labels."""
        if all(value is None for value in vars(self).values()):
            return None
        from littlestone.learners.models import wanted

        periods: Any = self.periods
        if periods is not None and self.high is None:
            periods = [end.strip() for end in periods.split(",")]
        return wanted("fit", y, **(vars(self) | {"periods": periods}))


def class_of(spec: str, schema: Any, x: str | None, wanted: Wanted, y: str) -> BoostedTreeClass:
    """Return the class of ``--class`` for a target, over a schema without its columns."""
    from littlestone.classes import BoostedTreeClass

    if schema is None:
        raise ParameterError(
            "A --class for a target needs a public --schema of the columns. Leave --class out, and "
            "they are learned from the records; `littlestone schema new TABLE` writes a first one."
        )
    concepts, _ = open_class(spec, schema, names("fit", "x", x))
    if not isinstance(concepts, BoostedTreeClass):
        raise ParameterError(
            "A target that is no label is learned by --model boosted or scorecard, or by --class "
            "boosted_trees(depth=2) or scorecard."
        )
    for name in (y, wanted.event):
        if name is not None:
            check_label("fit", name, cast(Any, concepts).domain.schema.names)
    return concepts.of_target(wanted.target)


_LearnerOptions = learner_options()


@shared
class FitGoal(Goal):
    """A goal, for which model or class may be chosen."""

    model: Literal["auto", "rule", "list", "tree", "scorecard", "linear", "boosted"] | None = None
    """The family of models; auto (the default) is boosted or, with a delta and few records, linear.
    Rules, lists and trees have a certificate of accuracy before data."""
    bounds: str | None = None
    """Without --schema: ranges of columns, from public knowledge, such as
    "age=0:120,income=0:1000000"."""
    inference: str | None = None
    """At most six columns of the --schema, such as age,sex: coefficients with intervals, of a
    regression beside --model linear, for half of its privacy."""
    monotonic: str | None = None
    """Columns of the --schema along which a linear model or scorecard only rises (1) or falls (-1),
    such as "age=1,bmi=-1"."""
    concept_class: ClassSpec | None = None  # type: ignore[assignment]
    """For experts, instead of --model: what can be learned, for example "thresholds(1, 99)" or
    "decision_trees(depth=3)"; or auto, with --schema: the largest of rules (with --labels, rule
    lists), trees of depth 2 and trees of depth 3 whose certificate holds for alpha, beta and the
    number of records."""


def fit(  # noqa: PLR0912, PLR0915 - the order of all checks: public things, the table, the draw
    data: str,
    /,
    *,
    y: str | None = None,
    goal: FitGoal,
    records: Records = Records(),
    targets: Targets = Targets(),
    table: Table = Table(),
    open_points: Public = Public(),
    samples_per_user: str | None = None,
    learner: str = "auto",
    settings: Settings = None,
    own: _LearnerOptions = _LearnerOptions(),  # type: ignore[valid-type]
    costs: str | None = None,
    proba: Flag = False,
    agnostic: Flag = False,
    labels: str | None = None,
    require_certificate: Flag = False,
    evaluated: Evaluated = Evaluated(),
    interval: str | None = None,
    holdout: str | None = None,
    subsample: str | None = None,
    out: str | None = None,
    report: Page = None,
    filed: Filed = Filed(),
    paid: Paid = Paid(),
    json: AsJson = False,
) -> int:
    """Learn a private model of a table, and release it.

    A table, --y and --epsilon are enough: what is not said is decided by public rules, and printed
    first with what it costs.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database, such
        as postgresql://host/db?table=t.
    y:
        Column of labels, or of the --target.
    samples_per_user:
        With --user: how many records of each user are read, by a public random choice. A public
        number, never taken from the data. Boosted trees and scorecards read all, without this
        option.
    learner:
        The algorithm: generic (certifies data that some concept explains), agnostic (certifies
        any data), vc1 (data that some concept explains; for huge domains), littlestone (the same;
        for classes that cannot be listed, such as sets of texts), stable (likewise), or auto: the
        one that needs the fewest records of those that certify any data (agnostic). The others may
        need far fewer: `littlestone plan` compares them. Or an algorithm of the papers, such as
        lyu.theorem3 (`littlestone papers`).
    costs:
        What it costs to miss each label, for example "no=1,yes=9": public numbers, never taken from
        these records. The learner (agnostic, or generic) then minimizes the cost; alpha is a share
        of the largest cost.
    proba:
        Evaluate each leaf of a decision tree separately: `predict --proba` then gives its shares of
        labels.
    agnostic:
        Certify any labels, with a learner that needs realizable ones: it sees records whose labels
        were privately replaced by those of a concept.
    labels:
        Instead of --positive: the public labels, separated by commas, for example a,b,c. For
        decision trees, rule lists, boosted trees, scorecards and finite classes. A cell that is
        none of them counts as an error of every hypothesis.
    require_certificate:
        Release nothing (exit 3) if there are too few records for alpha and beta.
    interval:
        Intervals around quantities and counts, or sets of labels, that cover so large a share of
        new records, for example 90%: from records that nothing is learned from, by default
        --holdout 0.2. For boosted trees and scorecards.
    holdout:
        Evaluate on this share of the records, for example 0.2, and do not learn from them. The
        error on new records is then certified, and --evaluate is by default all of epsilon, since
        no record pays for both.
    subsample:
        Learn from this share of the records only, for example 1/100: a secret, uniformly random
        sample, so that large tables take less time. Epsilon and delta are for all records: on the
        sample the learner gets more of both. The certificate is that of the sample. Nothing is
        evaluated without --evaluate or --holdout, which read all records.
    out:
        Write the model (JSON) here; an existing file is replaced.
    """
    from littlestone.cli.terminal import progress_of, reading
    from littlestone.data import RowDomain
    from littlestone.learners.boosting.values import HOLDOUT, INTERVAL_EVALUATION
    from littlestone.learners.registry import agnostic_form
    from littlestone.learners.running import (
        held_out_of,
        known_loss,
        minus_evaluation,
        promise,
        read_sample,
        run,
    )
    from littlestone.privacy import check_ledger

    # Everything public is checked before the table is read; the table before anything is drawn.
    user, spec = records.user, goal.concept_class
    bounds = read_bounds("fit", goal.bounds)
    auto = spec is not None and is_auto(spec)
    check_outputs(
        "fit", data, records.schema, open_points.public, paid.ledger, filed.sign_with,
        out=out, report=report, record=filed.record,
    )  # fmt: skip
    if spec is not None and goal.model is not None:
        raise ParameterError("fit takes --class or --model, not both: a model is a family of them.")
    source = filed.source("fit", paid)
    wanted, covered = targets.wanted(y), covered_share("fit", interval)
    if covered is not None:
        holdout = holdout or str(HOLDOUT)
    if wanted is not None:
        _not_of_targets(
            samples_per_user=samples_per_user, costs=costs, proba=proba, agnostic=agnostic,
            labels=labels, require_certificate=require_certificate, subsample=subsample,
            learner=learner != "auto", shift=open_points.shift, positive=records.positive,
            set=settings,
            negative=records.negative, **vars(own),
            **({} if spec is None else {"public": open_points.public, "bins": open_points.bins}),
        )  # fmt: skip
    label = targets.time if y is None else y
    if label is None:
        raise ParameterError(
            "fit needs --y, for example --y adult: the column of labels. For times use --time and "
            "--event. See littlestone fit --help."
        )
    chosen = names("fit", "x", records.x)
    if spec is None:
        sums = goal.model not in ("rule", "list", "tree")
    else:
        sums = wanted is not None or spec.strip().lower().startswith(
            ("boosted", "scorecard", "linear")
        )
    each = {} if sums and user else _records_of_each(user, samples_per_user, learner)
    listed = label_list("fit", labels, positive=records.positive or records.negative)
    options = {
        **{name: value for name, value in vars(own).items() if value},
        **({} if costs is None else {"costs": _costs(costs, records, listed)}),
        **each,
    }
    inferred = names("fit", "inference", goal.inference)
    options |= {} if inferred is None else {"inference": tuple(inferred)}
    paid_by = paid.budget("fit")
    if wanted is not None:
        rule: Json = _given(event=wanted.event)
    else:
        rule = {} if listed is not None else records.label_rule("fit")
    texts_as = None if wanted or records.positive or listed else label
    if spec is None:
        _for_class(
            learner,
            set=settings,
            agnostic=agnostic,
            subsample=subsample,
            **vars(own),
            shift=open_points.shift,
        )
        known = records.schema or open_points.public
        if records.strict and known is None:
            raise ParameterError(
                "--strict needs a --schema: it refuses cells after their columns would have been "
                "paid for."
            )
        _check_uncertified(goal.model, known, costs=costs, required=require_certificate)
        _measured(_asked(evaluated), proba=proba)
        public = open_schema(records.schema, chosen)
        form = table.format("fit", data, public)
        _opened(data, form, public, texts_as)
        goal, concepts, public, part = _decided(
            data, label, goal, json=json, open_points=open_points, wanted=wanted,
            schema=public, columns=chosen, bounds=bounds, csv=form,
            labels=listed, user=user, evaluate=_asked(evaluated), holdout=holdout,
            interval=covered, ledger=paid_by, random_state=source,
            monotonic_cst=read_signs("fit", goal.monotonic), inference=inferred,
        )  # fmt: skip
    else:
        if inferred is not None:
            raise parameter_error("fit", "inference", "left out with a --class", goal.inference)
        if goal.monotonic is not None:
            hint = 'Write it in the schema: monotone = "increasing".'
            raise parameter_error(
                "fit", "monotonic", "left out with a --class", goal.monotonic, hint
            )
        if goal.bounds is not None:
            hint = "A class is about the columns of its --schema."
            raise parameter_error("fit", "bounds", "left out with a --class", goal.bounds, hint)
        if wanted is not None:
            concepts = class_of(spec, records.schema, records.x, wanted, label)
            public = concepts.schema
        else:
            concepts, public, of_points = open_points.opened(
                data, spec, records.schema, y=label, user=user, x=chosen, labels=listed,
                form=table.written("fit"),
            )  # fmt: skip
            options |= of_points
    if not concepts.learned_by:
        _of_records_only(user, labels=labels, costs=costs, proba=proba)
    elif user is not None and samples_per_user is not None:
        raise ParameterError(
            f"The 'samples_per_user' parameter of fit does not go with {concepts.spec}: all that "
            "a user has is looked at. Leave it out, or take a --model rule, list or tree."
        )
    form = table.format("fit", data, public)
    if proba and not concepts.learned_by:  # sums of trees have probabilities anyway
        options["probabilities"] = True
    several = listed is not None or {"costs", "probabilities", "public", "shift"} & set(options)
    if learner == "auto" and several and not concepts.learned_by:
        learner = "agnostic"
    share = _share(subsample, user=user, labels=labels, costs=costs, proba=proba, auto=auto)
    if spec is not None or holdout is not None:  # else it is decided
        usual = wanted is None and share is None
        how: Json = {"of_held_out": 1 if covered is None else INTERVAL_EVALUATION}
        asked = usual or evaluated.evaluate or holdout
        part = evaluated.part("fit", goal.epsilon, holdout, **how) if asked else None
    left = None if holdout is not None else part  # what is left out of learning
    learner = agnostic_form(learner) if agnostic else learner
    make = partial(open_learner, "fit", learner, options=options, evaluate=left, settings=settings)
    learner_of = partial(_learner_of, share, make, goal)
    algorithm = learner_of(concepts) if wanted is None else _values(concepts, goal, wanted)
    if user is not None and concepts.learned_by:
        algorithm = replace(algorithm, unit="users")  # type: ignore[type-var]
    _measured(part, proba=proba)
    extra = {"evaluate": part, "holdout": holdout, "interval": covered}
    promised = promise(algorithm, **extra, seeded=source.seeded)
    check_ledger(paid_by, "fit", promised, data=data, loss=known_loss(algorithm, **extra))
    columns = _columns(chosen, concepts, public, label)
    with reading("Counting records"):
        sample = read_sample(
            algorithm,
            _opened(data, form, public, texts_as),
            x=None if isinstance(concepts.domain, RowDomain) else columns[0],
            y=label,
            user=user,
            strict=records.strict,
            caller="fit",
            **rule,
        )
    interval_asked = covered is not None
    n = sample.n - held_out_of(sample.n, holdout, interval=interval_asked)  # what is learned from
    why = None  # for --class auto
    if public is not None and auto:
        algorithm, why = _largest(public, listed, n, learner_of, left)
    if require_certificate:
        _require(minus_evaluation(algorithm, left), n)
    _caution(promised, sample.n)
    with progress_of("Choosing"):
        release = run(
            algorithm,
            sample,
            source,
            **extra,
            columns={
                "x": columns,
                "y": label,
                **_given(positive=rule.get("positive"), event=rule.get("event"), user=user),
                **_written(form, public),
                **each,
            },
            ledger=paid_by,
        )
    _write(release, out, report, filed)
    _show(
        release, json=json, Class=why, Model=out, Page=report, Record=filed.record,
        Budget=_left(paid_by),
    )  # fmt: skip
    return 0


def _not_of_targets(**others: object) -> None:
    """Refuse what is for labels."""
    for name, value in others.items():
        if value:
            raise ParameterError(
                f"The {name!r} parameter of fit is for labels: leave it out beside --target or "
                "--time."
            )


def _values(concepts: ConceptClass, goal: FitGoal, wanted: Wanted) -> Learner[Any]:
    """Return the learner of a target that is no label."""
    from littlestone.learners.boosting import Values

    return Values(
        concepts,  # type: ignore[arg-type] # checked there
        epsilon=goal.epsilon,  # type: ignore[arg-type]
        delta=goal.delta,  # type: ignore[arg-type]
        loss=wanted.loss,
        quantile=wanted.quantile,
    )


def _decided(
    data: str, y: str, goal: FitGoal, *, json: bool, open_points: Public, **public: Any
) -> tuple[FitGoal, ConceptClass, Schema, Fraction | None]:
    """Decide what was not said; return what is left of the budget, class, columns, evaluation."""
    from littlestone.cli.terminal import facts
    from littlestone.learners.models import decide

    def say(name: str, text: str) -> None:
        if not json:
            facts([(name, text, "")])

    open_points.check(public["schema"])

    decided = decide(
        data, y=y, epsilon=goal.epsilon, delta=goal.delta, model=goal.model or "auto", say=say,
        public=open_points.public, bins=open_points.most_bins, **public,
    )  # fmt: skip
    delta = None if decided.delta is None else str(decided.delta)
    return (
        replace(goal, epsilon=str(decided.epsilon), delta=delta),
        decided.concept_class,
        decided.schema,
        decided.evaluate,
    )


def _for_class(learner: str, **others: object) -> None:
    """Refuse, where the model is decided here, what is for those who name a class."""
    for name, value in ({"learner": learner != "auto"} | others).items():
        if value:
            raise ParameterError(
                f"The {name!r} parameter of fit is for --class, which says what is learned. Leave "
                "it out, or give a --class instead of a --model."
            )


def _check_uncertified(
    model: str | None, schema: str | None, *, costs: str | None, required: bool
) -> None:
    """Refuse what sums of trees, and learned columns, do not have."""
    if costs is not None and model not in ("rule", "list", "tree"):
        raise ParameterError(
            "The 'costs' parameter of fit is for the models that minimize them: rule, list and "
            "tree. Use --model tree, for example."
        )
    if required and (schema is None or model not in ("rule", "list", "tree")):
        raise ParameterError(
            "The 'require_certificate' parameter of fit is for --model rule, list or tree with a "
            "--schema: columns that are learned from records, and sums of trees, have no "
            "certificate before data."
        )


def _asked(evaluated: Evaluated) -> str | None:
    """Return the part of epsilon that an evaluation gets, as `decide` takes it."""
    return None if evaluated.part("fit", "1") is None else evaluated.evaluate or "auto"


def _opened(data: str, form: CsvFormat | None, public: Schema | None, y: str | None) -> Any:
    """Open the table; with y, refuse a label that it declares as texts."""
    from littlestone.data import read_table

    opened = read_table(
        data, csv=form, declared=None if public is None else public.csv, caller="fit"
    )
    if y is not None:
        check_positive("fit", opened, y)
    return opened


def _measured(part: Fraction | str | None, *, proba: bool) -> None:
    if proba and part is None:
        raise ParameterError(
            "The probabilities of --proba come from the evaluation: leave out --no-evaluate."
        )


def _share(
    subsample: str | None,
    *,
    user: str | None,
    labels: str | None,
    costs: str | None,
    proba: bool,
    auto: bool,
) -> Fraction | None:
    """Return the share of the records that are learned from, or refuse what does not go with it."""
    from littlestone.learners.agnostic.subsample import check_rate

    if subsample is None:
        return None
    plain = "its certificate is known for two labels and plain errors"
    for name, given, why in (
        ("--user", user is not None, "the part is one of records, not of users"),
        ("--class auto", auto, "that chooses by the number of all records"),
        ("--labels", labels is not None, plain),
        ("--costs", costs is not None, plain),
        ("--proba", proba, plain),
    ):
        if given:
            raise ParameterError(
                f"--subsample does not go with {name}: {why}. Leave out one of them."
            )
    return check_rate("fit", "subsample", subsample)


def _learner_of(
    share: Fraction | None,
    make: Callable[[ConceptClass, Goal], Learner[Any]],
    goal: Goal,
    concepts: ConceptClass,
) -> Learner[Any]:
    """Return the learner; on a secret part one that has epsilon and delta when it is amplified."""
    if share is None:
        return make(concepts, goal)
    from littlestone.learners.agnostic import Subsample
    from littlestone.learners.agnostic.subsample import inner_for

    epsilon = inner_for(check_fraction("fit", "epsilon", goal.epsilon), share)
    delta = goal.delta
    small = None if delta is None else check_probability("fit", "delta", delta) / share
    if small is not None and small >= 1:
        raise parameter_error(
            "fit",
            "delta",
            f"below the share of --subsample, {share}",
            delta,
            "The learner of that part has delta divided by the share. 1e-6 is a common choice.",
        )
    delta = None if small is None else str(small)
    inner = make(concepts, replace(goal, epsilon=str(epsilon), delta=delta))
    if getattr(inner, "uncertified", ""):
        raise ParameterError(
            f"--subsample does not go with --class {concepts.spec}: the "
            "certificate of a part is its learner's, and sums of trees have none before data. "
            "Leave out one of them, or take decision_trees."
        )
    return Subsample(inner, rate=share)


def _written(form: CsvFormat | None, public: Schema | None) -> Json:
    """Return how the CSV file is written, where that was declared: predictions read alike."""
    declared = form or (None if public is None else public.csv)
    return {} if declared is None or not str(declared) else {"csv": str(declared)}


def _largest(
    schema: Schema,
    labels: list[str] | None,
    n: int,
    make: Callable[[ConceptClass], Learner[Any]],
    left: Fraction | None,
) -> tuple[Learner[Any], str]:
    """Return the learner that ``--class auto`` takes, and why."""
    from littlestone.learners.running import minus_evaluation
    from littlestone.learners.select import largest_certifiable, why_largest

    learner = largest_certifiable(schema, n, make, evaluate=left, labels=labels)
    return learner, why_largest(schema, n, minus_evaluation(learner, left))


def _write(release: Release, out: str | None, report: str | None, filed: Filed) -> None:
    """Write what is asked for; what cannot be written is printed."""
    from littlestone.report import page
    from littlestone.safe_io import write_text

    try:
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
            f"{problem} What was drawn is on the standard output instead: save that line as "
            "the model. Do not fit again: that would spend epsilon again."
        ) from None


def _caution(promised: Guarantee, n: int) -> None:
    """Say what makes the promise empty, on standard error."""
    from littlestone.cli.terminal import caution
    from littlestone.learners.base import weaknesses
    from littlestone.learners.release import secret_n

    caution(weaknesses(promised, None if secret_n(promised) else n))


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
    from littlestone.cli.terminal import facts, summary

    facts([*summary(release), *((name, what, "") for name, what in written.items() if what)])


def _given(**options: object) -> Json:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _records_of_each(user: str | None, samples_per_user: str | None, learner: str) -> Json:
    """Check --user and --samples-per-user, which go together; return what a learner is given."""
    from littlestone.learners.registry import LEARNERS

    if samples_per_user is None:
        if user is None:
            if learner in LEARNERS and LEARNERS[learner].unit == "users":
                raise ParameterError(
                    f"The learner {learner!r} protects users, so it must know them: name their "
                    "column with --user, and say with --samples-per-user how many records of each "
                    "are read."
                )
            return {}
        raise ParameterError(
            "With --user, fit needs --samples-per-user, for example 16: how many records of each "
            "user are read. It is public: give what users typically have, but do not "
            "count these data."
        )
    if user is None:
        raise ParameterError(
            "The 'samples_per_user' parameter of fit is for the protection of users: name their "
            "column with --user."
        )
    return {"samples_per_user": whole("fit", "samples_per_user", samples_per_user)}


_ONE_RECORD = (
    "leave out --user and give a table with one record of each user; where users have up to m "
    "records, an --epsilon divided by m protects all of a user's records"
)


def _of_records_only(
    user: str | None, *, labels: str | None, costs: str | None, proba: bool
) -> None:
    """Refuse, beside --user, what only learners that protect single records can do."""
    if user is not None and labels is not None:
        raise ParameterError(
            "--labels is not for the protection of users (--user), which is about two labels: say "
            f"which one means 1 (--positive). Or {_ONE_RECORD}."
        )
    for option, asked in (("--costs", costs is not None), ("--proba", proba)):
        if user is not None and asked:
            raise ParameterError(
                f"{option} is not for the protection of users (--user): leave one of them out."
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
        rule = f'like "{negative or "other"}=1,{positive}=9": of the label {positive} and the other'
        hint = "--positive says which label means 1; --labels lists all, if they are more than two."
        raise parameter_error("fit", "costs", rule, text, hint)
    return Costs.of({0: found[others[0]], 1: found[positive]}, caller="fit")


def _columns(
    x: list[str] | None, concepts: ConceptClass, public: Schema | None, y: str
) -> list[str]:
    """Return the columns to read: for a class over rows those of its schema, else one; never y."""
    from littlestone.data import RowDomain

    if isinstance(concepts.domain, RowDomain):
        check_label("fit", y, concepts.domain.schema.names)
        return list(concepts.domain.schema.names)
    refuse_schema(concepts, public)
    if x is None or len(x) != 1:
        hint = "Name it with --x."
        raise parameter_error("fit", "x", f"one column for {concepts.spec}", x, hint)
    check_label("fit", y, x)
    return x


def _require(algorithm: Learner[Any], n: int) -> None:
    """Refuse a public number of records that is too small, before anything is drawn."""
    from littlestone.learners.release import proposal_of

    if proposal_of(algorithm.concept_class) is not None:
        raise ParameterError(
            "The 'require-certificate' parameter of fit cannot be met: the columns of the schema "
            "were learned from records (schema propose), and no certificate holds for what is "
            "learned from the same ones. Leave it out, or write the schema by hand."
        )
    needed = algorithm.required_samples()
    if n >= 1 and not algorithm.certificate(n).holds:
        unit = algorithm.unit
        raise InfeasibleError(
            f"The certificate for alpha = {algorithm.alpha} and beta = {algorithm.beta} needs "
            f"{counted(needed, unit)}; there are {n:,}. Nothing was released. Collect more, allow "
            "a larger alpha, beta or epsilon, or leave out --require-certificate.",
            n_needed=needed,
        )


# -- ``littlestone plan --interval``: what intervals and sets of labels need, and cover.


@shared
class Intervals:
    """Intervals or sets of labels."""

    interval: str | None = None
    """Plan only `fit --interval`, of boosted trees and scorecards: how many records intervals or
    sets of labels need, or what those of --n cover. Without --schema a fifth of epsilon is for the
    columns."""
    holdout: str | None = None
    """With --interval: the share of records that is held out, by default 0.2."""
    target: Literal["quantity", "count"] | None = None
    """With --interval: around a quantity or a count, instead of sets of labels."""
    high: str | None = None
    """With --target count: the highest value."""

    def asked(self, goal: dict[str, Any], **others: Any) -> bool:
        """Return whether they are asked for; refuse what does not go together."""
        if self.interval is None:
            given = next((name for name, value in vars(self).items() if value is not None), None)
            if given is not None:
                raise ParameterError(f"The {given!r} parameter of plan is for --interval.")
            return False
        for name, value in (goal | others).items():
            if value:
                raise ParameterError(
                    f"The {name!r} parameter of plan must be left out beside --interval: what is "
                    "covered does not depend on it."
                )
        return True

    def plan(
        self, epsilon: str | None, n: str | None, evaluated: Evaluated, *, learned: bool, json: bool
    ) -> int:
        """Say what they need, and cover, as `fit` would refuse or certify them."""
        from littlestone.cli.terminal import facts
        from littlestone.data.targets import Count, Quantity, Target
        from littlestone.learners.boosting.values import HOLDOUT, INTERVAL_EVALUATION
        from littlestone.learners.models import COLUMNS
        from littlestone.planning import plan_interval
        from littlestone.report.html import number_of

        total: Fraction = check_fraction("plan", "epsilon", needed("plan", "epsilon", epsilon))
        total *= 1 - COLUMNS * learned
        share = self.holdout or str(HOLDOUT)
        target: Target | None = None
        if self.target is not None:
            high: Any = "1" if self.target == "quantity" else needed("plan", "high", self.high)
            target = Quantity(0, high) if self.target == "quantity" else Count(high)  # type: ignore[arg-type] # made exact there
        found = plan_interval(
            covered_share("plan", self.interval),
            n=None if n is None else whole("plan", "n", n),
            epsilon=total,
            holdout=share,
            evaluate=evaluated.part("plan", total, share, of_held_out=INTERVAL_EVALUATION),
            target=target,
        )
        if json:
            print(jsonlib.dumps(found.to_dict(), sort_keys=True))
            return 0
        own, least = found.conformal, number_of(found.required, "records")
        level = f"{float(1 - own.alpha):.4g}"
        facts([
            ("Needed", f"{least}, of which {share} are held out", ""),
            ("Drawn from", f"{number_of(own.m, 'records')}, for epsilon {own.epsilon}", ""),
            ("Covered", f"a new record, with probability {level} or more", ""),
            ("", f"{own.share():.3f} of all new ones, except with probability 5%", ""),
            *([("", "Not if fit learns the columns from these records, too: give a schema", "")]
              if learned else []),
        ])  # fmt: skip
        return 0
