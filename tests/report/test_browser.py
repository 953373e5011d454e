"""The browser of the tests, and the README's picture."""

import struct
from pathlib import Path

import pytest
from screenshot import HEIGHT, PICTURE, WIDTH, command, draw

# -- The browser of the tests notices what it is there to notice -----------------------------------


@pytest.mark.browser
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<script>undefined_name()</script>", "undefined_name is not defined"),
        ("<script>console.warn('careful')</script>", "careful"),
        ("<img src='https://example.invalid/x.png'>", "loads https://example.invalid/x.png"),
        ("<img src='missing.png'>", "ERR_FILE_NOT_FOUND"),
        (
            "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\">"
            "<script>1</script>",
            "Content Security Policy",
        ),
    ],
)
def test_complaints(browser, tmp_path, body, said):
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html>{body}")
    browser.show(path)
    assert any(said in complaint for complaint in browser.complaints)


@pytest.mark.browser
def test_overflow(browser, tmp_path):
    path = tmp_path / "page.html"
    for width, found in ((300, []), (500, ["DIV#wide.", "page"])):
        path.write_text(
            "<!doctype html><meta name='viewport' content='width=device-width'>"
            f"<div id='wide' style='width: {width}px'>x</div>"
        )
        browser.show(path, width=390)
        assert browser.overflow() == found


# -- The picture of a page in the README is there, and can be made again from the README's command

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
