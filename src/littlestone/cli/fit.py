"""``littlestone fit``: learn one hypothesis from a table and release it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from littlestone.cli.options import (
    AsJson,
    ClassSpec,
    Evaluated,
    Filed,
    Flag,
    Page,
    Paid,
    Records,
    Settings,
    Table,
    check_outputs,
    covered_share,
    label_list,
    learner_named,
    named_values,
    names,
    needed,
    open_class,
    open_schema,
    read_bounds,
    read_groups,
    read_signs,
    refuse_schema,
    shared,
    whole,
    write_page,
)
from littlestone.cli.terminal import caution, counting, facts, note, printed, progress_of, table
from littlestone.errors import (
    ParameterError,
    StoreError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.classes import ConceptClass
    from littlestone.costs import Costs
    from littlestone.data import Schema
    from littlestone.learners.fit import Fit
    from littlestone.learners.release import Release
    from littlestone.learners.task import Protocol
    from littlestone.planning import Rehearsal
    from littlestone.privacy import Ledger
    from littlestone.types import Json


#: What says what is predicted, if that is no label.
_TARGET = ("target", "low", "high", "loss", "quantile", "time", "event", "event_is", "periods")
#: What a class has no use for, and what to do instead.
_NOT_OF_CLASSES = {
    "inference": "",
    "monotonic": 'Write it in the schema: monotone = "increasing".',
    "bounds": "A class is about the columns of its --schema.",
}
_SUMS = ("auto", "boosted", "scorecard", "linear")


def _refuse(why: str, given: Json) -> None:
    """Refuse what is not for this kind of fit."""
    for name, value in given.items():
        if value:
            raise ParameterError(f"The {name!r} parameter of fit is {why}")


@shared
class Typed(Records, Table, Evaluated):
    """What is to be fitted.

    Parameters
    ----------
    y:
        Column of labels, or of the quantity or count (--target).
    epsilon:
        Privacy loss of the whole fit, as a number or a fraction such as 1/2. A smaller epsilon
        protects more; 1 is a common choice.
    delta:
        Delta of the privacy guarantee, for example 1e-6. Linear models and the learners vc1 and
        littlestone need it. With it, boosted trees and scorecards use more trees, and text columns
        can be learned without a --schema.
    alpha:
        Accuracy to certify, for rules, trees and classes with a certificate: the largest excess of
        the error rate over that of the best concept of the class. Privacy does not depend on it.
    beta:
        Largest probability that the excess error rate is above --alpha. Privacy does not depend on
        it.
    model:
        Family of models. The default, auto, chooses a linear model for labels if --delta is given
        and there are at least 8 columns and few records. Few means that the number of records times
        epsilon is below 1,000, or below 100 times the number of columns if that is larger.
        Otherwise it chooses a scorecard for labels if columns are declared monotone, and boosted
        trees in all other cases. With a public schema, rules and trees have a certificate of
        accuracy before any data are seen.
    bounds:
        Without --schema: ranges of numeric columns, from public knowledge, such as
        "age=0:120,income=0:1000000".
    inference:
        Report log odds ratios with confidence intervals for at most six columns of the --schema,
        such as age,sex. They come from a logistic regression, which is fitted in addition to
        --model linear and takes half of its privacy budget.
    monotonic:
        For linear models and scorecards: columns of the --schema along which the predicted risk
        must not decrease (1) or must not increase (-1), such as "age=1,bmi=-1".
    concept_class:
        Instead of --model: the concept class (the set of functions to choose from), for example
        "thresholds(1, 99)" or "decision_trees(depth=3)".
    target:
        Kind of --y, if it does not contain labels: a quantity in a public range, or a count.
    low:
        With --target quantity: the lower end of the public range, by default 0. Lower values are
        raised to it.
    high:
        With --target: the upper end of the public range; higher values are lowered to it. Take it
        from general knowledge, not from these records. In tests at epsilon 1, a range ten times too
        wide lowered R2 by at most 0.055. With --time, see --periods.
    loss:
        What to predict with --target quantity: a robust mean (huber), the mean of positive amounts
        (gamma), the median (absolute) or the --quantile. The default is huber, or gamma if --low is
        at least 0 and the upper quartile is at least twice the median.
    quantile:
        With --target quantity: predict this quantile, for example 0.9.
    time:
        Instead of --y: column of the times until the --event or censoring.
    event:
        With --time: column of the event indicator, 1 for an observed event and 0 for a censored
        time.
    event_is:
        With --time: the value of --event that means an event, if it is not 1 (in R often 2).
    periods:
        With --time: the public ends of the periods, for example 12,24,36; or the number of equal
        periods up to --high.
    public:
        Table of public, unlabelled rows, instead of --schema. Columns with the same names take
        their bins from the quantiles of its numbers, and their categories from its texts. For the
        classes thresholds and intervals, the values in its column --x are the candidate end points.
        Nothing in this table is protected, and it must contain no private record.
    bins:
        With --public: the largest number of bins per column, by default 20. More bins approximate
        the numbers better, but give the learner more candidates.
    shift:
        With --public and --class: the assumed difference between the populations, as RHO,TAU. The
        probability of any set in the population of the records is assumed to be at most RHO times
        its probability in the population of the public rows, plus TAU. The default is 1,0, which
        means the same population. The certificate relies on this assumption, which is not checked.
        With "none", nothing is assumed, and the certificate compares the model with the best
        candidate only.
    samples_per_user:
        With --user, for rules, trees and classes with a certificate: the number of records to read
        per user, chosen at random. It is public, so do not take it from the data. Other models read
        all records of a user.
    costs:
        For rules, trees and classes with a certificate: public costs of misclassifying each label,
        for example "no=1,yes=9", not taken from these records. The learner then minimizes the mean
        cost, and --alpha is a proportion of the largest cost.
    labels:
        Instead of --positive: the public list of the labels, separated by commas, for example
        a,b,c. Any other value of --y counts as an error of every model. With two labels and no
        --class, however, the second is the positive one, and any other value is read as the first.
        More than two labels are possible with finite classes and with all models except rules.
    require_certificate:
        For rules and trees with a public schema, and classes with a certificate: release nothing
        (exit code 3) if there are too few records to certify --alpha and --beta.
    interval:
        For boosted trees, scorecards and linear models, but not with --time: coverage on new
        records, for example 90%, of prediction intervals for quantities and counts or prediction
        sets for labels. They are calibrated on held-out records, which are a fifth of all records
        unless --holdout gives another proportion.
    holdout:
        Hold out this proportion of the records, for example 0.2. Nothing is learned from them; the
        model is evaluated on them, with an upper bound on its error rate on new records. The
        evaluation gets all of epsilon unless --evaluate or --interval leaves it less, because no
        record is used twice. By default, boosted trees, scorecards and linear models hold out the
        proportion 1000 / (n epsilon) of the n records, limited to the range from 0.1 to 0.3 and to
        20,000 records. They hold out none if n epsilon is below 500, and other models hold out
        none.
    by:
        Also evaluate at most 8 groups of the held-out records. They are formed by columns of the
        --schema, separated by commas, or by a separate schema (groups.toml). The columns need not
        be predictors. Results for groups are less precise, because a group has fewer records and
        the same noise.
    like:
        Instead of --schema: use the schema of this model file (JSON), for example last year's
        model.
    schema:
        TOML file with the public schema: the columns, their bins and categories. It is needed for
        classes such as rules and, without a --class, for --strict and --user. It can be replaced by
        --public or --like.
    """

    y: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    alpha: str = "0.1"
    beta: str = "0.05"
    model: Literal["auto", "rule", "tree", "scorecard", "linear", "boosted"] | None = None
    bounds: str | None = None
    inference: str | None = None
    monotonic: str | None = None
    concept_class: ClassSpec | None = None
    target: Literal["quantity", "count"] | None = None
    low: str | None = None
    high: str | None = None
    loss: Literal["huber", "gamma", "absolute", "quantile"] | None = None
    quantile: str | None = None
    time: str | None = None
    event: str | None = None
    event_is: str | None = None
    periods: str | None = None
    public: str | None = None
    bins: str | None = None
    shift: str | None = None
    samples_per_user: str | None = None
    costs: str | None = None
    labels: str | None = None
    require_certificate: Flag = False
    interval: str | None = None
    holdout: str | None = None
    by: str | None = None
    like: str | None = None

    def parsed(
        self,
        data: str,
        *,
        learner: str = "auto",
        settings: Settings = None,
        agnostic: bool = False,
    ) -> Fit:
        """Return what was typed, parsed: public things only."""
        from littlestone.learners.fit import Fit
        from littlestone.learners.task import Labels

        spec, costs, labels = self.concept_class, self.costs, self.labels
        named = {"agnostic": agnostic, "learner": learner != "auto"}
        needed("fit", "epsilon", self.epsilon)
        if spec is not None and self.model is not None:
            raise ParameterError(
                "fit takes --class or --model, not both: a model is a family of classes."
            )
        columns = self.schema if self.like is None else self._columns_like(self.like)
        chosen, target = names("fit", "x", self.x), self._target()
        label = self.time if self.y is None else self.y
        if label is None:
            raise ParameterError(
                "fit needs --y, for example --y adult: the column of labels. For times, use --time "
                "and --event. See littlestone fit --help."
            )
        if target:
            of_labels = ("samples_per_user", "costs", "labels", "require_certificate", "shift")
            of_labels += ("positive", "negative", *(() if spec is None else ("public", "bins")))
            _refuse(
                "for labels: leave it out with --target or --time.",
                named | {name: getattr(self, name) for name in of_labels},
            )
        listed = label_list("fit", labels, positive=self.positive or self.negative)
        rule: Any = {} if target or listed is not None else self.label_rule("fit")
        two = Labels(None if listed is None else tuple(listed), **rule)
        if self.positive is None and listed is None and not self.strict:
            two = Labels()  # 1, or what is equal to it
        options: Json = {} if costs is None else {"costs": self._costs(costs, listed)}
        if listed is not None and len(listed) == 2 and spec is None:  # as in ls.fit
            other = listed[0] if self.strict else None
            two, listed = Labels(None, tuple(listed), listed[1], other), None
        if spec is None:
            _refuse(
                "for a --class. Leave it out, or give a --class instead of a --model.",
                {"set": settings, "shift": self.shift} | named,
            )
            if costs is not None and self.model not in ("rule", "tree"):
                raise ParameterError(
                    "The 'costs' parameter of fit is for the models that minimize costs: rule "
                    "and tree. Use --model tree, for example."
                )
        self._check_public(columns)
        concepts, public = None, None
        if spec is None:
            public = open_schema(columns, chosen)
        else:
            concepts, public, of_points = self._opened(spec, data, label, chosen, listed)
            options |= of_points
        sums = (self.model or "auto") in _SUMS if concepts is None else bool(concepts.learned_by)
        if not sums and self.user is not None and (listed is not None or costs is not None):
            raise ParameterError(
                "--labels or --costs cannot be combined with the protection of users (--user): "
                "name the positive label (--positive), or leave out --user and give a table with "
                "one record of each user."
            )
        return Fit(
            y=self.y, epsilon=self.epsilon, delta=self.delta, target=target, labels=two,
            evaluate=self.asked("fit"), holdout=self.holdout,
            interval=covered_share("fit", self.interval),
            by=read_groups("fit", self.by, open_schema(columns)),
            schema=public, columns=chosen, bounds=read_bounds("fit", self.bounds),
            public=None if concepts is not None else self.public,
            bins=self._most_bins(), model=self.model or "auto", concepts=concepts, user=self.user,
            samples_per_user=None if self.samples_per_user is None
            else whole("fit", "samples_per_user", self.samples_per_user),
            learner=learner, options=options, agnostic=agnostic,
            alpha=self.alpha, beta=self.beta, certified=self.require_certificate,
            strict=self.strict,
            monotonic_cst=read_signs("fit", self.monotonic),
            inference=names("fit", "inference", self.inference),
            make=learner_named("fit", learner, settings) if settings or "." in learner else None,
            csv=self.format("fit", data, public),
        )  # fmt: skip

    def _target(self) -> Json:
        """Return what is predicted, if that is no label, as `Fit` takes it."""
        each = {name: getattr(self, name) for name in _TARGET}
        if self.periods is not None and self.high is None:
            each["periods"] = [end.strip() for end in self.periods.split(",")]
        return {name: value for name, value in each.items() if value is not None}

    def _most_bins(self) -> int:
        return 20 if self.bins is None else whole("fit", "bins", self.bins)

    def _columns_like(self, model: str) -> Schema:
        """Return the columns of a model file."""
        from littlestone.learners.release import Release

        if self.schema is not None or self.concept_class is not None:
            raise ParameterError("fit takes only one of --like, --schema and --class.")
        columns = Release.read(model).concept_class.row_schema
        if columns is None:
            raise parameter_error("fit", "like", "a model of the columns of a table", model)
        return columns

    def _check_public(self, columns: object) -> None:
        """Refuse options about public rows that do not go together."""
        if self.public is None:
            for name in ("bins", "shift"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"The '--{name}' option of fit needs --public FILE.")
        elif columns is not None:
            raise ParameterError(
                "fit takes --schema or --public, not both: the bins come from the public rows. "
                "Schema.from_public(table).to_toml() writes them as a schema."
            )

    def _opened(
        self, spec: str, data: str, label: str, x: list[str] | None, labels: list[str] | None
    ) -> tuple[ConceptClass, Schema | None, Json]:  # fmt: skip
        """Return the class of ``--class``, its schema, and options of its learner."""
        from littlestone.classes.spec import needs_schema
        from littlestone.data import OUTSIDE, read_table
        from littlestone.data.domains import require_columns
        from littlestone.data.draft import beside, cells_of, refuse_same

        for name, hint in _NOT_OF_CLASSES.items():
            if (value := getattr(self, name)) is not None:
                raise parameter_error("fit", name, "left out with a --class", value, hint)
        target = self._target()
        if target and self.schema is None:
            raise ParameterError(
                "A --class for a --target needs a public --schema of the columns; `littlestone "
                "schema new TABLE` drafts one. Without --class, the columns are learned from the "
                "records."
            )
        form, schema = self.written("fit"), None
        options: Json = {}
        if self.shift is not None:
            options["shift"] = None if self.shift == "none" else self.shift.split(",")
        if self.public is not None and needs_schema(spec):
            ys = [label, self.user]
            schema = beside(data, self.public, ys, x, self._most_bins(), form, "fit")
        elif self.bins is not None:
            raise ParameterError("The 'bins' option of fit is for rules and trees.")
        concepts, public = open_class(spec, schema or self.schema, x, labels)
        if self.public is not None and schema is None:
            refuse_same(data, self.public, "fit")
            opened = read_table(self.public, csv=form, caller="fit")
            if x is None or len(x) != 1:
                hint = "Name it with --x."
                raise parameter_error("fit", "x", f"one column for {concepts.spec}", x, hint)
            require_columns(x, opened.names, "fit")
            cells = map(concepts.domain.cell, cells_of(opened, x[0], "fit", x))
            options["public"] = [point for point in cells if point is not OUTSIDE]
        if target and not concepts.learned_by:
            raise ParameterError(
                "Quantities, counts and times are learned by --model boosted or scorecard, or by "
                "--class boosted_trees(depth=2) or scorecard."
            )
        refuse_schema(concepts, public)
        return concepts, concepts.row_schema, options

    def _costs(self, text: str, labels: list[str] | None) -> Costs:
        """Return the costs of ``--costs "no=1,yes=9"``."""
        from littlestone.costs import Costs

        if labels is not None:
            like = ",".join(f"{label}=1" for label in labels)
            costs = named_values("fit", "costs", text, like) or {}
            if sorted(costs) != sorted(labels):
                rule = "a cost for each label of --labels"
                raise parameter_error("fit", "costs", rule, text, f'For example "{like}".')
        else:
            positive = self.positive or "1"
            like = f'"{self.negative or "other"}=1,{positive}=9", for the label {positive} and the '
            like += "other"
            hint = (
                "--positive names the label that means 1; --labels lists all labels, if there are "
                "more than two."
            )
            costs = named_values("fit", "costs", text, like, hint=hint) or {}
            labels = [self.negative or next(iter(costs.keys() - {positive}), ""), positive]
            if sorted(costs) != sorted(labels):
                raise parameter_error("fit", "costs", f"of the form {like}", text, hint)
        by_code = {code: costs[label] for code, label in enumerate(labels)}
        return Costs.of(by_code, labels=len(labels), caller="fit")


def fit(
    data: str,
    /,
    *,
    typed: Typed = Typed(),
    learner: str = "auto",
    settings: Settings = None,
    agnostic: Flag = False,
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

    A table, --y and --epsilon are enough: public rules choose the options that you omit, and the
    choices are printed first, with their costs.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database, such
        as postgresql://host/db?table=t.
    learner:
        Learning algorithm for --class. generic is certified for realizable labels, which means that
        some concept of the class makes no errors; agnostic is certified for any labels. vc1 (for
        huge domains) and littlestone (for classes that cannot be listed, such as sets of texts) are
        certified for realizable labels, and need a --delta. auto takes the algorithm that needs the
        fewest records among those certified for any labels; `littlestone plan` compares them with
        the others, which may need far fewer. Algorithms of the papers have names such as
        lyu.theorem3 (`littlestone papers`).
    agnostic:
        Convert a --learner for realizable labels into one that is certified for any labels. The
        records are first relabelled privately by a concept of the class.
    weights:
        Not supported, because a record of weight w would count w times and have a privacy loss of w
        times epsilon.
    protocol:
        Run the protocol that `littlestone rehearse --out` wrote. Options that define the fit, such
        as --epsilon, must then be omitted. The release record contains the hash of the protocol.
    out:
        Write the model (JSON) to this file, replacing any existing file.
    release:
        Write the model, the page, the record, the schema and a README with hashes to this folder,
        which must be new or empty.
    """
    from littlestone.learners.base import no_argument, weaknesses
    from littlestone.learners.fit import asked_by
    from littlestone.learners.task import Protocol
    from littlestone.report.evaluated import summary

    if weights is not None:
        raise ParameterError(no_argument("littlestone", "weights"))
    check_outputs(
        "fit", data, typed.schema, typed.like, typed.public, paid.ledger, protocol,
        out=out, report=report, record=filed.record,
    )  # fmt: skip
    _check_folder(release, paid)
    source, written = filed.source("fit", paid), None
    if protocol is None:
        asked = typed.parsed(data, learner=learner, settings=settings, agnostic=agnostic)
    else:
        written, usual = Protocol.read(protocol), vars(Typed())
        loose: Json = {"settings": settings, "agnostic": agnostic}
        loose |= {"learner": None if learner == "auto" else learner}
        loose |= {name: v for name, v in vars(typed).items() if v != usual[name]}
        written.check_alone(name for name, value in loose.items() if value)
        asked = asked_by(written, data)
    budget = paid.budget("fit")

    def say(name: str, text: str) -> None:
        if not json and asked.concepts is None:
            facts([(name, text)])

    planned = asked.plan(data, source, ledger=budget, say=say)
    with progress_of("Choosing"):
        released = planned.run(
            source, ledger=budget, said=lambda promised, n: caution(weaknesses(promised, n))
        )
    released = released if written is None else written.signed(released)
    _write(released, out, report, filed, release, written=written)
    if json:
        print(released.to_json())
        return 0
    written_to = (
        ("Model", out), ("Page", report), ("Record", filed.record), ("Folder", release),
        ("Budget", _left(budget)),
    )  # fmt: skip
    facts([*summary(released), *((name, what) for name, what in written_to if what)])
    return 0


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


