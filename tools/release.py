"""Build what is published, twice, and use it in an empty environment.

    python tools/release.py dist        # needs: pip install build hatchling cyclonedx-bom

Writes the wheel, the source distribution, ``SHA256SUMS`` and ``sbom.cdx.json`` (CycloneDX: the
package and all that it needs, as installed) into the folder. Fails if two builds differ, if the
wheel holds anything but the package, or if the package does not work from either file.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: str | Path = ROOT, **more: str) -> str:
    """Run a program, with these variables besides; return what it printed."""
    print("+", *command, flush=True)
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONPATH"} | more
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def build(out: Path) -> dict[str, str]:
    """Build both files, with the time of the last commit in them; return their hashes."""
    stamp = run("git", "log", "-1", "--format=%ct").strip()
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT]
    run(*command, SOURCE_DATE_EPOCH=stamp)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())
    }


def check_contents(wheel: Path) -> None:
    """Refuse a wheel that holds tests, or anything else beside the package."""
    names = zipfile.ZipFile(wheel).namelist()
    odd = [name for name in names if name.split("/")[0].partition("-")[0] != "littlestone"]
    odd += [name for name in names if "test_" in name or "conftest" in name]
    if odd or "littlestone/py.typed" not in names:
        raise SystemExit(f"{wheel.name} holds {odd[:5]}, or lacks py.typed")


def check_use(file: Path, python: Path, *options: str) -> None:
    """Install a file into an empty environment; learn and verify there, far from the sources."""
    run(python, "-m", "pip", "install", "-q", *options, file)
    program, adult = python.parent / "littlestone", ROOT / "examples" / "adult"
    with tempfile.TemporaryDirectory() as folder:
        fit = ["fit", adult / "adult.parquet", "--schema", adult / "schema.toml", "--y", "over_50k"]
        fit += ["--class", "rules(max_literals=1)", "--epsilon", "1", "--report", "rule.html"]
        said = run(program, *fit, cwd=folder)
        page = (Path(folder) / "rule.html").read_text()
        audit = ["audit", "exact", "--class", "thresholds(1, 3)", "--learner", "generic"]
        audit += ["--epsilon", "1", "--points", "1,2,3", "--n", "2"]
        verdict = run(program, *audit, cwd=folder)
    if "Guarantee" not in said or "<figure" not in page or "HOLDS" not in verdict.upper():
        raise SystemExit(f"{file.name} does not work:\n{said}\n{verdict}")


def main(out: Path) -> None:
    """Build, compare, check, and write hashes and the bill of materials."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise SystemExit(f"{out} is not empty")
    hashes = build(out)
    with tempfile.TemporaryDirectory() as again:
        if build(Path(again)) != hashes:
            raise SystemExit("two builds of the same sources differ")
    (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as empty:
        run(sys.executable, "-m", "venv", empty)
        python = Path(empty) / "bin" / "python"
        check_use(wheel, python)
        bill = run(sys.executable, "-m", "cyclonedx_py", "environment", python, "--of", "JSON")
        check_use(source, python, "--force-reinstall", "--no-deps")
    (out / "sbom.cdx.json").write_text(bill)
    (out / "SHA256SUMS").write_text("".join(f"{h}  {name}\n" for name, h in hashes.items()))
    print(*(path.name for path in sorted(out.iterdir())), sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
