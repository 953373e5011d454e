"""One browser for all tests of a process."""

import pytest

# a module of Playwright, for tests of the group alone
collect_ignore = ["browser.py"]


@pytest.fixture(scope="session")
def browser(chromium):
    """Return a browser, one for all tests of this process."""
    from .browser import Browser

    found = Browser(chromium)
    yield found
    found.close()
