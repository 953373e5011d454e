"""One browser for all tests of a process."""

import tempfile

import pytest

from .browser import Browser


@pytest.fixture(scope="session")
def browser():
    """Return a browser, one for all tests of this process."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = Browser(folder)
        yield found
        found.close()
