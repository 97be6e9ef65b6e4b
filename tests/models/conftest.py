from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from model_server import ModelServer

from pytest_toolsandbox.models.requests import Limits, RequestContext, requests_in

CLIENTS = {"own client": ("", "httpx"), "litellm": ("litellm/", "litellm")}
"""What is put before the name of a model, and what it needs."""


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    """Ask by each client in turn: the fixture is what is put before the name of a model."""
    prefix, package = CLIENTS[request.param]
    if find_spec(package) is None:
        pytest.skip(f"needs {package}")
    return prefix


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
