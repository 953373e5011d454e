"""Runs and releases: where records are looked at, money is spent and something is drawn.

`run` is the only such place: estimators, the command line and the audit all call it. What it
returns, a `Release`, is the private output with all that may be said about it in public. The
sample is secret; everything else here is public: parameters, promises, certificates, releases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate
from littlestone.bounds.certificate import without_fixed_class
from littlestone.classes import ConceptClass, TreeEnsemble, TreeHypothesis, class_from_dict
from littlestone.classes import load as load_hypothesis
from littlestone.classes.decision_trees import LeafTree
from littlestone.classes.hypotheses import constant_label
from littlestone.costs import Costs
from littlestone.data import MulticlassSample, RowDomain, Sample, UserSample
from littlestone.data.dealing import deal, part
from littlestone.data.domains import check_points
from littlestone.data.formats import CsvFormat
from littlestone.data.sample import LazySample
from littlestone.data.schema import Proposal
from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.evaluation import Evaluation, Quality, ScoreHistogram, quality, release_histogram
from littlestone.evaluation.histogram import HISTOGRAM
from littlestone.privacy import Concentrated, Guarantee, Loss, Neighbours
from littlestone.safe_io import parse_json, read_text, write_text
from littlestone.source import public_salt

if TYPE_CHECKING:
    from littlestone.learners.base import Learner
    from littlestone.privacy import Ledger
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Json, Label, Labels, Points

__all__ = [
    "FORMAT",
    "Release",
    "certificate_of",
    "held_out_of",
    "is_table",
    "known_loss",
    "leaving",
    "load",
    "promise",
    "proposal_of",
    "read_sample",
    "run",
    "sample_kind",
    "score_all",
    "secret_n",
]

FORMAT = "littlestone-release-1"
AnySample: TypeAlias = Sample | MulticlassSample | UserSample

_LARGEST = 10**1200  # of n: far beyond any table, and short enough to be written out


@dataclass(frozen=True)
class Release:
    """What a fit publishes: nothing in it was not paid for.

    Attributes
    ----------
    learner : str
    concept_class : ConceptClass
    hypothesis : Hypothesis
        The private output.
    guarantee : Guarantee
        Of everything in the release together.
    certificate : Certificate or None
        None for a learner that certifies nothing before data.
    n : int or None
        Number of records; None under add-remove, where it is secret. The certificate is then that
        of ``required`` records.
    required : int or None
        The least n for which the certificate holds (public parameters only).
    columns : dict
        Public names: which columns were read as x, y; the positive label; the schema's name.
    evaluation : ScoreHistogram or None
        The released histogram of scores by label, when one was paid for.
    spent : dict or None
        What the guarantee was spent on, in words, where that is more than one thing.
    costs : Costs or None
        Of mistakes, where they are not all alike (public).
    """

    learner: str
    concept_class: ConceptClass
    hypothesis: Hypothesis
    guarantee: Guarantee
    certificate: Certificate | None
    n: int | None
    required: int | None
    columns: Json | None = None
    evaluation: ScoreHistogram | None = None
    spent: dict[str, str] | None = None
    costs: Costs | None = None

    @property
    def proposal(self) -> Proposal | None:
        """What the columns cost, where they were learned from records; None where they were not."""
        return proposal_of(self.concept_class)

    @property
    def together(self) -> Guarantee | None:
        """What the columns and the hypothesis cost a record that both were learned from."""
        if self.proposal is None or self.guarantee.neighbours is not Neighbours.REPLACE_ONE:
            return None
        first, second = self.proposal.guarantee, self.guarantee
        if first.delta + second.delta >= 1:
            return None  # nothing is promised together
        return Guarantee(
            first.epsilon + second.epsilon,
            first.delta + second.delta,
            claim=f"dp.sum({first.claim}, {second.claim})",
            seeded=first.seeded or second.seeded,
        )

    @property
    def answers(self) -> list[int]:
        """The (code of the) label that is answered for each score of the evaluation."""
        if self.evaluation is None:
            return []
        if isinstance(self.hypothesis, LeafTree):
            return list(self.hypothesis.labels)
        if self.concept_class.lists_labels:
            return list(self.evaluation.scores)
        return [int(score > 0) for score in self.evaluation.scores]

    @property
    def quality(self) -> Quality | None:
        """Error and baseline by the released evaluation; None without one."""
        if self.evaluation is None:
            return None
        answers = self.answers
        constant = constant_label(self.hypothesis)
        return quality(self.evaluation, answers, constant=constant, costs=self.costs)

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
            "guarantee": self.guarantee.to_dict(),
        }
        if self.n is not None:
            out["n"] = self.n
        if self.certificate is not None:
            out["certificate"] = self.certificate.to_dict()
            out["required_samples"] = self.required
        if self.columns is not None:
            out["columns"] = self.columns
        if self.evaluation is not None:
            found = self.quality
            assert found is not None
            out["evaluation"] = self.evaluation.to_dict()
            out["quality"] = found.to_dict()
        if self.spent is not None:
            out["spent"] = self.spent
        if self.costs is not None:
            out["costs"] = self.costs.to_dict()
        return out

    def to_json(self) -> str:
        """Return the canonical JSON text: sorted keys, one line."""
        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_dict(cls, document: Any) -> Release:
        """Read a release back, checking everything; no code is ever run.

        Raises
        ------
        ParameterError
            If the document is not a release of this version.
        """
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
            certified = "certificate" in document
            histogram = document.get("evaluation")
            guarantee = Guarantee.from_dict(document["guarantee"])
            return cls(
                learner=_text(document["learner"]),
                concept_class=concept_class,
                hypothesis=hypothesis,
                guarantee=guarantee,
                certificate=Certificate.from_dict(document["certificate"]) if certified else None,
                n=None if secret_n(guarantee) else _count(document["n"]),
                required=_count(document["required_samples"]) if certified else None,
                columns=_columns(document.get("columns")),
                evaluation=None if histogram is None else ScoreHistogram.from_dict(histogram),
                spent=_spent(document.get("spent")),
                costs=Costs.from_dict(document["costs"]) if "costs" in document else None,
            )
        except ParameterError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
            raise ParameterError(
                "The model file is incomplete or has been changed; write it again with "
                "`littlestone fit --out`."
            ) from None

    @property
    def labels(self) -> tuple[Label, ...]:
        """The public labels, in the order of their codes."""
        return self.concept_class.labels

    def predict(self, X: Any, *, x: str | None = None, csv: Any = None) -> npt.NDArray[Any]:
        """Label points by the released hypothesis; costs no privacy of its records.

        Parameters
        ----------
        X : table or array-like
            A table is read by column names, by public rules: what is outside the domain gets the
            first label.
        x : str, optional
            Column of points, if it has another name here than in the release.
        csv : CsvFormat, str or mapping, optional
            How a CSV file is written; by default as the one that was learned from.

        Returns
        -------
        ndarray
            0 or 1, or labels of the class's own list.
        """
        codes = self.predict_codes(X, x=x, csv=csv)
        return np.array(self.labels)[codes] if self.concept_class.lists_labels else codes

    def predict_codes(self, X: Any, *, x: str | None = None, csv: Any = None) -> Labels:
        """Return the code of the label of each point; see `predict`."""
        domain = self.concept_class.domain
        if not is_table(X):
            return self.hypothesis.predict(domain.array(X, owner="predict"))
        found = [labels for labels, _ in self.predict_pieces(X, x=x, csv=csv)]
        return np.concatenate(found)

    def predict_pieces(
        self, table: Any, *, x: str | None = None, csv: Any = None, proba: bool = False
    ) -> Iterator[tuple[Labels, npt.NDArray[np.float64] | None]]:
        """Yield codes of labels and probabilities of a table's rows, a piece after the other.

        Memory does not grow with the number of rows, if the table is a file or an Arrow stream.

        Parameters
        ----------
        table : table
        x, csv
            As for `predict`.
        proba : bool
            Whether probabilities are asked for, as by `predict_proba`; else None is in their place.
        """
        from littlestone.data.counting import point_pieces  # noqa: PLC0415 - engines: late

        if proba:
            self._check_chances()
        domain = self.concept_class.domain
        where = {"x": self.column(x), "csv": csv, "declared": self.csv}
        for points, inside in point_pieces(table, domain=domain, owner="predict", **where):
            labels = np.zeros(len(inside), dtype=np.int8)
            labels[inside] = self.hypothesis.predict(points)
            yield labels, self._chances_of(points, inside) if proba else None

    def _chances_of(self, points: Points, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        if isinstance(self.concept_class.domain, RowDomain):
            return self.chances(points)
        outside = self._shares()[0]  # where the first label is answered
        answer = np.full((len(inside), *outside.shape), outside)
        answer[inside] = self.chances(points)
        return answer

    def predict_proba(
        self, X: Any, *, x: str | None = None, csv: Any = None
    ) -> npt.NDArray[np.float64]:
        """Return the probability of label 1 of each row; costs no privacy of its records.

        Of a class that lists its labels it is one column for each label, in the order of the codes.
        The probability of a scorecard or of boosted trees is their own; of another model it is the
        share that the evaluation found where the row belongs: in its leaf, or among the records
        with the same answer.

        Parameters
        ----------
        X : table or array-like
        x, csv
            As for `predict`.

        Raises
        ------
        UnsupportedError
            If the hypothesis says labels only, and nothing was evaluated.
        """
        domain = self.concept_class.domain
        if not is_table(X):
            return self.chances(domain.array(X, owner="predict"))
        found = [chances for _, chances in self.predict_pieces(X, x=x, csv=csv, proba=True)]
        return np.concatenate([part for part in found if part is not None])

    def chances(self, points: Points) -> npt.NDArray[np.float64]:
        """Return the probabilities of `predict_proba`, of points as the hypothesis reads them."""
        self._check_chances()
        if isinstance(self.hypothesis, TreeEnsemble):
            return self.hypothesis.probability(points)
        return self._shares()[_places(self.hypothesis, points)]

    def _shares(self) -> npt.NDArray[np.float64]:
        """Return the shares at each score: of label 1, or of each label."""
        assert self.evaluation is not None
        shares: npt.NDArray[np.float64] = Evaluation(self.evaluation).shares()
        return shares.T if self.concept_class.lists_labels else shares[1]

    def _check_chances(self) -> None:
        if not isinstance(self.hypothesis, TreeEnsemble) and self.evaluation is None:
            raise UnsupportedError(
                f"A model of {self.concept_class.spec} says labels, not probabilities: learn it "
                "with an evaluation (--evaluate, --proba), or learn a scorecard or "
                "boosted_trees(depth=2)."
            )

    def export(self, to: str, *, dialect: str = "duckdb") -> str:
        """Return the hypothesis for another program; costs no privacy.

        Parameters
        ----------
        to : {"sql", "python", "json"}
        dialect : {"duckdb", "standard"}, default "duckdb"
            Of SQL; see `TreeHypothesis.to_sql`.

        Raises
        ------
        UnsupportedError
            If the hypothesis is neither a tree nor a sum of trees.
        """
        domain, hypothesis = self.concept_class.domain, self.hypothesis
        if isinstance(hypothesis, LeafTree):
            hypothesis = hypothesis.merged
        if to not in ("sql", "python", "json"):
            raise parameter_error("export", "to", "one of sql, python, json", to)
        if not isinstance(domain, RowDomain) or not isinstance(
            hypothesis, TreeEnsemble | TreeHypothesis
        ):
            raise UnsupportedError(
                f"A model of {self.concept_class.spec} cannot be exported: trees, scorecards and "
                "boosted trees can."
            )
        dated = [column.name for column in domain.schema if column.calendar is not None]
        if to != "json" and dated:
            raise UnsupportedError(
                f"A model over dates ({', '.join(dated)}) cannot be exported to {to}: export it to "
                "json, or leave these columns out of the schema."
            )
        if to == "sql":
            return hypothesis.to_sql(domain.schema, dialect=dialect)
        if to == "json":
            columns = replace(domain.schema, proposal=None).to_list()
            document = {"schema": columns, "hypothesis": hypothesis.to_dict()}
            return json.dumps(document, ensure_ascii=False)
        if self.concept_class.lists_labels:
            raise UnsupportedError(
                "A tree with labels of its own is exported to SQL or JSON (--to sql, --to json); "
                "the Python module is for the labels 0 and 1."
            )
        if isinstance(hypothesis, TreeHypothesis):  # one vote
            hypothesis = TreeEnsemble((hypothesis,), Fraction(1))
        return hypothesis.to_python(domain.schema)

    @property
    def csv(self) -> CsvFormat | None:
        """How the CSV file was written that was learned from, where it was declared."""
        written = (self.columns or {}).get("csv")
        return None if written is None else CsvFormat.parse(written, "the model")

    def column(self, x: str | None = None) -> str | None:
        """Return the one column to read (x, if it has another name), or None for rows."""
        if isinstance(self.concept_class.domain, RowDomain):
            if x is not None:
                hint = "The columns of its schema are read by their names."
                raise parameter_error("predict", "x", "left out for this model", x, hint)
            return None
        names = (self.columns or {}).get("x") or []
        if x is None and len(names) != 1:
            hint = "The model does not say which column to read."
            raise parameter_error("predict", "x", "the name of one column", x, hint)
        return str(names[0]) if x is None else x

    def save(self, path: str | Path) -> None:
        """Write the model file that `read` and the command line open; it replaces a file."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release from a file written by `littlestone fit --out`."""
        text = read_text(path, "model file")
        return cls.from_dict(parse_json(text, f"model file {path}"))


