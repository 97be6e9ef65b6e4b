"""How an agent concluded: what it finished with, or what it said last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.users.user import GO_ON
from pytest_toolsandbox.worlds.json_values import as_json


@dataclass(frozen=True)
class Conclusion:
    """The answer that an agent gave, and the index of the message in which it did.

    ``by`` says whether it called ``finish`` or just said it; ``items`` are those of a list.
    """

    answer: str
    message: int
    by: Literal["finish", "text"]
    items: tuple[str, ...] = ()


def conclusion_of(trajectory: Trajectory) -> Conclusion | None:
    """Return how the agent concluded: what it finished with last, or else what it said last.

    To what it said last belongs what it said just before it was told to go on.
    """
    for index, message in reversed(list(enumerate(trajectory.messages))):
        trace = message.trace  # a tool of a user's own may be called finish, too
        if trace and trace.tool_name == FINISH.name and "answer" in trace.arguments:
            answer = trace.arguments["answer"]
            items = tuple(map(_text, answer)) if isinstance(answer, list) else ()
            return Conclusion(_text(answer), index, "finish", items)
    *earlier, last = trajectory.messages
    if (last.sender, last.recipient) != (Role.AGENT, Role.USER):
        return None
    said = [last.content]
    if len(earlier) > 1 and earlier[-1].content == GO_ON:
        said = [earlier[-2].content, *said]
    return Conclusion("\n".join(said), len(earlier), "text")


def _text(answer: Any) -> str:
    """Write an answer as text; of a list each item, or row, stands in a line of its own."""
    if isinstance(answer, list):
        return "\n".join(map(_text, answer))
    if isinstance(answer, Mapping):
        return ", ".join(f"{name}: {_text(value)}" for name, value in answer.items())
    return answer if isinstance(answer, str) else as_json(answer)
