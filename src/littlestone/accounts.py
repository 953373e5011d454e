"""Accounts and groups of the system, by their names: who runs this program, and who shares a file.

Names come from the system's list of accounts, never from variables that a program can set.
"""

from __future__ import annotations

import os
import sys

from littlestone.errors import ParameterError, parameter_error

if sys.platform != "win32":
    import grp
    import pwd

__all__ = ["account_name", "group_name", "group_number", "in_group"]


def account_name(number: int | None = None) -> str:
    """Return the name of an account, by default of the one that runs this program.

    Parameters
    ----------
    number : int, optional
        Its number (uid). One without a name is called by its number.

    Returns
    -------
    str
        On Windows nothing.
    """
    if sys.platform == "win32":
        return ""
    number = os.geteuid() if number is None else number
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def group_name(number: int) -> str:
    """Return the name of a group, by its number (gid); without a name it is called by it."""
    if sys.platform == "win32":
        return ""
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def group_number(name: object) -> int:
    """Return the number (gid) of a group, by its name or written out.

    Raises
    ------
    ParameterError
        The system has no such group.
    """
    if sys.platform == "win32":
        raise ParameterError("A ledger of a group needs a POSIX system (Linux, macOS).")
    if isinstance(name, str):
        try:
            return grp.getgrnam(name).gr_gid
        except (KeyError, ValueError):
            if name.isascii() and name.isdigit() and int(name) < 2**32 - 1:
                return int(name)
    raise parameter_error(
        "Ledger",
        "group",
        "a group of this system",
        name,
        "`id -Gn` lists those of your account; an administrator makes one: groupadd GROUP.",
    )


def in_group(number: int) -> bool:
    """Return whether this program may use what is for a group."""
    if sys.platform == "win32":
        return False
    return os.geteuid() == 0 or number == os.getegid() or number in os.getgroups()
