"""A table, a label and an epsilon are enough: what ``littlestone fit`` and `fit` decide themselves.

Columns, family of models, evaluation: each by a public rule, each said before anything is drawn,
with what it costs (`decide`). Public are the names of columns, declared types, the number of
records, and what was released before: the schema, where it is learned.

A new family of models is one line of `MODELS`, and where its learner has an estimator of its own,
one in `Decided.estimator`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Never

from littlestone.classes import (
    BoostedTreeClass,
    ConceptClass,
    DecisionTrees,
    LinearClass,
    RuleLists,
    Rules,
    ScorecardClass,
)
from littlestone.data.cells import check_labels
from littlestone.data.schema import RESERVED, Schema
from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_probability,
    counted,
    exact_value,
    parameter_error,
)
from littlestone.learners.base import DELTA, no_argument
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.boosting.values import HOLDOUT, INTERVAL_EVALUATION, check_loss, planned
from littlestone.learners.linear import Linear, auto_takes
from littlestone.learners.linear.inference import SHARE, usually
from littlestone.learners.linear.learner import NO_DELTA
from littlestone.learners.release import absent_label
from littlestone.learners.running import held_out_of
from littlestone.privacy import Guarantee, Ledger, check_ledger
from littlestone.source import source_of

if TYPE_CHECKING:
    from littlestone.data.tables import Table
    from littlestone.learners.sklearn_base import PrivateEstimator


# -- What ``fit`` learns that is no label: a quantity, a count, or a time until an event.


@dataclass(frozen=True)
class Wanted:
    """A target, the loss that is minimized, and of a time the column of events; public."""

    target: Target
    loss: str = "auto"
    quantile: Fraction | None = None
    event: str | None = None


def wanted(
    caller: str,
    y: Any,
    *,
    target: str | None = None,
    low: Any = None,
    high: Any = None,
    loss: str | None = None,
    quantile: Any = None,
    time: str | None = None,
    event: str | None = None,
    event_is: Any = None,
    periods: Any = None,
) -> Wanted | None:
    """Return the target that these parameters of ``fit`` name; None for labels.

    Examples
    --------
    >>> wanted("fit", "price", target="quantity", high=20000).target
    Quantity(low=Fraction(0, 1), high=Fraction(20000, 1), cells=10000)
    >>> wanted("fit", None, time="months", event="died", periods=2, high=24).target.ends
    (Fraction(12, 1), Fraction(24, 1))
    """
    given = {
        "target": target, "low": low, "high": high, "loss": loss, "quantile": quantile,
        "time": time, "event": event, "event_is": event_is, "periods": periods,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None
    if target is None and time is None:
        raise ParameterError(
            f"The {next(iter(given))!r} parameter of {caller} is for what is no label: say "
            'target="quantity" or "count", or time=, the column of times (--target, --time).'
        )
    if (y is None) == (time is None):
        raise ParameterError(
            f"{caller} needs y, the column of the target (--y), or time, one of times until an "
            "event (--time): one of the two."
        )
    if time is not None:
        _only(caller, given, "time=", "time", "event", "event_is", "periods", "high")
        if isinstance(time, str) and time == event:
            raise ParameterError(
                f"The time and the event of {caller} are two columns: how long, and what is 1 "
                "where the event ended it."
            )
        if event is None or periods is None:
            raise ParameterError(
                f"With a time, {caller} needs event, the column of events, and periods, their "
                "public ends, for example 12, 24, 36 (--event, --periods)."
            )
        ends = _ends(caller, periods, high)
        return Wanted(Periods(ends, 1 if event_is is None else event_is), event=event)
    if target not in ("quantity", "count"):
        raise parameter_error(caller, "target", "quantity or count", target)
    if high is None:
        raise ParameterError(
            f"With a target, {caller} needs high, the highest value that counts (--high): a public "
            "number, said from what is known of such values and not from this table."
        )
    if target == "count":
        _only(caller, given, "a count", "target", "high")
        return Wanted(Count(high))
    _only(caller, given, "a quantity", "target", "low", "high", "loss", "quantile")
    asked = Quantity(0 if low is None else low, high)  # type: ignore[arg-type] # made exact there
    chosen = loss or ("auto" if quantile is None else "quantile")
    return Wanted(asked, chosen, check_loss(caller, asked, chosen, quantile))


def _only(caller: str, given: Iterable[str], kind: str, *possible: str) -> None:
    for name in given:
        if name not in possible:
            raise ParameterError(f"The {name!r} parameter of {caller} does not go with {kind}.")


def _ends(caller: str, periods: Any, high: Any) -> tuple[Any, ...]:
    """Return the ends that were given, or so many equal periods up to ``high``."""
    if high is None:
        return periods  # type: ignore[no-any-return] # checked where they are used
    end, number = exact_value(high), exact_value(periods)
    if end is None or end <= 0:
        raise parameter_error(caller, "high", "a positive number", high)
    if number is None or number.denominator > 1 or not 1 <= number <= 100:
        wanted_number = "beside high a number of equal periods, from 1 to 100"
        raise parameter_error(caller, "periods", wanted_number, periods)
    return tuple(end * (i + 1) / number for i in range(int(number)))


#: Of epsilon, and of delta: for the columns, where no schema is given.
COLUMNS = Fraction(1, 5)
#: Of the epsilon of a fit, for the evaluation.
_EVALUATION = Fraction(1, 10)
_MOST_EVALUATION = Fraction(99, 100)
_USUAL = Fraction(1, 10**6)
#: With less the trees of sums are not drawn exactly.
_LEAST = Fraction(1, 10**5)

Labels = Sequence[Any] | None

#: Families of models, and their class over a schema. Who learns it: `ConceptClass.learned_by`, or
#: the certified learner that needs the fewest records.
MODELS: dict[str, Callable[[Schema, Labels], ConceptClass]] = {
    "rule": lambda schema, labels: _largest(lambda size: Rules(schema, size)),
    "list": lambda schema, labels: _largest(lambda size: RuleLists(schema, size, labels)),
    "tree": lambda schema, labels: _largest(lambda size: DecisionTrees(schema, size, labels)),
    "scorecard": lambda schema, labels: ScorecardClass(schema, labels=labels),
    "linear": lambda schema, labels: LinearClass(schema, labels=labels),
    "boosted": lambda schema, labels: _largest(
        lambda size: BoostedTreeClass(schema, size, labels=labels)
    ),
}
#: Those with a certificate before data, purely private; of a user they see so many records.
_CERTIFIED = ("rule", "list", "tree")
#: Sums of trees or tables; those that predict what is no label.
_SUMS = ("boosted", "scorecard", "linear")
_OF_TARGETS = ("boosted", "scorecard")

Say = Callable[[str, str], None]


@dataclass(frozen=True)
class Decided:
    """What was decided; the columns may have cost something, and nothing else has yet."""

    concept_class: ConceptClass
    schema: Schema  # its columns
    epsilon: Fraction  # of the fit
    delta: Fraction | None  # of the fit
    evaluate: Fraction | None  # a part of that epsilon
    wanted: Wanted | None = None  # where it is no label
    interval: Fraction | None = None  # the share of new records that intervals or sets are to cover
    inference: tuple[str, ...] | None = None  # the columns of coefficients with intervals

    def estimator(self, *, samples_per_user: Any = None, **parameters: Any) -> PrivateEstimator:
        """Return the estimator that learns it."""
        # scikit-learn takes a second
        from littlestone.learners.boosting.estimators import (  # noqa: PLC0415
            BoostedTrees,
            Scorecard,
            regressor,
        )
        from littlestone.learners.exponential.estimators import AgnosticLearner  # noqa: PLC0415
        from littlestone.learners.users.estimators import UserAgnosticLearner  # noqa: PLC0415

        concepts = self.concept_class
        parameters |= {"epsilon": self.epsilon}
        if samples_per_user is not None:
            parameters["samples_per_user"] = samples_per_user
            return UserAgnosticLearner(concepts, **parameters)
        parameters |= {"evaluate": self.evaluate}
        if not isinstance(concepts, BoostedTreeClass):
            return AgnosticLearner(concepts, **parameters)
        if concepts.lists_labels:
            parameters["labels"] = concepts.labels
        parameters |= {"delta": self.delta or 0, "interval": self.interval}
        if self.wanted is not None:
            return regressor(concepts, self.wanted, parameters)
        if isinstance(concepts, LinearClass):
            from littlestone.learners.linear.estimators import LinearClassifier  # noqa: PLC0415

            return LinearClassifier(concepts.schema, inference=self.inference, **parameters)
        if isinstance(concepts, ScorecardClass):
            return Scorecard(concepts.schema, **parameters)
        parameters["depth"] = concepts.depth
        return BoostedTrees(concepts.schema, **parameters)


def decide(  # noqa: PLR0915 - one decision after the other
    table: Any,
    *,
    y: Any,
    epsilon: Any,
    delta: Any = None,
    wanted: Wanted | None = None,
    interval: Any = None,
    schema: Schema | None = None,
    columns: Sequence[str] | None = None,
    bounds: Mapping[str, Any] | None = None,
    public: Any = None,
    bins: int = 20,
    model: str = "auto",
    labels: Labels = None,
    user: str | None = None,
    monotonic_cst: Any = None,
    inference: Sequence[str] | None = None,
    evaluate: Any = "auto",
    holdout: Any = None,
    ledger: Ledger | None = None,
    random_state: Any = None,
    csv: Any = None,
    caller: str = "fit",
    say: Say,
) -> Decided:
    """Decide by public rules, and learn the columns where no schema is given.

    Everything public is checked before that is paid for. ``say`` is given each decision (what is
    decided, in words), before the next thing is drawn. ``y`` is the column of labels, or of the
    target that is ``wanted``.
    """
    from littlestone.data.tables import read_table  # noqa: PLC0415 - engines are loaded late

    if not isinstance(y, str):
        hint = "Labels in an array of their own become one: table.assign(label=labels)."
        raise parameter_error(caller, "y", "the name of a column", type(y).__name__, hint)
    total = _checked_epsilon(caller, epsilon)
    model = "linear" if inference is not None and model == "auto" else model
    small = None if not delta else check_probability(caller, "delta", delta, hint=DELTA)
    _check_model(caller, model, labels, wanted=wanted, delta=small)
    if interval is not None:
        name = model if model != "auto" else choose(wanted)[0]
        interval = _checked_interval(caller, interval, name, wanted)
        holdout = holdout or HOLDOUT
    source_of(caller, random_state)
    if public is not None:
        event = None if wanted is None else wanted.event
        schema = _of_public(
            public, table, schema, [y, event, user], columns, bins, csv, caller, say
        )
    _check_columns(caller, schema, y, bounds, user)
    schema = _in_order(caller, schema, monotonic_cst)
    _check_inference(caller, inference, model, schema, labels, user)
    opened = read_table(
        table, csv=csv, declared=None if schema is None else schema.csv, caller=caller
    )
    opened.frame([y], caller)
    _check_numbers(caller, opened, y, wanted)
    if wanted is not None and wanted.event is not None:
        columns = _beside_times(caller, opened, y, wanted.event, columns, schema)
    # what learned columns leave; certified models use no delta
    left = total if schema is not None else total * (1 - COLUMNS)
    left_delta = None if small is None or model in _CERTIFIED else small * left / total
    how: Any = {"held_out": holdout is not None, "interval": interval}
    part = _evaluation(caller, evaluate, left, **how)
    held_out = None  # where users are protected the number of rows is secret
    if holdout is not None and user is None:
        rows = _learned_from(opened, y, caller, None)
        held_out = held_out_of(rows, holdout, interval=interval is not None)
    enough = partial(_check_enough, held_out, interval, wanted)
    if schema is not None:
        enough(left - (part or 0))
    else:
        both = Guarantee(total, small or Fraction(0), claim="dp.sum")
        check_ledger(ledger, caller, both, data=table)
        schema = _learned_columns(
            table, epsilon=total - left, delta=(small or Fraction(0)) - (left_delta or 0),
            ledger=ledger, random_state=random_state, say=say, caller=caller,
            most=len(columns or opened.names), check=partial(enough, left - (part or 0)),
            y=y, columns=columns, bounds=bounds, csv=csv,
        )  # fmt: skip
        if schema.proposal is None:  # they cost nothing
            left, left_delta = total, None if model in _CERTIFIED else small
            part = _evaluation(caller, evaluate, left, **how)
            enough(left - (part or 0))
    # how many units learn, where that is known before they are read
    uncertified = user is None and model not in _CERTIFIED
    n = _learned_from(opened, y, caller, holdout) if uncertified else None
    learns = left if holdout is not None else left - (part or 0)
    name, why = model, "asked for"
    if model == "auto":
        linear = auto_takes(len(schema), n, learns, left_delta)
        name, why = choose(wanted, linear=linear, ordered=schema.ordered)
    concepts = _concepts(name, schema, labels, wanted)
    say("Model", f"{concepts.spec} ({name}): {why}")
    more = "without it, all learns" if holdout is None else "of held-out records"
    if part is not None:
        say("Evaluation", f"epsilon {part} measures the error privately; {more}")
    if isinstance(concepts, BoostedTreeClass):
        say("Delta", _delta(concepts, left, left_delta, n))
    named = None if inference is None else tuple(inference)
    if named is not None:
        say("Coefficients", _coefficients(concepts, learns, left_delta, n, named))
    return Decided(concepts, schema, left, left_delta, part, wanted, interval, named)


def _of_public(  # noqa: PLR0917
    public: Any, table: Any, schema: Any, leave: list[str | None], columns: Sequence[str] | None,
    bins: int, csv: Any, caller: str, say: Say,
) -> Schema:  # fmt: skip
    """Return the columns of a public table; what is certified over them is about their bins."""
    from littlestone.data.draft import beside  # noqa: PLC0415 - engines are loaded late

    if schema is not None:
        hint = "Its rows would be the schema."
        raise parameter_error(caller, "public", "left out with a schema", "both", hint)
    found = beside(table, public, leave, columns, bins, csv, caller)
    assert found.public is not None
    rows = counted(found.public.points, "public rows")
    say("Columns", f"bins and categories of {rows}, which cost nothing")
    return replace(found, public=None)


def _in_order(caller: str, schema: Schema | None, signs: Any) -> Schema | None:
    """Return the schema with the order of its columns."""
    if signs is None or schema is not None:
        return schema if schema is None else schema.monotone(signs, caller)
    raise ParameterError(
        f"The 'monotonic_cst' parameter of {caller} needs a schema, or public rows: of columns "
        "that are learned from the records it is not known whether they are numbers."
    )


def _check_inference(  # noqa: PLR0917
    caller: str, names: Any, model: str, schema: Schema | None, labels: Labels, user: str | None
) -> None:
    """Refuse coefficients that there will not be, before anything is paid."""
    if names is None:
        return
    if model != "linear" or schema is None:
        what = "needs a schema" if model == "linear" else "is for the model linear"
        raise ParameterError(f"The 'inference' parameter of {caller} {what}.")
    # refuses what is no list of columns, and listed labels
    unit: Any = "records" if user is None else "users"
    Linear(LinearClass(schema, labels=labels), epsilon=1, delta=_USUAL, inference=names, unit=unit)  # type: ignore[arg-type]


def _coefficients(
    concepts: Any, epsilon: Fraction, delta: Fraction | None, n: int | None, names: Any
) -> str:
    """Say whether intervals are usually given at these public numbers."""
    assert delta is not None
    made = Linear(concepts, epsilon=epsilon, delta=delta, inference=names)
    usual = n is not None and usually(made.named, n, made.rho * SHARE)
    often = "are usually given" if usual else "are often hidden by the noise"
    return f"of {', '.join(names)}, for half of the privacy; at these numbers intervals {often}"


def _learned_columns(
    table: Any,
    *,
    epsilon: Fraction,
    delta: Fraction,
    ledger: Ledger | None,
    random_state: Any,
    say: Say,
    caller: str,
    most: int,
    check: Callable[[], None],
    **where: Any,
) -> Schema:
    """Learn at most so many columns; if public reasons forbid it return standard ones, free.

    ``check`` is called before anything is paid.
    """
    from littlestone.data.proposal import MOST_EDGES, prepare, standard  # noqa: PLC0415 - late

    bins = min(8, MOST_EDGES // (2 * most))  # a column has at most twice as many
    if bins < 2:
        raise ParameterError(
            f"The table given to {caller} has {most:,} columns; at most {MOST_EDGES // 4:,} are "
            "learned from. Name those that matter in a schema of public bins and categories "
            "(`littlestone schema new`)."
        )
    ready = prepare(
        table, bins=bins, epsilon=epsilon, delta=delta, header_is_public=True, ledger=ledger,
        random_state=random_state, caller=caller, **where,
    )  # fmt: skip
    problem = ready.problem
    if problem is not None:
        found = standard(table, caller=caller, **where)
        if found is None:
            raise problem
        more = ""
        if isinstance(problem, InfeasibleError):
            more = (
                f". To learn columns takes {problem.n_needed:,} records here, more epsilon, a "
                "delta or fewer columns; public bins and categories serve better (littlestone "
                "schema new)"
            )
        say("Columns", f"standard bins of numbers, which cost nothing; texts are not read{more}")
        return found
    check()
    spent = f"epsilon {epsilon}" + (f" and delta {float(delta):g}" if delta else "")
    texts = "" if delta else "; texts need a delta, and are left out"
    say(
        "Columns",
        f"learned from the records, for {spent} of the whole{texts}. A schema of public bins and "
        "categories costs nothing (littlestone schema new)",
    )
    schema = ready.learn(ledger)
    assert schema.proposal is not None
    if schema.proposal.left_out:
        unknown = ", ".join(schema.proposal.left_out)
        say("Left out", f"{unknown}: nothing was found of them at this epsilon and delta")
    return schema


def _concepts(name: str, schema: Schema, labels: Labels, wanted: Wanted | None) -> ConceptClass:
    concepts = MODELS[name](schema, labels)
    if wanted is None:
        return concepts
    assert isinstance(concepts, BoostedTreeClass)
    return concepts.of_target(wanted.target)


def choose(
    wanted: Wanted | None = None, *, linear: bool = False, ordered: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the family that ``auto`` takes, and why; no privacy depends on it (docs/models.md).

    ``linear`` is what `auto_takes` says of a label; ``ordered`` are columns that models keep in
    order.
    """
    if wanted is not None:
        return "boosted", f"sums of trees predict a {wanted.target.kind}; a scorecard does, too"
    if linear:
        return "linear", "ranks best where records are few (docs/linear.md)"
    if ordered:
        return "scorecard", f"keeps the order along {', '.join(ordered)}"
    return "boosted", "ranks best on most tables (docs/models.md)"


