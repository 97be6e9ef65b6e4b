"""Requests are made again after faults that pass, in the time that a conversation has."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from types import ModuleType
from typing import Any, Final

from pytest_toolsandbox.concurrency.time_limit import seconds_left

from .errors import INSTALL, ProviderError
from .requests import Limit, ModelReply, request_context

FIRST_PAUSE: Final = 2.0
"""Seconds before the second try, doubled before each further one, where no time is asked for."""
LONGEST_PAUSE: Final = 60.0
JITTER: Final = 0.5
"""The share of a pause that is drawn, so that conversations do not come back all at once."""
_RESERVE: Final = 1.0
"""Seconds before the end of a conversation's time at which a request that hangs is given up."""
_DRAWN: Final = random.Random()  # noqa: S311  # its own: users' tests seed the global one

_RETRIES: Final = ("max_retries", "num_retries")
_REFUSED: Final = {
    "retry_strategy": "requests are made again by --sandbox-retries; take it out",
    "request_timeout": "write it as timeout",
    "stream": "replies are read whole; take it out",
    "fallbacks": "another model's answers would be counted as those of this one; take it out",
}
"""What litellm takes, and would do beside what is done here, or not at all."""

AskOnce = Callable[[float], ModelReply]
"""Asks a provider once, in so many seconds at most. Raises ``ProviderError``."""


def asked(model: str, ask_once: AskOnce, retries: int | None) -> ModelReply:
    """Return the reply to a request that is made again, ``retries`` times, while faults pass.

    ``None`` is what the conversation says. Raises the ``ProviderError`` of the last try.
    """
    context = request_context()
    attempts = _Attempts(ask_once, context.limits.of(model))
    last = 1 + (context.retries if retries is None else retries)
    if (tenacity := _tenacity()) is None:
        return _asked_once(attempts, last)
    again = tenacity.Retrying(
        retry=tenacity.retry_if_exception(is_passing),
        wait=lambda state: pause_before(state.attempt_number, state.outcome.exception()),
        stop=lambda state: state.attempt_number >= last or state.upcoming_sleep >= _time_left(),
        sleep=time.sleep,
        reraise=True,
    )
    reply: ModelReply = again(attempts.once)
    return reply


def _asked_once(attempts: _Attempts, last: int) -> ModelReply:
    """Ask without the library; say of a fault that passes that it is needed to ask again."""
    try:
        return attempts.once()
    except ProviderError as error:
        if not error.is_passing or last == 1:
            raise
        text = f"{error}; asked once, since to ask again needs tenacity: {INSTALL}"
        once = ProviderError(text, error.status, is_passing=True)
        once.tries = error.tries
        raise once from error.__cause__


def own_retries(model: str, parameters: Mapping[str, Any]) -> int | None:
    """Return what the parameters of a model say of retries, ``None`` where they say nothing.

    Raises ``ProviderError`` for what cannot be meant, and for what litellm would do beside it.
    """
    said = {name: parameters[name] for name in _RETRIES if parameters.get(name) is not None}
    wrong = [name for name, value in said.items() if type(value) is not int or value < 0]
    problems = {
        **{name: f"{said[name]!r} is no whole number from 0 on" for name in wrong},
        **{name: remedy for name, remedy in _REFUSED.items() if parameters.get(name)},
    }
    if len(set(said.values())) > 1:
        problems[_RETRIES[0]] = f"it differs from {_RETRIES[1]}; give one of them"
    for name, problem in problems.items():
        raise ProviderError(f"{model}: {name} in its parameters: {problem}")
    return next(iter(said.values()), None)


def is_passing(error: BaseException) -> bool:
    """Whether a fault may be gone when the request is made again."""
    return isinstance(error, ProviderError) and error.is_passing


def pause_before(tries: int, error: Any) -> float:
    """Return the seconds to wait after so many ``tries``: what is asked for, or some of its own."""
    if error.retry_after is not None:
        wait: float = error.retry_after
        return wait + _DRAWN.uniform(0, JITTER)
    longest: float = min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)
    return longest * (1 - _DRAWN.uniform(0, JITTER))


def _time_left() -> float:
    return seconds_left() - _RESERVE


def _tenacity() -> ModuleType | None:
    """Return the library, which the extra for models brings, ``None`` where it is not there."""
    try:
        return importlib.import_module("tenacity")
    except ModuleNotFoundError:
        return None


class _Attempts:
    """The tries of a request, and what becomes of the limit of its model."""

    def __init__(self, ask_once: AskOnce, limit: Limit) -> None:
        self.ask_once, self.limit = ask_once, limit
        self.tries = 0
        self.began = time.monotonic()

    def once(self) -> ModelReply:
        with self.limit.place():
            self.tries += 1
            sent = time.monotonic()
            try:
                reply = self.ask_once(_time_left() if self.tries > 1 else float("inf"))
            except ProviderError as error:
                error.tries = self.tries
                self._failed(error)
                raise
        if self.tries == 1:
            self.limit.succeeded()
        usage = replace(
            reply.usage,
            requests=1,
            retries=self.tries - 1,
            latency=time.monotonic() - sent,
            waited=sent - self.began,
            timed=1,
        )
        return replace(reply, usage=usage)

    def _failed(self, error: ProviderError) -> None:
        if error.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.limit.refused(error.retry_after)
        elif error.is_passing:
            self.limit.failed()
