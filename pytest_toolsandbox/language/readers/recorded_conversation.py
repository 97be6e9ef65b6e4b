"""Recorded conversations: what was said, and which calls the agent's turns are made of."""

from __future__ import annotations

import itertools
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.tasks import (
    AgentTurn,
    RecordedCall,
    RecordedTurn,
    Replay,
    UserTurn,
)
from pytest_toolsandbox.wording.phrases import listed
from pytest_toolsandbox.worlds.state import State

from .base_reader import Reader
from .steps import StepReader, read_call

TURNS = "conversation"
OUTCOMES = ("result", "error")
TURN_KEYS = ("user", "calls", "assistant")


def read_replay(model: models.ConversationDocument, in_world: InWorld) -> dict[str, Any]:
    """Return the parts of a scenario that are a recorded conversation."""
    reader, start = in_world.reader, in_world.start
    if start is not None:
        start = _with_session(model.session, reader, start)
    calls = StepReader(*reader.context, offered=in_world.tools, strict=True, beside=())
    turns: tuple[RecordedTurn, ...] = reader.mistakes.each(
        model.conversation, (TURNS,), lambda turn, path: _turn(calls, turn, path)
    )
    if not reader.mistakes.found:
        _check_order(reader, turns)
    if not model.compare_receiver and model.protocol != "published_code":
        text = f"{model.protocol} always compares receivers; leave it out, or take published_code"
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
        text = f"nobody can log in to the world {reader.world.name!r}"
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
    if not isinstance(turn, dict) or not turn or not set(turn) <= set(TURN_KEYS):
        reader.mistakes.expected(path, "user, or calls and assistant;", turn)
        return None
    if "user" in turn and len(turn) > 1:
        reader.mistakes.add(path, "a turn is the user's or the assistant's; write two", key=True)
        return None
    calls, calls_path = turn.get("calls") or [], (*path, "calls")
    if not isinstance(calls, list):
        reader.mistakes.expected(calls_path, "a list of calls", calls)
        calls = []
    read = reader.mistakes.each(calls, calls_path, lambda call, here: _call(reader, call, here))
    speaker = "user" if "user" in turn else "assistant"
    said = turn.get(speaker, "")
    if not reader.mistakes.is_text(said, (*path, speaker)):
        return None
    return UserTurn(said) if speaker == "user" else AgentTurn(read, said)


def _call(reader: StepReader, call: Any, path: Path) -> RecordedCall | None:
    outcomes = [key for key in OUTCOMES if isinstance(call, dict) and key in call]
    tools = [key for key in call if key not in OUTCOMES] if isinstance(call, dict) else []
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
            reader.mistakes.add((TURNS, place), "the assistant's turn goes on; write one", key=True)
    if not turns or not isinstance(turns[0], UserTurn):
        reader.mistakes.add((TURNS,), "the user begins")
    elif not any(isinstance(turn, AgentTurn) for turn in turns):
        reader.mistakes.add((TURNS,), f"the agent has no turn; give {listed(TURN_KEYS[1:], 'or')}")
