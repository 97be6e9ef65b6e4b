from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model on this machine: tell it what it ``will`` answer, look at its ``requests``."""
    with ModelServer() as server:
        yield server
