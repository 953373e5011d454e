"""The browser of the tests notices what it is there to notice."""

import pytest


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
