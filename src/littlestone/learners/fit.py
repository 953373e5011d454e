"""A fit, from what is typed to what is released: parsed once, decided, read, run.

`Fit` is made by `fit`, and by ``littlestone fit``. What is not said is decided by public rules
(`Fit.plan`), each said before anything is drawn, with what it costs. Public are the names of
columns, declared types, the number of records, and what was released before: columns, where they
are learned.

A new family of models is one line of `MODELS`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Never, cast

from littlestone.classes import (
    BoostedTreeClass,
    ConceptClass,
    DecisionTrees,
    LinearClass,
    Rules,
    ScorecardClass,
)
from littlestone.data.cells import CsvFormat, check_labels, text, user_name
from littlestone.data.histogram import Groups
from littlestone.data.schema import Schema
from littlestone.data.targets import Target
from littlestone.errors import (
    LEAST,
    BudgetError,
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_probability,
    check_rows,
    counted,
    exact_value,
    parameter_error,
)
from littlestone.evaluation.histogram import held_out_rows
from littlestone.learners.base import DELTA, no_argument, warn_of_sums, warn_of_weakness
from littlestone.learners.boosting import Values
from littlestone.learners.boosting.values import planned as planned_interval
from littlestone.learners.linear import Linear, auto_takes
from littlestone.learners.linear.learner import NO_DELTA
from littlestone.learners.release import COMPOSED, JOINED, doubt
from littlestone.learners.running import (
    COLUMNS,
    NOT_HELD_OUT,
    Planned,
    Shares,
    after_the_count,
    first_count,
    pay,
    promise,
)
from littlestone.learners.task import (
    USUAL,
    ZERO_ONE,
    Decided,
    Labels,
    Protocol,
    Say,
    Task,
    about_coefficients,
    about_delta,
    about_evaluation,
    read_options,
    written,
)
from littlestone.privacy import (
    Concentrated,
    Guarantee,
    Ledger,
    Part,
    check_ledger,
    largest_rho,
)
from littlestone.privacy.guarantee import short_text
from littlestone.source import Source, source_of

if TYPE_CHECKING:
    from littlestone.data.tables import Table
    from littlestone.learners.base import Learner
    from littlestone.types import Json

_SHOWN = 24  # names of columns that are said
_LEAST = Fraction(1, 10**5)  # of epsilon: with less, sums of trees are not drawn exactly
_MOST = 10**12  # of epsilon: rounds are not looked for among larger ones
#: With a delta, from so much n epsilon on: the columns' share of rho, and their bins.
_OF_COLUMNS = ((8_000, "0.1", 8), (2_000, "0.15", 8), (1_500, "0.15", 6), (1_000, "0.2", 6),
               (0, "0.2", 4))  # fmt: skip

Listed = Sequence[Any] | None

#: Families of models, and their class of a size over a schema. Who learns it:
#: `ConceptClass.learned_by`, or the certified learner that needs the fewest records.
MODELS: dict[str, Callable[[Schema, Listed, int], ConceptClass]] = {
    "rule": lambda schema, labels, size: Rules(schema, size),
    "tree": lambda schema, labels, size: DecisionTrees(schema, size, labels),
    "scorecard": lambda schema, labels, size: ScorecardClass(schema, labels=labels),
    "linear": lambda schema, labels, size: LinearClass(schema, labels=labels),
    "boosted": lambda schema, labels, size: BoostedTreeClass(schema, size, labels=labels),
}
#: Those with a certificate before data, purely private; of a user they see so many records.
CERTIFIED = ("rule", "tree")
#: Sums of trees or tables; those that predict what is no label.
_SUMS = ("boosted", "scorecard", "linear")
_OF_TARGETS = ("boosted", "scorecard")


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What is asked of a fit: its fields are the parameters of `fit`, parsed once, here.

    ``concepts`` instead of a ``model``: a class that says what is learned, by ``learner``.
    """

    epsilon: Any
    delta: Any = None
    y: Any = None
    labels: Labels = ZERO_ONE
    target: Mapping[str, Any] = field(default_factory=dict)  # target, low, high, loss, time, ...
    evaluate: Any = "auto"
    holdout: Any = None
    interval: Any = None
    by: Any = None
    schema: Schema | None = None
    columns: Sequence[str] | None = None
    bounds: Mapping[str, Any] | None = None
    public: Any = None
    bins: int = 20
    model: str = "auto"
    concepts: ConceptClass | None = None
    user: str | None = None
    samples_per_user: Any = None
    learner: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)  # of the learner
    agnostic: bool = False  # certify any labels, with a learner that needs realizable ones
    alpha: Any = "0.1"
    beta: Any = "0.05"
    certified: bool = False  # or nothing is released
    strict: bool = False
    monotonic_cst: Mapping[str, Any] | None = None
    inference: Sequence[str] | None = None
    make: Any = None  # instead of ``learner``: makes one of a class, and of numbers
    csv: Any = None
    caller: str = "fit"
    task: Task = field(init=False)
    shares: Shares = field(init=False)
    groups: Groups | None = field(init=False)
    family: str = field(init=False)

    def __post_init__(self) -> None:
        caller, put = self.caller, partial(object.__setattr__, self)
        put("csv", None if self.csv is None else CsvFormat.parse(self.csv, caller))
        put("task", Task.parse(caller, self.y, self.labels, **self.target))
        total = check_fraction(caller, "epsilon", self.epsilon, hint="1 is a common choice.")
        if total < _LEAST or (self.concepts is None and total > _MOST):
            allowed = f"at least {float(_LEAST):g}, since a smaller one leaves only noise"
            if total > _MOST:
                allowed = f"at most {_MOST:g}, which already protects nobody"
            raise parameter_error(caller, "epsilon", allowed, self.epsilon, "1 is a common choice.")
        if self.delta is not None:
            small = exact_value(self.delta)
            put("delta", None if small == 0 else check_probability(
                caller, "delta", self.delta, hint=DELTA, least=LEAST))  # fmt: skip
        for name in ("alpha", "beta"):
            put(name, check_probability(caller, name, getattr(self, name)))
        usual = "boosted" if self.inference is None else "linear"
        put("family", usual if self.model == "auto" else self.model)
        self._check_model()
        self._check_columns()
        put("shares", self._shares(learned=self._learns_columns))
        put("groups", None if self.by is None else self._groups())

    def _groups(self) -> Groups:
        """Return the public groups that the evaluation is split by."""
        caller, task = self.caller, self.task
        if task.target.ends:
            raise ParameterError(
                f"The 'by' parameter of {caller} is for labels, quantities and counts: an "
                "evaluation of times is not split into groups. Leave it out."
            )
        groups = Groups.parse(caller, self.by, self.schema).refusing([task.y, self.user], caller)
        if self.shares.holdout is None and not self.shares.rule:
            raise ParameterError(NOT_HELD_OUT.format(caller))
        learned = set(self.columns or ()) & set(groups.column_names)
        if self.schema is None and learned:
            hint = "Without a schema, the columns of groups cannot be predictors."
            raise parameter_error(caller, "x", "other columns than by's", sorted(learned), hint)
        if self.schema is not None:
            beside = groups.over(self.schema, caller).beside
            if beside and (self.user is not None or self.concepts is not None):
                raise ParameterError(
                    f"Where users are protected, or with a --class, the groups of {caller} must be "
                    "predictors, too: add these columns to the schema."
                )
        return groups

    @property
    def _learns_columns(self) -> bool:
        return self.schema is None and self.public is None and self.concepts is None

    @property
    def _composes(self) -> bool:
        """Whether columns that are learned compose in rho with what is learned over them."""
        return self._learns_columns and self.delta is not None and self._of_sums

    def _shares(self, *, learned: bool) -> Shares:
        joined = learned and self._composes
        parts = {"evaluate": self.evaluate, "holdout": self.holdout, "interval": self.interval}
        parts |= {"labels": self._counts_labels, "rule": self._of_sums}
        how = {"columns": learned and not joined, "joined": joined}
        return Shares.parse(self.caller, self.epsilon, **how, **parts)

    @property
    def _of_sums(self) -> bool:
        """Whether sums of trees or tables, or a linear model, are learned."""
        if self.concepts is not None:
            return isinstance(self.concepts, BoostedTreeClass)
        return self.family in _SUMS

    @property
    def _counts_labels(self) -> bool:
        """Whether a first count says whether the column holds the labels at all."""
        alone = self.user is None and self.concepts is None and not self.strict
        return alone and self.task.target == ZERO_ONE and self._of_sums

    def _delta(self, shares: Shares) -> Fraction | None:
        """Return the delta of what learns; certified models use none."""
        if self.delta is None or (self.concepts is None and self.family in CERTIFIED):
            return None
        columns = self.delta * COLUMNS if shares.columns else Fraction(0)
        left: Fraction = self.delta - (columns if shares.zcdp is None else shares.zcdp[1])
        return left

    def _check_model(self) -> None:
        """Refuse a family that does not learn what is asked."""
        caller, task, family = self.caller, self.task, self.family
        named, sums = self.concepts is not None, self._of_sums
        if family not in MODELS:
            raise parameter_error(caller, "model", f"auto or one of {', '.join(MODELS)}", family)
        if not task.of_labels and not (family in _OF_TARGETS or (named and sums)):
            raise ParameterError(
                f"A {task.target.kind} is predicted by the models {' and '.join(_OF_TARGETS)} "
                f"(--class boosted_trees(depth=2), scorecard), not by the model {family}."
            )
        if not named and family == "linear" and self.delta is None:
            raise ParameterError(NO_DELTA)
        if not named and family == "rule" and task.labels is not None:
            raise ParameterError(
                "A rule predicts one of two labels. For more labels use the model tree, "
                "scorecard or boosted."
            )
        if self.interval is not None and (not sums or task.target.ends):
            raise ParameterError(
                f"The 'interval' parameter of {caller} is for boosted trees and scorecards that "
                "predict quantities, counts or labels: leave it out."
            )
        if self.certified and (sums or self._learns_columns):
            raise ParameterError(
                f"The 'require_certificate' parameter of {caller} is for --model rule or "
                "tree with a --schema: there is no certificate before data for boosted trees, "
                "scorecards and linear models, nor if the columns are learned from records."
            )
        if sums and self.samples_per_user is not None:
            raise ParameterError(
                f"The 'samples_per_user' parameter of {caller} is for the models "
                f"{' and '.join(CERTIFIED)} (--model rule, for example), beside user=... (--user); "
                "other models read all records of a user. Leave it out."
            )
        if not sums and (self.user is None) != (self.samples_per_user is None):
            raise ParameterError(
                f"To protect users with the model {self.model}, {caller} needs the 'user' "
                "parameter (the column that names them) and the 'samples_per_user' parameter (how "
                "many records of each user are read, for example 16). The number is public and "
                f"must not be taken from these data. The models {', '.join(_SUMS)} read all "
                "records of a user."
            )

    def _check_columns(self) -> None:  # noqa: PLR0912 - one refusal after the other
        """Refuse what is no schema of named columns, or has what is predicted among them."""
        caller, schema = self.caller, self.schema
        if self.public is not None and schema is not None:
            hint = "Its rows would be the schema."
            raise parameter_error(caller, "public", "left out with a schema", "both", hint)
        if self._learns_columns:
            if self.user is not None:
                raise ParameterError(
                    f"Where users are protected, {caller} needs a schema, since columns that are "
                    "learned from the records protect single records only. Write it from public "
                    "knowledge (`littlestone schema new TABLE`)."
                )
            if self.strict:
                raise ParameterError(
                    "--strict needs a --schema: otherwise it could refuse a cell after the "
                    "columns were paid for."
                )
        elif self.bounds is not None:
            hint = "The bins of a schema have a range already."
            raise parameter_error(caller, "bounds", "left out with a schema", self.bounds, hint)
        if schema is None:
            if self.monotonic_cst is not None and self.public is None:
                raise ParameterError(
                    f"The 'monotonic_cst' parameter of {caller} needs a schema, or public rows: "
                    "columns that are learned from the records are not known to be numeric."
                )
            if self.inference is not None and self.public is None:
                needs = "needs a schema" if self.family == "linear" else "is for the model linear"
                raise ParameterError(f"The 'inference' parameter of {caller} {needs}.")
            return
        if not isinstance(schema, Schema) or not schema.bound:
            hint = "Read one with Schema.from_toml(path); `littlestone schema new` writes a draft."
            kind = type(schema).__name__
            raise parameter_error(caller, "schema", "a Schema with named columns", kind, hint)
        for name in (self.task.y, self.task.event):
            if name is not None and name in schema.names:
                raise ParameterError(
                    f"The target {name!r} of {caller} is among the predictors. Leave it out of the "
                    "schema (--schema, --x)."
                )
        if self.certified and schema.proposal is not None:
            raise ParameterError(
                "The condition --require-certificate cannot be met, because the columns of the "
                "schema were learned from records (schema propose), so no certificate holds. "
                "Leave it out, or write the schema by hand."
            )
        if self.task.event is not None:
            _refuse_time(caller, schema.names)
        if self.monotonic_cst is not None:
            object.__setattr__(self, "schema", schema.monotone(self.monotonic_cst, caller))
        self._check_inference(schema)

    def _check_inference(self, schema: Schema) -> None:
        """Refuse coefficients that there will not be."""
        if self.inference is None:
            return
        if self.concepts is not None or self.family != "linear":
            raise ParameterError(
                f"The 'inference' parameter of {self.caller} is for the model linear."
            )
        # refuses what is no list of columns, and listed labels
        unit: Any = "records" if self.user is None else "users"
        Linear(
            LinearClass(schema, labels=self.task.labels),
            epsilon=Fraction(1), delta=USUAL, inference=cast(Any, self.inference), unit=unit,
        )  # fmt: skip

    def to_dict(self) -> Json:
        """Return what is asked of a model over named columns, as JSON; `from_dict` reads it."""
        return written(self)

    @classmethod
    def from_dict(cls, data: Json) -> Fit:
        """Read what `to_dict` wrote."""
        fields = read_options(data)
        return cls(**fields | {"labels": Labels(**fields["labels"])})

    def plan(
        self, table: Any, source: Source, *, ledger: Ledger | None = None,
        say: Say = lambda name, text: None,
    ) -> Planned:  # fmt: skip
        """Decide what was not said; columns may be learned, and paid, and nothing else is.

        ``say`` is given each decision when nothing refuses the next draw any more, and before it.
        """
        from littlestone.data.tables import read_table  # noqa: PLC0415 - engines are loaded late

        caller, task, schema = self.caller, self.task, self.schema
        if self.concepts is not None:  # the budget is asked before the table is opened
            learner = self._learner(self.concepts, self.shares)
            self._afford(learner, self.shares, source, ledger, table)
        declared = None if schema is None else schema.csv
        opened = read_table(table, csv=self.csv, declared=declared, caller=caller)
        of_groups = () if self.groups is None else self.groups.column_names
        x = (self.columns or ()) if schema is None else schema.names
        task.check(caller, opened, list(dict.fromkeys([*x, *of_groups])))
        if self.concepts is not None:
            return self._planned(self.concepts, schema, self.shares, table, opened)
        decided = Decided(say)
        if self.public is not None:  # names are refused before records are held out at random
            schema, bins = self.of_public(table, opened)
            decided.add("Columns", bins)
        apart, opened, rows = self._split(opened, source)
        shares = self._shares_of(rows)
        if self._learns_columns:  # several charges: all, or none
            both = Guarantee(shares.total, self.delta or Fraction(0), seeded=source.seeded)
            check_ledger(ledger, caller, both, data=table)
        before: tuple[Part, ...] | None = None
        paid: Part | None = None
        enough = partial(self._check_interval, rows)
        count = partial(first_count, opened, task.y, source, ledger, caller=caller)
        if schema is None:
            schema, before, paid = self._learned(
                opened, source, ledger, decided, partial(enough, shares), partial(count, shares),
                shares, rows,
            )  # fmt: skip
            if schema.proposal is None:  # they cost nothing: what they leave learns
                shares = self._shares_of(rows, learned=False)
            elif self._composes:
                shares = replace(shares, zcdp=schema.proposal.zcdp)
        enough(shares)
        n = None if rows is None else rows - shares.held_out(rows)
        family, why = self._chosen(schema, n, shares, opened)
        concepts = task.concepts(partial(MODELS[family], schema, task.labels))
        of_class = "" if concepts.spec == family else f": {concepts.spec}"
        decided.add("Model", f"{family}{of_class}, {why}")
        if shares.evaluation is not None or self.shares.rule:
            decided.add("Evaluation", about_evaluation(shares, rows))
        planned = self._planned(concepts, schema, shares, table, opened)
        if isinstance(concepts, BoostedTreeClass):
            decided.add("Delta", about_delta(planned.learner, n))
        if self.inference is not None:
            decided.add("Coefficients", about_coefficients(planned.learner, n))
        if before is None:
            opened.stream(schema.names, caller)
            self._afford(planned.learner, shares, source, ledger, table)
            if shares.labels:
                decided.tell()
            before = count(shares)
        return replace(planned, before=before, apart=apart, paid=paid, tell=decided.tell)

    def _shares_of(self, rows: int | None, *, learned: bool | None = None) -> Shares:
        """Return the shares, of so many records if that is known; with columns learned, or not."""
        shares = self.shares if learned is None else self._shares(learned=learned)
        shares = shares if rows is None else shares.at(rows)
        if self.groups is not None and shares.evaluation is None and not shares.rule:
            raise ParameterError(NOT_HELD_OUT.format(self.caller))
        return shares

    def _split(self, opened: Table, source: Source) -> tuple[Table | None, Table, int | None]:
        """Hold records out, if any, before all that is learned; also return the number of all.

        Where users are protected they are held out when they are read: the number of rows is
        secret.
        """
        from littlestone.data.proposal import standard  # noqa: PLC0415 - late

        if self.user is not None or not (self.shares.holdout or self._of_sums):
            return None, opened, None
        task, rows = self.task, _rows(opened, self.task.y, self.caller)
        held_out = self._shares_of(rows).held_out(rows)  # refuses none, or all
        if not held_out:
            return None, opened, rows
        x = (self.columns or opened.names) if self.schema is None else self.schema.names
        more = () if self.groups is None else self.groups.column_names
        columns = dict.fromkeys([*x, *more, task.y, *([] if task.event is None else [task.event])])
        if self.schema is None and self.public is None:  # refuses names before the draw
            standard(opened, **self._about_columns())
        first = held_out_rows(rows, held_out, source)
        return *opened.split(first, list(columns), self.caller), rows

    def _chosen(
        self, schema: Schema, n: int | None, shares: Shares, opened: Table
    ) -> tuple[str, str]:
        """Return the family, and why; by public numbers, and no privacy depends on it."""
        if self.model != "auto":
            return self.family, "as requested"
        if not self.task.of_labels:
            kind = "survival time" if self.task.target.kind == "time" else self.task.target.kind
            return "boosted", f"the default for a {kind}; the alternative is --model scorecard"
        if self.inference is not None:
            return "linear", "the only model with coefficients"
        learns = shares.left - (0 if shares.holdout else shares.evaluation or 0)
        delta = self._delta(shares)
        if self.user is not None and auto_takes(len(schema), 1, learns, delta):
            n = _users(opened, self.user, self.caller)  # one pass, only where it may matter
            n -= shares.held_out(n)
        if auto_takes(len(schema), n, learns, delta):
            return "linear", "usually the most accurate for few records (docs/linear.md)"
        if schema.ordered:
            return "scorecard", f"monotone in {', '.join(schema.ordered)}"
        return "boosted", "the most accurate model on most test tables (docs/models.md)"

    def _afford(
        self, learner: Learner[Any], shares: Shares, source: Source, ledger: Ledger | None,
        table: Any,
    ) -> None:  # fmt: skip
        """Refuse a ledger that would not pay for the first count and all the rest, before both."""
        promised = promise(learner, shares=shares, seeded=source.seeded)
        loss = shares.loss(learner)
        if shares.labels:  # in zCDP both prices add up, as both are paid
            rho = loss.rho if isinstance(loss, Concentrated) else None
            loss = None if rho is None else Concentrated(rho + shares.labels**2 / 2)
        promised = replace(promised, epsilon=promised.epsilon + shares.labels)
        check_ledger(ledger, self.caller, promised, data=table, loss=loss)

    def of_public(self, table: Any, opened: Table) -> tuple[Schema, str]:
        """Return the columns of a public table; what is certified over them is about their bins.

        Also a sentence about them.
        """
        from littlestone.data.draft import beside, refuse_same  # noqa: PLC0415 - late

        refuse_same(table, self.public, self.caller)
        leave = [self.task.y, self.task.event, self.user]
        leave += [] if self.groups is None else self.groups.column_names  # they have bins already
        binned = beside(opened, self.public, leave, self.columns, self.bins, self.csv, self.caller)
        assert binned.public is not None
        rows = counted(binned.public.points, "public rows")
        sentence = f"bins and categories of {rows}, which cost no epsilon"
        schema = replace(binned, public=None)
        if self.monotonic_cst is not None:
            schema = schema.monotone(self.monotonic_cst, self.caller)
        self._check_inference(schema)
        return schema, sentence

    def _about_columns(self) -> dict[str, Any]:
        """Return what is asked of columns that have no schema."""
        leave = [] if self.task.event is None else [self.task.event]
        leave += [] if self.groups is None else self.groups.column_names  # these are public
        return {
            "y": self.task.y, "columns": self.columns, "leave": leave, "bounds": self.bounds,
            "csv": self.csv, "caller": self.caller,
        }  # fmt: skip

    def _learned(  # noqa: PLR0915, PLR0917 - public reasons first, then payments, then the draw
        self, opened: Table, source: Source, ledger: Ledger | None, decided: Decided,
        check: Callable[[], None], count: Callable[[], tuple[Part, ...]], shares: Shares,
        rows: int | None,
    ) -> tuple[Schema, tuple[Part, ...] | None, Part | None]:  # fmt: skip
        """Learn columns from the records; if public reasons forbid it return standard ones, free.

        ``check`` is called before anything is paid. Beside the schema: the first count, and what
        else was paid at once, where held-out records pay for something else meanwhile.
        """
        from littlestone.data.proposal import MOST_EDGES, prepare, standard  # noqa: PLC0415 - late

        caller, task, columns = self.caller, self.task, self.columns
        where = self._about_columns()
        left = (task.y, *where["leave"])
        predictors = [name for name in columns or opened.names if name not in left]
        if task.event is not None:
            _refuse_time(caller, predictors)
        most = len(columns or opened.names)
        bins = min(8, MOST_EDGES // (2 * most))  # a column has at most twice as many
        if bins < 2:
            raise ParameterError(
                f"The table given to {caller} has {most:,} columns; at most {MOST_EDGES // 4:,} "
                "can be predictors. Name the important ones in a schema of public bins and "
                "categories (`littlestone schema new`)."
            )
        small = self.delta or Fraction(0)
        epsilon, delta, rho = shares.columns, small - (self._delta(shares) or 0), None
        if self._composes:
            part, rho, most_bins = self._zcdp_of_columns(shares, cast(int, rows))
            epsilon, delta, bins = shares.total, small, min(bins, most_bins)
        ready = prepare(
            opened, bins=bins, epsilon=epsilon, delta=delta, rho=rho, header_is_public=True,
            random_state=source, **where,
        )  # fmt: skip
        if ready.apart:
            why = "identifiers or free text, judging by their names; to use them, list them"
            decided.add("Left out", f"{', '.join(ready.apart)}: {why} (--x, columns=)")
        of = _listed([column.name for column in ready.asked.columns])
        problem = ready.problem
        if problem is not None:
            numeric = standard(opened, **where)
            if numeric is None:
                raise problem
            more = ""
            if isinstance(problem, InfeasibleError):
                more = (
                    f". Columns can be learned from {problem.n_needed:,} records, or with a "
                    "larger epsilon, a delta or fewer columns; public bins and categories give "
                    "more accurate models (littlestone schema new)"
                )
            decided.add(
                "Columns",
                f"{_listed(numeric.names)}: read as numbers, in standard bins, which cost "
                f"no epsilon; text cells are read as other{more}",
            )
            return numeric, None, None
        check()
        before = count()
        spent = f"epsilon {short_text(epsilon)}{f' and delta {float(delta):g}' if delta else ''}"
        spent += " (part of the total)"
        if rho is not None:
            spent = f"{float(part):.0%} of the budget, counted in rho"
        texts = "" if delta else ". Text columns need a delta and are left out"
        decided.add(
            "Columns",
            f"{of}: learned from the records, with {spent}{texts}. A schema of public bins and "
            "categories costs no epsilon (littlestone schema new)",
        )
        decided.tell()
        paid = None
        if shares.holdout is not None or rho is not None:
            claim = COMPOSED if shares.holdout is None else "dp.parallel"
            together = Guarantee(shares.apart, small, claim=claim, seeded=source.seeded)
            parts = "" if shares.holdout is None else " and held-out records"
            try:
                paid = pay(ledger, JOINED, together, f"{JOINED}{parts}")
            except BudgetError as refusal:  # another program has spent meanwhile
                raise (after_the_count(refusal) if before else refusal) from None
        schema = ready.learn(ledger if paid is None else None)
        assert schema.proposal is not None
        unknown = ", ".join(name for name in schema.left_out if name not in ready.apart)
        if unknown:
            texts, need = (" or texts", "") if delta else ("", ", and text columns need a delta")
            hidden = (
                f"{unknown}: no frequent numbers{texts} were found at this epsilon{need}. Declare "
                "dates, decimal commas and units in a schema (littlestone schema new)"
            )
            decided.add("Left out", hidden)
        return schema, before, paid

    def _zcdp_of_columns(self, shares: Shares, rows: int) -> tuple[Fraction, Fraction, int]:
        """Return the columns' share of rho, rho, and about how many bins: public."""
        from littlestone.data.proposal import LEAK  # noqa: PLC0415 - late

        size = shares.total * (rows - shares.held_out(rows))
        share, bins = next((Fraction(share), b) for least, share, b in _OF_COLUMNS if size >= least)
        beside = (shares.evaluation or 0) if shares.holdout is None else 0
        assert self.delta is not None
        whole = largest_rho(shares.left - beside, self.delta * (1 - LEAK), caller=self.caller)
        return share, Fraction(f"{float(whole * share):.6e}"), bins

    def _check_interval(self, rows: int | None, shares: Shares) -> None:
        """Refuse intervals and sets from too few records, before columns are paid for."""
        if shares.interval is not None and rows is not None:
            target = None if self.task.of_labels else cast(Target, self.task.target)
            planned_interval(
                target, shares.covered, m=shares.held_out(rows), epsilon=shares.interval,
                unit="records",
            )  # fmt: skip

    def _planned(
        self, concepts: ConceptClass, schema: Schema | None, shares: Shares, table: Any,
        opened: Table,
    ) -> Planned:  # fmt: skip
        learner = self._learner(concepts, shares)
        return Planned(self, learner, shares, schema, table, opened)

    def _learner(self, concepts: ConceptClass, shares: Shares) -> Learner[Any]:
        """Return the learner of a class, with all of epsilon but what the columns took."""
        from littlestone.learners import select  # noqa: PLC0415 - all learners
        from littlestone.learners.registry import agnostic_form  # noqa: PLC0415

        task, delta = self.task, self._delta(shares)
        if not task.of_labels:
            learner: Any = Values(
                cast(BoostedTreeClass, concepts), epsilon=shares.left, delta=delta,
                loss=task.loss, quantile=task.quantile,
            )  # fmt: skip
        else:
            options = dict(self.options)
            if self.inference is not None:
                options["inference"] = tuple(self.inference)
            if self.samples_per_user is not None:
                options["samples_per_user"] = self.samples_per_user
            name = self.learner
            several = task.labels or {"costs", "public", "shift"} & set(options)
            if name == "auto" and several and not concepts.learned_by:
                name = "agnostic"
            if name == "auto":
                options["evaluate"] = None if shares.holdout is not None else shares.evaluation
            if self.agnostic:
                name = agnostic_form(name)
            make = self.make or partial(select.make, name)
            numbers = {"alpha": self.alpha, "beta": self.beta}
            learner = make(concepts, epsilon=shares.left, delta=delta, **numbers, **options)
        if shares.zcdp is not None:
            learner = replace(learner, columns=shares.zcdp[0])
        if self.user is not None and isinstance(concepts, BoostedTreeClass):
            learner = replace(learner, unit="users")
        return cast("Learner[Any]", learner)


def fit(
    table: Any,
    *,
    y: str | None = None,
    epsilon: Any = None,
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
    columns: Sequence[str] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    public: Any = None,
    model: str = "auto",
    labels: Listed = None,
    user: str | None = None,
    samples_per_user: Any = None,
    monotonic_cst: Mapping[str, int] | None = None,
    inference: Sequence[str] | None = None,
    ledger: Ledger | None = None,
    evaluate: Any = "auto",
    holdout: Any = None,
    by: Any = None,
    csv: Any = None,
    protocol: Any = None,
    random_state: int | None = None,
    **other: Never,
) -> Any:
    """Learn a private model from a table; only the label and epsilon are required.

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
        known of such values. ``low`` is 0 by default.
    loss : {"huber", "gamma", "absolute"}, optional
        Of a quantity: means (huber; gamma where the upper quartile is far out) or medians.
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
        Public columns. Without one they are learned from the records, for a fifth of epsilon; with
        a delta for .1 to .2 of the zCDP, in which columns compose with the model. Of few records
        numbers get standard bins, at no cost.
    columns : sequence of str, optional
        Columns to learn from; by default those of the schema, or without one all but those that by
        their names are identifiers or free text (a public list of words, as in
        ``littlestone schema new``), and texts that are mostly rare.
    bounds : mapping from names to pairs (low, high), optional
        Without a schema: between which numbers columns are known to lie, from public knowledge,
        such as ``{"age": (0, 120)}``.
    public : path, data frame, or relation, optional
        Instead of a schema: public unlabelled rows, none of them a record of the table. Columns of
        the same names get the quantiles of its numbers as bins, its texts as categories.
    model : {"auto", "rule", "tree", "scorecard", "linear", "boosted"}
        The family. Rules and trees have a certificate of accuracy before data.
    labels : sequence, optional
        Public labels, by default (0, 1). Of two, the second one is the positive one, and all other
        cells are the first; it may be a list of spellings, as in ["no", ["yes", "Yes"]]. More are
        listed, and a cell that is none of them counts as wrong.
    user : str, optional
        Column that names the user of each record: protects users, with a schema.
    samples_per_user : int >= 1, optional
        With ``user``, of rules and trees: how many records of each are looked at (public).
    monotonic_cst : mapping from names to 1 or -1, optional
        Columns of the schema along which a linear model or scorecard only rises, or falls.
    inference : sequence of str, optional
        At most six columns of the schema: coefficients with intervals (``conf_int``), of a
        regression beside a linear model, for half of its privacy.
    ledger : Ledger, optional
        The budget of these records.
    evaluate : number, "auto" or None
        The part of epsilon that measures the error on the records of the fit. "auto": a tenth of
        what learns, for rules and trees. Other models hold records out, from n epsilon 500
        on: a share of ``1000 / (n epsilon)``, between .1 and .3 and at most 20,000; with fewer
        nothing is evaluated.
    holdout : number in (0, 1), optional
        Evaluate on this share of the records, and do not learn from them.
    by : str, sequence of str, or Schema, optional
        Also evaluate groups of the held-out records, at most 8: the categories or bins of columns
        of the schema, or of a public schema of columns that are not learned from.
        ``release_.groups`` has the error, AUROC, calibration and predicted share of each; of
        quantities and counts quantiles of the error. It costs no epsilon, but more cells of one
        histogram have more noise.
    csv : CsvFormat, str or mapping, optional
        How a CSV file is written.
    protocol : path or Protocol, optional
        Instead of all of these but ``ledger``: what `littlestone.rehearse` wrote.
    random_state : int, optional
        An int is reproducible, and NOT private.

    Returns
    -------
    PrivateClassifier, PrivateRegressor or BoostedTreesSurvival
        Fitted: ``predict``, ``release_``, ``evaluation_``, ``save``.

    Warns
    -----
    UserWarning
        By the evaluation perhaps no record has the positive label, or a target, or an event has
        another code.

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
    options = {name: value for name, value in locals().items() if name in OPTIONS} | other
    source, plan = source_of("fit", random_state), None
    if protocol is None:
        parsed = asked_of("fit", options)
    else:
        plan = protocol if isinstance(protocol, Protocol) else Protocol.read(protocol)
        plan.check_alone(n for n, v in options.items() if v is not OPTIONS.get(n))
        parsed = asked_by(plan, table)
    planned = parsed.plan(
        table, source, ledger=ledger, say=lambda name, text: _LOG.info("%s: %s", name, text)
    )

    def said(guarantee: Guarantee, n: int | None) -> None:
        warn_of_weakness(guarantee, n, stacklevel=4)
        if ledger is None and not source.seeded:  # a seeded release says itself: not private
            warn_of_sums(stacklevel=4)

    release = planned.run(source, ledger=ledger, said=said)
    release = release if plan is None else plan.signed(release)
    doubtful = doubt(release)
    if doubtful:
        warnings.warn(f"{doubtful[0].upper()}{doubtful[1:]}", stacklevel=2)
    from littlestone.learners.estimators import fitted  # noqa: PLC0415 - scikit-learn takes a second

    return fitted(planned, release, random_state)


_LOG = logging.getLogger("littlestone")
_OF_TARGETS_ONLY = (
    "target", "low", "high", "loss", "quantile", "time", "event", "event_is", "periods"
)  # fmt: skip
_AS_TYPED = (
    "y", "epsilon", "delta", "interval", "schema", "columns", "bounds", "public", "model", "user",
    "samples_per_user", "evaluate", "holdout", "by", "csv", "monotonic_cst", "inference",
)  # fmt: skip
#: What `fit` may be asked, and what is asked if nothing is said.
OPTIONS: dict[str, Any] = dict.fromkeys((*_OF_TARGETS_ONLY, *_AS_TYPED, "labels")) | {
    "model": "auto", "evaluate": "auto"
}  # fmt: skip


def asked_of(caller: str, options: Mapping[str, Any]) -> Fit:
    """Return what parameters of `fit` ask for, by their names."""
    for name in options:
        if name not in OPTIONS:
            raise ParameterError(no_argument("littlestone", name))
    typed = OPTIONS | dict(options)
    labels, positive = typed["labels"], None
    if type(labels) in (list, tuple) and len(labels) == 2 and type(labels[1]) in (list, tuple):
        from littlestone.data.counting import match  # noqa: PLC0415 - engines are loaded late

        match(caller, "labels", *labels)  # then predictions say the first spelling
        positive = [text(spelling) for spelling in labels[1]]
        labels = [labels[0], labels[1][0]]
    names = None if labels is None else tuple(check_labels(caller, labels))
    listed, two = (names, None) if names is not None and len(names) > 2 else (None, names)
    schema, columns = typed["schema"], typed["columns"]
    if columns is not None and isinstance(schema, Schema) and schema.bound:
        typed["schema"] = replace(schema, columns=tuple(schema[name] for name in columns))
    return Fit(
        **{name: typed[name] for name in _AS_TYPED},
        target={name: typed[name] for name in _OF_TARGETS_ONLY},
        labels=Labels(listed, two, positive or (1 if two is None else two[1])),
        caller=caller,
    )


def asked_by(protocol: Protocol, table: Any) -> Fit:
    """Return the fit of a protocol, if a table has its columns; no record is read."""
    from littlestone.data.tables import read_table  # noqa: PLC0415 - engines are loaded late

    parsed = Fit.from_dict(protocol.fit)
    declared = None if parsed.schema is None else parsed.schema.csv
    opened = read_table(table, csv=parsed.csv, declared=declared, caller="fit")
    protocol.check_columns(opened.names)
    return parsed


def _refuse_time(caller: str, names: Iterable[str]) -> None:
    """Refuse a column that would be called as the period is."""
    if "time" in names:
        raise ParameterError(
            f"A predictor named 'time' is refused by {caller}, because trees use this name for the "
            "period. Rename it, or leave it out."
        )


def _listed(names: Sequence[str]) -> str:
    """Return names of columns, or the first ones and how many there are."""
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown}, ... ({len(names):,} columns)"


def _users(table: Table, user: str, caller: str) -> int:
    """Return the number of users, which is public where they are protected."""
    from littlestone.data.codes import distinct_cells  # noqa: PLC0415
    from littlestone.data.counting import count_cells  # noqa: PLC0415

    return len(set(map(user_name, distinct_cells(count_cells(table, user, caller=caller)[0])[0])))


def _rows(table: Table, y: str, caller: str) -> int:
    """Return the number of records, which is public."""
    from littlestone.data.counting import count_cells  # noqa: PLC0415 - engines are loaded late

    n = table.rows()
    if n is None:
        n = sum(map(int, count_cells(table, y, caller=caller)[1]))
    check_rows(n, caller)
    return n
