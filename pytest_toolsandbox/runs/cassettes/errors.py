"""What is wrong with a cassette, or with what is asked of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_toolsandbox.models.errors import ProviderError

REMEDY: Final = "record it with --sandbox-record=new"


class CassetteError(ProviderError):
    """Nothing is recorded that answers a request: an error of the item, and no score.

    The ``lines`` show what differs from what is recorded. Who makes the request sees an error of a
    provider, in whose place the cassette stands.
    """

    def __init__(self, text: str, lines: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.lines = [*lines]


class MissingError(CassetteError):
    """There is no cassette, or it lacks a trial, or it is of another agent or user."""