def run(
    learner: Learner[Any],
    sample: AnySample,
    source: Source,
    *,
    ledger: Ledger | None = None,
    evaluate: Any = None,
    holdout: Any = None,
    columns: Json | None = None,
) -> Release:
    """Learn one hypothesis, and return everything that is published about it.

    Parameters
    ----------
    learner : Learner
    sample : Sample, or UserSample for a learner that protects users
        At least one record (user). A `MulticlassSample` for a class that lists its labels.
    source : Source
        A seeded source makes a release that says NOT PRIVATE (seeded).
    ledger : Ledger, optional
        The budget of these records: the whole release is recorded in it before anything is drawn.
    evaluate : number > 0, optional
        Epsilon for a histogram of scores by label (`littlestone.evaluation`), as a part of the
        learner's epsilon: the total is what was given. A hypothesis with margins gets
        probabilities from it. Where users are protected, one record of each user is counted,
        chosen by public coins.
    holdout : number in (0, 1), optional
        The share of the records that are not learned from, and that ``evaluate`` looks at instead
        of the others: then no record pays for both, and ``evaluate`` may be as large as epsilon.
    columns : dict, optional
        Public names of what was read.

    Returns
    -------
    Release
        With an evaluation, ``quality`` says the error and that of the best constant, each with an
        interval that holds it with probability at least 95 % over the noise.

    Raises
    ------
    ParameterError
        If ``evaluate`` is not a part of epsilon or the sample is empty (n is public).
        Everything is checked before anything is drawn.
    BudgetError, StoreError
        The ledger does not pay; nothing was drawn.

    Notes
    -----
    *Guarantee.* The pair (hypothesis, histogram) composes: for each value of the hypothesis the
    histogram is ``evaluate``-DP on the same records, so the epsilons add and delta is the learner's
    (claim ``dp.sum``). The learner gets what ``evaluate`` leaves, so the sum is its epsilon.
    Held-out records are dealt by a secret permutation with sizes fixed by n, and the costs of
    disjoint parts do not add (claim ``dp.parallel``).

    Examples
    --------
    >>> from littlestone.classes import parse_class
    >>> from littlestone.data import Sample
    >>> from littlestone.learners import registry
    >>> from littlestone.source import SeededSource
    >>> learner = registry.make(
    ...     "agnostic", parse_class("thresholds(1, 9)"), epsilon=1, alpha=0.1, beta=0.05)
    >>> sample = Sample.of([2, 3, 7, 8] * 50, [0, 0, 1, 1] * 50)
    >>> release = run(learner, sample, SeededSource(0), evaluate="1/10")
    >>> release.guarantee.epsilon, release.guarantee.seeded, release.spent
    (Fraction(1, 1), True, {'learning': 'epsilon 9/10', 'evaluation': 'epsilon 1/10'})
    """
    _check_sample(learner, sample)
    if holdout is not None and learner.unit == "users":
        raise ParameterError(
            "The 'holdout' parameter of fit must be left out where users are protected: records "
            "are held out, not users."
        )
    _ = learner.plan  # refuses whatever `draw` would refuse (`runnable`)
    extra = {"evaluate": evaluate, "holdout": holdout}
    guarantee = promise(learner, **extra, seeded=source.seeded)
    secret = secret_n(guarantee)
    if secret:
        n = learner.required_samples()  # a public number, in the place of one that is not
    else:
        n = check_integer("fit", "sample", sample.n, low=1, hint="The table has no records.")
    held_out = held_out_of(n, holdout)
    certified = getattr(learner, "certified", True)
    own = learner if holdout is not None else leaving(learner, evaluate)
    _ = own.plan  # and so does what the evaluation leaves
    if evaluate is not None:
        _ = sample.points  # a lazy sample is counted now: what cannot be read is not paid for
    certificate = certificate_of(own, n - held_out) if certified else None
    required = own.required_samples() if certified else None
    spent = _spending(own, n - held_out, evaluate)
    # All public arguments are checked: pay, and from here on the source is drawn from.
    if ledger is not None:
        loss = known_loss(learner, **extra)
        what = f"{learner.name} on {learner.concept_class.spec}"
        ledger.charge(guarantee, loss=loss, what=what)
    looked_at: Any = sample
    if held_out:
        assert isinstance(sample, Sample | MulticlassSample)  # users are refused above
        order = deal(sample, source)
        sample, looked_at = part(sample, order[held_out:]), part(sample, order[:held_out])
    hypothesis = own.learn(sample, source)
    histogram = None
    if evaluate is not None:
        histogram = _histogram(hypothesis, looked_at, source, evaluate, held_out=bool(held_out))
        if isinstance(hypothesis, TreeEnsemble):
            hypothesis = hypothesis.with_curve(Evaluation(histogram).recalibrated())
    return Release(
        learner=learner.name,
        concept_class=learner.concept_class,
        hypothesis=hypothesis,
        guarantee=guarantee,
        certificate=certificate,
        n=None if secret else n,
        required=required,
        columns=columns,
        evaluation=histogram,
        spent=spent,
        costs=getattr(learner, "mistake_costs", None),
    )


