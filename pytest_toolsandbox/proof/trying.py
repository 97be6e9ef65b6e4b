"""Judges what may be impossible to play."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

Judged = TypeVar("Judged")


def tried(what: str, judge: Callable[[], Judged]) -> Judged | str:
    """Return the judgement on what is played, or why there is none."""
    try:
        return judge()
    except PlayError as error:
        return f"{what} cannot be played: {error}"
    except (EmbedderError, SlowSearchError) as error:
        return f"{what} cannot be judged: {error}"
