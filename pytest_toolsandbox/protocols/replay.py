"""The protocol ``replay``: recorded conversations whose turns the agent repeats (ToolTalk)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.replay import replay, said_to_agent
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.failure_modes import failure_words
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.protocol import InWorld, Protocol
from pytest_toolsandbox.language.readers.base_reader import Reader
from pytest_toolsandbox.language.readers.steps import StepReader, read_call
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import (
    AgentTurn,
    RecordedCall,
    RecordedTurn,
    Replay,
    UserTurn,
)
from pytest_toolsandbox.output.pages.view import PageView
from pytest_toolsandbox.records.record import Budget, Record
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import ground_truth_accepted
from pytest_toolsandbox.scoring.error_patterns.find import error_patterns
from pytest_toolsandbox.scoring.judging import Judgement
from pytest_toolsandbox.scoring.results import Opinion
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import (
    evaluate_replay,
    ground_truth_calls,
    predicted_calls,
    texts_of,
    with_wrong_text,
)
from pytest_toolsandbox.scoring.tooltalk.rules import JudgedCall
from pytest_toolsandbox.scoring.words import WordsReading
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.sessions import session_facts
from pytest_toolsandbox.worlds.state import State

from .replay_page import replay_view

if TYPE_CHECKING:
    from pytest_toolsandbox.authoring.proof.proof import Ask, Proof


_TURNS = "conversation"
_OUTCOMES = ("result", "error")
_TURN_KEYS = ("user", "calls", "assistant")


def _read_replay(model: models.ConversationDocument, in_world: InWorld) -> dict[str, Any]:
    """Return the fields of a recorded conversation."""
    reader, start = in_world.reader, in_world.start
    if start is not None:
        start = _with_session(model.session, reader, start)
    calls = StepReader(*reader.context, offered=in_world.tools, strict=True, beside=())
    turns: tuple[RecordedTurn, ...] = reader.mistakes.each(
        model.conversation, (_TURNS,), lambda turn, path: _turn(calls, turn, path)
    )
    if not reader.mistakes.entries:
        _check_order(reader, turns)
    if not model.compare_receiver and model.protocol != "published_code":
        text = f"{model.protocol} always compares receivers; remove this, or use published_code"
        reader.mistakes.add(("compare_receiver",), text)
    session = model.session
    task = Replay(
        session.user if session and session.logged_in else None,
        session.location if session else None,
        turns,
        model.protocol,
        model.compare_receiver,
    )
    return {"start": start, "task": task}


def _with_session(session: models.SessionDocument | None, reader: Reader, state: State) -> State:
    if session is None or session.user is None:
        return state
    user, sessions = session.user, reader.world.sessions
    if sessions is None:
        text = f"the world {reader.world.name!r} has no sessions, so no user can log in"
        reader.mistakes.add(("session",), text, key=True)
        return state
    try:
        if session.verification_code is not None:
            state = sessions.sent_code(state, user, session.verification_code)
        return sessions.logged_in(state, user, session.token) if session.logged_in else state
    except ValueError as error:
        if session.logged_in or session.verification_code is not None:
            reader.mistakes.add(("session", "user"), str(error))
        return state


def _turn(reader: StepReader, turn: Any, path: Path) -> RecordedTurn | None:
    if not isinstance(turn, dict) or not turn or not set(turn) <= set(_TURN_KEYS):
        reader.mistakes.expected(path, "user, or calls and assistant;", turn)
        return None
    if "user" in turn and len(turn) > 1:
        text = "a turn belongs to either the user or the assistant; write two"
        reader.mistakes.add(path, text, key=True)
        return None
    calls, calls_path = turn.get("calls") or [], (*path, "calls")
    if not isinstance(calls, list):
        reader.mistakes.expected(calls_path, "a list of calls", calls)
        calls = []
    read = reader.mistakes.each(calls, calls_path, lambda call, here: _call(reader, call, here))
    speaker = "user" if "user" in turn else "assistant"
    content = turn.get(speaker, "")
    if not reader.mistakes.is_text(content, (*path, speaker)):
        return None
    return UserTurn(content) if speaker == "user" else AgentTurn(read, content)


def _call(reader: StepReader, call: Any, path: Path) -> RecordedCall | None:
    outcomes = [key for key in _OUTCOMES if isinstance(call, dict) and key in call]
    tools = [key for key in call if key not in _OUTCOMES] if isinstance(call, dict) else []
    if len(tools) != 1 or len(outcomes) > 1:
        reader.mistakes.expected(
            path, "one tool with its arguments, and its result or error;", call
        )
        return None
    step = read_call(reader, tools[0], call[tools[0]], (*path, tools[0]))
    result, error = call.get("result"), call.get("error")
    if "error" in outcomes and not reader.mistakes.is_text(error, (*path, "error")):
        return None
    if step is None:
        return None
    return RecordedCall(step.tool, step.arguments, bool(outcomes), result, error)


def _check_order(reader: Reader, turns: tuple[RecordedTurn, ...]) -> None:
    for place, (first, second) in enumerate(itertools.pairwise(turns), 1):
        if isinstance(first, AgentTurn) and isinstance(second, AgentTurn):
            text = "the assistant's turn continues; merge it with the one before"
            reader.mistakes.add((_TURNS, place), text, key=True)
    if not turns or not isinstance(turns[0], UserTurn):
        reader.mistakes.add((_TURNS,), "the first turn must be the user's")
    elif not any(isinstance(turn, AgentTurn) for turn in turns):
        reader.mistakes.add(
            (_TURNS,), f"the agent has no turn; give {join_words(_TURN_KEYS[1:], 'or')}"
        )


_TEXTS_ALONE = (
    "The texts that should be in the calls, in these or other words; judge the texts in the "
    "assistant's calls alone, which should say as much"
)


class ReplayProtocol(Protocol):
    """Scores recorded conversations by the agent's calls."""

    name = "replay"
    key = "conversation"
    model = models.ConversationDocument
    placeholders: ClassVar[Mapping[str, Any]] = {"conversation": []}
    judges_replies = False

    def read(
        self, model: models.ConversationDocument, _mistakes: Mistakes, in_world: InWorld | None
    ) -> dict[str, Any]:
        """Read the turns, and log in the recorded user."""
        return {} if in_world is None else _read_replay(model, in_world)

    def facts(self, scenario: Scenario) -> str:
        """Return time, location and user, as far as they are known."""
        task = scenario.task_as(Replay)
        facts = session_facts(scenario.now, task.user_name)
        return facts if task.location is None else f"The user is in {task.location}. {facts}"

    def converse(self, scenario: Scenario, agent: Agent, _user: object) -> Trajectory:
        """Play each turn of the agent after the recorded turns before it."""
        return replay(scenario, agent)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Compare the calls with the recorded ones.

        The published rules compare free texts themselves, even with a judge.
        """
        any_texts = judged and scenario.task_as(Replay).rules == "turnwise"
        result = evaluate_replay(scenario, trajectory, any_texts=any_texts)
        accepted, tools = ground_truth_accepted(result), scenario.tool_views
        patterns = error_patterns(trajectory, tools, accepted, turns_apart=True)
        return Judgement(result, patterns, "ground_truth")

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading | None:
        """Say whether the free texts of calls are the recorded ones, or are checked by facts."""
        if scenario.task_as(Replay).rules != "turnwise":
            return None
        tools = scenario.world.tools
        recorded, written = (
            [text for call in calls for text in texts_of(call, tools).values()]
            for calls in (ground_truth_calls(scenario), predicted_calls(scenario, trajectory))
        )
        if not recorded and not written:
            return None
        return "exact" if written == recorded else "facts"

    def right_words(
        self, scenario: Scenario, _trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return the recorded texts; a judge reads nothing else."""
        return [(_TEXTS_ALONE, [*_recorded_texts(scenario)])]

    def with_opinion(
        self, scenario: Scenario, _trajectory: Trajectory, result: CallEvaluation, opinion: Opinion
    ) -> CallEvaluation:
        """Return the evaluation with the call whose text is wrong as unmatched."""
        return with_wrong_text(result, opinion, scenario.world.tools)

    def view(self, record: Record) -> PageView:
        """Return the page of a conversation that was judged."""
        return replay_view(record)

    def summary(self, _scenario: Scenario, result: CallEvaluation | None) -> dict[str, Any]:
        """Return the figures of the calls."""
        return {} if result is None else {"calls": _figures(result)}

    def failure_modes(self, _scenario: Scenario, judgement: Judgement) -> list[str]:
        """Return actions that nothing asks for, a wrong text or an unmet criterion.

        Without any of these, and without error patterns, a call is out of its place.
        """
        result: Any = judgement.result
        opinion = judgement.opinion
        made = result.predictions
        unasked = [call.call.tool for call in made if call.bad_action and call.nearest is None]
        modes = [failure_words("incorrect action", tool) for tool in unasked]
        if opinion and not opinion.is_right:
            modes.append(failure_words("wrong text"))
        if opinion and opinion.unmet:
            modes.append(failure_words("criterion not met"))
        is_unnamed = not (result.passed or modes or judgement.patterns.findings)
        return [failure_words("call out of place")] if is_unnamed else modes

    def details(self, _scenario: Scenario, result: CallEvaluation | None) -> dict[str, Any]:
        """Return the figures, and the result of each call."""
        if result is None:
            return {}
        marks = {
            "predictions": [
                _marks(call, "truth") | {"action": call.action, "bad_action": call.bad_action}
                for call in result.predictions
            ],
            "truths": [_marks(call, "prediction") for call in result.ground_truths],
        }
        return {"calls": _figures(result) | marks}

    def ran_out(
        self, _scenario: Scenario, trajectory: Trajectory, _result: CallEvaluation
    ) -> list[Budget]:
        """Return whether messages ran out before the agent answered a turn."""
        messages = trajectory.messages
        following = [*(message.sender for message in messages[1:]), Role.USER]
        cut = (
            message.sender is Role.EXECUTION_ENVIRONMENT and after is Role.USER
            for message, after in zip(messages, following, strict=True)
        )
        return ["max_messages"] if any(cut) else []

    def user_words(self, scenario: Scenario) -> list[str]:
        """Return the user's messages to the agent in the recording."""
        return said_to_agent(scenario.task_as(Replay))

    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Prove the recording with its turns, and with mutants of them."""
        from pytest_toolsandbox.authoring.proof.replay_proof import prove_replay

        return prove_replay(scenario, ask)


def _recorded_texts(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each free text of the recorded calls."""
    for call in ground_truth_calls(scenario):
        for name, text in texts_of(call, scenario.world.tools).items():
            yield f"- {call.tool}, {name}: {text}"


def _marks(judged: JudgedCall, place: Literal["truth", "prediction"]) -> dict[str, Any]:
    """Return the result of a call; the key ``place`` holds the index of the matching call."""
    nearest = dataclasses.asdict(judged.nearest) if judged.nearest else None
    if nearest:
        nearest[place] = nearest.pop("place")
    return {
        "call": dataclasses.asdict(judged.call),
        "plugin": judged.plugin,
        place: judged.match,
        "nearest": nearest,
    }


def _figures(result: CallEvaluation) -> dict[str, Any]:
    counts = result.counts
    rates = ("precision", "recall", "action_precision", "bad_action_rate")
    return {
        "protocol": result.protocol.name,
        "similarity": result.similarity,
        "success": result.passed,
        "soft_success": result.soft_success,
        "counts": dataclasses.asdict(counts),
        "plugins": {name: dataclasses.asdict(c) for name, c in result.plugins.items()},
        "tools": {name: dataclasses.asdict(c) for name, c in result.tools.items()},
        "errors": dataclasses.asdict(result.errors),
        "rates": {name: getattr(counts, name) for name in rates},
    }
