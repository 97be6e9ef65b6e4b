"""Has a model play a draft again in another way, so that its solutions differ.

From solutions that are alike, ``propose`` cannot know which other ways are as good.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.conversation.play import SYSTEM_PROMPT
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.model_agent import ModelAgent

_NOT_OBVIOUS: Final = (
    "Where there are several ways to do or to find out something, take one that is not the most "
    "obvious: another tool, other words to search for, another order. What you do for the user in "
    "the end stays the same."
)
_CAREFUL: Final = (
    "Look up whatever may matter before you act, even if it seems clear, and check afterwards that "
    "all is as the user wants it."
)
_WAYS: Final = ("", _NOT_OBVIOUS, _CAREFUL)
"""What is added to the system prompt of the first, the second and the third trial, and so on."""


def in_another_way(scenario: Scenario, agent: Any, number: int) -> Scenario:
    """Return a scenario whose prompt tells a model in which way to play the trial of a number.

    Other agents have prompts of their own, and play as always.
    """
    way = _WAYS[(number - 1) % len(_WAYS)]
    if not way or type(agent) is not ModelAgent:
        return scenario
    return replace(scenario, prompt=f"{scenario.prompt or SYSTEM_PROMPT} {way}")
