"""Releases: what a fit publishes, written, read back and used.

A `Release` is the private output with all that may be said about it in public; everything here is
public, and nothing here sees a record that was learned from. `littlestone.learners.running` makes
releases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate
from littlestone.bounds.certificate import without_fixed_class
from littlestone.classes import (
    ConceptClass,
    TreeEnsemble,
    TreeSum,
    class_from_dict,
)
from littlestone.classes import load as load_hypothesis
from littlestone.classes.boosted_trees.export import as_python, as_r, refuse_columns
from littlestone.classes.decision_trees import hypothesis as sql
from littlestone.classes.hypotheses import (
    constant_label,
)
from littlestone.costs import Costs
from littlestone.data.cells import BINARY, CsvFormat, check_labels, spelled, spellings
from littlestone.data.schema import Proposal
from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    parameter_error,
)
from littlestone.evaluation import (
    ErrorSums,
    Evaluation,
    GroupErrors,
    GroupFigures,
    Quality,
    QuantityEvaluation,
    ScoreHistogram,
    SurvivalEvaluation,
    quality,
)
from littlestone.evaluation.histogram import held_out_by_rule, merged_scores
from littlestone.evaluation.measures import in_words
from littlestone.evaluation.quantities import risk_bins
from littlestone.learners.record import record_of
from littlestone.mechanisms.estimate import Conformal
from littlestone.notebooks import Card
from littlestone.privacy import Guarantee, Neighbours, Part, total
from littlestone.privacy.guarantee import ALL, HELD_OUT, LEARNED_FROM, NOT_PRIVATE, OTHERS
from littlestone.safe_io import parse_json, read_text, typed, write_text

if TYPE_CHECKING:
    from littlestone.data import Schema
    from littlestone.data.targets import Target
    from littlestone.types import Hypothesis, Json, Label, Labels, Points


FORMAT = "littlestone-release-1"
#: What is paid for in a release.
LABELS, COLUMNS, LEARNING = "check of the label column", "columns", "learning"
#: Both of the same epsilon: what they cost adds up in rho, and is converted once.
JOINED = "columns and learning"
#: The claim of that.
COMPOSED = "dp.zcdp"

_RISK = 0.05
_LARGEST = 10**1200  # of n: far beyond any table, and short enough to be written out


@dataclass(frozen=True, repr=False)
class Release:
    """What a fit publishes: nothing in it was not paid for."""

    learner: str
    concept_class: ConceptClass
    hypothesis: Hypothesis
    parts: tuple[Part, ...]  # in the order of payment: columns, if they were learned, and the rest
    certificate: Certificate | None
    n: int | None
    required: int | None
    columns: Json | None = None
    evaluation: ScoreHistogram | ErrorSums | None = None
    spent: dict[str, str] | None = None
    costs: Costs | None = None
    interval: Conformal | None = None  # what the width of intervals, or of sets, comes from
    names: tuple[Label, Label] | None = None  # of codes 0 and 1, if they are called otherwise
    protocol: Json | None = None  # its hash, and how many records it was planned for

    @property
    def guarantee(self) -> Guarantee:
        """What the whole document promises: the sum of its parts."""
        return total(self.parts)

    @property
    def scored(self) -> bool:
        """Whether the evaluation is of other records than the model was learned from."""
        return any(part.about == OTHERS for part in self.parts)

    @property
    def proposal(self) -> Proposal | None:
        """What the columns cost, where they were learned from records; None where they were not."""
        return proposal_of(self.concept_class)

    @property
    def payment(self) -> Guarantee:
        """What was promised last: of the hypothesis, or of its evaluation if scored."""
        return [p.guarantee for p in self.parts if p.about in (ALL, LEARNED_FROM)][-1]

    @property
    def of_held_out(self) -> Guarantee | None:
        """What was promised to held-out records, if there are such."""
        return next((p.guarantee for p in self.parts if p.about == HELD_OUT), None)

    def paid_with(self, part: Part) -> Guarantee:
        """Return what was paid for a part at once: the two sides of a split, but for a first count.

        Where columns are learned first, it is not known yet which model they are for.
        """
        sides = [p for p in self.parts if p.about in (LEARNED_FROM, HELD_OUT) and p.what != LABELS]
        if part not in sides:
            of_model = part.what != JOINED
            return part.guarantee if of_model else replace(part.guarantee, claim=COMPOSED)
        at_once = total(sides)
        before = any(each.what in (COLUMNS, JOINED) for each in sides)
        return replace(at_once, claim="dp.parallel") if before else at_once

    @property
    def nested(self) -> tuple[Part, ...]:
        """The parts, where there are several."""
        return self.parts if len(self.parts) > 1 else ()

    @property
    def independent(self) -> bool:
        """Whether nothing was learned from the records of the evaluation."""
        return self.scored or self.columns_apart

    @property
    def columns_apart(self) -> bool:
        """Whether columns, where they were learned, were so without held-out records."""
        return self.proposal is None or any(
            part.what in (COLUMNS, JOINED) and part.about == LEARNED_FROM for part in self.parts
        )

    @property
    def planned(self) -> str:
        """Say which protocol was followed, if one was, and whether with the planned number."""
        if self.protocol is None:
            return ""
        unit, records = f"{self.guarantee.neighbours.unit}s", self.protocol["records"]
        if self.n is None:  # secret
            return f"{self.protocol['sha256']}; planned for {records:,} {unit}"
        met = "as planned" if self.n == records else f"planned for {records:,}"
        return f"{self.protocol['sha256']}; {self.n:,} {unit}, {met}"

    @property
    def not_evaluated(self) -> str:
        """Say how many units would be evaluated unasked, where these are too few; else nothing."""
        if self.evaluation is not None or self.n is None or self.certificate is not None:
            return ""
        epsilon = sum(part.guarantee.epsilon for part in self.parts if part.what != COLUMNS)
        rule = held_out_by_rule(self.n, epsilon)
        return "" if rule.units else rule.words(f"{self.guarantee.neighbours.unit}s")

    @property
    def counts(self) -> ScoreHistogram | None:
        """The histogram of an evaluation of labels."""
        evaluation = self.evaluation
        return (
            evaluation if isinstance(evaluation, ScoreHistogram) and self.target is None else None
        )

    @property
    def measured(self) -> Evaluation | QuantityEvaluation | SurvivalEvaluation | None:
        """What the evaluation says; nothing of new records, if the columns were learned, too."""
        evaluation = self.evaluation
        if evaluation is None:
            return None
        if not self.independent:
            evaluation = replace(evaluation, held_out=False)
        measured: Evaluation | QuantityEvaluation | SurvivalEvaluation
        if isinstance(evaluation, ErrorSums):
            measured = QuantityEvaluation(evaluation)
        elif self.target is not None:
            schema = cast("Schema", self.concept_class.row_schema)
            measured = SurvivalEvaluation.of(evaluation, cast(TreeSum, self.hypothesis), schema)
        else:
            measured = evaluation_of(evaluation, self.hypothesis)
        measured.seeded = self.guarantee.seeded
        return measured

    @property
    def answers(self) -> list[int]:
        """The (code of the) label that is answered for each score of the evaluation."""
        if self.counts is None:
            return []
        if self.concept_class.lists_labels:
            return list(self.counts.scores)
        return [int(score > 0) for score in self.counts.scores]

    @property
    def quality(self) -> Quality | None:
        """Error and baseline of labels by the released evaluation; None without one."""
        if self.counts is None:
            return None
        answers = self.answers
        constant = constant_label(self.hypothesis)
        return quality(self.counts, answers, constant=constant, costs=self.costs)

    @property
    def groups(self) -> tuple[GroupFigures, ...] | tuple[GroupErrors, ...]:
        """What the evaluation says of public groups of records, where it was asked for (``by``)."""
        measured = self.measured
        if isinstance(measured, QuantityEvaluation):
            return measured.groups
        return measured.groups(self.answers) if isinstance(measured, Evaluation) else ()

    def card(self, title: str = "") -> Card:
        """Return what is shown of it: a function of what was released."""
        what = "Rule" if self.target is None else "Prediction"
        lines = [(what, self.hypothesis.describe()), ("Guarantee", str(self.guarantee))]
        lines += [("", f"{part.what}, for {part.payers}: {part.guarantee}") for part in self.nested]
        if self.certificate is not None:
            lines.append(("Certificate", str(self.certificate)))
        quality = self.quality
        if quality is not None:
            lines.append(("Error rate", in_words(quality.error, "{:.1%}".format)))
            if quality.constant != quality.majority:  # else it is the same error
                always = f"Always {self.labels[quality.majority]}"
                lines.append((always, in_words(quality.baseline, "{:.1%}".format)))
        elif self.measured is not None:
            lines.append(("Evaluation", self.measured.summary().partition("\n")[2]))
        return Card(title or f"{self.learner} on {self.concept_class.spec}", lines)

    def __repr__(self) -> str:
        return self.card().text()

    def _repr_html_(self) -> str:
        return self.card().html()

    def to_dict(self) -> Json:
        """Return plain JSON; `from_dict` reads it back."""
        out: Json = {
            "format": FORMAT,
            "learner": self.learner,
            "class": {"spec": self.concept_class.spec, **self.concept_class.to_dict()},
            "hypothesis": {
                **self.hypothesis.to_dict(),
                "description": self.hypothesis.describe(),
            },
            **stated(self.parts),
        }
        optional = {
            "n": self.n,
            "columns": self.columns,
            "label_names": None if self.names is None else list(self.names),
            "spent": self.spent,
            "costs": None if self.costs is None else self.costs.to_dict(),
            "protocol": self.protocol,
        }
        out |= {name: value for name, value in optional.items() if value is not None}
        if self.certificate is not None:
            out["certificate"] = self.certificate.to_dict()
            out["required_samples"] = self.required
        if self.evaluation is not None:
            out["evaluation"] = self.evaluation.to_dict()
            quality, measured = self.quality, self.measured
            if quality is not None:
                out["quality"] = quality.to_dict()
            elif isinstance(measured, QuantityEvaluation | SurvivalEvaluation):
                out["quality"] = measured.quality
            if self.groups:
                out["groups"] = [group.to_dict() for group in self.groups]
        if self.interval is not None:
            out["interval"] = self.interval.to_dict()
            if not self.columns_apart:  # its units are the fit's, also after `score`
                certificate = without_fixed_class(self.interval.certificate())
                out["interval"]["certificate"] = certificate.to_dict()
        return out

    def to_json(self) -> str:
        """Return the canonical JSON text: sorted keys, one line."""
        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_dict(cls, document: Any) -> Release:
        """Read a release back, checking everything; no code is ever run."""
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ParameterError(
                "The model must be a JSON object written by `littlestone fit --out` "
                f"(format {FORMAT})."
            )
        try:
            described = dict(document["hypothesis"])
            described.pop("description", None)
            stated = dict(document["class"])
            stated.pop("spec", None)
            concept_class, hypothesis = class_from_dict(stated), load_hypothesis(described)
            _check_fit(concept_class, hypothesis)
            certificate = typed(Certificate | None, document.get("certificate"))
            histogram = document.get("evaluation")
            guarantee = Guarantee.from_dict(document["guarantee"])
            release = cls(
                learner=_text(document["learner"]),
                concept_class=concept_class,
                hypothesis=hypothesis,
                parts=parts_in(document, concept_class),
                certificate=certificate,
                n=None if secret_n(guarantee.neighbours) else _count(document["n"]),
                required=None if certificate is None else _count(document["required_samples"]),
                columns=_columns(document.get("columns")),
                names=_names(document.get("label_names"), concept_class),
                evaluation=None if histogram is None else read_evaluation(histogram),
                interval=typed(Conformal | None, document.get("interval")),
                spent=_spent(document.get("spent")),
                costs=typed(Costs | None, document.get("costs")),
                protocol=_protocol(document.get("protocol")),
            )
            _check_evaluation(release)
            return release
        except ParameterError as problem:
            raise ParameterError(f"{problem}{_CHANGED}") from None
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
            raise ParameterError(f"The model file is incomplete.{_CHANGED}") from None

    @property
    def labels(self) -> tuple[Label, ...]:
        """The public labels, in the order of their codes."""
        return self.concept_class.labels if self.names is None else self.names

    @property
    def set_columns(self) -> list[str]:
        """The names of columns that say whether a set holds each label."""
        return [f"set has {label}" for label in self.labels]

    @property
    def target(self) -> Target | None:
        """What is predicted, if it is no label."""
        return getattr(self.concept_class, "target", None)

    def predict(self, X: Any, *, x: str | None = None, csv: Any = None) -> npt.NDArray[Any]:
        """Label points by the released hypothesis; costs no privacy of its records."""
        codes = self.predict_codes(X, x=x, csv=csv)
        named = self.concept_class.lists_labels or self.names is not None
        return np.array(self.labels)[codes] if named else codes

    def predict_codes(self, X: Any, *, x: str | None = None, csv: Any = None) -> Labels:
        """Return the code of the label of each point; see `predict`."""
        pieces = self._points_of(X, x=x, csv=csv)
        return np.concatenate([self._answers(points, inside) for points, inside, _ in pieces])

    def survival(self, X: Any, *, csv: Any = None) -> npt.NDArray[np.float64]:
        """Return the probability that nothing has happened at the end of each period (columns)."""
        model = self.sums
        if model is None or model.target is None:
            raise UnsupportedError("Only a model of a time until an event has survival functions.")
        return self._for_each(X, model.survival, "survival", csv)

    def predict_interval(self, X: Any, *, csv: Any = None) -> npt.NDArray[np.float64]:
        """Return the two ends of an interval for each row (columns); see `ls.fit`, ``interval``."""
        model = self.sums
        if model is None or model.target is None or model.width is None:
            raise UnsupportedError("This model has no intervals: fit it with interval=0.9.")
        return self._for_each(X, model.interval, "predict_interval", csv)

    def predict_set(self, X: Any, *, csv: Any = None) -> npt.NDArray[np.bool_]:
        """Return which labels (columns) are in the set of each row; see `ls.fit`, ``interval``."""
        model = self.sums
        if model is None or model.target is not None or model.width is None:
            raise UnsupportedError("This model has no sets of labels: fit it with interval=0.9.")
        return self._for_each(X, model.sets, "predict_set", csv)

    @property
    def sums(self) -> Any:
        """The hypothesis, where it is a `TreeEnsemble`, of labels, or a `TreeSum`, of a target."""
        return self.hypothesis if self.hypothesis.of_sums else None

    def _for_each(
        self, X: Any, answer: Callable[[Points], npt.NDArray[Any]], caller: str, csv: Any
    ) -> npt.NDArray[Any]:
        """Return the answers for rows of arrays, or of a table, read piece after piece."""
        pieces = self._points_of(X, csv=csv, caller=caller)
        return np.concatenate([answer(points) for points, *_ in pieces])

    def predict_pieces(
        self,
        X: Any,
        *,
        x: str | None = None,
        csv: Any = None,
        proba: bool = False,
        key: str | None = None,
    ) -> Iterator[tuple[Labels, npt.NDArray[np.float64] | None, list[str | None]]]:
        """Yield codes of labels and probabilities of rows, of a table a piece after the other.

        Of a model with intervals values and the two ends of each; of one with sets of labels
        whether they hold each label, after the probabilities. Last the cells of the column ``key``.

        Memory does not grow with the number of rows, if the table is a file or an Arrow stream.
        """
        if proba:
            self._check_chances()
        for points, inside, keys in self._points_of(X, x=x, csv=csv, key=key):
            model = self.sums
            if model is not None and model.target is not None:
                beside = model.survival(points) if proba else None
                beside = beside if model.width is None else model.interval(points)
                yield self._answers(points, inside), beside, keys
                continue
            shown = [self._chances_of(points, inside)] if proba else []
            if model is not None and model.width is not None:
                shown.append(model.sets(points).astype(np.float64))
            yield self._answers(points, inside), np.column_stack(shown) if shown else None, keys

    def _answers(self, points: Points, inside: npt.NDArray[np.bool_]) -> Labels:
        """Return what is predicted of each row: of one without a point the first label."""
        if self.target is not None:
            return self.hypothesis.predict(points)
        labels = np.zeros(len(inside), dtype=np.int8)
        labels[inside] = self.hypothesis.predict(points)
        return labels

    def _points_of(
        self, X: Any, *, x: str | None = None, csv: Any = None, key: str | None = None,
        caller: str = "predict",
    ) -> Iterator[tuple[Points, npt.NDArray[np.bool_], list[str | None]]]:  # fmt: skip
        """Yield the points of rows, which rows have one, and keys; a table piece after piece."""
        domain = self.concept_class.domain
        if not is_table(X):
            points = domain.array(X, caller=caller)
            return iter([(points, np.ones(len(points), np.bool_), [])])
        from littlestone.data.counting import point_pieces  # noqa: PLC0415 - engines: late

        where: Json = {"x": self.column(x), "csv": csv, "declared": self.csv, "key": key}
        return point_pieces(X, domain=domain, caller="predict", **where)

    def _chances_of(self, points: Points, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        if self.concept_class.row_schema is not None:
            return self.chances(points)
        outside = self._shares()[0]  # where the first label is answered
        answer = np.full((len(inside), *outside.shape), outside)
        answer[inside] = self.chances(points)
        return answer

    def predict_proba(
        self, X: Any, *, x: str | None = None, csv: Any = None
    ) -> npt.NDArray[np.float64]:
        """Return the probabilities of labels of each row; costs no privacy of its records.

        One column for each label, in the order of the codes: 0 and 1, or those that are listed.
        The probability of a scorecard or of boosted trees is their own; of another model it is the
        share that the evaluation found among the records with the same answer.
        """
        self._check_chances()
        pieces = self._points_of(X, x=x, csv=csv)
        return both(np.concatenate([self._chances_of(*piece[:2]) for piece in pieces]))

    def chances(self, points: Points) -> npt.NDArray[np.float64]:
        """Return the chance of label 1, of each label, or to survive each period, by point."""
        self._check_chances()
        if self.sums is not None:
            chances: npt.NDArray[np.float64] = self.sums.chances(points)
            return chances
        scores = cast(ScoreHistogram, self.evaluation).scores
        return self._shares()[score_places(self.hypothesis, points, scores)]

    def _shares(self) -> npt.NDArray[np.float64]:
        """Return the shares at each score: of label 1, or of each label."""
        assert isinstance(self.evaluation, ScoreHistogram)
        shares: npt.NDArray[np.float64] = Evaluation(self.evaluation).shares()
        return shares.T if self.concept_class.lists_labels else shares[1]

    def _check_chances(self) -> None:
        if self.target is not None and not self.target.ends:
            raise UnsupportedError(
                f"A model of a {self.target.kind} predicts numbers, not probabilities: leave out "
                "--proba."
            )
        if self.sums is None and self.evaluation is None:
            raise UnsupportedError(
                f"A model of {self.concept_class.spec} predicts labels, not probabilities: fit it "
                "with an evaluation (--evaluate), or use a scorecard or boosted_trees(depth=2)."
            )

    def export(self, to: str, *, dialect: str = "duckdb", table: str | None = None) -> str:
        """Return the hypothesis for another program; costs no privacy.

        SQL is one expression, a value for each row; with a ``table``, as written after FROM, it is
        a query of all its columns and the value. Engines may show the rows in another order. What
        was made with a seed says so in a comment; JSON has the guarantee.
        """
        remark = f"# {NOT_PRIVATE}\n"
        comment = {"sql": f"/* {NOT_PRIVATE} */ ", "python": remark, "r": remark}.get(to, "")
        return comment * self.guarantee.seeded + self._exported(to, dialect, table)

    def _exported(self, to: str, dialect: str, table: str | None) -> str:
        schema, hypothesis = self.concept_class.row_schema, self.hypothesis
        if to not in ("sql", "python", "r", "json"):
            raise parameter_error("export", "to", "one of sql, python, r, json", to)
        model: Any = None if schema is None else hypothesis.exported(schema)
        if schema is None or model is None:
            raise UnsupportedError(
                f"A model of {self.concept_class.spec} cannot be exported: rules, "
                "trees, scorecards and boosted trees can."
            )
        columns_asked = [column for at, column in enumerate(schema) if at in model.columns]
        refuse_columns(columns_asked, to)
        if to == "sql":
            written: str = model.to_sql(schema, dialect=dialect)
            name = "probability" if model.ranks else "prediction"
            if table is None:
                return written
            parts = [f"{written} AS {name}"]
            parts += [
                f"{value} AS {sql.named(named)}" for named, value in self._beside(schema, dialect)
            ]
            return f"SELECT *, {', '.join(parts)}\nFROM {table}"
        if to == "json":
            columns = replace(schema, proposal=None).to_list()
            document = {"schema": columns, "hypothesis": model.to_dict()}
            document["guarantee"] = self.guarantee.to_dict()
            return json.dumps(document, ensure_ascii=False)
        several = model.of_sums
        if not several:  # one vote
            names = model.label_names
            model = TreeEnsemble((model,), Fraction(1), (0,) * len(names), names)
        if to == "r":
            return as_r(model, schema, self.labels, chances=several)
        return as_python(model, schema, votes=several)

    def _beside(self, schema: Schema, dialect: str) -> Iterator[tuple[str, str]]:
        """Yield the columns of intervals or sets: their names, and their SQL."""
        model = self.sums
        if model is None or model.width is None:
            return
        if model.target is not None:
            for end in ("low", "high"):
                yield end, model.to_sql(schema, dialect=dialect, what=end)
            return
        for name, label in zip(self.set_columns, self.labels, strict=True):
            yield name, model.to_sql(schema, dialect=dialect, what="set", of=label)

    @property
    def csv(self) -> CsvFormat | None:
        """How the CSV file was written that was learned from, where it was declared."""
        written = (self.columns or {}).get("csv")
        return None if written is None else CsvFormat.parse(written, "the model")

    def column(self, x: str | None = None) -> str | None:
        """Return the one column to read (x, if it has another name), or None for rows."""
        if self.concept_class.row_schema is not None:
            if x is not None:
                hint = "The columns of its schema are read by their names."
                raise parameter_error("predict", "x", "left out for this model", x, hint)
            return None
        names = (self.columns or {}).get("x") or []
        if x is None and len(names) != 1:
            hint = "The model does not name the column to read."
            raise parameter_error("predict", "x", "the name of one column", x, hint)
        return str(names[0]) if x is None else x

    def record(self) -> Json:
        """Return the record that can be filed, and checked offline (``docs/records.md``)."""
        return record_of(self)

    def save(self, path: str | Path) -> None:
        """Write the model file that `read` and the command line open; it replaces a file."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release from a file written by `littlestone fit --out`."""
        what = f"file {path}, which should be a model that `littlestone fit` wrote,"
        return cls.from_dict(parse_json(read_text(path, "model file"), what))


