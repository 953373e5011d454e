"""The command lines of docs/cli.md run as they stand there."""

import re
import shlex
from pathlib import Path

from littlestone.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def test_every_command_line_of_the_page_runs(folder, capsys):
    (folder / "data.csv").rename("people.csv")
    lines = re.findall(r"^littlestone (.*)$", PAGE, re.MULTILINE)
    assert len(lines) >= 7
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().err == ""
    assert {"model.json", "page.html", "predictions.csv"} <= {p.name for p in folder.iterdir()}