def score_all(
    pairs: Sequence[tuple[Release, Sample | MulticlassSample]],
    source: Source,
    *,
    epsilon: Any,
    ledger: Ledger | None = None,
    owner: str = "score",
) -> list[Release]:
    """Evaluate released models on records that they were not learned from.

    Parameters
    ----------
    pairs : sequence of (Release, Sample or MulticlassSample)
        The same records, as each model reads them.
    source : Source
    epsilon : number > 0
        Of all evaluations together; each gets an equal part.
    ledger : Ledger, optional
        The budget of these records.
    owner : str
        Named in errors and in the ledger.

    Returns
    -------
    list of Release
        The models with ``evaluation``, ``guarantee`` and ``n`` of this table, and no certificate.

    Guarantee
    ---------
    Pure epsilon-DP for these records, replace-one, n public: a sum of histograms.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.source import SeededSource
    >>> made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=4, random_state=0)
    >>> release = made.fit([2, 8] * 100, [0, 1] * 100).release_
    >>> (found,) = score_all([(release, Sample.of([3, 7] * 500, [0, 1] * 500))], SeededSource(0),
    ...                      epsilon=1)
    >>> found.quality.better, found.guarantee.epsilon, found.n
    (True, Fraction(1, 1), 1000)
    """
    total: Fraction = check_fraction(owner, "epsilon", epsilon, hint="1 is a common choice.")
    for release, sample in pairs:
        check_points(release.concept_class.domain, sample.points, owner=owner)
        check_integer(owner, "sample", sample.n, low=1, hint="The table has no records.")
    claim = HISTOGRAM.id if len(pairs) == 1 else f"dp.sum({HISTOGRAM.id})"
    guarantee = Guarantee(total, Fraction(0), claim=claim, seeded=source.seeded)
    if ledger is not None:
        ledger.charge(guarantee, what=f"{owner} of {len(pairs)} models")
    part, found = total / len(pairs), []
    for release, sample in pairs:
        told = _histogram(release.hypothesis, sample, source, part, held_out=True)
        found.append(
            replace(
                release,
                evaluation=told,
                guarantee=guarantee,
                n=sample.n,
                certificate=None,
                required=None,
                spent=None,
            )
        )
    return found


