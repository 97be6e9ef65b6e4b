"""Retry requests to models after temporary errors, within the time of the conversation."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from pytest_toolsandbox.concurrency.time_limit import seconds_left
from pytest_toolsandbox.text.formatting import format_seconds

from .errors import ProviderError
from .requests import ModelReply, current_asker, request_context
from .waiting import NOTABLE, WAITS

_FIRST_PAUSE: Final = 2.0
"""Seconds before the second try; each further pause is twice as long."""
LONGEST_PAUSE: Final = 60.0
_JITTER: Final = 0.5
"""The random share of a pause, so that conversations do not retry all at once."""
_RESERVE: Final = 1.0
"""Seconds before the end of a conversation's time at which a request that hangs is given up."""
_PATIENCE: Final = 600.0
"""Seconds that a request waits at most, as its provider asks, if no timeout counts them.

That is so for judges and users, and where a scenario's timeout is ``null``.
"""
_log: Final = logging.getLogger(__name__)
_RANDOM: Final = random.Random()  # noqa: S311  # its own: users' tests seed the global one

_MOST_RETRIES: Final = 999
"""As of ``--sandbox-retries``."""
_RETRIES: Final = ("max_retries", "num_retries")
_REFUSED: Final = {
    "retry_strategy": "requests are made again by --sandbox-retries; take it out",
    "request_timeout": "write it as timeout",
    "stream": "replies are read whole; take it out",
    "fallbacks": "another model's answers would be counted as those of this one; take it out",
}
"""Parameters that are not supported, and what to do about them."""

_AskOnce = Callable[[float], ModelReply]
"""Asks a provider once, with a time limit in seconds. Raises ``ProviderError``."""


def ask_with_retries(model: str, ask_once: _AskOnce, retries: int | None) -> ModelReply:
    """Return the reply to a request, which is retried ``retries`` times after temporary errors.

    ``None`` is the number of the conversation. Raises the ``ProviderError`` of the last try. The
    pauses are those that the provider asks for; a retry library would not know them.
    """
    context = request_context()
    limit = context.limits.of(model)
    tries_left = 1 + (context.retries if retries is None else retries)
    tries, began, waited = 0, time.monotonic(), 0.0
    while True:
        with limit.place():
            tries += 1
            sent = time.monotonic()
            try:
                # The first try has the request's own timeout; a retry must not outlive the
                # conversation.
                reply = ask_once(_time_left() if tries > 1 else float("inf"))
                break
            except ProviderError as error:
                error.tries = tries
                if error.status == HTTPStatus.TOO_MANY_REQUESTS:
                    limit.refused(error.retry_after)
                elif error.is_passing:
                    limit.failed()
                pause = pause_before(tries, error)
                can_retry = error.is_passing and tries < tries_left
                if not can_retry or _is_too_long(pause, error, waited):
                    raise
                reason = str(error)
        # Outside of the block: a waiting conversation must not occupy a place.
        waited += pause
        if pause >= NOTABLE:
            what = current_asker(), format_seconds(pause), tries + 1, tries_left, reason
            _log.warning("a request of the %s waits %s before try %d of %d: %s", *what)
        WAITS.sleep(pause, time.sleep)
    # An answer to a retry says nothing about the load that the provider accepts.
    if tries == 1:
        limit.succeeded()
    usage = replace(
        reply.usage,
        requests=1,
        retries=tries - 1,
        latency=time.monotonic() - sent,
        waited=sent - began,
        timed=1,
    )
    return replace(reply, usage=usage)


def retries_in(model: str, parameters: Mapping[str, Any]) -> int | None:
    """Return the number of retries in the parameters of a model, ``None`` if they set none.

    Raises ``ProviderError`` for values that are not supported.
    """
    retries = {name: parameters[name] for name in _RETRIES if parameters.get(name) is not None}
    wrong = [name for name, value in retries.items() if not _is_count(value)]
    problems = {
        **{
            name: f"{retries[name]!r} is not a whole number from 0 to {_MOST_RETRIES}"
            for name in wrong
        },
        **{name: remedy for name, remedy in _REFUSED.items() if parameters.get(name)},
    }
    if len(set(retries.values())) > 1:
        problems[_RETRIES[0]] = f"it differs from {_RETRIES[1]}; give one of them"
    for name, problem in problems.items():
        raise ProviderError(f"{model}: {name} in its parameters: {problem}")
    return next(iter(retries.values()), None)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_RETRIES


def pause_before(tries: int, error: ProviderError) -> float:
    """Return the seconds to wait before the next try, as the provider asks or by default."""
    if error.retry_after is not None:
        # Jitter also after the provider's pause: all conversations got the same one.
        return error.retry_after + _RANDOM.uniform(0, _JITTER)
    longest: float = min(_FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)
    return longest * (1 - _RANDOM.uniform(0, _JITTER))


def _is_too_long(pause: float, error: ProviderError, waited: float) -> bool:
    """Return whether a pause would only delay the same error; note in it what time is left."""
    left, limit = _time_left(), "the scenario's timeout"
    if error.retry_after is not None and math.isinf(left):
        left, limit = _PATIENCE - waited, f"the {format_seconds(_PATIENCE)} that a request waits"
    if error.retry_after is not None and pause >= left:
        error.time_left = f"of {limit}, {max(0, math.floor(left)):,} s are left"
    return pause >= left


def _time_left() -> float:
    return seconds_left() - _RESERVE
