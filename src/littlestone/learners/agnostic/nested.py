"""A certificate inside another one: its steps, under names of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from littlestone.bounds import Reference

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder

__all__ = ["nest"]

#: Inputs that mean the head of a certificate, and so must be renamed inside another one.
_HEAD = re.compile(r"\b(alpha|beta|n)\b")


def nest(cert: CertificateBuilder, certificate: Certificate, label: str) -> None:
    """Write all steps of a certificate into a worksheet.

    Parameters
    ----------
    cert : CertificateBuilder
        Of the outer certificate.
    certificate : Certificate
        Of a part; its conditions become conditions of the whole.
    label : str
        A word. Steps become ``"label.step"``, and its alpha, beta and n ``alpha_label`` and so on.

    Examples
    --------
    >>> from littlestone.bounds import CertificateBuilder, realizable
    >>> cert = CertificateBuilder()
    >>> nest(cert, realizable(100, epsilon=1, alpha="0.1", beta="0.05"), "inner")
    >>> [(name, step.formula) for name, step in cert.steps.items()][-1]
    ('inner.enough', 'n_inner >= needed')
    """
    for step in certificate.steps:
        inputs = {
            _renamed(name, label): Reference(f"{label}.{x.step}") if isinstance(x, Reference) else x
            for name, x in step.inputs.items()
        }
        formula = _renamed(step.formula, label)
        cert.step(f"{label}.{step.name}", formula, step.source, **inputs)


def _renamed(text: str, label: str) -> str:
    return _HEAD.sub(rf"\1_{label}", text)
