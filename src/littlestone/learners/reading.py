"""Reading a table for one algorithm: counted, or only as far as the algorithm looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.data import Sample, UserSample

if TYPE_CHECKING:
    from littlestone.learners.algorithm import Algorithm

__all__ = ["read_sample"]


def read_sample(
    algorithm: Algorithm, table: Any, *, user: str | None = None, **arguments: Any
) -> Sample | UserSample:
    """Return the sample of a table in the cheapest way that serves an algorithm.

    Parameters
    ----------
    algorithm : Algorithm
        One that has a number ``tails`` needs only so many of the outermost records of each label.
    table, **arguments
        As for `Sample.read`, without ``domain``, which is that of the class.
    user : str, optional
        Column of users, for an algorithm that protects users.

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
    domain, most = algorithm.concept_class.domain, getattr(algorithm, "tails", None)
    if user is not None:
        return UserSample.read(table, user=user, domain=domain, **arguments)
    if most is None:
        return Sample.read(table, domain=domain, **arguments)
    from littlestone.data.streams import read_tails  # noqa: PLC0415 - engines are loaded late

    return read_tails(table, domain=domain, most=most, **arguments)
