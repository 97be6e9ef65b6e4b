"""Fixtures for all tests."""

import pytest
from desk import LIGHT, Suite

pytest_plugins = "pytester"


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