def read_sample(
    learner: Learner[Any], table: Any, *, user: str | None = None, **arguments: Any
) -> AnySample:
    """Return the sample of a table in the cheapest way that serves a learner.

    Parameters
    ----------
    learner : Learner
        One that has a number ``tails`` needs only that many outermost records of each label; one
        that ``sweeps`` takes the points of a large table in order, from a private file.
    table, **arguments
        As for `Sample.read`, without ``domain``, which is that of the class; for a class that lists
        its labels, as for `MulticlassSample.read`, without ``labels``.
    user : str, optional
        Column of users, for a learner that protects users.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from littlestone.classes import parse_class
    >>> from littlestone.learners import registry
    >>> vc1 = registry.make("vc1", parse_class("thresholds(1, 9)"), epsilon=1, delta="1e-6",
    ...                     alpha="0.1", beta="0.05")
    >>> read_sample(vc1, pa.table({"dose": [3, 9], "ill": [0, 1]}), x="dose", y="ill")
    Sample(n=2)
    """
    domain, most = learner.concept_class.domain, getattr(learner, "tails", None)
    if learner.concept_class.lists_labels:
        _ = learner.plan  # only what learns several labels has one
        return MulticlassSample.read(
            table, domain=domain, labels=learner.concept_class.labels, **arguments
        )
    if user is not None:
        return UserSample.read(table, user=user, domain=domain, **arguments)
    from littlestone.data import streams  # noqa: PLC0415 - engines are loaded late

    if most is not None:
        return streams.read_tails(table, domain=domain, most=most, **arguments)
    if getattr(learner, "sweeps", False):
        return streams.read_swept(table, domain=domain, **arguments)
    return Sample.read(table, domain=domain, **arguments)


