"""``--sandbox-user=human``: somebody at the terminal plays the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.knowledge import knowledge_of
from pytest_toolsandbox.users.simulated.by_tools import section

from .terminal import LEAVE, ask, check_terminal, show

HELP: Final = (
    f"Type what the user says. {LEAVE} (or Ctrl-D) ends the conversation, /help shows this."
)
_SPEAKERS: Final = {"user": "You", "assistant": "Agent"}


@dataclass(frozen=True)
class HumanUser:
    """Lets somebody at the terminal play, who sees what the user sees. Raises where nobody is."""

    retries: int = 0
    timeless: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise :class:`NoTerminalError` at once, not in the middle of a run."""
        check_terminal()

    def begin(self, scenario: Scenario, attempt: int = 0) -> PlayingUser:
        """Tell what there is to know, and return who plays this conversation."""
        del attempt
        known = knowledge_of(scenario)
        facts = [*([known.boundary] if known.boundary else []), *known.facts.values()]
        show(
            "",
            f"== {scenario.name}: you are the user ==",
            section("Your goals", [f"- {goal}" for goal in known.goals.values()]),
            section("What you know", facts or ["What you say yourself."]),
            HELP,
            "",
        )
        return PlayingUser()


class PlayingUser:
    """The user of one conversation."""

    def __init__(self) -> None:
        self.shown = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return what is typed to the last message, ``None`` at the end."""
        new = [one for one in messages[self.shown :] if one["role"] in _SPEAKERS]
        show(*(f"{_SPEAKERS[one['role']]}: {one['content']}" for one in new))
        self.shown = len(messages) + 1  # what is typed now is not told again
        while True:
            line = ask("You: ")
            if line == "/help":
                show(HELP)
            elif line is None or line:
                return line