def fit(
    table: Any,
    *,
    y: str | None = None,
    epsilon: Any,
    delta: Any = None,
    target: str | None = None,
    low: Any = None,
    high: Any = None,
    loss: str | None = None,
    quantile: Any = None,
    interval: Any = None,
    time: str | None = None,
    event: str | None = None,
    event_is: Any = None,
    periods: Any = None,
    schema: Schema | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    public: Any = None,
    model: str = "auto",
    labels: Labels = None,
    user: str | None = None,
    samples_per_user: Any = None,
    monotonic_cst: Mapping[str, int] | None = None,
    inference: Sequence[str] | None = None,
    ledger: Ledger | None = None,
    evaluate: Any = "auto",
    random_state: int | None = None,
    **other: Never,
) -> Any:
    """Learn a private model of a table; only the label and epsilon are required.

    Parameters
    ----------
    table : path, data frame, or relation
        As for `Sample.read`.
    y : str
        Column of labels, or of the target.
    epsilon : number > 0
        Of everything together. No default.
    delta : number in [0, 1), optional
        1e-6 allows more trees; where the columns are learned, categories need it.
    target : {"quantity", "count"}, optional
        What ``y`` is, if it is no label.
    low, high : number, optional
        With ``target``: the public range; values beyond count as its ends. Say it from what is
        known of such values: ten times too wide costs little. ``low`` is 0 by default.
    loss : {"huber", "absolute"}, optional
        Of a quantity: means (the default) or medians.
    quantile : float in (0, 1), optional
        Of a quantity: predict this quantile.
    interval : float in (0, 1), optional
        Intervals around quantities and counts, or sets of labels, that cover this share of new
        records, from a fifth of the records, which nothing is learned from.
    time, event : str, optional
        Instead of ``y``: columns of a time, and of what is 1 where the event ended it.
    event_is : number or str, optional
        With ``time``: the cell of ``event`` that means an event, if it is not 1 (in R often 2).
    periods : sequence of numbers, or int, optional
        With ``time``: the public ends of the periods; or, with ``high``, how many equal ones.
    schema : Schema, optional
        Public columns. Without one a fifth of epsilon and delta learns them from the records; of
        few records numbers get standard bins, at no cost.
    bounds : mapping from names to pairs (low, high), optional
        Without a schema: between which numbers columns are known to lie, from public knowledge,
        such as ``{"age": (0, 120)}``.
    public : path, data frame, or relation, optional
        Instead of a schema: public unlabelled rows, none of them a record of the table. Columns of
        the same names get the quantiles of its numbers as bins, its texts as categories.
    model : {"auto", "rule", "list", "tree", "scorecard", "linear", "boosted"}
        The family. Rules, lists and trees have a certificate of accuracy before data.
    labels : sequence, optional
        Public labels, by default (0, 1). Of two, the second one is the positive one, and all other
        cells are the first; more are listed, and a cell that is none of them counts as wrong.
    user : str, optional
        Column that names the user of each record: protects users, with a schema.
    samples_per_user : int >= 1, optional
        With ``user``, of rules, lists and trees: how many records of each are looked at (public).
    monotonic_cst : mapping from names to 1 or -1, optional
        Columns of the schema along which a linear model or scorecard only rises, or falls.
    inference : sequence of str, optional
        At most six columns of the schema: coefficients with intervals (``conf_int``), of a
        regression beside a linear model, for half of its privacy.
    ledger : Ledger, optional
        The budget of these records.
    evaluate : number, "auto" or None
        The part of epsilon that measures the error; by default a tenth of what learns.
    random_state : int, optional
        An int is reproducible, and NOT private.

    Returns
    -------
    PrivateClassifier, PrivateRegressor or BoostedTreesSurvival
        Fitted: ``predict``, ``release_``, ``evaluation_``, ``save``.

    Warns
    -----
    UserWarning
        Perhaps no record has the positive label, by the evaluation.

    Raises
    ------
    ParameterError, DataError
        Before anything is drawn or spent.
    InfeasibleError
        Too few records to learn columns from, and all of them are declared as texts.
    BudgetError
        The ledger does not pay.

    Guarantee
    ---------
    (epsilon, delta)-DP under replace-one: the schema's and the release's add up. Under user-replace
    with ``user``.

    Notes
    -----
    What is decided is logged (``logging.getLogger("littlestone")``), each before it is drawn.

    Examples
    --------
    >>> import littlestone as ls
    >>> table = {"age": [25, 70, 45, 65] * 500, "ill": [0, 1, 0, 1] * 500}
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> made = ls.fit(table, y="ill", epsilon=1, schema=schema, random_state=0)
    >>> made.predict({"age": [20, 80]})
    array([0, 1])
    >>> costs = table | {"cost": [100, 900, 300, 900] * 500}
    >>> made = ls.fit(costs, y="cost", target="quantity", high=2000, epsilon=4, schema=schema,
    ...               delta=1e-6, random_state=0)
    >>> made.predict({"age": [20, 80]}).round(-2)
    array([100., 900.])
    """
    for name in other:
        raise ParameterError(no_argument("littlestone", name))
    asked = wanted(
        "fit", y, target=target, low=low, high=high, loss=loss, quantile=quantile,
        time=time, event=event, event_is=event_is, periods=periods,
    )  # fmt: skip
    if asked is not None and not (labels is None and samples_per_user is None):
        name = "samples_per_user" if labels is None else "labels"
        raise ParameterError(f"The {name!r} parameter of fit is for labels: leave it out.")
    own = None if labels is None else check_labels("fit", labels)
    listed = own if own is not None and len(own) > 2 else None
    if model in _CERTIFIED and (user is None) != (samples_per_user is None):
        raise ParameterError(
            f"To protect users by a {model}, fit needs user=..., the column that names them, and "
            "samples_per_user=..., how many records of each are looked at: a public number. "
            f"The models {', '.join(_SUMS)} look at all of them, and need user= only."
        )
    if model not in _CERTIFIED and samples_per_user is not None:
        raise ParameterError(
            "The 'samples_per_user' parameter of fit is for user= and the models "
            f"{', '.join(_CERTIFIED)}; others look at all that a user has. Leave it out, or say "
            "model='rule', for example."
        )
    decided = decide(
        table, y=y if time is None else time, epsilon=epsilon, delta=delta, wanted=asked,
        interval=interval, schema=schema, bounds=bounds, public=public, model=model,
        labels=listed, user=user, monotonic_cst=monotonic_cst, inference=inference,
        evaluate=evaluate, ledger=ledger,
        random_state=random_state,
        say=lambda name, text: _LOG.info("%s: %s", name, text),
    )  # fmt: skip
    if asked is not None:
        learned = decided.estimator(random_state=random_state)
        of_time = {"time": time, "event": event} if time is not None else {"y": y}
        return learned.fit(table, user=user, ledger=ledger, **of_time)
    classes = None if listed is not None or own is None else own
    estimator = decided.estimator(
        samples_per_user=samples_per_user, classes=classes, random_state=random_state
    )
    part = None if user is None else decided.evaluate  # others have it as a parameter
    estimator.fit(table, y, user=user, ledger=ledger, evaluate=part)
    absent = absent_label(estimator.release_)
    if absent:
        warnings.warn(f"{absent[0].upper()}{absent[1:]}", stacklevel=2)
    return estimator