def _write(
    release: Release, out: str | None, report: str | None, filed: Filed, folder: str | None,
    *, written: Protocol | None,
) -> None:  # fmt: skip
    """Write what is asked for; what cannot be written is printed."""
    from littlestone.report import write_folder

    try:
        if folder is not None:
            write_folder(release, folder, protocol=None if written is None else written.to_json())
        if out is not None:
            write_text(out, release.to_json() + "\n")
        write_page(report, release)
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


# -- ``littlestone rehearse``: how good a private fit will be, found on public rows.


@shared
class Asked(Typed):
    """What is to be fitted.

    Parameters
    ----------
    epsilon:
        Privacy loss of the fit, or several values to compare, such as .5,1,2. With --aim and
        --records it may be omitted, and the smallest sufficient value is then searched for.
    x:
        Predictor columns, separated by commas. By default, those of the schema or, without a
        schema, all columns except those whose names suggest an identifier or free text.
    high:
        With --target: the upper end of the public range; higher values are lowered to it. Take it
        from general knowledge, not from the private records. In tests at epsilon 1, a range ten
        times too wide lowered R2 by at most 0.055. With --time, see --periods.
    delta:
        Delta of the privacy guarantee, for example 1e-6. Linear models need it. With it, boosted
        trees and scorecards use more trees, and text columns can be learned without a --schema.
    schema:
        TOML file with the public schema: the columns, their bins and categories. It is needed
        without TWIN, and for --strict and --user. It can be replaced by --like or, with TWIN, by
        --public.
    public:
        Table of public, unlabelled rows, instead of --schema. Columns with the same names take
        their bins from the quantiles of its numbers, and their categories from its texts.
    labels:
        Instead of --positive: the public list of the labels, separated by commas, for example
        a,b,c. Any other value of --y counts as an error of every model. With two labels, however,
        the second is the positive one, and any other value is read as the first. Rules have two
        labels only.
    samples_per_user:
        With --user, for rules and trees: the number of records to read per user, chosen at random.
        It is public, so do not take it from the data. Other models read all records of a user.
    costs:
        For rules and trees: public costs of misclassifying each label, for example "no=1,yes=9".
        The learner then minimizes the mean cost, and --alpha is a proportion of the largest cost.
    require_certificate:
        For rules and trees with a public schema: release nothing if there are too few records to
        certify --alpha and --beta.
    """

    epsilon: str | None = None
    # these two are answered by an error that teaches
    concept_class: Annotated[str | None, Parameter(name="--class", show=False)] = None
    shift: Annotated[str | None, Parameter(show=False)] = None


