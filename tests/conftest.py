"""Fixtures for all tests."""

import pytest
from desk import LIGHT, Suite
from hypothesis import settings

pytest_plugins = "pytester"

# The same examples in every run, and none is refused for taking its time.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """A folder with the world ``desk``; scenarios are to be written."""
    suite = Suite(pytester)
    suite.conftest("")
    return suite


@pytest.fixture
def light(suite: Suite) -> Suite:
    """A folder with one scenario, ``light``."""
    suite.write("light.scenario.yaml", LIGHT)
    return suite
