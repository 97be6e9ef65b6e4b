"""What a user is, and the scripted one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import ScriptedReply, UserScript
from pytest_toolsandbox.wording.error_text import describe_exception
from pytest_toolsandbox.wording.phrases import type_of
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

END_CONVERSATION: Final = "end_conversation"
OTHERWISE_AT_MOST = 2

_QUESTION: Final = re.compile("[?\uff1f\u061f]")  # of Latin, Chinese and Japanese, and Arabic texts


class UserError(Exception):
    """A simulated user could not answer. One line; an error of the item and never a score."""


class User(Protocol):
    """Whoever talks to the agent.

    ``messages`` is what the user has seen: ``user`` messages of their own and ``assistant`` ones.
    The reply is text, or ``None`` to end the conversation.
    """

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the answer to the last message."""
        ...


@dataclass(frozen=True)
class ScriptedUser:
    """Answers by rule, so that the same conversation takes the same course.

    To each message of the agent: the first unused reply whose ``when`` is found in it; else, if it
    asks something, the next unused reply without ``when``; else, if it asks something,
    ``otherwise``, twice at most. To anything else the user ends the conversation. Nothing is kept
    between calls: what was used follows from the messages. ``seen_before`` counts the agent's
    messages that stood there before the opening.
    """

    script: UserScript
    seen_before: int = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the answer to the last message."""
        unused = list(self.script.replies)
        otherwise_left = OTHERWISE_AT_MOST
        answer: str | None = None
        heard = [message["content"] for message in messages if message["role"] == "assistant"]
        for text in heard[self.seen_before :]:
            reply = _choose(unused, text)
            if reply is not None:
                unused.remove(reply)
                answer = reply.say
            elif _asks(text) and otherwise_left:
                otherwise_left -= 1
                answer = self.script.otherwise
            else:
                answer = None
        return answer


def ask_user(user: User, messages: list[dict[str, Any]]) -> str | None:
    """Return the answer of a user. Raises :class:`UserError` where it is no answer."""
    try:
        answer: object = user(messages)
    except (UserError, SlowSearchError):
        raise
    except Exception as error:
        raise UserError(f"the user raised {describe_exception(error)}") from error
    if answer is None or isinstance(answer, str):
        return answer
    raise UserError(f"the user returned {type_of(answer)}; expected text, or None to end it")


def scripted_user(scenario: Scenario) -> ScriptedUser:
    """Return the scripted user of a scenario."""
    return ScriptedUser(scenario.task.user_script, said_before(scenario, Role.USER))


def said_before(scenario: Scenario, heard_by: Role) -> int:
    """Return how many messages of the agent's stand before the opening, as a role sees them."""
    return sum(
        line.role is Role.AGENT and (line.visible_to is None or heard_by in line.visible_to)
        for line in scenario.task.earlier_lines
    )


def _choose(unused: list[ScriptedReply], text: str) -> ScriptedReply | None:
    for reply in unused:
        if reply.when is not None and reply.when.is_found_in(text):
            return reply
    if not _asks(text):
        return None
    return next((reply for reply in unused if reply.when is None), None)


def _asks(text: str) -> bool:
    return _QUESTION.search(text) is not None