def load(path: str | Path) -> Release:
    """Return the release that ``fit --out`` or an estimator's ``save`` wrote.

    Parameters
    ----------
    path : str or Path
        A model file. No code in it is ever run.

    Raises
    ------
    ParameterError
        If the file is not a release, or has been changed.

    Examples
    --------
    >>> import tempfile, littlestone as ls
    >>> learner = ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon=1, random_state=0)
    >>> learner = learner.fit([20, 40, 60, 80], [0, 0, 1, 1])
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
    ...     learner.release_.save(file.name)
    ...     model = ls.load(file.name)
    >>> model.hypothesis == learner.hypothesis_
    True
    """
    return Release.read(path)


def read_evaluation(data: Any) -> ScoreHistogram | ErrorSums:
    """Read an evaluation back; it may be untrusted."""
    of_sums = isinstance(data, dict) and "sums" in data
    return (ErrorSums if of_sums else ScoreHistogram).from_dict(data)


def parts_of(
    learned: tuple[Part, ...],
    proposal: Proposal | None,
    before: tuple[Part, ...] = (),
    *,
    split: bool = False,
) -> tuple[Part, ...]:
    """Return what a release cost, in the order of payment; refuse what promises nothing.

    ``split``: before columns were learned.
    """
    columns = []
    if proposal is not None and not any(part.what == JOINED for part in learned):
        about = LEARNED_FROM if split else ALL
        columns = [Part(COLUMNS, proposal.guarantee, about, proposal.entry)]
    parts = (*before, *columns, *learned)
    total(parts)
    return parts


