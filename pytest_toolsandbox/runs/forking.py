"""Forks: go back to a message of a recorded conversation, and play on from there.

A state is immutable, but a record has only differences of rows. So the recorded calls are executed
again up to that message, without asking anybody: ``ForkedTalk`` replies for agent and user. The
answers and the rows must be those of the record, or the fork ends in an error of the world.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, with_call_text
from pytest_toolsandbox.calls.tool_call import ToolCall, to_agent_names
from pytest_toolsandbox.conversation.messages import Message, Trajectory, agent_view, message_to
from pytest_toolsandbox.conversation.play import opening_messages
from pytest_toolsandbox.language.roles import Role, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.requests import (
    AgentRequest,
    StandIn,
    request_context,
    requests_in,
)
from pytest_toolsandbox.records.parts import ForkRecord
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.users.user import AGREES, FixedUser, ScriptedUser, has_fixed_user
from pytest_toolsandbox.users.user_calls import UserMessage, call_message
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from .trial import broken
from .unjudged import completed

_SHOWN: Final = 200
"""Characters of an answer in an error."""


class ForkError(Exception):
    """A conversation cannot be forked there; the text is one line for the user."""


@dataclass(frozen=True)
class Fork:
    """A change of a recorded conversation, after which it is played on.

    Up to the message ``at``, everything is as in ``recorded``. Then the speaker of that message
    sends the messages ``instead``; without any, it is asked. ``about`` is for the record.
    """

    recorded: Trajectory
    at: int
    instead: tuple[Message, ...] = ()
    about: ForkRecord | None = None

    def played(self, scenario: Scenario, play: Callable[[], Trial]) -> Trial:
        """Play the fork; ``play`` plays a whole conversation of the scenario."""
        context = request_context()
        talk = ForkedTalk(context.stand_in, self, scenario)

        def checked(trial: Trial) -> Trial:
            trial = replace(trial, fork=self.about)
            why = None if trial.outcome == "error" else self._other_rows(trial)
            return broken(replace(trial, judgement=None), WorldError(why)) if why else trial

        with requests_in(replace(context, stand_in=talk)):
            return completed(play, checked)

    def _other_rows(self, trial: Trial) -> str | None:
        pairs = zip(self.recorded.states[: self.at], trial.trajectory.states, strict=False)
        for place, (recorded, now) in enumerate(pairs):
            if not now.same_tables(recorded):
                return cannot_go_back(trial.scenario, place, "changed other rows in the record")
        return None


def cannot_go_back(scenario: Scenario, place: int, how: str) -> str:
    """Return why a fork is impossible: a repeated call did something else."""
    world = f"the world {scenario.world.name!r} cannot go back"
    return f"{world}: when the recorded calls are repeated, message [{place}] {how}"


class ForkedTalk(StandIn):
    """Replies for agent and user up to a fork, and then asks them, or another stand-in."""

    def __init__(self, after: StandIn, fork: Fork, scenario: Scenario) -> None:
        self._after, self._fork, self._scenario = after, fork, scenario
        self.replays = after.replays
        self._next = len(opening_messages(scenario))
        """The message that follows the last reply."""

    @cached_property
    def _messages(self) -> Sequence[Message]:
        """The recorded messages up to the fork, and those that are sent there."""
        return (*self._fork.recorded.messages[: self._fork.at], *self._fork.instead)

    def agent(self, agent: Any, request: AgentRequest, ask: Callable[[Any], Any]) -> Any:
        """Return a recorded reply of the agent. Raises :class:`WorldError` for other answers."""
        place = request.place
        if place <= self._fork.at:
            self._check_answers(request)
        if (batch := self._sent_at(place, Role.AGENT)) is None:
            return self._after.agent(agent, request, ask)
        self._next = place + len(batch)
        return self._reply(batch)

    def user(self, user: Any, messages: Sequence[Any], ask: Callable[[], Any]) -> Any:
        """Return a recorded answer of the user."""
        places = range(self._next, len(self._messages))
        place = next((at for at in places if self._messages[at].sender is Role.USER), None)
        if place is None:
            return self._after.user(user, messages, ask)
        batch = self._sent_at(place, Role.USER) or []
        self._next = place + len(batch)
        # Scripts say the same again. Their words may still be perturbed, and a query counts them.
        is_script = type(user) in (ScriptedUser, FixedUser) or has_fixed_user(self._scenario)
        if place < self._fork.at and is_script:
            return self._after.user(user, messages, ask)
        agreed = dict(self._fork.recorded.agreements) if place < self._fork.at else {}
        if place in agreed:
            return {"role": "user", "content": batch[0].content, AGREES: agreed[place]}
        return _user_answer(batch)

    def judge(self, name: str, text: str, ask: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
        """Ask the judge."""
        return self._after.judge(name, text, ask)

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return the embedder, as the other stand-in has it."""
        vectors: Embedder | None = self._after.embedder(embedder)
        return vectors

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return the parameters that a model is known to take."""
        return self._after.known(model, ask)

    def _sent_at(self, place: int, sender: Role) -> list[Message] | None:
        """Return the messages that a role sends at once; ``None`` after the fork."""
        if place >= len(self._messages) or self._messages[place].sender is not sender:
            return None
        rest = self._messages[place:]
        return [*itertools.takewhile(lambda message: message.sender is sender, rest)]

    def _reply(self, batch: Sequence[Message]) -> Any:
        """Return the reply of the agent that became some messages."""
        if batch[0].call is None:  # also a text that should have been a call
            return batch[0].content
        (message,) = self._as_shown(batch)
        return message

    def _check_answers(self, request: AgentRequest) -> None:
        """Check that the messages since the last reply are those of the record."""
        recorded = self._fork.recorded.messages[: request.place]
        expected = _since_last_reply(self._as_shown(recorded))
        actual = _since_last_reply(request.messages)
        pairs = itertools.zip_longest(expected, actual, fillvalue="")
        for before, now in pairs:
            if not now.startswith(before):  # tools that are offered later are told of behind it
                shown = (format_value(text[:_SHOWN]) for text in (before, now))
                place = request.place - 1
                how = "answered {}, and answers {}".format(*shown)
                raise WorldError(cannot_go_back(self._scenario, place, how))

    def _as_shown(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        view = agent_view(messages)
        written = TEXT_FORMATS.get(self._scenario.call_format)
        return with_call_text(view, written) if written else view


def _since_last_reply(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the texts after the last reply of the agent, without those of the system."""
    last = itertools.takewhile(lambda message: message["role"] != "assistant", reversed(messages))
    return [message["content"] for message in last if message["role"] != "system"][::-1]


