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

if TYPE_CHECKING:
    from littlestone.types import Hypothesis, Json

__all__ = ["FORMAT", "Release"]

FORMAT = "littlestone-release-1"
_LIMIT = 64 * 2**20  # bytes of a model file that we are willing to read


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
            n, required = document["n"], document["required_samples"]
            if not isinstance(n, int) or not isinstance(required, int):
                raise TypeError
            concept_class, hypothesis = class_from_dict(stated), load(described)
            _check_fit(concept_class, hypothesis)
            return cls(
                learner=str(document["learner"]),
                concept_class=concept_class,
                hypothesis=hypothesis,
                guarantee=Guarantee.from_dict(document["guarantee"]),
                certificate=Certificate.from_dict(document["certificate"]),
                n=n,
                required=required,
                error=document.get("error"),
                columns=document.get("columns"),
            )
        except (KeyError, TypeError, AttributeError, RecursionError):
            raise ParameterError(
                "The model file is incomplete or has been changed; write it again with "
                "`littlestone fit --out`."
            ) from None

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release from a file written by `littlestone fit --out`."""
        where = Path(path)
        try:
            if where.stat().st_size > _LIMIT:
                raise ParameterError(f"The model file {where} is too large to be a release.")
            text = where.read_text(encoding="utf-8")
        except OSError as problem:
            raise ParameterError(
                f"The model file {where} could not be read ({problem.strerror})."
            ) from None
        except UnicodeDecodeError:
            raise ParameterError(f"The model file {where} is not UTF-8 text.") from None
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise ParameterError(f"The model file {where} is not JSON.") from None
        return cls.from_dict(document)


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
