from __future__ import annotations

from collections.abc import Iterator

import pytest
from model_server import ModelServer

from pytest_toolsandbox.models.requests import Limits, RequestContext, requests_in


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model on this machine: tell it what it ``will`` answer, look at its ``requests``."""
    with ModelServer() as server:
        yield server


@pytest.fixture(autouse=True)
def asks_once() -> Iterator[None]:
    """Let faults be told at once; tests of retries say how many they want."""
    with requests_in(RequestContext(retries=0, limits=Limits())):
        yield
