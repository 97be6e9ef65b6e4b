"""An agent that copes with faults and pages, and lets another agent see only whole answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.language.conditions import ASK_AGAIN, BUSY, LOST_CALL, NEXT_PAGE
from pytest_toolsandbox.worlds.json_values import as_json

ChatMessage = dict[str, Any]
Reply = Callable[[list[ChatMessage], list[dict[str, Any]]], str | ChatMessage]

_STATUS: Final = "status"
_PAGE: Final = "page"


@dataclass(frozen=True)
class RobustAgent:
    """Does what any agent should: tries again, asks what came of a request, reads all pages.

    The other ``agent`` sees a conversation in which each call got its whole answer at once.
    """

    agent: Reply

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatMessage | str:
        """Return the next call for the answer to the last calls, or else the agent's reply."""
        seen: list[ChatMessage] = []
        waiting: list[_Answer] = []
        for message in messages:
            if message["role"] == "assistant" and message.get("tool_calls"):
                if any(answer.next_call for answer in waiting):
                    continue  # it is about the first answer that is not whole
                waiting = [_Answer(call) for call in message["tool_calls"]]
                seen.append(message)
            elif message["role"] == "tool" and waiting:
                self._take(waiting, message)
                if all(answer.is_whole for answer in waiting):
                    seen += [answer.message for answer in waiting]
                    waiting = []
            else:
                seen.append(message)
        call = next((answer.next_call for answer in waiting if answer.next_call), None)
        if call is None:
            return self.agent(seen, tools)
        identifier = f"again-{len(messages)}"
        asked = {"id": identifier, "type": "function", "function": call}
        return {"role": "assistant", "content": None, "tool_calls": [asked]}

    @staticmethod
    def _take(waiting: Sequence[_Answer], message: ChatMessage) -> None:
        """Give a message to the call that it answers: a first one, or the one that went on."""
        unanswered = [answer for answer in waiting if not answer.was_answered]
        same = (a for a in unanswered if a.call["id"] == message["tool_call_id"])
        going_on = (answer for answer in waiting if answer.next_call)
        answer = next(same, None) or (unanswered[0] if unanswered else next(going_on))
        answer.take(message["content"])


class _Answer:
    """The answer to a call, which may take further calls: a stack of calls, the last one open."""

    def __init__(self, call: dict[str, Any]) -> None:
        self.call = call
        self.was_answered = self.is_whole = False
        self._open = [_Open("", dict(call["function"]))]
        self._content = ""

    @property
    def next_call(self) -> dict[str, Any] | None:
        """The function and arguments of the call that is needed now, if any."""
        return self._open[-1].function if self.was_answered and not self.is_whole else None

    @property
    def message(self) -> ChatMessage:
        """The message with the whole answer."""
        return {"role": "tool", "tool_call_id": self.call["id"], "content": self._content}

    def take(self, content: str) -> None:
        """Take the answer to the open call."""
        self.was_answered = True
        *rest, last_line = content.split("\n")
        if content == BUSY or (rest and ASK_AGAIN.fullmatch(last_line)):
            return
        if lost := LOST_CALL.fullmatch(content):
            self._open.append(_Open(_STATUS, _function(lost[1], request_id=lost[2])))
            return
        page = NEXT_PAGE.fullmatch(last_line) if rest else None
        if page:
            self._open[-1].first_rows = json.loads(rest[0])
            self._open.append(_Open(_PAGE, _function(page[1], cursor=page[2])))
            return
        self._close(content)

    def _close(self, content: str) -> None:
        """Close the open call with its whole answer, and those that waited for it alone."""
        closed = self._open.pop()
        if closed.first_rows is not None:
            content = as_json(closed.joined(json.loads(content.partition("\n")[0])))
        if not self._open:
            self._content, self.is_whole = content, True
            self._open.append(closed)
        elif closed.kind == _PAGE:
            self._close(content)
        else:
            status = json.loads(content.partition("\n")[0])
            if status["done"]:
                self._close(as_json(status["result"]))


class _Open:
    """A call whose answer is not whole yet; if it came in pages, with the first one."""

    def __init__(self, kind: str, function: dict[str, Any]) -> None:
        self.kind, self.function = kind, function
        self.first_rows: Any = None

    def joined(self, later: list[Any]) -> Any:
        """Return the first page with the rows of the later ones."""
        if isinstance(self.first_rows, list):
            return self.first_rows + later
        return {
            name: value + later if isinstance(value, list) else value
            for name, value in self.first_rows.items()
        }


def _function(name: str, **arguments: str) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments)}
