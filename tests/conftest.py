"""Fixtures for all tests."""

import gc
import importlib
import importlib.util
import sys
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest
from desk import LIGHT, Suite
from hypothesis import settings
from warm import FURTHER, import_package, warm_python

pytest_plugins = "pytester"

# The same examples in every run, and none is refused for taking its time.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Import before the first run of pytest within pytest, and keep that from being collected.

    Pytester forgets what a run has imported, and the next one would import it again. Each run ends
    with a collection of garbage, which would look through all tests. Where pytest-xdist has
    workers, only these run tests.
    """
    if session.config.pluginmanager.has_plugin("dsession"):
        return (yield)
    import_package()
    for name in (*FURTHER, "numpy.fft"):
        importlib.import_module(name)
    # litellm's importlib_metadata takes the place of Python's own in finding packages, where a run
    # may not undo it.
    for name in filter(importlib.util.find_spec, ("httpx", "importlib_metadata", "zipp")):
        importlib.import_module(name)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, *gc.get_threshold()[1:])  # what tests make is seldom garbage
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for a pytest on which the tests run a second time."""
    about = "of each test with many rows run the first and the last one"
    parser.addoption("--few-rows", action="store_true", help=about)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the rows between the first and the last one, where that is wanted."""
    if config.getoption("--few-rows"):
        rows: dict[str, list[pytest.Item]] = {}
        for item in items:
            rows.setdefault(item.nodeid.partition("[")[0], []).append(item)
        kept = {kept_item for few in rows.values() for kept_item in (few[0], few[-1])}
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


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
    """The folder of a test, whose runs of pytest start fast.

    Each run ends with a collection of garbage, which need not look through all that earlier tests
    have left, such as caches: a third of a second after some thousand tests.
    """
    del warm
    gc.collect()
    gc.freeze()
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
