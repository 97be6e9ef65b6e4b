"""Fixtures for all tests."""

import importlib
import pkgutil

import pytest
from desk import LIGHT, Suite
from hypothesis import settings

import pytest_toolsandbox

pytest_plugins = "pytester"

# The same examples in every run, and none is refused for taking its time.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


def import_what_runs_need() -> None:
    """Import the package before the first run of pytest within pytest.

    Pytester forgets what a run has imported, and the next one would import it again.
    """
    package = pkgutil.walk_packages(pytest_toolsandbox.__path__, f"{pytest_toolsandbox.__name__}.")
    parts = (module.name for module in package)
    ours = (part for part in parts if "__main__" not in part and ".frameworks." not in part)
    for name in (*ours, "jsonschema", "regex"):
        importlib.import_module(name)


import_what_runs_need()


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