_LOG = logging.getLogger("littlestone")


def _checked_epsilon(caller: str, epsilon: Any) -> Fraction:
    hint = "1 is a common choice."
    total: Fraction = check_fraction(caller, "epsilon", epsilon, hint=hint)
    if total < _LEAST:
        allowed = f"at least {float(_LEAST):g}, or nothing is drawn but noise"
        raise parameter_error(caller, "epsilon", allowed, epsilon, hint)
    return total


def _check_model(
    caller: str, model: str, labels: Labels, *, wanted: Wanted | None, delta: Fraction | None
) -> None:
    """Refuse a family that does not learn what is asked."""
    if model != "auto" and model not in MODELS:
        known = f"auto or one of {', '.join(MODELS)}"
        raise parameter_error(caller, "model", known, model)
    if wanted is not None and model not in ("auto", *_OF_TARGETS):
        raise ParameterError(
            f"A {wanted.target.kind} is learned by the models {' and '.join(_OF_TARGETS)}, not by "
            f"the model {model}."
        )
    if model == "linear" and delta is None:
        raise ParameterError(NO_DELTA)
    if model == "rule" and labels is not None:
        raise ParameterError(
            "A rule answers two labels. For more of them take the model list, tree, scorecard or "
            "boosted."
        )


def _checked_interval(caller: str, interval: Any, model: str, wanted: Wanted | None) -> Fraction:
    """Return which share is to be covered; refuse what has neither intervals nor sets."""
    if model not in _SUMS or (wanted is not None and wanted.event is not None):
        what = f"a {model} model" if wanted is None else "times"
        raise ParameterError(
            f"The 'interval' parameter of {caller} is for boosted trees and scorecards, of "
            f"quantities, counts and labels; there is none of {what}: leave it out."
        )
    covered: Fraction = check_probability(
        caller, "interval", interval, hint="0.9 is a common choice."
    )
    return covered


