"""Signatures of records."""

import pytest
from cryptography.hazmat.primitives import serialization as kinds
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import littlestone as ls
from littlestone.errors import ParameterError
from littlestone.learners.check_record import check_record
from littlestone.learners.record import digests


def keys(folder, name):
    """Write a key, and its public half."""
    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.public.pem"
    pem = kinds.Encoding.PEM
    private.write_bytes(key.private_bytes(pem, kinds.PrivateFormat.PKCS8, kinds.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(pem, kinds.PublicFormat.SubjectPublicKeyInfo))
    return private, public


def fields(record, key=None):
    return [finding.field for finding in check_record(record, key)]


def test_a_signature_shows_what_no_arithmetic_does(tmp_path):
    private, public = keys(tmp_path, "ours")
    other, others = keys(tmp_path, "other")
    release = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1).fit([2, 8], [0, 1]).release_
    record = release.record(private)
    assert fields(record) == fields(record, public) == []
    assert fields(record, others) == ["signature.public_key"]
    assert fields(release.record(other), public) == ["signature.public_key"]
    assert fields(release.record(), public) == ["signature"]
    hypothesis = record["release"]["hypothesis"]
    hypothesis["above"] = (hypothesis["above"] + 1) % 10
    record["sha256"] = digests(record)
    assert "signature.value" in fields(record)


@pytest.mark.parametrize(
    ("field", "value"),
    [("algorithm", "none"), ("value", "00" * 64), ("public_key", "11" * 32), ("value", "odd")],
)
def test_signatures_that_are_none(tmp_path, field, value):
    private, _ = keys(tmp_path, "ours")
    release = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1).fit([2, 8], [0, 1]).release_
    record = release.record(private)
    record["signature"][field] = value
    assert any(name.startswith("signature") for name in fields(record))


def test_files_that_hold_no_key(tmp_path):
    _, public = keys(tmp_path, "ours")
    release = ls.AgnosticLearner(ls.Thresholds(1, 9), epsilon=1).fit([2, 8], [0, 1]).release_
    for path in (public, tmp_path / "nowhere.pem", tmp_path):
        with pytest.raises(ParameterError, match="Ed25519"):
            release.record(path)
