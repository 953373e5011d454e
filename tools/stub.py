"""Write the stub of the estimators, for editors and type checkers: `python tools/stub.py`.

Arguments of estimators are made from the declarations of their learners when they are imported.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import littlestone
from littlestone.learners.sklearn_base import PrivateEstimator

STUB = Path(littlestone.__file__).parent / "estimators.pyi"
_HEAD = '''"""Arguments of the estimators, as they are declared; written by tools/stub.py."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from littlestone.classes import ConceptClass
from littlestone.data import Schema
'''


def estimators() -> dict[str, type[PrivateEstimator]]:
    """Return the public estimators by name."""
    homes = (littlestone, littlestone.theory)
    found = {name: getattr(home, name) for home in homes for name in home.__all__}
    return {
        name: each
        for name, each in found.items()
        if isinstance(each, type) and issubclass(each, PrivateEstimator)
    }


def stub() -> str:
    """Return the text of the stub."""
    made = estimators().values()
    homes = sorted({each.__module__ for each in made})
    imports = [
        f"from {home.removesuffix('.estimators')} import estimators as {_home(home)}"
        for home in homes
    ]
    number = "\nNumber = float | Fraction | Decimal | str\n"
    return "\n".join([_HEAD + "\n".join(imports), number, *map(_written, made)])


def _home(module: str) -> str:
    return f"_{module.split('.')[-2]}"


def _written(cls: type) -> str:
    head = f"class {cls.__name__}({_home(cls.__module__)}.{cls.__name__}):"
    lines = [head, "    def __init__(", "        self,"]
    for each in inspect.signature(cls).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "        *," not in lines:
            lines.append("        *,")
        lines.append(f"        {each.name}: {each.annotation}{_default(each.default)},")
    return "\n".join([*lines, "    ) -> None: ...", ""])


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, str):
        return f' = "{value}"'
    return f" = {value!r}" if value is None or isinstance(value, int | float) else " = ..."


if __name__ == "__main__":
    STUB.write_text(stub())
