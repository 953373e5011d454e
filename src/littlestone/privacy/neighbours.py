"""Which two data sets a guarantee compares."""

from __future__ import annotations

from enum import Enum

__all__ = ["Neighbours"]


class Neighbours(Enum):
    """The neighbouring relation of a guarantee: what one person can change.

    Examples
    --------
    >>> print(Neighbours.REPLACE_ONE.words)
    any one record is replaced by any other; the number of records is public
    >>> Neighbours("user-replace")
    <Neighbours.USER_REPLACE: 'user-replace'>
    """

    #: The default of this library.
    REPLACE_ONE = "replace-one"
    #: One record more or less; the number of records is private.
    ADD_REMOVE = "add-remove"
    #: All records of one user at once; the number of users is public, their numbers of records not.
    USER_REPLACE = "user-replace"

    @property
    def words(self) -> str:
        """Say the relation for people who decide, not only for those who prove."""
        return _WORDS[self]

    @property
    def unit(self) -> str:
        """Who is protected: ``"record"`` or ``"user"``."""
        return "user" if self is Neighbours.USER_REPLACE else "record"


_WORDS = {
    Neighbours.REPLACE_ONE: (
        "any one record is replaced by any other; the number of records is public"
    ),
    Neighbours.ADD_REMOVE: ("any one record is added or removed; the number of records is private"),
    Neighbours.USER_REPLACE: (
        "all records of any one user are replaced by any others; the number of users is public"
    ),
}
