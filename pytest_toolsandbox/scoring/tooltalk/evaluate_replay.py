"""Judge the agent's calls in the turns of a recorded conversation (ToolTalk, section 3).

Arguments that were not asked for are differences: further changes of an existing thing, and
invented names and numbers. If a judge rejects a free text, its call loses its match.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.consent import consents
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.conversation.replay import ground_truth_turns, said_to_agent
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.scoring.results import Difference, Opinion
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.sentences import is_quoted_in
from pytest_toolsandbox.worlds.state import State, plain
from pytest_toolsandbox.worlds.tool import FreeText, Tool

from .comparison import same_members, same_moment, unknown_quantities
from .evaluate_calls import CallEvaluation, evaluate_calls
from .rules import Call, CallProtocol, JudgedCall, NearestCall

_CAPITAL: Final = re.compile(r"(?<![\w-])[A-Z][a-z]{2,}(?![\w-])")
_COUNTRY: Final = re.compile(r"(?<=[\w]), [A-Z]\w+(?: [A-Z]\w+)*$")
"""A country after a place: ``Kyoto, Japan``."""


def unasked(made: MadeCall, tool: Tool, user: str | None, known: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of an executed call that must also be in the recorded call.

    For a tool that changes a thing, these are the arguments that change it. For other actions, they
    are texts with a name or number that is not ``known`` from the conversation.
    """
    arguments = readable_arguments(made.call.arguments) or {}
    # Without an effect on the world, further arguments did no harm.
    if made.failed or not tool.action or not made.changed_the_world:
        return
    by = tool.comparison.merged_by
    there = list(_replaced(made.before, made.after)) if by else []
    for name, value in arguments.items():
        siblings = (
            plain(other_value)
            for other_name, other_value in arguments.items()
            if other_name != name
        )
        if by and name != by and value is not None:
            if not any(_is_same(value, cell, user) for cell in there):
                yield name
        elif not by and isinstance(value, str) and _is_invented(value, [*known, str([*siblings])]):
            yield name


def _replaced(before: State, after: State) -> Iterator[Any]:
    """Yield the values of rows that were replaced or removed."""
    for table in before:
        if before[table] != after[table]:
            remaining = {*after[table].rows}
            yield from (
                cell for row in before[table] if row not in remaining for cell in row.values()
            )


def _is_same(value: Any, cell: Any, user: str | None) -> bool:
    if isinstance(value, (list, tuple)):
        return any(same_members(users, cell) for users in (value, [*value, user]))
    return same_moment(value, cell)


def _is_invented(text: str, known: Sequence[str]) -> bool:
    """Return whether a text has a name, number, time or date that no known text has."""
    # Agents complete places on their own: "Kyoto" becomes "Kyoto, Japan".
    place = _COUNTRY.sub("", text)
    words = {word.casefold() for text in known for word in re.findall(r"[^\W\d_]{3,}", text)}
    if any(name.casefold() not in words for name in _names(place)):
        return True
    return next(unknown_quantities(text, known), None) is not None


def _names(text: str) -> frozenset[str]:
    """Return the capitalized words; the first word counts only if all are capitalized."""
    words, names = re.findall(r"[^\W\d_]{3,}", text), _CAPITAL.findall(text)
    return frozenset(names if len(names) == len(words) else (n for n in names if n != words[0]))


def texts_of(call: Call, tools: Mapping[str, Tool]) -> Mapping[str, str]:
    """Return the free texts in a call, by argument; ``tools`` are the world's, by name."""
    tool, arguments = tools.get(call.tool), call.arguments or {}
    measures = tool.comparison.arguments if tool and tool.action else {}
    return {
        name: arguments[name]
        for name, measure in measures.items()
        if isinstance(measure, FreeText) and isinstance(arguments.get(name), str)
    }


def with_wrong_text(
    result: CallEvaluation, opinion: Opinion, tools: Mapping[str, Tool]
) -> CallEvaluation:
    """Return a result without the match of the call whose text an opinion finds wrong.

    It is the last call that contains the quoted words, or else the last call with a text. Calls
    that were joined with it lose their matches, too, but are not incorrect actions. If the texts
    are right and a criterion is not met, the calls stay as they are and the conversation does not
    pass.
    """
    written = [] if opinion.is_right else [*_written(result.predictions, tools)]
    if not written:
        return replace(result, rejected=True)
    quoted = [text for text in written if is_quoted_in(opinion.quote, text[2])]
    # The last one: an agent may have corrected an earlier text.
    guilty, name, text = (quoted or written)[-1]
    place = result.predictions[guilty].match
    assert place is not None
    truth = result.ground_truths[place]
    expected = format_value((truth.call.arguments or {}).get(name))
    differences = (Difference(name, expected, text, 0.0, opinion.why),)
    return replace(
        result,
        predictions=tuple(
            _unmatched(call, place, differences, bad_action=at == guilty)
            if call.match == place
            else call
            for at, call in enumerate(result.predictions)
        ),
        ground_truths=tuple(
            _unmatched(truth, guilty, differences) if at == place else truth
            for at, truth in enumerate(result.ground_truths)
        ),
    )


