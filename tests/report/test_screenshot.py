"""The picture of a page in the README is there, and can be made again from the README's command."""

import struct
from pathlib import Path

import pytest
from screenshot import HEIGHT, PICTURE, WIDTH, command, draw

ROOT = Path(__file__).parents[2]


def size(path):
    """Return width and height of a PNG file, from its first chunk."""
    start = path.read_bytes()[:24]
    assert start[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", start[16:])


def test_the_readme_shows_a_page():
    assert "](docs/page.png)" in (ROOT / "README.md").read_text()
    assert size(PICTURE) == (WIDTH, HEIGHT)
    assert PICTURE.stat().st_size < 400_000


@pytest.mark.browser
def test_the_picture_is_made_of_the_first_command(browser, tmp_path):
    draw(browser, tmp_path / "page.png")
    assert size(tmp_path / "page.png") == (WIDTH, HEIGHT)
    words = browser.run("document.body.innerText")
    label = command()[command().index("--y") + 1]
    assert label in words
    assert "AUROC" in words
    assert browser.complaints == []
