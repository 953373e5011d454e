"""A release: the private output of one fit, with all that may be said about it in public."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.bounds import Certificate
from littlestone.classes import ConceptClass, class_from_dict, load
from littlestone.data import RowDomain
from littlestone.errors import ParameterError
from littlestone.privacy import Guarantee
from littlestone.safe_io import parse_json, read_exact, read_text

if TYPE_CHECKING:
    from littlestone.types import Hypothesis, Json

__all__ = ["FORMAT", "Release"]

FORMAT = "littlestone-release-1"
_LARGEST = 10**1200  # of n: far beyond any table, and short enough to be written out
_RATES = ("rate", "rate_low", "rate_high")


@dataclass(frozen=True)
class Release:
    """What a fit publishes: nothing in it was not paid for.

    Attributes
    ----------
    learner : str
    concept_class : ConceptClass
    hypothesis : Hypothesis
        The private output.
    guarantee : Guarantee
        Of everything in the release together.
    certificate : Certificate
    n : int
        Number of records (public under replace-one).
    required : int
        The least n for which the certificate holds (public parameters only).
    error : dict or None
        The released estimate of the hypothesis' error, when one was paid for.
    columns : dict
        Public names: which columns were read as x, y; the positive label; the schema's name.
    """

    learner: str
    concept_class: ConceptClass
    hypothesis: Hypothesis
    guarantee: Guarantee
    certificate: Certificate
    n: int
    required: int
    error: Json | None = None
    columns: Json | None = None

    def to_dict(self) -> Json:
        """Return plain JSON; `from_dict` reads it back."""
        out: Json = {
            "format": FORMAT,
            "learner": self.learner,
            "class": {"spec": self.concept_class.spec, **self.concept_class.to_dict()},
            "hypothesis": {
                **self.hypothesis.to_dict(),
                "description": self.hypothesis.describe(),
            },
            "guarantee": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
            "n": self.n,
            "required_samples": self.required,
        }
        if self.error is not None:
            out["error"] = self.error
        if self.columns is not None:
            out["columns"] = self.columns
        return out

    def to_json(self) -> str:
        """Return the canonical JSON text: sorted keys, one line."""
        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_dict(cls, document: Any) -> Release:
        """Read a release back, checking everything; no code is ever run.

        Raises
        ------
        ParameterError
            If the document is not a release of this version.
        """
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ParameterError(
                "The model must be a JSON object written by `littlestone fit --out` "
                f"(format {FORMAT})."
            )
        try:
            described = dict(document["hypothesis"])
            described.pop("description", None)
            stated = dict(document["class"])
            stated.pop("spec", None)
            concept_class, hypothesis = class_from_dict(stated), load(described)
            _check_fit(concept_class, hypothesis)
            return cls(
                learner=_text(document["learner"]),
                concept_class=concept_class,
                hypothesis=hypothesis,
                guarantee=Guarantee.from_dict(document["guarantee"]),
                certificate=Certificate.from_dict(document["certificate"]),
                n=_count(document["n"]),
                required=_count(document["required_samples"]),
                error=_estimate(document.get("error")),
                columns=_columns(document.get("columns")),
            )
        except ParameterError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
            raise ParameterError(
                "The model file is incomplete or has been changed; write it again with "
                "`littlestone fit --out`."
            ) from None

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release from a file written by `littlestone fit --out`."""
        text = read_text(path, "model file")
        return cls.from_dict(parse_json(text, f"model file {path}"))


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise TypeError
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise TypeError
    return value


def _estimate(error: Any) -> Json | None:
    """Check a released estimate as far as pages use it."""
    if error is None:
        return None
    for name in _RATES:
        rate = error[name]
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
            raise TypeError
    read_exact(error["epsilon"])
    return dict(error)


def _columns(columns: Any) -> Json | None:
    """Check the names of columns."""
    if columns is None:
        return None
    for name, value in columns.items():
        if name == "x":
            list(map(_text, value if isinstance(value, list) else [None]))
        elif name == "samples_per_user":
            _count(value)
        else:
            _text(value)
    return dict(columns)


def _check_fit(concept_class: ConceptClass, hypothesis: Hypothesis) -> None:
    """Refuse a hypothesis about rows that does not speak of its schema's columns.

    Codes speak of columns by position: of a file that was changed, better nothing than a wrong
    prediction.
    """
    domain = concept_class.domain
    if not isinstance(domain, RowDomain):
        return
    literals = getattr(hypothesis, "literals", ())
    if not set(literals) <= set(domain.schema.literals()):
        raise ParameterError(
            "The hypothesis of the model does not fit its schema. The file has been changed; write "
            "it again with `littlestone fit --out`."
        )
