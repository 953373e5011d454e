"""A page of Debian's Chromium, driven by Playwright (which brings no browser of its own here)."""

from pathlib import Path

from playwright.sync_api import sync_playwright


class Browser:
    """One page of one browser, and what it complains about."""

    def __init__(self, program):
        self._driver = sync_playwright().start()
        # a container's root may not use Chromium's sandbox; the pages are our own
        self._chromium = self._driver.chromium.launch(
            executable_path=program, chromium_sandbox=False
        )
        self._context, self.complaints = None, []

    def show(self, path, *, width=1000, height=900, dark=False, media=None, fragment=""):
        """Open a file at a size, in a colour scheme, and wait until it is there."""
        if self._context:
            self._context.close()
        self.complaints.clear()
        self._width = width
        self._context = self._chromium.new_context(
            viewport={"width": width, "height": height},
            is_mobile=width < 600,
            color_scheme="dark" if dark else "light",
        )
        self._page = self._context.new_page()
        self._page.emulate_media(media=media)
        self._page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self._page.on("console", self._listen)
        self._page.on("request", self._watch)
        self._page.goto(Path(path).resolve().as_uri() + fragment)

    def _listen(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _watch(self, request):
        if not request.url.startswith(("file:", "data:", "about:")):
            self.complaints.append(f"loads {request.url}")

    def run(self, expression):
        """Return the value of an expression in the page."""
        return self._page.evaluate(expression)

    def click(self, selector):
        """Click in the middle of the first such element, as a hand does."""
        self._page.locator(selector).first.click()

    def press(self, key):
        """Press a key of the keyboard, where the focus is."""
        self._page.keyboard.press(key)

    def picture(self, path):
        """Write what the window shows to a PNG file."""
        self._page.screenshot(path=str(path), animations="disabled")

    def overflow(self):
        """Return what sticks out to the right of the window."""
        # not innerWidth: a phone widens its window until everything fits
        return self.run(
            "[...document.querySelectorAll('body *')].filter(e => e.getClientRects().length"
            f" && e.getBoundingClientRect().right > {self._width + 1})"
            ".map(e => e.tagName + '#' + e.id + '.' + (e.getAttribute('class') || ''))"
            f".concat(document.documentElement.scrollWidth > {self._width} ? ['page'] : [])"
        )

    def close(self):
        """End the browser that was started here."""
        self._chromium.close()
        self._driver.stop()