def proposal_of(concept_class: ConceptClass) -> Proposal | None:
    """Return what a class cost whose columns were learned from records."""
    schema = concept_class.row_schema
    return None if schema is None else schema.proposal


def doubt(release: Release, positive: str | list[str] | None = None) -> str:
    """Say so, if perhaps what was predicted is not what was meant, by the evaluation; else nothing.

    Of labels: perhaps no record has one, by the noisy counts, at 95 %. ``positive`` is the cell
    that meant 1, if another one than in the fit.

    Zeros and ones sum to n, so half of their difference has less noise than either.
    """
    histogram, measured = release.counts, release.measured
    if isinstance(measured, QuantityEvaluation | SurvivalEvaluation):
        return measured.doubt
    if histogram is None:
        return ""
    if release.concept_class.lists_labels:
        reach = histogram.reach(len(histogram.scores), _RISK)
        rows = zip(release.labels, histogram.counts, strict=False)  # unlisted ones are last
        hidden = ", ".join(repr(label) for label, row in rows if sum(row) <= reach)
        return hidden and (
            f"because of the noise, it is not clear that these labels occur: {hidden}. Check that "
            "they are written as in the table (--labels; in Python, labels=): a cell outside the "
            "list counts as an error"
        )
    zeros, ones = (sum(row) for row in histogram.counts)
    if histogram.n + ones - zeros > histogram.reach(2 * len(histogram.scores), _RISK):
        return ""
    label = spelled(positive or (release.columns or {}).get("positive", release.labels[1]))
    return (
        f"because of the noise, it is not clear that any record has the label {label!r}. Check "
        "that it is written as in the table (--positive or --labels; in Python, labels=): every "
        "other cell is read as the other label"
    )