def _written(
    predictions: Sequence[JudgedCall], tools: Mapping[str, Tool]
) -> Iterator[tuple[int, str, str]]:
    """Yield the free texts of matched calls: the place of the call, the argument, the text."""
    for place, prediction in enumerate(predictions):
        if prediction.matched:
            texts = texts_of(prediction.call, tools)
            yield from ((place, name, text) for name, text in texts.items())


def _unmatched(
    call: JudgedCall, place: int, differences: tuple[Difference, ...], *, bad_action: bool = False
) -> JudgedCall:
    """Return a call without its match; its nearest call is at ``place`` of the other side."""
    nearest = NearestCall(place, differences)
    return replace(call, match=None, nearest=nearest, bad_action=bad_action)


def evaluate_replay(
    scenario: Scenario, trajectory: Trajectory, *, any_texts: bool = False
) -> CallEvaluation:
    """Return the calls and metrics of a replayed conversation.

    With ``any_texts``, all free texts are similar. Raises
    :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    task = scenario.task_as(Replay)
    protocol = CallProtocol(task.rules, task.compare_receiver, any_texts)
    return evaluate_calls(
        list(predicted_calls(scenario, trajectory)),
        list(ground_truth_calls(scenario)),
        scenario.world.tools,
        protocol,
        scenario.now.date(),
    )


def ground_truth_calls(scenario: Scenario) -> Iterator[Call]:
    """Yield the ground-truth calls with recorded results, or else with the world's results."""
    for turn, truth in enumerate(ground_truth_turns(scenario)):
        for call, before, response in truth.calls:
            outcome = call.result, _recorded_error(call.error, response.error)
            if not call.recorded:
                outcome = response.trace and response.trace.result, _message_of(response.error)
            session, user = _caller(scenario, before, call.tool)
            yield Call(call.tool, call.arguments, *outcome, session, turn, user)


def predicted_calls(scenario: Scenario, trajectory: Trajectory) -> Iterator[Call]:
    """Yield the agent's calls that were answered; a message of the user ends a turn.

    Generated messages of the user, which are not recorded, do not end a turn.
    """
    beside = set(consents(trajectory.messages, said_to_agent(scenario.task_as(Replay))))
    messages = enumerate(trajectory.messages)
    senders = [None, *(None if place in beside else message.sender for place, message in messages)]
    heard = (now is Role.USER and now is not before for before, now in itertools.pairwise(senders))
    # A turn begins with the first of consecutive messages of the user.
    turns = [begun - 1 for begun in itertools.accumulate(heard)]
    known = _known(scenario, trajectory)
    for made in trajectory.calls:
        if made.answer is not None:
            name, arguments = made.call.name, readable_arguments(made.call.arguments)
            outcome = made.trace and made.trace.result, _message_of(made.error)
            session, user = _caller(scenario, made.before, name)
            tool = scenario.world.tools.get(name)
            further = tuple(sorted(unasked(made, tool, user, known))) if tool else ()
            turn = turns[made.request]
            yield Call(name, arguments, *outcome, session, turn, user, unasked=further)


def _known(scenario: Scenario, trajectory: Trajectory) -> list[str]:
    """Return the texts of user and tools, in the recording and in the conversation."""
    heard = [message.content for message in trajectory.messages if message.sender is not Role.AGENT]
    turns = ground_truth_turns(scenario)
    calls = [(call.arguments, response) for turn in turns for call, _, response in turn.calls]
    results = [f"{dict(arguments)}\n{response.content}" for arguments, response in calls]
    return [*heard, *results, *(turn.turn.content for turn in turns)]


def _caller(scenario: Scenario, state: State, name: str) -> tuple[str | None, str | None]:
    """Return the session token of a call, if its tool needs one, and the name of its user."""
    tool, sessions = scenario.world.tools.get(name), scenario.world.sessions
    if tool is None or sessions is None:
        return None, None
    session = sessions.token(state, tool)
    return session, None if session is None else sessions.user(state)


def _recorded_error(recorded: str | None, actual: str | None) -> str | None:
    """Return a recorded error, without its type if the world raises the same error."""
    line = None if recorded is None else " ".join(recorded.split())
    return _message_of(line) if line == actual else line


def _message_of(error: str | None) -> str | None:
    """Return an error without its type, which published conversations do not record."""
    return None if error is None else error.partition(": ")[2] or error