def _check_columns(caller: str, schema: Any, y: str, bounds: Any, user: str | None = None) -> None:
    """Refuse what is no schema of named columns, or has the label among them."""
    if schema is None:
        if user is not None:
            raise ParameterError(
                f"Where users are protected, {caller} needs a schema: one that is learned from the "
                "records protects single records. Write it from public knowledge "
                "(`littlestone schema new TABLE`)."
            )
        return
    if bounds is not None:
        hint = "The bins of a schema say it already."
        raise parameter_error(caller, "bounds", "left out with a schema", bounds, hint)
    if not isinstance(schema, Schema) or not schema.bound:
        hint = "Read one with Schema.from_toml(path); `littlestone schema new` writes a first one."
        found = type(schema).__name__
        raise parameter_error(caller, "schema", "a Schema with named columns", found, hint)
    if y in schema.names:
        raise ParameterError(
            f"The column {y!r}, which {caller} is to predict, is among the columns that it is "
            "learned from. Leave it out of the schema."
        )


def _check_numbers(caller: str, table: Table, y: str, wanted: Wanted | None) -> None:
    """Refuse a target that is declared as a date or a time of day."""
    import pyarrow as pa  # noqa: PLC0415 - engines are loaded late

    from littlestone.data.draft import declared_kinds  # noqa: PLC0415

    if wanted is None:
        return
    (kind,) = declared_kinds(table, [y], caller)
    if kind is not None and pa.types.is_temporal(kind):
        raise ParameterError(
            f"The table declares the column {y!r} as {kind}, which is no {wanted.target.kind}: "
            f"give {caller} a column of numbers."
        )


