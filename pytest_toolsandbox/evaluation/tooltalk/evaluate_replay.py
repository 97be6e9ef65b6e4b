"""Judges what an agent did in its turns of a recorded conversation (ToolTalk, section 3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.consent import consents
from pytest_toolsandbox.conversation.ground_truth import ground_truth_turns, said_to_agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.worlds.state import State

from .call import Call
from .comparison import Heard
from .evaluate_calls import CallEvaluation, evaluate_calls
from .protocol import CallProtocol
from .unasked import unasked


def evaluate_replay(
    scenario: Scenario, trajectory: Trajectory, *, any_texts: bool = False
) -> CallEvaluation:
    """Return the marks and figures of a replayed conversation, if asked for with ``any_texts``.

    Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    task = scenario.task_as(Replay)
    protocol = CallProtocol(task.rules, task.compare_receiver, any_texts)
    return evaluate_calls(
        list(predicted_calls(scenario, trajectory)),
        list(ground_truth_calls(scenario)),
        scenario.world.tools,
        protocol,
        Heard(tuple(_known(scenario, trajectory)), scenario.now.date()),
    )


def ground_truth_calls(scenario: Scenario) -> Iterator[Call]:
    """Yield the ground-truth calls with what is recorded of them, or else what came of them."""
    for turn, truth in enumerate(ground_truth_turns(scenario)):
        for call, before, response in truth.calls:
            outcome = call.result, _recorded_error(call.error, response.error)
            if not call.recorded:
                outcome = response.trace and response.trace.result, _message_of(response.error)
            session, user = _caller(scenario, before, call.tool)
            yield Call(call.tool, call.arguments, *outcome, session, turn, user)


def predicted_calls(scenario: Scenario, trajectory: Trajectory) -> Iterator[Call]:
    """Yield the calls of the agent that were answered; its turns end where the user speaks.

    What the user says beside the recorded words ends none.
    """
    beside = set(consents(trajectory.messages, said_to_agent(scenario.task_as(Replay))))
    messages = enumerate(trajectory.messages)
    senders = [None, *(None if place in beside else one.sender for place, one in messages)]
    heard = (now is Role.USER and now is not before for before, now in itertools.pairwise(senders))
    turns = [begun - 1 for begun in itertools.accumulate(heard)]
    known = _known(scenario, trajectory)
    for made in trajectory.calls:
        if made.answer is not None:
            name, arguments = made.call.name, readable_arguments(made.call.arguments)
            outcome = made.trace and made.trace.result, _message_of(made.error)
            session, user = _caller(scenario, made.before, name)
            tool = scenario.world.tools.get(name)
            more = tuple(sorted(unasked(made, tool, user, known))) if tool else ()
            turn = turns[made.request]
            yield Call(name, arguments, *outcome, session, turn, user, unasked=more)


def _known(scenario: Scenario, trajectory: Trajectory) -> list[str]:
    """Return the texts that were said and found, as was recorded and as the conversation went."""
    heard = [one.content for one in trajectory.messages if one.sender is not Role.AGENT]
    turns = ground_truth_turns(scenario)
    calls = [(call.arguments, response) for turn in turns for call, _, response in turn.calls]
    found = [f"{dict(arguments)}\n{response.content}" for arguments, response in calls]
    return [*heard, *found, *(turn.turn.content for turn in turns)]


def _caller(scenario: Scenario, state: State, name: str) -> tuple[str | None, str | None]:
    """Return in whose session a call was made, where its tool needs one, and the user's name."""
    tool, sessions = scenario.world.tools.get(name), scenario.world.sessions
    if tool is None or sessions is None:
        return None, None
    session = sessions.token(state, tool)
    return session, None if session is None else sessions.user(state)


def _recorded_error(recorded: str | None, found: str | None) -> str | None:
    """Return a recorded error without its type, where it is the line that the world gives."""
    line = None if recorded is None else " ".join(recorded.split())
    return _message_of(line) if line == found else line


def _message_of(error: str | None) -> str | None:
    """Return an error without its type, which published conversations do not record."""
    return None if error is None else error.partition(": ")[2] or error
