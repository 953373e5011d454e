"""A release in one folder, for who decides whether it is published: each file with its hash."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from littlestone import __version__
from littlestone.data import RowDomain
from littlestone.errors import ParameterError, parameter_error
from littlestone.report.first import first_screen
from littlestone.report.pages import heading_of, page

if TYPE_CHECKING:
    from littlestone.learners.release import Release

#: What is in the folder, by name.
FILES = {
    "model.json": "the model: `littlestone predict model.json new.csv` costs no privacy",
    "page.html": "the page about the model, for people; needs no network",
    "record.json": "the release record, verified offline by `littlestone check-record record.json`",
    "schema.toml": "the public columns, with their bins and categories",
    "protocol.json": "the protocol that was fixed before the data were read",
}


def check_new_folder(folder: str | os.PathLike[str], *, caller: str = "write_folder") -> None:
    """Refuse a folder that could not be written: before anything is drawn."""
    where, problem = Path(folder), ""
    if os.path.lexists(where) and not (os.path.isdir(where) and not os.path.islink(where)):
        problem = "It is a file or a link."
    elif os.path.isdir(where) and os.listdir(where):
        problem = "It is not empty: a release needs a folder of its own."
    elif not os.path.isdir(where.absolute().parent):
        problem = "Its folder does not exist: create it first."
    elif not os.access(where.absolute().parent, os.W_OK | os.X_OK):
        problem = "Its folder is write-protected."
    if problem:
        raise parameter_error(caller, "release", "a new or empty folder", str(folder), problem)


def write_folder(
    release: Release, folder: str | os.PathLike[str], *, protocol: str | None = None
) -> None:
    """Write model, page, record, schema and a README with hashes into a new folder.

    Parameters
    ----------
    release : Release
        Not seeded.
    folder : str or path
        New or empty; it is written in one step, whole or not at all.
    protocol : str, optional
        The text of the protocol that was planned beforehand.

    Raises
    ------
    ParameterError
        If the folder is not new or empty, or cannot be written; of a seeded release.

    Notes
    -----
    *Guarantee.* Post-processing of the release: costs no privacy.
    """
    check_new_folder(folder)
    texts = {
        "model.json": release.to_json() + "\n",
        "page.html": page(release),
        "record.json": json.dumps(release.record(), indent=1, ensure_ascii=False) + "\n",
    }
    if isinstance(release.concept_class.domain, RowDomain):
        texts["schema.toml"] = release.concept_class.domain.schema.to_toml()
    if protocol is not None:
        texts["protocol.json"] = protocol
    where = Path(folder).absolute()
    try:
        beside = Path(tempfile.mkdtemp(dir=where.parent, prefix=f".{where.name}."))
        try:
            for name, text in (texts | {"README.md": _readme(release, texts)}).items():
                with (beside / name).open("w", encoding="utf-8", newline="") as file:
                    file.write(text)
                    os.fsync(file.fileno())
            beside.chmod(0o755)
            beside.rename(where)  # replaces an empty folder
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as problem:
        raise ParameterError(
            f"The folder {folder} could not be written ({problem.strerror or 'broken'})."
        ) from None


def _readme(release: Release, texts: dict[str, str]) -> str:
    """Return what the folder is, and the hashes of its files."""
    first = first_screen(release)
    hashes = {
        name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items()
    }
    about = [
        f"# {heading_of(release)}",
        f"{first['sentence']} {first['verdict']}",
        f"Guarantee: {release.guarantee}.",
        *(f"{name}: {figure}{f' ({line})' * bool(line)}." for name, figure, line in first["tiles"]),
    ]
    lines = [
        *(
            f"{escape(' '.join(text.split()), quote=False)}\n" for text in about
        ),  # names say anything
        *(f"- `{name}`: {FILES[name]}" for name in texts),
        "",
        "SHA-256 (`grep '^[0-9a-f]' README.md | sha256sum -c` checks them):",
        "",
        "```",
        *(f"{digest}  {name}" for name, digest in hashes.items()),
        "```",
        "",
        f"Written by littlestone {__version__}. All of it follows from the model, so publishing it "
        "costs no privacy beyond the guarantee above.",
    ]
    return "\n".join(lines) + "\n"
