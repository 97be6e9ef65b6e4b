"""Fixtures for all tests."""

import gc
import importlib
import sys
from collections.abc import Generator, Iterator

import pytest
from desk import LIGHT, Suite
from hypothesis import settings
from warm import import_package, warm_python

pytest_plugins = "pytester"

# The same examples in every run, and none is refused for taking its time.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


# Before the first run of pytest within pytest: pytester forgets what a run has imported, and the
# next one would import it again.
import_package()
for name in ("jsonschema", "regex"):
    importlib.import_module(name)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what lives until the end out of the way of the garbage collector.

    Each run of pytest within pytest ends with a collection, which would look through all tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def interpreter() -> Iterator[str]:
    """The path of a Python that has imported what runs of pytest need."""
    with warm_python() as path:
        yield path


@pytest.fixture
def warm(interpreter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all that this test starts as ``sys.executable`` be that Python."""
    monkeypatch.setattr(sys, "executable", interpreter)


@pytest.fixture
def pytester(pytester: pytest.Pytester, warm: None) -> pytest.Pytester:
    """The folder of a test, whose runs of pytest start fast."""
    del warm
    return pytester


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
