"""What an example of the gallery draws: each SVG file that a block writes, in order of writing."""

import shutil
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst


def written(block, block_vars, gallery_conf):
    """Move SVG files out of the example's folder, and return the lines that show them."""
    found = sorted(
        Path(block_vars["src_file"]).parent.glob("*.svg"), key=lambda path: path.stat().st_mtime_ns
    )
    paths = []
    for path in found:
        paths.append(str(Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")))
        shutil.move(path, paths[-1])
    return figure_rst(paths, gallery_conf["src_dir"])
