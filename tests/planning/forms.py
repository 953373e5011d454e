"""Every learner in every form, and small classes of every kind, for the tests of plans."""

import littlestone as ls
from littlestone.learners import registry
from littlestone.learners.select import ALL_RECORDS, ONE_RECORD, Candidate, replan

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
CLASSES = [
    ls.theory.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]),
    ls.theory.FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]]),
    ls.Points(),
    ls.Thresholds(1, 99),
    ls.Thresholds(1, 2**1024),
    ls.SparseSets(2),
    ls.Intervals(1, 9),
    ls.theory.Conjunctions(3),
    ls.theory.TreePaths({"a": None, "b": "a", "c": "a", "d": "b"}),
    ls.Prefixes("ipv4"),
    ls.theory.AffineSubspaces(3, 2, 1),
    ls.Rules(SCHEMA, 2),
]
METHODS = {
    "users": ("group-privacy", "user-level"),
}


def forms():
    """Yield every learner with every option, and the two ways in which it can protect users."""
    for name, entry in registry.LEARNERS.items():
        if not entry.certified:
            continue
        yield name, {}, None
        if entry.unit == "records":
            yield name, {}, ONE_RECORD
            yield name, {}, ALL_RECORDS
        for method in METHODS.get(name, ()):
            yield name, {"method": method}, None


FORMS = list(forms())


def planned(form, concepts, budget):
    """Return a learner in a form, planned for a class; its ``n`` is None if it refuses."""
    name, options, reads = form
    agnostic = registry.LEARNERS[name].agnostic
    return replan(Candidate(name, agnostic, options, reads=reads), concepts, budget)


def called(form):
    """Return the name of a form."""
    name, options, reads = form
    return " ".join([name, *map(str, options.values()), *((reads or "").split(",")[0].split())])