def _user_answer(batch: Sequence[Message]) -> str | UserMessage | None:
    """Return the answer of the user that became some messages."""
    calls = [message.call for message in batch if message.call]
    if not calls:
        return batch[0].content
    ends = any(call.name == END_CONVERSATION for call in calls)
    return None if ends else call_message([call.written for call in calls])


def fork_at(
    recorded: Trajectory,
    at: int,
    scenario: Scenario,
    instead: str | Sequence[ToolStep] = (),
    about: ForkRecord | None = None,
) -> Fork:
    """Return the fork whose speaker at the message ``at`` says or calls something else there.

    Of calls that were made at once, the others stay. With nothing ``instead``, the speaker is asked
    for all of them. Raises :class:`ForkError`, in the words of ``toolsandbox fork``.
    """
    if not 0 <= at < len(recorded.messages):
        last = len(recorded.messages) - 1
        raise ForkError(f"--at {at}: there is no such message; the last one is [{last}]")
    message = recorded.messages[at]
    if why := _why_fixed(recorded, at, scenario):
        raise ForkError(f"--at {at}: {why}")
    start = at
    while start and recorded.messages[start - 1].sender is message.sender:
        start -= 1
    if start < at and isinstance(instead, str):
        text = f"it is one of several calls at once; to say something instead, give --at {start}"
        raise ForkError(f"--at {at}: {text}")
    sent = tuple(sent_messages(instead, message.sender, at, scenario))
    if sent and not isinstance(instead, str):
        rest = recorded.messages[at + 1 :] if message.call else ()
        rest = (*itertools.takewhile(lambda after: after.sender is message.sender, rest),)
        sent = (*recorded.messages[start:at], *sent, *rest)
    placed = ForkRecord(**{**about, "start": start, "sent": len(sent)}) if about else None
    return Fork(recorded, start, sent, placed)


def _why_fixed(recorded: Trajectory, at: int, scenario: Scenario) -> str | None:
    """Return why a message is not the choice of a speaker, if so."""
    message, opening = recorded.messages[at], len(opening_messages(scenario))
    if message.sender is Role.EXECUTION_ENVIRONMENT:
        answered = (call.request for call in recorded.calls if call.answer == at)
        request = next(answered, at - 1)
        return f"it is the answer to [{request}], which the world gives; give --at {request}"
    begins = bool(scenario.task.user_script.opening) or not scenario.task.has_user
    if at < opening or (begins and at <= recorded.first):
        return "it belongs to the beginning, which the scenario determines; change the scenario"
    if message.sender is Role.USER and has_fixed_user(scenario):
        return "what the user says in this scenario is fixed; change the scenario"
    return None


def sent_messages(
    instead: str | Sequence[ToolStep], sender: Role, at: int, scenario: Scenario
) -> list[Message]:
    """Return the messages with which a role says a text, or makes calls at once."""
    if isinstance(instead, str):
        return [message_to(sender, Role.USER if sender is Role.AGENT else Role.AGENT, instead)]
    calls = (
        ToolCall(f"fork-{at}-{index}", step.tool, as_json(dict(step.arguments)))
        for index, step in enumerate(instead)
    )
    if sender is Role.AGENT:
        calls = (to_agent_names(call, scenario.tool_views) for call in calls)
    return [message_to(sender, Role.EXECUTION_ENVIRONMENT, "", call) for call in calls]