def load(path: str | Path) -> Release:
    """Return the release that ``fit --out`` or an estimator's ``save`` wrote.

    Parameters
    ----------
    path : str or Path
        A model file; those of version 0.1.0 open, too. No code in it is ever run.

    Raises
    ------
    ParameterError
        If the file is not a release, or has been changed.
    """
    return Release.read(path)


def proposal_of(concept_class: ConceptClass) -> Proposal | None:
    """Return what a class cost whose columns were learned from records."""
    domain = concept_class.domain
    return domain.schema.proposal if isinstance(domain, RowDomain) else None


def certificate_of(learner: Learner[Any], n: int) -> Certificate:
    """Return the certificate of a learner with n records; of a proposed class it does not hold."""
    certificate = learner.certificate(n)
    if proposal_of(learner.concept_class) is None:
        return certificate
    return without_fixed_class(certificate)


def sample_kind(learner: Learner[Any]) -> type[AnySample]:
    """Return what a learner learns from."""
    if learner.unit == "users":
        return UserSample
    return MulticlassSample if learner.concept_class.lists_labels else Sample


def _check_sample(learner: Any, sample: Any) -> None:
    """Refuse a sample that the learner could not read, before anything is paid."""
    kind, owner = sample_kind(learner), learner.estimator
    if not isinstance(sample, kind):
        raise ParameterError(
            f"The sample given to {owner} must be a {kind.__name__}, because it "
            f"protects {learner.unit}"
            + (" and the class lists its labels." if kind is MulticlassSample else ".")
        )
    labels = len(learner.concept_class.labels)
    if isinstance(sample, MulticlassSample) and sample.labels != labels:
        raise ParameterError(f"The sample given to {owner} must have {labels} labels.")
    if not isinstance(sample, LazySample):  # read by the domain's own rules, and must stay lazy
        check_points(learner.concept_class.domain, sample.points, owner=owner)


