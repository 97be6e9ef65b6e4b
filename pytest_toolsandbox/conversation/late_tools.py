"""Tools that an agent is offered from a later turn on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.tool_view import ToolView

from .messages import Message


class Offer:
    """The tools that are offered in the current turn of a conversation."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._views = scenario.tool_views
        self._from = scenario.task.offered_from
        self._all = list(self._views.values())
        lines = scenario.task.earlier_lines
        self._turn = -sum(line.role is Role.USER for line in lines)

    def hear(self, message: Message) -> None:
        """Note a message of the conversation: each of the user's to the agent begins a turn."""
        if (message.sender, message.recipient) == (Role.USER, Role.AGENT):
            self._turn += 1

    def has(self, view: ToolView) -> bool:
        """Whether a tool is offered in this turn."""
        return self._from.get(view.tool.name, 0) <= max(self._turn, 1)

    @property
    def views(self) -> list[ToolView]:
        """The tools that are offered in this turn."""
        return [view for view in self._all if self.has(view)] if self._from else self._all

    def new_in(self, sources: Sequence[Message]) -> Mapping[int, list[ToolView]]:
        """Return the place of each message that begins a turn with new tools → these tools."""
        new: dict[int, list[ToolView]] = {}
        if self._from:
            other = Offer(self._scenario)
            for place, message in enumerate(sources):
                before = other.views
                other.hear(message)
                if added := [view for view in other.views if view not in before]:
                    new[place] = added
        return new
