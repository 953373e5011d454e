"""Which lemmas a proof kernel has checked for a claim, and what they leave out.

The lemmas are those of ``proofs/`` (Coq). Of a claim with lemmas this may be said: *the privacy of
the law is machine-checked; that the program has this law is tested.* Every claim of privacy is in
`LEMMAS`, or in `UNCHECKED` with the reason, which a test checks.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checked:
    """Lemmas that a kernel has checked, as ``file.theorem``, and what is not in their model."""

    lemmas: tuple[str, ...]
    leaves_out: str = ""


#: Outside of every model.
NEVER_MODELLED = (
    "enclosures and lazy sampling, float filters, seeds, overflow, infinite candidate sets; that "
    "the program has the law"
)

_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Claim to lemmas.
LEMMAS = {
    identifier: Checked(tuple(entry["lemmas"]), entry.get("leaves_out", ""))
    for identifier, entry in _FILE["lemmas"].items()
}
#: Claims of privacy without a checked lemma, and why: proved on paper, their laws enumerated.
UNCHECKED: dict[str, str] = _FILE["unchecked"]
