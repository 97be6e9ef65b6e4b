from __future__ import annotations

from collections.abc import Iterator

import pytest
from model_server import ModelServer

from pytest_toolsandbox.models.requests import RequestContext, requests_in


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model on this machine, which OpenAI's names reach."""
    with ModelServer() as server:
        server.replace_openai(monkeypatch)
        yield server


@pytest.fixture(autouse=True)
def asks_once() -> Iterator[None]:
    """Let faults be told at once."""
    with requests_in(RequestContext(retries=0)):
        yield
