"""What an example of the gallery draws: each figure (HTML) that a block writes, in that order."""

import re
from pathlib import Path

_DARK = re.compile(r"@media screen and \(prefers-color-scheme: dark\).*\n")


def written(block, block_vars, gallery_conf):
    """Move figures out of the example's folder, and return the lines that show them.

    The reader's own setting is left out: the site has a switch (`site.css`).
    """
    found = sorted(
        Path(block_vars["src_file"]).parent.glob("*.html"), key=lambda path: path.stat().st_mtime_ns
    )
    lines = []
    for path in found:
        html = _DARK.sub("", path.read_text(encoding="utf-8"))
        path.unlink()
        lines += ["", ".. raw:: html", "", *(f"    {line}" for line in html.splitlines()), ""]
    return "\n".join(lines)