@shared
class Guesses:
    """A population that is simulated, where there is no twin.

    Parameters
    ----------
    best:
        Without TWIN: a guess at the AUROC of the best model without privacy (R2 for quantities,
        concordance for times).
    share:
        Without TWIN: a guess at the proportion of records with label 1, or with an event.
    single:
        Without TWIN: a guess at the AUROC (R2, concordance) of the best single column.
    third:
        Without TWIN: a guess at the same measure for the third-best single column.
    """

    best: str | None = None
    share: str | None = None
    single: str | None = None
    third: str | None = None


def rehearse(
    twin: str | None = None,
    /,
    *,
    typed: Asked = Asked(),
    n: Annotated[str | None, Parameter(name="--records")] = None,
    aim: str | None = None,
    chance: str = "0.8",
    guesses: Guesses = Guesses(),
    runs: str = "20",
    jobs: str | None = None,
    seed: int = 0,
    out: str | None = None,
    report: Page = None,
    json: AsJson = False,
) -> int:
    """Estimate how good a fit will be by running it repeatedly on PUBLIC rows.

    TWIN must be a public table that resembles the private one, such as last year's published table.
    Nothing in it is protected. Without TWIN, a population is simulated from a --schema and guesses
    (--best, --share). If --holdout has several values, such as 0.1,0.2, they are compared.

    Parameters
    ----------
    twin:
        Public table like the private one (its "twin"): a Parquet or CSV file, or the URL of a table
        in a database.
    n:
        Number of records of the fit (of users, with --user), or several numbers to compare, such as
        1000,5000. Each run learns from this many, drawn from four fifths of TWIN (without
        replacement if there are enough), and is evaluated on the remaining fifth. With --aim and
        --epsilon it may be omitted, and the smallest sufficient number is then searched for.
    aim:
        Performance that the model should reach, such as "auroc >= .75". Other measures are
        log_loss, error, r2, mae, concordance and coverage. If --records or --epsilon is omitted, it
        is searched for; the exit code is 3 if 10,000,000 records, or an epsilon of 100, are not
        enough.
    chance:
        With --aim: the probability with which a fit should reach it.
    runs:
        Smallest number of runs. More follow, up to 100, until the 95% margin of error of the mean
        of the first measure is at most 0.01. With --aim, each value that is tried gets 40 to 400
        runs instead.
    jobs:
        Number of parallel processes, by default one per core.
    seed:
        Seed for drawing the rows and for the fits, all of which are public.
    out:
        Write the protocol, which fixes everything that the fit will do, to this file (JSON) for
        `littlestone fit --protocol`. A protocol needs one number of records and one epsilon, or an
        --aim.
    """
    from littlestone.planning.rehearsal import rehearsed

    check_outputs("rehearse", twin, typed.schema, typed.public, out=out, report=report)
    if typed.concept_class is not None:
        raise ParameterError("rehearse takes a --model. For a --class, use littlestone plan.")

    def numbers(option: str, text: str | None, check: Callable[..., Any]) -> tuple[Any, ...]:
        several = names("rehearse", option, text, "numbers") or ()
        return tuple(check("rehearse", option, each) for each in several)

    epsilons = numbers("epsilon", typed.epsilon, check_fraction)
    sizes = numbers("records", n, whole)
    if aim is None and not (epsilons and sizes):
        raise ParameterError(
            "rehearse needs --epsilon and --records, such as --epsilon 1 --records 1000,5000; or "
            "one of the two and an --aim, such as --aim 'auroc >= .75'."
        )
    holdouts = numbers("holdout", typed.holdout, check_probability)
    made_up = twin is None and typed.y is None and typed.time is None
    fit = replace(
        typed,
        y="label" if made_up else typed.y,
        epsilon=str(epsilons[0]) if epsilons else "1",
        holdout=str(holdouts[0]) if holdouts else None,
    ).parsed(twin or "-")
    if twin is not None and not json:
        caution([f"{twin} is treated as public: nothing in it is protected."])
    with counting("Rehearsing") as progress:
        found = rehearsed(
            fit, twin, epsilons, sizes if aim is None else (), holdouts=holdouts,
            runs=whole("rehearse", "runs", runs), guesses=vars(guesses),
            n_jobs=None if jobs is None else whole("rehearse", "jobs", jobs),
            random_state=check_integer("rehearse", "seed", seed, low=0), progress=progress,
        )  # fmt: skip
        if aim is not None:
            found = replace(found, records=sizes).aimed(aim, chance)
    if out is not None:
        found.protocol().save(out)
    write_page(report, found)
    if printed(found, json=json):
        return 0
    _show_rehearsal(found)
    if out or report:
        facts([(name, what) for name, what in (("Protocol", out), ("Page", report)) if what])
    return 0


def _show_rehearsal(found: Rehearsal) -> None:
    """Print a row for each measure of each size, and what it needs."""
    more = any(cell.variant for cell in found.cells)
    rows = [
        (
            f"{cell.records:,}", f"{float(cell.epsilon):g}", name, f"{mean} ± {reach}", band, free,
            *[cell.variant] * more,
        )
        for cell in found.cells for name, mean, reach, band, free in cell.rows
    ]  # fmt: skip
    columns = ["records", "epsilon", "measure", "mean of runs", "10th to 90th percentile"]
    table(found.title, [*columns, "without privacy", *["variant"] * more], rows)
    for line in found.notes:
        note(line)
