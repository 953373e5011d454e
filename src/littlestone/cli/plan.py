"""``littlestone plan``: how many records each learner needs, before any data are touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from littlestone.cli.options import (
    AsJson,
    ClassSpec,
    Evaluated,
    Flag,
    Page,
    Settings,
    check_outputs,
    label_list,
    needed,
    open_class,
    shared,
    whole,
    write_page,
)
from littlestone.cli.terminal import facts, note, printed, table
from littlestone.errors import ParameterError, check_fraction, check_probability

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.planning import Plans
    from littlestone.privacy import Guarantee
    from littlestone.types import Json


Solved = Literal["epsilon", "alpha"]
#: The class of a certified model of `fit`.
MODEL_CLASSES = {"rule": "rules(max_literals=2)", "tree": "decision_trees(depth=2)"}


#: Why a learner has no number of records.
_WITHOUT = {
    "not planned": "another learner needs less data",
    "not feasible": "the learner cannot learn this class, or cannot learn it with these "
    "parameters; see below",
}
#: What the settings mean.
_BOTH = (
    "realizable: some concept of the class has no errors; agnostic: any labels, and the error "
    "is compared with that of the best concept."
)
#: What the signs of orders of growth mean.
_SIGNS = {
    "RepD": "RepD: representation dimension; VC: VC dimension.",
    "(d)": "d: Littlestone dimension.",
    "log*": "log*: iterated logarithm, to base 2.",
    "(points)": "points: the number of points of the domain.",
}


@shared
class Wanted(Evaluated):
    """What is to be achieved; --solve leaves some of it open.

    Parameters
    ----------
    concept_class:
        Concept class (the set of functions to choose from), for example "thresholds(1, 2**64)" or,
        with --schema, "rules(max_literals=2)". For boosted trees, scorecards and linear models, use
        `littlestone rehearse` instead.
    epsilon:
        Privacy loss of the fit. A smaller epsilon protects more; 1 is a common choice.
    alpha:
        Accuracy to certify: the largest excess of the error rate over that of the best concept of
        the class, for example 0.1.
    delta:
        Delta, for example 1e-6. Learners with pure privacy do not use it; vc1 and littlestone need
        it.
    beta:
        Largest probability that the excess error rate is above --alpha, for example 0.05.
    schema:
        TOML file with the public schema of the columns, for classes over several columns.
    agnostic:
        Omit learners that are certified only for realizable labels (some concept of the class makes
        no errors).
    samples_per_user:
        Protect users with this many records each. Learners that protect single records are planned
        twice: for one record of each user, and for all records with a smaller epsilon.
    public_points:
        For thresholds and intervals: the number of public, unlabelled points (`fit --public`),
        drawn from the population of the records. For rules and trees, give a --schema of public
        rows instead, made in Python by Schema.from_public(table).to_toml().
    horizon:
        Also compute upper and lower bounds on the number of mistakes of `littlestone stream` in a
        stream of this many rows.
    model:
        The family of models, as for `fit`.
    learner:
        Plan only this algorithm from a paper, for example lyu.theorem3 (`littlestone papers` lists
        them all).
    solve:
        Instead of the number of records, compute the smallest epsilon, or the smallest alpha, that
        can be certified with --n records.
    n:
        With --solve: the number of records, or of users with --samples-per-user.
    labels:
        Public list of the labels, separated by commas, for decision trees and finite classes.
    evaluate:
        Epsilon for a private evaluation of the model on the same records; the learner gets the
        rest. The default is a tenth of --epsilon. With --solve epsilon, it is given as a proportion
        of epsilon.
    """

    concept_class: ClassSpec | None = None
    epsilon: str | None = None
    alpha: str | None = None
    delta: str | None = None
    beta: str | None = None
    schema: str | None = None
    labels: str | None = None
    agnostic: Flag = False
    samples_per_user: str | None = None
    public_points: str | None = None
    horizon: str | None = None
    model: Annotated[str | None, Parameter(show=False)] = None  # answered by an error that teaches
    learner: str | None = None
    settings: Settings = None
    solve: Solved | None = None
    n: str | None = None
    report: Page = None

    def refuse(self, why: str, *options: str) -> None:
        """Refuse options that do not go together with the others."""
        for name in options:
            if getattr(self, name) not in (None, False):
                raise ParameterError(f"The {name!r} parameter of plan {why}")

    def numbers(self, *options: str) -> list[int | None]:
        """Return whole numbers that may be left out."""
        each = ((name, getattr(self, name)) for name in options)
        return [None if text is None else whole("plan", name, text) for name, text in each]


def plan(*, wanted: Wanted = Wanted(), json: AsJson = False) -> int:
    """Compute how many records each learner needs, without reading any data.

    The table marks the learner that `fit` selects by default (--learner auto).
    """
    from littlestone.classes.spec import at_so_many

    if (model := wanted.model) is not None:
        raise ParameterError(
            f"The accuracy of `fit --model {model}` cannot be bounded before data are seen. "
            f"`littlestone rehearse TWIN --y LABEL --epsilon 1 --records 5000 --model {model}` "
            "runs it on a public table like yours (or on a simulated population over a --schema), "
            "and estimates how good it will be."
            if model not in MODEL_CLASSES
            else f'plan takes a --class: for the model {model} it is "{MODEL_CLASSES[model]}", '
            "with a --schema. `littlestone rehearse` takes --model."
        )
    solve, learner = wanted.solve, wanted.learner
    for name in ("class", "epsilon", "alpha", "beta"):
        if name != solve:
            needed("plan", name, getattr(wanted, "concept_class" if name == "class" else name))
    assert wanted.concept_class is not None
    check_outputs("plan", wanted.schema, report=wanted.report)
    exact: Json = {
        name: (check_fraction if name == "epsilon" else check_probability)("plan", name, text)
        for name in ("epsilon", "alpha", "delta", "beta")
        if (text := getattr(wanted, name)) is not None
    }
    each, length, points = wanted.numbers("samples_per_user", "horizon", "public_points")
    listed = label_list("plan", wanted.labels, positive=None)
    concepts, _ = open_class(wanted.concept_class, wanted.schema, labels=listed)
    if points is not None:
        concepts = at_so_many(concepts, points)
    asked: Json = {**exact, "samples_per_user": each}
    if learner is not None:
        from littlestone.cli.theory import planned

        wanted.refuse("cannot be combined with --learner.", "report", "horizon", "solve", "n")
        return planned(learner, concepts, asked, wanted.settings, json=json)
    if wanted.settings:
        raise ParameterError("The '--set' option of plan needs --learner.")
    if solve is not None:
        wanted.refuse("cannot be combined with --solve.", "report", "horizon")
    part = wanted.part("plan", "1" if solve == "epsilon" else exact["epsilon"])
    if solve == "alpha" and part is not None:  # as a share of epsilon
        part /= exact["epsilon"]
    asked |= {"evaluate": part, "agnostic": wanted.agnostic}
    if solve is not None:
        return _solve(concepts, solve, wanted.n, asked, json=json)
    wanted.refuse("needs --solve.", "n")
    from littlestone.planning import plan as compare

    plans = compare(concepts, **asked, horizon=length)
    write_page(wanted.report, plans)
    if printed(plans, json=json):
        return 0
    _show(plans)
    _stream(plans)
    facts([("Page", wanted.report)] if wanted.report is not None else [])
    return 0


def _solve(concepts: ConceptClass, what: Solved, n: str | None, asked: Json, *, json: bool) -> int:
    """Say how small epsilon or alpha can be with n records."""
    from littlestone.learners.release import proposal_of
    from littlestone.planning import solve
    from littlestone.report.html import number_of

    number = whole("plan", "n", needed("plan", "n", n))
    found = solve(concepts, what, number, **asked)
    if json:
        solutions = [solution.to_dict() for solution in found]
        out = {"class": concepts.spec, "solve": what, "n": number, "solutions": solutions}
        if (proposal := proposal_of(concepts)) is not None:
            out["proposal"] = {**proposal.to_dict(), "certificates_hold": False}
        printed(out, json=True)
        return 0

    rows = []
    for each in found:
        setting = "agnostic" if each.candidate.agnostic else "realizable"
        rows.append((each.candidate.shown, f"{float(each.value):.3g}", setting))
    unit = found[0].candidate.unit
    table(
        f"Smallest {what} to learn {concepts.spec} from {number_of(number, unit)}",
        ("learner", what, "setting"),
        rows,
    )
    note(_BOTH)
    _without_user(asked["samples_per_user"], found[0].candidate.guarantee)
    _learned(concepts)
    return 0


def _show(plans: Plans) -> None:
    from littlestone.bounds.claims import STATUS_WORDS
    from littlestone.learners.select import ALL_RECORDS
    from littlestone.report.evaluated import accuracy_asked
    from littlestone.report.html import number_of, percent

    chosen, cheaper, m = plans.chosen, plans.cheaper, plans.budget.samples_per_user
    rows = []
    for c in plans.candidates:
        name = c.shown
        if c.needs_delta or (c.n is None and c.reads == ALL_RECORDS):
            continue  # one line below names them all; or it says the same as the row above
        if c.n is None:
            rows.append((name, "-", "-", "not planned" if c.dominated else "not feasible"))
            continue
        certificate = c.certificate
        assert certificate is not None
        mark = " (chosen)" if c is chosen else ""
        setting = "agnostic" if c.agnostic else "realizable"
        status = certificate.status if certificate.holds else "does not hold"
        rows.append((name + mark, number_of(c.n, c.unit), setting, status))
    title = f"Needed to learn {plans.concept_class.spec}"
    table(title, ("learner", "needs", "setting", "status"), rows)
    words = {str(k): said for k, said in (*STATUS_WORDS.items(), *_WITHOUT.items())}
    for status in {row[-1]: None for row in rows if row[-1] in words}:
        note(f"{status}: {words[status]}.")
    if chosen is None:
        note(
            "fit selects none of them by itself: name one with --learner."
            if m is None
            else "fit --user selects none of them."
        )
    else:
        note("chosen: the learner that fit uses by default.")
        note(plans.why)
        certificate = chosen.certificate
        assert certificate is not None
        sure = percent(1 - certificate.beta)
        note(
            f"With {sure} confidence, it attains {accuracy_asked(certificate)}."
            if certificate.holds
            else "No certificate holds for it (see below)."
        )
    if plans.concept_class.public is not None:
        note(
            "Planned for records from the same population as the public points (fit --shift 1,0); "
            "from another population, fit needs more records."
        )
    if cheaper is not None:
        less = "Fewer {} are enough" if chosen is not None else "Fewest {}"
        how = "" if cheaper.reads is None else ", without --user (below)"
        condition = "" if cheaper.agnostic else ", if some concept of the class has no errors"
        note(f"{less.format(cheaper.unit)}{condition}: --learner {cheaper.learner}{how}")
    note(_BOTH)
    _without_user(m, next((c.guarantee for c in plans if c.reads == ALL_RECORDS), None))
    _learned(plans.concept_class)
    _beside(plans)
    lacking = list(dict.fromkeys(c.learner for c in plans.candidates if c.needs_delta))
    if lacking:
        note(f"Planned only with a delta, for example --delta 1e-6: {', '.join(lacking)}.")
    said: dict[str, list[str]] = {}
    for c in plans.candidates:
        if c.n is None and not c.needs_delta and c.learner not in said.get(str(c.problem), ()):
            said.setdefault(str(c.problem), []).append(c.learner)
    for problem, learners in said.items():
        note(f"{', '.join(learners)}: {problem}")


def _without_user(m: int | None, together: Guarantee | None) -> None:
    """Say how the learners that protect records protect users: `fit --user` takes none of them."""
    from littlestone.learners.select import ONE_RECORD

    if m is None:
        return
    note("fit --user takes only the learner users; the others protect users without --user:")
    note(f"one record each: on a table with {ONE_RECORD};")
    smaller = "" if together is None or not together.delta else ", and a smaller delta"
    note(
        f"group privacy: on a table in which nobody has more than {m} records, with epsilon/{m}"
        f"{smaller}."
    )


def _learned(concepts: ConceptClass) -> None:
    """Say what fit says of columns that were learned from records."""
    from littlestone.learners.release import proposal_of
    from littlestone.report.html import number_of

    proposal = proposal_of(concepts)
    if proposal is None:
        return
    note(
        f"The columns were learned from {number_of(proposal.n, 'records')}: {proposal.guarantee}. "
        "For a record that is used again, this is added to the privacy loss. No certificate "
        "holds, because the class depends on these records."
    )


def _beside(plans: Plans) -> None:
    """Say what is enough without privacy, and what no learner can do without."""
    from littlestone.report.html import number_of

    free = [f"{number_of(c.n, 'records')} ({setting})" for setting, c in plans.non_private.items()]
    if free:
        note(f"Enough without privacy: {', '.join(free)}.")
    chosen, without = plans.chosen, plans.non_private.get("agnostic")
    if chosen is not None and without is not None and chosen.unit == "records":
        assert chosen.n is not None
        if chosen.agnostic and 20 * chosen.n <= 21 * without.n:
            note("Privacy is not the bottleneck: about as many records are needed without it.")
    for setting in ("realizable", "agnostic"):
        known = [b for b in plans.lower_bounds if b.n is not None and b.setting == setting]
        best = max(known, key=lambda bound: bound.n or 0, default=None)
        if best is not None and best.n:
            note(
                f"No {best.holds_for.replace('any learner', 'learner').removesuffix('s')} succeeds "
                f"with fewer than {number_of(best.n, best.unit)} ({setting}) [{best.claim}]."
            )
    orders = [bound for bound in plans.lower_bounds if bound.n is None]
    for bound in orders:
        value = "" if bound.order is None else f" = {bound.order}"
        note(
            f"Also needed, up to an unknown constant factor: {bound.formula}{value} "
            f"({bound.setting}) [{bound.claim}]."
        )
    for sign, meaning in _SIGNS.items():
        if any(sign in bound.formula for bound in orders):
            note(meaning)


def _stream(plans: Plans) -> None:
    """Say how many mistakes a stream costs, and how many no private learner avoids."""
    from littlestone.report.html import integer

    found = plans.stream
    if found is None:
        return
    length = f"In a stream of {integer(found.horizon)} rows"
    if found.bound is None:
        note(f"{length}: {found.problem}")
    elif found.bound.holds:
        note(f"{length}, littlestone stream makes {str(found.bound).removesuffix(': holds')}.")
    else:
        note(f"{length}, no bound on mistakes is proved: the stream is too short.")
    for each in found.lower_bounds:
        note(f"Expected mistakes of every private learner, on some stream: {each}.")