def promise(
    learner: Learner[Any],
    *,
    evaluate: Any = None,
    holdout: Any = None,
    seeded: bool = False,
) -> Guarantee:
    """Return the guarantee of what `run` would release; draws nothing.

    Raises
    ------
    ParameterError
        If ``evaluate`` is not a part of epsilon.
    """
    guarantee = learner.guarantee(seeded=seeded)
    if secret_n(guarantee) and not (evaluate is None and holdout is None):
        raise UnsupportedError(
            "Under add-remove the number of records is secret, and an evaluation is about shares "
            "of it. Evaluate on other records (littlestone score), or protect under replace-one."
        )
    if holdout is not None and evaluate is None:
        raise ParameterError(
            "The 'holdout' parameter of fit needs evaluate=E (--evaluate E): what is spent on the "
            "held-out records."
        )
    if evaluate is None:
        return guarantee
    return _with_evaluation(learner, guarantee, evaluate, holdout)


def secret_n(guarantee: Guarantee) -> bool:
    """Return whether the number of records is secret: then nothing says, refuses or plans by it."""
    return guarantee.neighbours is Neighbours.ADD_REMOVE


def _with_evaluation(
    learner: Learner[Any], guarantee: Guarantee, evaluate: Any, holdout: Any
) -> Guarantee:
    """Check an evaluation, and return the guarantee of everything together."""
    epsilon = check_fraction("fit", "evaluate", evaluate)
    if holdout is not None:
        check_probability("fit", "holdout", holdout)
        if epsilon > learner.epsilon:
            raise parameter_error(
                "fit", "evaluate", "at most epsilon, which no record pays more than", evaluate
            )
        return replace(guarantee, claim=f"dp.parallel({guarantee.claim}, {HISTOGRAM.id})")
    leaving(learner, evaluate)
    return replace(guarantee, claim=f"dp.sum({guarantee.claim}, {HISTOGRAM.id})")


