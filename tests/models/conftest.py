from __future__ import annotations

from collections.abc import Iterator

import pytest
from model_server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model on this machine: tell it what it ``will`` answer, look at its ``requests``."""
    with ModelServer() as server:
        yield server
