"""A run that is left in its middle is no success."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest


@contextmanager
def no_early_success() -> Iterator[None]:
    """Have ``os._exit(0)`` of an agent or a tool leave with another status, which is not green.

    Nothing can be reported from there. Processes that are forked inside leave as they like.
    """
    leave, process = os._exit, os.getpid()

    def left(status: int) -> NoReturn:
        is_early = status == 0 and os.getpid() == process
        leave(pytest.ExitCode.INTERNAL_ERROR if is_early else status)

    os._exit = left
    try:
        yield
    finally:
        os._exit = leave