def leaving(learner: Learner[Any], evaluate: Any) -> Learner[Any]:
    """Return the learner with the part of its epsilon that an evaluation leaves.

    Its certificate and its required size are those of a release with this evaluation.

    Parameters
    ----------
    learner : Learner
    evaluate : number > 0, or None
        A part of its epsilon; None leaves everything.
    """
    if evaluate is None:
        return learner
    epsilon = check_fraction("fit", "evaluate", evaluate)
    if epsilon >= learner.epsilon:
        raise parameter_error(
            "fit", "evaluate", "smaller than epsilon, of which it is a part", evaluate,
            "A tenth of epsilon is a common choice.",
        )  # fmt: skip
    smaller: Learner[Any] = learner.leaving(epsilon)
    return smaller


def held_out_of(n: int, holdout: Any) -> int:
    """Return how many of n records are held out: a public number."""
    if holdout is None:
        return 0
    share = check_probability("fit", "holdout", holdout)
    held_out = int(share * n)
    if not 0 < held_out < n:
        raise parameter_error("fit", "holdout", f"a share that parts {n} records", holdout)
    return held_out


def _spending(learner: Learner[Any], n: int, evaluate: Any) -> dict[str, str] | None:
    spent = learner.spending(n) if hasattr(learner, "spending") else None
    if evaluate is None:
        return spent
    own = spent or {"learning": f"epsilon {learner.epsilon}"}
    return own | {"evaluation": f"epsilon {check_fraction('fit', 'evaluate', evaluate)}"}


