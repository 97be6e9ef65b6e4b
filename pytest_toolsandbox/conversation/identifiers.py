"""Identifiers of calls, which join a result to its request in a chat API."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from pytest_toolsandbox.calls.tool_call import ToolCall

_VALID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""What the APIs of OpenAI and Anthropic both accept."""


def with_identifiers(calls: Sequence[ToolCall], place: int, taken: Iterable[str]) -> list[ToolCall]:
    """Return calls with identifiers that are valid and unlike each other and those ``taken``.

    One that the agent gave is kept where it can be. ``place`` is the index of the first message.
    """
    known, identified = set(taken), []
    for index, call in enumerate(calls):
        own = call.identifier
        is_free = _VALID.fullmatch(own) and own not in known
        identifier = own if is_free else _free(f"call-{place}-{index}", known)
        known.add(identifier)
        identified.append(replace(call, identifier=identifier))
    return identified


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)
