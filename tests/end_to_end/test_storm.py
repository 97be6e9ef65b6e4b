"""A provider and a model that do everything wrong at once: nothing hangs, and nothing is lost.

``benchmarks/storm.py`` is the same in large.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from desk import Suite
from model_server import ModelServer
from stormy_provider import CONFTEST, Storm, check, scenarios

pytestmark = pytest.mark.any_pytest

TIMES = 1


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_nothing_is_lost_in_a_storm(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    suite, storm = Suite(pytester), Storm()
    suite.conftest(CONFTEST)
    for name, text in scenarios(TIMES):
        suite.write(name, text)
    with ModelServer(storm) as server:
        server.replace_openai(monkeypatch)
        arguments = ("--sandbox-results=results.jsonl", "--sandbox-concurrency=16", workers)
        suite.run_apart(*arguments)
    check(suite.records(), storm, TIMES)