def _histogram(
    hypothesis: Hypothesis,
    sample: AnySample,
    source: Source,
    epsilon: Any,
    *,
    held_out: bool,
) -> ScoreHistogram:
    """Release how many records have each score (margin, or predicted label) and label.

    Of a user one record is counted: then n is public, and one user changes two cells by one.
    """
    n = sample.n
    if isinstance(sample, UserSample):
        sample = sample.bound_contributions(1, salt=public_salt(source)).pooled()
    if unlisted := isinstance(sample, MulticlassSample):
        by_label = sample.counts
    else:
        by_label = np.stack([sample.zeros, sample.ones])
    scores = range(len(by_label) - unlisted)
    if isinstance(hypothesis, TreeEnsemble):
        scores = hypothesis.margins
    elif isinstance(hypothesis, LeafTree):
        scores = range(len(hypothesis.labels))
    counts = np.zeros((len(by_label), len(scores)), dtype=np.int64)
    if len(sample.points):
        place = _places(hypothesis, sample.points)
        for row, weights in zip(counts, by_label, strict=True):
            np.add.at(row, place, weights)
    counts[:, 0] += sample.outside  # code 0 by every hypothesis; rows have no outside
    counts[0, 0] += n - sample.n  # a user without records counts as one that is 0 there
    return release_histogram(
        scores, counts,
        n=n, epsilon=epsilon, source=source, held_out=held_out, unlisted=unlisted,
    )  # fmt: skip


def _places(hypothesis: Hypothesis, points: Points) -> npt.NDArray[np.int64]:
    """Return where the score of each point is in the histogram: margin, leaf or label."""
    if isinstance(hypothesis, TreeEnsemble):
        margins = hypothesis.margins
        return (hypothesis.margin(points).astype(np.int64) - margins[0]) // margins.step
    if isinstance(hypothesis, LeafTree):
        return hypothesis.cells(points)
    return hypothesis.predict(points).astype(np.int64)


def known_loss(learner: Learner[Any], *, evaluate: Any = None, holdout: Any = None) -> Loss | None:
    """Return what the release promises in zCDP, if more is known than its guarantee says.

    A histogram that is epsilon-DP is epsilon**2/2-zCDP, and adds to what it leaves the learner.

    Parameters
    ----------
    learner : Learner
    evaluate, holdout : optional
        As for `run`. Of held-out records nothing better than the guarantee is known.
    """
    if holdout is not None:
        return None
    loss: Loss | None = getattr(leaving(learner, evaluate), "loss", None)
    if evaluate is None or not isinstance(loss, Concentrated):
        return loss if evaluate is None else None
    return Concentrated(loss.rho + check_fraction("fit", "evaluate", evaluate) ** 2 / 2)


def is_table(X: Any) -> bool:
    """Return whether an object is a table with named columns: a path, a frame, a relation."""
    if isinstance(X, str | Path | Mapping):
        return True
    if isinstance(X, np.ndarray):
        return X.dtype.names is not None
    named = hasattr(X, "columns") or hasattr(X, "stream")  # a frame, or a `Table`
    return not isinstance(X, list | tuple) and named


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise TypeError
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise TypeError
    return value


def _spent(spent: Any) -> dict[str, str] | None:
    if spent is None:
        return None
    return {_text(what): _text(epsilon) for what, epsilon in spent.items()}


def _columns(columns: Any) -> Json | None:
    """Check the names of columns."""
    if columns is None:
        return None
    for name, value in columns.items():
        if name == "x":
            list(map(_text, value if isinstance(value, list) else [None]))
        elif name == "samples_per_user":
            _count(value)
        else:
            _text(value)
    if "csv" in columns:
        CsvFormat.parse(columns["csv"], "the model")
    return dict(columns)


def _check_fit(concept_class: ConceptClass, hypothesis: Hypothesis) -> None:
    """Refuse a hypothesis about rows that does not speak of its schema's columns.

    Codes speak of columns by position: of a file that was changed, better nothing than a wrong
    prediction.
    """
    domain = concept_class.domain
    if getattr(hypothesis, "label_names", concept_class.labels) != concept_class.labels:
        raise ParameterError(
            "The hypothesis of the model does not fit its labels. The file has been changed; write "
            "it again with `littlestone fit --out`."
        )
    if not isinstance(domain, RowDomain):
        return
    literals = getattr(hypothesis, "literals", ())
    if not set(literals) <= set(domain.schema.literals()):
        raise ParameterError(
            "The hypothesis of the model does not fit its schema. The file has been changed; write "
            "it again with `littlestone fit --out`."
        )
