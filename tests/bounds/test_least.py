"""The least integer with a monotone property."""

from hypothesis import given
from hypothesis import strategies as st

from littlestone.bounds.search import least


@given(st.integers(-5, 10**6), st.integers(-5, 10**6))
def test_least(low, target):
    assert least(lambda i: i >= target, low=low) == max(low, target)
