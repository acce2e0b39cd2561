"""One browser for all tests of pages: two in one process would get in each other's way."""

from tests.chromium import browser

__all__ = ["browser"]