def _beside_times(  # noqa: PLR0917
    caller: str, table: Table, y: str, event: str, columns: Sequence[str] | None,
    schema: Schema | None,
) -> list[str]:  # fmt: skip
    """Return the columns beside a time and its event; one named time would be like the period."""
    table.frame([y, event], caller)
    if schema is not None:
        _check_columns(caller, schema, event, None)
    found = [name for name in columns or table.names if name not in (y, event, *RESERVED)]
    if "time" in (found if schema is None else schema.names):
        raise ParameterError(
            f"A column 'time' that is not the time itself is not learned from by {caller}: trees "
            "call the period so. Rename it, or leave it out of the columns."
        )
    return found


def _evaluation(
    caller: str,
    evaluate: Any,
    left: Fraction,
    *,
    held_out: bool,
    interval: Fraction | None,
) -> Fraction | None:
    """Return the part of epsilon that an evaluation takes from learning."""
    if interval is not None:  # of held-out records, like these
        given = left * INTERVAL_EVALUATION if evaluate == "auto" else evaluate
        return None if given is None else check_fraction(caller, "evaluate", given)
    if held_out:  # no record pays for both
        _check_held_out(caller, evaluate, left)
    if held_out or evaluate is None:
        return None
    if isinstance(evaluate, str) and evaluate == "auto":
        return left * _EVALUATION
    part: Fraction = check_fraction(caller, "evaluate", evaluate)
    if part > left * _MOST_EVALUATION:  # or the columns would be paid for a fit that cannot be
        raise parameter_error(
            caller, "evaluate", f"at most {left * _MOST_EVALUATION}, 99 hundredths of what learns",
            evaluate, "A tenth of that is the default.",
        )  # fmt: skip
    return part


