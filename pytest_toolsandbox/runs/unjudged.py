"""Keep a conversation that is over before it is judged: a stop makes a record of it at once.

``Unjudged`` holds such a conversation for whatever stops the run. ``completed`` adds to a trial
what is known only where it is played, such as its usage, whether it is judged or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from pytest_toolsandbox.models.errors import JudgeError
from pytest_toolsandbox.records.writing import Trial

Completion = Callable[[Trial], Trial]


class StoppedError(JudgeError):
    """The run was stopped before a conversation was judged."""


class Unjudged:
    """The conversation of a trial that is over, until the next one begins."""

    def __init__(self) -> None:
        self._over: tuple[Trial, tuple[Completion, ...]] | None = None

    @property
    def trial(self) -> Trial | None:
        """The complete trial, without a judgement; ``None`` while the conversation goes on."""
        if (over := self._over) is None:
            return None
        trial, completions = over
        for complete in reversed(completions):
            trial = complete(trial)
        return trial

    def hold(self, trial: Trial | None) -> None:
        """Hold a trial, or forget the last one, since another conversation begins."""
        self._over = (trial, _COMPLETIONS.get()) if trial else None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Hold the conversations that are played inside the block, on any thread."""
        before = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(before)


_CURRENT: Final = ContextVar[Unjudged | None]("unjudged", default=None)
_COMPLETIONS: Final = ContextVar[tuple[Completion, ...]]("completions", default=())


def current_unjudged() -> Unjudged:
    """Return what holds the conversation of this thread when it is over."""
    return _CURRENT.get() or Unjudged()


def completed(play: Callable[[], Trial], complete: Completion) -> Trial:
    """Play a trial, and complete it, even if the run is stopped while it is judged."""
    before = _COMPLETIONS.set((*_COMPLETIONS.get(), complete))
    try:
        trial = play()
    finally:
        _COMPLETIONS.reset(before)
    return complete(trial)
