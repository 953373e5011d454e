"""A real browser for the pages: Chromium without a window, spoken to through two pipes.

No package is needed: ``--remote-debugging-pipe`` takes JSON messages that end with a zero byte on
file descriptor 3, and answers on 4 (the DevTools protocol).
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


class Browser:
    """One page of one browser."""

    def __init__(self, folder):
        program = os.environ.get("CHROMIUM") or next(filter(shutil.which, NAMES), None)
        assert program, f"The pages are tested in a real browser: install one of {NAMES} (apt-get)."
        theirs_in, self._write = os.pipe()
        self._read, theirs_out = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
        flags += " --disable-extensions --hide-scrollbars --remote-debugging-pipe"
        # bash: file descriptors of two digits
        command = f'exec "$0" {flags} --user-data-dir="$1" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, str(folder)],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._rest, self._number, self._session, self.complaints = b"", 0, None, []
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Send one command and wait for its answer; collect complaints on the way."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(60)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
            assert ready, "The browser does not answer."
            piece = os.read(self._read, 1 << 20)
            assert piece, "The browser has ended."
            self._rest += piece
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        kind, told = message.get("method", ""), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.complaints.append(told["exceptionDetails"]["exception"].get("description"))
        if kind == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.complaints.append(str(told["args"]))
        if kind == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        if kind == "Network.requestWillBeSent":
            url = told["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.complaints.append(f"loads {url}")
        return message

    def show(self, path, *, width=1000, height=900, dark=False, media="", fragment=""):
        """Open a file at a size, in a colour scheme, and wait until it is there."""
        self.complaints.clear()
        self._width = width
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=Path(path).resolve().as_uri() + fragment)
        for _ in range(400):
            if self.run("location.protocol + document.readyState") == "file:complete":
                return
            time.sleep(0.025)
        raise AssertionError("The page does not load.")

    def run(self, expression):
        """Return the value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def click(self, selector):
        """Click in the middle of an element, as a hand does."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, times=1):
        """Press a key of the keyboard, where the focus is."""
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9, "Space": 32}
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.call(
                    "Input.dispatchKeyEvent",
                    type=kind, key=" " if key == "Space" else key, code=key,
                    windowsVirtualKeyCode=codes[key],
                )  # fmt: skip

    def overflow(self):
        """Return what sticks out to the right of the window."""
        # not innerWidth: a phone widens its window until everything fits
        return self.run(
            "[...document.querySelectorAll('body *')].filter(e => e.getClientRects().length"
            f" && e.getBoundingClientRect().right > {self._width + 1})"
            ".map(e => e.tagName + '#' + e.id + '.' + (e.getAttribute('class') || ''))"
            f".concat(document.documentElement.scrollWidth > {self._width} ? ['page'] : [])"
        )

    def picture(self, path):
        """Save a picture of the whole page."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        found = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        Path(path).write_bytes(base64.b64decode(found["data"]))

    def close(self):
        """End the browser that was started here."""
        with contextlib.suppress(AssertionError, OSError):
            self._session = None
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
