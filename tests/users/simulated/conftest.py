from __future__ import annotations

from collections.abc import Iterator

import pytest
from model_server import ModelServer

from pytest_toolsandbox.models.requests import RequestContext, requests_in


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model on this machine, which OpenAI's names reach."""
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-testkey-0123456789")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


@pytest.fixture(autouse=True)
def asks_once() -> Iterator[None]:
    """Let faults be told at once."""
    with requests_in(RequestContext(retries=0)):
        yield