def _check_held_out(caller: str, evaluate: Any, left: Fraction) -> None:
    if evaluate is None:
        raise ParameterError(
            f"The 'holdout' parameter of {caller} holds out records for an evaluation: leave out "
            "--no-evaluate."
        )
    if evaluate != "auto" and check_fraction(caller, "evaluate", evaluate) > left:
        hint = "Without it all of that is spent."
        allowed = f"at most {left}, what the columns leave of epsilon for every record"
        raise parameter_error(caller, "evaluate", allowed, evaluate, hint)


def _check_enough(
    held_out: int | None, interval: Fraction | None, wanted: Wanted | None, epsilon: Fraction
) -> None:
    """Refuse intervals and sets from too few records, before columns are paid for."""
    if interval is not None and held_out is not None:
        target = None if wanted is None else wanted.target
        planned(target, interval, m=held_out, epsilon=epsilon, unit="records")


def _learned_from(table: Table, y: str, caller: str, holdout: Any) -> int:
    """Return the number of records, which is public, less those that are held out."""
    from littlestone.data.counting import count_cells  # noqa: PLC0415 - engines are loaded late

    n = table.rows()
    if n is None:
        n = sum(map(int, count_cells(table, y, caller=caller)[1]))
    return n - held_out_of(n, holdout)


