"""What runs of pytest in this process need: modules that are kept, and a server of models."""

import importlib
from collections.abc import Iterator

import pytest
from model_server import ModelServer

KEPT = [
    importlib.import_module(name)
    for name in (
        "pydantic.dataclasses",
        "pydantic.type_adapter",
        "pytest_toolsandbox.plugin.playing.items",
        "pytest_toolsandbox.plugin.output.session",
        "pytest_toolsandbox.builtin.phone",
        "xdist.plugin",
    )
]
"""Modules which pytester would import anew for each run."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A local server to which requests to OpenAI go."""
    with ModelServer() as server:
        server.replace_openai(monkeypatch)
        yield server
