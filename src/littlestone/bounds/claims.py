"""The registry of claims: every statement that a guarantee or a certificate rests on.

A claim is *asserted*, with its source and version; a certificate is a number that can be computed
again. The claims of the library are in ``claims.toml``; those of the papers' algorithms, and of
others, are added by `register`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from littlestone.errors import parameter_error
from littlestone.types import Json

#: explicit: proved with constants; imported: quoted from its source; reconstruction: our proof
#: of a statement whose original was not at hand; conditional: under an
#: assumption on the distribution that nothing here can check; order-only: constants are unknown.
Status = Literal["explicit", "imported", "reconstruction", "conditional", "order-only"]


@dataclass(frozen=True)
class Claim:
    """A statement with its source."""

    id: str  # stable identifier, ``paper.statement``
    #: Where it is stated, and in which version; "littlestone" for our own (proof in ``docs/``).
    paper: str
    version: str
    statement: str  # in one sentence, with its constants
    assumptions: tuple[str, ...] = ()  # what the caller must make true; privacy claims have none
    status: Status = "explicit"  # how far it is proved, see `Status`
    #: Assumptions of *other* claims in the same certificate that hold by construction: those that
    #: contain one of these words. A learner for realizable labels may run on records that were
    #: labelled by a concept.
    makes_true: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out = {**asdict(self), "assumptions": list(self.assumptions)}
        return {key: value for key, value in out.items() if key != "makes_true" or value}


_REGISTRY: dict[str, Claim] = {}


def register(new: Claim) -> Claim:
    """Add a claim; the same claim may be registered again, another with its identifier may not."""
    if _REGISTRY.setdefault(new.id, new) != new:
        raise parameter_error("register", "id", "a new identifier", new.id, "Choose another.")
    return new


def register_claim(
    identifier: str,
    paper: str,
    version: str,
    statement: str,
    assumptions: tuple[str, ...] = (),
    *,
    status: Status = "explicit",
    makes_true: tuple[str, ...] = (),
) -> str:
    """Register the `Claim` with these parts, and return its identifier."""
    return register(
        Claim(identifier, paper, version, statement, assumptions, status, makes_true)
    ).id


def claim(identifier: str) -> Claim:
    """Return a registered claim.

    Examples
    --------
    >>> claim("exp-mech.privacy").status
    'explicit'
    """
    if identifier not in _REGISTRY:
        raise parameter_error(
            "claim", "identifier", "a registered claim", identifier, "See claims()."
        )
    return _REGISTRY[identifier]


def assumptions(identifiers: Iterable[str]) -> tuple[str, ...]:
    """Return what the caller must make true for several claims together, each thing once.

    Examples
    --------
    >>> [text[:12] for text in assumptions(["exp-mech.tight.agnostic", "exp-mech.privacy"])]
    ['records are ', 'the candidat']
    """
    cited = [claim(identifier) for identifier in identifiers]
    given = {word for one in cited for word in one.makes_true}
    needed = (text for one in cited for text in one.assumptions)
    return tuple(dict.fromkeys(t for t in needed if not any(word in t for word in given)))


def claims() -> tuple[Claim, ...]:
    """Return all registered claims, sorted by identifier."""
    return tuple(sorted(_REGISTRY.values(), key=lambda c: c.id))


def _read() -> dict[str, str]:
    """Register the claims of ``claims.toml``; return the assumptions that several share."""
    file = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    shared: dict[str, str] = file["assumptions"]
    for identifier, entry in file["claims"].items():
        assumed = tuple(shared.get(text, text) for text in entry.pop("assumptions", ()))
        true = tuple(entry.pop("makes_true", ()))
        register(Claim(identifier, **entry, assumptions=assumed, makes_true=true))
    return shared


_SHARED = _read()
IID, REALIZABLE = _SHARED["iid"], _SHARED["realizable"]
PROPOSED = "class.proposed"
