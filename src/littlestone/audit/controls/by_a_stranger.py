"""Bugs by somebody who had not seen the checks; nobody tells which of them should notice."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["BY_A_STRANGER"]

BY_A_STRANGER: tuple[Control, ...] = ()
