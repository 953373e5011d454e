"""Whether the record of a release is what it says: offline, without the data.

Everything that follows from something else in the record is computed again: hashes, the numbers
of the promise and of the budget, every step of the certificate, what is derived for readers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.bounds import recheck
from littlestone.errors import LittlestoneError
from littlestone.evaluation import ScoreHistogram
from littlestone.evaluation.histogram import histogram_rate
from littlestone.learners.online.journal import stream_findings
from littlestone.learners.record import (
    FORMAT,
    Finding,
    derived,
    differences,
    digests,
    record_of,
)
from littlestone.learners.registry import LEARNERS
from littlestone.learners.release import COMPOSED, Release, read_evaluation
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    Concentrated,
    Guarantee,
    Loss,
    Neighbours,
    Pure,
    compose,
)
from littlestone.privacy.guarantee import OTHERS
from littlestone.privacy.ledger import check_entry
from littlestone.safe_io import read_exact
from littlestone.types import Json
from littlestone.version import __version__

#: What was spent on something: ``epsilon 9/10``, ``zCDP 1/50``, ``bounded range 1/8 (3 times)``, or
#: ``each`` of ``5 trees``, ``delta 1/10000000``; several parts are separated by commas.
_PART = re.compile(
    r"(epsilon|bounded range|zCDP|delta) ([0-9/]+)(?: \(([0-9]+) times\)| each)?", re.ASCII
)
_KINDS: dict[str, Callable[[Fraction], Loss]] = {
    "epsilon": Pure, "bounded range": BoundedRange, "zCDP": Concentrated,
    "delta": lambda delta: Approximate(Fraction(0), delta),
}  # fmt: skip
_TIMES = re.compile(r"([0-9,]+) ", re.ASCII)


def check_record(record: Any) -> list[Finding]:
    """Return what is wrong in a record; nothing is a good answer.

    Parameters
    ----------
    record : dict
        The parsed JSON of a record. It may be untrusted: no code in it is run.

    Returns
    -------
    list of Finding
        Each with the field.

    Notes
    -----
    Anyone who writes a record anew can also write its hashes anew, unless the file is signed. What
    is then still found is what contradicts something else in it.

    Examples
    --------
    >>> import littlestone as ls
    >>> learner = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1, evaluate="1/10")
    >>> record = learner.fit([2, 3, 7, 8], [0, 0, 1, 1]).release_.record()
    >>> check_record(record)
    []
    >>> record["release"]["guarantee"]["epsilon"] = 0.5
    >>> for finding in check_record(record):
    ...     print(finding)
    release.guarantee: its SHA-256 differs from the record's
    release.guarantee.epsilon: it does not follow from the rest of the record
    """
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return [
            Finding("format", f"this is not a record of format {FORMAT}: fit --record writes one")
        ]
    try:
        software, release = record["software"], record.get("release", {})
        if not {"release", "stream"} & record.keys():
            raise KeyError
        version, hashes = software["version"], dict(record["sha256"])
        computed = digests(record)
        found = [
            Finding(name, "its SHA-256 differs from the record's")
            for name in sorted(hashes.keys() | computed.keys())
            if hashes.get(name) != computed.get(name)
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        return [Finding("format", "parts of a record are missing")]
    if version != __version__:
        problem = (
            f"written by version {version}, and this is {__version__}: check it with that version"
        )
        return [*found, Finding("software.version", problem)]
    contents = stream_findings(record) if "stream" in record else _contents(record, release)
    return found + list(contents)


def _contents(record: Json, document: Json) -> Iterator[Finding]:
    """Yield what does not follow from the rest of the record."""
    try:
        release = Release.from_dict(document)
    except LittlestoneError as problem:
        yield Finding(_unreadable(document), str(problem))
        return
    yield from differences("release", document, release.to_dict())
    yield from _promised(release)
    yield from _certified(release)
    yield from _spent(release)
    if release.guarantee.seeded:
        yield Finding("release.guarantee.seeded", "a seeded release is not private")
        return
    if "ledger" in record:
        wrong, parts = [], list(release.parts)
        for i, entry in enumerate(record["ledger"]):
            paid = [
                at
                for at, part in enumerate(parts)
                if part.what == entry.get("paid") and part.about != OTHERS
            ]
            if len(paid) != 1:
                wrong.append(Finding(f"ledger.{i}.paid", "the release has no such part"))
                continue
            wrong += [
                Finding(f"ledger.{i}.{field}", problem)
                for field, problem in check_entry(entry, release.paid_with(parts[paid[0]]))
            ]
            own = {name: value for name, value in entry.items() if name != "paid"}
            parts[paid[0]] = replace(parts[paid[0]], entry=own)
        yield from wrong
        if wrong:
            return
        release = replace(release, parts=tuple(parts))
    yield from derived(record, record_of(release))


#: Parts of a release that can be read by themselves.
_READERS: dict[str, Callable[[Any], object]] = {
    "guarantee": Guarantee.from_dict,
    "certificate": recheck,
    "evaluation": read_evaluation,
}


def _unreadable(document: Any) -> str:
    """Name the part of a release that cannot be read."""
    for name, read in _READERS.items():
        try:
            if name in document:
                read(document[name])
        except (LittlestoneError, TypeError):
            return f"release.{name}"
    return "release"


def _promised(release: Release) -> Iterator[Finding]:
    guarantee, entry = release.payment, LEARNERS.get(release.learner)
    claims = [part.guarantee.claim or "" for part in release.parts]
    if release.proposal is None and any(COMPOSED in claim for claim in claims):
        yield Finding("release.guarantee.claim", "columns were learned; the schema must say so")
    if entry is None:
        return
    if entry.pure and guarantee.delta:
        yield Finding("release.guarantee.delta_exact", f"{release.learner} is pure")
    users = guarantee.neighbours is Neighbours.USER_REPLACE
    if entry.unit == "users" and not users:
        yield Finding("release.guarantee.neighbours", f"{release.learner} protects {entry.unit}")


def _certified(release: Release) -> Iterator[Finding]:
    certificate, n = release.certificate, release.n
    if certificate is None:
        return
    try:
        problems = recheck(certificate)
    except LittlestoneError as problem:
        problems = (str(problem),)
    for text in problems:
        yield Finding("release.certificate", text)
    unit = release.guarantee.neighbours.unit
    if certificate.unit != f"{unit}s":
        yield Finding("release.certificate.unit", f"the promise is for a {unit}")
    held_out = release.evaluation is not None and release.evaluation.held_out
    learned = (release.required or 0) if n is None else n
    if (certificate.n >= learned) if held_out else (certificate.n != learned):
        yield Finding("release.n", f"the certificate is about {certificate.n}")
    enough = certificate.n >= (release.required or 0)
    if enough and not certificate.holds and release.proposal is None:
        yield Finding("release.required_samples", "this number is not enough")


def _spent(release: Release) -> Iterator[Finding]:
    """Compare what was spent with what was promised."""
    guarantee, histogram, spent = release.payment, release.evaluation, release.spent or {}
    evaluated = None if histogram is None else f"epsilon {histogram.epsilon}"
    if histogram is not None:
        of_counts = isinstance(histogram, ScoreHistogram)
        if of_counts and histogram.rate != histogram_rate(histogram.epsilon):
            yield Finding("release.evaluation.rate", "its noise has a different rate")
        if histogram.n > (release.n or 0):
            yield Finding("release.evaluation.n", "more than there are")
        apart = release.interval is None and not release.scored and release.of_held_out
        if apart and apart.epsilon != histogram.epsilon:
            yield Finding("release.evaluation.epsilon", "not the one that was promised")
    yield from _interval(release, spent)
    if release.spent is None:
        return
    if spent.get("evaluation") != evaluated:
        yield Finding("release.spent.evaluation", f"the evaluation cost {evaluated}")
    losses: Counter[Loss] = Counter()
    for what, text in spent.items():
        if release.of_held_out is not None and what in ("evaluation", "interval"):
            continue
        try:
            losses += _losses(what, text)
        except ValueError:
            yield Finding(f"release.spent.{what}", "this is not part of a budget")
            return
    try:
        epsilon, fits = _total(losses, guarantee)
    except LittlestoneError as problem:
        yield Finding("release.spent", str(problem))
        return
    if not fits:
        yield Finding("release.spent", f"the total is {float(epsilon):.6g}")


def _total(losses: Counter[Loss], guarantee: Guarantee) -> tuple[Fraction, bool]:
    """Return the epsilon of losses, and whether it is what was promised."""
    if all(isinstance(loss, Pure) for loss in losses):
        epsilon = Fraction(sum((loss.reach or 0) * times for loss, times in losses.items()))
        return epsilon, epsilon == guarantee.epsilon
    epsilon, _ = compose(losses, delta=guarantee.delta)
    return epsilon, epsilon <= guarantee.epsilon


def _interval(release: Release, spent: dict[str, str]) -> Iterator[Finding]:
    """Compare what intervals cost, and of how many units they are, with the rest."""
    interval, evaluation = release.interval, release.evaluation
    if interval is None:
        return
    beside = Fraction(0) if evaluation is None else evaluation.epsilon
    promised = release.of_held_out
    if promised is None or beside + interval.epsilon != promised.epsilon:
        yield Finding("release.interval.epsilon", "not the one that was promised")
    if spent.get("interval") != f"epsilon {interval.epsilon}":
        yield Finding("release.spent.interval", f"the interval cost epsilon {interval.epsilon}")
    held_out = interval.m if evaluation is None else evaluation.n
    if interval.m != held_out or interval.m >= (release.n or 0):
        yield Finding("release.interval.m", "not the number that was held out")


def _losses(what: str, text: str) -> Counter[Loss]:
    """Read what was spent on one thing; ValueError if it is not written as `spent` is."""
    found: Counter[Loss] = Counter()
    for each in text.split(", "):
        part = _PART.fullmatch(each)
        if part is None or not (value := read_exact(part[2])):
            raise ValueError
        many = _TIMES.match(what) if each.endswith(" each") else None
        times = part[3] or (many[1].replace(",", "") if many else "1")
        found[_KINDS[part[1]](value)] += int(times)
    return found
