"""Make the picture of a page in the README again: ``docs/page.png``, from the README's own command.

    python tools/screenshot.py [OUT.png]           # needs Chromium and the extra ``browser``

The first command of the README learns a model of made-up admissions and writes its page; the first
screen of that page, 1280 pixels wide, is the picture. What it prints is for the README's lines.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from littlestone.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "page.png"
WIDTH, HEIGHT = 1280, 900


def command() -> list[str]:
    """Return the arguments of the README's first command, with its files of this repository."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = re.search(r"littlestone (fit .*?)```", text, re.DOTALL)
    assert line is not None
    words = shlex.split(line[1].replace("\\\n", " "))
    return [str(ROOT / word) if word.startswith("examples/") else word for word in words]


def draw(browser: Any, out: Path) -> None:
    """Run the command in an empty folder, and write the picture of its page."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder):
            assert main(command()) == 0
        browser.show(Path(folder) / "page.html", width=WIDTH, height=HEIGHT)
        browser.picture(out)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests" / "report"))
    from browser import Browser  # of the tests, whose folder is added above

    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    shown = Browser(os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names))))
    try:
        draw(shown, Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
    finally:
        shown.close()
