"""Moves the clock of a conversation's world where its scenario says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pytest_toolsandbox.language.clock import ClockMove
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import ScriptedReply
from pytest_toolsandbox.users.user import ScriptedUser, User
from pytest_toolsandbox.worlds.clock import read_moment
from pytest_toolsandbox.worlds.context import WorldError

from .messages import Message


class ConversationClock:
    """The moves of a conversation's clock, each made once.

    A move that is due waits for the next message that is not the answer to a call: its changes of
    the world are there with that message.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._start = scenario.now
        self._moves: list[ClockMove] = [*scenario.task.clock]
        self._first = 1 + len(scenario.task.earlier_lines)
        self._waiting: list[str] = []

    def before_user(
        self, user: User, seen: list[dict[str, Any]], messages: Sequence[Message]
    ) -> None:
        """Note the moves before what the user says or does next; ``seen`` is its view."""
        if messages[-1].sender is Role.EXECUTION_ENVIRONMENT:  # it goes on with its calls
            return
        if isinstance(user, ScriptedUser):
            reply, _ = user.answer(seen)
            if isinstance(reply, ScriptedReply) and reply.at is not None:
                self._waiting.append(reply.at)
        spoken = messages[self._first :]
        turn = 1 + sum((m.sender, m.recipient) == (Role.USER, Role.AGENT) for m in spoken)
        self._take([move for move in self._moves if move.turn == turn])

    def after_call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Note the moves after an executed call."""
        self._take(
            [
                move
                for move in self._moves
                if any(call.is_met_by(tool, arguments) for call in move.calls)
            ]
        )

    def _take(self, moves: Sequence[ClockMove]) -> None:
        for move in moves:
            self._moves.remove(move)
            self._waiting.append(move.to)

    def next_time(self, now: datetime | None) -> datetime | None:
        """Return where the clock moves now, ``None`` if it stays. Raises :class:`WorldError`."""
        before = time = now or self._start
        while self._waiting:
            text = self._waiting.pop(0)
            try:
                moment = read_moment(text, time)
            except ValueError as error:
                raise WorldError(f"the clock cannot move to {text!r}: {error}") from None
            time = max(time, moment, key=datetime.timestamp)
        return None if time is before else time