def _delta(
    concepts: BoostedTreeClass, epsilon: Fraction, delta: Fraction | None, n: int | None
) -> str:
    """Say what the delta is, or what one would gain; with how many trees, where n is known."""
    if isinstance(concepts, LinearClass):
        assert delta is not None
        rounds = (
            ""
            if n is None
            else Linear(concepts, epsilon=epsilon, delta=delta).plan.settings(n).rounds
        )
        return f"{float(delta):g}" + (f": {rounds} noisy gradients" if rounds else "")
    if n is None:
        return (
            "none: pure privacy; one of 1e-6 allows more trees"
            if delta is None
            else f"{float(delta):g}"
        )

    def trees(leak: Fraction | None) -> int:
        make: Any = Boosting if concepts.target is None else Values
        rounds: int = make(concepts, epsilon=epsilon, delta=leak).plan.settings(n).rounds
        return rounds

    if delta is not None:
        return f"{float(delta):g}: {trees(delta)} trees instead of {trees(None)} without"
    gain = f"with one of 1e-6, {trees(_USUAL)} trees instead of {trees(None)}"
    if concepts.domain.schema.proposal is not None:
        gain += ", and categories of texts among the columns"
    return f"none, pure privacy; {gain}"


def _largest(make: Callable[[int], ConceptClass]) -> ConceptClass:
    """Return the class with two tests, or with one where that would be too large."""
    try:
        return make(2)
    except ParameterError:
        return make(1)
