"""What the scripts of the libraries share: each audit is declared beside its mechanism.

It runs in the library's own interpreter, which has nothing of this project.
"""

from importlib.metadata import version

DECLARED = {}


def audit(name, *, claim, trials, known="", control=False, delta=0.0, measure="epsilon"):
    """Declare a mechanism: a function of 0 or 1, which of two neighbouring data sets it sees.

    Its docstring says what these are. ``claim``: what the library promises, at ``delta``;
    ``known``: where its maintainers know of it.
    """

    def declare(mechanism):
        about = {"name": name, "claim": float(claim), "delta": float(delta), "measure": measure}
        about |= {"trials": trials, "known": known, "control": control}
        about |= {"neighbours": " ".join(mechanism.__doc__.split())}
        DECLARED[name] = (about, mechanism)
        return mechanism

    return declare


def right(name, release, *data, **how):
    """Declare a mechanism that is known to be right, on two data sets: no alarm is expected."""

    def mechanism(side):
        return release(data[side])

    mechanism.__doc__ = f"{data[0]!r}; {data[1]!r}."
    audit(name, control=True, **how)(mechanism)


def installed(name):
    """Return a version as a tuple of integers."""
    return tuple(int(part) for part in version(name).split(".")[:3])


def audits(_):
    """Return all that was declared."""
    return [about for about, _ in DECLARED.values()]


def run(which):
    """Run a mechanism, by its name, on one of its data sets."""
    name, side = which
    return DECLARED[name][1](side)
