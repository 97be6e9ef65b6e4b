"""Fixtures for all tests."""

import gc
import importlib
import sys
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

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


INTERPRETER = pytest.StashKey[str]()


def started(config: pytest.Config, *, for_workers: bool) -> str:
    """Return the path of a Python that has imported what runs of pytest need."""
    if INTERPRETER not in config.stash:
        until_the_end = ExitStack()
        config.add_cleanup(until_the_end.close)
        config.stash[INTERPRETER] = until_the_end.enter_context(
            warm_python(with_models=for_workers)
        )
    return config.stash[INTERPRETER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let the workers of pytest-xdist share one, which imports while they collect."""
    node.workerinput["interpreter"] = started(node.config, for_workers=True)


@pytest.fixture(scope="session")
def interpreter(pytestconfig: pytest.Config) -> str:
    """The path of a Python that has imported what runs of pytest need."""
    shared: dict[str, str] = getattr(pytestconfig, "workerinput", {})
    return shared.get("interpreter") or started(pytestconfig, for_workers=False)


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