def both(chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a column for each label, also where only the chance of label 1 is known."""
    return np.column_stack([1 - chances, chances]) if chances.ndim == 1 else chances


def secret_n(neighbours: Neighbours) -> bool:
    """Return whether n (of records, or of users) is secret: nothing says, refuses or plans by it.

    Examples
    --------
    >>> [relation.value for relation in Neighbours if secret_n(relation)]
    ['add-remove', 'user-add-remove']
    """
    return neighbours in (Neighbours.ADD_REMOVE, Neighbours.USER_ADD_REMOVE)


def _with_margins(hypothesis: Hypothesis) -> TreeEnsemble | None:
    """Return a sum of trees of the labels 0 and 1; None for any other hypothesis."""
    return cast(TreeEnsemble, hypothesis) if hypothesis.ranks else None


def scores_of(
    hypothesis: Hypothesis, labels: int, n: int, epsilon: Any, *, groups: bool = False
) -> tuple[int, ...]:
    """Return the scores of a histogram: labels, or the last margin of each of few cells."""
    model = _with_margins(hypothesis)
    if model is None:
        return tuple(range(labels))
    return merged_scores(model.margins, model.start_share, 0 if groups else n, epsilon)


def score_places(
    hypothesis: Hypothesis, points: Points, scores: Sequence[int]
) -> npt.NDArray[np.int64]:
    """Return where the score of each point is in the histogram: cell of margins, or label."""
    model = _with_margins(hypothesis)
    if model is None:
        return hypothesis.predict(points).astype(np.int64)
    return np.searchsorted(scores, model.margin(points))


def evaluation_of(histogram: ScoreHistogram, hypothesis: Hypothesis) -> Evaluation:
    """Return what a histogram says of a hypothesis, with what was merged into its cells."""
    model = _with_margins(hypothesis)
    of_margins = () if model is None else (model.margins, model.probabilities)
    return Evaluation(histogram, *of_margins)


def is_table(X: Any) -> bool:
    """Return whether an object is a table with named columns: a path, a frame, a relation."""
    if isinstance(X, str | Path | Mapping):
        return True
    if isinstance(X, np.ndarray):
        return X.dtype.names is not None
    # A frame, or a `Table`. A lazy frame warns where it, not its type, is asked for columns.
    named = hasattr(type(X), "columns") or hasattr(X, "stream")
    return not isinstance(X, list | tuple) and named


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise TypeError
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise TypeError
    return value


def stated(parts: tuple[Part, ...]) -> Json:
    """Return what a document says of its cost: the sum, and each part, where there are several."""
    document: Json = {"guarantee": total(parts).to_dict()}
    plain = len(parts) == 1 and parts[0].what != JOINED
    return document | ({} if plain else {"parts": [part.to_dict() for part in parts]})


def parts_in(document: Json, concept_class: ConceptClass) -> tuple[Part, ...]:
    """Read the parts that a document states; refuse those that do not sum to its guarantee.

    Where none are named, the columns of the class are added: that headline left them out.
    """
    headline, proposal = Guarantee.from_dict(document["guarantee"]), proposal_of(concept_class)
    if "parts" not in document:
        return parts_of((Part(LEARNING, headline),), proposal)
    parts = tuple(map(Part.from_dict, document["parts"]))
    columns: list[Any] = [part.guarantee for part in parts if part.what == COLUMNS]
    costs: list[Any] = [] if proposal is None else [proposal.guarantee]
    joined = [part.about for part in parts if part.what == JOINED]
    if joined:
        costs = [] if proposal is None or proposal.zcdp is None else [proposal.spent]
        # of a score, what the model cost its own records is not stated in zCDP
        columns += costs if joined == [OTHERS] else [document["spent"].get(COLUMNS)]
    if total(parts) != headline or columns != costs:
        raise ParameterError("The parts of the model's guarantee do not add up to it.")
    return parts


def _spent(spent: Any) -> dict[str, str] | None:
    if spent is None:
        return None
    return {_text(what): _text(epsilon) for what, epsilon in spent.items()}


def _protocol(data: Any) -> Json | None:
    if data is None:
        return None
    if set(data) != {"sha256", "records"} or not re.fullmatch("[0-9a-f]{64}", data["sha256"]):
        raise ValueError
    return {"sha256": data["sha256"], "records": _count(data["records"])}


def _columns(columns: Any) -> Json | None:
    """Check the names of columns."""
    if columns is None:
        return None
    for name, value in columns.items():
        if name == "x":
            list(map(_text, value if isinstance(value, list) else [None]))
        elif name == "positive":
            list(map(_text, spellings(value) or [None]))
        elif name == "samples_per_user":
            _count(value)
        else:
            _text(value)
    if "csv" in columns:
        CsvFormat.parse(columns["csv"], "the model")
    return dict(columns)


def _names(names: Any, concept_class: ConceptClass) -> tuple[Label, Label] | None:
    """Check how the labels 0 and 1 are called."""
    if names is None:
        return None
    first, second = check_labels("the model", names)
    if concept_class.lists_labels or getattr(concept_class, "target", None) is not None:
        raise ValueError
    return first, second


def _check_fit(concept_class: ConceptClass, hypothesis: Hypothesis) -> None:
    """Refuse a hypothesis that does not answer the points of a class with its labels.

    Codes speak of columns by position: of a file that was changed, better nothing than a wrong
    prediction.
    """
    target = getattr(concept_class, "target", None)
    if target != hypothesis.target:
        raise _unfit("hypothesis", "target")
    names = getattr(hypothesis, "label_names", concept_class.labels)
    inner = list(_within(hypothesis))
    if names != concept_class.labels or any(
        getattr(part, "label_names", BINARY) != BINARY for part in inner
    ):
        raise _unfit("hypothesis", "labels")
    domain = concept_class.domain
    tests = {literal for part in (hypothesis, *inner) for literal in getattr(part, "literals", ())}
    public = getattr(concept_class, "asked", concept_class.row_schema)
    if not tests <= set(() if public is None else public.literals()):
        raise _unfit("hypothesis", "schema")
    if target is not None:
        return
    points = domain.examples
    if points is None:
        return
    try:
        codes = np.asarray(hypothesis.predict(points))
        fits = codes.shape == (len(points),) and set(codes.tolist()) <= set(
            range(len(concept_class.labels))
        )
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        fits = False
    if not fits:
        raise _unfit("hypothesis", "class")


def _within(hypothesis: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the hypotheses that one is made of, and what these are made of."""
    for part in hypothesis.inner:
        yield part
        yield from _within(part)


def _check_evaluation(release: Release) -> None:
    """Refuse an evaluation, or costs, of other labels or scores than those of the model."""
    labels, histogram = len(release.labels), release.evaluation
    if (release.interval is None) != (release.hypothesis.width is None):
        raise _unfit("interval", "hypothesis")
    if release.costs is not None and len(release.costs.matrix) != labels:
        raise _unfit("costs", "labels")
    if histogram is None:
        return
    model: Any = release.hypothesis
    if isinstance(histogram, ErrorSums):
        if model.target is None or histogram.kind != model.kind:
            raise _unfit("evaluation", "hypothesis")
        return
    if model.target is not None:
        periods = model.target.ends
        schema, size = cast("Schema", release.concept_class.row_schema), histogram.size
        fits = bool(periods) and histogram.labels == 2 * len(periods) + 1
        if not fits or histogram.unlisted or histogram.scores != risk_bins(model, schema, size):
            raise _unfit("evaluation", "hypothesis")
        return
    lists = release.concept_class.lists_labels
    if (histogram.labels, histogram.unlisted) != (labels, lists):
        raise _unfit("evaluation", "labels")
    n, epsilon, groups = histogram.n, histogram.epsilon, histogram.groups is not None
    if histogram.scores != scores_of(release.hypothesis, labels, n, epsilon, groups=groups):
        raise _unfit("evaluation", "hypothesis")


_CHANGED = " The file has been changed; write it again with `littlestone fit --out`."


def _unfit(what: str, whole: str) -> ParameterError:
    return ParameterError(
        f"The {what} of the model {'do' if what == 'costs' else 'does'} not fit its {whole}."
    )
